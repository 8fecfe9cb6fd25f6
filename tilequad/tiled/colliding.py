"""Collision shapes of tiles: out of the tileset, and under the flips of a cell."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .axes import Axes
from .cells import ACROSS, DIAGONAL, DOWN, TURN_120
from .layers import Head
from .objectreader import read_objects
from .placing import Grid, Isometric, Orthogonal
from .reading import Reading
from .tilesets import Tileset, TilesetList

__all__ = ["CollisionShape", "flipped", "read_shapes"]

Floats = NDArray[np.float64]


class CollisionShape(NamedTuple):
    """One shape of a tile.

    Attributes:
        shape: As of a MapObject: "rectangle", "polygon", "polyline", "ellipse", "point" ...
        points: Its outline, (n, 2).
        type: Its class, or "".
        properties: Its custom properties.
    """

    shape: str
    points: Floats
    type: str
    properties: dict[str, Any]


def read_shapes(tileset: Tileset, local_id: int) -> list[CollisionShape]:
    """The shapes that Tiled's collision editor gave to a tile of a tileset.

    Args:
        tileset: The tileset.
        local_id: The tile's number in it.

    Returns:
        Outlines in pixels of the tile's image from its top-left corner, y down.

    Raises:
        MapError: A shape is broken.
    """
    element = tileset.collision_element(local_id)
    if element is None:
        return []
    orientation, width, height = tileset.grid
    grid: Grid = Orthogonal(1, 1, max(width, 1), max(height, 1))
    offset = (0.0, 0.0)
    if orientation == "isometric":  # the diamond lies at the foot of the image
        grid = Isometric(1, 1, max(width, 1), max(height, 1))
        offset = (0.0, float(tileset.tile_size(local_id)[1] - height))
    objects = read_objects(
        element,
        Head(offset=offset),
        grid,
        TilesetList([], (1, 1)),
        Axes(0, y_up=False),
        Reading(tileset.path or tileset.name),
    ).objects
    return [CollisionShape(item.shape, item.points, item.type, item.properties) for item in objects]


def flipped(
    points: Floats, size: tuple[int, int], flags: int, place: Floats, turns: bool
) -> Floats:
    """Points of a tile's image where they come to lie with the tile.

    Args:
        points: In pixels of the image from its top-left corner, y down; (n, 2).
        size: Width and height of the image.
        flags: The flip bits of the cell.
        place: The box of the tile as drawn: left, top, right, bottom.
        turns: Whether the map is hexagonal, where flags turn a tile about its centre.

    Returns:
        In pixels of the map, y down.
    """
    middle = (place[:2] + place[2:]) / 2
    away = points - np.array(size) / 2
    if turns:
        away = away * (-1 if flags & ACROSS else 1, -1 if flags & DOWN else 1)
        angle = radians(60 * bool(flags & DIAGONAL) + 120 * bool(flags & TURN_120))
        turn = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
        moved: Floats = away @ turn.T + middle
        return moved
    if flags & DIAGONAL:
        away, size = away[:, ::-1], (size[1], size[0])
    away = away * (-1 if flags & ACROSS else 1, -1 if flags & DOWN else 1)
    stretched: Floats = away * ((place[2:] - place[:2]) / np.maximum(size, 1)) + middle
    return stretched
