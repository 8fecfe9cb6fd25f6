"""Draw the tiles of a layer at any scale, with the pixels that `render` picks.

At smaller scales nearly every tile has another offset to the pixel grid, so no two pictures of a
tile are equal. Picking the pixels of many tiles at once is faster than making each picture.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.sampling import Pixels
from tilequad.tiled import FLIPPED_DIAGONALLY, FLIPPED_HORIZONTALLY, FLIPPED_VERTICALLY, TileLayer

__all__ = ["Cells", "PickedTiles"]

Ints = NDArray[np.integer[Any]]
Values = NDArray[np.uint32]  # pixels, each as the 32 bits of an RGBA image

_ONE = 1 << 16  # steps per pixel, as in Tiled's toolkit; see `Canvas.stretch`
_BATCH = 1 << 17  # pixels to pick at a time; each takes up to 40 bytes meanwhile
_MOST_KINDS = 1 << 12  # how many tiles keep their pixels


class Cells(NamedTuple):
    """The tiles to draw; a row for each, in draw order."""

    gids: Ints
    flags: NDArray[np.uint8]
    corners: Ints  #: left, top; whole pixels of the picture
    parts: NDArray[np.float64]  #: left, top, right, bottom, in pixels from the corner


class PickedTiles:
    """Draws unrotated tiles of a layer, and caches them tinted and faded."""

    def __init__(self) -> None:
        self._images: dict[int, Pixels] = {}

    def draw(self, picture: Values, canvas: Canvas, layer: TileLayer, cells: Cells) -> None:
        """Draw tiles, each over the earlier ones, regardless of the layer's blend mode.

        Args:
            picture: (height, width); changed in place.
            canvas: A canvas that is drawing the layer, for its scale and size.
            layer: The layer.
            cells: The tiles.
        """
        swapped = cells.flags & FLIPPED_DIAGONALLY != 0
        kinds, of = np.unique(cells.gids.astype(np.int64) << 1 | swapped, return_inverse=True)
        if len(self._images) > _MOST_KINDS:
            self._images.clear()
        images = [self._image(canvas, layer, kind) for kind in kinds.tolist()]
        picker = _Picker(picture, cells, images, of)
        area = cells.parts[:, 2:].prod(axis=1).cumsum()
        for tiles in np.split(np.arange(len(of)), np.flatnonzero(np.diff(area // _BATCH)) + 1):
            picker.draw(tiles)

    def _image(self, canvas: Canvas, layer: TileLayer, kind: int) -> Pixels:
        """Return the pixels of a tile, its axes swapped if the lowest bit of its kind says so."""
        found = self._images.get(kind)
        if found is None:
            image = canvas.shown(layer, canvas.tile(kind >> 1))
            if kind & 1:
                image = image.transpose(Image.Transpose.TRANSPOSE)
            found = self._images[kind] = Pixels(image)
        return found


class _Picker:
    """Picks pixels of images and puts them on a picture.

    Args:
        picture: (height, width).
        cells: The tiles.
        images: Their images.
        kinds: The index of each tile's image.
    """

    def __init__(self, picture: Values, cells: Cells, images: list[Pixels], kinds: Ints) -> None:
        self._height, self._width = picture.shape
        self._picture = picture.reshape(-1)
        self._cells = cells
        self._kinds = kinds
        self._sizes = np.array([(image.width, image.height) for image in images])
        self._values = np.concatenate([image.values for image in images])
        self._starts = np.cumsum([0] + [len(image.values) for image in images])[:-1]
        alpha = self._values >> 24
        self._crisp = bool(((alpha == 0) | (alpha == 255)).all())
        self._first = np.floor(cells.parts[:, :2] + 0.5).astype(np.int64)
        self._counts = np.floor(cells.parts[:, 2:] + 0.5).astype(np.int64) - self._first
        self._corners = cells.corners + self._first  # the first pixel of each tile

    def draw(self, tiles: Ints) -> None:
        """Draw some tiles."""
        counts = self._counts[tiles]
        pixels = np.arange(max(counts[:, 0].max(initial=0), 0))
        columns = self._corners[tiles, :1] + pixels
        x = self._sources(tiles[:, None], pixels, 0)
        hidden = (pixels >= counts[:, :1]) | (columns < 0) | (columns >= self._width)
        # Past the end, where the last image has its transparent pixel
        x[hidden] = len(self._values)
        heights = counts[:, 1].clip(0)
        of = np.repeat(np.arange(len(tiles)), heights)  # a row for each line of a tile
        lines = np.arange(len(of)) - np.repeat(heights.cumsum() - heights, heights)
        rows = self._corners[tiles[of], 1] + lines
        inside = (rows >= 0) & (rows < self._height)
        of, lines, rows = of[inside], lines[inside], rows[inside]
        y = self._sources(tiles[of], lines, 1)
        kinds = self._kinds[tiles[of]]
        bases = self._starts[kinds] + y * self._sizes[kinds, 0]
        values = self._values.take(x[of] + bases[:, None], mode="clip").reshape(-1)
        places = (columns[of] + (rows * self._width)[:, None]).reshape(-1)
        shown = np.flatnonzero(values >> 24)
        self._put(values[shown], places[shown])

    def _put(self, values: Values, places: Ints) -> None:
        """Put pixels on the picture, in order."""
        if self._crisp:
            self._picture[places] = values  # of several at one position the last one counts
            return
        solid = values >> 24 == 255
        self._picture[places[solid]] = values[solid]
        # Half transparent pixels remain unless a later solid one covers them. Only written entries
        # are read.
        soft = np.flatnonzero(~solid)
        last = np.empty(len(self._picture), np.int64)
        last[places[soft]] = -1
        last[places[solid]] = np.flatnonzero(solid)
        soft = soft[soft > last[places[soft]]]
        while len(soft):  # the lowest at each position, then the next ones
            last[places[soft[::-1]]] = soft[::-1]
            lowest = last[places[soft]] == soft
            at = places[soft[lowest]]
            self._picture[at] = _composed(self._picture[at], values[soft[lowest]])
            soft = soft[~lowest]

    def _sources(self, tiles: Ints, pixels: Ints, axis: int) -> Ints:
        """Return the columns, or rows, of images that pixels show, as `Canvas.stretch` does.

        Args:
            tiles: The tiles.
            pixels: The offset of each pixel from the first one of its tile.
            axis: 0 for columns, 1 for rows.
        """
        lengths = self._sizes[self._kinds[tiles], axis]
        start, end = self._cells.parts[tiles, axis], self._cells.parts[tiles, axis + 2]
        scale = lengths / np.maximum(end - start, 1e-9)
        first = self._first[tiles, axis] + 0.5 - start
        step = np.trunc(scale * _ONE)
        places = np.ceil(first * step) - 1 + pixels * step
        flags = self._cells.flags[tiles]
        by_lines = flags & (FLIPPED_HORIZONTALLY | FLIPPED_VERTICALLY | FLIPPED_DIAGONALLY) != 0
        if by_lines.any():
            flipped = flags & (FLIPPED_HORIZONTALLY, FLIPPED_VERTICALLY)[axis] != 0
            sign, origin = np.where(flipped, -1, 1), np.where(flipped, lengths, 0)
            if axis:
                turned = np.trunc((origin + sign * scale * (first + pixels)) * _ONE - 1)
            else:
                turned = np.trunc((origin + sign * scale * first) * _ONE - 1) + pixels * sign * step
            places = np.where(by_lines, turned, places)
        found: Ints = (places.astype(np.int64) >> 16).clip(0, lengths - 1)
        return found


def _composed(below: Values, above: Values) -> Values:
    """Compose pixels, rounded as by Pillow's `alpha_composite`. No upper pixel may be clear."""
    low, high = (values.view(np.uint8).reshape(-1, 4).astype(np.int64) for values in (below, above))
    alpha = high[:, 3:] * 255 + low[:, 3:] * (255 - high[:, 3:])
    share = high[:, 3:] * (255 * 255 * 128) // alpha
    mixed = high * share + low * (255 * 128 - share) + (128 << 7)
    mixed = (mixed >> 8) + mixed >> 15
    alpha += 128
    mixed[:, 3:] = (alpha >> 8) + alpha >> 8
    values: Values = mixed.astype(np.uint8).view(np.uint32).reshape(-1)
    return values
