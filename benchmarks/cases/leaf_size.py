"""What trees of other leaf sizes cost: the curve behind the default."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.armies import Army
from benchmarks.plan import Plan
from benchmarks.timing import Race, check
from tilequad import DynamicQuadtree, StaticQuadtree

LEAF_SIZES = (4, 8, 16, 32, 48, 64, 128, 256)
ASKED = 500


def races(plan: Plan) -> Iterator[Race]:
    """Each leaf size is a contestant; every one must give the same answers."""
    for count in plan.sizes:
        if 1_000 <= count <= 100_000:
            yield from curves(Army("uniform", count))


def curves(army: Army) -> Iterator[Race]:
    places, half, radius = army.queries(ASKED), army.box_side / 2, army.radius
    boxes = np.hstack([army.xy, army.xy])
    there = army.xy[:ASKED] + half

    def units(leaf_size: int) -> DynamicQuadtree:
        tree = DynamicQuadtree(army.bounds, leaf_size=leaf_size)
        tree.add_many(army.items, army.xy)
        return tree

    def within(tree: DynamicQuadtree) -> list[int]:
        return [len(tree.within(x, y, radius)) for x, y in places]

    def nearest(tree: DynamicQuadtree) -> list[object]:
        return [tree.nearest(x, y) for x, y in places]

    def move(tree: DynamicQuadtree) -> None:
        for xy in (there, army.xy[:ASKED]):
            for item, (x, y) in zip(army.items, xy.tolist(), strict=False):
                tree.move(item, x, y)

    def culled(tree: StaticQuadtree) -> list[int]:
        return [len(tree.query((x - half, y - half, x + half, y + half))) for x, y in places]

    trees = {f"leaf_size {size}": units(size) for size in LEAF_SIZES}
    static = {f"leaf_size {size}": StaticQuadtree(boxes, leaf_size=size) for size in LEAF_SIZES}
    for verb, made, ask in (
        ("within", trees, within),
        ("nearest", trees, nearest),
        ("move", trees, move),
        ("static query", static, culled),
    ):
        answers = [ask(tree) for tree in made.values()]
        check(all(answer == answers[0] for answer in answers), f"{verb} depends on the leaf size")
        runners = {name: lambda ask=ask, tree=tree: ask(tree) for name, tree in made.items()}
        share = 2 * ASKED if verb == "move" else ASKED
        yield Race(f"leaf size, {verb}", army.spread, army.count, "call", runners, share=share)
