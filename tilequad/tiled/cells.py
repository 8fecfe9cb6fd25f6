"""Arrays of cells: each number combines the gid of a tile with its flip bits."""

from __future__ import annotations

from collections.abc import Sequence
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
    "Colors",
    "Floats",
    "Ids",
    "Ints",
    "Ints64",
    "Mask",
    "Raw",
    "turn_of",
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

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Ints64: TypeAlias = NDArray[np.int64]
Raw: TypeAlias = NDArray[np.uint32]  # cells as in the file: gid and flip bits in one number
Colors: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]

# Ids of tiles or objects, as a query returns them.
Ids: TypeAlias = NDArray[np.integer[Any]] | Sequence[int]


class CellBlock(NamedTuple):
    """A rectangle of cells: a whole layer, or one chunk of an infinite map."""

    left: int  #: the first column
    top: int  #: the first row
    raw: Raw  #: (rows, columns)


def turn_of(flags: Any) -> Any:
    """Return by how many degrees flags, one or many, rotate a tile of a hexagonal map."""
    diagonal, other = flags & FLIPPED_DIAGONALLY, flags & ROTATED_HEXAGONAL_120
    return 60.0 * (diagonal != 0) + 120.0 * (other != 0)
