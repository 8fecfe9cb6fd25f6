"""Frames of a map in pygame against pyscroll's buffered renderer; sprites against `Group.draw`.

All draw on a software surface of 1280 x 720, from the same file, at the same places. The map's one
layer is full of tiles of 32 pixels.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from mmap import PAGESIZE
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.maps import write_map
from benchmarks.peers import OURS
from benchmarks.race import Race, WrongAnswerError
from benchmarks.results import BYTES, SECONDS, Row
from benchmarks.timing import Runner

PYSCROLL, GROUP = "pyscroll", "Group.draw"
SCREEN = 1280, 720
SIDE = 1024
TILES = SIDE * SIDE
MAP, SPRITES_MAP = "one layer", "sprites"
SPRITES = 5_000
SHARES = {"a tenth": 0.1, "a quarter": 0.25, "two fifths": 0.4}
STARTS = 5

STILL, START, MEMORY = "pygame frame, still", "pygame start", "pygame start, memory"
PAN = "pygame frame, panning 3 px {way}"
WAYS = {"across": (3, 0), "down": (0, 3), "both ways": (3, 3)}
STILL_AT, PAN_AT = "pygame frame, still, zoom {zoom:g}", "pygame frame, panning, zoom {zoom:g}"
ZOOMS = (2.0, 0.5, 0.37, 0.25)
ZOOMING = "pygame frame, zooming"
IN_VIEW = "pygame sprites, {share} in view"
SYNCED = "pygame sprites synced, {share} in view"

Frame = Callable[[int], object]


def races() -> Iterator[Race]:
    """Every frame that is raced in one process."""
    if find_spec("pygame") is None:
        return
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    with TemporaryDirectory() as folder:
        path = write_map(Path(folder), SIDE)
        ours = Ours(path)
        theirs = None if find_spec("pyscroll") is None else Pyscroll(path)
        yield from map_races(ours, theirs)
    yield from sprite_races()


def map_races(ours: Ours, theirs: Pyscroll | None) -> Iterator[Race]:
    both = {OURS: ours} | ({PYSCROLL: theirs} if theirs else {})
    for name, contestant in both.items():
        if not contestant.shows_the_map():
            raise WrongAnswerError(f"{name} draws something else")

    def race(operation: str, frame: Callable[[Contestant], Frame]) -> Race:
        runners = {name: Runner(frame(contestant)) for name, contestant in both.items()}
        return Race(operation, MAP, TILES, "frame", runners)

    yield race(STILL, lambda contestant: still(contestant, 1))
    for way, step in WAYS.items():
        yield race(PAN.format(way=way), lambda contestant, step=step: panning(contestant, 1, step))
    for zoom in ZOOMS:
        yield race(
            STILL_AT.format(zoom=zoom), lambda contestant, zoom=zoom: still(contestant, zoom)
        )
        yield race(
            PAN_AT.format(zoom=zoom),
            lambda contestant, zoom=zoom: panning(contestant, zoom, (3, 3)),
        )
    yield race(ZOOMING, zooming)


class Ours:
    """MapView on the map."""

    def __init__(self, path: Path) -> None:
        import pygame

        from tilequad import load_map
        from tilequad.draw.pygame import MapView

        self.surface = pygame.Surface(SCREEN)
        self.view = MapView(load_map(path, y_up=False))

    def zoom(self, zoom: float) -> None:
        self.size = SCREEN[0] / zoom, SCREEN[1] / zoom

    def frame(self, x: int, y: int) -> None:
        width, height = self.size
        self.view.draw(self.surface, (x, y, x + width, y + height))

    def shows_the_map(self) -> bool:
        return drawn(self)


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

    def zoom(self, zoom: float) -> None:
        self.size = SCREEN[0] / zoom, SCREEN[1] / zoom
        if self.renderer.zoom != zoom:
            self.renderer.zoom = zoom

    def frame(self, x: int, y: int) -> None:
        self.renderer.center((x + self.size[0] / 2, y + self.size[1] / 2))
        self.renderer.draw(self.surface, self.surface.get_rect())

    def shows_the_map(self) -> bool:
        return drawn(self)


Contestant = Ours | Pyscroll


def drawn(contestant: Contestant) -> bool:
    """Whether all pixels are the color of the tiles: each draws the whole screen."""
    import pygame

    contestant.zoom(1)
    contestant.frame(5000, 5000)
    picture = pygame.surfarray.array3d(contestant.surface)
    return bool((picture == (0, 128, 0)).all())


def still(contestant: Contestant, zoom: float) -> Frame:
    def frame(_: int) -> None:
        contestant.zoom(zoom)
        contestant.frame(5003, 5002)

    return frame


def panning(contestant: Contestant, zoom: float, step: tuple[int, int]) -> Frame:
    place = [0, 0]

    def frame(_: int) -> None:
        contestant.zoom(zoom)
        place[0] = (place[0] + step[0] / zoom) % 16_000
        place[1] = (place[1] + step[1] / zoom) % 16_000
        contestant.frame(4000 + place[0], 4000 + place[1])

    return frame


def zooming(contestant: Contestant) -> Frame:
    """In by factors of 1.02 from a half to twice, and out again, about one point."""
    way = [1.02**step for step in range(-35, 36)]
    zooms = way + way[::-1]
    number = [0]

    def frame(_: int) -> None:
        number[0] = (number[0] + 1) % len(zooms)
        zoom = zooms[number[0]]
        contestant.zoom(zoom)
        contestant.frame(9000 - SCREEN[0] / zoom / 2, 9000 - SCREEN[1] / zoom / 2)

    return frame


def sprite_races() -> Iterator[Race]:
    """Sprites of 24 x 24 pixels, some of them in view: drawn, and then also followed and drawn."""
    import pygame

    from tilequad import DynamicQuadtree
    from tilequad.draw.pygame import FollowedSprites

    image = pygame.Surface((24, 24), pygame.SRCALPHA)
    pygame.draw.circle(image, (255, 80, 40), (12, 12), 11)
    view = 0, 0, *SCREEN
    for share, part in SHARES.items():
        width = int(SCREEN[0] / part)
        rng = np.random.default_rng(9)
        group = pygame.sprite.Group()
        for x, y in rng.integers((0, 0), (width, SCREEN[1]), (SPRITES, 2)).tolist():
            sprite = pygame.sprite.Sprite(group)
            sprite.image, sprite.rect = image, image.get_rect(center=(x, y))
        followed = FollowedSprites(DynamicQuadtree((0, 0, width, SCREEN[1])))
        surface, other = pygame.Surface(SCREEN), pygame.Surface(SCREEN)
        followed.sync(group)
        followed.draw(surface, view)
        group.draw(other)
        if surface.get_buffer().raw != other.get_buffer().raw:
            raise WrongAnswerError("the sprites in view are drawn in another way")

        def synced(_: int, followed=followed, group=group, surface=surface) -> None:
            for sprite in group:
                sprite.rect.x ^= 1
            followed.sync(group)
            followed.draw(surface, view)

        def moved(_: int, group=group, surface=other) -> None:
            for sprite in group:
                sprite.rect.x ^= 1
            group.draw(surface)

        yield Race(
            IN_VIEW.format(share=share),
            SPRITES_MAP,
            SPRITES,
            "frame",
            {
                OURS: Runner(lambda _, f=followed, s=surface: f.draw(s, view)),
                GROUP: Runner(lambda _, g=group, s=other: g.draw(s)),
            },
        )
        yield Race(
            SYNCED.format(share=share),
            SPRITES_MAP,
            SPRITES,
            "frame",
            {OURS: Runner(synced), GROUP: Runner(moved)},
        )


def rows() -> Iterator[Row]:
    """From nothing to the first frame: seconds and bytes, in a process of its own each."""
    if find_spec("pygame") is None:
        return
    names = [OURS] + ([PYSCROLL] if find_spec("pyscroll") else [])
    with TemporaryDirectory() as folder:
        path = write_map(Path(folder), SIDE)
        small = write_map(Path(folder), 64)
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in names}
        for _ in range(STARTS):
            for name in names:
                command = [sys.executable, "-m", __spec__.name, name, str(small), str(path)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                runs[name].append(json.loads(done.stdout.splitlines()[-1]))
    for name, found in runs.items():
        for operation, key, unit in ((START, "seconds", SECONDS), (MEMORY, "bytes", BYTES)):
            amounts = [run[key] for run in found if key in run]
            if not amounts:
                continue
            yield Row(
                operation,
                MAP,
                TILES,
                "map",
                name,
                median(amounts),
                min(amounts),
                len(amounts),
                unit,
            )


def start(name: str, small: Path, path: Path) -> dict[str, float]:
    """Draw a small map, so that everything is imported, and then the large one."""
    make = Ours if name == OURS else Pyscroll
    first_frame(make, small)
    before = resident()
    begin = perf_counter()
    kept = first_frame(make, path)
    seconds = perf_counter() - begin
    after = resident()
    del kept
    return {"seconds": seconds} | ({} if after is None else {"bytes": after - before})


def resident() -> float | None:
    """The memory of this process in bytes; None where the system does not tell."""
    gc.collect()
    report = Path("/proc/self/statm")
    return float(report.read_text().split()[1]) * PAGESIZE if report.exists() else None


def first_frame(make: type[Contestant], path: Path) -> Contestant:
    contestant = make(path)
    contestant.zoom(1)
    contestant.frame(100, 100)
    return contestant


if __name__ == "__main__":
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    print(json.dumps(start(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))))
