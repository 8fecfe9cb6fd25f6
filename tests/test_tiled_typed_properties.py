"""Custom properties as values of their types: colors, files, objects, enums and classes."""

from __future__ import annotations

import json
from enum import IntFlag
from pathlib import Path
from typing import Any

import pytest

from tests.tmx import TILESET, csv_layer, write_json, write_map, write_tiles
from tilequad.tiled import MapError, ObjectRef, Properties, TileMap, load_map

# As Tiled 1.11 writes a project.
TYPES: list[dict[str, Any]] = [
    {
        "id": 1, "name": "Element", "storageType": "string", "type": "enum",
        "values": ["fire", "ice storm", "title", "", "_x_"], "valuesAsFlags": False,
    },
    {
        "id": 2, "name": "Rank", "storageType": "int", "type": "enum",
        "values": ["low", "high"], "valuesAsFlags": False,
    },
    {
        "id": 3, "name": "Layers", "storageType": "int", "type": "enum",
        "values": ["ground", "water", "air"], "valuesAsFlags": True,
    },
    {
        "id": 4, "name": "Tags", "storageType": "string", "type": "enum",
        "values": ["a", "b", "c"], "valuesAsFlags": True,
    },
    {
        "id": 5, "name": "Chest", "type": "class", "color": "#ffa0a0a4", "drawFill": True,
        "useAs": ["property", "object", "tile"],
        "members": [
            {"name": "tint", "type": "color", "value": "#80ff0000"},
            {"name": "script", "type": "file", "value": "scripts/chest.lua"},
            {"name": "key", "type": "object", "value": 0},
            {"name": "element", "propertyType": "Element", "type": "string", "value": "fire"},
            {"name": "layers", "propertyType": "Layers", "type": "int", "value": 5},
            {"name": "weight", "type": "float", "value": 2},
        ],
    },
    {
        "id": 6, "name": "Room", "type": "class", "useAs": ["property"],
        "members": [
            {
                "name": "chest", "propertyType": "Chest", "type": "class",
                "value": {"element": "ice storm", "script": "scripts/room.lua"},
            },
        ],
    },
]  # fmt: skip

XML = """<properties>
 <property name="alpha" type="color" value="#80102030"/>
 <property name="chest" type="class" propertytype="Chest"><properties>
  <property name="element" propertytype="Element" value="ice storm"/>
  <property name="key" type="object" value="7"/>
  <property name="script" type="file" value="my/own.lua"/>
  <property name="tint" type="color" value="#00ff00"/></properties></property>
 <property name="door" type="object" value="7"/>
 <property name="layers" type="int" propertytype="Layers" value="3"/>
 <property name="many" type="list">
  <item type="color" value="#0000ff"/><item propertytype="Element" value="fire"/></property>
 <property name="no color" type="color" value=""/>
 <property name="no door" type="object" value="0"/>
 <property name="no sound" type="file" value=""/>
 <property name="rank" type="int" propertytype="Rank" value="1"/>
 <property name="room" type="class" propertytype="Room"/>
 <property name="sound" type="file" value="../sounds/a b.ogg"/>
 <property name="tags" propertytype="Tags" value="a,c"/>
 <property name="text" value="#ff0000"/>
</properties><objectgroup name="o"><object id="7" name="door"/></objectgroup>"""

JSON: list[dict[str, Any]] = [
    {"name": "alpha", "type": "color", "value": "#80102030"},
    {
        "name": "chest", "type": "class", "propertytype": "Chest",
        "value": {
            "element": "ice storm", "key": 7, "script": "my/own.lua", "tint": "#00ff00",
        },
    },
    {"name": "door", "type": "object", "value": 7},
    {"name": "layers", "type": "int", "propertytype": "Layers", "value": 3},
    {
        "name": "many", "type": "list",
        "value": [
            {"type": "color", "value": "#0000ff"},
            {"type": "string", "propertytype": "Element", "value": "fire"},
        ],
    },
    {"name": "no color", "type": "color", "value": ""},
    {"name": "no door", "type": "object", "value": 0},
    {"name": "no sound", "type": "file", "value": ""},
    {"name": "rank", "type": "int", "propertytype": "Rank", "value": 1},
    {"name": "room", "type": "class", "propertytype": "Room", "value": {}},
    {"name": "sound", "type": "file", "value": "../sounds/a b.ogg"},
    {"name": "tags", "type": "string", "propertytype": "Tags", "value": "a,c"},
    {"name": "text", "type": "string", "value": "#ff0000"},
]  # fmt: skip


def write_types(folder: Path) -> Path:
    """A project in a folder of its own, against which its defaults are resolved."""
    path = folder / "project" / "game.tiled-project"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"propertyTypes": TYPES}))
    return path


def load(folder: Path, form: str, types: bool = True) -> TileMap:
    levels = folder / "levels"
    levels.mkdir()
    is_xml = form == "tmx"
    path = write_map(levels, XML) if is_xml else write_json(levels, {"properties": JSON})
    return load_map(path, types=write_types(folder) if types else None)


@pytest.mark.parametrize("form", ["tmx", "tmj"])
def test_both_formats_give_values_of_the_declared_types(tmp_path, form):
    tile_map = load(tmp_path, form)
    element, layers, tags = (tile_map.enums[name] for name in ("Element", "Layers", "Tags"))
    chest = {
        "tint": (0, 255, 0, 255),
        "script": tmp_path / "levels" / "my" / "own.lua",
        "key": 7,
        "element": element("ice storm"),
        "layers": layers(5),
        "weight": 2.0,
    }
    own = {
        "tint": (255, 0, 0, 128),
        "script": tmp_path / "project" / "scripts" / "room.lua",
        "key": None,
        "element": element("ice storm"),
        "layers": layers(5),
        "weight": 2.0,
    }
    found = tile_map.properties
    assert found == {
        "alpha": (16, 32, 48, 128),
        "chest": chest,
        "door": 7,
        "layers": layers(3),
        "many": [(0, 0, 255, 255), element("fire")],
        "no color": None,
        "no door": None,
        "no sound": None,
        "rank": 1,
        "room": {"chest": own},
        "sound": tmp_path / "sounds" / "a b.ogg",
        "tags": tags["a"] | tags["c"],
        "text": "#ff0000",
    }
    assert isinstance(found["layers"], IntFlag)
    assert [type(found[name]) for name in ("chest", "door", "layers", "rank", "tags")] == [
        Properties, ObjectRef, layers, tile_map.enums["Rank"], tags
    ]  # fmt: skip
    assert type(found["chest"]["key"]) is ObjectRef
    assert type(found["room"]["chest"]["element"]) is type(found["many"][1]) is element
    assert (found["chest"].class_name, found["room"]["chest"].class_name) == ("Chest", "Chest")
    assert found["chest"].types["element"] == "Element"
    assert (found.types["layers"], found.types["room"]) == ("Layers", "Room")
    assert tile_map.warnings == []


def test_without_types_enums_keep_what_the_file_stores(tmp_path):
    tile_map = load(tmp_path, "tmx", types=False)
    found = tile_map.properties
    assert (found["layers"], found["tags"], found["rank"]) == (3, "a,c", 1)
    assert type(found["layers"]) is int
    assert found["chest"]["tint"] == (0, 255, 0, 255)
    assert tile_map.enums == {}
    assert tile_map.object(found["door"]).name == "door"
    assert repr(found["door"]) == "ObjectRef(7)"


def test_an_enum_is_read_however_it_is_stored(tmp_path):
    """A project may change the storage of an enum after maps were saved."""
    text = "".join(
        f'<property name="{number}" type="{kind}" propertytype="{enum}" value="{value}"/>'
        for number, (kind, enum, value) in enumerate(
            [
                ("int", "Element", 1), ("string", "Rank", "high"),
                ("string", "Layers", "air,ground"),
                ("int", "Tags", 6), ("string", "Tags", ""), ("string", "Element", "title"),
                ("string", "Element", ""), ("string", "Element", "_x_"), ("int", "Layers", 9),
            ]
        )
    )  # fmt: skip
    path = write_map(tmp_path, f"<properties>{text}</properties>")
    tile_map = load_map(path, types=write_types(tmp_path))
    values = list(tile_map.properties.values())
    assert values == ["ice storm", 1, 5, 6, 0, "title", "", "_x_", 9]
    names = ("Element", "Rank", "Layers", "Tags", "Tags", *["Element"] * 3, "Layers")
    assert [type(value) for value in values] == [tile_map.enums[name] for name in names]
    assert f"{values[0]} {values[5].upper()}" == "ice storm TITLE"  # a member is text as well
    assert tile_map.warnings == []


def test_a_value_that_its_enum_lacks_stays_as_it_is_with_a_warning(tmp_path):
    item = '<property name="{}" propertytype="{}" {}/>'
    text = item.format("a", "Element", 'value="earth"') + item.format("b", "Tags", 'value="a,z"')
    text += item.format("c", "Rank", 'type="int" value="2"')
    text += item.format("d", "Layers", 'type="int" value="-1"')
    path = write_map(tmp_path, f"<properties>{text}</properties>")
    tile_map = load_map(path, types=write_types(tmp_path))
    assert tile_map.properties == {"a": "earth", "b": "a,z", "c": 2, "d": -1}
    assert [line.partition(": ")[2] for line in tile_map.warnings] == [
        "a property is 'earth', which is no value of the enum 'Element'",
        "a property is 'a,z', which is no value of the enum 'Tags'",
        "a property is 2, which is no value of the enum 'Rank'",
        "a property is -1, which is no value of the enum 'Layers'",
    ]
    with pytest.raises(MapError, match="no value of the enum 'Element'"):
        load_map(path, types=write_types(tmp_path), strict=True)


def test_values_are_copied_and_pickled(tmp_path, again):
    found = load(tmp_path, "tmx").properties
    same = again(found)
    assert same == found
    assert [type(value) for value in same.values()] == [type(value) for value in found.values()]
    assert same["tags"] is found["tags"]
    assert same["chest"]["element"] is found["chest"]["element"]


def test_a_file_belongs_to_the_file_that_names_it(tmp_path):
    item = '<properties><property name="f" type="file" value="here.lua"/></properties>'
    for name in ("maps", "sets", "templates"):
        (tmp_path / name).mkdir()
    tile = f'<tile id="0">{item}</tile></tileset>'
    (tmp_path / "sets" / "s.tsx").write_text(TILESET.replace("</tileset>", tile))
    (tmp_path / "templates" / "t.tx").write_text(f"<template><object>{item}</object></template>")
    path = write_map(
        tmp_path / "maps",
        '<tileset firstgid="1" source="../sets/s.tsx"/>',
        csv_layer("g", [[1]]),
        '<objectgroup name="o"><object template="../templates/t.tx"/>'
        f'<object template="../templates/t.tx">{item}</object><object gid="1"/></objectgroup>',
    )
    files = [item.properties["f"] for item in load_map(path, root=tmp_path).objects()]
    folders = ("templates", "maps", "sets")
    assert files == [tmp_path / folder / "here.lua" for folder in folders]


@pytest.mark.parametrize(
    "value", ["/etc/passwd", "C:/a.lua", "https://example.org/a.lua", "../../away.lua"]
)
def test_a_file_that_must_not_be_followed_is_none_with_a_warning(tmp_path, value):
    folder = tmp_path / "maps"
    folder.mkdir()
    item = f'<properties><property name="f" type="file" value="{value}"/></properties>'
    path = write_map(folder, f'<objectgroup name="o">{item}</objectgroup>')
    tile_map = load_map(path, root=folder)
    assert tile_map.layer("o").properties == {"f": None}
    [warning] = tile_map.warnings
    assert warning.startswith(f"{path}: layer 'o': refers to ")
    with pytest.raises(MapError, match="refers to"):
        load_map(path, root=folder, strict=True)
    if ".." in value:  # only a root keeps a map in its folder
        assert load_map(path).layer("o").properties["f"] == tmp_path.parent / "away.lua"


def test_filters_compare_values_of_the_types(tmp_path):
    tile = (
        '<tile id="0"><properties><property name="tint" type="color" value="#ff0000"/>'
        '<property name="element" propertytype="Element" value="fire"/>'
        '<property name="layers" type="int" propertytype="Layers" value="5"/>'
        '<property name="script" type="file" value="a.lua"/>'
        '<property name="door" type="object" value="7"/>'
        '<property name="none" type="object" value="0"/></properties></tile></tileset>'
    )
    path = write_map(tmp_path, TILESET.replace("</tileset>", tile), csv_layer("g", [[1, 2]]))
    tile_map = load_map(path, types=write_types(tmp_path))
    layer = tile_map.layer("g")
    for wanted in (
        {"tint": (255, 0, 0, 255)},
        {"element": "fire"},
        {"element": tile_map.enums["Element"]("fire")},
        {"layers": 5},
        {"script": tmp_path / "a.lua"},
        {"door": 7, "none": None},
    ):
        assert layer.select(wanted).ids.tolist() == [0], wanted
    for other in ({"tint": "#ff0000"}, {"layers": 1}, {"script": "a.lua"}, {"door": 8}):
        assert len(layer.select(other)) == 0, other


def test_too_many_flags_are_refused(tmp_path):
    path = tmp_path / "types.json"
    values = [str(number) for number in range(65)]
    path.write_text(
        json.dumps([{"type": "enum", "name": "F", "values": values, "valuesAsFlags": True}])
    )
    with pytest.raises(MapError, match="more than 64 flags"):
        load_map(write_map(tmp_path), types=path)


def test_another_type_or_class_of_equal_values_is_saved(tmp_path):
    path, made = tmp_path / "map.tmx", TileMap.new(2, 2, (8, 8))
    before = Properties({"hp": 5})
    before.class_name = "Orc"
    made.properties.update(
        stats=before, n=1, ref=4, list=[1], color=(1, 2, 3, 4), dyed=(1, 2, 3, 4), half=2.0
    )
    made.save(path)
    tile_map = load_map(path)
    after = Properties({"hp": 5})
    after.class_name = "Elf"
    tile_map.properties.update(
        stats=after, n=1.0, ref=ObjectRef(4), list=[1.0], color="red team", dyed="#fff", half=2
    )
    tile_map.save(path)
    again = load_map(path).properties
    assert again["stats"].class_name == "Elf"
    kinds = float, ObjectRef, float, float
    assert tuple(map(type, (again["n"], again["ref"], again["list"][0], again["half"]))) == kinds
    assert (again["color"], again["dyed"]) == ("red team", (255, 255, 255, 255))


@pytest.fixture
def types(tmp_path) -> Path:
    """A project whose class has members that are not set."""
    path = tmp_path / "game.tiled-project"
    members = [
        {"name": "hp", "type": "int", "value": 5},
        {"name": "script", "type": "file", "value": ""},
        {"name": "rank", "type": "int", "propertyType": "Rank", "value": 1},
    ]
    uses = ["property", "object", "tile", "layer", "map", "tileset"]
    stats = {"id": 9, "name": "Stats", "type": "class", "useAs": uses, "members": members}
    outer = {"name": "stats", "type": "class", "propertyType": "Stats", "value": {"hp": 9}}
    unit = {"id": 10, "name": "Unit", "type": "class", "useAs": uses, "members": [outer]}
    path.write_text(json.dumps({"propertyTypes": [*TYPES, stats, unit]}))
    return path


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_members_with_default_values_are_left_out(tmp_path, types, suffix):
    path = tmp_path / f"map.{suffix}"
    made = TileMap.new(2, 2, (16, 16), types=types, class_name="Stats")
    write_tiles(tmp_path / "tiles.png")
    made.add_tileset(tmp_path / "tiles.png", class_name="Stats").edit_tile(1, class_name="Unit")
    made.add_group("g", class_name="Unit")
    layer = made.add_object_layer("o", class_name="Stats", properties={"hp": 6})
    item = layer.add_object("point", 1, 1, class_name="Unit")
    made.save(path)
    assert path.read_text().count("hp") == 1
    assert "script" not in path.read_text()
    again = load_map(path, types=types)
    assert again.properties == {"hp": 5, "script": None, "rank": 1}
    assert again.layers[0].properties == {"hp": 6, "script": None, "rank": 1}
    item.properties["stats"]["hp"] = 7
    made.layer("o").add_object("point", 1, 1, class_name="Stats")
    made.save(path)
    again = load_map(path, types=types)
    inner = {"hp": 7, "script": None, "rank": 1}
    assert [one.properties for one in again.objects()] == [{"stats": inner}, made.properties]
    again.objects()[0].properties["stats"]["hp"] = 8
    again.save(path)
    assert load_map(path, types=types).objects()[0].properties == {"stats": {**inner, "hp": 8}}
    if suffix == "tmx":
        assert '<property name="script" type="file" value=""/>' in path.read_text()


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_an_enum_that_is_assigned_is_saved_with_its_name(tmp_path, types, suffix):
    path = tmp_path / f"map.{suffix}"
    made = TileMap.new(2, 2, (16, 16), types=types)
    made.properties["element"] = "fire"
    made.save(path)
    tile_map = load_map(path, types=types)
    element, layers = tile_map.enums["Element"], tile_map.enums["Layers"]
    given = {"element": element.fire, "other": element["ice storm"], "layers": layers(5)}
    tile_map.properties.update(given)
    tile_map.properties["list"] = [element.fire]
    tile_map.save(path)
    again = load_map(path, types=types).properties
    assert {name: again[name] for name in given} == given
    assert [type(again[name]) for name in given] == [element, element, layers]
    assert dict(again.types) == {"element": "Element", "other": "Element", "layers": "Layers"}
    assert path.read_text().count('propertytype"' if suffix == "tmj" else "propertytype=") == 4


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_another_class_leaves_no_defaults_of_the_class_before(tmp_path, types, suffix):
    path = tmp_path / f"map.{suffix}"
    made = TileMap.new(2, 2, (16, 16), types=types)
    layer = made.add_object_layer("o")
    first = layer.add_object("point", 1, 1, class_name="Stats")
    layer.add_object("point", 1, 2, class_name="Stats", properties={"hp": 8, "own": 1})
    made.save(path)
    tile_map = load_map(path, types=types)
    layer = tile_map.layers[0]
    for item in layer.objects:
        layer.edit_object(item, class_name="Unit")
    inner = {"hp": 9, "script": None, "rank": 1}
    expected = [{"stats": inner}, {"hp": 8, "own": 1, "stats": inner}]
    assert [item.properties for item in sorted(layer.objects, key=lambda one: one.id)] == expected
    tile_map.save(path)
    again = load_map(path, types=types)
    assert [again.object(number).properties for number in (1, 2)] == expected
    assert "script" not in path.read_text()
    for item in layer.objects:
        layer.edit_object(item, class_name="")
    tile_map.save(path)
    again = load_map(path, types=types)
    assert [again.object(number).properties for number in (1, 2)] == [{}, {"hp": 8, "own": 1}]
    again.object(1).class_name = "Stats"
    again.object(1).properties["own"] = 2
    again.save(path)
    expected = {"hp": 5, "script": None, "rank": 1, "own": 2}
    assert load_map(path, types=types).object(1).properties == expected
    made.layers[0].edit_object(first, class_name="Unit")
    assert first.properties == {"stats": inner}


@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
def test_another_class_of_a_tile_leaves_no_defaults_of_the_class_before(tmp_path, types, suffix):
    path = tmp_path / f"map.{suffix}"
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(2, 2, (16, 16), types=types)
    tiles = made.add_tileset(tmp_path / "tiles.png")
    shown = made.add_object_layer("o").add_object("tile", 1, 1, gid=2)
    tiles.edit_tile(1, class_name="Stats", properties={"hp": 8, "own": 1})
    tiles.edit_tile(2, class_name="Stats")
    for tile_map in (made, None):
        tile_map = tile_map or load_map(path, types=types)
        tiles = tile_map.tilesets[0]
        tiles.edit_tile(1, class_name="Unit")
        tiles.edit_tile(2, class_name="")
        inner = {"hp": 9, "script": None, "rank": 1}
        assert tiles.tile_properties(1) == {"hp": 8, "own": 1, "stats": inner}
        assert tile_map.objects()[0].properties == tiles.tile_properties(1)
        assert tiles.tile_properties(2) == {}
        tile_map.save(path)
        again = load_map(path, types=types).tilesets[0]
        assert [again.tile_properties(n) for n in (1, 2)] == [tiles.tile_properties(1), {}]
        tiles.edit_tile(1, class_name="Stats")
        tiles.edit_tile(2, class_name="Stats")
        assert tiles.tile_properties(2) == {"hp": 5, "script": None, "rank": 1}
        tile_map.save(path)
    assert shown.class_name == "Stats"


def test_an_object_with_a_class_of_its_own_has_no_members_of_the_class_of_its_tile(tmp_path, types):
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(2, 2, (16, 16), types=types)
    tiles = made.add_tileset(tmp_path / "tiles.png")
    tiles.edit_tile(1, class_name="Stats", properties={"hp": 8})
    layer = made.add_object_layer("o")
    added = layer.add_object("tile", 1, 1, gid=2, class_name="boss")
    edited_one = layer.add_object("point", 1, 1, class_name="boss")
    layer.edit_object(edited_one, shape="tile", gid=2)
    followed = layer.add_object("tile", 1, 1, gid=3, class_name="boss")
    tiles.edit_tile(2, class_name="Stats", properties={"own": 1})
    made.save(tmp_path / "map.tmx")
    again = load_map(tmp_path / "map.tmx", types=types)
    for item in (added, edited_one, followed):
        assert item.properties == ({"own": 1} if item is followed else {"hp": 8})
        assert again.object(item.id).properties == item.properties
