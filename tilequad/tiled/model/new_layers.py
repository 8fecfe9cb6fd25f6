"""What is given for a new layer, checked: its settings and its cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..cells import FARTHEST, FLAG_SHIFT, GID_MASK, CellBlock
from ..checks import whole_array, whole_within
from .frame import MapFrame
from .layer import SETTINGS, LayerAttributes
from .properties import properties_of

__all__ = ["ENCODINGS", "blocks_of", "settings_of"]

ENCODINGS = {
    "csv": ("csv", ""),
    "base64": ("base64", ""),
    "gzip": ("base64", "gzip"),
    "zlib": ("base64", "zlib"),
    "zstd": ("base64", "zstd"),
    "xml": ("", ""),
}
_CHUNK = 16  # columns and rows of a chunk, as in Tiled


def settings_of(name: str, settings: Mapping[str, object]) -> LayerAttributes:
    """Return the own attributes of a new layer or group, with `LayerSettings`."""
    given: dict[str, Any] = {"name": name, **settings}
    properties = properties_of(given.pop("properties", None))
    for key, value in given.items():
        if key not in SETTINGS:
            raise TypeError(f"a layer has no setting {key!r}")
        given[key] = SETTINGS[key](value, key)
    return LayerAttributes(**given, properties=properties)


def blocks_of(
    frame: MapFrame, gids: ArrayLike | None, flags: ArrayLike, column: int, row: int
) -> list[CellBlock]:
    """Return the cells of an array, checked: one block, or the chunks of an infinite map."""
    given = np.zeros((0, 0), np.uint32) if gids is None else gids
    tiles, turns = whole_array(given, "gids"), whole_array(flags, "flags")
    if tiles.ndim != 2:
        raise ValueError(f"gids must have the shape (rows, columns), got {tiles.shape}")
    if turns.shape not in ((), tiles.shape):
        raise ValueError(
            f"flags must have the shape {tiles.shape}, or be one number, got {turns.shape}"
        )
    for wrong in turns[(turns < 0) | (turns > 15)].ravel()[:1].tolist():
        raise ValueError(f"flags must be from 0 to 15, got {wrong}")
    rows, columns = tiles.shape
    most_columns, most_rows = frame.grid.columns, frame.grid.rows
    low = 1 - FARTHEST if frame.infinite else 0
    left = whole_within(column, "column", low, FARTHEST)
    top = whole_within(row, "row", low, FARTHEST)
    if not frame.infinite and (left + columns > most_columns or top + rows > most_rows):
        raise ValueError(
            f"gids must lie inside the {most_columns} x {most_rows} cells of the map, got "
            f"{columns} x {rows} cells from ({left}, {top}) on"
        )
    if not tiles.size:
        return []
    for end in (int(tiles.min()), int(tiles.max())):
        if end:
            frame.tilesets.owner(end)  # so that all fit 28 bits
    raw = tiles.astype(np.uint32)
    lowest = int(raw[raw > 0].min(initial=GID_MASK))
    if lowest < GID_MASK:
        frame.tilesets.owner(lowest)
    raw |= turns.astype(np.uint32) << np.uint32(FLAG_SHIFT)
    whole = CellBlock(left, top, raw)
    return list(_chunks(whole)) if frame.infinite else [whole]


def _chunks(block: CellBlock) -> Iterator[CellBlock]:
    """Cut cells as Tiled does in an infinite map; empty chunks are left out."""
    left, top, raw = block
    rows, columns = raw.shape
    for y in range(top & -_CHUNK, top + rows, _CHUNK):
        band = raw[max(y - top, 0) : y - top + _CHUNK]
        for x in range(left & -_CHUNK, left + columns, _CHUNK):
            part = band[:, max(x - left, 0) : x - left + _CHUNK]
            if part.any():
                chunk = np.zeros((_CHUNK, _CHUNK), np.uint32)
                down, across = max(top - y, 0), max(left - x, 0)
                chunk[down : down + part.shape[0], across : across + part.shape[1]] = part
                yield CellBlock(x, y, chunk)
