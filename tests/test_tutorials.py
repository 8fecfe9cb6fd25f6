"""The tutorials: each step plays, and the game at the end can be won and lost."""

import runpy
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parent.parent
SCRIPT = runpy.run_path(str(ROOT / "docs" / "screenshots.py"))
TICKS = {step: min(ticks, 500) for step, ticks in SCRIPT["TICKS"].items()}


@pytest.mark.gl
def test_each_step_of_the_tutorial_in_arcade_plays(folder_with_maps, window):
    import arcade

    for step, (_, names) in enumerate(SCRIPT["steps"]("arcade"), 1):
        window.clear(color=(0, 0, 0, 255))
        game = SCRIPT["play_arcade"](names, step, TICKS[step])

        assert len(arcade.get_image().getcolors(1 << 20)) > 50
        check(game, step)
    assert step == 5


@pytest.mark.gl
def test_the_game_in_arcade_ends(folder_with_maps, window):
    *_, (_, names) = SCRIPT["steps"]("arcade")
    idle = names["Game"]()
    play(idle, lambda: idle.on_fixed_update(1 / 60))
    assert (idle.end, idle.lives) == ("The town has fallen.", 0)

    game = names["Game"]()
    for x, y in SCRIPT["SITES"]:
        game.towers.build(x, y)
    play(game, lambda: game.on_fixed_update(1 / 60))
    assert game.end == "The town is safe."
    assert game.lives > 0
    assert not game.enemies.walking


def test_each_step_of_the_tutorial_in_pygame_plays(folder_with_maps):
    pytest.importorskip("pygame")
    for step, (_, names) in enumerate(SCRIPT["steps"]("pygame"), 1):
        game = SCRIPT["play_pygame"](names, step, TICKS[step])

        assert len({tuple(game.screen.get_at((x, 300))) for x in range(0, 1280, 3)}) > 50
        check(game, step)
    assert step == 5


def test_the_game_in_pygame_ends(folder_with_maps):
    pygame = pytest.importorskip("pygame")
    *_, (_, names) = SCRIPT["steps"]("pygame")
    idle = names["Game"](pygame.Surface((1280, 720)))
    play(idle, idle.update)
    assert (idle.end, idle.lives) == ("The town has fallen.", 0)

    game = names["Game"](pygame.Surface((1280, 720)))
    for x, y in SCRIPT["SITES"]:
        game.towers.add(names["Tower"](x, SCRIPT["HEIGHT"] - y))
    game.sprites.sync(game.towers, groups=names["TOWER"])
    play(game, game.update)
    assert game.end == "The town is safe."
    assert game.lives > 0
    assert not game.enemies


def test_each_step_of_the_roguelike_plays(folder_with_maps):
    pytest.importorskip("pygame")
    for step, (_, names) in enumerate(SCRIPT["steps"]("roguelike"), 1):
        game = SCRIPT["play_roguelike"](names, step, SCRIPT["TURNS"][step])

        colors = {tuple(game.screen.get_at((x, y))) for x in range(0, 1280, 9) for y in range(99)}
        assert len(colors) > 30
        row, column = divmod(game.hero.cell, names["grid"].columns)
        assert ((row, column) == (4, 3)) == (step < 3)
        if step > 1:
            assert any(game.fog.sees(cell) for cell in range(len(names["grid"])))
            assert not game.fog.sees(len(names["grid"]) - 1)
    assert step == 5
    assert not game.end
    assert 0 < game.hero.life < 8


def test_the_roguelike_ends(folder_with_maps):
    pytest.importorskip("pygame")
    *_, (_, names) = SCRIPT["steps"]("roguelike")
    assert SCRIPT["play_roguelike"](names, 5, 100).end == "You are dead."

    names["Piece"] = strong(names["Piece"])
    game = SCRIPT["play_roguelike"](names, 5, 100)
    assert game.end == "You are out."


def strong(piece):
    """Pieces of which the hero has much life."""

    class Strong(piece):
        def __init__(self, item):
            super().__init__(item)
            self.life *= 1 + 9 * (self.kind == "hero")

    return Strong


@pytest.mark.parametrize("page", ["arcade", "pygame", "roguelike"])
def test_each_step_has_its_picture(page):
    folder = ROOT / "docs" / "tutorials"
    for step in range(1, 6):
        picture = folder / f"{page}-{step}.png"
        with Image.open(picture) as image:
            assert image.size == SCRIPT["SIZE"]
        assert picture.stat().st_size < 110_000


def check(game, step):
    """What a step has brought is there."""
    if step > 1:
        enemies = getattr(game.enemies, "walking", game.enemies)
        assert len(enemies) > 5
        assert all(enemy.walked > 0 for enemy in enemies)
    if step == 3:
        towers = getattr(game.towers, "built", game.towers)
        assert any(tower.ready_at for tower in towers)
    if step == 5:
        assert game.gold < 150


def play(game, tick):
    for _ in range(20_000):
        tick()
        if game.end:
            return
    pytest.fail("the game does not end")
