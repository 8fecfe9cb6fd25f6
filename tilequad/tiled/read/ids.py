"""Step 3e: gives ids to layers and objects that lack them, as in maps of early versions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from xml.etree.ElementTree import Element

from ..context import LoadContext
from .attributes import integer

__all__ = ["LAYER_TAGS", "number_layers_and_objects"]

LAYER_TAGS = ("layer", "objectgroup", "imagelayer", "group")  #: the elements that are layers


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
