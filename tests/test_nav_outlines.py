"""The outlines of closed cells: the union of the cells, in simple rings without seams."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from tests.nav_worlds import ORIENTATIONS, map_grid, neighbors_of
from tilequad.nav import Grid

ROOMS = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(lambda size: arrays(bool, size))


def cells_of(grid, bounds=None):
    """The polygons of the closed cells, one by one."""
    closed = np.flatnonzero(grid.blocked.ravel()) if bounds is None else grid.query(bounds)
    outline = grid._ground.shape.outline
    return [outline + center for center in grid.center_many(closed)]


def parts_of(grid):
    """How many parts of closed cells there are that share no edges."""
    closed = set(np.flatnonzero(grid.blocked.ravel()).tolist())
    order = {cell: k for k, cell in enumerate(sorted(closed))}
    pairs = [
        (order[cell], order[other])
        for cell in closed
        for other, is_edge in neighbors_of(grid, cell)
        if is_edge and other in closed
    ]
    rows, columns = np.array(pairs, int).reshape(-1, 2).T
    links = csr_matrix((np.ones(len(rows)), (rows, columns)), (len(closed), len(closed)))
    return connected_components(links, directed=False)[0] if closed else 0


def check(grid, bounds=None):
    """Compare the outlines with shapely's union of the cells."""
    import shapely

    polygons = grid.outlines(bounds)
    assert all(ring.dtype == np.float64 for rings in polygons for ring in rings)
    found = [shapely.Polygon(outer, holes) for outer, *holes in polygons]
    union = shapely.union_all([shapely.Polygon(cell) for cell in cells_of(grid, bounds)])
    size = grid.cell_size[0] * grid.cell_size[1]
    assert all(polygon.is_valid for polygon in found)
    assert sum(polygon.area for polygon in found) == pytest.approx(union.area, abs=1e-9 * size)
    assert union.symmetric_difference(shapely.union_all(found)).area < 1e-9 * size
    for outer, *holes in polygons:
        assert shapely.LinearRing(outer).is_ccw
        assert not any(shapely.LinearRing(hole).is_ccw for hole in holes)
        for ring in (outer, *holes):  # each corner is one: nowhere does a side go straight on
            before, after = ring - np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0) - ring
            turns = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
            assert (np.abs(turns) > 1e-9 * size).all()
    return polygons


@settings(deadline=None)
@given(ROOMS, st.booleans())
def test_outlines_are_the_union_of_the_cells(rooms, y_up):
    grid = Grid(rooms, cell_size=(10, 7), origin=(-3, 5), y_up=y_up)
    polygons = check(grid)
    assert len(polygons) == parts_of(grid)
    boxes = grid.boxes(np.flatnonzero(~rooms))
    corners = {(x, y) for box in boxes.tolist() for x in box[::2] for y in box[1::2]}
    assert {tuple(corner) for rings in polygons for ring in rings for corner in ring} <= corners


@pytest.mark.slow
@pytest.mark.parametrize("name", ORIENTATIONS)
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_outlines_in_every_orientation(tmp_path, name, share):
    rng = np.random.default_rng(7)
    for _ in range(4):
        _, grid = map_grid(tmp_path, name, np.where(rng.random((11, 9)) < share, 2, 1))
        assert len(check(grid)) == parts_of(grid)
        grid.block(rng.choice(len(grid), 9, replace=False))
        low, high = np.array(grid.bounds[:2]), np.array(grid.bounds[2:])
        for _ in range(6):
            corner = rng.uniform(low, high)
            check(grid, (*corner, *(corner + rng.uniform(0, 0.6) * (high - low))))


def test_cells_that_touch_at_a_corner_do_not_join():
    chess = (np.indices((6, 6)).sum(axis=0) % 2).astype(bool)
    polygons = check(Grid(chess, cell_size=10))
    assert [[len(ring) for ring in rings] for rings in polygons] == [[4]] * 18


def test_holes_that_touch_stay_apart():
    rooms = np.zeros((7, 7), bool)
    rooms[[1, 2, 3, 4, 3], [1, 2, 3, 4, 5]] = True  # a chain of rooms, from corner to corner
    [[outer, *holes]] = check(Grid(rooms, cell_size=10))
    assert len(outer) == 4
    assert [len(hole) for hole in holes] == [4] * 5


def test_a_wall_that_closes_at_a_corner_has_a_hole():
    rooms = np.ones((5, 5), bool)
    rooms[1, 1:4] = rooms[1:3, 1] = rooms[1:4, 3] = rooms[3, 2:4] = False
    rooms[3, 1] = True  # the room in the middle and the open land touch here
    [[_, hole]] = check(Grid(rooms, cell_size=10))
    assert hole.tolist() == [[20.0, 30.0], [30.0, 30.0], [30.0, 20.0], [20.0, 20.0]]


def test_a_part_without_closed_cells_has_no_outlines():
    grid = Grid(np.ones((4, 4), bool), cell_size=10)
    assert grid.outlines() == grid.outlines((100, 100, 120, 120)) == []
    grid.block([0])
    assert grid.outlines((20, 0, 40, 10)) == []
    assert len(grid.outlines((10, 0, 40, 30))) == 1  # it touches the cell
    with pytest.raises(ValueError, match="bounds"):
        grid.outlines((10, 0, 0, 10))


def test_outlines_follow_the_tiles_and_the_grid_that_this_one_follows(tmp_path):
    tile_map, grid = map_grid(tmp_path, "orthogonal", np.ones((9, 9), int))
    wide = grid.with_clearance(20)
    assert len(check(grid)) == 0
    tile_map.layer("ground").set_tile(4, 4, 2)
    assert len(check(grid)) == 1
    assert check(wide)[0][1].tolist() != []


def answers():
    """Corners in every orientation."""
    found = []
    for name in ORIENTATIONS:
        rng = np.random.default_rng(len(name))
        with tempfile.TemporaryDirectory() as folder:
            _, grid = map_grid(Path(folder), name, rng.choice([1, 2], (15, 14)))
            found += [[ring.tolist() for rings in grid.outlines() for ring in rings]]
            low, high = np.array(grid.bounds[:2]), np.array(grid.bounds[2:])
            part = grid.outlines((*(low + 0.3 * (high - low)), *(low + 0.6 * (high - low))))
            found += [[ring.tolist() for rings in part for ring in rings]]
    return found
