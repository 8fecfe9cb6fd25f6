"""Circles by row: where each one is, whom it takes in, and which unit carries it."""

from __future__ import annotations

from array import array
from math import sqrt
from typing import Any

import numpy as np

from tilequad._core.army.zone_grid import ZoneGrid, list_circles
from tilequad._core.arrays import at_slots
from tilequad._core.buffers import IntBuffer, grown, longer

NOBODY = -1
# What a new row holds, in the order of the attributes of `Zones`.
NEW_ROW: list[array[Any]] = [array("d", [0.0])] * 4
NEW_ROW += [array("i", [0]), array("i", [0]), array("i", [NOBODY]), array("q", [NOBODY])]
NEW_ROW += [array("i", [0])] * 3

MARGIN, TINY = 1.0 + 1e-9, 1e-140  # together they exceed the rounding error of a circle's edge
CELLS_A_ZONE = 8  # the most cells of the grid for each zone, about
MAX_SIDE = 4096  # the most columns and rows
MOST_CELLS = 64  # a zone that covers more cells is not in the grid


class Zones:
    """The zones, in arrays that the kernel reads and writes, and a grid of those that are on.

    Attributes:
        by_row: The arrays: all the attributes below in this order.
        x, y, radius, leave: The circle; `leave` is the radius for a unit that was inside.
        groups, without: Which units it takes in.
        anchor, anchor_serial: The slot and the serial of the unit that carries it, or -1.
        enabled: 1 if it is on.
        stale: 1 if all units around it must be tested.
        tested: 1 if the current update has tested them.
    """

    def __init__(self) -> None:
        self.name_arrays(grown([], NEW_ROW, 0))

    def name_arrays(self, by_row: list[array[Any]]) -> None:
        """Give the arrays their names."""
        self.by_row = by_row
        self.x, self.y, self.radius, self.leave, self.groups, self.without = by_row[:6]
        self.anchor, self.anchor_serial, self.enabled, self.stale, self.tested = by_row[6:]
        self.grid: ZoneGrid | None = None

    def __getstate__(self) -> list[array[Any]]:
        return self.by_row

    def __setstate__(self, by_row: list[array[Any]]) -> None:
        self.name_arrays(by_row)

    def begin(
        self,
        row: int,
        place: tuple[float, float],
        radius: float,
        leave: float,
        masks: tuple[int, int],
    ) -> None:
        """Begin a zone at a place; `set_anchor` lets a unit carry it."""
        if row >= len(self.x):
            self.name_arrays(grown(self.by_row, NEW_ROW, longer(row + 1)))
        self.grid = None
        self.x[row], self.y[row] = place
        self.radius[row], self.leave[row] = radius, leave
        self.groups[row], self.without[row] = masks
        self.anchor[row] = NOBODY
        self.enabled[row] = self.stale[row] = 1

    def set_anchor(self, row: int, slot: int, serial: int) -> None:
        """Let a unit carry a zone, as long as it lives."""
        self.anchor[row], self.anchor_serial[row] = slot, serial

    def set_enabled(self, row: int, enabled: bool) -> None:
        """Switch a zone on or off."""
        if self.enabled[row] != enabled:
            self.grid = None
            self.enabled[row], self.stale[row] = enabled, 1

    def end(self, row: int) -> None:
        """Forget a zone."""
        self.grid = None
        self.anchor[row] = NOBODY
        self.enabled[row] = self.stale[row] = 0

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return the centers of zones, (n, 2)."""
        return np.stack((at_slots(np.array(self.x), rows), at_slots(np.array(self.y), rows)), 1)

    def grid_of_enabled(self) -> ZoneGrid:
        """Return the grid of the zones that are on, built anew if one has changed."""
        if self.grid is None:
            rows = np.flatnonzero(np.array(self.enabled)).astype(np.int32)
            radii = at_slots(np.array(self.leave), rows)
            self.grid = made_grid(rows, self.places(rows), radii)
        return self.grid


def made_grid(rows: np.ndarray, places: np.ndarray, radii: np.ndarray) -> ZoneGrid:
    """Return a grid of circles, with cells about as large as a circle."""
    if len(rows) == 0:
        return ZoneGrid((0.0, 0.0, -1.0, -1.0), 0.0, (1, 1), rows, rows, rows)
    reach = radii * MARGIN + TINY
    low, high = places - reach[:, None], places + reach[:, None]
    edges = *low.min(axis=0).tolist(), *high.max(axis=0).tolist()
    width, height = edges[2] - edges[0], edges[3] - edges[1]
    least = sqrt(width) * sqrt(height) / sqrt(CELLS_A_ZONE * len(rows))
    side = max(float(np.median(reach)), least, width / MAX_SIDE, height / MAX_SIDE)
    shape = int(width / side) + 1, int(height / side) + 1
    first, last = (
        np.minimum(((corner - edges[:2]) * (1.0 / side)).astype(np.int32), np.array(shape) - 1)
        for corner in (low, high)
    )
    is_wide = np.prod(last - first + 1, axis=1) > MOST_CELLS
    spans = np.concatenate((first, last + 1), axis=1)[~is_wide].astype(np.int32)
    starts, found = np.zeros(shape[0] * shape[1] + 2, np.int32), IntBuffer()
    list_circles(spans.data, shape[0], starts.data, found)
    zones = rows[~is_wide].take(np.array(found.taken(), np.intp))
    return ZoneGrid(edges, 1.0 / side, shape, starts, zones, rows[is_wide])
