"""Ways on a grid: distances from everywhere, their repair, paths, walkers.

The grid has 1024 x 1024 cells, a fifth of them closed at random. Peers that know no costs as
floats, no rule for corners, or another one, are timed at what comes nearest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.maps import write_map
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree, load_map
from tilequad.nav import BLOCKED, Field, Grid, InfluenceMap, Paths, Rule

WALKERS, PAIRS, ARMY, CAMPS = 20_000, 100, 1_000, 20
SPREAD = "a fifth closed"
ANEW, ONE_FIELD = "a new field", "one field"


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
        reached = np.argwhere(np.isfinite(Field(self.grid, [self.goal]).distances))
        self.cells = reached[:, ::-1] + 0.5
        self.corners = np.array([[(0.5, 0.5)], [(side - 0.5, side - 0.5)]])

    def somewhere(self, *shape: int) -> np.ndarray:
        """Places from which the goal is reached."""
        return self.cells[self.rng.integers(0, len(self.cells), shape)]


def races(plan: Plan) -> Iterator[Race]:
    """Fields, paths and walkers, against peers."""
    ground = Ground(plan.side)
    yield race("distances from everywhere", ground, "field", field_runners(ground, plan))
    field, xy = Field(ground.grid, [ground.goal]), ground.rng.uniform(0, plan.side, (WALKERS, 2))
    read = lambda: (field.direction_many(xy), field.distance_many(xy))  # noqa: E731
    yield race("20,000 walkers read", ground, "tick", {OURS: read})
    corner = path_runners(ground, plan, *ground.corners)
    yield race("a path from corner to corner", ground, "path", corner)
    many = path_runners(ground, plan, *ground.somewhere(2, PAIRS))
    yield race("100 paths", ground, "100 paths", many)
    pieces = ground.grid.cell_at_many(ground.somewhere(ARMY))
    turn = lambda: field.next_cell_many(pieces, avoid=pieces)  # noqa: E731
    yield race("a turn of 1,000 pieces", ground, "turn", {OURS: turn})
    yield from grid_races(ground)
    yield from influence_races()


def influence_races() -> Iterator[Race]:
    """An influence map of 5,000 units on 256 x 256 cells, each over a radius of six cells."""
    rng, side, count = np.random.default_rng(1), 256, 5_000
    units: DynamicQuadtree = DynamicQuadtree((0, 0, side, side))
    slots = units.add_many(range(count), rng.uniform(2, side - 2, (count, 2)))
    grid = Grid(np.ones((side, side), bool))
    values = rng.uniform(1, 100, len(slots))
    anew = InfluenceMap(grid, units, 6, values)
    kept = InfluenceMap(grid, units, 6, values.copy())
    tenth = rng.choice(slots, count // 10, replace=False)
    here = units.position_many(tenth)
    places = cycle((here + rng.choice((-1, 1), here.shape), here))

    def all_change() -> None:
        np.negative(values, out=values)  # each is stamped once, as if it had just come
        anew.update()

    def some_step() -> None:
        units.move_many(tenth, next(places))
        kept.update()

    spread = "radius of 6 cells"
    all_change()
    some_step()
    fresh = InfluenceMap(grid, units, 6, kept.values)
    check(bool((fresh.totals == kept.totals).all()), "another map")
    yield Race("influence, all change", spread, count, "update", {OURS: all_change})
    yield Race("influence, a tenth steps", spread, count, "moves and update", {OURS: some_step})


def race(operation: str, ground: Ground, per: str, runners: dict[str, Runner]) -> Race:
    return Race(operation, SPREAD, ground.count, per, runners)


def field_runners(ground: Ground, plan: Plan) -> dict[str, Runner]:
    """Ours is compared with scipy's answer first."""
    ours = lambda: Field(ground.grid, [ground.goal]).distances  # noqa: E731
    runners: dict[str, Runner] = {OURS: ours}
    if plan.has("scipy"):
        check(np.allclose(ours(), by_scipy(ground), rtol=0.0, atol=1e-4), "other distances")
        runners["scipy csgraph"] = lambda: by_scipy(ground)
    if plan.has("tcod"):
        import tcod.path

        cost = ground.free.astype(np.int8)

        def with_tcod() -> object:
            distances = tcod.path.maxarray(cost.shape, dtype=np.int32)
            distances[ground.middle, ground.middle] = 0
            return tcod.path.dijkstra2d(distances, cost, 100, 141, out=distances)

        runners["tcod"] = with_tcod
    if plan.has("skimage"):
        from skimage.graph import MCP_Geometric

        costs, goal = np.where(ground.free, 1.0, -1.0), [(ground.middle, ground.middle)]
        runners["scikit-image"] = lambda: MCP_Geometric(costs).find_costs(goal)
    return runners


def by_scipy(ground: Ground) -> np.ndarray:
    """The distances by scipy, with the making of the graph."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    free, side = ground.free, ground.side
    numbers = np.arange(ground.count).reshape(side, side)
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
    graph = csr_matrix(edges, (ground.count, ground.count))
    found = dijkstra(graph, directed=False, indices=ground.middle * side + ground.middle)
    return found.reshape(side, side)


def path_runners(
    ground: Ground, plan: Plan, starts: np.ndarray, goals: np.ndarray
) -> dict[str, Runner]:
    """The same pairs for everybody."""
    paths = Paths(ground.grid)
    for path, goal in zip(paths.find_many(starts[:3], goals[:3]), goals[:3], strict=True):
        far = Field(ground.grid, [goal]).distance(*path[0])
        length = np.hypot(*np.diff(path, axis=0).T).sum()
        check(length <= far + 1e-6, "a path is longer than the way by cells")
    runners: dict[str, Runner] = {OURS: lambda: paths.find_many(starts, goals)}
    cells = [tuple(map(int, (*a, *b))) for a, b in zip(starts, goals, strict=True)]
    if plan.has("pyastar2d"):
        from pyastar2d import astar_path

        weights = np.where(ground.free, 1.0, np.inf).astype(np.float32)
        runners["pyastar2d"] = lambda: [
            astar_path(weights, (y, x), (v, u), allow_diagonal=True) for x, y, u, v in cells
        ]
    if plan.has("nano_astar"):  # the only one with our rule for corners
        from nano_astar import astar

        closed = (~ground.free).astype(np.uint8)
        runners["nano-astar"] = lambda: [astar(closed, (y, x), (v, u)) for x, y, u, v in cells]
    if plan.has("tcod"):
        import tcod.path

        finder = tcod.path.AStar(ground.free.astype(np.int8), 1.41)
        runners["tcod"] = lambda: [finder.get_path(y, x, v, u) for x, y, u, v in cells]
    return runners


def grid_races(ground: Ground) -> Iterator[Race]:
    """A grid from the layers of a map, which then follows each tile."""
    with TemporaryDirectory() as folder:
        tile_map = load_map(write_map(Path(folder), ground.side))
    rules = Rule("ground", BLOCKED, gids=range(1, 52)), Rule("ground", 2.0, gids=[60, 61])
    grids = [Grid.of(tile_map, *rules)]
    yield race("a grid from layers", ground, "grid", {OURS: lambda: Grid.of(tile_map, *rules)})
    layer, gids = tile_map.layer("ground"), cycle(range(1, 101))
    places = cycle(ground.rng.integers(0, ground.side, (4_000, 2)).tolist())
    edit = {OURS: lambda: layer.set_tile(*next(places), next(gids))}
    yield race("a tile set below a grid", ground, "tile", edit)
    grids.clear()


def frames(plan: Plan) -> Iterator[Race]:
    """What a player orders: the goal moves, a building rises, an army goes to one place."""
    ground = Ground(plan.side)
    camps = ground.somewhere(CAMPS)
    yield alone("a goal moves by a cell", ground, plan.frames(100), chases(ground, camps[:0]))
    yield alone("one of 20 goals moves", ground, plan.frames(100), chases(ground, camps[1:]))
    field = Field(ground.grid, [ground.goal])
    paths, ends = Paths(ground.grid), ground.corners[:, 0]
    check(bool(paths.connected(*ends[0], *ends[1])), "the corners are not connected")
    repaired = {OURS: building(ground, lambda: field.distance(*ground.goal))}
    yield alone("a building, field repaired", ground, plan.frames(800), repaired)
    first = {OURS: lambda: Paths(ground.grid).find(*ends[0], *ends[1])}
    yield alone("the first path", ground, plan.frames(30), first)
    starts = ground.somewhere(ARMY)
    goals = np.tile(ground.goal, (ARMY, 1))
    army = Paths(ground.grid)
    orders: dict[str, Runner] = {
        OURS: lambda: army.find_many(starts, goals),
        ONE_FIELD: lambda: Field(ground.grid, [ground.goal]).direction_many(starts),
    }
    yield alone("1,000 paths to one goal", ground, plan.frames(30), orders)


def chases(ground: Ground, others: np.ndarray) -> dict[str, Runner]:
    """One goal walks to and fro in the middle, others stay: the field follows, or is made anew."""
    goals = [[(ground.goal[0] + dx, ground.goal[1]), *others.tolist()] for dx in (0, 1, 2, 1)]
    steps, new_steps = cycle(goals), cycle(goals)
    field = Field(ground.grid, goals[-1])

    def chase() -> float:
        field.move_goals(next(steps))
        return field.distance(0.5, 0.5)

    return {OURS: chase, ANEW: lambda: Field(ground.grid, next(new_steps)).distance(0.5, 0.5)}


def alone(operation: str, ground: Ground, count: int, runners: dict[str, Runner]) -> Race:
    return Race(operation, SPREAD, ground.count, "order", runners, frames=count)


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
