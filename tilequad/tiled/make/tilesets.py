"""`add_tileset`: an image cut into tiles, a collection of images, or a tileset's own file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tilequad._core.shown import shown

from ..checks import color_of, path_of, size_of, text_of, whole_pair, whole_within
from ..context import LoadContext
from ..index.tile_store import highest_gid
from ..model.pictures import Picture
from ..model.properties import Color, properties_of
from ..model.tile_layer import TileLayer
from ..model.tile_map import TileMap
from ..model.tilesets import Tile, Tileset
from ..read.documents import read_document
from ..read.tilesets import read_tileset

__all__ = ["add_tileset"]

_FILES = (".tsx", ".tsj", ".json", ".xml")


def add_tileset(
    tile_map: TileMap,
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    tile_size: tuple[int, int] | None,
    name: str | None,
    margin: int,
    spacing: int,
    tile_offset: tuple[int, int],
    transparent: tuple[int, int, int] | None,
    class_name: str,
    properties: Mapping[str, Any] | None,
) -> Tileset:
    """Add a tileset; `TileMap.add_tileset` explains it."""
    of_grid: dict[str, tuple[Any, Any]] = {
        "tile_size": (None if tile_size is None else size_of(tile_size, "tile_size"), None),
        "margin": (whole_within(margin, "margin", 0), 0),
        "spacing": (whole_within(spacing, "spacing", 0), 0),
        "tile_offset": (whole_pair(tile_offset, "tile_offset"), (0, 0)),
        "transparent": (color_of(transparent, "transparent"), None),
    }
    own = properties_of(properties)
    of_map: dict[str, tuple[Any, Any]] = {
        "name": (None if name is None else text_of(name, "name"), None),
        "class_name": (text_of(class_name, "class_name"), ""),
        "properties": (own, {}),
    }
    first_gid = _free_gid(tile_map)
    if not isinstance(source, str | os.PathLike):
        _refuse(of_grid, "a collection of images")
        tileset = _collection(source, first_gid)
    elif path_of(source, "source").suffix.lower() in _FILES:
        _refuse({**of_grid, **of_map}, "a tileset with a file of its own")
        path = path_of(source, "source")
        context = LoadContext(path)
        element = read_document(path, "tileset", context)
        tileset = read_tileset(element, first_gid, path, path.parent, context)
    else:
        given: dict[str, Any] = {key: value for key, (value, _) in of_grid.items()}
        given["tile_size"] = given["tile_size"] or tile_map.tile_size
        tileset = _grid(path_of(source, "source"), first_gid, **given)
    if tileset.path is None:
        tileset.name = tileset.name if name is None else name
        tileset.class_name, tileset.properties = class_name, own
    tileset._tools = tile_map._frame.tools
    tileset._tools.complete_all(tileset)
    tile_map.tilesets.add(tileset)
    tile_map.revision += 1
    return tileset


def _refuse(options: dict[str, tuple[Any, Any]], kind: str) -> None:
    for name, (value, usual) in options.items():
        if value != usual:
            raise ValueError(f"{name} does not belong to {kind}, got {shown(value)}")


def _free_gid(tile_map: TileMap) -> int:
    """Return the lowest gid above those of all tilesets and tiles."""
    ends = [tileset.end_gid for tileset in tile_map.tilesets]
    tiles = [layer._tiles.values for layer in tile_map.layers if isinstance(layer, TileLayer)]
    objects = [item.gid for item in tile_map.objects()]
    highest = max((*map(highest_gid, tiles), *objects, 0))
    return max((*ends, highest + 1))


def _grid(
    path: Path, first_gid: int, tile_size: tuple[int, int], transparent: Color | None, **own: Any
) -> Tileset:
    """Return an image, cut into tiles."""
    picture = Picture._open(path, transparent)
    tileset = Tileset(first_gid, path.stem, None, *tile_size, picture=picture, **own)
    columns, rows = tileset.shape
    if not columns * rows:
        raise ValueError(f"tile_size must fit into the image, got {tile_size} for {path}")
    tileset.columns, tileset.tile_count = columns, columns * rows
    return tileset


def _collection(paths: Sequence[str | os.PathLike[str]], first_gid: int) -> Tileset:
    """Return a tile for each of some images."""
    try:
        given = list(paths)
    except TypeError:
        raise TypeError(f"source must be a path or several paths, got {shown(paths)}") from None
    pictures = [Picture._open(path_of(path, "source")) for path in given]
    if not pictures:
        raise ValueError("source must name an image, got none")
    sizes = [picture.size or (0, 0) for picture in pictures]
    width, height = map(max, zip(*sizes, strict=True))
    tiles = {number: Tile(picture=picture) for number, picture in enumerate(pictures)}
    return Tileset(first_gid, "images", None, width, height, tile_count=len(tiles), tiles=tiles)
