"""Draw the shapes of object layers: an outline with a shadow, and a light fill."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil, floor, hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tilequad.draw.pillow.transforms import rotation
from tilequad.tiled import MapObject

__all__ = ["DEFAULT_COLOR", "FILL_ALPHA", "REACH", "Shape", "shadow_offset", "shapes_of"]

Point = tuple[float, float]
Points = NDArray[np.float64]

DEFAULT_COLOR = (160, 160, 164, 255)  # Tiled's, for object layers without a color
FILL_ALPHA = 50
REACH = 32  # pixels; how far beyond its points a shape is drawn

# Pixels, as in Tiled, at any scale.
_PEN = 1.0  # half the width of a line
_DOT = 4.0  # radius of the dot on the first point of a polygon

# World units, as in Tiled.
_SIDE = 20.0  # of the square, or the circle, for an object without a size
_PIN = 10.0  # radius of the head of the pin that shows a point
_PIN_SWEEP = 235  # degrees of its circle
_PIN_DOT = _PIN / 3

# A longer outline is drawn with thin lines that are not smooth, which is a hundred times faster.
_MAX_CORNERS = 2000
_MAX_OUTLINE = 1 << 20  # pixels


class Shape(NamedTuple):
    """What to draw of an object, in pixels of the picture, y down."""

    lines: list[Points]  #: each (n, 2), from point to point
    fill: Points | None = None  #: the corners of the filled polygon
    dots: tuple[tuple[Point, float], ...] = ()  #: centre and radius
    shadow: bool = True  #: whether it casts one

    def moved(self, dx: float, dy: float) -> Shape:
        """Return the lines and dots of the shape, moved."""
        dots = tuple(((x + dx, y + dy), radius) for (x, y), radius in self.dots)
        return Shape([line + np.array((dx, dy)) for line in self.lines], None, dots)

    def masks(
        self, size: tuple[int, int]
    ) -> tuple[Image.Image, Image.Image | None, tuple[int, int]] | None:
        """Draw the shape as masks.

        Args:
            size: Width and height of the picture; nothing is drawn beyond.

        Returns:
            The mask of lines and dots, the mask of the fill or None, and the upper left corner of
            both in the picture; None if nothing is visible.
        """
        points = np.concatenate([*self.lines, *(np.array([center]) for center, _ in self.dots)])
        margin = _DOT + 2 + max((radius for _, radius in self.dots), default=0)
        low = np.clip(np.floor(points.min(axis=0)) - margin, 0, size).astype(int)
        high = np.clip(np.ceil(points.max(axis=0)) + margin, 0, size).astype(int)
        width, height = (high - low).tolist()
        if width <= 0 or height <= 0:
            return None
        mask = self._pen((width, height), low)
        fill = None if self.fill is None else _filled(self.fill - low, (width, height))
        return mask, fill, (int(low[0]), int(low[1]))

    def _pen(self, size: tuple[int, int], corner: NDArray[np.int64]) -> Image.Image:
        segments = []
        for line in self.lines:
            for start, end in pairwise((line - corner).tolist()):
                visible = _clip(start, end, size)
                if visible is not None:
                    segments.append(visible)
        length = sum(hypot(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in segments)
        if len(segments) > _MAX_CORNERS or length > _MAX_OUTLINE:
            mask = Image.new("L", size)
            pen = ImageDraw.Draw(mask)
            for segment in segments:
                pen.line(segment, fill=255)
            return mask
        coverage = np.zeros(size[::-1], np.uint8)
        for (x0, y0), (x1, y1) in segments:
            _add_line(coverage, x0, y0, x1, y1, _PEN)
        for (x, y), radius in self.dots:
            x, y = x - float(corner[0]), y - float(corner[1])
            _add_line(coverage, x, y, x, y, radius)
        return Image.fromarray(coverage)


def shapes_of(item: MapObject, points: Points, scale: float, isometric: bool) -> list[Shape]:
    """Return what Tiled draws of an object, from bottom to top.

    Args:
        item: The object; neither a tile nor a text.
        points: Its `points` in pixels of the picture, y down.
        scale: Pixels of the picture for each world unit.
        isometric: Whether the map is isometric: Tiled draws a few things differently there.
    """
    if item.shape == "point":
        return _pin(points[0], item.rotation, scale)
    if item.shape in ("polygon", "polyline"):
        closed = item.shape == "polygon"
        line = np.concatenate((points, points[:1])) if closed else points
        first = float(points[0, 0]), float(points[0, 1])
        return [Shape([line], points if closed else None, ((first, _DOT),))]
    sized = item.width > 0, item.height > 0
    if not any(sized):
        if isometric:
            return []
        points = _square(points[0], item.rotation, scale, item.shape == "ellipse")
    elif item.shape == "ellipse":
        if not all(sized):  # a line
            points = points[[0, 8, 16, 24]]
        else:
            box, points = _ellipse(points)
            if isometric:
                return [Shape([_closed(box), _closed(points)], points)]
    return [Shape([_closed(points)], points)]


def shadow_offset(item: MapObject, isometric: bool) -> Point:
    """Return where the shadow of an object is, in pixels from the object."""
    offset = (0.0, 2 * _PEN) if isometric and item.shape != "point" else (_PEN, _PEN)
    x, y = (rotation(item.rotation) @ offset).tolist()
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
    outline = position + np.concatenate(([(0.0, 0.0)], arc)) @ rotation(degrees).T
    x, y = (position + head @ rotation(degrees).T)[0].tolist()
    dot = Shape([], dots=(((x, y), _PIN_DOT * scale + _PEN),), shadow=False)
    return [Shape([_closed(outline)], outline), dot]


def _ellipse(points: Points) -> tuple[Points, Points]:
    """Return the parallelogram around an ellipse of 32 points, and as many points as it needs."""
    center = points.mean(axis=0)
    across, down = points[0] - center, points[8] - center
    box = center + np.array([-across - down, across - down, across + down, down - across])
    count = int(np.clip((hypot(*across) + hypot(*down)), 32, 512))
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return box, center + np.outer(np.cos(angles), across) + np.outer(np.sin(angles), down)


def _add_line(
    coverage: NDArray[np.uint8], x0: float, y0: float, x1: float, y1: float, half: float
) -> None:
    """Draw a line with round ends, smoothly: each pixel by its distance from the line.

    Args:
        coverage: How much of each pixel is covered, 0 to 255; (height, width), changed in place.
        x0: The start; pixel (0, 0) is centred at (0.5, 0.5).
        y0: The start.
        x1: The end.
        y1: The end.
        half: Half the width of the line.
    """
    if abs(y1 - y0) > abs(x1 - x0):  # go along the longer axis
        coverage, x0, y0, x1, y1 = coverage.T, y0, x0, y1, x1
    height, width = coverage.shape
    if x1 < x0:
        x0, y0, x1, y1 = x1, y1, x0, y0
    reach = half + 0.5
    first, last = max(floor(x0 - reach), 0), min(ceil(x1 + reach), width)
    length = max(hypot(x1 - x0, y1 - y0), 1e-9)
    slope_x, slope_y = (x1 - x0) / length, (y1 - y0) / length
    beside = ceil(1.5 * reach) + 1
    for columns in _blocks(first, last):
        x = columns + 0.5
        middle = y0 + np.clip((x - x0) / max(x1 - x0, 1e-9), 0, 1) * (y1 - y0)
        rows = np.floor(middle).astype(int)[:, None] + np.arange(-beside, beside + 1)
        away_x, away_y = (x - x0)[:, None], rows + 0.5 - y0
        along = np.clip(away_x * slope_x + away_y * slope_y, 0, length)
        distance = np.hypot(away_x - along * slope_x, away_y - along * slope_y)
        covered = (np.clip(reach - distance, 0, 1) * 255 + 0.5).astype(np.uint8)
        inside = (rows >= 0) & (rows < height)
        place = rows[inside], np.broadcast_to(columns[:, None], rows.shape)[inside]
        coverage[place] = np.maximum(coverage[place], covered[inside])


def _blocks(first: int, last: int) -> Iterator[NDArray[np.int64]]:
    """Split a range into arrays of a few thousand numbers, to save memory."""
    for start in range(first, last, 4096):
        yield np.arange(start, min(start + 4096, last))


def _filled(points: Points, size: tuple[int, int]) -> Image.Image:
    """Fill the pixels whose centre is in a polygon; where it overlaps itself, every second part."""
    width, height = size
    edges = np.zeros((height, width + 1), np.uint8)
    for (x0, y0), (x1, y1) in pairwise(_closed(points).tolist()):
        if y1 < y0:
            x0, y0, x1, y1 = x1, y1, x0, y0
        rows = np.arange(max(ceil(y0 - 0.5), 0), min(ceil(y1 - 0.5), height))
        if len(rows):
            x = x0 + (rows + 0.5 - y0) * ((x1 - x0) / (y1 - y0))
            edges[rows, np.ceil(x - 0.5).clip(0, width).astype(int)] ^= 255
    return Image.fromarray(np.bitwise_xor.accumulate(edges[:, :width], axis=1))


def _clip(start: list[float], end: list[float], size: tuple[int, int]) -> list[Point] | None:
    """Clip a line to an image and a small margin (Liang and Barsky, 1984); None if it is beyond."""
    first, last = 0.0, 1.0
    for axis in (0, 1):
        for limit, sign in ((-_DOT, 1), (size[axis] + _DOT, -1)):
            inside, speed = sign * (start[axis] - limit), sign * (end[axis] - start[axis])
            if speed > 0:
                first = max(first, -inside / speed)
            elif speed < 0:
                last = min(last, -inside / speed)
            elif inside < 0:
                return None
    if first > last:
        return None
    (x0, y0), (x1, y1) = start, end
    return [
        (x0 + share * (x1 - x0), y0 + share * (y1 - y0)) if 0 < share < 1 else (x, y)
        for share, (x, y) in ((first, (x0, y0)), (last, (x1, y1)))
    ]
