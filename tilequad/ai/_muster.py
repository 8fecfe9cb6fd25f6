"""A new order: which room its units need, where their places are, and who goes to which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import hypot, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.arrays import lengths, squares
from tilequad.ai._orders import GOING, LOST, PATHING, FormationPose, Leader, Order, Rows, Wish
from tilequad.ai._places import (
    BEYOND,
    ROOMY,
    assign_in_parts,
    assigned,
    free_of,
    open_near,
    places_in_turn,
    places_taken,
    radii_of,
    reached,
    take,
    taken_near,
)
from tilequad.ai._ways import Ways
from tilequad.ai.formations import formation_places
from tilequad.quadtree import DynamicQuadtree

FEW = 8  # units to one goal: fewer have a path each, more share a field
LOOSE = 2.0  # times the width of a unit: the spacing in a formation
LOOKOUT = 8.0  # cells: from some times as far, who chases looks for its target


def mustered(
    units: DynamicQuadtree[Any],
    ways: Ways,
    chases: Sequence[int],
    others: Rows,
    slots: Ints,
    wish: Wish,
    number: int,
) -> tuple[Order, Rows]:
    """The order that a wish becomes, and its rows. Slots are ascending, at least one.

    `others` are the rows of all others, and `chases` their orders to chase one.
    """
    radii = radii_of(units, slots)
    rooms = ways.rooms(radii)
    xy = DynamicQuadtree.position_many(units, slots)
    spacing = spacing_of(wish, float(radii.max()), ways)
    goal = open_near(ways, wish.goal, int(rooms.max()))
    offsets, ranks, parts = np.zeros((len(slots), 2)), None, np.zeros(len(slots), np.int32)
    found, places = np.zeros(len(slots), np.bool_), np.empty((len(slots), 2))
    reach = 4.0 * spacing * sqrt(len(slots)) + BEYOND * ways.cell
    if wish.formation is not None:
        offsets, ranks, parts = lined_up(xy, goal, wish.formation, spacing)
        places = ranks._replace(x=goal[0], y=goal[1]).posts(offsets)
        reach += 2.0 * float(np.abs(offsets).max())
    taken = taken_near(ways, units, chases, others, slots, goal, reach)
    if ranks is not None:
        found = free_of(ways, rooms, places, radii, taken)
        if not wish.paced:  # ranks ask when they are there
            found &= reached(ways, goal, rooms, places, lambda _: None)
        take(taken, places[found], radii[found])
    fits = found.copy()
    for room in np.unique(rooms[~found])[::-1].tolist():  # the widest first
        own = np.flatnonzero((rooms == room) & ~found)
        wide = float(radii[own].max())
        free = places_taken(ways, goal, room, len(own), spacing, wide, taken)
        at, parts[own] = assigned(xy[own], free)
        own = own[at >= 0]
        places[own], found[own] = free[at[at >= 0]], True
    places[~found] = goal
    away = places - goal
    if ranks is not None:  # who has no room in the formation walks where he is to stand
        offsets[~fits] = ranks.offsets(away[~fits])
    extent = float(lengths(away).max())
    if not wish.paced:
        ranks = None
    few = len(slots) < FEW and ranks is None
    modes = np.where(found, PATHING if few else GOING, LOST)
    rows = rows_of(units, slots, number, rooms, modes, places, xy, offsets, parts)
    return Order(wish, goal, spacing, extent, ranks), rows


def errands(
    units: DynamicQuadtree[Any],
    ways: Ways,
    chases: Sequence[int],
    others: Rows,
    slots: Ints,
    goals: Floats,
    numbers: Ints,
) -> tuple[list[Order], Rows]:
    """The orders of units, at least one, that go to a goal each, and their rows.

    The others are those of `mustered`.
    """
    radii = radii_of(units, slots)
    rooms = ways.rooms(radii)
    xy = DynamicQuadtree.position_many(units, slots)
    wide = float(radii.max())
    reach = 8.0 * wide + BEYOND * ways.cell
    taken = taken_near(ways, units, chases, others, slots, goals, reach)
    new, places = [], np.empty((len(slots), 2))
    found = np.zeros(len(slots), np.bool_)
    alike = list(zip(map(tuple, goals.tolist()), rooms.tolist(), radii.tolist(), strict=True))
    counts = Counter(alike)
    turns: dict[Any, Iterator[Floats]] = {}
    for i, one in enumerate(alike):
        point, room, radius = one
        wish = Wish(point, None, None, False)
        goal, spacing = open_near(ways, wish.goal, room), spacing_of(wish, radius, ways)
        if one not in turns:
            turns[one] = places_in_turn(ways, goal, room, counts[one], spacing, radius, taken)
        free = next(turns[one], None)
        counts[one] -= 1
        if not counts[one]:
            del turns[one]  # it may keep much
        if free is None:
            places[i] = goal
        else:
            places[i], found[i] = free[0], True
            take(taken, free, radius)
        extent = hypot(places[i, 0] - goal[0], places[i, 1] - goal[1])
        new.append(Order(wish, goal, spacing, extent, None))
    modes = np.where(found, PATHING, LOST)
    return new, rows_of(units, slots, numbers, rooms, modes, places, xy)


def rows_of(
    units: DynamicQuadtree[Any],
    slots: Ints,
    numbers: Ints | int,
    rooms: Ints,
    modes: NDArray[Any] | int,
    places: Floats,
    xy: Floats,
    offsets: Floats | None = None,
    parts: Ints | None = None,
) -> Rows:
    """The rows of units that get a new order."""
    doing = np.full(len(slots), modes, np.uint8)
    return Rows(
        slots,
        DynamicQuadtree.serial_many(units, slots),
        np.full(len(slots), numbers, np.int32),
        rooms,
        doing,
        np.zeros(len(slots), np.bool_),
        np.zeros(len(slots), np.int32),
        np.zeros(len(slots), np.int32),
        places,
        np.where((doing == GOING)[:, None], places, xy),  # no review takes places for where it was
        np.zeros((len(slots), 2)) if offsets is None else offsets,
        np.zeros(len(slots), np.int32) if parts is None else parts,
    )


def spacing_of(wish: Wish, radius: float, ways: Ways) -> float:
    """How far apart the places are: never nearer than the widest units fit beside one another."""
    usual = (ROOMY if wish.formation is None else LOOSE) * 2.0 * radius
    return max(usual if wish.spacing is None else wish.spacing, 2.0 * radius, 1e-3 * ways.cell)


def lined_up(
    xy: Floats, goal: tuple[float, float], formation: Any, spacing: float
) -> tuple[Floats, FormationPose, Ints]:
    """The post of each unit, the ranks at their start, which face the goal, and its part."""
    center = xy.mean(axis=0)
    dx, dy = goal[0] - float(center[0]), goal[1] - float(center[1])
    far = hypot(dx, dy)
    heading = (dx / far, dy / far) if far > 0.0 else (1.0, 0.0)
    at, parts = assign_in_parts(xy - center, formation_places(formation, len(xy), spacing, heading))
    offsets = formation_places(formation, len(xy), spacing, (1.0, 0.0))[at]
    away = xy - center
    x, y = xy[int(squares(away).argmin())].tolist()  # from where a way leads on
    return offsets, FormationPose(x, y, *heading), parts


def attached(
    units: DynamicQuadtree[Any],
    ways: Ways,
    slots: Ints,
    wish: Wish,
    leader: Leader,
    number: int,
) -> tuple[Order, Rows]:
    """An order to go after a unit, and its rows: in a formation behind it, or to the unit itself.

    Slots are ascending, at least one. The goal of the wish is where the leader is.
    """
    radii = radii_of(units, slots)
    xy = DynamicQuadtree.position_many(units, slots)
    spacing = spacing_of(wish, float(radii.max()), ways)
    offsets, ranks, parts = np.zeros((len(slots), 2)), None, np.zeros(len(slots), np.int32)
    extent = LOOKOUT * ways.cell
    if wish.formation is not None:
        offsets, ranks, parts = lined_up(xy, wish.goal, wish.formation, spacing)
        offsets[:, 0] -= float(offsets[:, 0].max()) + spacing + leader.radius
        ranks = ranks._replace(x=wish.goal[0], y=wish.goal[1])
    few = len(slots) < FEW and ranks is None
    places = np.full((len(slots), 2), wish.goal)
    modes = PATHING if few else GOING
    rows = rows_of(units, slots, number, ways.rooms(radii), modes, places, xy, offsets, parts)
    goal = open_near(ways, wish.goal, int(rows.rooms.max()))
    return Order(wish, goal, spacing, extent, ranks, leader), rows
