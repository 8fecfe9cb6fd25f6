"""Checks an installed tilequad: compiled, complete, and not the sources beside this file.

    python tests/check_installed.py

The release runs it in a fresh environment on every platform, in a browser's Python too. It needs
only what `pip install tilequad` brings, and draws where `tilequad[pillow]` is installed.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import sys
from importlib.util import find_spec
from pathlib import Path

import tilequad
from tilequad import COMPILED, DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import Targeting, policies
from tilequad.cli import main
from tilequad.nav import BLOCKED, Field, Grid, Rule

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "maps" / "frontier.tmx"
MADE = {".c", ".o", ".pxd", ".pxi", ".pyx"}  # files of the build, of no use to others
EXTRAS = {
    "PIL",
    "arcade",
    "pygame",
    "pyglet",
    "tqdm",
}  # extras bring them; what draws with them needs them


def check(fact: object, what: str) -> None:
    """End with an error unless something is so; `assert` does nothing under `python -O`."""
    if not fact:
        sys.exit(f"check_installed: {what}")


def check_place() -> None:
    """The package is an installed one, compiled as a whole, and all of its modules load."""
    place = Path(tilequad.__file__).resolve().parent
    check(place != ROOT / "tilequad", f"{place} are the sources: run it where they are not found")
    check(COMPILED, f"{place} is not compiled")
    for module in pkgutil.walk_packages(tilequad.__path__, "tilequad."):
        if module.name == "tilequad.__main__":  # it would run
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as problem:
            check(problem.name in EXTRAS, f"{module.name}: {problem}")
    stray = [path.name for path in place.rglob("*") if path.suffix in MADE]
    check(not stray, f"left over from the build: {stray}")


def check_work() -> None:
    """The trees, the AI, the ways and the pictures work."""
    units: DynamicQuadtree[str] = DynamicQuadtree((0, 0, 100, 100))
    for name, x in (("orc", 10), ("wolf", 30), ("tower", 20)):
        units.add(name, x, 50, radius=4, groups=1 if name == "tower" else 2)
    check(units.within(0, 50, 20) == ["orc", "tower"], "a query answers wrongly")
    aim = Targeting(units, policies.closest, max_distance=50, groups=2)
    check(aim.target("tower", now=0) == "orc", "targeting answers wrongly")
    boxes = StaticQuadtree([(0, 0, 1, 1), (4, 4, 5, 5)])
    check(boxes.query((3, 3, 9, 9)).tolist() == [1], "the static tree answers wrongly")

    tile_map = load_map(MAP)
    center = tile_map.bounds.center
    check(tile_map.cull((0, 0, 640, 480)), "nothing is culled")
    grid = Grid.of(tile_map, Rule("ground", BLOCKED, {"solid": True}))
    check(Field(grid, [center]).distance(*center) < 32, "a field answers wrongly")
    if find_spec("PIL"):
        from tilequad.draw.pillow import render

        picture = render(tile_map, bounds=(3000, 3900, 3640, 4260), scale=0.5)
        check(len(picture.convert("RGB").getcolors(1 << 20) or ()) > 100, "the picture is empty")
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        check(main(["info", str(MAP)]) == 0, "`tilequad info` fails")
    check("65,536 tiles" in shown.getvalue(), "`tilequad info` says something else")


if __name__ == "__main__":
    check_place()
    check_work()
    print(f"tilequad {tilequad.__version__}, compiled, on Python {sys.version.split()[0]}: good")
