# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""What the trees refuse at the door: each check names the argument and its value.

The C functions return a number that nobody reads, for it is how Cython carries an error.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree import _cython as cython
if not cython.compiled:  # plain Python: Cython's own stand-in takes ten times as long
    from tilequad.quadtree import _cython as cython

from tilequad.bounds import Bounds

COMPILED = bool(cython.compiled)

FAR = 1e150  # beyond it, squared distances overflow


def mask_of(groups: Any) -> cython.int:
    """Check a mask of groups; return it as a signed 32-bit int with the same bits, None as all."""
    if groups is None:
        return -1
    if not 1 <= groups <= 0xFFFFFFFF:
        raise ValueError(f"groups must be in 1 .. 2**32 - 1, got {groups!r}")
    return groups if groups <= 0x7FFFFFFF else groups - 0x100000000


def check_position(value: cython.double, name: str) -> cython.int:
    """Refuse a coordinate that cannot be computed with."""
    if not (-FAR <= value <= FAR):
        raise ValueError(f"{name} must be finite and within 1e150 of 0, got {value!r}")
    return 0


def check_distance(value: cython.double, name: str) -> cython.int:
    """Refuse a distance that cannot be computed with."""
    if not (0.0 <= value <= FAR):
        raise ValueError(f"{name} must be finite and at least 0, got {value!r}")
    return 0


def check_limits(least: cython.double, most: cython.double) -> cython.int:
    """Refuse the limits of a nearest query; only the greater may be infinite."""
    check_distance(least, "min_distance")
    if not (most >= 0.0):
        raise ValueError(f"max_distance must be at least 0, got {most!r}")
    if least > most:
        raise ValueError(f"min_distance must be <= max_distance, got {least!r} and {most!r}")
    return 0


def read_bounds(bounds: Any, box: cython.p_double) -> cython.int:
    """Check bounds, any four numbers, and write them into an array of four."""
    try:
        min_x, min_y, max_x, max_y = bounds
        box[0] = float(min_x)
        box[1] = float(min_y)
        box[2] = float(max_x)
        box[3] = float(max_y)
    except (TypeError, ValueError):
        Bounds.of(bounds)  # says what is wrong
        raise
    if not (-FAR <= box[0] <= box[2] <= FAR and -FAR <= box[1] <= box[3] <= FAR):
        for value in Bounds.of(bounds):
            check_position(value, "bounds")
    return 0
