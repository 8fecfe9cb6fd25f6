"""A list of pygame's rectangles, and the loop over it that pygame has in C. A unit is 1 px wide."""

from __future__ import annotations

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class PygameRects(Index):
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
