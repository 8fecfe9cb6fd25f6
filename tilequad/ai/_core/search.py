# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, freethreading_compatible=True
"""Many seekers at once: who keeps a target, who is in range, and which of them is the best.

The numbers and their order are those of `Targeting.target` for one seeker. The tree does not change
meanwhile.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except (AttributeError, ImportError):
    from tilequad.quadtree._core import _cython as cython
if not cython.compiled:  # compiled, search.pxd imports these
    from tilequad.ai._core.lookups import entry_of, tree_of
    from tilequad.quadtree._core import _cython as cython
    from tilequad.quadtree._core.layout import (
        ORDER,
        RECORD,
        Walk,
        begin_question,
        end_question,
        start_counts,
    )
    from tilequad.quadtree._core.unit_store import UnitStore
    from tilequad.quadtree._core.walk import next_span
    from tilequad.quadtree._core.within import begin_within
    from tilequad.quadtree.dynamic import DynamicQuadtree


def keep_targets(
    units: Any,
    targets: cython.int[::1],
    serials: cython.longlong[::1],
    groups: cython.int,
    centres: cython.double[:, ::1],
    least: cython.double[::1],
    most: cython.double[::1],
    keeps: cython.uchar[::1],
) -> None:
    """Write which targets still live, are in one of the groups, and in the ring of their seeker."""
    tree: DynamicQuadtree = tree_of(units)
    store: UnitStore = tree._store
    i: cython.Py_ssize_t
    entry: cython.int
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    begin_question(cython.address(store.busy))
    for i in range(len(targets)):
        keeps[i] = False
        entry = entry_of(store, targets[i])
        if entry < 0 or store.record[RECORD * targets[i] + ORDER] != serials[i]:
            continue
        dx = store.xs[entry] - centres[i, 0]
        dy = store.ys[entry] - centres[i, 1]
        distance2 = dx * dx + dy * dy
        keeps[i] = (
            (store.masks[entry] & groups) != 0
            and least[i] * least[i] <= distance2
            and distance2 <= most[i] * most[i]
        )
    end_question(cython.address(store.busy))


def mark_in_range(
    units: Any,
    seekers: cython.int[::1],
    centres: cython.double[:, ::1],
    least: cython.double[::1],
    most: cython.double[::1],
    groups: cython.int,
    barred: cython.uchar[::1],
    marks: cython.uchar[::1],
) -> None:
    """Mark the slots that are in range of any seeker; `marks` covers all slots.

    `barred` is as long as it has to be: slots beyond its end are not barred.
    """
    tree: DynamicQuadtree = tree_of(units)
    store: UnitStore = tree._store
    walk = cython.declare(Walk)
    i: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    slot: cython.int
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    bars: cython.Py_ssize_t = len(barred)
    begin_question(cython.address(store.busy))
    for i in range(len(seekers)):
        start_counts(cython.address(walk), False)
        begin_within(cython.address(walk), centres[i, 0], centres[i, 1], most[i], groups, 0)
        while next_span(store.nodes, cython.address(walk)):
            for entry in range(walk.entry, walk.end):
                dx = store.xs[entry] - centres[i, 0]
                dy = store.ys[entry] - centres[i, 1]
                distance2 = dx * dx + dy * dy
                slot = store.slot_of[entry]
                if (
                    distance2 <= most[i] * most[i]
                    and least[i] * least[i] <= distance2
                    and (store.masks[entry] & groups) != 0
                    and slot != seekers[i]
                    and not (slot < bars and barred[slot])
                ):
                    marks[slot] = True
            walk.entry = walk.end
    end_question(cython.address(store.busy))


def best_in_range(
    units: Any,
    seekers: cython.int[::1],
    centres: cython.double[:, ::1],
    least: cython.double[::1],
    most: cython.double[::1],
    groups: cython.int,
    barred: cython.uchar[::1],
    by_distance: cython.bint,
    sign: cython.double,
    keys: Any,
    best: cython.int[::1],
) -> cython.longlong:
    """Write the best slot in range of each seeker; -1 where there is none.

    The best has the highest key, or squared distance, times `sign`. Of equal ones the closest to
    the seeker is the best, then the one added first. Returns a slot that has no key or one that is
    NaN, or -1.
    """
    tree: DynamicQuadtree = tree_of(units)
    store: UnitStore = tree._store
    i: cython.Py_ssize_t
    wrong: cython.longlong = -1
    begin_question(cython.address(store.busy))
    try:
        for i in range(len(seekers)):
            wrong = best_of_one(
                store,
                seekers[i],
                centres[i, 0],
                centres[i, 1],
                least[i],
                most[i],
                groups,
                barred,
                by_distance,
                sign,
                keys,
                best,
                i,
            )
            if wrong >= 0:
                break
    finally:
        end_question(cython.address(store.busy))
    return wrong


def best_of_one(
    store: UnitStore,
    seeker: cython.int,
    x: cython.double,
    y: cython.double,
    least: cython.double,
    most: cython.double,
    groups: cython.int,
    barred: cython.uchar[::1],
    by_distance: cython.bint,
    sign: cython.double,
    keys: Any,
    best: cython.int[::1],
    i: cython.Py_ssize_t,
) -> cython.longlong:
    """`best_in_range` for one seeker; writes best[i]."""
    walk = cython.declare(Walk)
    entry: cython.Py_ssize_t
    slot: cython.int
    top: cython.int = -1
    dx: cython.double
    dy: cython.double
    distance2: cython.double
    nearest2: cython.double = 0.0  # the squared distance of `top`
    key: cython.double = 0.0
    highest: cython.double = 0.0
    least2: cython.double = least * least
    most2: cython.double = most * most
    length: cython.Py_ssize_t = len(keys)
    bars: cython.Py_ssize_t = len(barred)
    start_counts(cython.address(walk), False)
    begin_within(cython.address(walk), x, y, most, groups, 0)
    while next_span(store.nodes, cython.address(walk)):
        for entry in range(walk.entry, walk.end):
            slot = store.slot_of[entry]
            if not by_distance and slot < length:
                key = sign * keys[slot]
                if key < highest and top >= 0:
                    continue  # most of them, so where it is does not matter
            dx = store.xs[entry] - x
            dy = store.ys[entry] - y
            distance2 = dx * dx + dy * dy
            if distance2 > most2 or distance2 < least2 or (store.masks[entry] & groups) == 0:
                continue
            if slot == seeker or (slot < bars and barred[slot]):
                continue
            if by_distance:
                key = sign * distance2
                if key < highest and top >= 0:
                    continue
            elif slot >= length or key != key:
                return slot
            if (
                top < 0
                or key > highest
                or distance2 < nearest2
                or (distance2 == nearest2 and order_of(store, slot) < order_of(store, top))
            ):
                top = slot
                highest = key
                nearest2 = distance2
        walk.entry = walk.end
    best[i] = top
    return -1


def order_of(store: UnitStore, slot: cython.Py_ssize_t) -> cython.int:
    """The number of a slot in the order of adding."""
    return store.record[RECORD * slot + ORDER]
