"""Tiles that their tileset lacks, and tilesets and images that are not there, as in Tiled."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import numpy as np
import pytest
from PIL import Image

from tests.tmx import TILESET, csv_layer, write_map
from tilequad.draw.pillow import finished_tiles, render
from tilequad.tiled import TileMap, load_map

LAST = 0x0FFFFFFF  # the highest gid
WIDE = (
    '<tileset firstgid="1" name="wide" tilewidth="32" tileheight="16" tilecount="2" columns="1">'
    '<image source="tiles.png" width="32" height="32"/><tileoffset x="3" y="5"/></tileset>'
)
COLLECTION = (
    '<tileset firstgid="1" name="c" tilewidth="32" tileheight="32" tilecount="9" columns="0">'
    '<tile id="0"><image source="tiles.png" width="32" height="32"/></tile>'
    '<tile id="7"><image source="tiles.png" width="32" height="32"/></tile></tileset>'
)


def pixels(tile_map: TileMap, box: tuple[float, float, float, float]) -> list[list[int]]:
    return np.asarray(render(tile_map, box)).reshape(-1, 4).tolist()


@pytest.mark.parametrize("tileset", [TILESET, WIDE, COLLECTION])
@pytest.mark.parametrize("gid", [9, 99, LAST])
def test_a_gid_beyond_the_last_tile_is_a_marker_in_its_cell(tmp_path, tileset, gid):
    path = write_map(tmp_path, tileset, csv_layer("ground", [[gid, gid | 1 << 31, 0, 1]]))
    tile_map = load_map(path, y_up=False)
    ground = tile_map.layer("ground")
    assert tile_map.warnings == [f"{path}: layer 'ground': tiles whose tileset lacks their gid: 2"]
    assert ground.gids(ground.ids()).tolist() == [gid, gid, 1]
    assert ground.flags([0, 1]).tolist() == [0, 8]
    assert ground.boxes([0, 1]).tolist() == [[0, 0, 16, 16], [16, 0, 32, 16]]
    assert ground.query((10, 4, 11, 5)).tolist() == [0]
    assert tile_map.tileset_of(gid) is tile_map.tilesets[0]
    assert not tile_map.tilesets[0].has_tile(gid - 1)
    assert tile_map.tilesets[0].image_source(gid - 1) is None
    assert ground.collision_shapes(0) == []
    assert pixels(tile_map, (0, 0, 16, 16)) == pixels(missing(tmp_path), (0, 0, 16, 16))
    assert tile_map.tmx.tiledgidmap[tile_map.tmx.get_tile_gid(0, 0, 0)] == gid


def missing(folder: Path) -> TileMap:
    """A map whose only tile has no tileset file."""
    folder = folder / "missing"
    folder.mkdir()
    lost = '<tileset firstgid="1" source="lost.tsx"/>'
    return load_map(write_map(folder, lost, csv_layer("g", [[1]])), y_up=False)


@pytest.mark.parametrize("smaller", [2, 4, 8, 16])
def test_a_small_marker_is_the_mean_of_a_large_one(tmp_path, smaller):
    tile_map = missing(tmp_path)
    large = render(tile_map, (0, 0, 16, 16)).convert("RGBa").reduce(smaller)
    small = render(tile_map, (0, 0, 16, 16), 1 / smaller).convert("RGBa")
    assert small.size == large.size == (16 // smaller, 16 // smaller)
    assert abs(np.asarray(small, int) - np.asarray(large, int)).max() <= 2
    assert render(tile_map, scale=1e-300).size == (1, 1)


def test_a_gid_beyond_the_last_tile_can_be_set_like_any_other(tmp_path):
    tile_map = load_map(write_map(tmp_path, WIDE, csv_layer("g", [[1, 2, 1, 2]])), y_up=False)
    ground = tile_map.layer("g")
    chosen, every = ground.select(class_name="none"), ground.select()
    ground.set_tile(1, 0, LAST)
    ground.set_tiles([(2, 0), (3, 0)], [3, 0])
    assert ground.gids(range(4)).tolist() == [1, LAST, 3, 0]
    assert ground.boxes([0, 1, 2]).tolist() == [[3, 5, 35, 21], [16, 0, 32, 16], [32, 0, 48, 16]]
    assert ground.query((17, 1, 18, 2)).tolist() == [1]
    assert (len(chosen), every.ids.tolist()) == (0, [0, 1, 2])
    again = load_map(write_map(tmp_path, WIDE, csv_layer("g", [[1, LAST, 3, 0]])), y_up=False)
    assert again.layer("g").boxes([0, 1, 2]).tolist() == ground.boxes([0, 1, 2]).tolist()


@pytest.mark.parametrize("gid", [-1, 0, 4, LAST + 1, 1 << 32])
def test_other_gids_are_refused(tmp_path, gid):
    late = TILESET.replace('firstgid="1"', 'firstgid="5"')
    tile_map = load_map(write_map(tmp_path, late, csv_layer("g", [[5, 6]])))
    ground = tile_map.layer("g")
    with pytest.raises(KeyError):
        ground.set_tile(0, 0, gid)
    if gid:
        with pytest.raises(KeyError):
            ground.set_tiles([(1, 0), (0, 0)], [5, gid])
    with pytest.raises(KeyError):
        tile_map.tileset_of(gid)
    assert ground.gids([0, 1]).tolist() == [5, 6]


def test_a_tile_object_beyond_the_last_tile_has_the_size_that_the_map_says(tmp_path):
    sized = '<object id="1" gid="50" x="20" y="40" width="8" height="10"/>'
    items = sized + '<object id="2" gid="50" x="20" y="40"/>'
    layer = f'<objectgroup name="o" draworder="index">{items}</objectgroup>'
    tile_map = load_map(write_map(tmp_path, WIDE, layer), y_up=False)
    assert [list(item.bounds) for item in tile_map.objects()] == [
        [20, 30, 28, 40],
        [20, 40, 20, 40],
    ]


def test_tiles_of_an_image_that_has_grown_are_drawn(tmp_path):
    """Neither the number of tiles nor the size of the image says so."""
    tileset = WIDE.replace('tilecount="2"', 'tilecount="1"').replace(
        'height="32"/>', 'height="16"/>'
    )
    path = write_map(tmp_path, tileset, csv_layer("g", [[2, 0, 0, 3]]))
    tile_map = load_map(path, y_up=False)
    ground = tile_map.layer("g")
    assert tile_map.warnings == [f"{path}: layer 'g': tiles whose tileset lacks their gid: 1"]
    assert tile_map.tilesets[0].tile_count == 1
    assert ground.boxes([0, 3]).tolist() == [[3, 5, 35, 21], [48, 0, 64, 16]]
    source = tile_map.tilesets[0].image_source(1)
    assert source is not None
    assert source[1:] == (0, 16, 32, 16)


def test_an_absolute_path_is_a_marker(tmp_path):
    tileset = TILESET.replace('"tiles.png"', '"/art/tiles.png"')
    lost = '<tileset firstgid="11" source="C:\\art\\more.tsx"/>'
    item = '<object id="1" gid="11" x="0" y="32" width="8" height="9"/>'
    layers = csv_layer("g", [[1, 11, 19]]), f'<objectgroup name="o">{item}</objectgroup>'
    path = write_map(tmp_path, tileset, lost, *layers)
    tile_map = load_map(path, y_up=False)
    assert tile_map.warnings == [
        f"{path}: tileset 'tiles': refers to '/art/tiles.png', which is not relative to the map",
        f"{path}: a tileset: refers to 'C:\\\\art\\\\more.tsx', which is not relative to the map",
    ]
    more = tile_map.tilesets[1]
    assert (more.name, more.path, more.missing) == ("more", None, True)
    assert tile_map.layer("g").boxes([1, 2]).tolist() == [[16, 0, 32, 16], [32, 0, 48, 16]]
    assert list(tile_map.object(1).bounds) == [0, 23, 8, 32]
    picture = np.asarray(render(tile_map, (0, 0, 16, 16)))
    assert picture.reshape(-1, 4).tolist() == pixels(missing(tmp_path), (0, 0, 16, 16))


def test_a_template_may_name_its_tileset_absolutely(tmp_path):
    (tmp_path / "chest.tx").write_text(
        '<template><tileset firstgid="1" source="/art/chests.tsx"/>'
        '<object name="chest" gid="2" width="8" height="9"/></template>'
    )
    items = '<object template="chest.tx" x="0" y="9"/>' * 2
    tile_map = load_map(write_map(tmp_path, TILESET, f"<objectgroup>{items}</objectgroup>"))
    assert [tileset.name for tileset in tile_map.tilesets] == ["tiles", "chests"]
    assert [item.gid for item in tile_map.objects()] == [6, 6]
    assert len(tile_map.warnings) == 1


def test_a_marker_follows_the_picture_that_comes_back(tmp_path):
    path = write_map(tmp_path, WIDE, csv_layer("g", [[1, 1]]))
    (tmp_path / "tiles.png").unlink()
    assert load_map(path, y_up=False).layer("g").boxes([0]).tolist() == [[0, 0, 16, 16]]
    Image.new("RGBA", (32, 32)).save(tmp_path / "tiles.png")
    assert load_map(path, y_up=False).layer("g").boxes([0]).tolist() == [[3, 5, 35, 21]]


def test_a_map_with_an_unreadable_image_is_freed_after_it_was_drawn(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("g", [[1, 2]]))
    (tmp_path / "tiles.png").write_bytes(b"no picture")
    tile_map = load_map(path)
    for _ in range(2):
        render(tile_map)
    assert "is not an image" in tile_map.warnings[0]
    gone = ref(tile_map)
    del tile_map
    gc.collect()
    assert gone() is None


def test_a_turned_tile_without_a_size_shows_no_pixel():
    for box in ((0.5, 0.5, 2.5, 0.5), (0.5, 0.5, 0.5, 2.5)):
        sources = finished_tiles._sources((4, 5), 2, (3, 3), box)
        assert sources.tolist() == [[20] * 3] * 3
