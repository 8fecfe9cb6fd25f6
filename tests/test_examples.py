"""examples/: each runs alone; the demo tells of itself in JSON, with OpenGL and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tilequad import load_map

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
DEMO = EXAMPLES / "frontier.py"
WINDOW = EXAMPLES / "map_window.py"
sys.path.insert(0, str(EXAMPLES))

from frontier_game.game import Game  # noqa: E402
from frontier_game.units import ENEMY, TREE, VILLAGER, Units  # noqa: E402

# What makes a library or a package invisible to a program that is started with it on its path.
HIDE_GL = """
import ctypes
load = ctypes.cdll.LoadLibrary
def refuse(name):
    if "GL" in str(name):
        raise OSError(f"{name}: cannot open shared object file")
    return load(name)
ctypes.cdll.LoadLibrary = refuse
"""
HIDE_ARCADE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "arcade":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
"""

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="screens and libraries are hidden as Linux looks for them"
)

with_arcade = pytest.mark.skipif(
    find_spec("arcade") is None, reason="only arcade misses OpenGL, and arcade is missing"
)


def play(
    *flags: str, folder: Path, hide: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the demo in a folder, without a display."""
    surroundings = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    surroundings.pop("WAYLAND_DISPLAY", None)
    if hide:
        (folder / "sitecustomize.py").write_text(hide)
        surroundings["PYTHONPATH"] = str(folder)
    return subprocess.run(
        [sys.executable, str(DEMO), *flags],
        cwd=folder,
        env=surroundings | (env or {}),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )


def figures(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one line of JSON."""
    (line,) = done.stdout.splitlines()
    told: dict[str, Any] = json.loads(line)
    return told


def looks_like_a_game(path: Path) -> bool:
    """A picture of the right size with many colours, much of it green."""
    pixels = np.asarray(Image.open(path).convert("RGB"), int)
    green = (pixels[..., 1] > pixels[..., 0]) & (pixels[..., 1] > pixels[..., 2])
    colors = len(np.unique(pixels.reshape(-1, 3), axis=0))
    return pixels.shape == (720, 1280, 3) and colors > 500 and green.mean() > 0.3


# -- the command --


@on_linux
@with_arcade
def test_headless_without_gl_tells_figures_and_leaves_a_picture(tmp_path: Path) -> None:
    done = play(
        "--headless", "--frames", "40", "--seed", "3", "--screenshot", "f.png",
        folder=tmp_path, hide=HIDE_GL,
    )  # fmt: skip
    told = figures(done)

    assert told["renderer"] == "pillow"
    assert "apt install libgl1" in done.stderr
    assert told["frames"] == told["ticks"] == 40
    assert 500 < told["tiles_drawn"] < 5000 < told["tiles_total"]
    assert 0 < told["units_drawn"] < told["units_total"]
    assert told["enemies"] > 100
    assert told["towers"] == 10
    assert told["cull_ms"] > 0
    assert told["query_ms"] > 0
    assert told["fps"] is None  # frames that nobody draws have no rate
    assert looks_like_a_game(tmp_path / "f.png")


@pytest.mark.gl
def test_headless_with_gl_plays_the_same_game(tmp_path: Path) -> None:
    flags = ("--headless", "--frames", "30", "--seed", "3", "--screenshot")
    seen = figures(play(*flags, "gl.png", folder=tmp_path))
    unseen = figures(play(*flags, "pillow.png", "--pillow", folder=tmp_path))

    assert seen["renderer"] == "opengl"
    assert seen["fps"] > 0
    assert seen["state"] == unseen["state"]
    assert seen["tiles_drawn"] == unseen["tiles_drawn"]
    assert looks_like_a_game(tmp_path / "gl.png")
    # The same scene, but for the letters at the top and the edges of what was turned or scaled.
    one, other = (
        np.asarray(Image.open(tmp_path / name).convert("RGB"), int)[60:]
        for name in ("gl.png", "pillow.png")
    )
    assert ((np.abs(one - other) > 16).any(axis=2)).mean() < 0.02


@pytest.mark.parametrize(
    ("hide", "advice"),
    [
        pytest.param(
            HIDE_GL,
            "apt install libgl1 libegl1 libfontconfig1 libxrender1",
            marks=[on_linux, with_arcade],
            id="no OpenGL",
        ),
        pytest.param(HIDE_ARCADE, 'pip install "tilequad[arcade]"', id="no arcade"),
        pytest.param("", "there is no screen", marks=[on_linux, pytest.mark.gl], id="no screen"),
    ],
)
def test_plain_command_without_a_window_plays_unseen(
    tmp_path: Path, hide: str, advice: str
) -> None:
    done = play(folder=tmp_path, hide=hide)
    (sentence,) = done.stdout.splitlines()

    assert advice in sentence
    assert "frontier.png" in sentence
    assert done.stderr == ""
    assert looks_like_a_game(tmp_path / "frontier.png")


def test_frames_below_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        play("--headless", "--frames", "0", folder=tmp_path)

    assert "--frames must be at least 1, got 0" in refused.value.stderr


# -- the game --


@pytest.fixture(scope="module")
def world() -> Any:
    return load_map(ROOT / "maps" / "frontier.tmx")


def played(world: Any, ticks: int, seed: int = 5, brute: bool = False) -> Game:
    game = Game(world, seed)
    game.units.brute = brute
    for _ in range(ticks):
        game.tick()
    return game


def test_same_seed_same_game_other_seed_other_game(world: Any) -> None:
    first = played(world, 200)

    assert first.digest() == played(world, 200).digest()
    assert first.digest() != played(world, 200, seed=6).digest()


def test_brute_force_plays_the_same_game(world: Any) -> None:
    by_tree = played(world, 240)
    by_loops = played(world, 240, brute=True)

    assert by_tree.digest() == by_loops.digest()


def test_switching_in_the_middle_changes_nothing(world: Any) -> None:
    game = played(world, 60)
    game.units.brute = True
    for _ in range(60):
        game.tick()
    game.units.brute = False
    for _ in range(60):
        game.tick()

    assert game.digest() == played(world, 180).digest()


@pytest.fixture(scope="module")
def veteran(world: Any) -> Game:
    """A game that has gone on for 25 seconds; not to be played on."""
    return played(world, 1500)


def test_town_works_and_fights(veteran: Game) -> None:
    game = veteran

    assert game.slain > 10
    assert game.felled > 5
    assert game.stock["wood"] > 0
    assert any(villager.load for villager in game.village.villagers)
    game.units.tree.check()


def test_another_tower_is_built_when_wood_and_stone_are_there(world: Any) -> None:
    game = played(world, 1)
    game.stock = {"wood": 500, "stone": 50}
    for _ in range(600):
        game.tick()

    assert len(game.garrison.towers) > 10
    assert all(tower in game.units for tower in game.garrison.towers)


def test_no_two_villagers_have_the_same_tree(world: Any) -> None:
    game = played(world, 400)
    goals = [
        villager.goal
        for villager in game.village.villagers
        if villager.doing in ("going", "working") and villager.goal.groups == TREE
    ]

    assert len(goals) > 10
    assert len(goals) == len(set(goals))


def test_villagers_run_from_an_enemy_into_a_house(world: Any) -> None:
    game = played(world, 120)
    villager = next(one for one in game.village.villagers if one.doing in ("going", "working"))
    game.horde.spawn(0.0)
    enemy = list(game.horde)[-1]
    doings = []
    for _ in range(600):
        game.units.move(enemy, villager.x + 60, villager.y)
        game.village.live(game.now, 1 / 60)
        game.ticks += 1
        doings.append(villager.doing)

    assert "fleeing" in doings
    assert doings[-1] == "hiding"


def test_felled_trees_become_stumps_in_the_picture(world: Any, veteran: Game) -> None:
    layer = world.layer("trees")
    game = veteran
    changed = np.flatnonzero(game.tree_gids != layer.gids(np.arange(layer.id_limit)))

    assert len(changed) == game.felled > 0
    for gid in game.tree_gids[changed].tolist():
        tileset = world.tileset_of(gid)
        assert "stump" in tileset.tile_class(gid - tileset.first_gid)


def test_stumps_grow_into_trees_again(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontier_game.villagers.CHOP", 80)  # one load, and the tree falls
    monkeypatch.setattr("frontier_game.game.REGROWTH", 3.0)
    game = played(world, 800)
    layer = world.layer("trees")
    changed = game.tree_gids != layer.gids(np.arange(layer.id_limit))
    standing = sum(tree in game.units for tree in game.land.trees)

    assert 0 < changed.sum() < game.felled
    assert standing == len(game.land.trees) - changed.sum()


def test_reinforcements_come_at_once(world: Any) -> None:
    game = played(world, 1)
    before = len(game.horde)
    game.reinforce(1000)

    assert len(game.horde) == before + 1000


# -- the two ways to ask --


def test_brute_force_answers_as_the_tree_does(world: Any) -> None:
    units: Units = played(world, 100).units
    answers = []
    for units.brute in (False, True):
        answers.append(
            [
                (
                    sorted(map(id, units.within(x, y, 300, groups=ENEMY | VILLAGER))),
                    sorted(map(id, units.query((x - 200, y - 200, x + 200, y + 200), TREE))),
                    id(units.nearest(x, y, groups=TREE)),
                    id(units.nearest(x, y, groups=ENEMY, min_distance=200)),
                )
                for x in range(0, 8192, 700)
                for y in range(0, 8192, 700)
            ]
            + [units.pairs_many(ENEMY).tolist()]
        )

    assert answers[0] == answers[1]
    assert len(answers[0][-1]) > 0


# -- the other examples --


@pytest.mark.gl
def test_window_example_shows_moves_and_zooms(tmp_path: Path) -> None:
    script = """
import arcade, numpy, map_window
window = map_window.Window(map_window.MAP)
def picture():
    window.on_draw()
    return numpy.asarray(arcade.get_image().convert("RGB"))
at_rest = picture()
window.on_mouse_drag(0, 0, -64, 32, 1, 0)
moved = picture()
assert numpy.array_equal(moved[:-32, :-64], at_rest[32:, 64:])
window.on_mouse_scroll(640, 360, 0, 1)
assert not numpy.array_equal(picture(), moved)
print(len(numpy.unique(at_rest.reshape(-1, 3), axis=0)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(EXAMPLES), "ARCADE_HEADLESS": "True"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(done.stdout) > 100


@pytest.mark.parametrize(
    "path",
    sorted(path for path in EXAMPLES.glob("*.py") if path not in (DEMO, WINDOW)),
    ids=lambda path: path.name,
)
def test_short_example_runs_alone(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert done.stdout.strip()
    assert done.stderr == ""
