"""Custom properties: their classes and enums, and the defaults of a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tmx import TILESET, csv_layer, write_json, write_map, write_world
from tilequad.tiled import Limits, MapError, TileMap, load_map, load_world


def test_properties_name_their_classes_and_enums(tmp_path, again):
    text = (
        '<properties><property name="element" propertytype="Element" value="fire"/>'
        '<property name="mask" type="int" propertytype="Layers" value="5"/>'
        '<property name="plain" value="x"/>'
        '<property name="stats" type="class" propertytype="Stats"><properties>'
        '<property name="kind" propertytype="Kind" value="a"/></properties></property>'
        '<property name="loot" type="list"><item type="class" propertytype="Gem"/></property>'
        "</properties>"
    )
    properties = load_map(write_map(tmp_path, text)).properties
    assert properties == {
        "element": "fire",
        "mask": 5,
        "plain": "x",
        "stats": {"kind": "a"},
        "loot": [{}],
    }
    assert properties.types == {"element": "Element", "mask": "Layers", "stats": "Stats"}
    assert properties["stats"].types == {"kind": "Kind"}
    assert (properties.class_name, properties["stats"].class_name) == ("", "Stats")
    assert properties["loot"][0].class_name == "Gem"
    same = again(properties)
    assert (same, same.types) == (properties, properties.types)
    assert same["stats"].class_name == "Stats"


def test_properties_of_json_name_their_classes_and_enums(tmp_path):
    members = [
        {"name": "element", "type": "string", "propertytype": "Element", "value": "fire"},
        {"name": "stats", "type": "class", "propertytype": "Stats", "value": {"hp": 1}},
    ]
    properties = load_map(write_json(tmp_path, {"properties": members})).properties
    assert properties.types == {"element": "Element", "stats": "Stats"}
    assert properties["stats"].class_name == "Stats"


def test_the_types_of_properties_are_inherited_with_them(tmp_path):
    (tmp_path / "a.tx").write_text(
        '<template><object gid="1"><properties>'
        '<property name="a" propertytype="Template" value="t"/>'
        '<property name="b" propertytype="Template" value="t"/></properties></object></template>'
    )
    tile = (
        '<tile id="0"><properties><property name="b" propertytype="Tile" value="0"/>'
        '<property name="c" propertytype="Tile" value="0"/></properties></tile>'
    )
    own = '<properties><property name="a" value="own"/></properties>'
    path = write_map(
        tmp_path,
        TILESET.replace("</tileset>", f"{tile}</tileset>"),
        f'<objectgroup><object template="a.tx" gid="1">{own}</object></objectgroup>',
    )
    [item] = load_map(path).objects()
    assert item.properties == {"a": "own", "b": "t", "c": "0"}
    assert item.properties.types == {"b": "Template", "c": "Tile"}


# -- types of a project --

PROJECT = {
    "folders": ["."],
    "propertyTypes": [
        {
            "type": "class",
            "name": "Tower",
            "useAs": ["property", "object", "tile"],
            "members": [
                {"name": "range", "type": "float", "value": 180},
                {"name": "stats", "type": "class", "propertyType": "Stats", "value": {"hp": 9}},
                {"name": "element", "type": "string", "propertyType": "Element", "value": "fire"},
                {"name": "color", "type": "color", "value": "#ff0000"},
            ],
        },
        {
            "type": "class",
            "name": "Stats",
            "members": [
                {"name": "hp", "type": "int", "value": 5},
                {"name": "mana", "type": "float", "value": 1},
                {"name": "tags", "type": "list", "value": [{"type": "int", "value": 3}]},
            ],
        },
        {"type": "enum", "name": "Element", "values": ["fire", "ice"], "storageType": "string"},
        {"type": "class", "name": "Area", "members": [{"name": "size", "type": "int", "value": 4}]},
    ],
}
TOWER = {
    "range": 180.0,
    "stats": {"hp": 9, "mana": 1.0, "tags": [3]},
    "element": "fire",
    "color": (255, 0, 0, 255),
}


def write_project(folder: Path, content: object = PROJECT) -> Path:
    path = folder / "game.tiled-project"
    path.write_text(json.dumps(content))
    return path


def with_types(folder: Path, *parts: str, attributes: str = "") -> TileMap:
    return load_map(write_map(folder, *parts, attributes=attributes), types=write_project(folder))


def test_objects_have_the_members_of_their_class(tmp_path):
    own = '<properties><property name="range" type="float" value="7"/></properties>'
    items = f'<object type="Tower"/><object class="Tower">{own}</object><object type="Other"/>'
    first, second, other = with_types(tmp_path, f"<objectgroup>{items}</objectgroup>").objects()
    assert first.properties == TOWER
    assert first.properties.types == {"stats": "Stats", "element": "Element"}
    assert first.properties["stats"].class_name == "Stats"
    assert isinstance(first.properties["range"], float)
    assert second.properties == {**TOWER, "range": 7.0}
    assert other.properties == {}
    first.properties["stats"]["tags"].append(1)  # nothing is shared
    assert second.properties["stats"]["tags"] == [3]


def test_without_types_a_map_has_what_its_file_says(tmp_path):
    path = write_map(tmp_path, '<objectgroup><object type="Tower"/></objectgroup>')
    assert load_map(path).objects()[0].properties == {}


def test_all_parts_of_a_map_have_the_members_of_their_class(tmp_path):
    shape = '<objectgroup><object type="Area"/></objectgroup>'
    tileset = TILESET.replace("<tileset", '<tileset class="Area"').replace(
        "</tileset>",
        f'<tile id="0" type="Area">{shape}</tile><wangsets><wangset class="Area" tile="0">'
        '<wangcolor class="Area"/></wangset></wangsets></tileset>',
    )
    layers = (
        '<group class="Area"><layer name="a" class="Area"/></group><objectgroup class="Area"/>'
        '<imagelayer class="Area"/><group name="empty" class="Area"/>'
    )
    tile_map = with_types(tmp_path, tileset, layers, attributes='class="Area"')
    [tileset_read] = tile_map.tilesets
    [wang_set] = tileset_read.wang_sets
    parts = [
        tile_map.properties,
        *(layer.properties for layer in tile_map.layers),
        *(group.properties for group in tile_map.groups),
        tileset_read.properties,
        tileset_read.tile_properties(0),
        tileset_read.collision_shapes(0)[0].properties,
        wang_set.properties,
        wang_set.colors[0].properties,
    ]
    assert parts == [{"size": 4}] * 11


def test_a_class_is_only_used_for_what_it_says(tmp_path):
    tile_map = with_types(tmp_path, '<layer name="a" class="Tower"/>')
    assert tile_map.layers[0].properties == {}


def test_a_tile_object_prefers_the_properties_of_its_tile_to_defaults(tmp_path):
    """Its own properties, then its tile's, then the defaults of its own class or its tile's."""
    tile = (
        '<tile id="0" type="Tower"><properties>'
        '<property name="range" type="float" value="1"/></properties></tile>'
        '<tile id="1" type="Tower"/>'
    )
    items = '<object gid="1"/><object gid="1" type="Area"/><object gid="2" type="Area"/>'
    tile_map = with_types(
        tmp_path,
        TILESET.replace("</tileset>", f"{tile}</tileset>"),
        f"<objectgroup>{items}</objectgroup>",
        csv_layer("g", [[1, 2]]),
    )
    assert [item.properties for item in tile_map.objects()] == [
        {**TOWER, "range": 1.0},
        {"range": 1.0, "size": 4},
        {"size": 4},
    ]
    assert tile_map.layer("g").select({"element": "fire"}).ids.tolist() == [0, 1]


def test_values_of_classes_are_completed_wherever_they_are(tmp_path):
    stats = {"type": "class", "propertytype": "Stats", "value": {"mana": 2}}
    tower = {"type": "class", "propertytype": "Tower", "value": {"stats": {"hp": 1}, "range": 3}}
    members = [
        {"name": "main", **stats},
        {"name": "all", "type": "list", "value": [stats, {"type": "list", "value": [tower]}]},
    ]
    path = write_json(tmp_path, {"properties": members})
    properties = load_map(path, types=write_project(tmp_path)).properties
    full = {"hp": 5, "mana": 2.0, "tags": [3]}
    inner = {**TOWER, "range": 3.0, "stats": {"hp": 1, "mana": 1.0, "tags": [3]}}
    assert properties == {"main": full, "all": [full, [inner]]}
    assert isinstance(properties["main"]["mana"], float)
    assert properties["all"][1][0]["stats"].class_name == "Stats"


def test_exported_types_are_read(tmp_path):
    """The list that the editor for custom types exports, and object types of old versions."""
    path = write_map(tmp_path, '<objectgroup><object type="Area"/></objectgroup>')
    new = tmp_path / "types.json"
    new.write_text(json.dumps(PROJECT["propertyTypes"]))
    old = tmp_path / "objecttypes.json"
    member = {"name": "size", "type": "int", "value": 4}
    old.write_text(json.dumps([{"name": "Area", "color": "#ff0000", "properties": [member]}]))
    oldest = tmp_path / "objecttypes.xml"
    oldest.write_text(
        '<objecttypes><objecttype name="Area" color="#ff0000">'
        '<property name="size" type="int" default="4"/></objecttype></objecttypes>'
    )
    for types in (new, old, oldest):
        assert load_map(path, types=types).objects()[0].properties == {"size": 4}


def test_the_maps_of_a_world_take_the_types_of_the_world(tmp_path):
    write_map(tmp_path, '<objectgroup><object type="Area"/></objectgroup>')
    path = write_world(tmp_path, {"maps": [{"fileName": "map.tmx", "x": 0, "y": 0}]})
    world = load_world(path, types=write_project(tmp_path))
    assert world.maps[0].load().objects()[0].properties == {"size": 4}


def test_a_class_that_holds_itself_ends(tmp_path):
    def member(name: str, kind: str) -> dict[str, object]:
        return {"name": name, "type": "class", "propertyType": kind, "value": {}}

    size = {"name": "size", "type": "int", "value": 1}
    types = [
        {"type": "class", "name": "A", "members": [member("a", "A"), member("b", "B"), size]},
        {"type": "class", "name": "B", "members": [member("a", "A"), size]},
    ]
    path = write_map(tmp_path, '<objectgroup><object type="A"/></objectgroup>')
    [item] = load_map(path, types=write_project(tmp_path, types)).objects()
    assert item.properties == {"b": {"size": 1}, "size": 1}


def test_classes_that_hold_others_twice_reach_a_limit(tmp_path):
    def pair(number: int) -> dict[str, object]:
        kinds = {"type": "class", "propertyType": f"C{number + 1}", "value": {}}
        members = [{"name": name, **kinds} for name in "ab"]
        return {"type": "class", "name": f"C{number}", "members": members}

    path = write_map(tmp_path, '<objectgroup><object type="C0"/></objectgroup>')
    types = write_project(tmp_path, [pair(number) for number in range(60)])
    with pytest.raises(MapError, match="limit of 1000 elements"):
        load_map(path, types=types, limits=Limits(elements=1000))
    chain = [pair(number) for number in range(100)]
    for link in chain:
        link["members"] = link["members"][:1]  # type: ignore[index]
    with pytest.raises(MapError, match="classes nest deeper than the limit of 64"):
        load_map(path, types=write_project(tmp_path, chain))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("{", "ends too early"),
        ("[1]", "not in a format of Tiled"),
        ('{"propertyTypes": 3}', "not in a format of Tiled"),
        ('[{"type": "class", "name": "A", "members": 3}]', "not in a format of Tiled"),
        ("<objecttypes>", "ends too early"),
        ("<map/>", "is neither a project nor exported types of Tiled"),
    ],
)
def test_a_file_that_holds_no_types_is_refused(tmp_path, text, reason):
    types = tmp_path / "types.json"
    types.write_text(text)
    with pytest.raises(MapError, match=reason) as caught:
        load_map(write_map(tmp_path), types=types)
    assert caught.value.path == str(types)
    with pytest.raises(MapError, match="no such file"):
        load_map(tmp_path / "map.tmx", types=tmp_path / "lost.json")
