# distutils: extra_compile_args = -O1
"""CellBlocks: a set of grid cells, one bit per cell, in blocks; empty blocks take no memory.

A block is one word: 8 x 8 cells. A node has up to 8 x 8 children, which are blocks or nodes, and a
word that marks which of them exist. So each word stores three levels of a quadtree, and the tree
over 4096 x 4096 cells is three nodes deep. The layout is VDB (Museth, 2013) in two dimensions.

    bits[block]                  the held cells: bit 8 * row + column of each;
                                 in a free block, the number of the next free block
    first[block]                 the id of the first cell; unused with edges, where column and row
                                 give the id
    marks[node]                  the existing children, numbered like cells
    children[64 * node + bit]    a block if the node is on level 1, else a node of the level below

Block 0 and node 0 are empty and stand for "none". `bias` makes columns and rows nonnegative: x =
column + bias, y = row + bias. In a grid without edges it puts cell (0, 0) in the middle of a block
of every size, so that the root stays as small as the map.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.cells.cell_ids import CellIds, ChunkIds

BIAS = 0o4444444440  # a multiple of 8, in the middle of blocks of every size 8**k
SPARE = 4  # full arrays grow by a quarter
FEW = 64  # for up to this many blocks, a loop is faster than numpy


@cython.final
@cython.cclass
class CellBlocks:
    """A set of cells.

    Args:
        ids: The ids of the cells.

    Attributes:
        count: The number of held cells.
    """

    __slots__ = {
        "ids": "object",
        "stride": "Py_ssize_t",
        "edged": "bint",
        "bias": "Py_ssize_t",
        "count": "Py_ssize_t",
        "bits": "unsigned long long[::1]",
        "first": "int[::1]",
        "marks": "unsigned long long[::1]",
        "children": "int[::1]",
        "used_blocks": "Py_ssize_t",
        "used_nodes": "Py_ssize_t",
        "free_block": "Py_ssize_t",
        "free_node": "Py_ssize_t",
        "root": "Py_ssize_t",
        "root_x": "Py_ssize_t",
        "root_y": "Py_ssize_t",
        "height": "Py_ssize_t",
    }

    def __init__(self, ids: CellIds) -> None:
        self.ids = ids
        self.stride = ids.stride
        self.edged = not isinstance(ids, ChunkIds)
        self.bias = 0 if self.edged else BIAS
        self.count = 0
        self.bits = array("Q", [0])
        self.first = array("i", [0])
        self.marks = array("Q", [0])
        self.children = array("i", [0]) * 64
        self.used_blocks = self.used_nodes = 1
        self.free_block = self.free_node = 0
        self.root = self.root_x = self.root_y = self.height = 0

    # -- cells -------------------------------------------------------------------------------------

    def find(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return the block of a cell, or 0."""
        level: cython.Py_ssize_t = self.height
        shift: cython.Py_ssize_t = 3 * level + 3
        at: cython.Py_ssize_t = self.root
        if x >> shift != self.root_x or y >> shift != self.root_y:
            return 0
        while level > 0 and at > 0:
            shift -= 3
            at = self.children[(at << 6) + (((y >> shift) & 7) << 3) + ((x >> shift) & 7)]
            level -= 1
        return at

    def holds(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> NoGil[cython.bint]:
        """Return whether a cell is held."""
        return ((self.bits[self.find(x, y)] >> (((y & 7) << 3) + (x & 7))) & 1) != 0

    def hold(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> Raises[cython.Py_ssize_t]:
        """Add a cell, or do nothing if it is held. Return its block."""
        at: cython.Py_ssize_t = self.find(x, y)
        bit: cython.ulonglong = 1
        bit <<= ((y & 7) << 3) + (x & 7)
        if at == 0:
            at = self.make_block(x, y)
        if not self.bits[at] & bit:
            self.bits[at] |= bit
            self.count += 1
        return at

    def release(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> NoGil[None]:
        """Remove a held cell. Free its block and nodes if they become empty."""
        at: cython.Py_ssize_t = self.find(x, y)
        bit: cython.ulonglong = 1
        self.bits[at] ^= bit << (((y & 7) << 3) + (x & 7))
        self.count -= 1
        if self.bits[at] == 0:
            self.bits[at] = self.free_block
            self.free_block = at
            self.detach(x, y)

    def detach(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> NoGil[None]:
        """Unlink the block of a cell from the tree; free nodes that become empty."""
        path = cython.declare(cython.int[16])
        level: cython.Py_ssize_t
        place: cython.Py_ssize_t
        node: cython.Py_ssize_t = self.root
        bit: cython.ulonglong = 1
        for level in range(self.height, 0, -1):
            path[level] = cython.cast(cython.int, node)
            node = self.children[(node << 6) + self.place_in(x, y, level)]
        for level in range(1, self.height + 1):
            node = path[level]
            place = self.place_in(x, y, level)
            self.children[(node << 6) + place] = 0
            self.marks[node] ^= bit << place
            if self.marks[node]:
                return
            self.children[node << 6] = cython.cast(cython.int, self.free_node)
            self.free_node = node
        self.root = 0

    def place_in(
        self, x: cython.Py_ssize_t, y: cython.Py_ssize_t, level: cython.Py_ssize_t
    ) -> NoGil[cython.Py_ssize_t]:
        """Return which child of a node on a level contains a cell."""
        shift: cython.Py_ssize_t = 3 * level
        return (((y >> shift) & 7) << 3) + ((x >> shift) & 7)

    # -- blocks and nodes --------------------------------------------------------------------------

    def make_block(self, x: cython.Py_ssize_t, y: cython.Py_ssize_t) -> Raises[cython.Py_ssize_t]:
        """Link an empty block for a cell; raise the root if the cell lies outside it."""
        level: cython.Py_ssize_t
        place: cython.Py_ssize_t
        below: cython.Py_ssize_t
        at: cython.Py_ssize_t
        bit: cython.ulonglong = 1
        first: cython.int = 0
        if isinstance(self.ids, ChunkIds):
            first = self.ids.first_of((x >> 3 << 3) - self.bias, (y >> 3 << 3) - self.bias)
        if self.root == 0:
            self.root = self.new_node()
            self.height, self.root_x, self.root_y = 1, x >> 6, y >> 6
        while (
            x >> (3 * self.height + 3) != self.root_x or y >> (3 * self.height + 3) != self.root_y
        ):
            at = self.new_node()
            place = ((self.root_y & 7) << 3) + (self.root_x & 7)
            self.children[(at << 6) + place] = cython.cast(cython.int, self.root)
            self.marks[at] = bit << place
            self.root, self.root_x, self.root_y = at, self.root_x >> 3, self.root_y >> 3
            self.height += 1
        at = self.root
        for level in range(self.height, 0, -1):
            place = self.place_in(x, y, level)
            below = self.children[(at << 6) + place]
            if below == 0:
                below = self.new_node() if level > 1 else self.new_block()
                self.children[(at << 6) + place] = cython.cast(cython.int, below)
                self.marks[at] |= bit << place
            at = below
        if not self.edged:
            self.first[at] = first
        return at

    def id_in(
        self, block: cython.Py_ssize_t, x: cython.Py_ssize_t, y: cython.Py_ssize_t
    ) -> NoGil[cython.Py_ssize_t]:
        """Return the id of a cell of a block."""
        if self.edged:
            return y * self.stride + x
        return self.first[block] + (y & 7) * self.stride + (x & 7)

    def new_block(self) -> Raises[cython.Py_ssize_t]:
        """Take a free block, or append one."""
        at: cython.Py_ssize_t = self.free_block
        if at > 0:
            self.free_block = cython.cast(cython.Py_ssize_t, self.bits[at])
            self.bits[at] = 0
            return at
        at = self.used_blocks
        if at == len(self.bits):
            room = at + at // SPARE + 16
            self.bits = longer(self.bits, "Q", room)
            if not self.edged:
                self.first = longer(self.first, "i", room)
        self.used_blocks += 1
        return at

    def new_node(self) -> Raises[cython.Py_ssize_t]:
        """Take a free node, or append one; it has no children."""
        at: cython.Py_ssize_t = self.free_node
        if at > 0:
            self.free_node = self.children[at << 6]
            self.children[at << 6] = 0
            return at
        at = self.used_nodes
        if at == len(self.marks):
            room = at + at // SPARE + 4
            self.marks = longer(self.marks, "Q", room)
            self.children = longer(self.children, "i", 64 * room)
        self.used_nodes += 1
        return at

    # -- many at once ------------------------------------------------------------------------------

    def fill(self, columns: np.ndarray, rows: np.ndarray, bits: np.ndarray) -> None:
        """Fill an empty set with blocks; they become blocks 1 to n.

        Args:
            columns: (n,) first column of each block, a multiple of 8.
            rows: (n,) first row of each block, a multiple of 8; no two blocks coincide.
            bits: (n,) uint64, the held cells of each block, never 0.
        """
        if not len(bits):
            return
        self.count = int(ones_in(bits).sum())
        if len(bits) <= FEW:
            places = zip(columns.tolist(), rows.tolist(), bits.tolist(), strict=True)
            for column, row, word in places:
                at = self.make_block(column + self.bias, row + self.bias)  # may replace the arrays
                self.bits[at] = word
            return
        if isinstance(self.ids, ChunkIds):
            self.first = array("i", bytes(4) + self.ids.firsts_of(columns, rows).tobytes())
        self.bits = array("Q", bytes(8) + bits.tobytes())
        self.used_blocks = len(bits) + 1
        numbers = np.arange(1, len(bits) + 1, dtype=np.int32)
        x, y = ((axis.astype(np.int64) + self.bias) >> 3 for axis in (columns, rows))
        parts = [np.zeros((1, 64), np.int32)]
        while len(parts) == 1 or len(numbers) > 1:
            keys, which = np.unique((y >> 3 << 32) + (x >> 3), return_inverse=True)
            nodes = np.zeros((len(keys), 64), np.int32)
            nodes[which.reshape(-1), ((y & 7) << 3) + (x & 7)] = numbers
            parts.append(nodes)
            numbers = np.arange(self.used_nodes, self.used_nodes + len(keys), dtype=np.int32)
            self.used_nodes += len(keys)
            x, y = keys & 0xFFFFFFFF, keys >> 32
        children = np.concatenate(parts)
        self.children = array("i", children.tobytes())
        self.marks = array("Q", as_words(children != 0).tobytes())
        self.root, self.height = int(numbers[0]), len(parts) - 1
        self.root_x, self.root_y = int(x[0]), int(y[0])

    def listed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the nodes in use, the blocks, and their first columns and rows, unordered."""
        if not self.root:
            nothing = np.empty(0, np.int64)
            return nothing, nothing, nothing, nothing
        children = np.asarray(self.children).reshape(-1, 64)
        at, x, y = (np.array([number]) for number in (self.root, self.root_x, self.root_y))
        nodes = []
        for _ in range(self.height):
            nodes.append(at)
            which, places = np.nonzero(children[at])
            at = children[at[which], places].astype(np.int64)
            x, y = (x[which] << 3) + (places & 7), (y[which] << 3) + (places >> 3)
        return np.concatenate(nodes), at, (x << 3) - self.bias, (y << 3) - self.bias

    def nbytes(self) -> int:
        """Return the memory of the arrays, in bytes."""
        return 8 * (len(self.bits) + len(self.marks)) + 4 * (len(self.first) + len(self.children))

    def state(self) -> tuple[Any, ...]:
        """Return a picklable state for `restored`."""
        return (
            self.ids,
            self.count,
            bytes(self.bits),
            bytes(self.first),
            bytes(self.marks),
            bytes(self.children),
            (self.used_blocks, self.used_nodes, self.free_block, self.free_node),
            (self.root, self.root_x, self.root_y, self.height),
        )

    def check(self) -> None:
        """Verify all invariants, for tests. O(cells).

        Raises:
            AssertionError: An invariant is broken, which is a bug in tilequad.
        """
        bits, marks = np.asarray(self.bits), np.asarray(self.marks)
        first, children = np.asarray(self.first), np.asarray(self.children).reshape(-1, 64)
        assert not bits[0], "a cell in no block"
        assert not marks[0], "a mark in no node"
        assert not children[0].any(), "a child of no node"
        nodes, blocks, columns, rows = self.listed()
        for numbers, used, free in (
            (nodes, self.used_nodes, chain(children[:, 0], self.free_node)),
            (blocks, self.used_blocks, chain(bits, self.free_block)),
        ):
            known = np.concatenate((numbers, np.array(free, np.int64)))
            assert np.array_equal(np.sort(known), np.arange(1, used)), "a block lost or used twice"
        assert (marks[nodes] == as_words(children[nodes] != 0)).all(), "a child without a mark"
        assert marks[nodes].all(), "an empty node"
        assert bits[blocks].all(), "an empty block"
        assert int(ones_in(bits[blocks]).sum()) == self.count, "the number of cells"
        if isinstance(self.ids, ChunkIds):
            places = zip(blocks.tolist(), columns.tolist(), rows.tolist(), strict=True)
            for block, column, row in places:
                assert first[block] == self.ids.first_of(column, row), "the id of a block"


def restored(state: tuple[Any, ...]) -> CellBlocks:
    """Rebuild a set from its `state`."""
    blocks: CellBlocks = CellBlocks(state[0])
    blocks.count = state[1]
    blocks.bits, blocks.first = array("Q", state[2]), array("i", state[3])
    blocks.marks, blocks.children = array("Q", state[4]), array("i", state[5])
    blocks.used_blocks, blocks.used_nodes, blocks.free_block, blocks.free_node = state[6]
    blocks.root, blocks.root_x, blocks.root_y, blocks.height = state[7]
    return blocks


# -- helpers ---------------------------------------------------------------------------------------

# The number of bits set in each byte, to count bits of many words with numpy.
ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.uint8)


def ones_in(words: np.ndarray) -> np.ndarray:
    """Count the bits set in each word."""
    bits = ONES[np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8)]
    return bits.sum(axis=1, dtype=np.int64)


def as_words(held: np.ndarray) -> np.ndarray:
    """Pack (n, 64) booleans into n words, the first one lowest."""
    return np.packbits(held, axis=1, bitorder="little").view("<u8").reshape(-1).astype(np.uint64)


def as_booleans(words: np.ndarray) -> np.ndarray:
    """Unpack n words into (n, 64) booleans, the lowest bit first."""
    rows = words.astype("<u8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(rows, axis=1, bitorder="little").astype(bool)


def chain(links: np.ndarray, at: int) -> list[int]:
    """Return the entries of a free list."""
    found = []
    while at:
        found.append(at)
        at = int(links[at])
    return found


def longer(values: array[int], kind: str, length: int) -> array[int]:
    """Copy an array into a longer one, filled up with zeros."""
    grown = array(kind, [0]) * length
    memoryview(grown)[: len(values)] = memoryview(values)
    return grown
