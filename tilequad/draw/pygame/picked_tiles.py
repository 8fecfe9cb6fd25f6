"""Draw the tiles of a layer at any scale: of each image the pixels that `render` picks.

Drawn smaller, nearly every tile lies elsewhere among the pixels, so that no two pictures of a tile
are equal, and to make each one would take longer than to pick the pixels of many tiles at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.finished_tiles import FinishedTiles
from tilequad.draw.pillow.sampling import Pixels
from tilequad.tiled import ACROSS, DIAGONAL, DOWN, TileLayer

__all__ = ["Cells", "PickedTiles", "Piece"]

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]

_ONE = 1 << 16  # steps of a pixel, as Tiled's toolkit counts; see `Canvas.stretch`
_BATCH = 1 << 18  # pixels to pick at a time; each takes up to 40 bytes meanwhile
_SOLID = 0xFF000000  # the alpha value of a pixel's 32 bits


class Cells(NamedTuple):
    """What to draw; a row for each tile, in draw order."""

    gids: Ints
    flags: NDArray[np.uint8]
    corners: Ints  #: left, top; whole pixels of the picture
    parts: Floats  #: left, top, right, bottom, in pixels from the corner


class Piece(NamedTuple):
    """An image to paste with `Canvas.paste`."""

    image: Image.Image
    left: int
    top: int
    crisp: bool


class PickedTiles:
    """The tiles of a layer that is drawn on a canvas, none of them turned.

    Args:
        canvas: The canvas.
        layer: The layer.
        cells: Its tiles.
    """

    def __init__(self, canvas: Canvas, layer: TileLayer, cells: Cells) -> None:
        self._width, self._height = canvas.picture.size
        finished = FinishedTiles(canvas, layer)
        swapped = cells.flags & DIAGONAL != 0
        kinds, self._kinds = np.unique(
            cells.gids.astype(np.int64) << 1 | swapped, return_inverse=True
        )
        images = [_pixels(finished, int(kind)) for kind in kinds]
        self._sizes = np.array([(image.width, image.height) for image in images])
        lengths = [len(image.values) for image in images]
        self._starts = np.cumsum([0, *lengths[:-1]])
        self._values = np.concatenate([image.values for image in images])  # ends with a clear one
        alpha = self._values >> 24
        self._crisp = bool(((alpha == 0) | (alpha == 255)).all())
        self._cells = cells
        self._swapped = swapped
        self._first = np.floor(cells.parts[:, :2] + 0.5).astype(np.int64)
        self._counts = np.floor(cells.parts[:, 2:] + 0.5).astype(np.int64) - self._first
        self._corners = cells.corners + self._first  # the first pixels

    def pieces(self) -> Iterator[Piece]:
        """Yield what to paste, in this order."""
        low, high = self._corners, self._corners + self._counts
        seen = ((low < (self._width, self._height)) & (high > 0) & (high > low)).all(axis=1)
        tiles = np.flatnonzero(seen)
        batches = np.cumsum(self._counts[tiles].prod(axis=1)) // _BATCH
        for some in np.split(tiles, np.flatnonzero(np.diff(batches)) + 1):
            if len(some):
                yield from self._pick(some)

    def _pick(self, tiles: Ints) -> Iterator[Piece]:
        """Yield the pieces of some tiles."""
        counts, corners = self._counts[tiles], self._corners[tiles]
        most = int(counts[:, 0].max())
        columns = np.arange(most)
        x = self._sources(tiles[:, None], columns, 0)
        x[columns >= counts[:, :1]] = len(self._values)  # beyond the end is a clear pixel
        of = np.repeat(np.arange(len(tiles)), counts[:, 1])  # the tile of each line
        starts = np.cumsum(counts[:, 1]) - counts[:, 1]
        lines = np.arange(len(of)) - starts[of]
        rows = corners[of, 1] + lines
        inside = (rows >= 0) & (rows < self._height)
        of, lines, rows = of[inside], lines[inside], rows[inside]
        y = self._sources(tiles[of], lines, 1)
        kinds = self._kinds[tiles[of]]
        bases = self._starts[kinds] + y * self._sizes[kinds, 0]
        values = self._values.take(x[of] + bases[:, None], mode="clip").ravel()
        top, wide = int(rows.min()), self._width + 2 * most  # no tile crosses the left or right end
        places = ((rows - top) * wide + corners[of, 0] + most)[:, None] + columns
        shown = np.flatnonzero(values >> 24)
        values, places = values[shown], places.ravel()[shown]
        size = wide, int(rows.max()) - top + 1
        solid = values >= _SOLID
        yield _piece(size, values[solid], places[solid], (-most, top), crisp=True)
        if self._crisp:
            return
        # Of a half transparent pixel remains what no later one covers.
        covered = np.full(size[0] * size[1], -1)
        covered[places[solid]] = np.flatnonzero(solid)
        left = np.flatnonzero(~solid)
        left = left[left > covered[places[left]]]
        while len(left):
            lowest = np.full(size[0] * size[1], -1)
            lowest[places[left[::-1]]] = left[::-1]
            now = lowest[places[left]] == left
            picked = left[now]
            yield _piece(size, values[picked], places[picked], (-most, top), crisp=False)
            left = left[~now]

    def _sources(self, tiles: Ints, pixels: Ints, axis: int) -> Ints:
        """Return the columns, or rows, of images that pixels show, as `Canvas.stretch` does.

        Args:
            tiles: The tiles.
            pixels: How far each pixel is from the first one of its tile.
            axis: 0 for columns, 1 for rows.
        """
        lengths = self._sizes[self._kinds[tiles], axis]
        start, end = self._cells.parts[tiles, axis], self._cells.parts[tiles, axis + 2]
        scale = lengths / np.maximum(end - start, 1e-9)
        first = self._first[tiles, axis] + 0.5 - start
        step = np.trunc(scale * _ONE)
        flags = self._cells.flags[tiles]
        plain = np.ceil(first * step) - 1 + pixels * step
        by_lines = flags & (ACROSS | DOWN | DIAGONAL) != 0
        if by_lines.any():
            flipped = flags & (ACROSS, DOWN)[axis] != 0
            sign, origin = np.where(flipped, -1, 1), np.where(flipped, lengths, 0)
            if axis:
                other = np.trunc((origin + sign * scale * (first + pixels)) * _ONE - 1)
            else:
                other = np.trunc((origin + sign * scale * first) * _ONE - 1) + pixels * sign * step
            plain = np.where(by_lines, other, plain)
        return (plain.astype(np.int64) >> 16).clip(0, lengths - 1)


def _pixels(finished: FinishedTiles, kind: int) -> Pixels:
    """Return the pixels of a tile, its axes swapped if the lowest bit of its kind says so."""
    pixels = finished.pixels(kind >> 1)
    if not kind & 1:
        return pixels
    size = pixels.width, pixels.height
    image = Image.frombuffer("RGBA", size, pixels.values[:-1], "raw", "RGBA", 0, 1)
    return Pixels(image.transpose(Image.Transpose.TRANSPOSE))


def _piece(
    size: tuple[int, int], values: Ints, places: Ints, corner: tuple[int, int], crisp: bool
) -> Piece:
    picture = np.zeros(size[0] * size[1], np.uint32)
    picture[places] = values  # of several at one place the last one counts
    return Piece(Image.frombuffer("RGBA", size, picture, "raw", "RGBA", 0, 1), *corner, crisp)
