"""Reads instances of templates that no file has: what a program makes of a template."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from ..context import LoadContext
from ..model.frame import MapFrame
from ..model.layer import LayerAttributes
from ..model.map_object import MapObject
from .externals import fill_in_templates
from .objects import read_objects

__all__ = ["read_instances", "read_loose"]


def read_instances(
    elements: Sequence[Element],
    frame: MapFrame,
    offset: tuple[float, float],
    context: LoadContext,
) -> list[MapObject]:
    """Return the objects of some <object> elements, with what their templates set.

    Args:
        elements: The elements; they are filled in.
        frame: The map, which has the tilesets of the templates.
        offset: The offset of their layer.
        context: The file of the map, which their templates are relative to.

    Raises:
        MapError: A template is broken.
    """
    tree = Element("map")
    SubElement(tree, "objectgroup").extend(elements)
    fill_in_templates(tree, frame.tilesets.as_written, context)
    return read_loose(elements, frame, offset, context)


def read_loose(
    elements: Sequence[Element],
    frame: MapFrame,
    offset: tuple[float, float],
    context: LoadContext,
) -> list[MapObject]:
    """Return the objects of some <object> elements, in their order."""
    group = Element("objectgroup", draworder="index")
    group.extend(elements)
    attributes = LayerAttributes(offset=offset)
    return read_objects(group, attributes, frame.grid, frame.tilesets, frame.axes, context).objects
