"""Long random games against brute force, until one answer differs.

    python -m tests.ai_long_run --ticks 10000 --seed 7

Sight, targets, events and claims have twins; all that follows a grid is compared with what is made
anew.
Each game is played for a number of ticks. Ends with code 1 and the tick that failed; the same seed
repeats it.
"""

from __future__ import annotations

import argparse
import copy
import math
import pickle
import sys
from random import Random

import numpy as np
from tqdm import tqdm

from tests.solid_world import ShapedWorld, SolidWorld
from tests.test_ai_range_events import Game as Events
from tests.test_ai_search_games import Village
from tests.test_ai_targeting_many import Battle
from tests.test_nav_sight import brute_hit, held, in_polygon
from tilequad import DynamicQuadtree
from tilequad.nav import LineOfSight

SIZE = 10  # px, the side of a tile
CELLS = 16  # columns and rows
SAVED = 1_000  # ticks between two copies of a game


class Tiles:
    """Solid tiles that come and go, as a selection of a layer."""

    def __init__(self) -> None:
        self.cells: set[int] = set()
        self.followers: list[LineOfSight] = []
        self.layer = self

    def __getstate__(self) -> set[int]:
        return self.cells

    def __setstate__(self, cells: set[int]) -> None:
        self.__init__()  # whoever follows says so again
        self.cells |= cells

    def observe(self, follower: LineOfSight) -> None:
        self.followers.append(follower)

    @property
    def ids(self) -> np.ndarray:
        return np.array(sorted(self.cells), np.int32)

    def boxes(self, ids: np.ndarray) -> np.ndarray:
        corners = np.stack((ids % CELLS, ids // CELLS), axis=1) * float(SIZE)
        return np.hstack((corners, corners + SIZE))

    def change(self, cell: int) -> None:
        self.cells ^= {cell}
        for follower in self.followers:
            follower._tiles_changed(np.array([cell], np.int32))


def first_hit(boxes: list, x0: int, y0: int, x1: int, y1: int) -> object:
    """`brute_hit` without the boxes beside the line."""
    low_x, high_x, low_y, high_y = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    near = [
        box
        for box in boxes
        if box[0] <= high_x and box[2] >= low_x and box[1] <= high_y and box[3] >= low_y
    ]
    return brute_hit(near, x0, y0, x1, y1)


class Sights:
    """Walls that are built and torn down, units that move, and all questions of sight."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.tiles = Tiles()
        self.sight = LineOfSight(self.tiles)
        self.units: DynamicQuadtree = DynamicQuadtree((0, 0, CELLS * SIZE, CELLS * SIZE))
        for unit in range(20):
            self.units.add(unit, *self.place())

    def place(self) -> tuple[int, int]:
        """Anywhere, or where tiles meet; now and then outside of all of them."""
        chance = self.random
        kinds = (chance.randrange(0, 160), chance.randrange(0, 17) * 10, chance.randrange(-90, 250))
        return chance.choice(kinds), chance.choice(kinds)

    def step(self) -> None:
        """One tick: now and then a wall changes; then every question once."""
        chance = self.random
        while chance.random() < 0.3 or len(self.tiles.cells) < 20:
            row, column = chance.randrange(CELLS), chance.randrange(CELLS)
            self.tiles.change(row * CELLS + column)
        if len(self.tiles.cells) > 90:
            self.tiles.change(chance.choice(sorted(self.tiles.cells)))
        self.units.move(chance.randrange(20), *self.place())
        boxes = [tuple(map(int, box)) for box in self.tiles.boxes(self.tiles.ids).tolist()]
        line = *self.place(), *self.place()
        hit, time = self.sight.hit(*line), first_hit(boxes, *line)
        assert self.sight.clear(*line) == (time is None) == (hit is None), line
        assert hit is None or math.isclose(hit.fraction, float(time), abs_tol=1e-12), line
        x, y = self.place()
        radius = chance.choice((15, 60, 300))
        self.compare_units(boxes, x, y, radius)
        outline = self.sight.polygon(x, y, radius)
        px, py = x + chance.uniform(-radius, radius), y + chance.uniform(-radius, radius)
        if radius * 0.998 < math.hypot(px - x, py - y) or any(held(box, px, py) for box in boxes):
            return
        inside, gap = in_polygon(outline, px, py)
        assert gap < 1e-6 or inside == self.sight.clear(x, y, px, py), (x, y, px, py, radius)

    def compare_units(self, boxes: list, x: int, y: int, radius: int) -> None:
        """Whom a place sees, and the nearest of them."""
        near = []
        for unit in range(20):
            ux, uy = map(int, self.units.position(unit))
            distance2 = (ux - x) ** 2 + (uy - y) ** 2
            if distance2 <= radius * radius and first_hit(boxes, x, y, ux, uy) is None:
                near.append((distance2, unit))
        assert sorted(self.sight.visible(self.units, x, y, radius)) == sorted(u for _, u in near)
        nearest = self.sight.nearest_visible(self.units, x, y, max_distance=radius)
        assert nearest == (min(near)[1] if near else None)


class Fighting:
    """Battles, one after the other, because a long one records too much about each unit."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.ticks = 0

    def step(self) -> None:
        if self.ticks % SAVED == 0:
            self.battle = Battle(self.seed + self.ticks // SAVED)
        self.battle.tick()  # asks the loop, the batch and the twin
        self.ticks += 1


class Working(Village):
    """Villagers who look for trees and claim them."""

    def step(self) -> None:
        self.tick()
        self.units.check()


GAMES = {
    "sight": Sights,
    "targeting": Fighting,
    "events": Events,
    "claims": Working,
    "solid": SolidWorld,
    "shapes": ShapedWorld,
}


def play(name: str, ticks: int, seed: int) -> None:
    """Raises AssertionError at the first difference; every thousand ticks a copy plays on."""
    game = GAMES[name](seed)
    for tick in tqdm(range(ticks), desc=name, unit=" ticks", mininterval=1.0):
        if tick % SAVED == SAVED // 2:
            game = copy.deepcopy(game) if tick // SAVED % 2 else pickle.loads(pickle.dumps(game))
        try:
            game.step()
        except Exception:
            print(f"{name}, seed {seed}, tick {tick}", file=sys.stderr)
            raise


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", choices=[*GAMES, []], help="which (all)")
    parser.add_argument("--ticks", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--seed", type=int, default=0, help="which random numbers (0)")
    wanted = parser.parse_args()
    for name in wanted.games or GAMES:
        play(name, wanted.ticks, wanted.seed)
    print(f"{wanted.ticks:,} ticks, seed {wanted.seed}: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
