"""`tilequad view`: a map in a window; or one sentence why it cannot be opened."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, TypeVar

from tilequad._optional import needs
from tilequad.cli.common import RequestError, add_objects
from tilequad.tiled import load_map

__all__ = ["SUMMARY", "add_options", "open_window", "run"]


SUMMARY = "open a map in a window; F1 lists the keys"

Window = TypeVar("Window")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `view`."""
    add_objects(parser)


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


def open_window(make: Callable[[], Window], what: str) -> Window:
    """Open a window by a function that imports arcade; the error says what needs it.

    That is a ModuleNotFoundError if arcade is not installed, and a RequestError if OpenGL, a font
    library, a screen or a driver is missing.
    """
    try:
        with needs("arcade", what, '"tilequad[arcade]"'):
            return make()
    except ModuleNotFoundError:
        raise
    except ImportError as problem:  # pyglet names the missing system library
        raise RequestError(
            f"a window needs OpenGL and fonts ({_line(problem)}): on Debian or Ubuntu, "
            "apt-get install libgl1 libegl1 libfontconfig1 libxrender1"
        ) from None
    except Exception as problem:  # each system raises a different error
        if any(word in str(problem).lower() for word in ("gl context", "gl config", "opengl")):
            raise RequestError(
                f"a window needs OpenGL 3.3 or newer ({_line(problem)}): update the driver of the "
                "graphics card; to draw without one, apt-get install libgl1-mesa-dri"
            ) from None
        raise RequestError(
            f"cannot open a window ({_line(problem)}): run this on a desktop, or under xvfb-run "
            "(apt-get install xvfb xauth)"
        ) from None


def _line(problem: Exception) -> str:
    """Return the first line of an error."""
    lines = str(problem).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(problem).__name__
