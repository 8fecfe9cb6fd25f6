"""The code in README.md and the guides runs and gives what its comments say; links work."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.pages import blocks, run
from tilequad.cli.program import make_parser

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md")), ROOT / "CHANGELOG.md"]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """The names that the code blocks share, in a folder where they may write files."""
    (tmp_path / "maps").symlink_to(ROOT / "maps")
    monkeypatch.chdir(tmp_path)
    return {"__name__": "readme"}


def needs_arcade(block):
    return "import arcade" in block


def test_the_code_of_the_readme_gives_what_its_comments_say(names):
    promises = sum(run(README, block, names) for block in blocks(README) if not needs_arcade(block))

    assert promises >= 15
    assert Path("village.png").stat().st_size > 10_000


def test_the_code_of_the_guide_to_the_trees_gives_what_its_comments_say():
    page, names = ROOT / "docs" / "trees.md", {"__name__": "trees"}

    assert sum(run(page, block, names) for block in blocks(page)) >= 15


@pytest.mark.gl
def test_the_window_of_the_readme_shows_the_map(names, window):
    for block in blocks(README):
        run(README, block, names)
    import arcade

    window.clear(color=(0, 0, 0, 255))
    # Call the methods on a stand-in: a second window would close the first when it is collected.
    game = SimpleNamespace(
        camera=arcade.Camera2D(position=(3600, 4300)),
        clear=window.clear,
        map_view=names["MapView"](names["tile_map"]),
    )
    names["Game"].on_mouse_drag(game, 0, 0, 5, 5, 1, 0)
    names["Game"].on_mouse_scroll(game, 160, 120, 0, 2)
    names["Game"].on_draw(game)

    assert len(arcade.get_image().getcolors(1 << 20)) > 50


@pytest.mark.gl
def test_the_code_of_the_guide_to_drawing_draws(names, window):
    import arcade

    page = ROOT / "docs" / "drawing.md"
    assert sum(run(page, block, names) for block in blocks(page)) >= 1
    assert Path("village.png").stat().st_size > 10_000
    for make in (names["Game"], names["GameWithUnits"]):
        window.clear(color=(0, 0, 0, 255))
        game = make()
        game.on_update(0.5)
        game.on_draw()

        assert len(arcade.get_image().getcolors(1 << 20)) > 50


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_existing_files(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    here = [link for link in links if "://" not in link]

    assert [link for link in here if not (page.parent / link).exists()] == []


def test_the_commands_of_the_readme_parse():
    lines = re.findall(r"^tilequad (.+?)(?:\s+#.*)?$", README.read_text(encoding="utf-8"), re.M)

    assert len(lines) == 3
    for line in lines:
        options = make_parser().parse_args(line.split())
        assert (ROOT / options.map).is_file()
