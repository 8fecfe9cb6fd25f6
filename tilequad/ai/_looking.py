"""The arithmetic of `Targeting.target_many`: many seekers look for targets at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army import lookups, search
from tilequad._core.arrays import checked_slots, refuse_slot
from tilequad.ai._aims import NONE
from tilequad.ai._checks import MAX_DISTANCE, checked_distance
from tilequad.ai._rings import Floats, Ints, Rings, mask_in_c
from tilequad.ai.policies import (
    Policy,
    Ranking,
    TargetQuery,
    first,
    last,
    most_clustered,
    strongest,
    weakest,
)

if TYPE_CHECKING:
    from tilequad.ai.targeting import Targeting

__all__ = ["Looking", "Policies", "checked_policy"]

Bools: TypeAlias = NDArray[np.bool_]
Policies: TypeAlias = "Policy | Sequence[Policy]"
Override: TypeAlias = "ArrayLike | None"

MAKERS = (first, last, strongest, weakest, most_clustered)  # functions that return a policy


class Looking:
    """Some seekers of a `Targeting` in one tick: their positions, policies and ranges.

    Args:
        targeting: Says what a target must be.
        slots: The slots of the seekers.
        policy: One policy for all, or one for each.
        ranges: The minimum, maximum and losing distances. Each is one number for all seekers, an
            array, or None for the default of the targeting.
    """

    def __init__(
        self,
        targeting: Targeting,
        slots: ArrayLike,
        policy: Policies,
        ranges: tuple[Override, Override, Override],
    ) -> None:
        units = targeting.units
        self._targeting, self._units = targeting, units
        self._tree = lookups.tree_behind(units)
        self.slots = _checked_slots(slots)
        self.serials = lookups.serials(units, self.slots)
        unknown = self.serials == NONE
        if unknown.any():
            refuse_slot(self.slots, int(unknown.argmax()))
        self._centers: Floats = lookups.positions(units, self.slots)
        self._low, self._high, self._lose = _ranges(targeting, len(self.slots), *ranges)
        self._policies = _checked_policies(policy, len(self.slots))

    def keeps(self, targets: Ints, serials: NDArray[np.int64]) -> Bools:
        """Which seekers may keep the targets in these slots, (n,) bool."""
        keeps = np.empty(len(targets), np.bool_)
        search.keep_targets(
            *(self._units, targets.data, serials.data),
            *(mask_in_c(self._targeting._groups), mask_in_c(self._targeting._without)),
            *(self._centers.data, self._low.data, self._lose.data, keeps.view(np.uint8).data),
        )
        if self._targeting._is_picky:
            for row in np.flatnonzero(keeps).tolist():
                target = lookups.item_at(self._units, targets[row])
                keeps[row] = self._query(row).accepts(target)
        return keeps

    def one_by_one(self, now: float) -> Ints:
        """Return the targets one seeker at a time, for trees of other types."""
        n = len(self.slots)
        found = [
            self._targeting.target(
                *(seeker, now),
                policy=policy,
                max_distance=high,
                min_distance=low,
                lose_distance=lose,
            )
            for seeker, policy, low, high, lose in zip(
                self._units.items(self.slots),
                repeat(self._policies, n) if callable(self._policies) else self._policies,
                *(ranges.tolist() for ranges in (self._low, self._high, self._lose)),
                strict=True,
            )
        ]
        slots = [NONE if one is None else self._units.slot(one) for one in found]
        return np.array(slots, np.int32)

    def look(self, rows: NDArray[np.intp], kept: Ints) -> Ints:
        """Search for the targets of some rows; `kept` holds the target that each row may keep."""
        if callable(self._policies):
            return self._choose(rows, self._policies, kept)
        found = np.full(len(rows), NONE, np.int32)
        policies = [self._policies[row] for row in rows.tolist()]
        for policy in {id(policy): policy for policy in policies}.values():
            own = [number for number, other in enumerate(policies) if other is policy]
            found[own] = self._choose(rows[own], policy, kept)
        return found

    def _choose(self, rows: NDArray[np.intp], policy: Policy, kept: Ints) -> Ints:
        """Return the targets of rows that share a policy."""
        if isinstance(policy, Ranking):
            return self._rank(rows, policy, kept)
        found = [self._ask(row, policy, kept[row]) for row in rows.tolist()]
        return np.array(found, np.int32)

    def _rank(self, rows: NDArray[np.intp], policy: Ranking, kept: Ints) -> Ints:
        """Return the targets of rows whose policy ranks units."""
        targeting, units = self._targeting, self._units
        damage = targeting.damage
        found = policy._choose_many(
            Rings(
                *(self._tree, self.slots[rows], self._centers[rows]),
                *(self._low[rows], self._high[rows]),
                targeting._groups,
                targeting._without,
                np.empty(0, np.int32) if damage is None else damage._doomed_slots(),
            )
        )
        held = kept[rows]
        found = np.where(found == NONE, held, found)
        changes = found != held
        if targeting.where is None and targeting.sight is None:
            changes &= (held != NONE) & bool(targeting.switch_margin)
        for number in np.flatnonzero(changes).tolist():
            query = self._query(rows[number])
            best = lookups.item_at(units, found[number])
            if not query.accepts(best):
                found[number] = self._ask(rows[number], policy, held[number])
            elif held[number] != NONE and targeting.switch_margin:
                kept_one = lookups.item_at(units, held[number])
                if policy._lead(query, best, kept_one) <= targeting.switch_margin:
                    found[number] = held[number]
        return found

    def _ask(self, row: int, policy: Policy, held: int) -> int:
        """Return the target of one row, as `Targeting.target` would."""
        kept = None if held == NONE else lookups.item_at(self._units, held)
        found = self._targeting._look(self._query(row), policy, kept)
        return NONE if found is None else self._targeting._slot_of(found)

    def _query(self, row: int) -> TargetQuery:
        x, y = self._centers[row].tolist()
        seeker = lookups.item_at(self._units, self.slots[row])
        low, high = float(self._low[row]), float(self._high[row])
        return self._targeting._query(seeker, x, y, low, high)


def _checked_slots(slots: ArrayLike) -> Ints:
    """Return the slots of seekers as int32; raise if one occurs twice."""
    checked: Ints = checked_slots(slots)
    numbers = np.sort(checked)
    twice = numbers[1:] == numbers[:-1]
    if twice.any():
        raise ValueError(f"slots must be unique, got {numbers[1:][twice][0]} twice")
    return checked


def _ranges(
    targeting: Targeting, n: int, low: Override, high: Override, lose: Override
) -> tuple[Floats, Floats, Floats]:
    """Return the checked ranges of n seekers, as `Targeting.target` uses them."""
    lows = _each(targeting.min_distance if low is None else low, n, "min_distance")
    highs = _each(targeting.max_distance if high is None else high, n, "max_distance")
    if lose is not None:
        loses = _each(lose, n, "lose_distance")
    elif high is None:
        loses = np.full(n, targeting.lose_distance)
    else:
        loses = highs + (targeting.lose_distance - targeting.max_distance)
    _check_order(lows <= highs, "max_distance", highs, "min_distance", lows)
    _check_order(highs <= loses, "lose_distance", loses, "max_distance", highs)
    return lows, highs, loses


def _each(value: ArrayLike, n: int, name: str) -> Floats:
    """Return a distance for each of n seekers; `value` is one number or n."""
    if isinstance(value, float):
        return np.full(n, checked_distance(value, name))
    given = np.array(value, np.float64)
    if given.shape not in ((), (n,)):
        raise ValueError(f"{name} must be one number or {n}, got shape {given.shape}")
    wrong = ~((given >= 0.0) & (given <= MAX_DISTANCE))
    if wrong.any():
        raise ValueError(f"{name} must be from 0 to {MAX_DISTANCE:g}, got {given[wrong][0]}")
    return np.array(np.broadcast_to(given, (n,)))


def _check_order(ok: Bools, name: str, values: Floats, other: str, least: Floats) -> None:
    if not ok.all():
        row = int((~ok).argmax())
        raise ValueError(f"{name} must be at least {other} {least[row]}, got {values[row]}")


def _checked_policies(policy: Policies, n: int) -> Policies:
    """Check a policy that n seekers share, or one policy for each."""
    if callable(policy):
        return policy
    policies = list(policy)
    if len(policies) != n:
        raise ValueError(f"policy must be one policy or {n}, got {len(policies)}")
    return [checked_policy(one) for one in policies]


def checked_policy(policy: Any) -> Callable[[TargetQuery], Any]:
    """Return the policy; raise TypeError unless it can be called with a TargetQuery."""
    if not callable(policy):
        raise TypeError(f"policy must be a function of a TargetQuery, got {policy!r}")
    if policy in MAKERS:
        name = f"policies.{policy.__name__}"
        raise TypeError(f"policy must be the result of calling {name}, got {name} itself")
    return policy  # type: ignore[no-any-return]
