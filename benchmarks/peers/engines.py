"""What game libraries bring themselves: pygame's rectangles, pymunk's space, arcade's hash."""

from math import dist

from arcade import LRBT
from arcade.sprite_list.spatial_hash import SpatialHash
from pygame.rect import FRect
from pymunk import BB, Body, Circle, ShapeFilter, Space

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class PygameRects(Index):
    """A list of rectangles of 1 px, and the loop over it that pygame has in C."""

    name = "pygame collidelistall"
    most = 10_000

    def __init__(self, army: Army) -> None:
        super().__init__(army)
        self.places = list(map(tuple, army.xy.tolist()))

    def build(self, army: Army):
        return [FRect(x - 0.5, y - 0.5, 1.0, 1.0) for x, y in army.xy.tolist()]

    def box(self, queries, half):
        start, side, rects = half - 0.5, half + half - 1.0, self.tree
        return [FRect(x - start, y - start, side, side).collidelistall(rects) for x, y in queries]

    def radius(self, queries, radius):
        """The rectangles in the square around the circle, then a test of each distance."""
        return [
            [i for i in near if dist(self.places[i], place) <= radius]
            for near, place in zip(self.box(queries, radius), queries, strict=True)
        ]

    def move(self, steps):
        for item, _, _, x, y in steps:
            self.tree[item].center = self.places[item] = x, y


class Pymunk(Index):
    """A space, which is asked and never stepped. A unit is a body with a circle of no radius."""

    name = "pymunk"
    most = 10_000

    def __init__(self, army: Army) -> None:
        super().__init__(army)
        self.shapes = self.tree.shapes
        self.numbers = {shape: i for i, shape in enumerate(self.shapes)}
        self.everyone = ShapeFilter()

    def build(self, army: Army):
        space = Space()
        for place in army.xy.tolist():
            body = Body(body_type=Body.KINEMATIC)
            body.position = place
            space.add(body, Circle(body, 0.0))
        return space

    def radius(self, queries, radius):
        return [self.tree.point_query(place, radius, self.everyone) for place in queries]

    def box(self, queries, half):
        ask, everyone = self.tree.bb_query, self.everyone
        return [ask(BB(x - half, y - half, x + half, y + half), everyone) for x, y in queries]

    def move(self, steps):
        for item, _, _, x, y in steps:
            shape = self.shapes[item]
            shape.body.position = x, y
            self.tree.reindex_shape(shape)

    def ids(self, answer):
        return [self.numbers[getattr(hit, "shape", hit)] for hit in answer]


class Sprite:
    """The part of an arcade sprite that its spatial hash looks at, without a texture."""

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

    def build(self, army: Army):
        tree = SpatialHash(128)
        for item, (x, y) in enumerate(army.xy.tolist()):
            tree.add(Sprite(item, x, y))
        return tree

    def radius(self, queries, radius):
        radius2 = radius * radius
        return [
            [one for one in near if (one.left - x) ** 2 + (one.bottom - y) ** 2 <= radius2]
            for near, (x, y) in zip(self.box(queries, radius), queries, strict=True)
        ]

    def box(self, queries, half):
        near = self.tree.get_sprites_near_rect
        found = [near(LRBT(x - half, x + half, y - half, y + half)) for x, y in queries]
        return [
            [one for one in ones if abs(one.left - x) <= half and abs(one.bottom - y) <= half]
            for ones, (x, y) in zip(found, queries, strict=True)
        ]

    def move(self, steps):
        for item, _, _, x, y in steps:
            sprite = self.sprites[item]
            sprite.place(x, y)
            self.tree.move(sprite)

    def ids(self, answer):
        return [sprite.number for sprite in answer]
