"""Matrices that turn a picture, from its flags or an angle."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

import numpy as np
from numpy.typing import NDArray

from tilequad.tiled import (
    FLIPPED_DIAGONALLY,
    FLIPPED_HORIZONTALLY,
    FLIPPED_VERTICALLY,
    ROTATED_HEXAGONAL_120,
)

__all__ = ["HEXAGON_TURNS", "hexagon_turn", "rotation", "turn_matrix"]

# The flags that turn a tile of a hexagonal map
HEXAGON_TURNS = FLIPPED_DIAGONALLY | ROTATED_HEXAGONAL_120


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
