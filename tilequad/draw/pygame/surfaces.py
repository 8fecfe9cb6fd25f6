"""Pictures as pygame surfaces and back, and on one another; checks of what is drawn on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pygame
from numpy.typing import NDArray
from PIL import Image

from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.draw.blending import blend
from tilequad.tiled import Color

__all__ = [
    "Blit",
    "Ints",
    "SpareSurfaces",
    "alpha_range",
    "bgra",
    "blank",
    "blend_on",
    "draw_all",
    "filled",
    "is_packed",
    "nbytes_of",
    "picked",
    "prepared",
    "repeated",
    "seen_by",
    "size_of",
    "solid_part",
    "surface_size",
    "ties",
    "to_copy",
    "to_image",
    "to_surface",
]

Ints = NDArray[np.int64]
Blit = tuple[pygame.Surface, tuple[int, int]]

_MOST_SPARE = 8  # surfaces
_MASKS = 0xFF0000, 0xFF00, 0xFF, 0xFF000000
_FLAGS = {"add": pygame.BLEND_RGB_ADD, "multiply": pygame.BLEND_RGB_MULT}
_RECTS = pygame.Rect, getattr(pygame, "FRect", pygame.Rect)  # the second in pygame-ce only


def bgra(color: Color) -> Color:
    """Return red, green, blue, alpha in pygame's order, as another one is blended far slower."""
    red, green, blue, alpha = color
    return blue, green, red, alpha


def to_surface(image: Image.Image) -> pygame.Surface:
    """Copy an RGBA image into a surface whose pixels have an alpha value."""
    pixels = bytearray(image.tobytes("raw", "BGRA"))  # in the order of pygame's own surfaces
    return pygame.image.frombuffer(pixels, image.size, "BGRA")


def to_image(surface: pygame.Surface) -> Image.Image:
    """Copy a surface into an RGBA image."""
    size = surface.get_size()
    if surface.get_flags() & pygame.SRCALPHA:
        if surface.get_masks() == _MASKS:  # pygame's own take a tenth of the time
            pixels = np.ascontiguousarray(pygame.surfarray.pixels2d(surface).T, "<u4")
            return Image.frombuffer("RGBA", size, pixels, "raw", "BGRA", 0, 1)
        return Image.frombytes("RGBA", size, pygame.image.tobytes(surface, "RGBA"))
    return Image.frombytes("RGB", size, pygame.image.tobytes(surface, "RGB")).convert("RGBA")


def blank(size: tuple[int, int]) -> pygame.Surface:
    """Return a transparent surface."""
    return pygame.Surface(size, pygame.SRCALPHA, 32)


class SpareSurfaces:
    """Surfaces of dropped pictures to paint the next ones on.

    To touch new memory for the first time may take longer than to paint on it.
    """

    def __init__(self, make: Callable[[tuple[int, int]], pygame.Surface]) -> None:
        self._make = make
        self._kept: list[pygame.Surface] = []

    @property
    def nbytes(self) -> int:
        """The memory of the kept surfaces, in bytes."""
        return sum(map(nbytes_of, self._kept))

    def take(self, size: tuple[int, int]) -> pygame.Surface:
        """Return a surface, with what was on it."""
        for number, surface in enumerate(self._kept):
            if surface.get_size() == size:
                return self._kept.pop(number)
        return self._make(size)

    def give(self, surface: pygame.Surface) -> None:
        """Keep a surface that nobody uses any more, unless there are enough."""
        if len(self._kept) < _MOST_SPARE:
            self._kept.append(surface)


def ties(pixels: range, ratio: float) -> bool:
    """Return whether a pixel of those lies between two of the other picture, see `picked`."""
    between = ((np.arange(pixels.start, pixels.stop) + 0.5) / ratio).round(6) % 1 == 0
    return bool(between.any())


def picked(pixels: range, ratio: float) -> Ints:
    """Return which pixels of a picture the pixels of one larger by a ratio show, as in `render`.

    These are columns or rows, counted from the origin of both.
    """
    shown = np.arange(pixels.start, pixels.stop) + 0.5
    # between two pixels the first one counts
    found: Ints = np.ceil((shown / ratio).round(6)).astype(np.int64) - 1
    return found


def repeated(picture: pygame.Surface, columns: Ints, rows: Ints) -> pygame.Surface:
    """Return a picture of some columns and rows of another one, both ascending."""
    left, top = columns[0], rows[0]
    pixels = pygame.surfarray.pixels2d(picture).T[top : rows[-1] + 1, left : columns[-1] + 1]
    if len(rows) > len(pixels):  # rows shown twice are picked once
        values = pixels.take(columns - left, axis=1).take(rows - top, axis=0)
    else:  # `take` of part of a row copies all rows
        values = pixels[rows - top].take(columns - left, axis=1)
    return pygame.image.frombuffer(values.data, (len(columns), len(rows)), "BGRA")


def nbytes_of(surface: pygame.Surface | None) -> int:
    """Return the memory of the pixels of a surface, in bytes; 0 for None."""
    return 0 if surface is None else surface.get_pitch() * surface.get_height()


def alpha_range(surface: pygame.Surface) -> tuple[int, int]:
    """Return the lowest and the highest alpha value of a surface."""
    pixels = pygame.surfarray.pixels2d(surface)  # the alpha value is in the upper 8 bits
    return int(pixels.min()) >> 24 & 255, int(pixels.max()) >> 24 & 255


def box_of(held: NDArray[np.bool_]) -> pygame.Rect:
    """Return the box around what is true, by column and row; an empty one if nothing is."""
    columns, rows = np.flatnonzero(held.any(axis=1)), np.flatnonzero(held.any(axis=0))
    if not len(columns):
        return pygame.Rect(0, 0, 0, 0)
    (left, right), (top, bottom) = columns[[0, -1]].tolist(), rows[[0, -1]].tolist()
    return pygame.Rect(left, top, right + 1 - left, bottom + 1 - top)


def solid_part(surface: pygame.Surface) -> pygame.Rect | None:
    """Return the part of a surface that is opaque; None if there is anything around it."""
    pixels = pygame.surfarray.pixels2d(surface)
    opaque = pixels >= 0xFF000000  # the alpha value is in the upper 8 bits
    found = box_of(opaque)
    size = found.width * found.height
    is_solid = np.count_nonzero(opaque) == size == np.count_nonzero(pixels >> 24)
    return found if size and is_solid else None


def filled(surface: pygame.Surface) -> tuple[pygame.Rect, float]:
    """Return the part of a surface around what is not empty, and how long its runs are.

    They are the runs of empty or of opaque pixels in its rows, and their length is the mean; 0 if
    a pixel is half-transparent.
    """
    pixels = pygame.surfarray.pixels2d(surface).T  # the alpha value is in the upper 8 bits
    held = pixels >= 1 << 24
    part = box_of(held.T)
    if not part or (held != (pixels >= 0xFF << 24)).any():
        return part, 0.0
    held = held[part.top : part.bottom, part.left : part.right]
    ends = np.count_nonzero(held[:, 1:] != held[:, :-1]) + len(held)
    return part, held.size / ends


def is_packed(surface: pygame.Surface) -> bool:
    """Return whether a surface is, or will be, drawn as runs of pixels."""
    return bool(surface.get_flags() & pygame.RLEACCEL)


def to_copy(size: tuple[int, int], alpha: bool) -> pygame.Surface:
    """Return a surface that is copied, not blended; that is faster if both or neither have alpha.

    Where all rows begin at multiples of 16 bytes, SDL writes past the caches, which takes up to
    four times as long unless the rows are whole lines of the caches. So they do not begin there.
    """
    width, height = size
    flags = pygame.SRCALPHA if alpha else 0
    surface = pygame.Surface(((width | 3) + 2, height), flags, 32).subsurface((0, 0, *size))
    surface.set_alpha(None)
    return surface


def draw_all(target: pygame.Surface, blits: Iterable[Blit]) -> None:
    """Draw surfaces onto another one, in order."""
    if hasattr(target, "fblits"):  # only in pygame-ce; a fifth faster
        target.fblits(blits)
    else:
        target.blits(blits, False)


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


def blend_on(
    target: pygame.Surface, picture: pygame.Surface, corner: tuple[int, int], mode: str
) -> None:
    """Put a picture, as `prepared` returns it, on a surface.

    "add" and "multiply" are pygame's own. Pillow computes the others, in about 0.3 s for a million
    pixels.
    """
    if mode in _FLAGS:
        target.blit(picture, corner, None, _FLAGS[mode])
        return
    place = picture.get_rect(topleft=corner).clip(target.get_rect())
    if not (place.width and place.height):
        return
    above = to_image(picture.subsurface(place.move(-corner[0], -corner[1])))
    box = above.getchannel("A").getbbox()
    if box is None:
        return
    place = pygame.Rect(place.x + box[0], place.y + box[1], box[2] - box[0], box[3] - box[1])
    blended = to_surface(blend(to_image(target.subsurface(place)), above.crop(box), mode))
    blended.set_alpha(None)
    target.blit(blended, place)


def size_of(target: Any) -> tuple[int, int]:
    """Return width and height of a surface or a renderer; raise TypeError for anything else."""
    if isinstance(target, pygame.Surface):
        return target.get_size()
    if target is None:
        raise TypeError(
            "there is nothing to draw on: call pygame.display.set_mode((width, height)) first"
        )
    if hasattr(target, "get_viewport") and hasattr(target, "present"):
        viewport = target.get_viewport()
        return viewport.width, viewport.height
    raise TypeError(f"target must be a pygame.Surface or a Renderer, got {shown(target)}")


def surface_size(target: Any) -> tuple[int, int]:
    """Return width and height of a surface; raise TypeError if the target is something else."""
    size = size_of(target)
    if not isinstance(target, pygame.Surface):
        raise TypeError(f"target must be a pygame.Surface, got {shown(target)}")
    return size


def seen_by(bounds: Sequence[float]) -> Bounds:
    """Return what a camera sees as Bounds.

    Raise TypeError if it is a pygame Rect, and ValueError if it is not a box, or it is empty.
    """
    if isinstance(bounds, _RECTS):
        raise TypeError(
            f"bounds must be min_x, min_y, max_x, max_y, got {shown(bounds)}: "
            "use (*rect.topleft, *rect.bottomright)"
        )
    seen = Bounds.of(bounds)
    if not (seen.width > 0 and seen.height > 0):
        raise ValueError(f"bounds must not be empty, got {tuple(seen)}")
    return seen
