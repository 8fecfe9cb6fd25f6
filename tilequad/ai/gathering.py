"""Gathering: find the nearest free tree, else the nearest shelter; never two villagers to one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from tilequad.ai._checks import checked_mask, checked_point
from tilequad.ai._core.lookups import groups_at, item_at, serial_at
from tilequad.ai.protocols import SpatialIndex

__all__ = ["Claims", "Goal", "find_goal"]


class Claims:
    """Reserve items for units: each unit holds at most one item, each item has one holder.

    A claim ends when its holder releases it or claims something else, and by itself when the holder
    or the item leaves the tree: nobody has to free the tree of a dead villager. It does not come
    back when either is added again. A claim may name groups; then it holds only while the item is
    in one of them, so that nobody holds a tree that has become a stump.

    The state can be pickled and copied together with the tree.

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
        # By slot: the claim of a claimant, and the last claim of an item. A claim is valid if both
        # are the same and both units are still those that it names. Other entries have lapsed and
        # are overwritten in time, so there are never more than the tree has slots.
        self._claims: dict[int, _Claim] = {}
        self._holders: dict[int, _Claim] = {}

    def __repr__(self) -> str:
        return f"<Claims: {sum(map(self._is_valid, self._claims.values()))}>"

    def claim(self, claimant: Hashable, item: Hashable, groups: int | None = None) -> None:
        """Claim an item and release the one held before.

        Args:
            claimant: The unit that claims.
            item: The unit that it claims.
            groups: Mask; the claim holds while the item is in one of these groups. None means all.

        Raises:
            KeyError: The claimant or the item is not in the tree.
            TypeError: `groups` is no whole number.
            ValueError: Another unit holds the item, the item is in none of the groups, or the mask
                is out of range.
        """
        mask = checked_mask(groups)
        slots = self._units.slot(claimant), self._units.slot(item)
        holder = self._holder(slots[1])
        if holder is not None and holder.claimant != slots[0]:
            other = item_at(self._units, holder.claimant)
            raise ValueError(f"{item!r} is held by {other!r}, not by {claimant!r}")
        if mask is not None and not groups_at(self._units, slots[1]) & mask:
            raise ValueError(f"{item!r} is in none of the groups {mask}")
        claimant_serial, item_serial = (serial_at(self._units, slot) for slot in slots)
        claim = _Claim(*slots, claimant_serial, item_serial, mask)
        self._claims[claim.claimant] = self._holders[claim.item] = claim

    def release(self, claimant: Hashable) -> None:
        """Release the item that the claimant holds, if any."""
        if claimant in self._units:
            self._claims.pop(self._units.slot(claimant), None)

    def held(self, claimant: Hashable) -> Any | None:
        """Return the item that the claimant holds, or None."""
        if claimant not in self._units:
            return None
        claim = self._claims.get(self._units.slot(claimant))
        if claim is None or not self._is_valid(claim):
            return None
        return item_at(self._units, claim.item)

    def is_free(self, item: Hashable, claimant: Hashable) -> bool:
        """Return whether the claimant may have the item: no other unit holds it."""
        if item not in self._units:
            return True
        holder = self._holder(self._units.slot(item))
        return holder is None or item_at(self._units, holder.claimant) == claimant

    def _holder(self, slot: int) -> _Claim | None:
        """The valid claim on the item in a slot."""
        claim = self._holders.get(slot)
        return claim if claim is not None and self._is_valid(claim) else None

    def _is_valid(self, claim: _Claim) -> bool:
        units = self._units
        return (
            self._claims.get(claim.claimant) == claim
            and self._holders.get(claim.item) == claim
            and serial_at(units, claim.claimant) == claim.claimant_serial
            and serial_at(units, claim.item) == claim.item_serial
            and (claim.groups is None or groups_at(units, claim.item) & claim.groups != 0)
        )


class _Claim(NamedTuple):
    """Who holds what: slots, and the serials that make them lives."""

    claimant: int
    item: int
    claimant_serial: int
    item_serial: int
    groups: int | None


@dataclass(frozen=True, slots=True)
class Goal:
    """What `find_goal` looks for: units of some groups within a distance, free if claims say so.

    Raises:
        TypeError: `groups` is no whole number.
        ValueError: `groups` is out of range, or `max_distance` is negative or NaN.
    """

    groups: int | None = None
    """Mask of the groups to search; None means all."""
    max_distance: float = inf
    """The greatest distance to search, in world units."""
    claims: Claims | None = None
    """Skip units that others hold here, and claim the one found. None: any number may share it."""
    where: Callable[[Any], bool] | None = None
    """Filter: the unit found must pass it, tried nearest first. None means no filter."""

    def __post_init__(self) -> None:
        """Refuse wrong groups and distances."""
        checked_mask(self.groups)
        if not self.max_distance >= 0:
            raise ValueError(f"max_distance must be at least 0, got {self.max_distance!r}")


def find_goal(
    units: SpatialIndex,
    seeker: Hashable,
    *goals: Goal,
    near: Sequence[float] | None = None,
) -> Any | None:
    """Find the nearest unit that meets the first goal, else the second goal, and so on.

    If the goal has claims, the seeker claims the unit found, as long as it is in the groups of the
    goal. The seeker also loses whatever it held
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
        ValueError: `near` is not two finite numbers. No claim is released then.

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
    answer, met = None, None
    for goal in goals:
        answer = _nearest(units, seeker, goal, x, y)
        if answer is not None:
            met = goal
            break
    for goal in goals:
        if goal.claims is not None:
            goal.claims.release(seeker)
    if met is not None and met.claims is not None:
        met.claims.claim(seeker, answer, met.groups)
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
