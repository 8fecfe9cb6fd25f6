"""Frames of a map in an arcade window, against arcade's own `SpriteList`, without a screen.

Every frame is finished before the next one begins. Without a GPU Mesa draws in software, on all
cores, so the time of all threads is counted.
"""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count, cycle
from pathlib import Path
from time import process_time, thread_time

import arcade
import numpy as np
from arcade.sprite_list.sprite_list import SpriteListBufferData
from PIL import Image

from benchmarks.maps import SCREEN, write_map
from benchmarks.plan import OURS, Plan, Race, Races, Runner
from benchmarks.results import BYTES, row
from tilequad import load_map
from tilequad.draw.arcade import MapView, SpriteBatch, visible_bounds

UNITS = 10_000
FRAMES = 100
STILL, PANNING = (0.0, 0.0), (3.0, 2.0)  # pixels a frame
SPRITES = "arcade SpriteList"


def frames(plan: Plan) -> Races:
    """Everything is drawn in one window, which nobody sees."""
    try:
        window = arcade.Window(*SCREEN, "benchmark", visible=False, antialiasing=False)
    except Exception as error:  # without OpenGL pyglet raises many kinds
        plan.results.skipped["arcade's window"] = str(error)
        return
    with closing(window):
        side, views = plan.side, {}
        for one in plan.sides:
            path = write_map(one, look="noise")
            start = process_time()
            views[one] = first_frame(path)
            window.ctx.finish()
            seconds = [process_time() - start]
            yield row("start to first frame", "tiles", one * one, OURS, seconds)
        each = [(views[side].nbytes - views[side]._programs.kinds.nbytes) / side**2]
        yield row("bytes a cell on the GPU", "tiles", side**2, OURS, each, unit=BYTES)
        yield from zooms(views, side)
        layers = first_frame(write_map(side, layers=3, look="noise"))
        name = "Python and GL calls of three layers, no draw calls"
        for how, step in (("still", STILL), ("panning", PANNING)):
            calls = without_drawing(map_frame(layers, 1.0, step))
            about = f"{name}, {how}", "tiles", side**2
            yield Race(*about, calls, frames=FRAMES, clock=thread_time)
        yield units()


def first_frame(path: Path) -> MapView:
    """Open a map, and draw its middle."""
    map_view = MapView(load_map(path))
    map_frame(map_view, 1.0, STILL)()
    return map_view


def map_frame(map_view: MapView, zoom: float, step: tuple[float, float]) -> Runner:
    draw, center = map_view.draw, map_view.tile_map.bounds.center
    return drawn(lambda camera: draw(visible_bounds(camera)), center, zoom, step)


def drawn(
    draw: Callable, center: tuple[float, float], zoom: float, step: tuple[float, float] = STILL
) -> Runner:
    """Draw a map under a camera that moves by some pixels of the screen in each frame."""
    (x, y), numbers = center, count()
    camera = arcade.Camera2D(position=center, zoom=zoom)

    def frame() -> None:
        if step != STILL:
            number = next(numbers)
            camera.position = x + number % 50 * step[0] / zoom, y + number % 30 * step[1] / zoom
        with camera.activate():
            draw(camera)

    return frame


def zooms(views: dict[int, MapView], side: int) -> Races:
    """Whole frames at zoom 1, still and panning, and from farther away."""
    area, sprites = SCREEN[0] * SCREEN[1] / 32**2, sprite_buffers(side)
    moving = MapView(views[side].tile_map)  # what stands still is copied
    # One picture over the whole screen: what no map of tiles can be drawn without.
    noise = np.random.default_rng(3).integers(0, 255, (512, 512, 4), np.uint8)
    texture = arcade.Texture(Image.fromarray(noise, "RGBA"))
    screen = arcade.LBWH(0, 0, *SCREEN)
    fill = partial(arcade.draw_texture_rect, texture, screen, pixelated=True)
    for name, zoom in {
        "zoom 1": 1.0,
        "20,000 tiles": (area / 20_000) ** 0.5,
        "66,000 tiles": (area / 66_000) ** 0.5,
        "700,000 tiles": (area / 700_000) ** 0.5,  # of little more than a pixel
        "the whole map": SCREEN[1] / (side * 32),
    }.items():
        runners = {
            f"{OURS}, {one} x {one}" if one != side else OURS: map_frame(view, zoom, STILL)
            for one, view in views.items()
        }
        runners[f"{OURS}, panning"] = map_frame(moving, zoom, PANNING)
        runners[SPRITES] = drawn(sprites, (side * 16, side * 16), zoom)
        runners["one textured fill"] = fill
        runners = {name: whole(run) for name, run in runners.items()}
        yield Race(f"arcade, {name}", "tiles", side * side, runners, frames=FRAMES)


def whole(frame: Runner) -> Runner:
    """A frame from the clearing of the screen to the last pixel."""
    window = arcade.get_window()

    def run() -> None:
        window.clear()
        frame()
        window.ctx.finish()

    return run


def sprite_buffers(side: int) -> Callable:
    """Draws the buffers of side x side sprites; a SpriteList takes a minute."""
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
    return lambda _, _kept=texture: data.render(**look)  # the atlas forgets what nobody keeps


def without_drawing(frame: Runner) -> Runner:
    """Leave out the call that makes the driver draw: without a GPU it places vertices itself."""
    geometry = arcade.gl.Geometry
    render = geometry.render

    def run() -> None:
        geometry.render = lambda *_, **__: None
        try:
            frame()
        finally:
            geometry.render = render

    return run


def units() -> Race:
    """10,000 units moved and drawn, up to the call that the driver gets: that one is left out."""
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

    ours = without_drawing(lambda: batch.draw(next(ends)))
    runners = {OURS: ours, SPRITES: without_drawing(theirs)}
    return Race("10,000 units move, drawn", "tiles", UNITS, runners, frames=FRAMES)
