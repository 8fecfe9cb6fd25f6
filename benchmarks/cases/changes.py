"""Build a tree, move units, remove some."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers import INDEXES, Index, Tilequad
from benchmarks.plan import Plan
from benchmarks.timing import OURS, Race, Runner, check, in_turn
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
        yield moving_one(army, indexes, plan)
        yield moving_all(army, indexes, plan)


def building(army: Army, indexes: list[Index]) -> Race:
    builders = {one.name: one.build for one in indexes if hasattr(one, "build")}
    runners: dict[str, Runner] = {name: partial(build, army) for name, build in builders.items()}
    runners[DICTIONARY] = lambda: dict(zip(army.items, range(army.count), strict=True))
    return Race("bulk build", army.spread, army.count, runners, "unit", army.count)


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
            runners[index.name] = walking(index.move, there, back)
    share = min(CHUNK, army.count)
    return Race("move one unit", army.spread, army.count, runners, "move", share)


def steps_of(army: Army, units: list[int]) -> tuple[list, list]:
    """The steps of some units there and back, each as item, old x, old y, new x, new y."""
    there = [(unit, *army.xy[unit].tolist(), *army.next_xy[unit].tolist()) for unit in units]
    return there, [(item, x, y, old_x, old_y) for item, old_x, old_y, x, y in there]


def walking(move: Callable, there: list, back: list) -> Runner:
    """Some units a call step there, or back again."""
    starts = range(0, len(there), CHUNK)
    return in_turn(move, [way[at : at + CHUNK] for at in starts for way in (there, back)])


def moving_all(army: Army, indexes: list[Index], plan: Plan) -> Race:
    runners: dict[str, Runner] = {}
    few = np.arange(army.count)[:CHECKED]
    for index in (one for one in indexes if hasattr(one, "move_all")):
        index.move_all(army.next_xy)
        right = finds(index, army, army.next_xy, few)
        index.move_all(army.xy)
        if plan.trusts(index, right and finds(index, army, army.xy, few), "move all units"):
            runners[index.name] = in_turn(index.move_all, [army.next_xy, army.xy])
    return Race("move all units", army.spread, army.count, runners)


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
    for count in plan.sizes:
        yield from (dying(Army("uniform", count), wave) for wave in WAVES if 10 * wave <= count)


def dying(army: Army, wave: int) -> Race:
    """Some units die, in one call or one by one; before each time they come back."""
    chosen = np.random.default_rng(4).permutation(army.count)[:wave]
    items, slots = chosen.tolist(), chosen.astype(np.int32)  # a new tree's slots are its items
    trees = {name: Tilequad.build(army) for name in (OURS, LOOP)}

    def in_a_loop() -> None:
        for item in items:
            trees[LOOP].remove(item)

    def come_back(tree: DynamicQuadtree) -> None:
        check(len(tree) == army.count - wave, "the dead are still there")
        tree.add_many(items, army.xy[chosen])

    runners = {OURS: lambda: trees[OURS].remove_many(slots), LOOP: in_a_loop}
    for run in runners.values():
        run()
    prepare = {name: partial(come_back, tree) for name, tree in trees.items()}
    about = f"{wave:,} units die", "uniform", army.count
    return Race(*about, runners, "unit", share=wave, frames=300, prepare=prepare)
