"""Ways on a grid: distances from everywhere, their repair, paths, walkers.

The grid has 1024 x 1024 cells, a fifth of them closed at random. Peers that know no costs as
floats, no rule for corners, or another one, are timed at what comes nearest.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.armies import scattered
from benchmarks.maps import write_map
from benchmarks.plan import Plan
from benchmarks.timing import OURS, Race, Runner, check
from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Grid, InfluenceMap, Paths, Rule

WALKERS, PAIRS, ARMY, CAMPS = 20_000, 100, 1_000, 20
SPREAD = "a fifth closed"


class Ground:
    """A grid with a fifth of its cells closed; the corners and the middle are open."""

    def __init__(self, side: int) -> None:
        self.side, self.count = side, side * side
        self.rng = np.random.default_rng(1)
        self.free = self.rng.random((side, side)) > 0.2
        for at in (0, side // 2, side - 3):
            self.free[at : at + 3, at : at + 3] = True
        self.grid = Grid(self.free, y_up=False)  # so that the row of a cell is its y
        self.middle = side // 2 + 1
        self.goal = (self.middle + 0.5, self.middle + 0.5)
        reached = np.argwhere(np.isfinite(self.field().distances))
        self.cells = reached[:, ::-1] + 0.5
        self.corners = np.array([[(0.5, 0.5)], [(side - 0.5, side - 0.5)]])

    def somewhere(self, *shape: int) -> np.ndarray:
        """Places from which the goal is reached."""
        return self.cells[self.rng.integers(0, len(self.cells), shape)]

    def field(self) -> Field:
        return Field(self.grid, [self.goal])

    def race(self, operation: str, runners: dict[str, Runner], frames: int = 0) -> Race:
        return Race(operation, SPREAD, self.count, runners, frames=frames)


def races(plan: Plan) -> Iterator[Race]:
    """Fields, paths and walkers, against peers."""
    ground = Ground(plan.side)
    ours = {OURS: lambda: ground.field().distances}
    yield ground.race("distances from everywhere", ours | plan.made(FIELDS, ground))
    field, xy = ground.field(), ground.rng.uniform(0, plan.side, (WALKERS, 2))
    read = {OURS: lambda: (field.direction_many(xy), field.distance_many(xy))}
    yield ground.race("20,000 walkers read", read)
    pieces = ground.grid.cell_at_many(ground.somewhere(ARMY))
    turn = {OURS: lambda: field.next_cell_many(pieces, avoid=pieces)}
    yield ground.race("a turn of 1,000 pieces", turn)
    for operation, pairs in (
        ("a path from corner to corner", ground.corners),
        ("100 paths", ground.somewhere(2, PAIRS)),
    ):
        cells = np.hstack(pairs[:, :, ::-1]).astype(int).tolist()  # row and column, twice
        rivals = plan.made(PATHS, ground, cells)
        yield ground.race(operation, {OURS: finding(ground, *pairs), **rivals})
    yield from layers(ground)
    yield from influence()


def with_scipy(ground: Ground) -> Runner:
    """The distances by scipy, with the making of the graph; ours are compared with them first."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    free = np.pad(ground.free, 1)
    width, goal = len(free), (ground.middle + 1) * len(free) + ground.middle + 1

    def run() -> np.ndarray:
        starts, steps = [], []
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            legal = free & np.roll(free, (-dy, -dx), (0, 1))
            if dx and dy:
                legal &= np.roll(free, -dy, 0) & np.roll(free, -dx, 1)
            starts.append(np.flatnonzero(legal))
            steps.append(np.full((len(starts[-1]), 2), (dy * width + dx, np.hypot(dx, dy))))
        a, (step, length) = np.concatenate(starts), np.concatenate(steps).T
        graph = csr_matrix((length, (a, a + step.astype(int))), [width * width] * 2)
        found = dijkstra(graph, directed=False, indices=goal)
        return found.reshape(width, width)[1:-1, 1:-1]

    check(np.allclose(ground.field().distances, run(), rtol=0.0, atol=1e-4), "other distances")
    return run


def with_tcod(ground: Ground) -> Runner:
    import tcod.path

    cost = ground.free.astype(np.int8)

    def run() -> object:
        distances = tcod.path.maxarray(cost.shape, dtype=np.int32)
        distances[ground.middle, ground.middle] = 0
        return tcod.path.dijkstra2d(distances, cost, 100, 141, out=distances)

    return run


def with_skimage(ground: Ground) -> Runner:
    from skimage.graph import MCP_Geometric

    costs, goal = np.where(ground.free, 1.0, -1.0), [(ground.middle, ground.middle)]
    return lambda: MCP_Geometric(costs).find_costs(goal)


FIELDS = {"scipy csgraph": with_scipy, "tcod": with_tcod, "scikit-image": with_skimage}


def finding(ground: Ground, starts: np.ndarray, goals: np.ndarray) -> Runner:
    """Our paths, of which a few are compared with the distances of a field first."""
    paths = Paths(ground.grid)
    for path, goal in zip(paths.find_many(starts[:3], goals[:3]), goals[:3], strict=True):
        far = Field(ground.grid, [goal]).distance(*path[0])
        length = np.hypot(*np.diff(path, axis=0).T).sum()
        check(length <= far + 1e-6, "a path is longer than the way by cells")
    return lambda: paths.find_many(starts, goals)


def with_pyastar2d(ground: Ground, cells: list[list[int]]) -> Runner:
    from pyastar2d import astar_path

    weights = np.where(ground.free, 1.0, np.inf).astype(np.float32)
    return lambda: [
        astar_path(weights, (y, x), (v, u), allow_diagonal=True) for y, x, v, u in cells
    ]


def with_nano_astar(ground: Ground, cells: list[list[int]]) -> Runner:
    """The only one with our rule for corners."""
    from nano_astar import astar

    closed = (~ground.free).astype(np.uint8)
    return lambda: [astar(closed, (y, x), (v, u)) for y, x, v, u in cells]


def with_tcod_astar(ground: Ground, cells: list[list[int]]) -> Runner:
    import tcod.path

    finder = tcod.path.AStar(ground.free.astype(np.int8), 1.41)
    return lambda: [finder.get_path(*pair) for pair in cells]


PATHS = {"pyastar2d": with_pyastar2d, "nano-astar": with_nano_astar, "tcod": with_tcod_astar}


def layers(ground: Ground) -> Iterator[Race]:
    """A grid from the layers of a map, which then follows each tile."""
    with TemporaryDirectory() as folder:
        tile_map = load_map(write_map(Path(folder), ground.side))
    rules = Rule("ground", BLOCKED, gids=range(1, 52)), Rule("ground", 2.0, gids=[60, 61])
    make = partial(Grid.of, tile_map, *rules)
    yield ground.race("a grid from layers", {OURS: make})
    kept, layer, gids = make(), tile_map.layer("ground"), cycle(range(1, 101))
    places = cycle(ground.rng.integers(0, ground.side, (4_000, 2)).tolist())
    edit = {OURS: lambda: layer.set_tile(*next(places), next(gids))}
    yield ground.race("a tile set below a grid", edit)
    del kept


def influence() -> Iterator[Race]:
    """An influence map of 5,000 units on 256 x 256 cells, each over a radius of six cells."""
    rng, side, count = np.random.default_rng(1), 256, 5_000
    units, slots, _ = scattered(rng, count, side)
    grid = Grid(np.ones((side, side), bool))
    values = rng.uniform(1, 100, count)
    anew = InfluenceMap(grid, units, 6, values)
    kept = InfluenceMap(grid, units, 6, values.copy())
    tenth = rng.choice(slots, count // 10, replace=False)
    here = units.position_many(tenth)
    places = cycle(((here + rng.choice((-1, 1), here.shape)).clip(0, side), here))

    def all_change() -> None:
        np.negative(values, out=values)  # each is stamped once, as if it had just come
        anew.update()

    def some_step() -> None:
        units.move_many(tenth, next(places))
        kept.update()

    all_change()
    some_step()
    fresh = InfluenceMap(grid, units, 6, kept.values)
    check(bool((fresh.totals == kept.totals).all()), "another map")
    spread = "radius of 6 cells"
    yield Race("influence, all change", spread, count, {OURS: all_change})
    yield Race("influence, a tenth steps", spread, count, {OURS: some_step})


def frames(plan: Plan) -> Iterator[Race]:
    """What a player orders: the goal moves, a building rises, an army goes to one place."""
    ground = Ground(plan.side)
    camps = ground.somewhere(CAMPS)
    yield ground.race("a goal moves by a cell", chases(ground, camps[:0]), 100)
    yield ground.race("one of 20 goals moves", chases(ground, camps[1:]), 100)
    field = ground.field()
    repaired = {OURS: building(ground, lambda: field.distance(*ground.goal))}
    yield ground.race("a building, field repaired", repaired, 800)
    paths, (a, b) = Paths(ground.grid), ground.corners[:, 0]
    check(bool(paths.connected(*a, *b)), "the corners are not connected")
    yield ground.race("the first path", {OURS: lambda: Paths(ground.grid).find(*a, *b)}, 30)
    starts, goals = ground.somewhere(ARMY), np.tile(ground.goal, (ARMY, 1))
    orders: dict[str, Runner] = {
        OURS: lambda: paths.find_many(starts, goals),
        "one field": lambda: ground.field().direction_many(starts),
    }
    yield ground.race("1,000 paths to one goal", orders, 30)


def chases(ground: Ground, others: np.ndarray) -> dict[str, Runner]:
    """One goal walks to and fro in the middle, others stay: the field follows, or is made anew."""
    goals = [[(ground.goal[0] + dx, ground.goal[1]), *others.tolist()] for dx in (0, 1, 2, 1)]
    steps, new_steps = cycle(goals), cycle(goals)
    field = Field(ground.grid, goals[-1])

    def chase() -> float:
        field.move_goals(next(steps))
        return field.distance(0.5, 0.5)

    anew = lambda: Field(ground.grid, next(new_steps)).distance(0.5, 0.5)  # noqa: E731
    return {OURS: chase, "a new field": anew}


def building(ground: Ground, ask: Callable[[], object]) -> Runner:
    """Nine cells somewhere are closed, and opened again by the next call."""
    standing: list[np.ndarray] = []

    def change() -> None:
        if standing:
            ground.grid.unblock(standing.pop())
        else:
            column, row = ground.rng.integers(0, ground.side - 3, 2)
            cells = (row + np.arange(3))[:, None] * ground.side + column + np.arange(3)
            standing.append(cells.ravel())
            ground.grid.block(standing[0])
        ask()

    return change
