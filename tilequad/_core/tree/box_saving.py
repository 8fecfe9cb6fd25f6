"""A tree of boxes as rows of numbers, and back."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Raises
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.layout import MAX_COORDINATE
from tilequad._core.tree.node_saving import need_limits, node_rows, read_nodes, restore_nodes
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.rows import BOXES, RowReader, claim, need, row_of


def box_rows(boxes: BoxStore) -> dict[str, memoryview]:
    """Return the rows for `write_rows` from which `restore_boxes` makes the same store."""
    return {
        **node_rows(boxes.nodes),
        "limits": row_of(array("i", [boxes.leaf_size, boxes.nodes.max_depth]), 2),
        "ids": row_of(boxes.ids, len(boxes.ids)),
        "rough": row_of(boxes.rough, len(boxes.rough)),
        "exact": np.frombuffer(boxes.exact, np.float64).data,
    }


def read_boxes(data: Any) -> dict[str, Any]:
    """Read the rows of `box_rows`, for `restore_boxes`; boxes may stay in the data."""
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


def restore_boxes(boxes: BoxStore, rows: dict[str, Any]) -> None:
    """Fill a new store from the rows that `read_boxes` returned.

    The rows of boxes remain in the bytes they were read from.

    Raises:
        ValueError: A link is wrong; do not use the store.
    """
    boxes.nodes = Nodes.__new__(Nodes)
    boxes.leaf_size, max_depth = rows["limits"]
    leaves: IntBuffer = restore_nodes(boxes.nodes, rows, max_depth)
    boxes.nodes.drop_cells()
    boxes.ids = rows["ids"]
    boxes.rough = rows["rough"]
    boxes.exact = np.frombuffer(rows["exact"], np.float64).reshape(-1, 4).data
    boxes.rounded = len(rows["exact"]) > 0
    need(has_leaves(boxes, leaves), "the boxes of a leaf")
    need(is_sound(boxes), "a box")


def has_leaves(boxes: BoxStore, leaves: IntBuffer) -> Raises[cython.bint]:
    """Whether every box is in exactly one leaf."""
    taken: cython.uchar[::1] = bytearray(len(boxes.ids))
    i: cython.Py_ssize_t
    count: cython.Py_ssize_t
    total: cython.Py_ssize_t = 0
    for i in range(0, leaves.used, 3):
        count = leaves.values[i + 2]
        # An empty leaf may begin anywhere.
        if count > 0 and not claim(taken, leaves.values[i + 1], count):
            return False
        total += count
    return total == len(boxes.ids)


def is_sound(boxes: BoxStore) -> Raises[cython.bint]:
    """Whether every id occurs once, and every box is valid and inside its rough box."""
    box = cython.declare(cython.double[4])
    seen: cython.uchar[::1] = bytearray(len(boxes.ids))
    i: cython.Py_ssize_t
    row: cython.Py_ssize_t
    for i in range(len(boxes.ids)):
        row = boxes.ids[i]
        if row < 0 or row >= len(boxes.ids) or seen[row]:
            return False
        seen[row] = 1
    for i in range(len(boxes.ids)):
        boxes.write_box(i, box)
        if not (
            -MAX_COORDINATE <= box[0] <= box[2] <= MAX_COORDINATE
            and -MAX_COORDINATE <= box[1] <= box[3] <= MAX_COORDINATE
        ):
            return False
        if boxes.rounded and not (
            boxes.rough[4 * i] <= box[0]
            and boxes.rough[4 * i + 1] <= box[1]
            and boxes.rough[4 * i + 2] >= box[2]
            and boxes.rough[4 * i + 3] >= box[3]
        ):
            return False
    return True
