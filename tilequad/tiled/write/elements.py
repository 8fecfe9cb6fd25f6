"""Makes the elements of what a file does not have yet: objects and images."""

from __future__ import annotations

import binascii
import os
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from ..cells import FLAG_SHIFT
from ..model.frame import MapFrame
from ..model.map_object import MapObject, Text
from ..model.pictures import Picture
from ..model.properties import Properties
from ..model.tilesets import Tile
from ..read.objects import BARE, TEXT_FLAGS, TEXT_WORDS
from .properties import PropertyWriter
from .values import color_text, number_text, relative

__all__ = [
    "object_element",
    "outline_element",
    "own_class",
    "own_points",
    "points_text",
    "retiled",
    "text_attributes",
    "write_image",
]

Offset = tuple[float, float]

_KINDS = {b"\xff\xd8": "jpg", b"GI": "gif", b"BM": "bmp", b"RI": "webp"}  # by how they begin


# -- objects --------------------------------------------------------------------------------------


def object_element(item: MapObject, frame: MapFrame, offset: Offset) -> Element:
    """Return the <object> of an object of a layer with an offset, without its properties."""
    element = Element("object", id=str(item.id))
    for name, text in (("name", item.name), ("type", item.class_name)):
        if text:
            element.set(name, text)
    if item.gid:
        element.set("gid", str(item.gid | item.flags << FLAG_SHIFT))
    x, y = frame.place_in_file(item.x, item.y, offset)
    element.set("x", number_text(x))
    element.set("y", number_text(y))
    for name, number in (("width", item.width), ("height", item.height)):
        if number:
            element.set(name, number_text(number))
    if item.rotation:
        element.set("rotation", number_text(item.rotation))
    if item.opacity != 1:
        element.set("opacity", number_text(item.opacity))
    if not item.visible:
        element.set("visible", "0")
    outline = outline_element(item, frame)
    if outline is not None:
        element.append(outline)
    return element


def own_class(item: MapObject, frame: MapFrame) -> str:
    """Return the class of an object itself; "" if it has that of its tile."""
    if not item.gid or item._has_class:
        return item.class_name
    tile_class = frame.tilesets._tile_of(item.gid).class_name
    return "" if item.class_name == tile_class else item.class_name


def retiled(
    item: MapObject, gid: int, frame: MapFrame, own: Properties | None = None
) -> Properties:
    """Return the properties of an object once it shows another tile; 0 for none.

    `own` are then all that it sets itself, None for those that it sets now.
    """
    tiles = (frame.tilesets._tile_of(one) if one else Tile() for one in (item.gid, gid))
    before, now = (tile._own_properties(frame.tools) for tile in tiles)
    found = item.properties._without(before) if own is None else own
    if item.template:
        found._template = None
        found._inherit_template(item.properties._of_template(before))
    found._inherit(now)
    return found


def outline_element(item: MapObject, frame: MapFrame) -> Element | None:
    """Return what is in the <object> of a shape; None for a rectangle or a tile."""
    if item.shape in ("polygon", "polyline"):
        return Element(item.shape, points=points_text(own_points(item, frame)))
    if item.shape == "text" and item.text is not None:
        element = Element("text", text_attributes(item.text, Text("")))
        element.text = item.text.words
        return element
    return Element(item.shape) if item.shape in BARE else None


def own_points(item: MapObject, frame: MapFrame) -> NDArray[np.float64]:
    """Return the points of a polygon or polyline, relative to its position and not rotated.

    Where the object was moved or rotated and has the points from before, it takes them with it.
    """
    x, y, rotation = item.x, item.y, item.rotation
    if item._outline is not None and item._outline[0] is item.points:
        _, x, y, rotation = item._outline
    angle = np.radians(rotation)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = frame.grid.unprojection() @ turn.T
    place = np.array(frame.axes.point(x, y))
    away = frame.axes.points(np.asarray(item.points, float)) - place
    points: NDArray[np.float64] = (away @ matrix.T).round(9)
    return points + 0.0


def points_text(points: NDArray[np.float64]) -> str:
    """Return the points of a polygon or polyline as a file has them."""
    return " ".join(f"{number_text(x)},{number_text(y)}" for x, y in points.tolist())


def text_attributes(text: Text, was: Text) -> dict[str, str]:
    """Return the attributes of a <text> that differ from those of another one."""
    found = {}
    for name, attribute in TEXT_WORDS.items():
        if getattr(text, name) != getattr(was, name):
            found[attribute] = getattr(text, name)
    if text.pixel_size != was.pixel_size:
        found["pixelsize"] = str(text.pixel_size)
    for name in TEXT_FLAGS:
        if getattr(text, name) != getattr(was, name):
            found[name] = str(int(getattr(text, name)))
    if text.color != was.color:
        found["color"] = color_text(text.color)
    return found


# -- images ---------------------------------------------------------------------------------------


def _image_element(picture: Picture, folder: str) -> Element:
    """Return the <image> of a picture; its path is relative to an absolute folder."""
    element = Element("image")
    data, reference = picture._data, picture._absolute
    if data is not None:
        element.set("format", _KINDS.get(data[:2], "png"))
    else:
        element.set("source", reference or relative(picture.path or Path(), folder))
    if picture.transparent is not None:
        element.set("trans", color_text((*picture.transparent, 255))[1:])
    size = picture.declared or picture.size
    if size is not None:
        element.set("width", str(size[0]))
        element.set("height", str(size[1]))
    if data is not None:
        inner = SubElement(element, "data", encoding="base64")
        inner.text = binascii.b2a_base64(data, newline=False).decode()
    return element


def write_image(
    writer: PropertyWriter, element: Element, now: Picture | None, was: Picture | None
) -> None:
    """Give an element the <image> of a picture, unless it has it."""
    if not _same_image(now, was):
        images = [] if now is None else [_image_element(now, writer.folder)]
        writer.document.arrange(element, images, ("image",))


def _same_image(one: Picture | None, other: Picture | None) -> bool:
    """Return whether two pictures are of one file, or of the same bytes."""
    if one is None or other is None:
        return one is other
    if one.path is None or other.path is None:
        return (one._data, one._absolute) == (other._data, other._absolute)
    return os.path.abspath(one.path) == os.path.abspath(other.path)
