"""Imports of tilequad.tiled: they run one way, and packages are loaded by what needs them."""

from __future__ import annotations

import ast
import sys
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

from tests.programs import hide_package, run
from tests.tmx import TILESET, csv_layer, write_map
from tests.tmx_cells import layer_of
from tilequad.tiled import load_map, load_world

FOLDER = Path(__file__).parent.parent / "tilequad" / "tiled"

# A room imports from those before it.
ROOMS = ["", "geometry", "index", "model", "read", "write", "make", "reload", "pytmx_bridge"]


def imports_of(path: Path) -> list[Path]:
    """The files of tilequad.tiled that a file imports, wherever in it."""
    package = ".".join(("tilequad.tiled", *path.parent.relative_to(FOLDER).parts))
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            name = resolve_name("." * node.level + (node.module or ""), package)
            names = [f"{name}.{alias.name}" for alias in node.names]
            for module in (name, *names):
                file = FOLDER.parent.parent.joinpath(*module.split(".")).with_suffix(".py")
                if file.is_file():
                    found.append(file)
    return found


FILES = sorted(FOLDER.rglob("*.py"))


def test_imports_are_free_of_circles():
    order = list(TopologicalSorter({path: imports_of(path) for path in FILES}).static_order())
    assert set(order) == set(FILES)


def test_a_room_imports_only_from_rooms_below_it():
    front_door = {"__init__.py", "load.py", "worlds.py"}
    for path in FILES:
        room = path.parent.relative_to(FOLDER).as_posix().strip(".")
        if not room and path.name in front_door:
            continue
        for imported in imports_of(path):
            other = imported.parent.relative_to(FOLDER).as_posix().strip(".")
            assert ROOMS.index(other) <= ROOMS.index(room), (path, imported)
            assert other or imported.name not in front_door, (path, imported)


# `tilequad` itself may load more than `tilequad.tiled` does.
BARE = f"""
from types import ModuleType
sys.modules["tilequad"] = bare = ModuleType("tilequad")
bare.__path__ = [{str(FOLDER.parent)!r}]
"""


def test_a_map_loads_with_numpy_alone(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("ground", [[1, 2]]))
    code = (
        f"from tilequad.tiled import load_map\nground = load_map({str(path)!r}).layer('ground')\n"
        "loaded = sys.modules.keys() & {'arcade', 'pygame', 'pyglet'}\n"
        "print(ground.query((0, 0, 99, 99)).tolist(), loaded)"
    )
    hide = hide_package(("PIL", "pytmx", "regex", "tqdm", "zstandard"))
    done = run("-c", hide + BARE + code, folder=tmp_path)
    assert (done.stdout, done.stderr) == ("[0, 1] set()\n", "")


def test_a_pytmx_map_without_pytmx(tmp_path, monkeypatch):
    tile_map = load_map(write_map(tmp_path))
    monkeypatch.setitem(sys.modules, "pytmx", None)
    with pytest.raises(ModuleNotFoundError, match=r"^TileMap\.tmx needs pytmx: pip install pytmx$"):
        _ = tile_map.tmx


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python brings zstd")
def test_a_zstd_layer_without_zstandard(tmp_path, monkeypatch):
    path = write_map(tmp_path, TILESET, layer_of([[1, 0, 3]], "base64 zstd"))
    assert len(load_map(path).layers[0]) == 2
    monkeypatch.setitem(sys.modules, "zstandard", None)
    expected = "^a layer compressed with zstd needs zstandard: pip install zstandard$"
    with pytest.raises(ModuleNotFoundError, match=expected):
        load_map(path)


def test_a_world_with_patterns_without_regex(tmp_path, monkeypatch):
    path = tmp_path / "land.world"
    path.write_text('{"patterns": [{"regexp": "a"}]}')
    assert load_world(path).maps == ()
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(
        ModuleNotFoundError, match="a world with patterns needs regex: pip install regex"
    ):
        load_world(path)
