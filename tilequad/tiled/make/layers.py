"""`add_tile_layer`, `add_object_layer`, `add_image_layer`, `add_group`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..cells import FARTHEST, FLAG_SHIFT, GID_MASK, CellBlock
from ..checks import (
    color_of,
    one_of,
    pair_of,
    path_of,
    ratio_of,
    text_of,
    truth_of,
    whole_array,
    whole_within,
)
from ..model.additions import AnyLayer
from ..model.image_layer import ImageLayer
from ..model.layer import Group, Layer, LayerAttributes, combined, passed_on
from ..model.object_layer import DRAW_ORDERS, ObjectLayer
from ..model.properties import Color, properties_of
from ..model.tile_layer import TileLayer
from ..model.tile_map import TileMap
from .tilesets import picture_of

__all__ = ["add_group", "add_image_layer", "add_object_layer", "add_tile_layer"]

_ENCODINGS = {
    "csv": ("csv", ""),
    "base64": ("base64", ""),
    "gzip": ("base64", "gzip"),
    "zlib": ("base64", "zlib"),
    "zstd": ("base64", "zstd"),
    "xml": ("", ""),
}
_MODES = (
    "normal", "add", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge",
    "color-burn", "hard-light", "soft-light", "difference", "exclusion",
)  # fmt: skip

_CHUNK = 16  # columns and rows of a chunk, as in Tiled

Place = tuple[int, tuple[Group, ...]]


def add_tile_layer(
    tile_map: TileMap,
    name: str,
    gids: ArrayLike | None,
    flags: ArrayLike,
    *,
    column: int,
    row: int,
    before: Layer | Group | None,
    group: Group | None,
    encoding: str | None,
    settings: dict[str, Any],
) -> TileLayer:
    """Add a tile layer; `TileMap.add_tile_layer` explains it."""
    own = _settings(name, settings)
    place = tile_map._place(before, group)
    empty = np.zeros((0, 0), np.uint32)
    blocks = _blocks(tile_map, empty if gids is None else gids, flags, column, row)
    written = _encoding(tile_map, encoding)
    layer = TileLayer._of(_attributes(tile_map, own, place), blocks, (0, 0), tile_map._frame)
    layer._encoding = written
    _add(tile_map, layer, own, place)
    return layer


def add_object_layer(
    tile_map: TileMap,
    name: str,
    *,
    draw_order: str,
    color: Color | None,
    before: Layer | Group | None,
    group: Group | None,
    settings: dict[str, Any],
) -> ObjectLayer:
    """Add an object layer; `TileMap.add_object_layer` explains it."""
    own = _settings(name, settings)
    place = tile_map._place(before, group)
    order, outline = one_of(draw_order, "draw_order", DRAW_ORDERS), color_of(color, "color")
    attributes = _attributes(tile_map, own, place)
    layer = ObjectLayer._make(attributes, objects=[], color=outline, draw_order=order)
    _add(tile_map, layer, own, place)
    return layer


def add_image_layer(
    tile_map: TileMap,
    name: str,
    image: str | os.PathLike[str],
    *,
    repeat: tuple[bool, bool],
    before: Layer | Group | None,
    group: Group | None,
    settings: dict[str, Any],
) -> ImageLayer:
    """Add an image layer; `TileMap.add_image_layer` explains it."""
    own = _settings(name, settings)
    place = tile_map._place(before, group)
    across, down = pair_of(repeat, "repeat")
    picture = picture_of(path_of(image, "image"), None)
    layer = ImageLayer._make(
        _attributes(tile_map, own, place),
        picture=picture,
        repeat=(bool(across), bool(down)),
        _axes=tile_map.axes,
    )
    _add(tile_map, layer, own, place)
    return layer


def add_group(
    tile_map: TileMap, name: str, *, group: Group | None, settings: dict[str, Any]
) -> Group:
    """Add a group; `TileMap.add_group` explains it."""
    own = _settings(name, settings)
    _, groups = tile_map._place(None, group)
    own.id = tile_map._frame.take_layer_id()
    made = Group._of(own, groups)
    tile_map._frame.tools.complete(made.properties, made.class_name, "layer")
    tile_map.groups.append(made)
    return made


def _settings(name: str, settings: dict[str, Any]) -> LayerAttributes:
    given = dict(settings)
    own = LayerAttributes(
        name=text_of(name, "name"),
        class_name=text_of(given.pop("class_name", ""), "class_name"),
        visible=truth_of(given.pop("visible", True), "visible"),
        opacity=ratio_of(given.pop("opacity", 1.0), "opacity"),
        tint=color_of(given.pop("tint", None), "tint"),
        offset=pair_of(given.pop("offset", (0, 0)), "offset"),
        parallax=pair_of(given.pop("parallax", (1, 1)), "parallax"),
        mode=one_of(given.pop("mode", "normal"), "mode", _MODES),
        locked=truth_of(given.pop("locked", False), "locked"),
        properties=properties_of(given.pop("properties", None), "properties"),
    )
    if given:
        raise TypeError(f"a layer has no setting {next(iter(given))!r}")
    return own


def _attributes(tile_map: TileMap, own: LayerAttributes, place: Place) -> LayerAttributes:
    own.id = tile_map._frame.take_layer_id()
    return combined(own, passed_on(place[1]))


def _add(tile_map: TileMap, layer: AnyLayer, own: LayerAttributes, place: Place) -> None:
    layer._own, layer._frame = own, tile_map._frame
    tile_map._frame.tools.complete(layer.properties, layer.class_name, "layer")
    tile_map.layers.insert(place[0], layer)
    tile_map._layers_changed()


def _encoding(tile_map: TileMap, encoding: str | None) -> tuple[str, str]:
    """Return how the cells of a layer are saved: like those of the others, unless it is given."""
    if encoding is not None:
        return _ENCODINGS[one_of(encoding, "encoding", tuple(_ENCODINGS))]
    others = [layer._encoding for layer in tile_map.layers if isinstance(layer, TileLayer)]
    return others[-1] if others else ("csv", "")


def _blocks(
    tile_map: TileMap, gids: ArrayLike, flags: ArrayLike, column: int, row: int
) -> list[CellBlock]:
    """Return the cells of an array, checked: one block, or the chunks of an infinite map."""
    tiles, turns = whole_array(gids, "gids"), whole_array(flags, "flags")
    if tiles.ndim != 2:
        raise ValueError(f"gids must have the shape (rows, columns), got {tiles.shape}")
    if turns.shape not in ((), tiles.shape):
        raise ValueError(
            f"flags must have the shape {tiles.shape}, or be one number, got {turns.shape}"
        )
    for wrong in turns[(turns < 0) | (turns > 15)].ravel()[:1].tolist():
        raise ValueError(f"flags must be from 0 to 15, got {wrong}")
    (rows, columns), (most_columns, most_rows) = tiles.shape, tile_map.size
    low = 1 - FARTHEST if tile_map.infinite else 0
    left = whole_within(column, "column", low, FARTHEST)
    top = whole_within(row, "row", low, FARTHEST)
    if not tile_map.infinite and (left + columns > most_columns or top + rows > most_rows):
        raise ValueError(
            f"gids must lie inside the {most_columns} x {most_rows} cells of the map, got "
            f"{columns} x {rows} cells from ({left}, {top}) on"
        )
    if not tiles.size:
        return []
    for end in (int(tiles.min()), int(tiles.max())):
        if end:
            tile_map.tilesets.owner(end)  # so that all fit 28 bits
    raw = tiles.astype(np.uint32)
    lowest = int(raw[raw > 0].min(initial=GID_MASK))
    if lowest < GID_MASK:
        tile_map.tilesets.owner(lowest)
    raw |= turns.astype(np.uint32) << np.uint32(FLAG_SHIFT)
    whole = CellBlock(left, top, raw)
    return list(_chunks(whole)) if tile_map.infinite else [whole]


def _chunks(block: CellBlock) -> Iterator[CellBlock]:
    """Cut cells as Tiled does in an infinite map; empty chunks are left out."""
    left, top, raw = block
    rows, columns = raw.shape
    for y in range(top & -_CHUNK, top + rows, _CHUNK):
        band = raw[max(y - top, 0) : y - top + _CHUNK]
        for x in range(left & -_CHUNK, left + columns, _CHUNK):
            part = band[:, max(x - left, 0) : x - left + _CHUNK]
            if part.any():
                chunk = np.zeros((_CHUNK, _CHUNK), np.uint32)
                down, across = max(top - y, 0), max(left - x, 0)
                chunk[down : down + part.shape[0], across : across + part.shape[1]] = part
                yield CellBlock(x, y, chunk)
