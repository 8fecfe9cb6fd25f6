"""The rims of what cells hold: the sides around its solids, found once for each kind of cell."""

from __future__ import annotations

from itertools import pairwise
from math import floor, inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.ways.clipping import signed_area
from tilequad._core.ways.closed_cells import ClosedCells
from tilequad._core.ways.perimeters import Perimeters
from tilequad._core.ways.unions import Rims, Union
from tilequad.nav._kinds import Kinds, holds

__all__ = ["shape_outlines"]

Point: TypeAlias = tuple[float, float]
#: The nodes of a kind, its sides and the number of its patches, as `Rims` takes them.
Rim: TypeAlias = tuple[Floats, Ints, int]

NEAR = 1e-6  # relative to a cell: nodes so near are one


def shape_outlines(
    closed: ClosedCells, kinds: Kinds, box: tuple[float, ...] | None
) -> list[tuple[Floats, ...]]:
    """Return the union of the solids that stop walkers, as polygons.

    Args:
        closed: The cells.
        kinds: The kinds of their shapes, which keep the rims that are found.
        box: Only the cells with solids that touch it; None for all.
    """
    low = (-inf, -inf, inf, inf) if box is None else box
    cells = np.array(closed.holding(*low), np.int32)
    held = closed.ground.kinds_of(cells.data)
    if not held.any():  # whole cells only
        return Perimeters(closed, box).polygons()
    outline, near = kinds.shape.outline, NEAR * kinds.size
    if signed_area(outline) < 0:
        outline = outline[::-1]
    used: dict[int, Rim] = {}
    for kind in np.flatnonzero(np.bincount(held)).tolist():
        if kind not in kinds.rims:
            parts = [part for part in kinds.corners(kind) if len(part) > 2] if kind else [outline]
            kinds.rims[kind] = _rim_of(parts, outline, near)
        used[kind] = kinds.rims[kind]
    union = Union(closed.ground, Rims(outline, near, used), cells.data)
    return union.polygons()


def _rim_of(parts: list[Floats], outline: Floats, near: float) -> Rim:
    """The outer sides of what a cell holds."""
    nodes = _Nodes(near)
    sides: dict[tuple[int, int], int] = {}  # by nodes: a part that it is a side of
    patches = list(range(len(parts)))  # by part: one that it is connected with

    def join(one: int, other: int) -> None:
        first, last = sorted((patches[one], patches[other]))
        patches[:] = [first if patch == last else patch for patch in patches]

    for own, part in enumerate(parts):
        for a, b in zip(part, np.roll(part, -1, axis=0), strict=True):
            if np.hypot(*(b - a)) <= near:  # diamonds among hexagons
                continue
            cuts = sorted({0.0, 1.0, *_cuts(a, b, parts, near)})
            for low, high in pairwise(cuts):
                start, end = a + low * (b - a), a + high * (b - a)
                length = float(np.hypot(*(end - start)))
                if length <= near:
                    continue
                out = near * np.array((end[1] - start[1], start[0] - end[0])) / length
                beside = [k for k, one in enumerate(parts) if holds(one, (start + end) / 2 + out)]
                for other in beside:
                    join(own, other)
                if not beside:
                    key = nodes.number(start), nodes.number(end)
                    join(own, sides.setdefault(key, own))
    rows = []
    places = np.array(nodes.places).reshape(-1, 2)
    edges = _edges_of(places, outline, near)
    for (one, two), own in sides.items():
        shared = np.flatnonzero(edges[one] & edges[two])
        edge = int(shared[0]) if len(shared) else -1
        along = float(places[one] @ (np.roll(outline, -1, axis=0) - outline)[edge])
        rows.append((edge, along if edge >= 0 else 0.0, one, two, patches[own]))
    rows.sort(key=lambda row: row[:2])
    found = np.array([(one, two, patch, edge) for edge, _, one, two, patch in rows], np.int32)
    on_edge = edges.max(axis=1, initial=False)
    return np.column_stack((places, on_edge)), found.reshape(-1, 4), len(parts)


def _edges_of(places: Floats, outline: Floats, near: float) -> NDArray[np.bool_]:
    """On which edges of a cell some places lie, (n, edges)."""
    found = np.zeros((len(places), len(outline)), bool)
    for k, (a, b) in enumerate(zip(outline, np.roll(outline, -1, axis=0), strict=True)):
        if np.hypot(*(b - a)) > near:
            found[:, k] = [abs(_beyond(a, b, place)) <= near for place in places]
    return found


def _cuts(a: Floats, b: Floats, parts: list[Floats], near: float) -> list[float]:
    """Where the sides of parts meet a side, from 0 to 1."""
    found = []
    along = b - a
    length2 = float(along @ along)
    for part in parts:
        for c, d in zip(part, np.roll(part, -1, axis=0), strict=True):
            if abs(_beyond(a, b, c)) <= near:
                found.append(float((c - a) @ along) / length2)
            other = d - c
            area = float(along[0] * other[1] - along[1] * other[0])
            if abs(area) > near * near:
                s = float((c - a)[0] * other[1] - (c - a)[1] * other[0]) / area
                t = float((c - a)[0] * along[1] - (c - a)[1] * along[0]) / area
                if 0.0 <= t <= 1.0:
                    found.append(s)
    return [cut for cut in found if 0.0 < cut < 1.0]


def _beyond(a: Floats, b: Floats, point: Point | Floats) -> float:
    """How far a point is from a line, to its left."""
    x, y = float(b[0] - a[0]), float(b[1] - a[1])
    length = (x * x + y * y) ** 0.5
    return float(x * (point[1] - a[1]) - y * (point[0] - a[0])) / length if length else 0.0


class _Nodes:
    """Gives nodes numbers; those that are near are one.

    Args:
        near: How near.
    """

    def __init__(self, near: float) -> None:
        self.near = 4 * near
        self.places: list[Point] = []
        self._known: dict[tuple[int, int], int] = {}

    def number(self, point: Floats) -> int:
        """The number of a node."""
        column, row = floor(point[0] / self.near), floor(point[1] / self.near)
        for x in (column, column - 1, column + 1):
            for y in (row, row - 1, row + 1):
                found = self._known.get((x, y))
                if found is not None:
                    other = self.places[found]
                    if max(abs(point[0] - other[0]), abs(point[1] - other[1])) <= self.near:
                        return found
        found = self._known[column, row] = len(self.places)
        self.places.append((float(point[0]), float(point[1])))
        return found
