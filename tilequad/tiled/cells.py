"""Arrays of cells: each number combines the gid of a tile with its flip bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FARTHEST",
    "FLAG_SHIFT",
    "FLIPPED_DIAGONALLY",
    "FLIPPED_HORIZONTALLY",
    "FLIPPED_VERTICALLY",
    "GID_MASK",
    "ROTATED_HEXAGONAL_120",
    "CellBlock",
    "Ids",
    "distinct",
    "highest_gid",
]

# The numbers are those of https://doc.mapeditor.org/en/stable/reference/global-tile-ids/
GID_MASK = 0x0FFFFFFF  # the lower 28 bits of a cell name the tile
FLAG_SHIFT = 28  # the upper four bits flip or rotate the tile
FLIPPED_HORIZONTALLY = 8  # the flag that mirrors a tile left to right
FLIPPED_VERTICALLY = 4  # the flag that mirrors it top to bottom
FLIPPED_DIAGONALLY = (
    2  # the flag that swaps the axes of a tile; in hexagonal maps it rotates a tile by 60 degrees
)
ROTATED_HEXAGONAL_120 = 1  # the flag that rotates a hexagonal tile by another 120 degrees

# Cells are kept in 32 bits, and isometric maps add and double their columns and rows.
FARTHEST = 1 << 29

# Counting cells by value is faster than sorting them, as long as the values fit a small table.
_TABLE = 1 << 22

# numpy takes eight bytes and more for each cell, so a layer is counted in parts of this size.
_PART = 1 << 18

# Ids of tiles or objects, as a query returns them.
Ids: TypeAlias = NDArray[np.integer[Any]] | Sequence[int]


class CellBlock(NamedTuple):
    """A rectangle of cells: a whole layer, or one chunk of an infinite map."""

    left: int  #: the first column
    top: int  #: the first row
    raw: NDArray[np.uint32]  #: (rows, columns), flip bits and gid in one number, as in the file


def distinct(raw: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the distinct values of some cells, ascending, and how often each occurs."""
    flags = int(raw.max(initial=0)) >> FLAG_SHIFT
    high = highest_gid(raw).bit_length()
    size = flags + 1 << high
    if size > _TABLE:
        return _distinct_sorted(raw)
    counts = np.zeros(size, np.int64)
    for part in _parts(raw, max(_PART, size)):
        # flips directly above the gids, so that the table has no gap
        packed = (part & GID_MASK) | (part >> FLAG_SHIFT << high) if flags else part
        counts += np.bincount(packed, minlength=size)
    kinds = np.flatnonzero(counts)
    values = (kinds >> high << FLAG_SHIFT) | (kinds & (1 << high) - 1)
    return values.astype(np.uint32), counts[kinds]


def highest_gid(raw: NDArray[np.uint32]) -> int:
    """Return the highest gid of some cells; 0 if none holds a tile."""
    return max((int((part & GID_MASK).max()) for part in _parts(raw, _PART)), default=0)


def _distinct_sorted(raw: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Answer `distinct` for values beyond a table."""
    found = [np.unique(part, return_counts=True) for part in _parts(raw, _PART)]
    kinds, which = np.unique(np.concatenate([kinds for kinds, _ in found]), return_inverse=True)
    counts = np.zeros(len(kinds), np.int64)
    np.add.at(counts, which.reshape(-1), np.concatenate([counts for _, counts in found]))
    return kinds, counts


def _parts(raw: NDArray[np.uint32], size: int) -> Iterator[NDArray[np.uint32]]:
    """Yield an array in parts of a size."""
    for start in range(0, len(raw), size):
        yield raw[start : start + size]
