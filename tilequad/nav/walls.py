"""Walls: move a box until something solid stops it, then slide along the obstacle."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.solids import Solids
from tilequad.bounds import Bounds
from tilequad.nav._runs import merged
from tilequad.nav.grid import Grid, closed_cells_of
from tilequad.nav.protocols import WallIndex
from tilequad.quadtree import StaticQuadtree
from tilequad.quadtree.static import store_of

__all__ = ["Slide", "Walls"]

Floats: TypeAlias = NDArray[np.float64]
Box: TypeAlias = Sequence[float]

EVERYWHERE = Bounds(-1e150, -1e150, 1e150, 1e150)
NO_BOXES = StaticQuadtree(np.empty((0, 4)))
ROUNDING = 2.0**-50  # relative error of an edge computed from a stored center


class Slide(NamedTuple):
    """Where a move ends, and what stopped it.

    Attributes:
        bounds: The box where it ends. No wall overlaps it.
        blocked_x: 1 if a wall stopped a move toward higher x, -1 toward lower x, otherwise 0.
        blocked_y: The same for y. Where y points up, -1 is a floor and 1 a ceiling; where y points
            down, 1 is the floor.
    """

    bounds: Bounds
    blocked_x: int
    blocked_y: int


class Walls:
    """Solid boxes that a moving box does not enter, such as the solid tiles of a map.

    Boxes that only touch do not collide, so a box may stand flush on a floor of many tiles and
    slide along it; a seam between flush tiles never stops it. Where a wall stops it, its edge is
    the wall's own, without rounding. A game may keep a box by its center: overlaps within rounding
    error do not count, so the box never snags.

    Args:
        solid: A `StaticQuadtree`; or a selection of tiles or objects, which follows the changes of
            its layer; or a whole layer, by its tiles as drawn; or a `Grid` of `tilequad.nav`, by
            its closed cells, buildings included. In maps that are not orthogonal, selections and
            grids use the boxes around the cells.

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
                f'layer.select({{"solid": True}}), a layer or a Grid, got {solid!r}'
            )
        self._solid = solid
        # The boxes in one array, because a tree would collect them again for each query.
        self._boxes = solid.boxes() if isinstance(solid, StaticQuadtree) else np.empty((0, 4))
        self._merged: StaticQuadtree | None = None
        self._revision = 0

    def __repr__(self) -> str:
        return f"<Walls of {self._solid!r}>"

    def move_and_slide(self, bounds: Sequence[float], dx: float, dy: float) -> Slide:
        """Move a box by (dx, dy); where a wall stops it, slide along the wall.

        The whole straight way is tested, so no box is fast enough to tunnel. The first wall on the
        way stops the motion toward it; the rest of the motion continues along the wall. A box that
        begins inside of walls first takes the shortest way out of all of them.

        Costs one query around the whole way, plus a little for each wall found there.

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
        if not (isfinite(dx) and isfinite(dy)):
            raise ValueError(f"dx and dy must be finite, got {dx!r} and {dy!r}")
        near = self._near(_way(start, dx, dy))
        if any(_overlap(start, wall) for wall in near):
            start = _eased(start, near)
        if any(_overlap(start, wall) for wall in near):
            start = self._out(start)
            near = self._near(_way(start, dx, dy))
        slide = _slid(start, dx, dy, near)
        if slide.blocked_x or slide.blocked_y:
            eased = _eased(start, near)
            if eased != start:  # perhaps only rounding stopped it
                freed = _slid(eased, dx, dy, near)
                return slide if _same_but_rounding(slide, freed) else freed
        return slide

    def merged(self) -> StaticQuadtree:
        """Return the walls in a tree of their own, with boxes that form a rectangle merged.

        `separate` uses it. The tree is built at the first call and rebuilt after tiles or
        cells have changed; for objects that do not report their changes it is rebuilt at each call.
        """
        solid = self._solid
        revision = getattr(solid, "revision", 0)  # a grid counts its changes, a layer reports them
        if self._merged is None or self._revision != revision:
            if isinstance(solid, StaticQuadtree):
                return self._kept(self._boxes, revision)
            found = self._kept(solid.boxes(solid.query(EVERYWHERE)), revision)
            observe = getattr(getattr(solid, "layer", solid), "observe", None)
            if observe is not None:
                observe(self)
            elif not hasattr(solid, "revision"):
                self._merged = None
            return found
        return self._merged

    def _solids(self) -> Solids:
        """The walls as `separate` of `tilequad.ai` reads them: of a grid, the cells themselves."""
        if isinstance(self._solid, Grid):
            return Solids(store_of(NO_BOXES), closed_cells_of(self._solid))
        return Solids(store_of(self.merged()))

    def _kept(self, boxes: Floats, revision: int) -> StaticQuadtree:
        """Merge boxes into a tree, and keep it."""
        self._revision = revision
        self._merged = StaticQuadtree(merged(boxes)[0])
        return self._merged

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Record that tiles have changed; their layer calls this."""
        self._merged = None

    def __getstate__(self) -> StaticQuadtree | WallIndex:
        return self._solid

    def __setstate__(self, state: StaticQuadtree | WallIndex) -> None:
        Walls.__init__(self, state)

    def _near(self, bounds: Bounds) -> list[Box]:
        """The walls that overlap or touch a box."""
        ids = self._solid.query(bounds)
        if isinstance(self._solid, StaticQuadtree):
            boxes: Any = self._boxes[ids]
        else:
            boxes = self._solid.boxes(ids)
        return boxes.tolist()  # type: ignore[no-any-return]

    def _out(self, box: Bounds) -> Bounds:
        """Return the nearest free place for a box that overlaps walls."""
        walls = np.array([wall for wall in self._near(box) if _overlap(box, wall)])
        low, high = np.array(box[:2]), np.array(box[2:])
        # It must leave each of these walls, so the way out is at least this long.
        reach = np.hstack((walls[:, 2:] - low, high - walls[:, :2])).min(axis=1).max()
        while True:
            around = Bounds(*(low - reach).tolist(), *(high + reach).tolist())
            place = _nearest_free(box, np.array(self._near(around)), reach)
            if place is not None:
                return place
            reach *= 2


# -- the motion ---


def _eased(box: Bounds, walls: list[Box]) -> Bounds:
    """Return the box without the overlaps, here or on its way, that only come from rounding.

    If a game keeps the center of a box, the edges computed from it are no longer flush.
    """
    edges = list(box)
    for axis in (0, 1):
        low, high = box[axis], box[axis + 2]
        most = ROUNDING * max(abs(low), abs(high))
        for wall in walls:
            if low < wall[axis + 2] <= low + most:
                edges[axis] = max(edges[axis], wall[axis + 2])
            if high - most <= wall[axis] < high:
                edges[axis + 2] = min(edges[axis + 2], wall[axis])
    return Bounds(*edges) if edges[0] <= edges[2] and edges[1] <= edges[3] else box


def _same_but_rounding(slide: Slide, freed: Slide) -> bool:
    """Whether a box and the eased box slide the same way, apart from the easing itself."""
    apart = max(abs(a - b) for a, b in zip(slide.bounds, freed.bounds, strict=True))
    most = 4 * ROUNDING * max(map(abs, slide.bounds))  # the easing plus the rounding of sums
    return slide[1:] == freed[1:] and apart <= most


def _slid(box: Bounds, dx: float, dy: float, walls: list[Box]) -> Slide:
    """Move a box that overlaps no wall."""
    # Mirrored, every motion is toward higher x and y. Changing a sign does not round.
    flips = dx < 0, dy < 0
    mirrored = [_mirrored(wall, flips) for wall in walls]
    end, blocked_x, blocked_y = _move(_mirrored(box, flips), (abs(dx), abs(dy)), mirrored)
    return Slide(
        Bounds(*_mirrored(end, flips)),
        -blocked_x if dx < 0 else blocked_x,
        -blocked_y if dy < 0 else blocked_y,
    )


# Both parts of a motion are 0 or positive from here on.


def _move(box: Box, motion: tuple[float, float], walls: list[Box]) -> tuple[Box, int, int]:
    """Move a box that overlaps no wall; also return whether it is blocked along x and y."""
    dx, dy = motion
    if dx and dy:
        hit = _first_hit(box, dx, dy, walls)
        if hit is None:
            end, blocked = _moved(box, dx, dy), [0, 0]
        else:
            axis, stop = hit
            other = 1 - axis
            blocked = [1, 1]
            end, blocked[other] = _advance(_stopped(box, axis, stop), other, motion[other], walls)
        if not any(_overlap(end, wall) for wall in walls):
            return end, blocked[0], blocked[1]
    # Moving along one axis after the other only compares edges, which is exact. So does a diagonal
    # move if its hits are too close in time to be told apart.
    end, blocked_x = _advance(box, 0, dx, walls)
    end, blocked_y = _advance(end, 1, dy, walls)
    return end, blocked_x, blocked_y


def _first_hit(box: Box, dx: float, dy: float, walls: list[Box]) -> tuple[int, float] | None:
    """Return the axis and the edge of the first wall on a straight diagonal way, or None.

    Of walls hit at the same time, one hit at its corner comes last: usually another wall covers
    that corner. Otherwise the box slides along the axis of its longer motion there.
    """
    first = None
    for wall in walls:
        enter_x, enter_y = (wall[0] - box[2]) / dx, (wall[1] - box[3]) / dy
        leave = min((wall[2] - box[0]) / dx, (wall[3] - box[1]) / dy)
        enter = max(enter_x, enter_y)
        if 0 <= enter < min(leave, 1):
            corner = enter_x == enter_y
            axis = int(dx >= dy if corner else enter_y > enter_x)
            hit = enter, corner, wall[axis], axis
            if first is None or hit < first:
                first = hit
    return None if first is None else (first[3], first[2])


def _advance(box: Box, axis: int, distance: float, walls: list[Box]) -> tuple[Box, int]:
    """Move a box along one axis, up to the first wall; also return whether one stops it."""
    low, high, other = box[axis], box[axis + 2], 1 - axis
    end, stop = high + distance, inf
    for wall in walls:
        if (
            high <= wall[axis] < stop
            and wall[other] < box[other + 2]
            and box[other] < wall[other + 2]
        ):
            stop = wall[axis]
    if stop < end or (stop == high and distance):  # a push too small to move the box is stopped
        return _stopped(box, axis, stop), 1
    return _placed(box, axis, low + distance, end), 0


def _stopped(box: Box, axis: int, stop: float) -> Box:
    """Return the box with its far side at a wall. Rounding must not move its near side backward."""
    low, high = box[axis], box[axis + 2]
    return _placed(box, axis, max(low, stop - (high - low)), stop)


def _moved(box: Box, dx: float, dy: float) -> Box:
    return box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy


def _placed(box: Box, axis: int, low: float, high: float) -> Box:
    """Return the box with new edges along one axis."""
    placed = list(box)
    placed[axis], placed[axis + 2] = low, high
    return placed


def _way(box: Bounds, dx: float, dy: float) -> Bounds:
    """The box around a motion."""
    return Bounds(
        box.min_x + min(dx, 0),
        box.min_y + min(dy, 0),
        box.max_x + max(dx, 0),
        box.max_y + max(dy, 0),
    )


def _mirrored(box: Box, flips: tuple[bool, bool]) -> Box:
    min_x, min_y, max_x, max_y = box
    if flips[0]:
        min_x, max_x = -max_x, -min_x
    if flips[1]:
        min_y, max_y = -max_y, -min_y
    return min_x, min_y, max_x, max_y


def _overlap(box: Box, wall: Box) -> bool:
    """Whether two boxes overlap in more than edges."""
    return wall[0] < box[2] and box[0] < wall[2] and wall[1] < box[3] and box[1] < wall[3]


# -- the way out ---


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
    return np.unique(np.stack((lows, highs), axis=1), axis=0)


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
    covered: NDArray[np.bool_] = counts.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0
    return covered


def _span(edges: Floats, low: Floats, high: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the range of edges, (n, 2), that overlaps each interval."""
    begin = np.searchsorted(edges[:, 1], low, "right")
    end = np.searchsorted(edges[:, 0], high, "left")
    return begin, np.maximum(begin, end)
