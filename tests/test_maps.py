"""maps/: the files are what the scripts make, and the map is what the demo needs."""

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

from tilequad.tiled import ObjectLayer, TileLayer, TileMap, load_map

MAPS = Path(__file__).resolve().parent.parent / "maps"
KEPT = ("*.png", "*.tsx", "*.tmx")
PICTURES = sorted(MAPS.glob("*.png"))
TILESETS = sorted(MAPS.glob("*.tsx"))
# The last bit of a sine differs between machines; it may tip a colour over into its next step.
STEP, STRAYS = 8, 0.001


@pytest.fixture(scope="module")
def world() -> TileMap:
    return load_map(MAPS / "frontier.tmx")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the two scripts write."""
    folder = tmp_path_factory.mktemp("maps")
    for script in ("draw_art.py", "make_frontier.py"):
        subprocess.run(
            [sys.executable, str(MAPS / script), "--out", str(folder)],
            check=True,
            capture_output=True,
        )
    return folder


# -- the scripts make the files --


def test_scripts_write_exactly_the_files_that_are_kept(made: Path) -> None:
    kept = {path.name for pattern in KEPT for path in MAPS.glob(pattern)}

    assert kept == {path.name for path in made.iterdir()}


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_picture_is_what_the_script_draws(path: Path, made: Path) -> None:
    kept, drawn = (
        np.asarray(Image.open(folder / path.name).convert("RGBA"), int) for folder in (MAPS, made)
    )

    assert kept.shape == drawn.shape
    differs = (np.abs(kept - drawn) > STEP).any(axis=2)
    assert differs.mean() <= STRAYS


@pytest.mark.parametrize("path", TILESETS, ids=lambda path: path.name)
def test_tileset_is_what_the_script_writes(path: Path, made: Path) -> None:
    assert (made / path.name).read_text() == path.read_text()


def test_map_is_what_the_script_makes(made: Path) -> None:
    # Compression may differ from zlib to zlib, so layers are compared unpacked.
    assert contents(made / "frontier.tmx") == contents(MAPS / "frontier.tmx")


def contents(path: Path) -> list[tuple[str, dict[str, str], bytes]]:
    """Every element of a map with its attributes, and the cells of layers."""
    return [
        (
            element.tag,
            dict(element.attrib),
            zlib.decompress(base64.b64decode(element.text or "")) if element.tag == "data" else b"",
        )
        for element in ET.parse(path).getroot().iter()
    ]


# -- the map is what the demo needs --


def test_map_is_small_on_disk_and_large_in_the_world(world: TileMap) -> None:
    files = [path for path in MAPS.iterdir() if path.suffix in (".png", ".tsx", ".tmx")]

    assert sum(path.stat().st_size for path in files) < 1 << 20
    assert world.size == (256, 256)
    assert world.tile_size == (32, 32)
    assert world.bounds == (0, 0, 8192, 8192)
    assert world.warnings == []


def test_layers_lie_in_the_promised_order(world: TileMap) -> None:
    assert [layer.name for layer in world.layers] == ["ground", "roads", "decor", "trees", "places"]
    assert [type(layer) for layer in world.layers] == [TileLayer] * 4 + [ObjectLayer]
    assert len(world.layer("ground")) == 256 * 256


def test_trees_are_thousands_and_taller_than_their_cell(world: TileMap) -> None:
    trees = world.layer("trees")
    boxes = trees.boxes(trees.ids())
    sizes = Counter(map(tuple, (boxes[:, 2:] - boxes[:, :2]).astype(int).tolist()))

    assert set(sizes) == {(64, 96), (32, 64)}
    assert len(trees) > 5000
    # A tree stands in the middle of its cell, however wide it is.
    middles = (boxes[:, 0] + boxes[:, 2]) / 2
    assert (middles % 32 == 16).all()


def test_every_tree_holds_wood_and_leaves_a_stump_of_its_size(world: TileMap) -> None:
    for gid in np.unique(world.layer("trees").gids(world.layer("trees").ids())).tolist():
        tileset = world.tileset_of(gid)
        says = tileset.tile_properties(gid - tileset.first_gid)

        assert says["resource"] == "wood"
        assert says["amount"] > 0
        assert "stump" in tileset.tile_class(says["stump"])


def test_ground_is_turned_all_eight_ways(world: TileMap) -> None:
    ground = world.layer("ground")

    assert set(ground.flags(ground.ids()).tolist()) == {0, 2, 4, 6, 8, 10, 12, 14}


def test_open_water_is_solid_and_the_road_is_dry(world: TileMap) -> None:
    ground = world.layer("ground")
    solid = {
        gid
        for gid in np.unique(ground.gids(ground.ids())).tolist()
        if world.tilesets[0].tile_properties(gid - 1).get("solid")
    }
    wet = np.isin(ground.gids(ground.ids()), list(solid))
    roads_layer = world.layer("roads")
    roads = {tuple(cell) for cell in roads_layer.cells(roads_layer.ids()).tolist()}
    (road,) = (item for item in world.layer("places").objects if item.class_name == "road")

    assert 2000 < wet.sum() < 20000
    inside = road.points[(road.points[:, 0] < 8192)]
    for x, y in inside.tolist():
        assert (int(x // 32), 255 - int(y // 32)) in roads


def test_places_are_those_that_the_game_asks_for(world: TileMap) -> None:
    places = world.layer("places").objects
    kinds = Counter(item.class_name for item in places)
    (road,) = (item for item in places if item.class_name == "road")
    (hall,) = (item for item in places if item.class_name == "town_hall")
    door = ((hall.bounds.min_x + hall.bounds.max_x) / 2, hall.bounds.min_y)

    assert road.shape == "polyline"
    assert np.hypot(*(road.points[-1] - door)) < 64
    assert road.points[0][0] == 8192
    assert kinds["tower"] >= 12
    assert kinds["shelter"] >= 8
    assert kinds["drop_off"] >= 4
    assert kinds["resource"] >= 3
    assert kinds["camera"] == 1
    assert {item.shape for item in places} == {"polyline", "point", "tile"}


def test_every_tower_site_sees_the_road(world: TileMap) -> None:
    places = world.layer("places").objects
    (road,) = (item.points for item in places if item.class_name == "road")
    fine = np.concatenate([np.linspace(a, b, 20) for a, b in pairwise(road)])

    for site in (item for item in places if item.class_name == "tower"):
        assert np.hypot(*(fine - (site.x, site.y)).T).min() < 190
