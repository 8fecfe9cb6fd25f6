"""The bytes that a unit, a box or a cell takes; and a tree to bytes and back.

A unit is counted with all that the tree holds for it: its entry in the dictionary, its place in
the list of items, and its number. fastquadtree keeps points and numbers, and no checksum.
"""

import gc
import tracemalloc
from functools import partial

import numpy as np
from fastquadtree import QuadTree

from benchmarks.armies import Army
from benchmarks.peers import STATIC, Tilequad, TilequadOneByOne, TilequadStatic
from benchmarks.plan import OURS, Plan, Race, Races, check
from benchmarks.results import BYTES, row
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.nav import Field, Fog, Grid

ENTRIES, QUICK_ENTRIES = 1_000_000, 100_000
SAVED = 100_000, 1_000_000


def races(plan: Plan) -> Races:
    yield from sizes(QUICK_ENTRIES if plan.quick else ENTRIES, plan.side)
    for count in SAVED:
        if count <= max(plan.sizes):
            yield from saving(Army("uniform", count))


def sizes(count: int, side: int) -> Races:
    """Bytes for each of many entries or cells."""
    army, free, cells = Army("uniform", count), np.ones((side, side), bool), side * side
    grid = Grid(free)
    goal = grid.center_many([0])

    def field(*most: float) -> Field:
        """A field that was asked, and so has its distances."""
        made = Field(grid, goal, *most)
        made.distance(0.5, 0.5)
        return made

    for entry, number, make, *arguments in (
        ("a unit, added at once", count, Tilequad.build, army),
        ("a unit, added one by one", count, TilequadOneByOne.build, army),
        ("a static box", count, TilequadStatic.build, army),
        ("a cell of a grid", cells, lambda: Grid(free.copy())),
        ("a cell of a field", cells, field),
        ("a field that ends after 40 cells", 1, field, 40.0),
        ("a cell of a fog", cells, Fog, grid),
    ):
        gc.collect()
        tracemalloc.start()
        made = make(*arguments)
        gc.collect()
        size = [tracemalloc.get_traced_memory()[0] / number]
        del made
        tracemalloc.stop()
        yield row(f"memory of {entry}", "uniform", number, OURS, size, unit=BYTES)


def saving(army: Army) -> Races:
    """The same points in every tree, saved and read again; both must answer alike."""
    theirs = QuadTree((0.0, 0.0, army.side + 16.0, army.side + 16.0), 64, max_depth=10)
    theirs.insert_many_np(army.xy.astype(np.float32))
    out, back = {}, {}
    for name, tree, load in (
        (OURS, Tilequad.build(army), partial(DynamicQuadtree.from_bytes, items=army.items)),
        (STATIC, TilequadStatic.build(army), StaticQuadtree.from_bytes),
        ("fastquadtree", theirs, QuadTree.from_bytes),
    ):
        data, half = tree.to_bytes(), army.box_side / 2
        copy = load(data)
        for x, y in army.queries[:20]:
            box = x - half, y - half, x + half, y + half
            right = sorted(copy.query(box)) == sorted(tree.query(box))
            check(right, f"{name} answers differently after a load")
        out[name], back[name] = tree.to_bytes, partial(load, data)
    yield Race("a tree to bytes", "uniform", army.count, out)
    yield Race("bytes to a tree", "uniform", army.count, back)
