"""Targeting: which target each tower has, and when it looks for another."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from tilequad.ai._checks import checked_at_least
from tilequad.ai._unit_dict import UnitDict
from tilequad.ai.pacing import Stagger, Ticker
from tilequad.ai.policies import Policy, TargetQuery, closest
from tilequad.ai.protocols import SpatialIndex

__all__ = ["Targeting"]


class Targeting:
    """Pick and keep targets for all towers of one type.

    One object serves any number of seekers: towers, or units that fight. Every `retarget_every`
    ticks a seeker looks for the unit that the policy prefers; with `lock=True` only while it has no
    target. A target is lost when it leaves the tree, goes out of range or fails `where`. The seeker
    then looks for another at once; if it finds none, it looks again when it is next due. Different
    seekers are due in different ticks.

    Prevent overkill with `where`: count the damage under way to each enemy, and pass
    `where=lambda enemy: enemy.health > enemy.incoming_damage`.

    A call costs two lookups while the target is kept, and one query of the tree otherwise.

    Args:
        units: The tree that holds both seekers and targets.
        policy: Chooses among the units in range; see `tilequad.ai.policies`. The attribute may be
            set at any time.
        max_range: The greatest distance to choose a target at, in world units, from position to
            position.
        min_range: The least distance to choose or keep a target at.
        lose_range: A target farther than this is lost; None means `max_range`. A slightly larger
            value stops towers from switching back and forth at the edge of their range.
        groups: Mask of the groups to target; None means all.
        where: Filter: a unit must pass it to be chosen and to be kept. None means no filter.
        lock: True keeps a target until it is lost; False switches when the policy prefers another.
            (With `lock=True` a tower may fire at the second enemy in line, which players read as a
            bug.)
        retarget_every: Ticks or seconds between two searches, in the unit of `now`; 0 means search
            every time.

    Raises:
        ValueError: A range or interval is negative or not finite, or
            `min_range <= max_range <= lose_range` does not hold.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Targeting, policies
        >>> TOWER, ENEMY = 1, 2
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("tower", 500, 500, groups=TOWER)
        >>> units.add("orc", 520, 500, groups=ENEMY)
        >>> units.add("rat", 560, 500, groups=ENEMY)
        >>> walked = {"orc": 120.0, "rat": 340.0}
        >>> archers = Targeting(units, policies.first(walked.get), max_range=100, groups=ENEMY)
        >>> archers.target("tower", now=0)
        'rat'
        >>> units.remove("rat")
        >>> archers.target("tower", now=1)
        'orc'
    """

    def __init__(
        self,
        units: SpatialIndex,
        policy: Policy = closest,
        *,
        max_range: float,
        min_range: float = 0.0,
        lose_range: float | None = None,
        groups: int | None = None,
        where: Callable[[Any], bool] | None = None,
        lock: bool = False,
        retarget_every: float = 0.0,
    ) -> None:
        self.units = units
        self.policy = policy
        self.min_range = checked_at_least(0, min_range, "min_range")
        self.max_range = checked_at_least(self.min_range, max_range, "max_range")
        self.lose_range = (
            self.max_range
            if lose_range is None
            else checked_at_least(self.max_range, lose_range, "lose_range")
        )
        self.groups = groups
        self.where = where
        self.lock = lock
        self._stagger = Stagger(checked_at_least(0, retarget_every, "retarget_every"))
        self._aims: UnitDict[_Aim] = UnitDict(units)

    def __repr__(self) -> str:
        return (
            f"<Targeting from {self.min_range:g} to {self.max_range:g}, "
            f"lost at {self.lose_range:g}, groups {self.groups}: {len(self._aims)} seekers>"
        )

    def target(self, seeker: Hashable, now: float) -> Any | None:
        """Return the seeker's current target, or None.

        Args:
            seeker: The unit that looks for a target; it must be in the tree.
            now: The game's clock, in ticks or seconds: the unit of `retarget_every`.

        Raises:
            KeyError: The seeker is not in the tree.
            ValueError: `now` is infinite or NaN, or `groups` is not a valid mask.
        """
        x, y = self.units.position(seeker)
        aim = self._aims.get(seeker)
        if aim is None:
            aim = self._aims[seeker] = _Aim(self._stagger.ticker())
        kept = aim.target if self._keeps(aim.target, x, y) else None
        lost = aim.target is not None and kept is None
        # Ask the ticker even while a target is locked: an interval that passes then is used up.
        due = aim.ticker.due(now)
        aim.target = kept
        if lost or (due and not (self.lock and kept is not None)):
            found = self.policy(self._query(seeker, x, y))
            aim.target = kept if found is None else found
        return aim.target

    def _keeps(self, target: Any | None, x: float, y: float) -> bool:
        """Return whether a target is still in the tree, in range, and passes `where`."""
        if target is None or target not in self.units:
            return False
        target_x, target_y = self.units.position(target)
        dx = target_x - x
        dy = target_y - y
        distance2 = dx * dx + dy * dy
        return (
            self.min_range * self.min_range <= distance2 <= self.lose_range * self.lose_range
            and (self.where is None or self.where(target))
        )

    def _query(self, seeker: Hashable, x: float, y: float) -> TargetQuery:
        return TargetQuery(
            self.units, seeker, x, y, self.min_range, self.max_range, self.groups, self.where
        )


class _Aim:
    """The current target of one seeker, and the ticker that says when to look again."""

    __slots__ = ("target", "ticker")

    def __init__(self, ticker: Ticker) -> None:
        self.ticker = ticker
        self.target: Any | None = None
