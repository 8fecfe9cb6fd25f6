"""The tables that ways are found with, made once for each kind of grid.

Never compiled: numpy does the work.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tilequad._core.ways.layout import BORDER, LEVELS


def moves_of(shape: Any) -> tuple[memoryview, ...]:
    """What a ground knows of directions: `offsets`, `steps`, `backs` and `opposites`."""
    n, stride = shape.directions, shape.columns + 2 * BORDER
    offsets, steps = np.zeros((2, 8), np.int32), np.zeros((8, 2))
    for shifted in range(2):
        for k, (column, row) in enumerate(shape.neighbors(shifted)):
            offsets[shifted, k] = row * stride + column
    steps[:n] = shape.steps()
    opposites = np.array([(k + n // 2) % n for k in range(8)], np.uint8)
    backs = np.array([1 << k for k in opposites.tolist()], np.uint8)
    return offsets.reshape(-1).data, steps.reshape(-1).data, backs.data, opposites.data


@lru_cache(16)
def sets_of_moves(directions: int, edges: int, need: int) -> tuple[memoryview, ...]:
    """Return what a ground knows of each set of directions: `legal`, `counts` and `orders`."""
    legal = np.zeros(256, np.uint8)
    counts, orders = np.zeros(256, np.uint8), np.zeros((256, 8), np.uint8)
    for free in range(256):
        kept = [k for k in range(directions) if free >> k & 1]
        counts[free] = len(kept)
        orders[free, : len(kept)] = kept
        for k in kept:
            beside = (free >> (k - 1) % 8 & 1) + (free >> (k + 1) % 8 & 1)
            if edges >> k & 1 or beside >= need:
                legal[free] |= 1 << k
    return legal.data, counts.data, orders.reshape(-1).data


@lru_cache(16)
def heading_tables(steps: bytes, turn: int) -> tuple[memoryview, ...]:
    """The tables of `Headings` for some moves, (n, 2)."""
    moves = np.frombuffer(steps).reshape(-1, 2)
    following = np.roll(moves, -turn, axis=0)
    lines = following - moves
    lengths = np.hypot(lines[:, 0], lines[:, 1])
    feet = -(moves * lines).sum(axis=1) / lengths**2
    reaches = np.abs(moves[:, 0] * lines[:, 1] - moves[:, 1] * lines[:, 0]) / lengths
    table = np.zeros((256, 2))
    leans = moves[:, None] + np.arange(LEVELS)[:, None] / LEVELS * lines[:, None]
    leans = leans.reshape(-1, 2)
    table[1 : 1 + len(leans)] = leans / np.hypot(leans[:, 0], leans[:, 1])[:, None]
    pairs = np.zeros(256, np.uint8)
    for k in range(0, len(moves), turn):
        pairs[1 << k | 1 << (k + turn) % len(moves)] = k + 1
    beside, sets = np.zeros(256, int), np.arange(256)
    for k in range(len(moves)):
        ends = 1 << (k - turn) % len(moves) | 1 << (k + turn) % len(moves)
        beside |= np.where(sets >> k & 1, ends, 0)
    others = (beside & ~sets).astype(np.uint8)
    levels = np.arange(len(moves))[:, None] * LEVELS + np.arange(LEVELS + 1)
    levels[:, LEVELS] += (turn - 1) * LEVELS  # all the way: the next direction
    leaning = (levels % (len(moves) * LEVELS) + 1).astype(np.uint8).reshape(-1)
    frames = np.stack((1.0 / lengths, feet, reaches / lengths, reaches), axis=1).reshape(-1)
    nexts = np.array([(k + turn) % len(moves) for k in range(len(moves))], np.uint8)
    arrays = table.reshape(-1), frames, pairs, others, nexts, leaning
    return tuple(array.data for array in arrays)


def no_kinds() -> list[np.ndarray]:
    """The arrays of `Pieces` without any kinds."""
    starts, firsts, owners = (np.zeros(n, np.int32) for n in (1, 1, 0))
    return [np.zeros(0, np.uint64), starts, firsts, owners, np.zeros((0, 4)), np.zeros((0, 6))]


def with_kinds(held: Any, kinds: list[Any], rooms: list[int]) -> list[memoryview]:
    """The arrays of `Pieces` with some kinds more: rooms, starts, firsts, owners, boxes, faces."""
    parts = [(owner, corners, faces_of(corners)) for kind in kinds for owner, corners in kind]
    news = (
        rooms,
        len(held[4]) + np.cumsum([len(kind) for kind in kinds]),
        len(held[5]) + np.cumsum([len(faces) for _, _, faces in parts]),
        [owner for owner, _, _ in parts],
        [(*corners.min(axis=0), *corners.max(axis=0)) for _, corners, _ in parts],
        np.vstack([np.zeros((0, 6)), *[faces for _, _, faces in parts]]),
    )
    found = []
    for old, new in zip(map(np.asarray, held), news, strict=True):
        rows = np.array(new, old.dtype).reshape(-1, *old.shape[1:])
        found.append(np.concatenate((old, rows)).data)
    return found


def faces_of(corners: np.ndarray) -> np.ndarray:
    """The faces of a convex polygon with its corners counterclockwise, or of a segment."""
    ends = np.roll(corners, -1, axis=0)
    along = ends - corners
    if len(corners) == 2:  # its two sides are one line exactly, so that none slips through it
        corners, ends = corners[[0, 1, 0, 0]], corners[[1, 1, 1, 0]]
        along = along[[0, 0, 1, 1]]
        along[[1, 3]] = np.stack((-along[[1, 3], 1], along[[1, 3], 0]), axis=-1)
    normals = np.stack((along[:, 1], -along[:, 0]), axis=-1)
    normals /= np.hypot(*normals.T)[:, None]
    return np.hstack((normals, corners, ends))
