"""Encodings of the cells of a layer."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pytest

from tests.tmx import JSON_MAP, JSON_TILESET, TILESET, write_json, write_map
from tests.tmx_cells import ENCODINGS, attributes_of, chunks_of, data_of
from tilequad.tiled import Limits, MapError, load_map

RAW = [[1, 0, 3 | 8 << 28], [0, 4, 2 | 15 << 28]]


def b64_without_end() -> str:
    squeezed = zlib.compress(np.array([1, 0, 3, 4, 0, 0], "<u4").tobytes())
    assert len(squeezed) % 3
    return base64.b64encode(squeezed).decode().rstrip("=")


def written() -> dict[str, str]:
    """Return the <data> of RAW in every encoding, and as other programs write it."""
    csv = "\n".join(",".join(map(str, row)) + "," for row in RAW)
    ways = {name: f"<data{attributes_of(name)}>{data_of(RAW, name)}</data>" for name in ENCODINGS}
    return {
        **ways,
        "csv with a trailing comma": f'<data encoding="csv">{csv}</data>',
        "xml with zeros": ways["xml"].replace("<tile/>", '<tile gid="0"/>'),
        'base64 compression=""': ways["base64 "].replace(">", ' compression="">', 1),
    }


@pytest.mark.parametrize("way", written())
def test_every_encoding_gives_the_same_cells(tmp_path, way):
    data = written()[way]
    layer = f'<layer name="g" width="3" height="2">{data}</layer>'
    ground = load_map(write_map(tmp_path, TILESET, layer)).layer("g")
    assert ground.cells(ground.ids()).tolist() == [[0, 0], [2, 0], [1, 1], [2, 1]]
    assert ground.gids(ground.ids()).tolist() == [1, 3, 4, 2]
    assert ground.flags(ground.ids()).tolist() == [0, 8, 0, 15]


@pytest.mark.parametrize("data", ["", "<data/>", '<data encoding="csv">\n </data>'])
@pytest.mark.parametrize("infinite", [0, 1])
def test_a_layer_without_data_is_empty(tmp_path, data, infinite):
    """Tiled writes infinite layers like this before the first tile; DotTiled has such a map."""
    layer = f'<layer name="g" width="3" height="2">{data}</layer>'
    tile_map = load_map(write_map(tmp_path, TILESET, layer, attributes=f'infinite="{infinite}"'))
    assert len(tile_map.layer("g")) == 0
    assert sum(len(ids) for _, ids in tile_map.cull(tile_map.bounds)) == 0
    assert tile_map.tmx.get_layer_by_name("g") is not None


def test_an_empty_chunk_is_ignored(tmp_path):
    chunks = (
        '<chunk x="0" y="0" width="16" height="16"/>'
        '<chunk x="16" y="0" width="2" height="1">4,0</chunk>'
    )
    layer = f'<layer name="g" width="3" height="2"><data encoding="csv">{chunks}</data></layer>'
    ground = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"')).layer("g")
    assert ground.cells(ground.ids()).tolist() == [[16, 0]]


@pytest.mark.parametrize(
    ("data", "gids"),
    [
        ("<data><tile gid='1'/><tile/><tile gid='3'/><tile gid='4'/></data>", [1, 3, 4]),
        ('<data encoding="csv">1,,3,\n4,,\n0</data>', [1, 3, 4]),
        (f'<data encoding="base64" compression="zlib">{b64_without_end()}</data>', [1, 3, 4]),
    ],
    ids=["fewer <tile>s", "empty fields", "no padding"],
)
def test_missing_cells_are_empty(tmp_path, data, gids):
    layer = f'<layer name="g" width="3" height="2">{data}</layer>'
    ground = load_map(write_map(tmp_path, TILESET, layer)).layer("g")
    assert ground.gids(ground.ids()).tolist() == gids
    assert ground.cells(ground.ids()).tolist() == [[0, 0], [2, 0], [0, 1]]


def test_tiles_of_several_chunks_come_in_draw_order(tmp_path):
    layer = chunks_of({(0, 0): [[1, 2], [3, 0]], (-2, -1): [[0, 4], [0, 1]]})
    tile_map = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"'), y_up=False)
    ground = tile_map.layer("ground")
    cells = [[-1, -1], [-1, 0], [0, 0], [1, 0], [0, 1]]
    assert ground.cells(ground.ids()).tolist() == cells
    assert ground.gids(ground.ids()).tolist() == [4, 1, 1, 2, 3]
    assert ground.boxes([ground.id_of(-1, -1)]).tolist() == [[-16, -16, 0, 0]]
    assert tile_map.infinite
    assert tile_map.bounds == (-256, -256, 256, 256)  # whole chunks of 16 x 16 cells


def test_the_later_of_two_overlapping_chunks_wins(tmp_path):
    layer = chunks_of({(0, 0): [[1, 2]], (1, 0): [[3]]})
    [ground] = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"')).layers
    assert ground.gids(ground.ids()).tolist() == [1, 3]


@pytest.mark.parametrize("indent", [None, 1, "\t"])
@pytest.mark.parametrize("kind", ["plain", "flipped", "signed", "fractions", "chunks"])
def test_long_lists_of_cells_in_json_are_read_like_short_ones(tmp_path, indent, kind):
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 5, (64, 48))
    written = cells.ravel().tolist()
    if kind in ("flipped", "signed"):
        written = [cell and cell + (8 << 28) - (kind == "signed") * (1 << 32) for cell in written]
    layer = {"type": "tilelayer", "name": "g", "width": 48, "height": 64}
    layer["data"] = [float(cell) for cell in written] if kind == "fractions" else written
    if kind == "chunks":
        chunk = {"x": 0, "y": 0, "width": 48, "height": 64, "data": layer.pop("data")}
        layer["chunks"] = [chunk]
    members = {"width": 48, "height": 64, "tilesets": [JSON_TILESET], "layers": [layer]}
    path = tmp_path / "map.tmj"
    path.write_text(json.dumps({**JSON_MAP, **members}, indent=indent))
    ground = load_map(path).layer("g")
    gids = np.zeros(cells.shape, int)
    gids[tuple(ground.cells(ground.ids()).T[::-1])] = ground.gids(ground.ids())
    assert np.array_equal(gids, cells)
    assert (ground.flags(ground.ids()) == 8 * (kind in ("flipped", "signed"))).all()
    text = path.read_text()
    path.write_text(text[: text.rindex(",", 0, len(text) // 2)])
    with pytest.raises(MapError, match="ends too early"):
        load_map(path)


def test_json_has_a_limit_of_cells_and_of_other_values(tmp_path):
    layer = {"type": "tilelayer", "name": "g", "width": 100, "height": 100, "data": [1] * 10_000}
    content = {"tilesets": [JSON_TILESET], "layers": [layer]}
    path = write_json(tmp_path, content)
    assert len(load_map(path, limits=Limits(cells=10_000)).layer("g")) == 10_000
    with pytest.raises(MapError, match="more cells than the limit of 9000"):
        load_map(path, limits=Limits(cells=9000))
    path = write_json(tmp_path, {**content, "odd": [""] * 900})
    with pytest.raises(MapError, match="more than the limit of 800 values besides cells"):
        load_map(path, limits=Limits(elements=100))
