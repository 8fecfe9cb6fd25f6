"""A tile's picture as its layer shows it: flipped, turned, tinted and faded."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.tiled import ACROSS, DIAGONAL, DOWN, TURN_120, Layer

__all__ = ["HEXAGON_TURNS", "fade", "flip", "hexagon_turn", "orient"]

HEXAGON_TURNS = DIAGONAL | TURN_120  # the flags that turn a tile of a hexagonal map


def orient(image: Image.Image, flags: int) -> Image.Image:
    """Apply the three flip flags of a tile; hexagonal maps use `flip` and `hexagon_turn`."""
    if flags & DIAGONAL:
        image = image.transpose(Image.Transpose.TRANSPOSE)
    return flip(image, flags)


def flip(image: Image.Image, flags: int) -> Image.Image:
    """Mirror an image left to right and top to bottom, as the flags say."""
    if flags & ACROSS:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if flags & DOWN:
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return image


def hexagon_turn(flags: int) -> NDArray[np.float64]:
    """The rotation matrix of a hexagonal tile: its flags add 60 and 120 degrees."""
    angle = radians(60 * bool(flags & DIAGONAL) + 120 * bool(flags & TURN_120))
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def fade(image: Image.Image, layer: Layer, opacity: float = 1) -> Image.Image:
    """Apply the tint and opacity of a layer.

    Args:
        image: An RGBA image; it stays as it is.
        layer: The layer that shows it.
        opacity: A factor of the image's own, from 0 to 1.

    Returns:
        A new image, or the same one where nothing changes.
    """
    tint, opacity = layer.tint, layer.opacity * opacity
    if tint is None and opacity == 1:
        return image
    red, green, blue, alpha = tint or (255, 255, 255, 255)
    factors = np.array([[red], [green], [blue], [alpha * opacity]]) / 255
    # A lookup table for each channel: arithmetic on the pixels would take 32 bytes for each.
    table = (np.arange(256) * factors + 0.5).astype(np.uint8)
    return image.point(table.ravel().tolist())
