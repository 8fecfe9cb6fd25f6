"""The stamps of influence: how much of it each cell around a unit has, and what a step changes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.ways.influences import FALLOFF_OF_ONE, LANES_OF_ROW
from tilequad.nav._shapes import Shape

__all__ = ["stamps_of"]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]


def stamps_of(shape: Shape, radius: float) -> tuple[Ints, Ints, Floats]:
    """Return the rows of all stamps, where those of each end, and their falloffs.

    A unit has `1 - distance / radius` of its influence on a cell, measured from center to center.
    """
    own = [_falloffs(shape, radius, shifted) for shifted in (0, 1)]
    rows: list[tuple[int, int, int, int]] = []
    ends, falloffs, count = [], [], 0
    for shifted in (0, 1) if shape.kind else (0,):
        for line in (-1, 0, 1):
            then = own[shifted ^ (line & 1)] if shape.kind else own[shifted]
            for place in (-1, 0, 1):
                stamp = np.pad(then, 1)
                if line or place:
                    stamp = np.roll(stamp, (line, place), (0, 1)) - np.pad(own[shifted], 1)
                high, wide = stamp.shape[0] // 2, stamp.shape[1] // 2
                for at in np.flatnonzero(stamp.any(axis=1)).tolist():
                    used = np.flatnonzero(stamp[at])
                    part = stamp[at, used[0] : used[-1] + 1]
                    part = np.pad(part, (0, -len(part) % LANES_OF_ROW))
                    rows.append((at - high, int(used[0]) - wide, len(part), count))
                    falloffs.append(part)
                    count += len(part)
                ends.append(len(rows))
    return np.array(rows, np.int32), np.array(ends, np.int32), np.concatenate(falloffs)


def _falloffs(shape: Shape, radius: float, shifted: int) -> Floats:
    """The falloff of each cell around one in a line that is shifted or not, as whole numbers.

    The one is in the middle.
    """
    lines, places = (shape.rows, shape.columns)[:: -1 if shape.kind == 2 else 1]
    frame = shape.frame
    if shape.kind == 0:
        steps = np.array([frame[4:6], frame[2:4]])
        gram = steps @ steps.T
        area = gram[0, 0] * gram[1, 1] - gram[0, 1] * gram[0, 1]
        bounds = radius * np.sqrt(np.array([gram[1, 1], gram[0, 0]]) / area) + 1.0
    else:
        bounds = np.array([radius / abs(frame[3]), radius / abs(2 * frame[1]) + 1.0]) + 1.0
    high, wide = np.minimum(np.floor(bounds), (lines - 1, places)).astype(int).tolist()
    line, place = np.arange(-high, high + 1)[:, None], np.arange(-wide, wide + 1)
    if shape.kind == 0:
        x = line * steps[0, 0] + place * steps[1, 0]
        y = line * steps[0, 1] + place * steps[1, 1]
    else:
        x = (2 * place + (line & 1) * (1 - 2 * shifted)) * frame[1]
        y = np.broadcast_to(line * frame[3], x.shape)
    return np.rint(FALLOFF_OF_ONE * (1.0 - np.sqrt(x * x + y * y) / radius)).clip(0.0)
