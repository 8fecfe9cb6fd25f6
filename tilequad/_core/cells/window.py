"""Copy the values of a rectangle of cells into arrays of rows and columns."""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.cells.cell_set import LOW_HALF, CellSet

WHOLE: cython.int = 32  # low bits of a value that is not split


def values_in(
    cells: CellSet,
    values: cython.uint[::1],
    left: int,
    top: int,
    columns: int,
    rows: int,
) -> np.ndarray:
    """Return the values of a rectangle of cells, which may lie outside the grid.

    Cost: about a quarter of a nanosecond per cell.

    Returns:
        uint32, of shape (rows, columns); 0 where no block is.

    Raises:
        ValueError: There are fewer values than slots.
    """
    found = np.zeros((rows, columns), np.uint32)
    copy_chunks(cells, values, WHOLE, found, np.empty((0, 0), np.uint8), left, top)
    return found


def parts_in(
    cells: CellSet,
    values: cython.uint[::1],
    low_bits: cython.int,
    left: int,
    top: int,
    columns: int,
    rows: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of a rectangle of cells as `values_in` does, low and high bits apart.

    Cost: about half a nanosecond per cell. Of a value, 24 to 31 bits are low ones.

    Returns:
        The low bits, uint32, and the high bits, uint8, both of shape (rows, columns).

    Raises:
        ValueError: There are fewer values than slots.
    """
    found = np.zeros((rows, columns), np.uint32), np.zeros((rows, columns), np.uint8)
    copy_chunks(cells, values, low_bits, found[0], found[1], left, top)
    return found


def copy_chunks(
    cells: CellSet,
    values: cython.uint[::1],
    low_bits: cython.int,
    low_part: np.ndarray,
    high_part: np.ndarray,
    left: cython.Py_ssize_t,
    top: cython.Py_ssize_t,
) -> Raises[cython.int]:
    """Copy the values of a rectangle of cells, chunk by chunk, into arrays of its shape."""
    if len(values) < cells.used_blocks << 6:
        raise ValueError(f"values must have {cells.used_blocks << 6} entries, got {len(values)}")
    if not low_part.size:
        return 0
    low_out: cython.uint[::1] = low_part.reshape(-1)
    high_out: cython.uchar[::1] = high_part.reshape(-1)
    width: cython.Py_ssize_t = low_part.shape[1]
    min_x = left + cells.bias
    min_y = top + cells.bias
    max_x: cython.Py_ssize_t = min_x + width - 1
    max_y: cython.Py_ssize_t = min_y + low_part.shape[0] - 1
    low = max(min_x, 0)
    if max_x < 0 or max_y < 0:
        return 0
    line = max(min_y, 0) >> 5
    i = cells.rank((line << 32) + (low >> 5))
    while i < cells.used and cells.keys[i] >> 32 <= max_y >> 5:
        line = cells.keys[i] >> 32
        if (cells.keys[i] & LOW_HALF) < low >> 5:  # the row begins left of the rectangle
            i = cells.rank((line << 32) + (low >> 5))
        elif (cells.keys[i] & LOW_HALF) > max_x >> 5:
            i = cells.rank(((line + 1) << 32) + (low >> 5))
        else:
            copy_chunk(
                cells, i, values, low_bits, low_out, high_out, width, min_x, min_y, max_x, max_y
            )
            i += 1
    return 0


def copy_chunk(
    cells: CellSet,
    i: cython.Py_ssize_t,
    values: cython.uint[::1],
    low_bits: cython.int,
    low_out: cython.uint[::1],
    high_out: cython.uchar[::1],
    width: cython.Py_ssize_t,
    min_x: cython.Py_ssize_t,
    min_y: cython.Py_ssize_t,
    max_x: cython.Py_ssize_t,
    max_y: cython.Py_ssize_t,
) -> NoGil[None]:
    """Copy the values of the i-th chunk into rectangles of a width."""
    chunk: cython.Py_ssize_t = cells.chunks[i]
    left: cython.Py_ssize_t = (cells.keys[i] & LOW_HALF) << 5
    top: cython.Py_ssize_t = (cells.keys[i] >> 32) << 5
    mask: cython.uint = LOW_HALF >> (WHOLE - low_bits)
    for place in range(16):
        slot: cython.Py_ssize_t = cells.block_at[(chunk << 4) + place]
        if slot == 0:
            continue
        slot <<= 6
        block_x, block_y = left + ((place & 3) << 3), top + ((place >> 2) << 3)
        first, last = max(min_x, block_x), min(max_x, block_x + 7)
        for y in range(max(min_y, block_y), min(max_y, block_y + 7) + 1):
            at = (y - min_y) * width - min_x + first
            start = slot + ((y & 7) << 3) + (first & 7)
            if low_bits < WHOLE:
                for x in range(last - first + 1):
                    low_out[at + x] = values[start + x] & mask
                    high_out[at + x] = values[start + x] >> low_bits
            elif last - first == 7:  # nearly always; C copies a known number at once
                for x in range(8):
                    low_out[at + x] = values[start + x]
            else:
                for x in range(last - first + 1):
                    low_out[at + x] = values[start + x]
