"""`FollowedSprites` of all hosts: lists or groups of sprites, as units of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar
from weakref import ref

from tilequad._core.checks import mask_of, whole
from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree
from tilequad.quadtree.members import FEW, Members

__all__ = ["FollowedLists", "members_of"]

Sprites = TypeVar("Sprites")  # a list or a group of a host

# What keeps the sprites of a list or group, by its id: it keeps the list, so the id stays its own.
# A dict, because a WeakValueDictionary takes longer to ask than ten sprites.
_followed: dict[int, ref[Any]] = {}


def members_of(sprites: Any) -> Members | None:
    """Return the sprites of a list or group as of its last `sync`.

    None if no `FollowedSprites` follows it, or if it is so short that its host is as fast.
    """
    found = _followed.get(id(sprites))
    followed = None if found is None else found()
    return None if followed is None else followed.members


def _register(sprites: Any, followed: Any) -> None:
    """Let `members_of` find what keeps the sprites of a list, for as long as it lives."""
    key = id(sprites)

    def forget(dead: ref[Any]) -> None:
        if _followed.get(key) is dead:
            del _followed[key]

    _followed[key] = ref(followed, forget)


class FollowedLists(Generic[Sprites]):
    """The base of `FollowedSprites`: lists or groups of sprites, kept as units of a tree."""

    _kind: type  # the host's lists or groups of sprites
    _fewest: int  # sprites of a list, from which on a tree finds those near by sooner than the host

    def __init__(self, units: DynamicQuadtree[Any]) -> None:
        check_tree(units)
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

        Cost: for each sprite, a third of a microsecond in pygame and a sixth in arcade; less if
        none has moved. If any was added or removed, or in arcade the list was sorted, that is
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
            raise TypeError(f"sprites must be a {self._kind.__name__}, got {shown(sprites)}")
        mask_of(whole(groups, "groups"), "groups")
        followed = self._lists.get(sprites)
        if followed is None:
            followed = self._follow(sprites)
        followed.sync_list(groups)
        followed.members.reaches.clear()
        if len(followed.members.items) < self._fewest:
            _followed.pop(id(sprites), None)
        elif members_of(sprites) is not followed.members:
            _register(sprites, followed)
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
            followed.pull_list()

    def in_view(self, bounds: Sequence[float]) -> list[Any]:
        """Return the sprites whose footprint overlaps a view, in the order of their lists.

        Args:
            bounds: What the camera sees, in world units: min_x, min_y, max_x, max_y.

        Raises:
            TypeError: `bounds` is a Rect of pygame, whose last numbers are a size.
            ValueError: `bounds` is not a box, or, in pygame, it is empty.
        """
        seen = self._seen(bounds)
        if len(self.units) <= FEW:
            slots = self.units.slots(self.units.query(seen))
        else:
            _, slots = self.units.query_many([seen])
        found: list[Any] = []
        for followed in self._lists.values():
            members = followed.members
            found += [members.items[rank] for rank in members.ranks(slots).tolist()]
        return found

    def _follow(self, sprites: Sprites) -> Any:
        """Return what keeps a list: `sync_list`, `pull_list`, `members` and `nbytes`."""
        raise NotImplementedError

    def _seen(self, bounds: Sequence[float]) -> Bounds:
        """Return what a camera sees as Bounds."""
        return Bounds.of(bounds)
