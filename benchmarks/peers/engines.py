"""What game libraries bring themselves: pygame's rectangles, pymunk's space, arcade's hash."""

from __future__ import annotations

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class PygameRects(Index):
    """A list of rectangles of 1 px, and the loop over it that pygame has in C."""

    name = "pygame collidelistall"
    most = 10_000

    def __init__(self, army: Army) -> None:
        super().__init__(army)
        self.places = army.xy.tolist()

    @staticmethod
    def build(army: Army):
        from pygame.rect import FRect

        return [FRect(x - 0.5, y - 0.5, 1.0, 1.0) for x, y in army.xy.tolist()]

    def box(self, queries, half):
        from pygame.rect import FRect

        rects, start, side = self.tree, half - 0.5, half + half - 1.0
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
        rects, at = self.tree, self.places
        for item, _, _, x, y in steps:
            rects[item].center = at[item] = x, y


class Pymunk(Index):
    """A space, which is asked and never stepped. A unit is a body with a circle of no radius."""

    name = "pymunk"
    most = 10_000

    def __init__(self, army: Army) -> None:
        from pymunk import ShapeFilter

        super().__init__(army)
        self.shapes = self.tree.shapes
        self.numbers = {shape: i for i, shape in enumerate(self.shapes)}
        self.everyone = ShapeFilter()

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


class Sprite:
    """The part of an arcade sprite that its spatial hash looks at, without a texture."""

    __slots__ = ("bottom", "left", "number", "right", "top")

    def __init__(self, number: int, x: float, y: float) -> None:
        self.number = number
        self.place(x, y)

    def place(self, x: float, y: float) -> None:
        self.left = self.right = x
        self.bottom = self.top = y


class ArcadeHash(Index):
    """The hash alone, with its default cell of 128 px: the least that arcade can take."""

    name = "arcade SpatialHash"
    most = 10_000

    def __init__(self, army: Army) -> None:
        super().__init__(army)
        self.sprites = list(self.tree.buckets_for_sprite)

    @staticmethod
    def build(army: Army):
        from arcade.sprite_list.spatial_hash import SpatialHash

        tree = SpatialHash(128)
        for item, (x, y) in enumerate(army.xy.tolist()):
            tree.add(Sprite(item, x, y))
        return tree

    def radius(self, queries, radius):
        found, radius2 = self.box(queries, radius), radius * radius
        return [
            [one for one in near if (one.left - x) ** 2 + (one.bottom - y) ** 2 <= radius2]
            for near, (x, y) in zip(found, queries, strict=True)
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
            sprite.place(x, y)
            move(sprite)

    def ids(self, answer):
        return [sprite.number for sprite in answer]
