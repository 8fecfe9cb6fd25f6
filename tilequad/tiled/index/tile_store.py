"""The raw tiles of a layer: a gid with flip bits per cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from tilequad._core.cells.blocks import blocks_of, corners_of, have_same_slots
from tilequad._core.cells.cell_ids import (
    MOST_IDS,
    CellIds,
    CellOrder,
    ChunkIds,
    GridIds,
    into_blocks,
)
from tilequad._core.cells.cell_set import CellSet
from tilequad._core.cells.window import parts_in, values_in
from tilequad._core.shown import shown

from ..cells import FLAG_SHIFT, GID_MASK, CellBlock, Ids, Ints, Ints64, Raw

__all__ = ["Square", "TileStore", "distinct", "highest_gid", "ids_below", "whole_ids"]

Square = tuple[int, int]  # column and row, in squares

_CHUNK = 16  # columns and rows of a chunk in an infinite map, Tiled's default
_SPARE = 4  # a full array grows by a quarter
_SMALL = 1 << 8  # cells; parts of a layer up to this size are cut together
_TOGETHER = 1 << 10  # of them at a time
_PIECE = 1 << 18  # cells to cut into blocks at a time, to spare memory

# Counting cells by value is faster than sorting them, as long as the values fit a small table.
_TABLE = 1 << 22

# numpy takes eight bytes and more for each cell, so a layer is counted in parts of this size.
_PART = 1 << 18

_EMPTY = np.zeros((16, 16), np.uint32)
_SIDE = np.arange(16, dtype=np.int32)
_SPREAD = 4  # squares of a box for each of some in it, up to which the box is copied


class TileStore:
    """Stores the raw value of each cell: gid and flip bits in one number, 0 for empty.

    Values lie in blocks of 8 x 8 cells. Blocks without tiles take no memory. Where two blocks of
    the file overlap, the later one wins.
    """

    def __init__(
        self, blocks: list[CellBlock], size: tuple[int, int], infinite: bool, order: CellOrder
    ) -> None:
        #: whether the file has these values alone: no flip bits of empty cells, none in two blocks
        self.is_exact: bool
        columns, rows, values, self.is_exact = _gathered(blocks)
        self.ids = _ids_for(blocks, size, infinite)
        self.held = CellSet(self.ids, order)  #: the cells that hold a tile
        self.held.fill(columns, rows, values[1:] != 0)
        self.values = values.reshape(-1)  #: by slot of `held`
        self.order = order  #: the draw order
        self.ids_ascend = order.by_rows and isinstance(self.ids, GridIds)
        #: the squares of 16 x 16 cells that may differ from the file, and what they held before
        self.touched: dict[Square, Raw] = {}
        self.growths = 0  #: counts the changes after which tiles may reach farther than before
        self._kinds: tuple[Raw, Ints64] | None = None

    def __len__(self) -> int:
        return len(self.held)

    def cells(self, ids: Ids) -> tuple[Ints, Ints]:
        """Return the columns and rows of ids; IndexError for one that no cell has."""
        return self.ids.cells(ids_below(ids, self.ids.limit).astype(np.int32, copy=False))

    def raw(self, columns: Ints, rows: Ints) -> Raw:
        """Return the raw values of cells."""
        found: Raw = self.values[self.held.slots(columns, rows)]
        return found

    def raw_at(self, column: int, row: int) -> int:
        """Return the raw value of one cell; 0 outside the map."""
        return self.values.item(self.held.slot(column, row))

    def window(
        self, column: int, row: int, columns: int, rows: int
    ) -> tuple[Raw, NDArray[np.uint8]]:
        """Return the gids and the flip bits of a rectangle of cells, each (rows, columns)."""
        found: tuple[Raw, NDArray[np.uint8]] = parts_in(
            self.held, self.values, FLAG_SHIFT, column, row, columns, rows
        )
        return found

    def raw_window(self, column: int, row: int, columns: int, rows: int) -> Raw:
        """Return the raw values of a rectangle of cells, (rows, columns)."""
        return values_in(self.held, self.values, column, row, columns, rows)

    def _touch(self, square: Square) -> None:
        """Remember what a square holds, before one of its cells is changed for the first time."""
        left, top = square[0] * 16, square[1] * 16
        before = self.raw_window(left, top, 16, 16) if len(self) else _EMPTY
        self.touched[square] = before if before.any() else _EMPTY  # mostly, on a sparse map

    def _touch_many(self, columns: Ints, rows: Ints) -> None:
        """Do as `_touch` does for many cells."""
        across, down = columns >> 4, rows >> 4
        if len(columns) > _SMALL:  # fewer are not worth it
            runs = np.ones(len(columns), bool)
            runs[1:] = (across[1:] != across[:-1]) | (down[1:] != down[:-1])
            across, down = across[runs], down[runs]
        squares = dict.fromkeys(zip(across.tolist(), down.tolist(), strict=True))
        fresh = [square for square in squares if square not in self.touched]
        if fresh:
            self.touched |= self.remembered(fresh)

    def remembered(self, squares: Sequence[Square]) -> dict[Square, Raw]:
        """Return what some squares hold, for `touched`."""
        if not len(self):
            return dict.fromkeys(squares, _EMPTY)
        held = self.squares_at(squares)
        some = zip(squares, held, np.any(held, axis=(1, 2)).tolist(), strict=True)
        return {square: raw.copy() if own else _EMPTY for square, raw, own in some}

    def squares_at(self, squares: Sequence[Square]) -> Raw:
        """Return the raw values of many squares of 16 x 16 cells, (n, 16, 16)."""
        if not squares:
            return np.empty((0, 16, 16), np.uint32)
        places = np.array(squares, np.int64)
        low = places.min(axis=0)
        columns, rows = (places.max(axis=0) - low + 1).tolist()
        if columns * rows > _SPREAD * len(squares):
            x, y = (places.astype(np.int32) * 16).T[:, :, None, None]
            x, y = np.broadcast_arrays(x + _SIDE, y + _SIDE[:, None])
            return self.raw(x.ravel(), y.ravel()).reshape(-1, 16, 16)
        left, top = (low * 16).tolist()
        window = self.raw_window(left, top, columns * 16, rows * 16)
        across, down = (places - low).T
        found: Raw = window.reshape(rows, 16, columns, 16).swapaxes(1, 2)[down, across]
        return found

    def changes_to(self, other: TileStore) -> tuple[Ints64, Raw]:
        """Return where another store differs from what was here at first, and its values there."""
        cells, raw = self._differences(other)
        if not self.touched:
            return cells, raw
        squares = np.array(list(self.touched), np.int64)
        others = ~np.isin(_keys(*cells.T >> 4), _keys(*squares.T))
        after = other.squares_at(list(self.touched))
        which, rows, columns = np.nonzero(after != np.stack(list(self.touched.values())))
        own = squares[which] * 16 + np.stack((columns, rows), axis=1)
        values = after[which, rows, columns]
        return np.concatenate((cells[others], own)), np.concatenate((raw[others], values))

    def _differences(self, other: TileStore) -> tuple[Ints64, Raw]:
        """Return where another store differs from this one, and its values there."""
        if have_same_slots(self.held, other.held):  # the usual case
            length = min(len(self.values), len(other.values))
            slots = np.flatnonzero(self.values[:length] != other.values[:length])
            return self.cells_at(slots), other.values[slots]
        keys, values = self._by_block()
        new_keys, new_values = other._by_block()
        together = np.union1d(keys, new_keys)
        values = _spread_to(together, keys, values)
        new_values = _spread_to(together, new_keys, new_values)
        # whole blocks first: few have changed
        differ = np.flatnonzero((values.view(np.uint64) != new_values.view(np.uint64)).any(axis=1))
        blocks, places = np.nonzero(values[differ] != new_values[differ])
        blocks = differ[blocks]
        rows, columns = (together[blocks] >> 32) * 8 + places // 8, _low_half(together[blocks]) * 8
        return np.stack((columns + places % 8, rows), axis=1), new_values[blocks, places]

    def cells_at(self, slots: Ints64) -> Ints64:
        """Return the columns and rows of the cells with some slots of `held`, (n, 2)."""
        if not len(slots):
            return np.empty((0, 2), np.int64)
        firsts, columns, rows = corners_of(self.held)
        by_slot = np.empty(len(self.values) // 64, np.int64)
        by_slot[firsts // 64] = np.arange(len(firsts))
        blocks = by_slot[slots // 64]
        down, across = np.divmod(slots & 63, 8)
        return np.stack((columns[blocks] + across, rows[blocks] + down), axis=1).astype(np.int64)

    def _by_block(self) -> tuple[Ints64, Raw]:
        """Return the blocks of 8 x 8 cells: numbers by row and column, ascending, and values."""
        slots, columns, rows = corners_of(self.held)
        keys = _keys(columns.astype(np.int64) >> 3, rows.astype(np.int64) >> 3)
        order = np.argsort(keys)
        return keys[order], self.values.reshape(-1, 64)[slots[order] // 64]

    def kinds(self) -> tuple[Raw, Ints64]:
        """Return the distinct values of tiles, ascending, and how often each occurs."""
        if self._kinds is None:
            kinds, counts = distinct(self.values)
            self._kinds = kinds[1:], counts[1:]  # the first is 0: slots below 64 are empty
        return self._kinds

    def put(self, column: int, row: int, raw: int) -> tuple[int, int]:
        """Set the tile of a cell. Return its id and its value before."""
        square = column >> 4, row >> 4
        if square not in self.touched:
            self._touch(square)
        slot = self.held.slot(column, row)
        if slot < 64:  # its block is new: make room first, because whoever asks meanwhile needs it
            self._grow(64 * self.held.used_blocks)
        before = self.values.item(slot)
        tile_id: int = self.held.set(column, row)
        if slot < 64:
            slot = self.held.slot(column, row)
            self.growths += 1  # only now: whoever asks before it would keep what he is told
        self.values[slot] = raw
        self._kinds = None
        return tile_id, before

    def take(self, column: int, row: int) -> int:
        """Clear a cell. Return its value before, 0 if it was empty."""
        slot = self.held.slot(column, row)
        before = self.values.item(slot)
        if before:
            square = column >> 4, row >> 4
            if square not in self.touched:
                self._touch(square)
            self.values[slot] = 0
            self._kinds = None
            self.held.clear(column, row)
        return before

    def _grow(self, slot: int) -> None:
        missing = (slot & -64) + 64 - len(self.values)
        if missing > 0:
            spare = np.zeros(missing + (slot // _SPARE & -64) + 1024, np.uint32)
            self.values = np.concatenate((self.values, spare))

    def put_many(self, columns: Ints, rows: Ints, raw: Raw) -> None:
        """Set or clear the tiles of many cells, each once; a raw value of 0 clears."""
        self._touch_many(columns, rows)
        self._kinds = None
        [filled] = raw.nonzero()
        slots = self.held.set_many(columns[filled], rows[filled])
        self.growths += 1
        self._grow(int(slots.max(initial=0)))
        self.values[slots] = raw[filled]
        if len(filled) < len(raw):
            empty = np.flatnonzero(raw == 0)
            columns, rows = columns[empty], rows[empty]
            self.values[self.held.slots(columns, rows)] = 0
            self.held.clear_many(columns, rows)

    def restore(self, column: int, row: int, raw: int) -> None:
        """Give a cell a raw value after an exception in the middle of `put` or `take`."""
        if raw:
            self.put(column, row, raw)
            return
        slot = self.held.slot(column, row)
        if slot >= 64:
            self.values[slot : slot + 1] = 0  # the array may not have grown yet
            self.held.clear(column, row)
        self._kinds = None

    def extent(self) -> tuple[range, range]:
        """Return the smallest ranges of columns and rows that contain all tiles."""
        _, columns, rows, held = blocks_of(self.held)
        found = []
        for firsts, axis in ((columns, 1), (rows, 2)):
            taken: NDArray[np.bool_] = held.reshape(-1, 8, 8).max(axis=axis)
            low, high = taken.argmax(axis=1), 8 - taken[:, ::-1].argmax(axis=1)
            found.append(range(int((firsts + low).min()), int((firsts + high).max())))
        return found[0], found[1]

    def squares(self) -> Ints64:
        """Return the squares of 16 x 16 cells that hold tiles, as column and row; (n, 2)."""
        _, columns, rows = corners_of(self.held)
        found: Ints64 = np.unique(np.stack((columns >> 4, rows >> 4), axis=1), axis=0)
        return found.astype(np.int64, copy=False)

    def check_capacity(self, columns: Ints, rows: Ints, raw: Raw) -> None:
        """Refuse tiles whose chunks would need more ids than an int32 can count."""
        if isinstance(self.ids, ChunkIds):
            filled = np.flatnonzero(raw)
            chunks = (rows[filled] // self.ids.height).astype(np.int64) << 32
            chunks += columns[filled] // self.ids.width
            self.ids.check_capacity(len(np.unique(chunks)))

    def in_draw_order(self, ids: Ints) -> Ints:
        """Return ids sorted by draw order."""
        if self.ids_ascend:
            return np.sort(ids)
        steps, lines = self.order.steps_and_lines(*self.ids.cells(ids))
        return ids[np.lexsort((steps, lines))]

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        return int(self.held.nbytes + self.values.nbytes)


def _gathered(blocks: list[CellBlock]) -> tuple[Ints64, Ints64, Raw, bool]:
    """Cut cells into blocks of 8 x 8, without empty ones; where blocks coincide, later tiles win.

    Return first columns and rows, (n,), and values, (n + 1, 64). The first block is empty: its
    slots belong to all cells in blocks without tiles. And whether all numbers were kept. A layer
    may fill a quarter of the available memory, so it is not copied a second time.
    """
    most = sum(_blocks_around(block) for block in blocks)
    values = np.empty((most + 1, 64), np.uint32)  # takes memory only where it is written to
    values[0] = 0
    columns, rows = np.empty(most, np.int64), np.empty(most, np.int64)
    used = 0
    is_exact = True
    for left, top, cells in _cut(blocks):
        if is_exact and cells.max(initial=0) > GID_MASK:  # it has flip bits
            is_exact = not (cells[cells & np.uint32(GID_MASK) == 0]).any()
        taken = np.flatnonzero((cells & np.uint32(GID_MASK)).any(axis=1))
        end = used + len(taken)
        own = values[used + 1 : end + 1]
        own[:] = cells[taken]
        own[own & np.uint32(GID_MASK) == 0] = 0  # flip bits of an empty cell
        columns[used:end] = left[taken]
        rows[used:end] = top[taken]
        used = end
    if len(blocks) > 1:
        together = _merge(columns[:used], rows[:used], values[1:])
        is_exact &= together == used
        used = together
    values = values[: used + 1]
    values = values if 2 * used > most else values.copy()
    return columns[:used], rows[:used], values, is_exact


def _blocks_around(block: CellBlock) -> int:
    """Return the number of blocks of 8 x 8 around some cells."""
    rows, columns = block.raw.shape
    return int(-(-(block.left % 8 + columns) // 8) * -(-(block.top % 8 + rows) // 8))


def _cut(blocks: list[CellBlock]) -> Iterator[tuple[Ints64, Ints64, Raw]]:
    """Cut cells into blocks of 8 x 8, some at a time: first columns and rows, and values."""
    most = _SMALL if len(blocks) > 1 else 0
    for is_small, some in groupby(blocks, lambda block: block.raw.size <= most):
        if is_small:
            while group := list(islice(some, _TOGETHER)):
                yield _cut_together(group)
            continue
        for left, top, raw in _pieces(some):
            cells = into_blocks(raw)
            down, across = np.divmod(np.arange(len(cells)), -(-raw.shape[1] // 8))
            yield across * 8 + left, down * 8 + top, cells


def _cut_together(blocks: list[CellBlock]) -> tuple[Ints64, Ints64, Raw]:
    """Cut many small parts of a layer at once: numpy takes nearly as long for one."""
    left, top = np.array([(block.left, block.top) for block in blocks], np.int64).T
    height, width = np.array([block.raw.shape for block in blocks], np.int64).T
    across = (left % 8 + width + 7) // 8
    counts = across * ((top % 8 + height + 7) // 8)
    starts = np.cumsum(counts) - counts
    # the blocks: which part each one is cut from, and its column and row there
    part = np.repeat(np.arange(len(blocks)), counts)
    down, over = np.divmod(np.arange(len(part)) - starts[part], across[part])
    columns, rows = (left & -8)[part] + over * 8, (top & -8)[part] + down * 8
    # the cells, in the same way
    sizes = width * height
    part = np.repeat(np.arange(len(blocks)), sizes)
    row, column = np.divmod(np.arange(len(part)) - (np.cumsum(sizes) - sizes)[part], width[part])
    row, column = row + (top % 8)[part], column + (left % 8)[part]
    block = starts[part] + (row >> 3) * across[part] + (column >> 3)
    cells = np.zeros((len(columns), 64), np.uint32)
    cells[block, (row & 7) * 8 + (column & 7)] = np.concatenate([b.raw.ravel() for b in blocks])
    return columns, rows, cells


def _pieces(blocks: Iterable[CellBlock]) -> Iterator[CellBlock]:
    """Cut cells into pieces of a limited size whose first columns and rows are multiples of 8."""
    for left, top, raw in blocks:
        rows, columns = raw.shape
        high = max(8, _PIECE // max(columns, 1) & -8)
        wide = columns + 8 if high > 8 else _PIECE // 8
        for row in range(top & -8, top + rows, high):
            for column in range(left & -8, left + columns, wide):
                above, before = max(top - row, 0), max(left - column, 0)
                piece = raw[max(row - top, 0) : row - top + high]
                piece = piece[:, max(column - left, 0) : column - left + wide]
                if above or before:
                    padded = np.zeros((above + len(piece), before + piece.shape[1]), np.uint32)
                    padded[above:, before:] = piece
                    piece = padded
                yield CellBlock(column, row, piece)


def _merge(columns: Ints64, rows: Ints64, values: Raw) -> int:
    """Merge blocks that coincide, in place. Return the number of different ones."""
    _, firsts, which = np.unique((rows << 32) + columns, return_index=True, return_inverse=True)
    if len(firsts) == len(columns):
        return len(columns)
    which = firsts[which.reshape(-1)]  # the first block at each place
    later = np.flatnonzero(which != np.arange(len(which)))
    for block in later.tolist():
        np.copyto(values[which[block]], values[block], where=values[block] != 0)
    firsts.sort()
    for array in (columns, rows, values):
        for start in range(0, len(firsts), _PIECE // 64):  # never ahead of what is read
            part = firsts[start : start + _PIECE // 64]
            array[start : start + len(part)] = array[part]
    return len(firsts)


def _ids_for(blocks: list[CellBlock], size: tuple[int, int], infinite: bool) -> CellIds:
    """Number cells row by row in a map with edges, if an int32 can; else chunk by chunk."""
    columns = max([size[0], *(block.left + block.raw.shape[1] for block in blocks)])
    rows = max([size[1], *(block.top + block.raw.shape[0] for block in blocks)])
    outside = any(block.left < 0 or block.top < 0 for block in blocks)
    if not infinite and not outside and columns * rows < MOST_IDS:
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


def _keys(columns: Ints64, rows: Ints64) -> Ints64:
    return (rows << 32) + (columns & 0xFFFFFFFF)


def _low_half(keys: Ints64) -> Ints64:
    """Return the lower 32 bits of numbers, with their sign."""
    return (keys & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)


def _spread_to(together: Ints64, keys: Ints64, values: Raw) -> Raw:
    """Return a block for each of some keys; empty ones for those that others have."""
    found = np.zeros((len(together), 64), np.uint32)
    found[np.searchsorted(together, keys)] = values
    return found


def distinct(raw: Raw) -> tuple[Raw, Ints64]:
    """Return the distinct values of some cells, ascending, and how often each occurs."""
    flags = int(raw.max(initial=0)) >> FLAG_SHIFT
    high = highest_gid(raw).bit_length()
    size = flags + 1 << high
    if size > _TABLE:
        return _distinct_sorted(raw)
    counts = np.zeros(size, np.int64)
    for part in _parts(raw, max(_PART, size)):
        # flips directly above the gids, so that the table has no gap
        packed = (part & GID_MASK) | (part >> FLAG_SHIFT << high) if flags else part
        counts += np.bincount(packed, minlength=size)
    kinds = np.flatnonzero(counts)
    values = (kinds >> high << FLAG_SHIFT) | (kinds & (1 << high) - 1)
    return values.astype(np.uint32), counts[kinds]


def highest_gid(raw: Raw) -> int:
    """Return the highest gid of some cells; 0 if none holds a tile."""
    return max((int((part & GID_MASK).max()) for part in _parts(raw, _PART)), default=0)


def _distinct_sorted(raw: Raw) -> tuple[Raw, Ints64]:
    """Answer `distinct` for values beyond a table."""
    found = [np.unique(part, return_counts=True) for part in _parts(raw, _PART)]
    kinds, which = np.unique(np.concatenate([kinds for kinds, _ in found]), return_inverse=True)
    counts = np.zeros(len(kinds), np.int64)
    np.add.at(counts, which.reshape(-1), np.concatenate([counts for _, counts in found]))
    return kinds, counts


def _parts(raw: Raw, size: int) -> Iterator[Raw]:
    for start in range(0, len(raw), size):
        yield raw[start : start + size]


def whole_ids(ids: Ids) -> NDArray[np.integer]:
    """Return ids as an array of whole numbers, (n,); raise TypeError unless they are."""
    asked: NDArray[np.integer] = np.asarray(ids)
    if asked.ndim != 1 or (asked.dtype.kind not in "iu" and asked.size):
        raise TypeError(f"ids must be a list of whole numbers, got {shown(ids)}")
    return asked if asked.size else asked.astype(np.int32)


def ids_below(ids: Ids, limit: int) -> NDArray[np.integer]:
    """Return ids as `whole_ids` does; raise IndexError unless all are from 0 to below a limit."""
    asked = whole_ids(ids)
    if asked.size and not 0 <= asked.min() <= asked.max() < limit:
        wrong = asked.min() if asked.min() < 0 else asked.max()
        raise IndexError(f"ids must be from 0 to {limit - 1}, got {wrong}")
    return asked
