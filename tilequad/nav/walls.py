"""Walls: move a box until something solid stops it, then slide along the obstacle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.slides import Slider
from tilequad._core.army.solids import Solids
from tilequad._core.army.wall_contacts import WallContacts
from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import (
    check_used,
    checked_bounds,
    checked_points,
    checked_slots,
    own_array,
)
from tilequad._core.checks import check_point
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.nav._runs import TilesFollower, merged
from tilequad.nav.grid import Grid, closed_cells_of
from tilequad.nav.protocols import WallIndex
from tilequad.quadtree import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree.dynamic import check_tree, store_of
from tilequad.quadtree.static import box_store_of

__all__ = ["Slide", "Walls", "solids_of"]

Box: TypeAlias = Sequence[float]

EVERYWHERE = Bounds(-MAX_COORDINATE, -MAX_COORDINATE, MAX_COORDINATE, MAX_COORDINATE)
NO_BOXES = StaticQuadtree(np.empty((0, 4)))


class Slide(NamedTuple):
    """Where a move ends, and what stopped it.

    Attributes:
        bounds: The box where it ends. No wall overlaps it.
        blocked_x: 1 if a wall stopped a move toward higher x, -1 toward lower x, otherwise 0.
        blocked_y: The same for y. Where y points up, -1 is a floor and 1 a ceiling; where y points
            down, 1 is the floor. A slanted face counts for the axis along which it faces most.
    """

    bounds: Bounds
    blocked_x: int
    blocked_y: int


class Walls(TilesFollower):
    """Solid boxes that a moving box does not enter, such as the solid tiles of a map.

    Boxes that only touch do not collide, so a box may stand flush on a floor of many tiles and
    slide along it; a seam between flush tiles never stops it. Where a wall stops it, its edge is
    the wall's own, without rounding. A game may keep a box by its center: overlaps within rounding
    error do not count, so the box never snags.

    Args:
        solid: A `StaticQuadtree`; or a selection of tiles or objects, which follows the changes of
            its layer; or a whole layer, by its tiles as drawn; or a `Grid` of `tilequad.nav`, by
            its closed cells, buildings included, and by the shapes of the tiles and objects that
            its rules took. Cells of a grid are solid by their outlines, as diamonds or hexagons;
            tiles of a selection by the boxes around their cells. Of all these, only a grid takes in
            layers that are added later.

    Raises:
        TypeError: `solid` is none of these.

    Example:
        >>> from tilequad import StaticQuadtree
        >>> from tilequad.nav import Walls
        >>> floor = [(x, 0, x + 16, 16) for x in range(0, 160, 16)]
        >>> walls = Walls(StaticQuadtree([*floor, (96, 16, 112, 32)]))
        >>> walls.move_and_slide((10, 20, 20, 40), 5, -8).bounds  # falls on the floor
        Bounds(min_x=15.0, min_y=16.0, max_x=25.0, max_y=36.0)
        >>> slide = walls.move_and_slide((75, 16, 85, 36), 20, -8)  # walks into the block
        >>> slide.bounds.max_x, slide.blocked_x, slide.blocked_y
        (96.0, 1, -1)
    """

    def __init__(self, solid: StaticQuadtree | WallIndex) -> None:
        if not (
            callable(getattr(solid, "query", None)) and callable(getattr(solid, "boxes", None))
        ):
            raise TypeError(
                "solid must be a StaticQuadtree, a selection such as "
                f'layer.select({{"solid": True}}), a layer or a Grid, got {shown(solid)}'
            )
        self._solid = solid
        self._merged: tuple[int, int, StaticQuadtree] | None = None
        self._follows = False

    def __repr__(self) -> str:
        return f"<Walls of {self._solid!r}>"

    def move_and_slide(self, bounds: Sequence[float], dx: float, dy: float) -> Slide:
        """Move a box by (dx, dy); where a wall stops it, slide along the wall.

        The whole straight way is tested, so no box is fast enough to tunnel. The first wall on the
        way stops the motion toward it; the rest of the motion continues along the wall. A box that
        begins inside of walls first takes the shortest way out of all of them.

        Cost: a few microseconds, and some nanoseconds for each wall around the way. Walls that are
        neither a `StaticQuadtree` nor a `Grid` are asked by one query. A box that begins inside
        looks around for its way out, which takes 50 to 300 microseconds more, and milliseconds
        where it is dozens of cells deep.

        Args:
            bounds: The box to move: min_x, min_y, max_x, max_y.
            dx: How far to move it, in world units.
            dy: How far to move it, in world units.

        Returns:
            Where the box ends, and on which sides it was stopped. Its size changes by no more than
            rounding.

        Raises:
            ValueError: `bounds` is not a box, or a number is not finite.
        """
        start = Bounds.of(bounds)
        check_point(dx, dy, "dx and dy", MAX_COORDINATE)
        slider = self._slider()
        found = None if slider is None else slider.slide_one(*start, dx, dy)
        if found is None:
            start_row, motion = np.array([start], np.float64), np.array([(dx, dy)], np.float64)
            [end], [blocked] = (part.tolist() for part in self._slid(start_row, motion))
            found = end, *blocked
        return Slide(Bounds(*found[0]), *found[1:])

    def move_and_slide_many(
        self, bounds: ArrayLike, dxy: ArrayLike
    ) -> tuple[Floats, NDArray[np.int8]]:
        """Move many boxes as `move_and_slide` does. They do not stop one another.

        Cost: a tenth of a microsecond for each among the cells of a `Grid`, and a quarter among the
        boxes of a `StaticQuadtree`, without the GIL. Elsewhere, and for a box that begins inside of
        walls, as `move_and_slide`.

        Args:
            bounds: The boxes to move, (n, 4): min_x, min_y, max_x, max_y.
            dxy: How far to move each, (n, 2), or all of them, (2,), in world units.

        Returns:
            Where the boxes end, (n, 4), and on which sides they were stopped, (n, 2) int8:
            `blocked_x` and `blocked_y` of a `Slide`.

        Raises:
            ValueError: A row is not a box, a number is not finite, or the shapes do not fit.

        Example:
            >>> from tilequad import StaticQuadtree
            >>> from tilequad.nav import Walls
            >>> walls = Walls(StaticQuadtree([(0, 0, 160, 16), (96, 16, 112, 32)]))
            >>> ends, blocked = walls.move_and_slide_many(
            ...     [(10, 20, 20, 40), (75, 16, 85, 36)], [(5, -8), (20, -8)]
            ... )
            >>> ends.tolist(), blocked.tolist()
            ([[15.0, 16.0, 25.0, 36.0], [86.0, 16.0, 96.0, 36.0]], [[0, -1], [1, -1]])
        """
        boxes = checked_bounds(bounds)
        given = own_array(dxy, "dxy")
        if given.shape not in ((2,), (len(boxes), 2)):
            raise ValueError(f"dxy must have shape ({len(boxes)}, 2) or (2,), got {given.shape}")
        return self._slid(
            boxes, checked_points(np.broadcast_to(given, (len(boxes), 2)), name="dxy")
        )

    def overlaps_many(
        self, units: DynamicQuadtree[Any], slots: ArrayLike | None = None
    ) -> tuple[NDArray[np.int32], Floats, Floats]:
        """Find which units of a tree overlap or touch walls, and how to part them.

        A unit that moves along the normal by the depth only touches that wall from then on. Flush
        walls are one: a ball on a floor of tiles has one contact, straight below it, and a ball in
        a corner has two. A box has one for each side, at most. A disc with its center in a wall has
        one: the shortest way out along x or y.

        Cost: a tenth of a microsecond for each unit near walls, and less for others. A large box
        takes 50 ns for each cell that it covers, if those are 50 x 50, and beyond that more with
        the cube of its side: 0.35 seconds for 800 x 800 cells, a fifth of them closed.

        Args:
            units: The tree. It is not changed.
            slots: The units that ask, (n,) ints. None for all units.

        Returns:
            Three arrays with a row for each contact, by ascending slots: the slots, (m,) int32; the
            normals, (m, 2), which point out of the wall; the depths, (m,), 0 for those that only
            touch.

        Raises:
            TypeError: `units` is not a DynamicQuadtree.
            ValueError: A slot of no unit.

        Example:
            >>> from tilequad import DynamicQuadtree
            >>> from tilequad.nav import Grid, Walls
            >>> walls = Walls(Grid([[True] * 3, [False] * 3], cell_size=10))
            >>> units = DynamicQuadtree((0, 0, 30, 20))
            >>> units.add("ball", 20, 14, radius=5)
            >>> slots, normals, depths = walls.overlaps_many(units)
            >>> units.items(slots), normals.tolist(), depths.tolist()
            (['ball'], [[0.0, 1.0]], [1.0])
        """
        check_tree(units)
        asking = None
        if slots is not None:
            asking = np.unique(checked_slots(slots))
            check_used(store_of(units), asking)
        return WallContacts(self._solids()).find(store_of(units), asking)

    def merged(self) -> StaticQuadtree:
        """Return the walls in a tree of their own, with boxes that form a rectangle merged.

        Of a grid these are the closed cells, or the boxes around them if they are no boxes.

        `separate` uses it, except for a grid, whose cells it reads. The tree is built at the first
        call and rebuilt after tiles or cells have changed; for objects that do not report their
        changes it is rebuilt at each call.

        Cost: 0.15 to 0.35 us for each wall whenever it is built, so 15 to 35 ms for 100,000.
        """
        # The tree is kept together with what it knows: other threads ask, and Ctrl-C may end this.
        solid, known = self._solid, self._merged
        revision = getattr(solid, "revision", 0)  # a grid counts its changes, a layer reports them
        if not (isinstance(solid, StaticQuadtree) or self._follows):
            observe = getattr(getattr(solid, "layer", solid), "observe", None)
            if observe is not None:
                observe(self)
                self._follows = True
            elif not hasattr(solid, "revision"):
                return StaticQuadtree(merged(self._near(*EVERYWHERE))[0])
        changes = self._changes
        if known is None or known[:2] != (revision, changes):
            boxes = solid.boxes() if isinstance(solid, StaticQuadtree) else self._near(*EVERYWHERE)
            known = self._merged = revision, changes, StaticQuadtree(merged(boxes)[0])
        return known[2]

    def _solids(self) -> Solids:
        """The walls as compiled code reads them: of a grid, the cells themselves."""
        if isinstance(self._solid, Grid):
            return Solids(box_store_of(NO_BOXES), closed_cells_of(self._solid))
        return Solids(box_store_of(self.merged()))

    def __getstate__(self) -> StaticQuadtree | WallIndex:
        return self._solid

    def __setstate__(self, state: StaticQuadtree | WallIndex) -> None:
        Walls.__init__(self, state)

    def _slider(self) -> Slider | None:
        """What moves boxes among walls that compiled code can read; None for others."""
        if isinstance(self._solid, StaticQuadtree):
            return Slider(Solids(box_store_of(self._solid)))
        return Slider(self._solids()) if isinstance(self._solid, Grid) else None

    def _slid(self, boxes: Floats, motions: Floats) -> tuple[Floats, NDArray[np.int8]]:
        """Move checked boxes, (n, 4), by (n, 2), in place; return them, and what stopped them."""
        blocked = np.zeros((len(boxes), 2), np.int8)
        rows = boxes.data, motions.data, blocked.data
        slider = self._slider()
        near: Callable[..., Floats]
        slide: Callable[..., bool]
        if slider is not None:
            near, slide = slider.walls_near, slider.slide_again
            inside = slider.slide_all(*rows).tolist()
        else:
            near, slide = self._near, self._slide_row
            inside = [row for row in range(len(boxes)) if not slide(*rows, row)]
        for row in inside:
            boxes[row] = _out(Bounds(*boxes[row].tolist()), near)
            while not slide(*rows, row):
                boxes[row] = _out(Bounds(*boxes[row].tolist()), near)  # a door has closed since
        return boxes, blocked

    def _straight_out(self, boxes: Floats, hall: Bounds) -> None:
        """Move boxes, (n, 4), in place out of a hall of closed cells, the shortest way.

        Only those that overlap a wall, and only where there is room straight left, below, above or
        right of the hall: then no other place is nearer.
        """
        slider = self._slider()
        assert slider is not None, "a grid has one"
        still, blocked = np.zeros((len(boxes), 2)), np.zeros((len(boxes), 2), np.int8)
        rows = np.array(slider.slide_all(boxes.data, still.data, blocked.data), int)
        rows = rows[((boxes[rows, :2] < hall[2:]) & (boxes[rows, 2:] > hall[:2])).all(axis=1)]
        places = np.repeat(boxes[rows, None], 4, axis=1)
        for way, axis, high in ((0, 0, 0), (1, 1, 0), (2, 1, 1), (3, 0, 1)):
            flush, side = hall[axis + 2 * high], boxes[rows, axis + 2] - boxes[rows, axis]
            places[:, way, axis + 2 - 2 * high] = flush
            places[:, way, axis + 2 * high] = flush + side if high else flush - side
        away = np.abs(places[:, :, :2] - boxes[rows, None, :2]).sum(axis=2)
        nearest = places[np.arange(len(rows)), away.argmin(axis=1)]
        free = np.ones(len(rows), bool)
        free[slider.slide_all(nearest.data, still[rows].data, blocked[rows].data).tolist()] = False
        boxes[rows[free]] = nearest[free]

    def _slide_row(self, boxes: Any, motions: Any, blocked: Any, row: int) -> bool:
        """Move one of the boxes among walls that objects of Python tell; False if inside."""
        slider = Slider(Solids(box_store_of(NO_BOXES)))
        walls = self._near(*_way(np.asarray(boxes)[row], np.asarray(motions)[row]))
        return slider.slide_among(walls, boxes, motions, blocked, row)

    def _near(self, *bounds: float) -> Floats:
        """The walls that overlap or touch a box, as objects of Python tell it."""
        solid: Any = self._solid
        return np.ascontiguousarray(solid.boxes(solid.query(bounds)), np.float64)


def _way(box: Floats, motion: Floats) -> list[float]:
    """The box around a motion."""
    low, high = np.minimum(motion, 0.0), np.maximum(motion, 0.0)
    way: list[float] = np.concatenate((box[:2] + low, box[2:] + high)).tolist()
    return way


# -- the way out ---


def _out(box: Bounds, near: Callable[..., Floats]) -> Bounds:
    """Return the nearest free place for a box that overlaps walls."""
    walls = np.array([wall for wall in near(*box).tolist() if _overlap(box, wall)])
    if not len(walls):  # another thread has opened a door
        return box
    low, high = np.array(box[:2]), np.array(box[2:])
    # It must leave each of these walls, so the way out is at least this long.
    reach = np.hstack((walls[:, 2:] - low, high - walls[:, :2])).min(axis=1).max()
    while True:
        place = _nearest_free(box, near(*(low - reach).tolist(), *(high + reach).tolist()), reach)
        if place is not None:
            return place
        reach *= 2


def solids_of(walls: Walls) -> Solids:
    """Return walls as compiled code reads them, as they are now."""
    return walls._solids()


def _overlap(box: Box, wall: Box) -> bool:
    """Whether two boxes overlap in more than edges."""
    return wall[0] < box[2] and box[0] < wall[2] and wall[1] < box[3] and box[1] < wall[3]


def _nearest_free(box: Bounds, walls: Floats, reach: float) -> Bounds | None:
    """Return the nearest place at most `reach` away where a box overlaps no wall.

    There the box is flush with a wall along x, along y, or both. So it is enough to try all pairs
    of an x and a y, each either flush with some wall or unchanged.
    """
    xs, ys = (_flush(box, walls, axis) for axis in (0, 1))
    away = np.hypot(xs[:, None, 0] - box.min_x, ys[None, :, 0] - box.min_y)
    free = (away <= reach) & ~_covered(xs, ys, walls)
    columns, rows = np.nonzero(free)
    for place in np.argsort(away[free], kind="stable").tolist():
        (min_x, max_x), (min_y, max_y) = xs[columns[place]].tolist(), ys[rows[place]].tolist()
        found = Bounds(min_x, min_y, max_x, max_y)
        if not any(_overlap(found, wall) for wall in walls.tolist()):  # the grid may round
            return found
    return None


def _flush(box: Bounds, walls: Floats, axis: int) -> Floats:
    """Return the low and high edges of a box, unchanged or flush with a wall, (n, 2), ascending."""
    low, high = box[axis], box[axis + 2]
    after, before = walls[:, axis + 2], walls[:, axis]
    lows = np.concatenate(([low], after, before - (high - low)))
    highs = np.concatenate(([high], after + (high - low), before))
    return np.array(sorted(set(zip(lows.tolist(), highs.tolist(), strict=True))))


def _covered(xs: Floats, ys: Floats, walls: Floats) -> NDArray[np.bool_]:
    """Whether a box at xs[i] and ys[j] overlaps a wall, (len(xs), len(ys)).

    Each wall covers a block of this grid. Its four corners are marked, and sums along both axes
    then count the walls over each place.
    """
    counts = np.zeros((len(xs) + 1, len(ys) + 1), np.int64)
    begin_x, end_x = _span(xs, walls[:, 0], walls[:, 2])
    begin_y, end_y = _span(ys, walls[:, 1], walls[:, 3])
    np.add.at(counts, (begin_x, begin_y), 1)
    np.add.at(counts, (begin_x, end_y), -1)
    np.add.at(counts, (end_x, begin_y), -1)
    np.add.at(counts, (end_x, end_y), 1)
    return counts.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0


def _span(edges: Floats, low: Floats, high: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the range of edges, (n, 2), that overlaps each interval."""
    begin = np.searchsorted(edges[:, 1], low, "right")
    end = np.searchsorted(edges[:, 0], high, "left")
    return begin, np.maximum(begin, end)
