"""The documentation site: it shows every public name, and its figures come from the benchmarks.

`nox -s docs` builds it, and finds broken links.
"""

import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

import tilequad

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
API = {
    "quadtree": "tilequad.quadtree",
    "tiled": "tilequad.tiled",
    "nav": "tilequad.nav",
    "ai": "tilequad.ai",
    "draw-arcade": "tilequad.draw.arcade",
    "draw-pygame": "tilequad.draw.pygame",
    "draw-pillow": "tilequad.draw.pillow",
}
NO_RIVALS = (  # the floors, and other ways to use the library itself
    *("tilequad", "grid in C", "dictionary of the units", "one textured fill"),
    *("clearing the screen alone", "a new field", "one field"),
)
TABLES = runpy.run_path(str(DOCS / "api_tables.py"))
FIGURES = runpy.run_path(str(DOCS / "figures.py"))
KEPT = FIGURES["kept"]()


@pytest.mark.parametrize(("page", "package"), [*API.items(), ("nav", "tilequad.nav.protocols")])
def test_the_api_shows_every_public_name_once(page, package):
    try:
        module = import_module(package)
    except ImportError as problem:  # arcade or pygame are not installed
        pytest.skip(str(problem))
    shown = {
        path.stem: re.findall(rf"^::: {package}\.(\w+)$", text_of(path), re.M)
        for path in (DOCS / "api").glob("*.md")
    }

    assert sorted(shown.pop(page)) == sorted(module.__all__)
    assert not any(shown.values()), "another page shows a name, too"


@pytest.mark.parametrize("page", API)
def test_the_tables_of_the_api_say_what_the_docstrings_say(page):
    if page.startswith("draw"):
        pytest.importorskip(page.partition("-")[2].replace("pillow", "PIL"))
    text = text_of(DOCS / "api" / f"{page}.md")

    assert TABLES["with_table"](text) == text, "run: python docs/api_tables.py"


def test_the_names_of_the_package_are_shown_where_they_come_from():
    shown = "".join(text_of(page) for page in (DOCS / "api").glob("*.md"))

    assert [name for name in tilequad.__all__ if not re.search(rf"\.{name}$", shown, re.M)] == []


def test_every_page_has_its_place_in_the_navigation():
    linked = re.findall(r"(\S+\.md)$", text_of(ROOT / "mkdocs.yml"), re.M)

    assert sorted(linked) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_figure_that_a_page_asks_for_is_there(page):
    made = FIGURES["fill"](text_of(page), KEPT)

    assert "<!-- table" not in made
    assert "<!-- plot" not in made


def test_a_table_shows_what_was_kept():
    made = FIGURES["fill"]("<!-- table: radius query -->", KEPT).splitlines()
    kept = {
        (row["contestant"], row["count"]): row["least"]
        for row in KEPT["rows"]
        if (row["operation"], row["spread"]) == ("radius query", "uniform")
    }
    header, _, *lines = ([cell.strip() for cell in line.split("|")[1:-1]] for line in made)
    counts = [int(cell.replace(",", "")) for cell in header[1:]]

    assert {line[0] for line in lines} == {name for name, _ in kept}
    for name, *cells in lines:
        for count, cell in zip(counts, cells, strict=True):
            seconds = kept.get((name, count))
            assert (
                cell == "-"
                if seconds is None
                else in_seconds(cell) == pytest.approx(seconds, rel=0.01)
            )


def test_what_others_do_faster_is_not_left_out():
    made = FIGURES["fill"]("<!-- table: lost -->", KEPT)
    ours, rivals = {}, []
    for row in KEPT["rows"]:
        race = row["operation"], row["spread"], row["count"]
        taken = row["mean" if row["frames"] else "least"]
        if row["contestant"] == "tilequad":
            ours[race] = taken
        elif not row["contestant"].startswith(NO_RIVALS):
            rivals.append((race, row["contestant"], taken))
    for (operation, spread, count), name, seconds in rivals:
        mine = ours.get((operation, spread, count))
        if mine is not None and "memory" not in operation:
            line = f"| {operation}, {spread} | {count:,} | {name} |"
            assert (line in made) == (seconds < mine), line


@pytest.mark.parametrize("asked", ["table: no such race", "plot: none", "table: versus nobody"])
def test_a_figure_that_was_not_kept_is_an_error(asked):
    with pytest.raises(KeyError, match="the benchmarks have kept nothing of"):
        FIGURES["fill"](f"<!-- {asked} -->", KEPT)


@pytest.mark.slow
def test_a_plot_is_a_picture():
    pytest.importorskip("matplotlib")

    made = FIGURES["plot"](KEPT, "radius query").decode()

    names = {row["contestant"] for row in KEPT["rows"] if row["operation"] == "radius query"}
    assert {name for name in names if f">{name}<" in made} == names


def text_of(path):
    return path.read_text(encoding="utf-8")


def in_seconds(cell):
    number, unit = cell.split()
    return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
