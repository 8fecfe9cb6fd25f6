"""Blocks of units by place, and nodes above them, for `first_hits`.

Never compiled, because numpy does the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad._core.layout import PRUNE_MARGIN

BLOCK = 8  # units in a block
FAN = 4  # nodes below a node
ROUNDED = 1e-12  # of a coordinate, far more than rounding takes
HALF_W, HALF_H = 2, 3  # the columns of a body after its position
GAPS = {  # shifts and masks that leave a gap between all bits
    16: 0x0000FFFF0000FFFF,
    8: 0x00FF00FF00FF00FF,
    4: 0x0F0F0F0F0F0F0F0F,
    2: 0x3333333333333333,
    1: 0x5555555555555555,
}


def by_place(bodies: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """Return the rows of bodies along a Z curve; those that are alike in the order of adding."""
    xy = bodies[:, :2]
    low = xy.min(axis=0)
    extent = max(float((xy.max(axis=0) - low).max()), 1e-300)
    cells = ((xy - low) * ((2**26 - 1) / extent)).astype(np.int64)
    for shift, gap in GAPS.items():
        cells = (cells | cells << shift) & gap
    keys = cells[:, 0] | cells[:, 1] << 1
    rows = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[rows]) == 0)
    if len(same):
        tied = np.zeros(len(rows), bool)
        tied[same] = tied[same + 1] = True
        some = rows[tied]
        rows[tied] = some[np.lexsort((orders[some], *bodies[some].T, keys[some]))]
    return rows


def levels_over(bodies: np.ndarray, orders: np.ndarray) -> tuple[Any, ...]:
    """Return the nodes above bodies: `nodes`, `below`, `firsts`, `alike` and `blocks`."""
    half_w, half_h = bodies[:, HALF_W], bodies[:, HALF_H]
    high = np.where(half_h < 0.0, half_w, half_h)
    around = np.where(half_h < 0.0, half_w, np.sqrt(half_w * half_w + half_h * half_h))
    low, top = bodies, np.column_stack((bodies, half_w, high, around))
    parts: list[tuple[np.ndarray, ...]] = []
    size, first, count = BLOCK, 0, 0  # `first` of those below, and `count` of all nodes so far
    while True:
        starts = np.arange(0, len(low), size)
        ends = np.append(starts[1:], len(low))
        low, top = np.minimum.reduceat(low, starts), np.maximum.reduceat(top, starts)
        orders = np.minimum.reduceat(orders, starts)
        parts.append((low, top, orders, np.column_stack((starts, ends)) + first))
        if len(low) == 1:
            break
        size, first, count = FAN, count, count + len(low)
    low, top, orders, below = map(np.concatenate, zip(*parts, strict=True))
    alike = (low == top[:, :4]).all(axis=1)
    middle = 0.5 * (low[:, :2] + top[:, :2])
    half = 0.5 * (top[:, :2] - low[:, :2])
    loss = ROUNDED * np.maximum(abs(low[:, :2]), abs(top[:, :2])).max(axis=1)
    reach = top[:, 4:6] * PRUNE_MARGIN + loss[:, None]
    around = (top[:, 6] + np.sqrt((half * half).sum(axis=1))) * PRUNE_MARGIN + loss
    nodes = np.column_stack((low[:, :2], top[:, :2], reach, middle, around))
    return nodes, below.astype(np.int32), orders, alike.astype(np.int8), len(parts[0][0])
