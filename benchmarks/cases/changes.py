"""Build a tree, move units, remove some; and a whole frame."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import cycle

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers import INDEXES, OURS, Index, Tilequad
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree

MOVES = 1_000  # units that move, one after another
CHUNK = 50  # moves a call
CHECKED = 20
WAVES = 100, 1_000  # units that die in a frame
DICTIONARY = "dictionary of the units"  # the least that a tree of items can cost
LOOP = "tilequad, a loop"


def races(plan: Plan) -> Iterator[Race]:
    """Units walk a frame's step and back, so that every round starts alike."""
    for army in plan.armies():
        indexes = plan.indexes(army, INDEXES)
        yield building(army, indexes)
        yield moving_one(army, indexes, plan.results.notes)
        yield moving_all(army, indexes, plan.results.notes)


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


def waves(army: Army, wave: int, frames: int) -> Race:
    """Some units die, in one call or one by one; before each time they come back."""
    chosen = np.random.default_rng(4).permutation(army.count)[:wave]
    items, xy = chosen.tolist(), army.xy[chosen]
    slots = chosen.astype(np.int32)  # a new tree's slots are its items
    trees = {name: Tilequad.build(army) for name in (OURS, LOOP)}
    remove, at_once = trees[LOOP].remove, trees[OURS]

    def in_a_loop() -> None:
        for item in items:
            remove(item)

    def come_back(tree: DynamicQuadtree) -> None:
        check(len(tree) == army.count - wave, "the dead are still there")
        tree.add_many(items, xy)

    runners = {OURS: lambda: at_once.remove_many(slots), LOOP: in_a_loop}
    for run in runners.values():
        run()
    prepare = {name: partial(come_back, tree) for name, tree in trees.items()}
    about = f"{wave:,} units die", army.spread, army.count, "unit"
    return Race(*about, runners, share=wave, frames=frames, prepare=prepare)


def heap(count: int, frames: int) -> Race:
    """All units but one leave the point where they stand, in one call; then they come back."""
    units: DynamicQuadtree[int] = DynamicQuadtree((0, 0, 1, 1))
    items = list(range(count))
    units.add_many(items, np.zeros((count, 2)))

    def come_back() -> None:
        check(len(units) == 1, "the dead are still there")
        units.add_many(items[1:], np.zeros((count - 1, 2)))

    runners: dict[str, Runner] = {OURS: lambda: units.remove_many(items[1:])}
    runners[OURS]()
    about = "all but one die", "one point", count, "unit"
    prepare: dict[str, Runner] = {OURS: come_back}
    return Race(*about, runners, share=count - 1, frames=frames, prepare=prepare)


def frames(plan: Plan) -> Iterator[Race]:
    """Waves of units that die, and whole frames of a game."""
    yield heap(10_000, plan.frames(100))
    for count in plan.sizes:
        for wave in WAVES:
            if 10 * wave <= count:
                yield waves(Army("uniform", count), wave, plan.frames(300))
        if 1_000 <= count <= 100_000:
            frame = {OURS: game(Army("uniform", count))}
            yield Race(
                "a frame of a game", "uniform", count, "frame", frame, frames=plan.frames(300)
            )


def game(army: Army) -> Runner:
    """All units move, a tenth ask who is in range, a tenth who is nearest, and all pairs."""
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
