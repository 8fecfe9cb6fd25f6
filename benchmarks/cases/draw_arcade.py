"""Frames of a map in an arcade window, against arcade's own `SpriteList`, without a screen.

Every frame is finished before the next one begins. Without a GPU Mesa draws in software, on all
cores, so the time of all threads is counted. Run in a process of its own, because arcade asks for a
screen unless it is told not to before its import.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time, thread_time
from typing import Any

import numpy as np

from benchmarks.maps import write_map
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.results import BYTES, Results, Row, row
from benchmarks.timing import QUICK, THOROUGH, Race, Runner, race

SIZE = 1280, 720  # px
LARGE = 4096
UNITS = 10_000
FRAMES = 100
STILL, BY_PIXELS, BY_PARTS = (0.0, 0.0), (3.0, 2.0), (2.6, 1.7)  # pixels a frame
MINIMAP = 160  # px, the longer side
CLEAR, FILL, SPRITES = "clearing the screen alone", "one textured fill", "arcade SpriteList"
PANNING = OURS + ", panning"
CALLS, CELL = "Python and GL calls of three layers, no draw calls", "bytes a cell on the GPU"


def frames(plan: Plan) -> Iterator[Row]:
    """Measure in a process of its own."""
    if not plan.has("arcade"):
        return
    environment = {**os.environ, "ARCADE_HEADLESS": "True"}
    command = [sys.executable, "-m", __name__, *(["--quick"] * plan.quick)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        plan.results.skipped["arcade's window"] = done.stderr.strip().rpartition("\n")[2]
        return
    yield from (Row(**one) for one in json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Measure everything and print one line of JSON."""
    import arcade

    from tilequad.draw.arcade import MapView

    quick = "--quick" in sys.argv[1:]
    plan = Plan((), quick, Results())
    side, cells = plan.side, plan.side**2
    window = arcade.Window(*SIZE, "benchmark", visible=False, antialiasing=False)
    found: list[Row] = []
    with TemporaryDirectory() as folder:
        views, moving = {}, {}
        for one in (side,) if quick else (side, LARGE):
            path = write_map(Path(folder), one, noise=True)
            start = process_time()
            views[one] = first_frame(path)
            window.ctx.finish()
            about = "start to first frame", "tiles", one * one, "start", OURS
            found.append(row(*about, [process_time() - start]))
            moving[one] = MapView(views[one].tile_map)  # what stands still is copied
        view, pictures = views[side], views[side]._picture_bytes
        before = (view.nbytes - pictures) / cells
        layers = first_frame(write_map(Path(folder), side, layers=3, noise=True))
    pace = QUICK if quick else THOROUGH
    for each in (
        *zooms(views, moving, side, plan),
        *pans(layers, cells, plan),
        *calls(layers, cells, plan),
        units(plan),
        *minimaps(layers, cells, plan),
    ):
        mine = race(each, pace, {})
        about = each.operation, each.spread, each.count, each.per
        found += [row(*about, name, one, frames=True) for name, one in mine.items()]
    for name, size in ((OURS, before), (f"{OURS}, zoomed out", (view.nbytes - pictures) / cells)):
        found.append(row(CELL, "tiles", cells, "cell", name, [size], unit=BYTES))
    print(json.dumps([asdict(one) for one in found]))


def first_frame(path: Path) -> Any:
    """Open a map, and draw its middle."""
    from tilequad import load_map
    from tilequad.draw.arcade import MapView

    map_view = MapView(load_map(path))
    draw(map_view, camera_at(map_view, 1.0))
    return map_view


def camera_at(map_view: Any, zoom: float) -> Any:
    import arcade

    return arcade.Camera2D(position=map_view.tile_map.bounds.center, zoom=zoom)


def draw(map_view: Any, camera: Any) -> None:
    from tilequad.draw.arcade import visible_bounds

    with camera.activate():
        map_view.draw(visible_bounds(camera))


def zooms(views: dict[int, Any], moving: dict[int, Any], side: int, plan: Plan) -> Iterator[Race]:
    """Whole frames at zoom 1, still and panning, and from farther away.

    Args:
        views: Views of maps by their side, for a camera that stays.
        moving: Others, for one that moves.
        side: Of the map that is compared with sprites.
        plan: How thoroughly to measure.
    """
    sprites, fill = sprite_layer(side), textured_fill()
    area = SIZE[0] * SIZE[1] / 32**2
    for name, zoom in {
        "zoom 1": 1.0,
        "20,000 tiles": (area / 20_000) ** 0.5,
        "66,000 tiles": (area / 66_000) ** 0.5,
        "700,000 tiles": (area / 700_000) ** 0.5,  # of little more than a pixel
        "the whole map": SIZE[1] / (side * 32),
    }.items():
        runners: dict[str, Runner] = {}
        for one, map_view in views.items():
            whose = "" if one == side else f", {one} x {one}"
            runners[OURS + whose] = whole(map_frame(map_view, zoom, STILL))
            runners[PANNING + whose] = whole(map_frame(moving[one], zoom, BY_PIXELS))
        runners |= {
            SPRITES: whole(sprite_frame(sprites, camera_at(views[side], zoom), side * side)),
            FILL: whole(fill),
            CLEAR: whole(lambda: None),
        }
        about = f"arcade, {name}", "tiles", side * side, "frame"
        yield Race(*about, runners, frames=plan.frames(FRAMES))


def whole(frame: Runner) -> Runner:
    """A frame from the clearing of the screen to the last pixel."""
    import arcade

    window = arcade.get_window()

    def run() -> None:
        window.clear()
        frame()
        window.ctx.finish()

    return run


def pans(map_view: Any, cells: int, plan: Plan) -> Iterator[Race]:
    """Three layers under a moving camera, between zoom 1 and the whole map."""
    for zoom in (0.45, 0.2):
        for name, step in (("whole pixels", BY_PIXELS), ("parts of pixels", BY_PARTS)):
            about = f"arcade, panning by {name}, zoom {zoom:g}", "three layers", cells, "frame"
            runners = {
                OURS: whole(map_frame(map_view, zoom, step)),
                FILL: whole(textured_fill()),
            }
            yield Race(*about, runners, frames=plan.frames(FRAMES))


def minimaps(map_view: Any, cells: int, plan: Plan) -> Iterator[Race]:
    """A picture of the whole map: making it, its first frame, later ones, and after a change."""
    from tilequad.draw.arcade import MapView, Minimap

    tile_map = map_view.tile_map
    views, shown = [map_view], [Minimap(map_view, MINIMAP)]
    places = cycle(np.random.default_rng(5).integers(0, plan.side, (1_000, 2)).tolist())

    def view() -> None:
        views[0] = MapView(tile_map)

    def make() -> None:
        shown[0] = Minimap(views[0], MINIMAP)

    def fresh() -> None:
        view()
        make()

    def change() -> None:
        tile_map.layers[0].set_tile(*next(places), 1)

    def paint() -> None:
        shown[0].draw(0, 0)

    for operation, prepare, run in (
        ("made", view, make),
        ("first frame", fresh, paint),
        ("later", None, paint),
        ("after set_tile", change, paint),
    ):
        about = f"arcade, minimap, {operation}", "three layers", cells, "frame"
        preparing = {} if prepare is None else {OURS: prepare}
        frames = plan.frames(FRAMES // 2)
        yield Race(*about, {OURS: whole(run)}, frames=frames, prepare=preparing)


def map_frame(map_view: Any, zoom: float, step: tuple[float, float]) -> Runner:
    """Draw a map under a camera that moves by some pixels of the screen in each frame."""
    camera = camera_at(map_view, zoom)
    x, y = camera.position
    numbers = count()

    def frame() -> None:
        if step != STILL:
            number = next(numbers)
            camera.position = x + number % 50 * step[0] / zoom, y + number % 30 * step[1] / zoom
        draw(map_view, camera)

    return frame


def textured_fill() -> Runner:
    """One picture over the whole screen: what no map of tiles can be drawn without."""
    import arcade

    noise = np.random.default_rng(3).integers(0, 255, (512, 512, 4), np.uint8)
    from PIL import Image

    texture = arcade.Texture(Image.fromarray(noise, "RGBA"))
    screen = arcade.LBWH(0, 0, *SIZE)
    return lambda: arcade.draw_texture_rect(texture, screen, pixelated=True)


def sprite_layer(side: int) -> Any:
    """The buffers of a SpriteList of side x side sprites; the sprites would take a minute."""
    import arcade
    from arcade.sprite_list.sprite_list import SpriteListBufferData

    context = arcade.get_window().ctx
    number = side * side
    texture = arcade.make_soft_square_texture(32, (90, 140, 60), 255, 255)
    slot, _ = context.default_atlas.add(texture)
    sprite_layer.kept = texture  # the atlas forgets a texture that nobody keeps
    numbers = np.arange(number)
    places = np.zeros((number, 4), np.float32)
    places[:, 0], places[:, 1] = numbers % side * 32 + 16, numbers // side * 32 + 16
    data = SpriteListBufferData(context, capacity=number, atlas=context.default_atlas)
    data.write_sprite_buffers_to_gpu(
        places,
        np.full((number, 2), 32, np.float32),
        np.full((number, 4), 255, np.uint8),
        np.full(number, slot, np.float32),
        numbers.astype(np.uint32),
        *[True] * 5,
    )
    return data


def sprite_frame(data: Any, camera: Any, number: int) -> Runner:
    import arcade
    from arcade import gl

    look = {
        "atlas": arcade.get_window().ctx.default_atlas,
        "count": number,
        "color": (1.0, 1.0, 1.0, 1.0),
        "default_texture_filter": (gl.NEAREST, gl.NEAREST),
    }

    def frame() -> None:
        with camera.activate():
            data.render(**look)

    return frame


def calls(map_view: Any, cells: int, plan: Plan) -> Iterator[Race]:
    """What a frame of three layers takes in the main thread before the driver draws."""
    for name, step in (("still", STILL), ("panning", BY_PIXELS)):
        frame = without_drawing(map_frame(map_view, 1.0, step))
        about = f"{CALLS}, {name}", "tiles", cells, "frame"
        yield Race(*about, {OURS: frame}, frames=plan.frames(FRAMES), clock=thread_time)


def without_drawing(frame: Callable[[], object]) -> Runner:
    """Leave out the call that makes the driver draw: without a GPU it places vertices itself."""

    def run() -> None:
        with not_drawing():
            frame()

    return run


@contextmanager
def not_drawing() -> Iterator[None]:
    import arcade

    render, arcade.gl.Geometry.render = arcade.gl.Geometry.render, lambda *_, **__: None
    try:
        yield
    finally:
        arcade.gl.Geometry.render = render


def units(plan: Plan) -> Race:
    """10,000 units moved and drawn, up to the call that the driver gets: that one is left out."""
    import arcade

    from tilequad.draw.arcade import SpriteBatch

    rng = np.random.default_rng(7)
    start = rng.uniform(0, 8192, (UNITS, 2))
    texture = arcade.make_soft_square_texture(16, (200, 60, 60), 255, 255)
    sprites = arcade.SpriteList()
    sprites.extend(arcade.Sprite(texture, center_x=x, center_y=y) for x, y in start.tolist())
    listed, batch = list(sprites), SpriteBatch([texture])
    ends = cycle([start, start + rng.uniform(-2, 2, (UNITS, 2))])

    def theirs() -> None:
        for sprite, place in zip(listed, next(ends).tolist(), strict=True):
            sprite.position = place
        sprites.draw()

    runners = {OURS: lambda: batch.draw(next(ends)), SPRITES: theirs}
    runners = {name: without_drawing(run) for name, run in runners.items()}
    about = "10,000 units move, drawn", "tiles", UNITS, "frame"
    return Race(*about, runners, frames=plan.frames(FRAMES))


if __name__ == "__main__":
    main()
