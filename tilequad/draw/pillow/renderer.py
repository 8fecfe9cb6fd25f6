"""Draw a map, layer by layer, as Tiled draws it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad.bounds import Bounds
from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.image_cache import ImageCache
from tilequad.draw.pillow.shapes import DEFAULT_COLOR, draw_object
from tilequad.draw.pillow.transforms import HEXAGON_TURNS, fade, flip, hexagon_turn, orient
from tilequad.tiled import ImageLayer, Layer, MapObject, ObjectLayer, TileLayer, TileMap

__all__ = ["render"]

# Pixels. A tile drawn larger than this is not resized as a whole: only its visible part is made.
_LARGE_TILE = 1 << 20

# What each tile and each object costs besides its pixels; see `Canvas.spend`.
_TILE_COST = 3 << 8
_OBJECT_COST = 1 << 15
_LETTER_COST = 1 << 15

_PIECE = 1 << 16  # tiles to draw at a time, to spare memory


def render(
    tile_map: TileMap,
    bounds: Sequence[float] | None = None,
    scale: float = 1,
    *,
    layers: Iterable[Layer] | None = None,
    objects: bool = True,
    time: float = 0,
) -> Image.Image:
    """Draw a map as Tiled exports it: no parallax, no smoothing.

    Args:
        tile_map: The map.
        bounds: The part to draw, in world units; by default the area that Tiled exports.
        scale: Pixels of the picture for each world unit.
        layers: The layers to draw, hidden or not; by default all visible ones.
        objects: False leaves out object layers.
        time: Milliseconds since the start, for animated tiles.

    Returns:
        An RGBA picture, transparent where the map is empty.

    Raises:
        ValueError: `bounds` is not a box, or `scale` is not positive and finite.
        MapError: The picture exceeds the pixel limit of the map, or an image cannot be read and
            the map was loaded with `strict=True`.

    Example:
        >>> from tilequad import load_map
        >>> from tilequad.draw.pillow import render
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> render(tile_map, (0, 0, 640, 360), scale=0.5).size
        (320, 180)
    """
    view = tile_map.canvas if bounds is None else Bounds.of(bounds)
    if not 0 < scale < float("inf"):
        raise ValueError(f"scale must be positive and finite, got {scale!r}")
    chosen = [layer for layer in tile_map.layers if layer.visible] if layers is None else layers
    canvas = Canvas(tile_map, view, scale, time)
    for layer in chosen:
        canvas.mode = layer.mode
        if isinstance(layer, TileLayer):
            _draw_tiles(canvas, layer, view)
        elif isinstance(layer, ImageLayer):
            _draw_image(canvas, layer)
        elif isinstance(layer, ObjectLayer) and objects:
            _draw_objects(canvas, layer, view)
    return canvas.picture


def _draw_tiles(canvas: Canvas, layer: TileLayer, view: Bounds) -> None:
    ids = layer.query(view)
    canvas.spend(_TILE_COST * len(ids))
    finished = ImageCache(canvas.tile_map.limits.pixels // 4)
    for start in range(0, len(ids), _PIECE):
        _draw_piece(canvas, layer, ids[start : start + _PIECE], finished)


def _draw_piece(
    canvas: Canvas, layer: TileLayer, ids: NDArray[np.int32], finished: ImageCache
) -> None:
    world_boxes = layer.boxes(ids)
    boxes = canvas.boxes(world_boxes).tolist()
    centers = canvas.points((world_boxes[:, :2] + world_boxes[:, 2:]) / 2)
    turns = _turning_flags(canvas)
    between_pixels = canvas.scale == 1 and bool((world_boxes % 1).any())
    gids, all_flags = layer.gids(ids).tolist(), layer.flags(ids).tolist()
    cells = zip(gids, all_flags, boxes, centers, world_boxes, strict=True)
    for gid, flags, (left, top, right, bottom), center, box in cells:
        if flags & turns:
            image = fade(flip(canvas.tile(gid), flags), layer)
            canvas.transform(image, hexagon_turn(flags) * canvas.scale, center)
            continue
        width, height = max(right - left, 1), max(bottom - top, 1)
        if width * height > _LARGE_TILE or (flags and between_pixels):
            image = fade(orient(canvas.tile(gid), flags), layer)
            canvas.stretch(image, box, flags)
            continue
        key = gid, flags, width, height
        make = partial(_finished_tile, canvas, layer, *key)
        canvas.paste(finished.get(key, (width, height), make), left, top)


def _finished_tile(
    canvas: Canvas, layer: TileLayer, gid: int, flags: int, width: int, height: int
) -> Image.Image:
    """A tile as its layer shows it, at its size in pixels."""
    image = orient(canvas.tile(gid), flags)
    if image.size != (width, height):
        image = image.resize((width, height), Image.Resampling.NEAREST)
    return fade(image, layer)


def _draw_image(canvas: Canvas, layer: ImageLayer) -> None:
    if layer.picture is None:
        return
    pixels = canvas.tiles.pixels(layer.picture)
    if pixels is None:
        return
    canvas.spend(pixels.width * pixels.height)
    canvas.stretch(fade(pixels, layer), np.array(layer.bounds, float), repeat=layer.repeat)


def _draw_objects(canvas: Canvas, layer: ObjectLayer, view: Bounds) -> None:
    for number in layer.query(view).tolist():
        item = layer.objects[number]
        if not item.visible:
            continue
        canvas.spend(_OBJECT_COST)
        if item.shape == "tile":
            _draw_tile_object(canvas, layer, item)
            continue
        canvas.spend(_LETTER_COST * len(item.text.words) if item.text else 0)
        size, color = canvas.picture.size, layer.color or DEFAULT_COLOR
        drawn = draw_object(item, canvas.points(item.points), size, canvas.scale, color)
        if drawn is not None:
            image, corner = drawn
            canvas.spend(image.width * image.height)
            canvas.paste(fade(image, layer, item.opacity), *corner)


def _draw_tile_object(canvas: Canvas, layer: ObjectLayer, item: MapObject) -> None:
    turns = _turning_flags(canvas)
    image = canvas.tile(item.gid)
    image = flip(image, item.flags) if turns else orient(image, item.flags)
    image = fade(image, layer, item.opacity)
    if item.rotation % 360 == 0 and not item.flags & turns:
        canvas.stretch(image, np.array(item.bounds, float), item.flags)
        return
    corners = canvas.points(item.points)
    matrix = np.stack((corners[1] - corners[0], corners[3] - corners[0]), axis=1) / image.size
    canvas.transform(image, matrix @ hexagon_turn(item.flags & turns), corners.mean(axis=0))


def _turning_flags(canvas: Canvas) -> int:
    """The flags that turn a tile by 60 and 120 degrees; none unless the map is hexagonal."""
    return HEXAGON_TURNS if canvas.tile_map.orientation == "hexagonal" else 0
