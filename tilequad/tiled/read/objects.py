"""Step 4b: turns an <objectgroup> into an ObjectLayer of shapes in world units."""

from __future__ import annotations

from math import cos, hypot, pi, radians, sin
from typing import Any, NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

import numpy as np

from tilequad.bounds import Bounds

from ..cells import FLAG_SHIFT, FLIPPED_DIAGONALLY, GID_MASK, Floats, turn_of
from ..context import LoadContext
from ..geometry.grids import Isometric
from ..model.frame import MapFrame
from ..model.layer import LayerAttributes
from ..model.map_object import MapObject, Text
from ..model.object_layer import ObjectLayer
from ..model.properties import Properties
from ..model.tilesets import Tileset
from .attributes import MOST, boolean, decimal, decimals, integer, parse_color, read_properties

__all__ = ["BARE", "INHERITED", "OUTLINES", "OWN", "TEXT_FLAGS", "TEXT_WORDS", "read_objects"]

# An <object> with one of these has an outline of its own, and does not take its template's.
OUTLINES = ("point", "ellipse", "polygon", "polyline", "text", "capsule")
BARE = ("ellipse", "point", "capsule")  # those without numbers of their own
# How an <object> that was filled in tells what is its own, by names that no file can have.
OWN = " own"  # the attribute: its own attributes and outlines
INHERITED = " inherited"  # the element: the properties of its template

# The attributes of a <text>, but its size and color.
TEXT_WORDS = {"font": "fontfamily", "horizontal": "halign", "vertical": "valign"}
TEXT_FLAGS = ("bold", "italic", "underline", "strikeout", "kerning", "wrap")
_TEXT = Text("")  # has the defaults

# Most objects have one to four points. For those, numpy would take ten times as long.
Point: TypeAlias = tuple[float, float]
Matrix: TypeAlias = tuple[float, float, float, float]  # the upper row, then the lower one
Box: TypeAlias = tuple[float, float, float, float]  # left, top, right, bottom

_BOXES = ("tile", "rectangle", "text")  # shapes with four corners
_STANDING = ("tile", "text")  # shapes that stay upright on every map
_UPRIGHT: Matrix = (1.0, 0.0, 0.0, 1.0)
_NOWHERE = np.empty((0, 2)), Bounds(0, 0, 0, 0)
_CIRCLE = [(cos(angle), sin(angle)) for angle in (2 * pi * step / 32 for step in range(32))]

# What an instance may set itself, by how the file names it.
_MODEL_NAMES = {
    **{name: name for name in ("name", "gid", "width", "height", "rotation", "opacity", "visible")},
    "type": "class_name",
    "class": "class_name",
    **dict.fromkeys(OUTLINES, "shape"),
    "text": "text",
}

_LEVEL = 1e-9  # points of the circle closer to its middle than this belong to neither half

# How far left of its position and above it a tile object begins, in widths and heights.
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
    frame: MapFrame,
    context: LoadContext,
) -> ObjectLayer:
    """Read an <objectgroup>; its elements are taken out of it.

    See https://doc.mapeditor.org/en/stable/manual/objects/. Objects are projected as the cells
    of the map are.
    """
    elements = layer.findall("object")
    context.take("objects", len(elements))
    draw_order = layer.get("draworder", "topdown")
    reader = _ObjectReader(attributes.offset, frame, context)
    # Each object takes the memory of its element: half of the memory, and less time.
    del layer[:]
    elements.reverse()
    objects = [reader.read(elements.pop()) for _ in range(len(elements))]
    reader.place_boxes()
    if draw_order == "topdown":  # by the y in the file, before projection
        order = np.argsort(reader.written_y, kind="stable")
        objects = [objects[number] for number in order.tolist()]
    color = parse_color(layer.get("color"))
    return ObjectLayer._make(attributes, objects=objects, color=color, draw_order=draw_order)


class _Tile(NamedTuple):
    """The data that objects take from the tile they show."""

    tileset: Tileset
    size: tuple[int, int]  #: of an object that declares none; zero if the tileset lacks the tile
    drawn: tuple[int, int]  #: the size of its image; zero if the image is missing
    align: Point  #: how far left of and above its position an object begins, in sizes
    class_name: str
    properties: Properties


# The gid, flags, width and height of an object, its tile, and its box relative to its position.
_Look: TypeAlias = tuple[int, int, float, float, _Tile | None, Box]


class _ObjectReader:
    def __init__(self, offset: tuple[float, float], frame: MapFrame, context: LoadContext) -> None:
        grid, self.tilesets, self.axes = frame.grid, frame.tilesets, frame.axes
        self.context = context
        self.turns = grid.turns
        self.usual_alignment = "bottom" if isinstance(grid, Isometric) else "bottomleft"
        (a, b), (c, d) = grid.projection().tolist()
        self.projection: Matrix = a, b, c, d
        self.is_projected = self.projection != _UPRIGHT
        x, y = grid.object_origin()
        self.left, self.top = x + offset[0], y + offset[1]
        # Many objects show the same tile in the same size.
        self.tiles: dict[int, _Tile] = {}  # by gid
        self.looks: dict[tuple[str | None, ...], _Look] = {}  # by what _look needs, as written
        self.written_y: list[float] = []  # of each object, as in the file
        self.upright: list[MapObject] = []  # the objects whose outline is an upright box,
        self.sides: list[float] = []  # and its left, top, right and bottom, y down, one by one
        # The shapes that are such a box unless they are rotated.
        self.upright_shapes = () if self.turns else _STANDING if self.is_projected else _BOXES

    def read(self, element: Element) -> MapObject:
        """Read one <object>; if it is an upright box, `place_boxes` adds its outline."""
        context, get = self.context, element.get
        plain = not len(element)  # the usual case, for which the time counts
        written = get("gid"), get("width"), get("height")
        gid, flags, width, height, tile, box = self.looks.get(written) or self._look(
            element, written
        )
        shape = "tile" if gid else "rectangle" if plain else _shape(element)
        x, y = self._position(element)
        rotation = decimal(element, "rotation", 0, context) if get("rotation") else 0
        opacity = decimal(element, "opacity", 1, context) if get("opacity") else 1.0
        class_name = get("type") or get("class") or ""
        properties = Properties() if plain else read_properties(element, context)
        template = get("template", "")
        if template:
            for inherited in element.findall(INHERITED):
                properties._inherit_template(read_properties(inherited, context))
        has_class = False
        if tile:
            has_class = class_name != ""
            class_name = class_name or tile.class_name
            if tile.properties:
                context.take("elements", len(tile.properties))
                properties._inherit(tile.properties)
        upright = not rotation and shape in self.upright_shapes
        points, bounds = _NOWHERE
        if not upright:
            outline = element, shape, flags, rotation, box, (x, y)
            points, bounds = self._placed_outline(*outline)
        item = MapObject(
            # in the order of the fields, because names would take twice as long
            integer(element, "id", 0, context),
            get("name", ""),
            class_name,
            shape,
            x,
            self.axes.height - y if self.axes.y_up else y,
            width,
            height,
            rotation,
            points,
            bounds,
            gid,
            flags,
            boolean(element, "visible", True) if get("visible") else True,
            min(max(opacity, 0.0), 1.0) if opacity != 1.0 else 1.0,
            properties,
            None if plain else _text(element, context),
            template,
            frozenset(_MODEL_NAMES[own] for own in get(OWN, "").split() if own in _MODEL_NAMES),
        )
        if has_class:
            item._has_class = True
        if shape in ("polygon", "polyline"):
            item._outline = points, item.x, item.y, rotation
        if upright:
            self.upright.append(item)
            self.sides += (box[0] + x, box[1] + y, box[2] + x, box[3] + y)
        return item

    def _look(self, element: Element, written: tuple[str | None, ...]) -> _Look:
        """Return what follows from the gid, the width and the height that an object declares."""
        context = self.context
        raw = integer(element, "gid", 0, context)
        gid, flags = raw & GID_MASK, raw >> FLAG_SHIFT
        width = decimal(element, "width", 0, context)
        height = decimal(element, "height", 0, context)
        tile = None
        box: Box = 0.0, 0.0, width, height
        if gid:
            tile = self.tiles.get(gid) or self._tile(gid, element)
            width, height = width or tile.size[0], height or tile.size[1]
            box = self._tile_box(tile, flags, width, height)
        look = self.looks[written] = gid, flags, width, height, tile, box
        return look

    def place_boxes(self) -> None:
        """Set the outlines and bounds of upright boxes; all at once takes a fifth of the time."""
        boxes = np.array(self.sides, float).reshape(-1, 4)
        height, y_up = self.axes
        if y_up:
            boxes[:, 1::2] = height - boxes[:, 1::2]
        corners = boxes[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2)
        bounds = np.hstack((corners.min(axis=1), corners.max(axis=1))).tolist()
        for item, points, around in zip(self.upright, corners, bounds, strict=True):
            item.points = points
            item.bounds = tuple.__new__(Bounds, around)  # in half of the time of Bounds()

    def _position(self, element: Element) -> Point:
        """Return where an object is in pixels of the map, y down."""
        x, y = decimals(element, "x", "y", 0, self.context)
        self.written_y.append(y)
        if self.is_projected:
            a, b, c, d = self.projection
            x, y = a * x + b * y, c * x + d * y
        return x + self.left, y + self.top

    def _placed_outline(
        self, element: Element, shape: str, flags: int, rotation: float, box: Box, position: Point
    ) -> tuple[Floats, Bounds]:
        """Return the points and the bounds of any shape, in world units."""
        matrix = _UPRIGHT if shape in _STANDING else self.projection  # they stay upright
        if rotation:
            matrix = _product(_turn(rotation), matrix)
        outline = self._outline(element, shape, box)
        points = self._placed(outline, matrix, position)
        if shape == "ellipse":
            bounds = self._ellipse_bounds(box, matrix, position)
        elif shape == "tile" and self.turns:
            bounds = _around(self._placed(_with_flags(outline, flags), matrix, position))
        else:
            bounds = _around(points)
        return np.array(points), bounds

    def _placed(self, outline: list[Point], matrix: Matrix, position: Point) -> list[Point]:
        moved = _moved(outline, matrix, position)
        height, y_up = self.axes
        return [(x, height - y) for x, y in moved] if y_up else moved

    def _tile(self, gid: int, element: Element) -> _Tile:
        try:
            tileset = self.tilesets.owner(gid)
        except KeyError:
            number = element.get("id", "?")
            raise self.context.error(
                f"object {number} has gid {gid}, unknown to all tilesets"
            ) from None
        local_id = gid - tileset.first_gid
        size = tileset.tile_size(local_id)
        known = self.tiles[gid] = _Tile(
            tileset,
            size if tileset.has_tile(local_id) else (0, 0),
            size if tileset.has_image(local_id) else (0, 0),
            _ALIGNMENTS.get(tileset.object_alignment, _ALIGNMENTS[self.usual_alignment]),
            tileset.tile_class(local_id),
            tileset.tile_properties(local_id),
        )
        return known

    def _outline(self, element: Element, shape: str, box: Box) -> list[Point]:
        """Return the points of a shape in a box, relative to the object's position."""
        width, height = box[2:]
        if shape in ("polygon", "polyline"):
            return _points(element.find(shape), self.context)
        if shape == "point":
            return [(0, 0)]
        if shape == "capsule":
            return _capsule(width, height)
        if shape == "ellipse":
            return [((x / 2 + 0.5) * width, (y / 2 + 0.5) * height) for x, y in _CIRCLE]
        left, top, right, bottom = box
        return [(left, top), (right, top), (right, bottom), (left, bottom)]

    def _tile_box(self, tile: _Tile, flags: int, width: float, height: float) -> Box:
        """Return the box of a tile's image, relative to the object's position."""
        drawn = tile.tileset._draw_box(tile.drawn, (width, height))
        across, down = tile.align
        left, bottom = -across * width, (1 - down) * height
        half_x, half_y = drawn.image_width / 2, drawn.image_height / 2
        if flags & FLIPPED_DIAGONALLY and not self.turns:
            width, height, half_x, half_y = height, width, half_y, half_x
        x, y = left + width / 2 + drawn.offset_x, bottom - height / 2 + drawn.offset_y
        return x - half_x, y - half_y, x + half_x, y + half_y

    def _ellipse_bounds(self, box: Box, matrix: Matrix, position: Point) -> Bounds:
        """Return the bounds of the circle in a box, transformed by a matrix."""
        left, top, right, bottom = box
        [(x, y)] = _moved([((left + right) / 2, (top + bottom) / 2)], matrix, position)
        half_x, half_y = (right - left) / 2, (bottom - top) / 2
        a, b, c, d = matrix
        # a transformed circle extends by the length of a row of the matrix
        reach_x, reach_y = hypot(a * half_x, b * half_y), hypot(c * half_x, d * half_y)
        corners = (x - reach_x, y - reach_y), (x + reach_x, y + reach_y)
        return _around([self.axes.point(*corner) for corner in corners])


def _moved(points: list[Point], matrix: Matrix, position: Point) -> list[Point]:
    """Return points, transformed by a matrix and relative to a position."""
    left, top = position
    if matrix == _UPRIGHT:
        return [(x + left, y + top) for x, y in points]
    a, b, c, d = matrix
    return [(a * x + b * y + left, c * x + d * y + top) for x, y in points]


def _product(first: Matrix, second: Matrix) -> Matrix:
    """Return the matrix that applies `second` first, then `first`."""
    a, b, c, d = first
    e, f, g, h = second
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


def _around(points: list[Point]) -> Bounds:
    across, down = zip(*points, strict=True)
    return Bounds(min(across), min(down), max(across), max(down))


def _shape(element: Element) -> str:
    tags = [child.tag for child in element]
    for shape in OUTLINES:
        if shape in tags:
            return shape
    return "rectangle"


def _points(element: Element | None, context: LoadContext) -> list[Point]:
    text = "" if element is None else element.get("points", "")
    context.take("elements", text.count(","))  # a template counts once for each use
    try:
        pairs = [pair.split(",") for pair in text.split()]
        points = [(float(x), float(y)) for x, y in pairs]
    except ValueError:
        raise context.error(f"points {text[:40]!r} are not pairs of numbers") from None
    if not all(abs(x) <= MOST and abs(y) <= MOST for x, y in points):
        raise context.error(f"points {text[:40]!r} are not finite or out of all bounds")
    return points or [(0.0, 0.0)]


def _capsule(width: float, height: float) -> list[Point]:
    """Return a box with round ends on its shorter sides and its top-left corner at the origin."""
    radius, middle_x, middle_y = min(width, height) / 2, width / 2, height / 2

    def pulled(way: float, middle: float) -> float:
        """Pull a half of the circle to its end of the box."""
        side = (way > _LEVEL) - (way < -_LEVEL)
        return way * radius + side * (middle - radius) + middle

    return [(pulled(x, middle_x), pulled(y, middle_y)) for x, y in _CIRCLE]


def _with_flags(outline: list[Point], flags: int) -> list[Point]:
    """Return the corners of a tile on a hexagonal map, rotated about its center by its flags."""
    (left, top), (right, bottom) = outline[0], outline[2]
    x, y = (left + right) / 2, (top + bottom) / 2
    away = [(corner_x - x, corner_y - y) for corner_x, corner_y in outline]
    return _moved(away, _turn(turn_of(flags)), (x, y))


def _turn(degrees: float) -> Matrix:
    """Return the matrix that rotates clockwise if y points down."""
    angle = radians(degrees)
    cosine, sine = round(cos(angle), 15), round(sin(angle), 15)
    return cosine, -sine, sine, cosine


def _text(element: Element, context: LoadContext) -> Text | None:
    text = element.find("text")
    if text is None:
        return None
    words: dict[str, Any] = {
        name: text.get(tag, getattr(_TEXT, name)) for name, tag in TEXT_WORDS.items()
    }
    flags: dict[str, Any] = {name: boolean(text, name, getattr(_TEXT, name)) for name in TEXT_FLAGS}
    pixel_size = integer(text, "pixelsize", 16, context)
    color = parse_color(text.get("color")) or (0, 0, 0, 255)
    return Text(text.text or "", pixel_size=pixel_size, color=color, **words, **flags)
