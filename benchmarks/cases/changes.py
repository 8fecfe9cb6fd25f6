"""Build a tree, move units, take some out and put them back; and a whole frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
WAVES = 100, 1_000  # units that die and come back in a frame
DICTIONARY = "dictionary of the units"  # the least that a tree of items can cost
LOOP = "tilequad, a loop"


def races(plan: Plan) -> Iterator[Race]:
    """Units walk a frame's step and back, so that every round starts alike."""
    for army in plan.armies():
        indexes = plan.indexes(army, INDEXES)
        yield building(army, indexes)
        yield moving_one(army, indexes, plan.results.notes)
        yield moving_all(army, indexes, plan.results.notes)
        yield from waves(army)


def building(army: Army, indexes: list[Index]) -> Race:
    runners: dict[str, Runner] = {
        index.name: lambda build=index.build: build(army)
        for index in indexes
        if hasattr(index, "build")
    }
    runners[DICTIONARY] = lambda: dict(zip(army.items, range(army.count), strict=True))
    return Race("bulk build", army.spread, army.count, "unit", runners, share=army.count)


def moving_one(army: Army, indexes: list[Index], notes: list[str]) -> Race:
    chosen = np.random.default_rng(3).permutation(army.count)[:MOVES]
    there, back = steps_of(army, chosen.tolist())
    moved, few = army.xy.copy(), chosen[:CHECKED]
    moved[few] = army.next_xy[few]
    runners: dict[str, Runner] = {}
    for index in (one for one in indexes if hasattr(one, "move")):
        index.move(there[:CHECKED])
        right = finds(index, army, moved, few)
        index.move(back[:CHECKED])
        if kept(index, right and finds(index, army, army.xy, few), army, notes):
            chunks = cycle(
                [
                    way[at : at + CHUNK]
                    for at in range(0, len(there), CHUNK)
                    for way in (there, back)
                ]
            )
            runners[index.name] = lambda move=index.move, chunks=chunks: move(next(chunks))
    share = min(CHUNK, len(there))
    return Race("move one unit", army.spread, army.count, "move", runners, share=share)


def steps_of(army: Army, units: list[int]) -> tuple[list, list]:
    """The steps of some units there and back, each as item, old x, old y, new x, new y."""
    there = [
        (army.items[unit], *army.xy[unit].tolist(), *army.next_xy[unit].tolist()) for unit in units
    ]
    return there, [(item, x, y, old_x, old_y) for item, old_x, old_y, x, y in there]


def moving_all(army: Army, indexes: list[Index], notes: list[str]) -> Race:
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
        if kept(index, right and finds(index, army, army.xy, few), army, notes):
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


def kept(index: Index, right: bool, army: Army, notes: list[str]) -> bool:
    """Whether an index is timed: one that loses units is not; raise if it is ours."""
    check(right or not index.name.startswith(OURS), f"{index.name} loses units")
    if not right:
        notes.append(f"{index.name} loses units: {army.spread}, {army.count:,}; not timed")
    return right


def waves(army: Army) -> Iterator[Race]:
    """Some units die and as many come, in one call each or one by one."""
    for wave in WAVES:
        if wave > army.count // 10:
            continue
        chosen = np.random.default_rng(4).permutation(army.count)[:wave]
        items, xy = chosen.tolist(), army.xy[chosen]
        trees: list[DynamicQuadtree] = []
        for _ in range(2):
            trees.append(DynamicQuadtree(army.bounds))
            trees[-1].add_many(army.items, army.xy)
        runners = {OURS: at_once(trees[0], items, xy), LOOP: in_a_loop(trees[1], items, xy)}
        for tree, run in zip(trees, runners.values(), strict=True):
            run()
            check(sorted(tree) == army.items, "a wave loses units")
        operation = f"{wave:,} units die and come"
        yield Race(operation, army.spread, army.count, "unit", runners, share=wave)


def at_once(tree: DynamicQuadtree, items: list[int], xy: np.ndarray) -> Runner:
    def run() -> None:
        tree.remove_many(items)
        tree.add_many(items, xy)

    return run


def in_a_loop(tree: DynamicQuadtree, items: list[int], xy: np.ndarray) -> Runner:
    def run() -> None:
        remove, add = tree.remove, tree.add
        for item in items:
            remove(item)
        for item, (x, y) in zip(items, xy.tolist(), strict=True):
            add(item, x, y)

    return run


def frames(plan: Plan) -> Iterator[Race]:
    """All units move, a tenth ask who is in range, a tenth who is nearest, and all pairs."""
    for count in plan.sizes:
        if 1_000 <= count <= 100_000:
            frame = {OURS: game(Army("uniform", count))}
            yield Race(
                "a frame of a game", "uniform", count, "frame", frame, frames=plan.frames(300)
            )


def game(army: Army) -> Callable[[], object]:
    tree = DynamicQuadtree(army.bounds)
    slots = tree.add_many(army.items, army.xy, radius=8.0)
    tenth = max(1, army.count // 10)
    ends = cycle([army.next_xy, army.xy])

    def frame() -> None:
        xy = next(ends)
        tree.move_many(slots, xy)
        tree.within_many(xy[:tenth], army.radius)
        tree.nearest_many(xy[-tenth:])
        tree.pairs_many()

    return frame
