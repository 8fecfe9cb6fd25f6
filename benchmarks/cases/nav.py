"""Ways on a grid: distances from everywhere, their repair, paths, walkers.

The grid has 1024 x 1024 cells, a fifth of them closed at random. Peers that know no costs as
floats, no rule for corners, or another one, are timed at what comes nearest.
"""

from functools import partial
from itertools import cycle

import numpy as np
import tcod.path
from nano_astar import astar
from pyastar2d import astar_path
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra
from skimage.graph import MCP_Geometric

from benchmarks.armies import scattered
from benchmarks.maps import write_map
from benchmarks.plan import OURS, Plan, Race, Races, Runner, check, in_turn
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
        self.cells = np.argwhere(np.isfinite(self.field().distances))[:, ::-1] + 0.5
        self.corners = np.array([[(0.5, 0.5)], [(side - 0.5, side - 0.5)]])

    def somewhere(self, *shape: int) -> np.ndarray:
        """Places from which the goal is reached."""
        return self.cells[self.rng.integers(0, len(self.cells), shape)]

    def field(self) -> Field:
        return Field(self.grid, [self.goal])

    def race(self, operation: str, runners: dict[str, Runner] | Runner, frames: int = 0) -> Race:
        return Race(operation, SPREAD, self.count, runners, frames=frames)


def races(plan: Plan) -> Races:
    """Fields, paths and walkers, against peers."""
    ground = Ground(plan.side)
    yield ground.race("distances from everywhere", fields(ground))
    field, xy = ground.field(), ground.rng.uniform(0, plan.side, (WALKERS, 2))
    asked = field.direction_many, field.distance_many
    yield ground.race("20,000 walkers read", lambda: [ask(xy) for ask in asked])
    pieces = ground.grid.cell_at_many(ground.somewhere(ARMY))
    yield ground.race("a turn of 1,000 pieces", partial(field.next_cell_many, pieces, avoid=pieces))
    many = ground.somewhere(2, PAIRS)
    yield ground.race("a path from corner to corner", paths(ground, *ground.corners))
    yield ground.race("100 paths", paths(ground, *many))
    yield from layers(ground)
    yield from influence()


def fields(ground: Ground) -> dict[str, Runner]:
    """Distances from everywhere; ours are compared with scipy's first."""
    cost, costs = ground.free.astype(np.int8), np.where(ground.free, 1.0, -1.0)
    middle = ground.middle, ground.middle

    def with_tcod() -> np.ndarray:
        distances = tcod.path.maxarray(cost.shape, dtype=np.int32)
        distances[middle] = 0
        return tcod.path.dijkstra2d(distances, cost, 100, 141, out=distances)

    def with_scipy() -> np.ndarray:
        """With the making of the graph."""
        free, starts, steps = np.pad(ground.free, 1), [], []
        width = len(free)
        for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            legal = free & np.roll(free, (-dy, -dx), (0, 1))
            if dx and dy:
                legal &= np.roll(free, -dy, 0) & np.roll(free, -dx, 1)
            starts.append(np.flatnonzero(legal))
            steps.append(np.full((len(starts[-1]), 2), (dy * width + dx, np.hypot(dx, dy))))
        a, (step, length) = np.concatenate(starts), np.concatenate(steps).T
        graph = csr_matrix((length, (a, a + step.astype(int))), [width * width] * 2)
        found = dijkstra(graph, directed=False, indices=(ground.middle + 1) * (width + 1))
        return found.reshape(width, width)[1:-1, 1:-1]

    check(np.allclose(ground.field().distances, with_scipy(), rtol=0, atol=1e-4), "other distances")
    return {
        OURS: lambda: ground.field().distances,
        "scipy csgraph": with_scipy,
        "tcod": with_tcod,
        "scikit-image": lambda: MCP_Geometric(costs).find_costs([middle]),
    }


def paths(ground: Ground, starts: np.ndarray, goals: np.ndarray) -> dict[str, Runner]:
    """Paths, of which a few of ours are compared with the distances of a field first."""
    ours = Paths(ground.grid)
    for path, goal in zip(ours.find_many(starts[:3], goals[:3]), goals[:3], strict=True):
        far = Field(ground.grid, [goal]).distance(*path[0])
        length = np.hypot(*np.diff(path, axis=0).T).sum()
        check(length <= far + 1e-6, "a path is longer than the way by cells")
    weights = np.where(ground.free, 1.0, np.inf).astype(np.float32)
    closed = (~ground.free).astype(np.uint8)
    finder = tcod.path.AStar(ground.free.astype(np.int8), 1.41)
    ends = np.stack((starts, goals), axis=1)[..., ::-1].astype(int)  # row and column
    pairs = [(tuple(a), tuple(b)) for a, b in ends.tolist()]
    return {
        OURS: lambda: ours.find_many(starts, goals),
        "pyastar2d": lambda: [astar_path(weights, a, b, allow_diagonal=True) for a, b in pairs],
        "nano-astar": lambda: [astar(closed, a, b) for a, b in pairs],  # with our rule for corners
        "tcod": lambda: [finder.get_path(*a, *b) for a, b in pairs],
    }


def layers(ground: Ground) -> Races:
    """A grid from the layers of a map, which then follows each tile."""
    tile_map = load_map(write_map(ground.side))
    rules = Rule("ground", BLOCKED, gids=range(1, 52)), Rule("ground", 2.0, gids=[60, 61])
    make = partial(Grid.of, tile_map, *rules)
    yield ground.race("a grid from layers", make)
    grids, layer, gids = [make()], tile_map.layer("ground"), cycle(range(1, 101))
    places = ground.rng.integers(0, ground.side, (4_000, 2)).tolist()
    edit = in_turn(lambda at: layer.set_tile(*at, next(gids)), places)
    yield ground.race("a tile set below a grid", edit)
    grids.clear()  # a grid that nobody keeps does not follow


def influence() -> Races:
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
    yield Race("influence, all change", "radius of 6 cells", count, all_change)
    yield Race("influence, a tenth steps", "radius of 6 cells", count, some_step)


def frames(plan: Plan) -> Races:
    """What a player orders: the goal moves, a building rises, an army goes to one place."""
    ground = Ground(plan.side)
    camps = ground.somewhere(CAMPS)
    yield ground.race("a goal moves by a cell", chases(ground, camps[:0]), 100)
    yield ground.race("one of 20 goals moves", chases(ground, camps[1:]), 100)
    yield ground.race("a building, field repaired", building(ground), 800)
    army, (a, b) = Paths(ground.grid), ground.corners[:, 0]
    check(bool(army.connected(*a, *b)), "the corners are not connected")
    yield ground.race("the first path", lambda: Paths(ground.grid).find(*a, *b), 30)
    starts, goals = ground.somewhere(ARMY), np.tile(ground.goal, (ARMY, 1))
    orders: dict[str, Runner] = {
        OURS: lambda: army.find_many(starts, goals),
        "one field": lambda: ground.field().direction_many(starts),
    }
    yield ground.race("1,000 paths to one goal", orders, 30)


def chases(ground: Ground, others: np.ndarray) -> dict[str, Runner]:
    """One goal walks to and fro in the middle, others stay: the field follows, or is made anew."""
    goals = [[(ground.goal[0] + dx, ground.goal[1]), *others.tolist()] for dx in (0, 1, 2, 1)]
    field = Field(ground.grid, goals[-1])

    def chase(moved: list) -> float:
        field.move_goals(moved)
        return field.distance(0.5, 0.5)

    anew = in_turn(lambda moved: Field(ground.grid, moved).distance(0.5, 0.5), goals)
    return {OURS: in_turn(chase, goals), "a new field": anew}


def building(ground: Ground) -> Runner:
    """Nine cells somewhere are closed, and opened again by the next call; a field follows."""
    field = ground.field()
    standing = []

    def change() -> None:
        if standing:
            ground.grid.unblock(standing.pop())
        else:
            column, row = ground.rng.integers(0, ground.side - 3, 2)
            inside = column + 0.5, row + 0.5, column + 2.5, row + 2.5
            standing.append(ground.grid.cells_in(inside))
            ground.grid.block(standing[0])
        field.distance(*ground.goal)

    return change
