"""Draw the shapes of object layers: an outline with a shadow, and a light fill."""

from __future__ import annotations

from math import hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad.draw.transforms import rotation
from tilequad.tiled import MapObject

__all__ = ["DEFAULT_COLOR", "FILL_ALPHA", "PEN", "REACH", "Shape", "shapes_of"]

Point = tuple[float, float]
Points = NDArray[np.float64]

DEFAULT_COLOR = (160, 160, 164, 255)  # what Tiled uses for object layers without a color
FILL_ALPHA = 50
REACH = 32  # how far a shape extends beyond its points, in pixels; enlarged, in world units

# Pixels, as in Tiled, at any scale.
PEN = 1.0  # half the width of a line
_DOT = 4.0  # radius of the dot on the first point of a polygon

# World units, as in Tiled.
_SIDE = 20.0  # the side of the square or circle of an object without a size
_PIN = 10.0  # radius of the head of the pin that shows a point
_PIN_SWEEP = 235  # degrees of the head's arc
_PIN_DOT = _PIN / 3


class Shape(NamedTuple):
    """The parts of an object to draw, in pixels of the picture, y down."""

    lines: list[Points]  #: each (n, 2), from point to point
    fill: Points | None = None  #: the corners of the filled polygon
    dots: tuple[tuple[Point, float], ...] = ()  #: center and radius
    #: the offset of its black shadow, drawn beneath it, in whole pixels
    shadow: tuple[int, int] | None = None
    is_shadow: bool = False  #: whether this shape is the shadow of the next one


def shapes_of(item: MapObject, points: Points, scale: float, isometric: bool) -> list[Shape]:
    """Return the parts of an object, no tile or text, that Tiled draws, from bottom to top.

    `points` are its own in pixels of the picture, y down. Tiled draws a few things differently in
    isometric maps.
    """
    if item.shape == "point":
        return _pin(points[0], item.rotation, scale)
    offset = _turned((0.0, 2 * PEN) if isometric else (PEN, PEN), item.rotation)
    if isometric:  # the shadow is where the object is
        points = points - offset
    shape = _shape(item, points, scale, isometric)
    return [] if shape is None else _with_shadow(shape, offset)


def _shape(item: MapObject, points: Points, scale: float, isometric: bool) -> Shape | None:
    if item.shape in ("polygon", "polyline"):
        closed = item.shape == "polygon"
        line = np.concatenate((points, points[:1])) if closed else points
        first = float(points[0, 0]), float(points[0, 1])
        return Shape([line], points if closed else None, ((first, _DOT),))
    sized = item.width > 0, item.height > 0
    if not any(sized):
        if isometric:
            return None
        points = _square(points[0], item.rotation, scale, item.shape == "ellipse")
    elif item.shape == "ellipse":
        if not all(sized):  # a line
            points = points[[0, 8, 16, 24]]
        else:
            box, points = _ellipse(points)
            if isometric:
                return Shape([_closed(box), _closed(points)], points)
    return Shape([_closed(points)], points)


def _with_shadow(shape: Shape, offset: Point) -> list[Shape]:
    """Return a shape and its shadow. Offset by whole pixels, the shadow looks like the shape."""
    dx, dy = offset
    if dx == round(dx) and dy == round(dy):
        return [shape._replace(shadow=(round(dx), round(dy)))]
    dots = tuple(((x + dx, y + dy), radius) for (x, y), radius in shape.dots)
    moved = [line + np.array(offset) for line in shape.lines]
    return [Shape(moved, None, dots, is_shadow=True), shape]


def _turned(offset: Point, degrees: float) -> Point:
    if not degrees:
        return offset
    x, y = (rotation(degrees) @ offset).tolist()
    return x, y


def _closed(points: Points) -> Points:
    return np.concatenate((points, points[:1]))


def _circle(first: float, sweep: float, radius: float) -> Points:
    """Points of an arc about the origin, angles in degrees, clockwise with y down."""
    angles = np.radians(np.linspace(first, first + sweep, 48))
    return np.stack((np.cos(angles), np.sin(angles)), axis=1) * radius


def _square(position: Points, degrees: float, scale: float, is_round: bool) -> Points:
    """Return the mark of an object without a size: a square, or a circle, around its position."""
    half = _SIDE / 2 * scale
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    mark = _circle(0, 360, half) if is_round else corners
    return position + mark @ rotation(degrees).T


def _pin(position: Points, degrees: float, scale: float) -> list[Shape]:
    """Return the pin that marks a point: its tip is at the position."""
    head = np.array([(0.0, -2 * _PIN * scale)])
    arc = _circle(-90 - _PIN_SWEEP / 2, _PIN_SWEEP, _PIN * scale) + head
    turn = rotation(degrees).T
    outline = position + np.concatenate(([(0.0, 0.0)], arc)) @ turn
    x, y = (position + head @ turn)[0].tolist()
    dot = Shape([], dots=(((x, y), _PIN_DOT * scale + PEN),))
    return [*_with_shadow(Shape([_closed(outline)], outline), _turned((PEN, PEN), degrees)), dot]


def _ellipse(points: Points) -> tuple[Points, Points]:
    """Return the parallelogram around an ellipse of 32 points, and 32 to 512 points of it."""
    center = points.mean(axis=0)
    across, down = points[0] - center, points[8] - center
    box = center + np.array([-across - down, across - down, across + down, down - across])
    # rounded, so that it has as many wherever the picture begins
    count = int(np.clip(round(hypot(*across) + hypot(*down), 6), 32, 512))
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return box, center + np.outer(np.cos(angles), across) + np.outer(np.sin(angles), down)
