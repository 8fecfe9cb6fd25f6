"""The tiles of a layer, by the id of their cell."""

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

_CHUNK = 16  # columns and rows of the chunks in which Tiled keeps an infinite map, by default
_MOST_IDS = (1 << 31) - 1
_SPARE = 4  # an array that is full grows by a quarter


class TileStore:
    """What each cell holds: flip bits and gid in one number, 0 for an empty cell.

    Values lie in blocks of 8 x 8 cells; a block without tiles is not stored.

    Args:
        blocks: The tiles, as a file has them. Of two blocks that overlap the later one counts.
        size: Columns and rows of the map.
        infinite: Whether cells may lie outside of that.
        order: The order in which tiles are drawn.

    Attributes:
        tree: The cells that hold a tile, in draw order.
        values: By slot, as `tree.slots` tells them; uint32.
    """

    def __init__(
        self, blocks: list[CellBlock], size: tuple[int, int], infinite: bool, order: CellOrder
    ) -> None:
        columns, rows, values = _merged([_cut(block) for block in blocks])
        held = values != 0
        self.ids = _ids_for(blocks, size, infinite)
        self.tree = RegionQuadtree.of_blocks(self.ids, order, columns, rows, held)
        # slots below 64 are those of cells around which nothing is
        self.values = np.concatenate((np.zeros(64, np.uint32), values.reshape(-1)))
        self.order = order

    def __len__(self) -> int:
        return len(self.tree)

    def checked(self, ids: Ids) -> Ints:
        """Ids as an array of int32.

        Raises:
            TypeError: Something other than whole numbers.
            IndexError: A number that is no cell's.
        """
        asked = np.asarray(ids)
        if asked.ndim != 1 or (asked.dtype.kind not in "iu" and asked.size):
            raise TypeError(f"ids must be a list of whole numbers, got {ids!r}")
        if asked.size and not 0 <= asked.min() <= asked.max() < self.ids.limit:
            wrong = asked.min() if asked.min() < 0 else asked.max()
            raise IndexError(f"ids must be from 0 to {self.ids.limit - 1}, got {wrong}")
        return asked.astype(np.int32, copy=False)

    def cells(self, ids: Ids) -> tuple[Ints, Ints]:
        """The columns and the rows of some ids."""
        return self.ids.cells(self.checked(ids))

    def raw(self, columns: Ints, rows: Ints) -> Raw:
        """What some cells hold."""
        found: Raw = self.values[self.tree.slots(columns, rows)]
        return found

    def raw_at(self, column: int, row: int) -> int:
        """What one cell holds; 0 for a cell that the layer does not have."""
        return self.values.item(self.tree.slot(column, row))

    def put(self, column: int, row: int, raw: int) -> int:
        """Give a cell a tile. Returns its id."""
        number: int = self.tree.set(column, row)
        slot = self.tree.slot(column, row)
        if slot >= len(self.values):
            room = np.zeros((slot // _SPARE & -64) + 1024, np.uint32)
            self.values = np.concatenate((self.values, room))
        self.values[slot] = raw
        return number

    def take(self, column: int, row: int) -> None:
        """Empty a cell that holds a tile."""
        self.values[self.tree.slot(column, row)] = 0
        self.tree.clear(column, row)

    def extent(self) -> tuple[range, range]:
        """The columns and the rows from the first to the last that holds a tile."""
        _, columns, rows, held = self.tree.blocks()
        found = []
        for firsts, axis in ((columns, 1), (rows, 2)):
            taken: NDArray[np.bool_] = held.reshape(-1, 8, 8).max(axis=axis)
            low, high = taken.argmax(axis=1), 8 - taken[:, ::-1].argmax(axis=1)
            found.append(range(int((firsts + low).min()), int((firsts + high).max())))
        return found[0], found[1]

    def check_room(self, cells: NDArray[np.int64]) -> None:
        """Refuse cells whose chunks would take more ids than there are.

        Raises:
            ValueError: They would.
        """
        if isinstance(self.ids, ChunkIds):
            size = self.ids.width, self.ids.height
            self.ids.check_room(len(np.unique(cells // size, axis=0)))

    def in_draw_order(self, ids: Ints) -> Ints:
        """The same ids, sorted."""
        if self.order.by_rows and isinstance(self.ids, GridIds):
            return np.sort(ids)
        steps, lines = self.order.steps_and_lines(*self.ids.cells(ids))
        return ids[np.lexsort((steps, lines))]

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays."""
        return int(self.tree.nbytes + self.values.nbytes)


def _cut(block: CellBlock) -> tuple[NDArray[np.int64], NDArray[np.int64], Raw]:
    """The blocks of 8 x 8 cells that hold a tile: first columns, first rows, (n, 64) values."""
    left, top = block.left & -8, block.top & -8
    raw = block.raw
    if (left, top) != (block.left, block.top):
        raw = np.pad(raw, ((block.top - top, 0), (block.left - left, 0)))
    values = into_blocks(raw)
    empty: NDArray[np.bool_] = values & np.uint32(GID_MASK) == 0
    taken = np.flatnonzero(np.logical_not(empty.all(axis=1)))
    if len(taken) < len(values):
        values, empty = values[taken], empty[taken]
    if not values.flags.writeable:  # the bytes of the file itself
        values = values.copy()
    values[empty] = 0
    across = max(-(-raw.shape[1] // 8), 1)
    return taken % across * 8 + left, taken // across * 8 + top, values


def _merged(parts: list[tuple[Any, Any, Raw]]) -> tuple[Any, Any, Raw]:
    """Blocks in one list, each place once."""
    if len(parts) == 1:
        return parts[0]
    nothing = np.empty(0, np.int64)
    parts = [(nothing, nothing, np.empty((0, 64), np.uint32)), *parts]
    columns, rows, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    _, firsts, which = np.unique((rows << 32) + columns, return_index=True, return_inverse=True)
    if len(firsts) == len(columns):
        return columns, rows, values
    which = firsts[which.reshape(-1)]  # the first block at the same place
    later = np.flatnonzero(which != np.arange(len(which)))
    for block in later.tolist():
        into = values[which[block]]
        np.copyto(into, values[block], where=values[block] != 0)
    firsts.sort()
    return columns[firsts], rows[firsts], values[firsts]


def _ids_for(blocks: list[CellBlock], size: tuple[int, int], infinite: bool) -> CellIds:
    """Row by row for a map with edges, where the numbers suffice; else chunk by chunk."""
    columns = max([size[0], *(block.left + block.raw.shape[1] for block in blocks)])
    rows = max([size[1], *(block.top + block.raw.shape[0] for block in blocks)])
    outside = any(block.left < 0 or block.top < 0 for block in blocks)
    if not infinite and not outside and columns * rows <= _MOST_IDS:
        return GridIds(columns, rows)
    return ChunkIds(*_chunk_size(blocks))


def _chunk_size(blocks: list[CellBlock]) -> tuple[int, int]:
    """Columns and rows of the file's chunks where they are all alike, or else Tiled's default."""
    sizes = {block.raw.shape for block in blocks}
    if len(sizes) == 1:
        [(rows, columns)] = sizes
        whole = columns > 0 and rows > 0 and columns % 8 == 0 and rows % 8 == 0
        if whole and all(b.left % columns == 0 and b.top % rows == 0 for b in blocks):
            return columns, rows
    return _CHUNK, _CHUNK
