"""Blasts: the place where a shell catches the most."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.discs import DiscSearch
from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import at_slots, own_array
from tilequad._core.checks import checked_point, distance_of, masks_of, number_of, slot_of
from tilequad._core.shown import shown
from tilequad._core.tree.units import ask
from tilequad.ai._checks import tree_behind
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import store_of

__all__ = ["Blast", "best_blast"]


class Blast(NamedTuple):
    """A place for a shell, and the units it catches there.

    Attributes:
        x: The place, in world units.
        y: The place.
        value: The sum of the values of all units caught; without values, their number.
        units: The units caught, in no particular order.
    """

    x: float
    y: float
    value: float
    units: list[Any]


def best_blast(
    units: DynamicQuadtree[Any],
    x: float,
    y: float,
    max_distance: float,
    radius: float,
    *,
    min_distance: float = 0.0,
    groups: int | None = None,
    without: int | None = None,
    exclude: Hashable | None = None,
    value: Callable[[Any], float] | ArrayLike | None = None,
    accuracy: float = 0.9,
) -> Blast | None:
    """Find the place in range where a shell catches the most units, by position.

    The place may lie between units. No place catches more than `value / accuracy`, however the
    units stand: 0.9 means at least 90% of the best. With 1.0 it is the best up to rounding: another
    place may win only by units that lie on the edge of its disc, within a millionth of the radius.

    Cost: one search for the units in range, then a few passes over the units in crowded parts. A
    higher accuracy takes longer; 1.0 several times as long: with 10,000 units in range, all on one
    line, a tenth of a second. Friends among foes take longer, too, the closer they stand: a
    thousand within 60 x 60 world units 3 ms for a radius of 20, 40 ms within 2 x 2, and a tenth of
    a second where all stand within a pixel.

    Args:
        units: The tree.
        x: The mortar, in world units.
        y: The mortar.
        max_distance: The place is at most this far from the mortar.
        radius: The blast catches units up to this distance from the place.
        min_distance: The place is at least this far from the mortar.
        groups: A mask; only units in one of these groups. None for all.
        without: A mask; leave out units in any of these groups. None for none.
        exclude: A unit to leave out, such as the mortar itself. None for none.
        value: What a unit is worth: a function of the unit, which must not change the tree, or an
            array by slot. Negative values spare units. None means 1 for each unit.
        accuracy: The least share of the best, above 0 and at most 1.

    Returns:
        The best place and its catch, or None if no place is worth more than 0.

    Raises:
        ValueError: A number is not finite or out of range, or a value is NaN or infinite.
        TypeError: A value is not a number, or a mask is not a whole number.
        KeyError: `exclude` is not in the tree.
        RuntimeError: `value` changes the tree.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import best_blast
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> for name, x in ("a", 480), ("b", 500), ("c", 520), ("d", 700):
        ...     units.add(name, x, 500)
        >>> blast = best_blast(units, 400, 500, 200, 25)
        >>> blast.value, sorted(blast.units)
        (3.0, ['a', 'b', 'c'])
    """
    radius = distance_of(radius, "radius")
    most = distance_of(max_distance, "max_distance")
    least = distance_of(min_distance, "min_distance")
    if least > most:
        raise ValueError(f"min_distance must be at most max_distance, got {least!r} and {most!r}")
    if not 0.0 < number_of(accuracy, "accuracy") <= 1.0:
        raise ValueError(f"accuracy must be above 0 and at most 1, got {shown(accuracy)}")
    place = checked_point((x, y), "x and y")
    search = DiscSearch(place, least, most, radius, float(accuracy))
    store, masks = store_of(tree_behind(units)), masks_of(groups, without)
    skip = -1 if exclude is None else slot_of(units, exclude, "exclude")

    def find() -> Blast | None:
        slots = search.slots(store, *masks, skip)
        best_x, best_y, best = search.search(_values(units, slots, value))
        if best <= 0.0:
            return None
        caught = units.within(best_x, best_y, radius, groups, without, exclude=exclude)
        return Blast(best_x, best_y, best, caught)

    found: Blast | None = ask(store, find)  # meanwhile, `value` cannot change the tree
    return found


def _values(units: DynamicQuadtree[Any], slots: NDArray[np.int32], value: Any) -> Floats:
    """Return what the units in some slots are worth."""
    if value is None:
        return np.ones(len(slots))
    if callable(value):
        values = np.array([number_of(value(unit), "value") for unit in units.items(slots)])
    else:
        by_slot = own_array(value, "value")
        last = slots.max(initial=-1)
        if by_slot.ndim != 1 or len(by_slot) <= last:
            raise ValueError(f"value must have a row for slot {last}, got {by_slot.shape}")
        values = at_slots(by_slot, slots)
    if not np.isfinite(values).all():
        wrong = units.items(slots[~np.isfinite(values)][:1])[0]
        raise ValueError(f"value of {shown(wrong)} must be finite")
    return values
