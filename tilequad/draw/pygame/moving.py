"""Move sprites of pygame along walls."""

from __future__ import annotations

from typing import Any

import pygame

from tilequad.nav import Slide, Walls

__all__ = ["move_sprite"]


def move_sprite(walls: Walls, sprite: Any, dx: float, dy: float) -> Slide:
    """Move the rect of a sprite until a wall stops it, and slide along the wall.

    A `pygame.Rect` has whole pixels, so it moves by whole pixels, rounded down to the nearest: give
    the sprite a `pygame.FRect` if it walks slower than a few pixels a frame.

    Cost: that of `Walls.move_and_slide`, and a microsecond.

    Args:
        walls: The walls, with y down as the sprite.
        sprite: Any object with a `rect`.
        dx: How far to move it, in world units.
        dy: How far to move it, in world units.

    Returns:
        Where its rect ends, and on which sides it was stopped.

    Raises:
        ValueError: A number is not finite; the sprite stays.

    Example:
        >>> import pygame
        >>> from tilequad import StaticQuadtree
        >>> from tilequad.draw.pygame import move_sprite
        >>> from tilequad.nav import Walls
        >>> floor = Walls(StaticQuadtree([(0, 200, 320, 232)]))
        >>> hero = pygame.sprite.Sprite()
        >>> hero.rect = pygame.Rect(90, 100, 20, 40)
        >>> slide = move_sprite(floor, hero, 5, 100)
        >>> hero.rect.topleft, slide.blocked_y
        ((95, 160), 1)
    """
    rect = sprite.rect
    left, top = rect.topleft
    slide = walls.move_and_slide((left, top, left + rect.width, top + rect.height), dx, dy)
    x, y = slide.bounds.min_x, slide.bounds.min_y
    if isinstance(rect, pygame.Rect):
        # Toward where it was, because there is no wall.
        x, y = left + int(x - left), top + int(y - top)
    rect.topleft = x, y
    return slide
