# distutils: extra_compile_args = -O1
"""Checks of saved trees from strangers: every link that a search or a change follows is checked.

The checks here and in the stores' `restore` keep the compiled core within its arrays and out of
endless loops. Boxes, reaches and groups may still be wrong; then answers are wrong, but nothing
worse happens.
"""

from __future__ import annotations

from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.tree.layout import MAX_COORDINATE, MAX_DEPTH, MAX_LEAF_SIZE, RECORD
from tilequad._core.tree.rows import BOXES, UNITS, RowReader, need

SPAN_CLASSES = 48  # lengths of free spans


def read_units(data: Any) -> dict[str, Any]:
    """Read the rows of `UnitStore.state` as arrays, for `UnitStore.restore`."""
    reader: RowReader = RowReader(data, UNITS)
    rows = read_nodes(reader)
    quadrants = 2 * len(rows["split"])
    rows["common"] = reader.take("common", "i", quadrants)
    rows["bounds"] = reader.take("bounds", "d", 4)
    rows["reaches"] = reader.take("reaches", "f", 2)
    rows["numbers"] = reader.take("numbers", "i", 7)
    rows["span_size"] = reader.take("span_size", "i", quadrants)
    rows["moves_since_fit"] = reader.take("moves_since_fit", "i", quadrants)
    rows["free_spans"] = reader.take("free_spans", "i", SPAN_CLASSES)
    count, _, _, revision, room, leaf_size, max_depth = rows["numbers"]
    need(all(number >= 0 for name in ("reaches", "numbers") for number in rows[name]), "a number")
    need_limits(leaf_size, max_depth)
    rows["slot_of"] = reader.take("slot_of", "i")
    length = len(rows["slot_of"])
    rows["xs"] = reader.take("xs", "d", length)
    rows["ys"] = reader.take("ys", "d", length)
    rows["masks"] = reader.take("masks", "i", length)
    rows["free_slots"] = reader.take("free_slots", "i")
    need(room <= 5 * length + 256, "the room for spans")  # the most that a leaf asks for
    slots = count + len(rows["free_slots"])
    need(count <= length and slots < 2**31 // RECORD, "the number of units")
    rows["orders"] = reader.take("orders", "i", slots)
    rows["half_w"] = reader.take("half_w", "d", slots)
    rows["half_h"] = reader.take("half_h", "d", slots)
    rows["lives"] = reader.take("lives", "i", slots)
    rows["revisions"] = reader.take("revisions", "i", slots if revision > 0 else 0)
    reader.end()
    for name in ("xs", "ys", "half_w", "half_h"):
        need(are_within(rows[name], MAX_COORDINATE), f"a number of {name}")
    return rows


def read_boxes(data: Any) -> dict[str, Any]:
    """Read the rows of `BoxStore.state`, for `BoxStore.restore`; boxes may stay in the data."""
    reader: RowReader = RowReader(data, BOXES)
    rows = read_nodes(reader)
    rows["limits"] = reader.take("limits", "i", 2)
    need_limits(*rows["limits"])
    rows["ids"] = reader.share("ids", "i")
    edges = 4 * len(rows["ids"])
    rows["rough"] = reader.share("rough", "f", edges)
    rows["exact"] = reader.share("exact", "d")
    need(len(rows["exact"]) in (0, edges), "the length of exact")
    reader.end()
    return rows


def need_limits(leaf_size: int, max_depth: int) -> None:
    """Refuse limits of leaves and levels that no tree has."""
    need(1 <= leaf_size <= MAX_LEAF_SIZE and 1 <= max_depth <= MAX_DEPTH, "a limit")


def read_nodes(reader: RowReader) -> dict[str, Any]:
    """Read the rows of `Nodes.state`, for `Nodes.restore`."""
    links = reader.take("links", "i")
    n = len(links) // 16
    need(0 < n < 2**27 and len(links) == 16 * n, "the length of links")
    return {
        "links": links,
        "free_nodes": reader.take("free_nodes", "i"),
        "box": reader.take("box", "d", 16 * n),
        "reach": reader.take("reach", "f", 4 * n),
        "split": reader.take("split", "d", 2 * n),
    }


def are_within(numbers: cython.double[::1], limit: cython.double) -> NoGil[cython.bint]:
    """Whether all numbers are finite and at most a limit away from 0."""
    i: cython.Py_ssize_t
    right: cython.int = 1
    for i in range(len(numbers)):  # without branches, so the compiler can vectorize it
        right &= (numbers[i] >= -limit) & (numbers[i] <= limit)
    return right


def claim(
    taken: cython.uchar[::1], start: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> NoGil[cython.bint]:
    """Take a span of entries; False if it is outside the arrays or partly taken."""
    i: cython.Py_ssize_t
    if start < 0 or size < 0 or start + size > len(taken):
        return False
    for i in range(start, start + size):
        if taken[i]:
            return False
        taken[i] = 1
    return True
