"""Links between rows and slots: each link is in the list of its row and in the list of its slot."""

from __future__ import annotations

from array import array
from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Raises
from tilequad._core.buffers import grown

NOTHING: cython.int = -1
# What new elements of the arrays hold, in the order of `bind`.
NEW_LINK = [array("i", [NOTHING])] * 6
NEW_LINK_ROW = [array("i", [NOTHING]), array("i", [0])]
NEW_LINK_SLOT = [array("i", [NOTHING])]


@cython.final
@cython.cclass
class Links:
    """Which rows are linked to which slots."""

    __slots__ = {
        "by_link": "list",
        "by_row": "list",
        "by_slot": "list",
        "row": "int[::1]",
        "slot": "int[::1]",
        "next_of_row": "int[::1]",
        "prev_of_row": "int[::1]",
        "next_of_slot": "int[::1]",
        "prev_of_slot": "int[::1]",
        "first_of_row": "int[::1]",
        "count_of_row": "int[::1]",
        "first_of_slot": "int[::1]",
        "free": "int",
    }

    def __init__(self) -> None:
        self.by_link = grown([], NEW_LINK, 0)
        self.by_row = grown([], NEW_LINK_ROW, 0)
        self.by_slot = grown([], NEW_LINK_SLOT, 0)
        self.free = NOTHING  # the first free link; `next_of_row` leads to the next
        self.bind()

    def bind(self) -> None:
        """Let the fields be views of the arrays."""
        self.row, self.slot, self.next_of_row, self.prev_of_row = self.by_link[:4]
        self.next_of_slot, self.prev_of_slot = self.by_link[4:]
        self.first_of_row, self.count_of_row = self.by_row
        self.first_of_slot = self.by_slot[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (), (self.by_link, self.by_row, self.by_slot, self.free)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.by_link, self.by_row, self.by_slot, self.free = state
        self.bind()

    def reserve(self, rows: int, slots: int, links: int) -> None:
        """Reserve room for this many rows, slots and links."""
        # By what `bind` binds last, because it may have run out of memory before.
        before: cython.int = len(self.prev_of_slot)
        if links <= before and rows <= len(self.count_of_row) and slots <= len(self.first_of_slot):
            return
        self.by_link = grown(self.by_link, NEW_LINK, links)
        self.by_row = grown(self.by_row, NEW_LINK_ROW, rows)
        self.by_slot = grown(self.by_slot, NEW_LINK_SLOT, slots)
        self.bind()
        for link in range(len(self.row) - 1, before - 1, -1):
            self.next_of_row[link] = self.free
            self.free = link

    def are_linked(self, row: cython.int, slot: cython.int) -> NoGil[cython.bint]:
        """Whether a row is linked to a slot."""
        link = self.first_of_slot[slot]
        while link >= 0:
            if self.row[link] == row:
                return True
            link = self.next_of_slot[link]
        return False

    def link(self, row: cython.int, slot: cython.int) -> Raises[cython.int]:
        """Link a row to a slot."""
        if self.free < 0:
            self.reserve(0, 0, 2 * len(self.row) + 64)
        link = self.free
        self.free = self.next_of_row[link]
        self.row[link] = row
        self.slot[link] = slot
        self.prev_of_row[link] = self.prev_of_slot[link] = NOTHING
        self.next_of_row[link] = self.first_of_row[row]
        self.next_of_slot[link] = self.first_of_slot[slot]
        if self.first_of_row[row] >= 0:
            self.prev_of_row[self.first_of_row[row]] = link
        if self.first_of_slot[slot] >= 0:
            self.prev_of_slot[self.first_of_slot[slot]] = link
        self.first_of_row[row] = self.first_of_slot[slot] = link
        self.count_of_row[row] += 1
        return 0

    def unlink(self, link: cython.int) -> NoGil[None]:
        """Take a link out of both of its lists."""
        before = self.prev_of_row[link]
        after = self.next_of_row[link]
        if before >= 0:
            self.next_of_row[before] = after
        else:
            self.first_of_row[self.row[link]] = after
        if after >= 0:
            self.prev_of_row[after] = before
        before = self.prev_of_slot[link]
        after = self.next_of_slot[link]
        if before >= 0:
            self.next_of_slot[before] = after
        else:
            self.first_of_slot[self.slot[link]] = after
        if after >= 0:
            self.prev_of_slot[after] = before
        self.count_of_row[self.row[link]] -= 1
        self.next_of_row[link] = self.free
        self.free = link
