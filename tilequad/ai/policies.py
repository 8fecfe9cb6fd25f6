"""Target policies: which of the enemies in range a tower shoots.

A policy is a function from a `TargetQuery` to the chosen unit, or None. `closest` and `farthest`
are policies. `first`, `last`, `strongest` and `weakest` make one from a key function, because only
the game knows how far a unit has walked and how strong it is. Keys may be any values that compare,
also tuples: `strongest(lambda enemy: (enemy.is_healer, enemy.health))`. Ties go to the closest
unit, and among equally close units to the one added to the tree first.

A policy of your own looks like this:

    >>> def most_crowded(query):  # the enemy around whom a mortar hits the most
    ...     def neighbours(enemy):
    ...         x, y = query.units.position(enemy)
    ...         return len(query.units.within(x, y, 40, groups=query.groups))
    ...     return max(query.candidates(), key=neighbours, default=None)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, NamedTuple, TypeAlias

from tilequad.ai.protocols import SpatialIndex

__all__ = ["Policy", "TargetQuery", "closest", "farthest", "first", "last", "strongest", "weakest"]

Key: TypeAlias = Callable[[Any], Any]


class TargetQuery(NamedTuple):
    """The search for one tower's target: a ring around its position, and a filter.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai.policies import TargetQuery
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("tower", 50, 50)
        >>> units.add("orc", 60, 50)
        >>> units.add("rat", 55, 50)
        >>> query = TargetQuery(units, "tower", 50, 50, min_range=0, max_range=20)
        >>> sorted(query.candidates()), query.nearest()
        (['orc', 'rat'], 'rat')
    """

    units: SpatialIndex
    """The tree to search."""
    seeker: Hashable
    """The unit that searches; never a candidate."""
    x: float
    """The centre of the ring, in world units."""
    y: float
    min_range: float
    """Closer units are not candidates."""
    max_range: float
    """Farther units are not candidates."""
    groups: int | None = None
    """Mask of the groups to search; None means all."""
    where: Callable[[Any], bool] | None = None
    """Filter: a candidate must pass it. None means no filter."""

    def candidates(self) -> list[Any]:
        """Return all units in range, in no particular order. Use `nearest(among=...)` for ties."""
        found = self.units.within(
            self.x,
            self.y,
            self.max_range,
            groups=self.groups,
            min_radius=self.min_range,
            exclude=self.seeker,
        )
        return found if self.where is None else [unit for unit in found if self.where(unit)]

    def nearest(self, among: Collection[Hashable] | None = None) -> Any | None:
        """Return the closest candidate, or None. Ties go to the unit added first.

        Cheaper than `candidates`: the search stops at the answer.

        Args:
            among: Choose among these candidates only; None means all.
        """
        return self.units.nearest(
            self.x,
            self.y,
            groups=self.groups,
            min_distance=self.min_range,
            max_distance=self.max_range,
            exclude=self.seeker,
            where=self.where if among is None else frozenset(among).__contains__,
        )


Policy: TypeAlias = Callable[[TargetQuery], Any]
"""Chooses one of the candidates of a query, or None."""


def first(progress: Key) -> Policy:
    """Choose the unit furthest along the road.

    Args:
        progress: Returns how far a unit has come, for example the result of `Route.progress`.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Targeting, policies
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> for name, x in {"tower": 50, "orc": 60, "rat": 55}.items():
        ...     units.add(name, x, 50)
        >>> walked = {"orc": 340.0, "rat": 120.0}
        >>> Targeting(units, policies.first(walked.get), max_range=20).target("tower", now=0)
        'orc'
    """
    return lambda query: _extreme(query, progress, max)


def last(progress: Key) -> Policy:
    """Choose the unit least far along the road.

    Args:
        progress: Returns how far a unit has come.
    """
    return lambda query: _extreme(query, progress, min)


def strongest(strength: Key) -> Policy:
    """Choose the strongest unit: by health, damage, or any other measure of the game.

    Args:
        strength: Returns how strong a unit is.
    """
    return lambda query: _extreme(query, strength, max)


def weakest(strength: Key) -> Policy:
    """Choose the weakest unit, the one that a shot may finish.

    Args:
        strength: Returns how strong a unit is.
    """
    return lambda query: _extreme(query, strength, min)


def closest(query: TargetQuery) -> Any | None:
    """Choose the unit closest to the tower. The cheapest policy."""
    return query.nearest()


def farthest(query: TargetQuery) -> Any | None:
    """Choose the unit in range that is farthest from the tower."""

    def distance2(unit: Hashable) -> float:
        x, y = query.units.position(unit)
        dx = x - query.x
        dy = y - query.y
        return dx * dx + dy * dy

    return _extreme(query, distance2, max)


def _extreme(query: TargetQuery, key: Key, pick: Callable[[list[Any]], Any]) -> Any | None:
    """Return the candidate with the max or min key (as `pick` says); ties go to the closest."""
    candidates = query.candidates()
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    scores = [key(unit) for unit in candidates]
    best = pick(scores)
    tied = [unit for unit, score in zip(candidates, scores, strict=True) if score == best]
    if not tied:  # only a score that does not equal itself, such as NaN, ends up here
        raise ValueError(f"a policy's key must return values that compare, got {best!r}")
    return tied[0] if len(tied) == 1 else query.nearest(among=tied)
