"""Puts layers, groups and tilesets in order: those that were added, removed, or moved."""

from __future__ import annotations

from bisect import insort
from math import inf
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..model.additions import AnyLayer
from ..model.image_layer import ImageLayer
from ..model.layer import Group
from ..model.object_layer import ObjectLayer
from ..model.tile_layer import TileLayer
from ..model.tile_map import TileMap
from ..read.layers import LAYER_TAGS, groups_in, lacks_id, leaf_layers
from .tilesets import TilesetWriter
from .xml_document import XmlDocument

__all__ = ["Known", "arrange", "elements_of"]

_TAGS = {TileLayer: "layer", ObjectLayer: "objectgroup", ImageLayer: "imagelayer"}


class Known(NamedTuple):
    """The elements of the layers and groups of a map, in their order; new ones are empty."""

    layers: dict[AnyLayer, Element]
    groups: dict[Group, Element]
    bare: list[Element]  #: layers, groups and objects without an id, as old versions wrote them


def elements_of(tile_map: TileMap, document: XmlDocument) -> Known:
    """Find the elements of layers and groups, and make those that the file does not have."""
    context = LoadContext(tile_map.path)
    layers, groups = list(leaf_layers(document.tree)), list(groups_in(document.tree))
    if len(set(tile_map.layers)) < len(tile_map.layers):
        raise context.error("a layer is twice in the map")
    parts = [*layers, *groups, *(item for layer in layers for item in layer.findall("object"))]
    known = Known({}, {}, [one for one in parts if lacks_id(one, context)])
    for layer in tile_map.layers:
        is_new = tile_map._source is None or layer._number < 0
        known.layers[layer] = _new_layer(layer, tile_map) if is_new else layers[layer._number]
    for group in tile_map.groups:
        is_new = tile_map._source is None or group._number < 0
        new = Element("group", id=str(group.id), name=group.name)
        known.groups[group] = new if is_new else groups[group._number]
    return known


def _new_layer(layer: AnyLayer, tile_map: TileMap) -> Element:
    element = Element(_TAGS[type(layer)], id=str(layer.id), name=layer.name)
    if isinstance(layer, TileLayer):
        sizes = zip(("width", "height"), tile_map.size, strict=True)
        places = zip(("x", "y"), layer._origin, strict=True)
        element.attrib.update({name: str(number) for name, number in sizes})
        element.attrib.update({name: str(number) for name, number in places if number})
    return element


def arrange(
    tile_map: TileMap,
    twin: TileMap,
    known: Known,
    writer: TilesetWriter,
    context: LoadContext,
) -> list[Group]:
    """Let the file have the layers, groups and tilesets of the map; return the groups in order."""
    document, tree = writer.document, writer.document.tree
    children = _children(tile_map, known, context)
    for group, element in known.groups.items():
        document.arrange(element, children.get(group, []), LAYER_TAGS)
    top = children.get(None, [])
    tags: tuple[str, ...] = LAYER_TAGS
    if tile_map.tilesets.added or tile_map._source is None:
        written = [one for one in tree.findall("tileset") if document.has(one)]
        new = tile_map.tilesets.as_written[len(written) :]  # also those that only templates name
        made = [writer.made(tileset) for tileset in new]
        top, tags = [*written, *made, *top], ("tileset", *tags)
    document.arrange(tree, top, tags)
    _write_ids(tile_map, twin, document, known)
    return _in_order(children, known)


def _write_ids(tile_map: TileMap, twin: TileMap, document: XmlDocument, known: Known) -> None:
    """Write the next ids if parts were added; parts without an id get theirs by these ids.

    They get it, too, if one of them was moved or removed: the reader numbers them in their order.
    """
    numbers = {name: getattr(tile_map._frame, name) for name in ("next_layer_id", "next_object_id")}
    moved = {one for element in document.removed() for one in element.iter()}
    if moved.isdisjoint(known.bare) and all(
        number == getattr(twin._frame, name) for name, number in numbers.items()
    ):
        return
    for name, number in numbers.items():
        document.set(document.tree, name.replace("_", ""), str(number))
    ids = {element: part.id for part, element in (*known.layers.items(), *known.groups.items())}
    for element in known.bare:
        document.set(element, "id", str(ids.get(element) or element.get("id")))


def _in_order(children: dict[Group | None, list[Element]], known: Known) -> list[Group]:
    """Return the groups, each before those in it."""
    groups = {element: group for group, element in known.groups.items()}
    found: list[Group] = []
    rest = list(reversed(children.get(None, [])))
    while rest:
        group = groups.get(rest.pop())
        if group is not None:
            found.append(group)
            rest += reversed(children.get(group, []))
    return found


def _children(
    tile_map: TileMap, known: Known, context: LoadContext
) -> dict[Group | None, list[Element]]:
    """Return the elements in each group, and in none."""
    found: dict[Group | None, list[Element]] = {}
    at: tuple[Group, ...] = ()  # where the layer before is
    done: set[Group] = set()

    def enter(groups: tuple[Group, ...]) -> None:
        for depth, group in enumerate(groups):
            if at[depth : depth + 1] == (group,):
                continue
            if group in done or group not in known.groups:
                raise context.error(
                    f"the layers of the group {group.name!r} do not follow one another, "
                    "which cannot be saved"
                )
            done.add(group)
            outer = groups[depth - 1] if depth else None
            found.setdefault(outer, []).append(known.groups[group])

    for layer, element in known.layers.items():
        enter(layer.groups)
        at = layer.groups
        found.setdefault(at[-1] if at else None, []).append(element)
    keys: dict[Element, tuple[float, float]] = {}  # in the order of the file
    for number, element in enumerate(known.layers.values()):
        keys[element] = number, inf
    places = tile_map._places()
    for number, (group, element) in enumerate(known.groups.items()):
        place = places[group]
        keys[element] = inf if place is None else place, number
    for group, element in known.groups.items():
        if group not in done:  # it is empty
            outer = group.groups[-1] if group.groups else None
            insort(found.setdefault(outer, []), element, key=keys.__getitem__)
    return found
