"""The code in README.md and the guides runs and gives what its comments say; links lead on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages import blocks, run
from tilequad import cli

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md")), ROOT / "CHANGELOG.md"]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """The names that the blocks of code share, in a folder where they may write."""
    (tmp_path / "maps").symlink_to(ROOT / "maps")
    monkeypatch.chdir(tmp_path)
    return {"__name__": "readme"}


def needs_arcade(block):
    return "import arcade" in block


def test_the_code_runs_and_gives_what_its_comments_say(names):
    promises = sum(run(README, block, names) for block in blocks(README) if not needs_arcade(block))

    assert promises >= 15
    assert Path("village.png").stat().st_size > 10_000


def test_the_code_of_the_guide_to_the_trees_does_so_too():
    page, names = ROOT / "docs" / "trees.md", {"__name__": "trees"}

    assert sum(run(page, block, names) for block in blocks(page)) >= 15


@pytest.mark.gl
def test_the_code_of_the_window_shows_the_map(names, window):
    for block in blocks(README):
        run(README, block, names)
    import arcade

    window.clear(color=(0, 0, 0, 255))
    game = names["Game"].__new__(names["Game"])
    game.camera, game.clear = arcade.Camera2D(position=(3600, 4300)), window.clear
    game.map_view = names["MapView"](names["tile_map"])
    game.on_mouse_drag(0, 0, 5, 5, 1, 0)
    game.on_mouse_scroll(160, 120, 0, 2)
    game.on_draw()

    assert len(arcade.get_image().getcolors(1 << 20)) > 50


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_that_are_there(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    here = [link for link in links if "://" not in link]

    assert [link for link in here if not (page.parent / link).exists()] == []


def test_the_commands_of_the_command_line_are_commands():
    lines = re.findall(r"^tilequad (.+?)(?:\s+#.*)?$", README.read_text(encoding="utf-8"), re.M)

    assert len(lines) == 3
    for line in lines:
        options = cli.make_parser().parse_args(line.split())
        assert (ROOT / options.map).is_file()
