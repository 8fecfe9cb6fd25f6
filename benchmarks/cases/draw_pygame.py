"""Frames of a map in pygame against pyscroll's buffered renderer; sprites against `Group.draw`.

All draw on a software surface of 1280 x 720, from the same file, at the same places. The map's
layers are full of tiles of 32 pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.maps import write_map
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check

PYSCROLL, GROUP = "pyscroll", "Group.draw"
SCREEN = 1280, 720
FRAMES = 500
MINIMAP = 160  # px, the longer side
PANNING = 3, 3  # px a frame
WAYS = {"across": (3, 0), "down": (0, 3)}
ZOOMS = (2.0, 0.5, 0.37, 0.25)
SPRITES, SHARE = 5_000, 0.25  # and what part of them is in view


Frame = Callable[[float, float, float], object]  # by the corner of the view, and its zoom


def with_ours(path: Path, surface: Any) -> Frame:
    from tilequad import load_map
    from tilequad.draw.pygame import MapView

    view = MapView(load_map(path, y_up=False))
    return lambda x, y, zoom: view.draw(surface, (x, y, x + SCREEN[0] / zoom, y + SCREEN[1] / zoom))


def with_pyscroll(path: Path, surface: Any) -> Frame:
    """Pyscroll's own renderer on the map, as its manual says to use it."""
    import pygame
    import pyscroll
    import pytmx

    if not pygame.display.get_surface():
        pygame.display.set_mode(SCREEN)
    data = pyscroll.TiledMapData(pytmx.load_pygame(str(path)))
    renderer = pyscroll.BufferedRenderer(data, SCREEN)

    def frame(x: float, y: float, zoom: float) -> None:
        if renderer.zoom != zoom:
            renderer.zoom = zoom
        renderer.center((x + SCREEN[0] / zoom / 2, y + SCREEN[1] / zoom / 2))
        renderer.draw(surface, surface.get_rect())

    return frame


def races(plan: Plan) -> Iterator[Race]:
    """Sprites of 24 x 24 pixels, some of them in view."""
    if not plan.has("pygame"):
        return
    import pygame

    from tilequad import DynamicQuadtree
    from tilequad.draw.pygame import FollowedSprites

    image = pygame.Surface((24, 24), pygame.SRCALPHA)
    pygame.draw.circle(image, (255, 80, 40), (12, 12), 11)
    width = int(SCREEN[0] / SHARE)
    group = pygame.sprite.Group()
    places = np.random.default_rng(9).integers((0, 0), (width, SCREEN[1]), (SPRITES, 2))
    for x, y in places.tolist():
        sprite = pygame.sprite.Sprite(group)
        sprite.image, sprite.rect = image, image.get_rect(center=(x, y))
    followed = FollowedSprites(DynamicQuadtree((0, 0, width, SCREEN[1])))
    followed.sync(group)
    surface, other, view = pygame.Surface(SCREEN), pygame.Surface(SCREEN), (0, 0, *SCREEN)
    runners = {
        OURS: lambda: followed.draw(surface, view),
        GROUP: lambda: group.draw(other),
    }
    for run in runners.values():
        run()
    same = surface.get_buffer().raw == other.get_buffer().raw
    check(same, "the sprites in view are drawn in another way")
    yield Race("pygame sprites, a quarter in view", "sprites", SPRITES, "frame", runners)


def frames(plan: Plan) -> Iterator[Race]:
    """A still camera, one that pans, one that zooms; one layer, and three."""
    if not plan.has("pygame"):
        return
    import pygame

    from tilequad import load_map
    from tilequad.draw.pygame import MapView, Minimap

    surface = pygame.Surface(SCREEN)
    wanted = {OURS: with_ours} | ({PYSCROLL: with_pyscroll} if plan.has("pyscroll") else {})
    with TemporaryDirectory() as folder:
        for layers, spread in ((1, "one layer"), (3, "three layers")):
            path = write_map(Path(folder), plan.side, layers=layers)
            contestants = {name: make(path, surface) for name, make in wanted.items()}
            for name, frame in contestants.items():
                surface.fill("black")
                frame(5000, 5000, 1.0)
                green = (pygame.surfarray.array3d(surface) == (0, 128, 0)).all()
                check(bool(green), f"{name} draws something else")
            for operation, moves in cameras(layers, plan.side * 32.0):
                runners = {name: filming(one, moves) for name, one in contestants.items()}
                about = f"pygame, {operation}", spread, plan.side**2, "frame"
                yield Race(*about, runners, frames=plan.frames(FRAMES))
        tile_map = load_map(path, y_up=False)

        def fresh() -> Runner:
            minimap = Minimap(MapView(tile_map), MINIMAP)
            return lambda: minimap.draw(surface, 0, 0)

        yield from minimaps("pygame", tile_map, plan, fresh)


def minimaps(host: str, tile_map: Any, plan: Plan, fresh: Callable[[], Runner]) -> Iterator[Race]:
    """A picture of the whole map: the first frame, later ones, and each after one changed tile.

    Args:
        host: "pygame" or "arcade".
        tile_map: The map.
        plan: How thoroughly to measure.
        fresh: Makes a minimap, and returns what draws it.
    """
    shown = [fresh()]
    cells = cycle(np.random.default_rng(5).integers(0, plan.side, (1_000, 2)).tolist())

    def anew() -> None:
        shown[0] = fresh()

    def change() -> None:
        tile_map.layers[0].set_tile(*next(cells), 1)

    for operation, prepare in (("first frame", anew), ("later", None), ("after set_tile", change)):
        about = f"{host}, minimap, {operation}", "three layers", plan.side**2, "frame"
        preparing = {OURS: prepare} if prepare else {}
        runners = {OURS: lambda: shown[0]()}
        yield Race(*about, runners, frames=plan.frames(100), prepare=preparing)


def cameras(layers: int, side: float) -> Iterator[tuple[str, list[tuple[float, float, float]]]]:
    """What a camera does: x, y and zoom of each frame."""
    if layers == 1:
        for way, step in WAYS.items():
            yield f"panning {way}", pan(step, 1.0, side)
        yield "zooming", zooming(range(-35, 36), side)
    else:
        yield "zooming, 0.2 to 0.5", zooming(range(-80, -34), side)
    for zoom in (1.0, *ZOOMS):
        yield f"still, zoom {zoom:g}", [(side / 4, side / 4, zoom)]
        yield f"panning, zoom {zoom:g}", pan(PANNING, zoom, side)


def zooming(steps: range, side: float) -> list[tuple[float, float, float]]:
    """In and out again around the middle, by two percent a frame from 1.02 ** steps."""
    way = [1.02**step for step in steps]
    return [
        (side / 2 - SCREEN[0] / 2 / zoom, side / 2 - SCREEN[1] / 2 / zoom, zoom)
        for zoom in way + way[::-1]
    ]


def pan(step: tuple[int, int], zoom: float, side: float) -> list[tuple[float, float, float]]:
    """From a quarter of the map on, for as many frames as fit into a half of it."""
    dx, dy = (one / zoom for one in step)
    count = int(side / 2 / max(dx, dy))
    return [(side / 4 + number * dx, side / 4 + number * dy, zoom) for number in range(count)]


def filming(frame: Frame, moves: list[tuple[float, float, float]]) -> Runner:
    turns = cycle(moves)
    return lambda: frame(*next(turns))
