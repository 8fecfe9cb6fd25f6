"""Draw shapes as masks: smooth lines and dots, and what they fill.

Many shapes are drawn at once: numpy takes nearly as long for the lines of one as for those of a
hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import floor, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from tilequad.draw.pillow.shapes import FILL_ALPHA, PEN, Shape

__all__ = ["Mask", "masks_of"]

Points = NDArray[np.float64]
Segments = NDArray[np.float64]  # (n, 4): x and y of the start, x and y of the end
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_MARGIN = 3.0  # pixels around the points of a shape, in addition to the radius of its dots
_SHADOW = 2  # pixels that a mask extends beyond the picture, for its shadow

# A longer outline is drawn with thin lines that are not smooth, which is a hundred times faster.
_MAX_CORNERS = 2000
_MAX_OUTLINE = 1 << 20  # pixels

# The most pixels of masks to hold and of lines to process at a time. A pixel of a line takes up to
# 100 bytes.
_MASKS = 1 << 20
_BLOCK = 1 << 16


# The cost of the work besides the pixels of the masks, relative to painting a pixel.
_SMOOTH_COST = 8  # a pixel near a smooth line
_EDGE_COST = 16  # a row that an edge of a polygon crosses
_SEGMENT_COST = 1 << 9  # a thin line, besides its pixels


class Mask(NamedTuple):
    """The coverage of each pixel by a shape."""

    lines: Image.Image  #: lines and dots
    fill: Image.Image | None  #: FILL_ALPHA where it is filled
    corner: tuple[int, int]  #: the position of the upper left pixel in the picture


def masks_of(
    shapes: list[Shape], size: tuple[int, int], spend: Callable[[int], None]
) -> Iterator[Mask | None]:
    """Draw shapes as masks on a picture of a size; yield None for one of which nothing is visible.

    `spend` takes the cost of each part of the work before it is done; see `Canvas.spend`.
    """
    if not shapes:
        return
    low, high = _boxes(shapes, size)
    areas = (high - low).clip(0).prod(axis=1)
    first = 0
    while first < len(shapes):  # as many as fit at a time, but at least one
        last = first + max(1, int(np.searchsorted(areas[first:].cumsum(), _MASKS, "right")))
        some = slice(first, last)
        yield from _Sheet(shapes[some], low[some], high[some], spend).masks()
        first = last


def _boxes(shapes: list[Shape], size: tuple[int, int]) -> tuple[Ints, Ints]:
    """The pixels that shapes may cover: first columns and rows, and ends."""
    parts = [[*shape.lines, *(np.array([center]) for center, _ in shape.dots)] for shape in shapes]
    points = np.concatenate([part for own in parts for part in own])
    ends = np.cumsum([sum(map(len, own)) for own in parts])
    starts = np.concatenate(([0], ends[:-1]))
    widest = [max((radius for _, radius in shape.dots), default=PEN) for shape in shapes]
    margin = np.array(widest)[:, None] + _MARGIN
    limits = -_SHADOW, np.array(size) + _SHADOW
    low = np.floor(np.minimum.reduceat(points, starts) - margin).clip(*limits)
    high = np.ceil(np.maximum.reduceat(points, starts) + margin).clip(*limits)
    return low.astype(np.int64), high.astype(np.int64)


class _Sheet:
    """Some shapes, drawn at once: their masks lie one after the other in one array."""

    def __init__(
        self, shapes: list[Shape], low: Ints, high: Ints, spend: Callable[[int], None]
    ) -> None:
        self.shapes = shapes
        self.spend = spend
        self.corners = low
        self.sizes = (high - low).clip(0)
        self.seen: NDArray[np.bool_] = self.sizes.min(axis=1) > 0
        self.sizes[~self.seen] = 0

    def masks(self) -> Iterator[Mask | None]:
        """Draw the masks."""
        thick = self._lines()
        fills = self._fills()
        for number, seen in enumerate(self.seen.tolist()):
            corner = self.corners[number].tolist()
            yield Mask(thick[number], fills.get(number), (corner[0], corner[1])) if seen else None

    def _lines(self) -> list[Image.Image]:
        starts = _starts(self.sizes.prod(axis=1))
        coverage = np.zeros(starts[-1], np.uint8)
        numbers, segments = self._segments()
        lengths = np.hypot(*(segments[:, 2:] - segments[:, :2]).T)
        count = len(self.shapes)
        is_long = (np.bincount(numbers, minlength=count) > _MAX_CORNERS) | (
            np.bincount(numbers, lengths, count) > _MAX_OUTLINE
        )
        smooth = ~is_long[numbers]
        thin = lengths[~smooth]
        self.spend(int(thin.sum()) + _SEGMENT_COST * len(thin))
        self._add(coverage, starts, numbers[smooth], segments[smooth], PEN)
        for radius, (dotted, dots) in self._dots(is_long).items():
            centers = np.tile(np.array(dots), 2) - np.tile(self.corners[dotted], 2)
            self._add(coverage, starts, np.array(dotted), centers, radius)
        images = _images(coverage, starts, self.sizes)
        for number in np.flatnonzero(is_long & self.seen).tolist():
            images[number] = _thin(segments[numbers == number], images[number].size)
        return images

    def _segments(self) -> tuple[Ints, Segments]:
        """Return the segments of all lines, clipped to the masks, and the shape of each."""
        lines = [line for shape in self.shapes for line in shape.lines]
        owners = [number for number, shape in enumerate(self.shapes) for _ in shape.lines]
        if not lines:
            return np.empty(0, np.int64), np.empty((0, 4))
        points = np.concatenate(lines)
        segments = np.hstack((points[:-1], points[1:]))
        lengths = np.array([len(line) for line in lines])
        inside = np.ones(len(points), bool)
        inside[np.cumsum(lengths) - 1] = False  # no segment leads from one line to the next
        segments = segments[inside[:-1]]
        numbers = np.repeat(np.array(owners), lengths - 1)
        segments = segments - np.tile(self.corners[numbers], 2)
        kept, segments = _clipped(segments, self.sizes[numbers])
        return numbers[kept], segments[kept]

    def _dots(self, without: NDArray[np.bool_]) -> dict[float, tuple[list[int], list[Points]]]:
        """Return the shape and the position of each dot, by radius."""
        found: dict[float, tuple[list[int], list[Points]]] = {}
        for number, shape in enumerate(self.shapes):
            for center, radius in shape.dots:
                if not without[number]:
                    numbers, centers = found.setdefault(radius, ([], []))
                    numbers.append(number)
                    centers.append(np.array(center))
        return found

    def _add(
        self, coverage: Bytes, starts: Ints, numbers: Ints, segments: Segments, half: float
    ) -> None:
        """Draw lines with round ends, smoothly: each pixel by its distance from the line.

        Args:
            coverage: How much of each pixel is covered, 0 to 255; changed in place.
            starts: Where the mask of each shape begins in it.
            numbers: The shape of each line.
            segments: The lines; pixel (0, 0) of a mask is centered at (0.5, 0.5).
            half: Half the width of the lines.
        """
        steep = np.abs(segments[:, 3] - segments[:, 1]) > np.abs(segments[:, 2] - segments[:, 0])
        lines = np.where(steep[:, None], segments[:, [1, 0, 3, 2]], segments)  # the longer axis
        lines = np.where((lines[:, 2] < lines[:, 0])[:, None], lines[:, [2, 3, 0, 1]], lines)
        width, height = self.sizes[numbers].T
        # The size of the mask along a line's longer axis and across it, and the steps in the array.
        columns, rows = np.where(steep, (height, width), (width, height))
        step, row_step = np.where(steep, (width, 1 + 0 * width), (1 + 0 * width, width))
        reach = half + 0.5
        first = np.maximum(np.floor(lines[:, 0] - reach), 0).astype(np.int64)
        last = np.minimum(np.ceil(lines[:, 2] + reach), columns).astype(np.int64)
        x0, y0, dx, dy = np.vstack((lines[:, :2].T, lines[:, 2:].T - lines[:, :2].T))
        length = np.maximum(np.hypot(dx, dy), 1e-9)
        slope_x, slope_y = dx / length, dy / length
        farthest = floor(reach * sqrt(2) + 0.5)  # the most rows to each side, at 45 degrees
        beside = np.arange(-farthest, farthest + 1)
        self.spend(_SMOOTH_COST * beside.size * _count(first, last))
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
            place = (starts[numbers[line]] + column * step[line])[:, None]
            place = place + row * row_step[line, None]
            np.maximum.at(coverage, place[seen], covered[seen])

    def _fills(self) -> dict[int, Image.Image]:
        """Fill the pixels whose center is in a polygon, by shape.

        Where a polygon overlaps itself, every second part is filled.
        """
        filled = [
            (number, shape.fill)
            for number, shape in enumerate(self.shapes)
            if shape.fill is not None and self.seen[number]
        ]
        if not filled:
            return {}
        which = np.array([number for number, _ in filled])
        sizes = self.sizes[which]
        starts = _starts((sizes[:, 0] + 1) * sizes[:, 1])
        edges = np.zeros(starts[-1], np.uint8)  # an extra column for edges beyond the last one
        lengths = [len(points) for _, points in filled]
        numbers = np.repeat(np.arange(len(filled)), lengths)
        points = np.concatenate([points for _, points in filled]) - self.corners[which][numbers]
        after = np.arange(1, len(points) + 1)
        after[np.cumsum(lengths) - 1] = _starts(np.array(lengths))[:-1]  # each polygon is closed
        lines = np.hstack((points, points[after]))
        lines = np.where((lines[:, 3] < lines[:, 1])[:, None], lines[:, [2, 3, 0, 1]], lines)
        x0, y0, x1, y1 = lines.T
        width, height = sizes[numbers].T
        first, last = (np.ceil(y - 0.5).clip(0, height).astype(np.int64) for y in (y0, y1))
        self.spend(_EDGE_COST * _count(first, last))
        for line, row in _steps(first, last, _BLOCK):
            share = (x1[line] - x0[line]) / (y1[line] - y0[line])
            x = x0[line] + (row + 0.5 - y0[line]) * share
            column = np.ceil(x - 0.5).clip(0, width[line]).astype(np.int64)
            place = starts[numbers[line]] + row * (width[line] + 1) + column
            np.bitwise_xor.at(edges, place, FILL_ALPHA)
        # Each row has an even number of edges, so that no row changes the next one.
        images = _images(np.bitwise_xor.accumulate(edges), starts, sizes + np.array((1, 0)))
        return dict(zip(which.tolist(), images, strict=True))


def _starts(lengths: Ints) -> Ints:
    """Return where each part of an array begins, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(lengths)))


def _images(pixels: Bytes, starts: Ints, sizes: Ints) -> list[Image.Image]:
    """The images of these sizes that lie one after the other in an array; nothing is copied."""
    parts = zip(starts[:-1].tolist(), starts[1:].tolist(), sizes.tolist(), strict=True)
    return [
        Image.frombuffer("L", tuple(size), pixels[start:end], "raw", "L", 0, 1)
        if end > start
        else Image.new("L", (0, 0))
        for start, end, size in parts
    ]


def _thin(segments: Segments, size: tuple[int, int]) -> Image.Image:
    """Draw lines that are not smooth."""
    mask = Image.new("L", size)
    pen = ImageDraw.Draw(mask)
    for segment in segments.tolist():
        pen.line(segment, fill=255)
    return mask


def _count(first: Ints, last: Ints) -> int:
    """Return how many steps there are from first to last (exclusive), for all lines together."""
    return int(np.maximum(last - first, 0).sum())


def _steps(first: Ints, last: Ints, most: int) -> Iterator[tuple[Ints, Ints]]:
    """Count from first to last (exclusive) for each line.

    Yield the numbers of lines and positions on them, a limited number at a time, to save memory.
    """
    ends: Ints = np.cumsum(np.maximum(last - first, 0))
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, most):
        steps = np.arange(start, min(start + most, total))
        line = np.searchsorted(ends, steps, side="right").astype(np.int64)
        yield line, last[line] - ends[line] + steps


def _clipped(segments: Segments, sizes: Ints) -> tuple[NDArray[np.bool_], Segments]:
    """Clip lines to their masks and a small margin (Liang and Barsky, 1984).

    Return which lines lie at least partly inside, and all lines clipped.
    """
    starts, ends = segments[:, :2], segments[:, 2:]
    first, last = np.zeros(len(segments)), np.ones(len(segments))
    for axis in (0, 1):
        for limit, sign in ((-_MARGIN, 1), (sizes[:, axis] + _MARGIN, -1)):
            inside = sign * (starts[:, axis] - limit)
            speed = sign * (ends[:, axis] - starts[:, axis])
            share = -inside / np.where(speed, speed, 1)
            first = np.where(speed > 0, np.maximum(first, share), first)
            last = np.where(speed < 0, np.minimum(last, share), last)
            last = np.where((speed == 0) & (inside < 0), -1, last)
    way = ends - starts
    starts = np.where(first[:, None] > 0, starts + first[:, None] * way, starts)
    ends = np.where(last[:, None] < 1, segments[:, :2] + last[:, None] * way, ends)
    return first <= last, np.hstack((starts, ends))
