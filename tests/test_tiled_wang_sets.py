"""Wang sets, and the terrains of old versions, from XML and JSON alike."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tmx import tileset_of_json, tileset_of_xml
from tilequad.tiled import MapError, Properties, WangColor, WangSet

WANG_SETS = """
<wangsets>
 <wangset name="Ground" class="soft" type="mixed" tile="3">
  <properties><property name="wet" type="bool" value="true"/></properties>
  <wangcolor name="Grass" class="green" color="#00ff00" tile="0" probability="1">
   <properties><property name="cost" type="int" value="2"/></properties>
  </wangcolor>
  <wangcolor name="Dirt" color="#80ff0000" tile="-1" probability="0.5"/>
  <wangtile tileid="0" wangid="0,1,0,2,0,1,0,1"/>
  <wangtile tileid="1" wangid="0,0,0,0,0,0,0,0"/>
  <wangtile tileid="3" wangid="1,1,1,1,1,1,1,1"/>
 </wangset>
 <wangset name="Empty" type="edge" tile="-1"/>
</wangsets>
"""


def described(wang_set: WangSet) -> list[Any]:
    return [
        *(wang_set.name, wang_set.class_name, wang_set.type, wang_set.tile, wang_set.properties),
        wang_set.colors,
        [(tile.local_id, *tile.wang_id) for tile in wang_set.tiles],
    ]


GROUND = [
    *("Ground", "soft", "mixed", 3, {"wet": True}),
    (
        WangColor("Grass", (0, 255, 0, 255), 0, 1.0, "green", Properties(cost=2)),
        WangColor("Dirt", (255, 0, 0, 128), -1, 0.5),
    ),
    [(0, 0, 1, 0, 2, 0, 1, 0, 1), (3, 1, 1, 1, 1, 1, 1, 1, 1)],
]
EMPTY = ["Empty", "", "edge", -1, {}, (), []]


def test_wang_sets_are_read(tmp_path):
    sets = tileset_of_xml(tmp_path, WANG_SETS).wang_sets
    assert [described(wang_set) for wang_set in sets] == [GROUND, EMPTY]


def test_wang_sets_of_json_are_read(tmp_path):
    grass = {
        "name": "Grass",
        "class": "green",
        "color": "#00ff00",
        "tile": 0,
        "probability": 1,
        "properties": [{"name": "cost", "type": "int", "value": 2}],
    }
    dirt = {"name": "Dirt", "color": "#80ff0000", "tile": -1, "probability": 0.5}
    ground = {
        "name": "Ground",
        "class": "soft",
        "type": "mixed",
        "tile": 3,
        "properties": [{"name": "wet", "type": "bool", "value": True}],
        "colors": [grass, dirt],
        "wangtiles": [
            {"tileid": 0, "wangid": [0, 1, 0, 2, 0, 1, 0, 1]},
            {"tileid": 3, "wangid": [1.0] * 8},
        ],
    }
    empty = {"name": "Empty", "type": "edge", "tile": -1}
    sets = tileset_of_json(tmp_path, wangsets=[ground, empty]).wang_sets
    assert [described(wang_set) for wang_set in sets] == [GROUND, EMPTY]


@pytest.mark.parametrize(
    ("corners", "edges", "kind", "wang_id"),
    [
        (2, 1, "mixed", (3, 1, 0, 2, 3, 0, 0, 2)),
        (2, 0, "corner", (1, 1, 0, 2, 1, 0, 0, 2)),
        (0, 2, "edge", (1, 1, 0, 2, 1, 0, 0, 2)),
    ],
)
def test_wang_sets_of_old_versions_counted_corners_and_edges_apart(
    tmp_path, corners, edges, kind, wang_id
):
    colors = '<wangcornercolor name="c"/>' * corners + '<wangedgecolor name="e"/>' * edges
    tile = '<wangtile tileid="1" wangid="0x20012011"/>'
    text = f'<wangsets><wangset name="old" tile="0">{colors}{tile}</wangset></wangsets>'
    [wang_set] = tileset_of_xml(tmp_path, text).wang_sets
    assert (wang_set.type, wang_set.tiles[0].wang_id) == (kind, wang_id)
    keyed = {"cornercolors": [{"name": "c"}] * corners, "edgecolors": [{"name": "e"}] * edges}
    tiles = [{"tileid": 1, "wangid": [1, 1, 0, 2, 1, 0, 0, 2]}]
    [same] = tileset_of_json(tmp_path, wangsets=[{**keyed, "wangtiles": tiles}]).wang_sets
    assert (same.type, same.tiles) == (kind, wang_set.tiles)


@pytest.mark.parametrize("wang_id", ["0,1", "0,0,0,0,0,0,0,3", "a,b", "0,0,0,0,0,0,0,-1", "3"])
def test_a_wang_id_that_does_not_fit_is_refused_as_in_tiled(tmp_path, wang_id):
    text = WANG_SETS.replace("0,1,0,2,0,1,0,1", wang_id)
    with pytest.raises(MapError, match=f"tileset 'tiles': the Wang id '{wang_id}' does not fit"):
        tileset_of_xml(tmp_path, text)


def test_terrains_of_old_versions_are_a_wang_set(tmp_path):
    cost = '<properties><property name="cost" type="int" value="2"/></properties>'
    text = (
        f'<terraintypes><terrain name="Grass" tile="3">{cost}</terrain>'
        '<terrain name="Dirt" tile="0"/></terraintypes>'
        '<tile id="0" terrain="0,1,,0"/><tile id="1" terrain=",,,"/><tile id="2" terrain="9,,,"/>'
    )
    expected = [
        *("Terrains", "", "corner", -1, {}),
        (
            WangColor("Grass", (255, 0, 0, 255), 3, 1.0, "", Properties(cost=2)),
            WangColor("Dirt", (0, 255, 0, 255), 0, 1.0),
        ),
        [(0, 0, 2, 0, 1, 0, 0, 0, 1)],
    ]
    [terrains] = tileset_of_xml(tmp_path, text).wang_sets
    assert described(terrains) == expected
    both = tileset_of_xml(tmp_path, text + WANG_SETS).wang_sets
    assert [wang_set.name for wang_set in both] == ["Terrains", "Ground", "Empty"]
    [same] = tileset_of_json(
        tmp_path,
        terrains=[
            {
                "name": "Grass",
                "tile": 3,
                "properties": [{"name": "cost", "type": "int", "value": 2}],
            },
            {"name": "Dirt", "tile": 0},
        ],
        tiles=[{"id": 0, "terrain": [0, 1, -1, 0]}, {"id": 2, "terrain": [9, -1, -1, -1]}],
    ).wang_sets
    assert described(same) == expected


def test_the_terrains_of_old_versions_have_the_colors_that_tiled_gives_them(tmp_path):
    terrains = "".join(f'<terrain name="{number}" tile="0"/>' for number in range(17))
    text = f'<terraintypes>{terrains}</terraintypes><tile id="0" terrain="16,,,"/>'
    [found] = tileset_of_xml(tmp_path, text).wang_sets
    assert [color.color for color in found.colors[:4]] == [
        *((255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255), (255, 119, 0, 255))
    ]
    assert [color.color for color in found.colors[14:]] == [(14, 122, 70, 255), None, None]
    assert found.tiles[0].wang_id[7] == 17
