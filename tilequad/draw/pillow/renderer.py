"""Draw a map, layer by layer, as Tiled draws it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from math import ceil

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tilequad._core.checks import checked_positive, finite_number
from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.draw.arguments import Objects, checked_layers, checked_objects
from tilequad.draw.pillow.canvas import Canvas
from tilequad.draw.pillow.finished_tiles import FinishedTiles
from tilequad.draw.pillow.masks import masks_of
from tilequad.draw.pillow.shapes import DEFAULT_COLOR, REACH, shapes_of
from tilequad.draw.pillow.text import text_image
from tilequad.draw.pillow.tile_batch import Tiles, draw_batch
from tilequad.draw.transforms import HEXAGON_TURNS, rotation, turn_matrix
from tilequad.tiled import (
    FLIPPED_DIAGONALLY,
    ImageLayer,
    Layer,
    MapObject,
    ObjectLayer,
    TileLayer,
    TileMap,
)

__all__ = [
    "LARGE_TILE",
    "are_apart",
    "draw_image",
    "draw_objects",
    "draw_tiles",
    "drawn_on",
    "grown",
    "is_drawn",
    "render",
    "with_reach",
]

# Pixels. A tile drawn larger than this is not resized as a whole: only its visible part is made.
LARGE_TILE = 1 << 20

_BLACK = (0, 0, 0, 255)
# The cost of each tile and each object besides its pixels; see `Canvas.spend`.
_TILE_COST = 3 << 8
_OBJECT_COST = 1 << 15
_LETTER_COST = 1 << 15
_FACE_COST = 1 << 23  # of a font that a picture uses first
_TURN_COST = 8  # the cost of a pixel of turned text

_PIECE = 1 << 16  # tiles to draw at a time, to spare memory
_SHAPES = 512  # shapes to draw at a time, to spare time


def render(
    tile_map: TileMap,
    bounds: Sequence[float] | None = None,
    scale: float = 1,
    *,
    layers: Iterable[Layer] | None = None,
    objects: Objects = "all",
    time: float = 0,
) -> Image.Image:
    """Draw a map as Tiled exports it: no parallax, no smoothing.

    Args:
        tile_map: The map.
        bounds: The part to draw, in world units; by default the area that Tiled exports.
        scale: Pixels of the picture for each world unit.
        layers: The layers to draw, hidden or not; by default all visible ones.
        objects: "all" draws every visible object, as Tiled does; "art" leaves out those that only
            mark a place or a shape, without a tile or text; "none" leaves out all.
        time: Milliseconds since the start, for animated tiles.

    Returns:
        An RGBA picture, transparent where the map is empty.

    Raises:
        TypeError: `tile_map` is no map, `scale` or `time` is no number, or `layers` holds something
            else than layers.
        KeyError: A layer belongs to another map.
        ValueError: `bounds` is not a box, `scale` is not finite and above 0, `time` is not finite,
            or `objects` is none of these words.
        MapError: The picture exceeds the pixel limit of the map, or an image cannot be read and
            the map was loaded with `strict=True`.

    Example:
        >>> from tilequad import load_map
        >>> from tilequad.draw.pillow import render
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> render(tile_map, (0, 0, 640, 360), scale=0.5).size
        (320, 180)
    """
    if not isinstance(tile_map, TileMap):
        raise TypeError(f"tile_map must be a TileMap, got {shown(tile_map)}")
    view = tile_map.canvas if bounds is None else Bounds.of(bounds)
    canvas = Canvas(tile_map, view, checked_positive(scale, "scale"), finite_number(time, "time"))
    if layers is None:
        layers = [layer for layer in tile_map.layers if layer.visible]
    return drawn_on(canvas, view, checked_layers(layers, tile_map), checked_objects(objects))


def drawn_on(
    canvas: Canvas, view: Bounds, layers: Iterable[Layer], objects: Objects = "all"
) -> Image.Image:
    """Draw layers on a canvas of a view, be they of the map or made from its own."""
    scale = canvas.scale
    for layer in layers:
        canvas.use(layer)
        if isinstance(layer, TileLayer):
            draw_tiles(canvas, layer, view, FinishedTiles(canvas, layer))
        elif isinstance(layer, ImageLayer):
            draw_image(canvas, layer)
        elif isinstance(layer, ObjectLayer) and objects != "none":
            near = layer.query(with_reach(view, scale)).tolist()
            found = [layer.objects[number] for number in near]
            draw_objects(canvas, layer, [item for item in found if is_drawn(item, objects)])
    return canvas.picture


def draw_tiles(canvas: Canvas, layer: TileLayer, view: Bounds, finished: FinishedTiles) -> None:
    """Draw a tile layer, whose tiles may have been finished on earlier canvases."""
    ids = layer.query(view)
    canvas.spend(_TILE_COST * len(ids))
    for start in range(0, len(ids), _PIECE):
        _draw_piece(canvas, layer, ids[start : start + _PIECE], finished)


def _draw_piece(
    canvas: Canvas, layer: TileLayer, ids: NDArray[np.int32], finished: FinishedTiles
) -> None:
    world_boxes = layer.boxes(ids)
    boxes, corners, parts = canvas.places(world_boxes)
    hexagonal = canvas.tile_map.orientation == "hexagonal"
    turns = HEXAGON_TURNS if hexagonal else 0
    gids, all_flags = layer.gids(ids), layer.flags(ids)
    sizes = world_boxes[:, 2:] - world_boxes[:, :2]
    if hexagonal:  # the boxes surround turned tiles
        sizes = layer.tilesets.draw_boxes(gids)[:, 2:4]
    if canvas.scale < 1 and not (all_flags & turns).any():
        tiles = Tiles(gids, all_flags, corners, parts)
        small = np.ceil(parts[:, 2:]).max(axis=0).prod() <= LARGE_TILE
        overlap = not (canvas.is_normal or are_apart(canvas.tile_map, layer, ids, world_boxes))
        if small and not overlap and draw_batch(canvas, finished, tiles):
            return
    cells = zip(
        *(array.tolist() for array in (gids, all_flags, corners, parts, boxes, sizes)), strict=True
    )
    for number, (gid, flags, (left, top), part, box, size) in enumerate(cells):
        width, height = ceil(part[2]), ceil(part[3])
        large = max(width, 1) * max(height, 1) > LARGE_TILE
        if flags & turns or (large and flags & FLIPPED_DIAGONALLY):
            lengths = np.multiply(size, canvas.scale)
            image = canvas.tile(gid, tuple(lengths.tolist()))
            matrix = turn_matrix(flags, lengths, image.size, hexagonal)
            center = np.array([box[0] + box[2], box[1] + box[3]]) / 2
            canvas.transform(canvas.shown(layer, image), matrix, center)
            continue
        if large:
            image = canvas.shown(layer, canvas.tile(gid, (width, height)))
            canvas.stretch(image, world_boxes[number], flags)
            continue
        tile = finished.get(gid, flags, (width, height), tuple(part))
        canvas.paste(tile.image, left, top, tile.crisp)


def are_apart(
    tile_map: TileMap, layer: TileLayer, ids: NDArray[np.int32], boxes: NDArray[np.float64]
) -> bool:
    """Return whether tiles with these boxes cannot overlap, because each one fills its cell."""
    if tile_map.orientation != "orthogonal":
        return False
    size = tile_map.tile_size
    places = tile_map.axes.boxes(boxes) - np.tile(layer.cells(ids) * size, 2)
    return bool((places == places[0]).all() and (places[0, 2:] - places[0, :2] == size).all())


def draw_image(canvas: Canvas, layer: ImageLayer) -> None:
    """Draw an image layer."""
    if layer.picture is None:
        return
    pixels = canvas.tiles.pixels(layer.picture)
    if pixels is None:
        return
    canvas.spend(pixels.width * pixels.height)
    canvas.stretch(canvas.shown(layer, pixels), np.array(layer.bounds, float), repeat=layer.repeat)


def is_drawn(item: MapObject, objects: Objects) -> bool:
    """Return whether a choice draws an object; "art" leaves out objects that only mark a place."""
    is_art = bool(item.gid or item.text is not None)
    return item.visible and (objects == "all" or (objects == "art" and is_art))


def grown(view: Bounds, margin: float) -> Bounds:
    """Return a view with a margin around it."""
    return Bounds(
        view.min_x - margin, view.min_y - margin, view.max_x + margin, view.max_y + margin
    )


def with_reach(box: Bounds, scale: float) -> Bounds:
    """Return a box with a margin as wide as objects may be drawn beyond their own boxes."""
    return grown(box, REACH / min(scale, 1.0))


def draw_objects(canvas: Canvas, layer: ObjectLayer, items: list[MapObject]) -> None:
    """Draw some objects of a layer, in their order."""
    for is_shape, some in groupby(items, lambda item: item.shape != "tile" and item.text is None):
        if is_shape:
            while shapes := list(islice(some, _SHAPES)):
                _draw_shapes(canvas, layer, shapes)
            continue
        for item in some:
            canvas.use(layer, item.opacity)
            canvas.spend(_OBJECT_COST)
            if item.shape == "tile":
                _draw_tile_object(canvas, layer, item)
            else:
                _draw_text(canvas, item)


def _draw_text(canvas: Canvas, item: MapObject) -> None:
    assert item.text is not None
    canvas.spend(_LETTER_COST * (1 + len(item.text.words)))
    face = item.text.font, item.text.bold, item.text.italic
    if face not in canvas.faces:
        canvas.faces.add(face)
        canvas.spend(_FACE_COST)
    size = canvas.size
    area = min(item.width * item.height * canvas.scale**2, 2 * size[0] * size[1])
    canvas.spend(int(max(area, 0)) * (_TURN_COST if item.rotation % 360 else 1))
    corner = canvas.points(item.points)[0]
    drawn = text_image(item, corner, canvas.scale, size)
    if drawn is not None:
        image, (left, top) = drawn
        canvas.paste(canvas.faded(image), left, top)


def _draw_shapes(canvas: Canvas, layer: ObjectLayer, items: list[MapObject]) -> None:
    isometric = canvas.tile_map.orientation == "isometric"
    color = layer.color or DEFAULT_COLOR
    drawn = [
        (item, shape)
        for item in items
        for shape in shapes_of(item, canvas.points(item.points), canvas.scale, isometric)
    ]
    canvas.spend(_OBJECT_COST * len(items))
    masks = masks_of([shape for _, shape in drawn], canvas.size, canvas.spend)
    for (item, shape), mask in zip(drawn, masks, strict=True):
        if mask is None:
            continue
        canvas.use(layer, item.opacity)
        left, top = mask.corner
        if shape.shadow is not None:
            canvas.stain(mask.lines, _BLACK, left + shape.shadow[0], top + shape.shadow[1])
        if mask.fill is not None:
            canvas.stain(mask.fill, (*color[:3], 255), left, top)
        canvas.stain(mask.lines, _BLACK if shape.is_shadow else color, left, top)


def _draw_tile_object(canvas: Canvas, layer: ObjectLayer, item: MapObject) -> None:
    hexagonal = canvas.tile_map.orientation == "hexagonal"
    top_left, top_right, _, bottom_left = corners = canvas.points(item.points)
    sides = np.stack((top_right - top_left, bottom_left - top_left))
    # rounded, so that right angles give whole pixels
    size, center = np.hypot(*sides.T).round(9), corners.mean(axis=0).round(9)
    image = canvas.shown(layer, canvas.tile(item.gid, tuple(size.tolist())))
    if item.rotation % 360 == 0 and not item.flags & (
        HEXAGON_TURNS if hexagonal else FLIPPED_DIAGONALLY
    ):
        canvas.stretch(image, np.array(item.bounds, float), item.flags)
        return
    matrix = rotation(item.rotation) @ turn_matrix(item.flags, size, image.size, hexagonal)
    canvas.transform(image, matrix, center)
