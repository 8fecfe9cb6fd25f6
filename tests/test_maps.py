"""The maps folder: its scripts make its files, and the map has what the demo needs."""

from __future__ import annotations

import base64
import subprocess
import sys
import zlib
from collections import Counter
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from tilequad.tiled import ObjectLayer, TileLayer, load_map

MAPS = Path(__file__).resolve().parent.parent / "maps"
KEPT = ("*.png", "*.tsx", "*.tmx")
PICTURES = sorted(MAPS.glob("*.png"))
TILESETS = sorted(MAPS.glob("*.tsx"))
# The last bit of a sine differs between machines and may change a color by one step.
STEP, OUTLIERS = 8, 0.001


@pytest.fixture(scope="module")
def tile_map():
    return load_map(MAPS / "frontier.tmx")


def tiles(tile_map, name):
    """A tile layer by name, and the ids of all its tiles."""
    layer = tile_map.layer(name)
    return layer, layer.ids()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with all files that the two scripts write."""
    folder = tmp_path_factory.mktemp("maps")
    for script in ("draw_art.py", "make_frontier.py"):
        subprocess.run(
            [sys.executable, str(MAPS / script), "--out", str(folder)],
            check=True,
            capture_output=True,
        )
    return folder


# -- the scripts --


def test_the_scripts_write_exactly_the_files_in_the_folder(made):
    kept = {path.name for pattern in KEPT for path in MAPS.glob(pattern)}

    assert kept == {path.name for path in made.iterdir()}


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_each_picture_is_what_its_script_draws(path, made):
    kept, drawn = (
        np.asarray(Image.open(folder / path.name).convert("RGBA"), int) for folder in (MAPS, made)
    )

    assert kept.shape == drawn.shape
    differs = (np.abs(kept - drawn) > STEP).any(axis=2)
    assert differs.mean() <= OUTLIERS


@pytest.mark.parametrize("path", TILESETS, ids=lambda path: path.name)
def test_each_tileset_is_what_its_script_writes(path, made):
    assert (made / path.name).read_text() == path.read_text()


def test_the_map_is_what_its_script_writes(made):
    # Compare layers unpacked: versions of zlib compress differently.
    assert contents(made / "frontier.tmx") == contents(MAPS / "frontier.tmx")


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
    trees, ids = tiles(tile_map, "trees")
    for gid in np.unique(trees.gids(ids)).tolist():
        tileset = tile_map.tileset_of(gid)
        properties = tileset.tile_properties(gid - tileset.first_gid)

        assert properties["resource"] == "wood"
        assert properties["amount"] > 0
        assert "stump" in tileset.tile_class(properties["stump"])


def test_ground_tiles_have_all_eight_orientations(tile_map):
    ground, ids = tiles(tile_map, "ground")

    assert set(ground.flags(ids).tolist()) == {0, 2, 4, 6, 8, 10, 12, 14}


def test_open_water_is_solid_and_the_road_crosses_none(tile_map):
    ground, ids = tiles(tile_map, "ground")
    roads, road_ids = tiles(tile_map, "roads")
    gids = ground.gids(ids)
    solid = {
        gid
        for gid in np.unique(gids).tolist()
        if tile_map.tilesets[0].tile_properties(gid - 1).get("solid")
    }
    wet = np.isin(gids, list(solid))
    paved = {tuple(cell) for cell in roads.cells(road_ids).tolist()}
    (road,) = (item for item in tile_map.layer("places").objects if item.class_name == "road")

    assert 2000 < wet.sum() < 20000
    inside = road.points[(road.points[:, 0] < 8192)]
    for x, y in inside.tolist():
        assert (int(x // 32), 255 - int(y // 32)) in paved


def test_the_map_has_the_places_that_the_demo_needs(tile_map):
    places = tile_map.layer("places").objects
    types = Counter(item.class_name for item in places)
    (road,) = (item for item in places if item.class_name == "road")
    (hall,) = (item for item in places if item.class_name == "town_hall")
    door = ((hall.bounds.min_x + hall.bounds.max_x) / 2, hall.bounds.min_y)

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
    places = tile_map.layer("places").objects
    (road,) = (item.points for item in places if item.class_name == "road")
    fine = np.concatenate([np.linspace(a, b, 20) for a, b in pairwise(road)])

    for site in (item for item in places if item.class_name == "tower"):
        assert np.hypot(*(fine - (site.x, site.y)).T).min() < 190
