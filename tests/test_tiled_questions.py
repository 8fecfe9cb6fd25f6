"""Queries of games: the tile at a point, the nearest wood, walls in a line of sight."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from tests.share import WHOLE
from tests.test_tiled_culling import GRIDS, SIZE
from tests.tmx import TILESET, csv_layer, write_map
from tilequad.nav import Grid, Rule
from tilequad.tiled import TileLayer, TileSelection, load_map

KINDS = TILESET.replace(
    "</tileset>",
    '<tile id="1" type="tree"><properties><property name="resource" value="wood"/>'
    '<property name="amount" type="int" value="5"/></properties></tile>'
    '<tile id="2" type="wall"><properties><property name="solid" type="bool" value="true"/>'
    '</properties><objectgroup><object id="1" x="0" y="8" width="16" height="8"/>'
    '<object id="2" x="2" y="2" type="hook"><polygon points="0,0 4,0 0,6"/></object>'
    "</objectgroup></tile></tileset>",
)
GRASS, TREE, WALL = 1, 2, 3


def make_layer(folder: Path, grid: str = "orthogonal", y_up: bool = True) -> TileLayer:
    rng = random.Random(grid)
    rows = [[rng.choice([0, GRASS, GRASS, TREE, WALL]) for _ in range(SIZE[0])] for _ in range(7)]
    layer = csv_layer("g", rows, 'offsetx="3" offsety="-1.5"')
    path = write_map(folder, KINDS, layer, size=SIZE, attributes=GRIDS[grid])
    found: TileLayer = load_map(path, y_up=y_up).layer("g")
    return found


@pytest.mark.parametrize("y_up", [True, False])
@pytest.mark.parametrize("grid", GRIDS)
def test_tile_at_finds_the_cell_of_a_point(tmp_path, grid, y_up):
    layer = make_layer(tmp_path, grid, y_up)
    ids, outlines = layer.ids(), layer.outlines(layer.ids())
    cells = shapely.polygons(outlines)
    low, high = outlines.min() - 10, outlines.max() + 10
    rng = random.Random(3)
    found_some = 0
    for _ in range(300 if WHOLE else 100):
        x, y = rng.uniform(low, high), rng.uniform(low, high)
        holding = ids[shapely.intersects_xy(cells, x, y)].tolist()
        assert layer.tile_at(x, y) == (holding[0] if holding else None)
        found_some += bool(holding)
    assert found_some > 20
    for number, outline in zip(ids.tolist(), outlines, strict=True):
        assert layer.tile_at(*outline.mean(axis=0)) == number  # the center of its cell


def test_cell_at_counts_cells_like_tiled(tmp_path):
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 2]]))).layer("g")
    assert layer.cell_at(0.5, 47.5) == (0, 0)
    assert layer.cell_at(17, 31) == (1, 1)
    assert layer.cell_at(16, 32) == (1, 1)  # the corner of four cells
    assert layer.cell_at(0, 48) == (0, 0)  # corners of the map
    assert layer.cell_at(64, 0) == (3, 2)
    for outside in ((-0.5, 20), (20, 48.5), (64.5, 20), (20, -0.5), (1e300, 20)):
        assert layer.cell_at(*outside) is layer.tile_at(*outside) is None
    with pytest.raises(ValueError, match="finite"):
        layer.cell_at(math.nan, 0)
    with pytest.raises(ValueError, match="finite"):
        layer.cell_at(0, math.nan)
    with pytest.raises(ValueError, match="finite"):
        layer.cell_at(0, math.inf)


@pytest.mark.parametrize("y_up", [True, False])
@pytest.mark.parametrize("name", GRIDS)
def test_a_layer_and_a_grid_find_the_same_cell(tmp_path, name, y_up):
    """On every edge and corner, and on the outer edges, which belong to the map."""
    layer = csv_layer("g", [[1] * SIZE[0]] * SIZE[1])
    path = write_map(tmp_path, KINDS, layer, size=SIZE, attributes=GRIDS[name])
    tile_map = load_map(path, y_up=y_up)
    ground, grid = tile_map.layer("g"), Grid.of(tile_map)
    left, bottom, right, top = (round(edge) for edge in tile_map.bounds)
    points = [(x, y) for x in range(left - 1, right + 2) for y in range(bottom - 1, top + 2)]
    cells = [ground.cell_at(*point) for point in points]
    numbers = [len(grid) if cell is None else grid.cell(*cell) for cell in cells]
    assert numbers == grid.cell_at_many(points).tolist()
    corners = ground.outlines(ground.ids()).reshape(-1, 2)
    assert None not in [ground.cell_at(*corner) for corner in corners]


@pytest.mark.parametrize("grid", GRIDS)
def test_selections_agree_with_brute_force(tmp_path, grid):
    layer = make_layer(tmp_path, grid)
    wood = layer.select({"resource": "wood"})
    assert wood.ids.tolist() == layer.ids()[layer.gids(layer.ids()) == TREE].tolist()
    assert len(wood) == len(wood.ids)
    check_selection(layer, wood.ids, wood, random.Random(grid))


def check_selection(
    layer: TileLayer, ids: NDArray[np.int32], selection: TileSelection, rng: random.Random
) -> None:
    outlines = layer.outlines(ids)
    low, high = outlines.min(axis=1), outlines.max(axis=1)
    span = outlines.min() - 30, outlines.max() + 30
    for _ in range(60):
        x, y, radius = rng.uniform(*span), rng.uniform(*span), rng.uniform(0, 60)
        away = np.maximum(np.maximum(low - (x, y), (x, y) - high), 0)
        distances = (away**2).sum(axis=1)
        near = ids[distances <= radius * radius]
        assert selection.within(x, y, radius).tolist() == near.tolist()
        nearest = int(ids[np.flatnonzero(distances == distances.min())[0]])
        assert selection.nearest(x, y) == nearest
        limit = math.sqrt(distances.min()) * 0.9 if distances.min() else None
        if limit:
            assert selection.nearest(x, y, limit) is None
        view = (x, y, x + radius, y + radius)
        seen = (low <= (x + radius, y + radius)).all(axis=1) & (high >= (x, y)).all(axis=1)
        assert selection.query(view).tolist() == ids[seen].tolist()


@pytest.mark.parametrize("grid", GRIDS)
def test_segment_finds_walls_in_order(tmp_path, grid):
    layer = make_layer(tmp_path, grid)
    walls = layer.select(class_name="wall")
    outlines = layer.outlines(walls.ids)
    cells = shapely.polygons(outlines)
    span = outlines.min() - 10, outlines.max() + 10
    rng = random.Random(11)
    for _ in range(60):
        x0, y0, x1, y1 = (rng.uniform(*span) for _ in range(4))
        inside = shapely.intersection(cells, shapely.linestrings([(x0, y0), (x1, y1)]))
        away = shapely.distance(inside, shapely.Point(x0, y0))  # nan where nothing is inside
        order = np.argsort(away)[: np.isfinite(away).sum()]
        assert walls.segment(x0, y0, x1, y1).tolist() == walls.ids[order].tolist()


def test_a_line_of_sight_is_exact_at_corners(tmp_path):
    rows = [[0, WALL, 0], [WALL, 0, 0], [0, 0, 0]]
    layer = load_map(write_map(tmp_path, KINDS, csv_layer("g", rows), size=(3, 3))).layer("g")
    walls = layer.select({"solid": True})
    assert walls.segment(0, 48, 48, 0).tolist() == [1, 3]  # through their shared corner
    assert walls.segment(17, 17, 40, 17).tolist() == []
    assert walls.segment(8, 8, 8, 16).tolist() == [3]  # touches the lower edge
    assert walls.segment(24, 40, 24, 40).tolist() == [1]  # a point inside
    with pytest.raises(ValueError, match="x0"):
        walls.segment(math.nan, 0, 1, 1)


def test_select_matches_class_and_all_properties(tmp_path):
    layer = make_layer(tmp_path)
    trees = layer.ids()[layer.gids(layer.ids()) == TREE].tolist()
    assert layer.select(class_name="tree").ids.tolist() == trees
    assert layer.select({"amount": 5}, class_name="tree").ids.tolist() == trees
    assert layer.select({"amount": 5}, class_name="wall").ids.tolist() == []
    assert layer.select({"amount": 6}).nearest(0, 0) is None
    assert len(layer.select()) == len(layer)


@pytest.mark.parametrize("grid", ["orthogonal", "isometric", "oblique"])
def test_selections_follow_the_layer(tmp_path, grid):
    layer = make_layer(tmp_path, grid)
    wood = layer.select({"resource": "wood"})
    rng = random.Random(5)
    for step in range(250):
        column, row = rng.randrange(SIZE[0]), rng.randrange(SIZE[1])
        if rng.random() < 0.4:
            layer.clear_tile(column, row)
        else:
            layer.set_tile(column, row, rng.choice([GRASS, TREE, WALL]))
        if step % 25 == 0:
            ids = layer.ids()[layer.gids(layer.ids()) == TREE].astype(np.int32)
            assert wood.ids.tolist() == ids.tolist()
            check_selection(layer, ids, wood, rng)


def test_a_forest_can_be_felled_tree_by_tree(tmp_path):
    rows = [[TREE] * 12 for _ in range(12)]
    path = write_map(tmp_path, KINDS, csv_layer("g", rows), size=(12, 12))
    layer = load_map(path).layer("g")
    wood = layer.select({"resource": "wood"})
    felled = []
    while (number := wood.nearest(0, 0)) is not None:
        felled.append(layer.cells([number])[0].tolist())
        layer.clear_tile(*felled[-1])
    assert len(felled) == 144
    assert (len(wood), len(layer)) == (0, 0)
    away = [math.hypot(column * 16, (11 - row) * 16) for column, row in felled]
    assert away == sorted(away)


def test_collision_shapes_are_flipped_with_their_tile(tmp_path):
    cells = [[WALL, WALL | 8 << 28, WALL | 4 << 28, WALL | 2 << 28, GRASS]]
    path = write_map(tmp_path, KINDS, csv_layer("g", cells), size=(5, 1))
    layer = load_map(path, y_up=False).layer("g")
    plain, across, down, diagonal = (layer.collision_shapes(number) for number in range(4))
    assert [shape.shape for shape in plain] == ["polygon", "rectangle"]  # from top to bottom
    assert plain[0].class_name == "hook"
    assert plain[0].points.tolist() == [[2, 2], [6, 2], [2, 8]]
    assert across[0].points.tolist() == [[30, 2], [26, 2], [30, 8]]
    assert down[0].points.tolist() == [[34, 14], [38, 14], [34, 8]]
    assert diagonal[0].points.tolist() == [[50, 2], [50, 6], [56, 2]]
    assert sorted(diagonal[1].points.tolist()) == [[56, 0], [56, 16], [64, 0], [64, 16]]
    assert layer.collision_shapes(4) == []
    up = load_map(path).layer("g").collision_shapes(0)[0]
    assert up.points.tolist() == [[2, 14], [6, 14], [2, 8]]


def test_objects_match_class_name_id_and_property(tmp_path):
    path = write_map(
        tmp_path,
        '<objectgroup name="a" draworder="index">'
        '<object id="3" name="gate" type="door" x="1" y="1"><properties>'
        '<property name="locked" type="bool" value="true"/></properties></object>'
        '<object id="9" name="gate" x="2" y="1"/></objectgroup>'
        '<objectgroup name="b"><object id="4" type="door" x="3" y="1"/></objectgroup>',
    )
    tile_map = load_map(path)
    assert [item.id for item in tile_map.objects()] == [3, 9, 4]
    assert [item.id for item in tile_map.objects(class_name="door")] == [3, 4]
    assert [item.id for item in tile_map.objects(name="gate")] == [3, 9]
    assert [item.id for item in tile_map.objects({"locked": True})] == [3]
    assert tile_map.objects(class_name="door", name="none") == []
    assert tile_map.object(9).x == 2
    with pytest.raises(KeyError):
        tile_map.object(5)


def test_object_selections_answer_query_and_within(tmp_path):
    objects = "".join(
        f'<object id="{number}" type="{kind}" x="{x}" y="{y}" width="4" height="2"/>'
        for number, (kind, x, y) in enumerate(
            [("camp", 0, 0), ("camp", 20, 0), ("mine", 21, 0), ("camp", 20, 30)], 1
        )
    )
    path = write_map(tmp_path, f'<objectgroup name="o" draworder="index">{objects}</objectgroup>')
    layer = load_map(path, y_up=False).layer("o")
    camps = layer.select(class_name="camp")
    assert (len(camps), camps.ids.tolist()) == (3, [0, 1, 3])
    assert camps.query((3, 0, 20, 10)).tolist() == [0, 1]
    assert camps.within(24, 12, 10).tolist() == [1]
    assert camps.nearest(100, 100) == 3
    assert camps.nearest(100, 100, 5) is None
    assert layer.select(class_name="none").nearest(0, 0) is None
    assert len(layer.select()) == 4


def test_a_filter_asks_for_properties_of_any_name(tmp_path):
    """Also for those that are called as an argument is."""
    own = '<properties><property name="name" value="a"/><property name="class_name" value="b"/>'
    items = f'<object id="1">{own}</properties></object><object id="2" name="a" class="b"/>'
    tile_map = load_map(write_map(tmp_path, f'<objectgroup name="o">{items}</objectgroup>'))
    wanted = {"name": "a", "class_name": "b"}
    assert [item.id for item in tile_map.objects(wanted)] == [1]
    assert [item.id for item in tile_map.objects(name="a", class_name="b")] == [2]
    assert tile_map.layer("o").select(wanted).ids.tolist() == [0]


def test_properties_that_are_no_dict_are_refused_with_the_right_call(tmp_path):
    tile_map = load_map(
        write_map(tmp_path, TILESET, csv_layer("g", [[1]]), '<objectgroup name="o"/>')
    )
    for call in (
        tile_map.objects,
        tile_map.layer("g").select,
        tile_map.layer("o").select,
        lambda properties: Rule("g", 1, properties),
    ):
        with pytest.raises(TypeError, match=r'must be a dict, got 3; write .*\{"solid": True\}'):
            call(3)
        with pytest.raises(TypeError, match=r"class_name='wall'\) for a class"):
            call("wall")
