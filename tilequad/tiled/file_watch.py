"""Notices when the files of a map are saved."""

from __future__ import annotations

from .context import Stamp, stamp_of

__all__ = ["FileWatch"]


class FileWatch:
    """Watches the files that a map was read from.

    Args:
        stamps: What tells whether a file has changed since it was opened, by path. Images are added
            when they are opened.
        documents: The paths of the map, its tilesets and templates.

    Attributes:
        stamps: As given.
        documents: As given; they are looked at each time, and one of the other files.
        seen: What is known of files that have changed, but could not be read.
        told: What was said of them.
    """

    def __init__(
        self, stamps: dict[str, Stamp] | None = None, documents: set[str] | None = None
    ) -> None:
        self.stamps = {} if stamps is None else stamps
        self.documents = set() if documents is None else documents
        self.seen: dict[str, Stamp] = {}
        self.told: object = None
        self._turn: list[str] = []

    def has_changed(self) -> bool:
        """Return whether a file was written or removed since it was read."""
        if any(self._differs(path) for path in self.documents):
            return True
        if not self._turn:
            self._turn = [path for path in self.stamps if path not in self.documents]
        return bool(self._turn) and self._differs(self._turn.pop())

    def changed(self) -> dict[str, Stamp]:
        """Return the files that have changed since they were read, each with what it is now."""
        now = {path: stamp_of(path) for path in self.stamps}
        return {path: stamp for path, stamp in now.items() if stamp != self.stamps[path]}

    def _differs(self, path: str) -> bool:
        now = stamp_of(path)
        return now != self.stamps.get(path) and (path not in self.seen or now != self.seen[path])
