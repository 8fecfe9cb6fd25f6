"""The attributes that all layers share, read from a layer's or group's element."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ..colors import multiply, parse_color
from ..model.layer import TOP, LayerAttributes
from .attributes import boolean, decimal, integer
from .context import LoadContext
from .properties import read_properties

__all__ = ["read_layer_attributes"]


def read_layer_attributes(
    element: Element, parent: LayerAttributes, context: LoadContext
) -> LayerAttributes:
    """Read a layer's or group's own attributes and add those of the group around it.

    Args:
        element: <layer>, <objectgroup>, <imagelayer> or <group>.
        parent: The combined attributes of the group it is in; `TOP` at the top of the map.
        context: The path for errors.
    """
    # old image layers are moved by x and y instead
    old = ("x", "y") if element.tag == "imagelayer" else ("", "")
    offset = (
        decimal(element, "offsetx", decimal(element, old[0], 0, context), context),
        decimal(element, "offsety", decimal(element, old[1], 0, context), context),
    )
    parallax = decimal(element, "parallaxx", 1, context), decimal(element, "parallaxy", 1, context)
    opacity = min(max(decimal(element, "opacity", 1, context), 0.0), 1.0)
    return LayerAttributes(
        name=element.get("name", ""),
        id=integer(element, "id", 0, context),
        class_name=element.get("class") or element.get("type") or "",
        visible=parent.visible and boolean(element, "visible", True),
        opacity=parent.opacity * opacity,
        tint=multiply(parent.tint, parse_color(element.get("tintcolor"))),
        offset=(parent.offset[0] + offset[0], parent.offset[1] + offset[1]),
        parallax=(parent.parallax[0] * parallax[0], parent.parallax[1] * parallax[1]),
        mode=element.get("mode", "normal"),
        groups=(*parent.groups, parent.name) if parent is not TOP else (),
        properties=read_properties(element),
    )
