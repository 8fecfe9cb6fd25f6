"""Range events, claims, roads and mortars."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import numpy as np

from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree
from tilequad.ai import Claims, Goal, GoalSearch, RangeEvents, Route, best_blast

SIDE = 4_096.0  # px
ZONES, UNITS, MOVING, INSIDE = 2_000, 20_000, 1_000, (10, 60)
WALKERS = 20_000
MORTARS, REACH, BLAST, ENEMIES = 50, 400.0, 40.0, 5_000
VILLAGERS, TREES = 1_000, 1_100
VILLAGER, TREE, TAKEN = 1, 2, 4
NUMPY, KDTREE = "numpy by hand", "scipy cKDTree by hand"


def races(plan: Plan) -> Iterator[Race]:
    for corners in (6, 200):
        yield road(corners)
    yield mortars()
    yield claims()


def frames(plan: Plan) -> Iterator[Race]:
    """Ticks of 2,000 zones, and their first look, which tells of all that are inside."""
    for inside in INSIDE:
        yield zones(inside, plan)
        worlds: list[RangeEvents] = []
        first = {OURS: lambda worlds=worlds: worlds.pop().update_many()}
        begin = {OURS: lambda worlds=worlds, inside=inside: worlds.append(zoned(inside)[0])}
        about = f"zones, {inside} inside, first look", "game", ZONES, "tick"
        yield Race(*about, first, frames=plan.frames(20), prepare=begin)


def zoned(inside: int) -> tuple[RangeEvents, np.ndarray, np.ndarray, np.ndarray, float]:
    """2,000 zones, the slots and positions of 20,000 units, and what the zones are around."""
    rng = np.random.default_rng(1)
    xy, places = rng.uniform(0, SIDE, (UNITS, 2)), rng.uniform(0, SIDE, (ZONES, 2))
    radius = (inside / UNITS * SIDE * SIDE / np.pi) ** 0.5
    units: DynamicQuadtree = DynamicQuadtree((0, 0, SIDE, SIDE))
    slots = units.add_many(range(UNITS), xy)
    standing = RangeEvents(units)
    for place in places.tolist():
        standing.add(*place, radius)
    return standing, slots, xy, places, radius


def zones(inside: int, plan: Plan) -> Race:
    """Of 20,000 units 1,000 move; who came into 2,000 places, and who left?"""
    standing, slots, xy, places, radius = zoned(inside)
    rng = np.random.default_rng(6)
    steps = [(rng.choice(UNITS, MOVING, replace=False), rng.uniform(-8, 8, (MOVING, 2)))
             for _ in range(16)]  # fmt: skip
    turns = [(who, step * sign) for sign in (1, -1) for who, step in steps]
    our_turns, their_turns, theirs = cycle(turns), cycle(turns), xy.copy()
    before = np.empty(0, np.int64)

    def ours() -> int:
        who, step = next(our_turns)
        xy[who] += step
        standing.units.move_many(slots[who], xy[who])
        return len(standing.update_many()[0])

    def kdtree() -> int:
        from scipy.spatial import cKDTree

        nonlocal before
        who, step = next(their_turns)
        theirs[who] += step
        found = cKDTree(theirs).query_ball_point(places, radius)
        rows = np.repeat(np.arange(ZONES), [len(near) for near in found])
        now = (rows * UNITS + np.concatenate(found)).astype(np.int64)
        news = np.setxor1d(now, before)
        before = now
        return len(news)

    runners: dict[str, Runner] = {OURS: ours}
    if plan.has("scipy"):
        runners[KDTREE] = kdtree
        check(ours() == kdtree() and ours() == kdtree(), "zones tell other news")
    about = f"zones, {inside} inside", "game", ZONES, "tick"
    return Race(*about, runners, frames=plan.frames(100))


def road(corners: int) -> Race:
    """The places of 20,000 walkers on a road, each in its lane."""
    rng = np.random.default_rng(3)
    turns = np.cumsum(rng.uniform(-1, 1, corners))
    steps = np.stack((np.cos(turns), np.sin(turns)), axis=1) * rng.uniform(5, 100, (corners, 1))
    points = np.cumsum(steps, axis=0)
    way = Route(points)
    walked, lane = rng.uniform(0, way.length, WALKERS), rng.uniform(-9, 9, WALKERS)
    lengths = np.sqrt((np.diff(points, axis=0) ** 2).sum(axis=1))
    headings = np.diff(points, axis=0) / lengths[:, None]
    starts = np.append(0.0, lengths.cumsum())

    def by_numpy() -> np.ndarray:
        at = np.clip(np.searchsorted(starts, walked, side="right") - 1, 0, len(lengths) - 1)
        x = np.interp(walked, starts, points[:, 0]) - lane * headings[at, 1]
        y = np.interp(walked, starts, points[:, 1]) + lane * headings[at, 0]
        return np.stack((x, y), axis=-1)

    check(np.allclose(way.at_many(walked, lane), by_numpy()), "road")
    runners = {OURS: lambda: way.at_many(walked, lane), NUMPY: by_numpy}
    return Race(f"road of {corners} corners", "game", WALKERS, "tick", runners)


def mortars() -> Race:
    """The best places of 50 mortars among 5,000 enemies in clumps; by hand at an enemy's place."""
    rng = np.random.default_rng(5)
    clumps = rng.uniform(0, 2_000, (25, 2))
    xy = clumps[rng.integers(0, 25, ENEMIES)] + rng.normal(0, 40, (ENEMIES, 2))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 2_000, 2_000))
    units.add_many(range(ENEMIES), xy)
    places = rng.uniform(0, 2_000, (MORTARS, 2)).tolist()

    def ours() -> list[float]:
        found = [best_blast(units, x, y, REACH, BLAST) for x, y in places]
        return [blast.value if blast else 0.0 for blast in found]

    def by_numpy() -> list[float]:
        best = []
        for place in places:
            near = xy[((xy - place) ** 2).sum(axis=1) <= (REACH + BLAST) ** 2]
            spots = near[((near - place) ** 2).sum(axis=1) <= REACH**2]
            gaps = ((spots[:, None] - near) ** 2).sum(axis=2) <= BLAST**2
            best.append(float(gaps.sum(axis=1).max(initial=0)))
        return best

    pairs = zip(ours(), by_numpy(), strict=True)
    check(all(value >= 0.9 * at_enemy for value, at_enemy in pairs), "mortars")
    runners = {OURS: ours, NUMPY: by_numpy}
    return Race("50 mortars, best place", "game", ENEMIES, "tick", runners)


def claims() -> Race:
    """Villagers before one town hall take their first trees, one after the other; trees are scarce.

    Each takes the nearest tree that those before it have left.
    """
    rng = np.random.default_rng(4)
    xy, men = rng.uniform(0, SIDE, (TREES, 2)), SIDE / 2 + rng.normal(0, 40, (VILLAGERS, 2))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, SIDE, SIDE))
    trees = units.add_many([("tree", number) for number in range(TREES)], xy, groups=TREE)
    slots = units.add_many(range(VILLAGERS), men, groups=VILLAGER)
    held = Claims(units, TAKEN)
    work = GoalSearch(units, Goal(TREE, claim=True), claims=held)

    def ours() -> np.ndarray:
        held.release_many(slots)
        return work.search_many(slots, 0)

    def by_numpy() -> list[int]:
        x, y = xy.T.copy()
        found = []
        for man_x, man_y in men.tolist():
            found.append(int(((x - man_x) ** 2 + (y - man_y) ** 2).argmin()))
            x[found[-1]] = np.inf
        return found

    check(ours().tolist() == trees[by_numpy()].tolist(), "villagers claim other trees")
    return Race("claims", "game", VILLAGERS, "crowd", {OURS: ours, NUMPY: by_numpy})
