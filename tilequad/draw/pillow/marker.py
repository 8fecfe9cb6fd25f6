"""The marker that Tiled draws for a tile whose image is missing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

__all__ = ["missing_marker"]

_MAX_SIDE = 1024  # in pixels; the markers of larger tiles are stretched
_SHADE = 128 / 255  # opacity of the dark box


def missing_marker(size: tuple[int, int]) -> Image.Image:
    """Draw a dark box, framed and crossed out in red.

    Args:
        size: Width and height in pixels; at most 1024 of each are drawn.

    Returns:
        An RGBA image.
    """
    width, height = (min(max(side, 1), _MAX_SIDE) for side in size)
    right, bottom = width - 1, height - 1
    corners = [(0, 0), (right, 0), (right, bottom), (0, bottom)]
    frame = zip(corners, [*corners[1:], corners[0]], strict=True)
    diagonals = zip(corners[:2], corners[2:], strict=True)

    alpha = np.zeros((height, width))
    alpha[1:, 1:] = _SHADE
    red = np.zeros((height, width))  # premultiplied
    for start, end in [*frame, *diagonals]:
        line = _line_coverage(width, height, start, end)
        red = line + red * (1 - line)
        alpha = line + alpha * (1 - line)
    pixels = np.zeros((height, width, 4))
    pixels[:, :, 0] = red / np.maximum(alpha, 1e-9)
    pixels[:, :, 3] = alpha
    return Image.fromarray((pixels * 255 + 0.5).astype(np.uint8))


def _line_coverage(
    width: int, height: int, start: tuple[int, int], end: tuple[int, int]
) -> NDArray[np.float64]:
    """How much of each pixel an antialiased line covers; half of the two end pixels.

    Each step along the longer axis is shared between two pixels of the other axis (Xiaolin Wu, "An
    efficient antialiasing technique", 1991), as Tiled's toolkit does. Pillow's lines are not
    antialiased, so they differ from Tiled's picture wherever a cell is not square.
    """
    coverage = np.zeros((height + 1, width + 1))
    (x0, y0), (x1, y1) = start, end
    steps = max(abs(x1 - x0), abs(y1 - y0), 1)
    x = x0 + np.arange(steps + 1) * ((x1 - x0) / steps)
    y = y0 + np.arange(steps + 1) * ((y1 - y0) / steps)
    left, top = np.floor(x + 1e-9).astype(int), np.floor(y + 1e-9).astype(int)
    second = np.clip((x - left) + (y - top), 0, 1)  # along the longer axis there is no remainder
    ends = np.ones(steps + 1)
    ends[0] = ends[-1] = 0.5
    coverage[top, left] = (1 - second) * ends
    down = int(abs(x1 - x0) >= abs(y1 - y0))
    coverage[top + down, left + 1 - down] += second * ends
    return coverage[:height, :width]
