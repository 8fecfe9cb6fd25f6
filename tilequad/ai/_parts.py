"""Large groups: who goes to which place is found part by part, one in each step.

An order cuts a large group and its places into parts, as many units as places in each, and so gives
all of them places at once. In the steps that follow, the units of each part change places until
their ways are short and do not cross.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.assignment import Assignment
from tilequad.ai._orders import GOING, HOMING, PATHING, WAYFARERS, Order, Rows
from tilequad.ai.formations import assign_places

__all__ = ["assign_in_parts", "settle_part"]

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

MOST = 500  # units of a part: a millisecond or two


def assign_in_parts(xy: Floats, places: Floats) -> tuple[Ints, Ints]:
    """Send units to as many places.

    Args:
        xy: Where the units are, (n, 2).
        places: The places, (n, 2).

    Returns:
        The row of `places` for each unit, (n,); and its part, (n,), 0 if it need not change places.
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
    """Let the units of one part that waits change places, if there is one; return how many.

    Args:
        rows: The rows, which are written.
        orders: The orders.
        xy: Where the units are.
    """
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
