"""Sight: clear lines, first hits and outlines, equal to a look at every box."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from tilequad import DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import RangeEvents
from tilequad.nav import Grid, LineOfSight

WALL = (40, 0, 60, 50)


def walls(*boxes: tuple[float, float, float, float]) -> LineOfSight:
    return LineOfSight(StaticQuadtree(np.array(boxes, float).reshape(-1, 4)))


def held(box, x, y) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def touch(box, x0, y0, x1, y1):
    """When a line touches a closed box, exactly; None if never."""
    enter, leave = Fraction(0), Fraction(1)
    for low, high, start, end in ((box[0], box[2], x0, x1), (box[1], box[3], y0, y1)):
        low, high, start, end = map(Fraction, (low, high, start, end))
        if start == end:
            if not low <= start <= high:
                return None
            continue
        times = sorted(((low - start) / (end - start), (high - start) / (end - start)))
        enter, leave = max(enter, times[0]), min(leave, times[1])
    return enter if enter <= leave else None


def brute_hit(boxes, x0, y0, x1, y1):
    others = [box for box in boxes if not (held(box, x0, y0) or held(box, x1, y1))]
    return min((time for box in others if (time := touch(box, x0, y0, x1, y1)) is not None),
               default=None)  # fmt: skip


def tiles(seed: int, count: int = 60, side: int = 16) -> list[tuple[int, int, int, int]]:
    """Solid tiles of 10 px in a square of cells."""
    chance = random.Random(seed)
    cells = {(chance.randrange(side), chance.randrange(side)) for _ in range(count)}
    return [(10 * c, 10 * r, 10 * c + 10, 10 * r + 10) for c, r in sorted(cells)]


# -- lines -----------------------------------------------------------------------------------------


def test_a_wall_blocks_and_an_open_way_does_not():
    sight = walls(WALL)
    assert not sight.clear(0, 10, 100, 10)
    assert sight.clear(0, 60, 100, 60)
    assert not sight.clear(0, 50, 100, 50)  # along its edge


def test_a_look_may_begin_and_end_on_solid_tiles():
    sight = walls((0, 0, 10, 10), (20, 0, 30, 10), (40, 0, 50, 10))
    assert sight.clear(5, 5, 25, 5)
    assert sight.clear(10, 5, 20, 5)  # exactly on their edges
    assert not sight.clear(5, 5, 45, 5)


def test_in_a_wall_of_many_tiles_only_the_tiles_at_both_ends_are_left_out():
    sight = walls(*[(10 * i, 0, 10 * i + 10, 10) for i in range(10)])
    assert "10 boxes in 1 wall" in repr(sight)
    assert sight.clear(15, 5, 15, 50)
    assert sight.clear(11, 5, 19, 5)
    assert not sight.clear(5, 5, 55, 5)


@pytest.mark.parametrize("seed", range(12))
def test_lines_equal_a_look_at_every_box(seed):
    boxes = tiles(seed)
    sight, chance = walls(*boxes), random.Random(seed)
    place = lambda: chance.choice((chance.randrange(-5, 170), chance.randrange(0, 17) * 10))  # noqa: E731
    lines = [(place(), place(), place(), place()) for _ in range(150)]
    for line in lines:
        hit, time = sight.hit(*line), brute_hit(boxes, *line)
        assert sight.clear(*line) == (time is None) == (hit is None)
        if hit is not None:
            assert hit.fraction == pytest.approx(float(time), abs=1e-12)
            assert hit.nx * (line[2] - line[0]) + hit.ny * (line[3] - line[1]) <= 0
            assert abs(hit.nx) + abs(hit.ny) == 1
    a, b = np.array(lines, float)[:, :2], np.array(lines, float)[:, 2:]
    assert sight.clear_many(a, b).tolist() == [sight.clear(*line) for line in lines]


def many_boxes(chance: random.Random) -> list[tuple[float, float, float, float]]:
    """Boxes of very different sizes, some of them lines and points, around a far corner."""
    side = chance.choice((1.0, 1e4))
    at = chance.choice((0.0, -3e5, 1e9))
    found = []
    for _ in range(chance.choice((1, 30, 300))):
        x, y = at + chance.uniform(0, side), at + chance.uniform(0, side)
        width = side * chance.choice((0.0, 1e-4, 0.01, 0.01, 0.3))
        height = side * chance.choice((0.0, 1e-4, 0.01, 0.01, 0.3))
        found.append((x, y, x + width, y + height))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_lines_of_any_length_are_clear_where_they_hit_nothing(seed):
    chance = random.Random(seed)
    boxes = many_boxes(chance)
    sight = walls(*boxes)
    low, high = min(box[0] for box in boxes), max(box[2] for box in boxes)
    span = high - low + 1.0
    blocked = 0
    for _ in range(300):
        x0, y0 = low + chance.uniform(-0.3, 1.3) * span, low + chance.uniform(-0.3, 1.3) * span
        reach = span * chance.choice((0.0, 0.01, 0.3, 2.0, 1e6))
        x1, y1 = x0 + chance.uniform(-1, 1) * reach, y0 + chance.uniform(-1, 1) * reach
        line = [(x0, y0, x1, y1), (x0, y0, x1, y0), (x0, y0, x0, y1)][chance.randrange(3)]
        assert sight.clear(*line) == (sight.hit(*line) is None), line
        blocked += not sight.clear(*line)
    assert 0 < blocked < 300 or len(boxes) == 1


@pytest.mark.parametrize("seed", range(8))
def test_many_hits_are_those_of_each_line(seed):
    chance = random.Random(seed)
    boxes = many_boxes(chance)
    sight = walls(*boxes)
    low, high = min(box[0] for box in boxes), max(box[2] for box in boxes)
    a, b = np.random.default_rng(seed).uniform(low - 1.0, high + 1.0, (2, 400, 2))
    b[::5, 0] = a[::5, 0]  # upright lines
    a[::7] = np.array(boxes)[np.arange(len(a[::7])) % len(boxes), :2]  # from a corner of a box
    fractions, normals = sight.hit_many(a, b)
    for i, hit in enumerate(sight.hit(*start, *end) for start, end in zip(a, b, strict=True)):
        mine = (fractions[i], *normals[i])
        assert mine == ((math.inf, 0.0, 0.0) if hit is None else (hit[0], *hit[3:]))
    assert np.isfinite(fractions).any() or len(boxes) == 1
    assert [len(part) for part in sight.hit_many(np.empty((0, 2)), (0, 0))] == [0, 0]


def test_lines_hit_the_cells_of_a_grid_as_they_hit_their_boxes():
    rng = np.random.default_rng(8)
    free = rng.random((12, 12)) < 0.8
    sight = LineOfSight(Grid(free, cell_size=10))
    boxes = [(10 * x, 110 - 10 * y, 10 * x + 10, 120 - 10 * y) for y, x in np.argwhere(~free)]
    a, b = rng.uniform(0, 120, (2, 400, 2))
    mine, others = sight.hit_many(a, b), walls(*boxes).hit_many(a, b)
    assert mine[0] == pytest.approx(others[0])
    begins_outside = others[0] > 0.0
    assert mine[1][begins_outside].tolist() == others[1][begins_outside].tolist()


def test_no_walls_hide_nothing():
    sight = walls()
    assert sight.clear(0, 0, 9, 9)
    assert sight.hit(0, 0, 9, 9) is None
    assert sight.clear_many([(0, 0)], [(9, 9)]).tolist() == [True]
    assert len(sight.polygon(0, 0, 10)) == 64
    assert sight.clear_many(np.empty((0, 2)), np.empty((0, 2))).tolist() == []


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_refused(wrong):
    sight = walls(WALL)
    for ask in (
        lambda: sight.clear(wrong, 0, 0, 0),
        lambda: sight.clear(0, 0, 0, wrong),
        lambda: sight.hit(0, wrong, 0, 0),
        lambda: sight.clear_many([(0, wrong)], [(0, 0)]),
        lambda: sight.polygon(wrong, 0, 1),
        lambda: sight.polygon(0, 0, wrong),
    ):
        with pytest.raises(ValueError, match="must be finite"):
            ask()


def test_arrays_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="xy0 must have a last axis of two"):
        walls(WALL).clear_many([1, 2, 3], [(0, 0)])
    with pytest.raises(ValueError, match=r"xy1 must have the shape \(n, 2\)"):
        walls(WALL).clear_many([(0, 0)], [[(0, 0)]])
    with pytest.raises(ValueError, match="same length, got 2 and 3"):
        walls(WALL).clear_many(np.zeros((2, 2)), np.zeros((3, 2)))


# -- outlines --------------------------------------------------------------------------------------


def in_polygon(outline, x, y) -> tuple[bool, float]:
    """Whether a polygon holds a point, and how far its outline is."""
    ends = np.roll(outline, -1, axis=0)
    (x0, y0), (x1, y1) = outline.T, ends.T
    crosses = (y0 > y) != (y1 > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        right = x < (x1 - x0) * (y - y0) / (y1 - y0) + x0
    way = ends - outline
    length2 = np.maximum((way * way).sum(axis=1), 1e-30)
    along = np.clip(((np.array((x, y)) - outline) * way).sum(axis=1) / length2, 0, 1)
    gap = outline + along[:, None] * way - (x, y)
    return bool((crosses & right).sum() % 2), float(np.sqrt((gap * gap).sum(axis=1)).min())


def check_outlines(sight, boxes, chance) -> None:
    """Outlines of what is seen from places among some boxes hold the points in sight, no others."""
    asked = 0
    for _ in range(8):
        x, y = chance.uniform(0, 160), chance.uniform(0, 160)
        if chance.random() < 0.3:
            x, y = round(x, -1), round(y, -1)
        radius = chance.choice((15, 60, 300))
        outline = sight.polygon(x, y, radius)
        for _ in range(60):
            px, py = x + chance.uniform(-radius, radius), y + chance.uniform(-radius, radius)
            far = math.hypot(px - x, py - y)
            if any(held(box, px, py) for box in boxes) or radius * 0.998 < far:
                continue
            inside, gap = in_polygon(outline, px, py)
            if gap > 1e-6:
                assert inside == sight.clear(x, y, px, py), (x, y, px, py, radius)
                asked += 1
    assert asked > 100


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_outline_holds_what_is_in_sight(seed, overlapping):
    chance = random.Random(seed)
    boxes = tiles(seed, 40)
    if overlapping:
        places = [(chance.uniform(0, 160), chance.uniform(0, 160)) for _ in range(25)]
        boxes = [(x, y, x + chance.uniform(0, 40), y + chance.uniform(0, 40)) for x, y in places]
    check_outlines(walls(*boxes), boxes, chance)


def test_corners_of_walls_are_corners_of_the_outline_to_the_last_bit():
    outline = walls((10.1, -3.3, 20.7, 4.7)).polygon(0, 0, 30).tolist()
    assert [10.1, -3.3] in outline
    assert [10.1, 4.7] in outline


# -- units -----------------------------------------------------------------------------------------


def test_visible_units_and_the_nearest_of_them():
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 100, 100))
    for name, x, y in (("guard", 0, 10), ("hidden", 70, 10), ("seen", 0, 90), ("far", 0, 99)):
        units.add(name, x, y)
    sight = walls(WALL)

    assert sight.visible(units, 0, 10, 85, exclude="guard") == ["seen"]
    assert sight.nearest_visible(units, 0, 10, exclude="guard") == "seen"
    assert sight.nearest_visible(units, 0, 10, max_distance=75, exclude="guard") is None
    events = RangeEvents(units, sight=sight)
    events.follow("guard", 85)
    assert [entered for _, entered, _ in events.update()] == [["seen"]]


# -- maps ------------------------------------------------------------------------------------------


def test_walls_of_a_map_follow_its_tiles():
    tile_map = load_map("maps/frontier.tmx")
    trees = tile_map.layer("trees")
    sight = LineOfSight(trees.select({"resource": "wood"}))
    tree = int(trees.select({"resource": "wood"}).ids[0])
    column, row = trees.cells([tree])[0].tolist()
    corners = trees.outlines([tree])[0]
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    line = x0 - 0.5, (y0 + y1) / 2, x1 + 0.5, (y0 + y1) / 2
    gid = int(trees.gids([tree])[0])

    assert not sight.clear(*line)
    trees.clear_tile(column, row)
    assert sight.clear(*line)
    trees.set_tile(column, row, gid)
    assert not sight.clear(*line)


def test_sight_can_be_copied(again):
    sight = walls(*tiles(1))
    other = again(sight)
    assert other.polygon(33, 44, 100).tolist() == sight.polygon(33, 44, 100).tolist()


def test_what_cannot_stand_in_the_way_is_refused():
    with pytest.raises(
        TypeError, match=r"solid must be grids, trees or selections of tiles, got \[\]"
    ):
        LineOfSight(StaticQuadtree([(0, 0, 1, 1)]), [])
