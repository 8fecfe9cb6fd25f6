"""`load_map`: the steps from a file to a TileMap."""

from __future__ import annotations

import os

import numpy as np

from tilequad.bounds import Bounds

from .context import LoadContext
from .geometry.grids import Axes, Grid
from .limits import Limits
from .model.tile_layer import TileLayer
from .model.tile_map import AnyLayer, TileMap
from .model.tilesets import TilesetList
from .pytmx_bridge.bridge import make_tmx
from .read.attributes import boolean, decimal, integer, parse_color, word
from .read.custom_types import read_project
from .read.documents import read_document
from .read.externals import put_externals_in_place
from .read.grids import RENDER_ORDERS, STAGGER_AXES, STAGGER_INDICES, read_grid
from .read.layers import number_layers_and_objects, read_layers
from .read.properties import read_properties

__all__ = ["load_map"]


def load_map(
    path: str | os.PathLike[str],
    *,
    y_up: bool = True,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    types: str | os.PathLike[str] | None = None,
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
    tree = read_document(context.path, "map", context)
    grid = read_grid(tree, context)
    cell = (grid.tile_width, grid.tile_height)
    tilesets = TilesetList(put_externals_in_place(tree, context), cell)
    number_layers_and_objects(tree, context)
    infinite = boolean(tree, "infinite", False)
    axes = Axes(grid.bottom, y_up)
    layers = read_layers(tree, grid, infinite, tilesets, axes, context)
    origin_x = decimal(tree, "parallaxoriginx", 0, context)
    origin_y = decimal(tree, "parallaxoriginy", 0, context)
    tile_map = TileMap(
        path=context.path,
        bounds=_bounds(grid, infinite, layers, axes),
        orientation=tree.get("orientation", "orthogonal"),
        size=(grid.columns, grid.rows),
        tile_size=cell,
        render_order=word(tree, "renderorder", RENDER_ORDERS),
        stagger_axis=word(tree, "staggeraxis", STAGGER_AXES),
        stagger_index=word(tree, "staggerindex", STAGGER_INDICES),
        hex_side_length=integer(tree, "hexsidelength", 0, context),
        skew=(integer(tree, "skewx", 0, context), integer(tree, "skewy", 0, context)),
        infinite=infinite,
        class_name=tree.get("class") or tree.get("type") or "",
        properties=read_properties(tree, context),
        layers=layers,
        tilesets=tilesets,
        background_color=parse_color(tree.get("backgroundcolor")),
        parallax_origin=axes.point(origin_x, origin_y),
        axes=axes,
        enums=context.enums,
        warnings=context.warnings,
        strict=context.strict,
        root=context.root,
        limits=context.limits,
        _make_tmx=make_tmx,
    )
    if project is not None:
        project.complete(tile_map)
    return tile_map


def _bounds(grid: Grid, infinite: bool, layers: list[AnyLayer], axes: Axes) -> Bounds:
    """Return the box around the map's cells; around all chunks of an infinite map."""
    columns, rows = range(grid.columns), range(grid.rows)
    if infinite:
        chunks = [
            layer._chunk_box() for layer in layers if isinstance(layer, TileLayer) and len(layer)
        ]
        columns, rows = (
            range(min(part.start for part in axis), max(part.stop for part in axis))
            for axis in zip(*chunks or [(range(1), range(1))], strict=True)
        )
    box = np.array([grid.box(columns, rows)], float)
    return Bounds(*axes.boxes(box)[0].tolist())
