"""Step 3: puts the map together from its tree; loading, saving and reloading do."""

from __future__ import annotations

from copy import copy
from xml.etree.ElementTree import Element

from ..context import FileWatch, LoadContext
from ..geometry.grids import Axes, Grid, Hexagonal, Isometric, Oblique, Orthogonal, Staggered
from ..model.frame import MapFrame, MapTools
from ..model.tile_map import RENDER_ORDERS, STAGGER_AXES, STAGGER_INDICES, TileMap
from ..model.tilesets import Tileset, TilesetList
from ..source import Source
from .attributes import boolean, decimal, integer, parse_color, read_properties, word
from .custom_types import Project
from .documents import read_map_file
from .externals import fill_in_templates, put_externals_in_place
from .layers import LAYER_TAGS, leaf_layers, number_layers_and_objects, read_layers

__all__ = [
    "open_map",
    "read_grid",
    "read_tile_map",
    "read_twin",
]


def open_map(context: LoadContext, y_up: bool, keep: bool, project: Project | None) -> TileMap:
    """Read the map of a context, with all files that it needs."""
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
    """Return the map of a tree with external tilesets and templates in place."""
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


def read_twin(tile_map: TileMap, tree: Element, context: LoadContext) -> TileMap:
    """Return a map as the tree of its file has it, without cells, and with the tilesets it has.

    In the tree, cells are left out, and templates are filled in.
    """
    for layer in leaf_layers(tree):
        for data in layer.findall("data"):
            data.clear()
    tilesets = tile_map.tilesets.as_written
    fill_in_templates(tree, tilesets, context)
    own, project = _with_layers_copied(tree), tile_map._frame.tools.project
    return read_tile_map(own, tilesets, tile_map.axes.y_up, context, None, project)


def _with_layers_copied(element: Element) -> Element:
    """Return a tree for the reader, which empties layers as it goes."""
    own = copy(element)
    own[:] = [_with_layers_copied(one) if one.tag in LAYER_TAGS else one for one in element]
    return own


def read_grid(tree: Element, context: LoadContext) -> Grid:
    """Read the orientation of the map and the sizes of map and cells.

    See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#map.
    """
    strictly = context.strictly()
    columns, rows, tile_width, tile_height = (
        integer(tree, name, 0, strictly) for name in ("width", "height", "tilewidth", "tileheight")
    )
    if columns < 0 or rows < 0:
        raise context.error(f"a size of {columns} x {rows} cells")
    if tile_width <= 0 or tile_height <= 0:
        raise context.error(f"cells of {tile_width} x {tile_height} pixels")
    size = (columns, rows, tile_width, tile_height)
    orientation = tree.get("orientation", "orthogonal")
    if orientation == "orthogonal":
        order = word(tree, "renderorder", RENDER_ORDERS)
        return Orthogonal(*size, leftwards="left" in order, upwards="up" in order)
    if orientation == "isometric":
        return Isometric(*size)
    if orientation in ("staggered", "hexagonal"):
        hexagonal = orientation == "hexagonal"
        return (Hexagonal if hexagonal else Staggered)(
            *size,
            side=integer(tree, "hexsidelength", 0, context) if hexagonal else 0,
            stagger_x=word(tree, "staggeraxis", STAGGER_AXES) == "x",
            stagger_even=word(tree, "staggerindex", STAGGER_INDICES) == "even",
        )
    if orientation == "oblique":
        skew_x, skew_y = integer(tree, "skewx", 0, context), integer(tree, "skewy", 0, context)
        return Oblique(*size, skew_x=skew_x, skew_y=skew_y)
    raise context.error(f"unknown orientation {orientation!r}")
