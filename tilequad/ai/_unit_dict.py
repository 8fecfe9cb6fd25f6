"""A dict keyed by units that forgets removed units."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

from tilequad.ai.protocols import SpatialIndex

__all__ = ["UnitDict"]

Value = TypeVar("Value")

# The number of entries before the first sweep for removed units. A smaller number frees memory
# sooner; a larger one sweeps less often.
FIRST_SWEEP = 64


class UnitDict(dict[Hashable, Value]):
    """A dict keyed by units that drops the entries of units removed from the tree.

    It needs no message when a unit dies. Each time it has doubled in size, it checks all its keys
    and deletes those that left the tree. So it holds at most `FIRST_SWEEP` entries more than twice
    the number of living units, at an amortized constant cost per insertion.
    """

    def __init__(self, units: SpatialIndex) -> None:
        super().__init__()
        self._units = units
        self._sweep_at = FIRST_SWEEP

    def __setitem__(self, unit: Hashable, value: Value) -> None:
        if len(self) >= self._sweep_at:
            self._sweep()
        super().__setitem__(unit, value)

    def _sweep(self) -> None:
        for unit in [unit for unit in self if unit not in self._units]:
            del self[unit]
        self._sweep_at = FIRST_SWEEP + 2 * len(self)
