"""What `Targeting` remembers of each seeker: its target, its beat and its place in line."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["NONE", "Aims"]

NONE = -1  # marks "no unit" and "no ticket"

# The fields with their types, and their values for an unknown seeker.
FIELDS: dict[str, tuple[str, float]] = {
    "serial": ("q", NONE),  # the seeker's serial; another serial is another life, with no past
    "target": ("i", NONE),  # the target's slot
    "target_serial": ("q", NONE),
    "offset": ("d", 0.0),  # the phase of its beat, in intervals
    "interval": ("d", 0.0),  # the interval in which it was last due
    "ticket": ("q", NONE),  # its place in the line of those that look at once
}


class Aims:
    """The fields of all seekers, in arrays by slot.

    An entry is overwritten when its slot is used by another seeker, so nothing has to be forgotten:
    the arrays never grow longer than the tree's own.
    """

    __slots__ = tuple(FIELDS)

    serial: array[int]
    target: array[int]
    target_serial: array[int]
    offset: array[float]
    interval: array[float]
    ticket: array[int]

    def __init__(self) -> None:
        for name, (kind, _) in FIELDS.items():
            setattr(self, name, array(kind))

    def reserve(self, slots: int) -> None:
        """Make room for this many slots."""
        more = slots - len(self.serial)
        if more > 0:
            more += slots // 8
            for name, (kind, unknown) in FIELDS.items():
                getattr(self, name).extend(array(kind, [unknown]) * more)

    def view(self) -> dict[str, NDArray[Any]]:
        """The fields as numpy arrays that share the memory; drop them before calling `reserve`."""
        return {
            name: np.frombuffer(getattr(self, name), kind) for name, (kind, _) in FIELDS.items()
        }
