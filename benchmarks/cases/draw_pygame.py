"""Frames of a map in pygame against pyscroll's buffered renderer; sprites against `Group.draw`.

All draw on a software surface of 1280 x 720, from the same file, at the same places. The map's
layers are full of tiles of 32 pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
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


class Ours:
    """MapView on the map."""

    def __init__(self, path: Path) -> None:
        import pygame

        from tilequad import load_map
        from tilequad.draw.pygame import MapView

        self.surface = pygame.Surface(SCREEN)
        self.view = MapView(load_map(path, y_up=False))

    def frame(self, x: float, y: float, zoom: float) -> None:
        self.view.draw(self.surface, (x, y, x + SCREEN[0] / zoom, y + SCREEN[1] / zoom))


class Pyscroll:
    """pyscroll's own renderer on the map, as its manual says to use it."""

    def __init__(self, path: Path) -> None:
        import pygame
        import pyscroll
        import pytmx

        if not pygame.display.get_surface():
            pygame.display.set_mode(SCREEN)
        self.surface = pygame.Surface(SCREEN)
        data = pyscroll.TiledMapData(pytmx.load_pygame(str(path)))
        self.renderer = pyscroll.BufferedRenderer(data, SCREEN)

    def frame(self, x: float, y: float, zoom: float) -> None:
        if self.renderer.zoom != zoom:
            self.renderer.zoom = zoom
        self.renderer.center((x + SCREEN[0] / zoom / 2, y + SCREEN[1] / zoom / 2))
        self.renderer.draw(self.surface, self.surface.get_rect())


Contestants = dict[str, Ours | Pyscroll]


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
    with TemporaryDirectory() as folder:
        for layers, spread in ((1, "one layer"), (3, "three layers")):
            path = write_map(Path(folder), plan.side, layers=layers)
            both: Contestants = {OURS: Ours(path)}
            if plan.has("pyscroll"):
                both[PYSCROLL] = Pyscroll(path)
            for name, contestant in both.items():
                check(shows_the_map(contestant), f"{name} draws something else")
            for operation, moves in cameras(layers, plan.side * 32.0):
                runners = {name: filming(one, moves) for name, one in both.items()}
                about = f"pygame, {operation}", spread, plan.side**2, "frame"
                yield Race(*about, runners, frames=plan.frames(FRAMES))
        yield from minimaps(Ours(path).view.tile_map, plan)


def minimaps(tile_map: Any, plan: Plan) -> Iterator[Race]:
    """A picture of the whole map: the first frame, later ones, and each after one changed tile."""
    import pygame

    from tilequad.draw.pygame import MapView, Minimap

    surface = pygame.Surface(SCREEN)
    shown = [Minimap(MapView(tile_map), MINIMAP)]
    cells = cycle(np.random.default_rng(5).integers(0, plan.side, (1_000, 2)).tolist())

    def fresh() -> None:
        shown[0] = Minimap(MapView(tile_map), MINIMAP)

    def change() -> None:
        tile_map.layers[0].set_tile(*next(cells), 1)

    for operation, prepare in (("first frame", fresh), ("later", None), ("after set_tile", change)):
        about = f"pygame, minimap, {operation}", "three layers", plan.side**2, "frame"
        runners = {OURS: lambda: shown[0].draw(surface, 0, 0)}
        preparing = {} if prepare is None else {OURS: prepare}
        yield Race(*about, runners, frames=plan.frames(100), prepare=preparing)


def shows_the_map(contestant: Ours | Pyscroll) -> bool:
    """Whether all pixels are the color of the tiles: each draws the whole screen."""
    import pygame

    contestant.frame(5000, 5000, 1.0)
    return bool((pygame.surfarray.array3d(contestant.surface) == (0, 128, 0)).all())


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


def filming(contestant: Ours | Pyscroll, moves: list[tuple[float, float, float]]) -> Runner:
    turns = cycle(moves)
    return lambda: contestant.frame(*next(turns))
