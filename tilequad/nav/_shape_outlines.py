"""The outlines of cells and of the shapes in them: their union as polygons, without seams.

The sides of each cell's solids are found once for each kind. Where two cells meet, what both sides
have in common cancels out. What is left is followed from corner to corner into rings.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import atan2, floor, hypot
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.ways.ground import Ground
from tilequad.nav._kinds import THIN, Kinds, signed_area

__all__ = ["shape_outlines"]

Floats: TypeAlias = NDArray[np.float64]
Point: TypeAlias = tuple[float, float]
Side: TypeAlias = tuple[Point, Point]

NEAR = 1e-6  # relative to a cell: corners so near are one


def shape_outlines(ground: Ground, kinds: Kinds, cells: Iterable[int]) -> list[tuple[Floats, ...]]:
    """Return the union of the solids of some cells that stop walkers, as polygons.

    Args:
        ground: The cells.
        kinds: The kinds of their shapes.
        cells: Those to take.
    """
    near = NEAR * kinds.size
    sides: list[Side] = []
    borders: dict[tuple[int, int], list[Side]] = {}  # by border: where sides lie
    known: dict[int, tuple[list[Side], dict[int, list[Side]]]] = {}
    held = set(cells)
    whole = {cell for cell in held if ground.traits_at(cell) >> 16 & 0xFFFFFF == 0}
    for cell in sorted(held):
        kind = ground.traits_at(cell) >> 16 & 0xFFFFFF
        if kind not in known:
            known[kind] = _sides_of(kind, kinds, near)
        x, y = ground.center_of(cell)
        inner, border = known[kind]
        sides += [((a + x, b + y), (c + x, d + y)) for (a, b), (c, d) in inner]
        for k, own in border.items():
            other = _across(ground, kinds, cell, k)
            if cell in whole and other in whole:
                continue
            key = (min(cell, other), max(cell, other)) if other >= 0 else (cell, -1 - k)
            moved = [((a + x, b + y), (c + x, d + y)) for (a, b), (c, d) in own]
            borders.setdefault(key, []).extend(moved)
    for shared in borders.values():
        sides += _left_over(shared, near)
    return _polygons(_rings(sides, near), near)


# -- the sides of one cell ---


def _sides_of(kind: int, kinds: Kinds, near: float) -> tuple[list[Side], dict[int, list[Side]]]:
    """The outer sides of what a cell holds: those within it, and those on its borders."""
    outline = kinds.shape.outline
    if signed_area(outline) < 0:
        outline = outline[::-1]
    parts = [part for part in kinds.corners(kind) if len(part) > 2] if kind else [outline]
    found: dict[tuple[int, int, int, int], Side] = {}
    for part in parts:
        for a, b in zip(part, np.roll(part, -1, axis=0), strict=True):
            if np.hypot(*(b - a)) <= near:  # diamonds among hexagons
                continue
            cuts = sorted({0.0, 1.0, *_cuts(a, b, parts, near)})
            for low, high in pairwise(cuts):
                start, end = a + low * (b - a), a + high * (b - a)
                length = float(np.hypot(*(end - start)))
                if length <= near:
                    continue
                before = (start + end) / 2 + near * np.array(
                    (end[1] - start[1], start[0] - end[0])
                ) / length
                if any(_holds(other, before) for other in parts):
                    continue
                side = _point(start), _point(end)
                key = tuple(floor(value / near / 4 + 0.5) for end in side for value in end)
                found[key] = side  # type: ignore[index]
    inner: list[Side] = []
    border: dict[int, list[Side]] = {}
    for side in found.values():
        for k, (a, b) in enumerate(zip(outline, np.roll(outline, -1, axis=0), strict=True)):
            if np.hypot(*(b - a)) > near and all(abs(_beyond(a, b, end)) <= near for end in side):
                border.setdefault(k, []).append(side)
                break
        else:
            inner.append(side)
    return inner, border


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


def _holds(part: Floats, point: Floats) -> bool:
    """Whether a convex part holds a point."""
    sides, away = np.roll(part, -1, axis=0) - part, point - part
    return bool((sides[:, 0] * away[:, 1] - sides[:, 1] * away[:, 0] >= 0).all())


def _point(point: Floats) -> Point:
    return float(point[0]), float(point[1])


# -- between cells ---


def _across(ground: Ground, kinds: Kinds, cell: int, k: int) -> int:
    """The cell across a side of another one, -1 for none."""
    outline = kinds.shape.outline
    if signed_area(outline) < 0:
        outline = outline[::-1]
    middle = (outline[k] + outline[(k + 1) % len(outline)]) / 2
    x, y = ground.center_of(cell)
    other: int = ground.cell_at(x + 1.5 * middle[0], y + 1.5 * middle[1])
    return other


def _left_over(sides: list[Side], near: float) -> list[Side]:
    """Sides on one line, without what runs along it both ways."""
    (x0, y0), (x1, y1) = sides[0]
    length = hypot(x1 - x0, y1 - y0)
    along = (x1 - x0) / length, (y1 - y0) / length

    def place(point: Point) -> float:
        return (point[0] - x0) * along[0] + (point[1] - y0) * along[1]

    ends = sorted({(place(point), point) for side in sides for point in side})
    marks: list[tuple[float, Point]] = []
    for mark in ends:
        if not marks or mark[0] - marks[-1][0] > near:
            marks.append(mark)
    found = []
    for (low, start), (high, end) in pairwise(marks):
        middle = (low + high) / 2
        runs = {place(b) > place(a) for a, b in sides if _between(place(a), middle, place(b))}
        if len(runs) == 1:
            found.append((start, end) if runs.pop() else (end, start))
    return found


def _between(one: float, middle: float, other: float) -> bool:
    return min(one, other) < middle < max(one, other)


# -- rings ---


class _Corners:
    """Gives corners numbers; those that are near are one.

    Args:
        near: How near.
    """

    def __init__(self, near: float) -> None:
        self.near = 4 * near
        self.places: list[Point] = []
        self._known: dict[tuple[int, int], int] = {}

    def number(self, point: Point) -> int:
        """The number of a corner."""
        column, row = floor(point[0] / self.near), floor(point[1] / self.near)
        for x in (column, column - 1, column + 1):
            for y in (row, row - 1, row + 1):
                found = self._known.get((x, y))
                if found is not None:
                    other = self.places[found]
                    if max(abs(point[0] - other[0]), abs(point[1] - other[1])) <= self.near:
                        return found
        found = self._known[column, row] = len(self.places)
        self.places.append(point)
        return found


def _rings(sides: list[Side], near: float) -> list[Floats]:
    """Follow sides into rings that do not touch themselves."""
    corners = _Corners(near)
    after: dict[int, list[int]] = {}
    for start, end in sides:
        one, other = corners.number(start), corners.number(end)
        if one != other and other not in after.setdefault(one, []):
            after[one].append(other)
    found = []
    for first in list(after):
        while after[first]:
            way, here = [first], after[first].pop()
            at = {first: 0}
            while True:
                if here in at:  # what lies between is a ring of its own
                    ring = way[at[here] :]
                    found.append(np.array([corners.places[k] for k in ring]))
                    for k in ring[1:]:
                        del at[k]
                    del way[at[here] + 1 :]
                    if here == first and not (len(way) == 1 and after[here]):
                        break
                else:
                    at[here] = len(way)
                    way.append(here)
                before = corners.places[way[-2]] if len(way) > 1 else None
                ends = after.get(here, [])
                if not ends:
                    break
                here = ends.pop(_leftmost(corners.places, before, way[-1], ends))
    return found


def _leftmost(places: list[Point], before: Point | None, here: int, ends: list[int]) -> int:
    """Which of some corners lies most to the left of the way."""
    if len(ends) == 1 or before is None:
        return len(ends) - 1
    x, y = places[here]
    dx, dy = x - before[0], y - before[1]

    def turn(k: int) -> float:
        to_x, to_y = places[ends[k]][0] - x, places[ends[k]][1] - y
        return atan2(dx * to_y - dy * to_x, dx * to_x + dy * to_y)

    return max(range(len(ends)), key=turn)


def _polygons(rings: list[Floats], near: float) -> list[tuple[Floats, ...]]:
    """Put holes into the rings around them, and leave out corners that are none."""
    outer: list[Floats] = []
    holes: list[Floats] = []
    for ring in rings:
        ring = _bent(ring, near)
        if len(ring) > 2:
            (outer if signed_area(ring) > 0 else holes).append(ring)
    found = [[ring] for ring in outer]
    boxes = np.array([(*ring.min(axis=0), *ring.max(axis=0)) for ring in outer]).reshape(-1, 4)
    areas = np.array([signed_area(ring) for ring in outer])
    for hole in holes:
        low, high = hole.min(axis=0) + near, hole.max(axis=0) - near
        around = ((boxes[:, :2] <= low) & (boxes[:, 2:] >= high)).all(axis=1)
        middle = _inner_point(hole)
        for k in sorted(np.flatnonzero(around).tolist(), key=lambda k: float(areas[k])):
            if areas[k] > -signed_area(hole) and _is_around(outer[k], middle):
                found[k].append(hole)
                break
    return [tuple(several) for several in found]


def _bent(ring: Floats, near: float) -> Floats:
    """A ring without the corners where it goes straight on."""
    kept = list(ring)
    k = 0
    while k < len(kept) and len(kept) > 2:
        before, after = kept[k - 1], kept[(k + 1) % len(kept)]
        if abs(_beyond(before, after, kept[k])) <= near / 4:
            del kept[k]
            k = max(k - 1, 0)
        else:
            k += 1
    return np.array(kept)


def _inner_point(ring: Floats) -> Floats:
    """A point inside of a ring: beside the middle of its longest side."""
    sides = np.roll(ring, -1, axis=0) - ring
    lengths = np.hypot(*sides.T)
    k = int(lengths.argmax())
    toward = np.array((-sides[k, 1], sides[k, 0])) / lengths[k]
    if signed_area(ring) < 0:
        toward = -toward
    found: Floats = ring[k] + sides[k] / 2 + toward * THIN * lengths[k]
    return found


def _is_around(ring: Floats, point: Floats) -> bool:
    """Whether a ring goes around a point."""
    x, y = point.tolist()
    ends = np.roll(ring, -1, axis=0)
    crossed = (ring[:, 1] <= y) != (ends[:, 1] <= y)
    a, b = ring[crossed], ends[crossed]
    at = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool((x < at).sum() % 2)
