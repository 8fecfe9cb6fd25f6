"""What is solid: outlines, looks and pushes among cells and among the shapes of tiles.

And balls that bounce off one another and off such tiles.
"""

from collections.abc import Iterator

import numpy as np
import shapely
from pymunk import Body, Circle, Segment, Space

import ball_pit
from benchmarks.cases import ROOT
from benchmarks.cases.nav import SPREAD, Ground
from benchmarks.plan import Plan
from benchmarks.timing import OURS, Race, Runner, check
from tilequad import DynamicQuadtree
from tilequad.ai import separate
from tilequad.nav import BLOCKED, Grid, LineOfSight, Rule, Walls
from tilequad.tiled import TileMap

SCREEN = (40, 23)  # cells
STONES = {"cells": [1], "shapes": [2, 3, 4, 6]}  # gids: blocks; slopes, boulders, planks, gems
FIELD, SHARE, ASKED = 256, 0.2, 20_000  # cells along a side, those with stones, questions
LOOK, BODY, STEP = 200.0, 12.0, 16.0  # px: how far looks go, how large boxes are, how far they go
RADIUS, TILE = 7.0, 32  # px


def races(plan: Plan) -> Iterator[Race]:
    """Outlines of all cells, and of those of a screen."""
    ground = Ground(plan.side)
    grid, middle = ground.grid, ground.middle
    area = sum(shapely.Polygon(rings[0], rings[1:]).area for rings in grid.outlines())
    check(round(area) == (~ground.free).sum(), "outlines hold another area")
    screen = (middle, middle, middle + SCREEN[0], middle + SCREEN[1])
    part = {OURS: lambda: grid.outlines(screen)}
    yield Race("outlines", SPREAD, ground.count, {OURS: grid.outlines})
    yield Race("outlines of a screen", SPREAD, ground.count, part)
    yield from stones()


def stones() -> Iterator[Race]:
    """Outlines, looks and pushes where a fifth of the cells are closed, or hold shapes."""
    rng = np.random.default_rng(3)
    a = rng.uniform(0, FIELD * TILE, (ASKED, 2))
    b = a + rng.uniform(-LOOK, LOOK, (ASKED, 2))
    boxes = np.hstack((a - BODY / 2, a + BODY / 2))
    ways = rng.uniform(-STEP, STEP, (ASKED, 2))
    screen = (1024, 1024, 1024 + SCREEN[0] * TILE, 1024 + SCREEN[1] * TILE)
    for spread, gids in STONES.items():
        grid = stony(gids)
        sight, walls = LineOfSight(grid), Walls(grid)
        units: DynamicQuadtree = DynamicQuadtree(grid.bounds)
        units.add_many(range(ASKED), a, radius=RADIUS)
        verbs: dict[str, Runner] = {
            "looks among stones": lambda s=sight: s.clear_many(a, b),
            "hits among stones": lambda s=sight: s.hit_many(a, b),
            "slides among stones": lambda w=walls: w.move_and_slide_many(boxes, ways),
            "contacts with stones": lambda w=walls, u=units: w.overlaps_many(u),
            "outlines of a screen of stones": lambda g=grid: g.outlines(screen),
        }
        for verb, ask in verbs.items():
            yield Race(verb, spread, len(grid), {OURS: ask})


def stony(gids: list[int]) -> Grid:
    """A grid of a map of stones, at random."""
    rng = np.random.default_rng(1)
    tiles = np.where(rng.random((FIELD, FIELD)) < SHARE, rng.choice(gids, (FIELD, FIELD)), 0)
    tile_map = TileMap.new(FIELD, FIELD, (TILE, TILE))
    tile_map.add_tileset(ROOT / "maps" / "stones.tsx")
    tile_map.add_tile_layer("stones", tiles)
    return Grid.of(tile_map, Rule("stones", BLOCKED))


def frames(plan: Plan) -> Iterator[Race]:
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
