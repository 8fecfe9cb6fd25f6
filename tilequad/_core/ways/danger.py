"""What cells cost that units have influence on."""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.influences import BLOCK_SIDE, Influences
from tilequad._core.ways.layout import BORDER, STAGGERED_COLUMNS

CODES: cython.Py_ssize_t = 256  # that a cell may have


def fill_costly(
    influences: Influences,
    base: Ground,
    own: Ground | None,
    seen: cython.longlong,
    also: cython.int[::1],
    table: cython.uchar[::1],
    steps: cython.Py_ssize_t,
    per_unit: cython.double,
    cells: cython.int[::1],
    codes: cython.uchar[::1],
) -> int:
    """Write cells and the codes that they should have; return how many.

    Args:
        influences: The influence on each cell.
        base: The cells without it.
        own: The cells with it, of which those that differ are written; None for all.
        seen: Only blocks that have changed since this revision are looked at,
        also: and these cells, which are written in any case.
        table: By code of the base, 256 in all, and step, the code.
        steps: The highest step.
        per_unit: How many steps a unit of influence takes.
        cells: Room for all cells, and for `also`.
        codes: The same.
    """
    n: cython.Py_ssize_t = 0
    if (
        influences.ground.columns != base.columns
        or influences.ground.rows != base.rows
        or (own is not None and len(own.codes) != len(base.codes))
        or min(len(cells), len(codes)) < base.rows * base.columns + len(also)
        or steps < 0
        or len(table) < CODES * (steps + 1)
    ):
        raise ValueError("the grids of a danger must have the same cells")
    for block in range(len(influences.touched)):
        if influences.touched[block] <= seen:
            continue
        line = block // influences.across * BLOCK_SIDE
        first = block % influences.across * BLOCK_SIDE
        for line in range(line, min(line + BLOCK_SIDE, influences.lines)):
            for at in range(first, min(first + BLOCK_SIDE, influences.places)):
                place = place_in(base, line, at)
                code = costly(influences, base, table, steps, per_unit, place)
                if own is None or own.codes[place] != code:
                    cells[n] = cython.cast(cython.int, base.cell_of(place))
                    codes[n] = code
                    n += 1
    for at in range(len(also)):
        cells[n] = also[at]
        codes[n] = costly(influences, base, table, steps, per_unit, base.place_of(also[at]))
        n += 1
    return n


def place_in(
    base: Ground, line: cython.Py_ssize_t, at: cython.Py_ssize_t
) -> NoGil[cython.Py_ssize_t]:
    """The place of a cell by its line."""
    if base.kind == STAGGERED_COLUMNS:
        return (at + BORDER) * base.stride + line + BORDER
    return (line + BORDER) * base.stride + at + BORDER


def costly(
    influences: Influences,
    base: Ground,
    table: cython.uchar[::1],
    steps: cython.Py_ssize_t,
    per_unit: cython.double,
    place: cython.Py_ssize_t,
) -> NoGil[cython.int]:
    """The code of a place: that of its cost times a factor for the influence there."""
    total = influences.total(place) * per_unit
    step: cython.Py_ssize_t = 0
    if total >= steps:
        step = steps
    elif total > 0.0:
        step = cython.cast(cython.Py_ssize_t, total)
    return table[base.codes[place] * (steps + 1) + step]
