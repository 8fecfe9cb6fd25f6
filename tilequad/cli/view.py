"""`tilequad view`: a map in a window."""

from __future__ import annotations

import argparse
from typing import Any

from tilequad.cli import arguments
from tilequad.cli.window import open_window
from tilequad.tiled import load_map

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "open a map in a window; F1 lists the keys"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `view`."""
    arguments.add_objects(parser)


def run(options: argparse.Namespace) -> str:
    """Show the map until the window is closed."""
    tile_map = load_map(options.map)
    title = f"{tile_map.path.name} - tilequad"
    window = open_window(lambda: _make_window(title), "tilequad view")
    from tilequad.cli.map_screen import MapScreen

    window.run(MapScreen(tile_map, objects=options.objects))
    return ""


def _make_window(title: str) -> Any:
    import arcade

    # Tiles are drawn texel by texel: antialiasing would double the cost and change nothing.
    return arcade.Window(1280, 720, title, resizable=True, antialiasing=False)
