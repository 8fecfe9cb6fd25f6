"""The shape of a grid: where its cells lie, which neighbors they have, and how far those are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad._core.ways.clipping import tidy
from tilequad._core.ways.layout import LATTICE, STAGGERED_COLUMNS, STAGGERED_ROWS
from tilequad.bounds import Bounds
from tilequad.nav.frame import CellFrame
from tilequad.tiled.geometry import grids
from tilequad.tiled.model.tile_map import TileMap, grid_of

__all__ = ["THIN", "Shape", "map_range", "need_of"]

THIN = 1e-9  # relative to a cell: what is thinner is rounding

#: How many of the two cells beside a diagonal move must be open; 3 forbids diagonal moves.
DIAGONALS = {
    "never": 3,
    "only_if_no_obstacles": 2,
    "at_least_one_walkable": 1,
    "always": 0,
}

# (column, row) of the neighbors. Of eight, those at even indices are across an edge.
_LATTICE = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]


def _staggered_rows(s: int) -> list[tuple[int, int]]:
    """The neighbors of a diamond in a line that is shifted by s."""
    return [(s, 1), (0, 2), (s - 1, 1), (-1, 0), (s - 1, -1), (0, -2), (s, -1), (1, 0)]


def _staggered_columns(s: int) -> list[tuple[int, int]]:
    return [(1, s), (0, 1), (-1, s), (-2, 0), (-1, s - 1), (0, -1), (1, s - 1), (2, 0)]


def _hexagonal_rows(s: int) -> list[tuple[int, int]]:
    return [(1, 0), (s, 1), (s - 1, 1), (-1, 0), (s - 1, -1), (s, -1)]


def _hexagonal_columns(s: int) -> list[tuple[int, int]]:
    return [(1, s), (0, 1), (-1, s), (-1, s - 1), (0, -1), (1, s - 1)]


class Shape(NamedTuple):
    """The cells of a grid, without what lies on them.

    Attributes:
        orientation: As Tiled names it.
        columns: The number of columns.
        rows: The number of rows.
        kind: `LATTICE`, `STAGGERED_ROWS` or `STAGGERED_COLUMNS`.
        flip: 1 if even lines are shifted instead of odd ones.
        frame: Where the cells lie; see `Ground`.
        outline: The corners of a cell relative to its center, (k, 2).
        hexagons: Whether cells have six sides; without a side length, hexagons are diamonds.
    """

    orientation: str
    columns: int
    rows: int
    kind: int
    flip: int
    frame: Floats
    outline: Floats
    hexagons: bool = False

    @classmethod
    def of_array(
        cls,
        shape: tuple[int, ...],
        cell: tuple[float, float],
        origin: tuple[float, float],
        y_up: bool,
    ) -> Shape:
        """The shape of an orthogonal grid whose least corner is at `origin`; row 0 is the top."""
        (x, y), (width, height) = origin, cell
        if y_up:
            frame = np.array([x, y + shape[0] * height, width, 0.0, 0.0, -height])
        else:
            frame = np.array([x, y, width, 0.0, 0.0, height])
        half_x, half_y = width / 2, height / 2
        corners = [(-half_x, -half_y), (half_x, -half_y), (half_x, half_y), (-half_x, half_y)]
        return cls("orthogonal", shape[1], shape[0], LATTICE, 0, frame, np.array(corners))

    @classmethod
    def of_map(cls, tile_map: TileMap, columns: range, rows: range) -> Shape:
        """The shape of some columns and rows of a map."""
        grid = grid_of(tile_map)
        first = np.array([columns.start, columns.start + 1, columns.start], np.int64)
        then = np.array([rows.start, rows.start, rows.start + 1], np.int64)
        outline = grid.outline()
        if outline[:, 0] @ np.roll(outline[:, 1], 1) == outline[:, 1] @ np.roll(outline[:, 0], 1):
            raise ValueError(f"tile_map must have cells with an area, got {shown(tile_map)}")
        middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
        centers = tile_map.axes.points(grid.anchors(first, then) + middle)  # type: ignore[arg-type]
        corners = outline - middle
        if tile_map.axes.y_up:
            corners = corners * (1, -1)
        size = len(columns), len(rows)
        if not isinstance(grid, grids.Staggered):
            across, down = centers[1] - centers[0], centers[2] - centers[0]
            corner = centers[0] - (across + down) / 2
            frame = np.concatenate((corner, across, down))
            return cls(tile_map.orientation, *size, LATTICE, 0, frame, corners)
        lines = columns.start if grid.stagger_x else rows.start
        flip = int(grid.stagger_even) ^ (lines & 1)
        width, height = np.ptp(outline, axis=0).tolist()
        lattice = grid.lattice
        down = -lattice.dy if tile_map.axes.y_up else lattice.dy
        x, y = centers[0].tolist()
        if grid.stagger_x:
            y -= flip * down
            parts = y, down, x, lattice.dx, width - lattice.dx
        else:
            x -= flip * lattice.dx
            parts = x, lattice.dx, y, down, height - lattice.dy
        frame = np.array([*parts, 0.0])
        kind = STAGGERED_COLUMNS if grid.stagger_x else STAGGERED_ROWS
        hexagons = grid.side > 0
        return cls(tile_map.orientation, *size, kind, flip, frame, corners, hexagons)

    @property
    def has_boxes(self) -> bool:
        """Whether each cell is a box."""
        return self.orientation == "orthogonal"

    @property
    def ring(self) -> Floats:
        """The corners of a cell counterclockwise, relative to its center; each of them once."""
        found: Floats = tidy(self.outline, THIN * float(np.ptp(self.outline, axis=0).min()))
        return found

    @property
    def directions(self) -> int:
        """How many neighbors a cell has."""
        return 6 if self.hexagons else 8

    def parity(self, column: int, row: int) -> int:
        """1 for a cell in a shifted line, else 0."""
        if self.kind == LATTICE:
            return 0
        return (row if self.kind == STAGGERED_ROWS else column) & 1 ^ self.flip

    def neighbors(self, shifted: int) -> list[tuple[int, int]]:
        """(column, row) of the neighbors of a cell, relative to it."""
        if self.kind == LATTICE:
            return _LATTICE
        if self.directions == 8:
            return (_staggered_rows if self.kind == STAGGERED_ROWS else _staggered_columns)(shifted)
        return (_hexagonal_rows if self.kind == STAGGERED_ROWS else _hexagonal_columns)(shifted)

    def centers(self, columns: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
        """The centers of cells, (n, 2)."""
        frame = self.frame
        if self.kind == LATTICE:
            u, v = columns + 0.5, rows + 0.5
            x, y = frame[0] + u * frame[2] + v * frame[4], frame[1] + u * frame[3] + v * frame[5]
            return np.stack((x, y), axis=-1)
        line, step = (rows, columns) if self.kind == STAGGERED_ROWS else (columns, rows)
        shift = (line & 1) ^ self.flip
        along, across = frame[0] + (2 * step + shift) * frame[1], frame[2] + line * frame[3]
        return np.stack(
            (along, across) if self.kind == STAGGERED_ROWS else (across, along), axis=-1
        )

    def offsets(self, ways: ArrayLike, shifted: int) -> Floats:
        """The centers of cells relative to that of a cell in an even or in a shifted line.

        Args:
            ways: (column, row) of the cells, relative to that cell, (n, 2).
            shifted: 1 if that cell is in a shifted line.
        """
        start = shifted ^ self.flip if self.kind != LATTICE else 0
        places = np.concatenate((np.zeros((1, 2), np.intp), np.reshape(ways, (-1, 2)))) + start
        centers = self.centers(places[:, 0], places[:, 1])
        offsets: Floats = centers[1:] - centers[0]
        return offsets

    def around(self, reach: int, shifted: int) -> tuple[NDArray[np.intp], Floats]:
        """The cells around a cell, as `offsets` takes and returns them; row by row, (n, 2).

        Args:
            reach: How many columns and rows on each side.
            shifted: 1 if that cell is in a shifted line.
        """
        line = np.arange(-reach, reach + 1)
        ways = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
        return ways, self.offsets(ways, shifted)

    def ends(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """The first column and row of the cells around a box, and those past the last."""
        corners = np.array([(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])])
        frame = self.frame
        if self.kind == LATTICE:
            matrix = np.array([[frame[2], frame[4]], [frame[3], frame[5]]])
            cells = np.linalg.solve(matrix, (corners - frame[:2]).T).T
            margin = 0.0
        else:
            along, across = (0, 1) if self.kind == STAGGERED_ROWS else (1, 0)
            lines = (corners[:, across] - frame[2]) / frame[3]
            steps = (corners[:, along] - frame[0]) / frame[1] / 2
            cells = np.stack(
                (steps, lines) if self.kind == STAGGERED_ROWS else (lines, steps), axis=-1
            )
            margin = 1.0
        return np.floor(cells.min(axis=0) - margin), np.ceil(cells.max(axis=0) + margin)

    def cells_in(self, low: Floats, high: Floats) -> tuple[list[tuple[int, int]], Floats]:
        """The cells with their centers in a box, row by row: (column, row) of each, and centers."""
        size = self.columns, self.rows
        low, high = np.clip((low, high), -MAX_COORDINATE, MAX_COORDINATE)
        first, past = self.ends(low, high)
        first, past = (first - 1).clip(0, size).astype(int), (past + 1).clip(0, size).astype(int)
        columns, rows = np.meshgrid(*map(np.arange, first, past))
        centers = self.centers(columns.ravel(), rows.ravel())
        near = ((centers >= low) & (centers <= high)).all(axis=1)
        own = zip(columns.ravel()[near].tolist(), rows.ravel()[near].tolist(), strict=True)
        return list(own), centers[near]

    def cell_frame(self) -> CellFrame:
        """Return where the centers lie, for drawing."""
        a, b, c, d, e, f = self.frame.tolist()
        if self.kind == LATTICE:
            origin = a + (c + e) / 2, b + (d + f) / 2
            return CellFrame(
                self.columns, self.rows, origin, (c, d), (e, f), False, False, False, 1.0
            )
        origin, across, down = (a, c), (b, 0.0), (0.0, d)
        if self.kind == STAGGERED_COLUMNS:
            origin, across, down = origin[::-1], across[::-1], down[::-1]
        slant = e / abs(d) if self.hexagons else 1.0
        lines = True, self.kind == STAGGERED_COLUMNS, bool(self.flip)
        return CellFrame(self.columns, self.rows, origin, across, down, *lines, slant)

    def steps(self) -> Floats:
        """(dx, dy) of a move in each direction."""
        places = np.array([(4, 4), *(np.add((4, 4), step) for step in self.neighbors(self.flip))])
        centers = self.centers(places[:, 0], places[:, 1])
        moves: Floats = centers[1:] - centers[0]
        return moves

    def lengths(self) -> Floats:
        """The length of a move in each direction."""
        found: Floats = np.hypot(*self.steps().T)
        return found

    def walls(self) -> Floats:
        """(nx, ny, far) of the edge in each direction: its outward normal and its distance."""
        found = np.zeros((8, 3))
        ends = np.stack((self.outline, np.roll(self.outline, -1, axis=0)), axis=1)
        middles = ends.mean(axis=1)
        for k, step in enumerate(self.steps()):
            if self.directions == 8 and k % 2:
                continue
            side = int(np.hypot(*(middles - step / 2).T).argmin())
            along = ends[side, 1] - ends[side, 0]
            normal = np.array([along[1], -along[0]]) / np.hypot(*along)
            far = float(normal @ middles[side])
            found[k] = (*normal, far) if far > 0 else (*-normal, -far)
        return found.reshape(-1)

    def pitch(self) -> float:
        """The least distance between neighboring rows or columns."""
        frame = self.frame
        if self.kind != LATTICE:
            return float(min(2 * abs(frame[1]), abs(frame[3])))
        area = abs(frame[2] * frame[5] - frame[3] * frame[4])
        return float(area / max(np.hypot(frame[2], frame[3]), np.hypot(frame[4], frame[5])))

    def bounds(self) -> Bounds:
        """The box around all cells."""
        ends = np.array([0, 1, self.columns - 2, self.columns - 1]).clip(0, self.columns - 1)
        sides = np.array([0, 1, self.rows - 2, self.rows - 1]).clip(0, self.rows - 1)
        across, down = np.meshgrid(ends, sides)
        centers = self.centers(across.ravel(), down.ravel())
        low, high = self.outline.min(axis=0), self.outline.max(axis=0)
        least, most = centers.min(axis=0) + low, centers.max(axis=0) + high
        return Bounds(*least.tolist(), *most.tolist())


def need_of(diagonal: str) -> int:
    """How many of the two cells beside a diagonal move must be open."""
    if diagonal not in DIAGONALS:
        raise ValueError(f"diagonal must be one of {', '.join(DIAGONALS)}, got {shown(diagonal)}")
    return DIAGONALS[diagonal]


def map_range(tile_map: TileMap, bounds: Bounds | None) -> tuple[range, range]:
    """The columns and rows of a map, or of the part of it around a box."""
    if bounds is None:
        if tile_map.infinite:
            raise ValueError("bounds must be given for an infinite map")
        return range(tile_map.size[0]), range(tile_map.size[1])
    whole = Shape.of_map(tile_map, range(2), range(2))
    low, high = whole.ends(np.array(bounds[:2]), np.array(bounds[2:]))
    low, high = low.astype(int), high.astype(int)
    if not tile_map.infinite:
        low, high = np.maximum(low, 0), np.minimum(high, tile_map.size)
    if (low >= high).any():
        raise ValueError(f"bounds must overlap the map, got {tuple(bounds)}")
    return range(int(low[0]), int(high[0])), range(int(low[1]), int(high[1]))
