"""Grids on which influence costs: ways around danger."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad._core.array_kinds import NO_CELLS, Codes, Ints, Traits
from tilequad._core.checks import checked_positive, number_of, whole
from tilequad._core.shown import shown
from tilequad._core.ways.costs import Costs
from tilequad._core.ways.danger import fill_costly
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.traits import other_traits
from tilequad.nav.rules import MOST_COST

__all__ = ["Danger", "checked_scale"]


class Danger:
    """What cells cost where an influence map says that it is dangerous.

    Args:
        base: The cells without danger.
        influence: The `InfluenceMap`.
        full: The influence that costs most.
        factor: How many times as much a cell costs there.
        steps: How many costs there are between.
    """

    def __init__(
        self, base: Ground, influence: Any, full: float, factor: float, steps: int
    ) -> None:
        self.influence = influence
        self.full, self.steps = full, steps
        self.factors = 1.0 + (factor - 1.0) * np.arange(steps + 1) / steps
        self.costs = Costs(base.shape.lengths())
        self.table = np.zeros((256, steps + 1), np.uint8)  # by code of the base and step: the code
        self.known = 0  # how many codes of the base it has
        self.seen = -1  # the revision of the influence that was followed

    @property
    def revision(self) -> int:
        """The revision of the influence."""
        found: int = self.influence.revision
        return found

    def is_behind(self) -> bool:
        """Whether the influence has changed."""
        return self.revision != self.seen

    def traits(self, base: Ground) -> Traits:
        """The traits of all cells, (rows, columns), with the influence as it is now."""
        revision = self.revision
        cells, own = self._costly(base, None, NO_CELLS)
        codes = np.zeros(base.rows * base.columns, np.uint8)
        codes[cells] = own
        others: Traits = other_traits(base.cell_traits())
        found = others + codes.reshape(others.shape)
        self.seen = revision
        return found

    def changes(self, base: Ground, own: Ground, changed: Ints | None) -> tuple[Ints, Traits]:
        """The cells that change with some of the base, all if None, and their traits."""
        asked = (None, NO_CELLS) if changed is None else (own, changed)
        cells, codes = self._costly(base, *asked)
        others: Traits = other_traits(base.traits_of(cells.data))
        return cells, others + codes

    def _costly(self, base: Ground, own: Ground | None, also: Ints) -> tuple[Ints, Codes]:
        """The cells whose code differs from what a ground has, and what it should be.

        Args:
            base: The cells without danger.
            own: The cells with it; None for all cells.
            also: Cells that are among those returned in any case.
        """
        self._follow(base.costs)
        seen = -1 if own is None else self.seen
        found = np.empty(base.rows * base.columns + len(also), np.int32)
        codes = np.empty(len(found), np.uint8)
        asked = self.influence._ready(), base, own, seen, also.data, self.table.reshape(-1).data
        n = fill_costly(*asked, self.steps, self.steps / self.full, found.data, codes.data)
        return found[:n], codes[:n]

    def _follow(self, costs: Costs) -> None:
        """Extend the table by costs that are new."""
        end = len(costs.values)
        if end == self.known:
            return
        new = np.array(costs.values[self.known : end])[:, None] * self.factors
        new = np.where(np.isfinite(new), new.clip(0.0, MOST_COST), new)
        # Only a new grid raises: later its base has changed already, and others follow that, too.
        codes_of = self.costs.nearest_codes_of if self.known else self.costs.codes_of
        self.table[self.known : end] = codes_of(new)
        self.known = end


def checked_scale(full: Any, factor: Any, steps: Any) -> tuple[float, float, int]:
    """Return what `Danger` takes; raise an error if a number is out of its range."""
    high, times = checked_positive(full, "full"), number_of(factor, "factor")
    count = whole(steps, "steps")
    if not 1.0 <= times <= MOST_COST:
        raise ValueError(f"factor must be from 1 to {MOST_COST:g}, got {shown(factor)}")
    if count < 1:
        raise ValueError(f"steps must be at least 1, got {shown(steps)}")
    return high, times, count
