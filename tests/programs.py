"""Programs, each in a process of its own that has no display and may lack more of the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
MAP = ROOT / "maps" / "frontier.tmx"
DISPLAYS = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"}

HIDE_GL = """
import ctypes
load = ctypes.cdll.LoadLibrary
def refuse(name):
    if "GL" in str(name):
        raise OSError(f"{name}: cannot open shared object file")
    return load(name)
ctypes.cdll.LoadLibrary = refuse
"""


@contextmanager
def pygame_example(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give an example in pygame as a module, with a display that no one sees."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    pygame.display.quit()
    pygame.display.init()
    yield pytest.importorskip(name)
    pygame.display.quit()


def hide_package(
    name: str | tuple[str, ...], how: str = "ModuleNotFoundError('hidden', name=name)"
) -> str:
    """What hides a package, or several, from a program, or raises something else on import."""
    names = (name,) if isinstance(name, str) else name
    return f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {names!r}:
            raise {how}
sys.meta_path.insert(0, Refuse())
"""


def copy_sources(folder: Path, part: str = "tilequad") -> None:
    """Copy the package, or a part of it, into a folder, without its compiled modules."""
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(ROOT / part, folder / part, ignore=compiled)


def run(
    program: Path | str,
    *arguments: object,
    folder: Path,
    hide: str = "",
    paths: tuple[Path, ...] = (),
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder to its end.

    Args:
        program: A file, or "-c" with a script as the first argument.
        arguments: What the program is told.
        folder: Where it runs.
        hide: A script that runs before it, from the folder.
        paths: Where it finds modules.
        environment: More variables.
    """
    if hide:
        (folder / "sitecustomize.py").write_text(hide)
    kept = {name: value for name, value in os.environ.items() if name not in DISPLAYS}
    found = [*map(str, (folder, *paths)), *filter(None, [kept.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, str(program), *map(str, arguments)],
        cwd=folder,
        env=kept | {"PYTHONPATH": os.pathsep.join(found)} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
