"""The shape of a tree: its nodes as a table, its statistics, and a check of its invariants."""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Object
from tilequad._core.layout import (
    CHILD,
    COUNT,
    ENTRY,
    FIRST,
    GROUPS,
    LEAF,
    MAX_COORDINATE,
    MAX_DEPTH,
    MAX_X,
    MAX_Y,
    MIN_X,
    MIN_Y,
    RECORD,
    place_of,
)
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.units import UnitStore

# A row of `nodes()`.
NODE = np.dtype(
    [
        ("min_x", np.float64),
        ("min_y", np.float64),
        ("max_x", np.float64),
        ("max_y", np.float64),
        ("depth", np.int32),
        ("count", np.int32),
        ("leaf", np.bool_),
    ]
)


class TreeStats(NamedTuple):
    """The shape of a tree, as `stats()` returns it."""

    nodes: int
    """The number of nodes with quadrants, including the root."""
    leaves: int
    """The number of leaves that are not empty."""
    depth: int
    """The depth of the deepest quadrant; 1 if only the root is split."""
    nbytes: int
    """Memory of the tree in bytes, with spare room, without the Python objects of its items."""
    items: int
    """Units or boxes in the tree."""
    items_per_leaf: float
    """The mean number of units or boxes in a leaf that is not empty."""
    fullest_leaf: int
    """The largest number of units or boxes in a leaf."""


@cython.boundscheck(True)
def table_of(nodes: Nodes) -> np.ndarray:
    """Return the nodes and leaves as rows of NODE: the root first, parents before children."""
    order = array("i", [0]) * nodes.live
    nodes.write_preorder(order)
    rows = [(*extent_of(nodes), 0, 0, False)]
    row_of = {0: 0}
    parents = [-1]
    for n in order:
        min_x, min_y, max_x, max_y, depth = rows[row_of[n]][:5]
        x = min(max(nodes.split[2 * n], min_x), max_x)
        y = min(max(nodes.split[2 * n + 1], min_y), max_y)
        for k in range(4):
            at = place_of(4 * n + k)
            link = nodes.links[at + CHILD]
            if link >= 0:
                row_of[link] = len(rows)
            parents.append(row_of[n])
            rows.append(
                (
                    x if k & 1 else min_x,
                    y if k & 2 else min_y,
                    max_x if k & 1 else x,
                    max_y if k & 2 else y,
                    depth + 1,
                    nodes.links[at + COUNT] if link < 0 else 0,
                    link < 0,
                )
            )
    table = np.array(rows, NODE)
    for row in range(len(rows) - 1, 0, -1):
        table["count"][parents[row]] += table["count"][row]
    return table


def extent_of(nodes: Nodes) -> Object[tuple[float, float, float, float]]:
    """Return the box around all positions; zeros if there are none."""
    box = np.frombuffer(nodes.box, np.float64)[:16].reshape(4, 4)
    if box[0].min() > box[2].max():
        return 0.0, 0.0, 0.0, 0.0
    low, high = box[:2].min(axis=1), box[2:].max(axis=1)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def stats_of(table: np.ndarray, nbytes: int) -> Object[TreeStats]:
    """Return the statistics of a table of nodes."""
    leaves = table[table["leaf"] & (table["count"] > 0)]
    return TreeStats(
        nodes=int((~table["leaf"]).sum()),
        leaves=len(leaves),
        depth=int(table["depth"].max()),
        nbytes=nbytes,
        items=int(table["count"][0]),
        items_per_leaf=float(leaves["count"].mean()) if len(leaves) else 0.0,
        fullest_leaf=int(leaves["count"].max()) if len(leaves) else 0,
    )


def limits_told(leaf_size: int, max_depth: int, usual: int) -> Object[str]:
    """Return the limits of a tree for its repr, if they differ from the defaults."""
    told = f", leaf_size {leaf_size}" if leaf_size != usual else ""
    return told + (f", max_depth {max_depth}" if max_depth != MAX_DEPTH else "")


def nbytes_of_nodes(nodes: Nodes) -> Object[int]:
    """Memory of the arrays of nodes, in bytes."""
    arrays: list[Any] = [
        *[nodes.box, nodes.links, nodes.reach, nodes.common],
        *[nodes.cell, nodes.split, nodes.parent],
    ]
    return sum([memoryview(values).nbytes for values in arrays])


def nbytes_of_units(units: UnitStore) -> Object[int]:
    """Memory of the arrays of a dynamic tree, in bytes."""
    arrays: list[Any] = [
        *[units.xs, units.ys, units.slot_of, units.masks],
        *[units.free_spans, units.span_size, units.moves_since_fit],
        *[units.record, units.half_w, units.half_h, units.lives, units.revisions],
    ]
    return nbytes_of_nodes(units.nodes) + sum([memoryview(values).nbytes for values in arrays])


def nbytes_of_boxes(boxes: BoxStore) -> Object[int]:
    """Memory of the arrays of a static tree, in bytes, without the caller's boxes."""
    arrays: list[Any] = [boxes.ids, boxes.rough]
    return nbytes_of_nodes(boxes.nodes) + sum([memoryview(values).nbytes for values in arrays])


# -- invariants ------------------------------------------------------------------------------------


@cython.boundscheck(True)
def check_nodes(nodes: Nodes) -> Object[list[int]]:
    """Check the invariants of the nodes, or raise AssertionError; return the leaves."""
    order = array("i", [0]) * nodes.live
    assert nodes.write_preorder(order) == nodes.live, "live nodes are miscounted"
    leaves = []
    depth = {0: 1}  # of the quadrants of each node
    for n in order:
        assert depth[n] <= nodes.max_depth, f"node {n} is too deep"
        if len(nodes.cell):
            x, y, cell = nodes.split[2 * n], nodes.split[2 * n + 1], nodes.cell[4 * n : 4 * n + 4]
            assert cell[0] <= x <= cell[2], f"split of node {n} along x"
            assert cell[1] <= y <= cell[3], f"split of node {n} along y"
        for q in range(4 * n, 4 * n + 4):
            link = nodes.links[place_of(q) + CHILD]
            if link < 0:
                assert link == ~q, f"leaf {q} has the wrong link"
                leaves.append(q)
                continue
            assert nodes.parent[link] == q, f"node {link} has the wrong parent"
            depth[link] = depth[n] + 1
            for below in range(4 * link, 4 * link + 4):
                check_covers(nodes, q, below)
    return leaves


@cython.boundscheck(True)
def check_covers(nodes: Nodes, q: cython.int, below: cython.int) -> Object[None]:
    """Check that the box, reach and groups of quadrant q cover a quadrant of its node."""
    at, child = place_of(q), place_of(below)
    if nodes.links[child + GROUPS] == 0:
        return
    assert nodes.box[at + MIN_X] <= nodes.box[child + MIN_X], f"min_x of quadrant {q}"
    assert nodes.box[at + MIN_Y] <= nodes.box[child + MIN_Y], f"min_y of quadrant {q}"
    assert nodes.box[at + MAX_X] >= nodes.box[child + MAX_X], f"max_x of quadrant {q}"
    assert nodes.box[at + MAX_Y] >= nodes.box[child + MAX_Y], f"max_y of quadrant {q}"
    assert nodes.reach[q] >= nodes.reach[below], f"reach of quadrant {q}"
    assert not nodes.links[child + GROUPS] & ~nodes.links[at + GROUPS], f"groups of quadrant {q}"
    if len(nodes.common):
        assert not nodes.common[q] & ~nodes.common[below], f"common groups of quadrant {q}"


@cython.boundscheck(True)
def check_units(units: UnitStore) -> Object[None]:
    """Check the invariants of nodes, leaves and spans, or raise AssertionError."""
    nodes = units.nodes
    seen = bytearray(units.length)
    count = 0
    for q in check_nodes(nodes):
        at = place_of(q)
        first, entries = nodes.links[at + FIRST], nodes.links[at + COUNT]
        assert entries <= units.span_size[q], f"leaf {q} is over-full"
        assert (entries == 0) == (nodes.links[at + GROUPS] == 0), f"groups of leaf {q}"
        for i in range(first, first + units.span_size[q]):
            assert not seen[i], f"entry {i} is in two leaves"
            seen[i] = 1
            assert (units.slot_of[i] >= 0) == (i < first + entries), f"entry {i} of leaf {q}"
        for i in range(first, first + entries):
            check_entry(units, q, i)
        count += entries
    assert count == units.count, "units are miscounted"
    for i, used in enumerate(seen):
        assert used or units.slot_of[i] < 0, f"entry {i} is lost"


@cython.boundscheck(True)
def check_entry(units: UnitStore, q: cython.int, i: cython.int) -> Object[None]:
    """Check that entry i belongs to leaf q, and that the leaf covers it."""
    at = place_of(q)
    box, links = units.nodes.box, units.nodes.links
    x, y, slot = units.xs[i], units.ys[i], units.slot_of[i]
    assert units.record[RECORD * slot + LEAF] == q, f"slot {slot} is not in leaf {q}"
    assert units.record[RECORD * slot + ENTRY] == i, f"slot {slot} is not at entry {i}"
    assert units.nodes.in_cell(q, x, y), f"({x}, {y}) is outside the cell of leaf {q}"
    assert box[at + MIN_X] <= x <= box[at + MAX_X], f"x of slot {slot}"
    assert box[at + MIN_Y] <= y <= box[at + MAX_Y], f"y of slot {slot}"
    reach = max(units.half_w[slot], units.half_h[slot])
    assert reach * (1.0 + 1e-15) <= units.nodes.reach[q], f"reach of slot {slot}"
    assert not units.masks[i] & ~links[at + GROUPS], f"groups of slot {slot}"
    assert not units.nodes.common[q] & ~units.masks[i], f"common groups of slot {slot}"


def is_last(boxes: BoxStore, q: cython.int) -> Object[bool]:
    """Whether leaf q cannot split: it is at the greatest depth, or its centers coincide."""
    at = place_of(q)
    first, count = boxes.nodes.links[at + FIRST], boxes.nodes.links[at + COUNT]
    rows = boxes.boxes()[np.frombuffer(boxes.ids, np.int32)[first : first + count]]
    centers = 0.5 * rows[:, :2] + 0.5 * rows[:, 2:]
    return not boxes.nodes.may_split(q) or bool((centers == centers[0]).all())


@cython.boundscheck(True)
def check_boxes(boxes: BoxStore) -> Object[None]:
    """Check the invariants of nodes and leaves, or raise AssertionError."""
    nodes = boxes.nodes
    entries = []
    far = MAX_COORDINATE  # replaces infinite edges of rough boxes
    for q in check_nodes(nodes):
        at = place_of(q)
        few = nodes.links[at + COUNT] <= boxes.leaf_size
        assert few or is_last(boxes, q), f"leaf {q} is over-full"
        for i in range(nodes.links[at + FIRST], nodes.links[at + FIRST] + nodes.links[at + COUNT]):
            entries.append(i)
            name = f"of box {boxes.ids[i]}"
            assert nodes.box[at + MIN_X] <= max(boxes.rough[4 * i], -far), f"min_x {name}"
            assert nodes.box[at + MIN_Y] <= max(boxes.rough[4 * i + 1], -far), f"min_y {name}"
            assert nodes.box[at + MAX_X] >= min(boxes.rough[4 * i + 2], far), f"max_x {name}"
            assert nodes.box[at + MAX_Y] >= min(boxes.rough[4 * i + 3], far), f"max_y {name}"
    assert sorted(entries) == list(range(len(boxes.ids))), "an entry is lost or in two leaves"
    assert sorted(boxes.ids) == list(range(len(boxes.ids))), "an id is lost or occurs twice"
