"""Draws the pictures of game AI and of how the trees work: `python docs/pictures.py`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from tilequad import Bounds, DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import March, Route, Targeting, best_blast, flock, policies
from tilequad.draw.pillow import draw_influence, render
from tilequad.nav import Grid, InfluenceMap, LineOfSight, Paths

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
COLORS = 128  # of a picture, which keeps the files small
SCALE = 0.5
TOWER, ENEMY = 1, 2
DARK, RED, BLUE, GOLD, WHITE = "#1d2b20", "#c0392b", "#2f6fb0", "#f2c14e", "#ffffff"


class Picture:
    """A part of the frontier, dimmed, to draw on in world units.

    Args:
        bounds: The part.
    """

    def __init__(self, bounds: tuple[float, float, float, float]) -> None:
        self.bounds = Bounds(*bounds)
        ground = render(load_map(ROOT / "maps" / "frontier.tmx"), bounds, SCALE, objects="none")
        self.image = Image.blend(ground.convert("RGB"), Image.new("RGB", ground.size, DARK), 0.45)
        self.draw = ImageDraw.Draw(self.image, "RGBA")

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The pixel of a place."""
        return (x - self.bounds.min_x) * SCALE, (self.bounds.max_y - y) * SCALE

    def dot(self, place: Iterable[float], color: str, radius: float = 3.0) -> None:
        """Draw a unit; the radius is in pixels."""
        x, y = self.at(*place)
        box = (x - radius, y - radius, x + radius, y + radius)
        self.draw.ellipse(box, fill=color, outline=DARK)

    def ring(
        self, place: Iterable[float], radius: float, color: str, fill: str = "#00000000"
    ) -> None:
        """Draw a circle."""
        x, y = self.at(*place)
        radius *= SCALE
        self.draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill, color, 2)

    def line(self, places: Iterable[Iterable[float]], color: str, width: int = 2) -> None:
        """Draw a line through places."""
        self.draw.line([self.at(*place) for place in places], color, width)

    def box(self, box: Iterable[float], color: str, fill: str = "#00000000") -> None:
        """Draw a box of the world; of lines that lie outside, the part inside."""
        min_x, min_y, max_x, max_y = box
        self.draw.rectangle((*self.at(min_x, max_y), *self.at(max_x, min_y)), fill, color)

    def nodes(self, nodes: np.ndarray, lit: np.ndarray | None = None) -> None:
        """Draw the leaves of a tree, and fill those that are lit."""
        boxes = np.stack([nodes[side] for side in ("min_x", "min_y", "max_x", "max_y")], axis=1)
        for number in np.flatnonzero(nodes["leaf"]):
            fill = "#f2c14e55" if lit is not None and lit[number] else "#00000000"
            self.box(boxes[number], "#ffffffaa", fill)

    def area(self, places: Iterable[Iterable[float]], color: str) -> None:
        """Fill a polygon."""
        self.draw.polygon([self.at(*place) for place in places], color)

    def save(self, name: str) -> None:
        """Save the picture."""
        FOLDER.mkdir(exist_ok=True)
        self.image.quantize(COLORS, Image.Quantize.MAXCOVERAGE).save(
            FOLDER / f"{name}.png", optimize=True
        )


def targets() -> None:
    """Towers beside a road; each shoots the enemy furthest along it."""
    picture = Picture((3000, 3900, 3960, 4440))
    rng = np.random.default_rng(2)
    road = Route([(3020, 4010), (3330, 4080), (3500, 4250), (3930, 4330)])
    walked = rng.uniform(0, road.length, 60)
    units: DynamicQuadtree[object] = DynamicQuadtree(picture.bounds)
    xy = road.at_many(walked, rng.uniform(-20, 20, 60))
    units.add_many(range(60), xy, groups=ENEMY)
    towers = {"a": (3200, 4190), "b": (3470, 4100), "c": (3760, 4200)}
    for name, place in towers.items():
        units.add(name, *place, groups=TOWER)
    archers = Targeting(units, policies.first(walked), max_distance=170, groups=ENEMY)
    picture.line(road.points, "#d9c69a66", 24)
    for place in xy:
        picture.dot(place, RED)
    for name, place in towers.items():
        picture.ring(place, 170, GOLD)
        found = archers.target(name, now=0)
        if found is not None:
            picture.line((place, units.position(found)), GOLD)
            picture.dot(units.position(found), GOLD, 5)
        picture.dot(place, BLUE, 7)
    picture.save("targets")


def sight() -> None:
    """What a guard among trees sees, and whom."""
    picture = Picture((3500, 4400, 4460, 4940))
    trees = load_map(ROOT / "maps" / "frontier.tmx").layer("trees")
    walls = LineOfSight(trees.select({"resource": "wood"}))
    x, y, radius = 3960.0, 4660.0, 240.0
    rng = np.random.default_rng(5)
    units: DynamicQuadtree[int] = DynamicQuadtree(picture.bounds)
    units.add_many(range(50), rng.uniform((3520, 4420), (4440, 4920), (50, 2)))
    picture.area(walls.polygon(x, y, radius), "#f2c14e66")
    seen = set(walls.visible(units, x, y, radius))
    for unit in units:
        picture.dot(units.position(unit), GOLD if unit in seen else RED, 5 if unit in seen else 3)
    picture.dot((x, y), BLUE, 7)
    picture.save("sight")


def flocks() -> None:
    """Boids after some time together: each with the way that it flies."""
    picture = Picture((3000, 3900, 3960, 4440))
    rng = np.random.default_rng(3)
    units: DynamicQuadtree[int] = DynamicQuadtree(picture.bounds)
    xy = rng.uniform((3200, 4050), (3700, 4300), (120, 2))
    slots = units.add_many(range(120), xy)
    velocity = rng.uniform(-2, 2, (120, 2))
    for _ in range(120):
        _, cohesion, alignment, separation = flock(
            units, slots, velocity, max_distance=90, separation_distance=30
        )
        toward = np.array((3480, 4170)) - xy
        velocity += 0.01 * cohesion + 0.1 * alignment + 0.8 * separation + 0.0008 * toward
        velocity *= 3 / np.maximum(np.linalg.norm(velocity, axis=1), 1e-9)[:, None]
        xy += velocity
        units.move_many(slots, xy)
    for place, way in zip(xy, velocity, strict=True):
        picture.line((place - 4 * way, place + 3 * way), WHITE)
        picture.dot(place + 3 * way, BLUE, 2.5)
    picture.save("flocks")


def blasts() -> None:
    """A mortar with a ring that it can hit, and the place where a shell catches most."""
    picture = Picture((3000, 3900, 3960, 4440))
    rng = np.random.default_rng(8)
    units: DynamicQuadtree[int] = DynamicQuadtree(picture.bounds)
    clumps = rng.uniform((3250, 3950), (3920, 4400), (9, 2))
    xy = clumps[rng.integers(0, 9, 150)] + rng.normal(0, 26, (150, 2))
    units.add_many(range(150), xy)
    mortar = (3480.0, 4170.0)
    blast = best_blast(units, *mortar, 255, 45, min_distance=110, accuracy=1.0)
    picture.ring(mortar, 255, GOLD)
    picture.ring(mortar, 110, GOLD)
    caught = set() if blast is None else set(blast.units)
    if blast is not None:
        picture.ring((blast.x, blast.y), 45, WHITE, "#ffffff55")
    for unit in units:
        picture.dot(units.position(unit), GOLD if unit in caught else RED)
    picture.dot(mortar, BLUE, 7)
    picture.save("blasts")


PART = (3000, 3900, 3960, 4440)
ASKED = (3640.0, 4190.0, 100.0)


def influence() -> None:
    """Two armies, who holds which land, and a way around the red one."""
    picture = Picture((3000, 3900, 3960, 4440))
    rng = np.random.default_rng(11)
    units: DynamicQuadtree[int] = DynamicQuadtree(picture.bounds)
    middles = np.repeat([(3380, 4150), (3560, 4270), (3860, 4060)], (12, 8, 14), axis=0)
    places = middles + rng.normal(0, 26, middles.shape)
    groups = np.repeat([ENEMY, TOWER], (20, 14))
    slots = units.add_many(range(len(places)), places, groups=groups)
    grid = Grid(np.ones((34, 60), bool), 16, (3000, 3900))
    power = np.where(units.groups_many(slots) == ENEMY, 1.0, -1.0)
    tension = InfluenceMap(grid, units, 130, power)
    drawn = draw_influence(picture.image, tension, picture.bounds, full=8)
    picture.image = drawn.convert("RGB")
    picture.draw = ImageDraw.Draw(picture.image, "RGBA")
    for place, group in zip(places.tolist(), groups.tolist(), strict=True):
        picture.dot(place, RED if group == ENEMY else BLUE)
    wary = grid.with_danger(tension, full=8, factor=12)
    picture.line(Paths(grid).find(3060, 4080, 3900, 4300), WHITE, 1)
    picture.line(Paths(wary).find(3060, 4080, 3900, 4300), GOLD, 3)
    picture.save("influence")


def march() -> None:
    """An army in a block: over open land, through a gate, around a building that rises."""
    west, south, side = 3500.0, 4400.0, 20.0
    free = np.ones((27, 48), bool)
    free[:, 17] = False
    free[12:16, 17] = True
    grid = Grid(free, side, origin=(west, south))
    units: DynamicQuadtree[int] = DynamicQuadtree(grid.bounds)
    low, high = (west + 40, south + 150), (west + 200, south + 400)
    start = np.random.default_rng(5).uniform(low, high, (60, 2))
    slots = units.add_many(range(60), start, radius=5)
    orders = March(units, grid)
    orders.send(slots, (west + 860, south + 270), formation="block", spacing=16)
    picture = Picture((west, south, west + 960, south + 540))
    picture.box((west + 540, south + 180, west + 640, south + 340), DARK, f"{RED}aa")
    ways = []
    for tick in range(1, 1601):
        if tick == 380:
            grid.block(grid.cells_in((west + 540, south + 180, west + 640, south + 340)))
        orders.step(1.0)
        ways.append(units.position_many(slots))
    for way in np.stack(ways[::8], 1)[::4]:
        picture.line(way.tolist(), "#ffffff66", 1)
    for box in grid.boxes(np.flatnonzero(~free).astype(np.int32)).tolist():
        picture.box(box, DARK, "#1d2b20ee")
    for tick, color in (
        (1, BLUE),
        (130, BLUE),
        (310, GOLD),
        (560, GOLD),
        (900, GOLD),
        (1600, WHITE),
    ):
        for place in ways[tick - 1]:
            picture.dot(place, color, 2.5)
    picture.save("march")


def crowd() -> tuple[DynamicQuadtree[int], np.ndarray]:
    """Many units in clumps, and few between them."""
    rng = np.random.default_rng(4)
    clumps = rng.uniform((3080, 3960), (3880, 4380), (7, 2))
    xy = clumps[rng.integers(0, 7, 800)] + rng.normal(0, 45, (800, 2))
    xy = np.vstack([xy, rng.uniform(PART[:2], PART[2:], (250, 2))]).clip(PART[:2], PART[2:])
    units: DynamicQuadtree[int] = DynamicQuadtree(PART)
    units.add_many(range(len(xy)), xy)
    return units, xy


def reached(nodes: np.ndarray, x: float, y: float, radius: float) -> np.ndarray:
    """The nodes whose part of the plane a circle touches."""
    dx = np.maximum(np.maximum(nodes["min_x"] - x, x - nodes["max_x"]), 0)
    dy = np.maximum(np.maximum(nodes["min_y"] - y, y - nodes["max_y"]), 0)
    return dx * dx + dy * dy <= radius * radius


def tree() -> None:
    """The leaves of a tree of units: small where many are."""
    units, xy = crowd()
    picture = Picture(PART)
    picture.nodes(units.nodes())
    for place in xy:
        picture.dot(place, BLUE, 2)
    picture.save("tree")


def walk() -> None:
    """What a radius query visits, and what it finds."""
    units, xy = crowd()
    picture = Picture(PART)
    picture.nodes(units.nodes(), reached(units.nodes(), *ASKED))
    found = set(units.within(*ASKED))
    for unit, place in enumerate(xy):
        picture.dot(place, GOLD if unit in found else BLUE, 3 if unit in found else 2)
    picture.ring(ASKED[:2], ASKED[2], WHITE)
    picture.save("walk")


def boxes() -> None:
    """A static tree of the trees of a wood, and what a line hits."""
    picture = Picture((3500, 4400, 4460, 4940))
    wood = load_map(ROOT / "maps" / "frontier.tmx").layer("trees").select({"resource": "wood"})
    found = StaticQuadtree(wood.boxes(wood.ids))
    picture.nodes(found.nodes())
    line = (3520.0, 4770.0, 4420.0, 4800.0)
    hit = set(found.segment(*line).tolist())
    for number in found.query(picture.bounds).tolist():
        box = found.boxes()[number]
        picture.box(box, DARK, f"{GOLD}cc" if number in hit else f"{BLUE}99")
    picture.line((line[:2], line[2:]), WHITE)
    picture.save("boxes")


def cells() -> None:
    """The blocks of a layer of tiles that a view touches, and its tiles."""
    picture = Picture((3500, 4100, 4460, 4640))
    trees = load_map(ROOT / "maps" / "frontier.tmx").layer("trees")
    view = Bounds(3760, 4300, 4180, 4530)
    inside = trees.query(view)
    step = 8 * 32
    for x in range(3584 - step, 4460, step):
        for y in range(4096, 4640, step):
            block = Bounds(x, y, x + step, y + step)
            picture.box(block, "#ffffffaa", "#f2c14e33" if block.overlaps(view) else "#00000000")
    for tile in trees.query(picture.bounds).tolist():
        column, row = trees.cells([tile])[0].tolist()
        x, y = column * 32, 8192 - row * 32 - 32
        cell = (x, y, x + 32, y + 32)
        picture.box(cell, DARK, f"{GOLD}cc" if tile in inside else f"{BLUE}99")
    picture.box(view, WHITE)
    picture.save("cells")


def roguelike() -> None:
    """The example, after some turns that a player explores."""
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    sys.path[:0] = [str(ROOT), str(ROOT / "examples")]
    import pygame

    from roguelike import SIZE, Cellars, FogOverlay, MapView, draw
    from tests.roguelike_player import explore

    pygame.display.init()
    pygame.font.init()
    game, screen = Cellars(), pygame.display.set_mode(SIZE)
    for _ in range(192):
        explore(game)
    draw(game, screen, MapView(game.tile_map, objects="none"), FogOverlay(game.fog))
    shot = Image.frombytes("RGB", SIZE, pygame.image.tobytes(screen, "RGB"))
    small = shot.resize((960, 540), Image.Resampling.LANCZOS)
    few = small.quantize(COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(FOLDER / "roguelike.png", optimize=True)


PICTURES = (targets, sight, flocks, blasts, influence, march, tree, walk, boxes, cells, roguelike)

if __name__ == "__main__":
    for draw in PICTURES:
        draw()
