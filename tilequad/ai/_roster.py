"""What is remembered about units, for as long as they are in the tree."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from tilequad.ai.units import Units

__all__ = ["Roster"]

Note = TypeVar("Note")

# How many notes are kept before the first look for units that are gone. Smaller frees memory
# sooner, larger looks less often.
FIRST_SWEEP = 64


class Roster(dict[Hashable, Note]):
    """A dict from units to notes that drops the notes of units that have left the tree.

    Nobody has to tell it that a unit died. It looks through its keys each time it has doubled, so
    that it never holds more than twice the living and `FIRST_SWEEP`, at a constant cost a note.
    """

    def __init__(self, units: Units) -> None:
        super().__init__()
        self._units = units
        self._sweep_at = FIRST_SWEEP

    def __setitem__(self, unit: Hashable, note: Note) -> None:
        if len(self) >= self._sweep_at:
            self._sweep()
        super().__setitem__(unit, note)

    def _sweep(self) -> None:
        for unit in [unit for unit in self if unit not in self._units]:
            del self[unit]
        self._sweep_at = FIRST_SWEEP + 2 * len(self)
