"""From a file to a TileMap."""

from __future__ import annotations

import os
from xml.etree.ElementTree import Element

import numpy as np

from tilequad.bounds import Bounds

from .assemble import assemble
from .attributes import boolean, color, decimal, integer
from .axes import Axes
from .cells import FARTHEST, GID_MASK, Cells, distinct, read_cells
from .for_pytmx import make_tmx
from .layers import TOP, Head, ImageLayer, read_head
from .limits import Limits
from .objectreader import read_objects
from .placing import Grid, Hexagonal, Isometric, Oblique, Orthogonal, Staggered
from .properties import read_properties
from .reading import Reading
from .tilelayer import TileLayer
from .tilemap import AnyLayer, TileMap
from .tilesetreader import read_picture
from .tilesets import TilesetList
from .trees import parse_file

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
    reading = Reading(path, root, limits, strict)
    tree = parse_file(reading.path, "map", reading)
    return _MapReader(tree, y_up, reading).read()


class _MapReader:
    """Reads the parts of one map in the order they need each other."""

    def __init__(self, tree: Element, y_up: bool, reading: Reading) -> None:
        self.tree = tree
        self.reading = reading
        self.grid = _read_grid(tree, reading)
        _, _, _, bottom = self.grid.box(range(self.grid.columns), range(self.grid.rows))
        self.axes = Axes(bottom, y_up)
        self.infinite = boolean(tree, "infinite", False)
        self.tilesets = TilesetList(
            assemble(tree, reading), (self.grid.tile_width, self.grid.tile_height)
        )
        self.layers: list[AnyLayer] = []
        self.layer_count = 0  # groups counted too

    def read(self) -> TileMap:
        tree, reading, grid = self.tree, self.reading, self.grid
        self._read_layers(tree, TOP)
        origin = (
            decimal(tree, "parallaxoriginx", 0, reading),
            decimal(tree, "parallaxoriginy", 0, reading),
        )
        return TileMap(
            path=reading.path,
            bounds=self._bounds(),
            orientation=tree.get("orientation", "orthogonal"),
            kind=tree.get("class") or tree.get("type") or "",
            size=(grid.columns, grid.rows),
            tile_size=(grid.tile_width, grid.tile_height),
            infinite=self.infinite,
            properties=read_properties(tree),
            layers=self.layers,
            tilesets=self.tilesets,
            background_color=color(tree.get("backgroundcolor")),
            parallax_origin=self.axes.point(*origin),
            warnings=reading.warnings,
            axes=self.axes,
            strict=reading.strict,
            limits=reading.limits,
            make_tmx=lambda world: make_tmx(tree, world, reading),
        )

    def _read_layers(self, parent: Element, around: Head) -> None:
        for element in parent:
            if element.tag not in _LAYERS:
                continue
            self.layer_count += 1
            if self.layer_count > self.reading.limits.layers:
                limit = self.reading.limits.layers
                raise self.reading.error(f"has more than the limit of {limit} layers")
            name = f"{'group' if element.tag == 'group' else 'layer'} {element.get('name', '')!r}"
            reading = self.reading.about(name)
            head = read_head(element, around, reading)
            if element.tag == "group":
                self._read_layers(element, head)
            elif element.tag == "layer":
                self.layers.append(self._tile_layer(element, head, reading))
            elif element.tag == "objectgroup":
                self.layers.append(
                    read_objects(element, head, self.grid, self.tilesets, self.axes, reading)
                )
            else:
                self.layers.append(self._image_layer(element, head, reading))

    def _tile_layer(self, element: Element, head: Head, reading: Reading) -> TileLayer:
        cells = read_cells(element, reading)
        for data in element.findall("data"):
            data.clear()  # the text is the largest part of a map, and the cells hold it now
        self._check_gids(cells, reading)
        # maps of the first Tiled versions move a layer by whole cells
        origin = integer(element, "x", 0, reading), integer(element, "y", 0, reading)
        if max(map(abs, origin)) > FARTHEST:
            raise reading.error(f"is moved to the cell {origin}, which is out of all bounds")
        return TileLayer(head, cells, origin, self.infinite, self.grid, self.tilesets, self.axes)

    def _check_gids(self, cells: Cells, reading: Reading) -> None:
        if not len(cells.raw):
            return
        if not len(self.tilesets):
            raise reading.error("has tiles, but the map has no tileset")
        gids, counts = distinct(cells.raw & np.uint32(GID_MASK))
        for gid in (int(gids[0]), int(gids[-1])):
            try:
                self.tilesets.owner(gid)
            except KeyError:
                raise reading.error(f"the gid {gid} belongs to no tileset") from None
        strays = int(counts[self.tilesets.strays(gids)].sum())
        if strays:
            reading.note(f"{strays} tiles have a gid that their tileset lacks")

    def _image_layer(self, element: Element, head: Head, reading: Reading) -> ImageLayer:
        image = element.find("image")
        picture = None
        if image is not None:
            picture = read_picture(image, reading.path.parent, reading)
        repeat = boolean(element, "repeatx", False), boolean(element, "repeaty", False)
        return ImageLayer(head, picture, repeat, self.axes)

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


def _read_grid(tree: Element, reading: Reading) -> Grid:
    """The map's orientation and size.

    Raises:
        MapError: An orientation that Tiled does not know, or a size that is none.
    """
    columns, rows, tile_width, tile_height = (
        integer(tree, name, 0, reading.exact())
        for name in ("width", "height", "tilewidth", "tileheight")
    )
    if columns < 0 or rows < 0:
        raise reading.error(f"a size of {columns} x {rows} cells")
    if tile_width <= 0 or tile_height <= 0:
        raise reading.error(f"cells of {tile_width} x {tile_height} pixels")
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
            side=integer(tree, "hexsidelength", 0, reading) if hexagonal else 0,
            stagger_x=tree.get("staggeraxis") == "x",
            stagger_even=tree.get("staggerindex") == "even",
        )
    if orientation == "oblique":
        skew_x, skew_y = integer(tree, "skewx", 0, reading), integer(tree, "skewy", 0, reading)
        return Oblique(*size, skew_x=skew_x, skew_y=skew_y)
    raise reading.error(f"unknown orientation {orientation!r}")
