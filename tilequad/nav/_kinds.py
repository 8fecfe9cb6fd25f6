"""What the cells of a grid hold of the shapes of tiles and objects, as kinds of convex parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, inf, nan
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats
from tilequad._core.ways.clipping import clipped_to_cells, signed_area, tidy
from tilequad._core.ways.pieces import Pieces
from tilequad._core.ways.traits import kind_numbers
from tilequad.nav._shapes import THIN, Shape

if TYPE_CHECKING:
    from tilequad.nav._blocks import Blocks

__all__ = ["Kinds", "Outline", "Point", "Ring", "holds", "parts_of"]

#: Column and row, perhaps relative to others.
Cell: TypeAlias = tuple[int, int]
#: A shape: what it is, as objects have it, and its points.
Outline: TypeAlias = tuple[str, Floats]
#: A line beside a part: its number, and its x at two levels.
Side: TypeAlias = tuple[int, float, float]
Point: TypeAlias = Sequence[float]
#: The corners of a part, counterclockwise; of few, Python's floats are faster.
Ring: TypeAlias = list[Point]
#: What of a shape lies in a cell: the corners of its convex parts, as float64.
Held: TypeAlias = tuple[bytes, ...]

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
        self.ring = shape.ring
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
        raster, partners = np.concatenate((low, self.spot)), self._partners()
        outline = self.ring[:0] if shape.has_boxes else self.ring
        self.pieces = Pieces([[]], outline, raster, inside, partners)
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
        if not self.shape.has_boxes:
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
        away, along = points - a, (b - a) / np.hypot(*(b - a))
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
    return _slabs(points, thin)


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
    """Cut any polygon into convex parts, level by level; where it covers itself twice, it is empty.

    A part goes on through the levels while its left and its right side stay convex.
    """
    after = np.roll(points, -1, axis=0)
    upward = points[:, 1] < after[:, 1]
    sloped = points[:, 1] != after[:, 1]
    low = np.where(upward[:, None], points, after)[sloped]
    high = np.where(upward[:, None], after, points)[sloped]
    order = np.argsort(low[:, 1], kind="stable")
    low, high = low[order], high[order]
    levels = np.unique(np.concatenate((points[:, 1], *_crossings(low, high))))
    levels = levels[np.diff(levels, prepend=-inf) > thin]
    found: list[Slab] = []
    below: dict[tuple[float, float], Slab] = {}  # by the upper side
    for bottom, top in pairwise(levels.tolist()):
        middle = (bottom + top) / 2
        lines = np.flatnonzero((low[:, 1] < middle) & (middle < high[:, 1]))
        lines = lines[np.argsort(_x_at(low[lines], high[lines], middle), kind="stable")]
        ends = [_x_at(low[lines], high[lines], y).tolist() for y in (bottom, top)]
        sides = list(zip(lines.tolist(), *ends, strict=True))
        above = {}
        for left, right in zip(sides[::2], sides[1::2], strict=True):
            part = below.get((left[1], right[1]))
            if part is None or not part.goes_on(left, right, top):
                part = Slab(left, right, bottom, top)
                found.append(part)
            above[left[2], right[2]] = part
        below = above
    rings = [tidy(np.array(part.right + part.left[::-1]), thin) for part in found]
    return [ring for ring in rings if len(ring) > 2 and signed_area(ring) > thin * thin]


class Slab:
    """A part between two lines; of each its number, and where it is at two levels."""

    def __init__(self, left: Side, right: Side, bottom: float, top: float) -> None:
        self.left, self.right = [(left[1], bottom), (left[2], top)], [(right[1], bottom)]
        self.right.append((right[2], top))
        self.lines = left[0], right[0]

    def goes_on(self, left: Side, right: Side, top: float) -> bool:
        """Whether it is convex up to another level, too; then it ends there."""
        ends = (left[2], top), (right[2], top)
        turns = (
            _turn(self.left[-2], self.left[-1], ends[0]),
            -_turn(self.right[-2], self.right[-1], ends[1]),
        )
        for line, own, turn in zip((left[0], right[0]), self.lines, turns, strict=True):
            if line != own and turn > 0:
                return False
        self.left.append(ends[0])
        self.right.append(ends[1])
        self.lines = left[0], right[0]
        return True


def _turn(a: Point, b: Point, c: Point) -> float:
    """Above 0 if the way from a over b to c turns left."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _x_at(low: Floats, high: Floats, y: float) -> Floats:
    """Where lines are at a height; beyond an end, where they end."""
    share = ((y - low[:, 1]) / (high[:, 1] - low[:, 1])).clip(0.0, 1.0)
    between: Floats = low[:, 0] + (high[:, 0] - low[:, 0]) * share
    return np.where(share < 1.0, between, high[:, 0])


def _crossings(low: Floats, high: Floats) -> Iterator[Floats]:
    """Yield the heights at which lines cross; they are sorted by their lower ends."""
    past = np.searchsorted(low[:, 1], high[:, 1])
    for k, end in enumerate(past.tolist()):
        others = slice(k + 1, end)
        (x, y), (other_x, other_y) = high[k] - low[k], (high[others] - low[others]).T
        away_x, away_y = (low[others] - low[k]).T
        area = x * other_y - y * other_x
        own, other = away_x * other_y - away_y * other_x, away_x * y - away_y * x
        area[area == 0] = nan  # they are parallel
        own, other = own / area, other / area
        crossed = (own > 0) & (own < 1) & (other > 0) & (other < 1)
        yield low[k, 1] + own[crossed] * y


def few_corners(part: Floats) -> list[Floats]:
    """Cut a convex part until no part has too many corners."""
    if len(part) <= MOST_CORNERS:
        return [part]
    half = len(part) // 2
    return few_corners(part[: half + 1]) + few_corners(np.concatenate((part[half:], part[:1])))


def holds(ring: Ring, x: float, y: float) -> bool:
    """Whether a convex part holds a point."""
    return all(
        (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0.0
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True)
    )


def _is_near(part: Floats, start: Floats, end: Floats, room: float) -> bool:
    """Whether a convex part is nearer to a segment than some room."""
    if len(part) > 2 and holds(part.tolist(), *start.tolist()):
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
