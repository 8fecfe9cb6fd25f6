"""pymunk's space, which is asked and never stepped. A unit is a body with a circle of no radius."""

from __future__ import annotations

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class Pymunk(Index):
    name = "pymunk"
    most = 10_000

    def __init__(self, army: Army) -> None:
        from pymunk import ShapeFilter

        self.tree = self.build(army)
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
