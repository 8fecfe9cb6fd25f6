"""Free places around a goal: a lattice of points that can be walked to, the nearest first.

Who of a large group goes to which place is found part by part. An order cuts the group and its
places into parts, as many units as places in each, and so gives all of them places at once. In the
steps that follow, the units of each part change places until their ways are short and do not cross.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import ceil, hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.army.assignment import Assignment
from tilequad._core.army.free_places import FreePlaces, lattice
from tilequad._core.array_kinds import Bools, Floats, Ints
from tilequad._core.arrays import lengths, squares
from tilequad._core.tree.units import slots_of
from tilequad.ai._orders import GOING, HOMING, PATHING, WAYFARERS, Order, Rows
from tilequad.ai._walls import solids_of
from tilequad.ai._ways import CELLS, PARTS, Ways
from tilequad.ai.formations import assign_places
from tilequad.nav import Field
from tilequad.quadtree.dynamic import DynamicQuadtree, store_of

GROWTH = 1.5  # of the circle that is searched, while it holds too few places
BEYOND = 20.0  # cells beyond the places of a group in which others are looked at
ROOMY = 1.1  # times the width of a unit: the spacing unless one says otherwise
RINGS = 64  # of a lattice, and two more for each place along the side of a square
MOST = 500  # units of a part: a millisecond or two
SIGHTS = 1.0, 2.0, 4.0  # times as far those are looked for that are seen from the goal


def radii_of(units: DynamicQuadtree[Any], slots: Ints) -> Floats:
    """The radius of a circle around each unit."""
    sizes = store_of(units).sizes(slots)
    return np.where(sizes[:, 1] < 0.0, sizes[:, 0], lengths(sizes))


def taken_near(
    ways: Ways,
    units: DynamicQuadtree[Any],
    chases: Sequence[int],
    rows: Rows,
    slots: Ints,
    middles: ArrayLike,
    reach: float,
) -> FreePlaces:
    """Where others than some slots stand or will stand.

    That is their own places, and where those are who have no orders or stay where they are, as in
    the orders `chases`. What is farther than `reach` from all middles, a point or (n, 2), is left
    out.
    """
    points = np.array(middles, np.float64).reshape(-1, 2)
    inside = (rows.places >= points.min(axis=0) - reach) & (
        rows.places <= points.max(axis=0) + reach
    )
    near = np.flatnonzero(inside[:, 0] & inside[:, 1])
    counts = np.ones(slots_of(store_of(units)), np.bool_)
    counts[slots] = False
    near = near[counts[rows.slots[near]]]
    counts[rows.slots[~rows.staying(chases)]] = False
    around = np.unique(DynamicQuadtree.within_many(units, points, reach)[1])
    idle = around[counts[around]]
    xy = np.concatenate((rows.places[near], DynamicQuadtree.position_many(units, idle)))
    radii = np.concatenate((radii_of(units, rows.slots[near]), radii_of(units, idle)))
    taken = FreePlaces(solids_of(ways.walls), max(ways.cell, 2.0 * radii.max(initial=0.0)))
    take(taken, xy, radii)
    return taken


def take(taken: FreePlaces, xy: Floats, radii: Floats | float) -> None:
    """Take more discs."""
    taken.take(xy.data, sizes_of(radii, len(xy)))


def are_free(taken: FreePlaces, xy: Floats, radius: float) -> Bools:
    """Whether discs overlap none that is taken."""
    found = np.zeros(len(xy), np.uint8)
    taken.fill_free(xy.data, radius, found.data)
    return found.view(np.bool_)


def are_clear(ways: Ways, xy: Floats, radii: Floats | float) -> Bools:
    """Whether discs overlap no wall."""
    found = np.zeros(len(xy), np.uint8)
    sizes = sizes_of(radii, len(xy))
    FreePlaces(solids_of(ways.walls), ways.cell).fill_clear(xy.data, sizes, found.data)
    return found.view(np.bool_)


def sizes_of(radii: Floats | float, count: int) -> memoryview:
    """A radius for each of some discs."""
    return radii.data if isinstance(radii, np.ndarray) else np.full(count, radii).data


def open_near(ways: Ways, goal: tuple[float, float], room: int) -> tuple[float, float]:
    """The goal itself if it can be walked to, or beside; else the nearest open cell."""
    land = ways.land(room)
    cell = land.cell_at(*goal)
    if land.is_open(*goal) or (cell is not None and len(land.neighbors(cell))):
        return goal
    box = land.free_near(*goal, land.cell_size)
    if box is not None:
        return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    if cell is not None:
        return goal
    return open_near(ways, goal, 0) if room else land.center(0)  # a leader may be outside


def are_led(ways: Ways, xy: Floats, goal: tuple[float, float], room: int) -> Bools:
    """From which points a way leads to a goal, or beside it, as in `open_near`."""
    land, paths = ways.land(room), ways.paths(room)
    cell = None if land.is_open(*goal) else land.cell_at(*goal)
    ends = [goal] if cell is None else land.center_many(land.neighbors(cell))
    found: Bools = np.any([paths.connected_many(xy, end) for end in ends], axis=0)
    return found


def places_around(
    ways: Ways,
    goal: tuple[float, float],
    room: int,
    count: int,
    spacing: float,
    radius: float,
    taken: FreePlaces,
) -> Floats:
    """Up to `count` free places, from the nearest to the farthest.

    Where the goal is seen, the straight distance counts, so that the places form a disc; elsewhere
    that of the walk.
    """
    for found in looks(ways, goal, room, count, spacing, radius, taken, count):
        if len(found) >= count:
            break
    return found[:count]


def places_taken(
    ways: Ways,
    goal: tuple[float, float],
    room: int,
    count: int,
    spacing: float,
    radius: float,
    taken: FreePlaces,
) -> Floats:
    """What `places_around` finds, or closer together if that is more; all of it is taken then."""
    found = places_around(ways, goal, room, count, spacing, radius, taken)
    close = 2.0 * max(ROOMY * radius, ways.cell / PARTS)
    if len(found) < count and close < spacing:
        closer = places_around(ways, goal, room, count, close, radius, taken)
        found = max(found, closer, key=len)
    take(taken, found, radius)
    return found


def places_in_turn(
    ways: Ways,
    goal: tuple[float, float],
    room: int,
    count: int,
    spacing: float,
    radius: float,
    taken: FreePlaces,
) -> Iterator[Floats]:
    """The places that `places_around` finds for up to `count` units, one after the other.

    Each is taken before the next one is asked for, and others may be. What was not free or not near
    enough to be looked at before never is again, so this goes on from there.
    """
    for found in looks(ways, goal, room, 1, spacing, radius, taken, count):
        for i in range(len(found)):
            if i == 0 or are_free(taken, found[i : i + 1], radius)[0]:
                yield found[i : i + 1]


def looks(
    ways: Ways,
    goal: tuple[float, float],
    room: int,
    count: int,
    spacing: float,
    radius: float,
    taken: FreePlaces,
    most: int,
) -> Iterator[Floats]:
    """The free places around a goal, from the nearest to the farthest, farther away each time.

    As far as the goal sees, `most` at a time; then all to which a way leads, if they are `count` or
    there are no more.
    """
    land = ways.land(room)
    whole = hypot(land.bounds[2] - land.bounds[0], land.bounds[3] - land.bounds[1])
    reach = spacing * (0.6 * sqrt(count) + 1.0) + 2.0 * max(land.cell_size)
    rings = RINGS + 2 * ceil(sqrt(count))
    for sight in SIGHTS:
        offsets = lattice(min(ceil(sight * reach / spacing), rings)).data
        left = True
        while left:
            seen = taken.around(*ways.land_of(room), *goal, offsets, spacing, radius, most)
            yield seen
            left = len(seen) == most
    while True:
        step = max(spacing, reach / rings)  # far away, not every place is looked at
        points = fitting(ways, goal + step * lattice(ceil(reach / step)), room, step, radius)
        points = points[are_free(taken, points, radius)]
        walk = ways.near(goal, room, 1.5 * reach).distance_many(points)
        points, walk = points[walk < np.inf], walk[walk < np.inf]
        if len(points) >= count or reach > whole:
            away = points - goal
            straight = land.straight_many(goal, points) if len(points) else np.ones(0, bool)
            order = np.where(straight, lengths(away), walk)
            yield points[np.argsort(order, kind="stable")]
        if reach > whole:
            return
        reach *= GROWTH


def fitting(ways: Ways, points: Floats, room: int, spacing: float, radius: float) -> Floats:
    """The points around which a disc overlaps no wall; and the centers of the cells of others.

    A disc around the center of an open cell always fits.
    """
    land = ways.land(room)
    points = points[land.is_open_many(points)]
    fits = are_clear(ways, points, radius)
    centers = land.center_many(np.unique(land.cell_at_many(points[~fits])))
    points, half = points[fits], 0.5 * spacing
    kept = FreePlaces(solids_of(ways.walls), spacing)
    take(kept, points, half)
    free = np.zeros(len(centers), np.uint8)
    kept.take_if_free(centers.data, half, free.data)
    return np.concatenate((points, centers[free.view(np.bool_)]))


def free_of(ways: Ways, rooms: Ints, places: Floats, radii: Floats, taken: FreePlaces) -> Bools:
    """Which places are free, each for a unit with a room and a radius."""
    found = are_clear(ways, places, radii) & are_free(taken, places, float(radii.max()))
    for room in np.unique(rooms).tolist():
        own = rooms == room
        found[own] &= ways.land(room).is_open_many(places[own])
    return found


def reached(
    ways: Ways,
    goal: tuple[float, float],
    rooms: Ints,
    places: Floats,
    whole: Callable[[int], Field | None],
) -> Bools:
    """Which places can be walked to from a goal on a way about as long as straight.

    `whole` gives the field to the goal for a room, if it is whole. Else only so many cells are
    looked at, and beyond them a place is reached if it is seen.
    """
    away = places - goal
    most = 1.5 * float(lengths(away).max(initial=0.0)) + 4.0 * ways.cell
    found = np.zeros(len(places), np.bool_)
    for room in np.unique(rooms).tolist():
        own, field = rooms == room, whole(room)
        if field is not None:
            found[own] = field.distance_many(places[own]) <= most
            continue
        found[own] = ways.near(goal, room, most, CELLS).distance_many(places[own]) < np.inf
        far = own & ~found
        if far.any():
            found[far] = ways.land(room).straight_many(goal, places[far])
    return found


def assigned(xy: Floats, places: Floats) -> tuple[Ints, Ints]:
    """Which place each unit goes to, -1 for the farthest if there are too few; and its part."""
    found, parts = np.full(len(xy), -1, np.int32), np.zeros(len(xy), np.int32)
    if len(places):
        away = xy - places.mean(axis=0)
        near = np.argsort(squares(away), kind="stable")[: len(places)]
        found[near], parts[near] = assign_in_parts(xy[near], places)
    return found, parts


# -- large groups ----------------------------------------------------------------------------------


def assign_in_parts(xy: Floats, places: Floats) -> tuple[Ints, Ints]:
    """Send units to as many places; return the row of the place for each unit, and its part.

    The part is 0 for a unit that need not change places.
    """
    n, count = len(xy), 1
    if n <= MOST:
        return assign_places(xy, places), np.zeros(n, np.int32)
    while n > MOST * count:
        count *= 2
    found, parts = np.zeros(n, np.int32), np.empty(n, np.int32)
    xs, ys = np.ascontiguousarray(np.concatenate((xy, places)).T)
    order = Assignment(xs.data, ys.data, found.data).split(MOST)
    parts[order] = 1 + np.arange(n) * count // n
    return found, parts


def settle_part(rows: Rows, orders: list[Order | None], xy: Floats) -> int:
    """Let the units of one part that waits change places, if there is one; return how many."""
    waiting = np.flatnonzero(rows.parts)
    if not len(waiting):
        return 0
    number = rows.orders[waiting[0]]
    waiting = waiting[rows.orders[waiting] == number]
    part = waiting[rows.parts[waiting] == rows.parts[waiting].min()]
    order, free = orders[number], part[np.isin(rows.modes[part], WAYFARERS)]
    assert order is not None
    for room in np.unique(rows.rooms[free]).tolist():
        own = free[rows.rooms[free] == room]
        ranks = order.ranks
        ends = rows.places[own] if ranks is None else ranks.posts(rows.offsets[own])
        at = own[assign_places(xy[own], ends)]
        rows.places[own], rows.offsets[own] = rows.places[at], rows.offsets[at]
        lost = own[np.isin(rows.modes[own], (HOMING, PATHING)) & (at != own)]
        rows.modes[lost] = GOING
    rows.parts[part] = 0
    return len(free)
