"""Finds what differs between a map and its file, and writes it: settings, properties, objects.

The file is read once more, without its cells, into a twin of the map. Where the map is not equal to
the twin, it was changed.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import fields
from typing import Any
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..model.image_layer import ImageLayer
from ..model.layer import TOP, Group, LayerAttributes
from ..model.object_layer import ObjectLayer
from ..model.tile_map import AnyLayer, TileMap
from ..model.tilesets import Tileset, TilesetList
from ..read.attributes import integer
from ..read.externals import fill_in_templates
from ..read.layers import LAYER_TAGS, inside, leaf_layers, read_attributes
from ..read.tile_map import read_tile_map
from ..read.tilesets import read_tileset
from .objects import ObjectWriter
from .properties import PropertyWriter
from .values import color_text, number_text
from .xml_document import XmlDocument

__all__ = ["write_changes"]

# Of a map: what is fixed once it is made.
_FIXED = (
    "orientation", "size", "tile_size", "render_order", "stagger_axis", "stagger_index",
    "hex_side_length", "skew", "infinite", "parallax_origin",
)  # fmt: skip
_COUNTED = {"columns", "picture", "tile_count", "tiles"}
_PLAIN = {"name": "name", "mode": "mode"}  # settings of a layer that are text


def write_changes(
    tile_map: TileMap,
    document: XmlDocument,
    elements: list[Element],
    folder: str,
    context: LoadContext,
) -> None:
    """Write the settings, properties and objects that differ from the file.

    Args:
        tile_map: The map.
        document: Its file.
        elements: The elements of its layers.
        folder: The absolute path of the folder that it is saved into.
        context: The limits, and the file for errors.

    Raises:
        MapError: A change cannot be saved.
    """
    twin = _twin_of(tile_map, document.tree, context)
    properties = PropertyWriter(document, folder)
    _write_map(tile_map, twin, document, context)
    properties.write(document.tree, tile_map.properties, twin.properties, context)
    above = _groups_above(document.tree, context)
    written: set[Group] = set()
    for layer, was, element in zip(tile_map.layers, twin.layers, elements, strict=True):
        part = context.about(f"layer {layer.name!r}")
        group, holders = above[element]
        _LayerWriter(document, element, group, part).write(layer, was)
        properties.write(element, layer.properties, was.properties, part)
        for one, before, holder in zip(layer.groups, was.groups, holders, strict=True):
            if one not in written:
                written.add(one)
                properties.write(holder, one.properties, before.properties, part)
        if isinstance(layer, ObjectLayer) and isinstance(was, ObjectLayer):
            ObjectWriter(tile_map, document, element, properties, part).write(layer, was)


def _twin_of(tile_map: TileMap, tree: Element, context: LoadContext) -> TileMap:
    """Read the map from its tree again, without cells."""
    for layer in leaf_layers(tree):
        for data in layer.findall("data"):
            data.clear()
    context.enums = tile_map.enums
    tilesets = tile_map.tilesets.as_written
    fill_in_templates(tree, tilesets, context)
    own = _with_layers_copied(tree)
    twin = read_tile_map(own, tilesets, tile_map.axes.y_up, context, None, tile_map._verbs)
    fresh = _embedded_tilesets(tree, context)
    twin.tilesets = TilesetList(list(fresh.values()), tile_map.tile_size)
    if tile_map._verbs.complete is not None:
        tile_map._verbs.complete(twin, context)
    for number, was in fresh.items():
        if _facts(tilesets[number]) != _facts(was):
            part = context.about(f"tileset {was.name!r}")
            raise part.error("was changed, which cannot be saved yet")
    return twin


def _with_layers_copied(element: Element) -> Element:
    """Return a tree for the reader, which empties layers as it goes."""
    own = copy(element)
    own[:] = [_with_layers_copied(one) if one.tag in LAYER_TAGS else one for one in element]
    return own


def _embedded_tilesets(tree: Element, context: LoadContext) -> dict[int, Tileset]:
    """Read the tilesets that are part of the file again, by their place in it."""
    found = {}
    for number, element in enumerate(tree.findall("tileset")):
        if element.get("source") is None:
            first_gid = integer(element, "firstgid", 1, context)
            found[number] = read_tileset(element, first_gid, None, context.path.parent, context)
    return found


def _facts(tileset: Tileset) -> list[Any]:
    """Return what a file says of a tileset, without what is counted in its image."""
    names = {field.name for field in fields(tileset)} - _COUNTED
    tiles = [
        (number, tile.class_name, tile.probability, tile.properties, tile.frames, tile.part)
        for number, tile in tileset.tiles.items()
    ]
    return [*(getattr(tileset, name) for name in sorted(names)), tiles]


def _write_map(
    tile_map: TileMap, twin: TileMap, document: XmlDocument, context: LoadContext
) -> None:
    for name in _FIXED:
        if getattr(tile_map, name) != getattr(twin, name):
            raise context.error(f"its {name} was changed, which cannot be saved")
    if tile_map.background_color != twin.background_color:
        document.set(document.tree, "backgroundcolor", color_text(tile_map.background_color))
    if tile_map.class_name != twin.class_name:
        document.set(document.tree, "class", tile_map.class_name)


def _groups_above(
    tree: Element, context: LoadContext
) -> dict[Element, tuple[LayerAttributes, tuple[Element, ...]]]:
    """Return what the groups of each layer pass on to it, and their elements."""
    above: dict[Element, tuple[LayerAttributes, tuple[Element, ...]]] = {}

    def visit(group: Element, parent: LayerAttributes, holders: tuple[Element, ...]) -> None:
        for element in group:
            above[element] = parent, holders
            if element.tag == "group":
                own = inside(read_attributes(element, parent, context))
                visit(element, own, (*holders, element))

    visit(tree, TOP, ())
    return above


class _LayerWriter:
    """Writes the settings of one layer, without what its groups add to them."""

    def __init__(
        self,
        document: XmlDocument,
        element: Element,
        group: LayerAttributes,
        context: LoadContext,
    ) -> None:
        self.document = document
        self.element = element
        self.group = group
        self.context = context

    def write(self, now: AnyLayer, was: AnyLayer) -> None:
        """Write the settings that differ from those of the file."""
        for name, attribute in _PLAIN.items():
            if getattr(now, name) != getattr(was, name):
                self._set(attribute, getattr(now, name))
        if now.class_name != was.class_name:
            old = "type" if not self.element.get("class") and self.element.get("type") else "class"
            self._set(old, now.class_name)
        if now.visible != was.visible:
            if now.visible and not self.group.visible:
                raise self._error("visible was set, but its group is hidden")
            self._set("visible", str(int(now.visible)))
        if now.opacity != was.opacity:
            self._set(
                "opacity", number_text(self._ratio("opacity", now.opacity, self.group.opacity))
            )
        if now.tint != was.tint:
            if self.group.tint is not None:
                raise self._error("tint was changed, but its group has one")
            self._set("tintcolor", color_text(now.tint))
        if isinstance(now, ImageLayer) and isinstance(was, ImageLayer):
            self._write_image(now, was)
        self._write_pair("offset", now, was, lambda one, group: one - group)
        self._write_pair(
            "parallax", now, was, lambda one, group: self._ratio("parallax", one, group)
        )

    def _write_image(self, now: ImageLayer, was: ImageLayer) -> None:
        if now.image_path != was.image_path or len(now) != len(was):
            raise self._error("its image was changed")
        for axis, one, before in zip("xy", now.repeat, was.repeat, strict=True):
            if one != before:
                self._set(f"repeat{axis}", str(int(one)))

    def _write_pair(
        self,
        name: str,
        now: AnyLayer,
        was: AnyLayer,
        without_group: Callable[[float, float], float],
    ) -> None:
        """Write the two numbers of an offset or a parallax."""
        new, old, group = getattr(now, name), getattr(was, name), getattr(self.group, name)
        for axis, one, before, outer in zip("xy", new, old, group, strict=True):
            if one != before:
                self._set(f"{name}{axis}", number_text(without_group(one, outer)))

    def _ratio(self, name: str, value: float, outer: float) -> float:
        if outer:
            return value / outer
        if value:
            raise self._error(f"{name} was set to {value!r}, but that of its group is 0")
        return 0.0

    def _set(self, name: str, value: str) -> None:
        self.document.set(self.element, name, value)

    def _error(self, reason: str) -> Any:
        return self.context.error(f"{reason}, which cannot be saved")
