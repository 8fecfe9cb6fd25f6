"""Slots given by the caller, checked against the tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.arrays import check_used, checked_slots, refuse_slot
from tilequad._core.shown import shown
from tilequad.quadtree.dynamic import DynamicQuadtree, store_of

__all__ = ["slot_of", "tree_behind", "tree_like", "tree_of", "unit_at", "unit_slots"]


def tree_of(units: Any) -> Any:
    """Return the tree behind a wrapper, such as one that measures time; any other object as is."""
    tree = getattr(units, "tree", None)
    return tree if isinstance(tree, DynamicQuadtree) else units


def tree_like(units: Any) -> Any:
    """Return the tree behind a wrapper; raise TypeError unless it knows units by slot."""
    tree = tree_of(units)
    if not (callable(getattr(tree, "slot", None)) and callable(getattr(tree, "serial", None))):
        raise TypeError(f"units must be a DynamicQuadtree or the like, got {shown(units)}")
    return tree


def tree_behind(units: Any) -> DynamicQuadtree[Any]:
    """Return the tree behind an object; raise TypeError if it has none."""
    tree = tree_of(units)
    if not isinstance(tree, DynamicQuadtree):
        raise TypeError(f"units must be a DynamicQuadtree or have one, got {shown(units)}")
    return tree


def slot_of(units: Any, unit: Any, name: str) -> int:
    """Return the slot of a unit; raise KeyError unless it is in the tree."""
    try:
        slot: int = units.slot(unit)
    except KeyError:
        raise KeyError(f"{name} must be in the tree, got {shown(unit)}") from None
    except TypeError as error:
        raise TypeError(f"{name} must be a unit, got {shown(unit)}") from error
    return slot


def unit_at(tree: Any, slot: int, serial: int) -> Any | None:
    """Return the unit that had this slot and serial; None if it has left the tree."""
    try:
        unit = tree.item(slot)
    except ValueError:
        return None
    return unit if tree.serial(unit) == serial else None


def unit_slots(units: Any, slots: ArrayLike, name: str = "slots") -> NDArray[np.int32]:
    """Return slots as int32, (n,); raise ValueError unless each is the slot of a unit."""
    checked: NDArray[np.int32] = checked_slots(slots, name)
    tree = tree_of(units)
    if isinstance(tree, DynamicQuadtree):
        check_used(store_of(tree), checked, name)
    else:
        missing = tree.serial_many(checked) < 0
        if missing.any():
            refuse_slot(checked, int(missing.argmax()), name)
    return checked
