"""`load_map`: the steps from a file to a TileMap."""

from __future__ import annotations

import os

from .context import LoadContext
from .limits import Limits
from .model.tile_map import TileMap
from .read.custom_types import read_project
from .read.tile_map import open_map

__all__ = ["load_map"]


def load_map(
    path: str | os.PathLike[str],
    *,
    y_up: bool = True,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    types: str | os.PathLike[str] | None = None,
    keep: bool = True,
) -> TileMap:
    """Open a Tiled map.

    Args:
        path: A .tmx, .tmj or .json file.
        y_up: The world's y points up, as in arcade; False keeps Tiled's own direction for hosts
            such as pygame.
        strict: Raise an error instead of a warning, such as for a missing tileset.
        root: Open files only below this folder; for maps from strangers. Without it, a map may
            refer to files outside its own folder, as real maps do.
        limits: Caps on what the map may cost; `Limits()` by default.
        types: A .tiled-project file, or a file of types that Tiled has exported. With it, enums
            become Python enums, and classes have all their members, including the default values
            that maps leave out.
        keep: Keep the file's bytes, except the text of its cells, for `tile_map.save`. False saves
            this memory; then `save` writes the map anew, and what only the file has is lost.

    Returns:
        The map. Its `warnings` list problems that did not stop it from opening.

    Raises:
        MapError: A file cannot be read, is not a map, is broken, or exceeds the limits.
        ModuleNotFoundError: The map needs a package that is not installed, such as zstandard.

    Example:
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> tile_map.orientation, tile_map.size, tile_map.bounds.width
        ('orthogonal', (256, 256), 8192.0)
    """
    context = LoadContext(path, root, limits, strict)
    project = None if types is None else read_project(types, context)
    return open_map(context, y_up, keep, project)
