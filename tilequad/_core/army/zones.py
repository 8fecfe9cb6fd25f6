"""Circles by number: where each one is, whom it takes in, and which unit carries it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises
from tilequad._core.army.zone_grid import ZoneGrid
from tilequad._core.arrays import at_slots
from tilequad._core.buffers import IntBuffer, grown, list_by_cell, longer
from tilequad._core.layout import MAX_COORDINATE, NONE
from tilequad._core.tree.rows import RowReader, need, row_from
from tilequad._core.tree.units import UnitStore

# What a new row holds, in the order of `bind`.
NEW_ROW: list[array[Any]] = [array("d", [0.0])] * 4
NEW_ROW += [array("i", [0]), array("i", [0]), array("i", [-1]), array("q", [-1])]
NEW_ROW += [array("i", [0])] * 4
KINDS = "ddddiiiqii"  # the types of those that are packed: all but the last two

MARGIN, TINY = 1.0 + 1e-9, 1e-140  # together they exceed the rounding error of a circle's edge
CELLS_A_ZONE = 8  # the most cells of the grid for each zone, about
MAX_SIDE = 4096  # the most columns and rows
MOST_CELLS = 64  # a zone that covers more cells is not in the grid


@cython.final
@cython.cclass
class Zones:
    """The zones: the objects that the game holds, what is known of each, and a grid of them.

    A zone has a number, the row of what is known of it. Numbers of zones that have ended are used
    again.
    """

    __slots__ = {
        "by_row": "list",
        "x": "double[::1]",
        "y": "double[::1]",
        "radius": "double[::1]",
        "leave": "double[::1]",
        "groups": "int[::1]",
        "without": "int[::1]",
        "anchor": "int[::1]",
        "anchor_serial": "long long[::1]",
        "enabled": "int[::1]",
        "stale": "int[::1]",
        "tested": "int[::1]",
        "rank": "int[::1]",
        "numbers": "dict",
        "handles": "list",
        "free": "list",
        "added": "int",
        "grid": "ZoneGrid",
    }

    def __init__(self) -> None:
        self.by_row = grown([], NEW_ROW, 0)
        self.bind()
        self.numbers: dict[Any, int] = {}  # by the game's object, in the order they were added
        self.handles: list[Any] = []  # the objects by number, None for a number that is free
        self.free: list[int] = []
        self.added = 0  # how many zones there have been
        self.grid: Any = None  # of those that are on; None if one has changed

    def bind(self) -> None:
        """Let the fields be views of the arrays."""
        # The circle; `leave` is the radius for a unit that was inside. Which units it takes in.
        self.x, self.y, self.radius, self.leave, self.groups, self.without = self.by_row[:6]
        # The slot and the serial of the unit that carries it, or -1. Then 1 or 0: whether it is
        # on, whether all units around it must be tested, and whether this update has done so.
        self.anchor, self.anchor_serial, self.enabled, self.stale, self.tested = self.by_row[6:11]
        self.rank = self.by_row[11]  # when it was added

    def __reduce__(self) -> tuple[Any, ...]:
        state = self.by_row, self.numbers, self.handles, self.free, self.added
        return type(self), (), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.by_row, self.numbers, self.handles, self.free, self.added = state
        self.bind()
        self.grid = None

    def __len__(self) -> int:
        """The number of zones."""
        return len(self.numbers)

    def __iter__(self) -> Iterator[Any]:
        """The zones, in the order they were added."""
        return iter(self.numbers)

    def __contains__(self, zone: object) -> bool:
        return zone in self.numbers

    def add(
        self,
        zone: Any,
        place: tuple[float, float],
        circle: tuple[float, float],
        masks: tuple[int, int],
        carrier: tuple[int, int],
    ) -> None:
        """Give a zone a number, its attribute `number`, and let it begin.

        `circle` is its radius, and the radius for a unit that was inside; `carrier` the slot and
        the serial of the unit that carries it, (-1, -1) for none.
        """
        if not self.free:
            if len(self.handles) >= len(self.rank):  # what `bind` binds last
                self.by_row = grown(self.by_row, NEW_ROW, longer(len(self.handles) + 1))
                self.bind()
            self.handles.append(None)
            self.free.append(len(self.handles) - 1)
        number: cython.Py_ssize_t = self.free.pop()
        try:
            object.__setattr__(zone, "number", number)
            self.numbers[zone] = number
        except BaseException:
            self.free.append(number)
            raise
        self.handles[number] = zone
        self.x[number], self.y[number] = place
        self.radius[number], self.leave[number] = circle
        self.groups[number], self.without[number] = masks
        self.anchor[number], self.anchor_serial[number] = carrier
        self.enabled[number] = self.stale[number] = 1
        self.rank[number] = self.added
        self.added += 1
        self.grid = None

    def end(self, number: cython.int) -> Raises[cython.int]:
        """Forget a zone."""
        self.free.append(number)
        del self.numbers[self.handles[number]]
        self.handles[number] = None
        self.anchor[number] = NONE
        self.enabled[number] = self.stale[number] = 0
        self.grid = None
        return 0

    def enable(self, number: cython.int, enabled: cython.bint) -> None:
        """Switch a zone on or off."""
        if self.enabled[number] != enabled:
            self.enabled[number] = enabled
            self.stale[number] = 1
            self.grid = None

    def rows(self) -> dict[str, Any]:
        """The zones, for `write_rows`."""
        listed = self.listed()
        packed = {"listed": row_from("i", listed), "unused": row_from("i", self.free)}
        for i, kind in enumerate(KINDS):
            packed[f"zone {i}"] = row_from(kind, at_slots(np.array(self.by_row[i]), listed))
        return packed

    def has_lost(
        self, number: cython.Py_ssize_t, serials: cython.longlong[::1]
    ) -> NoGil[cython.bint]:
        """Whether the unit that carried a zone is gone, by the serials of all slots."""
        slot: cython.Py_ssize_t = self.anchor[number]
        return slot >= 0 and self.anchor_serial[number] != serials[slot]

    def listed(self) -> np.ndarray:
        """Return the numbers of all zones, in the order they were added; (n,) int32."""
        return np.array(list(self.numbers.values()), np.int32)

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return the centers of zones, (n, 2)."""
        return np.stack((at_slots(np.array(self.x), rows), at_slots(np.array(self.y), rows)), 1)

    def groups_of(self, rows: np.ndarray) -> int:
        """Return all groups that one of some zones takes in, as a mask."""
        masks = at_slots(np.array(self.groups), rows)
        return int(np.bitwise_or.reduce(masks)) & 0xFFFFFFFF

    def leaves(self, rows: np.ndarray) -> np.ndarray:
        """Return how far from zones a unit may be that was inside, (n,)."""
        return at_slots(np.array(self.leave), rows)

    def grid_of_enabled(self) -> Object[ZoneGrid]:
        """Return the grid of the zones that are on, built anew if one has changed."""
        if self.grid is None:
            rows = np.flatnonzero(np.array(self.enabled)).astype(np.int32)
            self.grid = made_grid(rows, self.places(rows), self.leaves(rows))
        return self.grid


def read_zones(
    zones: Zones, reader: RowReader, store: UnitStore, items: list[Any], made: Callable[..., Any]
) -> Object[int]:
    """Read what `Zones.rows` has returned into new zones; return how many numbers they use."""
    numbers, unused = reader.take("listed", "i").tolist(), reader.take("unused", "i").tolist()
    n = len(numbers)
    total: cython.int = n + len(unused)
    need(sorted(numbers + unused) == list(range(total)), "the numbers of zones")
    columns = [reader.take(f"zone {i}", kind, n) for i, kind in enumerate(KINDS)]
    zones.by_row = grown([], NEW_ROW, total)
    zones.bind()
    zones.handles = [None] * total
    for number, x, y, radius, leave, groups, without, slot, serial, on, stale in zip(
        numbers, *columns, strict=True
    ):
        need(abs(x) <= MAX_COORDINATE and abs(y) <= MAX_COORDINATE, "the place of a zone")
        need(0.0 <= radius <= leave <= MAX_COORDINATE, "the radius of a zone")
        need(-1 <= slot < store.slots, "the unit of a zone")
        lives = slot >= 0 and store.serial_of(slot) == serial
        masks = None if groups == -1 else groups & 0xFFFFFFFF, without & 0xFFFFFFFF or None
        zone = made(items[slot] if lives else None, (x, y), (radius, leave), *masks)
        zones.free = [number]
        zones.add(zone, (x, y), (radius, leave), (groups, without), (slot, serial))
        zones.enabled[number] = on != 0
        zones.stale[number] = stale != 0
    zones.free = unused
    return total


def made_grid(rows: np.ndarray, places: np.ndarray, radii: np.ndarray) -> ZoneGrid:
    """Return a grid of circles, with cells about as large as a circle."""
    if len(rows) == 0:
        return ZoneGrid((0.0, 0.0, -1.0, -1.0), 0.0, (1, 1), rows, rows, rows)
    reach = radii * MARGIN + TINY
    low, high = places - reach[:, None], places + reach[:, None]
    # Of columns, because numpy takes five times as long along the first axis.
    left, lower, right, upper = low[:, 0], low[:, 1], high[:, 0], high[:, 1]
    edges = float(left.min()), float(lower.min()), float(right.max()), float(upper.max())
    width, height = edges[2] - edges[0], edges[3] - edges[1]
    least = sqrt(width) * sqrt(height) / sqrt(CELLS_A_ZONE * len(rows))
    side = max(float(np.median(reach)), least, width / MAX_SIDE, height / MAX_SIDE)
    shape = int(width / side) + 1, int(height / side) + 1
    first, last = (
        np.minimum(((corner - edges[:2]) * (1.0 / side)).astype(np.int32), np.array(shape) - 1)
        for corner in (low, high)
    )
    columns, lines = (last - first + 1).T
    is_wide = columns * lines > MOST_CELLS
    spans = np.concatenate((first, last + 1), axis=1)[~is_wide].astype(np.int32)
    starts, found = np.zeros(shape[0] * shape[1] + 2, np.int32), IntBuffer()
    list_by_cell(spans.data, shape[0], starts.data, found)
    zones = rows[~is_wide].take(np.array(found.taken(), np.intp))
    return ZoneGrid(edges, 1.0 / side, shape, starts, zones, rows[is_wide])
