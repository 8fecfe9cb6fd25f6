"""When something that flies straight, at one speed, meets something that moves.

A target at rest is as far away as it is; one that moves by v is met where the circle around the
shooter, which grows at the speed of the shot, first reaches it: |d + v t| = speed * t. The numbers
are those of the triangle of velocities, because the usual quadratic loses all its digits where the
shot is about as fast as the target.
"""

from __future__ import annotations

from math import nan, sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.army.polyline import Polyline
from tilequad._core.layout import INF, MAX_COORDINATE

# Two speeds that differ by less than this share are equal: rounding makes such differences, and a
# shot that gains so little needs a way that no world has.
SAME_SPEED: cython.double = 1e-14


def fill_meetings(
    shooters: cython.const_double[:, :],
    speeds: cython.const_double[:],
    targets: cython.const_double[:, :],
    velocities: cython.const_double[:, :],
    found: cython.double[:, ::1],
) -> None:
    """Write for each row where a shot meets its target, and when: x, y and time, or NaN."""
    with cython.nogil:
        for i in range(len(found)):
            time = meeting_time(
                targets[i, 0] - shooters[i, 0],
                targets[i, 1] - shooters[i, 1],
                velocities[i, 0],
                velocities[i, 1],
                speeds[i],
            )
            if time == INF:
                time = nan  # of which plain Python does not warn
            found[i, 0] = targets[i, 0] + velocities[i, 0] * time
            found[i, 1] = targets[i, 1] + velocities[i, 1] * time
            found[i, 2] = time
            if not (abs(found[i, 0]) <= MAX_COORDINATE and abs(found[i, 1]) <= MAX_COORDINATE):
                found[i, 0] = found[i, 1] = found[i, 2] = nan


def meeting_time(
    dx: cython.double,
    dy: cython.double,
    vx: cython.double,
    vy: cython.double,
    speed: cython.double,
) -> NoGil[cython.double]:
    """Return when a shot meets a target that is (dx, dy) away and moves by (vx, vy); or inf."""
    distance = sqrt(dx * dx + dy * dy)
    if distance == 0.0:
        return 0.0
    away = (dx * vx + dy * vy) / distance
    aside = abs(dx * vy - dy * vx) / distance
    if aside > speed:
        return INF
    ahead = sqrt((speed - aside) * (speed + aside))
    if away < 0.0:
        return distance / (ahead - away)
    gain = speed * speed - (vx * vx + vy * vy)
    if gain <= SAME_SPEED * speed * speed:
        return INF
    return distance * (ahead + away) / gain


def fill_meetings_on(
    line: Polyline,
    shooters: cython.const_double[:, :],
    speeds: cython.const_double[:],
    along: cython.const_double[:],
    aside: cython.const_double[:],
    paces: cython.const_double[:],
    found: cython.double[:, ::1],
) -> None:
    """Write what `fill_meetings` does for targets that follow a line, beside it, to its end."""
    with cython.nogil:
        for i in range(len(found)):
            meet_on(
                line,
                shooters[i, 0],
                shooters[i, 1],
                speeds[i],
                along[i],
                aside[i],
                paces[i],
                cython.address(found[i, 0]) if cython.compiled else found[i],
            )


def meet_on(
    line: Polyline,
    x: cython.double,
    y: cython.double,
    speed: cython.double,
    along: cython.double,
    aside: cython.double,
    pace: cython.double,
    found: cython.p_double,
) -> NoGil[None]:
    """Write where a shot meets one target on a line, and when."""
    at: cython.Py_ssize_t = line.segment_at(along)
    last: cython.Py_ssize_t = len(line.starts) - 1
    px = 0.0
    py = 0.0
    ux = 0.0
    uy = 0.0
    begins = 0.0  # when the target is on this segment
    time = INF
    for at in range(at, last):
        ux = line.headings[at, 0]
        uy = line.headings[at, 1]
        px = line.corners[at, 0] + (along - line.starts[at]) * ux - aside * uy
        py = line.corners[at, 1] + (along - line.starts[at]) * uy + aside * ux
        ends = INF
        if pace > 0.0:
            ends = begins + (line.starts[at + 1] - along) / pace
        time = begins + later_time(px - x, py - y, pace * ux, pace * uy, speed, speed * begins)
        if time <= ends:
            px += pace * (time - begins) * ux
            py += pace * (time - begins) * uy
            break
        along = line.starts[at + 1]
        begins = ends
    else:  # it stands at the end
        px = line.corners[last, 0] - aside * uy
        py = line.corners[last, 1] + aside * ux
        time = begins + later_time(px - x, py - y, 0.0, 0.0, speed, speed * begins)
    if not (abs(px) <= MAX_COORDINATE and abs(py) <= MAX_COORDINATE and time < INF):
        px = py = time = nan
    found[0] = px
    found[1] = py
    found[2] = time


def later_time(
    dx: cython.double,
    dy: cython.double,
    vx: cython.double,
    vy: cython.double,
    speed: cython.double,
    flown: cython.double,
) -> NoGil[cython.double]:
    """Return the same as `meeting_time`, for a shot that has flown this far already."""
    distance = sqrt(dx * dx + dy * dy)
    if distance <= flown:
        return 0.0
    if flown == 0.0:
        return meeting_time(dx, dy, vx, vy, speed)
    a = vx * vx + vy * vy - speed * speed
    b = dx * vx + dy * vy - speed * flown
    c = (distance - flown) * (distance + flown)
    root = b * b - a * c
    if root < 0.0:
        return INF
    root = sqrt(root)
    if b < 0.0:
        return c / (root - b)
    if a >= -SAME_SPEED * speed * speed:
        return INF
    return (root + b) / -a
