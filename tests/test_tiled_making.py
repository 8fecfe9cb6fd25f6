"""Maps that a program makes: read again they are equal, in all orientations and encodings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.test_tiled_saving_corpus import assert_equal, rounded
from tilequad.tiled import TileLayer, TileMap, load_map

GRIDS = [
    {"orientation": "orthogonal"},
    {"orientation": "isometric"},
    {"orientation": "staggered", "stagger_axis": "x", "stagger_index": "even"},
    {"orientation": "hexagonal", "hex_side_length": 6},
    {"orientation": "oblique", "skew": (4, 2)},
]
ENCODINGS = ["csv", "base64", "gzip", "zlib", "zstd", "xml"]


@pytest.fixture
def art(tmp_path) -> Path:
    """An image of eight tiles."""
    path = tmp_path / "art" / "tiles.png"
    path.parent.mkdir()
    Image.new("RGBA", (64, 32), (9, 99, 9, 255)).save(path)
    return path


def filled(art: Path, grid: dict, infinite: bool = False, y_up: bool = True) -> TileMap:
    """A map with tiles, objects, an image and groups."""
    made = TileMap.new(8, 6, (16, 16), infinite=infinite, y_up=y_up, **grid)
    tiles = made.add_tileset(art, class_name="t", properties={"a": 1})
    gids = np.arange(48, dtype=np.uint16).reshape(6, 8) % 9
    made.add_tile_layer("ground", gids, 0, opacity=0.5, offset=(3, -2), tint=(1, 2, 3))
    outer = made.add_group("outer", offset=(10, 5), opacity=0.5, properties={"deep": True})
    inner = made.add_group("inner", group=outer, parallax=(0.5, 1), visible=False)
    made.add_group("empty", group=outer)
    place = {"column": -20, "row": 17} if infinite else {"column": 2, "row": 3}
    flags = np.arange(6).reshape(2, 3)
    made.add_tile_layer("roof", gids[2:4, 3:6], flags, group=inner, **place)
    things = made.add_object_layer("things", group=outer, color=(1, 2, 3, 4))
    for number, shape in enumerate(["rectangle", "ellipse", "capsule", "point"]):
        things.add_object(shape, 5.5 * number, 40 - number, (9, 7), rotation=15 * number)
    things.add_object("polygon", points=[(1, 2), (30, 4), (9, 60)], rotation=40, class_name="c")
    things.add_object("polyline", points=[(1, 2), (30, 4)], properties={"n": 1.5, "l": [1, "a"]})
    things.add_object("tile", 20, 30, gid=tiles.first_gid + 2, flags=8, name="x")
    things.add_object("text", 0, 5, (40, 10), text=' a<b>&"\n c ', opacity=0.5, visible=False)
    made.add_image_layer("sky", art, repeat=(True, False), before=made.layer("ground"))
    return made


@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid["orientation"])
def test_what_was_made_is_read_again(tmp_path, art, grid, infinite):
    for y_up in (True, False):
        made = filled(art, grid, infinite, y_up)
        made.save(tmp_path / "made.tmx")
        again = load_map(tmp_path / "made.tmx", y_up=y_up, strict=True)
        assert [group.name for group in again.groups] == ["outer", "inner", "empty"]
        assert len(made.layer("things")) == 8
        assert_equal(rounded(again), rounded(made))
        before = (tmp_path / "made.tmx").read_bytes()
        made.save(tmp_path / "made.tmx")
        assert (tmp_path / "made.tmx").read_bytes() == before


@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding(tmp_path, art, encoding, infinite):
    made = TileMap.new(40, 30, (16, 16), infinite=infinite)
    made.add_tileset(art)
    gids = np.random.default_rng(1).integers(0, 9, (30, 40))
    made.add_tile_layer("ground", gids, 4, encoding=encoding)
    made.add_tile_layer("like the other")
    made.layer("ground").set_tile(3, 4, 2, 8)
    made.save(tmp_path / "made.tmx")
    text = (tmp_path / "made.tmx").read_text()
    assert text.count(f'="{encoding}"') == (0 if encoding == "xml" else 2)
    ground = load_map(tmp_path / "made.tmx").layer("ground", TileLayer)
    window = ground.gids_in(made.bounds)
    gids[4, 3] = 2
    found = window.gids[-window.row :, -window.column :]  # an infinite map has cells around it
    assert np.array_equal(found[: len(gids), : gids.shape[1]], gids)
    assert set(window.flags[window.gids > 0].tolist()) == {4, 8}


TSX = """<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="tiles" tilewidth="16" tileheight="16" tilecount="8" columns="4">
 <!-- a comment -->
 <image source="art/tiles.png" width="64" height="32"/>
 <tile id="2" type="wall" future="1">
  <objectgroup draworder="index" id="2"><object x="1" y="2" width="3" height="4"/></objectgroup>
 </tile>
 <wangsets><wangset name="w" type="corner" tile="-1"/></wangsets>
</tileset>
"""


@pytest.mark.parametrize("embedded", [False, True])
def test_a_changed_tileset_is_saved(tmp_path, art, embedded):
    path = tmp_path / "tiles.tsx"
    path.write_text(TSX)
    made = TileMap.new(2, 2, (16, 16))
    if embedded:
        tiles = made.add_tileset(art, name="tiles")
        tiles.edit_tile(2, class_name="wall")
        tiles.save(path)
        made.save(tmp_path / "made.tmx")
        made = load_map(tmp_path / "made.tmx")
    else:
        made.add_tileset(path)
    tiles = made.tilesets[0]
    tiles.edit_tile(2, properties={"solid": True}, probability=0.5)
    tiles.edit_tile(5, class_name="é", animation=[(5, 100), (6, 50)])
    tiles.properties["n"], tiles.class_name, tiles.tile_offset = 3, "c", (4, -1)
    tiles.save(tmp_path / "art" / "new.tsx")
    made.save(tmp_path / "made.tmx")
    if not embedded:
        assert path.read_text() == TSX
        tiles.save(path)
        lines = path.read_text().splitlines()
        assert [line for line in TSX.splitlines()[2:] if line not in lines] == [
            ' <tile id="2" type="wall" future="1">'
        ]
    other = TileMap.new(2, 2, (16, 16))
    again = [load_map(tmp_path / "made.tmx").tilesets[0]]
    again += [other.add_tileset(file) for file in (tmp_path / "art" / "new.tsx", path)]
    again = again[: 2 if embedded else 3]
    for one in again:
        assert (one.properties, one.class_name, one.tile_offset) == ({"n": 3}, "c", (4, -1))
        assert (one.tile_class(2), one.tile_properties(2)) == ("wall", {"solid": True})
        assert (one.tile_class(5), one.animation(5)) == ("é", [(5, 100), (6, 50)])
        assert one.tile_probability(2) == 0.5
        assert one.picture is not None
        assert one.picture.path.resolve() == art
        assert len(one.collision_shapes(2)) == (not embedded)


def test_tilesets_of_every_kind(tmp_path, art):
    (tmp_path / "tiles.tsx").write_text(TSX)
    made = TileMap.new(4, 4, (16, 16))
    made.add_tileset(art, tile_size=(16, 16), margin=1, spacing=2, transparent=(1, 2, 3))
    made.add_tileset([art, art], name="both")
    made.add_tileset(tmp_path / "tiles.tsx")
    firsts = [tileset.first_gid for tileset in made.tilesets]
    assert firsts == [1, 4, 6]
    made.add_tile_layer("l", [[1, 4, 5, 6]])
    made.layer("l").set_tile(0, 1, 99)
    assert made.add_tileset(art).first_gid == 100
    made.save(tmp_path / "made.tmx")
    again = load_map(tmp_path / "made.tmx")
    assert_equal(rounded(again), rounded(made))
    assert again.tilesets[0].picture.transparent == (1, 2, 3)
    assert (again.tilesets[0].margin, again.tilesets[0].spacing) == (1, 2)
