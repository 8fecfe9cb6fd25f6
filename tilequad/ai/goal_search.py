"""Goal search: the nearest free tree, else the nearest shelter; for one unit or thousands."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from functools import partial
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army.goals import Searches, Terms, is_field
from tilequad._core.arrays import unique_slots
from tilequad._core.checks import (
    check_filter,
    checked_at_least,
    checked_point,
    finite_number,
    masks_of,
    number_of,
    slot_of,
)
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad._core.tree.rows import SEARCHES, RowReader
from tilequad._core.tree.units import slots_of
from tilequad.ai._checks import tree_behind
from tilequad.ai.claims import Claims
from tilequad.ai.protocols import DistanceField, SpatialIndex
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.dynamic import items_of, store_of

__all__ = ["Goal", "GoalSearch"]

Place: TypeAlias = Sequence[float]
Near: TypeAlias = "Place | Callable[[Any], Place | None] | NDArray[Any]"
Field: TypeAlias = "DistanceField | Callable[[Any], DistanceField | None]"


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """What a unit looks for: the nearest unit of some groups, within a distance of a place.

    Args:
        groups: Mask of the groups to search; None means all.
        max_distance: The greatest distance to search, in world units.
        claim: True passes over units without a free seat, and claims the one found, as long as it
            is in the groups. False shares it with any number of others.
        near: The place to search around: a point (x, y), a function of the seeker that returns one
            or None, such as `operator.attrgetter("felled_at")`, or an array with a point for each
            slot, (slots, 2). None or a row of NaN means the seeker's own position.
        field: Measures how far it is to walk: an object with `distance_many(xy)`, such as a `Field`
            from the town hall, or a function of the seeker that returns one, or None for nothing
            within reach. Then the nearest unit is the one with the shortest walk, within
            `max_distance` of the seeker both on foot and in a straight line. None measures in a
            straight line only. A unit that closes its own cell, such as a tree, is reached from a
            neighboring cell.
        where: Called with the seeker and a unit, nearest first, until one passes. It must not
            change the tree. None means no filter.
        retry: How long a seeker that has failed to meet this goal waits before it searches for it
            again, in the unit of `now`.
        without: Mask of the groups to leave out, even if they are in `groups`; None means none. A
            claim does not end when the unit joins one of them later.
        to_edge: False measures straight lines to the positions of units; True to their footprints,
            0 inside: the nearest hall is the one with the nearest wall.

    Raises:
        TypeError: `groups` or `without` is not a whole number.
        ValueError: `groups` or `without` is out of range, `max_distance` is negative or NaN,
            `retry` is negative or not finite, `near` is not two finite numbers or an array of them,
            or both `near` and `field` are given.
    """

    groups: int | None = None
    without: int | None = field_of(default=None, kw_only=True)
    max_distance: float = inf
    to_edge: bool = field_of(default=False, kw_only=True)
    claim: bool = False
    near: Near | None = None
    field: Field | None = None
    where: Callable[[Any, Any], bool] | None = None
    retry: float = 0.0

    def __post_init__(self) -> None:
        """Reject wrong arguments now rather than on first use."""
        masks_of(self.groups, self.without)
        if not number_of(self.max_distance, "max_distance") >= 0:
            raise ValueError(f"max_distance must be at least 0, got {shown(self.max_distance)}")
        checked_at_least(0, self.retry, "retry")
        check_filter(self.where)
        if not (self.field is None or callable(self.field) or is_field(self.field)):
            raise TypeError(f"field must be a Field or a function, got {shown(self.field)}")
        if self.near is not None and self.field is not None:
            raise ValueError("near and field exclude each other: a field has its own place")
        object.__setattr__(self, "near", _checked_near(self.near))


class GoalSearch:
    """Search for what units want: the nearest unit for the first goal that can be met.

    A search with `claims` gives up what the seeker holds, and claims what it finds if the goal says
    so. A villager who runs for shelter leaves the tree to others:

        work = GoalSearch(units, Goal(TREE, 250, claim=True), Goal(SHELTER), claims=claims)
        fear = GoalSearch(units, Goal(SHELTER), claims=claims)

    `search` asks for one seeker, `search_many` for many by their slots, with the same answers: the
    first seeker takes the nearest unit, and each one after it takes from what is left. A seeker
    never finds itself. Ties go to the unit added first.

    The state (who failed when) can be pickled and copied together with the tree and the claims, if
    the functions of the goals can. It ends when the seeker leaves the tree.

    Cost: a nearest query for each goal, which prunes taken units as it prunes groups.
    A `field` is asked for the distances of all units in reach, once for all seekers of a call.

    Args:
        units: The tree: a `DynamicQuadtree`, or an object with one in its attribute `tree`.
        goals: What to look for, the most wanted first.
        claims: Who holds what; needed by goals with `claim=True`.

    Raises:
        TypeError: `units` has no tree, or a goal is not a `Goal`.
        ValueError: A goal claims, but there are no claims, or they are about another tree.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import Claims, Goal, GoalSearch
        >>> VILLAGER, TREE, SHELTER, TAKEN = 1, 2, 4, 8
        >>> units = DynamicQuadtree((0, 0, 1000, 1000))
        >>> units.add("anna", 100, 100, groups=VILLAGER)
        >>> units.add("bert", 110, 100, groups=VILLAGER)
        >>> units.add("oak", 150, 100, groups=TREE)
        >>> units.add("barn", 900, 900, groups=SHELTER)
        >>> claims = Claims(units, TAKEN)
        >>> work = GoalSearch(units, Goal(TREE, 300, claim=True), Goal(SHELTER), claims=claims)
        >>> work.search("anna", now=0)
        'oak'
        >>> units.items(work.search_many(units.slots(["bert", "anna"]), now=1))
        ['barn', 'oak']
    """

    def __init__(self, units: SpatialIndex, *goals: Goal, claims: Claims | None = None) -> None:
        self._tree = tree_behind(units)
        for goal in goals:
            if not isinstance(goal, Goal):
                raise TypeError(f"goals must be Goal objects, got {shown(goal)}")
            if goal.claim and claims is None:
                raise ValueError("a goal with claim=True needs claims")
        if not (claims is None or isinstance(claims, Claims)):
            raise TypeError(f"claims must be Claims, got {shown(claims)}")
        if claims is not None and claims._tree is not self._tree:
            raise ValueError("claims must be about the same tree")
        self._units = units
        self._goals = goals
        self._claims = claims
        book = None if claims is None else claims._seats
        self._searches = Searches(map(_terms, goals), book)

    def __repr__(self) -> str:
        return f"<GoalSearch: {', '.join(map(repr, self._goals))}>"

    @property
    def units(self) -> SpatialIndex:
        """The tree."""
        return self._units

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals, in order."""
        return self._goals

    @property
    def claims(self) -> Claims | None:
        """Who holds what; None without claims."""
        return self._claims

    def search(self, seeker: Hashable, now: float) -> Any | None:
        """Return the nearest unit that meets the first goal, else the second, and so on.

        With claims, the seeker loses what it held, even if the answer is None.

        Args:
            seeker: The unit that searches; it must be in the tree.
            now: The game's clock, in ticks or seconds: the unit of `retry`.

        Raises:
            KeyError: The seeker is not in the tree.
            RuntimeError: There are claims, and the tree is being asked, as in a filter; or a
                function of a goal has changed the tree.
            ValueError: `now` is infinite or NaN, or a function of a goal gave a wrong place, number
                of seats or distance. If a search raises anything, it has changed nothing.
        """
        tree, now = self._tree, finite_number(now, "now")
        slot = slot_of(tree, seeker, "seeker")
        return self._searches.one(store_of(tree), items_of(tree), slot, now)

    def search_many(self, slots: ArrayLike, now: float) -> NDArray[np.int32]:
        """Search for many units, by slots, as `search` would for one after the other.

        All functions of the goals are called before the tree shows what has been taken.

        Args:
            slots: The slots of the seekers, (n,), each once.
            now: The game's clock, as for `search`.

        Returns:
            The slots of the units found, (n,) int32; -1 where a seeker found nothing.

        Raises:
            RuntimeError: As `search`.
            ValueError: As `search`, a number is not the slot of a unit, or a slot is given twice.
        """
        seekers = unique_slots(slots)
        tree, now = self._tree, finite_number(now, "now")
        return self._searches.many(store_of(tree), items_of(tree), seekers, now)

    # -- for `pack` and `unpack` ---

    _kind = SEARCHES

    def _packed(self, slots: int) -> dict[str, memoryview]:
        return self._searches.rows(slots)

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        state = self._searches.read(reader, slots_of(store_of(tree)))
        return partial(self._searches.__setstate__, state)


def _terms(goal: Goal) -> Terms:
    """A goal as the compiled search reads it."""
    groups = masks_of(goal.groups, goal.without)
    asked = (
        *groups,
        number_of(goal.max_distance, "max_distance"),
        bool(goal.claim),
        bool(goal.to_edge),
    )
    return Terms(*asked, float(goal.retry), goal.near, goal.field, goal.where)


def _checked_near(near: Any) -> Any:
    """Check a place: a point, a function or an array of points."""
    if near is None or callable(near):
        return near
    if isinstance(near, np.ndarray) and near.ndim == 2:
        if near.shape[1] != 2 or near.dtype != np.float64 or not near.flags.c_contiguous:
            raise ValueError(
                f"near must be float64 (slots, 2), got {near.dtype} {near.shape}"
                f"{'' if near.flags.c_contiguous else ', not in C order'}"
            )
        return near
    x, y = checked_point(near, "near")
    if max(abs(x), abs(y)) > MAX_COORDINATE:
        raise ValueError(f"near must be within {MAX_COORDINATE:g} of 0, got {shown(near)}")
    return x, y
