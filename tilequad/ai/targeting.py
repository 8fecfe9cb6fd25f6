"""Targeting: which target each tower has, and when it looks for another."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache, partial
from math import inf, nan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.edge_rings import EdgeRings
from tilequad._core.army.rings import Rings
from tilequad._core.army.seekers import Round, SeekerState, read_seekers, round_of, round_of_one
from tilequad._core.array_kinds import Rows
from tilequad._core.arrays import checked_amounts, refuse_slot, unique_slots
from tilequad._core.checks import (
    check_filter,
    checked_at_least,
    distance_of,
    finite_number,
    mask_of,
    number_of,
    slot_of,
    whole,
)
from tilequad._core.layout import NONE
from tilequad._core.shown import shown
from tilequad._core.tree.rows import AIMS, RowReader
from tilequad._core.tree.units import slots_of
from tilequad.ai._checks import (
    Distances,
    changed_tree,
    checked_sight,
    tree_like,
    unit_slots,
)
from tilequad.ai.damage import Damage
from tilequad.ai.intercepts import Lead
from tilequad.ai.policies import Policy, Ranking, TargetQuery, checked_policy, closest
from tilequad.ai.protocols import Sight, SpatialIndex
from tilequad.quadtree.dynamic import DynamicQuadtree, store_of

__all__ = ["Targeting"]


Policies: TypeAlias = "Policy | Sequence[Policy]"


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
        max_distance: The greatest distance to choose a target at, in world units.
        min_distance: The least distance to choose or keep a target at.
        lose_distance: A target farther than this is lost; None means `max_distance`. A slightly
            larger value stops towers from switching back and forth at the edge of their range.
        groups: Mask of the groups to target; None means all.
        without: Mask of the groups to leave alone, even if they are in `groups`; None means none.
        where: Called with the seeker and a unit; a unit must pass it to be chosen and to be kept.
            None means no filter. It is called from the best unit down, until one passes.
        sight: What may block the view: an object with the method `clear(x0, y0, x1, y1)`, or
            several, such as `(fog.sight(RED), LineOfSight(grid))`: a target is seen by each. None
            means that nothing does.
        damage: Leaves alone the units that the damage under way will kill; see `Damage`.
        lead: Leaves alone the units that will be out of range when a shot meets them, or that no
            shot can hit; see `Lead`. A target is lost for that beyond `lose_distance`.
        to_edge: False measures from position to position. True measures to the footprint of a
            unit, and looks at the nearest place of it: a ram sees the wall of a large hall. With
            `target`, each unit in range then costs a microsecond. (`lead` goes by positions.)
        lock: True keeps a target until it is lost; False switches when the policy prefers another.
            (With `lock=True` a tower may fire at the second enemy in line, which players read as a
            bug.)
        switch_margin: A seeker that could keep its target switches only to a unit that is better by
            more than this: in world units for `closest` and `farthest`, otherwise in the unit of
            the key. 0 switches to any other best unit.
        retarget_every: Ticks or seconds between two searches, in the unit of `now`; 0 means search
            every time.
        at_once: How many seekers that are new or have lost their target may search in a tick before
            their regular turn; None means all.

    All arguments are attributes; all but `units` may be set at any time.

    Raises:
        TypeError: `groups`, `without` or `at_once` is not a whole number, `damage` is not a
            `Damage`, `lead` is not a `Lead`, or `sight` has no method `clear`.
        ValueError: A distance, margin or interval is negative or not finite, a mask is out of
            range, `damage` or `lead` is about another tree, or
            `min_distance <= max_distance <= lose_distance` does not hold.

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
        sight: Sight | Sequence[Sight] | None = None,
        damage: Damage | None = None,
        lead: Lead | None = None,
        to_edge: bool = False,
        lock: bool = False,
        switch_margin: float = 0.0,
        retarget_every: float = 0.0,
        at_once: int | None = 64,
    ) -> None:
        self._units = units
        self._tree = tree_like(units)
        self.policy = policy
        low = distance_of(min_distance, "min_distance")
        high = distance_of(max_distance, "max_distance")
        self._ranges = _Ranges(0.0, 0.0, 0.0).changed(low, high, lose_distance)
        self.groups = groups
        self.without = without
        self.where = where
        self.sight = sight
        self.damage = damage
        self.lead = lead
        self.to_edge = to_edge
        self.lock = lock
        self.switch_margin = switch_margin
        self.retarget_every = retarget_every
        self._state = SeekerState()
        self.at_once = at_once

    def __repr__(self) -> str:
        low, high, lose = self.min_distance, self.max_distance, self.lose_distance
        return (
            f"<Targeting by {self.policy!r} from {low:g} to {high:g}, lost at {lose:g}, "
            f"groups {self.groups}{'' if self.without is None else f' without {self.without}'}>"
        )

    # -- attributes that are checked when they are set ---

    @property
    def units(self) -> SpatialIndex:
        """The tree. Read-only."""
        return self._units

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
        return float(self._ranges.high)

    @max_distance.setter
    def max_distance(self, value: float) -> None:
        self._ranges = self._ranges.changed(None, distance_of(value, "max_distance"), None)

    @property
    def min_distance(self) -> float:
        """The least distance to choose or keep a target at, in world units."""
        return float(self._ranges.low)

    @min_distance.setter
    def min_distance(self, value: float) -> None:
        self._ranges = self._ranges.changed(distance_of(value, "min_distance"), None, None)

    @property
    def lose_distance(self) -> float:
        """A target farther than this is lost. Setting `max_distance` moves it by as much."""
        return float(self._ranges.lose)

    @lose_distance.setter
    def lose_distance(self, value: float | None) -> None:
        self._ranges = self._ranges.changed(
            None, None, self.max_distance if value is None else value
        )

    @property
    def groups(self) -> int | None:
        """Mask of the groups to target; None means all."""
        return self._groups

    @groups.setter
    def groups(self, value: int | None) -> None:
        self._groups, self._wanted = _checked_mask(value, "groups")  # at once: no signal between

    @property
    def without(self) -> int | None:
        """Mask of the groups to leave alone; None means none."""
        return self._without

    @without.setter
    def without(self, value: int | None) -> None:
        self._without, self._unwanted = _checked_mask(value, "without")

    @property
    def where(self) -> Callable[[Any, Any], bool] | None:
        """Called with the seeker and a unit: whether the unit may be its target."""
        return self._where

    @where.setter
    def where(self, value: Callable[[Any, Any], bool] | None) -> None:
        check_filter(value)
        self._where = value

    @property
    def sight(self) -> Sight | Sequence[Sight] | None:
        """What may block the view, one or several; None means that nothing blocks it."""
        found: Sight | Sequence[Sight] | None = self._sight
        return found

    @sight.setter
    def sight(self, value: Sight | Sequence[Sight] | None) -> None:
        self._sight: Any = checked_sight(value, "clear")

    @property
    def damage(self) -> Damage | None:
        """The damage under way, to units of the same tree; None if nobody counts it."""
        return self._damage

    @damage.setter
    def damage(self, value: Damage | None) -> None:
        self._check_part(value, Damage, "damage")
        self._damage = value

    @property
    def lead(self) -> Lead | None:
        """How the units of the same tree move, and how fast shots fly; None if at once."""
        return self._lead

    @lead.setter
    def lead(self, value: Lead | None) -> None:
        self._check_part(value, Lead, "lead")
        self._lead = value

    @property
    def to_edge(self) -> bool:
        """Whether distances and sight are to the footprints of units."""
        return self._to_edge

    @to_edge.setter
    def to_edge(self, value: bool) -> None:
        if value and not isinstance(self._tree, DynamicQuadtree):
            raise TypeError(f"to_edge needs a DynamicQuadtree, got {shown(self._tree)}")
        self._to_edge = bool(value)

    @property
    def switch_margin(self) -> float:
        """A seeker switches only to a unit that is better by more than this."""
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
        most = self._state.queue.per_tick
        return None if most == inf else int(most)

    @at_once.setter
    def at_once(self, value: int | None) -> None:
        if value is not None and whole(value, "at_once") < 0:
            raise ValueError(f"at_once must be at least 0, got {shown(value)}")
        self._state.queue.per_tick = inf if value is None else number_of(value, "at_once")

    def _check_part(self, value: Any, kind: type, name: str) -> None:
        """Refuse what is about another tree; None passes."""
        if value is not None:
            if not isinstance(value, kind):
                raise TypeError(f"{name} must be a {kind.__name__}, got {shown(value)}")
            if value._tree is not self._tree:  # type: ignore[attr-defined]
                raise ValueError(f"{name} must be about the same tree")

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
        now = finite_number(now, "now")
        ranges = self._ranges.changed(min_distance, max_distance, lose_distance)
        chooses = self._policy if policy is None else checked_policy(policy)
        slot = slot_of(self._tree, seeker, "seeker")
        asked = round_of_one(self._state, slot, now, ranges)
        self._decide(asked, now, chooses)
        found = asked.found(0)
        return None if found == NONE else self._tree.item(found)

    def drop(self, seeker: Hashable) -> None:
        """Let a seeker forget its target. It searches again at its next regular turn.

        Raises:
            KeyError: The seeker is not in the tree.
        """
        self._state.drop(array("i", (slot_of(self._units, seeker, "seeker"),)))

    def drop_many(self, slots: ArrayLike) -> None:
        """Let many seekers forget their targets, as `drop` does.

        Args:
            slots: The slots of the seekers, (n,).

        Raises:
            ValueError: A number is not the slot of a unit. Nothing is changed then.
        """
        seekers = unit_slots(self._units, slots)
        if len(seekers):
            self._state.drop(seekers.data)

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
        now = finite_number(now, "now")
        seekers = unique_slots(slots)
        n = len(seekers)
        ranges = self._ranges.changed(min_distance, max_distance, lose_distance, n)
        chooses = self._policy if policy is None else _checked_policies(policy, n)
        if n == 0:
            self._state.queue.begin(now)
            return seekers
        asked = round_of(self._state, seekers.data, now, ranges)
        unknown = self._decide(asked, now, chooses)
        if unknown != NONE:
            refuse_slot(seekers, unknown)
        return asked.targets()

    # -- for `pack` and `unpack` ---

    _kind = AIMS

    def _packed(self, slots: int) -> dict[str, memoryview]:
        return self._state.rows(slots)

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        slots, most = slots_of(store_of(tree)), self._state.queue.per_tick
        return partial(setattr, self, "_state", read_seekers(reader, slots, most))

    # -- the steps ---

    def _decide(self, asked: Round, now: float, policies: Policies) -> int:
        """Find the targets of a round; return a row whose slot no unit has, or -1.

        Nothing changes before the last step, so a function that raises does no harm.
        """
        store = store_of(self._tree) if isinstance(self._tree, DynamicQuadtree) else None
        masks = self._wanted, self._unwanted
        phase = now / self._retarget_every if self._retarget_every else nan
        if store is None:
            _read_each(asked, self._tree, phase, *masks)
        else:
            unknown: int = asked.read(store, phase, *masks, self._to_edge)
            if unknown != NONE:
                return unknown
        self._lose_targets(asked)
        if asked.decide_searches(self.lock):
            self._search(asked, policies, store)
        gone = _confirm_each(asked, self._tree) if store is None else asked.confirm(store)
        if gone != NONE:
            raise changed_tree()
        asked.settle()
        return NONE

    def _lose_targets(self, asked: Round) -> None:
        """Drop the kept targets of a round that may no longer be targets."""
        if self._lead is not None:
            rows = np.array(asked.with_target(), np.intp)
            for row in rows[self._misses(asked, rows, None)].tolist():
                asked.choose(row, NONE)
        if self._where is not None or self._sight is not None:
            for row in asked.with_target():
                query = self._query(asked, row)._replace(lead=None)
                if not query.accepts(self._item(asked.found(row))):
                    asked.choose(row, NONE)
        elif self._damage is not None and self._damage._under_way:
            is_doomed = cache(self._damage._is_doomed)  # many may have one target
            for row in asked.with_target():
                if is_doomed(*asked.previous(row)):
                    asked.choose(row, NONE)

    def _search(self, asked: Round, policies: Policies, store: Any) -> None:
        """Choose the targets of the rows that search."""
        if asked.rows == 1 and callable(policies):
            asked.choose(0, self._ask(asked, 0, policies))
            return
        for policy, rows in _by_policy(policies, asked.searching()):
            if isinstance(policy, Ranking) and len(rows) > 1 and store is not None:
                self._rank(asked, rows, policy, store)
            else:
                for row in rows.tolist():
                    asked.choose(row, self._ask(asked, row, policy))

    def _ask(self, asked: Round, row: int, policy: Policy) -> int:
        """Return the slot that a policy chooses for a row, or the slot of the target it keeps."""
        slot: int = asked.found(row)
        query, kept = self._query(asked, row, policy), None if slot == NONE else self._item(slot)
        found = policy(query)
        if found is None:
            # With nobody in range the seeker may keep its target. Otherwise the policy chose
            # nobody.
            return slot if kept is not None and query.nearest() is None else NONE
        if kept is not None and found == kept:
            return slot
        if not isinstance(policy, Ranking) and not query._holds(found):
            raise ValueError(
                f"a policy must return a candidate of its query or None, got {shown(found)} "
                f"for {shown(query.seeker)}"
            )
        if kept is not None and not self._is_better_by_margin(policy, query, found, kept):
            return slot
        try:
            slot = self._tree.slot(found)
        except KeyError:
            raise changed_tree() from None
        return slot

    def _rank(self, asked: Round, rows: Rows, policy: Ranking, store: Any) -> None:
        """Choose the targets of many rows whose policy ranks units."""
        seekers, kept, centers, limits = asked.rows_of(rows)
        masks = self._wanted, self._unwanted
        doomed = None if self._damage is None else self._damage._doomed_slots()
        rings = EdgeRings if self._to_edge else Rings
        found = policy._choose_many(
            self._tree, rings(store, seekers, centers, limits[:, :2], *masks, doomed)
        )
        found = np.where(found == NONE, kept, found)
        changes = found != kept
        if self._where is None and self._sight is None:
            changes &= (kept != NONE) & bool(self._switch_margin)
        if self._lead is not None:
            changes |= self._misses(asked, rows, found)
        for number in np.flatnonzero(changes).tolist():
            query, held = self._query(asked, rows[number], policy), int(kept[number])
            best = self._item(found[number])
            if not query.accepts(best):
                found[number] = self._ask(asked, rows[number], policy)
            elif held != NONE and not self._is_better_by_margin(
                policy, query, best, self._item(held)
            ):
                found[number] = held
        asked.choose_many(rows, found)

    def _misses(self, asked: Round, rows: Rows, found: Any) -> NDArray[np.bool_]:
        """Which rows cannot hit the units found, or, if None, those that they keep."""
        seekers, kept, _, limits = asked.rows_of(rows)
        high = limits[:, 1] if found is not None else limits[:, 2]
        targets = kept if found is None else found
        if (self._tree.serial_many(np.append(seekers, targets[targets != NONE])) < 0).any():
            raise changed_tree()
        missed: NDArray[np.bool_] = targets != NONE
        missed[missed] = ~self._lead._reaches(  # type: ignore[union-attr]
            seekers[missed], targets[missed], limits[missed, 0], high[missed]
        )
        return missed

    def _is_better_by_margin(
        self, policy: Policy, query: TargetQuery, found: Any, kept: Any
    ) -> bool:
        """Whether a unit is better by enough to be chosen instead of the target kept."""
        if not self._switch_margin:
            return True
        if not isinstance(policy, Ranking):
            raise ValueError(f"switch_margin needs a policy that ranks units, got {shown(policy)}")
        return not policy._margin(query, found, kept) <= self._switch_margin

    def _query(self, asked: Round, row: int, policy: Policy | None = None) -> TargetQuery:
        damage, doomed = self._damage, None
        # A query of the game's own policy always has `doomed`.
        if damage is not None and (damage._under_way or not isinstance(policy, Ranking)):
            doomed = damage.doomed
        seeker, (x, y, low, high) = self._item(asked.slot(row)), asked.place(row)
        asks = self._groups, self._without, self._where, self._sight, doomed
        return TargetQuery(self._units, seeker, x, y, low, high, *asks, self._lead, self._to_edge)

    def _item(self, slot: int) -> Any:
        """The unit in a slot that had one when the round began."""
        try:
            return self._tree.item(slot)
        except ValueError:
            raise changed_tree() from None


class _Ranges(NamedTuple):
    """Targets are chosen from `low` to `high`, and lost beyond `lose`. One number, or one each."""

    low: Distances
    high: Distances
    lose: Distances

    def changed(self, low: Any, high: Any, lose: Any, n: int | None = None) -> _Ranges:
        """Return a copy with other distances, checked; with `n`, each may be an array of n.

        If only `high` changes, `lose` moves by as much.
        """
        if low is None and high is None and lose is None:
            return self
        checked = distance_of if n is None else partial(checked_amounts, n=n)
        new_low = self.low if low is None else checked(low, name="min_distance")
        new_high = self.high if high is None else checked(high, name="max_distance")
        new_lose = self.lose
        if lose is not None:
            new_lose = checked(lose, name="lose_distance")
        elif high is not None:
            new_lose = new_high + (self.lose - self.high)
        _check_order(new_low, "min_distance", new_high, "max_distance")
        _check_order(new_high, "max_distance", new_lose, "lose_distance")
        return _Ranges(new_low, new_high, new_lose)


def _checked_mask(mask: Any, name: str) -> tuple[int | None, int]:
    """Check a mask; return it, or None for 0, and the same bits as compiled code reads them."""
    bits = mask_of(mask, name)
    return (None if mask is None else whole(mask, name) or None), bits


def _check_order(low: Distances, lower: str, high: Distances, higher: str) -> None:
    """Raise ValueError unless low <= high, everywhere if they are arrays."""
    ok = low <= high
    if ok is True or (ok is not False and ok.all()):
        return
    least, most = np.broadcast_arrays(low, high)
    row = np.argmin(least <= most)
    raise ValueError(f"{higher} must be at least {lower} {least.flat[row]}, got {most.flat[row]}")


def _checked_policies(policy: Policies, n: int) -> Policies:
    """Check a policy that n seekers share, or one policy for each."""
    if callable(policy):
        return checked_policy(policy)
    try:
        policies = list(policy)
    except TypeError:
        raise TypeError(f"policy must be a function, or {n} of them, got {shown(policy)}") from None
    if len(policies) != n:
        raise ValueError(f"policy must be one policy or {n}, got {len(policies)}")
    return [checked_policy(one) for one in policies]


def _by_policy(policies: Policies, rows: Rows) -> Iterator[tuple[Policy, Rows]]:
    """Yield each policy with the rows that have it."""
    if callable(policies):
        yield policies, rows
        return
    each = [policies[row] for row in rows.tolist()]
    for policy in {id(policy): policy for policy in each}.values():
        yield policy, rows[[other is policy for other in each]]


# -- trees of other libraries ---


def _read_each(asked: Round, units: Any, phase: float, groups: int, without: int) -> None:
    """Read a round as `Round.read` does."""
    for row in range(asked.rows):
        seeker = units.item(asked.slot(row))
        x, y = units.position(seeker)
        asked.enter(row, units.serial(seeker), x, y, phase)
        slot, serial = asked.previous(row)
        if slot != NONE and units.serial_many([slot])[0] == serial:
            target = units.item(slot)
            mask = units.groups(target)
            if mask & groups and not mask & without:
                asked.keep(row, *units.position(target))


def _confirm_each(asked: Round, units: Any) -> int:
    """Confirm a round as `Round.confirm` does."""
    for row, slot in enumerate(asked.targets().tolist()):
        if slot != NONE:
            serial = int(units.serial_many([slot])[0])
            if serial < 0:
                return row
            asked.set_serial(row, serial)
    return NONE
