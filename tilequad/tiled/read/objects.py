"""Step 4b: an <objectgroup>, to an ObjectLayer of shapes in world units."""

from __future__ import annotations

from math import cos, hypot, radians, sin
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from ..cells import DIAGONAL, FLAG_SHIFT, GID_MASK
from ..colors import parse_color
from ..context import LoadContext
from ..geometry.axes import Axes
from ..geometry.grids import Grid, Isometric
from ..model.layer import LayerAttributes
from ..model.object_layer import MapObject, ObjectLayer, Text
from ..model.tilesets import TilesetList
from .attributes import boolean, decimal, integer
from .properties import read_properties

__all__ = ["read_objects"]

Floats = NDArray[np.float64]

_ROUND = np.linspace(0, 2 * np.pi, 32, endpoint=False)  # angles of a circle drawn as a polygon

_FARTHEST = 2.0**32  # as for all other numbers of a map

# How far left of and above its position a tile object begins, in widths and heights.
_ALIGNMENTS = {
    "topleft": (0.0, 0.0),
    "top": (0.5, 0.0),
    "topright": (1.0, 0.0),
    "left": (0.0, 0.5),
    "center": (0.5, 0.5),
    "right": (1.0, 0.5),
    "bottomleft": (0.0, 1.0),
    "bottom": (0.5, 1.0),
    "bottomright": (1.0, 1.0),
}


def read_objects(
    layer: Element,
    attributes: LayerAttributes,
    grid: Grid,
    tilesets: TilesetList,
    axes: Axes,
    context: LoadContext,
) -> ObjectLayer:
    """Read an <objectgroup>.

    See https://doc.mapeditor.org/en/stable/manual/objects/.

    Args:
        layer: The <objectgroup>.
        attributes: Those that all layers have.
        grid: Projects objects as the map's cells are projected.
        tilesets: The tilesets of tile objects.
        axes: Turns Tiled's y into the world's.
        context: The limits, and the layer for errors.

    Raises:
        MapError: An object is broken, or there are more than the limit.
    """
    elements = layer.findall("object")
    context.take_objects(len(elements))
    draw_order = layer.get("draworder", "topdown")
    if draw_order == "topdown":  # by the y in the file, not as projected
        elements = sorted(elements, key=lambda element: decimal(element, "y", 0, context))
    reader = _ObjectReader(attributes.offset, grid, tilesets, axes, context)
    objects = [reader.read(element) for element in elements]
    return ObjectLayer(attributes, objects, parse_color(layer.get("color")), draw_order)


class _ObjectReader:
    """Turns the <object> elements of one layer into MapObjects."""

    def __init__(
        self,
        offset: tuple[float, float],
        grid: Grid,
        tilesets: TilesetList,
        axes: Axes,
        context: LoadContext,
    ) -> None:
        self.offset = offset
        self.grid = grid
        self.tilesets = tilesets
        self.axes = axes
        self.context = context
        self.projection = grid.projection()

    def read(self, element: Element) -> MapObject:
        """Read one <object>."""
        context = self.context
        raw = integer(element, "gid", 0, context)
        gid, flags = raw & GID_MASK, raw >> FLAG_SHIFT
        shape = "tile" if gid else _shape(element)
        width = decimal(element, "width", 0, context)
        height = decimal(element, "height", 0, context)
        class_name = element.get("type") or element.get("class") or ""
        properties = read_properties(element)
        if gid:
            tileset, local_id = self._tile(gid, element)
            if tileset.has_tile(local_id):
                tile_width, tile_height = tileset.tile_size(local_id)
                width, height = width or tile_width, height or tile_height
            class_name = class_name or tileset.tile_class(local_id)
            inherited = tileset.tile_properties(local_id)
            context.take_elements(len(inherited))
            properties.inherit(inherited)
        return MapObject(
            id=integer(element, "id", 0, context),
            name=element.get("name", ""),
            class_name=class_name,
            shape=shape,
            width=width,
            height=height,
            gid=gid,
            flags=flags,
            visible=boolean(element, "visible", True),
            opacity=min(max(decimal(element, "opacity", 1, context), 0.0), 1.0),
            properties=properties,
            text=_text(element, context),
            template=element.get("template", ""),
            **self._geometry(element, shape, gid, flags, width, height),
        )

    def _geometry(
        self, element: Element, shape: str, gid: int, flags: int, width: float, height: float
    ) -> dict[str, Any]:
        """The attributes of MapObject that are in world units."""
        rotation = decimal(element, "rotation", 0, self.context)
        turn = _turn(rotation)
        if shape not in ("tile", "text"):  # tiles and text are not projected
            turn = turn @ self.projection
        position = self._position(element)
        outline, box = self._outline(element, shape, gid, flags, width, height)
        points = outline @ turn.T + position
        x, y = self.axes.point(*position.tolist())
        return {
            "x": x,
            "y": y,
            "rotation": rotation,
            "points": self.axes.points(points),
            "bounds": self._bounds(shape, points, box, turn, position),
        }

    def _tile(self, gid: int, element: Element) -> tuple[Any, int]:
        try:
            tileset = self.tilesets.owner(gid)
        except KeyError:
            number = element.get("id", "?")
            raise self.context.error(f"object {number} has gid {gid} of no tileset") from None
        return tileset, gid - tileset.first_gid

    def _position(self, element: Element) -> Floats:
        """The object's position in pixels of the map, y down."""
        written = np.array([decimal(element, name, 0, self.context) for name in ("x", "y")])
        position: Floats = self.projection @ written + self.grid.object_origin() + self.offset
        return position

    def _outline(
        self, element: Element, shape: str, gid: int, flags: int, width: float, height: float
    ) -> tuple[Floats, tuple[float, float, float, float]]:
        """Corners relative to the object's position, and its box: left, top, right, bottom."""
        if shape in ("polygon", "polyline"):
            points = _points(element.find(shape), self.context)
            return points, (0, 0, 0, 0)
        if shape == "point":
            return np.zeros((1, 2)), (0, 0, 0, 0)
        left, top, right, bottom = 0.0, 0.0, width, height
        if gid:
            left, top, right, bottom = self._tile_box(gid, flags, width, height)
        if shape == "capsule":
            return _capsule(width, height), (left, top, right, bottom)
        if shape == "ellipse":
            circle = np.stack((np.cos(_ROUND), np.sin(_ROUND)), axis=1) / 2 + 0.5
            return circle * (width, height), (left, top, right, bottom)
        corners = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
        return corners, (left, top, right, bottom)

    def _tile_box(
        self, gid: int, flags: int, width: float, height: float
    ) -> tuple[float, float, float, float]:
        """The box of a tile's image, relative to the object's position."""
        tileset = self.tilesets.owner(gid)
        usual = "bottom" if isinstance(self.grid, Isometric) else "bottomleft"
        across, down = _ALIGNMENTS.get(tileset.object_alignment, _ALIGNMENTS[usual])
        drawn = tileset.draw_box(gid - tileset.first_gid, (width, height))
        left, bottom = -across * width, (1 - down) * height
        half_x, half_y = drawn.image_width / 2, drawn.image_height / 2
        if flags & DIAGONAL and not self.grid.turns:
            width, height, half_x, half_y = height, width, half_y, half_x
        x, y = left + width / 2 + drawn.offset_x, bottom - height / 2 + drawn.offset_y
        return x - half_x, y - half_y, x + half_x, y + half_y

    def _bounds(
        self,
        shape: str,
        points: Floats,
        box: tuple[float, float, float, float],
        turn: Floats,
        position: Floats,
    ) -> Bounds:
        if shape == "ellipse":  # a circle under a matrix reaches as far as its rows are long
            left, top, right, bottom = box
            x, y = turn @ ((left + right) / 2, (top + bottom) / 2) + position
            half = turn * ((right - left) / 2, (bottom - top) / 2)
            reach_x, reach_y = hypot(*half[0]), hypot(*half[1])
            edges = np.array([[x - reach_x, y - reach_y, x + reach_x, y + reach_y]])
        else:
            edges = np.concatenate((points.min(axis=0), points.max(axis=0)))[None]
        return Bounds(*self.axes.boxes(edges)[0].tolist())


def _shape(element: Element) -> str:
    for shape in ("point", "ellipse", "polygon", "polyline", "text", "capsule"):
        if element.find(shape) is not None:
            return shape
    return "rectangle"


def _points(element: Element | None, context: LoadContext) -> Floats:
    text = "" if element is None else element.get("points", "")
    try:
        pairs = [pair.split(",") for pair in text.split()]
        points = np.array([(float(x), float(y)) for x, y in pairs], float).reshape(-1, 2)
    except ValueError:
        raise context.error(f"points {text[:40]!r} are not pairs of numbers") from None
    if not (np.abs(points) <= _FARTHEST).all():
        raise context.error(f"points {text[:40]!r} are not finite or out of all bounds")
    return points if len(points) else np.zeros((1, 2))


def _capsule(width: float, height: float) -> Floats:
    """A box with round ends on its shorter sides, its top-left corner at the origin."""
    radius = min(width, height) / 2
    corners = np.stack((np.cos(_ROUND), np.sin(_ROUND)), axis=1) * radius
    middle = np.array((width, height)) / 2
    pulled: Floats = corners + np.sign(corners.round(9)) * (middle - radius) + middle
    return pulled


def _turn(degrees: float) -> Floats:
    """The matrix that turns clockwise if y points down."""
    angle = radians(degrees)
    cosine, sine = cos(angle), sin(angle)
    return np.array([[cosine, -sine], [sine, cosine]]).round(15)


def _text(element: Element, context: LoadContext) -> Text | None:
    text = element.find("text")
    if text is None:
        return None
    return Text(
        words=text.text or "",
        font=text.get("fontfamily", "sans-serif"),
        pixel_size=integer(text, "pixelsize", 16, context),
        color=parse_color(text.get("color")) or (0, 0, 0, 255),
        bold=boolean(text, "bold", False),
        italic=boolean(text, "italic", False),
        underline=boolean(text, "underline", False),
        strikeout=boolean(text, "strikeout", False),
        kerning=boolean(text, "kerning", True),
        wrap=boolean(text, "wrap", False),
        horizontal=text.get("halign", "left"),
        vertical=text.get("valign", "top"),
    )
