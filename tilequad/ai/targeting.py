"""Targeting: which target each tower has, and when it looks for another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from math import floor, inf, isfinite
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.ai._aims import NONE, Aims
from tilequad.ai._checks import (
    changed_tree,
    checked_at_least,
    checked_distance,
    checked_mask,
    whole,
)
from tilequad.ai._core import lookups
from tilequad.ai._looking import Looking, Policies, checked_policy
from tilequad.ai.damage import Damage
from tilequad.ai.pacing import Line, beat_offset
from tilequad.ai.policies import Policy, Ranking, TargetQuery, closest
from tilequad.ai.protocols import Sight, SpatialIndex

__all__ = ["Targeting"]


class Targeting:
    """Pick and keep targets for all towers.

    One object serves any number of seekers: towers, or units that fight. Every `retarget_every`
    ticks a seeker looks for the unit that the policy prefers; with `lock=True` only while it has no
    target. A target is lost when it leaves the tree or the groups, goes out of range or out of
    sight, is doomed, or fails `where`. A seeker that is new or has lost its target looks at once,
    but no more than `at_once` of them in a tick; the others wait for their beat, or until they are
    called in the order of their losses. Different seekers look in different ticks.

    `target` asks for one seeker, `targets` for many at once, `target_many` by slots; all give the
    same targets. Ranges and the policy may differ from seeker to seeker: pass them to these
    methods. A tower that is upgraded keeps its target.

    A kept target costs a few lookups, a search one query of the tree. `targets` and `target_many`
    make the queries of all seekers in one call, and with a key by slot run no Python for each unit.

    The state can be pickled and copied together with the tree, if `where` and the keys can: use
    functions and classes of a module.

    Args:
        units: The tree that holds both seekers and targets.
        policy: Chooses among the units in range; see `tilequad.ai.policies`.
        max_range: The greatest distance to choose a target at, in world units, from position to
            position.
        min_range: The least distance to choose or keep a target at.
        lose_range: A target farther than this is lost; None means `max_range`. A slightly larger
            value stops towers from switching back and forth at the edge of their range.
        groups: Mask of the groups to target; None means all.
        where: Called with the seeker and a unit; a unit must pass it to be chosen and to be kept.
            None means no filter. It is asked from the best unit down, until one passes.
        sight: What may block the view: an object with the method `clear(x0, y0, x1, y1)`. None
            means that nothing does.
        damage: Leaves units alone for which the damage under way is enough; see `Damage`.
        lock: True keeps a target until it is lost; False switches when the policy prefers another.
            (With `lock=True` a tower may fire at the second enemy in line, which players read as a
            bug.)
        switch_margin: By how much another unit must be better before a seeker switches to it while
            it could keep its target: in world units for `closest` and `farthest`, otherwise in the
            unit of the key. 0 switches to any other best unit.
        retarget_every: Ticks or seconds between two searches, in the unit of `now`; 0 means search
            every time.
        at_once: How many seekers that are new or have lost their target may look in a tick before
            their beat; None means all.

    All of them but `units` are attributes that may be set at any time.

    Raises:
        TypeError: `groups` or `at_once` is no whole number.
        ValueError: A range, margin or interval is negative or not finite, groups is out of range,
            or `min_range <= max_range <= lose_range` does not hold.

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
        >>> archers.targets(["tower"], now=1)
        ['orc']
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
        self._ranges = _Ranges(0.0, 0.0, None).changed(min_range, max_range, lose_range)
        self.groups = groups
        self.where = where
        self.sight = sight
        self.damage = damage
        self.lock = lock
        self.switch_margin = switch_margin
        self.retarget_every = retarget_every
        self._line = Line(0)
        self.at_once = at_once
        self._aims = Aims()
        self._seekers = 0  # lives that have ever asked

    def __repr__(self) -> str:
        low, high, lose = self.min_range, self.max_range, self.lose_range
        return (
            f"<Targeting by {self.policy!r} from {low:g} to {high:g}, lost at {lose:g}, "
            f"groups {self.groups}>"
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
    def max_range(self) -> float:
        """The greatest distance to choose a target at, in world units."""
        return self._ranges.high

    @max_range.setter
    def max_range(self, value: float) -> None:
        self._ranges = self._ranges.changed(None, value, None)

    @property
    def min_range(self) -> float:
        """The least distance to choose or keep a target at, in world units."""
        return self._ranges.low

    @min_range.setter
    def min_range(self, value: float) -> None:
        self._ranges = self._ranges.changed(value, None, None)

    @property
    def lose_range(self) -> float:
        """A target farther than this is lost. It moves along when `max_range` is set."""
        return self._ranges.lost_at

    @lose_range.setter
    def lose_range(self, value: float | None) -> None:
        self._ranges = self._ranges._replace(lose=None).changed(None, None, value)

    @property
    def groups(self) -> int | None:
        """Mask of the groups to target; None means all."""
        return self._groups

    @groups.setter
    def groups(self, value: int | None) -> None:
        self._groups = checked_mask(value)

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
        """How many seekers may look in a tick before their beat; None means all."""
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
        max_range: float | None = None,
        min_range: float | None = None,
        lose_range: float | None = None,
    ) -> Any | None:
        """Return the seeker's current target, or None.

        Args:
            seeker: The unit that looks for a target; it must be in the tree.
            now: The game's clock, in ticks or seconds: the unit of `retarget_every`.
            policy: The policy of this seeker; None means that of all.
            max_range: The range of this seeker; None means that of all.
            min_range: Its least range; None means that of all.
            lose_range: Where it loses a target; None means as far beyond its `max_range` as for
                all.

        Raises:
            KeyError: The seeker is not in the tree.
            RuntimeError: `where`, a key or the policy removed the chosen unit from the tree.
            ValueError: `now` is infinite or NaN, a range is wrong, a score is None or NaN, or the
                policy chose something else than a candidate or None. The seeker keeps its target
                and its beat then.
        """
        units, aims = self.units, self._aims
        _check_now(now)
        ranges = self._ranges
        if max_range is not None or min_range is not None or lose_range is not None:
            ranges = ranges.changed(min_range, max_range, lose_range)
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
        kept = lookups.kept_at(units, held, held_serial, self._groups, x, y, low, lose)
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
        # Nothing was changed up to here, so a callback that raises spoils nothing.
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
        """Let a seeker forget its target. It looks again at its next beat.

        Raises:
            KeyError: The seeker is not in the tree.
        """
        slot = self.units.slot(seeker)
        if slot < len(self._aims.target):
            self._aims.target[slot] = NONE

    # -- many seekers ---

    def targets(
        self,
        seekers: Iterable[Hashable],
        now: float,
        *,
        policy: Policies | None = None,
        max_range: ArrayLike | None = None,
        min_range: ArrayLike | None = None,
        lose_range: ArrayLike | None = None,
    ) -> list[Any | None]:
        """Return the current targets of many seekers, as `target` would one after the other.

        Args:
            seekers: The units that look for targets, n different ones in the tree.
            now: The game's clock, as for `target`.
            policy: One policy for all, or n; None means that of the object.
            max_range: One range for all, or n; None means that of the object.
            min_range: The same for the least range.
            lose_range: The same for the range where targets are lost.

        Returns:
            n units, None where a seeker has no target.

        Raises:
            KeyError: A seeker is not in the tree.
            RuntimeError: As `target`.
            ValueError: As `target`, or a seeker is named twice, or a number of policies or ranges
                does not fit. Nothing is changed then.
        """
        slot = self.units.slot
        slots = np.array([slot(seeker) for seeker in seekers], np.int32)
        found = self.target_many(
            slots,
            now,
            policy=policy,
            max_range=max_range,
            min_range=min_range,
            lose_range=lose_range,
        )
        chosen = iter(self.units.items(found[found != NONE]))
        return [None if target == NONE else next(chosen) for target in found.tolist()]

    def target_many(
        self,
        slots: ArrayLike,
        now: float,
        *,
        policy: Policies | None = None,
        max_range: ArrayLike | None = None,
        min_range: ArrayLike | None = None,
        lose_range: ArrayLike | None = None,
    ) -> NDArray[np.int32]:
        """Return the slots of the targets of many seekers, as `target` would choose them.

        Args:
            slots: The slots of the seekers, (n,), each once.
            now: The game's clock, as for `target`.
            policy: One policy for all, or n; None means that of the object.
            max_range: One range for all, or (n,); None means that of the object.
            min_range: The same for the least range.
            lose_range: The same for the range where targets are lost.

        Returns:
            The slots of the targets, (n,) int32; -1 where a seeker has none.

        Raises:
            KeyError: A number is not the slot of a unit.
            RuntimeError: As `target`.
            ValueError: As `targets`.
        """
        _check_now(now)
        chooses = self._policy if policy is None else policy
        looking = Looking(self, slots, chooses, (min_range, max_range, lose_range))
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
        # Nothing was changed up to here, so a callback that raises spoils nothing.
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
        self, seeker: Hashable, x: float, y: float, min_range: float, max_range: float
    ) -> TargetQuery:
        doomed = None if self.damage is None else self.damage.doomed
        return TargetQuery(
            *(self.units, seeker, x, y, min_range, max_range),
            *(self._groups, self.where, self.sight, doomed),
        )

    def _look(self, query: TargetQuery, policy: Policy, kept: Any | None) -> Any | None:
        """The target that a seeker has after a look around; `kept` is the one that it may keep."""
        found = policy(query)
        if found is None:
            # Nobody in range: it keeps what it may keep. Somebody in range: the policy says no.
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
            if policy.lead(query, found, kept) <= self._switch_margin:
                return kept
        return found

    def _slot_of(self, found: Any) -> int:
        try:
            return self.units.slot(found)
        except KeyError:
            raise changed_tree() from None


class _Ranges(NamedTuple):
    """The ring in which targets are chosen, and the range where they are lost (None: its end)."""

    low: float
    high: float
    lose: float | None

    @property
    def lost_at(self) -> float:
        return self.high if self.lose is None else self.lose

    def changed(self, low: float | None, high: float | None, lose: float | None) -> _Ranges:
        """Other ranges, checked; where only `high` changes, `lose` moves with it."""
        new_low = self.low if low is None else checked_distance(low, "min_range")
        new_high = self.high if high is None else checked_distance(high, "max_range")
        new_lose = self.lose
        if lose is not None:
            new_lose = checked_distance(lose, "lose_range")
        elif high is not None and self.lose is not None:
            new_lose = new_high + (self.lose - self.high)
        if not new_low <= new_high:
            raise ValueError(f"max_range must be at least min_range {new_low!r}, got {new_high!r}")
        if new_lose is not None and not new_high <= new_lose:
            raise ValueError(f"lose_range must be at least max_range {new_high!r}, got {lose!r}")
        return _Ranges(new_low, new_high, new_lose)


def _check_now(now: float) -> None:
    if not isfinite(now):
        raise ValueError(f"now must be finite, got {now!r}")
