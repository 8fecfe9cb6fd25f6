"""A tile's picture as its layer shows it: flipped, turned, tinted and faded."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.tiled import (
    FLIPPED_DIAGONALLY,
    FLIPPED_HORIZONTALLY,
    FLIPPED_VERTICALLY,
    ROTATED_HEXAGONAL_120,
    Color,
)

__all__ = [
    "HEXAGON_TURNS",
    "fade",
    "hexagon_turn",
    "is_crisp",
    "orient",
    "rotation",
    "tint",
    "turn_matrix",
]

# The flags that turn a tile of a hexagonal map
HEXAGON_TURNS = FLIPPED_DIAGONALLY | ROTATED_HEXAGONAL_120


def orient(image: Image.Image, flags: int) -> Image.Image:
    """Apply the three flip flags of a tile, as all maps but hexagonal ones have them."""
    if flags & FLIPPED_DIAGONALLY:
        image = image.transpose(Image.Transpose.TRANSPOSE)
    if flags & FLIPPED_HORIZONTALLY:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if flags & FLIPPED_VERTICALLY:
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return image


def hexagon_turn(flags: int) -> int:
    """The degrees by which flags turn a hexagonal tile, clockwise."""
    return 60 * bool(flags & FLIPPED_DIAGONALLY) + 120 * bool(flags & ROTATED_HEXAGONAL_120)


def rotation(degrees: float) -> NDArray[np.float64]:
    """The matrix that turns clockwise where y points down."""
    quarters, rest = divmod(degrees % 360, 90)
    # Right angles are exact. Others are not rounded, because that would change how ties are
    # decided.
    cosine, sine = cos(radians(degrees)), sin(radians(degrees))
    if not rest:
        cosine, sine = ((1, 0), (0, 1), (-1, 0), (0, -1))[int(quarters)]
    return np.array([[cosine, -sine], [sine, cosine]], float)


def turn_matrix(
    flags: int, size: Sequence[float], image_size: tuple[int, int], hexagonal: bool
) -> NDArray[np.float64]:
    """The matrix of a tile that is flipped, resized and turned, in this order.

    Its size on a hexagonal map, where flags turn it by steps of 60 degrees, is that before it
    turns; on others that after a diagonal flip.
    """
    flips = np.diag(
        (-1.0 if flags & FLIPPED_HORIZONTALLY else 1.0, -1.0 if flags & FLIPPED_VERTICALLY else 1.0)
    )
    turn, swap = np.eye(2), np.eye(2)
    if hexagonal:
        turn = rotation(hexagon_turn(flags))
    elif flags & FLIPPED_DIAGONALLY:
        swap, image_size = swap[::-1], image_size[::-1]
    matrix: NDArray[np.float64] = turn @ np.diag(np.divide(size, image_size)) @ flips @ swap
    return matrix


def tint(image: Image.Image, color: Color | None) -> Image.Image:
    """Return an RGBA image tinted as Tiled does, or the same one where nothing changes.

    A half-transparent pixel counts as one on white: alpha a, color c and tint t give t * (1 - a + a
    * c).
    """
    if color in (None, (255, 255, 255, 255)):
        return image
    assert color is not None
    # A lookup table for each channel: arithmetic on the pixels would take 32 bytes for each.
    if not is_crisp(image):
        image = _on_white(image)
    table = np.arange(256) * (np.array(color)[:, None] / 255) + 0.5
    return image.point(table.astype(np.uint8).ravel().tolist())


def is_crisp(image: Image.Image) -> bool:
    """Return whether each pixel of an RGBA image is either opaque or transparent."""
    return not sum(image.getchannel("A").histogram()[1:255])


def fade(image: Image.Image, opacity: float) -> Image.Image:
    """Apply an opacity to an RGBA image; return a new one, or the same one at opacity 1."""
    if opacity == 1:
        return image
    table = (np.arange(256) * opacity + 0.5).astype(np.uint8).tolist()
    faded = image.copy()
    faded.putalpha(image.getchannel("A").point(table))
    return faded


def _on_white(image: Image.Image) -> Image.Image:
    """Lay the colors of an image on white, and keep its alpha."""
    alpha = image.getchannel("A")
    white = Image.new("RGB", image.size, (255, 255, 255))
    white.paste(image.convert("RGB"), mask=alpha)
    white.putalpha(alpha)
    return white
