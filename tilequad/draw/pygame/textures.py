"""A camera's view of a group of layers, as SDL2 textures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pygame

from tilequad.draw.pygame.blocks import Blocks
from tilequad.draw.pygame.layer_group import Key, LayerGroup
from tilequad.draw.pygame.surfaces import prepared

if TYPE_CHECKING:
    from pygame._sdl2.video import Texture

__all__ = ["TextureBuffer"]

_SPARE = 8  # how many textures to keep besides those in view
_COPY, _NORMAL, _ADD, _MULTIPLY = 0, 1, 2, 4  # SDL's numbers of its blend modes


class TextureBuffer:
    """Draws the chunks of a group as textures, which the GPU puts together and zooms."""

    def __init__(self, group: LayerGroup) -> None:
        self._group = group
        self._renderer: Any = None
        self._textures: dict[Key, tuple[int, Texture | None]] = {}

    @property
    def nbytes(self) -> int:
        """The memory of the textures, in bytes."""
        textures = (texture for _, texture in self._textures.values() if texture is not None)
        return sum(4 * texture.width * texture.height for texture in textures)

    def draw(self, renderer: Any, size: tuple[int, int], zoom: float, left: int, top: int) -> None:
        """Draw the group on a target whose corner is a pixel of the world at this zoom."""
        if renderer is not self._renderer:
            self._renderer = renderer
            self._textures.clear()
        blocks = Blocks(zoom, self._group.has_lines)
        used = set()
        for place in blocks.around(pygame.Rect(left, top, *size)):
            key = blocks.key(place)
            used.add(key)
            texture = self._texture(key)
            if texture is not None:
                texture.draw(blocks.source(place), blocks.area(place).move(-left, -top))
        if len(self._textures) > len(used) + _SPARE:
            self._textures = {key: self._textures[key] for key in used}
            self._group.forget(used, _SPARE)

    def _texture(self, key: Key) -> Texture | None:
        from pygame._sdl2.video import Texture

        chunk = self._group.chunk(key)
        stamp, texture = self._textures.get(key, (0, None))
        if stamp != chunk.stamp:
            texture = None
            if chunk.surface is not None:
                surface = chunk.surface
                if self._group.mode == "multiply":
                    surface = surface.copy()
                    surface.set_alpha(255)  # blended with white, not copied
                    surface = prepared(surface, "multiply")
                texture = Texture.from_surface(self._renderer, surface)
                texture.blend_mode = self._blend_mode(chunk.opaque)
            self._textures[key] = chunk.stamp, texture
        return texture

    def _blend_mode(self, opaque: bool) -> int:
        """Return SDL's number of a mode; modes unknown to SDL look like "normal"."""
        modes = {"add": _ADD, "multiply": _MULTIPLY}
        return modes.get(self._group.mode, _COPY if opaque else _NORMAL)
