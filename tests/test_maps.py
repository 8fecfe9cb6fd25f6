"""The maps folder: its script makes the map, and map and tilesets have what the demo needs."""

import base64
import shutil
import subprocess
import sys
import zlib
from collections import Counter
from math import dist
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from tilequad.ai import Route
from tilequad.tiled import ObjectLayer, TileLayer, load_map

MAPS = Path(__file__).resolve().parent.parent / "maps"
TILESETS = sorted(MAPS.glob("*.tsx"))


@pytest.fixture(scope="module")
def tile_map():
    return load_map(MAPS / "frontier.tmx")


def tiles(tile_map, name):
    """A tile layer by name, and the ids of all its tiles."""
    layer = tile_map.layer(name)
    return layer, layer.ids()


# -- the script --


def test_the_map_is_what_its_script_makes_of_the_plan(tmp_path):
    script, plan = MAPS / "make_frontier.py", MAPS / "frontier-plan.tmx"
    for path in (*TILESETS, *MAPS.glob("*.png"), script, plan):
        shutil.copy(path, tmp_path)
    command = [sys.executable, str(tmp_path / "make_frontier.py")]
    subprocess.run(command, check=True, capture_output=True)

    # Compare layers unpacked: versions of zlib compress differently.
    assert contents(tmp_path / "frontier.tmx") == contents(MAPS / "frontier.tmx")


def contents(path):
    """Every element of a map with its attributes, and the cells of its layers."""
    return [
        (
            element.tag,
            dict(element.attrib),
            zlib.decompress(base64.b64decode(element.text or "")) if element.tag == "data" else b"",
        )
        for element in ET.parse(path).getroot().iter()
    ]


# -- the tilesets --


def elements(name, path):
    """The elements of one kind in a tileset."""
    return list(ET.parse(MAPS / path).getroot().iter(name))


@pytest.mark.parametrize("path", TILESETS, ids=lambda path: path.name)
def test_each_picture_has_the_size_that_its_tileset_declares(path):
    for image in elements("image", path):
        with Image.open(MAPS / image.get("source")) as picture:
            assert picture.size == (int(image.get("width")), int(image.get("height")))


def test_every_picture_belongs_to_a_tileset():
    shown = {image.get("source") for path in TILESETS for image in elements("image", path)}

    assert shown == {path.name for path in MAPS.glob("*.png")}


def test_a_building_has_the_class_of_its_picture():
    for tile in elements("tile", "buildings.tsx"):
        assert f"{tile.get('type')}.png" == tile.find("image").get("source")


def test_every_figure_walks_in_four_directions():
    classes = [tile.get("type") for tile in elements("tile", "people.tsx")]
    walking = {name for name in classes if name[-1].isdigit()}
    figures = {name.rsplit("_", 2)[0] for name in walking}

    assert {"villager_blue", "villager_red", "villager_green", "goblin", "orc"} <= figures
    assert walking == {
        f"{figure}_{direction}_{step}"
        for figure in figures
        for direction in ("down", "left", "right", "up")
        for step in range(3)
    }
    assert len(classes) == len(set(classes))


def test_water_with_three_wet_corners_is_solid_and_nothing_else(tile_map):
    wet = {
        int(tile.get("tileid"))
        for ground, least in (("water", 3), ("deep", 1))
        for terrain_set in elements("wangset", "terrain.tsx")
        if terrain_set.get("name") == ground
        for tile in terrain_set.iter("wangtile")
        if tile.get("wangid").split(",").count("1") >= least
    }
    terrain = tile_map.tilesets[0]
    ids = [int(tile.get("id")) for tile in elements("tile", "terrain.tsx")]

    assert {tile for tile in ids if terrain.tile_properties(tile).get("solid")} == wet


def test_open_water_and_the_sails_of_the_mill_move():
    moving = [
        (tile.get("type"), len(tile.findall("animation/frame")))
        for path in TILESETS
        for tile in elements("tile", path)
        if tile.find("animation") is not None
    ]

    assert sorted(moving) == [("mill", 4), ("water", 4), ("water", 4)]


# -- the map --


def test_the_map_is_large_and_its_files_small(tile_map):
    files = [path for path in MAPS.iterdir() if path.suffix in (".png", ".tsx", ".tmx")]

    assert sum(path.stat().st_size for path in files) < 1 << 20
    assert tile_map.size == (256, 256)
    assert tile_map.tile_size == (32, 32)
    assert tile_map.bounds == (0, 0, 8192, 8192)
    assert tile_map.warnings == []


def test_the_layers_are_in_the_documented_order(tile_map):
    assert [layer.name for layer in tile_map.layers] == [
        "ground",
        "roads",
        "decor",
        "trees",
        "places",
    ]
    assert [type(layer) for layer in tile_map.layers] == [TileLayer] * 4 + [ObjectLayer]
    assert len(tile_map.layer("ground")) == 256 * 256


def test_there_are_thousands_of_trees_taller_than_their_cells(tile_map):
    trees, ids = tiles(tile_map, "trees")
    boxes = trees.boxes(ids)
    sizes = Counter(map(tuple, (boxes[:, 2:] - boxes[:, :2]).astype(int).tolist()))

    assert set(sizes) == {(64, 96), (32, 64)}
    assert len(trees) > 5000
    # Wide and narrow trees are centered on their cells.
    centers = (boxes[:, 0] + boxes[:, 2]) / 2
    assert (centers % 32 == 16).all()


def test_every_tree_holds_wood_and_leaves_a_stump(tile_map):
    for tileset in tile_map.tilesets[1:3]:
        for tile in elements("tile", f"{tileset.name}.tsx"):
            if "stump" not in tile.get("type"):
                properties = tileset.tile_properties(int(tile.get("id")))

                assert properties["resource"] == "wood"
                assert properties["amount"] > 0
                assert "stump" in tileset.tile_class(properties["stump"])


def test_ground_tiles_have_all_eight_orientations(tile_map):
    ground, ids = tiles(tile_map, "ground")

    assert set(ground.flags(ids).tolist()) == {0, 2, 4, 6, 8, 10, 12, 14}


def test_open_water_is_solid_and_the_road_crosses_none(tile_map):
    roads, water = tile_map.layer("roads"), tile_map.layer("ground").select({"solid": True})
    [road] = tile_map.objects(class_name="road")

    assert 2000 < len(water) < 20000
    for x, y in road.points[road.points[:, 0] < 8192].tolist():
        assert roads.gid_of(*roads.cell_at(x, y))


def test_the_map_has_the_places_that_the_demo_needs(tile_map):
    places = tile_map.layer("places").objects
    types = Counter(item.class_name for item in places)
    [road] = tile_map.objects(class_name="road")
    [hall] = tile_map.objects(class_name="town_hall")
    door = hall.bounds.center[0], hall.bounds.min_y

    assert road.shape == "polyline"
    assert np.hypot(*(road.points[-1] - door)) < 64
    assert road.points[0][0] == 8192
    assert types["tower"] >= 12
    assert types["shelter"] >= 8
    assert types["drop_off"] >= 4
    assert types["resource"] >= 3
    assert types["camera"] == 1
    assert {item.shape for item in places} == {"polyline", "point", "tile"}


def test_every_tower_site_is_in_range_of_the_road(tile_map):
    [road] = tile_map.objects(class_name="road")
    way = Route(road.points)

    for site in tile_map.objects(class_name="tower"):
        assert dist(way.at(way.progress(site.x, site.y)), (site.x, site.y)) < 190
