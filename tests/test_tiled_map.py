"""Small maps, read by load_map: layers, boxes, queries, objects, properties."""

import math

import numpy as np
import pytest

from tests.tmx import TILESET, csv_layer, write_map
from tilequad.bounds import Bounds
from tilequad.tiled import ImageLayer, ObjectLayer, ObjectRef, TileLayer, load_map

ROWS = [[1, 0, 2, 3], [0, 0, 0, 4], [1, 1, 0, 0]]


def test_the_world_has_its_origin_at_the_bottom_left(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", ROWS)))
    ground = tile_map.layer("ground")
    assert tile_map.bounds == Bounds(0, 0, 64, 48)
    assert tile_map.orientation == "orthogonal"
    assert ground.cells(ground.ids()).tolist() == [[0, 0], [2, 0], [3, 0], [3, 1], [0, 2], [1, 2]]
    assert ground.gids(ground.ids()).tolist() == [1, 2, 3, 4, 1, 1]
    assert ground.ids().tolist() == [0, 2, 3, 7, 8, 9]  # 4 * row + column
    assert ground.boxes([0, 7, 9]).tolist() == [
        [0, 32, 16, 48],
        [48, 16, 64, 32],
        [16, 0, 32, 16],
    ]


def test_y_up_false_keeps_the_direction_of_tiled(tmp_path):
    path = write_map(
        tmp_path,
        TILESET,
        csv_layer("ground", ROWS),
        '<objectgroup name="o"><object id="1" x="10" y="8"><point/></object></objectgroup>',
    )
    tile_map = load_map(path, y_up=False)
    assert tile_map.layer("ground").boxes([7]).tolist() == [[48, 16, 64, 32]]
    assert tile_map.layer("ground").boxes([0]).tolist() == [[0, 0, 16, 16]]
    assert (tile_map.layer("o").objects[0].x, tile_map.layer("o").objects[0].y) == (10, 8)


def test_query_returns_draw_order_and_includes_touching_boxes(tmp_path):
    ground = load_map(write_map(tmp_path, TILESET, csv_layer("ground", ROWS))).layer("ground")
    everything = ground.query((-1000, -1000, 1000, 1000))
    assert everything.dtype == np.int32
    assert everything.tolist() == ground.ids().tolist()
    assert ground.query((0, 0, 10, 10)).tolist() == [8]
    assert ground.query((16, 16, 16, 16)).tolist() == [8, 9]  # the shared corner of two boxes
    assert ground.query((20, 20, 30, 30)).tolist() == []


@pytest.mark.parametrize("view", [(0, 0, math.nan, 1), (5, 0, 4, 1), (0, 0, 1), "abc"])
def test_an_invalid_view_is_refused(tmp_path, view):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", ROWS)))
    with pytest.raises(ValueError, match="bounds"):
        tile_map.layer("ground").query(view)
    with pytest.raises(ValueError, match="bounds"):
        list(tile_map.cull(view))  # type: ignore[arg-type]


@pytest.mark.parametrize("parallax", [(1, 1), (0.5, 1), (1, 0)])
def test_a_view_may_lie_at_the_end_of_all_numbers(tmp_path, parallax):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", ROWS)))
    [ground] = tile_map.layers
    ground.parallax = parallax
    for low, high in ((1e308, 1.7e308), (-1.7e308, -1e308)):
        view = low, low, high, high
        assert ground.query(view).tolist() == []
        assert [ids.tolist() for _, ids in tile_map.cull(view)] == [[]]


def test_flags_and_gids_are_separate(tmp_path):
    raw = [[1 | bits << 28 for bits in range(0, 16, 2)]]
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", raw), size=(8, 1))).layer("g")
    assert layer.flags(layer.ids()).tolist() == list(range(0, 16, 2))
    assert set(layer.gids(layer.ids()).tolist()) == {1}
    assert layer.flags(layer.ids()).dtype == np.uint8


def test_boxes_follow_image_size_and_offsets(tmp_path):
    tree = (
        '<tileset firstgid="1" name="trees" tilewidth="24" tileheight="40" tilecount="1" '
        'columns="1"><tileoffset x="-4" y="6"/>'
        '<image source="tiles.png" width="32" height="48"/></tileset>'
    )
    rows = [[0, 0], [1, 1 | 2 << 28]]
    layer = csv_layer("trees", rows, 'offsetx="2.5" offsety="-1"')
    trees = load_map(write_map(tmp_path, tree, layer, size=(2, 2))).layer("trees")
    boxes = trees.boxes(trees.ids())
    # y down: anchor (0, 32), offset (-4 + 2.5, 6 - 1); the second is turned: 40 x 24
    assert boxes[0].tolist() == [-1.5, 32 - 37, -1.5 + 24, 32 - 37 + 40]
    assert boxes[1].tolist() == [14.5, 32 - 37, 14.5 + 40, 32 - 37 + 24]


def test_layers_come_in_file_order_and_inherit_from_groups(tmp_path):
    path = write_map(
        tmp_path,
        TILESET,
        '<imagelayer name="sky"/>',
        '<group name="outer" offsetx="3" opacity="0.5" visible="0" tintcolor="#ff8000">',
        csv_layer("ground", ROWS, 'offsetx="1" opacity="0.5" tintcolor="#80ffffff"'),
        '<group name="inner" offsety="-2" parallaxx="0.5"><objectgroup name="things"/></group>',
        "</group>",
        csv_layer("top", ROWS),
    )
    tile_map = load_map(path)
    assert [layer.name for layer in tile_map.layers] == ["sky", "ground", "things", "top"]
    assert [type(layer) for layer in tile_map.layers] == [
        ImageLayer,
        TileLayer,
        ObjectLayer,
        TileLayer,
    ]
    _, ground, things, top = tile_map.layers
    assert (ground.offset, ground.opacity, ground.visible) == ((4, 0), 0.25, False)
    assert ground.tint == (255, 128, 0, 128)
    assert (things.offset, things.parallax) == ((3, -2), (0.5, 1))
    assert [group.name for group in things.groups] == ["outer", "inner"]
    assert (top.offset, top.opacity, top.visible, top.tint) == ((0, 0), 1, True, None)
    assert [layer.name for layer, _ in tile_map.cull(tile_map.bounds)] == ["sky", "top"]
    ground.visible = True
    assert [layer.name for layer, _ in tile_map.cull(tile_map.bounds)] == ["sky", "ground", "top"]


def test_a_parallax_layer_is_culled_where_it_is_drawn(tmp_path):
    far = csv_layer("far", ROWS, 'parallaxx="0" parallaxy="1"')
    tile_map = load_map(write_map(tmp_path, TILESET, far), y_up=False)
    [(layer, here)] = tile_map.cull((0, 0, 8, 8))
    assert here.tolist() == [0]
    # the camera has moved 100 pixels to the right, and the layer with it
    [(layer, there)] = tile_map.cull((100, 0, 108, 8))
    assert there.tolist() == [0]
    assert tile_map.parallax_shift(layer, (100, 0, 108, 8)) == (104, 0)


def test_the_error_for_an_unknown_layer_lists_all_layers(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", ROWS)))
    with pytest.raises(KeyError, match=r"'grond'.*'ground'"):
        tile_map.layer("grond")


def test_tilesets_describe_their_tiles(tmp_path):
    (tmp_path / "more.tsx").write_text(
        '<tileset name="more" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
        '<image source="tiles.png" trans="ff00ff" width="32" height="32"/>'
        '<tile id="1" type="wall"><properties><property name="solid" type="bool" value="true"/>'
        "</properties></tile>"
        '<tile id="2" class="water"><animation><frame tileid="3" duration="100"/>'
        '<frame tileid="2" duration="50"/></animation></tile></tileset>'
    )
    path = write_map(
        tmp_path, TILESET, '<tileset firstgid="5" source="more.tsx"/>', csv_layer("g", [[6]])
    )
    tile_map = load_map(path)
    more = tile_map.tileset_of(6)
    assert [tileset.first_gid for tileset in tile_map.tilesets] == [1, 5]
    assert (more.name, more.tile_count, more.tile_width) == ("more", 4, 16)
    assert more.tile_properties(1) == {"solid": True}
    assert more.tile_properties(0) == {}
    assert (more.tile_class(1), more.tile_class(2), more.tile_class(0)) == ("wall", "water", "")
    assert more.animation(2) == [(3, 100), (2, 50)]
    assert [more.frame_at(2, time) for time in (0, 99, 100, 149, 150)] == [3, 3, 2, 2, 3]
    source = more.image_source(3)
    assert source is not None
    assert source.path == tmp_path / "tiles.png"
    assert source.transparent == (255, 0, 255)
    assert (source.left, source.top, source.width, source.height) == (16, 16, 16, 16)
    with pytest.raises(KeyError):
        tile_map.tileset_of(0)


def test_properties_of_every_type_become_python_values(tmp_path):
    tile_map = load_map(
        write_map(
            tmp_path,
            '<properties><property name="s" value="text"/><property name="i" type="int" value="7"/>'
            '<property name="f" type="float" value="0.5"/>'
            '<property name="b" type="bool" value="false"/>'
            '<property name="o" type="object" value="3"/>'
            '<property name="c" type="color" value="#ff112233"/>'
            '<property name="lines">one\ntwo</property><property name="none" type="int"/>'
            '<property name="width" value="reserved by pytmx"/>'
            '<property name="cls" type="class" propertytype="Stats"><properties>'
            '<property name="hp" type="int" value="9"/></properties></property>'
            '<property name="l" type="list"><item type="int" value="1"/><item value="x"/>'
            "</property></properties>",
        )
    )
    assert type(tile_map.properties["o"]) is ObjectRef
    assert tile_map.properties == {
        "s": "text",
        "i": 7,
        "f": 0.5,
        "b": False,
        "o": 3,
        "c": (17, 34, 51, 255),
        "lines": "one\ntwo",
        "none": 0,
        "width": "reserved by pytmx",
        "cls": {"hp": 9},
        "l": [1, "x"],
    }


def test_objects_are_in_world_units(tmp_path):
    path = write_map(
        tmp_path,
        TILESET,
        '<objectgroup name="o" draworder="index">'
        '<object id="1" name="spot" type="spawn" x="10" y="8"><point/></object>'
        '<object id="2" x="0" y="0" width="16" height="8"/>'
        '<object id="3" x="8" y="8"><polyline points="0,0 16,0 16,24"/></object>'
        '<object id="4" x="8" y="40"><polygon points="0,0 4,0 0,-4"/></object>'
        '<object id="5" gid="2147483650" x="16" y="32" width="16" height="16"/>'
        '<object id="6" x="32" y="16" width="8" height="4"><ellipse/></object>'
        '<object id="7" gid="3" x="0" y="16"/>'
        '<object id="8" x="1" y="2" width="30" height="10"><text wrap="1">Hi</text></object>'
        "</objectgroup>",
    )
    objects = load_map(path).layer("o").objects
    spot, box, line, polygon, tile, ellipse, plain, text = objects
    assert (spot.name, spot.class_name, spot.shape, spot.x, spot.y) == (
        "spot",
        "spawn",
        "point",
        10,
        40,
    )
    assert box.shape == "rectangle"
    assert box.bounds == Bounds(0, 40, 16, 48)
    assert line.points.tolist() == [[8, 40], [24, 40], [24, 16]]
    assert line.shape == "polyline"
    assert polygon.shape == "polygon"
    assert polygon.bounds == Bounds(8, 8, 12, 12)
    assert (tile.shape, tile.gid, tile.flags) == ("tile", 2, 8)
    assert tile.bounds == Bounds(16, 16, 32, 32)
    assert ellipse.bounds == Bounds(32, 28, 40, 32)
    assert (plain.width, plain.height) == (16, 16)  # a tile object without a size takes its tile's
    assert text.text is not None
    assert (text.text.words, text.text.wrap, text.text.pixel_size) == ("Hi", True, 16)


def test_the_bounds_of_a_rotated_object_are_exact(tmp_path):
    path = write_map(
        tmp_path,
        '<objectgroup name="o"><object id="1" x="20" y="20" width="10" height="4" rotation="90"/>'
        '<object id="2" x="20" y="20" width="8" height="8" rotation="45"><ellipse/></object>'
        "</objectgroup>",
    )
    box, circle = load_map(path, y_up=False).layer("o").objects
    assert box.bounds == pytest.approx((16, 20, 20, 30))
    middle = 20 + 4 * math.sqrt(2)  # below the corner about which it rotates
    assert circle.bounds == pytest.approx((16, middle - 4, 24, middle + 4))


@pytest.mark.parametrize(("flags", "degrees"), [(0, 0), (2, 60), (1, 120), (3, 180)])
def test_the_bounds_of_a_tile_object_on_a_hexagonal_map_turn_with_its_flags(
    tmp_path, flags, degrees
):
    tile = f'<object id="1" gid="{1 | flags << 28}" x="20" y="36"/>'
    objects = f'<objectgroup name="o">{tile}</objectgroup>'
    grid = 'orientation="hexagonal" hexsidelength="8"'
    path = write_map(tmp_path, TILESET, objects, attributes=grid)
    (item,) = load_map(path, y_up=False).objects()
    angle = math.radians(degrees)
    half = 8 * (abs(math.cos(angle)) + abs(math.sin(angle)))
    assert item.bounds == pytest.approx((28 - half, 28 - half, 28 + half, 28 + half))


def test_objects_are_drawn_topdown_or_by_index(tmp_path):
    objects = '<object id="1" x="0" y="30"/><object id="2" x="0" y="10"/><object id="3" y="10"/>'
    path = write_map(
        tmp_path,
        f'<objectgroup name="sorted">{objects}</objectgroup>',
        f'<objectgroup name="kept" draworder="index">{objects}</objectgroup>',
    )
    tile_map = load_map(path)
    assert [item.id for item in tile_map.layer("sorted").objects] == [2, 3, 1]
    assert [item.id for item in tile_map.layer("kept").objects] == [1, 2, 3]
    assert tile_map.layer("sorted").query((-1, 30, 1, 40)).tolist() == [0, 1]
