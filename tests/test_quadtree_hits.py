"""Hits say where and at which angle; two units that both move meet when their footprints touch."""

from itertools import product
from math import hypot
from random import Random

import pytest

from tests.worlds import WORLDS, footprint
from tilequad import DynamicQuadtree
from tilequad.quadtree import Hit

BOX = (0, 0, 100, 100)
TAME = [world for world in WORLDS if world.name in ("uniform", "clustered", "row", "split lines")]
each_world = pytest.mark.parametrize("world", TAME, ids=lambda world: world.name)
SHAPES = ({}, {"radius": 3.0}, {"size": (6.0, 10.0)})
each_two_shapes = pytest.mark.parametrize(("mine", "other"), list(product(SHAPES, SHAPES)))


def halves(shape):
    """Radius, and half the size of a box."""
    width, height = shape.get("size", (0.0, 0.0))
    return shape.get("radius", 0.0), width / 2, height / 2


@pytest.mark.parametrize(
    ("shape", "way", "width", "expected"),
    [
        ({"radius": 5}, (0, 50, 100, 50), 0, (0.45, 45, 50, -1, 0)),
        ({"radius": 5}, (50, 100, 50, 0), 10, (0.4, 50, 55, 0, 1)),
        ({"radius": 5}, (100, 53, 0, 53), 0, (0.46, 54, 53, 0.8, 0.6)),
        ({"size": (20, 40)}, (0, 60, 100, 60), 0, (0.4, 40, 60, -1, 0)),
        ({"size": (20, 40)}, (55, 0, 55, 100), 8, (0.26, 55, 30, 0, -1)),
        ({"size": (20, 40)}, (100, 20, 20, 100), 0, (0.5, 60, 60, 1, 0)),
        ({"size": (20, 20)}, (0, 32, 100, 32), 20, (0.34, 40, 40, -0.6, -0.8)),
        ({"size": (20, 20)}, (0, 60, 100, 60), 0, (0.4, 40, 60, -1, 0)),  # along the upper side
        ({"size": (40, 20)}, (60, 30, 80, 50), 0, (0.5, 70, 40, 0, -1)),  # only a corner
        ({"size": (20, 40)}, (50, 80, 30, 60), 0, (0.5, 40, 70, 0, 1)),
        ({"size": (20, 40)}, (70, 80, 50, 60), 0, (0.5, 60, 70, 1, 0)),
        ({}, (0, 50, 100, 50), 0, (0.5, 50, 50, -1, 0)),
        ({"radius": 5}, (52, 50, 100, 50), 0, (0, 55, 50, 1, 0)),  # from inside
        ({"size": (20, 40)}, (52, 50, 0, 50), 0, (0, 60, 50, 1, 0)),
        ({"size": (20, 40)}, (50, 50, 50, 50), 0, (0, 60, 50, 1, 0)),
    ],
)
def test_hits_by_hand(shape, way, width, expected):
    tree = DynamicQuadtree(BOX)
    tree.add("unit", 50, 50, **shape)
    [hit] = tree.segment_hits(*way, width=width)
    assert isinstance(hit, Hit)
    assert hit.item == "unit"
    assert hit[1:-1] == pytest.approx(expected)


@each_world
def test_hits_are_those_of_the_verb_in_its_order(world):
    rng = Random(world.name)
    tree = DynamicQuadtree(world.bounds)
    for item in range(300):
        groups = rng.choice((1, 2, 3, 4))
        tree.add(item, *world.place(rng), groups=groups, **footprint(rng, world, 60))
    for _ in range(40):
        way = *world.place(rng), *world.place(rng)
        options = {"groups": rng.choice((None, 1, 6)), "without": rng.choice((None, 0, 2))}
        width = rng.choice((0.0, world.bounds.width / 30))
        hits = tree.segment_hits(*way, width, exclude=7, **options)
        assert [hit.item for hit in hits] == tree.segment(*way, width, exclude=7, **options)
        assert [hit.fraction for hit in hits] == sorted(hit.fraction for hit in hits)
        item = rng.randrange(300)
        hits = tree.sweep_hits(item, *way[:2], **options)
        assert [hit.item for hit in hits] == tree.sweep(item, *way[:2], **options)


@each_two_shapes
def test_a_hit_is_on_the_edge_and_its_normal_leads_away(mine, other):
    """Moved to the fraction, the unit just touches the other; along the normal they part."""
    rng = Random(5)
    hits = 0
    for _ in range(500):
        tree = DynamicQuadtree(BOX)
        tree.add("mine", rng.uniform(0, 100), rng.uniform(0, 100), **mine)
        tree.add("other", rng.uniform(20, 80), rng.uniform(20, 80), **other)
        x0, y0 = tree.position("mine")
        x1, y1 = rng.uniform(0, 100), rng.uniform(0, 100)
        if not mine and not other:
            x1, y1 = tree.position("other")
        for hit in tree.sweep_hits("mine", x1, y1):
            assert hypot(hit.nx, hit.ny) == pytest.approx(1)
            if hit.fraction == 0:
                continue
            hits += 1
            x, y = x0 + (x1 - x0) * hit.fraction, y0 + (y1 - y0) * hit.fraction
            assert on_edge(tree.position("other"), other, hit)
            assert on_edge((x, y), mine, hit)
            assert hit.nx * (x1 - x0) + hit.ny * (y1 - y0) < 1e-6  # it came against the normal
            tree.move("mine", x + 1e-6 * hit.nx, y + 1e-6 * hit.ny)
            assert tree.pairs() == []
            tree.move("mine", x, y)
            tree.resize("mine", **wider(mine, 1e-6))
            assert len(tree.pairs()) == 1
            tree.resize("mine", **mine)
    assert hits > 10


@pytest.mark.parametrize("seed", range(3))
def test_boxes_that_meet_at_corners_touch_where_they_are_told_to(seed):
    rng = Random(seed)
    hits = corners = 0
    for _ in range(2000):
        tree = DynamicQuadtree(BOX)
        sizes = {name: {"size": (rng.choice((16, 32)), rng.choice((16, 32)))} for name in "ab"}
        for name, size in sizes.items():
            tree.add(name, rng.randrange(0, 100, 8), rng.randrange(0, 100, 8), **size)
        x0, y0 = tree.position("a")
        dx, dy = rng.choice((-64, -32, 0, 32, 64)), rng.choice((-64, -32, 0, 32, 64))
        for hit in tree.sweep_hits("a", x0 + dx, y0 + dy):
            if hit.fraction == 0:
                continue
            hits += 1
            place = x0 + dx * hit.fraction, y0 + dy * hit.fraction
            assert on_edge(tree.position("b"), sizes["b"], hit)
            assert on_edge(place, sizes["a"], hit)
            assert hit.nx * dx + hit.ny * dy < 0  # it came against the normal
            assert abs(hit.nx) + abs(hit.ny) == 1
            axis = 0 if hit.nx else 1
            gaps = [
                abs(place[k] - tree.position("b")[k])
                - (sizes["a"]["size"][k] + sizes["b"]["size"][k]) / 2
                for k in (0, 1)
            ]
            assert gaps[axis] == 0  # they are side by side there
            corners += gaps[1 - axis] == 0
    assert hits > 100
    assert corners > 5


def wider(shape, more):
    """A footprint that extends a little more."""
    if "size" in shape:
        return {"size": (shape["size"][0] + 2 * more, shape["size"][1] + 2 * more)}
    return {"radius": shape.get("radius", 0.0) + more}


def on_edge(place, shape, hit):
    """Whether a hit is on the edge of a footprint."""
    radius, half_w, half_h = halves(shape)
    dx, dy = abs(hit.x - place[0]), abs(hit.y - place[1])
    if "size" in shape:
        beyond = max(dx - half_w, dy - half_h)
        return beyond == pytest.approx(0, abs=1e-9)
    return hypot(dx, dy) == pytest.approx(radius, abs=1e-9)


@pytest.mark.parametrize(("mine", "other"), list(product(SHAPES[1:], SHAPES[1:])))
def test_units_that_start_inside_each_other_part_along_the_normal(mine, other):
    rng = Random(6)
    for _ in range(100):
        tree = DynamicQuadtree(BOX)
        tree.add("mine", 50 + rng.uniform(-3, 3), 50 + rng.uniform(-3, 3), **mine)
        tree.add("other", 50, 50, **other)
        x, y = tree.position("mine")
        [hit] = tree.sweep_hits("mine", x, y)
        assert hit.fraction == 0
        tree.move("mine", x + 20 * hit.nx, y + 20 * hit.ny)
        assert tree.pairs() == []


@each_two_shapes
def test_two_that_move_meet_as_one_that_moves_for_both(mine, other):
    rng = Random(7)
    met = 0
    for _ in range(300):
        tree = DynamicQuadtree(BOX)
        tree.add("mine", rng.randrange(100), rng.randrange(100), **mine)
        tree.add("other", rng.randrange(100), rng.randrange(100), **other)
        (ax, ay), (bx, by) = tree.position("mine"), tree.position("other")
        x, y, other_x, other_y = (rng.randrange(100) for _ in range(4))
        time = tree.meet("mine", x, y, "other", other_x, other_y)
        assert time == tree.meet("other", other_x, other_y, "mine", x, y)
        hits = tree.sweep_hits("mine", x - (other_x - bx), y - (other_y - by))
        assert [hit.fraction for hit in hits] == ([] if time is None else [time])
        if time is None or time == 0:
            continue
        met += 1
        for part, more in ((time - 1e-6, 0.0), (time, 1e-6)):
            tree.move("mine", ax + (x - ax) * part, ay + (y - ay) * part)
            tree.move("other", bx + (other_x - bx) * part, by + (other_y - by) * part)
            tree.resize("mine", **wider(mine, more))
            assert len(tree.pairs()) == (more > 0)
    assert met > 5 or not (mine or other)


def test_units_meet_within_the_step_or_never():
    tree = DynamicQuadtree(BOX)
    tree.add("a", 0, 0, radius=1)
    tree.add("b", 10, 0, radius=1)
    assert tree.meet("a", 50, 0, "b", 60, 0) is None  # side by side
    assert tree.meet("a", 4, 0, "b", 10, 0) is None
    assert tree.meet("a", 8, 0, "b", 10, 0) == 1.0
    assert tree.meet("a", 8, 0, "a", 8, 0) == 0.0
