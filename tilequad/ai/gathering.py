"""Gathering: find the nearest free tree, else the nearest shelter; never two villagers to one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from tilequad.ai._checks import checked_point
from tilequad.ai._unit_dict import UnitDict
from tilequad.ai.protocols import SpatialIndex

__all__ = ["Claims", "Goal", "find_goal"]


class Claims:
    """Reserve items for units: each unit holds at most one item, each item has one holder.

    A claim ends when its holder releases it or claims something else, and by itself when the holder
    or the item leaves the tree: nobody has to free the tree of a dead villager. A unit that comes
    back into the tree should claim again.

    Args:
        units: The tree that holds both the claiming units and the items.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Claims
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> for name in ("anna", "bert", "oak"):
        ...     units.add(name, 50, 50)
        >>> claims = Claims(units)
        >>> claims.claim("anna", "oak")
        >>> claims.is_free("oak", "bert"), claims.is_free("oak", "anna"), claims.held("anna")
        (False, True, 'oak')
        >>> units.remove("anna")
        >>> claims.is_free("oak", "bert")
        True
    """

    def __init__(self, units: SpatialIndex) -> None:
        self._units = units
        # A claim is valid if these two dicts agree and both units are in the tree. Other entries
        # have lapsed; they are overwritten or swept out in time.
        self._items: UnitDict[Any] = UnitDict(units)
        self._claimants: UnitDict[Any] = UnitDict(units)

    def __repr__(self) -> str:
        valid = sum(self._is_valid(claimant, item) for claimant, item in self._items.items())
        return f"<Claims: {valid}>"

    def claim(self, claimant: Hashable, item: Hashable) -> None:
        """Claim an item and release the one held before.

        Raises:
            KeyError: The claimant or the item is not in the tree.
            ValueError: Another unit holds the item.
        """
        for unit in (claimant, item):
            if unit not in self._units:
                raise KeyError(unit)
        if not self.is_free(item, claimant):
            raise ValueError(f"{item!r} is held by {self._claimants[item]!r}, not by {claimant!r}")
        self._items[claimant] = item
        self._claimants[item] = claimant

    def release(self, claimant: Hashable) -> None:
        """Release the item that the claimant holds, if any."""
        self._items.pop(claimant, None)

    def held(self, claimant: Hashable) -> Any | None:
        """Return the item that the claimant holds, or None."""
        item = self._items.get(claimant)
        return item if item is not None and self._is_valid(claimant, item) else None

    def is_free(self, item: Hashable, claimant: Hashable) -> bool:
        """Return whether the claimant may have the item: no other unit holds it."""
        holder = self._claimants.get(item)
        return holder is None or holder == claimant or not self._is_valid(holder, item)

    def _is_valid(self, claimant: Hashable, item: Hashable) -> bool:
        return (
            self._items.get(claimant) == item
            and self._claimants.get(item) == claimant
            and claimant in self._units
            and item in self._units
        )


@dataclass(frozen=True, slots=True)
class Goal:
    """What `find_goal` looks for: units of some groups within a distance, free if claims say so."""

    groups: int | None = None
    """Mask of the groups to search; None means all."""
    max_distance: float = inf
    """The greatest distance to search, in world units."""
    claims: Claims | None = None
    """Skip units that others hold here, and claim the one found. None: any number may share it."""
    where: Callable[[Any], bool] | None = None
    """Filter: the unit found must pass it, tried nearest first. None means no filter."""


def find_goal(
    units: SpatialIndex,
    seeker: Hashable,
    *goals: Goal,
    near: Sequence[float] | None = None,
) -> Any | None:
    """Find the nearest unit that meets the first goal, else the second goal, and so on.

    If the goal has claims, the seeker claims the unit found. The seeker also loses whatever it held
    in the claims of the given goals, even if the answer is another goal or None: a villager who
    runs for shelter leaves the tree to others. To give up without a search, call `Claims.release`.
    The seeker itself is never found.

    Costs one nearest query per goal. Units held by others are skipped one by one, nearest first.

    Args:
        units: The tree to search.
        seeker: The unit that searches; it must be in the tree.
        goals: What to look for, the most wanted first.
        near: Search around this point (x, y) instead of the seeker's position, for example around
            the tree that was felled last.

    Returns:
        The unit found, or None if no goal is met.

    Raises:
        KeyError: The seeker is not in the tree.
        ValueError: `near` is not two finite numbers, or a goal has a bad distance or mask. No claim
            is released then.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Claims, Goal, find_goal
        >>> VILLAGER, TREE, SHELTER = 1, 2, 4
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("anna", 100, 100, groups=VILLAGER)
        >>> units.add("bert", 110, 100, groups=VILLAGER)
        >>> units.add("oak", 150, 100, groups=TREE)
        >>> units.add("barn", 900, 900, groups=SHELTER)
        >>> wood = Goal(TREE, max_distance=300, claims=Claims(units))
        >>> safety = Goal(SHELTER)
        >>> find_goal(units, "anna", wood, safety)
        'oak'
        >>> find_goal(units, "bert", wood, safety)
        'barn'
    """
    x, y = units.position(seeker)
    if near is not None:
        x, y = checked_point(near, "near")
    answer, claims = None, None
    for goal in goals:
        answer = _nearest(units, seeker, goal, x, y)
        if answer is not None:
            claims = goal.claims
            break
    for goal in goals:
        if goal.claims is not None:
            goal.claims.release(seeker)
    if claims is not None:
        claims.claim(seeker, answer)
    return answer


def _nearest(units: SpatialIndex, seeker: Hashable, goal: Goal, x: float, y: float) -> Any | None:
    claims, where = goal.claims, goal.where
    if claims is None:
        accepts = where
    else:

        def accepts(unit: Any) -> bool:
            return (where is None or where(unit)) and claims.is_free(unit, seeker)

    return units.nearest(
        x,
        y,
        groups=goal.groups,
        min_distance=0.0,
        max_distance=goal.max_distance,
        exclude=seeker,
        where=accepts,
    )
