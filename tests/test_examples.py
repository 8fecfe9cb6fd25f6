"""The examples: each runs alone; the demo reports in JSON, with OpenGL and without."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from frontier_game.game import Game
from frontier_game.land import Tree
from frontier_game.settings import Settings
from frontier_game.units import ENEMY, TREE, VILLAGER
from tilequad import COMPILED, load_map

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
DEMO = EXAMPLES / "frontier.py"
WINDOW = EXAMPLES / "map_window.py"
PYGAME = EXAMPLES / "pygame_map.py"  # see test_draw_pygame_example
FOG = EXAMPLES / "fog_window.py"
LANTERN = EXAMPLES / "lantern.py"  # see test_lantern

# Written as sitecustomize.py on the path of a program, each hides a library or a package from it.
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
INTERRUPT_IMPORTS = """
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
"""

# What the demo says on stderr and no more, where nothing is wrong.
PLAIN = "The trees are not compiled: queries are about 100 times slower.\n"
NOTICE = "" if COMPILED else PLAIN

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="hides screens and libraries in the way that Linux finds them"
)

with_arcade = pytest.mark.skipif(
    find_spec("arcade") is None, reason="needs arcade, the one package that looks for OpenGL"
)


def on_python_path(folder):
    """PYTHONPATH with a folder in front."""
    return os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def play(*flags, folder, hide="", env=None, program=DEMO, check=True):
    """Run the demo, or another program, in a folder, without a display."""
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    environment.pop("WAYLAND_DISPLAY", None)
    if hide:
        (folder / "sitecustomize.py").write_text(hide)
        environment["PYTHONPATH"] = on_python_path(folder)
    return subprocess.run(
        [sys.executable, str(program), *flags],
        cwd=folder,
        env=environment | (env or {}),
        capture_output=True,
        text=True,
        timeout=300,
        check=check,
    )


def report(done):
    """The line of JSON that the demo prints, and nothing else."""
    (line,) = done.stdout.splitlines()
    return json.loads(line)


def looks_like_a_game(path):
    """Whether a picture has the right size, many colors and a lot of green."""
    pixels = np.asarray(Image.open(path).convert("RGB"), int)
    green = (pixels[..., 1] > pixels[..., 0]) & (pixels[..., 1] > pixels[..., 2])
    colors = len(np.unique(pixels.reshape(-1, 3), axis=0))
    return pixels.shape == (720, 1280, 3) and colors > 500 and green.mean() > 0.3


# -- the command --


@on_linux
@with_arcade
def test_the_headless_demo_without_gl_reports_and_saves_a_picture(tmp_path):
    done = play(
        "--headless", "--frames", "40", "--seed", "3", "--screenshot", "f.png",
        folder=tmp_path, hide=HIDE_GL,
    )  # fmt: skip
    result = report(done)

    assert result["renderer"] == "pillow"
    assert "apt-get install libgl1" in done.stderr
    assert result["frames"] == result["ticks"] == 40
    assert 500 < result["tiles_drawn"] < 5000 < result["tiles_total"]
    assert 0 < result["units_drawn"] < result["units_total"]
    assert result["enemies"] > 100
    assert result["towers"] == 10
    assert result["cull_ms"] > 0
    assert result["query_ms"] > 0
    assert result["fps"] is None  # only drawn frames have a rate
    assert looks_like_a_game(tmp_path / "f.png")


@pytest.mark.gl
def test_the_headless_demo_plays_the_same_game_with_gl_and_with_pillow(tmp_path):
    flags = ("--headless", "--frames", "30", "--seed", "3", "--screenshot")
    with_gl = report(play(*flags, "gl.png", folder=tmp_path))
    with_pillow = report(play(*flags, "pillow.png", "--pillow", folder=tmp_path))

    assert with_gl["renderer"] == "opengl"
    assert with_gl["fps"] > 0
    assert with_gl["state"] == with_pillow["state"]
    assert with_gl["tiles_drawn"] == with_pillow["tiles_drawn"]
    assert looks_like_a_game(tmp_path / "gl.png")
    # Both show the same scene, except for the text at the top and the edges of rotated or scaled
    # sprites.
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
            "apt-get install libgl1 libegl1 libfontconfig1 libxrender1",
            marks=[on_linux, with_arcade],
            id="no OpenGL",
        ),
        pytest.param(HIDE_ARCADE, 'pip install "tilequad[arcade]"', id="no arcade"),
        pytest.param(
            "",
            "run this on a desktop, or under xvfb-run",
            marks=[on_linux, pytest.mark.gl],
            id="no screen",
        ),
    ],
)
def test_the_demo_without_a_window_plays_off_screen_and_says_why(tmp_path, hide, advice):
    done = play(folder=tmp_path, hide=hide)
    (sentence,) = done.stdout.splitlines()

    assert advice in sentence
    assert "frontier.png" in sentence
    assert done.stderr == NOTICE
    assert looks_like_a_game(tmp_path / "frontier.png")


@pytest.mark.gl
def test_the_demo_without_a_screen_does_not_advise_to_install_opengl(tmp_path):
    assert "libgl1" not in play(folder=tmp_path).stdout


def refusal(done):
    """The one line of an error, with its exit status; there is no traceback."""
    (line,) = done.stderr.splitlines()
    return done.returncode, line


@pytest.mark.parametrize("flags", [["--headless"], ["--pillow"], []])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/f.png", "no such folder"),
        ("f.doc", "not the name of a picture"),
        ("folder.png", "is a folder"),
    ],
)
def test_the_demo_looks_at_the_screenshot_before_it_plays(tmp_path, flags, name, reason):
    (tmp_path / "folder.png").mkdir()
    done = play(*flags, "--frames", "1000000", "--screenshot", name, folder=tmp_path, check=False)
    status, line = refusal(done)

    assert status == 2
    assert line.startswith("frontier: ")
    assert reason in line
    assert done.stdout == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_an_interrupted_demo_says_so_in_one_line(tmp_path):
    # Shells let what runs in the background ignore SIGINT.
    script = (
        "import runpy, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"sys.argv = [{str(DEMO)!r}, '--headless', '--pillow', '--frames', '1000000']\n"
        f"sys.path.insert(0, {str(EXAMPLES)!r})\n"
        "import frontier_game.game as game\n"
        "tick = game.Game.tick\n"
        "def told(self):\n"
        "    if self.ticks == 5: print('playing', flush=True)\n"
        "    tick(self)\n"
        "game.Game.tick = told\n"
        f"runpy.run_path({str(DEMO)!r}, run_name='__main__')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout.readline() == "playing\n"
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)

    assert (run.returncode, out, err) == (130, "", NOTICE + "frontier: interrupted\n")


def test_a_demo_interrupted_while_it_imports_says_so_in_one_line(tmp_path):
    done = play(folder=tmp_path, hide=INTERRUPT_IMPORTS, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "frontier: interrupted\n")


def test_the_demo_says_where_the_trees_are_not_compiled(tmp_path):
    uncompiled = "import tilequad.quadtree\ntilequad.quadtree.COMPILED = False\n"
    done = play("--headless", "--pillow", "--frames", "2", folder=tmp_path, hide=uncompiled)

    assert done.stderr == PLAIN
    assert report(done)["compiled"] is False


@on_linux
@pytest.mark.parametrize(
    ("arguments", "hide", "reason"),
    [
        pytest.param([], HIDE_ARCADE, 'pip install "tilequad[arcade]"', id="no arcade"),
        pytest.param([], HIDE_GL, "OpenGL", marks=with_arcade, id="no OpenGL"),
        pytest.param([], "", "cannot open a window", marks=pytest.mark.gl, id="no screen"),
        pytest.param(["nowhere.tmx"], "", "nowhere.tmx", marks=pytest.mark.gl, id="no map"),
    ],
)
def test_the_window_example_says_in_one_line_what_is_missing(tmp_path, arguments, hide, reason):
    done = play(
        *arguments, folder=tmp_path, hide=hide, program=WINDOW, env={"ARCADE_HEADLESS": ""},
        check=False,
    )  # fmt: skip
    status, line = refusal(done)

    assert status == 1
    assert line.startswith("map_window: ")
    assert reason in line


def test_the_demo_rejects_zero_frames(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        play("--headless", "--frames", "0", folder=tmp_path)

    assert "--frames must be at least 1, got 0" in refused.value.stderr


# -- the game --


@pytest.fixture(scope="module")
def tile_map():
    return load_map(ROOT / "maps" / "frontier.tmx")


def played(tile_map, ticks, seed=5, brute_force=False, settings=None):
    game = Game(tile_map, seed, settings)
    game.queries.brute_force = brute_force
    for _ in range(ticks):
        game.tick()
    return game


def test_the_seed_decides_the_game(tile_map):
    first = played(tile_map, 200)

    assert first.digest() == played(tile_map, 200).digest()
    assert first.digest() != played(tile_map, 200, seed=6).digest()


def test_brute_force_plays_the_same_game(tile_map):
    by_tree = played(tile_map, 240)
    by_loops = played(tile_map, 240, brute_force=True)

    assert by_tree.digest() == by_loops.digest()


def test_switching_between_tree_and_brute_force_changes_nothing(tile_map):
    game = played(tile_map, 60)
    game.queries.brute_force = True
    for _ in range(60):
        game.tick()
    game.queries.brute_force = False
    for _ in range(60):
        game.tick()

    assert game.digest() == played(tile_map, 180).digest()


@pytest.fixture(scope="module")
def veteran(tile_map):
    """A game after 25 seconds; tests only look at it."""
    return played(tile_map, 1500)


def test_villagers_bring_wood_and_towers_kill(veteran):
    game = veteran

    assert game.slain > 10
    assert game.felled > 5
    assert game.stock["wood"] > 0
    assert any(villager.load for villager in game.village.villagers)
    game.units.check()


def test_a_tower_is_built_as_soon_as_the_stock_covers_it(tile_map):
    game = played(tile_map, 1)
    game.stock = {"wood": 500, "stone": 50}
    for _ in range(600):
        game.tick()

    assert len(game.garrison.towers) > 10
    assert all(tower in game.units for tower in game.garrison.towers)


def test_no_two_villagers_go_to_the_same_tree(tile_map):
    game = played(tile_map, 400)
    goals = [
        villager.goal
        for villager in game.village.villagers
        if villager.state in ("going", "working") and isinstance(villager.goal, Tree)
    ]

    assert len(goals) > 10
    assert len(goals) == len(set(goals))


def test_villagers_flee_from_an_enemy_into_a_building(tile_map):
    game = played(tile_map, 120)
    villager = next(one for one in game.village.villagers if one.state in ("going", "working"))
    game.horde.spawn([0.0])
    enemy = list(game.horde)[-1]
    states = []
    for _ in range(600):
        x, y = game.units.position(villager)
        game.units.move(enemy, x + 60, y)
        game.village.update(game.now, game.ticks, 1 / 60)
        game.ticks += 1
        states.append(villager.state)

    assert "fleeing" in states
    assert states[-1] == "hiding"


def test_felled_trees_become_stumps(tile_map, veteran):
    game = veteran
    changed = np.flatnonzero(game.tree_gids != game.land.tree_gids)

    assert len(changed) == game.felled > 0
    for gid in game.tree_gids[changed].tolist():
        tileset = tile_map.tileset_of(gid)
        assert "stump" in tileset.tile_class(gid - tileset.first_gid)


def test_stumps_grow_into_trees_again(tile_map):
    # A tree falls after one load.
    game = played(tile_map, 800, settings=Settings(chop=80, regrowth=3.0))
    changed = game.tree_gids != game.land.tree_gids
    standing = sum(tree in game.units for tree in game.land.trees)

    assert 0 < changed.sum() < game.felled
    assert standing == len(game.land.trees) - changed.sum()


def test_reinforcements_arrive_at_once(tile_map):
    game = played(tile_map, 1)
    before = len(game.horde)
    game.reinforce(1000)

    assert len(game.horde) == before + 1000


# -- tree and brute force --


def test_brute_force_answers_as_the_tree_does(tile_map):
    units = played(tile_map, 100).queries
    answers = []
    for units.brute_force in (False, True):
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
        )

    assert answers[0] == answers[1]


# -- the other examples --


@pytest.mark.gl
def test_the_window_example_draws_pans_and_zooms(tmp_path):
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
        env=os.environ | {"PYTHONPATH": on_python_path(EXAMPLES), "ARCADE_HEADLESS": "True"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(done.stdout) > 100


@pytest.mark.gl
@on_linux
def test_the_fog_is_drawn_in_a_window(tmp_path):
    picture = tmp_path / "fog.png"
    subprocess.run(
        [sys.executable, str(FOG), "--seconds", "1", "--output", str(picture)],
        cwd=tmp_path,
        timeout=120,
        check=True,
        env=os.environ | {"ARCADE_HEADLESS": "True"},
    )

    pixels = np.asarray(Image.open(picture)).astype(int)
    assert (pixels.sum(axis=2) == 0).mean() > 0.05  # hidden
    assert (pixels.sum(axis=2) > 350).mean() > 0.2  # visible
    assert len(np.unique(pixels)) > 200


SHORT_EXAMPLES = {  # a line that each prints
    "boids.py": "tick 300: ",
    "crowd.py": "px deep, 0 in the wall",
    "culling.py": "from x =    0: ",
    "flow_field.py": "400 of 400 walkers arrived after ",
    "fog.py": "minute 3: we see ",
    "mortar.py": "tick 120: shell at (",
    "nearest_tree.py": "the tree nearest to (4096, 4096) stands in column 127, row 126",
    "paths.py": "60 of 60 paths, ",
    "sentries.py": "tick 171: sentry at 21, 3 sees the thief",
    "tower_defense.py": "79 killed, 2 shots",
    "towers.py": "100: north tower shoots goblin 1",
    "villagers.py": "68 wood, 20 gold; <Claims: 19>",
}


def test_every_short_example_is_tested():
    windows = {WINDOW.name, PYGAME.name, FOG.name, LANTERN.name}
    programs = {"sweep.py", "frontier_env.py"}  # see test_sweep and test_frontier_env
    found = {path.name for path in EXAMPLES.glob("*.py")}
    assert found - {DEMO.name} - windows - programs == set(SHORT_EXAMPLES)


@pytest.mark.parametrize(("name", "line"), SHORT_EXAMPLES.items())
def test_a_short_example_runs_alone_and_prints(name, line, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    assert line in done.stdout
    assert done.stderr == ""
