"""Follow the sprites of pygame groups into a tree, and draw those in view."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats
from tilequad.bounds import Bounds
from tilequad.draw.followed import FollowedLists
from tilequad.draw.pygame.surfaces import draw_all, seen_by, surface_size
from tilequad.quadtree import DynamicQuadtree
from tilequad.quadtree.members import Members, as_rows

__all__ = ["FollowedSprites"]

Group = Any  # pygame.sprite's class is generic only for type checkers, and only in some versions


class FollowedSprites(FollowedLists[Group]):
    """Keeps the sprites of groups as units of a tree, so that a game can ask who is near.

    A sprite is the item of its unit. Its `rect`, in world units, is the unit's footprint.

    Args:
        units: The tree. It may also hold other units.

    Attributes:
        units: The tree, for queries. Its items are the sprites.

    Raises:
        TypeError: `units` is not a `DynamicQuadtree`.

    Example:
        >>> import pygame
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.draw.pygame import FollowedSprites
        >>> orc = pygame.sprite.Sprite()
        >>> orc.image, orc.rect = pygame.Surface((16, 16)), pygame.Rect(40, 40, 16, 16)
        >>> orcs = pygame.sprite.Group(orc)
        >>> followed = FollowedSprites(DynamicQuadtree((0, 0, 1000, 1000)))
        >>> followed.sync(orcs)  # once a frame
        >>> followed.units.within(50, 50, 10) == [orc]
        True
        >>> followed.draw(pygame.Surface((320, 180)), (0, 0, 320, 180))
    """

    _kind = pygame.sprite.AbstractGroup
    _fewest = 80

    def _follow(self, sprites: Group) -> _Group:
        return _Group(self.units, sprites)

    def _seen(self, bounds: Sequence[float]) -> Bounds:
        return seen_by(bounds)

    def draw(self, target: pygame.Surface, bounds: Sequence[float]) -> None:
        """Draw the sprites in view, as `Group.draw` does, but where the camera sees them.

        An image is as large as it is in the world, its upper left corner at that of the rect. Only
        the rect decides whether it is in view.

        Faster than `Group.draw` where less than half of many sprites are in view. At zooms other
        than 1, each frame scales the images again.

        Cost: 2 to 3 microseconds for each sprite in view.

        Args:
            target: The surface. The zoom is its width divided by the width of `bounds`.
            bounds: As for `in_view`.

        Raises:
            TypeError: `target` is not a surface, or as `in_view`.
            ValueError: As `in_view`.
        """
        size, seen = surface_size(target), seen_by(bounds)
        zoom = float(f"{size[0] / seen.width:.9g}")
        left, top = ceil(seen.min_x * zoom - 0.5), ceil(seen.min_y * zoom - 0.5)
        shown = self.in_view(seen)
        if zoom != 1:
            blits = [_zoomed(sprite, zoom, left, top) for sprite in shown]
        elif left or top:
            blits = [(sprite.image, sprite.rect.move(-left, -top)) for sprite in shown]
        else:
            blits = [(sprite.image, sprite.rect) for sprite in shown]
        draw_all(target, blits)


class _Group:
    """The sprites of one group in the tree."""

    def __init__(self, tree: DynamicQuadtree[Any], group: Group) -> None:
        self.members = Members(tree)
        self._group = group
        # The corners of the rects, which show which sprites have moved
        self._corners: list[tuple[float, float]] = []
        self._sizes: list[tuple[float, float]] = []
        # Exact half sizes, because pygame's own centers are rounded
        self._halves: Floats = np.empty((0, 2))
        # What `pull` could not show in whole pixels
        self._rests: Floats = np.empty((0, 2))

    @property
    def nbytes(self) -> int:
        return self.members.nbytes + self._halves.nbytes + self._rests.nbytes

    def sync_list(self, groups: int) -> None:
        members, sprites = self.members, self._group.sprites()
        try:
            rects = [sprite.rect for sprite in sprites]
            corners = [rect.topleft for rect in rects]
            sizes = [rect.size for rect in rects]
        except AttributeError:
            check_rects(sprites)
            raise
        there = members.there()
        if sprites != members.items or not there.all():
            self._change(sprites, corners, sizes, groups, there)
        elif sizes != self._sizes:
            self._resize(sprites, sizes, self._sizes)
            members.move(as_rows(corners) + self._halves + self._rests)
        elif corners != self._corners or members.are_pushed():
            members.move(as_rows(corners) + self._halves + self._rests)
        members.join(groups)
        self._corners, self._sizes = corners, sizes

    def pull_list(self) -> None:
        members = self.members
        ranks, places = members.pushed()
        halves = self._halves[ranks]
        exact = places - halves
        whole = np.floor(exact + 0.5).astype(np.int64)
        numbers = ranks.tolist()
        for rank, corner, pixel in zip(numbers, exact.tolist(), whole.tolist(), strict=True):
            rect = members.items[rank].rect
            rect.topleft = pixel if isinstance(rect, pygame.Rect) else corner
            self._corners[rank] = rect.topleft
        shown = as_rows([self._corners[rank] for rank in numbers])
        self._rests[ranks] = places - (shown + halves)
        members.places[ranks] = places

    def _change(
        self,
        sprites: list[Any],
        corners: list[tuple[float, float]],
        sizes: list[tuple[float, float]],
        groups: int,
        there: NDArray[np.bool_],
    ) -> None:
        """Add and remove sprites, and move and resize the others."""
        spans = as_rows(sizes)
        before = dict(zip(self.members.items, self._sizes, strict=True))
        known_rests = dict(zip(self.members.items, self._rests.tolist(), strict=True))
        rests = as_rows([known_rests.get(sprite, (0.0, 0.0)) for sprite in sprites])
        places = as_rows(corners) + spans / 2 + rests
        self.members.change(sprites, places, lambda fresh: {"size": spans[fresh]}, groups, there)
        self._rests = rests
        known = [before.get(sprite, size) for sprite, size in zip(sprites, sizes, strict=True)]
        self._resize(sprites, sizes, known)

    def _resize(
        self,
        sprites: list[Any],
        sizes: list[tuple[float, float]],
        known: list[tuple[float, float]],
    ) -> None:
        for sprite, size, before in zip(sprites, sizes, known, strict=True):
            if size != before:
                self.members.tree.resize(sprite, size=size)
        self._halves = as_rows(sizes) / 2


def check_rects(sprites: list[Any]) -> None:
    """Raise TypeError if a sprite has no rect."""
    for sprite in sprites:
        rect = getattr(sprite, "rect", None)
        if not hasattr(rect, "topleft"):
            raise TypeError(f"each sprite must have a rect, but that of {sprite!r} is {rect!r}")


def _zoomed(sprite: Any, zoom: float, left: int, top: int) -> tuple[pygame.Surface, Any]:
    image, (min_x, min_y) = sprite.image, sprite.rect.topleft
    x, y = ceil(min_x * zoom - 0.5), ceil(min_y * zoom - 0.5)
    right = ceil((min_x + image.get_width()) * zoom - 0.5)
    bottom = ceil((min_y + image.get_height()) * zoom - 0.5)
    size = max(right - x, 1), max(bottom - y, 1)
    return pygame.transform.scale(image, size), (x - left, y - top)
