"""Layers of small maps with their cells in every encoding, whole or in chunks."""

from __future__ import annotations

import base64
import gzip
import zlib
from collections.abc import Sequence

import numpy as np

from tests.zstd import compress

__all__ = ["ENCODINGS", "PACKERS", "attributes_of", "chunks_of", "data_of", "layer_of"]

Cells = Sequence[Sequence[int]]  # raw cells by row, with their flip bits
PACKERS = {"": bytes, "zlib": zlib.compress, "gzip": gzip.compress, "zstd": compress}
ENCODINGS = ["csv", "xml", *(f"base64 {name}" for name in PACKERS)]


def data_of(cells: Cells, encoding: str) -> str:
    """Cells in any encoding, as <data> holds them."""
    raw = [cell for row in cells for cell in row]
    if encoding == "csv":
        return "\n" + ",\n".join(",".join(map(str, row)) for row in cells) + "\n"
    if encoding == "xml":
        return "".join(f'<tile gid="{cell}"/>' if cell else "<tile/>" for cell in raw)
    packed = PACKERS[encoding.split(" ")[1]](np.array(raw, "<u4").tobytes())
    return f"\n      {base64.b64encode(packed).decode()}\n    "


def attributes_of(encoding: str) -> str:
    """What <data> says of an encoding."""
    name, _, compression = encoding.partition(" ")
    packed = f' compression="{compression}"' if compression else ""
    return "" if name == "xml" else f' encoding="{name}"{packed}'


def layer_of(cells: Cells, encoding: str, name: str = "ground") -> str:
    """A <layer> with its cells in one piece."""
    size = f'width="{len(cells[0])}" height="{len(cells)}"'
    data = f"<data{attributes_of(encoding)}>{data_of(cells, encoding)}</data>"
    return f'\n <layer name="{name}" {size}>\n  {data}\n </layer>\n'


def chunks_of(
    chunks: dict[tuple[int, int], Cells], encoding: str = "csv", name: str = "ground"
) -> str:
    """A <layer> with its cells in chunks, by the column and the row where each begins."""
    parts = [
        f'   <chunk x="{x}" y="{y}" width="{len(cells[0])}" height="{len(cells)}">'
        f"{data_of(cells, encoding)}</chunk>\n"
        for (x, y), cells in chunks.items()
    ]
    data = f"<data{attributes_of(encoding)}>\n{''.join(parts)}  </data>"
    return f'\n <layer name="{name}" width="16" height="16">\n  {data}\n </layer>\n'
