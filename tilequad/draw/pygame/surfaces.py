"""Pictures as pygame surfaces and back, without a display."""

from __future__ import annotations

import numpy as np
import pygame
from numpy.typing import NDArray
from PIL import Image

__all__ = [
    "Blit",
    "Sheet",
    "alpha_range",
    "blank",
    "draw_all",
    "nbytes_of",
    "to_image",
    "to_surface",
]

Values = NDArray[np.uint32]
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


def nbytes_of(surface: pygame.Surface | None) -> int:
    """Return the memory of the pixels of a surface, in bytes; 0 for None."""
    return 0 if surface is None else surface.get_pitch() * surface.get_height()


def alpha_range(surface: pygame.Surface) -> tuple[int, int]:
    """Return the lowest and the highest alpha value of a surface."""
    pixels = pygame.surfarray.pixels2d(surface)  # the alpha value is in the upper 8 bits
    return int(pixels.min()) >> 24 & 255, int(pixels.max()) >> 24 & 255


def draw_all(target: pygame.Surface, blits: list[Blit]) -> None:
    """Draw surfaces onto another one, in order."""
    if hasattr(target, "fblits"):  # only in pygame-ce; a fifth faster
        target.fblits(blits)
    else:
        target.blits(blits, False)


class Sheet:
    """A picture being painted: a surface, a Pillow image or an array, as the last step left it.

    Args:
        size: Width and height in pixels.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._made: pygame.Surface | Image.Image | Values | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been painted yet."""
        return self._made is None

    def surface(self) -> pygame.Surface:
        """Return the picture as a surface to paint on."""
        if self._made is None:
            self._made = blank(self._size)
        elif not isinstance(self._made, pygame.Surface):
            self._made = to_surface(self.image())
        return self._made

    def image(self) -> Image.Image:
        """Return the picture as a Pillow image to paint on."""
        if self._made is None:
            self._made = Image.new("RGBA", self._size)
        elif isinstance(self._made, pygame.Surface):
            self._made = to_image(self._made)
        elif not isinstance(self._made, Image.Image):
            self._made = Image.frombuffer("RGBA", self._size, self._made, "raw", "RGBA", 0, 1)
        return self._made

    def pixels(self) -> Values:
        """Return the picture as an array to paint on, (height, width), 32 bits of RGBA each."""
        width, height = self._size
        if self._made is None:
            self._made = np.zeros((height, width), np.uint32)
        elif not isinstance(self._made, np.ndarray):
            values = bytearray(self.image().tobytes())
            self._made = np.frombuffer(values, np.uint32).reshape(height, width)
        return self._made
