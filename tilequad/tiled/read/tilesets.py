"""From <tileset> and <image> elements to Tilesets and Pictures."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from xml.etree.ElementTree import Element

from ..colors import parse_color
from ..model.pictures import Picture
from ..model.tilesets import Frame, Tile, Tileset
from .attributes import integer
from .collision_shapes import read_collision_shapes
from .context import LoadContext
from .properties import read_properties

__all__ = ["read_picture", "read_tileset"]


def read_tileset(
    element: Element, first_gid: int, path: Path | None, base: Path, context: LoadContext
) -> Tileset:
    """Read a <tileset>.

    Args:
        element: The element that holds the tiles.
        first_gid: From the map.
        path: The tileset's own file, or None.
        base: The folder that its images are relative to.
        context: The door to the disk.
    """
    offset = element.find("tileoffset")
    image = element.find("image")
    tileset = Tileset(
        first_gid=first_gid,
        name=element.get("name", ""),
        path=path,
        tile_width=_size(element, "tilewidth", context),
        tile_height=_size(element, "tileheight", context),
        tile_count=_size(element, "tilecount", context),
        columns=_size(element, "columns", context),
        margin=_size(element, "margin", context),
        spacing=_size(element, "spacing", context),
        render_size=element.get("tilerendersize", "tile"),
        fill_mode=element.get("fillmode", "stretch"),
        object_alignment=element.get("objectalignment", "unspecified"),
        properties=read_properties(element),
        picture=None if image is None else read_picture(image, base, context),
    )
    if offset is not None:
        tileset.tile_offset = (integer(offset, "x", 0, context), integer(offset, "y", 0, context))
    grid = element.find("grid")
    if grid is not None:
        size = integer(grid, "width", 0, context), integer(grid, "height", 0, context)
        tileset.grid = (grid.get("orientation", "orthogonal"), *size)
    for tile in element.findall("tile"):
        local_id = integer(tile, "id", 0, context)
        tileset.tiles[local_id] = entry = _read_tile(tile, base, context)
        shapes = tile.find("objectgroup")
        if shapes is not None:
            entry.shapes = read_collision_shapes(shapes, tileset, local_id, context)
    tileset.counted = tileset.tile_count > 0
    # an image that grew holds more tiles than the map that was not saved since says
    tileset.tile_count = max(tileset.tile_count, _count(tileset))
    if tileset.tile_count > context.limits.tiles:
        limit = context.limits.tiles
        raise context.error(f"has more than the limit of {limit} tiles")
    return tileset


def read_picture(image: Element, base: Path, context: LoadContext) -> Picture | None:
    """Read an <image>: a file that it names, or base64 data in it; None where it is empty."""
    size = integer(image, "width", 0, context), integer(image, "height", 0, context)
    trans = parse_color("#" + image.get("trans", "").lstrip("#"))  # written with and without the #
    transparent = None if trans is None else trans[:3]
    declared = size if min(size) > 0 else None
    data = image.find("data")
    if data is not None and data.text:
        try:
            content = base64.b64decode(data.text)
        except binascii.Error:
            raise context.error("an embedded image is not base64") from None
        return Picture(context, None, content, declared, transparent)
    source = image.get("source")
    if not source:
        return None
    picture = Picture(context, context.locate(source, base), None, declared, transparent)
    if picture.missing:
        context.warn("the image is missing", picture.path)
    return picture


def _read_tile(tile: Element, base: Path, context: LoadContext) -> Tile:
    image = tile.find("image")
    animation = tile.find("animation")
    frames = [] if animation is None else animation.findall("frame")
    picture = None if image is None else read_picture(image, base, context)
    part = None
    if picture is not None and tile.get("width") is not None:
        left, top, width, height = (
            integer(tile, name, 0, context) for name in ("x", "y", "width", "height")
        )
        part = (left, top, width, height)
    return Tile(
        class_name=tile.get("type") or tile.get("class") or "",
        properties=read_properties(tile),
        frames=[
            Frame(integer(frame, "tileid", 0, context), integer(frame, "duration", 0, context))
            for frame in frames
        ],
        picture=picture,
        part=part,
    )


def _size(element: Element, name: str, context: LoadContext) -> int:
    value = integer(element, name, 0, context)
    if value < 0:
        raise context.error(f"{name} is {value}")
    return value


def _count(tileset: Tileset) -> int:
    """The number of tiles of an old tileset that does not say it."""
    if tileset.picture is None:
        return tileset.end_id
    size = tileset.picture.declared or tileset.picture.size
    if size is None or not tileset.tile_width or not tileset.tile_height:
        return 0
    columns, rows = (
        max(0, (length - tileset.margin + tileset.spacing) // (tile + tileset.spacing))
        for length, tile in zip(size, (tileset.tile_width, tileset.tile_height), strict=True)
    )
    return columns * rows
