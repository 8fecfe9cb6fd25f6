"""Move sprites of arcade along walls."""

from __future__ import annotations

import arcade

from tilequad.nav import Slide, Walls

__all__ = ["move_sprite"]


def move_sprite(walls: Walls, sprite: arcade.BasicSprite, dx: float, dy: float) -> Slide:
    """Move a sprite until a wall stops its hit box, and slide along the wall.

    The box around the hit box counts, as in arcade's physics engines. Its center need not be the
    sprite's.

    Cost: that of `Walls.move_and_slide`, and 4 microseconds.

    Args:
        walls: The walls.
        sprite: The sprite.
        dx: How far to move it, in world units.
        dy: How far to move it, in world units.

    Returns:
        Where its box ends, and on which sides it was stopped.

    Raises:
        ValueError: A number is not finite; the sprite stays.

    Example:
        >>> import arcade
        >>> from tilequad import StaticQuadtree
        >>> from tilequad.draw.arcade import move_sprite
        >>> from tilequad.nav import Walls
        >>> floor = Walls(StaticQuadtree([(0, 0, 320, 32)]))
        >>> hero = arcade.SpriteSolidColor(20, 40, 100, 60)
        >>> slide = move_sprite(floor, hero, 5, -100)
        >>> hero.position, slide.blocked_y
        ((105.0, 52.0), -1)
    """
    before = sprite.left, sprite.bottom, sprite.right, sprite.top
    slide = walls.move_and_slide(before, dx, dy)
    x, y = sprite.position
    sprite.position = x + slide.bounds.min_x - before[0], y + slide.bounds.min_y - before[1]
    return slide
