"""What a map keeps of the file that it was read from, so that it can be saved."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

__all__ = ["Source", "Span", "cuts_of", "without"]

Span: TypeAlias = tuple[int, int]  # the first byte, and the first one after it


@dataclass(frozen=True)
class Source:
    """A file without the text of its cells, which stay on disk.

    A map of a million cells takes megabytes as text, and next to nothing without its cells.
    """

    folder: str  #: the absolute path of its folder
    name: str
    digest: bytes  #: tells whether the file is still the one that was read
    kept: bytes  #: the bytes of the file, without the cells
    spans: tuple[Span, ...]  #: where the text of the cells is in the file, ascending

    @classmethod
    def of(cls, data: bytes, cells: Iterable[Span], path: Path) -> Source:
        """Keep what is needed of a file; its cells ascend."""
        spans = tuple(cells)
        folder, name = os.path.split(os.path.abspath(path))
        return cls(folder, name, sha256(data).digest(), without(data, spans), spans)

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


def cuts_of(spans: Sequence[Span]) -> list[int]:
    """Return where some parts of a file were, once they are left out."""
    gone = accumulate((end - start for start, end in spans), initial=0)
    return [start - before for (start, _), before in zip(spans, gone, strict=False)]


def without(data: bytes, spans: Iterable[Span]) -> bytes:
    """Return some bytes without parts of them, which ascend."""
    starts, ends = [], [0]
    for start, end in spans:
        starts.append(start)
        ends.append(end)
    if not starts:
        return data
    view = memoryview(data)
    pairs = zip(ends, [*starts, len(data)], strict=True)
    return b"".join([view[end:start] for end, start in pairs])
