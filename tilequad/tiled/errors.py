"""`MapError`, which every bad file raises."""

from __future__ import annotations

import os

from tilequad._core.shown import LONGEST, shortened

__all__ = ["LimitError", "MapError"]

_LONGEST_REASON = 200


class MapError(ValueError):
    """A map, or a file that it names, cannot be read or drawn.

    The text is one line. Its middle is left out if a path or a name in it is very long.

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
        self.reason = shortened(" ".join(reason.split()), _LONGEST_REASON)

    def __str__(self) -> str:
        return f"{shortened(self.path, LONGEST - len(self.reason))}: {self.reason}"


class LimitError(MapError):
    """A map asks for more than its `Limits` allow."""
