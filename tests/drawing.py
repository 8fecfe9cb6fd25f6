"""Windows, cameras and noisy maps for the tests that draw on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.tmx import csv_layer, map_text
from tilequad.draw.pillow import render
from tilequad.tiled import TileMap, load_map

arcade = pytest.importorskip(
    "arcade", exc_type=ImportError, reason="arcade or the OpenGL library it needs is missing"
)
from tilequad.draw.arcade import MapView, visible_bounds  # noqa: E402

Pixels = NDArray[np.int64]  # (height, width, 3), top row first

BACKGROUND = (20, 40, 60, 255)
EVERYWHERE = (-1e6, -1e6, 1e6, 1e6)

# Cells of 32 x 16 pixels, whose tiles are taller than they are.
ORIENTATIONS = {
    "orthogonal": 'orientation="orthogonal"',
    "orthogonal, from right and below": 'orientation="orthogonal" renderorder="left-up"',
    "isometric": 'orientation="isometric"',
    "staggered": 'orientation="staggered" staggeraxis="y" staggerindex="odd"',
    "staggered, columns": 'orientation="staggered" staggeraxis="x" staggerindex="even"',
    "hexagonal": 'orientation="hexagonal" staggeraxis="y" staggerindex="even" hexsidelength="8"',
    "hexagonal, columns": 'orientation="hexagonal" staggeraxis="x" staggerindex="odd" '
    'hexsidelength="12"',
}


def screenshot(window: arcade.Window) -> NDArray[np.uint8]:
    """What is on the screen, (height, width, 4), top row first."""
    return np.asarray(arcade.get_image(0, 0, window.width, window.height))


def screen(window: arcade.Window) -> Pixels:
    """What is on the screen, without alpha, in signed numbers."""
    return screenshot(window)[:, :, :3].astype(int)


def drawn_without_multisampling(window: arcade.Window, draw: Callable[[], object]) -> Pixels:
    """What `draw` draws on the background, in a framebuffer of the window's size."""
    target = window.ctx.framebuffer(color_attachments=[window.ctx.texture(window.size)])
    with target.activate():
        target.clear(color=BACKGROUND)
        draw()
        pixels = np.frombuffer(target.read(components=3), np.uint8)
    return np.flipud(pixels.reshape(window.height, window.width, 3)).astype(int)


def on_background(image: Image.Image) -> Pixels:
    """A Pillow picture over the background, in the form of `screen`."""
    canvas = Image.new("RGBA", image.size, BACKGROUND)
    canvas.alpha_composite(image)
    return np.asarray(canvas)[:, :, :3].astype(int)


def show(window: arcade.Window, tile_map: TileMap, camera: arcade.Camera2D | None = None) -> Pixels:
    """Draw what a camera sees of a map, with a view of its own, as a game does."""
    return redraw(window, MapView(tile_map, objects="all"), camera or arcade.Camera2D())


def redraw(
    window: arcade.Window, map_view: MapView, camera: arcade.Camera2D | None = None
) -> Pixels:
    """Draw with a view that is there already: what a camera sees, or the whole map."""
    window.clear(color=BACKGROUND)
    if camera is None:
        map_view.draw(EVERYWHERE)
    else:
        with camera.activate():
            map_view.draw(visible_bounds(camera))
    return screen(window)


def seen_by(window: arcade.Window, camera: arcade.Camera2D) -> tuple[float, ...]:
    """What an upright camera sees, by its place and zoom alone."""
    x, y = camera.position
    half = window.width / 2 / camera.zoom, window.height / 2 / camera.zoom
    return x - half[0], y - half[1], x + half[0], y + half[1]


def as_in_pillow(
    window: arcade.Window,
    tile_map: TileMap,
    camera: arcade.Camera2D | None = None,
    **options: Any,
) -> Pixels:
    """What Pillow draws of what a camera sees of a map, with options of `render`."""
    camera = camera or arcade.Camera2D()
    return on_background(render(tile_map, seen_by(window, camera), camera.zoom, **options))


def random_camera(rng: np.random.Generator) -> arcade.Camera2D:
    """A camera at any place, zoom and angle."""
    camera = arcade.Camera2D()
    camera.position = tuple(rng.uniform(-1000, 1000, 2))
    camera.zoom = float(rng.uniform(0.2, 5))
    camera.angle = float(rng.uniform(0, 360))
    return camera


def noise(width: int, height: int, seed: int) -> Image.Image:
    """A picture without any symmetry: it shows a wrong flip, and a shift by one pixel."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    return Image.fromarray(pixels)


def noisy_tileset(
    folder: Path, name: str, first_gid: int, size: tuple[int, int], elements: str = ""
) -> str:
    """A tileset of 4 x 4 tiles of noise, some of it transparent; `elements` go into it."""
    width, height = size
    noise(4 * width, 4 * height, seed=first_gid).save(folder / f"{name}.png")
    return (
        f'<tileset firstgid="{first_gid}" name="{name}" tilewidth="{width}" tileheight="{height}" '
        f'tilecount="16" columns="4">{elements}'
        f'<image source="{name}.png" width="{4 * width}" height="{4 * height}"/></tileset>'
    )


def animation(tile: int, *frames: tuple[int, int]) -> str:
    """An element of a tileset: a tile that shows other tiles, each for some milliseconds."""
    shown = "".join(f'<frame tileid="{other}" duration="{time}"/>' for other, time in frames)
    return f'<tile id="{tile}"><animation>{shown}</animation></tile>'


def write_window_map(folder: Path, *parts: str, size: tuple[int, int] = (20, 15)) -> Path:
    """Write a map with cells of 16 pixels, as large as the window unless told otherwise."""
    path = folder / "map.tmx"
    attributes = 'version="1.10" tiledversion="1.10.2" orientation="orthogonal" '
    attributes += 'renderorder="right-down" infinite="0" nextlayerid="9" nextobjectid="99"'
    path.write_text(map_text(*parts, size=size, attributes=attributes))
    return path


def noisy_map(
    folder: Path, *parts: str, elements: str = "", size: tuple[int, int] = (20, 15)
) -> TileMap:
    """Such a map, loaded, with sixteen tiles of noise as large as a cell."""
    tiles = noisy_tileset(folder, "tiles", 1, (16, 16), elements)
    return load_map(write_window_map(folder, tiles, *parts, size=size))


def random_cells(
    seed: int,
    low: int,
    high: int,
    empty: float = 0.2,
    flips: Iterable[int] = range(8),
    size: tuple[int, int] = (20, 15),
) -> list[list[int]]:
    """Rows of random gids from low to high, with random flips, some cells empty."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(low, high + 1, size[::-1]) | rng.choice(list(flips), size[::-1]) << 29
    cells[rng.random(size[::-1]) < empty] = 0
    return cells.tolist()


def one_noisy_layer(
    folder: Path, size: tuple[int, int], seed: int = 1, empty: float = 0.2, elements: str = ""
) -> TileMap:
    """A noisy map with one layer of random cells, "a"."""
    layer = csv_layer("a", random_cells(seed, 1, 16, empty, size=size))
    return noisy_map(folder, layer, elements=elements, size=size)


def plain_picture(path: Path) -> None:
    """Sixteen tiles of 32 x 24 pixels in colors of any contrast, with round clear corners."""
    rng = np.random.default_rng(8)
    pixels = np.zeros((4 * 24, 4 * 32, 4), np.uint8)
    y, x = np.mgrid[0:24, 0:32]
    opaque = ((x - 15.5) / 16) ** 4 + ((y - 11.5) / 12) ** 4 < 1.2
    for number in range(16):
        tile = pixels[number // 4 * 24 :, number % 4 * 32 :][:24, :32]
        tile[:, :, :3] = rng.integers(0, 240, 3) + (x[:, :, None] + y[:, :, None]) // 4
        tile[:, :, 3] = 255 * opaque
    Image.fromarray(pixels).save(path)


def orientation_map(folder: Path, name: str, side: int = 60) -> TileMap:
    """A map of one orientation with overlapping tiles, flipped at random."""
    plain_picture(folder / "plain.png")
    flips = (0, 1, 2, 3, 4, 5, 6, 7) if "orthogonal" in name else (0, 2, 4, 6)
    cells = random_cells(5, 1, 16, empty=0.1, flips=flips, size=(side, side))
    path = folder / "map.tmx"
    tiles = (
        '<tileset firstgid="1" name="p" tilewidth="32" tileheight="24" tilecount="16" columns="4">'
        '<image source="plain.png"/></tileset>'
    )
    grid = f'{ORIENTATIONS[name]} tilewidth="32" tileheight="16"'
    path.write_text(map_text(tiles, csv_layer("a", cells), size=(side, side), attributes=grid))
    return load_map(path)
