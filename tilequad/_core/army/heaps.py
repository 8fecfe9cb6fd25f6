"""Heaps: units that stand so densely that pushing them pair by pair would take for ever.

A heap is spread at once. Its units go onto rings around its middle, the nearest to the middle onto
the innermost ring, and each of them on its own side as far as there is room. So a heap becomes a
round crowd whose units just do not overlap, whatever it was: a point, a line or a blot.

Heaps are rare, so this is numpy's work.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np

HEAP = 4.5  # a cell whose units need more than so many times its area is a heap
DENSE = 3.0  # and cells beside it where they need more than this belong to the heap
CROWD = 3  # units on one point that are spread; two are pushed apart
INNERMOST = 1.16  # the radius of the first ring, in extents; those further out are 2 extents apart
DISC = 4.0 / 3.0  # the square of the radius of a crowd on rings, in squared extents of its units


def spread_heaps(xy: np.ndarray, extent: np.ndarray, small: float, side: float) -> np.ndarray:
    """Return where units begin that stand in heaps or on one point; others stay.

    `xy` are all units in dense cells, whose sides are `side`, and `extent` their larger half
    extents; a heap may have units up to the extent `small`.
    """
    heap = np.full(len(xy), -1)
    rows = np.flatnonzero(extent <= small)
    heap[rows] = _joined_cells(xy[rows], extent[rows], side)
    _split_long(heap, xy, extent)
    _join_points(heap, xy)
    placed = xy.copy()
    rows = np.flatnonzero(heap >= 0)
    if len(rows):
        heaps = np.unique(heap[rows], return_inverse=True)[1]
        placed[rows] = _on_rings(heaps, xy[rows], extent[rows])
    return placed


def _joined_cells(xy: np.ndarray, extent: np.ndarray, side: float) -> np.ndarray:
    """Return the numbers of the heaps of units, or -1: dense cells that touch are one heap."""
    places = np.floor(xy / side).astype(np.int64)
    keys = (places[:, 0] << 32) + places[:, 1]
    cells, cell = np.unique(keys, return_inverse=True)
    area, room = np.bincount(cell, 4.0 * extent * extent), side * side
    dense = {key: at for at, key in enumerate(cells.tolist()) if area[at] > DENSE * room}
    heap = np.full(len(cells), -1)
    for start in np.flatnonzero(area > HEAP * room).tolist():
        reached = [] if heap[start] >= 0 else [start]
        while reached:
            at = reached.pop()
            heap[at] = start
            key = int(cells[at])
            around = [dense.get(key + (dx << 32) + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
            reached += [one for one in around if one is not None and heap[one] < 0]
    return heap[cell]


def _split_long(heap: np.ndarray, xy: np.ndarray, extent: np.ndarray) -> None:
    """Split heaps in the middle of their longer side that are longer than they will be wide."""
    heaps = [np.flatnonzero(heap == one) for one in np.unique(heap[heap >= 0])]
    number = len(xy)
    while heaps:
        rows = heaps.pop()
        low, high = xy[rows].min(axis=0), xy[rows].max(axis=0)
        axis = int(high[1] - low[1] > high[0] - low[0])
        area = np.bincount(np.zeros(len(rows), int), extent[rows] ** 2)[0]
        width = 2.0 * sqrt(DISC * area)
        if high[axis] - low[axis] > width:
            later = xy[rows, axis] > 0.5 * (low[axis] + high[axis])
            heaps += [rows[~later], rows[later]]
        else:
            heap[rows] = number
            number += 1


def _join_points(heap: np.ndarray, xy: np.ndarray) -> None:
    """Number the heaps of several units on exactly one point."""
    rows = np.flatnonzero(heap < 0)
    rows = rows[np.lexsort(xy[rows].T)]
    begins = np.ones(len(rows), bool)
    begins[1:] = (xy[rows[1:]] != xy[rows[:-1]]).any(axis=1)
    point = np.cumsum(begins) - 1
    many = (np.bincount(point) >= CROWD)[point]
    heap[rows[many]] = 2 * len(xy) + point[many]


def _on_rings(heap: np.ndarray, xy: np.ndarray, extent: np.ndarray) -> np.ndarray:
    """Return the places of units on rings around the middles of their heaps.

    Ring m has 6 m + 3 places, and the outermost one spreads its units evenly. On each ring the
    units are in the order of their directions, and the ring is turned so that they fit best.
    """
    count = np.bincount(heap)
    middle = np.column_stack([np.bincount(heap, part) / count for part in xy.T])
    width = np.bincount(heap, extent) / count
    way = xy - middle[heap]
    away = way[:, 0] * way[:, 0] + way[:, 1] * way[:, 1]

    order = np.lexsort((away, heap))
    ring = np.empty(len(heap), np.int64)
    ring[order] = np.sqrt(_ranks(heap[order]) / 3.0)  # rings 0 to m - 1 have 3 m m places
    order = np.lexsort((_turns(way), ring, heap))
    heap, ring, way, away = heap[order], ring[order], way[order], np.sqrt(away[order])
    circle = np.cumsum(np.r_[0, (np.diff(heap) != 0) | (np.diff(ring) != 0)])
    angle = 2.0 * pi * (_ranks(circle) + 0.5) / np.bincount(circle)[circle] - pi
    turned = np.array([(cos(one), sin(one)) for one in angle.tolist()])

    way /= np.where(away > 0.0, away, 1.0)[:, None]
    along = np.bincount(circle, way[:, 0] * turned[:, 0] + way[:, 1] * turned[:, 1])
    across = np.bincount(circle, way[:, 1] * turned[:, 0] - way[:, 0] * turned[:, 1])
    length = np.sqrt(along * along + across * across)
    none = length == 0.0
    along[none], length[none] = 1.0, 1.0
    along, across = (along / length)[circle], (across / length)[circle]
    radius = width[heap] * (2.0 * ring + INNERMOST)
    places = np.empty_like(xy)
    places[order, 0] = turned[:, 0] * along - turned[:, 1] * across
    places[order, 1] = turned[:, 0] * across + turned[:, 1] * along
    places[order] = middle[heap] + radius[:, None] * places[order]
    return places


def _ranks(groups: np.ndarray) -> np.ndarray:
    """Return the places of items among those of their group; groups are sorted."""
    first = np.flatnonzero(np.r_[True, np.diff(groups) != 0])
    return np.arange(len(groups)) - np.repeat(first, np.diff(np.r_[first, len(groups)]))


def _turns(way: np.ndarray) -> np.ndarray:
    """Return how far directions are turned, from -2 to 2, the same on every machine."""
    dx, dy = way.T
    total = abs(dx) + abs(dy)
    turn = dy / np.where(total > 0.0, total, 1.0)
    return np.where(dx >= 0.0, turn, np.where(dy >= 0.0, 2.0 - turn, -2.0 - turn))
