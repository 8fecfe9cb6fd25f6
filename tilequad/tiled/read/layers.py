"""Step 4: reads the layers of the map in document order, and applies their groups.

Before that, in step 3d, layers and objects of early versions of Tiled get the ids that they lack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from xml.etree.ElementTree import Element

import numpy as np

from ..cells import FARTHEST, GID_MASK
from ..context import LoadContext
from ..geometry.grids import Axes, Grid
from ..index.tile_store import TileStore, highest_gid
from ..model.image_layer import ImageLayer
from ..model.layer import TOP, Group, LayerAttributes
from ..model.properties import Color
from ..model.tile_layer import TileLayer
from ..model.tile_map import AnyLayer
from ..model.tilesets import TilesetList
from .attributes import boolean, decimal, integer, parse_color
from .cell_data import read_cells
from .objects import read_objects
from .properties import read_properties
from .tilesets import read_picture

__all__ = [
    "LAYER_TAGS",
    "inside",
    "leaf_layers",
    "number_layers_and_objects",
    "read_attributes",
    "read_layers",
]

LAYER_TAGS = ("layer", "objectgroup", "imagelayer", "group")  # the elements that are layers


def read_layers(
    tree: Element,
    grid: Grid,
    infinite: bool,
    tilesets: TilesetList,
    axes: Axes,
    context: LoadContext,
) -> list[AnyLayer]:
    """Read all layers of a map, including layers in groups.

    See https://doc.mapeditor.org/en/stable/manual/layers/.

    Args:
        tree: The <map>, with external tilesets and templates in place.
        grid: The grid of the map's cells.
        infinite: Whether the map has no edges.
        tilesets: The tilesets of the map.
        axes: Turns Tiled's y into the world's.
        context: The limits, and the file for errors.

    Returns:
        Tile, object and image layers, the lowest first.

    Raises:
        MapError: A layer is broken, or there are more than the limit allows.
    """
    reader = _LayerReader(grid, infinite, tilesets, axes, context)
    reader.read_group(tree, TOP)
    for number, layer in enumerate(reader.layers):
        layer._number = number
    return reader.layers


@dataclass
class _LayerReader:
    """Reads layers one by one, and holds the data that all of them need."""

    grid: Grid
    infinite: bool
    tilesets: TilesetList
    axes: Axes
    context: LoadContext
    layers: list[AnyLayer] = field(default_factory=list)
    count: int = 0  # of layers and groups

    def read_group(self, group: Element, parent: LayerAttributes) -> None:
        """Read the layers in a group, or in the map itself."""
        for element in group:
            if element.tag not in LAYER_TAGS:
                continue
            self.count += 1
            if self.count > self.context.limits.layers:
                limit = self.context.limits.layers
                raise self.context.error(f"has more than the limit of {limit} layers")
            part = "group" if element.tag == "group" else "layer"
            context = self.context.about(f"{part} {element.get('name', '')!r}")
            attributes = read_attributes(element, parent, context)
            if element.tag == "group":
                self.read_group(element, inside(attributes))
            elif element.tag == "layer":
                self.layers.append(self._tile_layer(element, attributes, context))
            elif element.tag == "objectgroup":
                self.layers.append(
                    read_objects(element, attributes, self.grid, self.tilesets, self.axes, context)
                )
            else:
                self.layers.append(_image_layer(element, attributes, self.axes, context))

    def _tile_layer(
        self, element: Element, attributes: LayerAttributes, context: LoadContext
    ) -> TileLayer:
        blocks = read_cells(element, context)
        for data in element.findall("data"):
            data.clear()  # no longer needed, and most of a map's memory
        # the first versions of Tiled moved a layer by whole cells
        origin = integer(element, "x", 0, context), integer(element, "y", 0, context)
        if max(map(abs, origin)) > FARTHEST:
            raise context.error(f"is moved to the cell {origin}, which is out of all bounds")
        grid = self.grid
        size = grid.columns, grid.rows
        tiles = TileStore(blocks, size, self.infinite, grid.order_from(origin))
        _check_gids(tiles, self.tilesets, context)
        return TileLayer._of(
            attributes, tiles, origin, self.infinite, self.grid, self.tilesets, self.axes
        )


def read_attributes(
    element: Element, parent: LayerAttributes, context: LoadContext
) -> LayerAttributes:
    """Return the attributes of a layer or group, combined with those of its group."""
    # Old image layers have x and y instead of an offset.
    old = ("x", "y") if element.tag == "imagelayer" else ("", "")
    offset_x = decimal(element, "offsetx", decimal(element, old[0], 0, context), context)
    offset_y = decimal(element, "offsety", decimal(element, old[1], 0, context), context)
    parallax_x = decimal(element, "parallaxx", 1, context)
    parallax_y = decimal(element, "parallaxy", 1, context)
    opacity = min(max(decimal(element, "opacity", 1, context), 0.0), 1.0)
    return LayerAttributes(
        name=element.get("name", ""),
        id=integer(element, "id", 0, context),
        class_name=element.get("class") or element.get("type") or "",
        visible=parent.visible and boolean(element, "visible", True),
        opacity=parent.opacity * opacity,
        tint=_multiplied(parent.tint, parse_color(element.get("tintcolor"))),
        offset=(parent.offset[0] + offset_x, parent.offset[1] + offset_y),
        parallax=(parent.parallax[0] * parallax_x, parent.parallax[1] * parallax_y),
        mode=element.get("mode", "normal"),
        groups=parent.groups,
        properties=read_properties(element, context),
    )


def _multiplied(one: Color | None, other: Color | None) -> Color | None:
    """Combine two tints; None is no tint."""
    if one is None or other is None:
        return one or other
    red, green, blue, alpha = (round(a * b / 255) for a, b in zip(one, other, strict=True))
    return red, green, blue, alpha


def inside(attributes: LayerAttributes) -> LayerAttributes:
    """Return the attributes that a group passes on to its layers."""
    group = Group(attributes.name, attributes.id, attributes.class_name, attributes.properties)
    return replace(attributes, groups=(*attributes.groups, group))


def _check_gids(tiles: TileStore, tilesets: TilesetList, context: LoadContext) -> None:
    """Refuse gids below the first tileset, and count gids beyond the last tile of their tileset."""
    if not len(tiles):
        return
    if not len(tilesets):
        raise context.error("has tiles, but the map has no tileset")
    if highest_gid(tiles.values) < tilesets.known_to:  # the usual case
        return
    kinds, counts = tiles.kinds()
    gids = kinds & np.uint32(GID_MASK)
    lowest = int(gids.min())
    try:
        tilesets.owner(lowest)
    except KeyError:
        raise context.error(f"the gid {lowest} belongs to no tileset") from None
    strays = int(counts[tilesets.strays(gids)].sum())
    if strays:
        context.note(f"tiles whose tileset lacks their gid: {strays}")


def _image_layer(
    element: Element, attributes: LayerAttributes, axes: Axes, context: LoadContext
) -> ImageLayer:
    image = element.find("image")
    picture = None if image is None else read_picture(image, context.path.parent, context)
    repeat = boolean(element, "repeatx", False), boolean(element, "repeaty", False)
    return ImageLayer._make(attributes, picture=picture, repeat=repeat, _axes=axes)


# -- step 3d: ids ---------------------------------------------------------------------------------


def number_layers_and_objects(tree: Element, context: LoadContext) -> None:
    """Give an id to each layer and object without one, in the order of the file, as Tiled does.

    Tiled begins with the next ids that the map declares, or with 1. It does not check which ids are
    in use.

    Args:
        tree: The <map>; elements without an id are changed.
        context: The map, for warnings.
    """
    layer_ids = count(integer(tree, "nextlayerid", 0, context) or 1)
    object_ids = count(integer(tree, "nextobjectid", 0, context) or 1)
    for layer in _layers(tree):
        if _lacks_id(layer, context):
            layer.set("id", str(next(layer_ids)))
        if layer.tag == "objectgroup":
            for item in layer.findall("object"):
                if _lacks_id(item, context):
                    item.set("id", str(next(object_ids)))


def leaf_layers(tree: Element) -> Iterator[Element]:
    """Yield the elements of the layers of a map, as `read_layers` reads them."""
    return (element for element in _layers(tree) if element.tag != "group")


def _layers(group: Element) -> Iterator[Element]:
    """Yield the layers of a map or group, each group before the layers in it."""
    for element in group:
        if element.tag in LAYER_TAGS:
            yield element
            if element.tag == "group":
                yield from _layers(element)


def _lacks_id(element: Element, context: LoadContext) -> bool:
    text = element.get("id", "")
    if text.isdecimal():  # nearly always; faster than reading the number
        return not text.strip("0")
    return not integer(element, "id", 0, context)
