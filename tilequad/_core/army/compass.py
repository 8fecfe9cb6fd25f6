"""Directions as eighths of the circle."""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil


def octant(dx: cython.double, dy: cython.double) -> NoGil[cython.int]:
    """Return the eighth of the circle that a direction lies in, counterclockwise from 0."""
    # A table of eight digits avoids branches that cannot be predicted.
    return (0x56214730 >> (4 * ((dx < 0.0) + 2 * (dy < 0.0) + 4 * (abs(dy) > abs(dx))))) & 7


def wide(k: cython.int) -> NoGil[cython.int]:
    """Return an eighth of the circle and its two neighbors, as bits."""
    return (1 << k) | (1 << ((k + 1) & 7)) | (1 << ((k + 7) & 7))


def is_open(seen: cython.int) -> NoGil[cython.bint]:
    """Whether three neighboring eighths are free, as at the rim, where half a circle is free."""
    free: cython.int = ~seen & 255
    free |= free << 8
    return (free & (free >> 1) & (free >> 2)) != 0
