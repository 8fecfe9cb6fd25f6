"""Which of the enemies in range: the ways of choosing that a tower-defence player knows.

A policy is any function from a `Sight` to the chosen unit or None. `closest` and `farthest` are
policies; `first`, `last`, `strongest` and `weakest` make one from a key of the game, because only
the game knows how far a unit has walked and what makes it strong. Keys may be anything that
compares, tuples too: `strongest(lambda enemy: (enemy.is_healer, enemy.health))`. Among units that
are equal the closest is chosen, and among those equally close the one added to the tree first.

A policy of the game's own looks like this:

    >>> def most_crowded(sight):  # the enemy whose surroundings a mortar would hit hardest
    ...     def crowd(enemy):
    ...         x, y = sight.units.position(enemy)
    ...         return len(sight.units.within(x, y, 40, groups=sight.groups))
    ...     return max(sight.candidates(), key=crowd, default=None)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any, NamedTuple, TypeAlias

from tilequad.ai.units import Units

__all__ = ["Policy", "Sight", "closest", "farthest", "first", "last", "strongest", "weakest"]

Key: TypeAlias = Callable[[Any], Any]


class Sight(NamedTuple):
    """What one tower sees when it looks for a target: a place, a ring around it, and a filter.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Sight
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("tower", 50, 50)
        >>> units.add("orc", 60, 50)
        >>> units.add("rat", 55, 50)
        >>> sight = Sight(units, "tower", 50, 50, min_range=0, max_range=20)
        >>> sorted(sight.candidates()), sight.nearest()
        (['orc', 'rat'], 'rat')
    """

    units: Units
    """The tree that is asked."""
    seeker: Hashable
    """Who looks; never a candidate."""
    x: float
    """Where from, in world units."""
    y: float
    min_range: float
    """Units closer than this are under the barrel."""
    max_range: float
    """Units farther than this are out of reach."""
    groups: int | None = None
    """Mask of the groups that count; None means all."""
    where: Callable[[Any], bool] | None = None
    """What else a candidate must fulfil; None means nothing."""

    def candidates(self) -> list[Any]:
        """Return every unit in range, in no promised order; `nearest(among=...)` settles ties."""
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
        """Return the closest candidate, the one added first if several are; None without any.

        Cheaper than `candidates`: only the units up to the answer are looked at.

        Args:
            among: Choose from these candidates only; None means from all.
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


Policy: TypeAlias = Callable[[Sight], Any]
"""Chooses one of the units in sight, or None."""


def first(progress: Key) -> Policy:
    """Whoever is furthest along the road.

    Args:
        progress: How far a unit has come, for example what `Route.progress` measured.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Targeting, first
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> for name, x in {"tower": 50, "orc": 60, "rat": 55}.items():
        ...     units.add(name, x, 50)
        >>> walked = {"orc": 340.0, "rat": 120.0}
        >>> Targeting(units, first(walked.get), max_range=20).target("tower", now=0)
        'orc'
    """
    return lambda sight: _extreme(sight, progress, max)


def last(progress: Key) -> Policy:
    """Whoever has come least far along the road.

    Args:
        progress: How far a unit has come.
    """
    return lambda sight: _extreme(sight, progress, min)


def strongest(strength: Key) -> Policy:
    """Whoever is strongest: most health, most damage, whatever the game calls strong.

    Args:
        strength: How strong a unit is.
    """
    return lambda sight: _extreme(sight, strength, max)


def weakest(strength: Key) -> Policy:
    """Whoever is weakest: the one that a shot may finish.

    Args:
        strength: How strong a unit is.
    """
    return lambda sight: _extreme(sight, strength, min)


def closest(sight: Sight) -> Any | None:
    """Whoever is closest to the tower; the cheapest policy."""
    return sight.nearest()


def farthest(sight: Sight) -> Any | None:
    """Whoever is farthest from the tower and still in range."""

    def distance2(unit: Hashable) -> float:
        x, y = sight.units.position(unit)
        dx = x - sight.x
        dy = y - sight.y
        return dx * dx + dy * dy

    return _extreme(sight, distance2, max)


def _extreme(sight: Sight, key: Key, pick: Callable[[list[Any]], Any]) -> Any | None:
    """The candidate whose key `pick` (max or min) picks, the closest one if several share it."""
    candidates = sight.candidates()
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    scores = [key(unit) for unit in candidates]
    best = pick(scores)
    tied = [unit for unit, score in zip(candidates, scores, strict=True) if score == best]
    if not tied:  # only what is not equal to itself is picked and then not found
        raise ValueError(f"a policy's key must give values that compare, got {best!r}")
    return tied[0] if len(tied) == 1 else sight.nearest(among=tied)
