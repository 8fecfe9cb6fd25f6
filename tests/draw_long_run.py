"""Random camera moves and edits of a map in an arcade window, until one pixel shows a wrong tile.

    python -m tests.draw_long_run --frames 10000 --seed 7

Each tile has a color of its own, and a dictionary beside the map says which tile each cell holds.
In every frame some pixels are looked up in it. Zoom and angle of the camera, edits, new chunks of
an infinite map and jumps come at random. Ends with code 1 if a pixel differs, or if memory grows.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image
from tqdm import tqdm

if __name__ == "__main__":
    os.environ.setdefault("ARCADE_HEADLESS", "True")

import arcade

from tests.drawing import BACKGROUND, screen
from tilequad.draw.arcade import MapView, visible_bounds
from tilequad.tiled import load_map

TILE = 16
KINDS = 64
SIDE = 100  # columns and rows at the start
PIXELS = 60  # looked up in each frame
GROWTH = 16 << 20  # bytes


class Run:
    """A map, its twin, and a camera.

    Args:
        window: The window to draw in.
        folder: For the map's files.
        infinite: Whether the map has no edges.
        seed: Of everything random.
    """

    def __init__(self, window: arcade.Window, folder: Path, infinite: bool, seed: int) -> None:
        self.window = window
        self.rng = np.random.default_rng(seed)
        colors = np.stack(np.unravel_index(np.arange(KINDS), (4, 4, 4)), axis=1) * 60 + 70
        self.colors = colors.astype(np.uint8)
        pixels = np.repeat(np.repeat(self.colors.reshape(8, 8, 3), TILE, axis=0), TILE, axis=1)
        Image.fromarray(pixels).save(folder / "colors.png")
        kinds = self.rng.integers(0, KINDS + 1, (SIDE, SIDE))
        kinds[20:50, 30:80] = 0
        self.tiles = {
            (column, row): int(kinds[row, column])
            for row in range(SIDE)
            for column in range(SIDE)
            if kinds[row, column]
        }
        self.infinite = infinite
        self.tile_map = load_map(self._write(folder, kinds))
        self.layer = self.tile_map.layer("a")
        self.map_view = MapView(self.tile_map, objects="all")
        self.camera = arcade.Camera2D()

    def _write(self, folder: Path, kinds: np.ndarray) -> Path:
        rows = ",\n".join(",".join(map(str, row)) for row in kinds.tolist())
        if self.infinite:
            data = f'<chunk x="0" y="0" width="{SIDE}" height="{SIDE}">{rows}</chunk>'
        else:
            data = rows
        path = folder / "map.tmx"
        path.write_text(
            f'<map version="1.10" orientation="orthogonal" width="{SIDE}" height="{SIDE}" '
            f'tilewidth="{TILE}" tileheight="{TILE}" infinite="{int(self.infinite)}">'
            f'<tileset firstgid="1" name="t" tilewidth="{TILE}" tileheight="{TILE}" '
            f'tilecount="{KINDS}" columns="8"><image source="colors.png"/></tileset>'
            f'<layer id="1" name="a" width="{SIDE}" height="{SIDE}"><data encoding="csv">{data}'
            "</data></layer></map>"
        )
        return path

    def step(self) -> None:
        """Change something, draw, and compare."""
        rng = self.rng
        if rng.random() < 0.5:
            self._edit()
        if rng.random() < 0.8:
            self._move()
        self.window.clear(color=BACKGROUND)
        with self.camera.activate():
            view = visible_bounds(self.camera)
            self.map_view.draw(view)
            self._look_up(screen(self.window))
        self.window.flip()  # as a game does; arcade frees dropped textures then
        assert self.layer.count(view) == self._count(view), view

    def _edit(self) -> None:
        rng = self.rng
        for _ in range(int(rng.integers(1, 6))):
            low, high = (-40, SIDE + 60) if self.infinite else (0, SIDE)
            column, row = (int(place) for place in rng.integers(low, high, 2))
            if rng.random() < 0.4:
                self.layer.clear_tile(column, row)
                self.tiles.pop((column, row), None)
            else:
                self.tiles[column, row] = gid = int(rng.integers(1, KINDS + 1))
                self.layer.set_tile(column, row, gid)

    def _move(self) -> None:
        rng, camera = self.rng, self.camera
        kind = rng.random()
        if kind < 0.4:
            camera.position += arcade.Vec2(*rng.uniform(-40, 40, 2).tolist())
        elif kind < 0.6:
            camera.zoom = float(2 ** rng.uniform(-3.5, 2))
        elif kind < 0.7:
            camera.angle = float(rng.choice([0, 0, 90, rng.uniform(0, 360)]))
        else:
            camera.position = tuple(rng.uniform(-400, TILE * SIDE + 400, 2).tolist())

    def _look_up(self, pixels: np.ndarray) -> None:
        """Compare some pixels with the twin, but for those near the edge of a tile."""
        width, height = self.window.size
        margin = 1.3 / (self.camera.zoom * TILE)  # in cells
        top = self.tile_map.axes.height
        for x, y in self.rng.integers(0, (width, height), (PIXELS, 2)).tolist():
            place = self.camera.unproject((x + 0.5, y + 0.5))
            across, down = place[0] / TILE, (top - place[1]) / TILE
            if not (margin < across % 1 < 1 - margin and margin < down % 1 < 1 - margin):
                continue
            gid = self.tiles.get((int(across // 1), int(down // 1)), 0)
            expected = self.colors[gid - 1] if gid else BACKGROUND[:3]
            actual = pixels[height - 1 - y, x]
            assert np.abs(actual - np.array(expected, int)).max() <= 2, (place, gid, actual)

    def _count(self, view: tuple[float, float, float, float]) -> int:
        """How many tiles of the twin touch a view."""
        min_x, min_y, max_x, max_y = view
        top = self.tile_map.axes.height
        places = np.array(list(self.tiles), float).reshape(-1, 2) * TILE
        left, low = places[:, 0], top - places[:, 1] - TILE
        across = (left <= max_x) & (left + TILE >= min_x)
        return int((across & (low <= max_y) & (low + TILE >= min_y)).sum())


def memory() -> int:
    """The memory that the process holds, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    window = arcade.Window(320, 240, "long run", visible=False, antialiasing=False)
    with TemporaryDirectory() as folder:
        runs = [
            Run(window, Path(folder), infinite, options.seed + infinite)
            for infinite in (False, True)
        ]
        held = 0
        for number in tqdm(range(options.frames), disable=None):
            runs[number % 2].step()
            if number == options.frames // 2:
                held = memory()
    grown = memory() - held
    print(
        f"{options.frames} frames agree; memory grew by {grown / 2**20:.1f} MiB in the second half"
    )
    return int(grown > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
