"""A small painter: shapes are signed distance fields, light comes from the upper left.

It paints with numpy alone, so a script gives the same picture with every version of Pillow. Lengths
are in pixels, x to the right, y down.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Array = NDArray[np.float64]
Color = tuple[int, int, int]

#: Samples along each side of a pixel.
SAMPLES = 4
#: Distances up to this are exact, in pixels: the width of the widest soft edge and outline.
REACH = 6.0
#: The dark warm color of all outlines.
OUTLINE: Color = (58, 44, 50)


class Canvas:
    """A transparent picture to paint on.

    Example:
        >>> canvas = Canvas(32, 32)
        >>> canvas.fill(canvas.circle(16, 16, 10), (200, 60, 60))
        >>> canvas.image().getpixel((16, 16))
        (200, 60, 60, 255)
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.y, self.x = (
            np.mgrid[0 : height * SAMPLES, 0 : width * SAMPLES] + 0.5
        ) / SAMPLES  # the center of every sample
        self.premultiplied = np.zeros((height * SAMPLES, width * SAMPLES, 4))

    # -- shapes: the distance of every sample to an edge, negative inside --
    # Distances beyond REACH are never used, so only a window around the shape is computed.

    def circle(self, x: float, y: float, radius: float) -> Array:
        """Return a circle."""
        return self.ellipse(x, y, radius, radius)

    def ellipse(self, x: float, y: float, radius_x: float, radius_y: float) -> Array:
        """Return an axis-aligned ellipse; its distance is exact at the edge and close elsewhere."""
        shape, window = self._around(x - radius_x, y - radius_y, x + radius_x, y + radius_y)
        stretch = np.hypot((self.x[window] - x) / radius_x, (self.y[window] - y) / radius_y)
        shape[window] = (stretch - 1) * min(radius_x, radius_y)
        return shape

    def box(self, left: float, top: float, right: float, bottom: float, round_: float = 0) -> Array:
        """Return a rectangle with rounded corners."""
        shape, window = self._around(left, top, right, bottom)
        out_x = np.abs(self.x[window] - (left + right) / 2) - (right - left) / 2 + round_
        out_y = np.abs(self.y[window] - (top + bottom) / 2) - (bottom - top) / 2 + round_
        outside = np.hypot(np.maximum(out_x, 0), np.maximum(out_y, 0))
        shape[window] = outside + np.minimum(np.maximum(out_x, out_y), 0) - round_
        return shape

    def line(self, x0: float, y0: float, x1: float, y1: float, radius: float) -> Array:
        """Return a line with round ends and a width of twice `radius`."""
        shape, window = self._around(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), radius)
        shape[window] = _to_segment(self.x[window], self.y[window], x0, y0, x1, y1) - radius
        return shape

    def polygon(self, points: Sequence[tuple[float, float]]) -> Array:
        """Return a simple polygon."""
        xs, ys = zip(*points, strict=True)
        shape, window = self._around(min(xs), min(ys), max(xs), max(ys))
        x, y = self.x[window], self.y[window]
        nearest = np.full(x.shape, np.inf)
        inside = np.zeros(x.shape, bool)
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True):
            nearest = np.minimum(nearest, _to_segment(x, y, x0, y0, x1, y1))
            if y0 != y1:
                crosses = (y >= y0) != (y >= y1)
                inside ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
        shape[window] = np.where(inside, -nearest, nearest)
        return shape

    # -- paint --

    def fill(
        self, shape: Array, color: Color | Array, alpha: float | Array = 1.0, soft: float = 0.25
    ) -> None:
        """Paint the inside of a shape.

        Args:
            shape: Distances, as the shape methods return them.
            color: One color, or one per sample: (height, width, 3).
            alpha: Opacity, 0 to 1.
            soft: Width of the soft edge in pixels; 0.25 looks sharp.
        """
        window = _touched(shape < soft / 2)
        cover = np.clip(0.5 - shape[window] / soft, 0, 1)
        cover *= alpha[window] if isinstance(alpha, np.ndarray) else alpha
        cover = cover[..., None]
        paint = color[window] if isinstance(color, np.ndarray) else np.asarray(color, float)
        ground = self.premultiplied[window]
        ground *= 1 - cover
        ground[..., :3] += paint * cover
        ground[..., 3:] += cover

    def figure(self, shape: Array, color: Color, edge: float = 1.0, light: float = 1.0) -> None:
        """Paint a solid shape: outlined, lighter at the upper left, darker at the lower right.

        Args:
            shape: Distances, as the shape methods return them.
            color: The color in neutral light.
            edge: Width of the outline in pixels, 0 for none.
            light: Strength of light and shade; 1 is normal.
        """
        if edge:
            self.fill(shape - edge, mix(OUTLINE, color, 0.18))
        self.fill(shape, color)
        depth = float(-shape.min())
        reach = min(1.5, 0.4 * depth)
        # The shape minus a copy moved toward the light is a crescent of shade, and vice versa.
        self.fill(np.maximum(shape, -self._moved(shape, -reach)), darker(color, 0.24 * light))
        self.fill(
            np.maximum(shape + 0.2, -self._moved(shape, reach * 0.8)), lighter(color, 0.26 * light)
        )

    def glow(
        self, x: float, y: float, radius_x: float, radius_y: float, color: Color, alpha: float
    ) -> None:
        """Paint a soft spot, for shadows and light."""
        reach = np.hypot((self.x - x) / radius_x, (self.y - y) / radius_y)
        self.fill(reach - 0.72, color, alpha, soft=0.56)

    def shadow(self, x: float, y: float, radius_x: float, radius_y: float) -> None:
        """Paint a shadow on the ground."""
        self.glow(x, y, radius_x, radius_y, (32, 44, 40), 0.36)

    def only_inside(self, shape: Array) -> None:
        """Erase everything outside the shape."""
        self.premultiplied *= np.clip(0.5 - shape / 0.25, 0, 1)[..., None]

    def image(self) -> Image.Image:
        """Return the picture, with the samples of each pixel averaged."""
        height, width, n = self.height, self.width, SAMPLES
        mean = self.premultiplied.reshape(height, n, width, n, 4).mean(axis=(1, 3))
        alpha = mean[..., 3:]
        color = np.divide(mean[..., :3], alpha, out=np.zeros_like(mean[..., :3]), where=alpha > 0)
        color = np.where(alpha < 1 / 64, 0, color)
        # Coarse steps keep the files small and are invisible.
        stepped = np.minimum(np.round(color / 4) * 4, 255)
        covered = np.where(alpha < 1 / 64, 0, np.round(alpha * 51) * 5)
        return Image.fromarray(np.concatenate([stepped, covered], axis=2).astype(np.uint8), "RGBA")

    def _around(
        self, left: float, top: float, right: float, bottom: float, by: float = 0
    ) -> tuple[Array, tuple[slice, slice]]:
        """Return an array of far distances, and the window where the near ones go."""
        rows, columns = (
            slice(
                max(0, int((low - by - REACH) * SAMPLES)),
                max(0, int((high + by + REACH) * SAMPLES)),
            )
            for low, high in ((top, bottom), (left, right))
        )
        return np.full(self.x.shape, REACH), (rows, columns)

    def _moved(self, shape: Array, by: float) -> Array:
        """Return the shape moved `by` pixels to the right and down."""
        steps = round(by * SAMPLES)
        moved = np.roll(shape, (steps, steps), axis=(0, 1))
        if steps > 0:
            moved[:steps], moved[:, :steps] = 9, 9
        elif steps < 0:
            moved[steps:], moved[:, steps:] = 9, 9
        return moved


def _to_segment(x: Array, y: Array, x0: float, y0: float, x1: float, y1: float) -> Array:
    """Return the distance of each point to a segment."""
    dx, dy = x1 - x0, y1 - y0
    length = dx * dx + dy * dy
    if length == 0:
        return np.hypot(x - x0, y - y0)
    along = np.clip(((x - x0) * dx + (y - y0) * dy) / length, 0, 1)
    return np.hypot(x - x0 - along * dx, y - y0 - along * dy)


def _touched(inside: NDArray[np.bool_]) -> tuple[slice, slice]:
    """Return the smallest window that contains every sample inside."""
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not len(rows):
        return slice(0), slice(0)
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def union(*shapes: Array) -> Array:
    """Return the union of shapes."""
    return np.asarray(np.minimum.reduce(shapes))


def common(*shapes: Array) -> Array:
    """Return the intersection of shapes."""
    return np.asarray(np.maximum.reduce(shapes))


def without(shape: Array, hole: Array) -> Array:
    """Return the first shape without the second."""
    return np.maximum(shape, -hole)


def mix(a: Color, b: Color, share: float) -> Color:
    """Return the color `share` of the way from a to b."""
    red, green, blue = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return red, green, blue


def lighter(color: Color, share: float) -> Color:
    """Return a color mixed with warm light."""
    return mix(color, (255, 246, 214), share)


def darker(color: Color, share: float) -> Color:
    """Return a color mixed with cool shade."""
    return mix(color, (34, 34, 62), share)


def noise(rng: np.random.Generator, x: Array, y: Array, cell: float) -> Array:
    """Return smooth random values (value noise) from 0 to 1, with features about `cell` long."""
    columns = int(x.max() / cell) + 3
    rows = int(y.max() / cell) + 3
    knots = rng.random((rows, columns))
    column, row = (x / cell).astype(int), (y / cell).astype(int)
    u, v = x / cell - column, y / cell - row
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    top = knots[row, column] * (1 - u) + knots[row, column + 1] * u
    low = knots[row + 1, column] * (1 - u) + knots[row + 1, column + 1] * u
    return np.asarray(top * (1 - v) + low * v)


def sheet(images: Sequence[Image.Image], columns: int) -> Image.Image:
    """Join pictures of one size into a sheet, row by row."""
    width, height = images[0].size
    rows = -(-len(images) // columns)
    whole = Image.new("RGBA", (columns * width, rows * height))
    for index, image in enumerate(images):
        whole.paste(image, (index % columns * width, index // columns * height))
    return whole
