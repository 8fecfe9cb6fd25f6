"""The roguelike in pygame: its rules, its turns and its picture."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pygame = pytest.importorskip("pygame")

import roguelike  # noqa: E402
from roguelike import HIT, Cellars  # noqa: E402
from tests.roguelike_player import explore  # noqa: E402

EXAMPLE = Path(roguelike.__file__)


@pytest.fixture
def game():
    return Cellars()


def put(game, piece, cell):
    """Set a piece down somewhere else; the hero looks around there."""
    piece.cell = cell
    game.fog.move(game.eyes, *game.grid.center(game.hero.cell))


def test_the_hero_walks_and_walls_stop_the_hero(game):
    start = game.hero.cell
    game.walk(1, 1)
    assert game.hero.cell == start + game.grid.columns + 1
    for _ in range(9):
        game.walk(-1, 0)
    assert game.hero.cell == game.grid.cell(1, 5)
    assert game.turns == 4  # who walks into a wall has the turn still


def test_doors_open_and_close_and_hide_what_is_behind(game):
    grid, door = game.grid, game.grid.cell(6, 4)
    put(game, game.hero, grid.cell(5, 4))
    goblin = min(game.monsters, key=lambda one: grid.steps_between(one.cell, door))
    assert not game.fog.sees(goblin.cell)
    game.walk(1, 0)
    assert game.hero.cell == grid.cell(5, 4)
    assert door not in game.doors.ids()
    assert game.fog.sees(goblin.cell)
    assert goblin.awake
    game.close_doors()
    assert door in game.doors.ids()
    assert not game.fog.sees(goblin.cell)
    assert grid.blocked.ravel()[door]


def test_nobody_opens_a_door_around_a_corner_or_shuts_one_on_a_goblin(game):
    grid, door = game.grid, game.grid.cell(6, 4)
    put(game, game.hero, grid.cell(5, 3))
    game.walk(1, 1)
    assert door in game.doors.ids()
    game.set_door(door, 0)
    put(game, game.hero, grid.cell(5, 4))
    put(game, game.monsters[0], door)
    game.close_doors()
    assert door not in game.doors.ids()


def test_those_who_saw_the_hero_come_and_hit(game):
    grid = game.grid
    put(game, game.hero, grid.cell(22, 12))
    pack = game.monsters[:5]
    for number, one in enumerate(pack):
        put(game, one, grid.cell(20 + number, 9))
    far = [grid.steps_between(one.cell, game.hero.cell) for one in pack]
    game.walk(0, 0)
    assert all(one.awake for one in pack)
    nearer = [grid.steps_between(one.cell, game.hero.cell) for one in pack]
    assert sum(nearer) < sum(far)
    for _ in range(8):
        before = game.hero.life
        game.walk(0, 0)
        assert len({one.cell for one in (*pack, game.hero)}) == 6
    assert before - game.hero.life == 3  # side by side; there is no room for more in front
    assert game.result == "You are dead"


def test_who_is_nearly_dead_runs(game):
    grid = game.grid
    put(game, game.hero, grid.cell(20, 10))
    goblin = game.monsters[0]
    put(game, goblin, grid.cell(21, 10))
    goblin.life = HIT + 1
    game.walk(1, 0)
    assert goblin.life == 1
    for _ in range(3):
        game.walk(1, 0)
    assert grid.steps_between(goblin.cell, game.hero.cell) > 1
    assert game.hero.life == Cellars().hero.life


def test_things_are_taken(game):
    life = game.hero.life
    for cell in [cell for cell, one in game.things.items() if one.kind != "stairs"]:
        put(game, game.hero, cell)
        game.walk(0, 0)
    assert game.gold == 5
    assert game.hero.life == life + 4 * roguelike.HEAL
    assert [one.kind for one in game.things.values()] == ["stairs"]


def test_who_explores_gets_out(game):
    known = 0
    while not game.result and game.turns < 600:
        explore(game)
        cells = [one.cell for one in (game.hero, *game.monsters)]
        assert len(cells) == len(set(cells))
        assert not game.grid.blocked.ravel()[cells].any()
        known, before = int(np.count_nonzero(game.fog.explored())), known
        assert known >= before
    assert game.result == "You are out"
    assert game.gold == 5


def test_it_shows_what_the_hero_sees(tmp_path):
    picture = tmp_path / "shot.png"
    command = [sys.executable, EXAMPLE, "--output", picture]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    pixels = pygame.surfarray.array3d(pygame.image.load(picture)).astype(int).sum(axis=2)
    assert pixels.shape == roguelike.SIZE
    assert (pixels == 0).mean() > 0.1  # where nobody has been
    assert (pixels > 400).mean() > 0.05
