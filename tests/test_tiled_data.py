"""Every way to write the cells of a layer gives the same cells."""

from __future__ import annotations

import base64
import gzip
import zlib
from pathlib import Path

import numpy as np
import pytest
import zstandard

from tilequad.tiled import load_map

from .tmx import TILESET, write_map

RAW = np.array([[1, 0, 3 | 8 << 28], [0, 4, 2 | 15 << 28]], "<u4")


def encoded(data: bytes, compression: str) -> str:
    squeeze = {
        "": bytes,
        "zlib": zlib.compress,
        "gzip": gzip.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }
    return base64.b64encode(squeeze[compression](data)).decode()


def written() -> dict[str, str]:
    """The <data> of RAW in every encoding."""
    csv = "\n".join(",".join(map(str, row)) + "," for row in RAW.tolist())
    ways = {
        "csv": f'<data encoding="csv">\n{csv.rstrip(",")}\n</data>',
        "csv with a trailing comma": f'<data encoding="csv">{csv}</data>',
        "xml": "<data>" + "".join(f'<tile gid="{gid}"/>' for gid in RAW.ravel()) + "</data>",
        "xml without zeros": "<data>"
        + "".join(f'<tile gid="{gid}"/>' if gid else "<tile/>" for gid in RAW.ravel())
        + "</data>",
    }
    for compression in ("", "zlib", "gzip", "zstd"):
        text = encoded(RAW.tobytes(), compression)
        ways[f"base64 {compression}"] = (
            f'<data encoding="base64" compression="{compression}">\n   {text}\n  </data>'
        )
    return ways


@pytest.mark.parametrize("way", written())
def test_every_encoding(tmp_path: Path, way: str) -> None:
    data = written()[way]
    layer = f'<layer name="g" width="3" height="2">{data}</layer>'
    ground = load_map(write_map(tmp_path, TILESET, layer)).layer("g")
    assert ground.cells(slice(None)).tolist() == [[0, 0], [2, 0], [1, 1], [2, 1]]
    assert ground.gids(slice(None)).tolist() == [1, 3, 4, 2]
    assert ground.flags(slice(None)).tolist() == [0, 8, 0, 15]


def test_chunks_of_an_infinite_map_are_joined_in_draw_order(tmp_path: Path) -> None:
    layer = (
        '<layer name="g" width="4" height="3"><data encoding="csv">'
        '<chunk x="0" y="0" width="2" height="2">1,2,3,0</chunk>'
        '<chunk x="-2" y="-1" width="2" height="2">0,4,0,1</chunk></data></layer>'
    )
    world = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"'), y_up=False)
    ground = world.layer("g")
    cells = [[-1, -1], [-1, 0], [0, 0], [1, 0], [0, 1]]
    assert ground.cells(slice(None)).tolist() == cells
    assert ground.gids(slice(None)).tolist() == [4, 1, 1, 2, 3]
    assert ground.boxes([0]).tolist() == [[-16, -16, 0, 0]]
    assert world.infinite
    assert world.bounds == (-256, -256, 256, 256)  # Tiled keeps chunks of 16 x 16 cells


def test_of_two_chunks_that_overlap_the_later_one_counts(tmp_path: Path) -> None:
    layer = (
        '<layer name="g" width="2" height="1"><data encoding="csv">'
        '<chunk x="0" y="0" width="2" height="1">1,2</chunk>'
        '<chunk x="1" y="0" width="1" height="1">3</chunk></data></layer>'
    )
    ground = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"')).layer("g")
    assert ground.gids(slice(None)).tolist() == [1, 3]
