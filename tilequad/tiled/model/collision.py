"""Collision shapes of tiles, and their outlines in flipped cells."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians, sin
from typing import NamedTuple

import numpy as np

from ..cells import (
    FLIPPED_DIAGONALLY,
    FLIPPED_HORIZONTALLY,
    FLIPPED_VERTICALLY,
    Floats,
    turn_of,
)
from .properties import Properties

__all__ = ["CollisionShape", "flipped", "shown_shapes"]


class CollisionShape(NamedTuple):
    """One collision shape of a tile.

    Attributes:
        shape: As of a MapObject: "rectangle", "polygon", "polyline", "ellipse", "point" ...
        points: Its outline, (n, 2).
        class_name: Its class in Tiled, or "".
        properties: Its custom properties.
    """

    shape: str
    points: Floats
    class_name: str
    properties: Properties


def flipped(
    points: Floats, size: tuple[float, float], flags: int, place: Floats, turns: bool
) -> Floats:
    """Move points of a tile's image to where a cell draws the tile, in pixels of the map, y down.

    Args:
        points: In pixels of the image from its top-left corner, y down; (n, 2).
        size: Width and height of the image.
        flags: The flip bits of the cell.
        place: The box of the tile as drawn: left, top, right, bottom.
        turns: Whether the map is hexagonal, where flags rotate a tile about its center.
    """
    middle = (place[:2] + place[2:]) / 2
    away = points - np.array(size) / 2
    mirrored = (
        -1 if flags & FLIPPED_HORIZONTALLY else 1,
        -1 if flags & FLIPPED_VERTICALLY else 1,
    )
    if turns:
        away = away * mirrored
        angle = radians(turn_of(flags))
        turn = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
        moved: Floats = away @ turn.T + middle
        return moved
    if flags & FLIPPED_DIAGONALLY:
        away, size = away[:, ::-1], (size[1], size[0])
    return away * mirrored * ((place[2:] - place[:2]) / np.maximum(size, 1)) + middle


def shown_shapes(
    shapes: Iterable[CollisionShape],
    size: tuple[int, int],
    flags: int,
    corners: Floats,
    turns: bool,
) -> list[CollisionShape]:
    """Move the shapes of a tile to where an object shows it: scaled, flipped and turned with it.

    `corners` is its outline: where the top left corner of the image as shown is, the top right, the
    bottom right and the bottom left one. `turns` is for hexagonal maps.
    """
    across, down = corners[1] - corners[0], corners[3] - corners[0]
    shown = np.hypot(*across), np.hypot(*down)
    scale = np.array(shown) / np.maximum(size, 1) if turns else np.ones(2)
    place = np.array((0.0, 0.0, *shown))
    found = []
    for shape in shapes:
        own = (size[0] * scale[0], size[1] * scale[1])
        points = flipped(shape.points * scale, own, flags, place, turns)
        parts = points / np.maximum(shown, np.finfo(float).tiny)
        moved = corners[0] + parts[:, :1] * across + parts[:, 1:] * down
        found.append(shape._replace(points=moved))
    return found
