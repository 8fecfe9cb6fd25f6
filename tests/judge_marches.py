"""How long marches take, beside the least time that is possible on their ways.

    python -m tests.judge_marches --corpus FOLDER

Groups of units pass a gate, from one side or from both, and go their ways on the frontier and on
real maps: FOLDER is the corpus that `TILEQUAD_CORPUS` names, and may be left out. Ends with code 1
if a march takes more than 1.3 times the least time, if somebody does not arrive, or if they do not
come to rest at their places.

Nobody is faster than his way is long, and no crowd faster than a gap lets it through: the first has
to come there, all have to pass it, in both directions, and the last has to go on. In a gap as wide
as w, discs of diameter d have their centers in a strip as wide as h = w - d. Up to sqrt(3) / 2 d
there is room for 1 / sqrt(d^2 - h^2) of them on a length of 1, in zigzag; above it for no more than
1 / d + 2 h / (sqrt(3) d^2), which is the bound of Groemer and Oler for points that are d apart.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, inf, sqrt
from pathlib import Path

import numpy as np
from scipy import ndimage

from tilequad import DynamicQuadtree, load_map
from tilequad.ai import March
from tilequad.nav import BLOCKED, Grid, Paths, Rule
from tilequad.tiled import MapError, TileLayer, TileMap

MOST = 1.3  # times the least time
MOST_RESTLESS, MOST_OFF = 0.01, 1.1  # radii; places are 2.2 of them apart
CALM = 60  # ticks for which all stay at their places
GROUPS, SIZE = 3, 60  # units in each
RADIUS, SPEED = 0.3, 0.125  # of a cell
LEAST_CELLS, MOST_CELLS = 900, 20_000  # of a real map
SHARES = 1 / 3, 2 / 3  # of the ground that is open
ROOMY = 2.5  # times as many cells as units
PATIENCE = 20  # times the least time: then they are no longer waited for
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Verdict:
    """What came of a march.

    Attributes:
        ticks: When all have arrived and stay at their places; inf for never.
        way: The ticks for the longest way.
        queue: The ticks for all who pass one gap, in the gap alone.
        least: The ticks for all who pass one gap, with their ways to it and from it; or `way`.
        restless: The median step after that, in radii.
    """

    ticks: float
    way: float
    queue: float
    least: float
    restless: float

    def __str__(self) -> str:
        return (
            f"{self.ticks / self.least:.2f} x {self.least:4.0f} ticks, "
            f"{self.ticks / max(self.way, self.queue):.2f} x max({self.way:4.0f}, "
            f"{self.queue:4.0f}), restless {self.restless:.3f}"
        )

    @property
    def is_good(self) -> bool:
        """Whether all have come in time, and rest at their places."""
        return self.ticks <= MOST * self.least and self.restless <= MOST_RESTLESS


class Marches:
    """Groups of units on a grid, each with a goal of its own.

    Args:
        grid: Where they walk: square cells.
        starts: Where the units of each group stand.
        goals: Where each group goes.
    """

    def __init__(self, grid: Grid, starts: list[np.ndarray], goals: list[np.ndarray]) -> None:
        self.grid, self.cell = grid, min(grid.cell_size)
        self.units: DynamicQuadtree[int] = DynamicQuadtree(grid.bounds)
        self.starts, self.speed = starts, SPEED * self.cell
        xy, radius = np.concatenate(starts), RADIUS * self.cell
        self.slots = self.units.add_many(range(len(xy)), xy, radius=radius)
        self.march = March(self.units, grid)
        self.groups = np.split(self.slots, np.cumsum([len(one) for one in starts])[:-1])
        self.gaps = gaps_of(grid)
        wide = np.bincount(np.concatenate(self.gaps, axis=None)).astype(float)
        self.capacities = capacities_of(wide)
        for slots, goal in zip(self.groups, goals, strict=True):
            self.march.send(slots, tuple(goal.tolist()))

    def judge(self) -> Verdict:
        """Let them march, and see how long it takes and how they stand."""
        bounds = self.bounds()
        most = ceil(PATIENCE * bounds[-1])
        radius, calm, ticks = RADIUS * self.cell, 0, 0
        xy = self.units.position_many(self.slots)
        while calm < CALM and ticks < most + CALM:
            told = self.march.step(self.speed)
            ticks += 1
            assert not len(told.stuck), f"tick {ticks}: {told.stuck} are stuck"
            before, xy = xy, self.units.position_many(self.slots)
            assert self.grid.is_open_many(xy).all(), f"tick {ticks}: units in a wall"
            off = np.hypot(*(xy - self.march.place_many(self.slots)).T) / radius
            calm = 0 if len(self.march.going) or off.max() > MOST_OFF else calm + 1
        step = float(np.median(np.hypot(*(xy - before).T))) / radius
        return Verdict(ticks - calm if calm == CALM else inf, *bounds, step)

    # -- the least time ----------------------------------------------------------------------------

    def bounds(self) -> tuple[float, float, float]:
        """The ticks for the longest way, for the longest queue, and for both together."""
        xy, places = np.concatenate(self.starts), self.march.place_many(self.slots)
        longest = queue = least = 0.0
        passing: dict[int, list[tuple[float, float]]] = {}  # by gap: ticks to it and from it
        for way in Paths(self.grid).find_many(xy, places):
            assert way is not None
            far = np.concatenate(([0.0], np.hypot(*np.diff(way, axis=0).T).cumsum()))
            along = np.linspace(0.0, far[-1], ceil(far[-1] / self.cell * 8.0) + 1)
            points = np.column_stack([np.interp(along, far, way[:, k]) for k in (0, 1)])
            along /= self.speed
            longest = max(longest, along[-1])
            for gap, at in zip(*self.passed(points), strict=True):
                passing.setdefault(int(gap), []).append((along[at], along[-1] - along[at]))
        for gap, ticks in passing.items():
            each = 1.0 / self.capacities[gap]
            before, behind = np.array(ticks).T
            queue = max(queue, each * len(ticks))
            for first in np.unique(before):  # those who come to the gap from then on
                last = np.sort(behind[before >= first])[::-1]
                least = max(least, float((first + each * np.arange(len(last)) + last).max()))
        return longest, queue, max(least, longest)

    def passed(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The gaps that a way of points passes, and the numbers of the points before them."""
        rows, columns = np.divmod(self.grid.cell_at_many(points), self.grid.columns)
        below, right = self.gaps
        down, across = np.flatnonzero(np.diff(rows)), np.flatnonzero(np.diff(columns))
        gaps = np.concatenate((
            below[np.minimum(rows[down], rows[down + 1]), columns[down]],
            right[rows[across + 1], np.minimum(columns[across], columns[across + 1])],
        ))  # fmt: skip
        found, first = np.unique(gaps, return_index=True)
        at = np.concatenate((down, across))[first]
        return found[found > 0], at[found > 0]


def gaps_of(grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the gaps below each cell and to its right; 0 where both cells are not open.

    A gap is a part of a line between two rows or columns, from one closed cell to the next.
    """
    free = ~grid.blocked
    below, right = np.zeros((2, *free.shape), np.int32)
    below[:-1], count = ndimage.label(free[:-1] & free[1:], [[0, 0, 0], [1, 1, 1], [0, 0, 0]])
    found, _ = ndimage.label(free[:, :-1] & free[:, 1:], [[0, 1, 0], [0, 1, 0], [0, 1, 0]])
    right[:, :-1] = np.where(found, found + count, 0)
    return below, right


def capacities_of(wide: np.ndarray) -> np.ndarray:
    """How many units gaps of so many cells let through in a tick."""
    d, strip = 2.0 * RADIUS, wide - 2.0 * RADIUS
    h = np.clip(strip, 0.0, sqrt(0.75) * d)
    many = 1.0 / d + 2.0 * strip / (sqrt(3.0) * d * d)
    return SPEED * np.where(strip <= h, 1.0 / np.sqrt(d * d - h * h), many)


# -- worlds ----------------------------------------------------------------------------------------


def marches_on(grid: Grid, seed: int) -> Marches | None:
    """Groups at random on the largest connected ground; None where there is too little of it."""
    labels, _ = ndimage.label(~grid.blocked)
    counts = np.bincount(labels.ravel())[1:]
    if not len(counts) or counts.max() < ROOMY * GROUPS * SIZE:
        return None
    ground = np.flatnonzero((labels == counts.argmax() + 1).ravel())
    rng = np.random.default_rng(seed)
    centers, left = grid.center_many(ground.astype(np.int32)), np.ones(len(ground), bool)
    starts = []
    for _ in range(GROUPS):  # each stands around a point, one in a cell
        far = np.hypot(*(centers - centers[rng.integers(len(ground))]).T)
        own = np.argsort(np.where(left, far, inf), kind="stable")[:SIZE]
        left[own] = False
        starts.append(centers[own])
    return Marches(grid, starts, list(centers[rng.integers(len(ground), size=GROUPS)]))


def grid_of(tile_map: TileMap, share: float, seed: int) -> Grid | None:
    """A grid on which some kinds of tiles are open: about that share of the first layer."""
    layers = [layer for layer in tile_map.layers if isinstance(layer, TileLayer) and len(layer)]
    if not layers or tile_map.layer(layers[0].name) is not layers[0]:
        return None
    gids, counts = np.unique(layers[0].gids(layers[0].ids()), return_counts=True)
    order = np.random.default_rng(seed).permutation(len(gids))
    closed = order[np.cumsum(counts[order]) > share * counts.sum()]
    return Grid.of(tile_map, Rule(layers[0].name, BLOCKED, gids=gids[closed].tolist()))


def frontier() -> Grid:
    """The map of the demo: roads are cheap, woods are dear."""
    tile_map = load_map(ROOT / "maps" / "frontier.tmx")
    rules = Rule("ground", BLOCKED, {"solid": True}), Rule("trees", 3.0), Rule("roads", 0.6)
    return Grid.of(tile_map, *rules)


def gate(wide: int, size: int, seed: int, *, both_ways: bool) -> Marches:
    """Units that pass a gate in a wall, from one side or from both."""
    free = np.ones((41, 60), bool)
    free[:, 29:31] = False
    free[20 - wide // 2 : 20 - wide // 2 + wide, 29:31] = True
    grid = Grid(free, 16.0)
    rng = np.random.default_rng(seed)
    west = rng.uniform((32, 132), (312, 524), (size, 2))
    east = rng.uniform((648, 132), (928, 524), (size, 2))
    goals = np.array([(780.0, 328.0), (180.0, 328.0)])
    if both_ways:
        return Marches(grid, [west, east], list(goals))
    return Marches(grid, [west], list(goals[:1]))


def real_maps(corpus: Path) -> Iterator[tuple[str, TileMap]]:
    """The orthogonal maps of middling size."""
    with (corpus / "expected.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["orientation"] == "orthogonal"]
    for row in rows:
        cells = int(row["width"]) * int(row["height"])
        if row["infinite"] == "0" and LEAST_CELLS <= cells <= MOST_CELLS:
            with suppress(MapError):
                yield row["path"], load_map(corpus / row["path"])


def worlds(corpus: Path | None, seed: int, one_in: int) -> Iterator[tuple[str, Marches]]:
    """All that is judged, with its name."""
    for wide in (1, 2, 4, 8):
        for size in (60, 240):
            for both_ways in (False, True):
                ways = "from both sides" if both_ways else "from one side"
                marches = gate(wide, size, seed, both_ways=both_ways)
                yield f"a gate of {wide}, {size} {ways}", marches
    grids = [("the frontier", frontier())]
    if corpus is not None:
        for name, tile_map in list(real_maps(corpus))[::one_in]:
            for share in SHARES:
                grid = grid_of(tile_map, share, seed)
                if grid is not None:
                    grids.append((f"{name}, {share:.0%} open", grid))
    for name, grid in grids:
        found = marches_on(grid, seed)
        if found is not None:
            yield name, found


def main() -> None:
    """Judge the marches on each map."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one-in", type=int, default=4, help="of so many real maps")
    options = parser.parse_args()
    bad = 0
    for name, marches in worlds(options.corpus, options.seed, options.one_in):
        verdict = marches.judge()
        bad += not verdict.is_good
        print(f"{'' if verdict.is_good else 'BAD: '}{verdict}: {name}", flush=True)
    print(f"{bad} too slow, late or restless")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
