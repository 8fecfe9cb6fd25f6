"""The closed cells of a grid as walls and in the way of looks, equal to boxes made anew."""

import math
import random

import numpy as np
import pytest
import shapely

from tests.nav_worlds import ORIENTATIONS, map_grid
from tests.test_ai_crowds import Game
from tests.test_nav_sight import check_outlines
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.ai import separate
from tilequad.nav import Grid, LineOfSight, Walls


def closed_of(grid):
    return np.flatnonzero(grid.blocked.ravel())


def boxes_of(grid):
    return grid.boxes(closed_of(grid))


def toggle(grid, rng):
    """A door opens or closes."""
    cell = int(rng.integers(len(grid)))
    grid.set_costs([cell], np.inf if rng.random() < 0.5 else 1.0)


WORLDS = {
    "plain": {"cell_size": 10},
    "down": {"cell_size": (10, 7), "y_up": False},
    "far": {"cell_size": (0.1, 0.3), "origin": (-3e7, 1e9)},
    "odd": {"cell_size": (1 / 3, 0.7), "origin": (0.1, -0.2)},
}


# -- cells in a box --------------------------------------------------------------------------------


def in_box(grid, box):
    x, y = grid.center_many(np.arange(len(grid))).T
    return np.flatnonzero((x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])).tolist()


def some_boxes(grid, rng, count=60):
    low, high = np.array(grid.bounds[:2]), np.array(grid.bounds[2:])
    for _ in range(count):
        corner = rng.uniform(low - 0.2 * (high - low), high)
        yield (*corner, *(corner + rng.uniform(0, 0.5) ** 2 * (high - low)))
    yield from [(*low, *high), (-1e149, -1e149, 1e149, 1e149), (1e9, 1e10, 1e149, 1e149)]
    centers = grid.center_many(rng.integers(0, len(grid), 20))
    yield from [(*center, *center) for center in centers]  # edges are inside
    edges = grid.boxes(rng.integers(0, len(grid), 20))
    yield from edges.tolist()


def check_boxes(grid, rng):
    """A box holds the cells with their center in it, and touches those whose own boxes it does."""
    closed, boxes = closed_of(grid), boxes_of(grid)
    for box in some_boxes(grid, rng):
        assert grid.cells_in(box).tolist() == in_box(grid, box)
        touch = (boxes[:, 0] <= box[2]) & (boxes[:, 2] >= box[0])
        touch &= (boxes[:, 1] <= box[3]) & (boxes[:, 3] >= box[1])
        assert grid.query(box).tolist() == closed[touch].tolist()


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_cells_in_a_box_are_those_with_their_center_in_it(world):
    rng = np.random.default_rng(1)
    check_boxes(Grid(rng.random((9, 14)) < 0.7, **world), rng)


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_cells_in_a_box_in_every_orientation(tmp_path, name):
    rng = np.random.default_rng(2)
    _, grid = map_grid(tmp_path, name, rng.choice([1, 2], (11, 8)))
    check_boxes(grid, rng)
    cells, outline = np.arange(len(grid)), grid._ground.shape.outline
    corners = [grid.center_many(cells) + end for end in (outline.min(axis=0), outline.max(axis=0))]
    np.testing.assert_allclose(grid.boxes(cells), np.hstack(corners))


# -- looks -----------------------------------------------------------------------------------------


def some_lines(grid, rng, count):
    """Lines of all lengths, many of them along edges and through corners of cells."""
    low, high = np.array(grid.bounds[:2]), np.array(grid.bounds[2:])
    ends = rng.uniform(low - 0.2 * (high - low), high + 0.2 * (high - low), (2, count, 2))
    corners = grid.boxes(rng.integers(0, len(grid), 2 * count)).reshape(2, count, 2, 2)
    at = rng.random((2, count, 2)) < 0.3
    ends[at] = corners[:, :, 0][at]
    ends[1, ::5, 0] = ends[0, ::5, 0]
    ends[1, ::7, 1] = ends[0, ::7, 1]
    ends[1, ::11] += 1e5 * (high - low)
    ends[1, ::13] = ends[0, ::13]
    return ends


def check_looks(grid, sight, rng, count=300):
    boxes = boxes_of(grid)
    twin = LineOfSight(StaticQuadtree(boxes))
    a, b = some_lines(grid, rng, count)
    assert sight.clear_many(a, b).tolist() == twin.clear_many(a, b).tolist()
    assert [sight.clear(*p, *q) for p, q in zip(a[:40], b[:40], strict=True)] == (
        twin.clear_many(a[:40], b[:40]).tolist()
    )
    fractions, normals = sight.hit_many(a, b)
    theirs, _ = twin.hit_many(a, b)
    np.testing.assert_array_equal(np.isfinite(fractions), np.isfinite(theirs))
    hit = np.isfinite(fractions)
    np.testing.assert_allclose(fractions[hit], theirs[hit], rtol=1e-9, atol=1e-12)
    assert (np.abs(normals[hit]).sum(axis=1) == 1).all()
    assert ((normals * (b - a)).sum(axis=1)[hit] <= 0).all()
    assert (normals[~hit] == 0).all()


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_looks_over_a_grid_are_those_among_its_boxes(world):
    rng = np.random.default_rng(3)
    for share in (0.5, 0.9):
        grid = Grid(rng.random((12, 17)) < share, **world)
        sight = LineOfSight(grid)
        for _ in range(6):
            check_looks(grid, sight, rng)
            toggle(grid, rng)


@pytest.mark.parametrize("name", [name for name in ORIENTATIONS if name != "orthogonal"])
def test_looks_over_cells_that_are_no_boxes_end_at_their_outlines(tmp_path, name):
    rng = np.random.default_rng(4)
    _, grid = map_grid(tmp_path, name, rng.choice([1, 1, 1, 2], (13, 10)))
    sight, (low, high) = LineOfSight(grid), np.array(grid.bounds).reshape(2, 2)
    compared = 0
    for _ in range(4):
        centers = grid.center_many(np.flatnonzero(grid.blocked))
        solid = [shapely.Polygon(center + grid._ground.shape.outline) for center in centers]
        a, b = rng.uniform(low - 20, high + 20, (2, 100, 2))
        fractions, normals = sight.hit_many(a, b)
        assert (sight.clear_many(a, b) == np.isinf(fractions)).all()
        for start, end, fraction, normal in zip(a, b, fractions, normals, strict=True):
            line, ends = shapely.LineString([start, end]), shapely.MultiPoint([start, end])
            near = [one for one in solid if one.distance(line) < 1e-6 and not one.intersects(ends)]
            inside = shapely.union_all(near).buffer(-1e-6)
            if inside.intersects(line) != bool(near):
                continue  # it may touch one
            compared += 1
            assert np.isfinite(fraction) == bool(near)
            if near:
                met = shapely.intersection(near, line)
                first = shapely.distance(met, shapely.Point(start)).min()
                assert fraction * line.length == pytest.approx(first, abs=1e-6)
                assert np.hypot(*normal) == pytest.approx(1)
                assert normal @ (end - start) <= 0
        toggle(grid, rng)
    assert compared > 300


def test_a_face_of_a_wall_of_cells_has_no_seams():
    """Whatever cell a line hits, the surface is the face of the wall."""
    grid = Grid([[True] * 30, [False] * 30], cell_size=16)  # a floor from y = 0 to 16
    sight = LineOfSight(grid)
    rng = np.random.default_rng(5)
    a = np.stack((rng.uniform(-100, 580, 500), np.full(500, 40.0)), axis=1)
    b = np.stack((16.0 * rng.integers(1, 30, 500), np.full(500, 8.0)), axis=1)
    b[::2] += 8
    inside = (np.abs(a - b)[:, 1] / np.abs(a - b)[:, 0]) > 0.01
    _, normals = sight.hit_many(a[inside], b[inside])
    met = normals.any(axis=1)
    assert met.any()
    assert (normals[met] == (0, 1)).all()


def test_a_look_among_grids_trees_and_edits_meets_what_is_nearest():
    grid, other = Grid([[True, True, False, True]], 10), Grid([[False]], 5, origin=(32, 0))
    sight = LineOfSight(grid, StaticQuadtree([(14, 0, 15, 10)]), other)
    assert "1 boxes in 1 walls" in repr(sight)
    hits = [sight.hit(*line).x for line in ((0, 2, 40, 2), (17, 2, 40, 2), (39, 2, 0, 2))]
    assert hits == [14, 20, 37]
    assert not sight.clear(31, 1, 39, 1)
    other.set_costs([0], 1)
    assert sight.clear(31, 1, 39, 1)
    outline = sight.polygon(16, 5, 9).tolist()
    assert [15, 0] in outline
    assert [20, 0] in outline


@pytest.mark.parametrize("seed", range(8))
def test_the_outline_over_a_grid_holds_what_is_in_sight(seed):
    rng = np.random.default_rng(seed)
    grid = Grid(rng.random((16, 16)) < 0.8, cell_size=10, y_up=seed % 2 == 0)
    check_outlines(LineOfSight(grid), boxes_of(grid).tolist(), random.Random(seed))


def test_the_outline_of_a_long_wall_has_no_corners_at_its_seams():
    grid = Grid([[False] * 8, [True] * 8], cell_size=10)
    outline = LineOfSight(grid).polygon(40, 5, 20)
    assert sorted(x for x, y in outline.tolist() if y == 10) == pytest.approx(
        [40 - math.sqrt(375), 40 + math.sqrt(375)]
    )


def test_wide_units_look_as_others_do_also_after_a_copy(again):
    grid = Grid(np.ones((9, 9), bool), cell_size=10)
    wide = grid.with_clearance(11)
    sight, wide, grid = again((LineOfSight(wide), wide, grid))
    assert sight.clear(15, 45, 75, 45)
    grid.block([40])
    assert not sight.clear(15, 45, 75, 45)
    assert sight.hit(15, 45, 75, 45).x == 40


# -- walls -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_boxes_slide_along_cells_as_along_their_boxes(world):
    rng = np.random.default_rng(6)
    grid = Grid(rng.random((12, 17)) < 0.7, **world)
    low, high = np.array(grid.bounds[:2]), np.array(grid.bounds[2:])
    walls = Walls(grid)
    for _ in range(5):
        corners = rng.uniform(low, high, (80, 2))
        edges = grid.boxes(rng.integers(0, len(grid), 40))[:, 2:]
        corners[:40] = edges  # flush with cells
        sizes = rng.uniform(0, 1.5, (80, 2)) * grid.cell_size
        bounds = np.hstack((corners, corners + sizes))
        dxy = rng.uniform(-3, 3, (80, 2)) * grid.cell_size * (rng.random((80, 2)) < 0.8)
        mine = walls.move_and_slide_many(bounds, dxy)
        theirs = Walls(StaticQuadtree(boxes_of(grid))).move_and_slide_many(bounds, dxy)
        assert [part.tolist() for part in mine] == [part.tolist() for part in theirs]
        toggle(grid, rng)


class GridGame(Game):
    """The game of the crowds, among the cells of a grid whose doors open and close."""

    WAYS = (((1, 0), (1.0, 0.0)), ((-1, 0), (-1.0, 0.0)), ((0, -1), (0.0, 1.0)), ((0, 1), (0.0, -1.0)))  # fmt: skip # noqa: E501

    def __init__(self, seed):
        super().__init__(seed)
        self.chance = np.random.default_rng(seed)
        self.grid = Grid(self.chance.random((10, 10)) < 0.7, cell_size=8)
        self.walls = Walls(self.grid)

    def walk(self):
        toggle(self.grid, self.chance)
        super().walk()

    def twin(self, options):
        closed = self.grid.blocked
        self.boxes = boxes_of(self.grid).tolist()
        shut = []
        for cell in closed_of(self.grid).tolist():
            row, column = divmod(cell, 10)
            shut.append({
                way for (across, down), way in self.WAYS
                if 0 <= column + across < 10 and 0 <= row + down < 10
                and closed[row + down, column + across]
            })  # fmt: skip
        self.shut = shut
        return super().twin(options)

    def check_walls(self, options):
        held, self.walls = self.walls, StaticQuadtree(self.boxes)
        super().check_walls(options)
        self.walls = held


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_crowds_among_the_cells_of_a_grid_are_the_twins_to_the_last_bit(seed):
    game = GridGame(seed)
    for _ in range(30):
        game.tick()


def test_a_tall_unit_deep_in_a_floor_of_cells_is_pushed_up():
    grid = Grid([[True] * 20] * 9 + [[False] * 20], cell_size=8)
    for x in np.linspace(20, 100, 41).tolist():
        units = DynamicQuadtree((0, 0, 160, 80))
        units.add("tower", x, 10, size=(4, 30))  # 13 px deep, and 2 px wide to each side
        separate(units, walls=Walls(grid))
        assert units.position("tower") == (x, 23)


def answers():
    """Looks and crowds among cells."""
    rng = np.random.default_rng(9)
    grid = Grid(rng.random((12, 17)) < 0.8, cell_size=10)
    sight = LineOfSight(grid)
    a, b = some_lines(grid, rng, 100)
    fractions, normals = sight.hit_many(a, b)
    games = [GridGame(seed) for seed in range(50, 53)]
    return [
        fractions.tolist(),
        normals.tolist(),
        sight.polygon(61, 52, 70).tolist(),
        [str(game.tick()) for game in games for _ in range(15)],
    ]
