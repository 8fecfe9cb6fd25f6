"""Rare features of the format, each in a small map."""

import base64
import json

import numpy as np
import pytest

from tests.tmx import (
    JSON_TILESET,
    TILESET,
    csv_layer,
    map_text,
    write_json,
    write_map,
    write_tiles,
    write_world,
)
from tilequad.tiled import MapError, load_map, load_world


@pytest.mark.parametrize(
    ("mode", "box"),
    [
        ('tilerendersize="tile"', [0, 0, 32, 8]),
        ('tilerendersize="grid"', [0, 0, 16, 16]),
        ('tilerendersize="grid" fillmode="preserve-aspect-fit"', [0, 6, 16, 10]),
    ],
)
def test_render_size_and_fill_mode_set_boxes(tmp_path, mode, box):
    tileset = (
        f'<tileset firstgid="1" name="t" tilewidth="32" tileheight="8" tilecount="4" columns="1" '
        f'{mode}><image source="tiles.png" width="32" height="32"/></tileset>'
    )
    tile_map = load_map(write_map(tmp_path, tileset, csv_layer("g", [[1]]), size=(1, 1)))
    assert tile_map.layer("g").boxes(tile_map.layer("g").ids()).tolist() == [box]


def test_a_tile_offset_is_scaled_with_its_tile(tmp_path):
    tileset = TILESET.replace('name="tiles"', 'name="tiles" tilerendersize="grid"')
    tileset = tileset.replace("<image", '<tileoffset x="8" y="4"/><image')
    tileset = tileset.replace('tilewidth="16" tileheight="16"', 'tilewidth="32" tileheight="32"')
    tile_map = load_map(
        write_map(tmp_path, tileset, csv_layer("g", [[1]]), size=(1, 1)), y_up=False
    )
    assert tile_map.layer("g").boxes(tile_map.layer("g").ids()).tolist() == [[4, 2, 20, 18]]


@pytest.mark.parametrize(
    ("alignment", "box"),
    [
        ("", [100, 92, 110, 100]),
        ("unspecified", [100, 92, 110, 100]),
        ("topleft", [100, 100, 110, 108]),
        ("top", [95, 100, 105, 108]),
        ("topright", [90, 100, 100, 108]),
        ("left", [100, 96, 110, 104]),
        ("center", [95, 96, 105, 104]),
        ("right", [90, 96, 100, 104]),
        ("bottomleft", [100, 92, 110, 100]),
        ("bottom", [95, 92, 105, 100]),
        ("bottomright", [90, 92, 100, 100]),
    ],
)
def test_object_alignment_moves_tile_objects(tmp_path, alignment, box):
    tileset = TILESET.replace('name="tiles"', f'name="tiles" objectalignment="{alignment}"')
    item = '<object id="1" gid="1" x="100" y="100" width="10" height="8"/>'
    path = write_map(tmp_path, tileset, f'<objectgroup name="o">{item}</objectgroup>')
    [found] = load_map(path, y_up=False).layer("o").objects
    assert list(found.bounds) == box
    assert (found.x, found.y) == (100, 100)


def test_tile_objects_of_isometric_maps_are_aligned_to_their_bottom_center(tmp_path):
    item = (
        '<object id="1" gid="1" x="16" y="0"/><object id="2" x="16" y="0" width="16" height="8"/>'
    )
    path = write_map(
        tmp_path,
        TILESET,
        f'<objectgroup name="o" draworder="index">{item}</objectgroup>',
        attributes='orientation="isometric"',
    )
    tile, box = load_map(path, y_up=False).layer("o").objects
    # the top corner lies at 3 * 16 / 2; one cell along x is half a cell right and half one down
    assert (tile.x, tile.y) == (24 + 8, 8)
    assert list(tile.bounds) == [24, -8, 40, 8]
    assert box.points.tolist() == [[32, 8], [40, 16], [36, 20], [28, 12]]


def test_a_collection_may_use_parts_of_images(tmp_path):
    tileset = (
        '<tileset firstgid="1" name="c" tilewidth="16" tileheight="16" tilecount="2" columns="0">'
        '<tile id="3" x="16" y="2" width="5" height="6"><image source="tiles.png" width="32" '
        'height="32"/></tile><tile id="7"><image source="tiles.png"/></tile></tileset>'
    )
    tile_map = load_map(write_map(tmp_path, tileset, csv_layer("g", [[4, 8]])))
    collection = tile_map.tilesets[0]
    part, whole = collection.image_source(3), collection.image_source(7)
    assert part is not None
    assert whole is not None
    assert part[1:] == (16, 2, 5, 6)
    assert whole[1:] == (0, 0, 32, 32)  # the image file gives a missing size
    assert collection.image_source(0) is None
    boxes = tile_map.layer("g").boxes(tile_map.layer("g").ids())
    assert (boxes[:, 2:] - boxes[:, :2]).tolist() == [[5, 6], [32, 32]]


def test_tiles_are_cut_by_margin_spacing_and_real_image_size(tmp_path):
    """The map gives a wrong image size; Tiled counts columns by the image file."""
    tileset = (
        '<tileset firstgid="1" name="m" tilewidth="8" tileheight="8" spacing="2" margin="3">'
        '<image source="tiles.png" width="999" height="20"/></tileset>'
    )
    tile_map = load_map(write_map(tmp_path, tileset))
    sources = [tile_map.tilesets[0].image_source(number) for number in range(10)]
    assert [source and source[1:3] for source in sources] == [
        *[(3, 3), (13, 3), (23, 3)],
        *[(3, 13), (13, 13), (23, 13)],
        *[(3, 23), (13, 23), (23, 23)],
        None,
    ]


def test_embedded_images_are_read(tmp_path):
    from tilequad.draw.pillow import render

    write_tiles(tmp_path / "tiles.png")
    data = base64.b64encode((tmp_path / "tiles.png").read_bytes()).decode()
    image = f'<image format="png"><data encoding="base64">{data}</data></image>'
    tileset = TILESET.replace('<image source="tiles.png" width="32" height="32"/>', image)
    path = tmp_path / "map.tmx"
    layers = csv_layer("g", [[2]]) + f'<imagelayer name="i" offsetx="16">{image}</imagelayer>'
    path.write_text(map_text(tileset, layers, size=(1, 1)))
    (tmp_path / "tiles.png").unlink()
    tile_map = load_map(path)
    picture = render(tile_map)
    assert (tile_map.warnings, picture.size) == ([], (48, 32))
    assert picture.getpixel((8, 8)) == (0, 255, 0, 255)
    assert picture.getpixel((40, 24)) == (255, 255, 255, 255)
    assert tile_map.layer("i").image_path is None
    assert tile_map.tmx.width == 1


def test_objects_inherit_from_templates(tmp_path):
    folder = tmp_path / "templates"
    folder.mkdir()
    (tmp_path / "known.tsx").write_text(TILESET)
    (tmp_path / "new.tsx").write_text(
        '<tileset name="new" tilewidth="4" tileheight="4" tilecount="9" columns="3">'
        '<image source="tiles.png" width="12" height="12"/></tileset>'
    )
    (folder / "known.tx").write_text(
        '<template><tileset firstgid="1" source="../known.tsx"/>'
        '<object name="chest" type="box" gid="2147483651" width="8" height="9" rotation="90">'
        '<properties><property name="gold" type="int" value="5"/><property name="open" '
        'type="bool" value="false"/></properties></object></template>'
    )
    (folder / "new.tj").write_text(
        json.dumps(
            {
                "type": "template",
                "tileset": {"firstgid": 1, "source": "../new.tsx"},
                "object": {"gid": 9, "width": 4, "height": 4, "name": "coin"},
            }
        )
    )
    (folder / "area.tx").write_text(
        '<template><object type="area"><polygon points="0,0 8,0 0,8"/></object></template>'
    )
    objects = (
        '<object id="1" template="templates/known.tx" x="1" y="2"><properties><property '
        'name="gold" type="int" value="7"/></properties></object>'
        '<object id="2" template="templates/known.tx" x="1" y="2" name="mine" width="20" '
        'height="3"/>'
        '<object id="6" template="templates/known.tx" x="1" y="2" name="" type="" width="20"/>'
        '<object id="3" template="templates/new.tj" x="0" y="0"/>'
        '<object id="4" template="templates/area.tx" x="9" y="9"/>'
        '<object id="5" template="templates/lost.tx" x="9" y="9"/>'
    )
    path = write_map(
        tmp_path,
        '<tileset firstgid="11" source="known.tsx"/>',
        f'<objectgroup name="o" draworder="index">{objects}</objectgroup>',
    )
    tile_map = load_map(path)
    chest, mine, usual, coin, area, lost = tile_map.layer("o").objects
    assert (chest.name, chest.class_name, chest.gid, chest.flags) == ("chest", "box", 13, 8)
    assert (chest.width, chest.height, chest.rotation) == (8, 9, 90)
    assert chest.properties == {"gold": 7, "open": False}
    assert (mine.name, mine.width, mine.properties["gold"]) == ("mine", 20, 5)
    assert (usual.name, usual.class_name, usual.width) == ("chest", "box", 8)  # as in Tiled
    assert (coin.name, coin.gid) == ("coin", 15 + 8)  # after the four tiles of the embedded tileset
    assert tile_map.tileset_of(coin.gid).name == "new"
    assert (area.shape, area.class_name, len(area.points)) == ("polygon", "area", 3)
    assert (lost.shape, lost.class_name) == ("rectangle", "")
    assert tile_map.warnings == [f"{folder / 'lost.tx'}: no such file"]
    assert len(list(tile_map.tmx.objects)) == 6
    assert next(iter(tile_map.tmx.objects)).properties == {"gold": 7, "open": False}


def test_every_object_shape_is_read(tmp_path):
    box = 'x="10" y="20" width="40" height="10"'
    objects = (
        f'<object id="1" {box}/><object id="2" {box}><ellipse/></object>'
        f'<object id="3" {box}><capsule/></object><object id="4" {box}><text>a</text></object>'
        '<object id="5" x="10" y="20"><point/></object>'
    )
    path = write_map(tmp_path, f'<objectgroup name="o" draworder="index">{objects}</objectgroup>')
    found = load_map(path, y_up=False).layer("o").objects
    assert [item.shape for item in found] == ["rectangle", "ellipse", "capsule", "text", "point"]
    assert [list(item.bounds) for item in found[:4]] == [[10, 20, 50, 30]] * 4
    capsule = found[2].points
    assert capsule.shape == (32, 2)
    middles = np.where(capsule[:, :1] < 30, (15, 25), (45, 25))
    straight = np.isclose(capsule[:, 0], 30)  # the middle of the long edges
    away = np.hypot(*(capsule - middles).T)
    assert np.allclose(away[~straight], 5)
    assert found[4].points.tolist() == [[10, 20]]


RICH_MAP = {
    "orientation": "orthogonal",
    "width": 2,
    "infinite": False,
    "backgroundcolor": "#102030",
    "properties": [
        {"name": "n", "type": "int", "value": 3},
        {"name": "on", "type": "bool", "value": True},
        {"name": "s", "type": "string", "value": "x"},
        {
            "name": "stats",
            "type": "class",
            "propertytype": "S",
            "value": {"hp": 4, "x": {"y": 0.5}},
        },
        {"name": "l", "type": "list", "value": [{"type": "int", "value": 1}]},
    ],
    "tilesets": [
        {
            **JSON_TILESET,
            "transparentcolor": "#ff00ff",
            "tileoffset": {"x": 1, "y": 2},
            "tiles": [
                {"id": 1, "type": "wall", "properties": [{"name": "a", "value": "b"}]},
                {"id": 2, "animation": [{"tileid": 3, "duration": 50}]},
            ],
        }
    ],
    "layers": [
        {"type": "tilelayer", "name": "g", "width": 2, "height": 1, "data": [1, 2147483650]},
        {
            "type": "group",
            "name": "q",
            "opacity": 0.5,
            "layers": [
                {
                    "type": "objectgroup",
                    "name": "o",
                    "draworder": "index",
                    "objects": [
                        {"id": 1, "x": 1, "y": 2, "point": True, "name": "p", "visible": False},
                        {"id": 2, "x": 0, "y": 0, "polygon": [{"x": 0, "y": 0}, {"x": 4, "y": 5}]},
                        {"id": 3, "x": 0, "y": 0, "text": {"text": "hi", "wrap": True}},
                    ],
                },
                {"type": "imagelayer", "name": "i", "image": "tiles.png", "repeatx": True},
            ],
        },
    ],
}


def test_json_and_xml_give_the_same_map(tmp_path):
    tile_map = load_map(write_json(tmp_path, RICH_MAP))
    assert tile_map.properties == {
        "n": 3,
        "on": True,
        "s": "x",
        "stats": {"hp": 4, "x": {"y": 0.5}},
        "l": [1],
    }
    assert tile_map.background_color == (16, 32, 48, 255)
    ground, objects, image = tile_map.layers
    assert (ground.gids(ground.ids()).tolist(), ground.flags(ground.ids()).tolist()) == (
        [1, 2],
        [0, 8],
    )
    assert ground.boxes([0]).tolist() == [[1, -2, 17, 14]]
    tileset = tile_map.tilesets[0]
    assert (tileset.tile_class(1), tileset.tile_properties(1)) == ("wall", {"a": "b"})
    assert tileset.animation(2) == [(3, 50)]
    source = tileset.image_source(0)
    assert source is not None
    assert source.transparent == (255, 0, 255)
    assert objects.opacity == 0.5
    point, polygon, text = objects.objects
    assert (point.shape, point.visible, point.name) == ("point", False, "p")
    assert polygon.points.tolist() == [[0, 16], [4, 11]]
    assert text.text.words == "hi"
    assert image.repeat == (True, False)
    assert tile_map.tmx.get_layer_by_name("g").data[0][0] == 1


def test_json_of_old_versions_is_read(tmp_path):
    """Properties and tiles were objects, not lists."""
    old = json.loads(json.dumps(RICH_MAP))
    old["properties"] = {"n": "3", "on": "true"}
    old["propertytypes"] = {"n": "int", "on": "bool"}
    tileset = old["tilesets"][0]
    tileset["tiles"] = {"1": {"terrain": [0, 0, 0, 0], "type": "wall"}}
    tileset["tileproperties"] = {"1": {"hard": "yes", "hp": 3}, "2": {"wood": True}}
    tileset["tilepropertytypes"] = {"1": {"hard": "string", "hp": "int"}, "2": {"wood": "bool"}}
    tile_map = load_map(write_json(tmp_path, old, "map.json"))
    assert tile_map.properties == {"n": 3, "on": True}
    assert tile_map.tilesets[0].tile_class(1) == "wall"
    assert tile_map.tilesets[0].tile_properties(1) == {"hard": "yes", "hp": 3}
    assert tile_map.tilesets[0].tile_properties(2) == {"wood": True}


def test_json_of_other_programs_is_read(tmp_path):
    """Null means missing, integers may be floats, and flip bits may make gids negative."""
    other = json.loads(json.dumps(RICH_MAP))
    other["properties"] = other["backgroundcolor"] = None
    other["layers"] = [
        {"type": "tilelayer", "name": "g", "width": 3, "height": 1, "data": [1.0, -2147483646, 0]},
        {"type": "tilelayer", "name": "none", "width": 3, "height": 1, "data": None},
        {"type": "tilelayer", "name": "nor here", "width": 3, "height": 1},
    ]
    ground, *empty = load_map(write_json(tmp_path, other, "map.json")).layers
    assert (ground.gids(ground.ids()).tolist(), ground.flags(ground.ids()).tolist()) == (
        [1, 2],
        [0, 8],
    )
    assert [len(layer) for layer in empty] == [0, 0]


def test_content_that_tiled_ignores_is_ignored(tmp_path):
    """Elements of other programs, layers inside them, and text after the end of the map."""
    stray = f"<editor>{csv_layer('stray', [[1]])}<objectgroup/></editor>"
    path = write_map(tmp_path, TILESET, csv_layer("ground", [[1, 2]]), stray)
    path.write_bytes(path.read_bytes() + b"\n<!-- -->ght></layer></map>\n\0")
    tile_map = load_map(path)
    assert [layer.name for layer in tile_map.layers] == ["ground"]
    assert [layer.name for layer in tile_map.tmx.layers] == ["ground"]


def test_degenerate_shapes_reach_pytmx(tmp_path):
    dot = '<object id="1" x="" y="0"><polygon/></object>'
    line = '<object id="2" x="2" y="3"><polyline points=""/></object>'
    tile_map = load_map(write_map(tmp_path, f'<objectgroup name="o">{dot}{line}</objectgroup>'))
    assert [item.points.tolist() for item in tile_map.objects()] == [[[0, 48]], [[2, 45]]]
    assert [item.id for item in tile_map.tmx.objects] == [1, 2]


@pytest.mark.parametrize("infinite", [0, 1])
@pytest.mark.parametrize("size", ['width="0" height="0"', 'width="0" height="3"', 'width="1,5"'])
def test_layers_without_cells_reach_pytmx(tmp_path, size, infinite):
    layer = f'<layer name="none" {size} offsetx="1,5"/>'
    tile_map = load_map(write_map(tmp_path, layer, attributes=f'infinite="{infinite}"'))
    assert len(tile_map.layers[0]) == 0
    assert [layer.name for layer in tile_map.tmx.layers] == ["none"]


def test_an_unreadable_offset_of_an_infinite_map_counts_as_0(tmp_path):
    data = '<data encoding="csv"><chunk x="-2" y="0" width="2" height="1">1,2</chunk></data>'
    layer = f'<layer name="g" width="2" height="1" offsetx="1,5">{data}</layer>'
    tile_map = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"'))
    assert tile_map.tmx.layers[0].offsetx == -32


def test_short_colors_and_empty_booleans_are_read(tmp_path):
    layer = csv_layer("ground", [[1, 2]], 'tintcolor="#f08" visible=""')
    path = write_map(tmp_path, TILESET.replace("/></tile", ' trans="f00"/></tile'), layer)
    tile_map = load_map(path)
    ground = tile_map.layer("ground")
    assert (ground.tint, ground.visible) == ((255, 0, 136, 255), True)
    source = tile_map.tilesets[0].image_source(0)
    assert source is not None
    assert source.transparent == (255, 0, 0)


def test_a_tileset_whose_image_grew_has_all_its_tiles(tmp_path):
    small = TILESET.replace('tilecount="4"', 'tilecount="2"')
    tile_map = load_map(write_map(tmp_path, small, csv_layer("ground", [[1, 4]])))
    assert tile_map.layer("ground").gids(tile_map.layer("ground").ids()).tolist() == [1, 4]
    assert tile_map.warnings == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"layers": [{"type": "mystery"}]}, "not in a format of Tiled"),
        ({"layers": 5}, "not in a format of Tiled"),
        ({"tilesets": [3]}, "not in a format of Tiled"),
        ({"width": "wide"}, "width='wide'"),
        (
            {"layers": [{"type": "tilelayer", "width": 1, "height": 1, "data": 7}]},
            "format of Tiled",
        ),
    ],
)
def test_invalid_json_is_refused(tmp_path, change, reason):
    path = write_json(tmp_path, {**RICH_MAP, **change})
    with pytest.raises(MapError, match=reason):
        load_map(path)


def test_a_world_lists_maps(tmp_path):
    write_map(tmp_path, TILESET, csv_layer("g", [[1]]))
    maps = [
        {"fileName": "map.tmx", "x": 0, "y": 0, "width": 64, "height": 48},
        {"fileName": "lost.tmx", "x": 64, "y": -100, "width": 10, "height": 20},
    ]
    path = write_world(tmp_path, {"type": "world", "maps": maps, "onlyShowAdjacentMaps": True})
    world = load_world(path)
    here, lost = world.maps
    assert list(here.bounds) == [0, -48, 64, 0]
    assert list(lost.bounds) == [64, 80, 74, 100]
    assert world.adjacent_only
    assert world.map_at(10, -10) is here
    assert world.map_at(500, 0) is None
    assert here.load().layer("g").gids(here.load().layer("g").ids()).tolist() == [1]
    with pytest.raises(MapError, match="no such file"):
        lost.load()
    with pytest.raises(MapError, match="no such file"):
        load_world(path, strict=True)
    assert list(load_world(path, y_up=False).maps[1].bounds) == [64, -100, 74, -80]


def test_a_world_finds_maps_by_pattern(tmp_path):
    for name in ("m_0_1.tmx", "m_2_0.tmx", "other.tmx"):
        (tmp_path / name).write_text(map_text())
    pattern = {"regexp": r"m_(\d+)_(\d+)\.tmx", "multiplierX": 64, "multiplierY": 48, "offsetX": 5}
    world = load_world(write_world(tmp_path, {"patterns": [pattern]}), y_up=False)
    assert [(entry.path.name, list(entry.bounds)) for entry in world.maps] == [
        ("m_0_1.tmx", [5, 48, 69, 96]),
        ("m_2_0.tmx", [133, 0, 197, 48]),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[", "ends too early"),
        ("[]", "is not a world"),
        ('{"type": "map"}', "is not a world"),
        ('{"maps": [{}]}', "not a world of Tiled"),
        ('{"maps": [{"fileName": "a", "x": 1e300}]}', "not a world of Tiled"),
        ('{"maps": [{"fileName": "/etc/a.tmx"}]}', "not relative"),
        ('{"patterns": [{"regexp": "(("}]}', "is invalid"),
        ('{"patterns": [{"regexp": "(?P<"}]}', "is invalid"),
        ('{"patterns": [{"regexp": "a{99999999999}"}]}', "is invalid"),
    ],
)
def test_an_invalid_world_file_is_refused(tmp_path, text, reason):
    path = tmp_path / "land.world"
    path.write_text(text)
    with pytest.raises(MapError, match=reason):
        load_world(path)
