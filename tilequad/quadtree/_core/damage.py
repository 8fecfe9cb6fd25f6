"""Saved trees that have been damaged: everything that a search or a change follows is looked at.

What is proved here keeps the compiled core within its arrays and out of circles. Boxes, reaches and
groups may still be wrong: then so are answers, and nothing worse. O(n), all in numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad.quadtree._core.layout import (
    CHILD,
    COUNT,
    ENTRY,
    FIRST,
    LEAF,
    MAX_COORDINATE,
    MAX_DEPTH,
    ORDER,
    RECORD,
)

WHOLE = (int, np.integer)


def refuse_damage(state: Any) -> tuple[list[Any], list[int], dict[str, Any]]:
    """The items of a saved tree, their slots, and its store; ValueError if it is damaged."""
    try:
        items, slots, store = state
        items, slots = list(items), np.array(slots, np.int32)
        used = check_store(store)
        need(slots.shape == (len(items),) == used.shape, "items")
        need(np.array_equal(np.sort(slots), used), "the slots of items")
    except (KeyError, TypeError, ValueError, OverflowError, IndexError) as error:
        raise ValueError(f"the state of the tree is damaged: {error}") from None
    return items, slots.tolist(), store


def need(right: Any, name: str) -> None:
    """Refuse what is not right."""
    if not right:
        raise ValueError(name)


def row_of(raw: Any, kind: str, length: int, name: str) -> np.ndarray:
    """The numbers in some bytes, which must be as many as expected."""
    need(isinstance(raw, bytes), name)
    row = np.frombuffer(raw, kind)
    need(len(row) == length, f"the length of {name}")
    return row


def check_store(store: dict[str, Any]) -> np.ndarray:
    """Check the store of a saved tree; return the slots in use, ascending."""
    slots, length, count = store["slots"], store["length"], store["count"]
    for name in ("slots", "length", "count", "next_order", "count_when_packed", "revision"):
        need(isinstance(store[name], WHOLE) and 0 <= store[name] < 2**31, name)
    for name in ("min_reach", "max_reach"):
        need(isinstance(store[name], float) and store[name] >= 0, name)
    need(len(store["expected"]) == 4 and np.isfinite(np.array(store["expected"])).all(), "bounds")
    leaves, quadrants = check_nodes(store["nodes"])
    first, entries = leaves[:, 1], leaves[:, 2]
    spans = row_of(store["span_size"], "i4", quadrants, "spans")
    row_of(store["moves_since_fit"], "i4", quadrants, "moves")
    sizes = spans[leaves[:, 0]]
    need((entries >= 0).all() and (entries <= sizes).all() and (sizes <= length).all(), "spans")
    need((first >= 0).all() and (first <= length - sizes).all(), "spans")
    is_taken = np.zeros(length, np.bool_)
    places = places_of(first, sizes)
    is_taken[places] = True
    need(is_taken.sum() == len(places), "spans that overlap")

    xs, ys = (row_of(store[name], "f8", length, name) for name in ("xs", "ys"))
    slot_of = row_of(store["slot_of"], "i4", length, "entries")
    row_of(store["masks"], "i4", length, "masks")
    record = row_of(store["record"], "i4", RECORD * slots, "slots").reshape(-1, RECORD)
    halves = [row_of(store[name], "f8", slots, name) for name in ("half_w", "half_h")]
    at = places_of(first, entries)
    used = slot_of[at]
    need(len(at) == count == (slot_of >= 0).sum(), "the number of units")
    need((used >= 0).all() and (used < slots).all(), "a slot")
    need((record[used, ENTRY] == at).all(), "the entry of a slot")
    need((record[used, LEAF] == np.repeat(leaves[:, 0], entries)).all(), "the leaf of a slot")
    need((record[:, ENTRY] >= 0).sum() == count, "the slots in use")
    for row in (xs[at], ys[at], halves[0][used], halves[1][used]):
        need((np.abs(row) <= MAX_COORDINATE).all(), "a position or size")
    orders = np.sort(record[used, ORDER])
    need((np.diff(orders) > 0).all(), "the order of adding")
    need(count == 0 or 0 <= orders[0] <= orders[-1] < store["next_order"], "the order of adding")
    free = chain(store["free_slot"], record[:, LEAF], slots)
    need(free == slots - count and (record[:, ENTRY] >= -1).all(), "the free slots")
    check_free_spans(store, slot_of, is_taken)
    row_of(store["lives"], "i4", slots, "lives")
    revisions = store["revisions"]
    if revisions is not None:
        row_of(revisions, "i4", slots, "revisions")
    for renumbered in store["renumberings"]:
        need(isinstance(renumbered, np.ndarray) and renumbered.dtype == np.int32, "renumberings")
    return np.sort(used)


def check_nodes(nodes: Any) -> tuple[np.ndarray, int]:
    """Check the saved nodes; return (leaf, first, count) of each leaf, and 4 * the nodes."""
    n, free, live, box, links, reach, common, cell, split, parent = nodes
    need(isinstance(n, WHOLE) and 0 < n < 2**27, "the number of nodes")
    row_of(box, "f8", 16 * n, "boxes")
    row_of(reach, "f4", 4 * n, "reaches")
    row_of(common, "i4", 4 * n, "groups")
    cells = row_of(cell, "f8", 4 * n, "cells").reshape(n, 4)
    lines = row_of(split, "f8", 2 * n, "splits").reshape(n, 2)
    link = row_of(links, "i4", 16 * n, "links").reshape(n, 4, 4)  # node, field, quadrant
    above = row_of(parent, "i4", n, "parents")
    need(above[0] == -1, "the root")
    seen = np.zeros(n, np.bool_)
    level, leaves = np.zeros(1, np.int64), []
    for _ in range(MAX_DEPTH + 1):
        need(not seen[level].any(), "a node in two places")
        seen[level] = True
        x, y = lines[level].T
        low_x, low_y, high_x, high_y = cells[level].T
        need(np.isfinite(lines[level]).all(), "a split")
        need(((low_x <= x) & (x <= high_x) & (low_y <= y) & (y <= high_y)).all(), "a cell")
        quadrants = (4 * level[:, None] + np.arange(4)).ravel()
        children = link[level, CHILD // 4].ravel().astype(np.int64)
        is_leaf = children < 0
        need((~children[is_leaf] == quadrants[is_leaf]).all(), "a leaf")
        rows = link[level][:, [FIRST // 4, COUNT // 4]].transpose(0, 2, 1).reshape(-1, 2)
        leaves.append(np.column_stack([quadrants, rows])[is_leaf])
        level = children[~is_leaf]
        if len(level) == 0:
            break
        need((level < n).all(), "a node in two places")
        need((np.diff(np.sort(level)) > 0).all(), "a node in two places")
        need((above[level] == quadrants[~is_leaf]).all(), "a parent")
    need(len(level) == 0, "the depth")
    need(seen.sum() == live, "the number of nodes")
    need(chain(free, np.where(seen, -2, above), n) == n - live, "the free nodes")
    return np.concatenate(leaves), 4 * n


def chain(start: int, following: np.ndarray, most: int) -> int:
    """The length of a chain of free places, which ends with -1."""
    need(isinstance(start, WHOLE), "a chain")
    length = 0
    after = following.tolist() if start != -1 else []
    while start != -1:
        need(0 <= start < len(after) and length < most, "a chain")
        start = after[start]
        length += 1
    return length


def places_of(first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """All entries of spans, span by span."""
    ends = np.cumsum(sizes, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(first - (ends - sizes), sizes)


def check_free_spans(store: dict[str, Any], slot_of: np.ndarray, is_taken: np.ndarray) -> None:
    """Check the chains of free spans: in the arrays, apart from each other and from the leaves."""
    firsts = row_of(store["free_spans"], "i4", 48, "free spans").tolist()
    for kind, start in enumerate(firsts):
        size = 4 * kind if kind <= 16 else 64 << (kind - 16)
        while start != -1:
            need(kind > 0 and 0 <= start <= len(slot_of) - size, "a free span")
            need(not is_taken[start : start + size].any(), "a free span")
            is_taken[start : start + size] = True
            start = -2 - int(slot_of[start + 1])
