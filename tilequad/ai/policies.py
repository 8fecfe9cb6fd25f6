"""Target policies: they choose which enemy in range a tower shoots.

`closest` and `farthest` are policies. `first`, `last`, `strongest` and `weakest` make one from a
key, because only the game knows how far a unit has walked and how strong it is. A key is a function
of the unit, or a numpy array with a number for each slot of the tree, which runs no Python per
unit.
A function may return any values that compare, tuples included:
`strongest(lambda enemy: (enemy.is_healer, enemy.health))`. NaN and None are refused.
`most_clustered` counts who is near. Ties go to the closest unit, and among equally close units to
the one added to the tree first.

A policy of your own is a function from a `TargetQuery` to one of its candidates, or to None, which
means hold fire:

    >>> def shaman_or_nobody(query):
    ...     return query.nearest(among=[unit for unit in query.candidates() if unit.is_shaman])
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from contextlib import suppress
from itertools import groupby
from math import inf, isfinite, sqrt
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from tilequad._core.army.edge_rings import EdgeRings, edge_between, gaps_to, nearest_place
from tilequad._core.army.rings import Rings, copy_floats
from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.checks import distance_of
from tilequad._core.shown import shown
from tilequad.ai._checks import changed_tree, tree_of
from tilequad.ai.intercepts import Lead
from tilequad.ai.protocols import Sight, SpatialIndex
from tilequad.quadtree.dynamic import DynamicQuadtree, store_of

__all__ = [
    "Policy",
    "Ranking",
    "TargetQuery",
    "closest",
    "farthest",
    "first",
    "last",
    "most_clustered",
    "strongest",
    "weakest",
]


def __dir__() -> list[str]:
    """List the policies and the names needed to write one."""
    return list(__all__)


Key: TypeAlias = "Callable[[Any], Any] | NDArray[Any]"

EXACT = 2**53  # float64 rounds larger whole numbers


class TargetQuery(NamedTuple):
    """The search for one tower's target: a ring around it, and the tests to pass.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai.policies import TargetQuery
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("tower", 50, 50)
        >>> units.add("orc", 60, 50)
        >>> units.add("rat", 55, 50)
        >>> query = TargetQuery(units, "tower", 50, 50, min_distance=0, max_distance=20)
        >>> sorted(query.candidates()), query.nearest()
        (['orc', 'rat'], 'rat')
    """

    units: SpatialIndex
    """The tree to search."""
    seeker: Hashable
    """The unit that searches; never a candidate."""
    x: float
    """The center of the ring, in world units."""
    y: float
    min_distance: float
    """Closer units are not candidates."""
    max_distance: float
    """Farther units are not candidates."""
    groups: int | None = None
    """Mask of the groups to search; None means all."""
    without: int | None = None
    """Mask of the groups to leave out, even if they are in `groups`; None means none."""
    where: Callable[[Any, Any], bool] | None = None
    """Called with the seeker and a unit: whether the unit may be its target."""
    sight: Sight | None = None
    """What may block the view from the seeker to a unit."""
    doomed: Callable[[Any], bool] | None = None
    """Called with a unit: whether the damage under way is enough for it."""
    lead: Lead | None = None
    """How units move and shots fly: a shot must meet its target within the ring."""
    to_edge: bool = False
    """Whether distances and sight are to the footprints of units instead of their positions."""

    def accepts(self, unit: Any) -> bool:
        """Return whether a unit in range may be a target.

        It is not doomed, still in range when a shot meets it, in sight, and passes `where`.
        """
        if self.doomed is not None and self.doomed(unit):
            return False
        if self.lead is not None and not self._reaches(self.lead, unit):
            return False
        if self.sight is not None and not self.sight.clear(self.x, self.y, *self._aim(unit)):
            return False
        return self.where is None or bool(self.where(self.seeker, unit))

    def candidates(self) -> list[Any]:
        """Return all units in range that are accepted, in no particular order.

        Use `nearest(among=...)` for ties.
        """
        found = self._in_range()
        return [unit for unit in found if self.accepts(unit)] if self._is_picky else found

    def nearest(self, among: Collection[Hashable] | None = None) -> Any | None:
        """Return the closest candidate, or None. Ties go to the unit added first.

        Cheaper than `candidates`: the search stops at the answer.

        Args:
            among: Choose among these candidates only; None means all.
        """
        if self.to_edge:
            return self._nearest_edge(among)
        where: Callable[[Any], bool] | None = self.accepts if self._is_picky else None
        if among is not None:
            chosen = frozenset(among)
            if not chosen:
                return None
            if where is None:
                where = chosen.__contains__
            else:

                def where(unit: Any) -> bool:
                    return unit in chosen and self.accepts(unit)

        return self.units.nearest(
            self.x,
            self.y,
            groups=self.groups,
            without=self.without,
            min_distance=self.min_distance,
            max_distance=self.max_distance,
            exclude=self.seeker,
            where=where,
        )

    def _nearest_edge(self, among: Collection[Hashable] | None) -> Any | None:
        """Return what `nearest` does, by the distances of footprints."""
        tree, found = tree_of(self.units), self._in_range()
        if among is not None:
            chosen = frozenset(among)
            found = [unit for unit in found if unit in chosen]
        slots = tree.slots(found)
        gaps = gaps_to(store_of(tree), slots, self.x, self.y)
        for row in np.lexsort((store_of(tree).orders(slots), gaps)).tolist():
            if self.accepts(found[row]):
                return found[row]
        return None

    def _first_of(self, tied: list[Any]) -> Any | None:
        """Return the closest of some units in range that is accepted, or None."""
        if len(tied) > 1:
            return self.nearest(among=tied)
        return tied[0] if self.accepts(tied[0]) else None

    @property
    def _is_picky(self) -> bool:
        """Whether units in range may be refused."""
        return (
            self.where is not None
            or self.sight is not None
            or self.doomed is not None
            or self.lead is not None
        )

    def _reaches(self, lead: Lead, unit: Any) -> bool:
        """Whether a shot meets a unit in the ring."""
        slots = [np.array([self.units.slot(one)], np.int32) for one in (self.seeker, unit)]
        return bool(lead._reaches(slots[0], slots[1], self.min_distance, self.max_distance)[0])

    def _in_range(self) -> list[Any]:
        """All units in the ring, accepted or not."""
        return self.units.within(
            self.x,
            self.y,
            self.max_distance,
            groups=self.groups,
            without=self.without,
            min_radius=self.min_distance,
            exclude=self.seeker,
            **({"to_edge": True} if self.to_edge else {}),
        )

    def _aim(self, unit: Any) -> tuple[float, float]:
        """Where to look at a unit: its position, or the nearest place of its footprint."""
        if not self.to_edge:
            return self.units.position(unit)
        tree = tree_of(self.units)
        return nearest_place(store_of(tree), tree.slot(unit), self.x, self.y)

    def _length(self, unit: Any) -> float:
        """What ranks units: the squared distance, or with `to_edge` that to the footprint."""
        if self.to_edge:
            tree = tree_of(self.units)
            return float(gaps_to(store_of(tree), tree.slots([unit]), self.x, self.y)[0])
        x, y = self.units.position(unit)
        dx = x - self.x
        dy = y - self.y
        return dx * dx + dy * dy

    def _is_in_range(self, unit: Any) -> bool:
        low, high = self.min_distance, self.max_distance
        if self.to_edge:
            tree = tree_of(self.units)
            place = tree.slot(unit), self.x, self.y
            return bool(edge_between(store_of(tree), *place, low, high))
        return low * low <= self._length(unit) <= high * high

    def _holds(self, unit: Any) -> bool:
        """Whether a unit is a candidate."""
        if unit not in self.units or unit == self.seeker:
            return False
        groups = tree_of(self.units).groups(unit)
        return (
            (self.groups is None or groups & self.groups != 0)
            and not groups & (self.without or 0)
            and self._is_in_range(unit)
            and self.accepts(unit)
        )


Policy: TypeAlias = Callable[[TargetQuery], Any]
"""Chooses one of the candidates of a query, or None to hold fire."""


class Ranking:
    """A policy that gives each unit in range a score and chooses the best one that is accepted.

    Made by the functions of this module. All units in range are scored; `where` and sight are asked
    from the best one down, until one passes.
    """

    __slots__ = ("_highest", "_name")

    def __init__(self, name: str, highest: bool) -> None:
        self._name = name
        self._highest = highest  # True if the highest score is best, False if the lowest is

    def __repr__(self) -> str:
        return self._name

    def __call__(self, query: TargetQuery) -> Any | None:
        """Choose the best candidate; None if there are no candidates."""
        units = query._in_range()
        if not units:
            return None
        scores = self._scores(query, units)
        self._check(units, scores)
        best = self._comparing(max if self._highest else min, scores)
        tied = [unit for unit, score in zip(units, scores, strict=True) if score == best]
        found = query._first_of(tied)
        if found is None and query._is_picky:
            return self._next_best(query, units, scores)
        return found

    def _margin(self, query: TargetQuery, unit: Any, other: Any) -> float:
        """How much better one unit is than another, in the unit of the policy's scores.

        Raises:
            TypeError: The scores are not numbers.
        """
        scores = [self._measure(query, one) for one in (unit, other)]
        self._check([unit, other], scores)
        try:
            margin = float(scores[0] - scores[1])
        except TypeError:
            raise TypeError(
                f"switch_margin needs numbers from {self!r}, got {shown(scores)}"
            ) from None
        return margin if self._highest else -margin

    def _choose_many(self, units: DynamicQuadtree[Any], rings: Rings | EdgeRings) -> Ints:
        """Return the best unit in each ring, accepted or not: slots, (n,); -1 for an empty ring."""
        keys = self._keys(units, rings)
        best, wrong = rings.best_by_key(keys, self._highest)
        if wrong >= 0:
            self._refuse(units.item(wrong), wrong)
        return best

    def _next_best(self, query: TargetQuery, units: list[Any], scores: list[Any]) -> Any | None:
        """Return the best accepted unit but those with the best score; None if there is none.

        Among equal scores the closest come first.
        """
        near = [query._length(unit) for unit in units]
        rows = sorted(range(len(units)), key=near.__getitem__)
        rows = self._comparing(sorted, rows, key=scores.__getitem__, reverse=self._highest)
        for (score, _), tied in groupby(rows, lambda row: (scores[row], near[row])):
            if score != scores[rows[0]]:
                found = query._first_of([units[row] for row in tied])
                if found is not None:
                    return found
        return None

    def _comparing(self, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Call a function that compares scores; name the policy if they do not compare."""
        try:
            return function(*args, **options)
        except TypeError as error:
            raise TypeError(f"the scores of {self!r} must compare: {error}") from error

    def _check(self, units: Sequence[Any], scores: Sequence[Any]) -> None:
        """Raise ValueError if a score is None or NaN."""
        with suppress(TypeError, OverflowError):
            if isfinite(sum(scores)):  # all are numbers other than NaN
                return
        for unit, score in zip(units, scores, strict=True):
            if _is_void(score):
                raise ValueError(
                    f"{self!r} must score every unit, got {shown(score)} for {shown(unit)}"
                )

    def _refuse(self, unit: Any, slot: int) -> None:
        """Raise the error for a unit in range whose key is missing or NaN."""
        raise changed_tree()  # none lacks a key now, so a callback changed the tree

    def _scores(self, query: TargetQuery, units: list[Any]) -> list[Any]:
        """The scores of units in range."""
        raise NotImplementedError

    def _measure(self, query: TargetQuery, unit: Any) -> Any:
        """Return a unit's score for `_margin`; the unit may be out of range."""
        return self._scores(query, [unit])[0]

    def _keys(self, units: DynamicQuadtree[Any], rings: Rings | EdgeRings) -> Floats:
        """Return float64 scores by slot that rank units in range as their own scores do."""
        raise NotImplementedError


class ByKey(Ranking):
    """Ranks units by a key of the game."""

    __slots__ = ("_key",)

    def __init__(self, name: str, key: Key, highest: bool) -> None:
        super().__init__(name, highest)
        if isinstance(key, np.ndarray):
            if key.ndim != 1 or key.dtype.kind not in "fiub":
                raise ValueError(
                    f"{name} needs a number for each slot, got {key.dtype} {key.shape}"
                )
        elif not callable(key):
            raise TypeError(f"{name} needs a function or an array, got {shown(key)}")
        self._key = key

    def __repr__(self) -> str:
        shown = f"array of {len(self._key)}" if isinstance(self._key, np.ndarray) else self._key
        return f"{self._name}({shown})"

    def _scores(self, query: TargetQuery, units: list[Any]) -> list[Any]:
        if not isinstance(self._key, np.ndarray):
            return [self._key(unit) for unit in units]
        slots = [query.units.slot(unit) for unit in units]
        self._check_length(max(slots))
        return cast(list[Any], self._key[slots].tolist())

    def _keys(self, units: DynamicQuadtree[Any], rings: Rings | EdgeRings) -> Floats:
        if isinstance(self._key, np.ndarray):
            return _exact(self._key)
        slots = rings.slots()
        before = units.serial_many(slots)
        found = units.items(slots)
        scores = list(map(self._key, found))
        if not np.array_equal(before, units.serial_many(slots)):
            raise changed_tree()
        values = np.empty(len(scores))
        if not copy_floats(scores, values.data):
            self._check(found, scores)
            values = self._comparing(_in_order, scores)
        return _by_slot(slots, values)

    def _refuse(self, unit: Any, slot: int) -> None:
        if not isinstance(self._key, np.ndarray):
            raise changed_tree()
        self._check_length(slot)
        self._check([unit], [np.nan])

    def _check_length(self, slot: int) -> None:
        if slot >= len(self._key):  # type: ignore[arg-type]
            raise ValueError(f"{self!r} has no number for slot {slot}")


class ByDistance(Ranking):
    """Ranks units by their distance from the seeker."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return self._name  # each policy exists once, so identity survives pickling

    def __call__(self, query: TargetQuery) -> Any | None:
        """Choose the best candidate; None if there are no candidates."""
        return super().__call__(query) if self._highest else query.nearest()

    def _scores(self, query: TargetQuery, units: list[Any]) -> list[Any]:
        return [query._length(unit) for unit in units]

    def _measure(self, query: TargetQuery, unit: Any) -> float:
        length = query._length(unit)
        return length if query.to_edge else sqrt(length)

    def _choose_many(self, units: DynamicQuadtree[Any], rings: Rings | EdgeRings) -> Ints:
        """Return the best unit in each ring, accepted or not: slots, (n,); -1 for an empty ring."""
        return rings.farthest() if self._highest else rings.closest()


class MostClustered(Ranking):
    """Ranks units by how many others are near them."""

    __slots__ = ("_radius",)

    def __init__(self, radius: float) -> None:
        super().__init__("most_clustered", highest=True)
        self._radius = distance_of(radius, "radius")

    def __repr__(self) -> str:
        return f"most_clustered({self._radius:g})"

    def _scores(self, query: TargetQuery, units: list[Any]) -> list[Any]:
        index, radius = query.units, self._radius
        groups, without = query.groups, query.without

        def count(x: float, y: float) -> int:
            if isinstance(index, DynamicQuadtree):  # it makes no list, which is long in a heap
                return index.count_within(x, y, radius, groups, without)
            options: Any = {"groups": groups, "without": without, "exclude": None}
            return len(index.within(x, y, radius, min_radius=0.0, **options))

        return [count(*index.position(unit)) for unit in units]

    def _keys(self, units: DynamicQuadtree[Any], rings: Rings | EdgeRings) -> Floats:
        slots = rings.slots()
        groups, without = rings.masks()
        counts = units.count_within_many(
            units.position_many(slots), self._radius, groups=groups, without=without
        )
        return _by_slot(slots, counts.astype(np.float64))


def first(progress: Key) -> Ranking:
    """Choose the unit furthest along the road.

    Args:
        progress: How far a unit has come, for example the result of `Route.progress`: a function of
            the unit, or an array with a number for each slot of the tree.

    Example:
        >>> import numpy as np
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Targeting, policies
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> for name, x in {"tower": 50, "orc": 60, "rat": 55}.items():
        ...     units.add(name, x, 50)
        >>> walked = {"orc": 340.0, "rat": 120.0}
        >>> Targeting(units, policies.first(walked.get), max_distance=20).target("tower", now=0)
        'orc'
        >>> walked = np.array([0.0, 340.0, 500.0])  # by slot
        >>> Targeting(units, policies.first(walked), max_distance=20).target("tower", now=0)
        'rat'
    """
    return ByKey("first", progress, highest=True)


def last(progress: Key) -> Ranking:
    """Choose the unit least far along the road.

    Args:
        progress: How far a unit has come: a function of the unit, or an array by slot.
    """
    return ByKey("last", progress, highest=False)


def strongest(strength: Key) -> Ranking:
    """Choose the strongest unit: by health, damage, or any other measure of the game.

    Args:
        strength: How strong a unit is: a function of the unit, or an array by slot.
    """
    return ByKey("strongest", strength, highest=True)


def weakest(strength: Key) -> Ranking:
    """Choose the weakest unit, the one that a shot may finish.

    Args:
        strength: How strong a unit is: a function of the unit, or an array by slot.
    """
    return ByKey("weakest", strength, highest=False)


def most_clustered(radius: float) -> Ranking:
    """Choose the unit with the most units around it, so that a mortar hits as many as possible.

    Costs a radius query for each unit in range: 0.3 to 1 ms for 1,000 of them, and a twentieth of a
    second if 10,000 are on one point.

    Args:
        radius: How far around a unit to count, in world units. Units outside the groups that are
            searched do not count.

    Raises:
        ValueError: The radius is negative or not finite.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Targeting, policies
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> for name, x in {"mortar": 10, "loner": 20, "one": 60, "two": 62}.items():
        ...     units.add(name, x, 50)
        >>> mortar = Targeting(units, policies.most_clustered(5), max_distance=80)
        >>> mortar.target("mortar", now=0)
        'one'
    """
    return MostClustered(radius)


closest: Ranking = ByDistance("closest", highest=False)
"""Choose the unit closest to the tower. The cheapest policy."""

farthest: Ranking = ByDistance("farthest", highest=True)
"""Choose the unit in range that is farthest from the tower."""


def checked_policy(policy: Any) -> Policy:
    """Return the policy; raise TypeError unless it can be called with a TargetQuery."""
    if not callable(policy):
        raise TypeError(f"policy must be a function of a TargetQuery, got {shown(policy)}")
    if policy in MAKERS:
        name = f"policies.{policy.__name__}"
        raise TypeError(f"policy must be the result of calling {name}, got {name} itself")
    return policy  # type: ignore[no-any-return]


MAKERS = (first, last, strongest, weakest, most_clustered)  # functions that return a policy


# -- scores ---


def _by_slot(slots: Ints, values: Floats) -> Floats:
    """Return a table indexed by slot, up to the highest slot; NaN where no value is given."""
    table = np.full(slots.max(initial=-1) + 1, np.nan)
    table.put(slots.astype(np.intp), values)  # for the same reason as `at_slots`
    return table


def _is_void(score: Any) -> bool:
    """Whether a score, or a part of it, is None or NaN."""
    if isinstance(score, tuple):
        return any(map(_is_void, score))
    return score is None or bool(score != score)


def _exact(numbers: NDArray[Any]) -> Floats:
    """Return an array as float64 that sorts the same way."""
    if numbers.dtype.kind in "iu" and numbers.size:
        if max(-int(numbers.min()), int(numbers.max())) > EXACT:
            numbers = np.unique(numbers, return_inverse=True)[1]
    elif numbers.dtype.kind == "f" and numbers.dtype.itemsize > 8:
        numbers = np.unique(numbers, return_inverse=True)[1]
    return np.array(numbers, np.float64)  # a copy, so callbacks cannot change it


def _in_order(scores: list[Any]) -> Floats:
    """Return scores of any type as float64 that sorts the same way."""
    kinds = set(map(type, scores))
    if kinds <= {float, bool} or (kinds <= {int, float, bool} and _all_small(scores)):
        return np.array(scores, np.float64)
    order = sorted(range(len(scores)), key=scores.__getitem__)
    ranks = np.empty(len(scores))
    rank = -1
    before: Any = None
    for number, row in enumerate(order):
        if number == 0 or scores[row] != before:
            rank += 1
        before = scores[row]
        ranks[row] = rank
    return ranks


def _all_small(scores: list[Any]) -> bool:
    """Whether float64 holds all the numbers exactly; infinities count as exact."""
    return all(-EXACT <= score <= EXACT or score in (inf, -inf) for score in scores)
