"""Slots given by the caller, checked against the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army import lookups
from tilequad._core.arrays import checked_slots, refuse_slot

__all__ = ["unit_slots"]


def unit_slots(units: Any, slots: ArrayLike, name: str = "slots") -> NDArray[np.int32]:
    """Return slots as int32, (n,); raise ValueError unless each is the slot of a unit."""
    checked: NDArray[np.int32] = checked_slots(slots, name)
    missing = lookups.serials(units, checked) < 0
    if missing.any():
        refuse_slot(checked, int(missing.argmax()), name)
    return checked
