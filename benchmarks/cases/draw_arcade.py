"""Frames of a map in an arcade window, against arcade's own `SpriteList`, without a screen.

Every frame is finished before the next one begins. Without a GPU Mesa draws in software, on all
cores: leave them to it. Run it in a process of its own, because arcade asks for a screen unless it
is told not to before its import: `python -m benchmarks.cases.draw_arcade` prints the figures.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np

from benchmarks.results import BYTES, SECONDS, Row

SIZE = 1280, 720  # px
SIDES = (1024, 4096)
UNITS = 10_000
ROUNDS, QUICK_ROUNDS = 15, 5

OURS, NOT_DRAWING = "tilequad", "tilequad, without the draw calls"
SPRITES, CLEAR = "arcade SpriteList", "clearing the screen alone"
START, CELL, UNIT_FRAME = (
    "start to first frame",
    "bytes a cell on the GPU",
    "10,000 units move, drawn",
)
CALLS = "Python and GL calls of three layers"

Frames = dict[str, Callable[[int], object]]
Found = list[tuple[str, int, str, str, list[float]]]  # a Row's names, and the values of each round


def rows(quick: bool) -> Iterator[Row]:
    """Measure in a process of its own."""
    environment = {**os.environ, "ARCADE_HEADLESS": "True"}
    command = [sys.executable, "-m", __name__, *(["--quick"] * quick)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"arcade does not draw:\n{done.stderr}")
    for operation, count, per, contestant, values in json.loads(done.stdout.splitlines()[-1]):
        unit = BYTES if operation == CELL else SECONDS
        yield Row(
            operation,
            "tiles",
            count,
            per,
            contestant,
            median(values),
            min(values),
            len(values),
            unit,
        )


def main() -> None:
    """Measure everything and print one line of JSON."""
    import arcade

    quick = "--quick" in sys.argv[1:]
    rounds = QUICK_ROUNDS if quick else ROUNDS
    window = arcade.Window(*SIZE, "benchmark", visible=False, antialiasing=False)
    found: Found = []
    with TemporaryDirectory() as folder:
        views = {}
        for side in SIDES[:1] if quick else SIDES:
            path = write_compressed(Path(folder), side)
            started = perf_counter()
            views[side] = first_frame(path)
            window.ctx.finish()
            found.append((START, side * side, "start", OURS, [perf_counter() - started]))
        small, first = views[1024], views[1024].nbytes
        found += calls(first_frame(write_compressed(Path(folder), 1024, layers=3)), rounds)
        found += zoom_races(views, rounds)
        pictures = small._picture_bytes
        for name, size in (("", first), (", with the overview", small.nbytes)):
            each = (size - pictures) / 1024**2
            found.append((CELL, 1024 * 1024, "cell", OURS + name, [each]))
        found += units_race(rounds)
    print(json.dumps(found))


def write_compressed(folder: Path, side: int, layers: int = 1) -> Path:
    """Full layers with tiles of noise, compressed as Tiled does for large maps."""
    from base64 import b64encode
    from zlib import compress

    from PIL import Image

    from benchmarks.maps import TILE, TILES

    rng = np.random.default_rng(3)
    noise = rng.integers(0, 255, (16 * TILE, 16 * TILE, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "tiles.png")
    gids = rng.integers(1, TILES + 1, (side, side)).astype("<u4")
    text = b64encode(compress(gids.tobytes(), 1)).decode()
    layer = (
        f'<layer name="ground" width="{side}" height="{side}">'
        f'<data encoding="base64" compression="zlib">{text}</data></layer>'
    )
    path = folder / f"map-{side}-{layers}.tmx"
    path.write_text(
        '<map version="1.10" orientation="orthogonal" renderorder="right-down" '
        f'width="{side}" height="{side}" tilewidth="{TILE}" tileheight="{TILE}" infinite="0">'
        f'<tileset firstgid="1" name="t" tilewidth="{TILE}" tileheight="{TILE}" '
        f'tilecount="{TILES}" columns="16"><image source="tiles.png"/></tileset>'
        f"{layers * layer}</map>"
    )
    return path


def first_frame(path: Path) -> Any:
    """Open a map, and draw its middle."""
    from tilequad import load_map
    from tilequad.draw.arcade import MapView

    map_view = MapView(load_map(path))
    draw(map_view, camera_at(map_view.tile_map.bounds.center, 1.0))
    return map_view


def camera_at(place: tuple[float, float], zoom: float) -> Any:
    import arcade

    return arcade.Camera2D(position=place, zoom=zoom)


def draw(map_view: Any, camera: Any) -> None:
    from tilequad.draw.arcade import visible_bounds

    with camera.activate():
        map_view.draw(visible_bounds(camera))


def zoom_races(views: dict[int, Any], rounds: int) -> Found:
    """Whole frames at zoom 1, still and panning, and from farther away."""
    sprites = sprite_layer(1024)
    found = []
    for name, zoom in zooms().items():
        frames: Frames = {CLEAR: lambda _: None, SPRITES: sprite_frame(sprites, zoom)}
        for side, map_view in views.items():
            for moving in (False, True):
                whose = OURS + (f", {side} x {side}" if side != 1024 else "")
                whose += ", panning" if moving else ""
                frames[whose] = map_frame(map_view, zoom, moving)
        for contestant, values in timed(frames, rounds).items():
            found.append((f"frame, {name}", 1024 * 1024, "frame", contestant, values))
    return found


def zooms() -> dict[str, float]:
    """The names of the zooms, by how many tiles of 32 pixels they show."""
    area = SIZE[0] * SIZE[1] / 32**2
    return {
        "zoom 1": 1.0,
        "20,000 tiles": (area / 20_000) ** 0.5,
        "66,000 tiles": (area / 66_000) ** 0.5,
        "1,048,576 tiles": SIZE[1] / (1024 * 32),
    }


def map_frame(map_view: Any, zoom: float, moving: bool) -> Callable[[int], object]:
    x, y = map_view.tile_map.bounds.center
    camera = camera_at((x, y), zoom)

    def frame(number: int) -> None:
        if moving:
            camera.position = x + number % 50 * 3 / zoom, y + number % 30 * 2 / zoom
        draw(map_view, camera)

    return frame


def sprite_layer(side: int) -> Any:
    """The buffers of a SpriteList of side x side sprites; the sprites would take a minute."""
    import arcade
    from arcade.sprite_list.sprite_list import SpriteListBufferData

    context = arcade.get_window().ctx
    count = side * side
    texture = arcade.make_soft_square_texture(32, (90, 140, 60), 255, 255)
    slot, _ = context.default_atlas.add(texture)
    sprite_layer.kept = texture  # the atlas forgets a texture that nobody keeps
    numbers = np.arange(count)
    places = np.zeros((count, 4), np.float32)
    places[:, 0], places[:, 1] = numbers % side * 32 + 16, numbers // side * 32 + 16
    data = SpriteListBufferData(context, capacity=count, atlas=context.default_atlas)
    data.write_sprite_buffers_to_gpu(
        places,
        np.full((count, 2), 32, np.float32),
        np.full((count, 4), 255, np.uint8),
        np.full(count, slot, np.float32),
        numbers.astype(np.uint32),
        *[True] * 5,
    )
    return data


def sprite_frame(data: Any, zoom: float) -> Callable[[int], object]:
    import arcade
    from arcade import gl

    camera = camera_at((512 * 32, 512 * 32), zoom)
    atlas = arcade.get_window().ctx.default_atlas

    def frame(_: int) -> None:
        with camera.activate():
            data.render(
                atlas=atlas,
                count=1024 * 1024,
                color=(1.0, 1.0, 1.0, 1.0),
                default_texture_filter=(gl.NEAREST, gl.NEAREST),
            )

    return frame


def timed(frames: Frames, rounds: int) -> dict[str, list[float]]:
    """Seconds of whole frames, the contestants in turn."""
    import arcade

    window = arcade.get_window()
    found: dict[str, list[float]] = {name: [] for name in frames}
    for number in range(-2, rounds):
        for name, frame in frames.items():
            window.ctx.finish()
            started = perf_counter()
            window.clear()
            frame(number)
            window.ctx.finish()
            if number >= 0:
                found[name].append(perf_counter() - started)
    return found


def calls(map_view: Any, rounds: int) -> Found:
    """What a frame of three layers takes before the GPU: Python, and the calls of OpenGL."""
    import arcade

    from tilequad.draw.arcade import visible_bounds

    context = arcade.get_window().ctx
    camera = camera_at(map_view.tile_map.bounds.center, 1.0)
    found: Found = []
    for moving, drawing in product((False, True), (True, False)):
        values = []
        for _ in range(10 * rounds):
            if moving:
                camera.position = camera.position[0] + 1, camera.position[1]
            with camera.activate(), nullcontext() if drawing else not_drawing():
                view = visible_bounds(camera)
                started = thread_time()
                map_view.draw(view)
                values.append(thread_time() - started)
            context.finish()
        name = "panning" if moving else "still"
        whose = OURS if drawing else NOT_DRAWING
        found.append((f"{CALLS}, {name}", 1024 * 1024, "frame", whose, values))
    return found


@contextmanager
def not_drawing() -> Iterator[None]:
    """Leave out the call that makes the driver draw: without a GPU it places vertices itself."""
    import arcade

    render, arcade.gl.Geometry.render = arcade.gl.Geometry.render, lambda *_, **__: None
    try:
        yield
    finally:
        arcade.gl.Geometry.render = render


def units_race(rounds: int) -> Found:
    """10,000 units moved and drawn, up to the call that the driver gets: that one is left out."""
    import arcade

    from tilequad.draw.arcade import SpriteBatch

    rng = np.random.default_rng(7)
    start = rng.uniform(0, 8192, (UNITS, 2))
    ends = [start, start + rng.uniform(-2, 2, (UNITS, 2))]
    texture = arcade.make_soft_square_texture(16, (200, 60, 60), 255, 255)
    sprites = arcade.SpriteList()
    sprites.extend(arcade.Sprite(texture, center_x=x, center_y=y) for x, y in ends[0].tolist())
    listed = list(sprites)
    batch = SpriteBatch([texture])

    def ours(number: int) -> None:
        batch.draw(ends[number % 2])

    def theirs(number: int) -> None:
        for sprite, place in zip(listed, ends[number % 2].tolist(), strict=True):
            sprite.position = place
        sprites.draw()

    found: dict[str, list[float]] = {OURS: [], SPRITES: []}
    with not_drawing():
        for number in range(-2, rounds):
            for name, frame in ((OURS, ours), (SPRITES, theirs)):
                gc.collect(0)
                started = process_time()
                frame(number)
                if number >= 0:
                    found[name].append(process_time() - started)
    return [(UNIT_FRAME, UNITS, "frame", name, values) for name, values in found.items()]


if __name__ == "__main__":
    main()
