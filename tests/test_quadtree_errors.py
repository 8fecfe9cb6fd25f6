"""Every argument of every verb of both trees, given what it is not: the error names it, shortly."""

import math

import numpy as np
import pytest

from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree import Contacts

BOX = (0, 0, 100, 100)
LONG = list(range(10_000))

# What takes one whole number, and what takes one number.
WHOLE_NUMBERS = {"groups", "without", "against", "k", "workers", "slot", "mark"}
NUMBERS = {"x", "y", "radius", "min_radius", "min_distance", "max_distance", "width"}
NUMBERS |= {"x0", "y0", "x1", "y1", "other_x", "other_y", *WHOLE_NUMBERS}

LIMIT = [None, "x", "1", [1], np.ones(2), math.nan, 1j, LONG, object(), -1.0]
LENGTH = [*LIMIT, 1e200, math.inf, 10**400]
NUMBER = [*LIMIT[:-1], 1e200, math.inf, -math.inf, 10**400]
MASK = [1.0, 2.9, "x", "1", [1], LONG, -1, 2**32, 10**400, math.nan, object()]
GROUPS = [*MASK, 0]
WHOLE = [None, 2.9, "x", "1", [1], LONG, 0, -5, math.nan, object()]
BOUNDS = [
    None,
    5,
    "x",
    "abcd",
    (1, 2, 3),
    (0, 0, math.nan, 1),
    (0, 0, math.inf, 1),
    (5, 0, 1, 1),
    (0, 5, 2, 4),
    LONG,
    (0, 0, 1, 10**400),
]
SIZE = [5, "x", "ab", (1,), (1, 2, 3), (1, -1), (1, math.nan), (math.inf, 1), (1e200, 1)]
SIZE += [LONG, (1, 10**400)]
STRANGER = ["stranger", 10**400, "x" * 10_000]
UNIT = [None, [1], LONG, {}, *STRANGER]
POINTS = [
    5,
    "x",
    None,
    [[1]],
    [[1, 2, 3]],
    [[1, math.nan]],
    [(1, 1), (1, math.nan)],
    [(1, 1), (math.inf, 1)],
    [["x", "y"]],
    [LONG],
    [[10**400, 1]],
    object(),
]
LIMITS = ["x", [[1]], -1.0, math.nan, [1, -1.0], [1, math.nan], [1] * 5, LONG, [object()]]
LENGTHS = [*LIMITS, 1e200, math.inf, 10**400]
MASKS = ["x", 2.9, [2.9, 1], -1, [1, -1], [2**32, 1], [1, [2]], [1] * 5, LONG, object()]
MASKS += [[10**400, 1]]
SLOTS = ["x", 5, None, ["x"], [0.5], [999], [-7], [[0]], [10**400], [2**40], [object()], [LONG]]
EXCLUDES = [*SLOTS[:2], *SLOTS[3:], [0, -2], [0, 999], [1.0, 2.0]]
WORKERS = [None, 2.9, "x", 0, -5, LONG, object()]
OUT = [5, "x", np.zeros(3), np.zeros((2, 2), np.int32), LONG]
OUT_PAIR = [*OUT, (), (1,), (None, None), [1, 2]]

RING = {
    "radius": LENGTH,
    "groups": GROUPS,
    "without": MASK,
    "min_radius": [*LENGTH, 7],
    "exclude": UNIT[1:],
}
NEAR = {
    "groups": GROUPS,
    "without": MASK,
    "min_distance": LENGTH,
    "max_distance": LIMIT,
    "exclude": UNIT[1:],
}
PICKS = {"groups": [*MASKS, 0, [1, 0]], "without": MASKS, "exclude": EXCLUDES, "workers": WORKERS}
XY = {"x": NUMBER, "y": NUMBER}
WAY = {"x0": NUMBER, "y0": NUMBER, "x1": NUMBER, "y1": NUMBER, "width": LENGTH}
# Of verbs that take the same: arguments that are right, and what to put in place of each.
CIRCLE = ({"x": 1, "y": 1, "radius": 5}, {**XY, **RING})
SEGMENT = (
    {"x0": 1, "y0": 1, "x1": 5, "y1": 5},
    {**WAY, "groups": GROUPS, "without": MASK, "exclude": UNIT[1:]},
)
SWEEP = ({"item": "ann", "x": 1, "y": 1}, {"item": UNIT, **XY, "groups": GROUPS, "without": MASK})
PAIRS = ({}, {"groups": GROUPS, "without": MASK, "against": GROUPS})

TWO = [(1, 1), (2, 2)]
# Of each verb: arguments that are right, and what to put in place of each.
DYNAMIC = {
    "add": (
        {"item": "new", "x": 1, "y": 1},
        {
            "item": [None, [1], {}, "ann"],
            **XY,
            "radius": LENGTH,
            "size": SIZE,
            "groups": [None, *GROUPS],
        },
    ),
    "move": ({"item": "ann", "x": 1, "y": 1}, {"item": UNIT, **XY}),
    "remove": ({"item": "ann"}, {"item": UNIT}),
    "set_groups": ({"item": "ann", "groups": 2}, {"item": UNIT, "groups": [None, *GROUPS]}),
    "resize": ({"item": "ann"}, {"item": UNIT, "radius": LENGTH, "size": SIZE}),
    "position": ({"item": "ann"}, {"item": UNIT}),
    "groups": ({"item": "ann"}, {"item": UNIT}),
    "slot": ({"item": "ann"}, {"item": UNIT}),
    "serial": ({"item": "ann"}, {"item": UNIT}),
    "slots": ({"items": ["ann"]}, {"items": [None, 5, ["x"], [None], [[1]], LONG]}),
    "item": ({"slot": 0}, {"slot": [None, "x", 2.9, -1, 999, 10**400, LONG]}),
    "items": ({"slots": [0]}, {"slots": SLOTS}),
    "position_many": ({"slots": [0]}, {"slots": SLOTS}),
    "groups_many": ({"slots": [0]}, {"slots": SLOTS}),
    "serial_many": ({"slots": [0]}, {"slots": [*SLOTS[:5], *SLOTS[6:-1]]}),
    "query": ({"bounds": BOX}, {"bounds": BOUNDS, "groups": GROUPS, "without": MASK}),
    "within": CIRCLE,
    "any_within": CIRCLE,
    "count_within": CIRCLE,
    "sum_within": (
        {"x": 1, "y": 1, "radius": 5, "values": [1.0, 2.0]},
        {**XY, **RING, "values": [None, 5, "x", [1], [[1]], ["x", "y"], [10**400, 1], object()]},
    ),
    "nearest": ({"x": 1, "y": 1}, {**XY, **NEAR, "where": [5, "x", LONG]}),
    "k_nearest": ({"x": 1, "y": 1, "k": 2}, {**XY, **NEAR, "k": WHOLE, "where": [5, "x", LONG]}),
    "segment": SEGMENT,
    "segment_hits": SEGMENT,
    "sweep": SWEEP,
    "sweep_hits": SWEEP,
    "meet": (
        {"item": "ann", "x": 1, "y": 1, "other": "bob", "other_x": 1, "other_y": 1},
        {"item": UNIT, **XY, "other": UNIT, "other_x": NUMBER, "other_y": NUMBER},
    ),
    "overlaps": ({"item": "ann"}, {"item": UNIT, "groups": GROUPS, "without": MASK}),
    "overlaps_many": ({}, {"slots": EXCLUDES, "groups": GROUPS, "without": MASK}),
    "pairs": PAIRS,
    "pairs_many": PAIRS,
    "add_many": (
        {"items": ["c", "d"], "xy": TWO},
        {
            "items": [5, ["c", None], ["c", "c"], ["ann", "c"], ["c", [1]], ["c", LONG]],
            "xy": [*POINTS, [(1, 1)]],
            "radius": LENGTHS,
            "size": [*SIZE, [[1, 2, 3]], [[1, 2]] * 3],
            "groups": [None, *MASKS, 0, [1, 0]],
        },
    ),
    "move_many": ({"slots": [0], "xy": TWO[:1]}, {"slots": SLOTS, "xy": POINTS}),
    "set_groups_many": (
        {"slots": [0, 1], "groups": 2},
        {"slots": SLOTS, "groups": [None, *MASKS, 0, [1, 0]]},
    ),
    "resize_many": ({"slots": [0, 1]}, {"slots": SLOTS, "radius": LENGTHS, "size": SIZE}),
    "remove_many": ({"slots": [0, 1]}, {"slots": [*SLOTS, [0, 0]]}),
    "query_many": (
        {"bounds": [BOX, BOX]},
        {
            "bounds": [
                5,
                "x",
                None,
                [[1]],
                [(5, 0, 1, 1)],
                [(0, 0, 1, math.nan)],
                [LONG],
                object(),
            ],
            **PICKS,
            "out": OUT,
        },
    ),
    "within_many": (
        {"xy": TWO, "radius": 5},
        {"xy": POINTS, "radius": LENGTHS, "min_radius": LENGTHS, **PICKS, "out": OUT},
    ),
    "count_within_many": (
        {"xy": TWO, "radius": 5},
        {"xy": POINTS, "radius": LENGTHS, "min_radius": LENGTHS, **PICKS},
    ),
    "sum_within_many": (
        {"xy": TWO, "radius": 5, "values": [1.0, 2.0]},
        {
            "xy": POINTS,
            "radius": LENGTHS,
            "min_radius": LENGTHS,
            **PICKS,
            "values": [None, 5, "x", [1], ["x", "y"], [10**400, 1], object()],
        },
    ),
    "nearest_many": (
        {"xy": TWO},
        {"xy": POINTS, "min_distance": LENGTHS, "max_distance": LIMITS, **PICKS, "out": OUT_PAIR},
    ),
    "k_nearest_many": (
        {"xy": TWO, "k": 2},
        {
            "xy": POINTS,
            "k": [*WHOLE, 2**70],
            "min_distance": LENGTHS,
            "max_distance": LIMITS,
            **PICKS,
        },
    ),
    "segment_many": (
        {"xy0": TWO, "xy1": TWO},
        {"xy0": POINTS, "xy1": POINTS, "width": LENGTHS, **PICKS, "out": OUT},
    ),
    "sweep_many": (
        {"slots": [0], "xy": TWO[:1]},
        {
            "slots": SLOTS,
            "xy": POINTS,
            "groups": [*MASKS, 0, [1, 0]],
            "without": MASKS,
            "workers": WORKERS,
            "out": OUT,
        },
    ),
    "changed_since": (
        {"mark": 1},
        {"mark": [None, "x", 1.0, 2.9, 0, -1, 2, 999, 2**40, 10**400, LONG]},
    ),
    "explain": ({"verb": "pairs"}, {"verb": [None, "x", 5, LONG]}),
}
STATIC = {
    "query": ({"bounds": BOX}, {"bounds": BOUNDS}),
    "within": ({"x": 1, "y": 1, "radius": 5}, {**XY, "radius": LENGTH}),
    "nearest": ({"x": 1, "y": 1}, {**XY, "max_distance": LIMIT}),
    "k_nearest": ({"x": 1, "y": 1, "k": 2}, {**XY, "k": WHOLE, "max_distance": LIMIT}),
    "segment": ({"x0": 1, "y0": 1, "x1": 5, "y1": 5}, WAY),
    "explain": ({"verb": "query", "bounds": BOX}, {"verb": [None, "x", 5, LONG]}),
}
# What takes no arguments, or bytes and files, which other tests damage.
WITHOUT_ARGUMENTS = {
    *("boxes", "check", "digest", "from_bytes", "load", "mark", "nodes", "save", "stats"),
    "to_bytes",
}
TREES = {"dynamic": DYNAMIC, "static": STATIC}
CALLS = [
    (kind, verb, name) for kind, verbs in TREES.items() for verb in verbs for name in verbs[verb][1]
]


def filled(kind, count=2):
    if kind == "static":
        return StaticQuadtree([BOX, (1, 1, 2, 2)] * (count // 2))
    tree = DynamicQuadtree(BOX)
    names = ["ann", "bob", *range(count)][:count]
    tree.add_many(names, [(10 + n % 90, 10 + n // 9) for n in range(count)], radius=2)
    tree.mark()
    return tree


def error_of(verb, name, value):
    """The one that is raised for a stranger, for a wrong number or for none; for others, any."""
    if name in ("item", "other", "exclude") and value in STRANGER:
        return KeyError
    if name == "item" and isinstance(value, list | dict):
        return TypeError
    if name in NUMBERS:
        if isinstance(value, int if name in WHOLE_NUMBERS else int | float):
            return ValueError
        if verb.endswith("_many"):  # takes lists of them, too
            is_one = name in WHOLE_NUMBERS and isinstance(value, float | str)
            return TypeError if is_one else (TypeError, ValueError)
        return TypeError
    return TypeError, ValueError, KeyError


def is_told(value, line):
    """Whether an error shows a number, a word, the only wrong number of a list, or a shape."""
    if isinstance(value, list | tuple):
        wrong = [one for one in value if isinstance(one, int | float) and not 0 <= one < 999]
        value = wrong[0] if len(wrong) == 1 else None
    if not isinstance(value, int | float | str):
        return True
    begin = repr(value)[: 2 if isinstance(value, str) else 7]
    return begin in line or line.endswith((")", "got int", "got str"))


@pytest.mark.parametrize(("kind", "verb", "name"), CALLS)
def test_each_error_names_the_argument_in_a_short_line_and_changes_nothing(kind, verb, name):
    right, wrong = TREES[kind][verb]
    getattr(filled(kind), verb)(**right)  # which is right
    of_units = {"item", "items", "slot", "slots", "values"} & right.keys()
    for count in (2, 150)[: 1 if "values" in right else 2] if of_units else (0, 2, 150):
        tree = filled(kind, count)
        before = tree.digest()
        for value in wrong[name]:
            with pytest.raises(error_of(verb, name, value)) as caught:
                getattr(tree, verb)(**{**right, name: value})
            line = str(caught.value)

            assert name in line, line
            assert count == 0 or is_told(value, line), line
            assert len(line) <= 300, line
            assert "\n" not in line
            assert tree.digest() == before
        tree.check()


def test_every_verb_with_arguments_is_asked():
    for kind, verbs in TREES.items():
        public = {name for name in dir(type(filled(kind))) if not name.startswith("_")}
        asked = public - {"bounds", "leaf_size", "max_depth", *verbs}

        assert asked <= WITHOUT_ARGUMENTS, asked


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: StaticQuadtree("abc"), ValueError, "boxes must be numbers, got 'abc'"),
        (lambda: StaticQuadtree([(1j, 0, 1, 1)]), TypeError, "boxes must be numbers, got"),
        (lambda: DynamicQuadtree((0, 0, 1e200, 1)), ValueError, "bounds must be within 1e150 of 0"),
        (lambda: Contacts([]), TypeError, r"units must be a DynamicQuadtree, got \[\]"),
    ],
)
def test_what_makes_no_tree_is_named(make, error, words):
    with pytest.raises(error, match=words):
        make()
