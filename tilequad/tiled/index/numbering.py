"""Ids that shift and slots that stay: where in a layer's arrays the tile of an id stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Follower", "Numbering"]

Ints = NDArray[np.int32]


class Follower(Protocol):
    """What keeps something for each tile of a layer, and so must hear of those that change."""

    def tile_came(self, number: int, slot: int) -> None:
        """A tile is there that was not: its id and slot."""

    def tile_goes(self, number: int, slot: int) -> None:
        """A tile is about to be gone: its id and slot."""


class Numbering:
    """The ids of a layer, 0 to n - 1 in draw order, and the slot of each.

    A tile keeps its slot while it is there; a tile that comes or goes shifts all ids behind it. To
    shift a million of them takes milliseconds, so they are kept as editors keep a text, in pieces:
    runs of ids whose slots follow one another. One piece is all at first, and a change makes one or
    two more.

    Cost: a change some ten microseconds, and fifty where there are forty thousand pieces; a
    question a binary search for each id. The first question for ids after a change sorts the
    pieces: forty microseconds for a thousand of them.

    Args:
        count: How many ids there are, each with the slot of its own number.

    Attributes:
        plain: Whether nothing has changed yet, so that ids and slots are the same.
        size: How many slots were ever taken.

    Example:
        >>> numbering = Numbering(5)
        >>> numbering.remove(1)
        >>> numbering.slots([0, 1, 2, 3]).tolist()
        [0, 2, 3, 4]
        >>> numbering.insert(3)  # the slot that was left, at another place
        1
        >>> numbering.slots([2, 3, 4]).tolist()
        [3, 1, 4]
        >>> numbering.ids([1, 4]).tolist()
        [3, 4]
    """

    def __init__(self, count: int) -> None:
        self.plain = True
        self.size = count
        self._count = count
        self._free: list[int] = []
        # The first id of each piece. It is searched for numbers of its own type only: numpy would
        # copy all of it for a Python int.
        self._starts = np.zeros(min(count, 1), np.int32)
        self._shifts = np.zeros(min(count, 1), np.int32)  # from its ids to their slots
        self._by_slot: tuple[Ints, Ints] | None = None

    def __len__(self) -> int:
        """How many ids there are."""
        return self._count

    def slots(self, ids: Ints | Sequence[int]) -> Ints:
        """The slots of some ids, int32, shape (n,)."""
        asked = np.asarray(ids, np.int32)
        if self.plain:
            return asked
        return asked + self._shifts[self._starts.searchsorted(asked, "right") - 1]

    def ids(self, slots: Ints | Sequence[int]) -> Ints:
        """The ids of some slots that are taken, int32, shape (n,)."""
        asked = np.asarray(slots, np.int32)
        if self.plain:
            return asked
        if self._by_slot is None:
            firsts = self._starts + self._shifts
            order = firsts.argsort(kind="stable")  # fast with what is nearly in order
            self._by_slot = firsts[order], self._shifts[order]
        firsts, shifts = self._by_slot
        return asked - shifts[firsts.searchsorted(asked, "right") - 1]

    def insert(self, number: int) -> int:
        """Make room for an id: those from it on rise by one. Returns its slot."""
        slot = self._free.pop() if self._free else self.size
        self.size = max(self.size, slot + 1)
        at = int(self._starts.searchsorted(np.int32(number)))
        within = number < self._count and not (
            at < len(self._starts) and self._starts[at] == number
        )
        pieces = [(number, slot - number)]
        if within:  # a piece is cut in two
            pieces.append((number + 1, int(self._shifts[at - 1]) - 1))
        self._splice(at, at, pieces, 1)
        return slot

    def remove(self, number: int) -> None:
        """Forget an id: those behind it sink by one, and its slot is free."""
        at = int(self._starts.searchsorted(np.int32(number), "right")) - 1
        start, shift = int(self._starts[at]), int(self._shifts[at])
        end = int(self._starts[at + 1]) if at + 1 < len(self._starts) else self._count
        pieces = [(start, shift)] if start < number else []
        if number + 1 < end:
            pieces.append((number, shift + 1))
        self._splice(at, at + 1, pieces, -1)
        self._free.append(number + shift)

    def _splice(self, start: int, stop: int, pieces: list[tuple[int, int]], by: int) -> None:
        """Put pieces in the place of some; the ids of those behind change by one."""
        starts, shifts = np.array(pieces, np.int32).reshape(-1, 2).T
        self._starts = np.concatenate((self._starts[:start], starts, self._starts[stop:] + by))
        self._shifts = np.concatenate((self._shifts[:start], shifts, self._shifts[stop:] - by))
        self._by_slot = None
        self._count += by
        self.plain = False
