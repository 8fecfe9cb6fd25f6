"""Finds what differs between a map and its file, and writes it: settings, properties, objects.

The file is read once more, without its cells, into a twin of the map. Where the map is not equal to
the twin, it was changed.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..model.image_layer import ImageLayer
from ..model.layer import TOP, Group, LayerAttributes, passed_on
from ..model.object_layer import ObjectLayer
from ..model.properties import Properties
from ..model.tile_map import FIXED, TileMap
from ..model.tilesets import Tileset, TilesetList
from ..read.attributes import integer
from ..read.tile_map import read_twin
from ..read.tilesets import read_tileset
from .arrangement import Known, arrange
from .elements import write_image
from .objects import ObjectWriter
from .properties import PropertyWriter
from .settings import SettingsWriter
from .tilesets import TilesetWriter
from .values import color_text
from .xml_document import XmlDocument

__all__ = ["write_changes"]


def write_changes(
    tile_map: TileMap, document: XmlDocument, known: Known, folder: str, context: LoadContext
) -> list[Group]:
    """Write the settings, properties, objects, layers and tilesets that differ from the file.

    Return the groups in the order of the new file.
    """
    twin, fresh = _twin_of(tile_map, document.tree, context)
    properties = PropertyWriter(document, folder)
    _write_map(tile_map, twin, document, context)
    properties.write(document.tree, tile_map.properties, twin.properties, context)
    writer = TilesetWriter(properties, context)
    tilesets = tile_map.tilesets.as_written
    for number, tileset in fresh.items():
        writer.write(document.tree.findall("tileset")[number], tilesets[number], tileset)
    for group, element in known.groups.items():
        was = twin.groups[group._number] if document.has(element) else None
        part = context.about(f"group {group.name!r}")
        SettingsWriter(document, element, TOP, part).write(group)
        properties.write(element, group.properties, _properties(was), part)
    for layer, element in known.layers.items():
        before = twin.layers[layer._number] if document.has(element) else None
        part = context.about(f"layer {layer.name!r}")
        if before is None:
            SettingsWriter(document, element, TOP, part).write(layer._own)
        SettingsWriter(document, element, passed_on(layer.groups), part).write(layer)
        properties.write(element, layer.properties, _properties(before), part)
        if isinstance(layer, ObjectLayer):
            assert before is None or isinstance(before, ObjectLayer)
            frame = tile_map._frame
            ObjectWriter(frame, element, properties, part).write(layer, before)
        elif isinstance(layer, ImageLayer):
            assert before is None or isinstance(before, ImageLayer)
            _write_image(layer, before, element, properties)
    return arrange(tile_map, twin, known, writer, context)


def _properties(part: LayerAttributes | None) -> Properties:
    return Properties() if part is None else part.properties


def _write_image(
    now: ImageLayer, was: ImageLayer | None, element: Element, properties: PropertyWriter
) -> None:
    """Write the image of an image layer, and whether it repeats."""
    before = (False, False) if was is None else was.repeat
    for axis, one, other in zip("xy", now.repeat, before, strict=True):
        if one != other:
            properties.document.set(element, f"repeat{axis}", str(int(one)))
    write_image(properties, element, now.picture, None if was is None else was.picture)


def _twin_of(
    tile_map: TileMap, tree: Element, context: LoadContext
) -> tuple[TileMap, dict[int, Tileset]]:
    """Read the map from its tree again, without cells; also its own tilesets by their places."""
    context.enums = tile_map.enums
    twin = read_twin(tile_map, tree, context)
    fresh = _embedded_tilesets(tree, context)
    twin.tilesets = TilesetList(list(fresh.values()), tile_map.tile_size)
    if twin._frame.tools.project is not None:
        twin._frame.tools.project.complete(twin, context)
    return twin, fresh


def _embedded_tilesets(tree: Element, context: LoadContext) -> dict[int, Tileset]:
    """Read the tilesets that are part of the file again, by their place in it."""
    found = {}
    for number, element in enumerate(tree.findall("tileset")):
        if element.get("source") is None:
            first_gid = integer(element, "firstgid", 1, context)
            found[number] = read_tileset(element, first_gid, None, context.path.parent, context)
    return found


def _write_map(
    tile_map: TileMap, twin: TileMap, document: XmlDocument, context: LoadContext
) -> None:
    for name in (*FIXED, "parallax_origin"):
        if getattr(tile_map, name) != getattr(twin, name):
            raise context.error(f"its {name} was changed, which cannot be saved")
    if tile_map.background_color != twin.background_color:
        document.set(document.tree, "backgroundcolor", color_text(tile_map.background_color))
    if tile_map.class_name != twin.class_name:
        document.set(document.tree, "class", tile_map.class_name)
