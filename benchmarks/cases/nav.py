"""Ways on a grid: distances from everywhere, their repair, paths, walkers.

The grid has 1024 x 1024 cells, a fifth of them closed at random. Peers that know no costs as
floats, no rule for corners, or another one, are timed at what comes nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from benchmarks.cases.memory import held
from benchmarks.maps import write_map
from benchmarks.peers import OURS
from benchmarks.race import Race, WrongAnswerError
from benchmarks.results import BYTES, Row
from benchmarks.timing import Runner
from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Grid, Paths, Rule

SIDE, QUICK_SIDE = 1024, 256
WALKERS = 20_000
PAIRS = 100
EDITS, QUICK_EDITS = 400, 40
SPREAD = "a fifth closed"
TCOD, SKIMAGE, SCIPY_GRAPH = "tcod", "scikit-image", "scipy csgraph"
PYASTAR, NANO = "pyastar2d", "nano-astar"
PEERS = {TCOD: "tcod.path", SKIMAGE: "skimage.graph", PYASTAR: "pyastar2d", NANO: "nano_astar"}


class Ground:
    """A grid with a fifth of its cells closed; the corners and the middle are open."""

    def __init__(self, side: int) -> None:
        self.side = side
        rng = np.random.default_rng(1)
        self.free = rng.random((side, side)) > 0.2
        for at in (0, side // 2, side - 3):
            self.free[at : at + 3, at : at + 3] = True
        self.grid = Grid(self.free, y_up=False)  # so that the row of a cell is its y
        self.middle = side // 2 + 1
        self.goal = (self.middle + 0.5, self.middle + 0.5)
        self.walkers = rng.uniform(0, side, (WALKERS, 2))
        field = Field(self.grid, [self.goal])
        reached = np.argwhere(np.isfinite(field.distances))
        self.pairs = reached[rng.integers(0, len(reached), (2, PAIRS))][..., ::-1] + 0.5
        self.corners = np.array([(0.5, 0.5), (side - 0.5, side - 0.5)])

    def building(self, rng: np.random.Generator) -> np.ndarray:
        """Nine cells somewhere."""
        column, row = rng.integers(0, self.side - 3, 2)
        return ((row + np.arange(3))[:, None] * self.side + column + np.arange(3)).ravel()


def races(quick: bool, skipped: dict[str, str]) -> Iterator[Race]:
    """Fields, paths and walkers, against peers."""
    ground = Ground(QUICK_SIDE if quick else SIDE)
    modules = {}
    for name, module in PEERS.items():
        try:
            modules[name] = __import__(module, fromlist=["*"])
        except ImportError as error:
            skipped[name] = str(error)
    count = ground.side * ground.side
    yield race("distances from everywhere", count, "field", field_runners(ground, modules))
    field = Field(ground.grid, [ground.goal])
    xy = ground.walkers
    yield race("20,000 walkers read", count, "tick", {OURS: lambda: read(field, xy)})
    yield race("20,000 walkers advance", count, "tick", {OURS: lambda: field.advance_many(xy, 0.1)})
    paths = Paths(ground.grid)
    ends = ground.corners
    one = path_runners(ground, paths, modules, ends[:1], ends[1:])
    yield race("a path from corner to corner", count, "path", one)
    many = path_runners(ground, paths, modules, *ground.pairs)
    yield race("100 paths", count, "100 paths", many)


def race(operation: str, count: int, per: str, runs: dict[str, Callable[[], object]]) -> Race:
    timed = {name: Runner(lambda _, run=run: run()) for name, run in runs.items()}
    return Race(operation, SPREAD, count, per, timed)


def read(field: Field, xy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return field.direction_many(xy), field.distance_many(xy)


def field_runners(ground: Ground, modules: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """Ours is compared with scipy's answer first."""
    runs: dict[str, Callable[[], object]] = {OURS: lambda: Field(ground.grid, [ground.goal])}
    expected = by_scipy(ground)
    found = Field(ground.grid, [ground.goal]).distances
    if not np.allclose(found, expected, rtol=0.0, atol=1e-4):
        raise WrongAnswerError("distances differ from those of scipy")
    runs[SCIPY_GRAPH] = lambda: by_scipy(ground)
    if TCOD in modules:
        path = modules[TCOD]
        cost = ground.free.astype(np.int8)

        def with_tcod() -> object:
            distances = path.maxarray(cost.shape, dtype=np.int32)
            distances[ground.middle, ground.middle] = 0
            return path.dijkstra2d(distances, cost, 100, 141, out=distances)

        runs[TCOD] = with_tcod
    if SKIMAGE in modules:
        graph = modules[SKIMAGE]
        costs = np.where(ground.free, 1.0, -1.0)
        goal = [(ground.middle, ground.middle)]
        runs[SKIMAGE] = lambda: graph.MCP_Geometric(costs).find_costs(goal)
    return runs


def by_scipy(ground: Ground) -> np.ndarray:
    """The distances by scipy, with the making of the graph."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    free, side = ground.free, ground.side
    numbers = np.arange(side * side).reshape(side, side)
    starts, ends, lengths = [], [], []
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        here = slice(max(-dy, 0), side - max(dy, 0)), slice(0, side - dx)
        there = slice(max(dy, 0), side - max(-dy, 0)), slice(dx, side)
        legal = free[here] & free[there]
        if dx and dy:
            legal &= free[here[0], there[1]] & free[there[0], here[1]]
        starts.append(numbers[here][legal])
        ends.append(numbers[there][legal])
        lengths.append(np.full(legal.sum(), float(np.hypot(dx, dy))))
    edges = np.concatenate(lengths), (np.concatenate(starts), np.concatenate(ends))
    graph = csr_matrix(edges, (side * side, side * side))
    found = dijkstra(graph, directed=False, indices=ground.middle * side + ground.middle)
    return found.reshape(side, side)


def path_runners(
    ground: Ground,
    paths: Paths,
    modules: dict[str, Any],
    starts: np.ndarray,
    goals: np.ndarray,
) -> dict[str, Callable[[], object]]:
    """The same pairs for everybody."""
    runs: dict[str, Callable[[], object]] = {OURS: lambda: paths.find_many(starts, goals)}
    for path, goal in zip(paths.find_many(starts, goals), goals, strict=True):
        far = Field(ground.grid, [goal]).distance(*path[0]) if len(starts) == 1 else np.inf
        if not np.hypot(*np.diff(path, axis=0).T).sum() <= far:
            raise WrongAnswerError("a path is longer than the way by cells")
    cells = [tuple(map(int, (*a, *b))) for a, b in zip(starts, goals, strict=True)]
    if PYASTAR in modules:
        astar = modules[PYASTAR].astar_path
        weights = np.where(ground.free, 1.0, np.inf).astype(np.float32)
        runs[PYASTAR] = lambda: [
            astar(weights, (y, x), (v, u), allow_diagonal=True) for x, y, u, v in cells
        ]
    if NANO in modules:  # the only one with our rule for corners
        nano = modules[NANO].astar
        closed = (~ground.free).astype(np.uint8)
        runs[NANO] = lambda: [nano(closed, (y, x), (v, u)) for x, y, u, v in cells]
    if TCOD in modules:
        finder = modules[TCOD].AStar(ground.free.astype(np.int8), 1.41)
        runs[TCOD] = lambda: [finder.get_path(y, x, v, u) for x, y, u, v in cells]
    return runs


# -- changes and memory ---


def rows(quick: bool) -> Iterator[Row]:
    """Medians over random places, and bytes a cell."""
    ground = Ground(QUICK_SIDE if quick else SIDE)
    edits = QUICK_EDITS if quick else EDITS
    count = ground.side * ground.side
    rng = np.random.default_rng(2)
    field, paths = Field(ground.grid, [ground.goal]), Paths(ground.grid)
    ends = ground.corners
    paths.connected(*ends[0], *ends[1])
    asked = {"a building, field": field.distance, "a building, areas": None}
    for operation, ask in asked.items():
        times = []
        for _ in range(edits):
            cells = ground.building(rng)
            for change in (ground.grid.block, ground.grid.unblock):
                start = process_time()
                change(cells)
                ask(*ground.goal) if ask else paths.connected(*ends[0], *ends[1])
                times.append(process_time() - start)
        yield row(f"{operation} repaired", count, "building", times)
    with TemporaryDirectory() as folder:
        tile_map = load_map(write_map(Path(folder), ground.side))
    rules = Rule("ground", BLOCKED, gids=range(1, 52)), Rule("ground", 2.0, gids=[60, 61])
    times = []
    for _ in range(5):
        start = process_time()
        grid = Grid.of(tile_map, *rules)
        times.append(process_time() - start)
    yield row("a grid from layers", count, "grid", times)
    layer, times = tile_map.layer("ground"), []
    for number in range(10 * edits):
        column, line = rng.integers(0, ground.side, 2).tolist()
        start = process_time()
        layer.set_tile(column, line, 1 + number * 7 % 100)
        times.append(process_time() - start)
    yield row("a tile set below a grid", count, "tile", times)
    for name, make in (
        ("a cell of a grid", lambda: Grid(ground.free)),
        ("a cell of a field", lambda: Field(grid, grid.center_many([0]))),
    ):
        size = held(make) / count
        yield Row(f"memory of {name}", SPREAD, count, "cell", OURS, size, size, 1, BYTES)


def row(operation: str, count: int, per: str, times: list[float]) -> Row:
    return Row(operation, SPREAD, count, per, OURS, float(np.median(times)), min(times), len(times))
