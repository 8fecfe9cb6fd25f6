"""Who fetches what: the nearest free tree, else the nearest shelter, and never two to one tree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from tilequad.ai._checks import point
from tilequad.ai._roster import Roster
from tilequad.ai.units import Units

__all__ = ["Claims", "Goal", "search"]


class Claims:
    """Who has taken what: one item for each claimant, one claimant for each item.

    A claim ends when it is released, when its claimant claims something else, and by itself when
    the claimant or the item leaves the tree: the tree of a dead villager is free without a word.
    Whoever comes back into the tree should claim again.

    Args:
        units: The tree in which claimants and items stand.

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

    def __init__(self, units: Units) -> None:
        self._units = units
        # A claim is valid where these two agree and both units stand in the tree. What else is in
        # here has lapsed: it is overwritten or swept out in time.
        self._items: Roster[Any] = Roster(units)
        self._claimants: Roster[Any] = Roster(units)

    def claim(self, claimant: Hashable, item: Hashable) -> None:
        """Take an item, and let go of the one held before.

        Raises:
            KeyError: The claimant or the item is not in the tree.
            ValueError: Somebody else holds the item.
        """
        for unit in (claimant, item):
            if unit not in self._units:
                raise KeyError(unit)
        if not self.is_free(item, claimant):
            raise ValueError(f"{item!r} is held by {self._claimants[item]!r}, not by {claimant!r}")
        self._items[claimant] = item
        self._claimants[item] = claimant

    def release(self, claimant: Hashable) -> None:
        """Let go of what the claimant holds; nothing happens where that is nothing."""
        self._items.pop(claimant, None)

    def held(self, claimant: Hashable) -> Any | None:
        """Return what the claimant holds, or None."""
        item = self._items.get(claimant)
        return item if item is not None and self._is_valid(claimant, item) else None

    def is_free(self, item: Hashable, claimant: Hashable) -> bool:
        """Whether the claimant may have the item: nobody else holds it."""
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
    """What `search` looks for: units of some groups, within a distance, free if claims say so."""

    groups: int | None = None
    """Mask of the groups that count; None means all."""
    max_distance: float = inf
    """How far to look, in world units."""
    claims: Claims | None = None
    """Where to look up who has taken what; None where any number may share one goal."""
    where: Callable[[Any], bool] | None = None
    """What else the goal must fulfil, tried nearest first; None means nothing."""


def search(
    units: Units,
    seeker: Hashable,
    *goals: Goal,
    near: Sequence[float] | None = None,
) -> Any | None:
    """Find the nearest unit that meets the first goal, else the second goal, and so on.

    Where the goal has claims, what is found is claimed for the seeker. Whatever the seeker held
    before in the claims of these goals is released, also when the answer is another goal or None:
    who runs for the shelter leaves the tree to others. To give up without a search, call
    `Claims.release`. The seeker itself is never found.

    Costs one nearest query a goal; units that others hold are passed over one by one, nearest
    first.

    Args:
        units: The tree to search.
        seeker: Who searches; a unit of the tree.
        goals: What to look for, most wanted first.
        near: Search around this point (x, y) instead of the seeker's position: back to the trees
            near the one that was felled.

    Returns:
        The unit found, or None if no goal is met.

    Raises:
        KeyError: The seeker is not in the tree.
        ValueError: `near` is not two finite numbers, or a goal's distance or mask is bad; no claim
            is released then.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Claims, Goal, search
        >>> VILLAGER, TREE, SHELTER = 1, 2, 4
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("anna", 100, 100, groups=VILLAGER)
        >>> units.add("bert", 110, 100, groups=VILLAGER)
        >>> units.add("oak", 150, 100, groups=TREE)
        >>> units.add("barn", 900, 900, groups=SHELTER)
        >>> wood = Goal(TREE, max_distance=300, claims=Claims(units))
        >>> safety = Goal(SHELTER)
        >>> search(units, "anna", wood, safety)
        'oak'
        >>> search(units, "bert", wood, safety)
        'barn'
    """
    x, y = units.position(seeker)
    if near is not None:
        x, y = point(near, "near")
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


def _nearest(units: Units, seeker: Hashable, goal: Goal, x: float, y: float) -> Any | None:
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
