"""Buildings: one call closes cells, hides what is behind them, and puts a unit into the tree."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import NO_CELLS, Floats, Ints
from tilequad._core.arrays import own_array
from tilequad._core.checks import check_point, mask_of
from tilequad._core.shown import shown
from tilequad._core.ways.layout import LATTICE, STAGGERED_COLUMNS
from tilequad.bounds import Bounds
from tilequad.nav._blocks import Blocks, Covered
from tilequad.nav._turns import Board
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import check_tree, store_of

__all__ = ["BuildingLand", "Obstacle"]

#: A rectangle of cells: the first column and row, and how many of them.
Block: TypeAlias = tuple[int, int, int, int]

TOUCH = 1e-9  # relative to the coordinates: boxes that overlap by less only touch
FIRST_RING = 8  # cells around a point that are looked at first


class Obstacle(NamedTuple):
    """Why one cannot build somewhere.

    Attributes:
        reason: "outside", if the place is not wholly in the grid; "closed", if a cell is; or
            "unit", if one stands there.
        cells: The closed cells, ascending; none for the other reasons.
        unit: The unit, or None.
    """

    reason: str
    cells: Ints
    unit: Any

    def __str__(self) -> str:
        if self.reason == "outside":
            return "it reaches beyond the grid"
        if self.reason == "unit":
            return f"{shown(self.unit)} stands there"
        first = ", ".join(map(str, self.cells[:3].tolist()))
        return f"{len(self.cells)} of its cells are closed, such as {first}"


class Building(NamedTuple):
    """What a grid knows of a building: the life of its unit, its cells, and how it blocks them."""

    serial: int
    cells: list[int]
    hiding: int
    clear: int


class Town:
    """The buildings that stand in one tree, by the slots of their units.

    Args:
        units: The tree.
    """

    def __init__(self, units: DynamicQuadtree[Any]) -> None:
        self.units = units
        self.held: dict[int, Building] = {}
        self.seen: tuple[Any, int] = None, 0  # a store, and how many had left

    def __getstate__(self) -> tuple[Any, ...]:
        return self.units, self.held

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.units, self.held = state
        self.seen = None, 0

    def now(self) -> tuple[Any, int]:
        """Return what `seen` is if nobody has left the tree since."""
        store = store_of(self.units)
        return store, store.departures.count

    def gone(self) -> list[int]:
        """Return the slots of the buildings whose units have left the tree."""
        (before, removals), store = self.seen, store_of(self.units)
        left = store.departures.since(removals) if store is before else None
        slots = self.held if left is None else dict.fromkeys(left.tolist())
        some = [slot for slot in slots if slot in self.held]
        serials = self.units.serial_many(np.array(some, np.int32)).tolist()
        return [one for one, own in zip(some, serials, strict=True) if self.held[one].serial != own]


class Sites:
    """The buildings of a grid, by the trees that they stand in."""

    def __init__(self) -> None:
        self.towns: list[Town] = []

    def are_behind(self) -> bool:
        """Return whether units have left a tree since the buildings were looked after."""
        behind = False
        for town in self.towns:  # not with a generator, which would swallow an interrupt
            behind = behind or town.seen != town.now()
        return behind

    def town_of(self, units: DynamicQuadtree[Any]) -> Town:
        """Return the town of a tree, a new one if needed, which takes the place of empty ones."""
        for town in self.towns:
            if town.units is units:
                return town
        new = Town(units)
        self.towns = [*(town for town in self.towns if town.held), new]
        return new


class BuildingLand(Board):
    """The verbs of a `Grid` for buildings."""

    _blocks: Blocks

    if TYPE_CHECKING:  # what a grid has

        def cells_in(self, bounds: Sequence[float]) -> Ints:
            """The cells whose center lies in a box."""

    def build(
        self,
        units: DynamicQuadtree[Any],
        hall: Hashable,
        bounds: Sequence[float],
        *,
        groups: int = 1,
        opaque: bool = True,
        push: int | None = None,
    ) -> None:
        """Put up a building: it closes its cells, stops looks, and stands in the tree as a unit.

        Its cells are those whose center lies in the box. It stands until `raze`, or until its unit
        is removed from the tree, which everything that follows the grid notices at its next
        question. It pickles with the grid and the tree.

        Cost: 30 microseconds, and less than one for each cell. With `push` in a grid of squares, a
        microsecond for each unit that has room straight beside the building, and half a millisecond
        or more for each other.

        Args:
            units: The tree.
            hall: The item of its unit, which is not in the tree yet. Its footprint is the box.
            bounds: The box: min_x, min_y, max_x, max_y.
            groups: The groups of its unit, a mask.
            opaque: Whether it stops looks; False for a fence.
            push: A mask: units in any of these groups do not hinder it. They are put beside it, the
                shortest way out. None for none.

        Raises:
            ValueError: Something hinders it, as `blocker` says; the item is in the tree; or an
                argument is invalid. Nothing changes then.
            TypeError: `units` is not a DynamicQuadtree.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> from tilequad.nav import Field, Grid
            >>> units = DynamicQuadtree((0, 0, 50, 30))
            >>> grid = Grid([[True] * 5] * 3, cell_size=10)
            >>> way = Field(grid, [(45, 15)])
            >>> units.add("farmer", 12, 15, radius=3)
            >>> grid.build(units, "hall", (10, 10, 30, 20), push=1)
            >>> grid.blocked.astype(int).tolist()[1], units.position("farmer")
            ([0, 1, 1, 0, 0], (7.0, 15.0))
            >>> str(grid.blocker((20, 0, 40, 20), units))
            '1 of its cells are closed, such as 7'
            >>> grid.raze("hall")
            >>> bool(grid.blocked.any()), "hall" in units
            (False, False)
        """
        box = Bounds.of(bounds)
        mask_of(push or None, "push")
        obstacle = self.blocker(box, units, without=push)
        if obstacle is not None:
            raise ValueError(f"bounds must be free, but {obstacle}")
        cells = self.cells_in(box).tolist()
        hiding, clear = (1, 0) if opaque else (0, 1)
        news: dict[int, Covered] = {}
        pushed = units.query_many([_inner(box)], groups=push)[1] if push else NO_CELLS
        before = units.position_many(pushed)
        [slot] = store_of(units).next_slots(1).tolist()
        try:
            units.add(hall, *box.center, size=(box.width, box.height), groups=groups)
            serial = int(units.serial_many([slot])[0])
            kept = {slot: Building(serial, cells, hiding, clear)}
            with self._ground.turns:
                town = self._sites().town_of(units)
                self._blocks.count(cells, hiding, clear, news)
                changed = self._blocks.set(news, (town.held, kept))
            if len(pushed):
                self._put_beside(units, pushed, before, cells)
        except BaseException:  # its cells open again as it is removed
            if units.serial_many([slot])[0] >= 0:
                units.remove_many([slot])
                units.move_many(pushed, before)
            raise
        self._ground.notify(changed)

    def raze(self, hall: Hashable) -> None:
        """Take a building away: its unit leaves the tree, and its cells open.

        Cost: 12 microseconds, and 0.6 for each cell.

        Args:
            hall: The item of its unit.

        Raises:
            KeyError: It is no building of this grid.
        """
        self._follow()
        for town in self._sites().towns:
            if town.held and hall in town.units and town.units.slot(hall) in town.held:
                town.units.remove(hall)
                self._follow()
                return
        raise KeyError(f"hall must be a building of this grid, got {shown(hall)}")

    def blocker(
        self, bounds: Sequence[float], units: DynamicQuadtree[Any], *, without: int | None = None
    ) -> Obstacle | None:
        """Return what hinders a building in a box, or None where one may build.

        Closed cells hinder, the edge of the grid, and units whose footprint overlaps the box in
        more than edges. The result as a str says why.

        Cost: some microseconds, and 20 nanoseconds for each cell of the box.

        Args:
            bounds: The box: min_x, min_y, max_x, max_y.
            units: The tree.
            without: A mask: units in any of these groups do not hinder. None for none.

        Raises:
            ValueError: The box holds the center of no cell, or an argument is invalid.
            TypeError: `units` is not a DynamicQuadtree.
        """
        box = Bounds.of(bounds)
        check_tree(units)
        mask_of(without, "without")
        corners = [(x, y) for x in (box.min_x, box.max_x) for y in (box.min_y, box.max_y)]
        if (self._ground.cells_at(np.array(corners), -1) < 0).any():
            return Obstacle("outside", NO_CELLS, None)
        cells = self.cells_in(box)
        if not len(cells):
            raise ValueError(f"bounds must hold the center of a cell, got {tuple(box)}")
        self._follow()
        closed = cells[self._ground.codes_at(cells.data) == 0]
        if len(closed):
            return Obstacle("closed", closed, None)
        for unit in units.query(_inner(box), without=without):
            return Obstacle("unit", NO_CELLS, unit)
        return None

    def free_near(
        self,
        x: float,
        y: float,
        size: Sequence[float],
        units: DynamicQuadtree[Any] | None = None,
        *,
        without: int | None = None,
    ) -> Bounds | None:
        """Return the nearest place for a box where it covers only open cells, None if none is left.

        The place fits the cells: on squares, the box lies in the middle of the fewest cells that it
        fits into, so one as large as two cells lies flush on them. In other grids it lies around
        the center of a cell, its corners in the grid, and covers the cells whose center is in it.
        If `units` are given, none of them overlaps the box, as `blocker` has it. The nearest is the
        one with its middle nearest to the point; of equals, the one in the first row and then
        column.

        Cost: a tenth of a millisecond if there is room within 8 cells, and more with the square of
        the distance: up to 12 milliseconds for a look at all of 1024 x 1024 cells. With units,
        half a microsecond more for each place that they take.

        Args:
            x: The point, in world units.
            y: The point.
            size: Width and height of the box.
            units: A tree, whose units take places; None for none.
            without: A mask: units in any of these groups take none. None for no such groups.

        Raises:
            ValueError: A number is not finite, or the size is negative.
            TypeError: `units` is not a DynamicQuadtree.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> from tilequad.nav import Grid
            >>> grid = Grid([[True, False, True, True]] * 2, cell_size=10)
            >>> grid.free_near(14, 9, (20, 20))
            Bounds(min_x=20.0, min_y=0.0, max_x=40.0, max_y=20.0)
            >>> units = DynamicQuadtree((0, 0, 40, 20))
            >>> units.add("farmer", 25, 15, radius=3)
            >>> grid.free_near(25, 15, (10, 10), units)
            Bounds(min_x=30.0, min_y=10.0, max_x=40.0, max_y=20.0)
        """
        check_point(x, y)
        sides = own_array(size, "size")
        if sides.shape != (2,) or not (np.isfinite(sides).all() and (sides >= 0.0).all()):
            raise ValueError(f"size must be two finite numbers, at least 0, got {shown(size)}")
        if units is not None:
            check_tree(units)
        mask_of(without, "without")
        ground, shape = self._ground, self._ground.shape
        low_x, low_y, high_x, high_y = shape.bounds()
        if (sides > (high_x - low_x, high_y - low_y) + 2 * np.ptp(shape.outline, axis=0)).any():
            return None
        offset, parts = self._cover(sides)
        self._follow()
        row, column = divmod(ground.nearest_cell(x, y), ground.columns)
        reach = FIRST_RING
        while True:
            top, left = max(row - reach, 0), max(column - reach, 0)
            bottom, right = (
                min(row + reach + 1, ground.rows),
                min(column + reach + 1, ground.columns),
            )
            rows, columns = np.nonzero(self._free(parts, top, left, bottom, right))
            middles = shape.centers(columns + left, rows + top) + offset
            away = np.hypot(*(middles - (float(x), float(y))).T)
            order = np.argsort(away, kind="stable")
            boxes = np.hstack((middles - sides / 2, middles + sides / 2)).take(order, axis=0)
            if shape.orientation != "orthogonal":
                corners = boxes[:, [[0, 1], [0, 3], [2, 1], [2, 3]]]
                inside = (ground.cells_at(corners, -1) >= 0).all(axis=1)
                boxes, order = boxes[inside], order[inside]
            nearest = 0 if units is None else _first_without(boxes, units, without)
            # What lies outside of the part is farther away than this.
            sure = (reach - 1) * shape.pitch() - float(np.hypot(*offset))
            if nearest < len(boxes) and away[order[nearest]] < sure:
                break
            if (top, left, bottom, right) == (0, 0, ground.rows, ground.columns):
                break
            reach *= 2
        return Bounds(*boxes[nearest].tolist()) if nearest < len(boxes) else None

    # -- helpers -----------------------------------------------------------------------------------

    def _sites(self) -> Sites:
        """The buildings."""
        if self._ground.sites is None:
            self._ground.sites = Sites()
        found: Sites = self._ground.sites
        return found

    def _cleared(self) -> Ints:
        """Open the cells of buildings whose units have left; return the changed cells."""
        news: dict[int, Covered] = {}
        books, seen = [], []
        for town in self._sites().towns:
            now = town.now()
            if town.seen != now:
                gone = town.gone()
                for slot in gone:
                    one = town.held[slot]
                    self._blocks.count(one.cells, -one.hiding, -one.clear, news)
                books.append((town.held, dict.fromkeys(gone)))
                seen.append((town, now))
        # A game may have unblocked cells of a building by hand.
        news = {cell: (max(a, 0), max(b, 0), own) for cell, (a, b, own) in news.items()}
        changed = self._blocks.set(news, *books)
        for town, now in seen:
            town.seen = now
        return changed

    def _put_beside(
        self, units: DynamicQuadtree[Any], slots: Ints, xy: Floats, cells: list[int]
    ) -> None:
        """Move units out of closed cells, some of which are those of a building."""
        from tilequad.nav.walls import Walls  # which knows the grid

        half = store_of(units).sizes(slots.data)
        half = np.where(half[:, 1:] < 0.0, half[:, :1], half)  # circles have a radius and -1
        walls, boxes = Walls(self), np.hstack((xy - half, xy + half))  # type: ignore[arg-type]
        if self._ground.shape.orientation == "orthogonal":
            edges = self._closed.boxes(np.array(cells, np.int32))
            walls._straight_out(boxes, Bounds(*edges[:, :2].min(axis=0), *edges[:, 2:].max(axis=0)))
        ends, _ = walls.move_and_slide_many(boxes, (0.0, 0.0))
        middles = (ends[:, :2] + ends[:, 2:]) / 2
        outside = self._ground.cells_at(middles, -1) < 0
        for number in np.flatnonzero(outside).tolist():  # not out of the grid
            x, y = xy[number].tolist()
            place = self.free_near(x, y, (2 * half[number]).tolist())
            middles[number] = xy[number] if place is None else place.center
        units.move_many(slots, middles)

    def _cover(self, sides: Floats) -> tuple[Floats, list[list[Block]]]:
        """Return where the middle of a box lies, from the center of a cell, and what it covers.

        That is, for even and for odd lines, rectangles of cells, relative to that cell.
        """
        shape = self._ground.shape
        across = np.ptp(shape.outline, axis=0)
        counts = np.maximum(np.ceil(sides / across - TOUCH), 1).astype(int)
        if shape.orientation == "orthogonal":
            down = np.sign(shape.frame[5])
            return (counts - 1) * across * (0.5, 0.5 * down), [[(0, 0, *counts.tolist())]]
        reach = 2 * ceil((sides.max() + across.max()) / shape.pitch()) + 2
        parts = []
        for odd in (0, 1) if shape.kind != LATTICE else (0,):
            near, apart = shape.around(reach, odd ^ shape.flip)
            inside = (np.abs(apart) <= sides / 2 + TOUCH * across).all(axis=1)
            parts.append(_blocks(near[inside]))
        return np.zeros(2), parts

    def _free(
        self, parts: list[list[Block]], top: int, left: int, bottom: int, right: int
    ) -> NDArray[np.bool_]:
        """Return which cells of a part, (rows, columns), have room for a box around them."""
        codes = self._ground.cell_codes()
        found = np.ones((bottom - top, right - left), bool)
        for number, blocks in enumerate(parts):
            own: tuple[slice, ...] = (slice(None), slice(None))
            if len(parts) == 2:  # every other line
                along = self._ground.kind == STAGGERED_COLUMNS
                first = (number - (left if along else top)) % 2
                lines = slice(first, None, 2)
                own = (slice(None), lines) if along else (lines, slice(None))
            for column, row, width, height in blocks:
                ahead = np.zeros((len(found) + height - 1, found.shape[1] + width - 1), bool)
                y, x = top + row, left + column
                inside = codes[max(y, 0) : max(y + len(ahead), 0)] != 0
                inside = inside[:, max(x, 0) : max(x + ahead.shape[1], 0)]
                y, x = max(-y, 0), max(-x, 0)
                ahead[y : y + inside.shape[0], x : x + inside.shape[1]] = inside
                found[own] &= _all_open(_all_open(ahead, width).T, height).T[own]
        return found


def _first_without(boxes: Floats, units: DynamicQuadtree[Any], without: int | None) -> int:
    """Return the number of the first box that no unit overlaps; that of boxes if there is none."""
    start, count = 0, 8
    while start < len(boxes):
        some = _inners(boxes[start : start + count])
        counts = np.diff(units.query_many(some, without=without)[0])
        if not counts.all():
            return start + int(counts.argmin())
        start, count = start + count, 4 * count
    return len(boxes)


def _blocks(steps: NDArray[np.intp]) -> list[Block]:
    """Return cells, (n, 2), as rectangles; they come row by row, and column by column in a row."""
    starts = np.ones(len(steps), bool)
    starts[1:] = (np.diff(steps[:, 1]) != 0) | (np.diff(steps[:, 0]) != 1)
    first = np.flatnonzero(starts)
    widths = np.diff(np.append(first, len(steps)))
    blocks: dict[tuple[int, int], list[Block]] = {}  # by column and width
    for (column, row), width in zip(steps[first].tolist(), widths.tolist(), strict=True):
        alike = blocks.setdefault((column, width), [])
        if alike and alike[-1][1] + alike[-1][3] == row:
            alike[-1] = (*alike[-1][:3], alike[-1][3] + 1)
        else:
            alike.append((column, row, width, 1))
    return [block for alike in blocks.values() for block in alike]


def _all_open(cells: NDArray[np.bool_], width: int) -> NDArray[np.bool_]:
    """Return where the next `width` cells of a row are all open, as far as the row goes."""
    closed = np.zeros((len(cells), cells.shape[1] + 1), np.int32)
    np.cumsum(~cells, axis=1, out=closed[:, 1:])
    found: NDArray[np.bool_] = closed[:, width:] == closed[:, : closed.shape[1] - width]
    return found


def _inner(box: Sequence[float]) -> Bounds:
    """Return a box without its edges, so that what only touches it does not overlap it."""
    min_x, min_y, max_x, max_y = box
    loss = TOUCH * max(map(abs, box))
    x, y = (min_x + max_x) / 2, (min_y + max_y) / 2
    low = min(min_x + loss, x), min(min_y + loss, y)
    return Bounds(*low, max(max_x - loss, x), max(max_y - loss, y))


def _inners(boxes: Floats) -> Floats:
    """Return boxes, (n, 4), as `_inner` returns each."""
    loss = TOUCH * np.abs(boxes).max(axis=1, keepdims=True)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    low, high = np.minimum(boxes[:, :2] + loss, middles), np.maximum(boxes[:, 2:] - loss, middles)
    return np.hstack((low, high))
