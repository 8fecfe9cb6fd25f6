"""Step 3b: turns the <objectgroup> of a <tile> into its collision shapes."""

from __future__ import annotations

from copy import copy
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..geometry.grids import Axes, Grid, Isometric, Orthogonal
from ..model.collision import CollisionShape
from ..model.layer import LayerAttributes
from ..model.tilesets import Tileset, TilesetList
from .objects import read_objects

__all__ = ["read_collision_shapes"]


def read_collision_shapes(
    element: Element, tileset: Tileset, local_id: int, context: LoadContext
) -> list[CollisionShape]:
    """Read the shapes that Tiled's collision editor gave to a tile.

    See https://doc.mapeditor.org/en/stable/manual/editing-tilesets/#tile-collision-editor.

    Args:
        element: The <objectgroup> in the <tile>.
        tileset: The tile's tileset, with its grid and tiles.
        local_id: The tile's number in it.
        context: The limits, and the tileset for errors.

    Returns:
        Outlines in pixels of the tile's image from its top-left corner, y down.

    Raises:
        MapError: A shape is broken.
    """
    orientation, width, height = tileset.grid
    grid: Grid = Orthogonal(1, 1, max(width, 1), max(height, 1))
    offset = (0.0, 0.0)
    if orientation == "isometric":  # the diamond is at the bottom of the image
        grid = Isometric(1, 1, max(width, 1), max(height, 1))
        offset = (0.0, float(tileset.tile_size(local_id)[1] - height))
    layer = read_objects(
        copy(element),  # the map's other tilesets may hold it, too
        LayerAttributes(offset=offset),
        grid,
        TilesetList([], (1, 1)),
        Axes(0, y_up=False),
        context,
    )
    return [
        CollisionShape(item.shape, item.points, item.class_name, item.properties)
        for item in layer.objects
    ]
