"""The positions and appearances of tiles, as rows of numbers for the GPU."""

from __future__ import annotations

from math import cos, radians, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.tiled import DIAGONAL, TURN_120, ObjectLayer, TileLayer

__all__ = ["Appearance", "ObjectRows", "Rows", "TileRows"]

Rows = NDArray[np.float32]  # (n, 3): centre x, centre y, index of the appearance

# Tiles to convert at a time: this keeps temporary arrays below 10 MB.
BLOCK = 1 << 16

# Ids whose rows lie side by side: four rows of a chunk of 16 x 16 cells, or part of a map row.
PAGE = 64


class Appearance(NamedTuple):
    """How the GPU draws all tiles with one gid and the same flips."""

    gid: int
    flips: int  #: 4 left to right, 2 upside down, 1 diagonal
    width: float
    height: float
    turn: float  #: clockwise, in degrees
    opacity: float


NOTHING = Appearance(0, 0, 0, 0, 0, 0)  # of empty cells, shapes and hidden objects


class TileRows:
    """The rows of a tile layer, by cell id.

    Tiles with the same gid and flips share an appearance. Rows lie in pages of `PAGE` ids. A page
    without tiles takes no memory until it gets its first tile.

    Args:
        layer: The layer.
        hexagonal: Whether flip bits turn tiles by 60 degrees.

    Attributes:
        appearances: All appearances so far; `rows` may append some, but never changes one.
        size: Number of rows, including those of empty cells.
    """

    def __init__(self, layer: TileLayer, hexagonal: bool) -> None:
        self.appearances: list[Appearance] = [NOTHING]  # of empty cells, whose rows are zeros
        self.size = PAGE  # of the first page, which all pages without tiles share
        self._layer = layer
        self._hexagonal = hexagonal
        self._numbers: dict[int, int] = {}  # index of an appearance, by gid and flip bits
        self._pages = np.zeros(0, np.int32)  # where the rows of a page start
        self._changed: set[int] = set()
        self._add_pages(layer.ids())
        layer.observe(self)

    def tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember which cells have changed."""
        self._changed.update(ids.tolist())

    def slots(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Return the slots (row numbers) of cells."""
        cells = np.asarray(ids, np.int32)
        found: NDArray[np.int32] = self._pages[cells // PAGE] + cells % PAGE
        return found

    def every(self) -> Rows:
        """Return the rows of all cells, by slot."""
        rows = np.zeros((self.size, 3), np.float32)
        ids = self._layer.ids()
        for first in range(0, len(ids), BLOCK):
            block = ids[first : first + BLOCK]
            rows[self.slots(block)] = self.rows(block)
        return rows

    def changed(self) -> NDArray[np.int32]:
        """Return the ids of the tiles that changed since the last call, by ascending slot.

        A cleared cell keeps its old row, because no query returns it.
        """
        ids = np.array(list(self._changed), np.int32)
        self._changed.clear()
        ids = ids[self._layer.gids(ids) != 0]
        self._add_pages(ids)
        ordered: NDArray[np.int32] = ids[self.slots(ids).argsort()]
        return ordered

    def _add_pages(self, ids: NDArray[np.int32]) -> None:
        missing = self._layer.id_limit // PAGE + 1 - len(self._pages)
        if missing > 0:
            self._pages = np.concatenate((self._pages, np.zeros(missing, np.int32)))
        pages = np.unique(ids // PAGE)
        fresh = pages[self._pages[pages] == 0]
        self._pages[fresh] = np.arange(len(fresh), dtype=np.int32) * PAGE + self.size
        self.size += len(fresh) * PAGE

    def rows(self, ids: NDArray[np.int32]) -> Rows:
        """Return the rows of tiles."""
        boxes = self._layer.boxes(ids)
        kinds, examples, which = np.unique(
            self._layer.gids(ids).astype(np.int64) << 4 | self._layer.flags(ids),
            return_index=True,
            return_inverse=True,
        )
        for kind, box in zip(kinds.tolist(), boxes[examples].tolist(), strict=True):
            if kind not in self._numbers:
                self._numbers[kind] = len(self.appearances)
                self.appearances.append(tile_appearance(kind >> 4, kind & 15, box, self._hexagonal))
        rows = np.empty((len(ids), 3), np.float32)
        rows[:, :2] = (boxes[:, :2] + boxes[:, 2:]) / 2
        rows[:, 2] = np.array([self._numbers[kind] for kind in kinds.tolist()], np.float32)[which]
        return rows


class ObjectRows:
    """The rows of an object layer; each object has its own appearance, shapes have `NOTHING`.

    Args:
        layer: The layer.
        hexagonal: Whether flip bits turn tiles by 60 degrees.

    Attributes:
        appearances: One per object.
    """

    def __init__(self, layer: ObjectLayer, hexagonal: bool) -> None:
        self.appearances: list[Appearance] = []
        self._rows = np.zeros((len(layer), 3), np.float32)
        self._rows[:, 2] = np.arange(len(layer))
        for number, item in enumerate(layer.objects):
            if not item.gid or not item.visible:
                self.appearances.append(NOTHING)
                continue
            corners = item.points  # of the rotated image: top left, top right, ...
            width, height = (float(np.hypot(*(corners[i] - corners[0]))) for i in (1, 3))
            flips, turn = flips_and_turn(item.flags, hexagonal)
            appearance = Appearance(
                item.gid, flips, width, height, turn + item.rotation, item.opacity
            )
            self.appearances.append(appearance)
            self._rows[number, :2] = corners.mean(axis=0)

    @property
    def size(self) -> int:
        """The number of objects."""
        return len(self._rows)

    def slots(self, ids: ArrayLike) -> NDArray[np.int32]:
        """Return the slots (row numbers) of objects."""
        return np.asarray(ids, np.int32)

    def every(self) -> Rows:
        """Return the rows of all objects."""
        return self._rows

    def rows(self, ids: NDArray[np.int32]) -> Rows:
        """Return the rows of objects."""
        return self._rows[ids]

    def changed(self) -> NDArray[np.int32]:
        """Return no ids: objects never change."""
        return np.empty(0, np.int32)


def tile_appearance(gid: int, flags: int, box: list[float], hexagonal: bool) -> Appearance:
    """Return the appearance of a tile from its flags and the box around it, turned or not."""
    flips, turn = flips_and_turn(flags, hexagonal)
    width, height = box[2] - box[0], box[3] - box[1]
    cosine, sine = abs(cos(radians(turn))), abs(sin(radians(turn)))
    # The box of a turned w x h tile is cw + sh wide and sw + ch high: solve for w and h. Tiled
    # turns by 60, 120 and 180 degrees, so the divisor is never 0.
    divisor = cosine * cosine - sine * sine
    own_width = (width * cosine - height * sine) / divisor
    own_height = (height * cosine - width * sine) / divisor
    return Appearance(gid, flips, own_width, own_height, turn, 1.0)


def flips_and_turn(flags: int, hexagonal: bool) -> tuple[int, float]:
    """Convert Tiled's flip bits to the shader's flips and to degrees clockwise."""
    if not hexagonal:
        return flags >> 1, 0
    return (flags & ~DIAGONAL) >> 1, 60 * bool(flags & DIAGONAL) + 120 * bool(flags & TURN_120)
