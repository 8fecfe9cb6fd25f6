"""Build a tree, move units, remove some."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import cycle

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers import INDEXES, OURS, Index
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree

MOVES = 1_000  # units that move, one after another
CHUNK = 50  # moves a call
CHECKED = 20
WAVES = 100, 1_000  # units that die in a frame
HEAP = 10_000  # units on one point
DICTIONARY = "dictionary of the units"  # the least that a tree of items can cost
LOOP = "tilequad, a loop"


def races(plan: Plan) -> Iterator[Race]:
    """Units walk a frame's step and back, so that every round starts alike."""
    for army in plan.armies():
        indexes = plan.indexes(army, INDEXES)
        yield building(army, indexes)
        yield moving_one(army, indexes, plan)
        yield moving_all(army, indexes, plan)


def building(army: Army, indexes: list[Index]) -> Race:
    runners: dict[str, Runner] = {
        index.name: lambda build=index.build: build(army)
        for index in indexes
        if hasattr(index, "build")
    }
    runners[DICTIONARY] = lambda: dict(zip(army.items, range(army.count), strict=True))
    return Race("bulk build", army.spread, army.count, "unit", runners, share=army.count)


def moving_one(army: Army, indexes: list[Index], plan: Plan) -> Race:
    chosen = np.random.default_rng(3).permutation(army.count)[:MOVES]
    there, back = steps_of(army, chosen.tolist())
    moved, few = army.xy.copy(), chosen[:CHECKED]
    moved[few] = army.next_xy[few]
    runners: dict[str, Runner] = {}
    for index in (one for one in indexes if hasattr(one, "move")):
        index.move(there[:CHECKED])
        right = finds(index, army, moved, few)
        index.move(back[:CHECKED])
        if plan.trusts(index, right and finds(index, army, army.xy, few), "move one unit"):
            starts = range(0, len(there), CHUNK)
            chunks = cycle([way[at : at + CHUNK] for at in starts for way in (there, back)])
            runners[index.name] = lambda move=index.move, chunks=chunks: move(next(chunks))
    share = min(CHUNK, len(there))
    return Race("move one unit", army.spread, army.count, "move", runners, share=share)


def steps_of(army: Army, units: list[int]) -> tuple[list, list]:
    """The steps of some units there and back, each as item, old x, old y, new x, new y."""
    there = [
        (army.items[unit], *army.xy[unit].tolist(), *army.next_xy[unit].tolist()) for unit in units
    ]
    return there, [(item, x, y, old_x, old_y) for item, old_x, old_y, x, y in there]


def moving_all(army: Army, indexes: list[Index], plan: Plan) -> Race:
    runners: dict[str, Runner] = {}
    few = np.arange(army.count)[:CHECKED]
    for index in indexes:
        begin = getattr(index, "moving_all", None)
        move_all = begin(army.xy) if begin else getattr(index, "move_all", None)
        if move_all is None:
            continue
        move_all(army.next_xy)
        right = finds(index, army, army.next_xy, few)
        move_all(army.xy)
        if plan.trusts(index, right and finds(index, army, army.xy, few), "move all units"):
            ends = cycle([army.next_xy, army.xy])
            runners[index.name] = lambda move_all=move_all, ends=ends: move_all(next(ends))
    return Race("move all units", army.spread, army.count, "frame", runners)


def finds(index: Index, army: Army, xy: np.ndarray, units: np.ndarray) -> bool:
    """True if the index finds around some units what is there with all units at `xy`."""
    if not index.moves:
        return True
    places, half = [tuple(place) for place in xy[units].tolist()], army.box_side / 2
    found = [sorted(ids) for ids in index.around(places, half)]
    return found == [
        np.flatnonzero((abs(xy - place) <= half).all(axis=1)).tolist() for place in places
    ]


def frames(plan: Plan) -> Iterator[Race]:
    """Waves of units that die, and a heap of which one is left."""
    heap = np.zeros((HEAP, 2))
    yield dying("all but one die", "one point", heap, HEAP - 1, plan.frames(100))
    for count in plan.sizes:
        for wave in (wave for wave in WAVES if 10 * wave <= count):
            xy = Army("uniform", count).xy
            yield dying(f"{wave:,} units die", "uniform", xy, wave, plan.frames(300))


def dying(operation: str, spread: str, xy: np.ndarray, wave: int, frames: int) -> Race:
    """Some units die, in one call or one by one; before each time they come back."""
    chosen = np.random.default_rng(4).permutation(len(xy))[:wave]
    items = chosen.tolist()
    trees = {name: DynamicQuadtree((0, 0, *xy.max(axis=0) + 1)) for name in (OURS, LOOP)}
    for tree in trees.values():
        tree.add_many(range(len(xy)), xy)
    at_once, remove = trees[OURS], trees[LOOP].remove
    slots = chosen.astype(np.int32)  # a new tree's slots are its items

    def in_a_loop() -> None:
        for item in items:
            remove(item)

    def come_back(tree: DynamicQuadtree) -> None:
        check(len(tree) == len(xy) - wave, "the dead are still there")
        tree.add_many(items, xy[chosen])

    runners = {OURS: lambda: at_once.remove_many(slots), LOOP: in_a_loop}
    for run in runners.values():
        run()
    prepare = {name: partial(come_back, tree) for name, tree in trees.items()}
    about = operation, spread, len(xy), "unit"
    return Race(*about, runners, share=wave, frames=frames, prepare=prepare)
