"""`Followed`: objects of any kind as units of a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.checks import checked_point, mask_of, whole
from tilequad._core.shown import shown
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree
from tilequad.quadtree.members import Members, as_rows

__all__ = ["Followed"]

Item = TypeVar("Item")


class Followed(Generic[Item]):
    """Keeps objects of a game as units of a tree: dataclasses, entities of an ECS, bodies.

    An object is the item of its unit, so it must be hashable (`@dataclass(eq=False)`), and its
    number serves where a game has numbers. `FollowedSprites` does the same for sprites.

    Args:
        units: The tree. It may also hold other units.
        position: Returns where an object is, (x, y): `attrgetter("x", "y")`, for instance.
        radius: The radius of the footprints, or what returns that of an object. It is read once,
            when an object joins; call `units.resize` after changes.
        size: Width and height instead of a radius, or what returns those of an object.

    Attributes:
        units: The tree, for queries.

    Raises:
        TypeError: `units` is not a `DynamicQuadtree`, or `position` cannot be called.
        ValueError: `radius` and `size` are both given.

    Example:
        >>> from dataclasses import dataclass
        >>> from operator import attrgetter
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.quadtree import Followed
        >>> @dataclass(eq=False)
        ... class Orc:
        ...     x: float
        ...     y: float
        >>> orcs = [Orc(10, 10), Orc(50, 10)]
        >>> followed = Followed(DynamicQuadtree((0, 0, 100, 100)), attrgetter("x", "y"), radius=8)
        >>> followed.sync(orcs)
        >>> orcs[1].x = 20
        >>> followed.sync(orcs)  # once a frame
        >>> followed.units.pairs() == [(orcs[0], orcs[1])]
        True
    """

    def __init__(
        self,
        units: DynamicQuadtree[Any],
        position: Callable[[Item], tuple[float, float]],
        *,
        radius: float | Callable[[Item], float] | None = None,
        size: tuple[float, float] | Callable[[Item], tuple[float, float]] | None = None,
    ) -> None:
        check_tree(units)
        if not callable(position):
            raise TypeError(f"position must be a function of an item, got {shown(position)}")
        if radius is not None and size is not None:
            raise ValueError(f"give radius or size, got {shown(radius)} and {shown(size)}")
        self.units = units
        self._position = position
        self._radius, self._size = radius, size
        self._members = Members(units)
        self._positions: list[tuple[float, float]] = []  # as they were told, if all are tuples

    def sync(self, items: Iterable[Item], groups: int = 1) -> None:
        """Bring objects to the tree: it holds them, where they are now.

        New ones are added, and those that are missing now are removed. The others are moved, all at
        once. An object that comes back later is a new unit.

        Cost: a tenth of a microsecond for each object, besides `position`. If any was added or
        removed, three tenths for each, and as much for each that is new.

        Args:
            items: The objects that exist now, each once.
            groups: A mask: the groups of the tree that they are in.

        Raises:
            TypeError: An object is not hashable, or `groups` is not a whole number.
            ValueError: An object occurs twice or is in the tree already, or a position is not two
                finite numbers; nothing changes then.
        """
        mask_of(whole(groups, "groups"), "groups")
        members, listed = self._members, list(items)
        positions = [self._position(item) for item in listed]
        lasting = set(map(type, positions)) == {tuple}  # others may change in place
        if lasting and positions == self._positions:
            places = members.places
        else:
            places = _pairs(positions, "position(item)")
        there = members.there()
        if listed != members.items or not there.all():
            members.change(
                listed,
                places,
                lambda fresh: self._footprints([listed[at] for at in fresh]),
                groups,
                there,
            )
        elif not np.array_equal(places, members.places) or members.are_pushed():
            members.move(places)
        members.join(groups)
        self._positions = positions if lasting else []

    def pull(self) -> list[tuple[Item, tuple[float, float]]]:
        """Return the objects whose units were moved in the tree since `sync`, and to where.

        Call it after `tilequad.ai.separate` and other moves of units, and put the objects there.
        The next call returns only those that were moved since this one.

        Cost: 0.03 microseconds for each object, and 0.3 for each that has moved.

        Example:
            >>> from tilequad.ai import separate
            >>> def tick(followed, orcs) -> None:
            ...     followed.sync(orcs)
            ...     separate(followed.units)
            ...     for orc, (orc.x, orc.y) in followed.pull():
            ...         pass
        """
        members = self._members
        ranks, places = members.pushed()
        members.places[ranks] = places
        if len(ranks):
            self._positions = []  # they no longer say where the units are
        return [
            (members.items[rank], (x, y))
            for rank, (x, y) in zip(ranks.tolist(), places.tolist(), strict=True)
        ]

    def _footprints(self, items: list[Item]) -> dict[str, ArrayLike]:
        """Return the footprints of some objects, as an argument of `add_many`."""
        radius, size = self._radius, self._size
        if size is None:
            return {"radius": [radius(item) for item in items] if callable(radius) else radius or 0}
        if callable(size):
            return {"size": _pairs([size(item) for item in items], "size(item)")}
        return {"size": size}


def _pairs(told: list[Any], name: str) -> np.ndarray:
    """Return what was told of items as an array, (n, 2)."""
    try:
        return as_rows(told)
    except (TypeError, ValueError, OverflowError):
        for pair in told:
            checked_point(pair, name)  # says which is wrong
        raise
