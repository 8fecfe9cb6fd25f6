"""All blocks of a CellSet at once, in numpy: to fill it, to list few cells, to show and check it.

Never compiled, because numpy does the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tilequad._core.cells.cell_ids import ChunkIds, GridIds
from tilequad._core.tree.inspection import NODE

if TYPE_CHECKING:
    from tilequad._core.cells.cell_set import CellSet

BLOCK = 8  # cells along a side of a block


class Parts(NamedTuple):
    """The arrays of a set, as `cell_set.py` explains them, and what goes with them."""

    keys: np.ndarray  # of the chunks that hold a cell
    chunks: np.ndarray  # the free ones come last
    words: np.ndarray  # (chunks, 32)
    block_at: np.ndarray  # (chunks, 16)
    first: np.ndarray
    free_blocks: list[int]
    used_blocks: int
    bias: int


def packed(
    columns: np.ndarray, rows: np.ndarray, held: np.ndarray, bias: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the keys, words and block numbers of a set of blocks, numbered from 1.

    Columns and rows are the first of each block, multiples of 8; no two blocks coincide. `held`
    tells which cells are held, row by row, (n, 64); at least one per block.
    """
    x, y = columns.astype(np.int64) + bias, rows.astype(np.int64) + bias
    places = (y >> 5 << 32) + (x >> 5)
    starts = np.ones(len(places), bool)  # of runs in one chunk: the fewer to sort
    starts[1:] = np.diff(places) != 0
    keys, which = np.unique(places[starts], return_inverse=True)
    which = which.reshape(-1)[np.cumsum(starts) - 1]
    across, down = x >> 3 & 3, y >> 3 & 3
    words = np.zeros((len(keys), 32, 4), np.uint8)
    lines = (8 * down)[:, None] + np.arange(8)
    words[which[:, None], lines, across[:, None]] = np.packbits(held, axis=1, bitorder="little")
    blocks = np.zeros((len(keys), 16), np.int32)
    blocks[which, 4 * down + across] = np.arange(1, len(held) + 1)
    return keys, words.view("<u4").astype(np.uint32), blocks


def corners_of(cells: CellSet) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return first slots, first columns and first rows of the blocks that hold a cell.

    They come chunk by chunk.
    """
    parts = cells.parts()
    blocks = parts.block_at[parts.chunks[: len(parts.keys)]]
    which, places = np.nonzero(blocks)
    columns = ((parts.keys[which] & 0xFFFFFFFF) << 5) + (places & 3) * BLOCK - parts.bias
    rows = (parts.keys[which] >> 32 << 5) + (places >> 2) * BLOCK - parts.bias
    return 64 * blocks[which, places].astype(np.int64), columns, rows


def blocks_of(cells: CellSet) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the blocks that hold a cell, chunk by chunk.

    Returns:
        First slots, first columns, first rows, and (n, 64) booleans, true for held cells.
    """
    parts = cells.parts()
    chunks = parts.chunks[: len(parts.keys)]
    which, places = np.nonzero(parts.block_at[chunks])
    words = parts.words.astype("<u4").view(np.uint8).reshape(-1, 32, 4)
    lines = (places >> 2)[:, None] * BLOCK + np.arange(BLOCK)
    held = words[chunks[which][:, None], lines, (places & 3)[:, None]]
    return (*corners_of(cells), np.unpackbits(held, axis=1, bitorder="little").astype(bool))


def have_same_slots(cells: CellSet, others: CellSet) -> bool:
    """Return whether the slots of blocks stand for the same cells in two sets."""
    own, other = cells.parts(), others.parts()
    used = len(own.keys)
    return (
        np.array_equal(own.keys, other.keys)
        and np.array_equal(own.chunks[:used], other.chunks[:used])
        and np.array_equal(own.block_at, other.block_at)
    )


def sorted_ids(
    cells: CellSet, first_step: int, first_line: int, last_step: int, last_line: int
) -> np.ndarray:
    """Return the ids of held cells by line and step: faster for few cells in a large range."""
    slots, columns, rows, held = blocks_of(cells)
    which, places = np.nonzero(held)
    columns, rows = columns[which] + places % 8, rows[which] + places // 8
    steps, lines = cells.order.steps_and_lines(columns, rows)
    seen = (steps >= first_step) & (steps <= last_step)
    seen &= (lines >= first_line) & (lines <= last_line)
    some = np.flatnonzero(seen)
    some = some[np.lexsort((steps[some], lines[some]))]
    columns, rows = columns[some], rows[some]
    if isinstance(cells.ids, GridIds):
        return cells.ids.ids_at(columns, rows).astype(np.int32)
    ids = cells.parts().first[slots[which[some]] // 64]
    return (ids + (rows & 7) * cells.ids.stride + (columns & 7)).astype(np.int32)


def nodes_of(cells: CellSet) -> np.ndarray:
    """Return the occupied blocks of every level, for overlays and statistics. O(blocks).

    Returns:
        A structured array, level by level from the root down to blocks of 8 x 8 cells:
        `min_x`, `min_y`, `max_x`, `max_y` (cell c spans c to c + 1), `depth` (0 for the root),
        `count` (held cells) and `leaf`.
    """
    edges = cells.ids if isinstance(cells.ids, GridIds) else None
    bias = cells.parts().bias
    _, columns, rows, held = blocks_of(cells)
    counts = held.sum(axis=1)
    x, y = (columns + bias) // BLOCK, (rows + bias) // BLOCK
    levels: list[np.ndarray] = []
    size, root = BLOCK, BLOCK
    while edges and root < max(edges.columns, edges.rows):
        root *= 2
    while len(counts) and (not levels or len(x) > 1 or size <= root):
        keys, which = np.unique((y << 32) + x, return_inverse=True)
        counts = np.bincount(which.reshape(-1), weights=counts)
        x, y = keys & 0xFFFFFFFF, keys >> 32
        level = np.zeros(len(keys), NODE)
        level["min_x"], level["min_y"] = x * size - bias, y * size - bias
        level["max_x"], level["max_y"] = level["min_x"] + size, level["min_y"] + size
        level["count"], level["leaf"] = counts, size == BLOCK
        levels.append(level)
        x, y, size = x >> 1, y >> 1, 2 * size
    levels.reverse()
    for depth, level in enumerate(levels):
        level["depth"] = depth
    found = np.concatenate(levels) if levels else np.zeros(0, NODE)
    if edges:
        found["max_x"] = np.minimum(found["max_x"], edges.columns)
        found["max_y"] = np.minimum(found["max_y"], edges.rows)
    return found


def check_cells(cells: CellSet) -> None:
    """Verify all invariants of a set, for tests. O(cells).

    Raises:
        AssertionError: An invariant is broken, which is a bug in tilequad.
    """
    keys, chunks, words, block_at, first, free_blocks, used_blocks, _ = cells.parts()
    used, free = chunks[: len(keys)], chunks[len(keys) :]
    assert (np.diff(keys) > 0).all(), "chunks out of order"
    assert np.array_equal(np.sort(chunks), np.arange(len(words))), "a chunk lost"
    assert words[used].any(axis=1).all(), "an empty chunk"
    assert not words[free].any(), "a cell in no chunk"
    assert not block_at[free].any(), "a block in no chunk"
    slots, columns, rows, held = blocks_of(cells)
    known = np.sort(np.concatenate((slots // 64, np.array(free_blocks, np.int64))))
    assert np.array_equal(known, np.arange(1, used_blocks)), "a block lost or used twice"
    assert held.any(axis=1).all(), "an empty block"
    assert held.sum() == cells.count, "the number of cells"
    assert np.unpackbits(words.view(np.uint8)).sum() == cells.count, "a cell in no block"
    if isinstance(cells.ids, GridIds):
        across, down = columns[:, None] + np.arange(64) % 8, rows[:, None] + np.arange(64) // 8
        beyond = (across >= cells.ids.columns) | (down >= cells.ids.rows)
        assert not held[beyond].any(), "a cell beyond the edges"
    if isinstance(cells.ids, ChunkIds):
        places = zip((slots // 64).tolist(), columns.tolist(), rows.tolist(), strict=True)
        for block, column, row in places:
            assert first[block] == cells.ids.first_of(column, row), "the id of a block"
