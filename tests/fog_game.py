"""A random game in fog against its twin, which counts everything again after every move.

    python -m tests.fog_game --ticks 10000 --seed 7

Every orientation gets its turn. The twin knows one rule: an open cell is seen if the line to its
center is free when it leans a hair to one side or a hair to the other, and a wall is seen if any
free line meets it. It tries the lines one by one, in fractions.
"""

from __future__ import annotations

import argparse
import copy
import pickle
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
from tqdm import tqdm

from tests.tmx import TILESET, csv_layer, write_map
from tilequad import DynamicQuadtree, load_map
from tilequad.nav import BLOCKED, Fog, Grid, Rule
from tilequad.tiled import TileMap

SIZE = COLUMNS, ROWS = 13, 11
HAIR = Fraction(1, 10**6)
ENEMY = 2
SQUARES = [(u, v) for u in ((1, 0), (-1, 0)) for v in ((0, 1), (0, -1))]
SQUARES += [(v, u) for u, v in SQUARES]
RING = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
HEXAGONS = [(u, (v[0] - u[0], v[1] - u[1])) for u, v in zip(RING, RING[1:] + RING[:1], strict=True)]

KINDS = {
    "orthogonal": "",
    "isometric": 'orientation="isometric"',
    "oblique": 'orientation="oblique" skewx="6" skewy="3"',
    **{
        f"{name}, {axis} {index}": f'orientation="{name}" staggeraxis="{axis}" '
        f'staggerindex="{index}" hexsidelength="6"'
        for name in ("staggered", "hexagonal")
        for axis in "xy"
        for index in ("odd", "even")
    },
    "staggered hexagons without a side": 'orientation="hexagonal" staggeraxis="y" '
    'staggerindex="odd" hexsidelength="0"',
}


def map_of(kind: str, walls: np.ndarray, folder: Path) -> TileMap:
    """A map in which a layer has the walls."""
    rows, columns = walls.shape
    layer = csv_layer("walls", walls.astype(int).tolist())
    path = write_map(folder, TILESET, layer, size=(columns, rows), attributes=KINDS[kind])
    return load_map(path)


def grid_of(kind: str, walls: np.ndarray, folder: Path) -> Grid:
    """The grid of such a map."""
    return Grid.of(map_of(kind, walls, folder), Rule("walls", BLOCKED))


def caves(rng: Random, share: float, size: tuple[int, int] = SIZE) -> np.ndarray:
    """Random walls, (rows, columns)."""
    columns, rows = size
    return np.array([[rng.random() < share for _ in range(columns)] for _ in range(rows)])


class Sight:
    """The twin of a field of view."""

    def __init__(self, kind: str, grid: Grid) -> None:
        self.hexagonal = kind.startswith("hexagonal")
        self.wedges = HEXAGONS if self.hexagonal else SQUARES
        cells = [divmod(cell, grid.columns) for cell in range(len(grid))]
        self.spots = [_spot(kind, column, row) for row, column in cells]
        self.cell_of = {spot: cell for cell, spot in enumerate(self.spots)}
        self.centers = grid.center_many(np.arange(len(grid)))

    def circle(self, cell: int, radius: float | None, cells: float | None) -> list[int]:
        """The cells within a radius."""
        if cells is None:
            dx, dy = (self.centers - self.centers[cell]).T
            return np.flatnonzero(dx * dx + dy * dy <= radius * radius).tolist()
        i, j = np.subtract(self.spots, self.spots[cell]).T
        if self.hexagonal:
            far = np.max([abs(i), abs(j), abs(i + j)], axis=0)
            return np.flatnonzero(far <= cells).tolist()
        return np.flatnonzero(i * i + j * j <= cells * cells).tolist()

    def sees(self, walls: np.ndarray, cell: int, other: int) -> bool:
        """Whether one cell is seen from another."""
        if cell == other:
            return True
        i, j = np.subtract(self.spots[other], self.spots[cell]).tolist()
        for u, v in self.wedges:
            area = u[0] * v[1] - u[1] * v[0]
            depth = (i * v[1] - j * v[0]) // area
            aside = (u[0] * j - u[1] * i) // area
            if 0 <= aside <= depth:
                slopes = _slopes_to(depth, aside, bool(walls.flat[other]))
                if any(self._free(walls, cell, (u, v), depth, slope) for slope in slopes):
                    return True
        return False

    def _free(
        self, walls: np.ndarray, cell: int, wedge: tuple, depth: int, slope: Fraction
    ) -> bool:
        """Whether a line passes no wall before a row."""
        (ui, uj), (vi, vj) = wedge
        i, j = self.spots[cell]
        for row in range(1, depth):
            aside = (row * slope + Fraction(1, 2)).__floor__()
            place = self.cell_of.get((i + row * ui + aside * vi, j + row * uj + aside * vj))
            if place is None or walls.flat[place]:
                return False
        return True


def _spot(kind: str, column: int, row: int) -> tuple[int, int]:
    """A cell among squares, or the first two of the three coordinates of a hexagon."""
    if not kind.startswith(("staggered", "hexagonal")):
        return column, row
    by_columns, even = ", x" in kind, "even" in kind
    line, step = (column, row) if by_columns else (row, column)
    halves = 2 * step + (line % 2 != even)
    if kind.startswith("hexagonal"):
        return (halves - line) // 2, line
    return (halves + line) // 2, (halves - line) // 2


def _slopes_to(depth: int, aside: int, wall: bool) -> Iterator[Fraction]:
    """Lines to a cell: past the center of an open one; to a wall, one between any two bends."""
    if not wall:
        yield from (
            slope
            for slope in (Fraction(aside, depth) - HAIR, Fraction(aside, depth) + HAIR)
            if 0 < slope < 1
        )
        return
    low = max(Fraction(2 * aside - 1, 2 * depth), Fraction(0))
    high = min(Fraction(2 * aside + 1, 2 * depth), Fraction(1))
    ends = {Fraction(2 * i + 1, 2 * row) for row in range(1, depth) for i in range(row)}
    bends = sorted({low, high} | {slope for slope in ends if low < slope < high})
    for before, after in pairwise(bends):
        yield (before + after) / 2


class Seer:
    """The twin of a viewer."""

    def __init__(self, team: int, unit: str | None, cell: int, reach: tuple, over: bool) -> None:
        self.team = team
        self.unit = unit
        self.cell = cell
        self.reach = reach
        self.over = over


class Game:
    """A fog, a tree and a grid, led through random changes, and what must be seen.

    All that it has can be copied in the middle of the game.
    """

    TEAMS = 2

    def __init__(self, kind: str, seed: int, folder: Path) -> None:
        self.rng = Random(f"{kind} {seed}")
        self.tile_map = map_of(kind, caves(self.rng, 0.15), folder)
        self.grid = Grid.of(self.tile_map, Rule("walls", BLOCKED))
        self.sight = Sight(kind, self.grid)
        self.units: DynamicQuadtree[str] = DynamicQuadtree(self.grid.bounds)
        self.fog = Fog(self.grid, self.TEAMS, self.units)
        self.twins: dict = {}  # of the viewers
        self.explored = np.zeros((self.TEAMS, ROWS, COLUMNS), bool)
        self.named = 0
        self._known: dict = {}

    def tick(self) -> None:
        """Change something, update, and compare."""
        changes = [self.walk] * 8 + [self.add] * 3 + [self.remove, self.kill, self.resize]
        changes += [self.switch, self.build, self.set_tile, self.move_place, self.return_unit]
        changes += [self.reveal, self.spawn, self.spawn]
        for change in self.rng.choices(changes, k=self.rng.choice((1, 1, 2, 5))):
            change()
            self.compare()
        self.fog.update()
        self.follow()
        self.compare()

    # -- changes --

    def place(self) -> tuple[float, float]:
        """A place on the map; sometimes outside."""
        low_x, low_y, high_x, high_y = self.grid.bounds
        x, y = self.rng.uniform(-0.1, 1.1), self.rng.uniform(-0.1, 1.1)
        return low_x + x * (high_x - low_x), low_y + y * (high_y - low_y)

    def reach(self) -> tuple[float | None, float | None]:
        """A radius, in world units or in cells."""
        if self.rng.random() < 0.5:
            return self.rng.choice((0, 10, 24, 40, 51.5)), None
        return None, self.rng.choice((0, 1, 2, 2.5, 3, 4))

    def spawn(self) -> None:
        """A unit comes."""
        self.named += 1
        self.units.add(f"unit {self.named}", *self.place(), groups=self.rng.choice((1, ENEMY)))

    def add(self) -> None:
        """A viewer comes."""
        team, over = self.rng.randrange(self.TEAMS), self.rng.random() < 0.3
        radius, cells = self.reach()
        options = {"team": team, "radius_in_cells": cells, "over_walls": over}
        unit = None
        x, y = self.place()
        if len(self.units) and self.rng.random() < 0.7:
            unit = self.rng.choice(list(self.units))
        if len(self.twins) < 12:
            if unit is None:
                viewer = self.fog.add(x, y, radius, **options)
            else:
                viewer = self.fog.follow(unit, radius, **options)
                x, y = self.units.position(unit)
            cell = self.grid.cell_at(x, y)
            self.twins[viewer] = Seer(team, unit, cell, (radius, cells), over)

    def any_viewer(self) -> tuple:
        """A viewer and its twin, or none."""
        viewer = self.rng.choice(list(self.twins)) if self.twins else None
        return viewer, self.twins.get(viewer)

    def remove(self) -> None:
        """A viewer goes."""
        viewer, twin = self.any_viewer()
        if twin:
            self.fog.remove(viewer)
            del self.twins[viewer]

    def kill(self) -> None:
        """A unit is removed."""
        if len(self.units):
            self.units.remove(self.rng.choice(list(self.units)))

    def return_unit(self) -> None:
        """A unit is removed, and one that is equal comes, often in the same slot."""
        if len(self.units):
            unit = self.rng.choice(list(self.units))
            self.units.remove(unit)
            self.units.add(unit, *self.place())
            for twin in self.twins.values():
                if twin.unit == unit:
                    twin.unit = "gone"

    def walk(self) -> None:
        """All units walk a little."""
        for unit in list(self.units):
            x, y = self.units.position(unit)
            self.units.move(unit, x + self.rng.gauss(0, 8), y + self.rng.gauss(0, 8))

    def move_place(self) -> None:
        """A viewer at a place moves."""
        viewer, twin = self.any_viewer()
        if twin and viewer.item is None:
            x, y = self.place()
            self.fog.move(viewer, x, y)
            twin.cell = self.grid.cell_at(x, y)

    def resize(self) -> None:
        """A viewer sees farther, or less far."""
        viewer, twin = self.any_viewer()
        if twin:
            radius, cells = twin.reach = self.reach()
            self.fog.resize(viewer, radius, radius_in_cells=cells)

    def switch(self) -> None:
        """A viewer changes sides."""
        viewer, twin = self.any_viewer()
        if twin:
            twin.team = self.rng.randrange(self.TEAMS)
            self.fog.set_team(viewer, twin.team)

    def build(self) -> None:
        """A building comes, or cells open and close."""
        cells = self.rng.sample(range(len(self.grid)), self.rng.choice((1, 2, 9)))
        self.grid.set_costs(cells, [self.rng.choice((1.0, 2.0, BLOCKED)) for _ in cells])

    def set_tile(self) -> None:
        """A tile of the map comes or goes."""
        layer = self.tile_map.layer("walls")
        layer.set_tiles([(self.rng.randrange(COLUMNS), self.rng.randrange(ROWS))],
                        [self.rng.randrange(2)])  # fmt: skip

    def reveal(self) -> None:
        """A saved picture of the map is read."""
        team = self.rng.randrange(self.TEAMS)
        self.explored[team] = caves(self.rng, 0.5)
        self.fog.set_explored(self.explored[team], team)

    # -- the twin --

    def follow(self) -> None:
        """What `update` does."""
        for viewer, twin in list(self.twins.items()):
            if viewer.item is not None:
                if twin.unit not in self.units:
                    del self.twins[viewer]
                else:
                    twin.cell = self.grid.cell_at(*self.units.position(twin.unit))

    def seen(self, twin: Seer) -> list[int]:
        """The cells that a viewer sees."""
        walls = self.grid.blocked
        if twin.cell is None:
            return []
        key = twin.cell, twin.reach, twin.over or walls.tobytes()
        if key not in self._known:
            cells = self.sight.circle(twin.cell, *twin.reach)
            if not twin.over:
                cells = [cell for cell in cells if self.sight.sees(walls, twin.cell, cell)]
            if len(self._known) > 500:
                self._known.clear()
            self._known[key] = cells
        return self._known[key]

    def compare(self) -> None:
        """All that the fog says is what the twin counts."""
        counts = np.zeros((self.TEAMS, ROWS, COLUMNS), np.uint16)
        for twin in self.twins.values():
            counts[twin.team].flat[self.seen(twin)] += 1
        self.explored |= counts > 0
        assert set(self.fog) == set(self.twins)
        for team in range(self.TEAMS):
            assert (self.fog.counts(team) == counts[team]).all()
            states = np.where(counts[team] > 0, 2, self.explored[team].astype(int))
            assert (self.fog.states(team) == states).all()
        self.compare_units(counts > 0)

    def compare_units(self, visible: np.ndarray) -> None:
        """The units that are seen are those in visible cells."""
        groups, without = self.rng.choice((None, 1, ENEMY)), self.rng.choice((None, 0, 1, ENEMY))
        team = self.rng.randrange(self.TEAMS)
        seen = self.fog.seen_units(team, groups=groups, without=without)
        for unit in self.units:
            cell = self.grid.cell_at(*self.units.position(unit))
            wanted = groups is None or self.units.groups(unit) & groups != 0
            wanted = wanted and not self.units.groups(unit) & (without or 0)
            expected = cell is not None and wanted and bool(visible[team].flat[cell])
            assert bool(seen[self.units.slot(unit)]) == expected
        assert seen.sum() <= len(self.units)

    def copied(self, by_pickle: bool) -> None:
        """Go on with a copy of everything; the copies know each other as the originals did."""
        names = "rng", "tile_map", "grid", "units", "fog", "twins", "explored"
        parts = [getattr(self, name) for name in names]
        parts = pickle.loads(pickle.dumps(parts)) if by_pickle else copy.deepcopy(parts)
        for name, part in zip(names, parts, strict=True):
            setattr(self, name, part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ticks", type=int, default=10_000, help="of each orientation")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for kind in KINDS:
        with TemporaryDirectory() as folder:
            game = Game(kind, given.seed, Path(folder))
            for number in tqdm(range(given.ticks), kind, disable=None):
                game.tick()
                if number % 500 == 499:
                    game.copied(by_pickle=number % 1000 == 999)


if __name__ == "__main__":
    main()
