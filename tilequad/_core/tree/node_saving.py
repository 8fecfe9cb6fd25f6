"""The nodes of both trees as rows of numbers, and back."""

from __future__ import annotations

from array import array
from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import IntBuffer, chain_of
from tilequad._core.tree.layout import (
    CHILD,
    COUNT,
    FIRST,
    INF,
    MAX_DEPTH,
    MAX_LEAF_SIZE,
    place_of,
)
from tilequad._core.tree.nodes import Nodes
from tilequad._core.tree.rows import RowReader, need, row_of


def node_rows(nodes: Nodes) -> dict[str, memoryview]:
    """Return the rows for `write_rows` from which `restore_nodes` makes the same tree."""
    n = nodes.used
    return {
        "links": row_of(nodes.links, 16 * n),
        "free_nodes": chain_of(nodes.free, nodes.parent, 1),
        "box": row_of(nodes.box, 16 * n),
        "reach": row_of(nodes.reach, 4 * n),
        "split": row_of(nodes.split, 2 * n),
    }


def read_nodes(reader: RowReader) -> dict[str, Any]:
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


def restore_nodes(nodes: Nodes, rows: dict[str, Any], max_depth: cython.int) -> IntBuffer:
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
    need(has_numbers(nodes), "a box or a reach")
    need(link_nodes(nodes, leaves), "a link")
    need(link_free_nodes(nodes, rows["free_nodes"]), "the free nodes")
    return leaves


def has_numbers(nodes: Nodes) -> NoGil[cython.bint]:
    """Whether no edge of a box is NaN, and no reach is NaN or below 0."""
    i: cython.Py_ssize_t
    right: cython.int = 1
    for i in range(len(nodes.box)):
        right &= nodes.box[i] == nodes.box[i]
    for i in range(len(nodes.reach)):
        right &= nodes.reach[i] >= 0.0
    return right


def link_nodes(nodes: Nodes, leaves: IntBuffer) -> Raises[cython.bint]:
    """Note the parent and the cell of each node, and the leaves; False if a link is wrong."""
    order: cython.int[::1] = array("i", [0]) * nodes.used
    depth: cython.int[::1] = array("i", [0]) * nodes.used
    cell = cython.declare(cython.double[4])
    count: cython.int = 1
    i: cython.int = 0
    k: cython.int
    n: cython.int
    q: cython.int
    link: cython.int
    at: cython.Py_ssize_t
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
    x: cython.double = nodes.split[2 * n]
    y: cython.double = nodes.split[2 * n + 1]
    return (
        -INF < x < INF
        and -INF < y < INF
        and nodes.cell[4 * n] <= x <= nodes.cell[4 * n + 2]
        and nodes.cell[4 * n + 1] <= y <= nodes.cell[4 * n + 3]
    )


def link_free_nodes(nodes: Nodes, free: cython.int[::1]) -> NoGil[cython.bint]:
    """Chain the free nodes; False if one of them is in the tree or occurs twice."""
    i: cython.Py_ssize_t
    nodes.free = -1
    for i in range(len(free) - 1, -1, -1):
        if free[i] < 0 or free[i] >= nodes.used or nodes.parent[free[i]] != -2:
            return False
        nodes.parent[free[i]] = nodes.free
        nodes.free = free[i]
    return True
