"""Range events, sight, roads, flocks and mortars, against numpy and cKDTree by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time

import numpy as np

from benchmarks.race import Race, WrongAnswerError
from benchmarks.results import Row
from benchmarks.timing import Runner
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.ai import RangeEvents, Route, best_blast, flock
from tilequad.nav import LineOfSight

SIDE = 4_096.0  # px
ZONES, UNITS, MOVING = 2_000, 20_000, 1_000
TILES, TILE = 8_820, 16
LOOKS, LOOK = 10_000, 300.0  # looks, and how far they go along x and y at most
VIEWS, VIEW = 100, 400.0  # outlines, and their radius
WALKERS = 20_000
BOIDS, NEIGHBORS = 5_000, 6
MORTARS, REACH, BLAST, ENEMIES = 50, 400.0, 40.0, 5_000
OURS, NUMPY, KDTREE = "tilequad", "numpy by hand", "scipy cKDTree by hand"


def races(missing: set[str]) -> Iterator[Race]:
    """One race for each row of the table."""
    for inside in (10, 60):
        yield zones(inside, missing)
    yield from sight()
    for corners in (6, 200):
        yield road(corners)
    yield boids(missing)
    yield mortars()


def race(name: str, count: int, per: str, share: int = 1, **runners: Callable[[], object]) -> Race:
    names = {"ours": OURS, "numpy": NUMPY, "kdtree": KDTREE}
    timed = {names[key]: Runner(lambda _, run=run: run()) for key, run in runners.items()}
    return Race(name, "game", count, per, timed, share)


def uniform(rng: np.random.Generator, n: int, side: float = SIDE) -> np.ndarray:
    return rng.uniform(0, side, (n, 2))


def rows(rounds: int, missing: set[str]) -> list[Row]:
    """The first look of 2,000 zones, which tells of all that are inside, in seconds."""
    found = []
    for inside in (10, 60):
        times: dict[str, list[float]] = {OURS: [], KDTREE: []}
        for _ in range(rounds):
            standing, _, xy, places, radius = zoned(inside)
            start = process_time()
            news = len(standing.update_many()[0])
            times[OURS].append(process_time() - start)
            if "scipy cKDTree" in missing:
                continue
            from scipy.spatial import cKDTree

            start = process_time()
            near = cKDTree(xy).query_ball_point(places, radius)
            times[KDTREE].append(process_time() - start)
            check("first look", news, sum(map(len, near)))
        for name, seconds in times.items():
            if seconds:
                median, least = float(np.median(seconds)), min(seconds)
                found.append(Row(f"zones, {inside} inside, first look", "game", ZONES, "tick",
                                 name, median, least, len(seconds)))  # fmt: skip
    return found


def zoned(inside: int) -> tuple[RangeEvents, np.ndarray, np.ndarray, np.ndarray, float]:
    """2,000 zones, the slots and positions of 20,000 units, and what the zones are around."""
    rng = np.random.default_rng(1)
    xy, places = uniform(rng, UNITS), uniform(rng, ZONES)
    radius = (inside / UNITS * SIDE * SIDE / np.pi) ** 0.5
    units: DynamicQuadtree = DynamicQuadtree((0, 0, SIDE, SIDE))
    slots = units.add_many(range(UNITS), xy)
    standing = RangeEvents(units)
    for place in places.tolist():
        standing.add(*place, radius)
    return standing, slots, xy, places, radius


def zones(inside: int, missing: set[str]) -> Race:
    """Of 20,000 units 1,000 move; who came into 2,000 places, and who left?"""
    standing, slots, xy, places, radius = zoned(inside)
    units = standing.units
    rng = np.random.default_rng(6)
    steps = [(rng.choice(UNITS, MOVING, replace=False), rng.uniform(-8, 8, (MOVING, 2)))
             for _ in range(16)]  # fmt: skip
    state = {"tick": 0, "before": np.empty(0, np.int64)}

    def move() -> None:
        who, step = steps[state["tick"] % len(steps)]
        sign = 1 if state["tick"] // len(steps) % 2 == 0 else -1
        xy[who] += sign * step
        units.move_many(slots[who], xy[who])
        state["tick"] += 1

    def ours() -> int:
        move()
        return len(standing.update_many()[0])

    def kdtree() -> int:
        from scipy.spatial import cKDTree

        move()
        found = cKDTree(xy).query_ball_point(places, radius)
        sizes = [len(near) for near in found]
        now = np.repeat(np.arange(ZONES), sizes) * UNITS + np.concatenate(found)
        news = np.setxor1d(now.astype(np.int64), state["before"])
        state["before"] = now.astype(np.int64)
        return len(news)

    if "scipy cKDTree" in missing:
        return race(f"zones, {inside} inside", ZONES, "tick", ours=ours)
    ours(), kdtree()
    standing.update()
    inside_now = [standing.count(zone) for zone in standing]
    check("zones", sum(inside_now), len(state["before"]))
    return race(f"zones, {inside} inside", ZONES, "tick", ours=ours, kdtree=kdtree)


def walls(rng: np.random.Generator) -> np.ndarray:
    """Solid tiles in rows and columns, as the walls of a town."""
    cells: set[tuple[int, int]] = set()
    most = int(SIDE) // TILE
    while len(cells) < TILES:
        column, row = rng.integers(0, most, 2).tolist()
        upright = rng.random() < 0.5
        for i in range(int(rng.integers(4, 20))):
            cells.add((min(column + (not upright) * i, most - 1), min(row + upright * i, most - 1)))
    corners = np.array(sorted(cells)[:TILES]) * TILE
    return np.hstack((corners, corners + TILE)).astype(float)


def sight() -> Iterator[Race]:
    """Lines of sight among the tiles, and outlines of what is seen."""
    rng = np.random.default_rng(2)
    boxes = walls(rng)
    seen = LineOfSight(StaticQuadtree(boxes))
    a = uniform(rng, LOOKS)
    b = a + rng.uniform(-LOOK, LOOK, (LOOKS, 2))

    def by_numpy() -> list[bool]:  # a look in a hundred
        return [blocked_by_none(boxes, *a[i], *b[i]) for i in range(0, LOOKS, 100)]

    check("sight", seen.clear_many(a, b)[::100].tolist(), by_numpy())
    yield race("line of sight", TILES, "look", LOOKS, ours=lambda: seen.clear_many(a, b))
    yield race("line of sight, by hand", TILES, "look", LOOKS // 100, numpy=by_numpy)
    views = uniform(rng, VIEWS).tolist()

    def outlines() -> list[np.ndarray]:
        return [seen.polygon(x, y, VIEW) for x, y in views]

    def cast() -> list[np.ndarray]:
        return [outline(boxes, x, y) for x, y in views]

    areas = (list(map(area, found)) for found in (outlines(), cast()))
    check("outlines", bool(np.allclose(*areas, rtol=0.01)), True)
    yield race("visible polygon", TILES, "view", VIEWS, ours=outlines, numpy=cast)


def blocked_by_none(boxes: np.ndarray, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Whether a line is clear, by testing all boxes."""
    start, step = np.array((x0, y0)), np.array((x1 - x0, y1 - y0))
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.sort(((boxes.reshape(-1, 2, 2) - start) / step).transpose(1, 0, 2), axis=0)
    enter, leave = times[0].max(axis=1), times[1].min(axis=1)
    hit = (enter <= leave) & (leave >= 0) & (enter <= 1)
    for x, y in ((x0, y0), (x1, y1)):
        hit &= ~((boxes[:, :2] <= (x, y)) & (boxes[:, 2:] >= (x, y))).all(axis=1)
    return not hit.any()


def outline(boxes: np.ndarray, x: float, y: float) -> np.ndarray:
    """What is seen from a place, by rays to both sides of each corner nearby."""
    near = boxes[
        (boxes[:, :2] <= (x + VIEW, y + VIEW)).all(1)
        & (boxes[:, 2:] >= (x - VIEW, y - VIEW)).all(1)
        & ~((boxes[:, :2] <= (x, y)) & (boxes[:, 2:] >= (x, y))).all(1)
    ] - (x, y, x, y)
    corners = near[:, [[0, 1], [0, 3], [2, 1], [2, 3]]].reshape(-1, 2)
    angles = np.arctan2(corners[:, 1], corners[:, 0])
    angles = np.concatenate((angles - 1e-6, angles + 1e-6, np.arange(64) * np.pi / 32 - np.pi))
    angles.sort()
    ways = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = near[:, :2] / ways[:, None], near[:, 2:] / ways[:, None]
    enter, leave = np.minimum(low, high).max(axis=2), np.maximum(low, high).min(axis=2)
    far = np.where((enter <= leave) & (enter > 0), enter, VIEW).min(axis=1, initial=VIEW)
    return ways * far[:, None]


def area(corners: np.ndarray) -> float:
    """The area of a polygon."""
    x, y = corners.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


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
        heading = headings[at]
        x = np.interp(walked, starts, points[:, 0]) - lane * heading[:, 1]
        y = np.interp(walked, starts, points[:, 1]) + lane * heading[:, 0]
        return np.stack((x, y), axis=-1)

    check("road", bool(np.allclose(way.at_many(walked, lane), by_numpy())), True)
    name = f"road of {corners} corners"
    return race(name, WALKERS, "tick", ours=lambda: way.at_many(walked, lane), numpy=by_numpy)


def boids(missing: set[str]) -> Race:
    """The neighbors of 5,000 boids, and the sums that they steer by."""
    rng = np.random.default_rng(4)
    xy, velocity = uniform(rng, BOIDS), rng.uniform(-1, 1, (BOIDS, 2))
    radius = ((NEIGHBORS + 1) / BOIDS * SIDE * SIDE / np.pi) ** 0.5
    units: DynamicQuadtree = DynamicQuadtree((0, 0, SIDE, SIDE))
    slots = units.add_many(range(BOIDS), xy)

    def ours() -> object:
        return flock(units, slots, velocity, max_distance=radius, separation_distance=radius / 2)

    if "scipy cKDTree" in missing:
        return race("boids", BOIDS, "tick", ours=ours)

    def kdtree() -> list[np.ndarray]:
        from scipy.spatial import cKDTree

        a, b = cKDTree(xy).query_pairs(radius, output_type="ndarray").T
        first, second = np.concatenate((a, b)), np.concatenate((b, a))
        way = xy[second] - xy[first]
        far = np.sqrt((way * way).sum(axis=1))
        push = np.where(far < radius / 2, (1 - far / (radius / 2)) / far, 0.0)
        columns = (*way.T, *velocity[second].T, *(-way * push[:, None]).T)
        return [np.bincount(first, column, minlength=BOIDS) for column in columns]

    seen, sums = (
        flock(units, slots, velocity, max_distance=radius, separation_distance=radius / 2),
        kdtree(),
    )
    check("boids", bool(np.allclose(seen.separation, np.stack(sums[4:], axis=1))), True)
    return race("boids", BOIDS, "tick", ours=ours, kdtree=kdtree)


def mortars() -> Race:
    """The best places of 50 mortars among 5,000 enemies in clumps; by hand at an enemy's place."""
    rng = np.random.default_rng(5)
    clumps = uniform(rng, 25, 2_000.0)
    xy = clumps[rng.integers(0, 25, ENEMIES)] + rng.normal(0, 40, (ENEMIES, 2))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 2_000, 2_000))
    units.add_many(range(ENEMIES), xy)
    places = uniform(rng, MORTARS, 2_000.0).tolist()

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

    for value, at_enemy in zip(ours(), by_numpy(), strict=True):
        check("mortars", value >= 0.9 * at_enemy, True)
    return race("50 mortars, best place", ENEMIES, "tick", ours=ours, numpy=by_numpy)


def check(name: str, found: object, expected: object) -> None:
    if found != expected:
        raise WrongAnswerError(f"{name}: {found!r} instead of {expected!r}")
