"""The examples: each runs alone; the demo reports in JSON, with OpenGL and without."""

import json
import runpy
import signal
import subprocess
import sys
from collections import defaultdict
from importlib.util import find_spec

import numpy as np
import pytest
from PIL import Image

from frontier_game import program
from tests.programs import EXAMPLES, HIDE_GL, MAP, hide_package, pygame_example, run
from tilequad import COMPILED, MapError
from tilequad.tiled import TileMap

DEMO = EXAMPLES / "frontier.py"
FOG = EXAMPLES / "fog_window.py"
HIDE_ARCADE = hide_package("arcade")

# What the demo says on stderr and no more, where nothing is wrong.
PLAIN = "The trees are not compiled: queries are about 100 times slower.\n"
NOTICE = "" if COMPILED else PLAIN

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="hides screens and libraries in the way that Linux finds them"
)

with_arcade = pytest.mark.skipif(
    find_spec("arcade") is None, reason="needs arcade, the one package that looks for OpenGL"
)
with_pygame = pytest.mark.skipif(find_spec("pygame") is None, reason="needs pygame")


def play(*flags, folder, hide=""):
    """Run the demo, which finds nothing wrong."""
    done = run(DEMO, *flags, folder=folder, hide=hide)
    assert done.returncode == 0, done.stderr
    return done


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.gl
def test_the_headless_demo_plays_the_same_game_with_gl_and_with_pillow(tmp_path):
    flags = ("--headless", "--frames", "12", "--seed", "3", "--screenshot")
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


ADVICE = (
    "apt-get install libgl1 libegl1 libfontconfig1 libxrender1",
    'pip install "tilequad[arcade]"',
    "run this on a desktop, or under xvfb-run",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hide", "advice"),
    [
        pytest.param(HIDE_GL, ADVICE[0], marks=[on_linux, with_arcade], id="no OpenGL"),
        pytest.param(HIDE_ARCADE, ADVICE[1], id="no arcade"),
        pytest.param("", ADVICE[2], marks=[on_linux, pytest.mark.gl], id="no screen"),
    ],
)
def test_the_demo_without_a_window_plays_off_screen_and_says_why(tmp_path, hide, advice):
    done = play("--frames", 30, folder=tmp_path, hide=hide)
    (sentence,) = done.stdout.splitlines()

    assert [one for one in ADVICE if one in sentence] == [advice]
    assert "frontier.png" in sentence
    assert done.stderr == NOTICE
    assert looks_like_a_game(tmp_path / "frontier.png")


@pytest.mark.parametrize(
    ("flags", "name", "reason"),
    [
        (["--headless"], "missing/f.png", "no such folder"),
        (["--pillow"], "f.doc", "not the name of a picture"),
        ([], "folder.png", "is a folder"),
    ],
)
def test_the_demo_looks_at_the_screenshot_before_it_plays(
    tmp_path, monkeypatch, capsys, flags, name, reason
):
    (tmp_path / "folder.png").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(program, "load_map", lambda path: pytest.fail("it begins to play"))
    monkeypatch.setattr(sys, "argv", ["frontier.py", *flags, "--screenshot", name])
    status = program.run()
    said = capsys.readouterr()
    (line,) = said.err.splitlines()

    assert (status, said.out) == (2, "")
    assert line.startswith("frontier: ")
    assert reason in line


@pytest.mark.slow
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
    command, pipe = [sys.executable, "-c", script], subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as demo:
        assert demo.stdout.readline() == "playing\n"
        demo.send_signal(signal.SIGINT)
        out, err = demo.communicate(timeout=60)

    assert (demo.returncode, out, err) == (130, "", NOTICE + "frontier: interrupted\n")


def test_a_demo_interrupted_while_it_imports_says_so_in_one_line(tmp_path):
    done = run(DEMO, folder=tmp_path, hide=hide_package("numpy", "KeyboardInterrupt"))

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "frontier: interrupted\n")


def test_the_demo_says_where_the_trees_are_not_compiled(tmp_path):
    uncompiled = "import tilequad\ntilequad.COMPILED = False\n"
    done = play("--headless", "--pillow", "--frames", 2, folder=tmp_path, hide=uncompiled)

    assert done.stderr == PLAIN
    assert report(done)["compiled"] is False


@pytest.mark.parametrize(
    ("flag", "value", "wanted"),
    [
        ("--frames", "0", "at least 1"),
        ("--waves", "0", "from 1 to 10"),
        ("--waves", "11", "from 1"),
    ],
)
def test_the_demo_rejects_what_cannot_be_played(monkeypatch, capsys, flag, value, wanted):
    monkeypatch.setattr(sys, "argv", ["frontier.py", "--headless", flag, value])
    with pytest.raises(SystemExit) as end:
        program.run()

    said = capsys.readouterr().err
    assert end.value.code == 2
    assert f"{flag} must be {wanted}" in said
    assert f", got {value}\n" in said


# -- the other examples --


IN_TURN = """
import os, runpy, sys
import numpy, tilequad.ai, tilequad.nav, tilequad.tiled  # once for all
for command in sys.argv[1:]:
    if os.fork() == 0:
        sys.argv = command.split()
        runpy.run_path(sys.argv[0], run_name="__main__")
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""
WITH_PYGAME = "lantern.py", "pygame_map.py", "island.py", "level_editor.py", "roguelike.py"
GL_LACKS = {"map_window.py": "cannot open a window", "map_window.py nowhere.tmx": "nowhere.tmx"}


@pytest.mark.slow
@on_linux
@pytest.mark.parametrize(
    ("hide", "reasons"),
    [
        (HIDE_ARCADE, {"map_window.py": 'pip install "tilequad[arcade]"'}),
        pytest.param(HIDE_GL, {"map_window.py": "OpenGL"}, marks=with_arcade),
        pytest.param("", GL_LACKS, marks=pytest.mark.gl),
        (hide_package("pygame"), dict.fromkeys(WITH_PYGAME, 'pip install "tilequad[pygame]"')),
        pytest.param("", dict.fromkeys(WITH_PYGAME, "there is no display"), marks=with_pygame),
        (hide_package("gymnasium"), {"frontier_env.py": "pip install 'tilequad[env]'"}),
    ],
    ids=["no arcade", "no OpenGL", "no screen", "no pygame", "no display", "no gymnasium"],
)
def test_an_example_says_in_one_line_what_is_missing(tmp_path, hide, reasons):
    commands = [str(EXAMPLES / command) for command in reasons]
    nowhere = {"ARCADE_HEADLESS": "", "XDG_RUNTIME_DIR": str(tmp_path)}
    done = run("-c", IN_TURN, *commands, folder=tmp_path, paths=(EXAMPLES,), hide=hide, **nowhere)

    assert (done.returncode, done.stdout) == (0, "1\n" * len(reasons)), done.stderr
    for line, command in zip(done.stderr.splitlines(), reasons, strict=True):
        assert line.startswith(command.split(".py")[0] + ": ")
        assert reasons[command] in line


@pytest.mark.slow
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
    done = run("-c", script, folder=tmp_path, paths=(EXAMPLES,))

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


@pytest.mark.slow
@pytest.mark.gl
@on_linux
def test_the_fog_is_drawn_in_a_window(tmp_path):
    picture = tmp_path / "fog.png"
    done = run(FOG, "--seconds", 1, "--output", picture, folder=tmp_path)
    assert done.returncode == 0, done.stderr

    pixels = np.asarray(Image.open(picture)).astype(int)
    assert (pixels.sum(axis=2) == 0).mean() > 0.05  # hidden
    assert (pixels.sum(axis=2) > 350).mean() > 0.2  # visible
    assert len(np.unique(pixels)) > 200


@pytest.mark.slow
@pytest.mark.gl
def test_the_skirmish_is_played_with_the_mouse(tmp_path):
    script = """
import arcade, numpy, skirmish
from skirmish import BLUE, HOUSE, RED
window = skirmish.Window()
game, units = window.game, window.game.units
def picture():
    window.on_draw()
    return numpy.asarray(arcade.get_image().convert("RGB"))
def middle(team):
    return units.position_many(game.slots(team, HOUSE)).mean(axis=0)
window.on_mouse_press(60, 60, arcade.MOUSE_BUTTON_LEFT, 0)
window.on_mouse_drag(1050, 650, 990, 590, arcade.MOUSE_BUTTON_LEFT, 0)
boxed = picture()
window.on_mouse_release(1050, 650, arcade.MOUSE_BUTTON_LEFT, 0)
assert len(window.chosen) == skirmish.COUNT and {one.team for one in window.chosen} == {BLUE}
chosen = picture()
assert not numpy.array_equal(boxed, chosen)
x = middle(BLUE)[0]
window.on_key_press(arcade.key.KEY_3, 0)
window.on_mouse_press(600, 350, arcade.MOUSE_BUTTON_RIGHT, 0)
assert (window.formation, len(game.march.going)) == ("wedge", skirmish.COUNT)
window.on_mouse_press(420, 420, arcade.MOUSE_BUTTON_MIDDLE, 0)
window.on_mouse_press(1090, 350, arcade.MOUSE_BUTTON_MIDDLE, 0)  # in the fog
for tick in range(400):
    window.on_update(1 / 60)
assert len(game.slots(BLUE)) == skirmish.COUNT + 2, "a hall and one tower"
assert middle(BLUE)[0] > x + 200 and len(game.march.going) > 0
for tick in range(900):
    window.on_update(1 / 60)
fallen = 2 * skirmish.COUNT - len(game.slots(BLUE | RED, HOUSE))
assert fallen > 5 and all(unit in units for unit in window.chosen)
window.on_key_press(arcade.key.RIGHT, 0)
assert not numpy.array_equal(picture(), chosen)
window.camera.position = 500, 500
assert picture().max() < 30, "black, and nobody"
game.halls[1].health = 0
units.remove(game.halls[1])
tick = game.tick
window.on_update(1 / 60)
assert game.tick == tick, "it is over"
print(fallen)
"""
    done = run("-c", script, folder=tmp_path, paths=(EXAMPLES,))

    assert done.returncode == 0, done.stderr


@with_pygame
def test_who_walks_among_the_wolves_stays_on_the_map(monkeypatch):
    with pygame_example("pygame_map", monkeypatch) as module:
        game, held = module.Game(MAP), defaultdict(bool, {module.pygame.K_LEFT: True})
        monkeypatch.setattr(module.pygame.key, "get_pressed", lambda: held)
        game.hero.rect.topleft = 2, 100
        game.update()
        assert game.hero.rect.topleft == (0, 100)


@with_pygame
def test_the_palette_of_the_editor_ends_with_the_last_tile(monkeypatch):
    with pygame_example("level_editor", monkeypatch) as module:
        module.pygame.font.init()
        editor = module.Editor(MAP, "nowhere.tmx")
        for y, scroll in ((-10_000, (len(editor.palette) - 1) // module.ACROSS), (10_000, 0)):
            wheel = module.pygame.event.Event(module.pygame.MOUSEWHEEL, y=y, pos=(1270, 9))
            editor.handle(wheel)
            assert editor.scroll == scroll


@with_pygame
def test_the_editor_says_so_of_a_map_that_has_no_tile_layer(monkeypatch, tmp_path):
    path = tmp_path / "empty.tmx"
    TileMap.new(4, 4, (16, 16)).save(path)
    with pygame_example("level_editor", monkeypatch) as module:
        module.pygame.font.init()
        with pytest.raises(MapError, match=r"empty\.tmx: it has no tile layer"):
            module.Editor(path, path)


SHORT_EXAMPLES = {  # a line that each prints
    "ball_pit.py": "px deep, 0 in stone",
    "boids.py": "tick 300: ",
    "breach.py": " on their way, ",
    "crowd.py": "px deep, 0 in the wall",
    "culling.py": "from x =    0: ",
    "flow_field.py": "400 of 400 walkers arrived after ",
    "fog.py": "minute 3: we see ",
    "mortar.py": "tick 120: shell at (",
    "nearest_tree.py": "the tree nearest to (4096, 4096) stands in column 127, row 126",
    "paths.py": "60 of 60 paths, ",
    "sentries.py": "tick 171: sentry at 21, 3 sees the thief",
    "tower_defense.py": "75 killed, 0 shots",
    "towers.py": "100: north tower shoots goblin 1",
    "villagers.py": "68 wood, 20 gold; <Claims: 19>",
}


def test_every_short_example_is_tested():
    others = {DEMO.name, FOG.name, "map_window.py", "pygame_window.py"}
    # These have tests of their own.
    others |= {"frontier_env.py", "lantern.py", "pygame_map.py", "roguelike.py", "sweep.py"}
    others |= {"interest.py", "island.py", "level_editor.py", "skirmish.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} - others == set(SHORT_EXAMPLES)


@pytest.mark.parametrize(("name", "line"), SHORT_EXAMPLES.items())
def test_a_short_example_runs_anywhere_and_prints(name, line, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    said = capsys.readouterr()

    assert line in said.out
    assert said.err == ""
