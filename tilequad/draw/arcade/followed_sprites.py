"""An arcade SpriteList in a quadtree: drawn as far as it is in view, and asked who is near."""

from __future__ import annotations

from collections.abc import Sequence

import arcade
import numpy as np
from arcade import gl

from tilequad.bounds import Bounds
from tilequad.quadtree import DynamicQuadtree

__all__ = ["FollowedSprites"]


class FollowedSprites:
    """Keeps a `DynamicQuadtree` in step with an `arcade.SpriteList` that a program already has.

    The sprites stay what they are. `follow` takes over who was added, removed and moved; then
    `units` answers who is in range, and `draw` draws only who is in view. A sprite's footprint in
    the tree is the box around it, as large as it was when it joined; after a sprite is resized or
    turned, call `units.resize`.

    Args:
        sprites: The list.
        bounds: Where the sprites mostly are: min_x, min_y, max_x, max_y. Sprites outside are found,
            too.

    Attributes:
        sprites: The list.
        units: The tree. Its items are the sprites.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import FollowedSprites, visible_bounds
        >>> def frame(followed: FollowedSprites, camera: arcade.Camera2D, tower) -> list:
        ...     followed.follow()  # once a frame, after the sprites have moved
        ...     with camera.activate():
        ...         followed.draw(visible_bounds(camera))
        ...     return followed.units.within(tower.center_x, tower.center_y, 200)
    """

    def __init__(
        self, sprites: arcade.SpriteList[arcade.BasicSprite], bounds: Sequence[float]
    ) -> None:
        self.sprites = sprites
        self.units: DynamicQuadtree[arcade.BasicSprite] = DynamicQuadtree(bounds)
        self._known: list[arcade.BasicSprite] = []  # in the order of the list
        self._slots = np.empty(0, np.int32)  # in the tree, of each of them
        self._ranks = np.empty(0, np.int32)  # by slot in the tree: place in the list
        self._rows = np.empty(0, np.uint32)  # in the list's buffers, of each of them
        self.follow()

    def follow(self) -> None:
        """Take over the changes of the list since the last call.

        Cost: about 60 nanoseconds for each sprite. If any was added or removed, or the list was
        sorted, about ten times that.
        """
        listed = list(self.sprites)
        if listed != self._known:
            self._change_members(listed)
        if listed:
            self.units.move_many(self._slots, [sprite.position for sprite in listed])

    def draw(
        self, view: Sequence[float], *, pixelated: bool | None = None, filter: int | None = None
    ) -> int:
        """Draw the sprites in view, in the order of the list. The camera must be in use.

        Args:
            view: What the camera sees: `visible_bounds(camera)`.
            pixelated: As for `SpriteList.draw`.
            filter: As for `SpriteList.draw`.

        Returns:
            The number of sprites drawn.

        Raises:
            ValueError: The view is not a box.
        """
        seen = Bounds.of(view, "view")
        if not self.sprites.visible or not self._known:
            return 0
        slots = self.units.query_many([seen])[1]
        if not len(slots):
            return 0
        places = np.sort(self._ranks[slots])
        # The list draws what its index buffer names. So name only those in view, draw, and name
        # all again, for whoever calls `SpriteList.draw`.
        sprites = self.sprites
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
        return len(places)

    def _change_members(self, listed: list[arcade.BasicSprite]) -> None:
        """Add and remove sprites, and learn their order."""
        units, now = self.units, set(listed)
        gone = [sprite for sprite in self._known if sprite not in now]
        units.remove_many([units.slot(sprite) for sprite in gone])
        fresh = [sprite for sprite in listed if sprite not in units]
        units.add_many(
            fresh,
            np.array([sprite.position for sprite in fresh], float).reshape(-1, 2),
            size=np.array([extent(sprite) for sprite in fresh], float).reshape(-1, 2),
        )
        self._known = listed
        self._slots = np.array([units.slot(sprite) for sprite in listed], np.int32)
        self._rows = np.array([self.sprites.sprite_slot[sprite] for sprite in listed], np.uint32)
        self._ranks = np.zeros(int(self._slots.max(initial=-1)) + 1, np.int32)
        self._ranks[self._slots] = np.arange(len(listed), dtype=np.int32)


def extent(sprite: arcade.BasicSprite) -> tuple[float, float]:
    """Return width and height of the box around a sprite, turned as it is."""
    turn = np.radians(getattr(sprite, "angle", 0.0))  # a BasicSprite has none
    cosine, sine = abs(np.cos(turn)), abs(np.sin(turn))
    width, height = abs(sprite.width), abs(sprite.height)
    return float(width * cosine + height * sine), float(width * sine + height * cosine)
