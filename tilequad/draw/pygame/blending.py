"""Put a picture on a surface in a blend mode."""

from __future__ import annotations

import pygame

from tilequad.draw.blending import MODES, blend
from tilequad.draw.pygame.surfaces import to_image, to_surface

__all__ = ["blend_on", "prepared"]


_FLAGS = {"add": pygame.BLEND_RGB_ADD, "multiply": pygame.BLEND_RGB_MULT}


def prepared(picture: pygame.Surface, mode: str) -> pygame.Surface:
    """Return a picture as `blend_on` needs it; the same one if nothing must be done."""
    if mode == "add":
        return picture.premul_alpha()
    if mode == "multiply":
        on_white = pygame.Surface(picture.get_size(), 0, 32)
        on_white.fill((255, 255, 255))
        on_white.blit(picture, (0, 0))
        return on_white
    return picture


def blend_on(target: pygame.Surface, picture: pygame.Surface, area: pygame.Rect, mode: str) -> None:
    """Put a part of a picture on a surface of that size.

    "add" and "multiply" are pygame's own. Pillow computes the others, in about 0.3 s for a million
    pixels.

    Args:
        target: The surface to draw on.
        picture: The picture, as `prepared` returns it.
        area: The part.
        mode: Tiled's name of the mode; an unknown one is "normal", as in Tiled.
    """
    if mode not in MODES:
        target.blit(picture, (0, 0), area)
    elif mode in _FLAGS:
        target.blit(picture, (0, 0), area, _FLAGS[mode])
    else:
        above = to_image(picture.subsurface(area))
        box = above.getchannel("A").getbbox()
        if box is None:
            return
        size = box[2] - box[0], box[3] - box[1]
        below = to_image(target.subsurface((*box[:2], *size)))
        blended = to_surface(blend(below, above.crop(box), mode))
        blended.set_alpha(None)
        target.blit(blended, box[:2])
