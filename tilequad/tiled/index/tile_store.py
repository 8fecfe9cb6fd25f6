"""The raw tiles of a layer: a gid with flip bits per cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad.quadtree import RegionQuadtree
from tilequad.quadtree.cell_ids import CellIds, CellOrder, ChunkIds, GridIds, into_blocks

from ..cells import GID_MASK, CellBlock, Ids

__all__ = ["TileStore"]

Ints = NDArray[np.int32]
Raw = NDArray[np.uint32]

_CHUNK = 16  # columns and rows of a chunk in an infinite map, Tiled's default
_MOST_IDS = (1 << 31) - 1
_SPARE = 4  # a full array grows by a quarter


class TileStore:
    """Stores the raw value of each cell: gid and flip bits in one number, 0 for empty.

    Values lie in blocks of 8 x 8 cells. Blocks without tiles take no memory.

    Args:
        blocks: The tiles of the file. Where two blocks overlap, the later one wins.
        size: Columns and rows of the map.
        infinite: Whether cells may lie outside `size`.
        order: The draw order.

    Attributes:
        ids: The ids of the cells.
        tree: The cells that hold a tile, in draw order.
        values: Raw values by slot of `tree`; uint32.
        order: The draw order.
    """

    def __init__(
        self, blocks: list[CellBlock], size: tuple[int, int], infinite: bool, order: CellOrder
    ) -> None:
        columns, rows, values = _merged([_cut(block) for block in blocks])
        held = values != 0
        self.ids = _ids_for(blocks, size, infinite)
        self.tree = RegionQuadtree.of_blocks(self.ids, order, columns, rows, held)
        # slots below 64 belong to all cells in blocks without tiles
        self.values = np.concatenate((np.zeros(64, np.uint32), values.reshape(-1)))
        self.order = order

    def __len__(self) -> int:
        return len(self.tree)

    def checked(self, ids: Ids) -> Ints:
        """Return ids as an int32 array.

        Raises:
            TypeError: `ids` is not a list of whole numbers.
            IndexError: An id is negative or not below the limit.
        """
        asked = np.asarray(ids)
        if asked.ndim != 1 or (asked.dtype.kind not in "iu" and asked.size):
            raise TypeError(f"ids must be a list of whole numbers, got {ids!r}")
        if asked.size and not 0 <= asked.min() <= asked.max() < self.ids.limit:
            wrong = asked.min() if asked.min() < 0 else asked.max()
            raise IndexError(f"ids must be from 0 to {self.ids.limit - 1}, got {wrong}")
        return asked.astype(np.int32, copy=False)

    def cells(self, ids: Ids) -> tuple[Ints, Ints]:
        """Return the columns and rows of ids."""
        return self.ids.cells(self.checked(ids))

    def raw(self, columns: Ints, rows: Ints) -> Raw:
        """Return the raw values of cells."""
        found: Raw = self.values[self.tree.slots(columns, rows)]
        return found

    def raw_at(self, column: int, row: int) -> int:
        """Return the raw value of one cell; 0 outside the map."""
        return self.values.item(self.tree.slot(column, row))

    def put(self, column: int, row: int, raw: int) -> int:
        """Set the tile of a cell. Return its id."""
        tile_id: int = self.tree.set(column, row)
        slot = self.tree.slot(column, row)
        if slot >= len(self.values):
            spare = np.zeros((slot // _SPARE & -64) + 1024, np.uint32)
            self.values = np.concatenate((self.values, spare))
        self.values[slot] = raw
        return tile_id

    def take(self, column: int, row: int) -> None:
        """Clear a cell that holds a tile."""
        self.values[self.tree.slot(column, row)] = 0
        self.tree.clear(column, row)

    def extent(self) -> tuple[range, range]:
        """Return the smallest ranges of columns and rows around all tiles."""
        _, columns, rows, held = self.tree.blocks()
        found = []
        for firsts, axis in ((columns, 1), (rows, 2)):
            taken: NDArray[np.bool_] = held.reshape(-1, 8, 8).max(axis=axis)
            low, high = taken.argmax(axis=1), 8 - taken[:, ::-1].argmax(axis=1)
            found.append(range(int((firsts + low).min()), int((firsts + high).max())))
        return found[0], found[1]

    def check_capacity(self, cells: NDArray[np.int64]) -> None:
        """Refuse cells whose chunks would need more ids than an int32 can count.

        Raises:
            ValueError: They need more.
        """
        if isinstance(self.ids, ChunkIds):
            size = self.ids.width, self.ids.height
            self.ids.check_capacity(len(np.unique(cells // size, axis=0)))

    def in_draw_order(self, ids: Ints) -> Ints:
        """Return ids sorted by draw order."""
        if self.order.by_rows and isinstance(self.ids, GridIds):
            return np.sort(ids)
        steps, lines = self.order.steps_and_lines(*self.ids.cells(ids))
        return ids[np.lexsort((steps, lines))]

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        return int(self.tree.nbytes + self.values.nbytes)


def _cut(block: CellBlock) -> tuple[NDArray[np.int64], NDArray[np.int64], Raw]:
    """Cut into blocks of 8 x 8, without empty ones: first columns and rows, (n, 64) values."""
    left, top = block.left & -8, block.top & -8
    raw = block.raw
    if (left, top) != (block.left, block.top):
        raw = np.pad(raw, ((block.top - top, 0), (block.left - left, 0)))
    values = into_blocks(raw)
    empty: NDArray[np.bool_] = values & np.uint32(GID_MASK) == 0
    taken = np.flatnonzero(np.logical_not(empty.all(axis=1)))
    if len(taken) < len(values):
        values, empty = values[taken], empty[taken]
    if not values.flags.writeable:  # it is a view of the file's bytes
        values = values.copy()
    values[empty] = 0
    across = max(-(-raw.shape[1] // 8), 1)
    return taken % across * 8 + left, taken // across * 8 + top, values


def _merged(parts: list[tuple[Any, Any, Raw]]) -> tuple[Any, Any, Raw]:
    """Merge lists of blocks; where blocks coincide, later tiles win."""
    if len(parts) == 1:
        return parts[0]
    nothing = np.empty(0, np.int64)
    parts = [(nothing, nothing, np.empty((0, 64), np.uint32)), *parts]
    columns, rows, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    _, firsts, which = np.unique((rows << 32) + columns, return_index=True, return_inverse=True)
    if len(firsts) == len(columns):
        return columns, rows, values
    which = firsts[which.reshape(-1)]  # the first block at each place
    later = np.flatnonzero(which != np.arange(len(which)))
    for block in later.tolist():
        into = values[which[block]]
        np.copyto(into, values[block], where=values[block] != 0)
    firsts.sort()
    return columns[firsts], rows[firsts], values[firsts]


def _ids_for(blocks: list[CellBlock], size: tuple[int, int], infinite: bool) -> CellIds:
    """Number cells row by row in a map with edges, if an int32 can; else chunk by chunk."""
    columns = max([size[0], *(block.left + block.raw.shape[1] for block in blocks)])
    rows = max([size[1], *(block.top + block.raw.shape[0] for block in blocks)])
    outside = any(block.left < 0 or block.top < 0 for block in blocks)
    if not infinite and not outside and columns * rows <= _MOST_IDS:
        return GridIds(columns, rows)
    return ChunkIds(*_chunk_size(blocks))


def _chunk_size(blocks: list[CellBlock]) -> tuple[int, int]:
    """Return the size of the file's chunks if they are all alike, else Tiled's default."""
    sizes = {block.raw.shape for block in blocks}
    if len(sizes) == 1:
        [(rows, columns)] = sizes
        whole = columns > 0 and rows > 0 and columns % 8 == 0 and rows % 8 == 0
        if whole and all(b.left % columns == 0 and b.top % rows == 0 for b in blocks):
            return columns, rows
    return _CHUNK, _CHUNK
