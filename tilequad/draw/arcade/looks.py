"""Where the tiles of a layer stand and how they look, as rows of numbers for the GPU."""

from __future__ import annotations

from math import cos, radians, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad.tiled import ObjectLayer, TileLayer

__all__ = ["Look", "ObjectRows", "Rows", "TileRows"]

Rows = NDArray[np.float32]  # (n, 3): centre x, centre y, number of the look

# Tiles that are worked on at a time: what that takes beside the rows stays below 10 MB.
BLOCK = 1 << 16

# Tiled's flip bits, as `TileLayer.flags` and `MapObject.flags` give them.
DIAGONAL = 2
TURN_120 = 1


class Look(NamedTuple):
    """What tiles of one kind have in common."""

    gid: int
    flips: int  #: 4 left to right, 2 upside down, 1 diagonal
    width: float
    height: float
    turn: float  #: clockwise, in degrees
    opacity: float


NOTHING = Look(0, 0, 0, 0, 0, 0)  # what is not seen: shapes, hidden objects


class TileRows:
    """The rows of a tile layer; tiles of one gid and the same flips share a look.

    Args:
        layer: The layer.
        hexagonal: Whether flip bits turn tiles by 60 degrees.

    Attributes:
        looks: The looks so far; asking for rows may add some, none is ever changed.
    """

    def __init__(self, layer: TileLayer, hexagonal: bool) -> None:
        self.looks: list[Look] = []
        self._layer = layer
        self._hexagonal = hexagonal
        self._numbers: dict[int, int] = {}  # of the looks, by gid and flip bits

    def rows(self, start: int, stop: int) -> Rows:
        """The rows of the tiles from `start` up to, not including, `stop`."""
        rows = np.empty((stop - start, 3), np.float32)
        for first in range(start, stop, BLOCK):
            part = slice(first, min(first + BLOCK, stop))
            self._fill(rows[part.start - start : part.stop - start], part)
        return rows

    def _fill(self, rows: Rows, part: slice) -> None:
        boxes = self._layer.boxes(part)
        kinds, examples, which = np.unique(
            self._layer.gids(part).astype(np.int64) << 4 | self._layer.flags(part),
            return_index=True,
            return_inverse=True,
        )
        for kind, box in zip(kinds.tolist(), boxes[examples].tolist(), strict=True):
            if kind not in self._numbers:
                self._numbers[kind] = len(self.looks)
                self.looks.append(look_of_tile(kind >> 4, kind & 15, box, self._hexagonal))
        rows[:, :2] = (boxes[:, :2] + boxes[:, 2:]) / 2
        rows[:, 2] = np.array([self._numbers[kind] for kind in kinds.tolist()])[which]


class ObjectRows:
    """The rows of an object layer; each object has a look of its own, that of a shape is nothing.

    Args:
        layer: The layer.
        hexagonal: Whether flip bits turn tiles by 60 degrees.

    Attributes:
        looks: One for each object.
    """

    def __init__(self, layer: ObjectLayer, hexagonal: bool) -> None:
        self.looks: list[Look] = []
        self._rows = np.zeros((len(layer), 3), np.float32)
        self._rows[:, 2] = np.arange(len(layer))
        for number, item in enumerate(layer.objects):
            if not item.gid or not item.visible:
                self.looks.append(NOTHING)
                continue
            corners = item.points  # of the picture, rotated: left top, right top, ...
            width, height = (float(np.hypot(*(corners[i] - corners[0]))) for i in (1, 3))
            flips, turn = flips_and_turn(item.flags, hexagonal)
            look = Look(item.gid, flips, width, height, turn + item.rotation, item.opacity)
            self.looks.append(look)
            self._rows[number, :2] = corners.mean(axis=0)

    def rows(self, start: int, stop: int) -> Rows:
        """The rows of the objects from `start` up to, not including, `stop`."""
        return self._rows[start:stop]


def look_of_tile(gid: int, flags: int, box: list[float], hexagonal: bool) -> Look:
    """The look of a tile that is drawn into a box, which goes around it where it is turned."""
    flips, turn = flips_and_turn(flags, hexagonal)
    width, height = box[2] - box[0], box[3] - box[1]
    cosine, sine = abs(cos(radians(turn))), abs(sin(radians(turn)))
    # The box of a turned w x h tile is cw + sh wide and sw + ch high: solve for w and h. Tiled
    # turns by 60, 120 and 180 degrees, so the divisor is never 0.
    divisor = cosine * cosine - sine * sine
    own_width = (width * cosine - height * sine) / divisor
    own_height = (height * cosine - width * sine) / divisor
    return Look(gid, flips, own_width, own_height, turn, 1.0)


def flips_and_turn(flags: int, hexagonal: bool) -> tuple[int, float]:
    """What Tiled's flip bits mean: flips as the shader wants them, and degrees clockwise."""
    if not hexagonal:
        return flags >> 1, 0
    return (flags & ~DIAGONAL) >> 1, 60 * bool(flags & DIAGONAL) + 120 * bool(flags & TURN_120)
