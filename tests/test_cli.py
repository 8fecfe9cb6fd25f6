"""The commands: what they print, what they write, and how they say no."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tilequad import cli
from tilequad.draw.image import render
from tilequad.tiled import load_map

from .tmx import TILESET, csv_layer, write_map

OBJECTS = (
    '<group name="town"><objectgroup name="things" visible="0">'
    '<object id="1" x="3" y="4"/><object id="2" x="9" y="9"><point/></object>'
    '<object id="3" gid="2" x="16" y="32"/></objectgroup></group>'
)
GROUND = csv_layer("ground", [[1, 2, 3, 4], [0, 0, 1, 0], [4, 0, 0, 4]])
ROADS = csv_layer("roads", [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]], 'opacity="0.5"')
MAP_PROPERTY = '<properties><property name="title" value="The town"/></properties>'


@pytest.fixture
def town(tmp_path: Path) -> Path:
    return write_map(tmp_path, MAP_PROPERTY, TILESET, GROUND, ROADS, OBJECTS)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """What a command that fails prints: one line, on stderr, with exit status 2."""
    assert cli.main([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tilequad: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("command", [[], ["info"], ["render"], ["view"]])
def test_help_explains(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        cli.main([*command, "--help"])
    assert leaving.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: tilequad")
    assert ("MAP" in out) == bool(command)


def test_a_wrong_request_shows_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["paint"], ["render", "map.tmx"], ["info"]):
        with pytest.raises(SystemExit) as leaving:
            cli.main(arguments)
        assert leaving.value.code == 2
        assert "usage: tilequad" in capsys.readouterr().err


class TestInfo:
    def test_tells_what_is_in_a_map(self, town, capsys):
        assert cli.main(["info", str(town)]) == 0
        out, err = capsys.readouterr()
        assert err == ""
        without_trees, trees = re.subn(r" +tree: \d+ nodes?, [\d,]+ bytes", "", out)
        assert trees == 3
        assert without_trees.splitlines() == [
            str(town),
            "  orthogonal, 4 x 3 cells of 16 x 16 pixels, 64 x 48 pixels in all",
            "  title = The town",
            "3 layers, the lowest first",
            "  tile    ground       7 tiles",
            "  tile    roads        4 tiles",
            "  object  town/things  3 objects: 1 rectangle, 1 point, 1 tile  hidden",
            "1 tileset",
            "  from 1  tiles  4 tiles of 16 x 16  in the map",
        ]

    def test_as_json_for_programs(self, town, capsys):
        assert cli.main(["info", str(town), "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["size"] == [4, 3]
        assert facts["bounds"] == [0, 0, 64, 48]
        assert facts["properties"] == {"title": "The town"}
        assert [layer["name"] for layer in facts["layers"]] == ["ground", "roads", "things"]
        assert [layer.get("tiles") for layer in facts["layers"]] == [7, 4, None]
        assert facts["layers"][1]["opacity"] == 0.5
        assert facts["layers"][2]["groups"] == ["town"]
        assert facts["layers"][2]["visible"] is False
        for layer in facts["layers"]:
            world_layer = load_map(town).layer(layer["name"])
            assert layer["tree"]["nodes"] == len(world_layer.nodes())
            assert layer["tree"]["bytes"] == world_layer.tree_bytes() > 0
        assert facts["tilesets"][0]["tiles"] == 4
        assert facts["warnings"] == []

    def test_prints_the_warnings(self, tmp_path, capsys):
        missing = '<tileset firstgid="1" source="nowhere.tsx"/>'
        path = write_map(tmp_path, missing, csv_layer("ground", [[1]]), size=(1, 1))
        world = load_map(path)
        assert world.warnings
        assert cli.main(["info", str(path)]) == 0
        assert capsys.readouterr().out.splitlines()[-2:] == ["1 warning", f"  {world.warnings[0]}"]

    def test_names_cannot_move_the_cursor(self, tmp_path, capsys):
        layer = {"type": "objectgroup", "name": "\x1b[2Jred\nline \u202eé", "objects": []}
        size = {"width": 1, "height": 1, "tilewidth": 16, "tileheight": 16}
        path = tmp_path / "map.tmj"
        path.write_text(json.dumps({"type": "map", **size, "layers": [layer]}))
        assert cli.main(["info", str(path)]) == 0
        out = capsys.readouterr().out
        assert r"\x1b[2Jred\nline \u202eé  0 objects" in out
        assert cli.main(["info", "--json", str(path)]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["layers"][0]["name"] == layer["name"]

    def test_a_reader_may_stop_early(self, town):
        command = [sys.executable, "-m", "tilequad", "info", str(town)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdout.close()
            assert run.stderr.read() == b""
        assert run.returncode == 0

    def test_of_an_empty_map(self, tmp_path, capsys):
        assert cli.main(["info", str(write_map(tmp_path, size=(0, 0)))]) == 0
        assert "0 layers" in capsys.readouterr().out


class TestRender:
    def drawn(self, town: Path, *options: str) -> Image.Image:
        output = town.parent / "out.png"
        assert cli.main(["render", str(town), "-o", str(output), *options]) == 0
        return Image.open(output)

    def test_writes_the_picture(self, town, capsys):
        picture = self.drawn(town)
        assert np.array_equal(picture, render(load_map(town)))
        assert capsys.readouterr().out == f"{town.parent / 'out.png'}: 64 x 48 pixels\n"

    @pytest.mark.parametrize("scale", [1, 2, 0.5, 3.7])
    def test_bands_leave_no_seam(self, town, monkeypatch, scale):
        monkeypatch.setattr(cli, "BAND", 7)
        picture = self.drawn(town, "--scale", str(scale))
        assert np.array_equal(picture, render(load_map(town), scale=scale))

    def test_bounds_choose_a_part(self, town):
        picture = self.drawn(town, "--bounds", "-5", "10", "40", "30")
        assert np.array_equal(picture, render(load_map(town), (-5, 10, 40, 30)))

    def test_layers_are_drawn_in_the_order_of_the_map(self, town):
        world = load_map(town)
        chosen = [world.layer("ground"), world.layer("things")]
        picture = self.drawn(town, "--layers", "things,ground")
        assert np.array_equal(picture, render(world, layers=chosen))
        assert not np.array_equal(picture, render(world))

    def test_objects_can_be_left_out(self, town):
        world = load_map(town)
        picture = self.drawn(town, "--layers", "ground,things", "--no-objects")
        assert np.array_equal(picture, render(world, layers=[world.layer("ground")]))

    def test_time_moves_animations(self, tmp_path):
        frames = (
            '<tile id="0"><animation><frame tileid="1" duration="50"/>'
            '<frame tileid="2" duration="50"/></animation></tile>'
        )
        tileset = TILESET.replace("</tileset>", f"{frames}</tileset>")
        path = write_map(tmp_path, tileset, csv_layer("ground", [[1]]), size=(1, 1))
        assert self.drawn(path).getpixel((8, 8)) == (0, 255, 0, 255)
        assert self.drawn(path, "--time", "60").getpixel((8, 8)) == (0, 0, 255, 255)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (["--scale", "0"], "--scale must be above 0"),
            (["--scale", "nan"], "--scale must be above 0"),
            (["--scale", "1e6"], "beyond the limit"),
            (["--bounds", "9", "0", "5", "5"], "--bounds must have min <= max"),
            (["--bounds", "nan", "0", "5", "5"], "--bounds must be finite"),
            (["--layers", "ground,sky"], "no layer 'sky'; it has ground, roads, things"),
        ],
    )
    def test_what_cannot_be_drawn_is_refused(self, town, capsys, options, words):
        output = town.parent / "out.png"
        assert words in refused(capsys, "render", town, "-o", output, *options)
        assert not output.exists()

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("out.txt", "not the name of a picture"),
            ("nowhere/out.png", "no such folder"),
            ("out.jpg", "JPEG"),
        ],
    )
    def test_what_cannot_be_written_is_refused(self, town, capsys, name, words):
        assert words in refused(capsys, "render", town, "-o", town.parent / name)


@pytest.mark.parametrize("command", [["info"], ["render", "-o", "out.png"], ["view"]])
class TestBadMaps:
    def test_missing_file(self, tmp_path, capsys, command):
        path = tmp_path / "nowhere.tmx"
        assert f"{path}: no such file" in refused(capsys, *command, path)

    @pytest.mark.parametrize("text", ["", "hello", "<html/>", "<map", '<map width="3"/>'])
    def test_no_map(self, tmp_path, capsys, command, text):
        path = tmp_path / "map.tmx"
        path.write_text(text)
        assert str(path) in refused(capsys, *command, path)

    def test_unknown_gid(self, tmp_path, capsys, command):
        path = write_map(tmp_path, csv_layer("ground", [[7]]), size=(1, 1))
        assert "no tileset" in refused(capsys, *command, path)


def test_runs_as_a_program(town: Path) -> None:
    command = [sys.executable, "-m", "tilequad", "info", str(town)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(town))
    assert done.stderr == ""


class TestView:
    def test_without_arcade_says_what_to_install(self, town, capsys, monkeypatch):
        monkeypatch.setitem(sys.modules, "arcade", None)
        assert 'pip install "tilequad[arcade]"' in refused(capsys, "view", town)

    def test_without_opengl_says_what_to_install(self, town, tmp_path):
        # Stands for arcade where pyglet finds no libGL: its import fails in these very words.
        (tmp_path / "arcade.py").write_text("raise ImportError('Library \"GL\" not found.')")
        done = self.run(town, PYTHONPATH=str(tmp_path))
        assert "libgl1" in done.stderr
        assert '"GL" not found' in done.stderr

    @pytest.mark.gl
    @pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
    def test_without_a_display_says_so(self, town):
        done = self.run(town, DISPLAY="", ARCADE_HEADLESS="")
        assert "no window can be opened" in done.stderr

    def run(self, town: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tilequad", "view", str(town)]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **environment}
        )
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        return done
