"""Random camera moves and edits: what is drawn equals a fresh view's picture, frame by frame.

    python -m tests.test_draw_pygame_long_run --frames 10000 --seed 1

draws as many frames as asked for, on random maps of all orientations. Ends with code 1 and the
frame that differed, or if the memory grows; the same seed repeats it. The test draws a few of them.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.programs import MAP
from tests.random_maps import GIDS, write_random_map
from tilequad.tiled import ImageLayer, ObjectLayer, TileLayer, TileMap, load_map

pygame = pytest.importorskip("pygame")
from tilequad.draw.pygame import MapView  # noqa: E402
from tilequad.draw.pygame.surfaces import to_image  # noqa: E402

pytestmark = pytest.mark.slow
VERSION = (1, 12)
TURN = 100  # frames on one map
ZOOMS = (1, 1, 1, 0.5, 0.25, 0.1, 0.07, 3)


class Walk:
    """One map, its view, and a camera that wanders."""

    def __init__(self, tile_map: TileMap, rng: Random) -> None:
        self.tile_map = tile_map
        self.rng = rng
        self.view = MapView(tile_map, objects="all")
        self.time = 0
        self.zoom = 1.0
        self.place = tile_map.bounds[:2]
        self.alpha = rng.random() < 0.3
        self.resize()

    def resize(self) -> None:
        self.size = self.rng.randint(60, 300), self.rng.randint(60, 300)

    def step(self) -> None:
        """Change something, or nothing, and move on, or stay."""
        for _ in range(self.rng.choice((0, 0, 1, 3))):
            self.edit()
        x, y = self.place
        chance = self.rng.random()
        if chance < 0.6:
            self.place = x + self.rng.randint(-40, 40), y + self.rng.randint(-40, 40)
        elif chance < 0.7:
            self.place = x + self.rng.uniform(-300, 300), y + self.rng.uniform(-300, 300)
        elif chance < 0.9:
            self.zoom = self.rng.choice((*ZOOMS, self.rng.uniform(0.05, 6)))
        elif chance < 0.92:
            self.resize()
        bounds = self.tile_map.bounds
        if not (bounds.min_x - 500 < self.place[0] < bounds.max_x + 500):
            self.place = bounds.min_x, self.place[1]
        if not (bounds.min_y - 500 < self.place[1] < bounds.max_y + 500):
            self.place = self.place[0], bounds.min_y

    def edit(self) -> None:
        rng, tile_map = self.rng, self.tile_map
        layer = rng.choice(tile_map.layers)
        chance = rng.random()
        if chance < 0.5:
            if isinstance(layer, TileLayer):
                column, row = (rng.randrange(side) for side in tile_map.size)
                flags = rng.randrange(16) & (15 if tile_map.orientation == "hexagonal" else 14)
                if rng.random() < 0.3:
                    layer.clear_tile(column, row)
                elif rng.random() < 0.1:
                    cells = [(c, r) for r in range(tile_map.size[1]) for c in range(column + 1)]
                    layer.set_tiles(cells, rng.choice(GIDS), flags)
                else:
                    layer.set_tile(column, row, rng.choice(GIDS), flags)
        elif chance < 0.6:
            layer.visible = not layer.visible
        elif chance < 0.65:
            layer.opacity = rng.random()
        elif chance < 0.7 and not isinstance(layer, ImageLayer):
            layer.tint = rng.choice((None, (255, 128, 0, 255), (10, 200, 255, 128)))
        elif chance < 0.9:
            self.time += rng.randint(10, 150)
            self.view.set_time(self.time)
        elif isinstance(layer, ObjectLayer):
            item = rng.choice([None, *layer.objects])
            if item is None:
                shape, gid = rng.choice((("ellipse", 0), ("tile", rng.choice(GIDS))))
                layer.add_object(shape, *self.place, (40, 30), **({"gid": gid} if gid else {}))
            elif rng.random() < 0.2:
                layer.remove_object(item)
            else:
                layer.edit_object(item, x=self.place[0], y=self.place[1], visible=True)

    def picture(self, map_view: MapView) -> np.ndarray:
        """Draw a frame, and return what shows."""
        surface = pygame.Surface(self.size, pygame.SRCALPHA if self.alpha else 0, 32)
        surface.fill((20, 40, 60, 0 if self.alpha else 255))
        (x, y), (width, height) = self.place, self.size
        map_view.draw(surface, (x, y, x + width / self.zoom, y + height / self.zoom))
        values = np.array(to_image(surface))
        values[values[:, :, 3] == 0] = 0
        return values

    def fresh(self) -> MapView:
        """Return a view that has drawn nothing yet."""
        fresh = MapView(self.tile_map, objects="all")
        fresh.set_time(self.time)
        return fresh


def run(frames: int, seed: int, every: int = 1) -> None:
    """Draw frames; compare every n-th one."""
    with tempfile.TemporaryDirectory() as name:
        for first in range(0, frames, TURN):
            rng = Random(f"{seed} {first}")
            path = write_random_map(Path(name), rng.randrange(1 << 30), VERSION)
            walk = Walk(load_map(path, y_up=False), rng)
            for frame in range(first, min(first + TURN, frames)):
                walk.step()
                picture = walk.picture(walk.view)
                if frame % every == 0:
                    same = (picture == walk.picture(walk.fresh())).all()
                    assert same, f"frame {frame} of seed {seed} differs"


def peaks(frames: int, seed: int) -> list[int]:
    """Return the most KiB in use up to each quarter of the frames, all on one map."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        path = write_random_map(Path(name), seed, VERSION)
        walk = Walk(load_map(path, y_up=False), Random(seed))
        for frame in range(1, frames + 1):
            walk.step()
            walk.picture(walk.view)
            if frame % (frames // 4) == 0:
                found.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_some_frames_equal_those_of_a_fresh_view(seed):
    run(3 * TURN, seed, every=5)


def test_a_difference_is_found(monkeypatch):
    from tilequad.draw.pygame.layer_group import LayerGroup

    monkeypatch.setattr(LayerGroup, "_repaint", lambda *_, **__: None)
    with pytest.raises(AssertionError, match="differs"):
        run(5 * TURN, seed=1)


def test_chunks_left_behind_are_forgotten():
    tile_map = load_map(MAP, y_up=False)
    map_view, surface = MapView(tile_map, objects="all"), pygame.Surface((300, 200))
    counts = []
    for step in range(60):
        map_view.draw(surface, (step * 100, 3000, step * 100 + 300, 3200))
        choice = map_view._choices[None]
        counts.append(sum(len(group._chunks) for group in choice.groups))
    assert max(counts) <= 40


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--frames", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--seed", type=int, default=0, help="which random numbers (0)")
    options = parser.parse_args()
    memory = peaks(options.frames, options.seed)
    print(f"KiB in use up to each quarter of the frames: {memory}")
    if memory[-1] > 1.1 * memory[1]:
        sys.exit("the memory grows")
    try:
        run(options.frames, options.seed)
    except AssertionError as problem:
        sys.exit(str(problem))
    print(f"{options.frames} frames equal those of fresh views")
