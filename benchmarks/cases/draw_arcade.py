"""Frames of a map in an arcade window, against arcade's own `SpriteList`, without a screen.

Every frame is finished before the next one begins. Without a GPU Mesa draws in software, on all
cores, so the time of all threads is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time, thread_time
from typing import Any

import numpy as np

from benchmarks.cases.draw_pygame import MINIMAP, SCREEN, minimaps
from benchmarks.maps import write_map
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.results import BYTES, Row, row
from benchmarks.timing import Race, Runner

UNITS = 10_000
FRAMES = 100
STILL, BY_PIXELS, BY_PARTS = (0.0, 0.0), (3.0, 2.0), (2.6, 1.7)  # pixels a frame
CLEAR, FILL, SPRITES = "clearing the screen alone", "one textured fill", "arcade SpriteList"
PANNING = OURS + ", panning"
CALLS, CELL = "Python and GL calls of three layers, no draw calls", "bytes a cell on the GPU"


def frames(plan: Plan) -> Iterator[Race | Row]:
    """Everything is drawn in one window, which nobody sees."""
    if not plan.has("arcade"):
        return
    import arcade

    try:
        window = arcade.Window(*SCREEN, "benchmark", visible=False, antialiasing=False)
    except Exception as error:  # without OpenGL pyglet raises many kinds
        plan.results.skipped["arcade's window"] = str(error)
        return
    with closing(window), TemporaryDirectory() as folder:
        yield from in_window(window, Path(folder), plan)


def in_window(window: Any, folder: Path, plan: Plan) -> Iterator[Race | Row]:
    from tilequad.draw.arcade import MapView, Minimap

    views, moving = {}, {}
    for side in plan.sides:
        path = write_map(folder, side, noise=True)
        start = process_time()
        views[side] = first_frame(path)
        window.ctx.finish()
        about = "start to first frame", "tiles", side * side, "start", OURS
        yield row(*about, [process_time() - start])
        moving[side] = MapView(views[side].tile_map)  # what stands still is copied
    view, cells = views[plan.side], plan.side**2
    pictures, before = view._picture_bytes, view.nbytes
    yield from zooms(views, moving, plan)
    layers = first_frame(write_map(folder, plan.side, layers=3, noise=True))
    yield from pans(layers, plan)
    yield units(plan)

    def fresh() -> Runner:
        minimap = Minimap(MapView(layers.tile_map), MINIMAP)
        return whole(lambda: minimap.draw(0, 0))

    yield from minimaps("arcade", layers.tile_map, plan, fresh)
    for name, held in ((OURS, before), (f"{OURS}, zoomed out", view.nbytes)):
        yield row(CELL, "tiles", cells, "cell", name, [(held - pictures) / cells], unit=BYTES)


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


def zooms(views: dict[int, Any], moving: dict[int, Any], plan: Plan) -> Iterator[Race]:
    """Whole frames at zoom 1, still and panning, and from farther away.

    Args:
        views: Views of maps by their side, for a camera that stays.
        moving: Others, for one that moves.
        plan: Its side is that of the map that is compared with sprites.
    """
    side, area = plan.side, SCREEN[0] * SCREEN[1] / 32**2
    sprites, fill = sprite_frames(side), textured_fill()
    for name, zoom in {
        "zoom 1": 1.0,
        "20,000 tiles": (area / 20_000) ** 0.5,
        "66,000 tiles": (area / 66_000) ** 0.5,
        "700,000 tiles": (area / 700_000) ** 0.5,  # of little more than a pixel
        "the whole map": SCREEN[1] / (side * 32),
    }.items():
        runners: dict[str, Runner] = {}
        for one, map_view in views.items():
            whose = "" if one == side else f", {one} x {one}"
            runners[OURS + whose] = map_frame(map_view, zoom, STILL)
            runners[PANNING + whose] = map_frame(moving[one], zoom, BY_PIXELS)
        runners |= {SPRITES: sprites(camera_at(views[side], zoom)), FILL: fill, CLEAR: lambda: None}
        runners = {name: whole(run) for name, run in runners.items()}
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


def pans(map_view: Any, plan: Plan) -> Iterator[Race]:
    """Three layers under a moving camera; and what they take before the driver draws."""
    timed: dict[str, Any] = {"frames": plan.frames(FRAMES)}
    cells, fill = plan.side**2, whole(textured_fill())
    for zoom in (0.45, 0.2):
        for name, step in (("whole pixels", BY_PIXELS), ("parts of pixels", BY_PARTS)):
            about = f"arcade, panning by {name}, zoom {zoom:g}", "three layers", cells, "frame"
            frame = whole(map_frame(map_view, zoom, step))
            yield Race(*about, {OURS: frame, FILL: fill}, **timed)
    for name, step in (("still", STILL), ("panning", BY_PIXELS)):
        frame = without_drawing(map_frame(map_view, 1.0, step))
        about = f"{CALLS}, {name}", "tiles", cells, "frame"
        yield Race(*about, {OURS: frame}, **timed, clock=thread_time)


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
    from PIL import Image

    noise = np.random.default_rng(3).integers(0, 255, (512, 512, 4), np.uint8)
    texture = arcade.Texture(Image.fromarray(noise, "RGBA"))
    screen = arcade.LBWH(0, 0, *SCREEN)
    return lambda: arcade.draw_texture_rect(texture, screen, pixelated=True)


def sprite_frames(side: int) -> Callable[[Any], Runner]:
    """Frames under a camera of the buffers of side x side sprites; a SpriteList takes a minute."""
    import arcade
    from arcade.sprite_list.sprite_list import SpriteListBufferData

    context, number = arcade.get_window().ctx, side * side
    atlas = context.default_atlas
    texture = arcade.make_soft_square_texture(32, (90, 140, 60), 255, 255)
    slot, _ = atlas.add(texture)
    numbers = np.arange(number)
    places = np.zeros((number, 4), np.float32)
    places[:, 0], places[:, 1] = numbers % side * 32 + 16, numbers // side * 32 + 16
    data = SpriteListBufferData(context, capacity=number, atlas=atlas)
    data.write_sprite_buffers_to_gpu(
        places,
        np.full((number, 2), 32, np.float32),
        np.full((number, 4), 255, np.uint8),
        np.full(number, slot, np.float32),
        numbers.astype(np.uint32),
        *[True] * 5,
    )
    look = {"atlas": atlas, "count": number, "color": (1.0, 1.0, 1.0, 1.0)}
    look["default_texture_filter"] = arcade.gl.NEAREST, arcade.gl.NEAREST

    def under(camera: Any) -> Runner:
        def frame(_kept: Any = texture) -> None:  # the atlas forgets a texture that nobody keeps
            with camera.activate():
                data.render(**look)

        return frame

    return under


def without_drawing(frame: Runner) -> Runner:
    """Leave out the call that makes the driver draw: without a GPU it places vertices itself."""
    import arcade

    geometry = arcade.gl.Geometry
    render = geometry.render

    def run() -> None:
        geometry.render = lambda *_, **__: None
        try:
            frame()
        finally:
            geometry.render = render

    return run


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
