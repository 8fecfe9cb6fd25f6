"""Range events, mortars, and shots."""

from functools import partial
from itertools import cycle

import numpy as np

from benchmarks.armies import planted, scattered
from benchmarks.plan import OURS, Plan, Race, Races, check
from tilequad.ai import Projectiles, RangeEvents, best_blast, intercept_many

SIDE = 4_096.0  # px
ZONES, UNITS, MOVING, INSIDE = 2_000, 20_000, 1_000, (10, 60)
MORTARS, REACH, BLAST, ENEMIES = 50, 400.0, 40.0, 5_000
SHOTS, BODIES, TARGETS = 10_000, 5_000, 10_000


def races(plan: Plan) -> Races:
    """The best places of 50 mortars among 5,000 enemies in clumps; by hand at an enemy's place."""
    rng = np.random.default_rng(5)
    clumps = rng.uniform(0, 2_000, (25, 2))
    enemies = clumps[rng.integers(0, 25, ENEMIES)] + rng.normal(0, 40, (ENEMIES, 2))
    units, _ = planted((0, 0, 2_000, 2_000), enemies)
    places = rng.uniform(0, 2_000, (MORTARS, 2)).tolist()

    def ours() -> list[float]:
        found = [best_blast(units, x, y, REACH, BLAST) for x, y in places]
        return [blast.value if blast else 0.0 for blast in found]

    def by_numpy() -> list[float]:
        best = []
        for place in places:
            near = enemies[((enemies - place) ** 2).sum(axis=1) <= (REACH + BLAST) ** 2]
            spots = near[((near - place) ** 2).sum(axis=1) <= REACH**2]
            gaps = ((spots[:, None] - near) ** 2).sum(axis=2) <= BLAST**2
            best.append(float(gaps.sum(axis=1).max(initial=0)))
        return best

    pairs = zip(ours(), by_numpy(), strict=True)
    check(all(value >= 0.9 * at_enemy for value, at_enemy in pairs), "mortars")
    runners = {OURS: ours, "numpy by hand": by_numpy}
    yield Race("50 mortars, best place", "game", ENEMIES, runners)

    # Where shots meet 10,000 targets: each is there when its target is.
    rng = np.random.default_rng(7)
    xy, targets = rng.uniform(0, SIDE, (2, TARGETS, 2))
    speed, velocity = rng.uniform(4, 9, TARGETS), rng.uniform(-2, 2, (TARGETS, 2))
    shoot = partial(intercept_many, xy, speed, targets, velocity)
    x, y, time = shoot().T
    check(np.allclose(np.hypot(x - xy[:, 0], y - xy[:, 1]), speed * time), "intercepts")
    yield Race("where shots meet", "game", TARGETS, shoot, "target", TARGETS)


def frames(plan: Plan) -> Races:
    """A step of 10,000 shots among 5,000 units; those that end are fired anew before. Zones."""
    rng = np.random.default_rng(8)
    units, _, _ = scattered(rng, BODIES, SIDE, radius=8)
    flying = Projectiles(units)

    def refill() -> None:
        n = SHOTS - len(flying)
        xy = rng.uniform(0, SIDE, (n, 2))
        flying.fire_many(xy, xy + rng.normal(0, 1, (n, 2)), 8.0, life=rng.uniform(20, 60, n))

    refill()
    offsets, _ = units.segment_many(flying.xy, flying.xy + 8.0 * flying.directions)
    check((flying.step().kinds == 1).sum() == (np.diff(offsets) > 0).sum(), "shots")
    yield Race("shots fly", "game", SHOTS, flying.step, frames=100, prepare=refill)
    for inside in INSIDE:
        yield from zones(inside)


def zones(inside: int) -> Races:
    """Of 20,000 units 1,000 move; who came into 2,000 places, and who left?

    The first look tells of all that are inside.
    """
    standing, slots, xy, places, radius = zoned(inside)
    rng = np.random.default_rng(6)
    steps = [(rng.choice(UNITS, MOVING, replace=False), rng.uniform(-8, 8, (MOVING, 2)))
             for _ in range(16)]  # fmt: skip
    turns = cycle([(who, step * sign) for sign in (1, -1) for who, step in steps])
    standing.update()

    def ours() -> int:
        who, step = next(turns)
        xy[who] += step
        standing.units.move_many(slots[who], xy[who])
        return len(standing.update_many()[0])

    ours()
    away = np.hypot(*(xy - places[0]).T) <= radius
    check(standing.count(next(iter(standing))) == away.sum(), "a zone holds other units")
    name, worlds = f"zones, {inside} inside", []
    yield Race(name, "game", ZONES, ours, frames=100)
    begin, first = lambda: worlds.append(zoned(inside)[0]), lambda: worlds.pop().update_many()
    yield Race(f"{name}, first look", "game", ZONES, first, frames=20, prepare=begin)


def zoned(inside: int) -> tuple[RangeEvents, np.ndarray, np.ndarray, np.ndarray, float]:
    """2,000 zones, the slots and positions of 20,000 units, and what the zones are around."""
    rng = np.random.default_rng(1)
    units, slots, xy = scattered(rng, UNITS, SIDE)
    places, radius = rng.uniform(0, SIDE, (ZONES, 2)), SIDE * (inside / UNITS / np.pi) ** 0.5
    standing = RangeEvents(units)
    for place in places.tolist():
        standing.add(*place, radius)
    return standing, slots, xy, places, radius
