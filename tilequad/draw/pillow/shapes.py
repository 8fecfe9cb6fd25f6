"""Draw the shapes of object layers: an outline with a shadow, and a light fill."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tilequad.draw.pillow.transforms import rotation
from tilequad.tiled import MapObject

__all__ = ["DEFAULT_COLOR", "FILL_ALPHA", "REACH", "Shape", "shadow_offset", "shapes_of"]

Point = tuple[float, float]
Points = NDArray[np.float64]
Segments = NDArray[np.float64]  # (n, 4): x and y of the start, x and y of the end
Ints = NDArray[np.int64]

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

# Pixels to work on at a time. Each takes up to 100 bytes meanwhile.
_BLOCK = 1 << 16


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
        pieces = [np.hstack((line[:-1], line[1:])) for line in self.lines]
        segments = _clipped(np.concatenate([np.empty((0, 4)), *pieces]) - np.tile(corner, 2), size)
        length = np.hypot(*(segments[:, 2:] - segments[:, :2]).T).sum()
        if len(segments) > _MAX_CORNERS or length > _MAX_OUTLINE:
            mask = Image.new("L", size)
            pen = ImageDraw.Draw(mask)
            for segment in segments.tolist():
                pen.line(segment, fill=255)
            return mask
        coverage = np.zeros(size[::-1], np.uint8)
        _add_lines(coverage, segments, _PEN)
        for center, radius in self.dots:
            _add_lines(coverage, np.array([center * 2]) - np.tile(corner, 2), radius)
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


def _add_lines(coverage: NDArray[np.uint8], segments: Segments, half: float) -> None:
    """Draw lines with round ends, smoothly: each pixel by its distance from the line.

    Args:
        coverage: How much of each pixel is covered, 0 to 255; (height, width), changed in place.
        segments: The lines; pixel (0, 0) is centred at (0.5, 0.5).
        half: Half the width of the lines.
    """
    steep = np.abs(segments[:, 3] - segments[:, 1]) > np.abs(segments[:, 2] - segments[:, 0])
    lines = np.where(steep[:, None], segments[:, [1, 0, 3, 2]], segments)  # along the longer axis
    lines = np.where((lines[:, 2] < lines[:, 0])[:, None], lines[:, [2, 3, 0, 1]], lines)
    height, width = coverage.shape
    # How many places there are along the line and across it, and how far they are apart.
    ways = np.where(steep[:, None], (height, width, width, 1), (width, height, 1, width))
    columns, rows, step, row_step = ways.T
    reach = half + 0.5
    first = np.maximum(np.floor(lines[:, 0] - reach), 0).astype(np.int64)
    last = np.minimum(np.ceil(lines[:, 2] + reach), columns).astype(np.int64)
    x0, y0, dx, dy = np.vstack((lines[:, :2].T, lines[:, 2:].T - lines[:, :2].T))
    length = np.maximum(np.hypot(dx, dy), 1e-9)
    slope_x, slope_y = dx / length, dy / length
    beside = np.arange(-ceil(1.5 * reach) - 1, ceil(1.5 * reach) + 2)
    for line, column in _steps(first, last, max(_BLOCK // beside.size, 1)):
        x = column + 0.5 - x0[line]
        middle = y0[line] + np.clip(x / np.maximum(dx[line], 1e-9), 0, 1) * dy[line]
        row = np.floor(middle).astype(np.int64)[:, None] + beside
        y = row + 0.5 - y0[line, None]
        along = x[:, None] * slope_x[line, None] + y * slope_y[line, None]
        along = np.clip(along, 0, length[line, None])
        distance = np.hypot(
            x[:, None] - along * slope_x[line, None], y - along * slope_y[line, None]
        )
        covered = (np.clip(reach - distance, 0, 1) * 255 + 0.5).astype(np.uint8)
        seen = (covered > 0) & (row >= 0) & (row < rows[line, None])
        place = column[:, None] * step[line, None] + row * row_step[line, None]
        np.maximum.at(coverage.reshape(-1), place[seen], covered[seen])


def _steps(first: Ints, last: Ints, most: int) -> Iterator[tuple[Ints, Ints]]:
    """Count from first to last (exclusive) for each line.

    Yields:
        The numbers of lines and where on them; at most so many at a time, to save memory.
    """
    ends: Ints = np.cumsum(np.maximum(last - first, 0))
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, most):
        steps = np.arange(start, min(start + most, total))
        line = np.searchsorted(ends, steps, side="right").astype(np.int64)
        yield line, last[line] - ends[line] + steps


def _filled(points: Points, size: tuple[int, int]) -> Image.Image:
    """Fill the pixels whose centre is in a polygon; where it overlaps itself, every second part."""
    width, height = size
    edges = np.zeros((height, width + 1), np.uint8)
    lines = np.hstack((points, np.roll(points, -1, axis=0)))
    lines = np.where((lines[:, 3] < lines[:, 1])[:, None], lines[:, [2, 3, 0, 1]], lines)
    x0, y0, x1, y1 = lines.T
    first, last = (np.ceil(y - 0.5).clip(0, height).astype(np.int64) for y in (y0, y1))
    for line, row in _steps(first, last, _BLOCK):
        share = (x1[line] - x0[line]) / (y1[line] - y0[line])
        x = x0[line] + (row + 0.5 - y0[line]) * share
        column = np.ceil(x - 0.5).clip(0, width).astype(np.int64)
        np.bitwise_xor.at(edges.reshape(-1), row * (width + 1) + column, 255)
    return Image.fromarray(np.bitwise_xor.accumulate(edges[:, :width], axis=1))


def _clipped(segments: Segments, size: tuple[int, int]) -> Segments:
    """Clip lines to an image and a small margin (Liang and Barsky, 1984), without those beyond."""
    starts, ends = segments[:, :2], segments[:, 2:]
    first, last = np.zeros(len(segments)), np.ones(len(segments))
    for axis in (0, 1):
        for limit, sign in ((-_DOT, 1), (size[axis] + _DOT, -1)):
            inside = sign * (starts[:, axis] - limit)
            speed = sign * (ends[:, axis] - starts[:, axis])
            share = -inside / np.where(speed, speed, 1)
            first = np.where(speed > 0, np.maximum(first, share), first)
            last = np.where(speed < 0, np.minimum(last, share), last)
            last = np.where((speed == 0) & (inside < 0), -1, last)
    way = ends - starts
    starts = np.where(first[:, None] > 0, starts + first[:, None] * way, starts)
    ends = np.where(last[:, None] < 1, segments[:, :2] + last[:, None] * way, ends)
    return np.hstack((starts, ends))[first <= last]
