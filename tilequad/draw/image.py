"""A map as a Pillow picture: what Tiled draws, without a window or a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import cos, radians, sin

import numpy as np
from PIL import Image

from tilequad.bounds import Bounds
from tilequad.draw.canvas import Canvas, Matrix
from tilequad.draw.shapes import GREY, shape_picture
from tilequad.draw.tile_pictures import ImageCache, TilePictures
from tilequad.tiled import (
    ACROSS,
    DIAGONAL,
    DOWN,
    TURN_120,
    ImageLayer,
    Layer,
    MapObject,
    ObjectLayer,
    TileLayer,
    TileMap,
)

__all__ = ["TilePictures", "render"]

TURNS = DIAGONAL | TURN_120  # those that turn the tiles of a hexagonal map
_LARGE = 1 << 20  # pixels of a tile as drawn, from which on only what is seen of it is made


def render(
    world: TileMap,
    bounds: Sequence[float] | None = None,
    scale: float = 1,
    *,
    layers: Iterable[Layer] | None = None,
    objects: bool = True,
    time: float = 0,
) -> Image.Image:
    """Draw a map as Tiled's own renderer does: at rest, parallax left out, nothing smoothed.

    Args:
        world: The map.
        bounds: What to draw, in world units; Tiled's own canvas by default.
        scale: Pixels of the picture for one world unit.
        layers: The layers to draw, hidden or not; all visible ones by default.
        objects: False leaves object layers out.
        time: Milliseconds since the start, for animated tiles.

    Returns:
        An RGBA picture, transparent where the map is empty.

    Raises:
        ValueError: The bounds are no box, or the scale is not positive.
        MapError: The picture would be larger than the map's limit; an image is missing and the
            map was opened with `strict=True`.

    Example:
        >>> import tilequad
        >>> world = tilequad.load_map("maps/frontier.tmx")
        >>> picture = tilequad.draw.image.render(world, (0, 0, 640, 360), scale=0.5)
        >>> picture.size
        (320, 180)
    """
    view = world.canvas if bounds is None else Bounds.of(bounds)
    if not 0 < scale < float("inf"):
        raise ValueError(f"scale must be positive and finite, got {scale!r}")
    chosen = [layer for layer in world.layers if layer.visible] if layers is None else layers
    canvas = Canvas(world, view, scale, time)
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
    world_boxes = layer.boxes(ids)
    boxes = canvas.boxes(world_boxes).tolist()
    middles = canvas.points((world_boxes[:, :2] + world_boxes[:, 2:]) / 2)
    turns = TURNS if canvas.world.orientation == "hexagonal" else 0
    between_pixels = canvas.scale == 1 and bool((world_boxes % 1).any())
    looks = ImageCache(canvas.world.limits.pixels)
    gids, all_flags = layer.gids(ids).tolist(), layer.flags(ids).tolist()
    cells = zip(gids, all_flags, boxes, middles, world_boxes, strict=True)
    for gid, flags, (left, top, right, bottom), middle, box in cells:
        if flags & turns:
            image = _faded(_flipped(canvas.tiles.tile(gid, canvas.time), flags), layer)
            canvas.lay(image, _turn(flags) * canvas.scale, middle)
            continue
        width, height = max(right - left, 1), max(bottom - top, 1)
        if width * height > _LARGE or (flags and between_pixels):
            # most of a large one may lie beside the picture
            image = _faded(_upright(canvas.tiles.tile(gid, canvas.time), flags), layer)
            canvas.stretch(image, box, flags)
            continue
        key = gid, flags, width, height
        canvas.place(looks.get(key, partial(_look, canvas, layer, *key)), left, top)


def _look(
    canvas: Canvas, layer: TileLayer, gid: int, flags: int, width: int, height: int
) -> Image.Image:
    """A tile as its layer shows it, in a size in pixels."""
    image = _upright(canvas.tiles.tile(gid, canvas.time), flags)
    if image.size != (width, height):
        image = image.resize((width, height), Image.Resampling.NEAREST)
    return _faded(image, layer)


def _draw_image(canvas: Canvas, layer: ImageLayer) -> None:
    if layer.picture is None:
        return
    pixels = canvas.tiles.pixels(layer.picture)
    if pixels is None:
        return
    canvas.stretch(_faded(pixels, layer), np.array(layer.bounds, float), repeat=layer.repeat)


def _draw_objects(canvas: Canvas, layer: ObjectLayer, view: Bounds) -> None:
    for number in layer.query(view).tolist():
        item = layer.objects[number]
        if not item.visible:
            continue
        if item.shape == "tile":
            _draw_tile_object(canvas, layer, item)
            continue
        size, color = canvas.picture.size, layer.color or GREY
        drawn = shape_picture(item, canvas.points(item.points), size, canvas.scale, color)
        if drawn is not None:
            image, place = drawn
            canvas.place(_faded(image, layer, item.opacity), *place)


def _draw_tile_object(canvas: Canvas, layer: ObjectLayer, item: MapObject) -> None:
    turns = TURNS if canvas.world.orientation == "hexagonal" else 0
    image = canvas.tiles.tile(item.gid, canvas.time)
    image = _flipped(image, item.flags) if turns else _upright(image, item.flags)
    image = _faded(image, layer, item.opacity)
    if item.rotation % 360 == 0 and not item.flags & turns:
        canvas.stretch(image, np.array(item.bounds, float), item.flags)
        return
    corners = canvas.points(item.points)
    matrix = np.stack((corners[1] - corners[0], corners[3] - corners[0]), axis=1) / image.size
    canvas.lay(image, matrix @ _turn(item.flags & turns), corners.mean(axis=0))


def _upright(image: Image.Image, flags: int) -> Image.Image:
    """A tile under its flip bits, in a map whose tiles are not turned."""
    if flags & DIAGONAL:
        image = image.transpose(Image.Transpose.TRANSPOSE)
    return _flipped(image, flags)


def _flipped(image: Image.Image, flags: int) -> Image.Image:
    if flags & ACROSS:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if flags & DOWN:
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return image


def _turn(flags: int) -> Matrix:
    """How the flags of a hexagonal tile turn it: by 60 and by 120 degrees."""
    angle = radians(60 * bool(flags & DIAGONAL) + 120 * bool(flags & TURN_120))
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def _faded(image: Image.Image, layer: Layer, opacity: float = 1) -> Image.Image:
    """An image under the tint and the opacity of its layer, and an opacity of its own."""
    tint, opacity = layer.tint, layer.opacity * opacity
    if tint is None and opacity == 1:
        return image
    red, green, blue, alpha = tint or (255, 255, 255, 255)
    factors = np.array([[red], [green], [blue], [alpha * opacity]]) / 255
    # a table of what becomes of each value, as numbers for each pixel would be 32 bytes
    table = (np.arange(256) * factors + 0.5).astype(np.uint8)
    return image.point(table.ravel().tolist())
