"""Frames of a map in pygame against pyscroll's buffered renderer; sprites against `Group.draw`.

All draw on a software surface of 1280 x 720, from the same file, at the same places. The map's
layers are full of tiles of 32 pixels.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pygame
import pyscroll
import pytmx

from benchmarks.maps import SCREEN, write_map
from benchmarks.plan import OURS, Plan, Race, Races, Runner, check, in_turn
from tilequad import DynamicQuadtree, load_map
from tilequad.draw.pygame import FollowedSprites, MapView

FRAMES, ZOOMS = 500, (1.0, 2.0, 0.5, 0.37, 0.25)
SPRITES, SHARE = 5_000, 0.25  # and what part of them is in view
Look = tuple[float, float, float]  # x and y of the corner of the view, and its zoom
Frame = Callable[[Look], object]


def with_ours(path: Path, surface: pygame.Surface) -> Frame:
    view = MapView(load_map(path, y_up=False))

    def frame(look: Look) -> None:
        x, y, zoom = look
        view.draw(surface, (x, y, x + SCREEN[0] / zoom, y + SCREEN[1] / zoom))

    return frame


def with_pyscroll(path: Path, surface: pygame.Surface) -> Frame:
    """Pyscroll's own renderer on the map, as its manual says to use it."""
    if not pygame.display.get_surface():
        pygame.display.set_mode(SCREEN)
    data = pyscroll.TiledMapData(pytmx.load_pygame(str(path)))
    renderer = pyscroll.BufferedRenderer(data, SCREEN)

    def frame(look: Look) -> None:
        x, y, zoom = look
        if renderer.zoom != zoom:
            renderer.zoom = zoom
        renderer.center((x + SCREEN[0] / zoom / 2, y + SCREEN[1] / zoom / 2))
        renderer.draw(surface, surface.get_rect())

    return frame


def races(plan: Plan) -> Races:
    """Sprites of 24 x 24 pixels, some of them in view."""
    image = pygame.Surface((24, 24), pygame.SRCALPHA)
    pygame.draw.circle(image, (255, 80, 40), (12, 12), 11)
    size = int(SCREEN[0] / SHARE), SCREEN[1]
    group = pygame.sprite.Group()
    for center in np.random.default_rng(9).integers((0, 0), size, (SPRITES, 2)).tolist():
        sprite = pygame.sprite.Sprite(group)
        sprite.image, sprite.rect = image, image.get_rect(center=center)
    followed = FollowedSprites(DynamicQuadtree((0, 0, *size)))
    followed.sync(group)
    surface, other, view = pygame.Surface(SCREEN), pygame.Surface(SCREEN), (0, 0, *SCREEN)
    runners: dict[str, Runner] = {
        OURS: lambda: followed.draw(surface, view),
        "Group.draw": lambda: group.draw(other),
    }
    for run in runners.values():
        run()
    same = surface.get_buffer().raw == other.get_buffer().raw
    check(same, "the sprites in view are drawn in another way")
    yield Race("pygame sprites, a quarter in view", "sprites", SPRITES, runners)


def frames(plan: Plan) -> Races:
    """A still camera, one that pans, one that zooms; one layer, and three."""
    surface, side = pygame.Surface(SCREEN), plan.side * 32.0
    one = {
        "still, zoom 1": [(side / 4, side / 4, 1.0)],
        "panning across": pan(3, 0, 1.0, side),
        "panning down": pan(0, 3, 1.0, side),
        "zooming": zooming(range(-35, 36), side),
    }
    three = {"zooming, 0.2 to 0.5": zooming(range(-80, -34), side)}
    both = {f"panning, zoom {zoom:g}": pan(3, 3, zoom, side) for zoom in ZOOMS}
    for spread, layers, cameras in ("one layer", 1, one), ("three layers", 3, three):
        path = write_map(plan.side, layers=layers)
        contestants = {OURS: with_ours(path, surface), "pyscroll": with_pyscroll(path, surface)}
        for name, frame in contestants.items():
            surface.fill("black")
            frame((5000.0, 5000.0, 1.0))
            green = (pygame.surfarray.array3d(surface) == (0, 128, 0)).all()
            check(bool(green), f"{name} draws something else")
        for operation, moves in (cameras | both).items():
            runners = {name: in_turn(frame, moves) for name, frame in contestants.items()}
            yield Race(f"pygame, {operation}", spread, plan.side**2, runners, frames=FRAMES)


def zooming(steps: range, side: float) -> list[Look]:
    """In and out again around the middle, by two percent a frame from 1.02 ** steps."""
    way, half, (width, height) = [1.02**step for step in steps], side / 2, SCREEN
    ways = way + way[::-1]
    return [(half - width / 2 / zoom, half - height / 2 / zoom, zoom) for zoom in ways]


def pan(right: int, down: int, zoom: float, side: float) -> list[Look]:
    """From a quarter of the map on by pixels a frame, for as many as fit into a half of it."""
    dx, dy, start = right / zoom, down / zoom, side / 4
    count = int(side / 2 / max(dx, dy))
    return [(start + number * dx, start + number * dy, zoom) for number in range(count)]
