"""`TileMap.new`: a map without tilesets and layers."""

from __future__ import annotations

import os
from typing import Any

from ..context import LoadContext
from ..model.tile_map import TileMap
from ..read.custom_types import read_project
from ..read.tile_map import read_tile_map
from ..source import Source
from ..write.to_xml import as_file, empty_map

__all__ = ["new_map"]

_NAME = "untitled.tmx"  # until it is saved


def new_map(fixed: dict[str, Any], y_up: bool, types: str | os.PathLike[str] | None) -> TileMap:
    """Return a new map with the settings that stay fixed; `TileMap.new` explains it."""
    tree = empty_map(fixed)
    source = Source(os.getcwd(), _NAME, b"", as_file(tree), ())
    context = LoadContext(_NAME)
    project = None if types is None else read_project(types, context)
    return read_tile_map(tree, [], y_up, context, source, project)
