"""arcade's spatial hash alone, with its default cell of 128 px: the least that arcade can take."""

from __future__ import annotations

from benchmarks.armies import Army
from benchmarks.peers.base import Index


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
    name = "arcade SpatialHash"
    most = 10_000

    def __init__(self, army: Army) -> None:
        self.tree = self.build(army)
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
