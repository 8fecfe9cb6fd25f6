"""The different costs of a grid: each has a code of one byte, and 0 is closed."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from tilequad._core.array_kinds import Codes, Floats

__all__ = ["Costs"]

MOST_KINDS = 254  # the most different costs of a grid: codes 1 to 254; 0 is closed
FEW = 100  # so many costs are sorted faster by Python


class Costs:
    """The cost of each code, and of half a move over its cells, in whole units of distance.

    Args:
        lengths: The length of a move in each direction, in world units.

    Attributes:
        values: The costs, by code.
        unit: The length of a unit of distance.
        halves: The cost of half a move, by code and direction, (256, 8).
    """

    def __init__(self, lengths: Floats) -> None:
        self.values = [inf]
        self.unit, self.lengths = _units(lengths)
        self.halves = np.zeros((256, 8), np.int64)
        self._codes = {inf: 0}

    def code_of(self, cost: float) -> int:
        """Return the code of a cost; make a new code for a new cost."""
        code = self._codes.get(cost)
        if code is None:
            if len(self.values) > MOST_KINDS:
                raise ValueError(f"a grid has at most {MOST_KINDS} different costs: round them")
            code = self._codes[cost] = len(self.values)
            self.values.append(cost)
            if isfinite(cost):
                self.halves[code, : len(self.lengths)] = np.rint(self.lengths * (cost / 2))
        return code

    def codes_of(self, costs: Floats) -> Codes:
        """The codes of an array of costs."""
        some = costs.size <= FEW
        kinds = sorted(set(costs.ravel().tolist())) if some else np.unique(costs).tolist()
        new = [cost for cost in kinds[: MOST_KINDS + 2] if cost not in self._codes]
        if len(self.values) + len(new) > MOST_KINDS + 1:
            raise ValueError(f"costs must have at most {MOST_KINDS} different values: round them")
        codes = [self.code_of(cost) for cost in kinds]
        if len(kinds) == 1:
            return np.full(costs.shape, codes[0], np.uint8)
        return np.array(codes, np.uint8)[np.searchsorted(kinds, costs)]

    def nearest_codes_of(self, costs: Floats) -> Codes:
        """The same, but a cost for which there is no code left gets that of the nearest cost."""
        try:
            return self.codes_of(costs)
        except ValueError:  # one by one, as far as there is room
            pass
        found = np.zeros(costs.shape, np.uint8)
        for at, cost in np.ndenumerate(costs):
            if cost not in self._codes and len(self.values) > MOST_KINDS:
                near = [abs(known - cost) for known in self.values]
                found[at] = near.index(min(near))
            else:
                found[at] = self.code_of(float(cost))
        return found


def _units(lengths: Floats) -> tuple[float, Floats]:
    """Find a unit of distance in which half moves are nearly whole; return it, and the half moves.

    Whole numbers add up without rounding, in any order. The best of some hundred units is taken: on
    square cells, 1,000 diagonal moves are off by less than a millionth of a cell.
    """
    least = float(lengths.min())
    parts = np.arange(2000, 2800)[:, None] * 1000.0
    halves = lengths / least * (parts / 2)
    best = int(np.abs(halves - np.rint(halves)).max(axis=1).argmin())
    return least / float(parts[best, 0]), 2 * halves[best]
