"""The cells of a tile layer on the GPU: two bytes each, in the blocks of 8 x 8 that hold tiles.

Three textures: the kind of each cell, by slot; the block at each place, so that a shader finds the
cell under a pixel; and the first column and row of each block, so that it finds the place of a
slot. They are uploaded once. A changed map uploads the changed cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from arcade import ArcadeContext
from arcade.gl import Texture2D
from numpy.typing import ArrayLike, NDArray

from tilequad._core.cells.blocks import corners_of
from tilequad._core.cells.cell_ids import GridIds
from tilequad.bounds import Bounds
from tilequad.draw.arcade.shaders import texture_of
from tilequad.draw.arcade.tile_kinds import UNITS, TileKinds
from tilequad.tiled import TileLayer
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["SQUARE", "WIDTH", "GridCells", "squares_around"]

Ints = NDArray[np.int32]

WIDTH = 4096  # texels in a row of each texture; the shaders use it too
BLOCK = 64  # cells in a block
SQUARE = 64  # cells, the side of a square of 8 x 8 blocks

# The directory of a map whose chunks lie far apart would be larger than its tiles. Such a layer has
# none, and is drawn tile by tile.
MOST_PLACES = 1 << 24
FEW_PLACES = 1 << 18  # enough for 4096 x 4096 cells
PLACES_PER_BLOCK = 64

FEW = 1 / 50  # of the cells: if more have changed, all are written
PIECE = 1 << 20  # cells to convert at a time, to spare memory
SPARE = 8  # an eighth more room for new blocks


class Directory(NamedTuple):
    """The part of the grid that has a directory, in blocks."""

    left: int
    top: int
    across: int
    down: int


class GridCells:
    """The cells of one layer, kept up to date with it.

    Attributes:
        directory: The part that the shader can look up; None if tiles can only be drawn one by one.
        reach: The box around all tiles, relative to the anchors of their cells, y down.
        box: A box around all places of tiles in pixels, y down, before offsets.
        numbers: The kinds of tiles that the layer has or had.
        revision: Counts changes.
    """

    def __init__(self, context: ArcadeContext, layer: TileLayer, kinds: TileKinds) -> None:
        self._context = context
        self._layer = layer
        self._kinds = kinds
        self._store = places_of(layer).tiles
        self._changed: set[int] = set()
        self._known = np.empty(0, np.uint32)  # raw values in the layer, ascending
        self.numbers = np.empty(0, np.uint32)  # their kinds
        self.directory: Directory | None = None
        self.reach = np.zeros(4)
        self._blocks: Texture2D | None = None
        self.revision = 0
        self._write_all()
        layer.observe(self)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember which cells have changed."""
        self._changed.update(ids.tolist())

    def follow(self) -> None:
        """Upload the changes of the layer since the last call."""
        if self._changed:
            self._upload(np.array(sorted(self._changed), np.int32))
            self._changed.clear()  # not before: what fails is uploaded in the next frame

    def _upload(self, ids: Ints) -> None:
        """Upload changed cells."""
        self.revision += 1
        columns, rows = self._store.ids.cells(ids)
        slots = self._store.held.slots(columns, rows)
        known = len(self._known)
        self._learn(self._store.values[slots])
        if (
            len(self._store.values) > WIDTH * self._cells.height
            or len(ids) > max(len(self._store.values) * FEW, BLOCK)
            or not self._covers(columns, rows)
            or (self.numbers.max(initial=0) > 0xFFFF and self._cells.dtype == "u2")
        ):
            self._write_all()
            return
        if len(self._known) > known:
            self._measure()
        fresh = self._follow_blocks(columns, rows, slots)
        slots = np.unique(np.concatenate((slots[slots >= BLOCK], fresh)))
        if len(slots):
            self._write_some(slots)

    def slots(self, ids: ArrayLike) -> Ints:
        """Return the slots by which the shader finds the tiles of cells."""
        return self._store.held.slots(*self._store.cells(np.asarray(ids)))

    def squares(self) -> tuple[Ints, Ints]:
        """Return the first column and row of squares of SQUARE cells around all tiles."""
        if self.directory is None:
            _, columns, rows = corners_of(self._store.held)
            return squares_around(columns, rows)
        left, top, across, down = self.directory
        held = np.zeros((-(-down // 8) * 8, -(-across // 8) * 8), bool)
        held[:down, :across] = self._entries.reshape(down, across) > 0
        squares = held.reshape(len(held) // 8, 8, -1, 8).any(axis=(1, 3))
        y, x = np.nonzero(squares)
        return (x * SQUARE + left * 8).astype(np.int32), (y * SQUARE + top * 8).astype(np.int32)

    def use(self) -> None:
        """Bind the cells and the directory."""
        self._cells.use(UNITS["cells"])
        self._places.use(UNITS["directory"])

    def use_blocks(self) -> None:
        """Bind the first columns and rows of blocks."""
        if self._blocks is None:
            self._blocks = self._make_blocks()
        self._blocks.use(UNITS["blocks"])

    @property
    def nbytes(self) -> int:
        """The memory of the textures on the GPU, in bytes."""
        textures = [self._cells, self._places, *([self._blocks] if self._blocks else [])]
        return sum(t.width * t.height * t.components * t.component_size for t in textures)

    # -- the whole layer --

    def _write_all(self) -> None:
        self.revision += 1
        self._learn(self._store.kinds()[0])
        values, context = self._store.values, self._context
        count = len(values)
        rows = -(-(count + count // SPARE * (count > BLOCK)) // WIDTH)
        rows = max(min(rows, context.info.MAX_TEXTURE_SIZE), -(-count // WIDTH))
        dtype = "u4" if self.numbers.max(initial=0) > 0xFFFF else "u2"
        self._cells = texture_of(context, (WIDTH, rows), components=1, dtype=dtype)
        for start in range(0, count, PIECE):
            piece = self._kinds_of(values[start : start + PIECE])
            write_run(self._cells, start, piece)
        self._blocks = None
        self._write_directory()
        self._measure()

    def _learn(self, raw: NDArray[np.uint32]) -> None:
        """Number kinds of tiles that are new to the layer."""
        fresh = np.setdiff1d(raw, self._known)
        fresh = fresh[fresh != 0]
        if len(fresh):
            known = np.union1d(self._known, fresh)
            numbers = self._kinds.numbers(known.tolist())
            self.numbers, self._known, self._table = numbers, known, table_of(known, numbers)

    def _kinds_of(self, raw: NDArray[np.uint32]) -> np.ndarray:
        """Return the kinds of raw values, in the type of the texture."""
        if not len(self._known):
            return np.zeros(len(raw), self._cells.dtype)
        if self._table is not None:
            found = self._table[raw]
        else:
            places = np.searchsorted(self._known, raw)
            found = self.numbers[np.minimum(places, len(self._known) - 1)]
            found[raw == 0] = 0
        return np.ascontiguousarray(found, self._cells.dtype)

    def _measure(self) -> None:
        boxes = self._kinds.boxes[self.numbers]
        if len(boxes):
            self.reach = np.concatenate((boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)))
        places = places_of(self._layer)
        left, top, across, down = self.directory or Directory(0, 0, 1, 1)
        columns, rows = (left * 8, (left + across) * 8 - 1), (top * 8, (top + down) * 8 - 1)
        corners = [(x, y) for x in columns for y in rows]
        across, along = np.array(corners, np.int32).T
        anchors = places.anchors(across, along)
        lattice = places.grid.lattice
        if lattice is not None and self._store.order.stagger:
            margin = np.abs((lattice.dx, lattice.dy))
            anchors = np.concatenate((anchors - margin, anchors + margin))
        low, high = anchors.min(axis=0) + self.reach[:2], anchors.max(axis=0) + self.reach[2:]
        self.box = Bounds(*low.tolist(), *high.tolist())

    def _write_directory(self) -> None:
        slots, columns, rows = corners_of(self._store.held)
        self.directory = Directory(0, 0, 1, 1)
        entries = np.zeros(1, np.int32)
        if len(slots):
            x, y = columns >> 3, rows >> 3
            left, top = int(x.min()), int(y.min())
            across, down = int(x.max()) - left + 1, int(y.max()) - top + 1
            ids = self._store.ids
            if isinstance(ids, GridIds):  # room for the whole map; new chunks make a new directory
                left, top = 0, 0
                across, down = -(-ids.columns // 8), -(-ids.rows // 8)
            if across * down > max(min(PLACES_PER_BLOCK * len(slots), MOST_PLACES), FEW_PLACES):
                self.directory = None
            else:
                self.directory = Directory(left, top, across, down)
                entries = np.zeros(across * down, np.int32)
                entries[(y - top).astype(np.int64) * across + (x - left)] = slots // BLOCK
        size = WIDTH, max(-(-len(entries) // WIDTH), 1)
        self._places = texture_of(self._context, size, components=1, dtype="i4")
        self._entries = entries
        write_run(self._places, 0, entries)

    # -- single cells --

    def _covers(self, columns: Ints, rows: Ints) -> bool:
        """Return whether the directory has room for cells."""
        if self.directory is None:
            return True
        left, top, across, down = self.directory
        x, y = (columns >> 3) - left, (rows >> 3) - top
        return bool(((x >= 0) & (x < across) & (y >= 0) & (y < down)).all())

    def _follow_blocks(self, columns: Ints, rows: Ints, slots: Ints) -> Ints:
        """Enter new blocks and remove empty ones. Return all slots of the new ones."""
        if self.directory is None:
            self._blocks = None  # which blocks are new is unknown: rebuild the table
            return slots_in(np.unique(slots[slots >= BLOCK] // BLOCK))
        left, top, across, _ = self.directory
        entries = ((rows >> 3) - top).astype(np.int64) * across + ((columns >> 3) - left)
        numbers = slots // BLOCK
        new = self._entries[entries] != numbers
        if not new.any():
            return np.empty(0, np.int32)
        places, firsts = np.unique(entries[new], return_index=True)
        numbers = numbers[new][firsts]
        self._entries[places] = numbers
        for place, number in zip(places.tolist(), numbers.tolist(), strict=True):
            write_run(self._places, place, np.array([number], np.int32))
        self._blocks = None
        return slots_in(numbers[numbers > 0])

    def _write_some(self, slots: Ints) -> None:
        """Write cells at ascending slots, and those between them: a call takes as long as a row."""
        breaks = np.flatnonzero(np.diff(slots // WIDTH))
        firsts, lasts = slots[[0, *(breaks + 1)]], slots[[*breaks, -1]]
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
            write_run(self._cells, first, self._kinds_of(self._store.values[first : last + 1]))

    def _make_blocks(self) -> Texture2D:
        slots, columns, rows = corners_of(self._store.held)
        count = -(-len(self._store.values) // BLOCK)
        firsts = np.zeros((count, 2), np.int32)
        firsts[slots // BLOCK, 0], firsts[slots // BLOCK, 1] = columns, rows
        size = WIDTH, -(-count // WIDTH)
        texture = texture_of(self._context, size, components=2, dtype="i4")
        write_run(texture, 0, firsts)
        return texture


def squares_around(columns: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the first column and row of squares of SQUARE cells around cells, each once."""
    pairs = np.stack((columns, rows), axis=1).astype(np.int32) // np.int32(SQUARE)
    squares = np.unique(pairs.view(np.int64)).view(np.int32).reshape(-1, 2) * np.int32(SQUARE)
    return squares[:, 0], squares[:, 1]


def slots_in(blocks: Ints) -> Ints:
    """Return the slots of all cells of blocks."""
    return (blocks[:, None] * BLOCK + np.arange(BLOCK)).astype(np.int32).reshape(-1)


def table_of(known: NDArray[np.uint32], numbers: NDArray[np.uint32]) -> np.ndarray | None:
    """Return a table of the kinds, indexed by raw value; None if it would be too long."""
    highest = int(known[-1]) if len(known) else 0
    if highest >= 1 << 20:  # the flip bits lie above
        return None
    table = np.zeros(highest + 1, np.uint16 if numbers.max(initial=0) <= 0xFFFF else np.uint32)
    table[known] = numbers
    return table


def write_run(texture: Texture2D, start: int, values: np.ndarray) -> None:
    """Write values to a texture from a texel on, over as many rows as they need."""
    width, at, count = texture.width, 0, len(values)
    while at < count:
        row, column = divmod(start + at, width)
        if column or count - at < width:
            length, height = min(width - column, count - at), 1
        else:
            length, height = width, (count - at) // width
        part = np.ascontiguousarray(values[at : at + length * height])
        texture.write(part.data, viewport=(column, row, length, height))
        at += length * height
