"""What stands on the cells of a grid: how often each is blocked, and which ground it has below."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from tilequad._core.array_kinds import Ints, Traits
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.traits import OPAQUE_TRAIT, look_traits

__all__ = ["Blocks", "Covered", "shown_traits"]

#: How often a cell is blocked by what stops looks, how often by what does not, and its ground.
Covered: TypeAlias = tuple[int, int, int]


class Blocks:
    """The blocked cells of a ground. All that changes its cells comes through here.

    Args:
        ground: The cells.

    Attributes:
        held: By cell, only the blocked ones.
    """

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.held: dict[int, Covered] = {}

    def count(
        self, cells: Iterable[int], hiding: int, clear: int, news: dict[int, Covered]
    ) -> None:
        """Add to how often cells are blocked by what stops looks, and by what does not."""
        for cell in cells:
            held = news.get(cell) or self.held.get(cell) or (0, 0, self.ground.traits_at(cell))
            news[cell] = held[0] + hiding, held[1] + clear, held[2]

    def block(self, cells: list[int], times: int, opaque: bool) -> Ints:
        """Block cells once more, or less; return those that have changed."""
        hiding, clear = (times, 0) if opaque else (0, times)
        news: dict[int, Covered] = {}
        self.count(cells, hiding, clear, news)
        for cell, held in news.items():
            if min(held[:2]) < 0:
                how = f"blocked with {opaque=}" if max(held[:2]) > 0 else "blocked"
                raise ValueError(f"cells must be {how}, but {cell} is not")
        return self.set(news)

    def set(self, news: dict[int, Covered], *books: tuple[Any, Any]) -> Ints:
        """Change what is known of blocked cells, and other books; return the changed cells."""
        cells = np.fromiter(news, np.int32, len(news))
        traits = np.fromiter(map(shown_traits, news.values()), np.uint64, len(news))
        held = {cell: one if any(one[:2]) else None for cell, one in news.items()}
        changes = [(self.held, held), *books]
        return self.ground.set_traits(cells.data, traits.data, changes)

    def set_ground(self, cells: Ints, traits: Traits) -> Ints:
        """Set the traits of the ground; return the cells that have changed."""
        news: dict[int, Covered | None] = {}
        if self.held:
            held = np.array([cell in self.held for cell in cells.tolist()], bool)
            traits = traits.copy()
            for at in np.flatnonzero(held).tolist():  # of a cell given twice, the last counts
                cell = int(cells[at])
                own = (*self.held[cell][:2], int(traits[at]))
                news[cell], traits[at] = own, shown_traits(own)
        return self.ground.set_traits(cells.data, traits.data, [(self.held, news)])


def shown_traits(covered: Covered) -> int:
    """The traits of a cell that may be blocked."""
    opaque, clear, ground = covered
    if opaque:
        return OPAQUE_TRAIT
    return int(look_traits(ground)) if clear else ground
