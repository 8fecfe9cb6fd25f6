"""Sight: what solid boxes hide, and what remains visible."""

from __future__ import annotations

from collections.abc import Hashable
from math import cos, inf, pi, sin
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import finite_pairs
from tilequad._core.checks import check_point, number_of
from tilequad._core.layout import MAX_COORDINATE, MAX_DEPTH
from tilequad._core.shown import shown
from tilequad._core.tree.boxes import BOXES_PER_LEAF, BoxStore
from tilequad._core.ways.layout import SKIP_ENDS, SKIP_START
from tilequad._core.ways.lines_of_sight import BoxRuns, CellFaces, Sight
from tilequad._core.ways.outlines import angle_of, outline
from tilequad.nav._runs import TilesFollower, merged
from tilequad.nav.grid import Grid, opaque_cells_of
from tilequad.nav.protocols import SolidTiles
from tilequad.quadtree import DynamicQuadtree, StaticQuadtree

__all__ = ["LineOfSight", "SightHit"]


# The directions of the corners of an unobstructed outline, the first again a full turn later.
CORNERS = 64
CIRCLE = [(cos(2 * pi * k / CORNERS), sin(2 * pi * k / CORNERS)) for k in range(CORNERS)]
FREE_TURNS = np.array([*((angle_of(x, y), x, y) for x, y in CIRCLE), (4.0, 1.0, 0.0)])


class SightHit(NamedTuple):
    """Where a line of sight ends.

    Attributes:
        fraction: How far along the line, from 0 to 1.
        x: The place, in world units.
        y: The place.
        nx: The direction in which the surface faces, a unit vector.
        ny: The same along y.
    """

    fraction: float
    x: float
    y: float
    nx: float
    ny: float


class LineOfSight(TilesFollower):
    """Walls that block a view, such as the solid tiles of a map.

    Boxes are closed: a line that touches a corner is blocked. A box that holds one end of the line
    does not block it, so a guard on a solid tile, or exactly on the edge of one, sees and is seen.
    Tiles that form a rectangle are merged, so a map with thousands of them costs as much as one
    with a few hundred walls.

    Cost: a grid takes none, and no change of it; a look passes the cells along its line, some
    nanoseconds each. Trees and tiles take O(n log n) to build, 7 ms for 100,000 that form
    rectangles and 60 to 90 if they are scattered, and again at the first look after tiles have
    changed; then a look takes O(log n + walls near the line).

    Args:
        solid: Each a `Grid`, by its opaque cells, buildings included; or a `StaticQuadtree`; or a
            selection of tiles, which follows the changes of its layer. A grid has the shapes of the
            tiles and objects that its rules took. Cells of a grid stop looks by their outlines, as
            diamonds or hexagons; tiles of a selection by the boxes around their cells.

    Raises:
        TypeError: An argument is none of these.

    Example:
        >>> from tilequad import StaticQuadtree
        >>> from tilequad.nav import LineOfSight
        >>> walls = LineOfSight(StaticQuadtree([(40, 0, 60, 50), (40, 50, 60, 80)]))
        >>> walls.clear(0, 10, 100, 10), walls.clear(0, 90, 100, 90)
        (False, True)
        >>> walls.hit(0, 10, 100, 10)
        SightHit(fraction=0.4, x=40.0, y=10.0, nx=-1.0, ny=0.0)
    """

    def __init__(self, *solid: Grid | StaticQuadtree | SolidTiles) -> None:
        for one in solid:
            known = isinstance(one, Grid | StaticQuadtree)
            if not (known or hasattr(getattr(one, "layer", None), "observe")):
                raise TypeError(
                    f"solid must be grids, trees or selections of tiles, got {shown(one)}; "
                    "Grid.of(tile_map, ...) makes a grid of a map"
                )
        self._solid = solid
        self._begin()

    def _begin(self) -> None:
        """Create the state that is not pickled; ask no walls, which may not be restored yet."""
        self._merged: tuple[int, list[Sight], NDArray[np.intp]] | None = None
        self._grids = [solid for solid in self._solid if isinstance(solid, Grid)]

    def __repr__(self) -> str:
        sizes = self._ready()[1]
        boxes = f"{sizes.sum():,} boxes in {len(sizes):,} walls"
        return f"<LineOfSight: {', '.join([boxes, *map(repr, self._grids)])}>"

    # -- looks -------------------------------------------------------------------------------------

    def clear(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Return whether nothing blocks the line from (x0, y0) to (x1, y1).

        Raises:
            ValueError: A number is not finite.
        """
        x0, y0, x1, y1 = _ends(x0, y0, x1, y1)
        sights = self._ready()[0]  # a list: Ctrl-C while a generator is closed would be lost
        return all([sight.clear(x0, y0, x1, y1) for sight in sights])  # noqa: C419

    def clear_many(self, xy0: ArrayLike, xy1: ArrayLike) -> NDArray[np.bool_]:
        """Return whether nothing blocks each of many lines.

        Args:
            xy0: The starts in world units, (n, 2), or one for all, (2,).
            xy1: The ends, (n, 2), or one for all, (2,).

        Returns:
            (n,) bool.

        Raises:
            ValueError: A number is not finite, or the shapes do not fit.

        Example:
            >>> from tilequad import StaticQuadtree
            >>> from tilequad.nav import LineOfSight
            >>> walls = LineOfSight(StaticQuadtree([(40, 0, 60, 50)]))
            >>> walls.clear_many((0, 10), [(30, 10), (100, 10), (0, 90)]).tolist()
            [True, False, True]
        """
        starts, ends = finite_pairs(xy0, xy1, MAX_COORDINATE)
        found = np.ones(len(starts), np.uint8)
        for sight in self._ready()[0]:
            sight.fill_clear(starts.data, ends.data, found.data)
        return found.view(np.bool_)

    def hit(self, x0: float, y0: float, x1: float, y1: float) -> SightHit | None:
        """Return where the line from (x0, y0) to (x1, y1) first meets a wall; None if it is clear.

        Raises:
            ValueError: A number is not finite.
        """
        x0, y0, x1, y1 = _ends(x0, y0, x1, y1)
        fraction, nx, ny = min(
            [sight.hit(x0, y0, x1, y1) for sight in self._ready()[0]], key=itemgetter(0)
        )
        if fraction == inf:
            return None
        return SightHit(fraction, x0 + fraction * (x1 - x0), y0 + fraction * (y1 - y0), nx, ny)

    def hit_many(self, xy0: ArrayLike, xy1: ArrayLike) -> tuple[Floats, Floats]:
        """Return where each of many lines first meets a wall, without the GIL.

        Args:
            xy0: The starts in world units, (n, 2), or one for all, (2,).
            xy1: The ends, (n, 2), or one for all, (2,).

        Returns:
            How far along each line, (n,), from 0 to 1, inf where it is clear; and the direction in
            which the surface faces, (n, 2), unit vectors, (0, 0) where the line is clear. The
            places are at `xy0 + fractions[:, None] * (xy1 - xy0)`.

        Raises:
            ValueError: A number is not finite, or the shapes do not fit.

        Example:
            >>> from tilequad import StaticQuadtree
            >>> from tilequad.nav import LineOfSight
            >>> walls = LineOfSight(StaticQuadtree([(40, 0, 60, 50)]))
            >>> fractions, normals = walls.hit_many((0, 10), [(100, 10), (0, 90)])
            >>> fractions.tolist(), normals.tolist()
            ([0.4, inf], [[-1.0, 0.0], [0.0, 0.0]])
        """
        return self._hits(xy0, xy1, SKIP_ENDS)

    # -- what is seen ------------------------------------------------------------------------------

    def polygon(self, x: float, y: float, radius: float) -> Floats:
        """Return the outline of the area seen from a place, for lights and fog.

        Cost: up to half a microsecond for each wall within the radius, seen or not, so 25 cells of
        a grid take a tenth of a millisecond, and 300 take 20 to 30. Among loose boxes, one for each
        of 10,000 and two of 60,000, so the radius should not be far larger than the view. Among
        shapes, 0.4 to 1 microseconds for each side that faces the place: 0.3 ms for 37 rocks of 32
        sides, and 6 for 600.

        Args:
            x: The place, in world units.
            y: The place.
            radius: How far the view reaches. The circle has 64 corners.

        Returns:
            The corners counterclockwise in a y-up world, (n, 2). The place sees all of the polygon,
            so triangles from the place to neighboring corners fill it.

        Raises:
            ValueError: A number is not finite, or the radius is not above 0.

        Example:
            >>> from tilequad import StaticQuadtree
            >>> from tilequad.nav import LineOfSight
            >>> walls = LineOfSight(StaticQuadtree([(40, -50, 60, 50)]))
            >>> outline = walls.polygon(0, 0, 100)
            >>> bool(outline[:, 0].max() <= 100), [40.0, -50.0] in outline.tolist()
            (True, True)
        """
        check_point(x, y, "x and y", MAX_COORDINATE)
        if not 0.0 < number_of(radius, "radius") < MAX_COORDINATE:
            raise ValueError(f"radius must be finite and above 0, got {shown(radius)}")
        edges = [sight.edges(x, y, radius) for sight in self._ready()[0]]
        return outline(edges, x, y, radius, FREE_TURNS.data)

    def visible(
        self,
        units: DynamicQuadtree[Any],
        x: float,
        y: float,
        radius: float,
        *,
        groups: int | None = None,
        without: int | None = None,
        exclude: Hashable = None,
    ) -> list[Any]:
        """Return the units within a radius that are seen from a place, by their positions.

        Args:
            units: The tree.
            x: The place, in world units.
            y: The place.
            radius: The radius, in world units.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            exclude: A unit to leave out, such as the viewer.

        Returns:
            The units, in no particular order.

        Raises:
            KeyError: `exclude` is not in the tree.
            ValueError: As `DynamicQuadtree.within`.
        """
        near = units.within(x, y, radius, groups=groups, without=without, exclude=exclude)
        if not near:
            return near
        seen = self.clear_many((x, y), [units.position(unit) for unit in near])
        return [unit for unit, is_seen in zip(near, seen.tolist(), strict=True) if is_seen]

    def nearest_visible(
        self,
        units: DynamicQuadtree[Any],
        x: float,
        y: float,
        *,
        max_distance: float = inf,
        groups: int | None = None,
        without: int | None = None,
        exclude: Hashable = None,
    ) -> Any | None:
        """Return the nearest unit that is seen from a place, or None.

        Args:
            units: The tree.
            x: The place, in world units.
            y: The place.
            max_distance: The greatest distance, in world units.
            groups: A mask; only units in one of these groups. None for all.
            without: A mask; leave out units in any of these groups. None for none.
            exclude: A unit to leave out, such as the viewer.

        Raises:
            KeyError: `exclude` is not in the tree.
            ValueError: As `DynamicQuadtree.nearest`.

        Example:
            >>> from tilequad import DynamicQuadtree, StaticQuadtree
            >>> from tilequad.nav import LineOfSight
            >>> walls = LineOfSight(StaticQuadtree([(40, 0, 60, 50)]))
            >>> units = DynamicQuadtree((0, 0, 100, 100))
            >>> units.add("hidden", 70, 10)
            >>> units.add("seen", 10, 90)
            >>> walls.nearest_visible(units, 10, 10)
            'seen'
        """
        return units.nearest(
            x,
            y,
            groups=groups,
            without=without,
            max_distance=max_distance,
            exclude=exclude,
            where=lambda unit: self.clear(x, y, *units.position(unit)),
        )

    # -- keeping -----------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Any, ...]:
        return self._solid

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._solid = state
        self._begin()

    # -- helpers -----------------------------------------------------------------------------------

    def _hits(self, xy0: ArrayLike, xy1: ArrayLike, skip: int) -> tuple[Floats, Floats]:
        """Return where lines first meet a wall, as `hit_many` does."""
        starts, ends = finite_pairs(xy0, xy1, MAX_COORDINATE)
        fractions, normals = np.full(len(starts), inf), np.zeros((len(starts), 2))
        for sight in self._ready()[0]:
            sight.fill_hits(starts.data, ends.data, fractions.data, normals.data, skip)
        return fractions, normals

    def _ready(self) -> tuple[list[Sight], NDArray[np.intp]]:
        """Follow what has changed; return where to look, and how many boxes each wall has.

        The cells of a grid are read as they are. What is merged is kept at once, with the number of
        changes that it knows: other threads may ask in the meantime, and an interrupt may end this.
        """
        for grid in self._grids:
            opaque_cells_of(grid)
        if self._merged is None:
            for solid in self._solid:
                if not isinstance(solid, Grid | StaticQuadtree):
                    solid.layer.observe(self)
        known, changes = self._merged, self._changes
        if known is None or known[0] != changes:
            known = self._merged = changes, *self._merge()
        return known[1:]

    def _merge(self) -> tuple[list[Sight], NDArray[np.intp]]:
        """Merge the boxes into walls."""
        boxes = np.empty((0, 4))
        for solid in self._solid:
            if isinstance(solid, Grid):
                continue
            own = solid.boxes() if isinstance(solid, StaticQuadtree) else solid.boxes(solid.ids)
            boxes = np.concatenate((boxes, own))
        sights = [Sight(None, CellFaces(opaque_cells_of(grid))) for grid in self._grids]
        runs, run_of = merged(boxes)
        sizes = np.bincount(run_of, minlength=len(runs))
        if len(boxes) or not sights:
            parts = boxes[np.argsort(run_of, kind="stable")]
            rows = np.concatenate((runs, parts, np.zeros((1, 4))))
            first = (len(runs) + np.concatenate(([0], np.cumsum(sizes)))).astype(np.int32)
            store = BoxStore(np.ascontiguousarray(runs), BOXES_PER_LEAF, MAX_DEPTH)
            sights.insert(0, Sight(BoxRuns(store, rows.data, first.data), None))
        return sights, sizes


def shares_before(looks: LineOfSight, starts: Floats, ends: Floats) -> Floats:
    """How far along each line a shot flies before a wall, (n,), from 0 to 1; inf if past none.

    Unlike a look, it ends at a wall that holds its end: a flight of many short steps enters none.
    """
    return looks._hits(starts, ends, SKIP_START)[0]


def _ends(x0: float, y0: float, x1: float, y1: float) -> tuple[float, float, float, float]:
    """The ends of a line as floats, checked."""
    check_point(x0, y0, "x0 and y0", MAX_COORDINATE)
    check_point(x1, y1, "x1 and y1", MAX_COORDINATE)
    return float(x0), float(y0), float(x1), float(y1)
