"""Build a tree, move units, remove some."""

from functools import partial

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers import INDEXES, Index, Tilequad
from benchmarks.plan import OURS, Plan, Race, Races, Runner, check, in_turn
from tilequad import DynamicQuadtree

MOVES = 1_000  # units that move, one after another
CHUNK = 50  # moves a call
CHECKED = 20
LOOP = "tilequad, a loop"


def races(plan: Plan) -> Races:
    """Build a tree; units walk a frame's step and back, so that every round starts alike."""
    for army in plan.armies():
        yield from changing(army, plan.indexes(army, INDEXES), plan)


def changing(army: Army, indexes: list[Index], plan: Plan) -> Races:
    builders = {one.name: one.build for one in indexes if hasattr(one, "build")}
    runners: dict[str, Runner] = {name: partial(build, army) for name, build in builders.items()}
    # The least that a tree of items can cost.
    numbers = range(army.count)
    runners["dictionary of the units"] = lambda: dict(zip(army.items, numbers, strict=True))
    yield Race("bulk build", army.spread, army.count, runners, "unit", army.count)
    chosen = np.random.default_rng(3).permutation(army.count)[:MOVES]
    few, moved = chosen[:CHECKED], army.xy.copy()
    moved[few] = army.next_xy[few]
    one_by_one, trial = ways_of(army, chosen.tolist()), ways_of(army, few.tolist())
    at_once = [army.next_xy, army.xy]
    for operation, verb, ways, (first, last), there, *per in (
        ("move one unit", "move", one_by_one, trial, moved, "move", min(CHUNK, army.count)),
        ("move all units", "move_all", at_once, at_once, army.next_xy),
    ):
        runners = {}
        for index in (one for one in indexes if hasattr(one, verb)):
            move = getattr(index, verb)
            move(first)
            right = finds(index, army, there, few)
            move(last)
            if plan.trusts(index, right and finds(index, army, army.xy, few), operation):
                runners[index.name] = in_turn(move, ways)
        yield Race(operation, army.spread, army.count, runners, *per)


def ways_of(army: Army, units: list[int], chunk: int = CHUNK) -> list[list[tuple]]:
    """Steps of a few units there and back, then others, each as item, old x and y, new x and y."""
    there = [(unit, *army.xy[unit].tolist(), *army.next_xy[unit].tolist()) for unit in units]
    back = [(item, x, y, old_x, old_y) for item, old_x, old_y, x, y in there]
    return [way[at : at + chunk] for at in range(0, len(units), chunk) for way in (there, back)]


def finds(index: Index, army: Army, xy: np.ndarray, units: np.ndarray) -> bool:
    """True if the index finds around some units what is there with all units at `xy`."""
    if not index.moves:
        return True
    places, half = [tuple(place) for place in xy[units].tolist()], army.box_side / 2
    found = [sorted(ids) for ids in index.around(places, half)]
    return found == [
        np.flatnonzero((abs(xy - place) <= half).all(axis=1)).tolist() for place in places
    ]


def frames(plan: Plan) -> Races:
    for count in plan.sizes:
        for wave in (100, 1_000):
            if 10 * wave <= count:
                yield dying(Army("uniform", count), wave)


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
