"""The questions of a batch: where, how far, and which units count."""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import ALL_GROUPS, NEAR_POINT, NONE
from tilequad._core.tree.zorder import z_order

NO_PICKS = np.empty((0, 3), np.int32)


@cython.final
@cython.cclass
class Questions:
    """A batch of questions, one per row.

    Args:
        places: Where: (n, 2) points, (n, 4) boxes or segments; checked.
        limits: The least and the greatest distance, (n, 2); for segments, the footprints that move
            along them, in the form that slots have. Checked.
        groups: Units in one of these groups count: a mask for all rows, or (n,) int32.
        without: Units in one of these groups do not count: a mask for all rows, or (n,) int32.
        exclude: A slot to leave out for each row, (n,) int32, or None.
        test: What is asked, as in `begin`: OVERLAPPING_BOX, ON_SEGMENT, NEAR_POINT or, if distances
            are to footprints, REACHING_POINT.
    """

    __slots__ = {
        "places": "double[:, ::1]",
        "limits": "const double[:, :]",
        "order": "int[::1]",
        "picks": "int[:, ::1]",
        "groups": "int",
        "without": "int",
        "mixed": "bint",
        "exclude": "object",
        "test": "int",
    }

    def __init__(
        self,
        places: np.ndarray,
        limits: np.ndarray,
        groups: int | np.ndarray = ALL_GROUPS,
        without: int | np.ndarray = 0,
        exclude: np.ndarray | None = None,
        test: int = NEAR_POINT,
    ) -> None:
        self.places = places.data
        self.limits = limits.data
        self.exclude = exclude
        self.test = test
        # The rows in Z order, so that a question finds in the caches what its neighbors have read.
        self.order = z_order(places)
        # Whether rows differ in their groups. If so, `groups` and `without` pass all units that
        # count for any row.
        self.mixed = isinstance(groups, np.ndarray) or isinstance(without, np.ndarray)
        # By row: groups, without, exclude. Empty where all rows are alike.
        picks = NO_PICKS
        if self.mixed or exclude is not None:
            picks = np.empty((len(places), 3), np.int32)
            picks[:, 0] = groups
            picks[:, 1] = without
            picks[:, 2] = NONE if exclude is None else exclude
        if self.mixed:
            groups = int(np.bitwise_or.reduce(picks[:, 0]))
            without = int(np.bitwise_and.reduce(picks[:, 1])) if len(picks) > 0 else 0
        self.picks = picks.data
        self.groups, self.without = int(groups), int(without)

    def groups_of(self, i: cython.Py_ssize_t) -> NoGil[cython.int]:
        """Return the groups that count for row i."""
        return self.picks[i, 0] if self.mixed else self.groups

    def without_of(self, i: cython.Py_ssize_t) -> NoGil[cython.int]:
        """Return the groups that do not count for row i."""
        return self.picks[i, 1] if self.mixed else self.without

    def exclude_of(self, i: cython.Py_ssize_t) -> NoGil[cython.int]:
        """Return the slot that does not count for row i; -1 for none."""
        return self.picks[i, 2] if len(self.picks) > 0 else NONE
