"""Trees of units and of boxes as rows of numbers, and back; and the digest of a tree of units.

Whatever the rows say, a tree that is read keeps within its arrays and out of endless loops: every
link that a search or a change follows is checked. Boxes, reaches and groups may still be wrong;
then answers are wrong, but nothing worse happens.
"""

from __future__ import annotations

from array import array
from hashlib import blake2b
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import (
    CHILD,
    COUNT,
    ENTRY,
    FIRST,
    INF,
    LEAF,
    MAX_COORDINATE,
    MAX_DEPTH,
    MAX_LEAF_SIZE,
    ORDER,
    RECORD,
    place_of,
)
from tilequad._core.tree.boxes import BoxStore
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.rows import BOXES, UNITS, RowReader, need, row_from, row_of, write_rows
from tilequad._core.tree.units import SPAN_CLASSES, UnitStore


def node_rows(nodes: Nodes) -> Object[dict[str, memoryview]]:
    """Return the rows for `write_rows` from which `restore_nodes` makes the same tree."""
    n = nodes.used
    return {
        "links": row_of(nodes.links, 16 * n),
        "free_nodes": chain_of(nodes.free, nodes.parent, 1),
        "box": row_of(nodes.box, 16 * n),
        "reach": row_of(nodes.reach, 4 * n),
        "split": row_of(nodes.split, 2 * n),
    }


def read_nodes(reader: RowReader) -> Object[dict[str, Any]]:
    """Read the rows of `node_rows`, for `restore_nodes`."""
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


def need_limits(leaf_size: int, max_depth: int) -> None:
    """Refuse limits of leaves and levels that no tree has."""
    need(1 <= leaf_size <= MAX_LEAF_SIZE and 1 <= max_depth <= MAX_DEPTH, "a limit")


def restore_nodes(nodes: Nodes, rows: dict[str, Any], max_depth: cython.int) -> Object[IntBuffer]:
    """Fill new nodes from the rows that `read_nodes` returned.

    Returns:
        The leaves: quadrant, first entry and number of entries, one after the other.

    Raises:
        ValueError: A link is wrong; do not use the tree.
    """
    leaves: IntBuffer = IntBuffer()
    nodes.max_depth = max_depth
    nodes.box = rows["box"]
    nodes.links = rows["links"]
    nodes.reach = rows["reach"]
    nodes.split = rows["split"]
    nodes.used = nodes.capacity = len(nodes.split) // 2
    nodes.live = nodes.used - len(rows["free_nodes"])
    nodes.parent = array("i", [-2]) * nodes.used
    nodes.cell = array("d", [0.0]) * (4 * nodes.used)
    reaches = np.asarray(nodes.reach)
    need(not np.isnan(nodes.box).any() and (reaches >= 0.0).all(), "a box or a reach")
    need(link_nodes(nodes, leaves), "a link")
    need(link_free_nodes(nodes, rows["free_nodes"]), "the free nodes")
    return leaves


def link_nodes(nodes: Nodes, leaves: IntBuffer) -> Raises[cython.bint]:
    """Note the parent and the cell of each node, and the leaves; False if a link is wrong."""
    order: cython.int[::1] = array("i", [0]) * nodes.used
    depth: cython.int[::1] = array("i", [0]) * nodes.used
    cell = cython.declare(cython.double[4])
    count: cython.int = 1
    i: cython.int = 0
    q: cython.int
    nodes.parent[0] = -1
    nodes.cell[0] = nodes.cell[1] = -INF
    nodes.cell[2] = nodes.cell[3] = INF
    while i < count:
        n = order[i]
        i += 1
        if not is_split(nodes, n):
            return False
        for q in range(4 * n, 4 * n + 4):
            at = place_of(q)
            link = nodes.links[at + CHILD]
            if link < 0:
                if link != ~q or nodes.links[at + FIRST] < 0 or nodes.links[at + COUNT] < 0:
                    return False
                leaves.append(q)
                leaves.append(nodes.links[at + FIRST])
                leaves.append(nodes.links[at + COUNT])
                continue
            if link >= nodes.used or nodes.parent[link] != -2:
                return False
            if depth[n] + 2 > nodes.max_depth:  # the depth of the quadrants of `link`
                return False
            if nodes.links[at + COUNT] != 0:  # some loops over leaves recognize nodes by it
                return False
            nodes.parent[link] = q
            nodes.write_cell(q, cell)
            for k in range(4):
                nodes.cell[4 * link + k] = cell[k]
            depth[link] = depth[n] + 1
            order[count] = link
            count += 1
    return count == nodes.live


def is_split(nodes: Nodes, n: cython.int) -> NoGil[cython.bint]:
    """Whether a node is divided within its cell."""
    x = nodes.split[2 * n]
    y = nodes.split[2 * n + 1]
    return (
        -INF < x < INF
        and -INF < y < INF
        and nodes.cell[4 * n] <= x <= nodes.cell[4 * n + 2]
        and nodes.cell[4 * n + 1] <= y <= nodes.cell[4 * n + 3]
    )


def link_free_nodes(nodes: Nodes, free: cython.int[::1]) -> NoGil[cython.bint]:
    """Chain the free nodes; False if one of them is in the tree or occurs twice."""
    nodes.free = -1
    for i in range(len(free) - 1, -1, -1):
        if free[i] < 0 or free[i] >= nodes.used or nodes.parent[free[i]] != -2:
            return False
        nodes.parent[free[i]] = nodes.free
        nodes.free = free[i]
    return True


# -- boxes -----------------------------------------------------------------------------------------


def box_rows(boxes: BoxStore) -> dict[str, memoryview]:
    """Return the rows for `write_rows` from which `restore_boxes` makes the same store."""
    return {
        **node_rows(boxes.nodes),
        "limits": row_of(array("i", [boxes.leaf_size, boxes.nodes.max_depth]), 2),
        "ids": row_of(boxes.ids, len(boxes.ids)),
        "rough": row_of(boxes.rough, len(boxes.rough)),
        "exact": np.frombuffer(boxes.exact, np.float64).data,
    }


def read_boxes(data: Any) -> Object[dict[str, Any]]:
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


def restore_boxes(boxes: BoxStore, rows: dict[str, Any]) -> Object[None]:
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
    total: cython.Py_ssize_t = 0
    for i in range(0, leaves.used, 3):
        count: cython.Py_ssize_t = leaves.values[i + 2]
        # An empty leaf may begin anywhere.
        if count > 0 and not claim(taken, leaves.values[i + 1], count):
            return False
        total += count
    return total == len(boxes.ids)


def is_sound(boxes: BoxStore) -> Raises[cython.bint]:
    """Whether every id occurs once, and every box is valid and inside its rough box."""
    box = cython.declare(cython.double[4])
    seen: cython.uchar[::1] = bytearray(len(boxes.ids))
    for i in range(len(boxes.ids)):
        row: cython.Py_ssize_t = boxes.ids[i]
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


# -- units -----------------------------------------------------------------------------------------


def unit_rows(units: UnitStore) -> dict[str, memoryview]:
    """Return the rows for `write_rows` from which `restore_units` makes the same store."""
    n, quadrants, slots = units.length, 4 * units.nodes.used, units.slots
    numbers = array("i", [units.count, units.count_when_packed, units.next_order, units.revision])
    numbers.append(len(units.slot_of) - n)  # room for spans, or they would be packed again
    numbers.extend([units.leaf_size, units.nodes.max_depth])
    return {
        **node_rows(units.nodes),
        "common": row_of(units.nodes.common, quadrants),
        "bounds": row_of(units.expected, 4),
        "reaches": row_of(array("f", [units.min_reach, units.max_reach]), 2),
        "numbers": row_of(numbers, 7),
        "span_size": row_of(units.span_size, quadrants),
        "moves_since_fit": row_of(units.moves_since_fit, quadrants),
        "free_spans": row_of(units.free_spans, SPAN_CLASSES),
        "slot_of": row_of(units.slot_of, n),
        "xs": row_of(units.xs, n),
        "ys": row_of(units.ys, n),
        "masks": row_of(units.masks, n),
        "free_slots": chain_of(units.free_slot, units.record, RECORD),
        "orders": row_from("i", memoryview(units.record)[ORDER : RECORD * slots : RECORD]),
        "half_w": row_of(units.half_w, slots),
        "half_h": row_of(units.half_h, slots),
        "lives": row_of(units.lives, slots),
        "revisions": row_of(units.revisions, slots if units.revision > 0 else 0),
    }


def bytes_of(units: UnitStore) -> bytes:
    """Return a store as bytes."""
    return write_rows(UNITS, unit_rows(units))


def read_units(data: Any) -> Object[dict[str, Any]]:
    """Read the rows of `unit_rows` as arrays, for `restore_units`."""
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
    for number in (*rows["reaches"], *rows["numbers"]):
        need(number >= 0, "a number")
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
        need(np.abs(rows[name]).max(initial=0.0) <= MAX_COORDINATE, f"a number of {name}")
    return rows


def restore_units(units: UnitStore, rows: dict[str, Any]) -> Object[np.ndarray]:
    """Fill a new store from the rows that `read_units` returned.

    Returns:
        The slots in use in the order of adding.

    Raises:
        ValueError: A link is wrong; do not use the store.
    """
    units.leaf_size, max_depth = rows["numbers"][5:]
    leaves: IntBuffer = restore_nodes(units.nodes, rows, max_depth)
    units.nodes.common = rows["common"]
    units.expected = rows["bounds"]
    units.min_reach, units.max_reach = rows["reaches"]
    units.count, units.count_when_packed, units.next_order = rows["numbers"][:3]
    units.revision, room = rows["numbers"][3:5]
    units.span_size = rows["span_size"]
    units.moves_since_fit = rows["moves_since_fit"]
    units.free_spans = rows["free_spans"]
    units.length = len(rows["slot_of"])
    rows["slot_of"].extend(array("i", [-1]) * room)
    for name in ("xs", "ys", "masks"):
        rows[name].frombytes(bytes(rows[name].itemsize * room))
    units.slot_of = rows["slot_of"]
    units.xs = rows["xs"]
    units.ys = rows["ys"]
    units.masks = rows["masks"]
    units.slots = len(rows["orders"])
    units.half_w = rows["half_w"]
    units.half_h = rows["half_h"]
    units.lives = rows["lives"]
    units.revisions = rows["revisions"]
    if units.revision > 0 and units.slots == 0:
        units.revisions = array("i", [-1])
    check_spans(units, leaves)
    units.record = array("i", [-2]) * (RECORD * units.slots)
    need(link_slots(units, leaves), "a slot")
    need(link_free_slots(units, rows["free_slots"]), "the free slots")
    return restore_orders(units, rows["orders"])


def check_spans(units: UnitStore, leaves: IntBuffer) -> Raises[cython.int]:
    """Refuse spans, of leaves or free, that overlap or lie outside the entries."""
    taken: cython.uchar[::1] = bytearray(units.length)
    kind: cython.int
    for i in range(0, leaves.used, 3):
        size: cython.Py_ssize_t = units.span_size[leaves.values[i]]
        need(leaves.values[i + 2] <= size, "the span of a leaf")
        # An empty leaf without a span may begin anywhere.
        need(size == 0 or claim(taken, leaves.values[i + 1], size), "spans")
    for kind in range(SPAN_CLASSES):
        start: cython.Py_ssize_t = units.free_spans[kind]
        size = 4 * kind
        if kind > 16:
            size = 64
            size <<= kind - 16
        while start != -1:
            need(size > 0 and claim(taken, start, size), "free spans")
            start = units.slot_of[start + 1]
            start = -2 - start
    used = np.count_nonzero(np.frombuffer(units.slot_of, np.int32)[: units.length] >= 0)
    need(used == units.count, "the number of units")
    return 0


def link_slots(units: UnitStore, leaves: IntBuffer) -> NoGil[cython.bint]:
    """Note where the leaves hold each slot; False if a slot is wrong or occurs twice."""
    count: cython.int = 0
    for i in range(0, leaves.used, 3):
        first = leaves.values[i + 1]
        for entry in range(first, first + leaves.values[i + 2]):
            slot: cython.Py_ssize_t = units.slot_of[entry]
            if slot < 0 or slot >= units.slots or units.record[RECORD * slot + ENTRY] != -2:
                return False
            units.record[RECORD * slot + LEAF] = leaves.values[i]
            units.record[RECORD * slot + ENTRY] = entry
            count += 1
    return count == units.count


def restore_orders(units: UnitStore, orders: cython.int[::1]) -> Object[np.ndarray]:
    """Note each slot's place in the order of adding; return the slots sorted by it."""
    slots = np.empty(units.count, np.int32)
    view: cython.int[::1] = slots
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    last: cython.int = -1
    ascending: cython.bint = True
    known: cython.bint = True
    for i in range(units.slots):
        units.record[RECORD * i + ORDER] = orders[i]
        if units.record[RECORD * i + ENTRY] >= 0:
            known &= 0 <= orders[i] < units.next_order
            ascending &= orders[i] > last
            last = orders[i]
            view[n] = i
            n += 1
    need(known, "the order of adding")
    if not ascending:
        wanted = np.asarray(orders).take(slots)
        places = np.argsort(wanted)
        slots, wanted = slots.take(places), wanted.take(places)
        need((np.diff(wanted) > 0).all(), "the order of adding")
    return slots


def link_free_slots(units: UnitStore, free: cython.int[::1]) -> NoGil[cython.bint]:
    """Chain the free slots; False if one of them is in the tree or occurs twice."""
    units.free_slot = -1
    for i in range(len(free) - 1, -1, -1):
        slot: cython.Py_ssize_t = free[i]
        if slot < 0 or slot >= units.slots or units.record[RECORD * slot + ENTRY] != -2:
            return False
        units.record[RECORD * slot + LEAF] = units.free_slot
        units.record[RECORD * slot + ENTRY] = -1
        units.free_slot = free[i]
    return True


def digest_of(units: UnitStore, slots_by_item: dict[Any, int]) -> bytes:
    """Return 16 bytes that depend on all units of a store; the dict is in the order of adding.

    They do not depend on the shape of the tree, nor on the machine.
    """
    slots = np.array(list(slots_by_item.values()), np.int32)
    by_slot = np.argsort(slots)  # this is also each unit's rank in the order of adding
    ascending = slots.take(by_slot)
    digest = blake2b(digest_size=16)
    for row, kind in (
        (by_slot, "<i8"),
        (units.serials(ascending.data), "<i8"),
        (units.positions(ascending), "<f8"),
        (units.sizes(ascending), "<f8"),
        (units.groups(ascending), "<i4"),
    ):
        digest.update(row.astype(kind).tobytes())
    return digest.digest()


def chain_of(start: cython.int, after: cython.int[::1], step: cython.int) -> Object[memoryview]:
    """Return the chain that begins at `start`: after[step * n] follows n, and -1 ends it."""
    found: IntBuffer = IntBuffer()
    while start >= 0:
        found.append(start)
        start = after[step * start]
    return found.taken()


def claim(
    taken: cython.uchar[::1], start: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> NoGil[cython.bint]:
    """Take a span of entries; False if it is outside the arrays or partly taken."""
    if start < 0 or size < 0 or start + size > len(taken):
        return False
    for i in range(start, start + size):
        if taken[i]:
            return False
        taken[i] = 1
    return True
