"""From a file to a TileMap."""

from __future__ import annotations

import os
from xml.etree.ElementTree import Element

import numpy as np

from tilequad.bounds import Bounds

from .cells import FARTHEST, GID_MASK, Cells, distinct
from .colors import parse_color
from .geometry.axes import Axes
from .geometry.grids import Grid, Hexagonal, Isometric, Oblique, Orthogonal, Staggered
from .limits import Limits
from .model.image_layer import ImageLayer
from .model.layer import TOP, LayerAttributes
from .model.tile_layer import TileLayer
from .model.tile_map import AnyLayer, TileMap
from .model.tilesets import TilesetList
from .pytmx_bridge.bridge import make_tmx
from .read.attributes import boolean, decimal, integer
from .read.cell_data import read_cells
from .read.context import LoadContext
from .read.documents import parse_file
from .read.externals import assemble
from .read.layers import read_layer_attributes
from .read.objects import read_objects
from .read.properties import read_properties
from .read.tilesets import read_picture

__all__ = ["load_map"]

_LAYERS = ("layer", "objectgroup", "imagelayer", "group")


def load_map(
    path: str | os.PathLike[str],
    *,
    y_up: bool = True,
    strict: bool = False,
    root: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
) -> TileMap:
    """Open a Tiled map.

    Args:
        path: A .tmx file, or a .tmj or .json one.
        y_up: The world's y points up, as in arcade; False keeps Tiled's own direction for hosts
            such as pygame.
        strict: Refuse what Tiled would only warn of, such as a missing tileset.
        root: Open files only below this folder, for maps of strangers. Without it, references
            relative to the map may climb out of its folder, as those of real maps do.
        limits: How much the map may ask for; `Limits()` by default.

    Returns:
        The map. Its `warnings` tell what did not stop it from being opened.

    Raises:
        MapError: A file cannot be read, is no map, is broken, or asks for too much.

    Example:
        >>> world = load_map("maps/frontier.tmx")
        >>> world.orientation, world.size, world.bounds.width
        ('orthogonal', (256, 256), 8192.0)
    """
    context = LoadContext(path, root, limits, strict)
    tree = parse_file(context.path, "map", context)
    return _MapReader(tree, y_up, context).read()


class _MapReader:
    """Reads the parts of one map in the order they need each other."""

    def __init__(self, tree: Element, y_up: bool, context: LoadContext) -> None:
        self.tree = tree
        self.context = context
        self.grid = _read_grid(tree, context)
        _, _, _, bottom = self.grid.box(range(self.grid.columns), range(self.grid.rows))
        self.axes = Axes(bottom, y_up)
        self.infinite = boolean(tree, "infinite", False)
        self.tilesets = TilesetList(
            assemble(tree, context), (self.grid.tile_width, self.grid.tile_height)
        )
        self.layers: list[AnyLayer] = []
        self.layer_count = 0  # groups counted too

    def read(self) -> TileMap:
        tree, context, grid = self.tree, self.context, self.grid
        self._read_layers(tree, TOP)
        origin = (
            decimal(tree, "parallaxoriginx", 0, context),
            decimal(tree, "parallaxoriginy", 0, context),
        )
        return TileMap(
            path=context.path,
            bounds=self._bounds(),
            orientation=tree.get("orientation", "orthogonal"),
            class_name=tree.get("class") or tree.get("type") or "",
            size=(grid.columns, grid.rows),
            tile_size=(grid.tile_width, grid.tile_height),
            infinite=self.infinite,
            properties=read_properties(tree),
            layers=self.layers,
            tilesets=self.tilesets,
            background_color=parse_color(tree.get("backgroundcolor")),
            parallax_origin=self.axes.point(*origin),
            warnings=context.warnings,
            axes=self.axes,
            strict=context.strict,
            limits=context.limits,
            make_tmx=lambda world: make_tmx(tree, world, context),
        )

    def _read_layers(self, holder: Element, parent: LayerAttributes) -> None:
        for element in holder:
            if element.tag not in _LAYERS:
                continue
            self.layer_count += 1
            if self.layer_count > self.context.limits.layers:
                limit = self.context.limits.layers
                raise self.context.error(f"has more than the limit of {limit} layers")
            name = f"{'group' if element.tag == 'group' else 'layer'} {element.get('name', '')!r}"
            context = self.context.about(name)
            attributes = read_layer_attributes(element, parent, context)
            if element.tag == "group":
                self._read_layers(element, attributes)
            elif element.tag == "layer":
                self.layers.append(self._tile_layer(element, attributes, context))
            elif element.tag == "objectgroup":
                self.layers.append(
                    read_objects(element, attributes, self.grid, self.tilesets, self.axes, context)
                )
            else:
                self.layers.append(self._image_layer(element, attributes, context))

    def _tile_layer(
        self, element: Element, attributes: LayerAttributes, context: LoadContext
    ) -> TileLayer:
        cells = read_cells(element, context)
        for data in element.findall("data"):
            data.clear()  # the text is the largest part of a map, and the cells hold it now
        self._check_gids(cells, context)
        # maps of the first Tiled versions move a layer by whole cells
        origin = integer(element, "x", 0, context), integer(element, "y", 0, context)
        if max(map(abs, origin)) > FARTHEST:
            raise context.error(f"is moved to the cell {origin}, which is out of all bounds")
        return TileLayer(
            attributes, cells, origin, self.infinite, self.grid, self.tilesets, self.axes
        )

    def _check_gids(self, cells: Cells, context: LoadContext) -> None:
        if not len(cells.raw):
            return
        if not len(self.tilesets):
            raise context.error("has tiles, but the map has no tileset")
        gids, counts = distinct(cells.raw & np.uint32(GID_MASK))
        for gid in (int(gids[0]), int(gids[-1])):
            try:
                self.tilesets.owner(gid)
            except KeyError:
                raise context.error(f"the gid {gid} belongs to no tileset") from None
        strays = int(counts[self.tilesets.strays(gids)].sum())
        if strays:
            context.note(f"{strays} tiles have a gid that their tileset lacks")

    def _image_layer(
        self, element: Element, attributes: LayerAttributes, context: LoadContext
    ) -> ImageLayer:
        image = element.find("image")
        picture = None
        if image is not None:
            picture = read_picture(image, context.path.parent, context)
        repeat = boolean(element, "repeatx", False), boolean(element, "repeaty", False)
        return ImageLayer(attributes, picture, repeat, self.axes)

    def _bounds(self) -> Bounds:
        """The box of the map's cells; of all chunks together in an infinite map."""
        columns, rows = range(self.grid.columns), range(self.grid.rows)
        if self.infinite:
            layers = [layer for layer in self.layers if isinstance(layer, TileLayer)]
            chunks = [layer.chunk_box() for layer in layers if len(layer)]
            columns, rows = (
                range(min(part.start for part in axis), max(part.stop for part in axis))
                for axis in zip(*chunks or [(range(1), range(1))], strict=True)
            )
        box = np.array([self.grid.box(columns, rows)], float)
        return Bounds(*self.axes.boxes(box)[0].tolist())


def _read_grid(tree: Element, context: LoadContext) -> Grid:
    """The map's orientation and size.

    Raises:
        MapError: An orientation that Tiled does not know, or a size that is none.
    """
    columns, rows, tile_width, tile_height = (
        integer(tree, name, 0, context.exact())
        for name in ("width", "height", "tilewidth", "tileheight")
    )
    if columns < 0 or rows < 0:
        raise context.error(f"a size of {columns} x {rows} cells")
    if tile_width <= 0 or tile_height <= 0:
        raise context.error(f"cells of {tile_width} x {tile_height} pixels")
    size = (columns, rows, tile_width, tile_height)
    orientation = tree.get("orientation", "orthogonal")
    if orientation == "orthogonal":
        order = tree.get("renderorder", "right-down")
        return Orthogonal(*size, leftwards="left" in order, upwards="up" in order)
    if orientation == "isometric":
        return Isometric(*size)
    if orientation in ("staggered", "hexagonal"):
        hexagonal = orientation == "hexagonal"
        return (Hexagonal if hexagonal else Staggered)(
            *size,
            side=integer(tree, "hexsidelength", 0, context) if hexagonal else 0,
            stagger_x=tree.get("staggeraxis") == "x",
            stagger_even=tree.get("staggerindex") == "even",
        )
    if orientation == "oblique":
        skew_x, skew_y = integer(tree, "skewx", 0, context), integer(tree, "skewy", 0, context)
        return Oblique(*size, skew_x=skew_x, skew_y=skew_y)
    raise context.error(f"unknown orientation {orientation!r}")
