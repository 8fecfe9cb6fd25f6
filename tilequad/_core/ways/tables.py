"""The tables that the kernels for grids read, made once for each kind of grid or of cells.

Never compiled: numpy does the work.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tilequad._core.ways.layout import (
    BORDER,
    FOOT,
    FRAME,
    INVERSE_LENGTH,
    LATTICE,
    LEAN_SCALE,
    LEVELS,
    REACH,
    STAGGERED_ROWS,
)


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
    frames = np.empty((len(moves), FRAME))
    frames[:, INVERSE_LENGTH], frames[:, FOOT] = 1.0 / lengths, feet
    frames[:, LEAN_SCALE], frames[:, REACH] = reaches / lengths, reaches
    nexts = np.array([(k + turn) % len(moves) for k in range(len(moves))], np.uint8)
    arrays = table.reshape(-1), frames.reshape(-1), pairs, others, nexts, leaning
    return tuple(array.data for array in arrays)


def side_tables(shape: Any, stride: int) -> tuple[Any, ...]:
    """What `Perimeters` knows of sides: how many, `tip`, `across`, `beyond` and `corners`."""
    steps = shape.steps()
    ways = list(range(0, shape.directions, 2 if shape.directions == 8 else 1))
    (x0, y0), (x1, y1) = steps[ways[0]], steps[ways[1]]
    if x0 * y1 < x1 * y0:  # they are numbered clockwise
        ways.reverse()
    across, beyond = np.zeros((2, 8), np.int32), np.zeros((2, 8), np.int32)
    for shifted in range(2):
        offsets = [row * stride + column for column, row in shape.neighbors(shifted)]
        for k, way in enumerate(ways):
            after = ways[(k + 1) % len(ways)]
            across[shifted, k] = offsets[way]
            if len(ways) == 4:  # the direction between two sides
                low, high = min(way, after), max(way, after)
                beyond[shifted, k] = offsets[low + 1 if high - low == 2 else 7]
    low, high = shape.outline.min(axis=0), shape.outline.max(axis=0)
    tip = float((high - low)[1 if shape.kind == STAGGERED_ROWS else 0] / 2.0)
    if shape.kind != LATTICE and shape.frame[3] < 0.0:
        tip = -tip
    corners = _corner_parts(shape, ways).reshape(-1).data
    return len(ways), tip, across.reshape(-1).data, beyond.reshape(-1).data, corners


def _corner_parts(shape: Any, ways: list[int]) -> np.ndarray:
    """The parts of the corner at the end of each side, (sides, 3)."""
    near = np.array(shape.neighbors(0))
    parts = np.zeros((len(ways), 3), np.int32)
    if shape.kind != LATTICE:  # how many half steps along its line, and how many lines across it
        along = near[:, 0 if shape.kind == STAGGERED_ROWS else 1]
        lines = near[:, 1 if shape.kind == STAGGERED_ROWS else 0]
        near = np.stack((2 * along + (lines & 1), lines), axis=1)
    for k, way in enumerate(ways):
        one, other = near[way], near[ways[(k + 1) % len(ways)]]
        if shape.kind == LATTICE:
            parts[k, :2] = (one + other + 1) // 2
        elif len(ways) == 4:
            parts[k, :2] = (one + other) // 2
        elif one[1] == other[1]:  # the tip of this cell
            parts[k, 2] = one[1]
        else:  # the tip of the neighbor that is alone on its line
            tip = one if one[1] else other
            parts[k] = tip[0], tip[1], -tip[1]
    return parts


def rim_tables(outline: np.ndarray, rims: list[Any]) -> list[memoryview]:
    """The tables of `Rims`: `edges`, `across`, `facing`, `rims`, `nodes` and `sides`."""
    after = np.roll(outline, -1, axis=0)
    lengths = np.hypot(*(after - outline).T)
    along = (after - outline) / lengths[:, None]
    middles = (outline + after) / 2
    facing = [int(np.hypot(*(middles + middle).T).argmin()) for middle in middles]
    rows = np.zeros((len(rims) + 1, 4), np.int32)
    for k, (nodes, sides, patches) in enumerate(rims):
        inner = int((sides[:, -1] < 0).sum())  # on no edge
        rows[k, 2:] = rows[k, 1] + inner, patches
        rows[k + 1, :2] = rows[k, :2] + (len(nodes), len(sides))
    found = [
        np.hstack((outline, along, lengths[:, None])),
        1.5 * middles,
        np.array(facing, np.int32),
        rows,
        np.concatenate([nodes for nodes, _, _ in rims]),
        np.concatenate([sides for _, sides, _ in rims]).astype(np.int32),
    ]
    return [np.require(array, None, ["C", "W"]).data for array in found]
