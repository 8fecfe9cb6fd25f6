"""What is seen: from a cell, by 2,000 viewers that all move, and along lines among walls.

And what the first questions cost after a door of a grid has opened or closed, and after a building
has come or gone.
"""

from functools import partial
from itertools import count, cycle

import numpy as np
import tcod.constants
import tcod.map

from benchmarks.armies import planted
from benchmarks.plan import OURS, Plan, Race, Races, Runner, check, in_turn
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.ai import separate
from tilequad.nav import Field, Fog, Grid, LineOfSight, Walls

RADIUS, PLACES = 20, 1_000  # cells of the field of view, and from how many places it is asked
VIEWERS, VIEW = 2_000, 8
SHARES = {"open": 0.0, "a tenth closed": 0.1}
WALLED = "a tenth closed"
STEPS = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)]
WORLD, TILE, TILES = 4_096, 16, 8_820  # px, px, and the walls of a town
LOOKS, LOOK = 10_000, 300.0  # looks, and how far they go along x and y at most
REACH = 400.0  # px, the radius of an outline
CROWD, DOORS, DOOR = 500, 400, 3 * TILE  # units beside doors, doors, and their side in px
BUILDINGS = 200  # places for buildings, and viewers around


def races(plan: Plan) -> Races:
    """Fields of view from many places: one place again and again is learned by the processor."""
    side = plan.side
    for spread, share in SHARES.items():
        free = cells(side, share)
        places = np.random.default_rng(2).integers(RADIUS, side - RADIUS, (PLACES, 2))
        free[places[:, 1], places[:, 0]] = True
        fog = Fog(Grid(free, y_up=False))
        see = partial(fog.field_of_view, radius_in_cells=RADIUS)
        ours = in_turn(lambda at, see=see: see(*at), (places + 0.5).tolist())
        runners = {OURS: ours, "tcod, cut out": with_tcod(free, places, fog)}
        yield Race("a field of view, radius 20", spread, side * side, runners)
    yield from lines()


def cells(side: int, share: float) -> np.ndarray:
    """Cells that can be seen through, but for a share of them."""
    return np.random.default_rng(1).random((side, side)) >= share


def with_tcod(free: np.ndarray, places: np.ndarray, fog: Fog) -> Runner:
    """The same views by tcod, each on a cut-out of the map, after a comparison of the first.

    It sees nearly the same open cells: it has another circle, and blocks other ties.
    """
    kind = tcod.constants.FOV_SYMMETRIC_SHADOWCAST
    reach, center = RADIUS + 1, (RADIUS, RADIUS)
    cuts = [np.s_[y - RADIUS : y + reach, x - RADIUS : x + reach] for x, y in places.tolist()]
    lands = [np.ascontiguousarray(free[cut]) for cut in cuts]
    see = partial(tcod.map.compute_fov, pov=center, radius=RADIUS, algorithm=kind)
    ours = np.zeros(free.shape, bool)
    ours.flat[fog.field_of_view(*(places[0] + 0.5), radius_in_cells=RADIUS)] = True
    differ = int(((ours[cuts[0]] != see(lands[0])) & lands[0]).sum())
    check(differ <= 0.03 * ours.sum(), f"{differ} of {ours.sum()} cells differ from tcod")
    return in_turn(see, lands)


def frames(plan: Plan) -> Races:
    """One team's viewers, which all move to a neighboring cell in every tick; doors, buildings."""
    for side in (plan.side // 2, plan.side):
        for spread, share in SHARES.items():
            for operation, over_walls in (("", True), (", with walls", False)):
                crowd, name = viewers(cells(side, share), over_walls), "2,000 viewers move"
                yield Race(name + operation, spread, side * side, crowd, frames=200)
    changes = {**doors(plan.side), "a building and all that follow": buildings(plan.side)}
    for operation, change in changes.items():
        yield Race(operation, WALLED, plan.side**2, change, frames=DOORS)


def doors(side: int) -> dict[str, Runner]:
    """One door after the other closes, then opens again; what comes next is timed with it."""
    rng, free = np.random.default_rng(3), cells(side, SHARES[WALLED])
    grid = Grid(free, TILE)
    xy = grid.center_many(rng.choice(np.flatnonzero(free.ravel()), CROWD))
    units, _ = planted(grid.bounds, xy, radius=TILE / 3)
    walls, seen = Walls(grid), LineOfSight(grid)
    places = cycle(rng.uniform(LOOK, side * TILE - LOOK, (DOORS, 2)).tolist())
    closed: list[np.ndarray] = []

    def door() -> list[float]:
        x, y = next(places)
        below = grid.cells_in((x, y, x + DOOR, y + DOOR))
        if closed:
            grid.unblock(closed.pop())
        grid.block(below)
        closed.append(below)
        return [x - LOOK, y - LOOK, x + LOOK, y + LOOK]

    return {
        "a door": door,
        "a door and a look": lambda: seen.clear(*door()),
        "a door and its crowd": lambda: (door(), separate(units, walls=walls)),
    }


def buildings(side: int) -> Runner:
    """Buildings come and go among all that follow the grid; the next question to each counts."""
    rng, grid = np.random.default_rng(4), Grid(cells(side, SHARES[WALLED]), TILE)
    units: DynamicQuadtree = DynamicQuadtree(grid.bounds)
    fog, walls, seen = Fog(grid), Walls(grid), LineOfSight(grid)
    somewhere = rng.uniform(LOOK, side * TILE - LOOK, (2 * BUILDINGS + 2, 2)).tolist()
    for x, y in somewhere[:BUILDINGS]:
        fog.add(x, y, radius_in_cells=VIEW)
    fields = [Field(grid, [goal]) for goal in somewhere[BUILDINGS:][:2]]
    places = cycle(somewhere[BUILDINGS + 2 :])
    standing: list[int] = []
    names = count()

    def change() -> None:
        x, y = next(places)
        if len(standing) == 9:
            grid.raze(standing.pop(0))
        else:
            standing.append(next(names))
            grid.build(units, standing[-1], grid.free_near(x, y, (3 * TILE, 3 * TILE)))
        for field in fields:
            field.distance(x, y)
        fog.state_at(x, y)
        walls.move_and_slide((x, y, x + TILE, y + TILE), TILE, 0)
        seen.clear(x - LOOK, y - LOOK, x + LOOK, y + LOOK)

    return change


def viewers(free: np.ndarray, over_walls: bool) -> Runner:
    side = len(free)
    xy = np.random.default_rng(2).integers(VIEW, side - VIEW, (VIEWERS, 2)) + 0.5
    units, slots = planted((0, 0, side, side), xy)
    fog = Fog(Grid(free), units=units)
    for unit in range(VIEWERS):
        fog.follow(unit, radius_in_cells=VIEW, over_walls=over_walls)
    places = cycle([xy, *(xy + step for step in STEPS)])

    def tick() -> None:
        units.move_many(slots, next(places))
        fog.update()

    return tick


def lines() -> Races:
    """Lines of sight among the walls of a town, and the outlines of what is seen."""
    rng = np.random.default_rng(2)
    # Solid tiles in rows and columns of twelve, as the walls of a town.
    begun = rng.integers(0, WORLD // TILE - 12, (TILES // 12, 1, 2))
    ways = np.where(rng.random((len(begun), 1, 1)) < 0.5, (1, 0), (0, 1))
    corners = (begun + np.arange(12)[:, None] * ways).reshape(-1, 2) * float(TILE)
    seen = LineOfSight(StaticQuadtree(np.hstack((corners, corners + TILE))))
    a = rng.uniform(0, WORLD, (LOOKS, 2))
    b = a + rng.uniform(-LOOK, LOOK, (LOOKS, 2))
    yield Race("line of sight", "game", TILES, partial(seen.clear_many, a, b), "look", LOOKS)
    outline = in_turn(lambda at: seen.polygon(*at, REACH), a[:100].tolist())
    yield Race("visible polygon", "game", TILES, outline)
