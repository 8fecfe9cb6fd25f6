"""Ids, groups, and the attributes of the map and of its tilesets, from XML and JSON alike."""

from __future__ import annotations

import pytest

from tests.tmx import (
    TILESET,
    csv_layer,
    tileset_of_json,
    tileset_of_xml,
    write_json,
    write_map,
)
from tilequad.tiled import Group, MapError, Transformations, load_map

# -- ids --


def test_layers_and_objects_without_an_id_are_numbered_in_the_order_of_the_file(tmp_path):
    """As Tiled does: a group before its layers, objects as written, ids in use not avoided."""
    path = write_map(
        tmp_path,
        TILESET,
        csv_layer("ground", [[1]], 'id="1"'),
        '<group name="outer"><objectgroup name="o"><object x="1" y="50"/><object x="1" y="2"/>'
        '<object id="1" x="9" y="9"/><object id="0" x="4" y="4"/></objectgroup></group>',
        '<objectgroup name="p"><object/><object id="9"/><object id=""/></objectgroup>',
    )
    tile_map = load_map(path)
    ground, first, second = tile_map.layers
    assert [ground.id, first.groups[0].id, first.id, second.id] == [1, 1, 2, 3]
    assert {(item.y, item.id) for item in first.objects} == {(-2, 1), (46, 2), (39, 1), (44, 3)}
    assert [item.id for item in second.objects] == [4, 9, 5]
    assert tile_map.object(5) is second.objects[2]
    assert [item.id for item in tile_map.tmx.get_layer_by_name("p")] == [4, 9, 5]


def test_numbers_go_on_where_the_map_says(tmp_path):
    layers = '<layer name="a"/><objectgroup name="o" id="3"><object/></objectgroup>'
    path = write_map(tmp_path, layers, attributes='nextlayerid="7" nextobjectid="40"')
    tile_map = load_map(path)
    assert [layer.id for layer in tile_map.layers] == [7, 3]
    assert [item.id for item in tile_map.objects()] == [40]


def test_ids_of_json_maps_are_numbered_too(tmp_path):
    objects = [{"x": 0, "y": 0}, {"x": 0, "y": 0, "id": 0}]
    layers = [{"type": "group", "layers": [{"type": "objectgroup", "objects": objects}]}]
    path = write_json(tmp_path, {"layers": layers, "nextobjectid": 5})
    [layer] = load_map(path).layers
    assert (layer.groups[0].id, layer.id) == (1, 2)
    assert [item.id for item in layer.objects] == [5, 6]


def test_an_id_that_is_not_a_number_is_a_warning(tmp_path):
    path = write_map(tmp_path, '<objectgroup name="o"><object id="x"/></objectgroup>')
    tile_map = load_map(path)
    assert [item.id for item in tile_map.objects()] == [1]
    assert len(tile_map.warnings) == 1
    with pytest.raises(MapError, match="id='x'"):
        load_map(path, strict=True)


# -- groups, and the map itself --


def test_groups_have_properties(tmp_path):
    solid = '<properties><property name="solid" type="bool" value="true"/></properties>'
    path = write_map(
        tmp_path,
        f'<group name="outer" id="4" class="area">{solid}'
        '<layer name="a"/><group name="inner"><layer name="b"/></group></group>'
        '<group name="outer"><layer name="c"/></group>',
    )
    a, b, c = load_map(path).layers
    [outer] = a.groups
    assert isinstance(outer, Group)
    assert (outer.name, outer.id, outer.class_name) == ("outer", 4, "area")
    assert outer.properties == {"solid": True}
    assert b.groups[0] is outer
    assert (b.groups[1].name, b.groups[1].properties) == ("inner", {})
    assert c.groups[0] is not outer
    assert (a.properties, c.groups[0].properties) == ({}, {})


def test_the_settings_of_a_grid_are_attributes_of_the_map(tmp_path):
    usual = load_map(write_map(tmp_path))
    assert (usual.render_order, usual.stagger_axis, usual.stagger_index) == (
        *("right-down", "y", "odd"),
    )
    assert (usual.hex_side_length, usual.skew) == (0, (0, 0))
    attributes = (
        'orientation="hexagonal" hexsidelength="7" staggeraxis="x" staggerindex="even" '
        'renderorder="left-up"'
    )
    hexagonal = load_map(write_map(tmp_path, attributes=attributes))
    assert (hexagonal.stagger_axis, hexagonal.stagger_index) == ("x", "even")
    assert (hexagonal.hex_side_length, hexagonal.render_order) == (7, "left-up")
    odd = 'orientation="oblique" skewx="3" skewy="-4" staggeraxis="z" renderorder="up"'
    oblique = load_map(write_map(tmp_path, attributes=odd))
    assert (oblique.skew, oblique.stagger_axis, oblique.render_order) == (
        (3, -4),
        "y",
        "right-down",
    )
    path = write_json(tmp_path, {"orientation": "staggered", "staggeraxis": "x"})
    assert load_map(path).stagger_axis == "x"


# -- tilesets --


def test_a_tileset_has_a_class_transformations_and_probabilities(tmp_path):
    tileset = tileset_of_xml(
        tmp_path,
        '<transformations hflip="1" vflip="0" rotate="1" preferuntransformed="1"/>'
        '<tile id="2" probability="0.25"/><tile id="3" probability="0"/>',
        'class="terrain"',
    )
    assert tileset.class_name == "terrain"
    assert tileset.transformations == Transformations(True, False, True, True)
    assert [tileset.tile_probability(number) for number in range(4)] == [1, 1, 0.25, 0]
    same = tileset_of_json(
        tmp_path,
        **{"class": "terrain"},
        transformations={
            "hflip": True,
            "vflip": False,
            "rotate": True,
            "preferuntransformed": True,
        },
        tiles=[{"id": 2, "probability": 0.25}, {"id": 3, "probability": 0}],
    )
    assert (same.class_name, same.transformations) == ("terrain", tileset.transformations)
    assert [same.tile_probability(number) for number in range(4)] == [1, 1, 0.25, 0]
    assert tileset_of_xml(tmp_path, "").transformations == Transformations()


def test_the_number_of_tiles_of_a_collection_with_gaps(tmp_path):
    tiles = "".join(
        f'<tile id="{number}"><image source="tiles.png" width="32" height="32"/></tile>'
        for number in (2, 5, 40)
    )
    text = f'<tileset firstgid="1" name="c" tilewidth="32" tileheight="32">{tiles}</tileset>'
    tile_map = load_map(write_map(tmp_path, text, csv_layer("g", [[41, 5]])))
    collection = tile_map.tilesets[0]
    assert (collection.tile_count, collection.columns) == (3, 0)
    assert [collection.has_tile(number) for number in (0, 2, 3, 40, 41)] == [
        *(False, True, False, True, False),
    ]
    assert [collection.has_image(number) for number in (2, 3)] == [True, False]
    boxes = tile_map.layer("g").boxes([0, 1])
    assert (boxes[:, 2:] - boxes[:, :2]).tolist() == [[32, 32], [16, 16]]


def test_properties_of_collision_shapes_of_old_maps_are_those_of_the_tile(tmp_path):
    def properties(*pairs: tuple[str, str]) -> str:
        text = "".join(f'<property name="{name}" value="{value}"/>' for name, value in pairs)
        return f"<properties>{text}</properties>"

    group = f"<objectgroup>{properties(('a', 'old'), ('b', 'old'))}</objectgroup>"
    tile = f'<tile id="0">{properties(("a", "own"))}{group}</tile>'
    assert tileset_of_xml(tmp_path, tile).tile_properties(0) == {"a": "own", "b": "old"}
