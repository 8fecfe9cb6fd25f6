"""What a map keeps of the file that it was read from, so that it can be saved."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

__all__ = ["Source", "Span"]

Span: TypeAlias = tuple[int, int]  # the first byte, and the first one after it


@dataclass(frozen=True)
class Source:
    """A file without the text of its cells, which stay on disk.

    A map of a million cells takes megabytes as text, and next to nothing without its cells.

    Attributes:
        folder: The absolute path of the folder of the file.
        name: The name of the file.
        digest: Tells whether the file is still the one that was read.
        kept: The bytes of the file, without the cells.
        cuts: Where in `kept` cells were left out, ascending.
    """

    folder: str
    name: str
    digest: bytes
    kept: bytes
    cuts: tuple[int, ...]

    @classmethod
    def of(cls, data: bytes, cells: Iterable[Span], path: Path) -> Source:
        """Keep what is needed of a file.

        Args:
            data: The bytes of the file.
            cells: Where the text of the cells is, ascending.
            path: The file.
        """
        spans = list(cells)
        ends = [0, *(end for _, end in spans)]
        starts = [*(start for start, _ in spans), len(data)]
        view = memoryview(data)
        parts = [view[end:start] for end, start in zip(ends, starts, strict=True)]
        kept = b"".join(parts) if spans else data
        cuts = tuple(accumulate(len(part) for part in parts[:-1]))
        folder, name = os.path.split(os.path.abspath(path))
        return cls(folder, name, sha256(data).digest(), kept, cuts)

    @property
    def in_memory(self) -> bool:
        """Whether there is no file yet."""
        return not self.digest

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.folder, self.name)

    def is_of(self, data: bytes) -> bool:
        """Return whether these are the bytes that were read."""
        return sha256(data).digest() == self.digest
