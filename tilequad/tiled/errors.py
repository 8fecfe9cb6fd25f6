"""`MapError`, which every bad file raises."""

from __future__ import annotations

import os

__all__ = ["LimitError", "MapError"]


class MapError(ValueError):
    """A map, or a file that it names, cannot be read or drawn; the text is one line.

    Attributes:
        path: The file at fault.
        reason: What is wrong with it, and in which layer, tileset or object.

    Example:
        >>> str(MapError("level.tmx", "layer 'ground': unknown encoding 'rot13'"))
        "level.tmx: layer 'ground': unknown encoding 'rot13'"
    """

    def __init__(self, path: str | os.PathLike[str], reason: str) -> None:
        super().__init__(path, reason)
        self.path = os.fspath(path)
        self.reason = " ".join(reason.split())

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class LimitError(MapError):
    """A map asks for more than its `Limits` allow."""
