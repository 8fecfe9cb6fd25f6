"""The outline of what a place sees, from the edges that hide what is behind them.

All is relative to the viewer. A direction has a pseudo-angle from 0 to 4, which grows with the
angle and needs no trigonometry. A turn is a direction and an edge a side of a solid; both are rows,
whose columns layout.py names.
"""

from __future__ import annotations

from array import array
from math import sqrt
from typing import Annotated

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.ways.layout import (
    ANGLE,
    AXIS,
    BEGIN,
    EDGE,
    END,
    HIGH,
    INVERSE,
    LOW,
    PLACE,
    TO_X,
    TO_Y,
    TURN,
    X,
    Y,
)

NEARLY: cython.double = 1e-9  # more than rounding takes from the angle of a crossing


def outline(
    found_edges: list[np.ndarray],
    x: cython.double,
    y: cython.double,
    radius: cython.double,
    free: cython.double[:, ::1],
) -> np.ndarray:
    """Return the outline of the area seen from a place, (n, 2), counterclockwise.

    Args:
        found_edges: The edges around the place, rows of `add_edge`.
        x: The place.
        y: The place.
        radius: How far it sees.
        free: The directions in which a free view has corners, sorted; the last one repeats the
            first, a full turn later.
    """
    given = np.concatenate(found_edges)
    rows = np.empty((2 * len(given) + 1, EDGE))  # an edge that spans direction 0 becomes two
    rows[: len(given)] = given
    edges: cython.double[:, ::1] = rows
    n = len(given)
    level: cython.int[::1] = array("i", [0]) * (n + 1)
    m = sort_level(edges, n, level)
    around: cython.int[::1] = array("i", [0]) * (n + 1)
    slanted: cython.int[::1] = array("i", [0]) * (n + 2)
    s = sort_slanted(edges, n, around, slanted)
    crossings = find_crossings(edges, n, level, m, None, 0)
    crossings += find_slanted(edges, n, around, slanted, s, None, 0)
    total = 2 * n + crossings + len(free)
    turns: cython.double[:, ::1] = np.empty((total, TURN))
    find_turns(edges, n, turns)
    at = 2 * n + find_crossings(edges, n, level, m, turns, 2 * n)
    find_slanted(edges, n, around, slanted, s, turns, at)
    turns[2 * n + crossings :] = free
    n = unwrap(edges, n)
    order: cython.int[::1] = array("i", [0]) * total
    by_start: cython.int[::1] = array("i", [0]) * (n + 1)
    buckets: cython.int[::1] = array("i", [0]) * (max(total, n) + 2)
    sort_by_angle(turns, ANGLE, total, order, buckets)
    sort_by_angle(edges, BEGIN, n, by_start, buckets)
    found = np.empty((2 * total + 2, 2))
    corners: cython.double[:, ::1] = found
    k = trace(edges, n, turns, order, by_start, buckets, radius, corners)
    if k > 1 and corners[0, 0] == corners[k - 1, 0] and corners[0, 1] == corners[k - 1, 1]:
        k -= 1
    for i in range(k):
        corners[i, 0] += x
        corners[i, 1] += y
    return found[:k]


def angle_of(
    x: cython.double, y: cython.double
) -> Annotated[cython.double, "cpdef noexcept nogil"]:
    """The pseudo-angle of a direction."""
    part = y / (abs(x) + abs(y))
    if x < 0.0:
        return 2.0 - part
    return part if y >= 0.0 else 4.0 + part


def add_edge(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    axis: cython.int,
    place: cython.double,
    low: cython.double,
    high: cython.double,
    radius: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Add an edge, cut off at the radius, and return the number of edges."""
    rest = radius * radius - place * place
    if rest <= 0.0:
        return n
    rest = sqrt(rest)
    low = max(low, -rest)
    high = min(high, rest)
    if low >= high:
        return n
    # Counterclockwise, an edge to the right and one below the viewer begin at their lower ends.
    first = low if (place > 0.0) == (axis == 0) else high
    last = high if first == low else low
    edges[n, AXIS] = axis
    edges[n, PLACE] = place
    edges[n, LOW] = low
    edges[n, HIGH] = high
    edges[n, BEGIN] = angle_of(place, first) if axis == 0 else angle_of(first, place)
    edges[n, END] = angle_of(place, last) if axis == 0 else angle_of(last, place)
    edges[n, INVERSE] = 1.0 / place
    return n + 1


def add_slanted(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    x0: cython.double,
    y0: cython.double,
    x1: cython.double,
    y1: cython.double,
    radius: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Add an edge in any direction, cut off at the radius, and return the number of edges."""
    dx = x1 - x0
    dy = y1 - y0
    a = dx * dx + dy * dy
    b = x0 * dx + y0 * dy
    rest = b * b - a * (x0 * x0 + y0 * y0 - radius * radius)
    area = x1 * y0 - x0 * y1
    if area < 0.0:
        return add_slanted(edges, n, x1, y1, x0, y0, radius)
    if rest <= 0.0 or area == 0.0:
        return n
    rest = sqrt(rest)
    first = max((-b - rest) / a, 0.0)
    last = min((-b + rest) / a, 1.0)
    if first >= last:
        return n
    if last < 1.0:
        x1 = x0 + last * dx
        y1 = y0 + last * dy
    x0 += first * dx
    y0 += first * dy
    edges[n, AXIS] = 2.0
    edges[n, PLACE] = -dy / area
    edges[n, INVERSE] = dx / area
    edges[n, LOW] = x1
    edges[n, HIGH] = y1
    edges[n, TO_X] = x0
    edges[n, TO_Y] = y0
    edges[n, BEGIN] = angle_of(x1, y1)
    edges[n, END] = angle_of(x0, y0)
    return n + (edges[n, BEGIN] != edges[n, END])


def add_turn(
    turns: cython.double[:, ::1], m: cython.Py_ssize_t, x: cython.double, y: cython.double
) -> NoGil[None]:
    """Write a direction."""
    turns[m, ANGLE] = angle_of(x, y)
    turns[m, X] = x
    turns[m, Y] = y


def find_turns(
    edges: cython.double[:, ::1], n: cython.Py_ssize_t, turns: cython.double[:, ::1]
) -> NoGil[None]:
    """Write the directions of both ends of each edge."""
    ends = cython.declare(cython.double[4])
    for i in range(n):
        write_ends(edges, i, ends)
        add_turn(turns, 2 * i, ends[0], ends[1])
        add_turn(turns, 2 * i + 1, ends[2], ends[3])


def sort_level(
    edges: cython.double[:, ::1], n: cython.Py_ssize_t, level: cython.int[::1]
) -> NoGil[cython.Py_ssize_t]:
    """Shell sort the level edges by their places; return their number."""
    m: cython.Py_ssize_t = 0
    gap: cython.Py_ssize_t = 1
    for i in range(n):
        if edges[i, AXIS] == 1.0:
            level[m] = cython.cast(cython.int, i)
            m += 1
    while gap < m // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, m):
            edge = level[i]
            j = i
            while j >= gap and edges[level[j - gap], PLACE] > edges[edge, PLACE]:
                level[j] = level[j - gap]
                j -= gap
            level[j] = edge
        gap = gap // 3
    return m


def find_crossings(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    level: cython.int[::1],
    m: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Count the directions in which upright edges cross level ones; write them if `turns` is given.

    `level` holds the m level edges, sorted by place, so an upright edge meets a range of them.
    """
    found: cython.Py_ssize_t = 0
    for i in range(n):
        if edges[i, AXIS] != 0.0:
            continue
        low: cython.Py_ssize_t = 0
        high = m
        while low < high:
            k = (low + high) // 2
            if edges[level[k], PLACE] <= edges[i, LOW]:
                low = k + 1
            else:
                high = k
        for k in range(low, m):
            j: cython.Py_ssize_t = level[k]
            if edges[j, PLACE] >= edges[i, HIGH]:
                break
            if edges[j, LOW] < edges[i, PLACE] < edges[j, HIGH]:
                if turns is not None:
                    add_turn(turns, at + found, edges[i, PLACE], edges[j, PLACE])
                found += 1
    return found


def sort_slanted(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    around: cython.int[::1],
    slanted: cython.int[::1],
) -> NoGil[cython.Py_ssize_t]:
    """Sort the edges by where they begin, if some are slanted, and those; return their number."""
    s: cython.Py_ssize_t = 0
    for i in range(n):
        s += edges[i, AXIS] == 2.0
    if s == 0:
        return 0
    sort_by_angle(edges, BEGIN, n, around, slanted)
    s = 0
    for i in range(n):
        if edges[around[i], AXIS] == 2.0:
            slanted[s] = around[i]
            s += 1
    return s


def find_slanted(
    edges: cython.double[:, ::1],
    n: cython.Py_ssize_t,
    around: cython.int[::1],
    slanted: cython.int[::1],
    s: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """The same for the directions in which slanted edges cross others, or one another."""
    found: cython.Py_ssize_t = 0
    seen: cython.Py_ssize_t = 0
    if s == 0:
        return 0
    for k in range(n):
        i: cython.Py_ssize_t = around[k]
        if edges[i, AXIS] == 2.0:
            seen += 1
            found += cross_later(edges, i, around, n, k + 1, turns, at + found)
        else:
            found += cross_later(edges, i, slanted, s, seen, turns, at + found)
    return found


def cross_later(
    edges: cython.double[:, ::1],
    i: cython.Py_ssize_t,
    others: cython.int[::1],
    n: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """The same for one edge, with those of n others, from the first on, that begin within it."""
    found: cython.Py_ssize_t = 0
    end = edges[i, END] + NEARLY
    if edges[i, END] <= edges[i, BEGIN]:
        end += 4.0
    for k in range(first, first + n):
        j: cython.Py_ssize_t = others[k if k < n else k - n]
        if edges[j, BEGIN] + (0.0 if k < n else 4.0) > end:
            break
        if edges[i, AXIS] == 2.0 and (edges[j, AXIS] != 2.0 or i < j):
            found += cross_slanted(edges, i, j, turns, at + found)
        elif i != j:
            found += cross_slanted(edges, j, i, turns, at + found)
    return found


def cross_slanted(
    edges: cython.double[:, ::1],
    i: cython.Py_ssize_t,
    j: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    at: cython.Py_ssize_t,
) -> NoGil[cython.bint]:
    """Whether a slanted edge crosses another; write the direction if `turns` is given."""
    ends = cython.declare(cython.double[4])
    x0 = edges[i, LOW]
    y0 = edges[i, HIGH]
    dx = edges[i, TO_X] - x0
    dy = edges[i, TO_Y] - y0
    write_ends(edges, j, ends)
    area = dx * (ends[3] - ends[1]) - dy * (ends[2] - ends[0])
    if area == 0.0:
        return False
    along = (ends[0] - x0) * (ends[3] - ends[1]) - (ends[1] - y0) * (ends[2] - ends[0])
    part = (ends[0] - x0) * dy - (ends[1] - y0) * dx
    if not (0.0 < along / area < 1.0 and 0.0 < part / area < 1.0):
        return False
    if turns is not None:
        add_turn(turns, at, x0 + along / area * dx, y0 + along / area * dy)
    return True


def write_ends(
    edges: cython.double[:, ::1], i: cython.Py_ssize_t, ends: cython.p_double
) -> NoGil[None]:
    """Write both ends of an edge."""
    ends[0] = edges[i, PLACE] if edges[i, AXIS] == 0.0 else edges[i, LOW]
    ends[1] = edges[i, PLACE] if edges[i, AXIS] == 1.0 else edges[i, LOW]
    ends[2] = edges[i, PLACE] if edges[i, AXIS] == 0.0 else edges[i, HIGH]
    ends[3] = edges[i, PLACE] if edges[i, AXIS] == 1.0 else edges[i, HIGH]
    if edges[i, AXIS] == 2.0:
        ends[1] = edges[i, HIGH]
        ends[2] = edges[i, TO_X]
        ends[3] = edges[i, TO_Y]


def unwrap(edges: cython.double[:, ::1], n: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
    """Split each edge that spans direction 0 into two; return the number of edges."""
    k: cython.Py_ssize_t
    for i in range(n):
        if edges[i, END] > edges[i, BEGIN]:
            continue
        if edges[i, END] > 0.0:
            for k in range(EDGE):
                edges[n, k] = edges[i, k]
            edges[n, BEGIN] = 0.0
            n += 1
        edges[i, END] = 4.0
    return n


def sort_by_angle(
    rows: cython.double[:, ::1],
    column: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    order: cython.int[::1],
    buckets: cython.int[::1],
) -> NoGil[None]:
    """Sort n rows by their pseudo-angles, into buckets and then by insertion; write the order."""
    share = n / 4.0
    for i in range(n + 2):
        buckets[i] = 0
    for i in range(n):
        k = cython.cast(cython.Py_ssize_t, min(rows[i, column] * share, n - 1.0))
        buckets[k + 2] += 1
    for k in range(n):
        buckets[k + 2] += buckets[k + 1]
    for i in range(n):
        k = cython.cast(cython.Py_ssize_t, min(rows[i, column] * share, n - 1.0))
        order[buckets[k + 1]] = cython.cast(cython.int, i)
        buckets[k + 1] += 1
    for i in range(1, n):
        row = order[i]
        angle = rows[row, column]
        j = i
        while j > 0 and rows[order[j - 1], column] > angle:
            order[j] = order[j - 1]
            j -= 1
        order[j] = row


def drop_ended(
    edges: cython.double[:, ::1],
    active: cython.int[::1],
    n: cython.Py_ssize_t,
    angle: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Keep the active edges that end after an angle; return how many they are."""
    kept: cython.Py_ssize_t = 0
    for i in range(n):
        if edges[active[i], END] > angle:
            active[kept] = active[i]
            kept += 1
    return kept


def nearest_edge(
    edges: cython.double[:, ::1],
    active: cython.int[::1],
    n: cython.Py_ssize_t,
    x: cython.double,
    y: cython.double,
) -> NoGil[cython.Py_ssize_t]:
    """Return the edge that a direction meets first, -1 if none."""
    nearest: cython.Py_ssize_t = -1
    most: cython.double = 0.0
    for i in range(n):
        along: cython.double = x if edges[active[i], AXIS] == 0.0 else y
        nearness: cython.double = along * edges[active[i], INVERSE]  # 1 / the time to an edge
        if edges[active[i], AXIS] == 2.0:
            nearness += x * edges[active[i], PLACE]
        if nearness > most:
            most = nearness
            nearest = active[i]
    return nearest


def trace(
    edges: cython.double[:, ::1],
    edge_count: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    order: cython.int[::1],
    by_start: cython.int[::1],
    active: cython.int[::1],
    radius: cython.double,
    outline: cython.double[:, ::1],
) -> NoGil[cython.Py_ssize_t]:
    """Write the outline counterclockwise, from direction to direction; return its length.

    Between two directions in which something begins, ends or crosses, one edge is the nearest, or
    none. `by_start` orders the edges by where they begin; `active` has the same length.
    """
    before: cython.Py_ssize_t = -2
    living: cython.Py_ssize_t = 0
    started: cython.Py_ssize_t = 0
    n: cython.Py_ssize_t = 0
    for k in range(len(order) - 1):
        here: cython.Py_ssize_t = order[k]
        there: cython.Py_ssize_t = order[k + 1]
        if turns[there, ANGLE] <= turns[here, ANGLE]:
            continue
        while started < edge_count and edges[by_start[started], BEGIN] <= turns[here, ANGLE]:
            active[living] = by_start[started]
            living += 1
            started += 1
        scale = 1.0 / (abs(turns[here, X]) + abs(turns[here, Y]))
        along = 1.0 / (abs(turns[there, X]) + abs(turns[there, Y]))
        mid_x = turns[here, X] * scale + turns[there, X] * along
        mid_y = turns[here, Y] * scale + turns[there, Y] * along
        living = drop_ended(edges, active, living, turns[here, ANGLE])
        nearest = nearest_edge(edges, active, living, mid_x, mid_y)
        if nearest != before or nearest < 0:
            n = add_point(edges, nearest, turns, here, radius, outline, n)
        elif n > 0:
            n -= 1  # the same edge goes on
        n = add_point(edges, nearest, turns, there, radius, outline, n)
        before = nearest
    return n


def add_point(
    edges: cython.double[:, ::1],
    edge: cython.Py_ssize_t,
    turns: cython.double[:, ::1],
    turn: cython.Py_ssize_t,
    radius: cython.double,
    outline: cython.double[:, ::1],
    n: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Add the point of an edge, or of the circle, in a direction, unless it is the last one."""
    x = turns[turn, X]
    y = turns[turn, Y]
    if edge < 0:
        scale = radius / sqrt(x * x + y * y)
        x = x * scale
        y = y * scale
    elif edges[edge, AXIS] == 2.0:
        scale = x * edges[edge, PLACE] + y * edges[edge, INVERSE]
        if scale > 0.0 and (x != edges[edge, LOW] or y != edges[edge, HIGH]):
            x /= scale
            y /= scale
        x = min(
            max(x, min(edges[edge, LOW], edges[edge, TO_X])),
            max(edges[edge, LOW], edges[edge, TO_X]),
        )
        y = min(
            max(y, min(edges[edge, HIGH], edges[edge, TO_Y])),
            max(edges[edge, HIGH], edges[edge, TO_Y]),
        )
    elif edges[edge, AXIS] == 0.0:
        if x != edges[edge, PLACE]:  # otherwise it is an end of the edge, exactly
            y = edges[edge, PLACE] * y / x if x != 0.0 else y
        x = edges[edge, PLACE]
        y = min(max(y, edges[edge, LOW]), edges[edge, HIGH])
    else:
        if y != edges[edge, PLACE]:
            x = edges[edge, PLACE] * x / y if y != 0.0 else x
        y = edges[edge, PLACE]
        x = min(max(x, edges[edge, LOW]), edges[edge, HIGH])
    if n == 0 or outline[n - 1, 0] != x or outline[n - 1, 1] != y:
        outline[n, 0] = x
        outline[n, 1] = y
        n += 1
    return n
