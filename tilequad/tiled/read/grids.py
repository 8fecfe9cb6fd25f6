"""Step 2: makes the grid of the map's cells from the attributes of <map>."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..geometry.grids import Grid, Hexagonal, Isometric, Oblique, Orthogonal, Staggered
from .attributes import integer, word

__all__ = ["RENDER_ORDERS", "STAGGER_AXES", "STAGGER_INDICES", "read_grid"]

# The first word of each is the default.
RENDER_ORDERS = ("right-down", "right-up", "left-down", "left-up")
STAGGER_AXES = ("y", "x")
STAGGER_INDICES = ("odd", "even")


def read_grid(tree: Element, context: LoadContext) -> Grid:
    """Read the orientation of the map and the sizes of map and cells.

    See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#map.

    Raises:
        MapError: Tiled does not know the orientation, or a size is missing or negative.
    """
    strictly = context.strictly()
    columns, rows, tile_width, tile_height = (
        integer(tree, name, 0, strictly) for name in ("width", "height", "tilewidth", "tileheight")
    )
    if columns < 0 or rows < 0:
        raise context.error(f"a size of {columns} x {rows} cells")
    if tile_width <= 0 or tile_height <= 0:
        raise context.error(f"cells of {tile_width} x {tile_height} pixels")
    size = (columns, rows, tile_width, tile_height)
    orientation = tree.get("orientation", "orthogonal")
    if orientation == "orthogonal":
        order = word(tree, "renderorder", RENDER_ORDERS)
        return Orthogonal(*size, leftwards="left" in order, upwards="up" in order)
    if orientation == "isometric":
        return Isometric(*size)
    if orientation in ("staggered", "hexagonal"):
        hexagonal = orientation == "hexagonal"
        return (Hexagonal if hexagonal else Staggered)(
            *size,
            side=integer(tree, "hexsidelength", 0, context) if hexagonal else 0,
            stagger_x=word(tree, "staggeraxis", STAGGER_AXES) == "x",
            stagger_even=word(tree, "staggerindex", STAGGER_INDICES) == "even",
        )
    if orientation == "oblique":
        skew_x, skew_y = integer(tree, "skewx", 0, context), integer(tree, "skewy", 0, context)
        return Oblique(*size, skew_x=skew_x, skew_y=skew_y)
    raise context.error(f"unknown orientation {orientation!r}")
