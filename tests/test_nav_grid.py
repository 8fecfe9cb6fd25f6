"""The grid: rules, orientations, edits, buildings, clearance, keeping."""

import tracemalloc
from math import inf

import numpy as np
import pytest

from tests.nav_worlds import ORIENTATIONS, map_grid
from tests.share import WHOLE
from tests.tmx import TILESET, csv_layer, write_map
from tilequad import load_map
from tilequad.nav import BLOCKED, Grid, Paths, Rule
from tilequad.tiled import TileMap

SHAPED = """<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="4"
 columns="2">
<image source="tiles.png" width="32" height="32"/>
<tile id="1" class="rock">
<properties><property name="solid" type="bool" value="true"/></properties></tile>
<tile id="2"><objectgroup><object id="1" x="0" y="0" width="16" height="6"/></objectgroup></tile>
<tile id="3"><objectgroup><object id="1" x="0" y="0" width="8" height="16"/>
<object id="2" x="4" y="0" width="8" height="16"/></objectgroup></tile>
</tileset>"""


def shaped_map(folder, rows, *more):
    size = len(rows[0]), len(rows)
    return load_map(write_map(folder, SHAPED, csv_layer("ground", rows), *more, size=size))


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_cells_lie_where_the_layer_has_them(tmp_path, name):
    tile_map, grid = map_grid(tmp_path, name, np.ones((9, 11), int))
    layer = tile_map.layer("ground")
    rng = np.random.default_rng(3)
    box = tile_map.bounds
    points = rng.uniform((box[0] - 20, box[1] - 20), (box[2] + 20, box[3] + 20), (300, 2))
    cells = []
    for x, y in points.tolist():
        cell = layer.cell_at(x, y)
        cells.append(None if cell is None else cell[1] * 11 + cell[0])

    assert [grid.cell_at(*point) for point in points.tolist()] == cells
    assert grid.cell_at_many(points).tolist() == [99 if cell is None else cell for cell in cells]
    assert grid.bounds == pytest.approx(tuple(box))
    outlines = layer.outlines(np.arange(99))
    middles = (outlines.min(axis=1) + outlines.max(axis=1)) / 2
    assert grid.center_many(np.arange(99)) == pytest.approx(middles)
    assert grid.cell_at_many(grid.center_many(np.arange(99))).tolist() == list(range(99))
    assert [grid.cell_at(*grid.center(cell)) for cell in range(99)] == list(range(99))


def moves_of(grid):
    """A bit for each legal move from each cell, (rows, columns)."""
    return grid._ground.inner(grid._ground.moves)


def test_edges_of_cells_and_of_the_grid():
    points = [(100, 200), (110, 200), (130, 240), (130.1, 240), (99.9, 210), (110, 220)]
    for y_up, cells in ((False, [0, 1, 5, 6, 6, 4]), (True, [3, 4, 2, 6, 6, 4])):
        grid = Grid(np.ones((2, 3)), cell_size=(10, 20), origin=(100, 200), y_up=y_up)
        assert grid.cell_at_many(points).tolist() == cells
        assert grid.bounds == (100, 200, 130, 240)
        assert grid.cell_size == (10, 20)
        assert grid.cell_at_many((105, 205)).shape == ()


@pytest.mark.parametrize("y_up", [True, False])
def test_row_0_is_the_top_of_an_array_as_of_a_map(tmp_path, y_up):
    """The same cells from an array and from a map have the same numbers and places."""
    gids = np.random.default_rng(2).choice([1, 2], (5, 7))
    map_grid(tmp_path, "orthogonal", gids)
    tile_map = load_map(next(tmp_path.glob("*.tmx")), y_up=y_up)
    of_map = Grid.of(tile_map, Rule("ground", BLOCKED, gids=[2]))
    grid = Grid(gids == 1, cell_size=16, y_up=y_up)

    assert grid.blocked.tolist() == of_map.blocked.tolist() == (gids == 2).tolist()
    cells = np.arange(35)
    assert grid.center_many(cells).tolist() == of_map.center_many(cells).tolist()
    assert grid.boxes(cells).tolist() == of_map.boxes(cells).tolist()
    points = np.random.default_rng(3).uniform(0, 112, (300, 2))
    assert grid.cell_at_many(points).tolist() == of_map.cell_at_many(points).tolist()
    assert (grid.bounds, grid.frame) == (of_map.bounds, of_map.frame)
    assert grid.center(0) == (8.0, 72.0 if y_up else 8.0)
    assert grid.query((0, 0, 40, 90)).tolist() == of_map.query((0, 0, 40, 90)).tolist()


def test_no_verb_takes_the_cell_that_stands_for_outside():
    grid = Grid(np.ones((2, 3)))
    outside = grid.cell_at_many([(-1, 0), (1, 1)])
    assert grid.cell_at(-1, 0) is None
    assert outside[0] == len(grid) == 6
    with pytest.raises(IndexError):
        grid.costs.ravel()[outside]
    verbs = (
        grid.center_many,
        grid.boxes,
        grid.block,
        grid.unblock,
        lambda cells: grid.set_costs(cells, 2.0),
        lambda cells: grid.center(cells[0]),
    )
    for verb in verbs:
        with pytest.raises(IndexError, match="got 6, which stands for a point outside the grid"):
            verb(outside)
    with pytest.raises(ValueError, match="x and y must be finite, got inf and 0"):
        grid.cell_at(inf, 0)
    for number in (-1, 10**30):
        with pytest.raises(IndexError, match=f"cell must be from 0 to 5, got {number}"):
            grid.center(number)
    assert (grid.costs == 1.0).all()


def test_rules_by_class_property_and_gid(tmp_path):
    tile_map = shaped_map(tmp_path, [[1, 2, 3, 4], [0, 1, 2, 3]])
    assert Grid.of(tile_map).costs.tolist() == [[1.0] * 4] * 2
    by_class = Grid.of(tile_map, Rule("ground", BLOCKED, class_name="rock"))
    assert by_class.blocked.tolist() == [[False, True, False, False], [False, False, True, False]]
    by_property = Grid.of(tile_map, Rule(None, BLOCKED, {"solid": True}))
    assert (by_property.blocked == by_class.blocked).all()
    by_gid = Grid.of(tile_map, Rule("ground", 2, gids=[1, 4]))
    assert by_gid.costs.tolist() == [[2, 1, 1, 2], [1, 2, 1, 1]]


def test_a_share_of_the_cell(tmp_path):
    tile_map = shaped_map(tmp_path, [[1, 2, 3, 4]])
    ground = tile_map.layer("ground")
    # From 0.8 on no cell is covered enough, but the shapes of 3 and 4 leave no way past them.
    for least, closed in ((0.3, [3, 4]), (0.5, [4]), (0.75, [4]), (0.8, [3, 4])):
        grid = Grid.of(tile_map, Rule("ground", BLOCKED, covered=least))
        assert [gid for gid in (1, 2, 3, 4) if grid.blocked[0, gid - 1]] == closed
    grid = Grid.of(tile_map, Rule("ground", BLOCKED, covered=0.5))
    ground.set_tile(0, 0, 4, flags=8)
    assert grid.blocked.tolist() == [[True, False, False, True]]


def test_a_bridge_opens_what_water_closes(tmp_path):
    rows = [[2, 2, 2]] * 3
    bridge = csv_layer("bridge", [[0, 0, 0], [1, 1, 1], [0, 0, 0]])
    tile_map = shaped_map(tmp_path, rows, bridge)
    rules = Rule("ground", BLOCKED, {"solid": True}), Rule("bridge", 1.5)
    grid = Grid.of(tile_map, *rules)
    assert grid.costs.tolist() == [[inf] * 3, [1.5] * 3, [inf] * 3]
    tile_map.layer("bridge").clear_tile(1, 1)
    assert grid.costs.tolist() == [[inf] * 3, [1.5, inf, 1.5], [inf] * 3]
    tile_map.layer("ground").set_tile(1, 1, 1)
    assert grid.costs[1, 1] == 1.0
    tile_map.layer("ground").set_tiles([(0, 0), (1, 0)], [1, 0])
    assert grid.costs[0].tolist() == [1, 1, inf]


def test_objects_close_cells(tmp_path):
    objects = """<objectgroup name="houses">
    <object id="1" type="house" x="16" y="0" width="24" height="16"/>
    <object id="2" x="0" y="36"><polyline points="0,0 63,0"/></object></objectgroup>"""
    tile_map = shaped_map(tmp_path, [[1] * 4] * 3, objects)
    grid = Grid.of(tile_map, Rule("houses", BLOCKED, class_name="house"))
    assert grid.blocked.astype(int).tolist() == [[0, 1, 1, 0], [0] * 4, [0] * 4]
    grid = Grid.of(tile_map, Rule("houses", BLOCKED, class_name="house", covered=0.6))
    assert grid.blocked.astype(int).tolist() == [[0, 1, 0, 0], [0] * 4, [0] * 4]
    grid = Grid.of(tile_map, Rule("houses", 3.0))
    assert grid.costs.tolist() == [[1, 3, 3, 1], [1] * 4, [3] * 4]
    grid = Grid.of(tile_map, Rule("houses", 3.0, covered=0.01))  # a line has no area
    assert grid.costs.tolist() == [[1, 3, 3, 1], [1] * 4, [1] * 4]


def test_part_of_a_map(tmp_path):
    tile_map = shaped_map(tmp_path, [[1, 2, 1, 1], [1, 1, 1, 2], [2, 1, 1, 1]])
    grid = Grid.of(tile_map, Rule("ground", BLOCKED, {"solid": True}), bounds=(20, 5, 60, 30))
    assert (grid.columns, grid.rows, grid.first_cell) == (3, 2, (1, 1))
    assert grid.blocked.astype(int).tolist() == [[0, 0, 1], [0, 0, 0]]
    tile_map.layer("ground").set_tile(1, 2, 2)
    tile_map.layer("ground").set_tile(0, 0, 2)
    assert grid.blocked.astype(int).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert grid.cell_at(24, 24) == 0
    with pytest.raises(ValueError, match="bounds must overlap the map"):
        Grid.of(tile_map, bounds=(500, 500, 600, 600))


def test_an_infinite_map(tmp_path):
    chunk = '<chunk x="-16" y="0" width="16" height="16">' + ",".join(["2"] * 256) + "</chunk>"
    layer = (
        f'<layer name="ground" width="16" height="16"><data encoding="csv">{chunk}</data></layer>'
    )
    path = write_map(tmp_path, TILESET, layer, attributes='infinite="1"')
    tile_map = load_map(path)
    with pytest.raises(ValueError, match="bounds must be given for an infinite map"):
        Grid.of(tile_map)
    ground = tile_map.layer("ground")
    x0, y0, x1, y1 = ground.boxes([ground.id_of(-1, 3)])[0].tolist()
    grid = Grid.of(tile_map, Rule("ground", BLOCKED), bounds=(x0 - 14, y0 + 1, x1 + 14, y1 - 1))
    assert grid.first_cell == (-2, 3)
    assert grid.blocked.tolist() == [[True, True, False]]
    ground.set_tile(0, 3, 1)
    ground.clear_tile(-1, 3)
    ground.set_tile(200, 200, 1)
    assert grid.blocked.tolist() == [[True, False, True]]


@pytest.mark.parametrize(
    "kind",
    [
        {"tile_size": (16, 8), "orientation": "oblique", "skew": (16, 8)},
        {"tile_size": (1, 8), "orientation": "staggered"},
        {"tile_size": (8, 1), "orientation": "hexagonal"},
    ],
)
def test_cells_without_an_area_make_no_grid(kind):
    with pytest.raises(ValueError, match="tile_map must have cells with an area, got <TileMap"):
        Grid.of(TileMap.new(6, 5, **kind))


def test_buildings_are_counted():
    grid = Grid(np.ones((3, 3)))
    grid.block([0, 1])
    grid.block([1, 2])
    grid.unblock([0, 1])
    assert grid.blocked[0].tolist() == [False, True, True]
    grid.set_costs([1, 2], 4.0)
    assert grid.blocked[0].tolist() == [False, True, True]
    grid.unblock([1, 2])
    assert grid.costs[0].tolist() == [1, 4, 4]
    with pytest.raises(ValueError, match="cells must be blocked, but 8 is not"):
        grid.unblock([8])


def test_of_a_cell_given_twice_the_last_cost_counts():
    grid = Grid([[1, 1]])
    grid.set_costs([0, 0], [2, 1])
    assert grid.costs.tolist() == [[1, 1]]
    grid.block([1])
    grid.set_costs([1, 1], [3, 2])
    grid.unblock([1])
    assert grid.costs.tolist() == [[1, 2]]


def test_a_cell_is_unblocked_as_often_as_it_was_blocked_or_not_at_all():
    grid = Grid([[1, 1]])
    grid.block([0, 1, 1])
    for cells in ([0, 0], [1, 1, 1], [1, 0, 0]):
        with pytest.raises(ValueError, match="cells must be blocked, but"):
            grid.unblock(cells)
    assert grid.blocked.tolist() == [[True, True]]
    grid.unblock([1, 1])
    assert grid.blocked.tolist() == [[True, False]]
    grid.unblock([0])
    assert grid.blocked.tolist() == [[False, False]]


def test_the_ground_below_a_building_changes(tmp_path):
    tile_map, grid = map_grid(tmp_path, "orthogonal", np.ones((3, 3), int))
    grid.block([4])
    tile_map.layer("ground").set_tile(1, 1, 2)
    grid.unblock([4])
    assert grid.blocked[1, 1]


def test_observers_hear_of_real_changes():
    class Ear:
        def __init__(self):
            self.heard = []

        def _cells_changed(self, cells):
            self.heard.append(cells.tolist())

    grid, ear = Grid(np.ones((3, 3))), Ear()
    grid._ground.observe(ear)
    grid.block([4, 5])
    grid.block([5])
    grid.unblock([5])
    grid.set_costs([0, 1], [1.0, 2.0])
    grid.unblock([4, 5])
    assert ear.heard == [[4, 5], [1], [4, 5]]
    assert grid.revision == 3


def test_cells_in_a_box():
    grid = Grid(np.ones((4, 5)), cell_size=10)
    assert grid.cells_in((11, 0, 38, 18)).tolist() == [11, 12, 13, 16, 17, 18]
    assert grid.cells_in((500, 0, 538, 18)).tolist() == []


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_clearance_against_brute_force(tmp_path, name):
    rng = np.random.default_rng(11)
    gids = rng.choice([1, 2, 3], (12, 12), p=[0.9, 0.07, 0.03])
    tile_map, grid = map_grid(tmp_path, name, gids)
    layer = tile_map.layer("ground")
    wide = [(radius, grid.with_clearance(radius)) for radius in (0.0, 9.0, 21.0)]
    for _ in range(12 if WHOLE else 4):
        for radius, derived in wide:
            assert derived.blocked.tolist() == narrowed(grid, radius).tolist()
            assert (derived.costs[~derived.blocked] == grid.costs[~derived.blocked]).all()
            moves = moves_of(derived).copy()
            derived._ground.find_moves()
            assert (moves == moves_of(derived)).all()
        layer.set_tile(*rng.integers(0, 12, 2).tolist(), int(rng.integers(1, 4)))


def narrowed(grid, radius):
    """Cells whose disc meets a closed cell, or what lies outside, at one of many points."""
    centers = grid.center_many(np.arange(len(grid)))
    closed = grid.blocked.ravel()
    angles = np.linspace(0, 2 * np.pi, 240, endpoint=False)
    found = closed.copy()
    for far in np.linspace(0, radius * (1 - 1e-6), 40 if radius else 1):
        ring = far * np.stack((np.cos(angles), np.sin(angles)), axis=1)
        cells = grid.cell_at_many(centers[:, None] + ring)
        found |= np.append(closed, True)[cells].any(axis=1)
    return found.reshape(grid.rows, grid.columns)


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_disc_as_large_as_the_grid_has_no_room(tmp_path, name):
    _, grid = map_grid(tmp_path, name, np.ones((7, 5), int))
    tracemalloc.start()
    for radius in (*np.linspace(20, 90, 8).tolist(), 1e4, 1e9, 1e300):
        wide = grid.with_clearance(radius)
        assert wide.blocked.tolist() == narrowed(grid, min(radius, 1e3)).tolist()
        grid.block([1])
        grid.unblock([1])
        assert wide.blocked.tolist() == narrowed(grid, min(radius, 1e3)).tolist()
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_a_wide_unit_does_not_fit_through_a_gap():
    free = np.ones((9, 9), bool)
    free[4] = False
    free[4, 3:6] = True
    grid = Grid(free, cell_size=10)
    assert Paths(grid.with_clearance(15)).connected(45, 25, 45, 65)
    assert not Paths(grid.with_clearance(16)).connected(45, 25, 45, 65)


@pytest.mark.parametrize("name", ["orthogonal", "hexagonal-columns"])
def test_a_saved_grid_follows_its_saved_map(tmp_path, name, again):
    tile_map, grid = map_grid(tmp_path, name, np.ones((6, 6), int))
    wide = grid.with_clearance(9.0)
    grid.block([7])
    other_map, other, other_wide = again((tile_map, grid, wide))
    assert (moves_of(other) == moves_of(grid)).all()
    other_map.layer("ground").set_tile(3, 3, 2)
    assert other.blocked[3, 3]
    assert not grid.blocked[3, 3]
    other.unblock([7])
    assert other_wide.blocked.tolist() == other.with_clearance(9.0).blocked.tolist()


def test_costs_of_an_array():
    grid = Grid([[1, 2.5, inf], [0.01, 1000, 1]])
    assert grid.costs.tolist() == np.array([[1, 2.5, inf], [0.01, 1000, 1]], np.float32).tolist()
    assert repr(grid) == "<Grid of 3 x 2 cells, 5 open>"
    many = np.linspace(1, 3, 254).reshape(2, 127)
    assert Grid(many).costs == pytest.approx(many)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Grid([1, 2]), ValueError, "costs must have the shape"),
        (lambda: Grid([[]]), ValueError, "costs must have the shape"),
        (lambda: Grid([[0.0]]), ValueError, "costs must be from 0.01 to 1000, or inf, got 0.0"),
        (lambda: Grid([[np.nan]]), ValueError, "costs must be"),
        (lambda: Grid([[-1.0]]), ValueError, "costs must be"),
        (lambda: Grid(np.linspace(1, 2, 300).reshape(3, 100)), ValueError, "254 different"),
        (lambda: Grid([[1]], cell_size=0), ValueError, "cell_size must be above 0"),
        (lambda: Grid([[1]], cell_size=(1, inf)), ValueError, "cell_size must be above 0, from"),
        (lambda: Grid([[1]], cell_size=1e-170), ValueError, "cell_size must be above 0, from 1e-1"),
        (lambda: Grid([[1]], cell_size=1e155), ValueError, "cell_size must be above 0, from 1e-1"),
        (lambda: Grid([[1]], origin=(1, inf)), ValueError, "origin must be two finite numbers"),
        (lambda: Grid([[1]]).set_costs([0], 0), ValueError, "costs must be"),
        (lambda: Grid([[1]]).with_clearance(-1), ValueError, "radius must be finite"),
        (lambda: Rule("ground", 0), ValueError, "cost must be from"),
        (lambda: Rule("ground", 1, covered=2), ValueError, "covered must be from 0 to 1, got 2"),
    ],
)
def test_wrong_arguments(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_unknown_layers(tmp_path):
    tile_map = shaped_map(tmp_path, [[1]])
    with pytest.raises(KeyError, match="no layer 'sea'"):
        Grid.of(tile_map, Rule("sea", BLOCKED))


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_the_frame_tells_where_the_centers_are(tmp_path, name):
    _, grid = map_grid(tmp_path, name, np.ones((7, 6), int))
    frame = grid.frame
    row, column = np.divmod(np.arange(len(grid)), grid.columns)
    if frame.staggered:
        line, place = (column, row) if frame.by_columns else (row, column)
        u, v = 2 * place + (line % 2 != frame.even), line
    else:
        u, v = column, row
    origin, across, down = (np.array(part) for part in frame[2:5])
    expected = origin + u[:, None] * across + v[:, None] * down

    np.testing.assert_allclose(grid.center_many(np.arange(len(grid))), expected, atol=1e-9)
    assert (frame.columns, frame.rows) == (6, 7)
    assert 0.0 < frame.slant <= 1.0
    assert (frame.slant < 1.0) == name.startswith("hexagonal")
