"""Step 5: puts the map together from its tree; `load_map` and saving both do."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..file_watch import FileWatch
from ..geometry.grids import Axes
from ..model.additions import bounds_of
from ..model.frame import MapFrame, MapTools
from ..model.tile_map import TileMap
from ..model.tilesets import Tileset, TilesetList
from ..source import Source
from .attributes import boolean, decimal, integer, parse_color, word
from .custom_types import Project
from .documents import read_map_file
from .externals import put_externals_in_place
from .grids import RENDER_ORDERS, STAGGER_AXES, STAGGER_INDICES, read_grid
from .layers import number_layers_and_objects, read_layers
from .properties import read_properties

__all__ = ["open_map", "read_tile_map"]


def open_map(context: LoadContext, y_up: bool, keep: bool, project: Project | None) -> TileMap:
    """Read the map of a context, with all files that it needs.

    Args:
        context: The limits, and the file.
        y_up: The world's y points up.
        keep: Keep the file's bytes for saving.
        project: Completes the classes of the map.

    Raises:
        MapError: A file cannot be read, is no map, is broken, or goes beyond the limits.
    """
    tree, source = read_map_file(context, keep)
    tilesets = put_externals_in_place(tree, context)
    tile_map = read_tile_map(tree, tilesets, y_up, context, source, project)
    for tileset in tilesets:
        tileset._tools = tile_map._frame.tools
    if project is not None:
        project.complete(tile_map, context)
    return tile_map


def read_tile_map(
    tree: Element,
    tilesets: list[Tileset],
    y_up: bool,
    context: LoadContext,
    source: Source | None,
    project: Project | None,
) -> TileMap:
    """Return the map of a tree.

    Args:
        tree: The <map>, with external tilesets and templates in place.
        tilesets: Its tilesets, in the order of the file.
        y_up: The world's y points up.
        context: The limits, and the file for errors.
        source: What the map keeps of its file, or None.
        project: Completes the classes of what a program adds to the map.

    Raises:
        MapError: A part is broken, or there is more of something than the limits allow.
    """
    grid = read_grid(tree, context)
    cell = (grid.tile_width, grid.tile_height)
    known = TilesetList(tilesets, cell)
    number_layers_and_objects(tree, context)
    infinite = boolean(tree, "infinite", False)
    axes = Axes(grid.bottom, y_up)
    frame = MapFrame(grid, infinite, known, axes, MapTools(context.enums, project))
    layers, groups = read_layers(tree, frame, context)
    origin_x = decimal(tree, "parallaxoriginx", 0, context)
    origin_y = decimal(tree, "parallaxoriginy", 0, context)
    return TileMap(
        path=context.path,
        bounds=bounds_of(frame, layers),
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
        groups=groups,
        tilesets=known,
        background_color=parse_color(tree.get("backgroundcolor")),
        parallax_origin=axes.point(origin_x, origin_y),
        axes=axes,
        enums=context.enums,
        warnings=context.warnings,
        strict=context.strict,
        root=context.root,
        limits=context.limits,
        _frame=frame,
        _source=source,
        _watch=FileWatch(context.stamps, context.documents),
    )
