"""Save what the window shows."""

from __future__ import annotations

from pathlib import Path

import arcade

__all__ = ["save_screenshot"]


def save_screenshot(stem: str) -> Path:
    """Save the window to a new PNG file in the current folder; earlier ones are kept.

    Args:
        stem: The start of the file name; a number follows.

    Returns:
        The new file.

    Raises:
        OSError: The file cannot be written.
    """
    number = 1
    while (path := Path(f"{stem}-{number:03}.png")).exists():
        number += 1
    arcade.get_image().convert("RGB").save(path)
    return path
