"""The trees return the same results in the same order, compiled or not, in every process."""

from __future__ import annotations

import inspect
from math import inf, nan
from random import Random

import numpy as np

from tests.questions import DYNAMIC_VERBS, STATIC_VERBS, Asker
from tests.worlds import WORLDS, boxes, footprint
from tilequad import DynamicQuadtree, StaticQuadtree


def answers() -> list:
    """Return the results of trees in every world, in their order."""
    found = []
    for world in WORLDS:
        rng = Random(world.name)
        found += dynamic_answers(rng, world) + static_answers(rng, world)
    return found + refusals()


def dynamic_answers(rng, world) -> list:
    tree, places = DynamicQuadtree(world.bounds), {}
    for item in range(300):
        places[item] = world.place(rng)
        tree.add(item, *places[item], groups=rng.choice((1, 2, 6)), **footprint(rng, world, 300))
    slots = tree.add_many(range(300, 500), [world.place(rng) for _ in range(200)])
    for item in rng.sample(range(500), 150):
        tree.move(item, *world.place(rng))
    tree.move_many(slots, [world.place(rng) for _ in slots])
    for item in rng.sample(range(500), 150):
        tree.remove(item)
        places.pop(item, None)
    asker = Asker(rng, world, places)
    questions = [asker.dynamic(verb) for verb in DYNAMIC_VERBS for _ in range(6)]
    found = [getattr(tree, verb)(*args, **options) for verb, args, options in questions]
    xy = list(places.values())
    offsets, near = tree.within_many(xy, world.bounds.width / 20)
    nearest, distances = tree.nearest_many(xy)
    slots = [tree.slot(item) for item in places]
    masks = [rng.choice((0, 1, 2, 4)) for _ in xy]
    tree.resize(next(iter(places)), radius=world.bounds.width / 9)
    tree.set_groups_many(slots[::2], 5)
    arrays = (
        *(offsets, near, nearest, distances, tree.pairs_many()),
        *tree.within_many(xy, world.bounds.width / 20, without=masks, exclude=slots),
        *tree.k_nearest_many(xy, 70, without=masks, exclude=slots),
        *tree.k_nearest_many(xy, 70, without=masks, exclude=slots, to_edge=True),
        *tree.segment_many(xy, xy[::-1], world.bounds.width / 90),
        tree.sum_within_many(xy, world.bounds.width / 5, np.arange(900.0) / 7, without=2),
        tree.count_within_many(xy, world.bounds.width / 9, to_edge=True),
        *(tree.position_many(slots), tree.serial_many(slots), tree.groups_many(slots)),
        *tree.sweep_many(slots, xy[::-1], without=masks),
        tree.slots(places),
    )
    hits = [tree.sweep_hits(item, *world.place(rng)) for item in list(places)[:20]]
    hits.append(tree.segment_hits(*world.place(rng), *world.place(rng), world.bounds.width / 30))
    values = np.arange(900.0) / 7
    found.append([tree.sum_within(x, y, world.bounds.width / 5, values) for x, y in xy[:30]])
    found.append([tree.serial(item) for item in places])
    found.append(tree.add_many(None, xy, radius=world.bounds.width / 99).tolist())
    tree.resize_many(slots, radius=world.bounds.width / 50)
    tree.resize_many(slots[:3], size=(world.bounds.width / 20, 1))
    found.append(tree.pairs())
    found += [hits, tree.digest().hex()]
    nodes = tree.nodes()[["depth", "count", "leaf"]]
    return [*found, *(array.tolist() for array in arrays), nodes.tolist()]


def static_answers(rng, world) -> list:
    rows = boxes(rng, world, 400)
    tree = StaticQuadtree(rows)
    asker = Asker(rng, world, {i: row[:2] for i, row in enumerate(rows)})
    questions = [asker.static(verb) for verb in STATIC_VERBS for _ in range(6)]
    found = [getattr(tree, verb)(*args, **options) for verb, args, options in questions]
    nodes = tree.nodes()[["depth", "count", "leaf"]]
    return [
        *(answer if isinstance(answer, int | None) else answer.tolist() for answer in found),
        nodes.tolist(),
    ]


NUMBERS = (nan, inf, -inf, -1, 0, 1.5, True, 2**31, 2**32, 2**70, 1j, np.int64(3))
WRONG = (None, "1", (), [1.0], *NUMBERS)
CALLS = {
    "add": [50.0, 50.0],
    "move": [50.0, 50.0],
    "query": [(0, 0, 50, 50)],
    "within": [50.0, 50.0, 20.0],
    "count_within": [50.0, 50.0, 20.0],
    "nearest": [50.0, 50.0],
    "k_nearest": [50.0, 50.0, 3],
    "segment": [0.0, 0.0, 50.0, 50.0],
    "sweep": [50.0, 50.0],
    "any_within": [50.0, 50.0, 20.0],
    "segment_hits": [0.0, 0.0, 50.0, 50.0],
    "sweep_hits": [50.0, 50.0],
    "meet": [50.0, 50.0, 8, 20.0, 20.0],
    "resize": [5.0],
    "pairs": [],
    "overlaps": [],
    "overlaps_many": [[1, 2]],
    "k_nearest_many": [[(50.0, 50.0)], 3],
    "count_within_many": [[(50.0, 50.0)], 20.0],
    "sum_within_many": [[(50.0, 50.0)], 20.0, [1.0] * 40],
    "segment_many": [[(0.0, 0.0)], [(50.0, 50.0)]],
    "sweep_many": [[1, 2], [(50.0, 50.0), (60.0, 50.0)]],
    "sum_within": [50.0, 50.0, 20.0, [1.0] * 40],
    "set_groups_many": [[1, 2], 4],
    "resize_many": [[1, 2], [4.0, 5.0]],
    "groups_many": [[1, 2]],
    "slots": [[1, 2]],
    "item": [1],
    "serial": [1],
    "position_many": [[1, 2]],
    "serial_many": [[1, 2]],
    "changed_since": [1],
    "within_many": [[(50.0, 50.0)], 20.0],
    "nearest_many": [[(50.0, 50.0)]],
    "query_many": [[(0, 0, 50, 50)]],
    "items": [[1, 2]],
    "move_many": [[1], [(2.0, 2.0)]],
    "remove_many": [[1, 2]],
}
OPTIONS = (
    *("groups", "without", "against", "exclude", "width", "radius", "to_edge"),
    *("min_radius", "min_distance", "max_distance"),
)


CHANGES = "add", "move", "resize", "set_groups_many", "resize_many", "move_many", "remove_many"
OF_UNITS = ("move", "sweep", "sweep_hits", "meet", "resize", "overlaps")


def refusals() -> list:
    """Return what happens when each argument in turn is wrong: an answer, or the error's type."""
    found = []
    for verb, sound in CALLS.items():
        first = {"add": ["new"]}.get(verb, [7] if verb in OF_UNITS else [])
        takes = inspect.signature(getattr(DynamicQuadtree, verb)).parameters
        tree = forty_units()
        for wrong in WRONG:
            for place in range(len(sound)):
                args = [*first, *sound[:place], wrong, *sound[place + 1 :]]
                found.append([verb, place, repr(wrong), outcome(tree, verb, args, {})])
            for name in OPTIONS:
                if name in takes and name not in list(takes)[: 1 + len(first) + len(sound)]:
                    answer = outcome(tree, verb, [*first, *sound], {name: wrong})
                    found.append([verb, name, repr(wrong), answer])
        tree.check()
    return found


def forty_units():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add_many(range(40), [(i * 7 % 100, i * 11 % 100) for i in range(40)], radius=3)
    return tree


def outcome(tree, verb, args, options):
    tree = forty_units() if verb in CHANGES else tree
    try:
        answer = getattr(tree, verb)(*args, **options)
    except Exception as error:
        return type(error).__name__
    if verb in CHANGES:
        tree.check()
    if isinstance(answer, tuple):
        return [part.tolist() if isinstance(part, np.ndarray) else part for part in answer]
    return answer.tolist() if isinstance(answer, np.ndarray) else answer


def test_inspect_reads_every_signature():
    for tree in (DynamicQuadtree, StaticQuadtree):
        for name, verb in inspect.getmembers(tree, inspect.isroutine):
            if not name.startswith("_"):
                assert inspect.signature(verb).parameters, name
    told = inspect.signature(DynamicQuadtree.nearest).parameters
    assert [name for name in told if name != "self"] == [
        *("x", "y", "groups", "without", "min_distance", "max_distance", "exclude", "to_edge"),
        "where",
    ]
    assert told["max_distance"].default == inf
