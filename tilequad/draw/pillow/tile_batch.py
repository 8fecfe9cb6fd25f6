"""Draw the tiles of a layer at a scale below 1: pick the pixels of many tiles at once.

At smaller scales nearly every tile has another offset to the pixel grid, so no two pictures of a
tile are equal. Picking the pixels of many tiles at once is faster than making each picture.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.finished_tiles import FinishedTiles
from tilequad.draw.pillow.sampling import Pixels, places_along
from tilequad.tiled import FLIPPED_DIAGONALLY

__all__ = ["Tiles", "draw_batch"]

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]
Values = NDArray[np.uint32]  # pixels, each as the 32 bits of an RGBA image

_MOST_PIXELS = 1 << 24  # in all images of a batch; each pixel takes 4 bytes
_BATCH = 1 << 17  # pixels to pick at a time; each takes up to 40 bytes meanwhile


class Tiles(NamedTuple):
    """The tiles to draw; a row for each, in draw order."""

    gids: Ints
    flags: NDArray[np.uint8]
    corners: Ints  #: left, top; whole pixels of the picture
    parts: Floats  #: left, top, right, bottom, in pixels from the corner


def draw_batch(canvas: Canvas, finished: FinishedTiles, tiles: Tiles) -> bool:
    """Draw tiles that are not rotated on a canvas, each over the earlier ones.

    In a blend mode, they are blended as a whole, and must not overlap. Return False, with nothing
    drawn, if their images are too large to hold all at once.
    """
    kinds, some, which = np.unique(tiles.gids, return_index=True, return_inverse=True)
    sizes = tiles.parts[some, 2:] - tiles.parts[some, :2]
    images: list[Pixels] = []
    room = _MOST_PIXELS
    for gid, (width, height) in zip(kinds.tolist(), sizes.tolist(), strict=True):
        images.append(finished.pixels(gid, (width, height)))
        room -= images[-1].width * images[-1].height
        if room < 0:
            return False
    batch = _Batch(images, which, tiles)
    if canvas.is_normal:
        canvas.spend(batch.area)
        batch.draw(canvas.pixels)
    else:
        whole = np.zeros(canvas.size[::-1], np.uint32)
        batch.draw(whole)
        image = Image.frombuffer("RGBA", canvas.size, whole, "raw", "RGBA", 0, 1)
        if box := image.getbbox():
            canvas.paste(image.crop(box), *box[:2])
    return True


class _Batch:
    """Draws tiles on an array; the image of each is given by its number.

    Its area is how many pixels the tiles have in all.
    """

    def __init__(self, images: list[Pixels], kinds: Ints, tiles: Tiles) -> None:
        self._tiles = tiles
        self._kinds = kinds
        self._sizes = np.array([(image.width, image.height) for image in images])
        self._values = np.concatenate([image.values for image in images])
        self._starts = np.cumsum([0] + [len(image.values) for image in images])[:-1]
        self._crisp = all(image.crisp for image in images)
        self._swapped = tiles.flags & FLIPPED_DIAGONALLY != 0
        self._first = np.floor(tiles.parts[:, :2] + 0.5).astype(np.int64)
        self._counts = np.floor(tiles.parts[:, 2:] + 0.5).astype(np.int64) - self._first
        self._corners = tiles.corners + self._first  # the first pixel of each tile
        self.area = int(self._counts.clip(0).prod(axis=1).sum())

    def draw(self, picture: Values) -> None:
        """Draw the tiles on a picture, (height, width)."""
        area = self._tiles.parts[:, 2:].prod(axis=1).cumsum()
        breaks = np.flatnonzero(np.diff(area // _BATCH)) + 1
        for some in np.split(np.arange(len(area)), breaks):
            self._draw_some(picture, some)

    def _draw_some(self, picture: Values, some: Ints) -> None:
        height, width = picture.shape
        counts = self._counts[some].clip(0)
        across, down = (np.arange(most) for most in counts.max(axis=0))
        columns = self._corners[some, :1] + across
        x, y = self._sources(some, across, 0), self._sources(some, down, 1)
        hidden = (across >= counts[:, :1]) | (columns < 0) | (columns >= width)
        # Past the end, where the last image has its transparent pixel
        x[hidden] = len(self._values)
        rows = self._corners[some, 1:] + down
        of, lines = np.nonzero((down < counts[:, 1:]) & (rows >= 0) & (rows < height))
        rows, bases = rows[of, lines], self._starts[self._kinds[some[of]]] + y[of, lines]
        values = self._values.take(x[of] + bases[:, None], mode="clip").reshape(-1)
        places = (columns[of] + (rows * width)[:, None]).reshape(-1)
        shown = np.flatnonzero(values >> 24)
        self._put(picture.reshape(-1), values[shown], places[shown])

    def _put(self, picture: Values, values: Values, places: Ints) -> None:
        """Put pixels on the picture, in order."""
        if self._crisp:
            picture[places] = values  # of several at one position the last one counts
            return
        solid = values >> 24 == 255
        picture[places[solid]] = values[solid]
        # Half transparent pixels remain unless a later solid one covers them. Only written entries
        # are read.
        soft = np.flatnonzero(~solid)
        last = np.empty(len(picture), np.int64)
        last[places[soft]] = -1
        last[places[solid]] = np.flatnonzero(solid)
        soft = soft[soft > last[places[soft]]]
        while len(soft):  # the lowest at each position, then the next ones
            last[places[soft[::-1]]] = soft[::-1]
            lowest = last[places[soft]] == soft
            at = places[soft[lowest]]
            picture[at] = _composed(picture[at], values[soft[lowest]])
            soft = soft[~lowest]

    def _sources(self, some: Ints, pixels: Ints, axis: int) -> Ints:
        """Return which pixels of their images some tiles show, along one axis of the picture.

        The pixels are counted from the first one of each tile. Returns steps from the first pixel
        of the image, (tiles, pixels).
        """
        some = some[:, None]
        sizes = self._sizes[self._kinds[some]]
        swapped, parts = self._swapped[some], self._tiles.parts
        lengths = np.where(swapped, sizes[..., 1 - axis], sizes[..., axis])
        found = places_along(
            axis,
            parts[some, axis],
            parts[some, axis + 2],
            lengths,
            self._first[some, axis] + pixels,
            self._tiles.flags[some],
            swapped,
        )
        steps: Ints = found.clip(0, lengths - 1)
        return steps * np.where(swapped == bool(axis), 1, sizes[..., 0])


def _composed(below: Values, above: Values) -> Values:
    """Compose pixels, rounded as in Pillow's `alpha_composite`; no upper one is transparent."""
    low, high = (values.view(np.uint8).reshape(-1, 4).astype(np.int64) for values in (below, above))
    alpha = high[:, 3:] * 255 + low[:, 3:] * (255 - high[:, 3:])
    share = high[:, 3:] * (255 * 255 * 128) // alpha
    mixed = high * share + low * (255 * 128 - share) + (128 << 7)
    mixed = (mixed >> 8) + mixed >> 15
    alpha += 128
    mixed[:, 3:] = (alpha >> 8) + alpha >> 8
    values: Values = mixed.astype(np.uint8).view(np.uint32).reshape(-1)
    return values
