"""Crowds and flocks: units pushed apart where they flow, stand close, or lie on a heap."""

from collections.abc import Callable

import numpy as np

from benchmarks.armies import planted, scattered
from benchmarks.plan import Plan, Race, Races, Runner, check
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.ai import flock, separate

RADIUS, SPEED, TILE = 4.0, 1.0, 16  # px, px a tick, px
UNITS, ROWS, SETTLING = 3_000, 12, 600  # the judged crowd, tiles across its corridor, ticks
SIGHT, SEEN = 20.0, 30  # px that boids see, and how many others that are


def frames(plan: Plan) -> Races:
    """Ticks of crowds and flocks, one by one."""
    most = 20_000 if plan.quick else 100_000
    for operation, count, make, *arguments in (
        ("crowd, flow", UNITS, flow),
        ("crowd, pressed into a dead end", UNITS, pressed),
        ("crowd, on one point", 1_000, heap, np.zeros((1_000, 2))),
        ("crowd, on a line", 600, heap, np.linspace((0, 0), (60, 0), 600)),
        ("crowd, loose", 20_000, standing, 20_000, 0.3),
        ("crowd, packed", 100_000, standing, 100_000, 0.8),
        (f"flock, {SEEN} neighbors", 10_000, boids, 10_000),
        (f"flock, {SEEN} neighbors", 100_000, boids, 100_000),
    ):
        if count <= most:
            yield Race(operation, "game", count, make(*arguments), frames=100)


def flow() -> Runner:
    """Two crowds walk through each other in an open field, forever."""
    side = 900.0
    units, slots, _ = scattered(np.random.default_rng(1), UNITS, side, radius=RADIUS)
    step = np.where(slots[:, None] % 2 == 0, (SPEED, 0.0), (-SPEED, 0.0))
    return pushing(units, slots, lambda: (units.position_many(slots) + step) % side, 60)


def pressed() -> Runner:
    """A crowd presses on into the end of a corridor of tiles, and has done so for ten seconds."""
    end, height = 200.0 * TILE, (ROWS + 2.0) * TILE
    cells = [(column, row) for column in range(201) for row in (0, ROWS + 1)]
    cells += [(200, row) for row in range(1, ROWS + 1)]
    corners = np.array(cells) * float(TILE)
    walls = StaticQuadtree(np.hstack((corners, corners + TILE)))
    low, high = (end - 1_500, TILE + RADIUS), (end - RADIUS, height - TILE - RADIUS)
    xy = np.random.default_rng(1).uniform(low, high, (UNITS, 2))
    (units, slots), step = planted((0, 0, end, height), xy, radius=RADIUS), (SPEED, 0.0)
    tick = pushing(units, slots, lambda: units.position_many(slots) + step, SETTLING, walls=walls)
    inside = sum(len(walls.query((x, y, x, y))) for x, y in units.position_many(slots).tolist())
    a, b = units.pairs_many().T
    depths = 2 * RADIUS - np.hypot(*(units.position_many(a) - units.position_many(b)).T)
    deep = np.percentile(depths, 95)
    check(not inside and deep <= RADIUS / 2, f"{inside} units in walls, {deep:.1f} px deep")
    return tick


def heap(xy: np.ndarray) -> Runner:
    """The first push of units that a bug or a spell has put on one spot."""
    return pushing(*planted((-2_000, -2_000, 2_000, 2_000), xy, radius=RADIUS), lambda: xy)


def standing(count: int, share: float) -> Runner:
    """Units that cover a share of their ground, and tread about."""
    rng = np.random.default_rng(3)
    side = (count * np.pi * RADIUS * RADIUS / share) ** 0.5
    units, slots, _ = scattered(rng, count, side, radius=RADIUS)
    for _ in range(20):
        separate(units)
    xy = units.position_many(slots) + rng.uniform(-0.5, 0.5, (count, 2))
    return pushing(units, slots, lambda: xy)


def pushing(
    units: DynamicQuadtree, slots: np.ndarray, places: Callable, ticks: int = 0, **options: object
) -> Runner:
    """Units go to their next places, and are pushed apart; the first ticks are not timed."""

    def tick() -> None:
        units.move_many(slots, places())
        separate(units, **options)

    for _ in range(ticks):
        tick()
    return tick


def boids(count: int) -> Runner:
    """The sums that boids steer by."""
    rng = np.random.default_rng(4)
    side = (count * np.pi * SIGHT * SIGHT / (SEEN + 1)) ** 0.5
    units, slots, _ = scattered(rng, count, side)
    velocity, near = rng.uniform(-1, 1, (count, 2)), SIGHT / 2
    return lambda: flock(units, slots, velocity, max_distance=SIGHT, separation_distance=near)
