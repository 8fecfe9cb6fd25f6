# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""The best unit of each row of candidates.

Rows are as `within_many` gives them: those of seeker i are hits[offsets[i]:offsets[i + 1]]. A key
is a number for each slot, or for each hit; the highest is the best. Of equal ones the closest to
the seeker is the best, then the one added first.
"""

from __future__ import annotations

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:
    from tilequad.quadtree._core import _cython as cython


def pick_best(
    offsets: cython.longlong[::1],
    hits: cython.int[::1],
    keys: cython.double[::1],
    by_hit: cython.bint,
    best: cython.longlong[::1],
    ties: cython.uchar[::1],
) -> cython.longlong:
    """Write where in `hits` each row's highest key is, -1 in an empty row, and whether others tie.

    Returns the place of a hit whose key is NaN, or -1.
    """
    wrong: cython.longlong
    with cython.nogil:
        wrong = pick(offsets, hits, keys, by_hit, best, ties)
    return wrong


def pick(
    offsets: cython.longlong[::1],
    hits: cython.int[::1],
    keys: cython.double[::1],
    by_hit: cython.bint,
    best: cython.longlong[::1],
    ties: cython.uchar[::1],
) -> cython.longlong:
    """`pick_best` without the GIL."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    top: cython.Py_ssize_t
    tied: cython.bint
    key: cython.double
    highest: cython.double
    for i in range(len(best)):
        top = -1
        tied = False
        highest = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            key = keys[j] if by_hit else keys[hits[j]]
            if key > highest or top < 0:
                if key != key:
                    return j
                top = j
                highest = key
                tied = False
            elif not key < highest:
                if key != key:
                    return j
                tied = True
        best[i] = top
        ties[i] = tied
    return -1


def mark_tied(
    offsets: cython.longlong[::1],
    hits: cython.int[::1],
    keys: cython.double[::1],
    by_hit: cython.bint,
    best: cython.longlong[::1],
    ties: cython.uchar[::1],
    marks: cython.uchar[::1],
) -> cython.int:
    """Mark the slots that tie for the best of a row."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    highest: cython.double
    with cython.nogil:
        for i in range(len(best)):
            if ties[i]:
                highest = keys[best[i]] if by_hit else keys[hits[best[i]]]
                for j in range(best[i], offsets[i + 1]):
                    if (keys[j] if by_hit else keys[hits[j]]) == highest:
                        marks[hits[j]] = True
    return 0


def break_ties(
    offsets: cython.longlong[::1],
    hits: cython.int[::1],
    keys: cython.double[::1],
    by_hit: cython.bint,
    centres: cython.double[:, ::1],
    xy: cython.double[:, ::1],
    serials: cython.longlong[::1],
    best: cython.longlong[::1],
    ties: cython.uchar[::1],
) -> cython.int:
    """Of the hits that tie in a row, take the closest, then the one added first.

    `xy` and `serials` hold what is known of each slot that `mark_tied` marked.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    top: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    nearest2: cython.double
    highest: cython.double
    with cython.nogil:
        for i in range(len(best)):
            if not ties[i]:
                continue
            top = -1
            nearest2 = 0.0
            highest = keys[best[i]] if by_hit else keys[hits[best[i]]]
            for j in range(best[i], offsets[i + 1]):
                slot = hits[j]
                if (keys[j] if by_hit else keys[slot]) != highest:
                    continue
                dx = xy[slot, 0] - centres[i, 0]
                dy = xy[slot, 1] - centres[i, 1]
                distance2 = dx * dx + dy * dy
                if (
                    top < 0
                    or distance2 < nearest2
                    or (distance2 == nearest2 and serials[slot] < serials[hits[top]])
                ):
                    top = j
                    nearest2 = distance2
            best[i] = top
    return 0


def mark_hits(hits: cython.int[::1], marks: cython.uchar[::1]) -> cython.int:
    """Mark the slots that are hit at all."""
    j: cython.Py_ssize_t
    with cython.nogil:
        for j in range(len(hits)):
            marks[hits[j]] = True
    return 0


def measure(
    offsets: cython.longlong[::1],
    hits: cython.int[::1],
    centres: cython.double[:, ::1],
    xy: cython.double[:, ::1],
    distances2: cython.double[::1],
) -> cython.int:
    """Write the squared distance of each hit from its row's seeker."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    dx: cython.double
    dy: cython.double
    with cython.nogil:
        for i in range(len(offsets) - 1):
            for j in range(offsets[i], offsets[i + 1]):
                dx = xy[hits[j], 0] - centres[i, 0]
                dy = xy[hits[j], 1] - centres[i, 1]
                distances2[j] = dx * dx + dy * dy
    return 0


def thin(
    offsets: cython.longlong[::1],
    hits: cython.int[::1],
    seekers: cython.int[::1],
    barred: cython.uchar[::1],
    distances2: cython.double[::1],
    least2: cython.double[::1],
) -> cython.Py_ssize_t:
    """Leave out of each row its seeker, slots that are barred, and hits closer than a distance.

    The rest closes up in place. `distances2` is empty where no row has a least distance. Returns
    how many hits are left.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    kept: cython.Py_ssize_t = 0
    first: cython.Py_ssize_t
    end: cython.Py_ssize_t
    ring: cython.bint = len(distances2) > 0
    with cython.nogil:
        first = offsets[0]
        for i in range(len(seekers)):
            end = offsets[i + 1]
            for j in range(first, end):
                if hits[j] == seekers[i] or barred[hits[j]]:
                    continue
                if ring and distances2[j] < least2[i]:
                    continue
                hits[kept] = hits[j]
                if ring:
                    distances2[kept] = distances2[j]
                kept += 1
            first = end
            offsets[i + 1] = kept
    return kept
