"""Contacts of units with walls: exact depths, ways that lead out, and no seams."""

from fractions import Fraction
from itertools import product
from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.interrupts import cut_everywhere
from tests.nav_worlds import map_grid, told
from tests.share import WHOLE
from tilequad import COMPILED, DynamicQuadtree, StaticQuadtree
from tilequad.nav import Grid, Walls

ROOMS = st.tuples(st.integers(1, 6), st.integers(1, 6)).flatmap(lambda size: arrays(bool, size))
PLACES = st.one_of(st.integers(-12, 72), st.floats(-12, 72))
LENGTHS = st.one_of(st.integers(0, 14), st.floats(0, 14))
EVERYWHERE = (-1e6, -1e6, 1e6, 1e6)


def contacts(walls, x, y, **shape):
    """The rows of one unit: normal and depth."""
    units = DynamicQuadtree(EVERYWHERE)
    units.add("unit", x, y, **shape)
    slots, normals, depths = walls.overlaps_many(units)
    assert slots.tolist() == [0] * len(depths)
    return [
        (*normal, depth) for normal, depth in zip(normals.tolist(), depths.tolist(), strict=True)
    ]


def closed_boxes(grid):
    cells = np.flatnonzero(grid.blocked.ravel())
    return [tuple(map(Fraction, box)) for box in grid.boxes(cells).tolist()]


def nearest_places(boxes, x, y, radius):
    """Where a union of boxes is nearest to a point outside, within a radius, by exact numbers."""
    x, y = Fraction(x), Fraction(y)

    def to(box, px, py):
        return min(max(px, box[0]), box[2]), min(max(py, box[1]), box[3])

    def away(place):
        return (place[0] - x) ** 2 + (place[1] - y) ** 2

    found = set()
    for box in boxes:
        place = to(box, x, y)
        goes_on = [other for other in boxes if to(other, *place) == place]
        if all(away(to(other, x, y)) >= away(place) for other in goes_on):
            found.add(place)
    return {place for place in found if away(place) <= Fraction(radius) ** 2}


def rounded(row):
    """A row to sort by: neither side of a whole number is rounding."""
    return [round(number, 6) for number in row]


@settings(deadline=None, max_examples=300 if WHOLE else 100)
@given(ROOMS, PLACES, PLACES, LENGTHS)
def test_a_disc_touches_where_the_union_is_nearest(rooms, x, y, radius):
    grid = Grid(rooms, cell_size=(10, 8))
    rows = contacts(Walls(grid), x, y, radius=radius)
    boxes = closed_boxes(grid)
    if any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes):
        [(nx, ny, depth)] = rows  # the shortest way to the open along an axis
        ways = []
        for way in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            at = [Fraction(x), Fraction(y)]
            axis, forward = (0, way[0] > 0) if way[0] else (1, way[1] > 0)
            held = True
            while held:
                held = False
                for box in boxes:
                    edge = box[axis + 2] if forward else box[axis]
                    inside = box[0] <= at[0] <= box[2] and box[1] <= at[1] <= box[3]
                    if inside and edge != at[axis]:
                        at[axis], held = edge, True
            ways.append((float(abs(at[axis] - Fraction((x, y)[axis]))), way))
        assert depth - radius == pytest.approx(min(ways)[0], abs=1e-12)
        assert depth - radius == pytest.approx({way: far for far, way in ways}[nx, ny], abs=1e-12)
        return
    places = nearest_places(boxes, x, y, radius)
    expected = sorted(
        ((float(x - px), float(y - py), sqrt((x - px) ** 2 + (y - py) ** 2)) for px, py in places),
        key=rounded,
    )
    found = sorted(
        ((nx * (radius - deep), ny * (radius - deep), radius - deep) for nx, ny, deep in rows),
        key=rounded,
    )
    if all(abs(row[2] - radius) > 1e-9 for row in expected + found):  # else rounding may decide
        assert len(found) == len(expected)
        np.testing.assert_allclose(np.ravel(found), np.ravel(expected), rtol=1e-9, atol=1e-9)
    assert all(hypot(nx, ny) == pytest.approx(1) for nx, ny, _ in rows)


@settings(deadline=None, max_examples=300 if WHOLE else 100)
@given(ROOMS, st.integers(-12, 72), st.integers(-12, 72), st.integers(0, 14), st.integers(0, 14))
def test_a_box_leaves_by_its_rows(rooms, x, y, w, h):
    grid = Grid(rooms, cell_size=(10, 8))
    rows = contacts(Walls(grid), x, y, size=(2 * w, 2 * h))
    box = x - w, y - h, x + w, y + h
    assert bool(rows) == bool(len(grid.query(box)))
    assert len({row[:2] for row in rows}) == len(rows) <= 4
    step_x = [nx * depth for nx, ny, depth in rows if nx]
    step_y = [ny * depth for nx, ny, depth in rows if ny]
    if len(step_x) > 1 or len(step_y) > 1:  # it does not fit between walls
        return
    dx, dy = sum(step_x), sum(step_y)
    moved = box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy
    edges = [set(np.ravel(grid.boxes(np.arange(len(grid)))[:, k::2])) for k in (0, 1)]
    for k in (0, 1):  # flush with an edge, on the side that it leaves by
        if (dx, dy)[k]:
            assert moved[k if (dx, dy)[k] > 0 else k + 2] in edges[k]


def test_a_flat_box_along_a_seam_leaves_both_walls():
    grid = Grid([[False], [False]], cell_size=(10, 8))
    assert contacts(Walls(grid), 0, 8, size=(2, 0)) == [(-1.0, 0.0, 1.0)]
    assert contacts(Walls(grid), 5, 8, size=(2, 0)) == [(1.0, 0.0, 6.0)]


@settings(deadline=None, max_examples=300 if WHOLE else 100)
@given(st.integers(-30, 30), st.integers(-30, 30), LENGTHS, LENGTHS, st.booleans())
def test_one_cell_is_a_box_among_units(x, y, w, h, round_one):
    units = DynamicQuadtree(EVERYWHERE)
    units.add("wall", 5, 4, size=(10, 8))
    shape = {"radius": w} if round_one else {"size": (2 * w, 2 * h)}
    units.add("unit", x, y, **shape)
    expected = [(hit.nx, hit.ny, hit.depth) for hit in units.overlaps("unit")]
    for walls in (
        Walls(Grid([[False]], cell_size=(10, 8))),
        Walls(StaticQuadtree([(0, 0, 10, 8)])),
    ):
        found = contacts(walls, x, y, **shape)
        if any(depth < 1e-9 for *_, depth in found + expected):  # rounding decides who touches
            continue
        assert len(found) == len(expected)
        ways = sorted(
            (10 - x + w, x + w, 8 - y + h, y + h) if not round_one else (10 - x, x, 8 - y, y)
        )
        tied = ways[1] - ways[0] < 1e-9  # each of them is right
        for mine, theirs in zip(found, expected, strict=True):
            assert mine[2] == pytest.approx(theirs[2], abs=1e-12)
            if not tied:
                assert mine == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_pymunk_finds_the_same_contact_with_one_cell(seed):
    pymunk = pytest.importorskip("pymunk")
    rng = np.random.default_rng(seed)
    turn, radius = rng.uniform(0, 2 * np.pi), rng.uniform(2, 6)
    gap = rng.uniform(0.1, 0.9) * radius
    edge = np.clip((12 * np.cos(turn), 12 * np.sin(turn)), (-5, -4), (5, 4))
    out = np.where(np.abs(edge) == (5, 4), np.sign(edge), 0)
    x, y = edge + gap * out / np.hypot(*out)
    body = pymunk.Body(1, 1)
    body.position = x, y
    space = pymunk.Space()
    ball, wall = pymunk.Circle(body, radius), pymunk.Poly.create_box(space.static_body, (10, 8))
    space.add(body, ball, wall)
    touch = ball.shapes_collide(wall)  # its normal points into the wall
    [(nx, ny, depth)] = contacts(Walls(Grid([[False]], (10, 8), (-5, -4))), x, y, radius=radius)
    assert (-nx, -ny) == pytest.approx(touch.normal, abs=1e-6)
    assert -depth == pytest.approx(touch.points[0].distance, abs=1e-6)


def around(shape, x, y):
    return {"radius": x} if shape == "disc" else {"size": (2 * x, 2 * y)}


@pytest.mark.parametrize("shape", ["disc", "box"])
@pytest.mark.parametrize("y_up", [True, False])
def test_a_floor_of_tiles_has_no_seams(shape, y_up):
    rooms = [[True] * 12, [True] * 12, [False] * 12]
    walls = Walls(Grid(rooms, cell_size=8, y_up=y_up))
    floor, up = (8, 1.0) if y_up else (16, -1.0)
    for x in np.linspace(10, 80, 281).tolist():
        for sunk in (0.0, 0.5, 3.0):
            y = floor + up * (4 - sunk)
            assert contacts(walls, x, y, **around(shape, 4, 4)) == [(0.0, up, sunk)]


@pytest.mark.parametrize("shape", ["disc", "box"])
def test_a_corner_has_two_contacts(shape):
    rooms = np.ones((6, 6), bool)
    rooms[:, 5] = rooms[5] = False  # a wall to the right, and a floor
    walls = Walls(Grid(rooms, cell_size=8))
    for dx, dy in product((0.0, 0.25, 1.0), repeat=2):
        rows = contacts(walls, 36 + dx, 12 - dy, **around(shape, 4, 4))
        assert sorted(rows) == [(-1.0, 0.0, dx), (0.0, 1.0, dy)]


def test_a_ball_in_the_middle_of_rock_leaves_the_shortest_way():
    rooms = np.ones((9, 9), bool)
    rooms[1:8, 2:7] = False
    walls = Walls(Grid(rooms, cell_size=8))
    assert contacts(walls, 31, 36, radius=3) == [(-1.0, 0.0, 18.0)]
    assert contacts(walls, 31, 36, size=(6, 6)) == [(-1.0, 0.0, 18.0)]
    assert contacts(walls, 36, 60, radius=3) == [(0.0, 1.0, 7.0)]


def test_points_touch_what_they_stand_on():
    walls = Walls(Grid([[True, True], [False, False]], cell_size=8))
    assert contacts(walls, 8, 8) == [(0.0, 1.0, 0.0)]
    assert contacts(walls, 8, 8.5) == []
    assert contacts(walls, 8, 7) == [(0.0, 1.0, 1.0)]


def test_rows_are_those_among_the_boxes_of_the_cells(tmp_path):
    rng = np.random.default_rng(8)
    _, grid = map_grid(tmp_path, "orthogonal", rng.choice([1, 1, 2], (9, 8)))
    units = DynamicQuadtree(EVERYWHERE)
    low, high = np.array(grid.bounds).reshape(2, 2)
    xy = rng.uniform(low - 10, high + 10, (200, 2))
    units.add_many(range(100), xy[:100], radius=7)
    units.add_many(range(100, 200), xy[100:], size=(9, 14))
    slots, normals, depths = Walls(grid).overlaps_many(units)
    found = {}
    for slot, *row in zip(slots.tolist(), *normals.T.tolist(), depths.tolist(), strict=True):
        found.setdefault(slot, []).append(row)
    for slot, (x, y) in enumerate(xy.tolist()):
        half = (7, 7) if slot < 100 else (4.5, 7)
        near = grid.query((x - half[0], y - half[1], x + half[0], y + half[1]))
        gaps = np.array([(x, y)]) - np.clip((x, y), *np.split(grid.boxes(near), 2, axis=1))
        deep = 7 - np.hypot(*gaps.T) if slot < 100 else np.ones(len(near))
        assert (slot in found) == (deep >= 0).any()
        if slot in found and slot < 100 and deep.max() < 7:
            assert max(row[2] for row in found[slot]) == pytest.approx(deep.max())


def test_some_ask():
    walls = Walls(Grid([[False] * 4], cell_size=10))
    units = DynamicQuadtree(EVERYWHERE)
    units.add_many("abcd", [(5, 9), (15, 9), (25, 50), (35, 9)], radius=2)
    units.remove("b")
    assert walls.overlaps_many(units)[0].tolist() == [0, 3]
    assert walls.overlaps_many(units, [3, 2, 3])[0].tolist() == [3]
    rows = walls.overlaps_many(units, [])
    assert [(array.dtype, array.shape) for array in rows] == [
        (np.int32, (0,)),
        (np.float64, (0, 2)),
        (np.float64, (0,)),
    ]
    with pytest.raises(ValueError, match="slots must be slots of units, got 1 in row 0"):
        walls.overlaps_many(units, [1])
    with pytest.raises(TypeError, match="units must be a DynamicQuadtree, got 'orcs'"):
        walls.overlaps_many("orcs")


def test_contacts_follow_the_grid_and_see_no_seam_between_boxes_of_a_tree():
    grid = Grid([[True, True]], cell_size=10)
    walls, tree = Walls(grid), Walls(StaticQuadtree([(0, 0, 8, 10), (8, 0, 10, 10)]))
    assert contacts(walls, 12, 5, radius=4) == []
    grid.block([0])
    assert contacts(walls, 12, 5, radius=4) == [(1.0, 0.0, 2.0)]
    assert contacts(tree, 12, 5, radius=4) == [(1.0, 0.0, 2.0)]
    assert contacts(tree, 8, 11, radius=4) == [(0.0, 1.0, 3.0)]


def test_a_giant_costs_no_more_than_the_cells_below_it():
    rooms = np.zeros((150, 150), bool)
    rooms[:80] = True
    walls = Walls(Grid(rooms, cell_size=1))
    assert contacts(walls, 75, 90, radius=60) == [(0.0, 1.0, 40.0)]
    assert contacts(walls, 75, 90, size=(60, 120)) == [(0.0, 1.0, 40.0)]


@pytest.mark.skipif(not COMPILED, reason="uncompiled, a signal may come as a question begins")
def test_a_question_that_is_cut_leaves_the_tree_free():
    walls = Walls(Grid([[False] * 4], cell_size=10))

    def make():
        units = DynamicQuadtree(EVERYWHERE)
        units.add("ball", 5, 12, radius=4)
        return units

    places = 0
    for places, units in cut_everywhere(make, lambda units: walls.overlaps_many(units, [0])):
        units.move("ball", 6, 13)
        assert walls.overlaps_many(units)[2].tolist() == [1], places
    assert places > 10


def answers():
    """Contacts of discs and boxes in a cave."""
    rng = np.random.default_rng(6)
    grid = Grid(rng.random((20, 20)) < 0.6, cell_size=10)
    units = DynamicQuadtree(EVERYWHERE)
    units.add_many(range(150), rng.uniform(0, 200, (150, 2)), radius=6)
    units.add_many(range(150, 300), rng.integers(0, 200, (150, 2)), size=(6, 14))
    return told(Walls(grid).overlaps_many(units))
