"""Sprites as units of a tree, shared by the `FollowedSprites` of all hosts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.checks import one_mask, whole
from tilequad.bounds import Bounds
from tilequad.quadtree import DynamicQuadtree

__all__ = ["Followed", "Members", "as_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Sprites = TypeVar("Sprites")  # a list or a group of a host


class Members:
    """The sprites of one list or group, as units of a tree.

    Args:
        tree: The tree; it may also hold other units.

    Attributes:
        tree: The tree.
        groups: The groups of the tree that the sprites are in.
        sprites: The sprites, in their order.
        slots: The slot of each sprite in the tree.
        places: Where each sprite has put its unit, (n, 2).
    """

    def __init__(self, tree: DynamicQuadtree[Any]) -> None:
        self.tree = tree
        self.groups = 1
        self.sprites: list[Any] = []
        self.slots: Ints = np.empty(0, np.int32)
        self.places: Floats = np.empty((0, 2))
        self._serials: NDArray[np.int64] = np.empty(0, np.int64)
        self._ranks: Ints = np.empty(0, np.int32)  # by slot: the sprite's index in the order

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        arrays = self.slots, self.places, self._serials, self._ranks
        return sum(array.nbytes for array in arrays)

    def there(self) -> NDArray[np.bool_]:
        """Return which sprites are still the units that were added for them."""
        found: NDArray[np.bool_] = self.tree.serial_many(self.slots) == self._serials
        return found

    def ranks(self, slots: Ints) -> Ints:
        """Return the indices into `sprites` of the sprites in some slots, ascending."""
        slots = slots[slots < len(self._ranks)]
        ranks = self._ranks[slots]
        own = (ranks >= 0) & (self.tree.serial_many(slots) == self._serials[ranks])
        return np.sort(ranks[own])

    def move(self, places: Floats) -> None:
        """Move all units to the places of their sprites."""
        self.tree.move_many(self.slots, places)
        self.places = places

    def pushed(self) -> tuple[NDArray[np.int64], Floats]:
        """Return the indices of the sprites whose units have left their places, and to where."""
        own = np.flatnonzero(self.there())
        now = self.tree.position_many(self.slots[own])
        away = (now != self.places[own]).any(axis=1)
        return own[away], now[away]

    def change(
        self,
        sprites: list[Any],
        places: Floats,
        sizes: Callable[[list[int]], ArrayLike],
        groups: int,
        there: NDArray[np.bool_],
    ) -> None:
        """Add and remove sprites, and move the others. A call that fails changes nothing.

        Args:
            sprites: The sprites, in their order.
            places: The centers of all of them, (n, 2).
            sizes: Returns width and height of the sprites at some indices, (n, 2).
            groups: The groups that new sprites join.
            there: What `there()` returned.
        """
        tree, wanted = self.tree, set(sprites)
        slots, gone = {}, []
        for sprite, slot, stays in zip(
            self.sprites, self.slots.tolist(), there.tolist(), strict=True
        ):
            if not stays:
                continue  # the game has removed it from the tree itself
            if sprite in wanted:
                slots[sprite] = slot
            else:
                gone.append(slot)
        if not np.isfinite(places).all():
            raise ValueError("the position of a sprite must be finite")
        fresh = [at for at, sprite in enumerate(sprites) if sprite not in slots]
        new = [sprites[at] for at in fresh]
        spans = np.asarray(sizes(fresh), float).reshape(-1, 2)
        added = tree.add_many(new, places[fresh], size=spans, groups=groups)
        tree.remove_many(gone)
        slots.update(zip(new, added.tolist(), strict=True))
        self.slots = np.array([slots[sprite] for sprite in sprites], np.int32)
        self._serials = tree.serial_many(self.slots)
        self.sprites = sprites
        self.move(places)
        self._ranks = np.full(int(self.slots.max(initial=-1)) + 1, -1, np.int32)
        self._ranks[self.slots] = np.arange(len(sprites), dtype=np.int32)

    def join(self, groups: int) -> None:
        """Put the sprites into other groups of the tree."""
        if groups != self.groups:
            self.tree.set_groups_many(self.slots, groups)
            self.groups = groups


class Followed(Generic[Sprites]):
    """The base of `FollowedSprites`: lists or groups of sprites, kept as units of a tree."""

    _kind: type  # the host's lists or groups of sprites

    def __init__(self, units: DynamicQuadtree[Any]) -> None:
        if not isinstance(units, DynamicQuadtree):
            raise TypeError(f"units must be a DynamicQuadtree, got {units!r}")
        self.units = units
        self._lists: dict[Sprites, Any] = {}

    @property
    def nbytes(self) -> int:
        """The memory besides the tree and the sprites, in bytes."""
        return sum(followed.nbytes for followed in self._lists.values())

    def sync(self, sprites: Sprites, groups: int = 1) -> None:
        """Bring sprites to the tree: it holds those of a list or a group, where they are now.

        New sprites are added, and those that were killed or have left the list are removed: a
        sprite that comes back later is a new unit. The others are moved, all at once.

        Cost: for each sprite, a third of a microsecond in pygame and 60 nanoseconds in arcade; less
        if none has moved. If any was added or removed, or in arcade the list was sorted, that is
        about a microsecond for each, and three for each that is new.

        Args:
            sprites: An `arcade.SpriteList` or a group of pygame, kept from now on. Several can be
                followed.
            groups: A mask: the groups of the tree that its sprites are in.

        Raises:
            TypeError: `sprites` is no list or group of the host, or in pygame a sprite has no rect.
            ValueError: A sprite is in the tree already, for instance because another followed list
                has it, or a position is not finite; nothing changes then.
        """
        if not isinstance(sprites, self._kind):
            raise TypeError(f"sprites must be a {self._kind.__name__}, got {sprites!r}")
        one_mask(whole(groups, "groups"), "groups")
        followed = self._lists.get(sprites)
        if followed is None:
            followed = self._follow(sprites)
        followed.sync(groups)
        self._lists[sprites] = followed

    def pull(self) -> None:
        """Bring the tree to the sprites: each goes to where its unit was moved in the tree.

        Call it after `tilequad.ai.separate` and other moves of units, before the sprites move
        again. A rect of whole pixels goes to the nearest ones; its unit keeps its place between
        them, and `sync` adds to that what the sprite moves, so small pushes add up.

        Cost: 0.03 microseconds for each sprite, and about 3 in addition for each that moves.

        Example:
            >>> from tilequad.ai import separate
            >>> def tick(followed, orcs) -> None:
            ...     orcs.update()  # they walk
            ...     followed.sync(orcs)
            ...     separate(followed.units)
            ...     followed.pull()
        """
        for followed in self._lists.values():
            followed.pull()

    def in_view(self, bounds: Sequence[float]) -> list[Any]:
        """Return the sprites whose footprint overlaps a view, in the order of their lists.

        Args:
            bounds: What the camera sees, in world units: min_x, min_y, max_x, max_y.

        Raises:
            TypeError: `bounds` is a Rect of pygame, whose last numbers are a size.
            ValueError: `bounds` is not a box, or, in pygame, it is empty.
        """
        _, slots = self.units.query_many([self._seen(bounds)])
        found: list[Any] = []
        for followed in self._lists.values():
            members = followed.members
            found += [members.sprites[rank] for rank in members.ranks(slots).tolist()]
        return found

    def _follow(self, sprites: Sprites) -> Any:
        """Return what keeps the sprites of a list: `sync`, `pull`, `members` and `nbytes`."""
        raise NotImplementedError

    def _seen(self, bounds: Sequence[float]) -> Bounds:
        """Return what a camera sees as Bounds."""
        return Bounds.of(bounds)


def as_rows(pairs: list[tuple[float, float]]) -> Floats:
    """Return pairs of numbers as an array, (n, 2)."""
    return np.fromiter(chain.from_iterable(pairs), float, 2 * len(pairs)).reshape(-1, 2)
