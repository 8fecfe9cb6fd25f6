"""What a march remembers as rows of numbers, and back, checked: for `pack` and `unpack`."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from math import inf, isnan, nan
from typing import Any

import numpy as np

from tilequad._core.layout import MAX_COORDINATE, NONE
from tilequad._core.tree.rows import RowReader, need, need_all, row_from
from tilequad._core.tree.units import slots_of
from tilequad.ai._orders import RANKED, FormationPose, Leader, Order, Rows, Wish
from tilequad.ai._ways import NO_END, PARTS, Progress
from tilequad.nav import Grid
from tilequad.quadtree.dynamic import DynamicQuadtree, store_of

NAMES = "block", "line", "wedge", "column", "circle"
INTS = 8  # of an order: paced, formation, counts of points, leg, leader and serial, ranks
# Goal, wished goal, wished spacing, spacing, extent, ranks, the leader's radius, former goal.
REALS = 14
MOST_PACE = 1 << 20  # at which a field is made


def checksum_of(codes: Any) -> int:
    """A checksum of which cells are closed, and what the others cost."""
    return zlib.crc32(np.ascontiguousarray(codes).tobytes())


def rows_of_march(
    orders: Sequence[Order | None], rows: Rows, progress: Progress, numbers: tuple[int, int, int]
) -> dict[str, memoryview]:
    """Return what a march remembers, for `write_rows`.

    `numbers` are that of the step, whether the grid has changed since, and its checksum.
    """
    used = [number for number, order in enumerate(orders) if order is not None]
    some = [order for order in orders if order is not None]
    points: list[tuple[float, float]] = []
    for order in some:
        own = order.wish.formation
        points += [*(own if isinstance(own, tuple) else ()), *order.points]
    return {
        "listed": row_from("i", used),
        "numbers": row_from("q", numbers),
        "ints": row_from("q", np.array([_ints(one) for one in some], np.int64).ravel()),
        "reals": row_from("d", np.array([_reals(one) for one in some]).ravel()),
        "points": row_from("d", np.array(points, np.float64).ravel()),
        "unused": row_from("i", rows.slots),
        "serials": row_from("q", rows.serials),
        "columns": row_from(
            "i", np.array([rows.orders, rows.rooms, rows.stalled, rows.veers, rows.parts]).ravel()
        ),
        "modes": row_from("i", [*rows.modes, *rows.told]),
        "xy": row_from("d", np.array([rows.places, rows.aims, rows.offsets]).ravel()),
        "dues": row_from("q", [n for key in progress for n in (*key, *progress[key])]),
    }


def _ints(order: Order) -> tuple[int, ...]:
    """The whole numbers of an order."""
    own, leader = order.wish.formation, order.leader
    kind = NONE if own is None else NAMES.index(own) if isinstance(own, str) else len(NAMES)
    count = len(own) if isinstance(own, tuple) else 0
    life = (NONE, NONE) if leader is None else (leader.slot, leader.serial)
    return (
        *(order.wish.paced, kind, count, len(order.points), order.leg),
        *life,
        order.ranks is not None,
    )


def _reals(order: Order) -> tuple[float, ...]:
    """The other numbers of an order."""
    wished = nan if order.wish.spacing is None else order.wish.spacing
    ranks = order.ranks or (0.0, 0.0, 0.0, 0.0)
    radius = 0.0 if order.leader is None else order.leader.radius
    former = order.former or (nan, nan)
    return (
        *(*order.goal, *order.wish.goal, wished, order.spacing, order.extent),
        *(*ranks, radius, *former),
    )


def read_march(
    reader: RowReader, tree: DynamicQuadtree[Any], grid: Grid, checksum: int
) -> tuple[list[Order | None], Rows, Progress, int, bool]:
    """Read what `rows_of_march` has returned; raise ValueError unless it fits."""
    used = reader.take("listed", "i").tolist()
    tick, behind, cells = reader.take("numbers", "q", 3)
    ints = np.array(reader.take("ints", "q", INTS * len(used)), np.int64).reshape(-1, INTS)
    reals = np.array(reader.take("reals", "d", REALS * len(used))).reshape(-1, REALS)
    points = np.array(reader.take("points", "d"))
    rows = _read_rows(reader)
    progress = np.array(reader.take("dues", "q"), np.int64)
    reader.end()
    if cells != checksum:
        raise ValueError("the grid of the march must have the same cells and costs as it had")
    need(tick >= 0 and behind in (0, 1), "the step")
    need(all(a < b for a, b in zip([NONE, *used], used, strict=False)), "the orders")
    need_all(np.abs(points) <= MAX_COORDINATE, "a point")
    need(len(progress) % 4 == 0 and len(points) % 2 == 0, "the fields")
    room = PARTS * (max(grid.columns, grid.rows) + 1)
    count = max(used, default=NONE) + 1
    need(count <= slots_of(store_of(tree)), "the orders")  # the lowest number free is given
    orders: list[Order | None] = [None] * count
    corners, at = points.reshape(-1, 2).tolist(), 0
    for number, own, real in zip(used, ints.tolist(), reals.tolist(), strict=True):
        need(0 <= own[2] <= len(corners) and 0 <= own[3] <= len(corners), "the points of an order")
        end = at + own[2] + own[3]
        orders[number] = _order(own, real, [tuple(one) for one in corners[at:end]], grid)
        at = end
    need(at == len(corners), "the points of an order")
    _check_rows(rows, orders, tree, room)
    made: Progress = {}
    for cell, wide, done, pace in progress.reshape(-1, 4).tolist():
        need(0 <= cell < len(grid) and 0 <= wide <= room, "a field")
        need(0 <= done <= NO_END and 0 <= pace <= MOST_PACE, "a field")
        need((done == NO_END) == (pace == 0) and (cell, wide) not in made, "a field")
        made[cell, wide] = done, pace
    return orders, rows, made, tick, behind == 1


def _read_rows(reader: RowReader) -> Rows:
    """Read the units."""
    slots = np.array(reader.take("unused", "i"), np.int32)
    n = len(slots)
    serials = np.array(reader.take("serials", "q", n), np.int64)
    columns = np.array(reader.take("columns", "i", 5 * n), np.int32)
    orders, rooms, stalled, veers, parts = columns.reshape(5, n)
    modes, told = np.array(reader.take("modes", "i", 2 * n), np.int32).reshape(2, n)
    places, aims, offsets = np.array(reader.take("xy", "d", 6 * n)).reshape(3, n, 2)
    need_all((modes >= 0) & (modes <= RANKED) & (told >= 0) & (told <= 1), "what a unit does")
    need_all((parts >= 0) & (veers >= 0), "the part of a group")
    return Rows(
        *(slots, serials, orders, rooms, modes.astype(np.uint8), told.astype(bool)),
        *(stalled, veers, places, aims, offsets, parts),
    )


def _order(
    ints: list[int], reals: list[float], points: list[tuple[float, float]], grid: Grid
) -> Order:
    """An order from its numbers."""
    paced, kind, count, stops, leg, slot, serial, ranked = ints
    need(paced in (0, 1) and ranked in (0, 1) and NONE <= kind <= len(NAMES), "an order")
    need((kind == len(NAMES)) == (count > 0), "a formation")
    need(leg == 0 if stops == 0 else stops > 1 and 0 <= leg < stops, "a patrol")
    need(NONE <= slot < 2**31 and (slot == NONE) == (serial == NONE), "a leader")
    goal, wished_goal = (reals[0], reals[1]), (reals[2], reals[3])
    wished_spacing, spacing, extent = reals[4:7]
    former = None if isnan(reals[12]) and isnan(reals[13]) else (reals[12], reals[13])
    finite = [*reals[:4], *reals[5:12], *(former or ())]
    need(all(-MAX_COORDINATE <= one <= MAX_COORDINATE for one in finite), "a number of an order")
    need(spacing > 0.0 and extent >= 0.0 and reals[11] >= 0.0, "the size of an order")
    need(isnan(wished_spacing) or 0.0 < wished_spacing < inf, "the spacing of an order")
    need(max(map(abs, reals[9:11])) <= 1.0, "the direction of an order")
    for place in (goal, former or goal, *points[count:]):
        need(grid.cell_at(*place) is not None, "the goal of an order")
    need(slot != NONE or grid.cell_at(*wished_goal) is not None, "the goal of an order")
    own: Any = None if kind == NONE else tuple(points[:count]) or NAMES[kind]
    asked = None if isnan(wished_spacing) else wished_spacing
    wish = Wish(wished_goal, own, asked, paced == 1)
    ranks = FormationPose(*reals[7:11]) if ranked else None
    leader = None if slot == NONE else Leader(slot, serial, reals[11])
    return Order(wish, goal, spacing, extent, ranks, leader, former, tuple(points[count:]), leg)


def _check_rows(
    rows: Rows, orders: Sequence[Order | None], tree: DynamicQuadtree[Any], room: int
) -> None:
    """Refuse units that cannot be."""
    alive = (rows.slots >= 0) & (rows.serials >= 0)
    alive[alive] = tree.serial_many(rows.slots[alive]) == rows.serials[alive]
    need_all(alive, "the slot of a unit")
    need(len(np.unique(rows.slots)) == len(rows.slots), "the slot of a unit")
    given = np.array([order is not None for order in orders], np.bool_)
    right = (rows.orders >= 0) & (rows.orders < len(orders))
    right[right] = given[rows.orders[right]]
    need_all(right & (rows.rooms >= 0) & (rows.rooms <= room), "the order of a unit")
    counts = np.bincount(rows.orders, minlength=len(orders)).tolist()
    for order, count in zip(orders, counts, strict=True):
        need((order is None) == (count == 0), "an order without units")
        own = None if order is None else order.wish.formation
        need(not isinstance(own, tuple) or len(own) >= count, "a formation")
    keys = rows.keys()
    order_ = (keys[1:] > keys[:-1]) | ((keys[1:] == keys[:-1]) & (np.diff(rows.slots) > 0))
    need_all(order_, "the order of units")
    need_all(np.abs(rows.stalled) < 2**30, "how long a unit waits")
    for xy in (rows.places, rows.aims, rows.offsets):
        need_all(np.abs(xy) <= MAX_COORDINATE, "the place of a unit")
