"""`tilequad view`: a map in a window."""

from __future__ import annotations

import argparse
from typing import Any

from tilequad._optional import needs
from tilequad.cli.errors import RequestError
from tilequad.tiled import load_map

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "open a map in a window; F1 lists the keys"


def add_options(parser: argparse.ArgumentParser) -> None:
    """`view` has no options of its own."""


def run(options: argparse.Namespace) -> str:
    """Show the map until the window is closed."""
    tile_map = load_map(options.map)
    window = _open_window(f"{tile_map.path.name} - tilequad")
    from tilequad.cli.map_screen import MapScreen

    window.run(MapScreen(tile_map))
    return ""


def _open_window(title: str) -> Any:
    """Open an arcade window, or say in one sentence what is missing."""
    try:
        with needs("arcade", "tilequad view", '"tilequad[arcade]"'):
            import arcade
    except ImportError as problem:
        if isinstance(problem, ModuleNotFoundError):
            raise
        # pyglet names the system library that it misses
        raise RequestError(
            f"a window needs OpenGL and fonts ({str(problem).rstrip('.')}): on Debian or Ubuntu, "
            "apt-get install libgl1 libegl1 libfontconfig1 libxrender1"
        ) from None
    try:
        # Tiles are drawn texel by texel: antialiasing would double the cost and change nothing.
        return arcade.Window(1280, 720, title, resizable=True, antialiasing=False)
    except Exception as problem:  # each system raises its own
        raise RequestError(
            f"cannot open a window ({problem}): run this on a desktop, or under xvfb-run "
            "(apt-get install xvfb xauth)"
        ) from None
