"""`TileMap.new`: a map without tilesets and layers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..checks import color_of, one_of, size_of, text_of, truth_of, whole_pair, whole_within
from ..context import LoadContext
from ..model.properties import Color, properties_of
from ..model.tile_map import TileMap
from ..read.custom_types import read_project
from ..read.tile_map import RENDER_ORDERS, STAGGER_AXES, STAGGER_INDICES, read_tile_map
from ..source import Source
from ..write.to_xml import as_file, empty_map

__all__ = ["new_map"]

_ORIENTATIONS = ("orthogonal", "isometric", "staggered", "hexagonal", "oblique")
_NAME = "untitled.tmx"  # until it is saved


def new_map(
    columns: int,
    rows: int,
    tile_size: tuple[int, int],
    *,
    orientation: str,
    infinite: bool,
    y_up: bool,
    render_order: str,
    stagger_axis: str,
    stagger_index: str,
    hex_side_length: int,
    skew: tuple[int, int],
    background_color: Color | None,
    class_name: str,
    properties: Mapping[str, Any] | None,
    types: str | os.PathLike[str] | None,
) -> TileMap:
    """Return a new map; `TileMap.new` explains it."""
    color = color_of(background_color, "background_color")
    own = properties_of(properties, "properties")
    tree = empty_map(
        orientation=one_of(orientation, "orientation", _ORIENTATIONS),
        size=(whole_within(columns, "columns", 1), whole_within(rows, "rows", 1)),
        tile_size=size_of(tile_size, "tile_size"),
        render_order=one_of(render_order, "render_order", RENDER_ORDERS),
        stagger_axis=one_of(stagger_axis, "stagger_axis", STAGGER_AXES),
        stagger_index=one_of(stagger_index, "stagger_index", STAGGER_INDICES),
        hex_side_length=whole_within(hex_side_length, "hex_side_length", 0),
        skew=whole_pair(skew, "skew"),
        infinite=truth_of(infinite, "infinite"),
    )
    data = as_file(tree)
    context = LoadContext(_NAME)
    project = None if types is None else read_project(types, context)
    source = Source(os.getcwd(), _NAME, b"", data, ())
    tile_map = read_tile_map(tree, [], truth_of(y_up, "y_up"), context, source, project)
    tile_map.background_color = color
    tile_map.class_name = text_of(class_name, "class_name")
    tile_map.properties.update(own)
    if project is not None:
        project.complete(tile_map, context)
    return tile_map
