"""Plays tutorials and a skirmish, and keeps pictures: `xvfb-run -a python docs/screenshots.py`.

The games are those on the pages: their blocks run in order, and where a page shows a picture, the
game of that step is played for a while, with the clicks of a player, and its window is kept.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "tutorials"
COLORS = 192  # of a picture, which keeps the files small
SIZE = (720, 405)
BLOCK_OR_PICTURE = re.compile(r"^```python\n(.*?)^```$|^!\[[^\]]*\]\((\S+)\.png\)$", re.M | re.S)
SITES = ((4200, 4690), (4270, 4470), (4520, 4350), (4050, 4720), (4400, 4660), (4150, 4500))
MOUSE = (4400, 4670)
HEIGHT = 8192  # of the map
TURNS = {1: 0, 2: 0, 3: 5, 4: 9, 5: 44}  # of the roguelike
TICKS = {1: 1, 2: 760, 3: 1000, 4: 760, 5: 2600}  # how long each step is played

Names = dict[str, Any]


def steps(page: str) -> Iterator[tuple[str, Names]]:
    """Run the blocks of a page; at each picture, its name and the names that there are."""
    names: Names = {"__name__": "page"}
    for found in BLOCK_OR_PICTURE.finditer((FOLDER / f"{page}.md").read_text(encoding="utf-8")):
        code, picture = found.groups()
        if picture:
            yield picture, names
        else:
            exec(compile(code, f"{page}.md", "exec", dont_inherit=True), names)


def play_arcade(names: Names, step: int, ticks: int) -> Any:
    """Play the arcade game of a step for a while; its view, drawn."""
    game = names["GameWithMouse" if step == 4 else "Game"]()
    for tick in range(ticks):
        if step > 1:
            game.on_fixed_update(1 / 60)
        if step == 5 and tick % 300 == 0:
            x, y = SITES[tick // 300 % len(SITES)]
            game.on_mouse_press(*game.camera.project((x, y)), 1, 0)
    while step == 3 and not game.shots:
        game.on_fixed_update(1 / 60)
    if step > 3:
        game.on_mouse_motion(*game.camera.project(MOUSE), 0, 0)
    game.on_draw()
    return game


def play_pygame(names: Names, step: int, ticks: int) -> Any:
    """Play the pygame game of a step for a while; the game, drawn."""
    import pygame

    game = names["GameWithMouse" if step == 4 else "Game"](pygame.Surface((1280, 720)))
    for tick in range(ticks):
        game.update()
        if step == 5 and tick % 300 == 0:
            click(game, pygame.MOUSEBUTTONDOWN, SITES[tick // 300 % len(SITES)], button=1)
    while step == 3 and not game.shots:
        game.update()
    if step > 3:
        click(game, pygame.MOUSEMOTION, MOUSE, buttons=(0, 0, 0), rel=(0, 0))
    game.draw()
    return game


def play_roguelike(names: Names, step: int, turns: int) -> Any:
    """Let the hero of a step walk toward the stairs for some turns; the game, drawn."""
    import pygame

    from tilequad.nav import BLOCKED, Field, Grid, Rule

    pygame.font.init()
    game = names["Game"](pygame.Surface((1280, 720)))
    floor = Grid.of(names["tile_map"], Rule("walls", BLOCKED), diagonal="never")
    stairs = next(piece for piece in game.pieces if piece.kind == "stairs")
    way = Field(floor, [floor.center(stairs.cell)])
    for _ in range(turns if step > 1 else 0):
        row, column = divmod(game.hero.cell, floor.columns)
        next_row, next_column = divmod(way.next_cell(game.hero.cell), floor.columns)
        game.walk(next_column - column, next_row - row)
    game.draw()
    return game


def click(game: Any, kind: int, place: tuple[int, int], **details: Any) -> None:
    """Tell a game in pygame what the mouse does at a place of the world, y up."""
    import pygame

    x, y = place
    game.handle(pygame.event.Event(kind, pos=game.camera.to_screen(x, HEIGHT - y), **details))


def arcade_window() -> Callable[[], Image.Image]:
    """Open a window; what gives its picture."""
    import arcade

    window = arcade.Window(1280, 720, "A tutorial")
    window.switch_to()

    def picture() -> Image.Image:
        image = arcade.get_image()
        window.flip()
        return image

    return picture


def skirmish() -> Image.Image:
    """Play the example until the armies meet; its picture."""
    import arcade

    from skirmish import BLUE, HOUSE, TOWER, Unit, Window

    window = Window()
    soldiers = window.game.slots(BLUE, HOUSE)
    window.chosen = window.game.units.items(soldiers)
    window.game.build(Unit(BLUE, *TOWER), (3810, 4465))
    window.game.send(soldiers, (3960, 4400), "wedge")
    for _ in range(1100):
        window.on_update(1 / 60)
    window.on_draw()
    return arcade.get_image()


def frontier() -> list[Image.Image]:
    """Let a player of the demo meet its sixth wave; four seconds of it."""
    from frontier_game.campaign import CAMPAIGN
    from frontier_game.hud import Hud
    from frontier_game.scene import Scene
    from frontier_game.session import Session
    from frontier_game.window import Window
    from tests.frontier_player import Player, play
    from tilequad import load_map

    tile_map = load_map("maps/frontier.tmx")
    session = Session(tile_map, 7, CAMPAIGN, Path(tempfile.mkdtemp()))
    session.tick_budget = inf
    session.do("start")
    player = Player(session)
    play(session, player, 372)
    window, scene = Window((1280, 720)), Scene(tile_map, session.game)
    window.stage(scene, Hud(session.game, scene), session)
    window.camera.look_at(3860, 4500)
    pictures = []
    for frame in range(44):
        for _ in range(6):
            session.play(1 / 60)
        if frame % 10 == 0:
            player.act()
        pictures.append(window.picture().resize((640, 360), Image.Resampling.LANCZOS))
    return pictures


def save(image: Image.Image, name: str) -> None:
    """Keep a small picture."""
    small = image.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS)
    few = small.quantize(COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)


def main() -> None:
    """Play and draw all steps of all pages."""
    import pygame

    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "examples")]
    picture = arcade_window()
    for step, (name, names) in enumerate(steps("arcade"), 1):
        play_arcade(names, step, TICKS[step])
        save(picture(), name)
    for page, play, times in (("pygame", play_pygame, TICKS), ("roguelike", play_roguelike, TURNS)):
        for step, (name, names) in enumerate(steps(page), 1):
            screen = play(names, step, times[step]).screen
            content = pygame.image.tobytes(screen, "RGB")
            save(Image.frombytes("RGB", screen.get_size(), content), name)
    save(skirmish(), "../skirmish")
    first, *others = frontier()
    first.save(
        FOLDER / "../frontier.webp", save_all=True, append_images=others, duration=100, loop=0,
        quality=50, method=4,
    )  # fmt: skip


if __name__ == "__main__":
    main()
