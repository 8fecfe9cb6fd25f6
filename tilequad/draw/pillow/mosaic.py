"""Draw many small tiles that do not overlap at once, equal ones together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.finished_tiles import FinishedTiles
from tilequad.draw.pillow.sampling import Pixels
from tilequad.tiled import TileLayer

__all__ = ["Cells", "draw_mosaic", "fits_mosaic"]

# The number of pixels that cost as much as drawing a tile on its own.
_TILE_COST = 256

# Pixels to set at a time. Each takes up to 20 bytes meanwhile.
_BLOCK = 1 << 18

# Pixels of images to stack at a time, of 4 bytes each; a larger image is taken alone.
_TABLE = 1 << 22

Ints = NDArray[np.int64]


class Cells(NamedTuple):
    """The tiles of a layer to draw; a row for each tile."""

    gids: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    corners: Ints  #: left, top; whole pixels of the picture
    parts: NDArray[np.float64]  #: left, top, right, bottom, in pixels from the corner


def fits_mosaic(
    canvas: Canvas, layer: TileLayer, ids: NDArray[np.int32], boxes: NDArray[np.float64]
) -> bool:
    """Return whether tiles fill their cells, and are small and many.

    Args:
        canvas: The canvas to draw on.
        layer: The layer.
        ids: The tiles.
        boxes: Their boxes in world units.
    """
    tile_map = canvas.tile_map
    area = tile_map.tile_size[0] * tile_map.tile_size[1] * canvas.scale**2
    if tile_map.orientation != "orthogonal" or not canvas.is_normal or area > _TILE_COST:
        return False
    if len(ids) * _TILE_COST < canvas.picture.width * canvas.picture.height:
        return False
    places = tile_map.axes.boxes(boxes) - np.tile(layer.cells(ids) * tile_map.tile_size, 2)
    one_cell = places[0, 2:] - places[0, :2] == tile_map.tile_size
    return bool((places == places[0]).all() and one_cell.all())


def draw_mosaic(canvas: Canvas, finished: FinishedTiles, cells: Cells) -> None:
    """Draw the tiles of a layer that fits a mosaic.

    Args:
        canvas: The canvas to draw on.
        finished: The tiles of the layer.
        cells: The tiles to draw.
    """
    sizes = np.ceil(cells.parts[:, 2:]).astype(np.int64)
    low, high = cells.corners.min(axis=0), (cells.corners + sizes).max(axis=0)
    width, height = (high - low).tolist()
    values = np.zeros(width * height, np.uint32)
    left, top = (cells.corners - low).T
    starts = top * width + left
    for batch in _batches(finished, cells.gids):
        for equal in _groups(cells, batch.cells):
            first = equal[0]
            size, box = tuple(sizes[first].tolist()), tuple(cells.parts[first].tolist())
            sources = finished.sources(batch.size, int(cells.flags[first]), size, box).places
            y, x = np.nonzero(sources < batch.size[0] * batch.size[1])
            shown, places = sources[y, x], y * width + x
            step = max(_BLOCK // max(places.size, 1), 1)
            for begin in range(0, len(equal), step):
                some = equal[begin : begin + step, None]
                rows = np.searchsorted(batch.gids, cells.gids[some])
                values[starts[some] + places] = batch.pixels[rows, shown]
    image = Image.frombuffer("RGBA", (width, height), values, "raw", "RGBA", 0, 1)
    canvas.paste(image, *low.tolist())


class _Batch(NamedTuple):
    """Cells whose tiles have images of one size."""

    cells: Ints  #: the numbers of the cells
    gids: NDArray[np.uint32]  #: the gids of their tiles, ascending
    pixels: NDArray[np.uint32]  #: a row for each tile
    size: tuple[int, int]  #: the size of an image


def _batches(finished: FinishedTiles, gids: NDArray[np.uint32]) -> Iterator[_Batch]:
    """Split cells by the size of their images, and to save memory."""
    order = np.argsort(gids, kind="stable")
    unique, starts = np.unique(gids[order], return_index=True)
    ends = np.append(starts[1:], len(order))

    def batch(images: list[Pixels], last: int) -> _Batch:
        first = last - len(images)
        pixels = np.stack([image.values for image in images])
        size = images[0].width, images[0].height
        return _Batch(order[starts[first] : ends[last - 1]], unique[first:last], pixels, size)

    images: list[Pixels] = []
    for number, gid in enumerate(unique.tolist()):
        image = finished.pixels(gid)
        if images and not _fits(image, images):
            yield batch(images, number)
            images = []
        images.append(image)
    yield batch(images, len(unique))


def _fits(image: Pixels, images: list[Pixels]) -> bool:
    """Return whether an image may be stacked on others."""
    same = (image.width, image.height) == (images[0].width, images[0].height)
    return same and (len(images) + 1) * image.width * image.height <= _TABLE


def _groups(cells: Cells, numbers: Ints) -> list[Ints]:
    """Split cells by the pixels that their images cover, relative to the cell."""
    keys = np.column_stack((cells.parts[numbers], cells.flags[numbers]))
    order = np.lexsort(keys.T)
    changes = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    return np.split(numbers[order], np.flatnonzero(changes) + 1)
