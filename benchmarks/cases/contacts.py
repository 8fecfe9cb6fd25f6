"""What is solid: outlines, looks and pushes among cells and among the shapes of tiles.

And balls that bounce off one another and off such tiles.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.cases import ROOT
from benchmarks.cases.nav import SPREAD, Ground
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree
from tilequad.ai import separate
from tilequad.nav import BLOCKED, Grid, LineOfSight, Rule, Walls
from tilequad.tiled import TileMap

SCREEN = (40, 23)  # cells
STONES = {"cells": [1], "shapes": [2, 3, 4, 6]}  # gids: blocks; slopes, boulders, planks, gems
FIELD, SHARE, ASKED = 256, 0.2, 20_000  # cells along a side, those with stones, questions
LOOK, BODY, STEP = 200.0, 12.0, 16.0  # px: how far looks go, how large boxes are, how far they go
RADIUS, TILE, TICKS = 7.0, 32, 300  # px, px, ticks


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
    tiles = np.where(rng.random((FIELD, FIELD)) < SHARE, rng.choice(gids, (FIELD, FIELD)), 0)
    tile_map = TileMap.new(FIELD, FIELD, (TILE, TILE))
    tile_map.add_tileset(ROOT / "maps" / "stones.tsx")
    cells = np.indices((FIELD, FIELD))[::-1].reshape(2, -1).T
    tile_map.add_tile_layer("stones").set_tiles(cells, tiles.ravel())
    return Grid.of(tile_map, Rule("stones", BLOCKED))


def area_of(ring: np.ndarray) -> float:
    """The area of a ring, below 0 for a hole."""
    x, y = ring.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def frames(plan: Plan) -> Iterator[Race]:
    """Ticks of the balls of examples/ball_pit.py."""
    import ball_pit

    units, walls = ball_pit.units, ball_pit.walls
    separate(units, walls=walls, iterations=50)
    xy = units.position_many(ball_pit.balls)
    velocity = np.zeros(xy.shape)

    def tick() -> None:
        nonlocal velocity
        velocity = ball_pit.step(velocity)

    runners: dict[str, Runner] = {OURS: tick}
    if plan.has("pymunk"):
        runners["pymunk"] = with_pymunk(ball_pit.grid, xy)
    yield Race("ball pit", "game", len(xy), "tick", runners, frames=plan.frames(TICKS))


def with_pymunk(grid: Grid, xy: np.ndarray) -> Runner:
    """The same in pymunk, which finds neighbors by its spatial hash."""
    from pymunk import Body, Circle, Segment, Space

    import ball_pit

    space = Space()
    space.gravity, space.damping = (0, -ball_pit.GRAVITY), ball_pit.AIR
    space.use_spatial_hash(2 * RADIUS, 2 * len(xy))
    for rings in grid.outlines():
        for ring in rings:
            ends = np.roll(ring, -1, axis=0).tolist()
            for a, b in zip(ring.tolist(), ends, strict=True):
                side = Segment(space.static_body, a, b, 0)
                side.elasticity = ball_pit.BOUNCE
                space.add(side)
    for place in xy.tolist():
        body = Body(1, float("inf"))
        body.position = place
        ball = Circle(body, RADIUS)
        ball.elasticity = 1
        space.add(body, ball)
    return lambda: space.step(1)
