"""Many questions in one call: split among threads, answered in Z order, returned in input order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import Gil
from tilequad._core.arrays import first_of
from tilequad._core.buffers import IntBuffer
from tilequad._core.tree.layout import begin_question, end_question
from tilequad._core.tree.units import UnitStore

# Threads take whole blocks. Questions that share a walk are always in the same block, so the number
# of threads does not affect the answers.
QUESTIONS_A_BLOCK = 64


def gather(
    units: UnitStore,
    order: cython.int[::1],
    counts: cython.int[::1],
    workers: int,
    answer: Callable[[int, int, IntBuffer], None],
    out: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Collect the hits of many questions, then arrange them in the order of the questions."""
    n = len(counts)
    parts: list[tuple[int, int, IntBuffer]] = []

    def work(low: int, high: int) -> None:
        found = IntBuffer(8 * (high - low) + 256)
        answer(low, high, found)
        parts.append((low, high, found))

    share(units, n, workers, work)
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    slots = np.empty(offsets[n], np.int32) if out is None else first_of(out, offsets[n])
    for low, high, found in parts:
        copy_answers(order[low:high], counts, found, offsets.data, slots.data)
    return offsets, slots


def copy_answers(
    order: cython.int[::1],
    counts: cython.int[::1],
    found: IntBuffer,
    offsets: cython.longlong[::1],
    slots: cython.int[::1],
) -> Gil[None]:
    """Copy the hits of each question to its place."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    start: cython.Py_ssize_t
    read: cython.Py_ssize_t = 0
    for k in range(len(order)):
        i = order[k]
        start = offsets[i]
        for j in range(counts[i]):
            slots[start + j] = found.values[read + j]
        read += counts[i]


def share(units: UnitStore, n: int, workers: int, work: Callable[[int, int], None]) -> None:
    """Call `work` for the range 0 .. n, split among several threads if requested.

    Each part locks the units against changes. The whole question does as well, but Ctrl-C may end
    it while a thread is still working.
    """
    workers = min(workers, -(-n // QUESTIONS_A_BLOCK))
    if workers <= 1:
        work(0, n)
        return

    def guarded(low: int, high: int) -> None:
        begin_question(cython.address(units.busy))
        try:
            work(low, high)
        finally:
            end_question(cython.address(units.busy))

    block = QUESTIONS_A_BLOCK
    edges = [min(n, -(-n * part // workers // block) * block) for part in range(workers)] + [n]
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(guarded, edges[:workers], edges[1:]))
