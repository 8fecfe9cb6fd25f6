"""Links lead to files, commands are commands, and no code in README.md and the guides hides.

The code itself runs as tests of their own, one for each block: see `tests.documents`.
"""

import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

import tilequad
from tests.documents import PROMISE, draws_in_a_window, missing_package, pages
from tilequad.cli.program import make_parser

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DRAWING = ROOT / "docs" / "drawing.md"
GUIDES = sorted((ROOT / "docs").rglob("*.md"))
OTHERS = [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
ELSEWHERE = {
    "https://api.arcade.academy",
    "https://keepachangelog.com/en/1.1.0/",
    "https://semver.org",
    "https://gymnasium.farama.org",
    "https://www.mapeditor.org",
}
BLOCK = "```python\n{}\n```\n"
PROMISES = {
    "README.md": 4,
    "docs/ai.md": 10,
    "docs/coming-from/arcade.md": 4,
    "docs/coming-from/fastquadtree.md": 4,
    "docs/coming-from/pyqtree.md": 2,
    "docs/coming-from/pytiled-parser.md": 3,
    "docs/coming-from/rtree.md": 3,
    "docs/coming-from/scipy.md": 4,
    "docs/drawing.md": 2,
    "docs/how-it-works.md": 6,
    "docs/how-to/hexagonal-maps.md": 7,
    "docs/how-to/infinite-maps.md": 6,
    "docs/how-to/replays.md": 5,
    "docs/how-to/untrusted-maps.md": 3,
    "docs/maps.md": 10,
    "docs/nav.md": 8,
    "docs/orders.md": 1,
    "docs/trees.md": 15,
    "docs/walls.md": 5,
}


def text_of(path):
    return path.read_text(encoding="utf-8")


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def evaluated(path, text):
    """The names that a page's code leaves behind."""
    path.write_text(text, encoding="utf-8")
    page = pages.parse(path)
    for example in page:
        example.evaluate()
    return page.namespace


def test_the_blocks_of_a_page_share_their_names(tmp_path):
    page = BLOCK.format("x = 1\nx + 1   # -> 2") + BLOCK.format("'a', x  # -> ('a', 1)")

    assert evaluated(tmp_path / "page.md", page)["x"] == 1


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("1 + 1   # -> 3", "line 4 promises 3\nand gives 2"),
        ("x = 1   # -> 1", "line 4 promises a value, but no expression ends there"),
        ("x = 1\n# -> 1", "line 5 promises a value, but no expression ends there"),
    ],
)
def test_a_broken_promise_fails(code, message, tmp_path):
    with pytest.raises(AssertionError, match=message):
        evaluated(tmp_path / "page.md", "# A page\n\n" + BLOCK.format(code))


def test_code_that_raises_fails(tmp_path):
    with pytest.raises(NameError, match="unknown"):
        evaluated(tmp_path / "page.md", BLOCK.format("unknown"))


@pytest.mark.parametrize("path", [README, *GUIDES], ids=name_of)
def test_every_block_of_a_page_is_run(path):
    blocks = [example.parsed for example in pages.parse(path)]
    text = text_of(path)

    assert pages.should_parse(path)
    assert len(blocks) == len(re.findall(r"^[ \t]*```[ \t]*py", text, re.MULTILINE))
    assert "".join(blocks).count(PROMISE) >= PROMISES.get(name_of(path), 0)


def test_the_pages_with_promises_are_there():
    assert PROMISES.keys() <= set(map(name_of, [README, *GUIDES]))


def names_of(path, *, window=True):
    """The names that a page's code leaves behind, with or without the blocks that draw."""
    page = pages.parse(path)
    page.namespace["__name__"] = "page"
    for example in page:
        if window or not (draws_in_a_window(example) or missing_package(example)):
            example.evaluate()
    return page.namespace


def test_the_guide_to_drawing_writes_its_picture(folder_with_maps):
    names_of(DRAWING, window=False)

    assert (folder_with_maps / "village.png").stat().st_size > 10_000


def test_the_pygame_of_the_guide_to_drawing_shows_the_map(folder_with_maps, monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    names = names_of(DRAWING, window=False)
    pygame.display.init()
    frames = []

    def flip():
        frames.append(pygame.surfarray.array2d(pygame.display.get_surface()))
        pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(pygame.display, "flip", flip)
    pygame.display.set_mode((1280, 720))
    motion = {"pos": (9, 9), "rel": (5, 5), "buttons": (1, 0, 0)}
    pygame.event.post(pygame.event.Event(pygame.MOUSEMOTION, motion))
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=1))
    try:
        names["play"]()
    finally:
        pygame.display.quit()
    [frame] = frames
    assert len(set(frame.ravel().tolist())) > 500


@pytest.mark.slow
@pytest.mark.gl
def test_the_windows_of_the_guide_to_drawing_show_the_map(folder_with_maps, window):
    names = names_of(DRAWING)
    import arcade

    for make in (names["Game"], names["GameWithUnits"]):
        window.clear(color=(0, 0, 0, 255))
        game = make()
        game.on_update(0.5)
        game.on_draw()

        assert len(arcade.get_image().getcolors(1 << 20)) > 50


@pytest.mark.parametrize("page", [README, *GUIDES, *OTHERS], ids=name_of)
def test_links_lead_to_existing_files(page):
    links = re.findall(r"\]\(([^)#]+)\)", text_of(page))
    made = {f"gallery/{name}.webp" for name in re.findall(r"^def (\w+)\(\):", text_of(page), re.M)}
    here = [link for link in links if "://" not in link and link not in made]

    assert [link for link in here if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", [README, *GUIDES, *OTHERS], ids=name_of)
def test_files_and_names_that_a_page_speaks_of_exist(page):
    text = text_of(page)
    files = re.findall(r"`((?:docs|examples|maps|tests|tilequad)/[\w./-]*\w)`", text)
    names = re.findall(r"`(tilequad(?:\.[A-Za-z]\w*)+)(?=[`(])", text)

    assert [file for file in files if not (ROOT / file).exists()] == []
    assert [name for name in names if not exists(name)] == []


def exists(name):
    """Whether a dotted name leads somewhere, as far as what is installed can tell."""
    found = tilequad
    for part in name.split(".")[1:]:
        try:
            found = getattr(found, part, None) or import_module(f"{found.__name__}.{part}")
        except ModuleNotFoundError as problem:
            return not (problem.name or "tilequad").startswith("tilequad")
    return True


def test_addresses_elsewhere_are_known():
    """A link that leaves the project is one more thing that can break, so each is listed."""
    texts = [text_of(page) for page in [README, *GUIDES, *OTHERS]]
    found = {link for text in texts for link in re.findall(r"\]\((https?://[^)]+)\)", text)}

    assert found == ELSEWHERE


def test_the_commands_of_the_readme_parse():
    lines = re.findall(r"^tilequad (.+?)(?:\s+#.*)?$", text_of(README), re.M)

    assert len(lines) == 4
    for line in lines:
        options = make_parser().parse_args(line.split())
        assert (ROOT / options.map).is_file()


@pytest.mark.parametrize(
    ("package", "guides"),
    [("tilequad.ai", ["ai.md", "orders.md"]), ("tilequad.nav", ["nav.md", "walls.md", "fog.md"])],
)
def test_the_guides_speak_of_every_public_name(package, guides):
    text = "".join(text_of(ROOT / "docs" / name) for name in guides)
    names = import_module(package).__all__

    assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.slow
def test_the_pictures_of_the_guides_can_be_drawn_again(tmp_path):
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    script["Picture"].save.__globals__["FOLDER"] = tmp_path
    for draw in script["PICTURES"]:
        draw()

    drawn = {path.name for path in tmp_path.glob("*.png")}
    assert drawn == {path.name for path in (ROOT / "docs" / "pictures").glob("*.png")}
    assert all(path.stat().st_size < 60_000 for path in tmp_path.glob("*.png"))
