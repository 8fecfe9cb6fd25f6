"""The rims of what cells hold: the sides around its solids, found once for each kind of cell."""

from __future__ import annotations

from itertools import pairwise
from math import floor, hypot, inf
from typing import TypeAlias

import numpy as np

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.ways.closed_cells import ClosedCells
from tilequad._core.ways.perimeters import Perimeters
from tilequad._core.ways.unions import Rims, Union
from tilequad.nav._kinds import Kinds, Point, Ring, holds

__all__ = ["shape_outlines"]

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
    outline, near = kinds.ring, NEAR * kinds.size
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
    rings: list[Ring] = [part.tolist() for part in parts]

    def join(one: int, other: int) -> None:
        first, last = sorted((patches[one], patches[other]))
        patches[:] = [first if patch == last else patch for patch in patches]

    for own, ring in enumerate(rings):
        others = [(k, one) for k, one in enumerate(rings) if k != own]
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
            dx, dy = b[0] - a[0], b[1] - a[1]
            length = hypot(dx, dy)
            if length <= near:
                continue
            cuts = sorted({0.0, 1.0, *_cuts(a, b, [one for _, one in others], near)})
            for low, high in pairwise(cuts):
                if (high - low) * length <= near:
                    continue
                middle = (low + high) / 2
                x, y = a[0] + middle * dx, a[1] + middle * dy
                out = x + near * dy / length, y - near * dx / length
                beside = [k for k, one in others if holds(one, *out)]
                for other in beside:
                    join(own, other)
                if not beside:
                    start = nodes.number(a[0] + low * dx, a[1] + low * dy)
                    end = nodes.number(a[0] + high * dx, a[1] + high * dy)
                    join(own, sides.setdefault((start, end), own))
    places = np.array(nodes.places).reshape(-1, 2)
    ends = np.array(list(sides), np.intp).reshape(-1, 2)
    along = np.roll(outline, -1, axis=0) - outline
    away = places[:, None] - outline
    beyond = along[:, 0] * away[..., 1] - along[:, 1] * away[..., 0]
    edges = abs(beyond) <= near * np.hypot(*along.T)  # by node: on which edges of the cell it is
    shared = edges[ends[:, 0]] & edges[ends[:, 1]]
    edge = np.where(shared.any(axis=1), shared.argmax(axis=1), -1)
    far = np.where(edge >= 0, (places[ends[:, 0]] * along[edge]).sum(axis=1), 0.0)
    patch = np.array(patches, np.intp)[list(sides.values())]
    rows = np.column_stack((ends, patch, edge))[np.lexsort((far, edge))]
    return np.column_stack((places, edges.any(axis=1))), rows.astype(np.int32), len(parts)


def _cuts(a: Point, b: Point, rings: list[Ring], near: float) -> list[float]:
    """Where the sides of convex parts meet a side, from 0 to 1."""
    found = []
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = hypot(dx, dy)
    for ring in rings:
        for c, d in zip(ring, ring[1:] + ring[:1], strict=True):
            x, y, other_x, other_y = c[0] - a[0], c[1] - a[1], d[0] - c[0], d[1] - c[1]
            if abs(dx * y - dy * x) <= near * length:
                found.append((x * dx + y * dy) / (length * length))
            area = dx * other_y - dy * other_x
            if abs(area) > near * near and 0.0 <= (x * dy - y * dx) / area <= 1.0:
                found.append((x * other_y - y * other_x) / area)
    return [cut for cut in found if 0.0 < cut < 1.0]


class _Nodes:
    """Gives nodes numbers; those that are near are one.

    Args:
        near: How near.
    """

    def __init__(self, near: float) -> None:
        self.near = 4 * near
        self.places: list[Point] = []
        self._known: dict[tuple[int, int], int] = {}

    def number(self, x: float, y: float) -> int:
        """The number of a node."""
        column, row = floor(x / self.near), floor(y / self.near)
        for i in (column, column - 1, column + 1):
            for j in (row, row - 1, row + 1):
                found = self._known.get((i, j))
                if found is not None:
                    other = self.places[found]
                    if max(abs(x - other[0]), abs(y - other[1])) <= self.near:
                        return found
        found = self._known[column, row] = len(self.places)
        self.places.append((x, y))
        return found
