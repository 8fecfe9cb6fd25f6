"""Repair of distances after a change, at a cost that depends on the cells that really change.

It follows Ramalingam and Reps (1996), and the functions stand in the order of the steps. Ways that
no longer hold are struck out (`verify`). A cell that loses its last way loses its distance, and so
may the cells whose ways lead through it (`propagate`). Then the neighbors of each lost cell offer
it a new distance (`relax`, `offer`), and the search goes on from there (`enqueue`). Cells with a
way left are not touched; and because shortest distances are unique, the result equals a fresh
search. At last the headings are found again (`straighten`).

The head of `distances` says what a word is.
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, Raises, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.distances import Distances
from tilequad._core.ways.layout import FAR, SOURCE, UNREACHED, ZERO

# A search from scratch is faster if, of the cells with a distance, more than 1/8 are lost, or more
# than 1/4 get a new one.
LOST_DIVISOR: cython.Py_ssize_t = 8
FOUND_DIVISOR: cython.Py_ssize_t = 4


def repair(
    distances: Distances,
    changed: cython.int[::1],
    gone: cython.int[::1],
    goals: cython.int[::1],
) -> cython.bint:
    """Repair the distances after cells have changed, or goals were removed or added.

    Args:
        distances: The distances.
        changed: The cells whose cost has changed.
        gone: The cells that are no longer goals.
        goals: The cells that have become goals.

    Returns:
        False if so many distances change that a search from scratch is faster. Then the distances
        are of no use.
    """
    lost: IntBuffer = IntBuffer(256)
    with cython.nogil:
        for i in range(len(gone)):
            invalidate(distances, distances.ground.place_of(gone[i]), lost)
        for i in range(len(changed)):
            place = distances.ground.place_of(changed[i])
            base = distances.ground.parity_of(place)
            verify(distances, place, lost)
            for k in range(distances.ground.directions):
                verify(distances, place + distances.offsets[base + k], lost)
        worth = propagate(distances, lost)
        if worth:
            for i in range(len(goals)):
                distances.words[distances.ground.place_of(goals[i])] = SOURCE
    if worth:
        distances.found.used = 0
        worth = relax(distances, lost, changed, goals)
        if worth and distances.headings is not None:
            straighten(distances, lost, changed, gone)
    return worth


def invalidate(
    distances: Distances, place: cython.Py_ssize_t, lost: IntBuffer
) -> RaisesNoGil[cython.int]:
    """Remove the distance of a cell."""
    distances.words[place] = UNREACHED
    lost.append(cython.cast(cython.int, place))
    return 0


def verify(
    distances: Distances, place: cython.Py_ssize_t, lost: IntBuffer
) -> RaisesNoGil[cython.int]:
    """Strike out the ways of a cell that no longer hold."""
    distance = distances.words[place] >> 8
    ways = distances.words[place] & 0xFF
    if ways == 0:
        return 0  # a goal, or without a distance
    base = distances.ground.parity_of(place)
    for k in range(distances.ground.directions):
        if ways >> k & 1:
            cost = move_cost(distances, place, k)
            if (
                cost < 0
                or distances.words[place + distances.offsets[base + k]] >> 8 != distance - cost
            ):
                ways ^= 1 << k
    distances.words[place] = 256 * distance | ways
    if ways == 0:
        invalidate(distances, place, lost)
    return 0


def move_cost(
    distances: Distances, place: cython.Py_ssize_t, k: cython.Py_ssize_t
) -> NoGil[cython.longlong]:
    """Return the cost of a move, -1 if it is illegal.

    A closed goal is entered across its edges.
    """
    other = place + distances.offsets[distances.ground.parity_of(place) + k]
    if distances.moves[place] >> k & 1:
        return distances.ground.weight(place, other, k)
    if (
        distances.ground.edges >> k & 1
        and distances.codes[place] != 0
        and distances.codes[other] == 0
        and distances.words[other] == SOURCE
    ):
        return 2 * distances.halves[8 * distances.codes[place] + k]
    return -1


def propagate(distances: Distances, lost: IntBuffer) -> RaisesNoGil[cython.int]:
    """Strike out the ways through lost cells; cells that have no way left are lost as well.

    Returns 0, and leaves off, if too many are lost.
    """
    i: cython.Py_ssize_t = 0
    most = distances.reached // LOST_DIVISOR
    while i < lost.used:
        if lost.used > most:
            return 0
        place: cython.Py_ssize_t = lost.values[i]
        i += 1
        base = distances.ground.parity_of(place)
        for k in range(distances.ground.directions):
            other: cython.Py_ssize_t = place + distances.offsets[base + k]
            if distances.words[other] & distances.backs[k]:
                distances.words[other] ^= distances.backs[k]
                if distances.words[other] & 0xFF == 0:
                    invalidate(distances, other, lost)
    return 1


def relax(
    distances: Distances, lost: IntBuffer, changed: cython.int[::1], goals: cython.int[::1]
) -> Raises[cython.int]:
    """Find new distances for lost cells, and for cells that are nearer than before.

    All are found before any is written, so no new distance is mistaken for one that was kept.
    Returns 0, and leaves off, if too many are found.
    """
    n: cython.Py_ssize_t = 0
    most = lost.used + len(changed) * (distances.ground.directions + 1) + len(goals)
    all_places, all_words = np.empty(most, np.int32), np.empty(most, np.int64)
    places: cython.int[::1] = all_places.data
    words: cython.longlong[::1] = all_words.data
    with cython.nogil:
        for i in range(lost.used):
            n += offer(distances, lost.values[i], places, words, n)
        for i in range(len(changed)):
            place = distances.ground.place_of(changed[i])
            base = distances.ground.parity_of(place)
            n += offer(distances, place, places, words, n)
            for k in range(distances.ground.directions):
                n += offer(distances, place + distances.offsets[base + k], places, words, n)
        for i in range(len(goals)):
            places[n] = cython.cast(cython.int, distances.ground.place_of(goals[i]))
            words[n] = SOURCE
            n += 1
    if n > 0:
        order = np.lexsort((all_places[:n], all_words[:n] >> 8))
        return enqueue(distances, all_places[order].data, all_words[order].data)
    return 1


def offer(
    distances: Distances,
    place: cython.Py_ssize_t,
    places: cython.int[::1],
    words: cython.longlong[::1],
    n: cython.Py_ssize_t,
) -> NoGil[cython.int]:
    """Find the best ways through a cell's neighbors; write a word and return 1 if it is nearer."""
    base = distances.ground.parity_of(place)
    before = distances.words[place] >> 8
    best = before
    ways: cython.longlong = 0
    if distances.codes[place] == 0 or before == ZERO:
        return 0
    for k in range(distances.ground.directions):
        there = distances.words[place + distances.offsets[base + k]] >> 8
        if there >= best:
            continue
        cost = move_cost(distances, place, k)
        if cost < 0 or there + cost > min(best, distances.limit):
            continue
        if there + cost < best:
            best = there + cost
            ways = 0
        ways |= 1 << k
    if best == before:
        distances.words[place] |= ways
        return 0
    places[n] = cython.cast(cython.int, place)
    words[n] = 256 * best | ways
    return 1


def enqueue(
    distances: Distances, places: cython.int[::1], words: cython.longlong[::1]
) -> Raises[cython.int]:
    """Search on from some cells; each joins the queue when the search reaches its distance.

    Returns 0, and leaves off, if too many are found.
    """
    at: cython.Py_ssize_t = 0
    n = len(places)
    most = distances.reached // FOUND_DIVISOR
    with cython.nogil:
        for at in range(n):
            distances.words[places[at]] = words[at]
        at = 0
        while at < n or distances.queue.size > 0:
            if distances.queue.size == 0:
                distances.queue.start(words[at] >> 8)
            stop = distances.queue.end_of_bucket()
            while at < n and words[at] >> 8 < stop:
                distances.queue.append(places[at], words[at] >> 8)
                at += 1
            distances.spread(
                words[at] >> 8 if at < n else FAR, False, most + 1 - distances.found.used
            )
            if distances.found.used > most:
                return 0
    return 1


def straighten(
    distances: Distances, lost: IntBuffer, changed: cython.int[::1], gone: cython.int[::1]
) -> Object[None]:
    """Find the headings again where words, costs or moves have changed, and beside these cells."""
    marked: IntBuffer = IntBuffer(256)
    with cython.nogil:
        for i in range(lost.used):
            distances.headings.mark(lost.values[i], marked)
        for i in range(distances.found.used):
            distances.headings.mark(distances.found.values[i], marked)
        for i in range(len(changed)):
            distances.headings.mark(distances.ground.place_of(changed[i]), marked)
        for i in range(len(gone)):
            distances.headings.mark(distances.ground.place_of(gone[i]), marked)
    distances.straighten(np.array(marked.taken(), np.int32))
