"""Saved trees from anyone: everything that a search or a change follows is looked at.

What is proved here and where the stores restore their links keeps the compiled core within its
arrays and out of circles. Boxes, reaches and groups may still be wrong: then so are answers, and
nothing worse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad.quadtree._core.layout import MAX_COORDINATE, RECORD
from tilequad.quadtree._core.rows import BOXES, UNITS, RowReader, need

SPAN_CLASSES = 48  # lengths of free spans


def read_units(data: Any) -> dict[str, np.ndarray]:
    """The rows of `UnitStore.state`, for `UnitStore.restore`."""
    reader = RowReader(data, UNITS)
    rows = read_nodes(reader)
    quadrants = 2 * len(rows["split"])
    rows["common"] = reader.take("common", "i4", quadrants)
    rows["bounds"] = reader.take("bounds", "f8", 4)
    rows["reaches"] = reader.take("reaches", "f4", 2)
    rows["numbers"] = reader.take("numbers", "i4", 5)
    rows["span_size"] = reader.take("span_size", "i4", quadrants)
    rows["moves_since_fit"] = reader.take("moves_since_fit", "i4", quadrants)
    rows["free_spans"] = reader.take("free_spans", "i4", SPAN_CLASSES)
    need(is_least(rows["reaches"]) and is_least(rows["numbers"]), "a number")
    rows["slot_of"] = reader.take("slot_of", "i4")
    length = len(rows["slot_of"])
    rows["xs"] = reader.take("xs", "f8", length)
    rows["ys"] = reader.take("ys", "f8", length)
    rows["masks"] = reader.take("masks", "i4", length)
    rows["free_slots"] = reader.take("free_slots", "i4")
    count, _, _, revision, room = rows["numbers"].tolist()
    need(room <= 5 * length + 256, "the room for spans")  # as much as the largest leaf asks for
    slots = count + len(rows["free_slots"])
    need(count <= length and slots < 2**31 // RECORD, "the number of units")
    rows["orders"] = reader.take("orders", "i4", slots)
    rows["half_w"] = reader.take("half_w", "f8", slots)
    rows["half_h"] = reader.take("half_h", "f8", slots)
    rows["lives"] = reader.take("lives", "i4", slots)
    rows["revisions"] = reader.take("revisions", "i4", slots if revision > 0 else 0)
    reader.end()
    for name in ("xs", "ys", "half_w", "half_h"):
        need(is_within(rows[name], MAX_COORDINATE), f"a number of {name}")
    return rows


def read_boxes(data: Any) -> dict[str, np.ndarray]:
    """The rows of `BoxStore.state`, for `BoxStore.restore`."""
    reader = RowReader(data, BOXES)
    rows = read_nodes(reader)
    rows["ids"] = reader.take("ids", "i4")
    edges = 4 * len(rows["ids"])
    rows["rough"] = reader.take("rough", "f4", edges)
    rows["exact"] = reader.take("exact", "f8")
    need(len(rows["exact"]) in (0, edges), "the length of exact")
    reader.end()
    return rows


def read_nodes(reader: RowReader) -> dict[str, np.ndarray]:
    """The rows of `Nodes.state`, for `Nodes.restore`."""
    links = reader.take("links", "i4")
    n = len(links) // 16
    need(0 < n < 2**27 and len(links) == 16 * n, "the length of links")
    rows = {
        "links": links,
        "free_nodes": reader.take("free_nodes", "i4"),
        "box": reader.take("box", "f8", 16 * n),
        "reach": reader.take("reach", "f4", 4 * n),
        "split": reader.take("split", "f8", 2 * n),
    }
    need(not np.isnan(rows["box"]).any() and is_least(rows["reach"]), "a box or a reach")
    return rows


def is_least(numbers: np.ndarray) -> bool:
    """Whether all numbers are at least 0."""
    return len(numbers) == 0 or bool(numbers.min() >= 0)


def is_within(numbers: np.ndarray, limit: float) -> bool:
    """Whether all numbers are finite and at most so far from 0."""
    return numbers.size == 0 or -limit <= float(numbers.min()) <= float(numbers.max()) <= limit


def by_order(slots: np.ndarray, orders: np.ndarray, next_order: int) -> np.ndarray:
    """Sort slots by their numbers in the order of adding, which must be different."""
    wanted = orders.take(slots)
    if (wanted[1:] <= wanted[:-1]).any():  # with all slots in use it is mostly in order
        places = np.argsort(wanted)
        wanted, slots = wanted.take(places), slots.take(places)
    need((wanted[1:] > wanted[:-1]).all(), "the order of adding")
    need(len(wanted) == 0 or 0 <= wanted[0] <= wanted[-1] < next_order, "the order of adding")
    return slots


def check_spans(rows: dict[str, np.ndarray], leaves: np.ndarray) -> None:
    """Refuse spans of entries, of leaves or free ones, that overlap or are not in the arrays."""
    sizes = rows["span_size"].take(leaves[:, 0])
    need((leaves[:, 2] <= sizes).all(), "the span of a leaf")
    spans = np.concatenate([np.column_stack([leaves[:, 1], sizes]), free_spans(rows)])
    need(are_apart(spans, len(rows["slot_of"])), "spans")
    need(np.count_nonzero(rows["slot_of"] >= 0) == rows["numbers"][0], "the number of units")


def free_spans(rows: dict[str, np.ndarray]) -> np.ndarray:
    """The start and size of every free span, (n, 2)."""
    slot_of, spans, total = rows["slot_of"], [], 0
    for kind, start in enumerate(rows["free_spans"].tolist()):
        size = 4 * kind if kind <= 16 else 64 << (kind - 16)
        while start != -1:
            total += size
            need(kind > 0 and 0 <= start < len(slot_of) - 1 and total <= len(slot_of), "free spans")
            spans.append((start, size))
            start = -2 - int(slot_of[start + 1])
    return np.array(spans, np.int64).reshape(-1, 2)


def are_apart(spans: np.ndarray, length: int) -> bool:
    """Whether spans, (n, 2): start and size, lie within a length and do not overlap."""
    held = spans.take(np.flatnonzero(spans[:, 1]), axis=0).astype(np.int64)
    by_start = np.argsort(held[:, 0])
    starts, ends = held[:, 0].take(by_start), held.sum(axis=1).take(by_start)
    if len(held) == 0:
        return True
    return bool(starts[0] >= 0 and ends[-1] <= length and (starts[1:] >= ends[:-1]).all())
