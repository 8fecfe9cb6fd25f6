"""Free places around a goal: a lattice of points that can be walked to, the nearest first."""

from __future__ import annotations

from math import hypot, sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.tree.units import slots_of
from tilequad.ai._orders import Rows, dots
from tilequad.ai._ways import Ways
from tilequad.ai.formations import assign_places
from tilequad.bounds import Bounds
from tilequad.nav import Walls
from tilequad.quadtree.dynamic import DynamicQuadtree, store_of

__all__ = [
    "Taken",
    "assigned",
    "free_of",
    "open_near",
    "places_around",
    "radii_of",
    "taken_near",
]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

GROWTH = 1.5  # of the circle that is searched, while it holds too few places
SLACK = 0.999  # of a radius: who only touches does not overlap, whatever the rounding
ROW = sqrt(0.75)  # between the lines of a lattice of triangles, in units of its spacing


class Taken:
    """The discs in which nobody else may stand.

    Args:
        xy: The middles, (n, 2).
        radii: The radius of each.
    """

    def __init__(self, xy: Floats, radii: Floats) -> None:
        low = xy.min(axis=0).tolist() if len(xy) else [0.0, 0.0]
        high = xy.max(axis=0).tolist() if len(xy) else [1.0, 1.0]
        self._radius = float(radii.max()) if len(radii) else 0.0
        self._discs: DynamicQuadtree[int] = DynamicQuadtree(Bounds(*low, *high))
        self.add(xy, radii)

    def add(self, xy: Floats, radii: Floats) -> None:
        """Take more discs."""
        self._discs.add_many(None, xy, radius=radii)

    def frees(self, xy: Floats, radius: float) -> NDArray[np.bool_]:
        """Whether a disc of some radius is free at each point."""
        counts = self._discs.count_within_many(xy, SLACK * radius, to_edge=True)
        free: NDArray[np.bool_] = counts == 0
        return free

    def clear_of(self, walls: Walls) -> NDArray[np.bool_]:
        """Which of the discs overlap no wall."""
        clear = np.ones(len(self._discs), np.bool_)
        slots, _, depths = walls.overlaps_many(self._discs)
        clear[slots[depths > (1.0 - SLACK) * self._radius]] = False
        return clear


def radii_of(units: DynamicQuadtree[Any], slots: Ints) -> Floats:
    """The radius of a circle around each unit."""
    sizes = store_of(units).sizes(slots)
    found: Floats = np.where(sizes[:, 1] < 0.0, sizes[:, 0], np.sqrt(dots(sizes, sizes)))
    return found


def taken_near(
    units: DynamicQuadtree[Any],
    rows: Rows,
    slots: Ints,
    middle: tuple[float, float] | Floats,
    reach: float,
) -> Taken:
    """Where others stand or will stand: their own places, and units without orders.

    Args:
        units: The tree.
        rows: Those with orders.
        slots: Units that do not count.
        middle: A point; what is farther away is left out.
        reach: How far.
    """
    away = rows.places - middle
    near = np.flatnonzero(dots(away, away) <= reach * reach)
    counts = np.ones(slots_of(store_of(units)), np.bool_)
    counts[slots] = False
    near = near[counts[rows.slots[near]]]
    others = rows.slots[near]
    counts[rows.slots] = False
    around = DynamicQuadtree.within_many(units, np.array([middle]), reach)[1]
    idle = np.sort(around[counts[around]])
    xy = np.concatenate((rows.places[near], DynamicQuadtree.position_many(units, idle)))
    return Taken(xy, np.concatenate((radii_of(units, others), radii_of(units, idle))))


def open_near(ways: Ways, goal: tuple[float, float], room: int) -> tuple[float, float]:
    """The goal itself if it can be walked to, or beside; else the nearest open cell."""
    land = ways.land(room)
    cell = land.cell_at(*goal)
    if land.is_open(*goal) or (cell is not None and len(land.neighbors(cell))):
        return goal
    box = land.free_near(*goal, land.cell_size)
    return goal if box is None else ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def places_around(
    ways: Ways,
    goal: tuple[float, float],
    room: int,
    count: int,
    spacing: float,
    radius: float,
    taken: Taken,
) -> Floats:
    """Up to `count` free places, from the nearest to the farthest.

    Where the goal is seen, the straight distance counts, so that the places form a disc; elsewhere
    that of the walk.

    Args:
        ways: The ways.
        goal: The middle.
        room: How much room the units need.
        count: How many places.
        spacing: How far apart.
        radius: The greatest radius of the units.
        taken: Where others stand.
    """
    land = ways.land(room)
    whole = hypot(land.bounds[2] - land.bounds[0], land.bounds[3] - land.bounds[1])
    reach = spacing * (0.6 * sqrt(count) + 1.0) + 2.0 * max(land.cell_size)
    while True:
        points = fitting(ways, lattice(goal, min(reach, whole), spacing), room, spacing, radius)
        points = points[taken.frees(points, radius)]
        walk = ways.near(goal, room, 1.5 * reach).distance_many(points)
        points, walk = points[walk < np.inf], walk[walk < np.inf]
        if len(points) >= count or reach > whole:
            away = points - goal
            seen = land.straight_many(goal, points) if len(points) else np.ones(0, bool)
            order = np.where(seen, np.sqrt(dots(away, away)), walk)
            return points[np.argsort(order, kind="stable")[:count]]
        reach *= GROWTH


def fitting(ways: Ways, points: Floats, room: int, spacing: float, radius: float) -> Floats:
    """The points around which a disc overlaps no wall; and the centers of the cells of others.

    A disc around the center of an open cell always fits.
    """
    land = ways.land(room)
    points = points[land.is_open_many(points)]
    fits = Taken(points, np.full(len(points), radius)).clear_of(ways.walls)
    centers = land.center_many(np.unique(land.cell_at_many(points[~fits])))
    points = points[fits]
    if not len(centers):
        return points
    half = 0.5 * SLACK * spacing
    kept = Taken(points, np.full(len(points), half))
    centers = centers[kept.frees(centers, half)]
    if spacing > min(land.cell_size):  # they may be too near to one another
        chosen = []
        for i in range(len(centers)):
            if kept.frees(centers[i : i + 1], half)[0]:
                kept.add(centers[i : i + 1], np.full(1, half))
                chosen.append(i)
        centers = centers[chosen]
    return np.concatenate((points, centers))


def lattice(middle: tuple[float, float], reach: float, spacing: float) -> Floats:
    """The points of a lattice of triangles in a circle around one of them."""
    rows = int(reach / (ROW * spacing))
    columns = int(reach / spacing) + 1
    y, x = np.mgrid[-rows : rows + 1, -columns : columns + 1].astype(np.float64)
    x += 0.5 * (y % 2.0)
    points = np.column_stack((x.ravel() * spacing, y.ravel() * (ROW * spacing)))
    points = points[dots(points, points) <= reach * reach]
    found: Floats = points + middle
    return found


def free_of(
    ways: Ways,
    goal: tuple[float, float],
    rooms: Ints,
    places: Floats,
    radii: Floats,
    taken: Taken,
) -> NDArray[np.bool_]:
    """Which places are free, and can be walked to from a goal on a way about as long as straight.

    Args:
        ways: The ways.
        goal: The goal.
        rooms: How much room the unit of each place needs.
        places: The places.
        radii: The radius of each unit.
        taken: Where others stand.
    """
    found = Taken(places, radii).clear_of(ways.walls)
    found &= taken.frees(places, float(radii.max()))
    away = places - goal
    extent = float(np.sqrt(dots(away, away)).max())
    for room in np.unique(rooms).tolist():
        own = rooms == room
        near = ways.near(goal, room, 1.5 * extent + 4.0 * ways.cell)
        found[own] &= near.distance_many(places[own]) < np.inf
        found[own] &= ways.land(room).is_open_many(places[own])
    return found


def assigned(xy: Floats, places: Floats) -> Ints:
    """Which place each unit goes to; -1 for the farthest if there are too few."""
    found = np.full(len(xy), -1, np.int32)
    if len(places):
        away = xy - places.mean(axis=0)
        near = np.argsort(dots(away, away), kind="stable")[: len(places)]
        found[near] = assign_places(xy[near], places)
    return found
