"""What is solid: outlines, looks and pushes among cells and among the shapes of tiles.

And balls that bounce off one another and off such tiles.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import numpy as np

from benchmarks.cases.nav import SPREAD, Ground
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree, load_map
from tilequad.ai import separate
from tilequad.nav import BLOCKED, Grid, LineOfSight, Rule, Walls

SCREEN = (40, 23)  # cells
MAPS = Path(__file__).resolve().parents[2] / "maps"
STONES = {"cells": [1], "shapes": [2, 3, 4, 6]}  # gids: blocks; slopes, boulders, planks, gems
FIELD, SHARE, ASKED = 256, 0.2, 20_000  # cells along a side, those with stones, questions
LOOK, BODY, STEP = 200.0, 12.0, 16.0  # px: how far looks go, how large boxes are, how far they go
BALLS, RADIUS, TILE = 2_000, 7.0, 32  # balls, px, px
GRAVITY, BOUNCE, AIR, TICKS = 0.12, 0.5, 0.985, 300


def races(plan: Plan) -> Iterator[Race]:
    """Outlines of all cells, and of those of a screen."""
    ground = Ground(plan.side)
    grid, middle = ground.grid, ground.middle
    area = sum(area_of(ring) for rings in grid.outlines() for ring in rings)
    check(abs(area - (~ground.free).sum()) < 1e-6 * ground.count, "outlines hold another area")
    screen = (middle, middle, middle + SCREEN[0], middle + SCREEN[1])
    yield Race("outlines", SPREAD, ground.count, "grid", {OURS: grid.outlines})
    yield Race(
        "outlines of a screen",
        SPREAD,
        ground.count,
        "screen",
        {OURS: lambda: grid.outlines(screen)},
    )
    yield from stones()


def stones() -> Iterator[Race]:
    """Outlines, looks and pushes where a fifth of the cells are closed, or hold shapes."""
    rng = np.random.default_rng(3)
    a = rng.uniform(0, FIELD * TILE, (ASKED, 2))
    b = a + rng.uniform(-LOOK, LOOK, (ASKED, 2))
    boxes = np.hstack((a - BODY / 2, a + BODY / 2))
    ways = rng.uniform(-STEP, STEP, (ASKED, 2))
    for spread, gids in STONES.items():
        grid = stony(gids)
        screen = (1024, 1024, 1024 + SCREEN[0] * TILE, 1024 + SCREEN[1] * TILE)
        sight, walls = LineOfSight(grid), Walls(grid)
        units: DynamicQuadtree = DynamicQuadtree(grid.bounds)
        units.add_many(range(ASKED), a, radius=RADIUS)
        verbs = {
            "looks among stones": lambda s=sight: s.clear_many(a, b),
            "hits among stones": lambda s=sight: s.hit_many(a, b),
            "slides among stones": lambda w=walls: w.move_and_slide_many(boxes, ways),
            "contacts with stones": lambda w=walls, u=units: w.overlaps_many(u),
            "outlines of a screen of stones": lambda g=grid, s=screen: g.outlines(s),
        }
        for verb, ask in verbs.items():
            yield Race(verb, spread, len(grid), "call", {OURS: ask})


def stony(gids: list[int]) -> Grid:
    """A grid of a map of stones, at random."""
    rng = np.random.default_rng(1)
    cells = np.where(rng.random((FIELD, FIELD)) < SHARE, rng.choice(gids, (FIELD, FIELD)), 0)
    rows = ",\n".join(",".join(map(str, row)) for row in cells.tolist())
    size = f'width="{FIELD}" height="{FIELD}"'
    with tempfile.TemporaryDirectory() as folder:
        for name in ("stones.tsx", "stones.png"):
            copy(MAPS / name, folder)
        path = Path(folder, "field.tmx")
        path.write_text(
            f'<map {size} tilewidth="{TILE}" tileheight="{TILE}">'
            '<tileset firstgid="1" source="stones.tsx"/>'
            f'<layer name="stones" {size}><data encoding="csv">{rows}</data></layer></map>'
        )
        return Grid.of(load_map(path), Rule("stones", BLOCKED))


def area_of(ring: np.ndarray) -> float:
    """The area of a ring, below 0 for a hole."""
    x, y = ring.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def frames(plan: Plan) -> Iterator[Race]:
    """Ticks of a ball pit."""
    grid, xy = pit()
    runners: dict[str, Runner] = {OURS: ours(grid, xy)}
    if plan.has("pymunk"):
        runners["pymunk"] = with_pymunk(grid, xy)
    yield Race("ball pit", "game", BALLS, "tick", runners, frames=plan.frames(TICKS))


def pit() -> tuple[Grid, np.ndarray]:
    """The pit of examples/ball_pit.py, and where the balls are at first."""
    rng = np.random.default_rng(1)
    grid = Grid.of(load_map(MAPS / "pit.tmx"), Rule("stones", BLOCKED))
    upper = np.flatnonzero(~grid.blocked[: grid.rows // 2])
    xy = grid.center_many(rng.choice(upper, BALLS)) + rng.uniform(-9, 9, (BALLS, 2))
    units: DynamicQuadtree = DynamicQuadtree(grid.bounds)
    slots = units.add_many(range(BALLS), xy, radius=RADIUS)
    separate(units, walls=Walls(grid), iterations=50)
    return grid, units.position_many(slots)


def ours(grid: Grid, xy: np.ndarray) -> Runner:
    """The tick of examples/ball_pit.py."""
    walls = Walls(grid)
    units: DynamicQuadtree = DynamicQuadtree(grid.bounds)
    balls = units.add_many(range(BALLS), xy, radius=RADIUS)
    velocity = np.zeros((BALLS, 2))

    def tick() -> None:
        nonlocal velocity
        velocity = AIR * velocity - (0, GRAVITY)
        before, bounces = units.position_many(balls), np.zeros((BALLS, 2))
        xy = before + velocity
        units.move_many(balls, xy)
        for again in range(2):
            pairs, normals, depths = units.overlaps_many()
            one, other = pairs[:, 0], pairs[:, 1]
            if not again:
                approach = ((velocity[other] - velocity[one]) * normals).sum(axis=1) / 2
                throw_back(bounces, one, normals, approach)
                throw_back(bounces, other, -normals, approach)
            half = normals * depths[:, None] / 2
            add(xy, one, half)
            add(xy, other, -half)
            units.move_many(balls, xy)
            slots, normals, depths = walls.overlaps_many(units)
            if not again:
                throw_back(bounces, slots, normals, -(velocity[slots] * normals).sum(axis=1))
            add(xy, slots, normals * depths[:, None])
            units.move_many(balls, xy)
        way = xy - before
        speed, pushed = np.hypot(*velocity.T), np.hypot(*way.T)
        velocity = way * np.minimum(1, speed / np.maximum(pushed, 1e-9))[:, None] + bounces

    return tick


def add(to: np.ndarray, slots: np.ndarray, rows: np.ndarray) -> None:
    """Add rows to those of some slots."""
    for axis in (0, 1):
        to[:, axis] += np.bincount(slots, rows[:, axis], BALLS)


def throw_back(
    bounces: np.ndarray, slots: np.ndarray, normals: np.ndarray, approach: np.ndarray
) -> None:
    """Let balls that come fast along a normal bounce."""
    fast = approach > 0.5
    add(bounces, slots[fast], BOUNCE * approach[fast, None] * normals[fast])


def with_pymunk(grid: Grid, xy: np.ndarray) -> Runner:
    """The same in pymunk, which finds neighbors by its spatial hash."""
    from pymunk import Body, Circle, Segment, Space

    space = Space()
    space.gravity, space.damping = (0, -GRAVITY), AIR
    space.use_spatial_hash(2 * RADIUS, 2 * BALLS)
    for rings in grid.outlines():
        for ring in rings:
            ends = np.roll(ring, -1, axis=0).tolist()
            for a, b in zip(ring.tolist(), ends, strict=True):
                side = Segment(space.static_body, a, b, 0)
                side.elasticity = BOUNCE
                space.add(side)
    for place in xy.tolist():
        body = Body(1, float("inf"))
        body.position = place
        ball = Circle(body, RADIUS)
        ball.elasticity = 1
        space.add(body, ball)
    return lambda: space.step(1)
