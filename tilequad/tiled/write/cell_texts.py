"""Stand-ins for the texts of cells, which are most of a map: its file is changed without them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import accumulate

from ..source import Span

__all__ = ["CellTexts"]

# Neither XML nor JSON can hold this byte, so a stand-in is no text of the file.
_STAND_IN = re.compile(rb"\0(\d+)\0")


class CellTexts:
    """The texts of the cells of a file, None for one that is lost with it, and of changed ones."""

    def __init__(self, texts: Iterable[bytes | None] = ()) -> None:
        self._texts = list(texts)
        self._made: set[int] = set()

    def __getitem__(self, number: int) -> bytes:
        """Return a text; nothing if it is lost."""
        return self._texts[number] or b""

    @property
    def numbers(self) -> set[int]:
        """The numbers of all texts."""
        return set(range(len(self._texts)))

    def has(self, number: int) -> bool:
        """Return whether a text is known."""
        return self._texts[number] is not None

    def is_made(self, number: int) -> bool:
        """Return whether a text was made anew, so that it does not look like that of the file."""
        return number in self._made

    def add(self, text: bytes, is_made: bool = False) -> bytes:
        """Keep a text; return what stands for it."""
        if is_made:
            self._made.add(len(self._texts))
        self._texts.append(text)
        return self.stand_in(len(self._texts) - 1)

    @staticmethod
    def stand_in(number: int) -> bytes:
        """Return what stands for a text."""
        return b"\0%d\0" % number

    def filled(self, data: bytes, but: Collection[int] = ()) -> tuple[bytes, list[Span]]:
        """Put the texts, `but` some, back for their stand-ins. Return also where they are then."""
        pieces: list[bytes] = _STAND_IN.split(data)
        for place in range(1, len(pieces), 2):
            number = int(pieces[place])
            pieces[place] = self.stand_in(number) if number in but else self[number]
        if len(pieces) == 1:
            return data, []
        ends = list(accumulate(map(len, pieces)))
        return b"".join(pieces), list(zip(ends[:-1:2], ends[1::2], strict=True))
