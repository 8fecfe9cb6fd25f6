"""What a map keeps of its file, and what it reads of it again."""

import gc
import json
import weakref
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
import pytmx
from PIL import Image

from tests.tmx import (
    TILESET,
    csv_layer,
    map_text,
    tileset_of_json,
    tileset_of_xml,
    write_json,
    write_map,
    write_world,
)
from tilequad import tiled
from tilequad.tiled import (
    ImageLayer,
    Layer,
    MapError,
    ObjectLayer,
    Picture,
    Selection,
    TileLayer,
    TileSelection,
    load_map,
    load_world,
)

SHAPES = '<tile id="0"><objectgroup><object x="1" y="2" width="3" height="4"/></objectgroup></tile>'


@pytest.mark.slow
def test_a_map_keeps_no_xml(tmp_path):
    tileset = TILESET.replace("</tileset>", f"{SHAPES}</tileset>")
    objects = '<objectgroup name="o"><object id="1"/></objectgroup>'
    gc.collect()
    before = weakref.WeakSet(item for item in gc.get_objects() if isinstance(item, Element))
    tile_map = load_map(write_map(tmp_path, tileset, csv_layer("ground", [[1]]), objects))
    gc.collect()
    kept = [item for item in gc.get_objects() if isinstance(item, Element) and item not in before]
    assert kept == []
    assert [shape.shape for shape in tile_map.layer("ground").collision_shapes(0)] == ["rectangle"]


def test_a_broken_collision_shape_is_found_when_the_map_is_opened(tmp_path):
    polygon = '<object><polygon points="x"/></object>'
    tile = f'<tile id="0"><objectgroup>{polygon}</objectgroup></tile>'
    path = write_map(tmp_path, TILESET.replace("</tileset>", f"{tile}</tileset>"))
    with pytest.raises(MapError, match="tileset 'tiles': points 'x' are not pairs of numbers"):
        load_map(path)


def test_pytmx_reads_the_file_again_with_the_edits_of_the_map(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("ground", [[1, 2]]))
    tile_map = load_map(path)
    tile_map.layer("ground").set_tile(0, 0, 4)
    tmx = tile_map.tmx
    assert type(tmx) is pytmx.TiledMap
    assert (tmx.width, tmx.height) == (4, 3)
    assert cells_of_pytmx(tile_map) == [[4, 2]]
    assert tile_map.tmx is tmx


def test_a_map_that_pytmx_has_read_can_be_saved_and_copied(tmp_path, again):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", [[1, 2]])))
    before = tile_map.tmx
    other = again(tile_map)
    assert other.layer("ground").gid_of(1, 0) == 2
    assert cells_of_pytmx(other) == [[1, 2]]
    assert tile_map.tmx is before


def test_pytmx_has_the_tiles_outside_of_what_a_layer_declares(tmp_path):
    rows = [[1, 2], [3, 4]]
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", rows), size=(4, 4)))
    tile_map.layer("ground").set_tile(3, 2, 4)
    assert cells_of_pytmx(tile_map) == [[1, 2, 0, 0], [3, 4, 0, 0], [0, 0, 0, 4]]
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", rows), size=(1, 1)))
    assert cells_of_pytmx(tile_map) == rows


def test_pytmx_lacks_the_tiles_left_of_a_finite_map_and_above_it(tmp_path):
    """It has no negative cells; all others keep their places, as in `TileLayer.cells`."""
    chunk = '<chunk x="-2" y="-1" width="5" height="2">1,1,1,1,1,2,2,3,0,4</chunk>'
    layer = f'<layer name="g" width="2" height="1"><data encoding="csv">{chunk}</data></layer>'
    tile_map = load_map(write_map(tmp_path, TILESET, layer))
    assert cells_of_pytmx(tile_map) == [[3, 0, 4]]


def cells_of_pytmx(tile_map):
    """The gids of the first layer, as Tiled numbers them."""
    tmx = tile_map.tmx
    return [[gid and tmx.tiledgidmap[gid] for gid in row] for row in tmx.layers[0].data]


def test_pytmx_says_that_the_file_has_changed(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("ground", [[1, 2]])))
    write_map(tmp_path, TILESET)
    with pytest.raises(MapError, match="the file has changed since it was loaded"):
        _ = tile_map.tmx
    tile_map.path.unlink()
    with pytest.raises(MapError, match="no such file"):
        _ = tile_map.tmx


def test_pytmx_reads_a_tileset_that_is_named_twice(tmp_path):
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "t.tsx").write_text(TILESET.replace("tiles.png", "../tiles.png"))
    names = [f'<tileset firstgid="{first}" source="sets/t.tsx"/>' for first in (1, 5)]
    tmx = load_map(write_map(tmp_path, *names, csv_layer("ground", [[1, 8]]))).tmx
    assert [tileset.firstgid for tileset in tmx.tilesets] == [1, 5]
    assert {Path(tileset.source) for tileset in tmx.tilesets} == {Path("sets/../tiles.png")}


def test_the_type_of_a_json_file_is_not_the_class_of_the_map(tmp_path):
    assert load_map(write_json(tmp_path, {})).class_name == ""
    assert load_map(write_json(tmp_path, {"class": "castle"})).class_name == "castle"


def test_a_json_property_of_a_class_that_holds_an_array(tmp_path):
    value = {"name": "loot", "type": "class", "value": {"gems": [1, 2], "chest": {"depth": 3}}}
    listed = {"name": "odd", "type": "class", "value": [{"type": "int", "value": 7}]}
    path = write_json(tmp_path, {"properties": [value, listed]})
    assert load_map(path).properties["odd"] == [7]
    assert load_map(path).properties["loot"] == {"gems": [1, 2], "chest": {"depth": 3}}


def test_only_opaque_pixels_of_the_transparent_color_are_cleared(tmp_path):
    tileset = TILESET.replace("<image", '<image trans="ff0000"')
    path = write_map(tmp_path, tileset)
    image = Image.open(tmp_path / "tiles.png").convert("RGBA")
    image.putpixel((5, 5), (255, 0, 0, 128))
    image.putpixel((6, 5), (255, 0, 1, 255))
    image.save(tmp_path / "tiles.png")
    pixels = load_map(path).tilesets[0].picture.pixels
    assert [pixels.getpixel((x, 5))[3] for x in (4, 5, 6, 20)] == [0, 128, 255, 255]


def test_a_world_takes_the_size_of_a_map_from_the_map(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.tmx").write_text(map_text(size=(4, 3)))
    maps = [{"fileName": "a.tmx", "x": 0, "y": 0}, {"fileName": "b.tmx", "x": 64, "y": 0}]
    path = write_world(tmp_path, {"maps": maps})
    world = load_world(path, y_up=False)
    assert [list(entry.bounds) for entry in world.maps] == [[0, 0, 64, 48], [64, 0, 128, 48]]
    assert world.map_at(100, 20).path.name == "b.tmx"


@pytest.mark.parametrize("kind", ["tmx", "tmj", "long"])
def test_a_map_that_has_grown_since_its_world_was_saved_keeps_its_upper_left_corner(tmp_path, kind):
    name = "a.tmj" if kind == "tmj" else "a.tmx"
    comment = f"<!--{'x' * 20_000}-->" if kind == "long" else ""
    text = {"type": "map", "width": 4, "height": 3, "tilewidth": 16, "tileheight": 16, "layers": []}
    (tmp_path / name).write_text(
        json.dumps(text) if kind == "tmj" else map_text(size=(4, 3)).replace("?>", f"?>{comment}")
    )
    entry = {"fileName": name, "x": 8, "y": 100, "width": 32, "height": 16}
    path = write_world(tmp_path, {"maps": [entry]})
    for y_up, bounds in ((True, [8, -148, 72, -100]), (False, [8, 100, 72, 148])):
        [found] = load_world(path, y_up=y_up).maps
        assert list(found.bounds) == bounds


def test_an_infinite_map_has_the_size_that_its_world_says(tmp_path):
    (tmp_path / "a.tmx").write_text(map_text(size=(4, 3), attributes='infinite="1"'))
    for said, expected in ((800, [0, 0, 800, 800]), (0, [0, 0, 64, 48])):
        entry = {"fileName": "a.tmx", "x": 0, "y": 0, "width": said, "height": said}
        [found] = load_world(write_world(tmp_path, {"maps": [entry]}), y_up=False).maps
        assert list(found.bounds) == expected


@pytest.mark.parametrize(("kind", "moved"), [("tmx", 7), ("tmj", 0)])
def test_x_of_an_image_layer_is_an_offset_in_xml_only(tmp_path, kind, moved):
    image = '<imagelayer id="1" name="sky" x="7" offsety="5"><image source="a.png"/></imagelayer>'
    layer = {"type": "imagelayer", "name": "sky", "x": 7, "offsety": 5, "image": "a.png"}
    is_xml = kind == "tmx"
    path = write_map(tmp_path, image) if is_xml else write_json(tmp_path, {"layers": [layer]})
    assert load_map(path).layer("sky").offset == (moved, 5)


def test_properties_can_describe_an_animation(tmp_path):
    names = {"frame0": 2, "delay0": 15, "frame1": 3, "delay1": "7", "frame2": 1}
    properties = "".join(
        f'<property name="animation-{name}" value="{value}"/>' for name, value in names.items()
    )
    tile = f'<tile id="0"><properties>{properties}</properties></tile>'
    assert tileset_of_xml(tmp_path, tile).animation(0) == [(2, 150), (3, 70)]
    own = tile.replace("</tile>", '<animation><frame tileid="1" duration="9"/></animation></tile>')
    assert tileset_of_xml(tmp_path, own).animation(0) == [(1, 9)]


def test_in_json_properties_do_not_describe_an_animation(tmp_path):
    properties = [
        {"name": "animation-frame0", "type": "int", "value": 1},
        {"name": "animation-delay0", "type": "int", "value": 1},
    ]
    tileset = tileset_of_json(tmp_path, tiles=[{"id": 0, "properties": properties}])
    assert tileset.tile_properties(0) == {"animation-frame0": 1, "animation-delay0": 1}
    assert tileset.animation(0) == []


def test_the_image_file_counts_where_the_number_of_tiles_is_not_declared(tmp_path):
    tileset = TILESET.replace('tilecount="4" columns="2"', "").replace('height="32"', 'height="16"')
    [read] = load_map(write_map(tmp_path, tileset)).tilesets
    assert (read.columns, read.tile_count) == (2, 4)


def test_columns_are_worked_out(tmp_path):
    [read] = load_map(write_map(tmp_path, TILESET.replace('columns="2"', ""))).tilesets
    assert read.columns == 2


def test_a_tile_object_keeps_its_size_without_its_tileset(tmp_path):
    item = '<object id="1" gid="1" x="10" y="40" width="30" height="20"/>'
    lost = '<tileset firstgid="1" source="lost.tsx"/>'
    path = write_map(tmp_path, lost, f'<objectgroup name="o">{item}</objectgroup>')
    tile = load_map(path, y_up=False).object(1)
    assert list(tile.bounds) == [10, 20, 40, 40]


def test_what_comes_with_a_map_cannot_be_made_alone():
    for kind in (Layer, TileLayer, ObjectLayer, ImageLayer, Picture, Selection, TileSelection):
        with pytest.raises(TypeError, match=f"a {kind.__name__} comes "):
            kind()


def test_dir_of_the_package_is_its_api():
    assert dir(tiled) == sorted(tiled.__all__)
    assert all(hasattr(tiled, name) for name in tiled.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tiled.nothing  # noqa: B018
