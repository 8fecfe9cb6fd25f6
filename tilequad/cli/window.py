"""Open a window, or say in one sentence why it cannot be opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tilequad._optional import needs
from tilequad.cli.errors import RequestError

__all__ = ["open_window"]

Window = TypeVar("Window")


def open_window(make: Callable[[], Window], what: str) -> Window:
    """Open an arcade window.

    Args:
        make: Imports arcade and returns the window.
        what: What needs arcade; the error message begins with it.

    Raises:
        ModuleNotFoundError: arcade is not installed.
        RequestError: OpenGL, a font library, a screen or a driver is missing.
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
