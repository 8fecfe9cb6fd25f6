"""Targeting: which target each tower has, and when it looks for another."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import floor, inf, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army import lookups
from tilequad.ai._aims import NONE, Aims
from tilequad.ai._checks import (
    changed_tree,
    checked_at_least,
    checked_distance,
    checked_mask,
    checked_without,
    whole,
)
from tilequad.ai._looking import Looking, Policies, checked_policy
from tilequad.ai._slots import unit_slots
from tilequad.ai.damage import Damage
from tilequad.ai.pacing import Line, beat_offset
from tilequad.ai.policies import Policy, Ranking, TargetQuery, closest
from tilequad.ai.protocols import Sight, SpatialIndex

__all__ = ["Targeting"]


class Targeting:
    """Pick and keep targets for all towers.

    One object serves any number of seekers: towers, or units that fight. Every `retarget_every`
    ticks a seeker searches for the unit that the policy prefers; with `lock=True` only while it has
    no target. Different seekers search in different ticks. New seekers, and those that lost their
    target, search immediately, at most `at_once` a tick. The rest queue, oldest first, or search at
    their next regular turn. A target is lost when it leaves the tree or the groups, goes out of
    range or out of sight, is doomed, or fails `where`.

    `target` asks for one seeker, `target_many` for many by their slots, with the same targets.
    Distances and the policy may differ from seeker to seeker: pass them to these methods. A tower
    that is upgraded keeps its target.

    Keeping a target costs a few lookups, a search one query of the tree. `target_many` makes the
    queries of all seekers in one call, and with a key by slot runs no Python for each unit.

    The state can be pickled and copied together with the tree, if `where` and the keys can: use
    functions and classes of a module.

    Args:
        units: The tree that holds both seekers and targets.
        policy: Chooses among the units in range; see `tilequad.ai.policies`.
        max_distance: The greatest distance to choose a target at, in world units, from position to
            position.
        min_distance: The least distance to choose or keep a target at.
        lose_distance: A target farther than this is lost; None means `max_distance`. A slightly
            larger value stops towers from switching back and forth at the edge of their range.
        groups: Mask of the groups to target; None means all.
        without: Mask of the groups to leave alone, even if they are in `groups`; None means none.
        where: Called with the seeker and a unit; a unit must pass it to be chosen and to be kept.
            None means no filter. It is called from the best unit down, until one passes.
        sight: What may block the view: an object with the method `clear(x0, y0, x1, y1)`. None
            means that nothing does.
        damage: Leaves alone the units that the damage under way will kill; see `Damage`.
        lock: True keeps a target until it is lost; False switches when the policy prefers another.
            (With `lock=True` a tower may fire at the second enemy in line, which players read as a
            bug.)
        switch_margin: By how much another unit must be better before a seeker switches to it while
            it could keep its target: in world units for `closest` and `farthest`, otherwise in the
            unit of the key. 0 switches to any other best unit.
        retarget_every: Ticks or seconds between two searches, in the unit of `now`; 0 means search
            every time.
        at_once: How many seekers that are new or have lost their target may search in a tick before
            their regular turn; None means all.

    All arguments are attributes; all but `units` may be set at any time.

    Raises:
        TypeError: `groups`, `without` or `at_once` is not a whole number.
        ValueError: A distance, margin or interval is negative or not finite, a mask is out of
            range, or `min_distance <= max_distance <= lose_distance` does not hold.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Targeting, policies
        >>> TOWER, ENEMY = 1, 2
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("tower", 500, 500, groups=TOWER)
        >>> units.add("orc", 520, 500, groups=ENEMY)
        >>> units.add("rat", 560, 500, groups=ENEMY)
        >>> walked = {"orc": 120.0, "rat": 340.0}
        >>> archers = Targeting(units, policies.first(walked.get), max_distance=100, groups=ENEMY)
        >>> archers.target("tower", now=0)
        'rat'
        >>> units.remove("rat")
        >>> units.items(archers.target_many(units.slots(["tower"]), now=1))
        ['orc']
    """

    def __init__(
        self,
        units: SpatialIndex,
        policy: Policy = closest,
        *,
        max_distance: float,
        min_distance: float = 0.0,
        lose_distance: float | None = None,
        groups: int | None = None,
        without: int | None = None,
        where: Callable[[Any, Any], bool] | None = None,
        sight: Sight | None = None,
        damage: Damage | None = None,
        lock: bool = False,
        switch_margin: float = 0.0,
        retarget_every: float = 0.0,
        at_once: int | None = 64,
    ) -> None:
        self.units = units
        self.policy = policy
        self._ranges = _Ranges(0.0, 0.0, None).changed(min_distance, max_distance, lose_distance)
        self.groups = groups
        self.without = without
        self.where = where
        self.sight = sight
        self.damage = damage
        self.lock = lock
        self.switch_margin = switch_margin
        self.retarget_every = retarget_every
        self._line = Line(0)
        self.at_once = at_once
        self._aims = Aims()
        self._seekers = 0  # how many seekers have ever asked, for their beats

    def __repr__(self) -> str:
        low, high, lose = self.min_distance, self.max_distance, self.lose_distance
        return (
            f"<Targeting by {self.policy!r} from {low:g} to {high:g}, lost at {lose:g}, "
            f"groups {self.groups}{'' if self.without is None else f' without {self.without}'}>"
        )

    # -- attributes that are checked when they are set ---

    @property
    def policy(self) -> Policy:
        """Chooses among the units in range."""
        return self._policy

    @policy.setter
    def policy(self, value: Policy) -> None:
        self._policy = checked_policy(value)

    @property
    def max_distance(self) -> float:
        """The greatest distance to choose a target at, in world units."""
        return self._ranges.high

    @max_distance.setter
    def max_distance(self, value: float) -> None:
        self._ranges = self._ranges.changed(None, value, None)

    @property
    def min_distance(self) -> float:
        """The least distance to choose or keep a target at, in world units."""
        return self._ranges.low

    @min_distance.setter
    def min_distance(self, value: float) -> None:
        self._ranges = self._ranges.changed(value, None, None)

    @property
    def lose_distance(self) -> float:
        """A target farther than this is lost. Setting `max_distance` moves it by as much."""
        return self._ranges.lost_at

    @lose_distance.setter
    def lose_distance(self, value: float | None) -> None:
        self._ranges = self._ranges._replace(lose=None).changed(None, None, value)

    @property
    def groups(self) -> int | None:
        """Mask of the groups to target; None means all."""
        return self._groups

    @groups.setter
    def groups(self, value: int | None) -> None:
        self._groups = checked_mask(value)

    @property
    def without(self) -> int | None:
        """Mask of the groups to leave alone; None means none."""
        return self._without or None

    @without.setter
    def without(self, value: int | None) -> None:
        self._without = checked_without(value)

    @property
    def switch_margin(self) -> float:
        """By how much another unit must be better before a seeker switches to it."""
        return self._switch_margin

    @switch_margin.setter
    def switch_margin(self, value: float) -> None:
        self._switch_margin = checked_at_least(0, value, "switch_margin")

    @property
    def retarget_every(self) -> float:
        """Ticks or seconds between two searches; 0 means search every time."""
        return self._retarget_every

    @retarget_every.setter
    def retarget_every(self, value: float) -> None:
        self._retarget_every = checked_at_least(0, value, "retarget_every")

    @property
    def at_once(self) -> int | None:
        """How many seekers may search in a tick before their regular turn; None means all."""
        return None if self._line.per_tick == inf else int(self._line.per_tick)

    @at_once.setter
    def at_once(self, value: int | None) -> None:
        if value is not None and whole(value, "at_once") < 0:
            raise ValueError(f"at_once must be at least 0, got {value!r}")
        self._line.per_tick = inf if value is None else value

    # -- one seeker ---

    def target(
        self,
        seeker: Hashable,
        now: float,
        *,
        policy: Policy | None = None,
        max_distance: float | None = None,
        min_distance: float | None = None,
        lose_distance: float | None = None,
    ) -> Any | None:
        """Return the seeker's current target, or None.

        Args:
            seeker: The unit that looks for a target; it must be in the tree.
            now: The game's clock, in ticks or seconds: the unit of `retarget_every`.
            policy: The policy of this seeker; None means the attribute.
            max_distance: The greatest distance for this seeker; None means the attribute.
            min_distance: The least distance for this seeker; None means the attribute.
            lose_distance: Where this seeker loses a target; None keeps the attribute's margin
                beyond `max_distance`.

        Raises:
            KeyError: The seeker is not in the tree.
            RuntimeError: `where`, a key or the policy removed the chosen unit from the tree.
            ValueError: `now` is infinite or NaN, a distance is wrong, a score is None or NaN, or
                the policy chose neither a candidate nor None. The seeker then keeps its target and
                its turn.
        """
        units, aims = self.units, self._aims
        _check_now(now)
        ranges = self._ranges
        if max_distance is not None or min_distance is not None or lose_distance is not None:
            ranges = ranges.changed(min_distance, max_distance, lose_distance)
        slot, serial, x, y = lookups.seeker_of(units, seeker)
        if slot >= len(aims.serial):
            aims.reserve(slot + 1)
        is_new = aims.serial[slot] != serial
        offset = beat_offset(self._seekers) if is_new else aims.offset[slot]
        every = self._retarget_every
        interval = floor(now / every + offset) if every else 0
        held = NONE if is_new else aims.target[slot]
        low, high, lose = ranges.low, ranges.high, ranges.lost_at
        held_serial = aims.target_serial[slot]
        kept = lookups.kept_at(
            units, held, held_serial, self._groups, self._without, x, y, low, lose
        )
        if kept is not None and self._is_picky:
            kept = kept if self._query(seeker, x, y, low, high).accepts(kept) else None
        due = not every or (interval != aims.interval[slot] and not is_new)
        ticket = NONE if is_new else aims.ticket[slot]
        self._line.begin(now)
        waits = is_new or (held != NONE and kept is None) or ticket != NONE
        takes = waits and ticket == NONE
        if takes:
            ticket = self._line.next
        called = waits and ticket < self._line.limit
        looks = (due or called) and not (self.lock and kept is not None)
        chooses = self._policy if policy is None else checked_policy(policy)
        found, target, target_serial = kept, held if kept is not None else NONE, held_serial
        if looks:
            found = self._look(self._query(seeker, x, y, low, high), chooses, kept)
            target = NONE if found is None else self._slot_of(found)
            target_serial = lookups.serial_at(units, target) if target != NONE else NONE
        # Nothing has changed so far, so a callback that raises does no harm.
        if takes:
            self._line.take(1)
        if is_new:
            self._seekers += 1
            aims.serial[slot] = serial
            aims.offset[slot] = offset
        aims.interval[slot] = interval
        aims.ticket[slot] = NONE if looks or found is not None else ticket
        aims.target[slot] = target
        aims.target_serial[slot] = target_serial
        return found

    def drop(self, seeker: Hashable) -> None:
        """Let a seeker forget its target. It searches again at its next regular turn.

        Raises:
            KeyError: The seeker is not in the tree.
        """
        slot = self.units.slot(seeker)
        if slot < len(self._aims.target):
            self._aims.target[slot] = NONE

    def drop_many(self, slots: ArrayLike) -> None:
        """Let many seekers forget their targets, as `drop` does.

        Args:
            slots: The slots of the seekers, (n,).

        Raises:
            ValueError: A number is not the slot of a unit. Nothing is changed then.
        """
        seekers = unit_slots(self.units, slots)
        target = self._aims.view()["target"]
        target[seekers[seekers < len(target)]] = NONE

    # -- many seekers ---

    def target_many(
        self,
        slots: ArrayLike,
        now: float,
        *,
        policy: Policies | None = None,
        max_distance: ArrayLike | None = None,
        min_distance: ArrayLike | None = None,
        lose_distance: ArrayLike | None = None,
    ) -> NDArray[np.int32]:
        """Return the targets of many seekers, by slots, as `target` would one after the other.

        Args:
            slots: The slots of the seekers, (n,), each once.
            now: The game's clock, as for `target`.
            policy: One policy for all, or n; None means the attribute.
            max_distance: The greatest distance for all, or (n,); None means the attribute.
            min_distance: The least distance for all, or (n,); None means the attribute.
            lose_distance: Where targets are lost: one for all, or (n,); None as for `target`.

        Returns:
            The slots of the targets, (n,) int32; -1 where a seeker has none.

        Raises:
            RuntimeError: As `target`.
            ValueError: As `target`, a number is not the slot of a unit, a slot is given twice, or
                the number of policies or distances does not fit. Nothing is changed then.
        """
        _check_now(now)
        chooses = self._policy if policy is None else policy
        looking = Looking(self, slots, chooses, (min_distance, max_distance, lose_distance))
        if lookups.tree_behind(self.units) is None:
            return looking.one_by_one(now)
        seekers = looking.slots
        aims, every = self._aims, self._retarget_every
        aims.reserve(int(seekers.max(initial=NONE)) + 1)
        state = {name: values[seekers] for name, values in aims.view().items()}
        is_new = state["serial"] != looking.serials
        state["serial"] = looking.serials
        state["offset"][is_new] = beat_offset(self._seekers + np.arange(is_new.sum()))
        for name in ("target", "target_serial", "ticket"):
            state[name][is_new] = NONE
        interval = np.floor(now / every + state["offset"]) if every else np.zeros(len(seekers))
        keeps = looking.keeps(state["target"], state["target_serial"])
        kept = np.where(keeps, state["target"], NONE).astype(np.int32)
        due = (interval != state["interval"]) & ~is_new if every else np.ones(len(seekers), bool)
        state["interval"] = interval
        self._line.begin(now)
        lost = (state["target"] != NONE) & ~keeps
        takes = (is_new | lost) & (state["ticket"] == NONE)
        state["ticket"][takes] = self._line.next + np.arange(takes.sum())
        called = (state["ticket"] != NONE) & (state["ticket"] < self._line.limit)
        looks = due | called
        if self.lock:
            looks &= ~keeps
        found = kept.copy()
        found[looks] = looking.look(np.flatnonzero(looks), kept)
        state["ticket"][looks | (found != NONE)] = NONE
        state["target"] = found
        state["target_serial"] = lookups.serials(self.units, found)
        if ((found != NONE) & (state["target_serial"] == NONE)).any():
            raise changed_tree()
        # Nothing has changed so far, so a callback that raises does no harm.
        self._line.take(int(takes.sum()))
        self._seekers += int(is_new.sum())
        for name, values in aims.view().items():
            values[seekers] = state[name]
        return found

    # -- helpers ---

    @property
    def _is_picky(self) -> bool:
        """Whether units in range may be refused."""
        return not (self.where is None and self.sight is None and self.damage is None)

    def _query(
        self, seeker: Hashable, x: float, y: float, min_distance: float, max_distance: float
    ) -> TargetQuery:
        doomed = None if self.damage is None else self.damage.doomed
        return TargetQuery(
            *(self.units, seeker, x, y, min_distance, max_distance),
            *(self._groups, self._without or None, self.where, self.sight, doomed),
        )

    def _look(self, query: TargetQuery, policy: Policy, kept: Any | None) -> Any | None:
        """Search for a seeker's target; `kept` is the target that it may keep."""
        found = policy(query)
        if found is None:
            # With nobody in range the seeker may keep its target. Otherwise the policy chose
            # nobody.
            return kept if kept is not None and query.nearest() is None else None
        if kept is not None and found == kept:
            return kept
        if not isinstance(policy, Ranking) and not query._holds(found):
            raise ValueError(
                f"a policy must return a candidate of its query or None, got {found!r} "
                f"for {query.seeker!r}"
            )
        if kept is not None and self._switch_margin:
            if not isinstance(policy, Ranking):
                raise ValueError(f"switch_margin needs a policy that ranks units, got {policy!r}")
            if policy._lead(query, found, kept) <= self._switch_margin:
                return kept
        return found

    def _slot_of(self, found: Any) -> int:
        try:
            return self.units.slot(found)
        except KeyError:
            raise changed_tree() from None


class _Ranges(NamedTuple):
    """The ring where targets are chosen, and where they are lost (None: the outer edge)."""

    low: float
    high: float
    lose: float | None

    @property
    def lost_at(self) -> float:
        return self.high if self.lose is None else self.lose

    def changed(self, low: float | None, high: float | None, lose: float | None) -> _Ranges:
        """Return a copy with other distances, checked; if only `high` changes, `lose` follows."""
        new_low = self.low if low is None else checked_distance(low, "min_distance")
        new_high = self.high if high is None else checked_distance(high, "max_distance")
        new_lose = self.lose
        if lose is not None:
            new_lose = checked_distance(lose, "lose_distance")
        elif high is not None and self.lose is not None:
            new_lose = new_high + (self.lose - self.high)
        if not new_low <= new_high:
            raise ValueError(
                f"max_distance must be at least min_distance {new_low!r}, got {new_high!r}"
            )
        if new_lose is not None and not new_high <= new_lose:
            raise ValueError(
                f"lose_distance must be at least max_distance {new_high!r}, got {lose!r}"
            )
        return _Ranges(new_low, new_high, new_lose)


def _check_now(now: float) -> None:
    if not isfinite(now):
        raise ValueError(f"now must be finite, got {now!r}")
