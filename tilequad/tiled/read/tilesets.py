"""Step 2a: turns a <tileset> into a Tileset with its tiles; also any <image> into a Picture."""

from __future__ import annotations

import base64
from copy import copy
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..geometry.grids import Axes, Grid, Isometric, Orthogonal
from ..model.collision import CollisionShape
from ..model.frame import MapFrame, MapTools
from ..model.layer import LayerAttributes
from ..model.pictures import Picture
from ..model.tilesets import Frame, Tile, Tileset, TilesetList, Transformations
from .attributes import boolean, decimal, integer, parse_color, read_properties
from .objects import read_objects
from .wang_sets import read_wang_sets

__all__ = ["TRANSFORMATIONS", "read_picture", "read_tileset"]

TRANSFORMATIONS = {
    "flip_horizontally": "hflip",
    "flip_vertically": "vflip",
    "rotate": "rotate",
    "prefer_untransformed": "preferuntransformed",
}  # the attribute of each


def read_tileset(
    element: Element, first_gid: int, path: Path | None, base: Path, context: LoadContext
) -> Tileset:
    """Read a <tileset>; its images are relative to the folder `base`.

    See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#tileset.
    """
    image = element.find("image")
    picture = None if image is None else read_picture(image, base, context)
    context.take("objects", len(element.findall("tile")))
    tile_elements = {integer(tile, "id", 0, context): tile for tile in element.findall("tile")}
    declared = _size(element, "tilecount", context)
    tileset = Tileset(
        first_gid=first_gid,
        name=element.get("name", ""),
        path=path,
        tile_width=_size(element, "tilewidth", context),
        tile_height=_size(element, "tileheight", context),
        tile_count=declared,
        columns=_size(element, "columns", context),
        margin=_size(element, "margin", context),
        spacing=_size(element, "spacing", context),
        tile_offset=_pair(element.find("tileoffset"), "x", "y", context),
        render_size=element.get("tilerendersize", "tile"),
        fill_mode=element.get("fillmode", "stretch"),
        object_alignment=element.get("objectalignment", "unspecified"),
        grid=_collision_grid(element, context),
        class_name=element.get("class", ""),
        properties=read_properties(element, context),
        transformations=_transformations(element.find("transformations")),
        wang_sets=read_wang_sets(element, context),
        picture=picture,
        tiles={number: _read_tile(tile, base, context) for number, tile in tile_elements.items()},
    )
    columns, count = _count(tileset)
    tileset.columns = tileset.columns or columns
    # Maps that were not saved after their image grew declare too few tiles.
    tileset.tile_count = count if picture is None else max(declared, count)
    if tileset.tile_count > context.limits.tiles:
        limit = context.limits.tiles
        raise context.error(f"has more than the limit of {limit} tiles")
    for number, tile in tile_elements.items():
        shapes = tile.find("objectgroup")
        if shapes is not None:
            tileset.tiles[number].shapes = _collision_shapes(shapes, tileset, number, context)
    return tileset


def _read_tile(tile: Element, base: Path, context: LoadContext) -> Tile:
    image = tile.find("image")
    picture = None if image is None else read_picture(image, base, context)
    properties = read_properties(tile, context)
    shapes = tile.find("objectgroup")
    if shapes is not None:  # up to version 1.1, Tiled let users set properties there
        properties._inherit(read_properties(shapes, context))
    return Tile(
        class_name=tile.get("type") or tile.get("class") or "",
        probability=decimal(tile, "probability", 1.0, context),
        properties=properties,
        frames=_frames(tile, properties, context),
        picture=picture,
        part=_part(tile, picture, context),
    )


def _transformations(element: Element | None) -> Transformations:
    if element is None:
        return Transformations()
    flags = {name: boolean(element, tag, False) for name, tag in TRANSFORMATIONS.items()}
    return Transformations(**flags)


def _frames(tile: Element, properties: dict[str, Any], context: LoadContext) -> list[Frame]:
    """Return the animation of a tile: its own, or one described by The Mana World's properties."""
    if tile.find("animation") is not None:
        return [
            Frame(integer(frame, "tileid", 0, context), integer(frame, "duration", 0, context))
            for frame in tile.findall("animation/frame")
        ]
    frames: list[Frame] = []
    while properties:
        names = f"animation-frame{len(frames)}", f"animation-delay{len(frames)}"
        if not all(name in properties for name in names):
            return frames
        # as attributes of a temporary element, to be read as numbers
        frame = Element("frame", tileid=str(properties[names[0]]), delay=str(properties[names[1]]))
        local_id = integer(frame, "tileid", 0, context)
        frames.append(Frame(local_id, 10 * integer(frame, "delay", 0, context)))
    return frames


def _part(
    tile: Element, picture: Picture | None, context: LoadContext
) -> tuple[int, int, int, int] | None:
    """Return the part of its image that a tile of a collection shows, unless it shows all."""
    if picture is None or tile.get("width") is None:
        return None
    x, y = _pair(tile, "x", "y", context)
    return x, y, *_pair(tile, "width", "height", context)


def _collision_grid(element: Element, context: LoadContext) -> tuple[str, int, int]:
    grid = element.find("grid")
    orientation = "orthogonal" if grid is None else grid.get("orientation", "orthogonal")
    return orientation, *_pair(grid, "width", "height", context)


def _collision_shapes(
    element: Element, tileset: Tileset, local_id: int, context: LoadContext
) -> list[CollisionShape]:
    """Read the shapes that Tiled's collision editor gave to a tile.

    See https://doc.mapeditor.org/en/stable/manual/editing-tilesets/#tile-collision-editor. They are
    in pixels of the tile's image from its top-left corner, y down.
    """
    orientation, width, height = tileset.grid
    grid: Grid = Orthogonal(1, 1, max(width, 1), max(height, 1))
    offset = (0.0, 0.0)
    if orientation == "isometric":  # the diamond is at the bottom of the image
        grid = Isometric(1, 1, max(width, 1), max(height, 1))
        offset = (0.0, float(tileset.tile_size(local_id)[1] - height))
    axes = Axes(0, y_up=False)
    frame = MapFrame(grid, False, TilesetList([], (1, 1)), axes, MapTools({}, None))
    own = copy(element)  # the map's other tilesets may hold it, too
    layer = read_objects(own, LayerAttributes(offset=offset), frame, context)
    return [
        CollisionShape(item.shape, item.points, item.class_name, item.properties)
        for item in layer.objects
    ]


def _pair(
    element: Element | None, first: str, second: str, context: LoadContext
) -> tuple[int, int]:
    if element is None:
        return 0, 0
    return integer(element, first, 0, context), integer(element, second, 0, context)


def _size(element: Element, name: str, context: LoadContext) -> int:
    value = integer(element, name, 0, context)
    if value < 0:
        raise context.error(f"{name} is {value}")
    return value


def _count(tileset: Tileset) -> tuple[int, int]:
    """Return the numbers of columns and tiles, counted in the image if not declared."""
    picture = tileset.picture
    if picture is None:
        return 0, len(tileset.tiles)
    # The size that the map declares may be wrong, but no file needs to be opened for it.
    size = (tileset.tile_count and picture.declared) or picture.size
    if size is None or not tileset.tile_width or not tileset.tile_height:
        return 0, 0
    columns, rows = (
        max(0, (length - tileset.margin + tileset.spacing) // (tile + tileset.spacing))
        for length, tile in zip(size, (tileset.tile_width, tileset.tile_height), strict=True)
    )
    return columns, columns * rows


def read_picture(image: Element, base: Path, context: LoadContext) -> Picture | None:
    """Read an <image>: a reference to a file, or base64 data inside it; None if it is empty.

    See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#image. The file is opened when
    it is first drawn. It is missing, with a warning, if the reference is absolute.
    """
    size = integer(image, "width", 0, context), integer(image, "height", 0, context)
    trans = image.get("trans")
    color = trans and parse_color("#" + trans.lstrip("#"))  # Tiled writes it without the #
    transparent = color[:3] if color else None
    declared = size if size[0] > 0 and size[1] > 0 else None
    data = image.find("data")
    if data is not None and data.text:
        try:
            content = base64.b64decode(data.text)
        except ValueError:
            raise context.error("an embedded image is not base64") from None
        return Picture._make(context, None, content, declared, transparent)
    source = image.get("source")
    if not source:
        return None
    path = context.find(source, base)
    if path is None:
        return Picture._make(context, None, None, declared, transparent, absolute=source)
    picture = Picture._make(context, path, None, declared, transparent)
    if picture.missing:
        context.warn("the image is missing", picture.path)
    return picture
