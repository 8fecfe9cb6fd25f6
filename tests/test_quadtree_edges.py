"""Edge cases: closed boxes, exact distances, ties, odd sizes, and refused arguments."""

from fractions import Fraction
from itertools import pairwise, product
from math import cos, sin
from random import Random

import pytest

from tests.trees import DynamicQuadtree, StaticQuadtree, refuses

NAN = float("nan")
TRIPLES = [(3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 40, 41)]
SCALES = [1.0, 0.25, 2.0**-40, 2.0**20, 3.0, 1e9]


# Distances are exact, and `<=`.


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_a_unit_exactly_at_the_radius_is_within(a, b, c, scale):
    """For Pythagorean triples a * a + b * b == c * c to the last bit, compiled or not."""
    size = 100 * scale
    tree = DynamicQuadtree((-size, -size, size, size))
    corners = [(x * scale, y * scale) for x, y in product((-a, a), (-b, b))]
    for item, place in enumerate(corners):
        tree.add(item, *place)
    radius = c * scale

    assert sorted(tree.within(0, 0, radius)) == [0, 1, 2, 3]
    assert sorted(tree.within(0, 0, radius, min_radius=radius)) == [0, 1, 2, 3]
    assert tree.within(0, 0, radius * (1 - 2.0**-50)) == []
    assert tree.within(0, 0, 2 * radius, min_radius=radius * (1 + 2.0**-50)) == []
    assert tree.k_nearest(0, 0, 4, max_distance=radius) == [0, 1, 2, 3]
    assert tree.k_nearest(0, 0, 4, min_distance=radius) == [0, 1, 2, 3]
    assert tree.nearest(0, 0, max_distance=radius * (1 - 2.0**-50)) is None


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_a_box_exactly_at_the_radius_is_within(a, b, c):
    rows = [(a, b, a + 1, b + 1), (-a - 1, -b - 1, -a, -b), (-a, -b, a, b), (a, b, a, b)]
    tree = StaticQuadtree(rows)

    assert tree.within(0, 0, c).tolist() == [0, 1, 2, 3]
    assert tree.within(0, 0, c * (1 - 2.0**-50)).tolist() == [2]
    assert tree.k_nearest(0, 0, 9, max_distance=c).tolist() == [2, 0, 1, 3]


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_footprints_exactly_at_the_radius(a, b, c):
    tree = DynamicQuadtree((-100, -100, 100, 100))
    tree.add("circle", 2 * a, 2 * b, radius=c)
    tree.add("box", -a - 1, -b - 2, size=(2, 4))

    assert sorted(tree.within(0, 0, c, to_edge=True)) == ["box", "circle"]
    assert sorted(tree.within(0, 0, c, min_radius=c, to_edge=True)) == ["box", "circle"]
    assert tree.within(0, 0, c * (1 - 2.0**-50), to_edge=True) == []
    assert tree.within(0, 0, 2 * c, min_radius=c * (1 + 2.0**-50), to_edge=True) == []


def test_the_distance_inside_a_footprint_is_0():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("circle", 50, 50, radius=10)
    tree.add("box", 50, 50, size=(20, 20))

    assert sorted(tree.within(55, 55, 0, to_edge=True)) == ["box", "circle"]
    assert tree.within(60, 60, 0, to_edge=True) == ["box"]
    assert tree.within(55, 55, 5, min_radius=0.5, to_edge=True) == []


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_the_nearest_to_the_edge_are_those_within_to_the_edge(a, b, c):
    tree = DynamicQuadtree((-100, -100, 100, 100))
    tree.add("circle", 2 * a, 2 * b, radius=c)
    tree.add("box", -a - 1, -b - 2, size=(2, 4))
    tree.add("dwarf", c + 1, 0)

    assert tree.k_nearest(0, 0, 3, to_edge=True) == ["circle", "box", "dwarf"]
    for options in ({"min_distance": c}, {"max_distance": c}, {"min_distance": c * (1 - 2e-16)}):
        assert tree.k_nearest(0, 0, 2, **options, to_edge=True) == ["circle", "box"]
    assert tree.nearest(0, 0, max_distance=c * (1 - 2.0**-50), to_edge=True) is None
    assert tree.nearest(0, 0, min_distance=c * (1 + 2.0**-50), to_edge=True) == "dwarf"
    slots, distances = tree.k_nearest_many([(0, 0)], 3, to_edge=True)
    assert tree.items(slots[0]) == ["circle", "box", "dwarf"]
    assert distances.tolist() == [[c, c, c + 1]]


@pytest.mark.parametrize("margin", [0.0, 1e-20])
def test_a_rounding_error_of_a_large_radius_hides_nobody(margin):
    tree = DynamicQuadtree((0, 0, 100, 100))
    for i in range(50):
        tree.add(i, 50 + 0.7 * i, 50 + 0.3 * i, radius=10 + i / 7)
    for k in range(200):  # points on the rims of circles
        angle, radius = 0.1 * k, 10 + (k % 50) / 7
        x = 50 + 0.7 * (k % 50) + radius * cos(angle)
        y = 50 + 0.3 * (k % 50) + radius * sin(angle)
        near = sorted(tree.within(x, y, margin, to_edge=True))
        assert sorted(tree.k_nearest(x, y, 60, max_distance=margin, to_edge=True)) == near


@pytest.mark.parametrize(("a", "b", "c"), TRIPLES)
def test_footprints_that_touch_overlap(a, b, c):
    tree = DynamicQuadtree((-100, -100, 100, 100))
    tree.add("circle", 0, 0, radius=c - 1)
    tree.add("small circle", a, b, radius=1)
    assert tree.pairs() == [("circle", "small circle")]
    tree.move("small circle", a * (1 + 2.0**-40), b)
    assert tree.pairs() == []
    tree.remove("small circle")

    tree.add("box", -a - 3, -b - 2, size=(6, 4))
    assert tree.pairs() == []
    tree.remove("circle")
    tree.add("circle", 0, 0, radius=c)
    assert tree.pairs() == [("box", "circle")]
    tree.move("box", (-a - 3) * (1 + 2.0**-40), -b - 2)
    assert tree.pairs() == []

    tree.add("other box", -a + 2, -b + 2, size=(4, 4))
    tree.move("box", -a - 3, -b - 2)
    assert ("box", "other box") in tree.pairs()
    tree.move("box", -a - 3, (-b - 2) * (1 + 2.0**-40))
    assert ("box", "other box") not in tree.pairs()


def test_boxes_are_closed():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("point", 10, 10)
    tree.add("box", 20, 10, size=(10, 10))
    tree.add("circle", 40, 10, radius=5)

    for bounds, found in [
        ((0, 0, 10, 10), ["point"]),
        ((10, 10, 10, 10), ["point"]),
        ((0, 0, 15, 5), ["box"]),
        ((10, 10, 15, 15), ["box", "point"]),
        ((25, 15, 30, 20), ["box"]),
        ((25, 5, 35, 10), ["box", "circle"]),
        ((40, 15, 40, 15), ["circle"]),
        ((43, 14, 50, 50), ["circle"]),
        ((44, 14, 50, 50), []),
        ((27, 3, 37, 6), ["circle"]),
        ((27, 3, 36.5, 6), []),
    ]:
        assert sorted(tree.query(bounds)) == found


# Points on split lines, ties, coincident units.


def test_a_unit_on_a_split_line_is_found_from_both_sides():
    tree = DynamicQuadtree((0, 0, 64, 64))
    places = list(product(range(0, 65, 4), repeat=2))
    for place in places:
        tree.add(place, *place)
    tree.check()

    for x, y in places:
        assert tree.query((x, y, x, y)) == [(x, y)]
        assert tree.within(x, y, 0) == [(x, y)]
        assert tree.nearest(x, y) == (x, y)
        assert (x, y) in tree.query((x - 1, y - 1, x, y))
        assert (x, y) in tree.query((x, y, x + 1, y + 1))
        assert tree.segment(x - 1, y, x + 1, y) == [(x, y)]


def test_ties_come_in_the_order_of_adding():
    rng = Random(2)
    ring = [(x, y) for x, y in product(range(-25, 26), repeat=2) if x * x + y * y == 625]
    rng.shuffle(ring)
    tree = DynamicQuadtree((-32, -32, 32, 32))
    for place in ring:
        tree.add(place, *place)
    for place in product(range(-31, 32, 3), repeat=2):
        if place[0] ** 2 + place[1] ** 2 > 625 and place not in tree:
            tree.add(place, *place)

    assert len(ring) == 20
    assert tree.k_nearest(0, 0, 20) == ring
    assert tree.nearest(0, 0) == ring[0]
    tree.move(ring[0], 0, 1000)
    tree.move(ring[0], *ring[0])
    assert tree.nearest(0, 0) == ring[0]
    assert tree.k_nearest(0, 0, 7, exclude=ring[2]) == ring[:2] + ring[3:8]


def test_coincident_units_cost_no_recursion():
    tree = DynamicQuadtree((0, 0, 100, 100))
    for item in range(3_000):
        tree.add(item, 33.3, 33.3)
    tree.check()

    assert sorted(tree.within(33.3, 33.3, 0)) == list(range(3_000))
    assert tree.k_nearest(0, 0, 5) == [0, 1, 2, 3, 4]
    assert tree.segment(0, 0, 66.6, 66.6, width=1)[:3] == [0, 1, 2]
    for item in range(2_999):
        tree.remove(item)
    tree.check()
    assert tree.nearest(0, 0) == 2_999


def test_almost_coincident_units_are_found():
    """Adjacent doubles are too close for any split to separate."""
    tree = DynamicQuadtree((0, 0, 1, 1))
    step = 2.0**-52
    for item in range(300):
        tree.add(item, 0.5 + (item % 3) * step, 5e-324 * (item % 2))
    tree.check()

    assert sorted(tree.query((0.5, 0, 0.5, 0))) == list(range(0, 300, 6))
    assert sorted(tree.query((0, 0, 0.5, 1))) == list(range(0, 300, 3))
    assert tree.nearest(0.5 + step, 0) == 1
    assert len(tree.within(0.5, 0, 2 * step)) == 300


@pytest.mark.parametrize(
    "bounds",
    [(0, 0, 0, 0), (5, 5, 5, 90), (0, 0, 1e-300, 1e-300), (-1e12, -1e12, 1e12, 1e12)],
    ids=["a point", "a line", "tiny", "huge"],
)
def test_bounds_do_not_limit_positions(bounds):
    tree = DynamicQuadtree(bounds)
    places = list(product(range(0, 100, 5), repeat=2))
    for place in places:
        tree.add(place, *place)
    tree.check()

    assert sorted(tree.query((0, 0, 20, 20))) == list(product(range(0, 21, 5), repeat=2))
    assert tree.nearest(51, 49) == (50, 50)
    assert len(tree.within(0, 0, 1000)) == len(places)


def test_units_may_have_no_size_or_exceed_the_world():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("nothing", 50, 50, size=(0, 0))
    tree.add("line", 50, 50, size=(0, 20))
    tree.add("all", 50, 50, size=(1e6, 1e6))
    tree.add("ball", -1000, 50, radius=1050)
    for item in range(100):
        tree.add(item, item, 99)
    tree.check()

    assert sorted(tree.query((50, 50, 50, 50)), key=str) == ["all", "ball", "line", "nothing"]
    assert sorted(tree.query((1e5, 0, 2e5, 1))) == ["all"]
    assert sorted(tree.query((-3000, 50, -2050, 50))) == ["all", "ball"]
    assert len([pair for pair in tree.pairs() if "all" in pair]) == 103
    assert tree.nearest(51, 51) == "nothing"


def test_exclude_hides_one_item_of_the_tree():
    tree = DynamicQuadtree((0, 0, 10, 10))
    for item in "abc":
        tree.add(item, 5, 5)

    assert sorted(tree.within(5, 5, 1, exclude="b")) == ["a", "c"]
    assert tree.nearest(5, 5, exclude="a") == "b"
    assert tree.k_nearest(5, 5, 9, exclude="a") == ["b", "c"]
    assert tree.segment(0, 5, 9, 5, exclude="b") == ["a", "c"]


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        *((verb, (5, 5, 3)) for verb in ("within", "any_within", "count_within", "k_nearest")),
        *(("nearest", (5, 5)), ("segment", (0, 5, 9, 5)), ("sum_within", (5, 5, 3, [1.0] * 9))),
    ],
)
def test_a_stranger_cannot_be_excluded(verb, args):
    tree = DynamicQuadtree((0, 0, 10, 10))
    for item in "abc":
        tree.add(item, 5, 5)
    tree.remove("b")
    ask = getattr(tree, verb)

    assert ask(*args, exclude=None) == ask(*args)
    for stranger in ("b", "z", -1, 0):
        with pytest.raises(KeyError, match=repr(stranger)):
            ask(*args, exclude=stranger)
    assert ask(*args, exclude="a") != ask(*args) or verb == "any_within"
    tree.check()


def test_groups_are_masks_and_both_units_of_a_pair_must_match():
    tree = DynamicQuadtree((0, 0, 10, 10))
    for item, groups in [("a", 1), ("b", 2), ("ab", 3), ("top", 2**31), ("every", 2**32 - 1)]:
        tree.add(item, 5, 5, groups=groups)

    for groups, found in [
        (None, ["a", "b", "ab", "top", "every"]),
        (1, ["a", "ab", "every"]),
        (2, ["b", "ab", "every"]),
        (2**31, ["top", "every"]),
        (4, ["every"]),
        (2**32 - 1, ["a", "b", "ab", "top", "every"]),
    ]:
        assert sorted(tree.query((0, 0, 9, 9), groups=groups)) == sorted(found)
        assert sorted(tree.within(5, 5, 0, groups=groups)) == sorted(found)
        assert tree.k_nearest(0, 0, 9, groups=groups) == found
        assert tree.nearest(0, 0, groups=groups) == found[0]
        assert tree.segment(0, 5, 9, 5, groups=groups) == found
        every_two = [(a, b) for i, a in enumerate(found) for b in found[i + 1 :]]
        assert tree.pairs(groups=groups) == every_two


# The segment.


def test_a_segment_includes_its_ends():
    tree = DynamicQuadtree((0, 0, 100, 100))
    for x in range(0, 101, 10):
        tree.add(x, x, 50)

    assert tree.segment(20, 50, 60, 50) == [20, 30, 40, 50, 60]
    assert tree.segment(60, 50, 20, 50) == [60, 50, 40, 30, 20]
    assert tree.segment(21, 50, 59, 50) == [30, 40, 50]
    assert tree.segment(21, 50, 59, 50, width=2) == [20, 30, 40, 50, 60]
    assert tree.segment(30, 50, 30, 50) == [30]
    assert tree.segment(35, 50, 35, 50) == []
    assert tree.segment(35, 50, 35, 50, width=10) == [30, 40]
    assert tree.segment(0, 51, 100, 51) == []
    assert tree.segment(0, 51, 100, 51, width=2) == list(range(0, 101, 10))


def test_a_wide_segment_has_round_ends():
    """A swept disc meets the corner of a box with its round edge, not with a square one."""
    tree = StaticQuadtree([(3, 4, 10, 10)])

    assert tree.segment(0, -5, 0, 0, width=10).tolist() == [0]
    assert tree.segment(0, -5, 0, 0, width=9.999).tolist() == []
    assert tree.segment(0, -9, 0, -1, width=10).tolist() == []


def test_segment_returns_footprints_in_order_of_touch():
    tree = DynamicQuadtree((0, 0, 100, 100))
    tree.add("far box", 80, 52, size=(10, 10))
    tree.add("circle", 50, 53, radius=5)
    tree.add("near box", 20, 45, size=(10, 10))
    tree.add("behind", -20, 50, radius=5)

    assert tree.segment(0, 50, 100, 50) == ["near box", "circle", "far box"]
    assert tree.segment(100, 50, 0, 50) == ["far box", "circle", "near box"]
    assert tree.segment(0, 50, 45, 50) == ["near box"]
    assert tree.segment(0, 50, 46, 50) == ["near box", "circle"]


@pytest.mark.parametrize("seed", range(3))
def test_segments_on_a_grid_are_exact(seed):
    """With integer coordinates every hit and miss must be right; fractions prove them."""
    rng = Random(seed)
    units = {}
    tree = DynamicQuadtree((0, 0, 32, 32))
    for item in range(150):
        x, y = rng.randint(-4, 36), rng.randint(-4, 36)
        shape = rng.choice([{}, {"radius": rng.randint(0, 4)}, {"size": (rng.randint(0, 6), 3)}])
        units[item] = (x, y, shape)
        tree.add(item, x, y, **shape)

    for _ in range(15):
        way = [rng.randint(-6, 40) for _ in range(4)]
        width = rng.choice([0, 0, 1, 2, 5])
        found = tree.segment(*way, width=width)
        touches = {
            item: exact_touch(way, Fraction(width, 2), *unit) for item, unit in units.items()
        }
        assert sorted(found) == sorted(i for i, t in touches.items() if t is not None)
        times = [touches[item] for item in found]
        assert all(early < late + 2.0**-22 for early, late in pairwise(times))


@pytest.mark.parametrize("seed", range(4))
def test_distances_on_a_grid_are_exact(seed):
    rng = Random(seed)
    units = {item: (rng.randint(0, 40), rng.randint(0, 40)) for item in range(300)}
    tree = DynamicQuadtree((0, 0, 40, 40))
    for item, place in units.items():
        tree.add(item, *place)

    for _ in range(60):
        x, y, radius = rng.randint(-3, 43), rng.randint(-3, 43), Fraction(rng.randint(0, 100), 4)
        low = radius * rng.randint(0, 4) / 4
        d2 = {i: Fraction(px - x) ** 2 + Fraction(py - y) ** 2 for i, (px, py) in units.items()}
        ring = [item for item in units if low**2 <= d2[item] <= radius**2]
        limits = {"min_distance": float(low), "max_distance": float(radius)}
        assert sorted(tree.within(x, y, float(radius), min_radius=float(low))) == ring
        assert tree.k_nearest(x, y, 400, **limits) == sorted(ring, key=d2.get)


# What is refused: test_quadtree_errors.py asks for all the rest.


@refuses
def test_arguments_that_do_not_fit_together_are_refused():
    tree = filled(3)
    with pytest.raises(ValueError, match=r"min_distance.*4"):
        tree.nearest(0, 0, min_distance=4, max_distance=3)
    with pytest.raises(ValueError, match=r"radius.*size"):
        tree.add("new", 0, 0, radius=5, size=(1, 2))
    with pytest.raises(ValueError, match=r"radius.*size"):
        tree.resize(1, radius=1, size=(1, 1))
    with pytest.raises(ValueError, match="0"):
        tree.add(0, 5, 5)
    assert None not in tree
    assert "new" not in tree


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((0, 0, NAN, 1), "bounds.*nan"),
        ((2, 0, 1, 1), "bounds.*2"),
        ((0, 0, 1), "bounds"),
        ("abcd", "bounds.*abcd"),
    ],
)
def test_invalid_bounds_are_named(bounds, message):
    with pytest.raises(ValueError, match=message):
        DynamicQuadtree(bounds)


def test_bounds_may_be_four_numbers_of_any_kind():
    tree = filled(3)
    for bounds in ([0, 0, 1, 1], (0.0, 0.0, 1.0, 1.0), range(4)):
        assert tree.query(bounds) == tree.query((bounds[0], bounds[1], bounds[2], bounds[3]))


def filled(count):
    tree = DynamicQuadtree((0, 0, 10, 10))
    for item in range(count):
        tree.add(item, item, item)
    return tree


# An independent, exact swept disc, with fractions.


def exact_touch(way, reach, x, y, shape):
    """Return the time of first touch, or None if the exact distance excludes one."""
    if "size" in shape:
        half_width, half_height = (Fraction(length, 2) for length in shape["size"])
        box = x - half_width, y - half_height, x + half_width, y + half_height
    else:
        box = Fraction(x), Fraction(y), Fraction(x), Fraction(y)
        reach += shape.get("radius", 0)
    if distance2_to_box(way, box) > reach * reach:
        return None
    return first_time(way, box, reach)


def distance2_to_box(way, box):
    """Return the exact squared distance between a segment and a box; 0 if they meet."""
    start, end = way[:2], way[2:]
    low, high = box[:2], box[2:]
    enter, leave = Fraction(0), Fraction(1)
    meets = True
    for axis in (0, 1):
        step = end[axis] - start[axis]
        if step == 0:
            meets &= low[axis] <= start[axis] <= high[axis]
            continue
        ends = sorted([(low[axis] - start[axis]) / step, (high[axis] - start[axis]) / step])
        enter, leave = max(enter, ends[0]), min(leave, ends[1])
    if meets and enter <= leave:
        return Fraction(0)
    corners = product((low[0], high[0]), (low[1], high[1]))
    return min(
        point_to_box2(start, low, high),
        point_to_box2(end, low, high),
        *(point_to_segment2(corner, start, end) for corner in corners),
    )


def point_to_box2(point, low, high):
    gaps = (max(low[axis] - point[axis], 0, point[axis] - high[axis]) for axis in (0, 1))
    return sum(Fraction(gap) ** 2 for gap in gaps)


def point_to_segment2(point, start, end):
    dx, dy = end[0] - start[0], end[1] - start[1]
    length2 = dx * dx + dy * dy
    along = (point[0] - start[0]) * dx + (point[1] - start[1]) * dy
    t = Fraction(0) if length2 == 0 else min(max(along / Fraction(length2), 0), 1)
    return (start[0] + t * dx - point[0]) ** 2 + (start[1] + t * dy - point[1]) ** 2


def first_time(way, box, reach):
    """Return the time of first touch to 24 bits, by bisection: a longer way never touches less."""
    early, late = Fraction(0), Fraction(1)
    for _ in range(24):
        middle = (early + late) / 2
        x = way[0] + middle * (way[2] - way[0])
        y = way[1] + middle * (way[3] - way[1])
        if distance2_to_box((way[0], way[1], x, y), box) <= reach * reach:
            late = middle
        else:
            early = middle
    return late
