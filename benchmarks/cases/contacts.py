"""What is solid: outlines, looks and pushes among cells and among the shapes of tiles.

And balls that bounce off one another and off such tiles.
"""

from functools import partial

import numpy as np
import shapely
from pymunk import Body, Circle, Segment, Space

import ball_pit
from benchmarks.armies import planted
from benchmarks.cases import ROOT
from benchmarks.cases.nav import SPREAD, Ground
from benchmarks.plan import OURS, Plan, Race, Races, Runner, check
from tilequad.ai import separate
from tilequad.nav import BLOCKED, Grid, LineOfSight, Rule, Walls
from tilequad.tiled import TileMap

SCREEN = (40, 23)  # cells
STONES = {"cells": [1], "shapes": [2, 3, 4, 6]}  # gids: blocks; slopes, boulders, planks, gems
FIELD, SHARE, ASKED = 256, 0.2, 20_000  # cells along a side, those with stones, questions
LOOK, BODY, STEP = 200.0, 12.0, 16.0  # px: how far looks go, how large boxes are, how far they go
RADIUS, TILE = 7.0, 32  # px


def races(plan: Plan) -> Races:
    """Outlines of all cells, and of those of a screen."""
    ground = Ground(plan.side)
    grid, middle = ground.grid, ground.middle
    area = sum(shapely.Polygon(rings[0], rings[1:]).area for rings in grid.outlines())
    check(round(area) == (~ground.free).sum(), "outlines hold another area")
    screen = (middle, middle, middle + SCREEN[0], middle + SCREEN[1])
    yield Race("outlines", SPREAD, ground.count, grid.outlines)
    yield Race("outlines of a screen", SPREAD, ground.count, partial(grid.outlines, screen))
    for spread, gids in STONES.items():
        yield from stones(spread, gids)


def stones(spread: str, gids: list[int]) -> Races:
    """Outlines, looks and pushes where a fifth of the cells are closed, or hold shapes."""
    rng = np.random.default_rng(1)
    tiles = np.where(rng.random((FIELD, FIELD)) < SHARE, rng.choice(gids, (FIELD, FIELD)), 0)
    tile_map = TileMap.new(FIELD, FIELD, (TILE, TILE))
    tile_map.add_tileset(ROOT / "maps" / "stones.tsx")
    tile_map.add_tile_layer("stones", tiles)
    grid, rng = Grid.of(tile_map, Rule("stones", BLOCKED)), np.random.default_rng(3)
    a = rng.uniform(0, FIELD * TILE, (ASKED, 2))
    b = a + rng.uniform(-LOOK, LOOK, (ASKED, 2))
    boxes = np.hstack((a - BODY / 2, a + BODY / 2))
    ways = rng.uniform(-STEP, STEP, (ASKED, 2))
    screen = (1024, 1024, 1024 + SCREEN[0] * TILE, 1024 + SCREEN[1] * TILE)
    sight, walls = LineOfSight(grid), Walls(grid)
    units, _ = planted(grid.bounds, a, radius=RADIUS)
    for operation, ask in {
        "looks among stones": partial(sight.clear_many, a, b),
        "hits among stones": partial(sight.hit_many, a, b),
        "slides among stones": partial(walls.move_and_slide_many, boxes, ways),
        "contacts with stones": partial(walls.overlaps_many, units),
        "outlines of a screen of stones": partial(grid.outlines, screen),
    }.items():
        yield Race(operation, spread, len(grid), ask)


def frames(plan: Plan) -> Races:
    """Ticks of the balls of examples/ball_pit.py."""
    separate(ball_pit.units, walls=ball_pit.walls, iterations=50)
    xy = ball_pit.units.position_many(ball_pit.balls)
    velocity = np.zeros(xy.shape)

    def tick() -> None:
        nonlocal velocity
        velocity = ball_pit.step(velocity)

    yield Race("ball pit", "game", len(xy), {OURS: tick, "pymunk": with_pymunk(xy)}, frames=300)


def with_pymunk(xy: np.ndarray) -> Runner:
    """The same in pymunk, which finds neighbors by its spatial hash."""
    space = Space()
    space.gravity, space.damping = (0, -ball_pit.GRAVITY), ball_pit.AIR
    space.use_spatial_hash(2 * RADIUS, 2 * len(xy))
    for ring in (ring for rings in ball_pit.grid.outlines() for ring in rings):
        for a, b in zip(ring.tolist(), np.roll(ring, -1, axis=0).tolist(), strict=True):
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
