"""Many questions in one call: split among threads, answered in Z order, returned in input order.

The caller keeps the tree from changing.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil, NoGil, Raises, RaisesNoGil
from tilequad._core.arrays import check_used, first_of
from tilequad._core.buffers import IntBuffer
from tilequad._core.layout import (
    CANDIDATES,
    ENTRY,
    HITS,
    NEAR_POINT,
    ON_SEGMENT,
    OVERLAPPING_BOX,
    REACHING_POINT,
    RECORD,
    Walk,
    begin_question,
    drop_slot,
    end_question,
    start_counts,
)
from tilequad._core.tree.box_query import find_in_box
from tilequad._core.tree.questions import Questions
from tilequad._core.tree.segment import find_units_on_segment, touch_time
from tilequad._core.tree.units import UnitStore, is_later
from tilequad._core.tree.walk import begin
from tilequad._core.tree.within import (
    BLOCK,
    MIN_SHARED,
    begin_ring,
    copy_candidates,
    count_in_ring,
    end_of_group,
    find_in_ring,
)


def answer_many(
    units: UnitStore, asked: Questions, workers: int, out: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Find the slots that answer each question: offsets (n + 1,) and slots."""
    n = len(asked.order)
    counts: cython.int[::1] = array("i", [0]) * n
    parts: list[tuple[int, int, IntBuffer]] = []

    def answer(low: cython.int, high: cython.int) -> None:
        found: IntBuffer = IntBuffer(8 * (high - low) + 256)
        with cython.nogil:
            answer_batch(units, asked, low, high, counts, found, True)
        parts.append((low, high, found))

    share(units, asked, workers, answer)
    offsets = np.empty(n + 1, np.int64)
    ends: cython.longlong[::1] = offsets.data
    total = add_up(counts, ends)
    slots = np.empty(total, np.int32) if out is None else first_of(out, total)
    row: cython.int[::1] = slots.data
    for low, high, found in parts:
        copy_answers(asked.order[low:high], counts, found, ends, row)
    return offsets, slots


def touch_many(
    units: UnitStore, asked: Questions, workers: int, out: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Answer questions ON_SEGMENT, each in the order of touch."""
    offsets, slots = answer_many(units, asked, workers, out)
    ends: cython.longlong[::1] = offsets.data
    hits: cython.int[::1] = slots.data
    times: cython.double[::1] = np.empty(len(slots)).data
    with cython.nogil:
        write_times(units, asked, ends, hits, times)
        sort_touches(units, ends, hits, times)
    return offsets, slots


def count_many(units: UnitStore, asked: Questions, workers: int) -> np.ndarray:
    """Count the slots within a radius of each point, (n,) int64."""
    tallies = np.zeros(len(asked.order), np.int32)
    counts: cython.int[::1] = tallies.data

    def answer(low: cython.int, high: cython.int) -> None:
        found: IntBuffer = IntBuffer()
        with cython.nogil:
            answer_batch(units, asked, low, high, counts, found, False)

    share(units, asked, workers, answer)
    return tallies.astype(np.int64)


def sum_many(units: UnitStore, asked: Questions, values: np.ndarray, workers: int) -> np.ndarray:
    """Sum the values of the slots within a radius of each point; `values` has a row for each slot.

    Slots are added in ascending order, so no sum depends on the shape of the tree.
    """
    if len(values) < units.slots_in_use():
        wanted = units.slots_in_use()
        raise ValueError(f"values must have {wanted} rows or more, got {len(values)}")
    columns = values if values.ndim == 2 else values[:, None]
    sums = np.zeros((len(asked.order), columns.shape[1]))
    counts: cython.int[::1] = array("i", [0]) * len(asked.order)
    addends: cython.double[:, ::1] = columns
    totals: cython.double[:, ::1] = sums

    def answer(low: cython.int, high: cython.int) -> None:
        found: IntBuffer = IntBuffer(8 * (high - low) + 256)
        with cython.nogil:
            answer_batch(units, asked, low, high, counts, found, True)
        spare: cython.int[::1] = array("i", [0]) * (found.used + 1)
        with cython.nogil:
            add_rows(asked, low, high, counts, found, spare, addends, totals)

    share(units, asked, workers, answer)
    return sums.reshape(len(sums), *values.shape[1:])


# -- threads ---------------------------------------------------------------------------------------


def share(
    units: UnitStore, asked: Questions, workers: int, work: Callable[[int, int], None]
) -> None:
    """Call `work` for the questions 0 .. n of the order, split among several threads if requested.

    Threads take whole blocks, so their number does not affect the answers. Each part locks the
    units against changes. The whole question does as well, but Ctrl-C may end it while a thread is
    still working.
    """
    n = len(asked.order)
    if asked.exclude is not None:
        check_used(units, asked.exclude, "exclude", True)
    workers = min(workers, -(-n // BLOCK))
    if workers <= 1:
        work(0, n)
        return

    def guarded(low: int, high: int) -> None:
        begin_question(cython.address(units.busy))
        try:
            work(low, high)
        finally:
            end_question(cython.address(units.busy))

    edges = [min(n, -(-n * part // workers // BLOCK) * BLOCK) for part in range(workers)] + [n]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(guarded, edges[:workers], edges[1:]))


def add_up(counts: cython.int[::1], offsets: cython.longlong[::1]) -> Raises[cython.Py_ssize_t]:
    """Write where the hits of each question begin and, last, where all of them end; return that."""
    end: cython.longlong = 0
    for i in range(len(counts)):
        offsets[i] = end
        end += counts[i]
    offsets[len(counts)] = end
    return end


def copy_answers(
    order: cython.int[::1],
    counts: cython.int[::1],
    found: IntBuffer,
    offsets: cython.longlong[::1],
    slots: cython.int[::1],
) -> Gil[None]:
    """Copy the hits of each question to its place."""
    j: cython.Py_ssize_t
    read: cython.Py_ssize_t = 0
    for k in range(len(order)):
        i: cython.Py_ssize_t = order[k]
        start: cython.Py_ssize_t = offsets[i]
        for j in range(counts[i]):
            slots[start + j] = found.values[read + j]
        read += counts[i]


# -- one part --------------------------------------------------------------------------------------


def answer_batch(
    units: UnitStore,
    asked: Questions,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
    listed: cython.bint,
) -> RaisesNoGil[cython.int]:
    """Count the hits of the questions low .. high of the order and, if `listed`, append them.

    Neighboring questions NEAR_POINT share one walk for the box around all their circles: the
    entries in it are copied into a small array, which each question then searches.
    """
    box = cython.declare(cython.double[4])
    xs = cython.declare(cython.double[CANDIDATES])
    ys = cython.declare(cython.double[CANDIDATES])
    slots = cython.declare(cython.int[CANDIDATES])
    end = low
    order: cython.int[::1] = asked.order
    while end < high:
        start = end
        end = end_of_group(asked, start, high, box) if asked.test == NEAR_POINT else start + 1
        candidates = -1
        if end - start >= MIN_SHARED:
            candidates = copy_candidates(units, box, asked.groups, asked.without, xs, ys, slots)
        for k in range(start, end):
            i: cython.Py_ssize_t = order[k]
            if candidates < 0 and listed:
                answer_one(units, asked, i, counts, found)
            elif candidates < 0:
                counts[i] = count_one(units, asked, i)
            elif listed or len(asked.picks) > 0 or asked.limits[i, 0] > 0.0:
                answer_among(units, asked, i, candidates, xs, ys, slots, counts, found)
            else:
                counts[i] = count_among(asked, i, candidates, xs, ys)
            if not listed:
                found.used = 0
    return 0


def answer_among(
    units: UnitStore,
    asked: Questions,
    i: cython.Py_ssize_t,
    candidates: cython.Py_ssize_t,
    xs: cython.p_double,
    ys: cython.p_double,
    slots: cython.p_int,
    counts: cython.int[::1],
    found: IntBuffer,
) -> RaisesNoGil[cython.int]:
    """Append the candidates that are hits of question i, and count them."""
    x = asked.places[i, 0]
    y = asked.places[i, 1]
    least2 = asked.limits[i, 0] * asked.limits[i, 0]
    radius2 = asked.limits[i, 1] * asked.limits[i, 1]
    exclude = asked.exclude_of(i)
    n: cython.Py_ssize_t = found.used
    found.reserve(candidates)
    # Without branches: each candidate is written, and the index advances only if it is a hit.
    if least2 > 0.0 or exclude >= 0:
        for j in range(candidates):
            dx = xs[j] - x
            dy = ys[j] - y
            found.values[n] = slots[j]
            n += (
                (dx * dx + dy * dy <= radius2)
                & (dx * dx + dy * dy >= least2)
                & (slots[j] != exclude)
            )
    else:
        for j in range(candidates):
            dx = xs[j] - x
            dy = ys[j] - y
            found.values[n] = slots[j]
            n += dx * dx + dy * dy <= radius2
    if asked.mixed:
        n = keep_groups(units, asked, i, found, n)
    counts[i] = cython.cast(cython.int, n - found.used)
    found.used = n
    return 0


def keep_groups(
    units: UnitStore,
    asked: Questions,
    i: cython.Py_ssize_t,
    found: IntBuffer,
    end: cython.Py_ssize_t,
) -> NoGil[cython.Py_ssize_t]:
    """Of the slots found.used .. end, keep those in the groups of question i; return their end."""
    groups = asked.groups_of(i)
    without = asked.without_of(i)
    kept: cython.Py_ssize_t = found.used
    for k in range(found.used, end):
        mask = units.masks[
            units.record[RECORD * cython.cast(cython.Py_ssize_t, found.values[k]) + ENTRY]
        ]
        found.values[kept] = found.values[k]
        kept += ((mask & groups) != 0) & ((mask & without) == 0)
    return kept


def count_among(
    asked: Questions,
    i: cython.Py_ssize_t,
    candidates: cython.Py_ssize_t,
    xs: cython.p_double,
    ys: cython.p_double,
) -> NoGil[cython.int]:
    """Count the candidates within the radius of question i."""
    x = asked.places[i, 0]
    y = asked.places[i, 1]
    radius2 = asked.limits[i, 1] * asked.limits[i, 1]
    count: cython.int = 0
    for j in range(candidates):
        count += (xs[j] - x) * (xs[j] - x) + (ys[j] - y) * (ys[j] - y) <= radius2
    return count


def answer_one(
    units: UnitStore,
    asked: Questions,
    i: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
) -> RaisesNoGil[cython.int]:
    """Append the hits of question i alone, and count them."""
    walk = cython.declare(Walk)
    hits = cython.declare(cython.int[HITS])
    times = cython.declare(cython.double[HITS])
    n = HITS
    counts[i] = 0
    begin_asked(cython.address(walk), asked, i)
    while n == HITS:
        if walk.test == OVERLAPPING_BOX:
            n = find_in_box(units, cython.address(walk), hits)
        elif walk.test == ON_SEGMENT:
            n = find_units_on_segment(
                units,
                cython.address(walk),
                asked.limits[i, 0],
                asked.limits[i, 1],
                hits,
                times,
            )
        else:
            n = find_in_ring(units, cython.address(walk), asked.limits[i, 0], hits)
        kept = drop_slot(hits, n, asked.exclude_of(i))
        found.extend(hits, kept)
        counts[i] += kept
    return 0


def begin_asked(walk: cython.pointer[Walk], asked: Questions, i: cython.Py_ssize_t) -> NoGil[None]:
    """Begin the walk of question i alone."""
    groups = asked.groups_of(i)
    without = asked.without_of(i)
    reach = 0.0
    start_counts(walk, False)
    if asked.test == OVERLAPPING_BOX or asked.test == ON_SEGMENT:
        if asked.test == ON_SEGMENT:
            reach = max(asked.limits[i, 0], asked.limits[i, 1])
        begin(
            walk,
            asked.test,
            asked.places[i, 0],
            asked.places[i, 1],
            asked.places[i, 2],
            asked.places[i, 3],
            reach,
            groups,
            without,
        )
    else:
        begin_ring(
            walk,
            asked.places[i, 0],
            asked.places[i, 1],
            asked.limits[i, 1],
            groups,
            without,
            asked.test == REACHING_POINT,
        )


def count_one(units: UnitStore, asked: Questions, i: cython.Py_ssize_t) -> NoGil[cython.int]:
    """Count the hits of question i alone."""
    walk = cython.declare(Walk)
    begin_asked(cython.address(walk), asked, i)
    return cython.cast(
        cython.int,
        count_in_ring(units, cython.address(walk), asked.limits[i, 0], asked.exclude_of(i)),
    )


def add_rows(
    asked: Questions,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    counts: cython.int[::1],
    found: IntBuffer,
    spare: cython.int[::1],
    values: cython.double[:, ::1],
    sums: cython.double[:, ::1],
) -> NoGil[None]:
    """Add the values of the slots around the points low .. high, after sorting the slots."""
    end: cython.Py_ssize_t = 0
    for k in range(low, high):
        i: cython.Py_ssize_t = asked.order[k]
        start = end
        end = start + counts[i]
        sort_range(found.values, start, end, spare)
        for j in range(start, end):
            for m in range(values.shape[1]):
                sums[i, m] += values[found.values[j], m]


def sort_touches(
    units: UnitStore,
    offsets: cython.longlong[::1],
    slots: cython.int[::1],
    times: cython.double[::1],
) -> NoGil[None]:
    """Sort the slots on each path by when they are touched, then by the order of adding.

    By Shell's method, with gaps by Gonnet and Baeza-Yates (1991): most paths touch a few.
    """
    for i in range(len(offsets) - 1):
        low: cython.Py_ssize_t = offsets[i]
        high: cython.Py_ssize_t = offsets[i + 1]
        gap: cython.Py_ssize_t = high - low
        while gap > 1:
            gap = max(1, 5 * gap // 11)
            for k in range(low + gap, high):
                slot = slots[k]
                time = times[k]
                j: cython.Py_ssize_t = k
                while j >= low + gap and (
                    times[j - gap] > time
                    or (times[j - gap] == time and is_later(units, slots[j - gap], slot))
                ):
                    slots[j] = slots[j - gap]
                    times[j] = times[j - gap]
                    j -= gap
                slots[j] = slot
                times[j] = time


def write_times(
    units: UnitStore,
    asked: Questions,
    offsets: cython.longlong[::1],
    slots: cython.int[::1],
    times: cython.double[::1],
) -> NoGil[None]:
    """Write when the footprint on each path first touches each of its slots."""
    walk = cython.declare(Walk)
    j: cython.Py_ssize_t
    for i in range(len(offsets) - 1):
        begin_asked(cython.address(walk), asked, i)
        for j in range(offsets[i], offsets[i + 1]):
            entry: cython.Py_ssize_t = units.record[
                RECORD * cython.cast(cython.Py_ssize_t, slots[j]) + ENTRY
            ]
            times[j] = touch_time(
                units, entry, cython.address(walk), asked.limits[i, 0], asked.limits[i, 1]
            )


def sort_range(
    values: cython.int[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    spare: cython.int[::1],
) -> NoGil[None]:
    """Radix-sort values[low:high], which must not be negative; `spare` has the same length."""
    counts = cython.declare(cython.int[257])
    digit: cython.int
    shift: cython.int = 0
    largest: cython.int = 0
    if high - low <= 32:  # insertion
        for i in range(low + 1, high):
            value = values[i]
            j = i
            while j > low and values[j - 1] > value:
                values[j] = values[j - 1]
                j -= 1
            values[j] = value
        return
    for i in range(low, high):
        largest = max(largest, values[i])
    while shift < 32 and largest >> shift > 0:
        for digit in range(257):
            counts[digit] = 0
        for i in range(low, high):
            counts[((values[i] >> shift) & 255) + 1] += 1
        for digit in range(256):
            counts[digit + 1] += counts[digit]
        for i in range(low, high):
            digit = (values[i] >> shift) & 255
            spare[low + counts[digit]] = values[i]
            counts[digit] += 1
        for i in range(low, high):
            values[i] = spare[i]
        shift += 8
