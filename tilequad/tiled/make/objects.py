"""`add_object`: an object of any shape, read from an element as that of a file is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.checks import number_of
from tilequad._core.shown import shown
from tilequad.bounds import Bounds

from ..cells import GID_MASK
from ..checks import one_of, pair_of, text_of, truth_of, whole_within
from ..context import LoadContext
from ..model.layer import LayerAttributes
from ..model.object_layer import MapObject, ObjectLayer, Text
from ..read.objects import read_objects
from ..write.elements import object_element, place_in_file
from .arguments import properties_of

__all__ = ["add_object"]

_SHAPES = (
    "rectangle", "point", "ellipse", "capsule", "polygon", "polyline", "tile", "text",
)  # fmt: skip
_OUTLINES = {"polygon": 3, "polyline": 2}  # and the least number of their points


def add_object(
    layer: ObjectLayer,
    shape: str,
    x: float | None,
    y: float | None,
    size: tuple[float, float],
    *,
    name: str,
    class_name: str,
    properties: Mapping[str, Any] | None,
    rotation: float,
    gid: int,
    flags: int,
    points: ArrayLike | None,
    text: str | Text | None,
    visible: bool,
    opacity: float,
) -> MapObject:
    """Add an object; `ObjectLayer.add_object` explains it."""
    frame = layer._frame
    kind = one_of(shape, "shape", _SHAPES)
    own = properties_of(properties, "properties")
    outline = _outline(kind, points)
    width, height = pair_of(size, "size")
    if width < 0 or height < 0:
        raise ValueError(f"size must not be negative, got {shown(size)}")
    draft = MapObject(
        id=frame.next_object_id,
        name=text_of(name, "name"),
        class_name=text_of(class_name, "class_name"),
        shape=kind,
        x=0.0,
        y=0.0,
        width=width,
        height=height,
        rotation=pair_of((rotation, 0), "rotation")[0],
        points=outline,
        bounds=Bounds(0, 0, 0, 0),
        gid=_gid(layer, kind, gid),
        flags=whole_within(flags, "flags", 0, 15),
        visible=truth_of(visible, "visible"),
        opacity=number_of(opacity, "opacity"),
        text=_text(kind, text),
    )
    if not 0 <= draft.opacity <= 1:
        raise ValueError(f"opacity must be from 0 to 1, got {shown(opacity)}")
    draft.x, draft.y = _place(kind, x, y, outline)
    item = _read(draft, layer)
    own._inherit(item.properties)
    item.properties = own
    frame.tools.complete(item.properties, item.class_name, "object")
    frame.take_object_id()
    _put(item, layer)
    return item


def _outline(shape: str, points: ArrayLike | None) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the points of a polygon or polyline."""
    least = _OUTLINES.get(shape, 0)
    if points is None and not least:
        return np.empty((0, 2))
    try:
        found = np.array([] if points is None else points, float)
    except (TypeError, ValueError):
        raise TypeError(f"points must be numbers, got {shown(points)}") from None
    if not least:
        raise ValueError(f"points do not belong to a {shape}, got {shown(points)}")
    if found.ndim != 2 or found.shape[1] != 2 or len(found) < least:
        raise ValueError(
            f"points of a {shape} must have the shape (n, 2) with n at least {least}, "
            f"got {found.shape}"
        )
    if not np.isfinite(found).all():
        raise ValueError(f"points must be finite, got {shown(points)}")
    return found


def _place(
    shape: str, x: float | None, y: float | None, outline: np.ndarray[Any, Any]
) -> tuple[float, float]:
    """Return the position of an object; by default, that of its first point."""
    if x is None and y is None and len(outline):
        first, second = outline[0].tolist()
        return first, second
    if x is None or y is None:
        raise TypeError(f"a {shape} must have x and y, got {shown(x)} and {shown(y)}")
    return pair_of((x, y), "x and y")


def _gid(layer: ObjectLayer, shape: str, gid: int) -> int:
    """Return the gid of a tile object; 0 for other shapes."""
    number = whole_within(gid, "gid", 0, GID_MASK)
    if (shape == "tile") != (number > 0):
        raise ValueError(f"gid must be that of a tile for tiles, and 0 for a {shape}, got {number}")
    if number:
        layer._frame.tilesets.owner(number)
    return number


def _text(shape: str, text: str | Text | None) -> Text | None:
    """Return the text of a text object; None for other shapes."""
    if (shape == "text") != (text is not None):
        raise ValueError(f"text must be given for texts, and no other shape, got {shown(text)}")
    if text is None or isinstance(text, Text):
        return text
    return Text(text_of(text, "text"))


def _read(draft: MapObject, layer: ObjectLayer) -> MapObject:
    """Return an object as the reader makes it."""
    frame = layer._frame
    group = Element("objectgroup", draworder="index")
    group.append(object_element(draft, frame, layer.offset))
    attributes = LayerAttributes(offset=layer.offset)
    context = LoadContext("untitled.tmx")
    made = read_objects(group, attributes, frame.grid, frame.tilesets, frame.axes, context)
    return made.objects[0]


def _put(item: MapObject, layer: ObjectLayer) -> None:
    """Put an object into its place in the draw order."""
    frame, offset = layer._frame, layer.offset

    def y_in_file(one: MapObject) -> float:
        return place_in_file(one.x, one.y, frame, offset)[1]

    at = len(layer.objects)
    if layer.draw_order == "topdown":
        at = bisect_right(layer.objects, y_in_file(item), key=y_in_file)
    layer.objects.insert(at, item)
    layer._objects_changed()
