"""Sights, and the tree behind an object: what several files of this package ask."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.arrays import check_used, checked_slots, refuse_slot
from tilequad._core.shown import shown
from tilequad.quadtree.dynamic import DynamicQuadtree, store_of

Distances: TypeAlias = "float | NDArray[np.float64]"


def checked_sight(sight: Any, method: str) -> Any:
    """Return a sight, or None; of several, one that is clear where all are.

    Raises TypeError unless each has the method.
    """
    several = isinstance(sight, tuple | list)
    for one in sight if several else (sight,):
        if (one is not None or several) and not callable(getattr(one, method, None)):
            raise TypeError(
                f"sight must be a LineOfSight, or have its method {method}, got {shown(one)}"
            )
    return Sights(sight) if several else sight


class Sights(tuple[Any, ...]):
    """Several sights as one: a line is clear if none of them blocks it."""

    __slots__ = ()

    def clear(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Return whether nothing blocks the line from (x0, y0) to (x1, y1)."""
        for one in self:  # noqa: SIM110 - Ctrl-C while a generator is closed would be lost
            if not one.clear(x0, y0, x1, y1):
                return False
        return True

    def clear_many(self, xy0: NDArray[np.float64], xy1: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether nothing blocks each of the lines; those that are blocked are not asked on.

        Raises ValueError if a sight does not give a bool for each line.
        """
        found = np.ones(len(xy0), np.bool_)
        for one in self:
            rows = np.flatnonzero(found)
            found[rows] = looks(one, xy0[rows], xy1[rows])
        return found


def looks(sight: Any, xy0: NDArray[np.float64], xy1: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Ask a sight for many lines; raise ValueError unless it gives a bool for each."""
    seen = np.asarray(sight.clear_many(xy0, xy1))
    if seen.dtype != np.bool_ or seen.shape != (len(xy0),):
        wanted = f"sight.clear_many must give {len(xy0)} bools"
        raise ValueError(f"{wanted}, got {seen.dtype} {seen.shape}")
    return seen


def changed_tree() -> RuntimeError:
    """Return the error for callbacks that add or remove units while targets are being chosen."""
    return RuntimeError(
        "a unit was added or removed while targets were chosen: where, keys and policies must not "
        "change the tree"
    )


# -- slots, and what they are about ----------------------------------------------------------------


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


def unit_slots(
    units: Any, slots: ArrayLike, name: str = "slots", or_none: bool = False
) -> NDArray[np.int32]:
    """Return slots as int32, (n,); raise ValueError unless each is the slot of a unit.

    With `or_none`, which needs a DynamicQuadtree, -1 passes.
    """
    checked: NDArray[np.int32] = checked_slots(slots, name, or_none)
    tree = tree_of(units)
    if isinstance(tree, DynamicQuadtree):
        check_used(store_of(tree), checked, name, or_none)
    else:
        missing = tree.serial_many(checked) < 0
        if missing.any():
            refuse_slot(checked, int(missing.argmax()), name)
    return checked
