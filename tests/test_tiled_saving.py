"""`TileMap.save`: what changed is written, the rest stays byte for byte, and no file is broken."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.interrupts import assert_done_or_not
from tests.map_facts import assert_equal
from tests.tmx import TILESET, map_text, write_map
from tests.tmx_cells import ENCODINGS, chunks_of, layer_of
from tilequad.tiled import (
    CollisionShape,
    Layer,
    Limits,
    MapError,
    ObjectLayer,
    ObjectRef,
    Properties,
    TileLayer,
    TileMap,
    load_map,
)
from tilequad.tiled.model.tilesets import Tile

CELLS = [[1, 2, 3, 4], [0, 0, 1, 0], [4, 0, 0, 4]]
FLIPPED = 1 << 31
OBJECTS = """
 <objectgroup id="7" name="things" locked="1" future="&lt;1>">
  <!-- a comment -->
  <object id="3" name="chest" type="box" x="3.50" y="40" width="8" height="8">
   <properties>
    <property name="gold" type="int" value="5"/>
    <property name="keys" type="object" value="4"/>
   </properties>
  </object>
  <object id="4" x="10" y="9" rotation="30"><polygon points="0,0 3.25,4 5,0"/></object>
  <object id="5" x="1" y="2" width="30" height="10"><text color="#ff0000">a &amp; b</text></object>
  <object id="6" gid="2" x="16" y="32"/>
 </objectgroup>
"""


def cells_of(tile_map: TileMap, name: str = "ground") -> dict[tuple[int, int], int]:
    layer = tile_map.layer(name, TileLayer)
    ids = layer.ids()
    raw = layer.gids(ids).astype(np.int64) | layer.flags(ids).astype(np.int64) << 28
    cells = map(tuple, layer.cells(ids).tolist())
    return dict(zip(cells, raw.tolist(), strict=True))


def saved(tile_map: TileMap, name: str = "saved.tmx") -> tuple[str, TileMap]:
    """Save a map beside its file; return the text, and the map as it is read again."""
    path = tile_map.path.with_name(name)
    tile_map.save(path)
    return path.read_bytes().decode(), load_map(path)


def changes(before: str, after: str) -> list[tuple[str, str]]:
    """The lines that differ, of texts with as many lines."""
    pairs = zip(before.split("\n"), after.split("\n"), strict=True)
    return [(one.strip(), other.strip()) for one, other in pairs if one != other]


@pytest.fixture
def town(tmp_path):
    """A map with tiles and objects."""
    return load_map(write_map(tmp_path, TILESET, layer_of(CELLS, "csv"), OBJECTS))


# -- tiles --


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_tile_is_changed_in_every_encoding(tmp_path, encoding):
    other = layer_of(CELLS, encoding, "other")
    tile_map = load_map(write_map(tmp_path, TILESET, layer_of(CELLS, encoding), other))
    before = tile_map.path.read_text()
    tile_map.layer("ground").set_tile(1, 1, 3, 8)
    text, again = saved(tile_map)
    assert len(changes(before, text)) == 1
    assert cells_of(again) == {**cells_of(load_map(tile_map.path)), (1, 1): 3 | FLIPPED}
    assert cells_of(again, "other") == cells_of(load_map(tile_map.path), "other")
    tile_map.layer("ground").clear_tile(1, 1)
    assert saved(tile_map)[0] == before


def test_in_csv_only_the_number_changes(town):
    town.layer("ground").set_tile(2, 1, 4)
    town.layer("ground").clear_tile(0, 2)
    before = town.path.read_text()
    assert changes(before, saved(town)[0]) == [("0,0,1,0,", "0,0,4,0,"), ("4,0,0,4", "0,0,0,4")]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_chunks_are_changed_and_added(tmp_path, encoding):
    chunk = [[1] * 16 for _ in range(16)]
    layer = chunks_of({(0, 0): chunk, (-16, 16): chunk}, encoding)
    tile_map = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"'))
    before = tile_map.path.read_text()
    ground = tile_map.layer("ground")
    ground.set_tile(-16, 17, 2)
    assert len(changes(before, saved(tile_map)[0])) == 1
    ground.set_tile(-50, 70, 3)
    text, again = saved(tile_map)
    assert text.count("<chunk") == 3
    assert '<chunk x="-64" y="64" width="16" height="16">' in text
    assert cells_of(again) == cells_of(tile_map)


@pytest.mark.parametrize("data", ["", "<data/>", '<data encoding="csv"></data>'])
@pytest.mark.parametrize("infinite", ["0", "1"])
def test_an_empty_layer_is_filled(tmp_path, data, infinite):
    layer = f'<layer name="ground" width="4" height="3">{data}</layer>'
    path = write_map(tmp_path, TILESET, layer, attributes=f'infinite="{infinite}"')
    tile_map = load_map(path)
    tile_map.layer("ground").set_tile(3, 2, 4, 2)
    assert cells_of(saved(tile_map)[1]) == {(3, 2): 4 | 2 << 28}


def test_a_layer_that_is_smaller_than_its_map_grows(tmp_path):
    tile_map = load_map(write_map(tmp_path, TILESET, layer_of([[1, 2]], "csv"), size=(40, 30)))
    tile_map.layer("ground").set_tile(39, 20, 4)
    assert cells_of(saved(tile_map)[1]) == {(0, 0): 1, (1, 0): 2, (39, 20): 4}


@pytest.mark.parametrize("text", ["1,2,3,4,0,0,1,0,4,0,0,4", "1, 2,3 ,4,\n0,,1,\n0,4,0,0,4,\n"])
def test_other_layouts_of_csv_stay(tmp_path, text):
    data = f'<layer name="ground" width="4" height="3"><data encoding="csv">{text}</data></layer>'
    tile_map = load_map(write_map(tmp_path, TILESET, data))
    before = tile_map.path.read_text()
    tile_map.layer("ground").set_tile(1, 0, 4)
    assert saved(tile_map)[0] == before.replace("1,2", "1,4").replace("1, 2", "1, 4")
    assert cells_of(saved(tile_map)[1]) == cells_of(tile_map)


@pytest.mark.parametrize("encoding", ["csv", "base64 zlib"])
@pytest.mark.parametrize("spelled", ["<![CDATA[{}]]>", "<!-- a -->{}", "{0:.7}<!-- , -->{1}"])
def test_cells_that_are_no_plain_text_are_written_anew(tmp_path, encoding, spelled):
    plain = layer_of(CELLS, encoding)
    [text] = re.findall(r">\s*([^<>]+?)\s*</data>", plain)
    layer = plain.replace(text, spelled.format(text, text[7:]))
    tile_map = load_map(write_map(tmp_path, TILESET, layer))
    tile_map.layer("ground").set_tile(0, 0, 4)
    assert cells_of(saved(tile_map)[1]) == cells_of(tile_map)


class Edited(NamedTuple):
    """A layer in some encoding, and edits of it: column, row, gid and flags."""

    layer: str
    infinite: bool
    edits: list[tuple[int, int, int, int]]

    def write(self, folders: pytest.TempPathFactory, *more: str) -> Path:
        """Write a map with the layer into a new folder."""
        folder = folders.mktemp("map", numbered=True)
        attributes = f'infinite="{self.infinite:d}"'
        return write_map(folder, TILESET, self.layer, *more, size=(20, 20), attributes=attributes)

    def apply(self, tile_map: TileMap) -> dict[tuple[int, int], int]:
        """Edit a map; return the cells that it should have then."""
        expected = cells_of(tile_map)
        for column, row, gid, flags in self.edits:
            tile_map.layer("ground").set_tiles([(column, row)], gid, flags)
            expected[column, row] = gid | flags << 28
        return {cell: raw for cell, raw in expected.items() if raw & 0xFFFFFFF}


@st.composite
def edited(draw: st.DrawFn) -> Edited:
    """Draw a layer and its edits."""
    encoding = draw(st.sampled_from(ENCODINGS))
    infinite = draw(st.booleans())
    raw = st.sampled_from([0, 0, 1, 2, 4, 3 | FLIPPED])

    def block(columns: int, rows: int) -> list[list[int]]:
        row = st.lists(raw, min_size=columns, max_size=columns)
        return draw(st.lists(row, min_size=rows, max_size=rows))

    if infinite:
        places = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
        side = draw(st.sampled_from([4, 8, 16]))
        chunks = {
            (x * side, y * side): block(side, 4) for x, y in draw(st.sets(places, max_size=3))
        }
        layer = chunks_of(chunks, encoding)
        across, down = st.integers(-40, 40), st.integers(-40, 40)
    else:
        columns, rows = draw(st.integers(1, 20)), draw(st.integers(1, 6))
        layer = layer_of(block(columns, rows), encoding)
        across, down = st.integers(0, 19), st.integers(0, 19)
    edits = st.tuples(across, down, st.integers(0, 4), st.integers(0, 15))
    return Edited(layer, infinite, draw(st.lists(edits, max_size=12)))


@given(edited(), st.booleans())
def test_any_edits_are_read_again(tmp_path_factory, example, gone):
    path = example.write(tmp_path_factory)
    tile_map = load_map(path)
    expected = example.apply(tile_map)
    if gone:
        path.write_text("another program wrote this")
    assert cells_of(saved(tile_map)[1]) == expected == cells_of(tile_map)
    tile_map.save(path)
    tile_map.layer("ground").set_tile(0, 0, 4)
    tile_map.save(path)
    assert cells_of(load_map(path)) == {**expected, (0, 0): 4}


# -- settings, properties, objects --


def test_settings_of_layers_are_written_without_those_of_their_groups(tmp_path):
    group = '<group name="g" opacity="0.5" offsetx="3" parallaxx="2">'
    path = write_map(tmp_path, TILESET, group, layer_of(CELLS, "csv"), "</group>")
    tile_map = load_map(path)
    layer = tile_map.layer("ground")
    layer.visible, layer.opacity, layer.offset, layer.parallax = False, 0.25, (5.5, 1.0), (1.0, 1.0)
    layer.groups[0].properties["floor"] = 2
    layer.tint, layer.mode, layer.name, layer.class_name = (1, 2, 3, 4), "add", 'a "<b>"', "c"
    text, again = saved(tile_map)
    assert again.layers[0].groups[0].properties == {"floor": 2}
    for own in ('opacity="0.5"', 'offsetx="2.5" offsety="1"', 'parallaxx="0.5"'):
        assert own in text
    for name in ("visible", "opacity", "offset", "parallax", "tint", "mode", "name", "class_name"):
        assert getattr(again.layers[0], name) == getattr(layer, name)


@pytest.mark.parametrize(
    ("outer", "name", "value", "said"),
    [
        ('opacity="0.5"', "opacity", 0.75, r"opacity was set to 0\.75, but its group has 0\.5"),
        ('tintcolor="#102030"', "tint", (1, 2, 3, 255), "tint was changed, but its group has one"),
        ('parallaxx="0"', "parallax", (0.5, 1.0), r"parallax was set to 0\.5, but .* group is 0"),
    ],
)
def test_what_no_layer_in_its_group_can_be_is_not_saved(tmp_path, outer, name, value, said):
    group = f'<group name="g" {outer}>'
    path = write_map(tmp_path, TILESET, group, layer_of(CELLS, "csv"), "</group>")
    tile_map = load_map(path)
    setattr(tile_map.layer("ground"), name, value)
    with pytest.raises(MapError, match=said):
        tile_map.save(tmp_path / "saved.tmx")
    assert not (tmp_path / "saved.tmx").exists()


BOX = np.array([(0.0, 1.0), (8.0, 1.0), (8.0, 5.5), (0.0, 5.5)])
SHAPES = [
    CollisionShape("rectangle", BOX, "", Properties()),
    CollisionShape("polygon", BOX[:3] + 0.125, "ramp", Properties(steep=True)),
    CollisionShape("polyline", BOX[1:] - 4.0, "", Properties()),
    CollisionShape("point", BOX[2:3], "", Properties(floor=2)),
    CollisionShape(
        "rectangle", np.roll(BOX, 1, axis=0) @ ((0.6, 0.8), (-0.8, 0.6)), "turned", Properties()
    ),
]


def shapes_in(tile_map: TileMap) -> list[tuple[str, list[list[float]], str, dict[str, Any]]]:
    """The collision shapes of the second tile."""
    shapes = tile_map.tilesets[0].collision_shapes(1)
    return [(one.shape, one.points.tolist(), one.class_name, one.properties) for one in shapes]


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_collision_shapes_are_changed(town, tmp_path, suffix):
    path = tmp_path / f"saved.{suffix}"
    tile = town.tilesets[0].tiles.setdefault(1, Tile())
    tile.shapes = SHAPES
    town.save(path)
    again = load_map(path)
    *kept, turned = shapes_in(again)
    if suffix == "tmx":
        assert '<polyline points="0,0 0,4.5 -8,4.5"/>' in path.read_text()
    assert kept == shapes_in(town)[:-1]
    assert turned[0] == "polygon"  # what was turned is written by its corners
    assert np.allclose(turned[1], SHAPES[-1].points)
    again.tilesets[0].tiles[1].shapes = SHAPES[1:2]
    again.save(path)
    assert shapes_in(load_map(path)) == kept[1:2]
    again.tilesets[0].tiles[1].shapes = []
    again.save(path)
    assert shapes_in(load_map(path)) == []
    assert "objectgroup" not in path.read_text().partition("tileset")[2].partition("layer")[0]


def test_shapes_of_isometric_tiles_are_read_but_not_written(tmp_path):
    grid = '<grid orientation="isometric" width="16" height="8"/>'
    shape = '<objectgroup><object id="1" x="0" y="0" width="8" height="8"/></objectgroup>'
    tile = f'{grid}<tile id="1">{shape}</tile></tileset>'
    path = write_map(tmp_path, TILESET.replace("</tileset>", tile), layer_of(CELLS, "csv"))
    tile_map = load_map(path)
    [box] = tile_map.tilesets[0].collision_shapes(1)
    assert box.points.tolist() == [[8.0, 8.0], [16.0, 12.0], [8.0, 16.0], [0.0, 12.0]]
    tile_map.tilesets[0].tiles[1].shapes = SHAPES
    with pytest.raises(MapError, match="shapes of its isometric tiles were changed"):
        tile_map.save(tmp_path / "saved.tmx")


def test_a_lock_of_a_group_holds_for_its_layers(tmp_path):
    group = '<group name="g" locked="1">'
    roof = layer_of(CELLS, "csv", "roof")
    path = write_map(tmp_path, TILESET, group, layer_of(CELLS, "csv"), "</group>", roof)
    tile_map = load_map(path)
    before = path.read_text()
    ground, other = tile_map.layers
    assert (ground.locked, other.locked, tile_map.groups[0].locked) == (True, False, True)
    assert saved(tile_map)[0] == before
    other.locked = True
    text, again = saved(tile_map)
    assert [one.split(" locked")[1] for _, one in changes(before, text)] == ['="1">']
    assert again.layer("roof").locked
    assert '"locked": true' in saved(tile_map, "saved.tmj")[0]
    ground.locked = False
    with pytest.raises(MapError, match="locked was unset, but its group is locked"):
        saved(tile_map)
    tile_map.set_group(tile_map.groups[0], locked=False)
    other.locked = False
    text, again = saved(tile_map)
    assert 'name="g" locked="0"' in text
    assert not any(one.locked for one in (*again.layers, *again.groups))


def test_objects_are_saved_in_the_order_in_which_they_are_drawn(town):
    before = town.path.read_text()
    things = town.layer("things", ObjectLayer)
    drawn = [item.id for item in things.objects]
    file = [item.id for item in sorted(things.objects, key=lambda item: item.id)]
    assert drawn != file
    town.object(3).properties["gold"] = 7
    things.draw_order = "index"
    text, again = saved(town)
    assert 'draworder="index"' in text
    assert [item.id for item in things.objects] == drawn
    assert [item.id for item in again.layer("things").objects] == drawn
    other = again.layer("things", ObjectLayer)
    other.draw_order = "index"  # as it is
    assert saved(again, "again.tmx")[0] == text
    other.objects.sort(key=lambda item: item.id)
    assert [item.id for item in saved(again)[1].layer("things").objects] == file
    other.draw_order = "topdown"
    assert [item.id for item in other.objects] == drawn
    assert [item.id for item in saved(again)[1].layer("things").objects] == drawn
    things.draw_order = "topdown"
    town.object(3).properties["gold"] = 5
    assert saved(town)[0] == before
    with pytest.raises(ValueError, match="draw_order must be one of 'topdown', 'index', got 'up'"):
        things.draw_order = "up"


def test_an_interrupted_draw_order_is_as_before_or_as_after(town):
    path = town.path

    def reorder(tile_map: TileMap) -> None:
        tile_map.layer("things", ObjectLayer).draw_order = "topdown"

    def mixed() -> TileMap:
        tile_map = load_map(path)
        things = tile_map.layer("things", ObjectLayer)
        things.draw_order = "index"
        things.objects.sort(key=lambda item: item.id)
        return tile_map

    def told(tile_map: TileMap) -> list[object]:
        things = tile_map.layer("things", ObjectLayer)
        return [things.draw_order, *(item.id for item in things.objects)]

    def check(tile_map: TileMap) -> None:
        things = tile_map.layer("things", ObjectLayer)
        assert things.query(tile_map.bounds).tolist() == list(range(len(things)))

    assert_done_or_not(mixed, reorder, told, check)


def test_an_image_layer_repeats(tmp_path):
    image = '<imagelayer name="sky"><image source="tiles.png"/></imagelayer>'
    tile_map = load_map(write_map(tmp_path, image))
    tile_map.layer("sky").repeat = (False, True)
    text, again = saved(tile_map)
    assert '<imagelayer name="sky" repeaty="1">' in text
    assert again.layer("sky").repeat == (False, True)
    tile_map.layer("sky").picture = None
    assert "<image " not in saved(tile_map)[0]


def test_properties_keep_their_types(town):
    chest = town.object(3)
    chest.properties.update(gold=6, keys=ObjectRef(5), open=True, color=(1, 2, 3, 255), file=Path())
    chest.properties["file"] = town.path.parent / "a b.png"
    chest.properties["text"] = 'line\n"two" & <three>'
    chest.properties["list"] = [1, 2.5, ["a"]]
    town.properties["title"] = "x"
    text, again = saved(town)
    assert '<property name="gold" type="int" value="6"/>' in text
    assert '<property name="keys" type="object" value="5"/>' in text
    assert dict(again.object(3).properties) == dict(chest.properties)
    assert again.properties == {"title": "x"}
    assert "<!-- a comment -->" in text
    assert 'future="&lt;1>"' in text
    chest.properties.clear()
    assert "gold" not in saved(town)[0]


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_numbers_keep_all_of_their_digits(town, suffix):
    numbers = [1 / 3, math.pi, 0.1, 1e-7, 1e15 + 0.5, 123456789012345680.0, 5.0, 2**63 - 1]
    town.properties.update(zip("abcdefgh", numbers, strict=True))
    text, again = saved(town, f"saved.{suffix}")
    assert list(again.properties.values()) == numbers
    assert (' value="5"/>' if suffix == "tmx" else '"value": 5\n') in text


def test_a_property_without_a_name_is_saved(town):
    town.properties[""] = town.object(3).properties[""] = "x"
    town.properties["in"] = Properties({"": 5})
    again = saved(town)[1]
    assert again.properties == town.properties
    assert again.object(3).properties == town.object(3).properties


def test_objects_are_moved_changed_and_removed(town):
    before = town.path.read_text()
    things = town.layer("things", ObjectLayer)
    town.object(3).x += 2
    town.object(4).rotation = 90
    label = town.object(5)
    label.text = label.text._replace(words="<c>", bold=True)
    text, again = saved(town)
    assert len(changes(before, text)) == 3
    assert again.object(3).x == 5.5
    assert (again.object(3).y, again.object(4).rotation) == (town.object(3).y, 90)
    assert again.object(5).text == label.text
    things.objects.remove(town.object(4))
    assert [item.id for item in saved(town)[1].layer("things").objects] == [5, 6, 3]


def nested(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


UNSAVABLE = {
    "do not fit its shape 'text'": lambda town: setattr(town.object(3), "shape", "text"),
    "template was changed": lambda town: setattr(town.object(3), "template", "chest.tx"),
    "size was changed": lambda town: setattr(town, "size", (9, 9)),
    "properties nest too deeply": lambda town: town.properties.update(a=nested(500)),
    "is of no type of Tiled": lambda town: town.properties.update(x=object()),
    "share the id 3": lambda town: town.layer("things").objects.append(town.object(3)),
}


@pytest.mark.parametrize(("what", "change"), UNSAVABLE.items(), ids=UNSAVABLE)
def test_what_cannot_be_saved_is_an_error_and_writes_nothing(town, what, change):
    change(town)
    with pytest.raises(MapError, match=what):
        town.save(town.path.with_name("new.tmx"))
    assert sorted(path.name for path in town.path.parent.iterdir()) == ["map.tmx", "tiles.png"]


WRONG = [
    ("name", 5, "name must be a str, got 5"),
    ("class_name", None, "class_name must be a str, got None"),
    ("visible", "yes", "visible must be True or False, got 'yes'"),
    ("locked", None, "locked must be True or False, got None"),
    ("opacity", "1", "opacity must be a number, got '1'"),
    ("opacity", math.nan, "opacity must be from 0 to 1, got nan"),
    ("opacity", -5, "opacity must be from 0 to 1, got -5.0"),
    ("opacity", 2, "opacity must be from 0 to 1, got 2.0"),
    ("tint", (1, 2, 3, 300), "tint must be three or four numbers to 255, got (1, 2, 3, 300)"),
    ("tint", "red", "tint must be three or four numbers to 255, got 'red'"),
    ("parallax", 5, "parallax must be two numbers, got 5"),
    ("parallax", (1, math.inf), "parallax must be two finite numbers, got (1, inf)"),
    ("parallax", (1, 1e11), "parallaxy was set to 100000000000.0, which cannot be saved"),
    ("offset", (0, -1e11), "offsety was set to -100000000000.0, which cannot be saved"),
    ("mode", 5, "mode must be a str, got 5"),
    ("properties", 5, "properties must be a dict, got 5"),
    ("properties", {5: 1}, "properties must have names that are texts, got 5"),
    ("properties", Properties({None: 1}), "properties must have names that are texts, got None"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
@pytest.mark.parametrize("part", ["layer 'ground'", "layer 'new'", "group 'g'", "map"])
def test_an_error_names_the_setting_that_cannot_be_saved(town, part, name, value, said):
    added = town.add_group("g")
    town.add_tile_layer("new")
    found = {"map": town, "group 'g'": added}.get(part) or town.layer(part[7:-1])
    if not hasattr(found, name):
        return
    if isinstance(found, Layer) and name != "properties" and "cannot be saved" not in said:
        with pytest.raises((TypeError, ValueError), match=f"^{re.escape(said)}$"):
            setattr(found, name, value)
        return
    setattr(found, name, value)
    if name == "name":
        part = f"{part.split()[0]} 5"
    expected = said if part == "map" else f"{part}: {said}"
    with pytest.raises(MapError, match=f"map.tmx: {re.escape(expected)}$"):
        town.save(town.path.with_name("new.tmx"))
    assert sorted(path.name for path in town.path.parent.iterdir()) == ["map.tmx", "tiles.png"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda town: setattr(town, "background_color", (1, 2)), "background_color must be three"),
        (
            lambda town: town.properties.update(a=(1, 2, 3, 400)),
            "the property 'a' must be three or",
        ),
        (
            lambda town: town.properties.update(a=[1, [2, ...]]),
            "the property 'a' is Ellipsis, which",
        ),
        (lambda town: town.properties.update(a=Properties({5: 1})), "names that are texts, got 5"),
    ],
)
def test_an_error_names_what_else_cannot_be_saved(town, change, said):
    town.add_image_layer("sky", town.path.with_name("tiles.png"))
    change(town)
    with pytest.raises(MapError, match=said):
        town.save(town.path.with_name("new.tmx"))


def test_settings_are_taken_and_saved_as_the_verbs_take_them(town):
    ground, things = town.layer("ground"), town.layer("things")
    sky = town.add_image_layer("sky", town.path.with_name("tiles.png"))
    for name, value in (("color", (1, 2)), ("tint", "red")):
        with pytest.raises(ValueError, match=f"{name} must be three or four numbers to 255"):
            setattr(things, name, value)
    with pytest.raises(TypeError, match="repeat must be two numbers, got 5"):
        sky.repeat = 5
    ground.tint, ground.parallax, ground.visible = (255, 0, 9), np.array([0.5, 2]), np.False_
    ground.opacity, ground.locked, ground.properties = 1 + 1e-12, 1, {"a": 1}
    things.color, sky.repeat = [9, 8, 7], [1, 0]
    town.background_color = [1, 2, 3]
    again = saved(town)[1]
    assert again.background_color == (1, 2, 3, 255)
    for one in (ground, again.layer("ground")):
        assert (one.tint, one.parallax) == ((255, 0, 9, 255), (0.5, 2.0))
        assert (one.visible, one.opacity, one.locked) == (False, 1, True)
    assert again.layer("ground").properties == {"a": 1}
    for one in (town, again):
        assert one.layer("things").color == (9, 8, 7, 255)
        assert one.layer("sky").repeat == (True, False)


def test_settings_that_only_a_file_can_have_stay(tmp_path):
    group = '<group name="g" mode="of 2030" offsetx="4e9" parallaxx="1e6">'
    layer = layer_of(CELLS, "csv").replace(
        "<layer", '<layer mode="x" offsetx="3e9" parallaxx="1e6"'
    )
    tile_map = load_map(write_map(tmp_path, TILESET, group, layer, "</group>"))
    tile_map.layer("ground").visible = False
    again = saved(tile_map)[1]
    assert again.layer("ground").offset == (7e9, 0)
    assert again.layer("ground").parallax == (1e12, 1)
    assert (again.groups[0].mode, again.layer("ground").mode) == ("of 2030", "x")


def test_a_save_leaves_the_tilesets_to_their_map(town):
    tools = [tileset._tools for tileset in town.tilesets]
    town.save(town.path)
    town.reload()
    assert [tileset._tools for tileset in town.tilesets] == tools == [town._frame.tools]


# -- files --


def test_line_ends_encodings_and_what_is_unknown_stay(tmp_path):
    text = map_text(TILESET, layer_of(CELLS, "csv"), OBJECTS, "<future><x a='1'/></future>")
    text = text.replace("\n", "\r\n").replace('"UTF-8"', '"iso-8859-1"').replace("chest", "Tür")
    path = write_map(tmp_path)
    path.write_bytes((text + "<!-- end -->").encode("latin-1"))
    tile_map = load_map(path)
    tile_map.object(3).properties["größe"] = "€"
    tile_map.save(path)
    after = path.read_bytes().decode("latin-1")
    assert after.count("\r\n") == after.count("\n")
    added = '\r\n    <property name="größe" value="&#8364;"/>'
    assert after.replace(added, "") == text + "<!-- end -->"
    assert load_map(path).object(3).properties["größe"] == "€"


@pytest.mark.parametrize("mark", ["\ufeff", ""])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_stays(tmp_path, encoding, mark):
    text = map_text(TILESET, layer_of(CELLS, "csv"), OBJECTS).replace("UTF-8", "utf-16")
    path = write_map(tmp_path)
    path.write_bytes(f"{mark}{text}".encode(encoding))
    tile_map = load_map(path)
    tile_map.save(path)
    assert path.read_bytes().decode(encoding) == f"{mark}{text}"
    tile_map.object(3).properties["größe"] = "€"
    tile_map.layer("ground").set_tile(0, 0, 4)
    tile_map.save(path)
    assert load_map(path).object(3).properties["größe"] == "€"
    assert load_map(path).layer("ground").gid_of(0, 0) == 4
    assert path.read_bytes().decode(encoding).startswith(f"{mark}{text[:50]}")


def test_paths_lead_where_they_led(tmp_path):
    new = tmp_path / "maps" / "deep" / "new.tmx"
    new.parent.mkdir(parents=True)
    distant = '<tileset firstgid="9" source="http://x/y.tsx"/>'
    load_map(write_map(tmp_path, TILESET, distant, layer_of(CELLS, "csv"))).save(new)
    assert 'source="../../tiles.png"' in new.read_text()
    assert 'source="http://x/y.tsx"' in new.read_text()
    picture = load_map(new).tilesets[0].picture
    assert picture is not None
    assert picture.path == tmp_path / "tiles.png"


def no_space(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def ctrl_c(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("function", ["fsync", "replace"])
@pytest.mark.parametrize(("harm", "problem"), [(no_space, OSError), (ctrl_c, KeyboardInterrupt)])
def test_a_save_that_fails_leaves_the_old_file(town, monkeypatch, function, harm, problem):
    before = town.path.read_bytes()
    town.layer("ground").set_tile(0, 0, 4)
    with monkeypatch.context() as patch:
        patch.setattr(os, function, harm)
        with pytest.raises(problem):
            town.save(town.path)
    assert town.path.read_bytes() == before
    assert sorted(path.name for path in town.path.parent.iterdir()) == ["map.tmx", "tiles.png"]
    town.save(town.path)
    assert load_map(town.path).layer("ground").gid_of(0, 0) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot fork")
def test_a_kill_leaves_the_old_file(town, monkeypatch):
    before = town.path.read_bytes()
    town.layer("ground").set_tile(0, 0, 4)
    child = os.fork()
    if child == 0:
        try:
            monkeypatch.setattr(os, "replace", lambda *_: os._exit(9))
            town.save(town.path)
        finally:  # whatever happens, no second pytest goes on
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert town.path.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes are those of POSIX")
def test_links_are_followed_and_permissions_stay(town):
    link = town.path.with_name("link.tmx")
    link.symlink_to(town.path)
    town.path.chmod(0o640)
    town.layer("ground").set_tile(0, 0, 4)
    town.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(town.path.stat().st_mode) == 0o640
    assert load_map(town.path).layer("ground").gid_of(0, 0) == 4


@pytest.mark.skipif(sys.platform == "win32", reason="not all users of Windows may make links")
def test_a_save_through_a_link_from_another_folder_keeps_the_paths(town, tmp_path):
    link = tmp_path / "deep" / "er" / "link.tmx"
    link.parent.mkdir(parents=True)
    link.symlink_to(town.path)
    before = town.path.read_text()
    town.layer("ground").set_tile(1, 0, 4)
    town.save(link)
    assert changes(before, town.path.read_text()) == [("1,2,3,4,", "1,4,3,4,")]
    town.reload()
    assert not town.warnings


def test_a_map_that_forgot_its_file_is_saved_from_what_it_has(town):
    before = load_map(town.path)
    forgetful = load_map(town.path, keep=False)
    with pytest.warns(UserWarning, match="loaded with keep=False, so what only the file has"):
        forgetful.save(town.path)
    with warnings.catch_warnings(record=True) as more:
        warnings.simplefilter("always")
        forgetful.save(town.path)
    assert not more  # it says so once
    assert_equal(load_map(town.path), before)
    assert "a comment" not in town.path.read_text()


def test_the_path_is_checked(town, tmp_path):
    wrong: Any = 5
    with pytest.raises(TypeError, match="path must be a str or a Path, got 5"):
        town.save(wrong)
    for name in ("map.png", "map"):
        with pytest.raises(ValueError, match=r"path must end in \.tmx, \.tmj or \.json"):
            town.save(tmp_path / name)
    (tmp_path / "folder.tmx").mkdir()
    with pytest.raises(OSError, match="is not a regular file"):
        town.save(tmp_path / "folder.tmx")
    with pytest.raises(FileNotFoundError):
        town.save(tmp_path / "nowhere" / "map.tmx")


# -- limits --


BEYOND = {
    "more than the limit of 3 tilesets": (
        Limits(tilesets=3),
        lambda town: [town.add_tileset(town.path.with_name("tiles.png")) for _ in "abc"],
    ),
    "more than the limit of 3 layers": (
        Limits(layers=3),
        lambda town: [town.add_group("g") for _ in "ab"],
    ),
    "more than the limit of 5 objects": (
        Limits(objects=5),
        lambda town: [town.layer("things").add_object("point", 1, 2) for _ in "ab"],
    ),
    "more than the limit of 40 elements": (
        Limits(elements=40),
        lambda town: town.layer("things").add_object("polygon", points=[(9, 9)] * 40),
    ),
    "more than the limit of 60 elements": (
        Limits(elements=60),
        lambda town: town.layer("things").edit_object(town.object(4), points=[(9, 9)] * 60),
    ),
    "nest deeper than the limit of 64": (
        Limits(),
        lambda town: town.properties.update(a=nested(70)),
    ),
    "more than the limit of 90 elements": (
        Limits(elements=90),
        lambda town: town.properties.update({f"p{number}": 1 for number in range(100)}),
    ),
    "larger than the limit of 2000 bytes": (
        Limits(file_bytes=2000),
        lambda town: town.properties.update(a="b" * 2000),
    ),
    "layer 'new': 12 cells go beyond the limit of 23": (
        Limits(cells=23),
        lambda town: town.add_tile_layer("new", CELLS),
    ),
}


@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
@pytest.mark.parametrize("what", BEYOND)
def test_what_could_not_be_read_again_is_not_saved(town, tmp_path, what, suffix):
    town.save(tmp_path / f"own{suffix}")
    limits, change = BEYOND[what]
    own = load_map(tmp_path / f"own{suffix}", limits=limits)
    before = own.path.read_bytes()
    own.save(own.path)
    change(own)
    with pytest.raises(MapError, match=what):
        own.save(own.path)
    assert own.path.read_bytes() == before
    own.limits = Limits(depth=99)
    own.save(own.path)
    assert own.path.read_bytes() != before


# -- formats --


EMBEDDED = """<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="4" columns="2">
 <tileoffset x="1" y="2"/>
 <image source="tiles.png" width="32" height="32" trans="ff00ff"/>
 <tile id="1" type="wall" probability="0.5"><properties><property name="solid" type="bool" value="true"/>
  <property name="at" type="class" propertytype="P"><properties><property name="x" type="float" value="2.5"/>
  </properties></property></properties>
  <objectgroup><object id="1" x="1" y="2" width="3" height="4"/></objectgroup>
  <animation><frame tileid="0" duration="100"/><frame tileid="2" duration="50"/></animation></tile>
 <wangsets><wangset name="w" type="corner" tile="-1"><wangcolor name="c" color="#ff0000" tile="0"
  probability="1"/><wangtile tileid="0" wangid="0,1,0,1,0,1,0,1"/></wangset></wangsets>
</tileset>"""  # noqa: E501


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_map_is_equal_in_the_other_format_and_back(tmp_path, encoding):
    sky = '<imagelayer name="sky" offsetx="2.5"><image source="tiles.png"/></imagelayer>'
    group = '<group name="g" visible="0">' + layer_of(CELLS, encoding, "roof") + "</group>"
    parts = EMBEDDED, sky, layer_of(CELLS, encoding), group, OBJECTS
    tile_map = load_map(write_map(tmp_path, *parts, attributes='class="town"'))
    tile_map.layer("ground").set_tile(0, 1, 2, 4)
    tile_map.properties["tint"] = (1, 2, 3, 4)
    tile_map.save(tmp_path / "other.tmj")
    other = load_map(tmp_path / "other.tmj")
    things = json.loads((tmp_path / "other.tmj").read_text())["layers"][3]["objects"]
    assert (things[3]["gid"], things[3]["width"], things[3]["height"]) == (2, 16, 16)
    other.save(tmp_path / "back.tmx")
    for one in (other, load_map(tmp_path / "back.tmx")):
        assert_equal(one, tile_map)


@pytest.mark.parametrize("encoding", ["csv", "base64 zlib"])
def test_chunks_are_equal_in_the_other_format_and_back(tmp_path, encoding):
    chunk = [[1, 2] * 8 for _ in range(16)]
    layer = chunks_of({(0, 0): chunk, (-16, 16): chunk}, encoding)
    settings = '<editorsettings><chunksize width="32" height="32"/></editorsettings>'
    tile_map = load_map(write_map(tmp_path, settings, TILESET, layer, attributes='infinite="1"'))
    tile_map.save(tmp_path / "other.tmj")
    load_map(tmp_path / "other.tmj").save(tmp_path / "back.tmx")
    assert '<chunksize width="32" height="32"' in (tmp_path / "back.tmx").read_text()
    for name in ("other.tmj", "back.tmx"):
        assert cells_of(load_map(tmp_path / name)) == cells_of(tile_map)


def test_an_embedded_image_has_no_place_in_json(tmp_path):
    image = '<image format="png"><data encoding="base64">AAAA</data></image>'
    tile_map = load_map(write_map(tmp_path, TILESET, f"<imagelayer>{image}</imagelayer>"))
    with pytest.raises(MapError, match="has an embedded image, which JSON cannot hold"):
        tile_map.save(tmp_path / "new.tmj")


def test_a_copy_saves_its_own_changes(town, again):
    copy = again(town)
    copy.layer("ground").set_tile(0, 0, 4)
    assert saved(copy)[1].layer("ground").gid_of(0, 0) == 4
    assert saved(town)[0] == town.path.read_text()


# -- set_gids --


def test_set_gids_takes_what_gids_in_returns(town):
    ground = town.layer("ground", TileLayer)
    box = (1, 1, 63, 47)
    column, row, gids, flags = ground.gids_in(box)
    ground.set_gids(box, gids[::-1, ::-1], flags[::-1, ::-1] ^ 8 * (gids[::-1, ::-1] > 0))
    now = ground.gids_in(box)
    assert (now.column, now.row) == (column, row)
    assert np.array_equal(now.gids, gids[::-1, ::-1])
    ground.set_gids(box, 3)
    assert ground.gids_in(box).gids.tolist() == [[3] * 4] * 3
    ground.set_gids(box, 0)
    assert len(ground) == 0
    with pytest.raises(ValueError, match=r"gids must have the shape \(3, 4\)"):
        ground.set_gids(box, [[1, 2]])
