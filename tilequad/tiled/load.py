"""`load_map`: the steps from a file to a TileMap."""

from __future__ import annotations

import os
from functools import partial

from .context import LoadContext
from .limits import Limits
from .make.layers import add_group, add_image_layer, add_object_layer, add_tile_layer
from .make.new_map import new_map, with_project
from .make.objects import add_object, edit_object
from .make.templates import make_template
from .make.tilesets import add_tileset, edit_tile
from .model.frame import Additions
from .model.tile_map import TileMap, Verbs
from .pytmx_bridge.bridge import make_tmx
from .read.custom_types import read_project
from .read.tile_map import open_map
from .reload.reload import reload_if_changed, reload_map
from .write.save import save_map
from .write.templates import save_template
from .write.tilesets import save_tileset

__all__ = ["TileMap", "load_map"]


_VERBS = Verbs(
    make_tmx,
    save_map,
    save_tileset,
    save_template,
    reload_map,
    reload_if_changed,
    None,
    None,
    Additions(
        add_tileset,
        add_tile_layer,
        add_object_layer,
        add_image_layer,
        add_group,
        add_object,
        edit_object,
        make_template,
        edit_tile,
    ),
)
TileMap._make = partial(new_map, _VERBS)


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
    return open_map(context, y_up, keep, with_project(_VERBS, project))
