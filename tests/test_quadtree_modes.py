"""The trees return the same results in the same order, compiled or not, in every process."""

from __future__ import annotations

import inspect
from math import inf, nan
from random import Random

import numpy as np

from tests.questions import DYNAMIC_VERBS, STATIC_VERBS, Asker, add_unit
from tests.test_quadtree_errors import DYNAMIC, filled
from tests.worlds import WORLDS, boxes
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
        places[item] = add_unit(rng, world, item, 300, (1, 2, 6), tree)
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
CHANGES = {"add", "move", "remove", "resize", "set_groups"}
CHANGES |= {f"{verb}_many" for verb in CHANGES}


def refusals() -> list:
    """Return what happens when each argument in turn is wrong: an answer, or the error's type."""
    found = []
    for verb, (right, arguments) in DYNAMIC.items():
        tree = filled("dynamic", 40)
        for name in arguments:
            for wrong in WRONG if verb != "explain" else ():
                answer = outcome(tree, verb, {**right, name: wrong})
                found.append([verb, name, repr(wrong), answer])
        tree.check()
    return found


def outcome(tree, verb, arguments):
    tree = filled("dynamic", 40) if verb in CHANGES else tree
    try:
        answer = getattr(tree, verb)(**arguments)
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
