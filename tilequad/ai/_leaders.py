"""Orders that go where a unit is: to follow a leader in ranks, to chase a target."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.ai._orders import GOING, HOMING, LOST, RANKED, RESTING, Order, dots
from tilequad.ai._places import open_near

if TYPE_CHECKING:
    from tilequad.ai._steps import Steps

__all__ = ["go_after"]

Floats: TypeAlias = NDArray[np.float64]

SHARE = 0.125  # of the distance of the nearest: how far a goal may move before ways are found anew
TOUCH = 0.25  # of a radius: who is as near to its target has caught it
TURN = 0.1  # how fast ranks turn as their leader does, on the unit circle for each step


def go_after(steps: Steps, order: Order, at: NDArray[np.intp]) -> Order:
    """Let an order follow its leader to where that is now; return the order as it is then.

    Args:
        steps: The step.
        order: The order, which has a leader that lives.
        at: Its rows, at least one.
    """
    rows, leader = steps.rows, order.leader
    assert leader is not None
    x, y = steps.units.position_many([leader.slot])[0].tolist()
    away = steps.before[at] - (x, y)
    far = np.sqrt(dots(away, away))
    order = _aimed(steps, order, (x, y), at, float(far.min()))
    if order.ranks is None:
        steps.stops[at] = steps.radii[at] * (1.0 + TOUCH) + leader.radius
        rows.places[at] = x, y
        left = at[(rows.modes[at] == RESTING) & (far > steps.stops[at] + steps.radii[at])]
        rows.modes[left] = HOMING
        rows.told[left] = False
        return order
    ranks = order.ranks
    dx, dy = x - ranks.x, y - ranks.y
    moved = hypot(dx, dy)
    ranks = ranks._replace(x=x, y=y)
    if moved > 0.0:
        ranks = ranks.turned(dx / moved, dy / moved, TURN)
    posts = ranks.posts(rows.offsets[at])
    steps.posts[at] = rows.places[at] = posts
    shift = posts - rows.aims[at]
    rows.aims[at] = posts
    moves = dots(shift, shift) > 0.0
    steps.still[at] = ~moves
    left = at[(rows.modes[at] == RESTING) & moves]
    rows.modes[left] = RANKED
    rows.told[left] = False
    return order._replace(ranks=ranks)


def _aimed(
    steps: Steps, order: Order, place: tuple[float, float], at: NDArray[np.intp], nearest: float
) -> Order:
    """Set another goal if the leader has moved far enough, as seen by the nearest that follows."""
    ways, rows = steps.ways, steps.rows
    if ways.grid.cell_at(*place) is None:
        return order
    shift = hypot(place[0] - order.goal[0], place[1] - order.goal[1])
    if shift <= max(ways.cell, SHARE * nearest):
        return order
    bands = [band for band in steps.bands if band.number == rows.orders[at[0]]]
    keys = [ways.key(order.goal, band.room) for band in bands]
    has_begun = all(steps.field(key) is not None for key in keys)
    if has_begun and any(steps.waits(band, order) for band in bands):
        return order  # no field would reach those far away if each were given up for the next
    goal = open_near(ways, place, bands[-1].room)
    for key in keys:
        steps.give_turn(key, ways.key(goal, key[1]))
    lost = at[rows.modes[at] == LOST]
    rows.modes[lost] = GOING
    return order._replace(goal=goal, former=order.goal if has_begun else order.former)
