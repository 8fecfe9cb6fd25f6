"""Turn the XML of a map into XML that pytmx can read, one small repair at a time.

pytmx reads what Tiled wrote some years ago. Each repair replaces one feature of newer maps with one
that pytmx knows, and names a real map that needs it. External tilesets and templates are
already in place.
"""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, TypeVar
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ..cells import FLAG_SHIFT, ROTATED_HEXAGONAL_120
from ..model.image_layer import ImageLayer
from ..model.tile_layer import TileLayer, places_of
from ..model.tile_map import TileMap
from ..read.attributes import number_or_zero, read_properties

__all__ = ["REPAIRS"]

T = TypeVar("T")


def drop_unknown_attributes(tree: Element, tile_map: TileMap) -> None:
    """Drop the attributes that Tiled's format does not have.

    pytmx sets every attribute of an element on its object, so <map layers="x"> breaks it. Needed by
    hostile maps: <map filename="/etc/x.tmx">.
    """
    for element in tree.iter():
        known = _ATTRIBUTES.get(element.tag, frozenset())
        for name in set(element.keys()) - known:
            del element.attrib[name]


def drop_unknown_elements(tree: Element, tile_map: TileMap) -> None:
    """Drop the elements that Tiled does not know, with all that is in them.

    Tiled does not look into them; pytmx, and the repairs after this one, would find layers there.
    Needed by maps with elements of other programs.
    """
    for parent in [tree, *tree.iter("group")]:
        for child in list(parent):
            if child.tag not in _IN_MAPS:
                parent.remove(child)


def put_tilesets_in_place(tree: Element, tile_map: TileMap) -> None:
    """Turn external tilesets into tilesets of the map.

    pytmx opens .tsx files only. Needed by tiled/examples/sewer_automap, which uses .xml, and by
    maps that use .json. The elements of the tileset are in the tree already, so only the paths of
    its images change: they become relative to the map.
    """
    for element in tree.findall("tileset"):
        source = element.attrib.pop("source", None)
        if source is None:
            continue
        folder = os.path.dirname(source)
        for image in element.iter("image"):
            if image.get("source"):
                image.set("source", os.path.join(folder, image.get("source", "")))


def write_cells(tree: Element, tile_map: TileMap) -> None:
    """Write all cells of a layer as one grid, in base64.

    pytmx knows neither chunks nor zstd nor XML tiles nor trailing commas. Needed by melonjs
    desert-infinite.tmx, pytiled_parser b64_zstd/map.tmx and cocos2d-objc's maps with <tile>
    elements. All layers of an infinite map become grids of one size, with an offset to where that
    grid begins. In a map with edges, cells keep their columns and rows: a layer with tiles beyond
    the size that it declares becomes larger, and tiles left of the map or above it are left out,
    because pytmx has no negative cells.
    """
    left, top, columns, rows = _grid(tile_map)
    if tile_map.infinite:
        tree.set("width", str(columns))
        tree.set("height", str(rows))
    layers = [layer for layer in tile_map.layers if isinstance(layer, TileLayer)]
    left_to_take = tile_map.limits.cells
    for element, layer in _paired(tree.iter("layer"), layers):
        if not tile_map.infinite:
            # pytmx cannot count the rows of a layer without columns
            columns, rows = (
                max(1, end, int(number_or_zero(element.get(side, ""))))
                for side, end in zip(("width", "height"), _ends(layer), strict=True)
            )
            left_to_take -= columns * rows
            if left_to_take < 0:  # cells of a layer without data are counted only here
                raise ValueError(f"a layer of {columns} x {rows} cells")
        element.set("width", str(columns))
        element.set("height", str(rows))
        for name, moved in (
            ("offsetx", left * tile_map.tile_size[0]),
            ("offsety", top * tile_map.tile_size[1]),
        ):
            if moved:
                element.set(name, str(number_or_zero(element.get(name, "")) + moved))
        for data in element.findall("data"):
            element.remove(data)
        data = SubElement(element, "data", encoding="base64")
        data.text = b64encode(_dense(layer, left, top, columns, rows)).decode()


def complete_tileset_images(tree: Element, tile_map: TileMap) -> None:
    """Give each tileset image a size at which pytmx counts its tiles as Tiled does.

    pytmx wants the size in the map: tiled/examples/perspective_walls.tmx lacks it. It miscounts if
    there is a margin, if the size differs from the file's (go-tiled/assets/tilesets), or if the
    file is missing.
    """
    for element, tileset in _paired(tree.findall("tileset"), tile_map.tilesets.as_written):
        image = element.find("image")
        if image is None:
            continue
        width, height = (tileset.picture and tileset.picture.size) or (0, 0)
        columns, rows = tileset.shape
        if columns * rows > tile_map.limits.tiles:  # pytmx takes memory for each of them
            raise ValueError(f"tileset {tileset.name!r} has {columns * rows} tiles")
        pitch_x = tileset.tile_width + tileset.spacing
        pitch_y = tileset.tile_height + tileset.spacing
        if _pytmx_count(width, tileset.tile_width, pitch_x) != columns:
            width = max(0, columns * pitch_x - tileset.spacing)
        if _pytmx_count(height, tileset.tile_height, pitch_y) != rows:
            height = max(0, rows * pitch_y - tileset.spacing)
        image.set("width", str(width))
        image.set("height", str(height))
        # pytmx would step through the image by zero, forever
        if tileset.tile_width <= 0 or tileset.tile_height <= 0:
            element.remove(image)


def complete_image_layers(tree: Element, tile_map: TileMap) -> None:
    """Give each image layer an <image>, and hide it in a way that pytmx understands.

    pytmx wants an <image> in every image layer: rs-tiled/assets/tiled_image_layers.tmx lacks one.
    It also keeps visible="0" as text, which counts as true; only empty text is false.
    """
    layers = [layer for layer in tile_map.layers if isinstance(layer, ImageLayer)]
    for element, layer in _paired(tree.iter("imagelayer"), layers):
        if element.find("image") is None:
            SubElement(element, "image")
        if element.get("visible") is not None and not layer.visible:
            element.set("visible", "")


def flatten_properties(tree: Element, tile_map: TileMap) -> None:
    """Turn lists into JSON text, and members of classes into properties such as "stats.hp".

    pytmx knows neither lists nor a type without a value, and classes only with a project file.
    Needed by bevy_ecs_tiled's demo.tmx (lists) and its finite maps (classes).
    """
    for group in list(tree.iter("properties")):
        values = _entries(group)
        for child in list(group):
            group.remove(child)
        for name, kind, value in values:
            SubElement(group, "property", name=name, type=kind, value=value)


def complete_shapes(tree: Element, tile_map: TileMap) -> None:
    """Give the points that pytmx needs to polygons without any, which Tiled draws as a dot."""
    for shape in (*tree.iter("polygon"), *tree.iter("polyline")):
        shape.set("points", shape.get("points", ""))


def plain_numbers(tree: Element, tile_map: TileMap) -> None:
    """Round or drop the numbers that pytmx cannot read, and write booleans as 0 or 1.

    pytmx reads some numbers as integers, and raises an error if text is not a number. Needed by
    tiled/examples/sticker-knight's maps with offsetx="32.6667", and by hostile ones.
    """
    casts = import_module("pytmx.pytmx").types
    for element in tree.iter():
        if element.tag == "property":
            continue
        for name, text in list(element.items()):
            if casts[name] is str or (not text and casts[name] not in (int, float)):
                continue
            try:
                number = float(text)
                whole = casts[name] is not float or number == int(number)
                element.set(name, str(int(number) if whole else number))
            except (ValueError, OverflowError):
                if casts[name] in (int, float):
                    del element.attrib[name]
                else:  # a boolean written as a word
                    element.set(name, "1" if text.lower() in ("true", "yes") else "0")


REPAIRS = (
    drop_unknown_attributes,
    drop_unknown_elements,
    put_tilesets_in_place,
    write_cells,
    complete_tileset_images,
    complete_image_layers,
    flatten_properties,
    complete_shapes,
    plain_numbers,
)


# The elements that Tiled reads in a map and in a group.
_IN_MAPS = ("properties", "tileset", "layer", "objectgroup", "imagelayer", "group")


def _paired(elements: Iterable[Element], parts: Iterable[T]) -> list[tuple[Element, T]]:
    """Return elements with the parts of the map that were read from them."""
    try:
        return list(zip(elements, parts, strict=True))
    except ValueError:
        raise ValueError("the file has changed since it was loaded") from None


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The attributes in Tiled's format that pytmx may set on its objects.
_LAYER = _names(
    "id name class type x y width height opacity visible tintcolor offsetx offsety parallaxx "
    "parallaxy mode locked repeatx repeaty color draworder"
)


_ATTRIBUTES = {
    "map": _names(
        "version tiledversion class orientation renderorder compressionlevel width height "
        "tilewidth tileheight hexsidelength staggeraxis staggerindex parallaxoriginx "
        "parallaxoriginy backgroundcolor nextlayerid nextobjectid infinite skewx skewy"
    ),
    "tileset": _names(
        "firstgid source name class tilewidth tileheight spacing margin tilecount columns "
        "objectalignment tilerendersize fillmode backgroundcolor version tiledversion"
    ),
    "layer": _LAYER,
    "group": _LAYER,
    "imagelayer": _LAYER,
    "objectgroup": _LAYER,
    "object": _names("id name type class x y width height rotation gid visible template opacity"),
    "tile": _names("id type class terrain probability x y width height gid"),
    "image": _names("format source trans width height"),
    "frame": _names("tileid duration"),
    "tileoffset": _names("x y"),
    "property": _names("name type propertytype value"),
    "item": _names("type propertytype value"),
    "polygon": _names("points"),
    "polyline": _names("points"),
}


def _entries(group: Element) -> list[tuple[str, str, str]]:
    """Return name, type and text of every property, and of every member of classes."""
    holder = Element("holder")
    holder.append(group)
    return [
        entry
        for name, value in read_properties(holder, None).items()
        for entry in _flat(name, value)
    ]


def _flat(name: str, value: Any) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, dict):
        for member, inner in value.items():
            yield from _flat(f"{name}.{member}", inner)
    elif isinstance(value, list):
        yield name, "string", json.dumps(value)
    elif isinstance(value, bool):
        yield name, "bool", "true" if value else "false"
    elif isinstance(value, int | float):
        yield name, type(value).__name__, str(value)
    else:
        yield name, "string", value


def _grid(tile_map: TileMap) -> tuple[int, int, int, int]:
    """Return left, top, columns and rows of the grid that contains all tile layers."""
    if not tile_map.infinite:
        return 0, 0, *tile_map.size
    cells = [layer.cells(layer.ids()) for layer in tile_map.layers if isinstance(layer, TileLayer)]
    filled = np.concatenate([np.zeros((0, 2), np.int32), *cells])
    if not len(filled):
        return 0, 0, 1, 1
    (left, top), (right, bottom) = filled.min(axis=0).tolist(), filled.max(axis=0).tolist()
    columns, rows = right - left + 1, bottom - top + 1
    if columns * rows > tile_map.limits.cells:  # pytmx takes memory for each of them
        raise ValueError(f"the chunks lie on {columns} x {rows} cells")
    return left, top, columns, rows


def _ends(layer: TileLayer) -> tuple[int, int]:
    """Return the column and the row behind the last tiles of a layer."""
    if not len(layer):
        return 0, 0
    columns, rows = places_of(layer).tiles.extent()
    return columns.stop, rows.stop


def _dense(layer: TileLayer, left: int, top: int, columns: int, rows: int) -> bytes:
    """Return the cells of a rectangle, without the bit that confuses pytmx."""
    raw = places_of(layer).tiles.raw_window(left, top, columns, rows)
    return (raw & ~np.uint32(ROTATED_HEXAGONAL_120 << FLAG_SHIFT)).astype("<u4").tobytes()


def _pytmx_count(length: int, tile: int, pitch: int) -> int:
    """Return how many tiles pytmx finds along one side of an image."""
    return 0 if length < tile or pitch <= 0 else (length - tile) // pitch + 1
