"""Follow arcade's sprite lists into a tree, and draw the sprites in view."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import arcade
import numpy as np
from arcade import gl
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.followed import FollowedLists
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.followed import Followed

__all__ = ["FollowedSprites"]

Sprites = arcade.SpriteList[Any]


class FollowedSprites(FollowedLists[Sprites]):
    """Keeps the sprites of sprite lists as units of a tree, so that a game can ask who is near.

    The sprites stay what they are, and a sprite is the item of its unit. Its footprint is the box
    around it, as large as it was when it joined, because arcade does not report which sprites were
    resized or turned; call `units.resize` after such changes.

    Args:
        units: The tree. It may also hold other units.

    Attributes:
        units: The tree, for queries. Its items are the sprites.

    Raises:
        TypeError: `units` is not a `DynamicQuadtree`.

    Example:
        >>> import arcade
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.draw.arcade import FollowedSprites, visible_bounds
        >>> def frame(followed: FollowedSprites, orcs: arcade.SpriteList, camera, tower) -> list:
        ...     followed.sync(orcs)  # once a frame, after the sprites have moved
        ...     with camera.activate():
        ...         followed.draw(visible_bounds(camera))
        ...     return followed.units.within(tower.center_x, tower.center_y, 200)
    """

    _kind = arcade.SpriteList
    _fewest = 32

    def _follow(self, sprites: Sprites) -> _List:
        return _List(self.units, sprites)

    def draw(
        self, bounds: Sequence[float], *, pixelated: bool | None = None, filter: int | None = None
    ) -> None:
        """Draw the sprites in view, in the order of their lists. The camera must be in use.

        Args:
            bounds: As for `in_view`.
            pixelated: As for `SpriteList.draw`.
            filter: As for `SpriteList.draw`.

        Raises:
            ValueError: As `in_view`.
        """
        seen = Bounds.of(bounds)
        slots = self.units.query_many([seen])[1]
        if len(slots):
            for followed in self._lists.values():
                followed.draw(slots, pixelated, filter)


class _List(Followed[arcade.BasicSprite]):
    """The sprites of one list in the tree."""

    def __init__(self, tree: DynamicQuadtree[Any], sprites: Sprites) -> None:
        super().__init__(tree, attrgetter("position"), size=extent)
        self.members = self._members
        self._list = sprites
        self._rows = np.empty(0, np.uint32)  # the slot of each sprite in the list's buffers

    @property
    def nbytes(self) -> int:
        return self.members.nbytes + self._rows.nbytes

    def sync_list(self, groups: int) -> None:
        before = self.members.items
        self.sync(self._list, groups)
        if self.members.items is not before:
            rows = self._list.sprite_slot
            self._rows = np.array([rows[sprite] for sprite in self.members.items], np.uint32)

    def pull_list(self) -> None:
        for sprite, place in self.pull():
            sprite.position = place

    def draw(self, slots: NDArray[np.int32], pixelated: bool | None, filter: int | None) -> None:
        """Draw the sprites of this list among some units."""
        sprites = self._list
        if not sprites.visible or not len(self._rows):
            return
        places = self.members.ranks(slots)
        if not len(places):
            return
        # The list draws the sprites in its index buffer. So put only those in view there, draw, and
        # put all back for callers of `SpriteList.draw`.
        sprites.write_sprite_buffers_to_gpu()
        index, atlas = sprites.data.storage_index, sprites.atlas
        assert isinstance(index, gl.Buffer)
        assert atlas is not None
        index.orphan()
        index.write(np.ascontiguousarray(self._rows[places]).data)
        sprites.data.render(
            atlas=atlas,
            count=len(places),
            color=sprites.color_normalized,
            default_texture_filter=(gl.LINEAR, gl.LINEAR),
            pixelated=pixelated,
            filter=None if filter is None else (filter, filter),
        )
        index.orphan()
        index.write(self._rows.data)


def extent(sprite: arcade.BasicSprite) -> tuple[float, float]:
    """Return width and height of the box around a sprite, turned as it is."""
    turn = np.radians(getattr(sprite, "angle", 0.0))  # a BasicSprite has none
    cosine, sine = abs(np.cos(turn)), abs(np.sin(turn))
    width, height = abs(sprite.width), abs(sprite.height)
    return float(width * cosine + height * sine), float(width * sine + height * cosine)
