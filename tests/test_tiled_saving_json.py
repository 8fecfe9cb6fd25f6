"""`TileMap.save` of .tmj maps: what changed is written, the rest of the text stays as it was."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.map_facts import assert_equal
from tests.test_tiled_saving import cells_of, edited
from tests.tmx import TILESET, write_map, write_tiles
from tests.tmx_cells import layer_of
from tilequad.tiled import MapError, ObjectLayer, ObjectRef, TileMap, load_map

# As no program writes it: two styles of indentation, tabs, numbers and cells spelled oddly, keys
# that nobody knows, null, a name twice, escaped letters.
TEXT = r"""{ "width":4, "height": 3.0,"tilewidth":16,
	"tileheight" :16, "infinite":false, "future":[1.50, {"a":1e2}], "orientation":"orthogonal",
 "tilesets":[{"firstgid":1,"name":"t\u0069les","tilewidth":16,"tileheight":16,"image":"tiles.png"}],
 "layers":[
    { "name":"ground", "type":"tilelayer", "width":4, "height":3, "opacity":1.0, "x":0, "y":0,
      "data":[ 1, 2.0,3 ,4,
               0,0,-2147483647,0, 4,0,0,4 ] , "secret": null },
    {"name":"things","type":"objectgroup","id":7,"draworder":"index", "objects":[
       {"id":3,"name":"chest","x":3.50,"y":40,"width":8,"height":8,"rotation":0,"visible":true,
        "type":"box", "glow":{"x":[ ]},
        "properties":[ {"name":"gold", "type":"int", "value":5, "seen":[]},
                       { "name":"keys", "type":"object", "value":4},
                       {"name":"at", "type":"class", "propertytype":"P", "value":{"a":1, "b" : 2}}]
       } , {"id":4,"x":10,"y":9,"polygon":[{"x":0,"y":0},{"x":3.250,"y":4}, {"x":5,"y":0}]},
       {"id":5,"x":1,"y":2,"width":30,"height":10,"text":{"text":"a & \u00e9","bold":false,"z":1}}
    ], "name":"things"}
 ], "type" : "map"}
"""
OBJECTS = '<objectgroup name="o"><object id="1" x="1" y="2"/></objectgroup>'


@pytest.fixture
def town(tmp_path):
    """A map in JSON, with tiles and objects."""
    write_tiles(tmp_path / "tiles.png")
    (tmp_path / "map.tmj").write_bytes(TEXT.replace("\n", "\r\n").encode())
    return load_map(tmp_path / "map.tmj")


def saved(tile_map: TileMap) -> str:
    """Save a map beside its file, and return the text with the line ends of TEXT."""
    path = tile_map.path.with_name("saved.tmj")
    tile_map.save(path)
    return path.read_bytes().decode().replace("\r\n", "\n")


def again(tile_map: TileMap) -> TileMap:
    return load_map(tile_map.path.with_name("saved.tmj"))


def test_a_tile_changes_its_number(town):
    assert saved(town) == TEXT
    ground = town.layer("ground")
    ground.set_tile(1, 0, 4)
    ground.set_tile(2, 1, 1)
    expected = TEXT.replace("2.0,", "4,").replace("-2147483647", "1")
    assert saved(town) == expected
    assert cells_of(again(town)) == cells_of(town)
    ground.set_tile(2, 1, 1, 8)
    assert saved(town) == TEXT.replace("2.0,", "4,")


def test_members_are_changed_added_and_removed(town):
    chest, label = town.object(3), town.object(5)
    chest.x, chest.name = 4.25, "box"
    chest.properties["keys"] = ObjectRef(5)
    chest.properties["at"]["b"] = True
    del chest.properties["gold"]
    label.text = label.text._replace(words="ü", bold=True)
    text = saved(town)
    gold = '{"name":"gold", "type":"int", "value":5, "seen":[]},\n                       '
    assert text == (
        TEXT.replace('"chest","x":3.50', '"box","x":4.25')
        .replace(gold, "")
        .replace('"value":4', '"value":5')
        .replace('"b" : 2', '"b" : true')
        .replace(r'"a & \u00e9","bold":false', '"ü","bold":true')
    )
    town.layer("ground").visible = False
    town.object(4).properties["new"] = 1
    things = town.layer("things", ObjectLayer)
    things.objects.remove(chest)
    made = ""","properties":[
        {
         "name": "new",
         "type": "int",
         "value": 1
        }
       ]}"""
    start, end = text.index('{"id":3'), text.index('{"id":4')
    text = (text[:start] + text[end:]).replace(
        '0}]},\n       {"id":5', f'0}}]{made},\n       {{"id":5'
    )
    assert saved(town) == text.replace('"secret": null', '"secret": null , "visible":false')
    things.objects.clear()
    assert '"objects":[], "name":"things"}' in saved(town)


@pytest.mark.parametrize("inside", ['<data encoding="csv">\n</data>', "<data/>", ""])
def test_a_layer_of_an_infinite_map_without_chunks_lists_none(tmp_path, inside):
    layer = f'<layer name="ground" width="16" height="16">{inside}</layer>'
    first = write_map(tmp_path, TILESET, layer, size=(20, 20), attributes='infinite="1"')
    path = tmp_path / "map.tmj"
    load_map(first).save(path)
    text = path.read_text()
    assert json.loads(text)["layers"][0]["chunks"] == []
    tile_map = load_map(path)
    path.write_text("another program wrote this")

    assert saved(tile_map) == text


LARGE = [123456789012, -(2**63) + 1, 1e10, 1.7e12, -1e39, 1.5e300, 2.0**53 + 2, [2**40, [1e20]]]


@pytest.mark.parametrize("number", LARGE)
def test_numbers_of_more_than_32_bits_stay(tmp_path, number):
    first = load_map(write_map(tmp_path, TILESET, OBJECTS))
    first.tilesets[0].edit_tile(2, properties={"seed": number})
    for part in (first, first.object(1)):
        part.properties["seed"] = number
    first.save(tmp_path / "map.tmj")
    first.tilesets[0].save(tmp_path / "tiles.tsj")
    assert first.add_tileset(tmp_path / "tiles.tsj").tile_properties(2) == {"seed": number}
    tile_map = load_map(tmp_path / "map.tmj")
    for part in (tile_map, tile_map.object(1)):
        assert part.properties == {"seed": number}
    assert tile_map.tilesets[0].tile_properties(2) == {"seed": number}
    tile_map.properties["seed"] = other = 2**62 + 1 if isinstance(number, int) else 2.5e12
    assert saved(tile_map).count(str(other).replace(".0", "")) == 1
    assert again(tile_map).properties == {"seed": other}


def test_text_inside_of_a_property_is_its_value(tmp_path):
    text = '<properties><property name="n" type="int">7</property></properties>'
    tile_map = load_map(write_map(tmp_path, text))
    tile_map.save(tmp_path / "map.tmj")
    assert load_map(tmp_path / "map.tmj").properties == tile_map.properties == {"n": 7}


@pytest.mark.parametrize("text", ["inf", "-inf", "nan"])
def test_numbers_without_a_value_are_saved_as_xml_only(tmp_path, text):
    first = write_map(tmp_path, TILESET, OBJECTS)
    tile_map = load_map(first)
    tile_map.properties["a"] = float(text)
    tile_map.save(first)
    assert f'type="float" value="{text}"' in first.read_text()
    tile_map = load_map(first)
    assert str(tile_map.properties["a"]) == text
    before = first.read_bytes()
    tile_map.save(first)
    assert first.read_bytes() == before
    reason = f"the property 'a' is {text}, which JSON cannot hold"
    with pytest.raises(MapError, match=reason):
        tile_map.save(tmp_path / "map.tmj")
    tile_map.properties["a"] = [float(text)]
    with pytest.raises(MapError, match=reason):
        tile_map.save(tmp_path / "map.tmj")


STYLES = st.sampled_from([None, 0, 1, 4, "\t"])


@settings(max_examples=40)
@given(edited(), STYLES, st.sampled_from([(",", ":"), (", ", ": ")]), st.booleans())
def test_any_edits_are_read_again(tmp_path_factory, example, indent, separators, gone):
    first = example.write(tmp_path_factory)
    path = first.with_suffix(".tmj")
    load_map(first).save(path)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content, indent=indent, separators=separators))
    tile_map = load_map(path)
    text = path.read_text()
    assert saved(tile_map) == text
    expected = example.apply(tile_map)
    if gone:
        path.write_text("another program wrote this")
    saved(tile_map)
    assert cells_of(again(tile_map)) == expected == cells_of(tile_map)
    if expected == cells_of(load_map(first)):
        assert saved(tile_map) == text
    tile_map.save(path)
    assert cells_of(load_map(path)) == expected


def test_long_lists_of_cells_are_written_anew_if_the_file_is_gone(tmp_path):
    layer = layer_of([[1, 2] * 50] * 100, "csv")
    path = tmp_path / "map.tmj"
    load_map(write_map(tmp_path, TILESET, layer, size=(100, 100))).save(path)
    tile_map = load_map(path)
    tile_map.layer("ground").set_tile(5, 5, 4)
    before = saved(tile_map)
    tile_map.path.unlink()
    assert saved(tile_map) == before
    assert json.loads(before)["layers"][0]["data"][505] == 4


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
    ],
)
def test_encodings_stay(tmp_path, encoding, mark):
    write_tiles(tmp_path / "tiles.png")
    path = tmp_path / "map.tmj"
    path.write_bytes(mark + TEXT.encode(encoding))
    tile_map = load_map(path)
    tile_map.object(3).name = "é"
    tile_map.save(path)
    assert path.read_bytes() == mark + TEXT.replace('"chest"', '"é"').encode(encoding)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_every_encoding_becomes_xml(town, tmp_path, encoding):
    town.path.write_bytes(TEXT.encode(encoding))
    load_map(town.path).save(tmp_path / "new.tmx")
    assert_equal(load_map(tmp_path / "new.tmx"), town)


def test_whole_numbers_with_a_point_become_whole_in_xml(town, tmp_path):
    tiles = '"tiles":[{"id":2.0,"type":"wall"}],"image"'
    text = TEXT.replace('"id":7', '"id":7.0').replace('"image"', tiles, 1)
    town.path.write_text(re.sub(r'"(width|height)":\s*([34]),', r'"\1":\2.0,', text))
    tile_map = load_map(town.path)
    tile_map.tilesets[0].edit_tile(1, class_name="water")
    for name in ("new.tmx", "new.tmj"):
        tile_map.save(tmp_path / name)
        assert_equal(load_map(tmp_path / name), tile_map)
    made = (tmp_path / "new.tmx").read_text()
    assert '<layer name="ground" width="4" height="3"' in made
    assert '<tile id="2"' in made
    assert 'id="7"' in made


def test_numbers_that_nobody_can_read_are_left_out(tmp_path):
    groups = '<group name="g" opacity="0,5" visible="" parallaxx="x"><objectgroup id="no">'
    item = '<object id="1" x="4" y="5" rotation="1;2"><text pixelsize="big">a</text></object>'
    tiles = TILESET.replace("</tileset>", '<tile id=" 1" terrain="a,,0,0"/></tileset>')
    tile_map = load_map(write_map(tmp_path, tiles, f"{groups}{item}</objectgroup></group>"))
    tile_map.add_object_layer("new")
    for name in ("new.tmj", "new.tmx"):
        tile_map.save(tmp_path / name)
        saved_map = load_map(tmp_path / name)
        assert_equal(saved_map, tile_map)
        assert [layer.id for layer in saved_map.layers] == [layer.id for layer in tile_map.layers]


def test_an_empty_text_is_no_cell(town):
    town.path.write_text(TEXT.replace("2.0,", '"",').replace("-", ""))
    with pytest.raises(MapError, match="not in a format of Tiled"):
        load_map(town.path)


def test_paths_lead_where_they_led(town, tmp_path):
    (tmp_path / "deep").mkdir()
    town.save(tmp_path / "deep" / "new.tmj")
    text = (tmp_path / "deep" / "new.tmj").read_bytes().decode().replace("\r\n", "\n")
    assert text == TEXT.replace('"tiles.png"', '"../tiles.png"')
    [tileset] = load_map(tmp_path / "deep" / "new.tmj").tilesets
    assert tileset.picture.path == Path(tmp_path / "tiles.png")


def test_xml_is_made_of_a_changed_map(town, tmp_path):
    town.layer("ground").set_tile(0, 0, 4)
    town.save(tmp_path / "new.tmx")
    assert cells_of(load_map(tmp_path / "new.tmx")) == cells_of(town)


def test_an_image_is_in_xml_once(tmp_path):
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(4, 4, (16, 16))
    made.add_tileset(tmp_path / "tiles.png", transparent=(1, 2, 3))
    made.add_tileset([tmp_path / "tiles.png"])
    made.add_image_layer("sky", tmp_path / "tiles.png")
    made.save(tmp_path / "map.tmj")
    tile_map = load_map(tmp_path / "map.tmj")
    (tmp_path / "deep").mkdir()
    tile_map.save(tmp_path / "deep" / "map.tmx")
    text = (tmp_path / "deep" / "map.tmx").read_text()
    assert text.count("tiles.png") == text.count('<image source="../tiles.png"') == 3
    assert "imagewidth" not in text
    assert "transparentcolor" not in text
    assert_equal(load_map(tmp_path / "deep" / "map.tmx"), tile_map)


@pytest.mark.parametrize("infinite", [False, True])
def test_a_layer_to_be_saved_as_xml_becomes_a_list(tmp_path, infinite):
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(4, 4, (16, 16), infinite=infinite)
    made.add_tileset(tmp_path / "tiles.png")
    made.save(tmp_path / "map.tmj")
    tile_map = load_map(tmp_path / "map.tmj")
    tile_map.add_tile_layer("new", [[1, 2, 3], [4, 0, 2]], encoding="xml")
    tile_map.save(tmp_path / "map.tmj")
    tile_map.layer("new").set_tile(3, 3, 4)
    tile_map.add_tile_layer("next", [[3]])
    for name in ("map.tmj", "map.tmx", "map.tmj"):
        tile_map.save(tmp_path / name)
        again = load_map(tmp_path / name)
        assert [len(again.layer("new")), len(again.layer("next"))] == [6, 1]
        assert again.layer("new").gid_of(2, 1) == 2
