"""The commands: what they print and write, and how they report errors."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.programs import ROOT, run
from tests.tmx import TILESET, csv_layer, map_text, write_json, write_map
from tilequad import cli
from tilequad.cli import render as render_command
from tilequad.draw.pillow import render
from tilequad.tiled import load_map

OBJECTS = (
    '<group name="town"><objectgroup name="things" visible="0">'
    '<object id="1" x="3" y="4"/><object id="2" x="9" y="9"><point/></object>'
    '<object id="3" gid="2" x="16" y="32"/></objectgroup></group>'
)
GROUND = csv_layer("ground", [[1, 2, 3, 4], [0, 0, 1, 0], [4, 0, 0, 4]])
ROADS = csv_layer("roads", [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]], 'opacity="0.5"')
MAP_PROPERTY = '<properties><property name="title" value="The town"/></properties>'
COMMANDS = (["info"], ["render", "-o", "out.png"], ["view"])


@pytest.fixture
def town(tmp_path):
    return write_map(tmp_path, MAP_PROPERTY, TILESET, GROUND, ROADS, OBJECTS)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command that fails prints: one line, on stderr, with exit status 2."""
    assert cli.main([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tilequad: ")
    assert err.count("\n") == 1
    return err


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command prints that finds nothing wrong."""
    assert cli.main([str(argument) for argument in arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def program(*arguments: object) -> list[str]:
    """The command line as a process of its own."""
    return [sys.executable, "-m", "tilequad", *map(str, arguments)]


# -- the program --


@pytest.mark.parametrize("command", [[], ["info"], ["render"], ["view"], ["convert"]])
def test_help_explains(capsys, command):
    with pytest.raises(SystemExit) as leaving:
        cli.main([*command, "--help"])
    assert leaving.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: tilequad")
    assert ("MAP" in out) == bool(command)


@pytest.mark.parametrize(
    "arguments",
    [[], ["paint"], ["render", "map.tmx"], ["info"], ["info", ""], ["render", "a.tmx", "-o", ""]],
)
def test_a_wrong_request_shows_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as leaving:
        cli.main(arguments)
    assert leaving.value.code == 2
    assert "usage: tilequad" in capsys.readouterr().err


def test_runs_as_a_program(town):
    done = subprocess.run(program("info", town), capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(town))
    assert done.stderr == ""


def test_a_reader_may_stop_early(town):
    with subprocess.Popen(
        program("info", town), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_output_that_cannot_be_written_is_reported_in_one_line(town):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            program("info", town), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "tilequad: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_ctrl_c_ends_a_command_without_a_traceback(town, capsys, monkeypatch, command):
    def interrupt(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"tilequad.cli.{command[0]}.load_map", interrupt)
    assert cli.main([*command, str(town)]) == 130
    assert capsys.readouterr() == ("", "tilequad: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
def test_ctrl_c_while_a_picture_is_drawn_leaves_nothing_behind(tmp_path):
    rows = [[1 + (column + row) % 4 for column in range(250)] for row in range(250)]
    path = write_map(tmp_path, TILESET, *[csv_layer("g", rows)] * 8, size=(250, 250))
    before = sorted(tmp_path.iterdir())
    # The first line is for runs in the background, where the shell lets children ignore SIGINT.
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from tilequad.cli import main; sys.exit(main())"
    )
    arguments = ["render", str(path), "-o", str(tmp_path / "out.png"), "--scale", "2"]
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments], stderr=subprocess.PIPE, text=True
    ) as process:
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert err == "tilequad: interrupted\n"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no such file"),
        ("", "is empty"),
        ("hello", "is not XML"),
        ("<html/>", "is not a map"),
        ("<map", "ends too early"),
        ('<map width="3"/>', "cells of 0 x 0 pixels"),
        (map_text(csv_layer("ground", [[7]])), "no tileset"),
        ('{"maps": [{"fileName": "a.tmx"}]}', "is a world, not a map: its maps are a.tmx\n"),
    ],
)
def test_a_file_that_is_not_a_map_is_reported(tmp_path, monkeypatch, capsys, command, text, words):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "map.tmx"
    if text is not None:
        path.write_text(text)
    assert f"tilequad: {path}: " in (err := refused(capsys, *command, path))
    assert words in err


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("PIL", 'tilequad render needs Pillow: pip install "tilequad[pillow]"'),
        ("tqdm", 'tilequad render needs tqdm: pip install "tilequad[pillow]"'),
    ],
)
def test_a_missing_library_is_named(town, capsys, monkeypatch, module, words):
    monkeypatch.setitem(sys.modules, module, None)
    assert words in refused(capsys, "render", town, "-o", town.parent / "out.png")


# -- info --


def test_info_describes_a_map(town, capsys):
    out = printed(capsys, "info", town)
    without_trees, trees = re.subn(r" +tree: \d+ nodes?, [\d,]+ bytes", "", out)
    without_trees = re.sub(r" +hidden", "  hidden", without_trees)  # as wide as the trees were
    assert trees == 3
    assert without_trees.splitlines() == [
        str(town),
        "  orthogonal, 4 x 3 cells of 16 x 16 pixels, 64 x 48 pixels in all",
        "  title = The town",
        "3 layers, from bottom to top",
        "  tile    ground       7 tiles",
        "  tile    roads        4 tiles",
        "  object  town/things  3 objects: 1 rectangle, 1 point, 1 tile  hidden",
        "1 tileset",
        "  from gid 1  tiles  4 tiles of 16 x 16  embedded",
    ]


def test_info_prints_json(town, capsys):
    facts = json.loads(printed(capsys, "info", town, "--json"))
    assert facts["size"] == [4, 3]
    assert facts["bounds"] == [0, 0, 64, 48]
    assert facts["properties"] == {"title": "The town"}
    assert [layer["name"] for layer in facts["layers"]] == ["ground", "roads", "things"]
    assert [layer["kind"] for layer in facts["layers"]] == ["tile", "tile", "object"]
    assert [layer.get("tiles") for layer in facts["layers"]] == [7, 4, None]
    assert facts["layers"][1]["opacity"] == 0.5
    assert facts["layers"][2]["groups"] == ["town"]
    assert facts["layers"][2]["visible"] is False
    tile_map = load_map(town)
    for layer in facts["layers"]:
        loaded = tile_map.layer(layer["name"])
        assert layer["tree"]["nodes"] == len(loaded.nodes())
        assert layer["tree"]["bytes"] == loaded.nbytes > 0
    assert facts["tilesets"][0]["tiles"] == 4
    assert facts["warnings"] == []


def test_json_has_no_numbers_that_are_none(tmp_path, capsys):
    value = '<property name="{0}" type="float" value="{0}"/>'
    inner = f'<property name="c" type="class"><properties>{value.format("nan")}</properties>'
    items = '<property name="l" type="list"><item type="float" value="-inf"/></property>'
    own = f"<properties>{value.format('inf')}{inner}</property>{items}</properties>"
    text = printed(capsys, "info", "--json", write_map(tmp_path, own))
    facts = json.loads(text, parse_constant=pytest.fail)
    assert facts["properties"] == {"inf": "inf", "c": {"nan": "nan"}, "l": ["-inf"]}


def test_info_prints_the_warnings(tmp_path, capsys):
    missing = '<tileset firstgid="1" source="nowhere.tsx"/>'
    path = write_map(tmp_path, missing, csv_layer("ground", [[1]]), size=(1, 1))
    [warning] = load_map(path).warnings
    assert printed(capsys, "info", path).splitlines()[-2:] == ["1 warning", f"  {warning}"]


def test_info_shows_paths_relative_to_the_map(tmp_path, capsys):
    layer = '<imagelayer name="sky"><image source="sky/{}"/></imagelayer>'
    elsewhere = layer.format("../../far.png")
    path = write_map(tmp_path, layer.format("blue.png"), elsewhere)
    near, far = printed(capsys, "info", path).splitlines()[3:5]
    assert near == f"  image  sky  {Path('sky') / 'blue.png'}"
    assert far.startswith("  image  sky  ")
    assert far.endswith("far.png")


def test_names_in_a_map_cannot_control_the_terminal(tmp_path, capsys):
    layer = {"type": "objectgroup", "name": "\x1b[2Jred\nline \u202eé", "objects": []}
    path = write_json(tmp_path, {"layers": [layer]})
    out = printed(capsys, "info", path)
    assert r"\x1b[2Jred\nline \u202eé  0 objects" in out
    facts = json.loads(printed(capsys, "info", "--json", path))
    assert facts["layers"][0]["name"] == layer["name"]
    err = refused(capsys, "render", path, "-o", tmp_path / "out.png", "--layers", "\x1b[2J")
    assert "\x1b" not in err


def test_info_takes_an_empty_map(tmp_path, capsys):
    assert "0 layers" in printed(capsys, "info", write_map(tmp_path, size=(0, 0)))


# -- render --


def drawn(town: Path, *options: str) -> Image.Image:
    """The picture that `render` writes."""
    output = town.parent / "out.png"
    assert cli.main(["render", str(town), "-o", str(output), *options]) == 0
    with Image.open(output) as picture:
        picture.load()
        return picture


def test_render_writes_the_picture(town, capsys):
    assert np.array_equal(drawn(town), render(load_map(town)))
    assert capsys.readouterr() == (f"{town.parent / 'out.png'}: 64 x 48 pixels\n", "")


@pytest.mark.parametrize("scale", [1, 2, 0.5, 3.7])
def test_bands_leave_no_seam(town, monkeypatch, scale):
    monkeypatch.setattr(render_command, "BAND", 7)
    picture = drawn(town, "--scale", str(scale))
    assert np.array_equal(picture, render(load_map(town), scale=scale))


@pytest.mark.parametrize("left", ["-5", "-.5e1", "-5e+0"])
def test_bounds_choose_a_part(town, left):
    picture = drawn(town, "--bounds", left, "10", "40", "30")
    assert np.array_equal(picture, render(load_map(town), (-5, 10, 40, 30)))


def test_layers_are_drawn_in_the_order_of_the_map(town):
    tile_map = load_map(town)
    chosen = [tile_map.layer("ground"), tile_map.layer("things")]
    picture = drawn(town, "--layers", "things,ground")
    assert np.array_equal(picture, render(tile_map, layers=chosen))
    assert not np.array_equal(picture, render(tile_map))


def test_a_layer_with_a_comma_in_its_name_is_drawn(town):
    town.write_text(town.read_text().replace('"roads"', '"roads, old"'))
    tile_map = load_map(town)
    picture = drawn(town, "--layers", "roads, old")
    assert np.array_equal(picture, render(tile_map, layers=[tile_map.layer("roads, old")]))


def test_objects_can_be_left_out(town):
    tile_map = load_map(town)
    picture = drawn(town, "--layers", "ground,things", "--objects", "none")
    assert np.array_equal(picture, render(tile_map, layers=[tile_map.layer("ground")]))


def test_time_selects_the_frame_of_animated_tiles(tmp_path):
    frames = (
        '<tile id="0"><animation><frame tileid="1" duration="50"/>'
        '<frame tileid="2" duration="50"/></animation></tile>'
    )
    tileset = TILESET.replace("</tileset>", f"{frames}</tileset>")
    path = write_map(tmp_path, tileset, csv_layer("ground", [[1]]), size=(1, 1))
    assert drawn(path).getpixel((8, 8)) == (0, 255, 0, 255)
    assert drawn(path, "--time", "60").getpixel((8, 8)) == (0, 0, 255, 255)


@pytest.mark.parametrize(
    ("color", "background"), [("", (255, 255, 255)), ('backgroundcolor="#204060"', (32, 64, 96))]
)
def test_a_format_without_transparency_gets_the_background_color(tmp_path, color, background):
    layer = csv_layer("g", [[1, 0], [0, 0]])
    path = write_map(tmp_path, TILESET, layer, size=(2, 2), attributes=color)
    output = tmp_path / "out.jpg"
    assert cli.main(["render", str(path), "-o", str(output), "--scale", "4"]) == 0
    with Image.open(output) as picture:
        assert picture.mode == "RGB"
        assert picture.getpixel((100, 100)) == pytest.approx(background, abs=3)
        assert picture.getpixel((30, 30)) == pytest.approx((255, 0, 0), abs=3)


def test_render_prints_the_warnings(tmp_path, capsys):
    path = write_map(tmp_path, TILESET, csv_layer("ground", [[1]]), size=(1, 1))
    (tmp_path / "tiles.png").unlink()
    drawn(path)
    err = capsys.readouterr().err.splitlines()
    assert err[0] == "tilequad: 1 warning"
    assert "tiles.png" in err[1]
    assert len(err) == 2


def test_only_the_first_warnings_are_printed(tmp_path, capsys):
    missing = [f'<tileset firstgid="{n}" source="nowhere{n}.tsx"/>' for n in range(1, 14)]
    drawn(write_map(tmp_path, *missing, csv_layer("ground", [[1]]), size=(1, 1)))
    err = capsys.readouterr().err.splitlines()
    assert err[0] == "tilequad: 13 warnings"
    assert len(err) == 12
    assert err[-1] == "  and 3 more"


def test_the_progress_bar_stays_out_of_redirected_output(town, capsys, monkeypatch):
    import tqdm

    class EagerBar(tqdm.tqdm):
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, **{**options, "delay": 0, "mininterval": 0})

    monkeypatch.setattr(tqdm, "tqdm", EagerBar)
    drawn(town)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--scale", "0"], "--scale must be finite and above 0"),
        (["--scale", "nan"], "--scale must be finite and above 0"),
        (["--scale", "1e6"], "exceeds the limit"),
        (["--scale", "1e308"], "exceeds the limit"),
        (["--scale", "0.00001"], "--scale 1e-05 makes 64 x 48 pixels of the map less than one"),
        (["--time", "nan"], "--time must be finite"),
        (["--time", "-5"], "--time must be finite and at least 0, got -5.0"),
        (["--bounds", "9", "0", "5", "5"], "--bounds must have min <= max"),
        (["--bounds", "nan", "0", "5", "5"], "--bounds must be finite"),
        (["--bounds", "0", "0", "0", "0"], "--bounds must have a width and a height"),
        (["--bounds", "0", "0", "9", "0"], "--bounds must have a width and a height"),
        (
            ["--bounds", "900", "0", "950", "9"],
            "outside of the map, which reaches from 0 0 to 64 48",
        ),
        (["--layers", "ground,sky"], "no layer 'sky'; it has ground, roads, things"),
    ],
)
def test_what_cannot_be_drawn_is_refused(town, capsys, options, words):
    output = town.parent / "out.png"
    assert words in refused(capsys, "render", town, "-o", output, *options)
    assert not output.exists()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("out.txt", "not the name of a picture"),
        ("nowhere/out.png", "no such folder"),
        ("folder.png", "is a folder"),
        ("out.psd", "Pillow cannot write PSD pictures"),
    ],
)
def test_the_output_is_checked_before_drawing(town, capsys, monkeypatch, name, words):
    monkeypatch.setattr(render_command, "load_map", None)  # not even the map is loaded
    (town.parent / "folder.png").mkdir()
    assert words in refused(capsys, "render", town, "-o", town.parent / name)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_a_folder_that_takes_no_files_is_refused_before_drawing(town, capsys):
    err = refused(capsys, "render", town, "-o", "/proc/out.png")
    assert err.startswith("tilequad: /proc/out.png: the folder takes no new file: ")
    assert "part" not in err


def test_an_object_outside_of_the_map_can_be_drawn(tmp_path):
    far = '<objectgroup name="far"><object id="1" gid="1" x="900" y="32"/></objectgroup>'
    path = write_map(tmp_path, TILESET, csv_layer("ground", [[1]]), far, size=(1, 1))
    picture = drawn(path, "--bounds", "900", "-16", "916", "0")
    assert picture.getpixel((8, 8)) == (255, 0, 0, 255)


@pytest.mark.skipif(os.name == "nt", reason="sends SIGTERM as Linux and macOS have it")
def test_sigterm_leaves_no_part_of_a_file(town, monkeypatch):
    monkeypatch.setattr(os, "replace", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as leaving:
        cli.main(["render", str(town), "-o", str(town.parent / "out.png")])
    assert leaving.value.code == 143
    assert not list(town.parent.glob(".*"))
    assert not list(town.parent.glob("out*"))
    assert signal.getsignal(signal.SIGTERM) == before


def test_the_progress_bar_ends_when_the_file_is_written(town, monkeypatch):
    import tqdm

    steps = []

    class Bar(tqdm.tqdm):
        def update(self, n: int = 1) -> None:
            steps.append((output.exists(), self.total))

        def set_description(self, text: str | None = None, refresh: bool = True) -> None:
            steps.append((text, refresh))

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    output = town.parent / "out.png"
    assert cli.main(["render", str(town), "-o", str(output)]) == 0
    assert steps == [
        ("drawing map.tmx", False),
        (False, 2),
        ("writing out.png", True),
        (True, 2),
    ]


def test_a_long_error_ends_somewhere(town, capsys):
    err = refused(capsys, "render", town, "-o", town.parent / f"{'x' * 5000}.txt")
    assert "x.txt: not the name of a picture" in err
    assert len(err) < 330


def test_a_picture_stays_as_it_was_when_the_new_one_cannot_be_written(town, capsys, monkeypatch):
    before = drawn(town).tobytes()
    capsys.readouterr()

    def fail(descriptor: int) -> None:
        os.ftruncate(descriptor, 10)
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    output = town.parent / "out.png"
    assert "the disk is full" in refused(capsys, "render", town, "-o", output)
    with Image.open(output) as picture:
        assert picture.tobytes() == before
    assert len(list(town.parent.glob("*out*"))) == 1


# -- view --


def test_view_without_arcade_says_what_to_install(town, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "arcade", None)
    assert 'pip install "tilequad[arcade]"' in refused(capsys, "view", town)


def test_view_without_opengl_says_what_to_install(town, tmp_path):
    # In place of arcade: its import fails with these words where pyglet finds no libGL.
    (tmp_path / "arcade.py").write_text("raise ImportError('Library \"GL\" not found.')")
    err = view_refused(town)
    assert "libgl1" in err
    assert '"GL" not found' in err


@pytest.mark.gl
@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_view_without_a_display_says_so(town):
    err = view_refused(town, ARCADE_HEADLESS="")
    assert "cannot open a window" in err
    assert "libgl1" not in err


def view_refused(town: Path, **environment: str) -> str:
    """What `view` prints without a display, and beside the map, where it must fail: one line."""
    folder = town.parent
    done = run("-m", "tilequad", "view", town, folder=folder, paths=(ROOT,), **environment)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    return done.stderr


# -- convert --


def test_a_map_is_converted_there_and_back(town, capsys):
    json_map, again = town.with_name("town.tmj"), town.with_name("again.tmx")
    assert printed(capsys, "convert", town, json_map) == f"{json_map}\n"
    assert printed(capsys, "convert", json_map, again) == f"{again}\n"
    assert load_map(again).layer("ground").ids().tolist() == (
        load_map(town).layer("ground").ids().tolist()
    )
    assert "is a PNG picture" in refused(capsys, "convert", town.with_name("tiles.png"), json_map)
    assert "path must end in .tmx" in refused(capsys, "convert", town, town.with_name("a.png"))
    nowhere = town.parent / "nowhere" / "a.tmx"
    assert "cannot be written: No such file" in refused(capsys, "convert", town, nowhere)
