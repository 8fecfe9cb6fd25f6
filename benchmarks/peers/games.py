"""What games use today: pymunk's space, pygame's rectangles, arcade's spatial hash."""

from __future__ import annotations

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class Pymunk(Index):
    """A space that is asked and never stepped. A unit is a body with a circle of zero radius."""

    name = "pymunk"
    most = 100_000

    def __init__(self, army: Army) -> None:
        from pymunk import ShapeFilter

        self.tree = self.build(army)
        self.shapes = self.tree.shapes
        self.numbers = {shape: i for i, shape in enumerate(self.shapes)}
        self.everyone = ShapeFilter()
        self.reach = army.radius

    @staticmethod
    def build(army: Army):
        from pymunk import Body, Circle, Space

        space = Space()
        for place in army.xy.tolist():
            body = Body(body_type=Body.KINEMATIC)
            body.position = place
            space.add(body, Circle(body, 0.0))
        return space

    def radius(self, queries, radius):
        query, everyone = self.tree.point_query, self.everyone
        return [query(place, radius, everyone) for place in queries]

    def nearest(self, queries):
        """In a radius that doubles until a unit is in it: without one, pymunk visits all units."""
        query, everyone, found = self.tree.point_query_nearest, self.everyone, []
        for place in queries:
            reach = self.reach
            while (hit := query(place, reach, everyone)) is None:
                reach *= 2
            found.append(hit)
        return found

    def box(self, queries, half):
        from pymunk import BB

        query, everyone = self.tree.bb_query, self.everyone
        return [query(BB(x - half, y - half, x + half, y + half), everyone) for x, y in queries]

    def move(self, steps):
        reindex, shapes = self.tree.reindex_shape, self.shapes
        for item, _, _, x, y in steps:
            shape = shapes[item]
            shape.body.position = x, y
            reindex(shape)

    def ids(self, answer):
        return [self.numbers[getattr(hit, "shape", hit)] for hit in answer]

    def one(self, answer):
        return self.numbers[answer.shape]


class PygameRects(Index):
    """A list of rectangles, and the loop over it that pygame has in C. A unit is 1 px wide."""

    name = "pygame collidelistall"
    most = 10_000

    def __init__(self, army: Army) -> None:
        self.places = army.xy.tolist()
        self.rects = self.build(army)

    @staticmethod
    def build(army: Army):
        from pygame.rect import FRect

        return [FRect(x - 0.5, y - 0.5, 1.0, 1.0) for x, y in army.xy.tolist()]

    def box(self, queries, half):
        from pygame.rect import FRect

        rects, start, side = self.rects, half - 0.5, half + half - 1.0
        return [FRect(x - start, y - start, side, side).collidelistall(rects) for x, y in queries]

    def radius(self, queries, radius):
        """The rectangles in the square around the circle, then a test of each distance."""
        at, radius2 = self.places, radius * radius
        return [
            [
                i
                for i in touched
                if (at[i][0] - x) * (at[i][0] - x) + (at[i][1] - y) * (at[i][1] - y) <= radius2
            ]
            for (x, y), touched in zip(queries, self.box(queries, radius), strict=True)
        ]

    def move(self, steps):
        rects, at = self.rects, self.places
        for item, _, _, x, y in steps:
            rects[item].center = at[item] = x, y


class Sprite:
    """The part of an arcade sprite that its spatial hash looks at, without a texture."""

    __slots__ = ("bottom", "left", "number", "right", "top")

    def __init__(self, number: int, left: float, bottom: float, right: float, top: float) -> None:
        self.number = number
        self.place(left, bottom, right, top)

    def place(self, left: float, bottom: float, right: float, top: float) -> None:
        self.left, self.bottom, self.right, self.top = left, bottom, right, top


class ArcadeHash(Index):
    """The spatial hash alone, with its default cell of 128 px: the least that arcade can take."""

    name = "arcade SpatialHash"
    most = 100_000

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)
        self.sprites = list(self.tree.buckets_for_sprite)

    @staticmethod
    def build(army: Army):
        from arcade.sprite_list.spatial_hash import SpatialHash

        tree = SpatialHash(128)
        for item, (x, y) in enumerate(army.xy.tolist()):
            tree.add(Sprite(item, x, y, x, y))
        return tree

    def radius(self, queries, radius):
        from arcade import LRBT

        near, radius2 = self.tree.get_sprites_near_rect, radius * radius
        return [
            [
                sprite
                for sprite in near(LRBT(x - radius, x + radius, y - radius, y + radius))
                if (sprite.left - x) ** 2 + (sprite.bottom - y) ** 2 <= radius2
            ]
            for x, y in queries
        ]

    def box(self, queries, half):
        from arcade import LRBT

        near = self.tree.get_sprites_near_rect
        return [
            [
                sprite
                for sprite in near(LRBT(x - half, x + half, y - half, y + half))
                if abs(sprite.left - x) <= half and abs(sprite.bottom - y) <= half
            ]
            for x, y in queries
        ]

    def move(self, steps):
        move, sprites = self.tree.move, self.sprites
        for item, _, _, x, y in steps:
            sprite = sprites[item]
            sprite.place(x, y, x, y)
            move(sprite)

    def ids(self, answer):
        return [sprite.number for sprite in answer]


class ArcadeCollisions(Index):
    """`check_for_collision_with_list` on sprites of 1 px, in a list with a spatial hash."""

    name = "arcade collisions"
    most = 10_000

    def __init__(self, army: Army) -> None:
        from arcade import SpriteSolidColor

        self.tree = self.build(army)
        self.sprites = list(self.tree)
        self.numbers = {sprite: i for i, sprite in enumerate(self.sprites)}
        side = round(army.box_side) - 1
        self.view = SpriteSolidColor(side, side)

    @staticmethod
    def build(army: Army):
        from arcade import SpriteList, SpriteSolidColor

        sprites = SpriteList(use_spatial_hash=True, lazy=True)  # lazy: it needs no window
        for x, y in army.xy.tolist():
            sprites.append(SpriteSolidColor(1, 1, x, y))
        return sprites

    def box(self, queries, half):
        from arcade import check_for_collision_with_list

        view, sprites, found = self.view, self.tree, []
        view.width = view.height = half + half - 1.0
        for place in queries:
            view.position = place
            found.append(check_for_collision_with_list(view, sprites))
        return found

    def move(self, steps):
        sprites = self.sprites
        for item, _, _, x, y in steps:
            sprites[item].position = x, y

    def ids(self, answer):
        return [self.numbers[sprite] for sprite in answer]
