"""Pictures as pygame surfaces and back, without a display."""

from __future__ import annotations

import pygame
from PIL import Image

__all__ = ["Blit", "Sheet", "alpha_range", "blank", "draw_all", "to_image", "to_surface"]

Blit = tuple[pygame.Surface, tuple[int, int]]


def to_surface(image: Image.Image) -> pygame.Surface:
    """Copy an RGBA image into a surface whose pixels have an alpha value."""
    pixels = bytearray(image.tobytes("raw", "BGRA"))  # in the order of pygame's own surfaces
    return pygame.image.frombuffer(pixels, image.size, "BGRA")


def to_image(surface: pygame.Surface) -> Image.Image:
    """Copy a surface into an RGBA image."""
    size = surface.get_size()
    if surface.get_flags() & pygame.SRCALPHA:
        return Image.frombytes("RGBA", size, pygame.image.tobytes(surface, "RGBA"))
    return Image.frombytes("RGB", size, pygame.image.tobytes(surface, "RGB")).convert("RGBA")


def blank(size: tuple[int, int]) -> pygame.Surface:
    """Return a transparent surface."""
    return pygame.Surface(size, pygame.SRCALPHA, 32)


def alpha_range(surface: pygame.Surface) -> tuple[int, int]:
    """Return the lowest and the highest alpha value of a surface."""
    pixels = pygame.surfarray.pixels2d(surface)  # the alpha value is in the upper 8 bits
    return int(pixels.min()) >> 24 & 255, int(pixels.max()) >> 24 & 255


def draw_all(target: pygame.Surface, blits: list[Blit]) -> None:
    """Draw surfaces onto another one, in order."""
    if hasattr(target, "fblits"):  # pygame-ce's; a fifth faster
        target.fblits(blits)
    else:
        target.blits(blits, False)


class Sheet:
    """A picture being painted: a surface or a Pillow image, whichever the last step made.

    Args:
        size: Width and height in pixels.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._surface: pygame.Surface | None = None
        self._image: Image.Image | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was painted yet."""
        return self._surface is None and self._image is None

    def surface(self) -> pygame.Surface:
        """Return the picture as a surface to paint on."""
        if self._surface is None:
            self._surface = blank(self._size) if self._image is None else to_surface(self._image)
            self._image = None
        return self._surface

    def image(self) -> Image.Image:
        """Return the picture as a Pillow image to paint on."""
        if self._image is None:
            empty = self._surface is None
            self._image = Image.new("RGBA", self._size) if empty else to_image(self.surface())
            self._surface = None
        return self._image
