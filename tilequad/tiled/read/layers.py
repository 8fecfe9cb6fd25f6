"""Step 4: reads the layers of the map in document order, and applies their groups.

Before that, layers and objects of early versions of Tiled get the ids that they lack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from xml.etree.ElementTree import Element

import numpy as np

from ..cells import FARTHEST, GID_MASK
from ..context import LoadContext
from ..index.tile_store import TileStore, highest_gid
from ..model.additions import AnyLayer
from ..model.frame import MapFrame
from ..model.image_layer import ImageLayer
from ..model.layer import TOP, Group, LayerAttributes, combined, passed_on
from ..model.object_layer import ObjectLayer
from ..model.tile_layer import TileLayer
from ..model.tilesets import TilesetList
from .attributes import boolean, decimal, integer, parse_color, read_properties
from .cell_data import count_cells, read_cells
from .objects import read_objects
from .tilesets import read_picture

__all__ = [
    "LAYER_TAGS",
    "count_parts",
    "groups_in",
    "lacks_id",
    "leaf_layers",
    "number_layers_and_objects",
    "read_attributes",
    "read_layers",
]

LAYER_TAGS = ("layer", "objectgroup", "imagelayer", "group")  # the elements that are layers


def read_layers(
    tree: Element,
    frame: MapFrame,
    context: LoadContext,
) -> tuple[list[AnyLayer], list[Group]]:
    """Read all layers of a map, the lowest first, and its groups, in the order of the file.

    See https://doc.mapeditor.org/en/stable/manual/layers/. The frame learns which ids are free.
    """
    reader = _LayerReader(frame, context)
    reader.read_group(tree, TOP)
    for number, layer in enumerate(reader.layers):
        layer._number = number
    for number, group in enumerate(reader.groups):
        group._number = number
    _find_free_ids(tree, frame, reader, context)
    return reader.layers, reader.groups


@dataclass
class _LayerReader:
    """Reads layers one by one, and holds the data that all of them need."""

    frame: MapFrame
    context: LoadContext
    layers: list[AnyLayer] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def read_group(self, group: Element, parent: LayerAttributes) -> None:
        """Read the layers in a group, or in the map itself."""
        for element in group:
            if element.tag not in LAYER_TAGS:
                continue
            self.context.take("layers", 1)
            part = "group" if element.tag == "group" else "layer"
            context = self.context.about(f"{part} {element.get('name', '')!r}")
            own = read_attributes(element, context)
            if element.tag == "group":
                self.groups.append(Group._of(own, parent.groups))
                self.groups[-1]._below = len(self.layers)
                self.read_group(element, passed_on((self.groups[-1],), parent))
                continue
            attributes = combined(own, parent)
            if element.tag == "layer":
                self.layers.append(self._tile_layer(element, attributes, context))
            elif element.tag == "objectgroup":
                self.layers.append(read_objects(element, attributes, self.frame, context))
            else:
                self.layers.append(_image_layer(element, attributes, context))
            self.layers[-1]._own = own
            self.layers[-1]._frame = self.frame

    def _tile_layer(
        self, element: Element, attributes: LayerAttributes, context: LoadContext
    ) -> TileLayer:
        blocks = read_cells(element, context)
        written = element.find("data")
        encoding = "", ""
        if written is not None:
            encoding = written.get("encoding", ""), written.get("compression", "")
        for data in element.findall("data"):
            data.clear()  # no longer needed, and most of a map's memory
        # the first versions of Tiled moved a layer by whole cells
        origin = integer(element, "x", 0, context), integer(element, "y", 0, context)
        if max(map(abs, origin)) > FARTHEST:
            raise context.error(f"is moved to the cell {origin}, which is out of all bounds")
        layer = TileLayer._of(attributes, blocks, origin, self.frame)
        _check_gids(layer._tiles, self.frame.tilesets, context)
        if written is not None:
            layer._encoding = encoding
        return layer


def _find_free_ids(
    tree: Element, frame: MapFrame, reader: _LayerReader, context: LoadContext
) -> None:
    """Set the next ids to those that the map declares, if they are above all that are in use."""
    layers = [part.id for part in (*reader.layers, *reader.groups)]
    objects = [
        max((item.id for item in layer.objects), default=0)
        for layer in reader.layers
        if isinstance(layer, ObjectLayer)
    ]
    free_layer, free_object = max(layers, default=0) + 1, max(objects, default=0) + 1
    frame.next_layer_id = max(1, integer(tree, "nextlayerid", 1, context), free_layer)
    frame.next_object_id = max(1, integer(tree, "nextobjectid", 1, context), free_object)


def read_attributes(element: Element, context: LoadContext) -> LayerAttributes:
    """Return the attributes of a layer or group itself, without those of its group."""
    # Old image layers have x and y instead of an offset.
    old = ("x", "y") if element.tag == "imagelayer" else ("", "")
    offset_x = decimal(element, "offsetx", decimal(element, old[0], 0, context), context)
    offset_y = decimal(element, "offsety", decimal(element, old[1], 0, context), context)
    parallax_x = decimal(element, "parallaxx", 1, context)
    parallax_y = decimal(element, "parallaxy", 1, context)
    return LayerAttributes(
        name=element.get("name", ""),
        id=integer(element, "id", 0, context),
        class_name=element.get("class") or element.get("type") or "",
        visible=boolean(element, "visible", True),
        opacity=min(max(decimal(element, "opacity", 1, context), 0.0), 1.0),
        tint=parse_color(element.get("tintcolor")),
        offset=(offset_x, offset_y),
        parallax=(parallax_x, parallax_y),
        mode=element.get("mode", "normal"),
        locked=boolean(element, "locked", False),
        properties=read_properties(element, context),
    )


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


def _image_layer(element: Element, attributes: LayerAttributes, context: LoadContext) -> ImageLayer:
    image = element.find("image")
    picture = None if image is None else read_picture(image, context.path.parent, context)
    repeat = boolean(element, "repeatx", False), boolean(element, "repeaty", False)
    return ImageLayer._make(attributes, picture=picture, repeat=repeat)


def count_parts(tree: Element, context: LoadContext) -> None:
    """Count what the limits cap in a map, tileset or template, as reading this one file does.

    Its elements were counted when it was parsed. Something short may stand for the texts of cells.
    """
    tilesets, objects = tree.findall("tileset"), list(tree.iter("object"))
    points = [one.get("points", "") for tag in ("polygon", "polyline") for one in tree.iter(tag)]
    context.take("layers", sum(1 for _ in _layers(tree)))
    context.take("tilesets", len(tilesets))
    context.take("objects", len(objects) + sum(len(one.findall("tile")) for one in tilesets))
    context.take("templates", len({one.get("template") for one in objects} - {None}))
    context.take("elements", sum(text.count(",") for text in points))
    for layer in leaf_layers(tree):
        if layer.tag == "layer":
            count_cells(layer, context.about(f"layer {layer.get('name', '')!r}"))


# -- ids ------------------------------------------------------------------------------------------


def number_layers_and_objects(tree: Element, context: LoadContext) -> None:
    """Give an id to each layer and object without one, in the order of the file, as Tiled does.

    Tiled begins with the next ids that the map declares, or with 1. It does not check which ids are
    in use.
    """
    layer_ids = count(integer(tree, "nextlayerid", 0, context) or 1)
    object_ids = count(integer(tree, "nextobjectid", 0, context) or 1)
    for layer in _layers(tree):
        if lacks_id(layer, context):
            layer.set("id", str(next(layer_ids)))
        if layer.tag == "objectgroup":
            for item in layer.findall("object"):
                if lacks_id(item, context):
                    item.set("id", str(next(object_ids)))


def leaf_layers(tree: Element) -> Iterator[Element]:
    """Yield the elements of the layers of a map, as `read_layers` reads them."""
    return (element for element in _layers(tree) if element.tag != "group")


def groups_in(tree: Element) -> Iterator[Element]:
    """Yield the elements of the groups of a map, in the order of the file."""
    return (element for element in _layers(tree) if element.tag == "group")


def _layers(group: Element) -> Iterator[Element]:
    """Yield the layers of a map or group, each group before the layers in it."""
    for element in group:
        if element.tag in LAYER_TAGS:
            yield element
            if element.tag == "group":
                yield from _layers(element)


def lacks_id(element: Element, context: LoadContext) -> bool:
    """Return whether a layer or object has no id that can be used."""
    return not integer(element, "id", 0, context)
