"""Who shoots whom: each tower's target, kept or chosen anew."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from tilequad.ai._checks import at_least
from tilequad.ai._roster import Roster
from tilequad.ai.pacing import Beat, Pace
from tilequad.ai.policies import Policy, Sight, closest
from tilequad.ai.units import Units

__all__ = ["Targeting"]


class Targeting:
    """How towers of one kind find their targets, and which target each of them has now.

    One object serves any number of towers, and of units that fight: whoever asks stands in the
    tree and is told its target. Every `retarget_every` ticks the tower looks for whom the policy
    wants most; with `lock` on it looks only while it has nobody. A target is lost when it leaves
    the tree, goes out of range or fails `where`; then the tower looks for another at once, and with
    none in range again at its next beat. The beats of different towers fall in different ticks.

    Overkill is the game's to know and `where` is where to say it: count the damage under way to
    each enemy, and pass `where=lambda enemy: enemy.health > enemy.damage_under_way`.

    A call costs two lookups while the target is kept, and one query of the tree when it is not.

    Args:
        units: The tree in which both seekers and targets stand.
        policy: Which of the units in range; see `tilequad.ai.policies`. The attribute may be set
            at any time.
        max_range: A unit farther than this, in world units from position to position, is not
            chosen.
        min_range: A unit closer than this is neither chosen nor kept.
        lose_range: A target farther than this is lost, `max_range` by default. A little more keeps
            towers from changing their mind about a unit that walks along the edge.
        groups: Mask of the groups to aim at; None means all.
        where: What a target must fulfil from the first moment to the last, as a function of the
            unit; None means nothing.
        lock: True keeps a target until it is lost, False lets go of it for a better one. (Players
            who see a tower shoot at the second take a lock for a mistake.)
        retarget_every: Ticks or seconds between two looks, in the unit of `now`; 0 looks each time.

    Raises:
        ValueError: A range or interval is negative or not finite, or
            `min_range <= max_range <= lose_range` does not hold.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Targeting, first
        >>> TOWER, ENEMY = 1, 2
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("tower", 500, 500, groups=TOWER)
        >>> units.add("orc", 520, 500, groups=ENEMY)
        >>> units.add("rat", 560, 500, groups=ENEMY)
        >>> walked = {"orc": 120.0, "rat": 340.0}
        >>> archers = Targeting(units, first(walked.get), max_range=100, groups=ENEMY)
        >>> archers.target("tower", now=0)
        'rat'
        >>> units.remove("rat")
        >>> archers.target("tower", now=1)
        'orc'
    """

    def __init__(
        self,
        units: Units,
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
        self.min_range = at_least(0, min_range, "min_range")
        self.max_range = at_least(self.min_range, max_range, "max_range")
        self.lose_range = (
            self.max_range
            if lose_range is None
            else at_least(self.max_range, lose_range, "lose_range")
        )
        self.groups = groups
        self.where = where
        self.lock = lock
        self._pace = Pace(at_least(0, retarget_every, "retarget_every"))
        self._aims: Roster[_Aim] = Roster(units)

    def target(self, seeker: Hashable, now: float) -> Any | None:
        """Return the seeker's target at this moment, or None without any.

        Args:
            seeker: Who asks; a unit of the tree.
            now: The game's clock, in ticks or seconds, the unit of `retarget_every`.

        Raises:
            KeyError: The seeker is not in the tree.
            ValueError: `now` is infinite or NaN, or `groups` is no mask.
        """
        x, y = self.units.position(seeker)
        aim = self._aims.get(seeker)
        if aim is None:
            aim = self._aims[seeker] = _Aim(self._pace.join())
        kept = aim.target if self._keeps(aim.target, x, y) else None
        lost = aim.target is not None and kept is None
        # The beat is asked in any case: one that fell while a target was locked is over.
        due = aim.beat.due(now)
        aim.target = kept
        if lost or (due and not (self.lock and kept is not None)):
            found = self.policy(self._sight(seeker, x, y))
            aim.target = kept if found is None else found
        return aim.target

    def _keeps(self, target: Any | None, x: float, y: float) -> bool:
        """Whether a target is still there, still in range, and still fulfils `where`."""
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

    def _sight(self, seeker: Hashable, x: float, y: float) -> Sight:
        return Sight(
            self.units, seeker, x, y, self.min_range, self.max_range, self.groups, self.where
        )


class _Aim:
    """What one tower aims at, and its beat for looking around."""

    __slots__ = ("beat", "target")

    def __init__(self, beat: Beat) -> None:
        self.beat = beat
        self.target: Any | None = None
