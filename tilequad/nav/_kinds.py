"""What the cells of a grid hold of the shapes of tiles and objects, as kinds of convex parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats
from tilequad._core.ways.clipping import clipped_to_cells, signed_area, tidy
from tilequad._core.ways.pieces import Pieces
from tilequad._core.ways.traits import kind_numbers
from tilequad.nav._shapes import Shape

if TYPE_CHECKING:
    from tilequad.nav._blocks import Blocks

__all__ = ["Kinds", "Outline", "parts_of"]

#: Column and row, perhaps relative to others.
Cell: TypeAlias = tuple[int, int]
#: A shape: what it is, as objects have it, and its points.
Outline: TypeAlias = tuple[str, Floats]
#: What of a shape lies in a cell: the corners of its convex parts, as float64.
Held: TypeAlias = tuple[bytes, ...]

THIN = 1e-9  # relative to a cell: thinner parts are rounding
MOST_CORNERS = 60  # of a part: as many as the core has room for
ROOM = 0.125  # how far a shape stays from the way across a corner, in cells
RASTER = 8  # spots along each side of a cell
UNUSED = 1024  # kinds: before so many more, nobody looks for those that no cell has


class Kinds:
    """All kinds of what a cell holds, by the shapes in them.

    A kind that no cell has any more leaves its number to another one.

    Args:
        shape: The cells.
    """

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.size_x, self.size_y = np.ptp(shape.outline, axis=0).tolist()
        self.size = min(self.size_x, self.size_y)
        ring = shape.outline if signed_area(shape.outline) > 0 else shape.outline[::-1]
        self.ring = ring  # the corners of a cell, counterclockwise
        self.shapes: list[frozenset[Held]] = [frozenset()]  # by kind
        self.known: dict[frozenset[Held], int] = {frozenset(): 0}
        self.free: list[int] = []  # kinds that no cell has
        self.news: set[int] = set()  # kinds that `pieces` lacks
        self.asked: set[int] = set()  # kinds that were asked for since the last `drop_unused`
        self.most = UNUSED  # kinds: before there are so many, none is dropped
        self.users: WeakSet[Blocks] = WeakSet()  # whose cells are of these kinds
        low = shape.outline.min(axis=0)
        self.spot = np.array((self.size_x, self.size_y)) / RASTER
        row, column = np.divmod(np.arange(RASTER * RASTER), RASTER)
        self.spots = low + (np.stack((column, row), axis=-1) + 0.5) * self.spot
        self.inside = in_outline(self.ring, self.spots)  # which spots lie in the cell
        inside = sum(1 << k for k in np.flatnonzero(self.inside).tolist())
        self.pieces = Pieces([[]], np.concatenate((low, self.spot)), inside, self._partners())
        self._blocked: dict[int, frozenset[tuple[int, int]]] = {}
        self.rims: dict[int, Any] = {}  # by kind: its sides, for those that were asked for

    def entered(
        self, outlines: Sequence[Outline], cells: Sequence[Cell], centers: Floats
    ) -> dict[Cell, int]:
        """Enter shapes into all of some cells that they touch.

        Args:
            outlines: The shapes.
            cells: The cells.
            centers: Their centers, as the shapes have them, (n, 2).

        Returns:
            By cell, the kind.
        """
        found: dict[Cell, set[Held]] = {}
        for outline in outlines:
            for k, pieces in self._inside(outline, centers).items():
                held = tuple(piece.tobytes() for piece in pieces)
                found.setdefault(cells[k], set()).add(held)
        return {cell: self.of(shapes) for cell, shapes in found.items()}

    def touched(
        self, outlines: Sequence[Outline], cells: Sequence[Cell], centers: Floats
    ) -> list[Cell]:
        """The cells that shapes touch, as `entered` takes them; no shape is entered."""
        return [cells[k] for outline in outlines for k in self._inside(outline, centers)]

    def _inside(self, outline: Outline, centers: Floats) -> dict[int, list[Floats]]:
        """What of a shape lies in some cells, relative to the center of each."""
        found: dict[int, list[Floats]] = {}
        thin = THIN * self.size
        for part in parts_of(*outline, thin):
            for k, own in clipped_to_cells(part, self.ring, centers, thin):
                found.setdefault(k, []).extend(few_corners(own))
        return found

    def around(self, outlines: Sequence[Outline], parity: int) -> tuple[list[Cell], Floats]:
        """The cells that shapes around a cell may touch: their offsets from it, and centers.

        Args:
            outlines: The shapes, relative to the center of a cell.
            parity: 1 if that cell is in a shifted line.
        """
        corners = np.concatenate([points for _, points in outlines])
        half = np.abs(self.shape.outline).max(axis=0)
        low, high = corners.min(axis=0) - half, corners.max(axis=0) + half
        far = float(np.hypot(*np.abs(np.stack((low, high))).max(axis=0)))
        reach = 2 * ceil(far / self.shape.pitch()) + 2
        reach = min(reach, 2 * max(self.shape.columns, self.shape.rows) + 2)
        ways, centers = self.shape.around(reach, parity)
        near = ((centers >= low) & (centers <= high)).all(axis=1)
        return [(column, row) for column, row in ways[near].tolist()], centers[near]

    def of(self, shapes: set[Held] | frozenset[Held]) -> int:
        """The kind of a cell that holds some shapes."""
        key = frozenset(shapes)
        kind = self.known.get(key)
        if kind is None:  # in an order that an interrupt leaves a kind without a use
            kind = self.free.pop() if self.free else len(self.shapes)
            self.shapes[kind : kind + 1] = [key]
            self.news.add(kind)
            self.known[key] = kind
        self.asked.add(kind)
        return kind

    def both(self, one: int, other: int) -> int:
        """The kind of a cell that holds what two kinds hold."""
        return self.of(self.shapes[one] | self.shapes[other]) if one and other else one or other

    def is_whole(self, kind: int) -> bool:
        """Return whether a part of a kind is the whole cell, and its box."""
        area = self.size_x * self.size_y * (1 - THIN)
        if self.shape.orientation != "orthogonal":
            return False
        return any(len(part) > 2 and signed_area(part) >= area for part in self.corners(kind))

    def flush(self) -> None:
        """Hand new kinds to the compiled table."""
        if self.news:
            news = sorted(self.news)
            self.pieces.set(news, [self.rows(self.shapes[kind]) for kind in news])
            self.news.difference_update(news)

    def rows(self, shapes: frozenset[Held]) -> list[tuple[int, Floats]]:
        """The convex parts of some shapes, as `Pieces` takes them."""
        each = [[np.frombuffer(part).reshape(-1, 2) for part in held] for held in shapes]
        if len(each) > 1:  # by where they are, so that the order of edits does not matter
            each.sort(key=lambda parts: [part.tolist() for part in parts])
        return [(own, part) for own, parts in enumerate(each) for part in parts]

    def corners(self, kind: int) -> list[Floats]:
        """The convex parts of a kind."""
        return [part for _, part in self.rows(self.shapes[kind])]

    def drop_unused(self, held: Iterable[int]) -> None:
        """Drop the kinds that no cell has, once there are many.

        A change that is under way may have asked for a kind that it has not used yet. So a kind
        stays until the second time after it was asked for.

        Args:
            held: The traits that are kept beside the cells; read only if there are many kinds.
        """
        if len(self.shapes) - len(self.free) < self.most:
            return
        asked, self.asked = self.asked, set()
        kept = np.zeros(len(self.shapes), np.bool_)
        traits = list(held)
        for blocks in list(self.users):
            blocks.ground.mark_kinds(kept.view(np.uint8).data)
            traits += [own for _, _, own in list(blocks.held.values())]
        for kinds in kind_numbers(np.array(traits, np.uint64)):
            kept[kinds] = True
        used = int(kept.sum())
        kept[[0, *asked]] = True
        unused = np.flatnonzero(~kept).tolist()
        for kind in unused:
            if self.known.get(self.shapes[kind]) == kind:
                del self.known[self.shapes[kind]]
            self.shapes[kind] = frozenset()
            self.rims.pop(kind, None)
            for parity in (0, 1):
                self._blocked.pop(2 * kind + parity, None)
        self.pieces.set(unused, [[] for _ in unused])
        self.free = unused
        self.most = len(kept) - len(unused) + max(used, UNUSED)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "users": list(self.users)}  # a WeakSet cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, users=WeakSet(state["users"]))

    def blocked(self, kind: int, parity: int) -> frozenset[tuple[int, int]]:
        """The neighbors that no straight way leads to, from the center of a cell of a kind.

        As (column, row) relative to it. (0, 0) is among them if the center itself is no room.
        """
        key = 2 * kind + parity
        if key not in self._blocked:
            ways = [(0, 0), *self.shape.neighbors(parity)]
            steps = self.shape.offsets(ways, parity)
            parts = self.corners(kind)
            room = ROOM * self.size
            self._blocked[key] = frozenset(
                way
                for way, step in zip(ways, steps, strict=True)
                if any(_is_near(part, np.zeros(2), step / 2, room) for part in parts)
            )
        return self._blocked[key]

    def _partners(self) -> NDArray[np.int8]:
        """By parity, direction and spot: the nearest spot of the neighbor there, or -1."""
        found = np.full((2, 8, RASTER * RASTER), -1, np.int8)
        inside = np.flatnonzero(self.inside)
        own = self.spots[inside]
        for parity in (0, 1):
            steps = self.shape.offsets(self.shape.neighbors(parity), parity)
            for k, step in enumerate(steps):
                if self.shape.directions == 8 and k % 2:
                    continue
                away = (own + step - own[:, None]) / self.spot
                far = np.hypot(away[..., 0], away[..., 1])
                found[parity, k, inside] = np.where(
                    far.min(axis=1) < 1.5, inside[far.argmin(axis=1)], -1
                )
        return found.reshape(-1)


def in_outline(ring: Floats, points: Floats) -> NDArray[np.bool_]:
    """Which points lie in a convex ring, not on its edge."""
    inside = np.ones(len(points), bool)
    for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        away = points - a
        along = (b - a) / max(float(np.hypot(*(b - a))), THIN)
        if along.any():
            inside &= along[0] * away[:, 1] - along[1] * away[:, 0] > THIN * np.ptp(ring)
    return inside


def parts_of(kind: str, points: Floats, thin: float) -> list[Floats]:
    """Cut a shape into convex parts, counterclockwise; a line into segments; a point is nothing."""
    if kind == "point" or len(points) < 2:
        return []
    if kind == "polyline" or len(points) == 2:
        ends = pairwise(points)
        return [np.stack(pair) for pair in ends if np.hypot(*(pair[1] - pair[0])) > thin]
    ring = tidy(points, thin)
    if len(ring) < 3:
        return []
    if is_convex(ring):
        return [ring]
    return _joined(_slabs(points, thin), thin)


def is_convex(ring: Floats) -> bool:
    """Whether a counterclockwise ring is convex, and goes around once."""
    sides = np.roll(ring, -1, axis=0) - ring
    after = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]
    if not (turns > 0).all():
        return False
    angles = np.arctan2(turns, (sides * after).sum(axis=1))
    return bool(angles.sum() < 2 * np.pi + 1)


def _slabs(points: Floats, thin: float) -> list[Floats]:
    """Cut any polygon into trapezoids; where it covers itself twice, it is empty."""
    lines = [
        (a, b) if a[1] < b[1] else (b, a)
        for a, b in zip(points, np.roll(points, -1, axis=0), strict=True)
        if a[1] != b[1]
    ]
    levels = sorted({float(y) for y in points[:, 1]} | set(_crossings(lines)))
    levels = [y for k, y in enumerate(levels) if not k or y - levels[k - 1] > thin]
    found = []
    for low, high in pairwise(levels):
        middle = (low + high) / 2
        across = [(_x_at(line, middle), line) for line in lines if line[0][1] < middle < line[1][1]]
        across.sort(key=lambda pair: pair[0])
        for (_, left), (_, right) in zip(across[::2], across[1::2], strict=True):
            ring = [
                (_x_at(left, low), low),
                (_x_at(right, low), low),
                (_x_at(right, high), high),
                (_x_at(left, high), high),
            ]
            part = tidy(np.array(ring), thin)
            if len(part) > 2 and signed_area(part) > thin * thin:
                found.append(part)
    return found


def _x_at(line: tuple[Floats, Floats], y: float) -> float:
    """Where a line is at a height."""
    (x0, y0), (x1, y1) = line
    if y <= y0 or y >= y1:
        return float(x0 if y <= y0 else x1)
    return float(x0 + (x1 - x0) * ((y - y0) / (y1 - y0)))


def _crossings(lines: list[tuple[Floats, Floats]]) -> list[float]:
    """The heights at which lines cross."""
    found = []
    for k, (a, b) in enumerate(lines):
        for c, d in lines[k + 1 :]:
            u, v, w = b - a, d - c, c - a
            area = float(u[0] * v[1] - u[1] * v[0])
            if area:
                s = float(w[0] * v[1] - w[1] * v[0]) / area
                t = float(w[0] * u[1] - w[1] * u[0]) / area
                if 0 < s < 1 and 0 < t < 1:
                    found.append(float(a[1] + s * u[1]))
    return found


def _joined(parts: list[Floats], thin: float) -> list[Floats]:
    """Join convex parts that share a side, where that is convex."""
    parts = list(parts)
    k = 0
    while k < len(parts):
        for i in range(k):
            both = _join(parts[i], parts[k], thin)
            if both is not None:
                parts[i] = both
                del parts[k]
                k = -1
                break
        k += 1
    return parts


def _join(one: Floats, other: Floats, thin: float) -> Floats | None:
    """Join two convex parts that share a side; None if they do not, or it is not convex."""
    for i in range(len(one)):
        a, b = one[i], one[(i + 1) % len(one)]
        for j in range(len(other)):
            c, d = other[j], other[(j + 1) % len(other)]
            if np.hypot(*(a - d)) <= thin and np.hypot(*(b - c)) <= thin:
                rest = np.roll(one, -i - 1, axis=0), np.roll(other, -j - 1, axis=0)
                ring = tidy(np.concatenate((rest[0][:-1], rest[1][:-1])), thin)
                return ring if is_convex(ring) else None
    return None


def few_corners(part: Floats) -> list[Floats]:
    """Cut a convex part until no part has too many corners."""
    if len(part) <= MOST_CORNERS:
        return [part]
    half = len(part) // 2
    return few_corners(part[: half + 1]) + few_corners(np.concatenate((part[half:], part[:1])))


def holds(part: Floats, point: Floats) -> bool:
    """Whether a convex part holds a point."""
    sides, away = np.roll(part, -1, axis=0) - part, point - part
    return bool((sides[:, 0] * away[:, 1] - sides[:, 1] * away[:, 0] >= 0).all())


def _is_near(part: Floats, start: Floats, end: Floats, room: float) -> bool:
    """Whether a convex part is nearer to a segment than some room."""
    if len(part) > 2 and holds(part, start):
        return True
    return any(
        min(
            _distance(a, start, end),
            _distance(b, start, end),
            _distance(start, a, b),
            _distance(end, a, b),
        )
        < room
        or _cross(a, b, start, end)
        for a, b in zip(part, np.roll(part, -1, axis=0), strict=True)
    )


def _distance(point: Floats, start: Floats, end: Floats) -> float:
    """The distance of a point from a segment."""
    along = end - start
    length2 = float(along @ along)
    part = min(max(float((point - start) @ along) / length2, 0.0), 1.0) if length2 else 0.0
    return float(np.hypot(*(point - start - part * along)))


def _cross(a: Floats, b: Floats, c: Floats, d: Floats) -> bool:
    """Whether two segments cross."""

    def side(p: Floats, q: Floats, r: Floats) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
