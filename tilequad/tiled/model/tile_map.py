"""The map that `load_map` returns: its layers, tilesets and sizes, in world units."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from tilequad._core.shown import LONGEST_VALUE, shortened, shown
from tilequad.bounds import Bounds

from ..checks import color_of, one_of, size_of, text_of, truth_of, whole_pair, whole_within
from ..context import FileWatch, LoadContext
from ..filters import checked_filter, matches, shown_filter, warn_of_unknown
from ..geometry.grids import Axes, Grid
from ..index.tile_edits import Observers
from ..limits import Limits
from ..source import Source
from . import verbs
from .additions import AnyLayer, MapEdits
from .frame import MapFrame
from .image_layer import ImageLayer
from .layer import Group, Layer
from .map_object import MapObject
from .object_layer import ObjectLayer
from .properties import Color, Properties, properties_of
from .tile_layer import TileLayer, bounds_of
from .tilesets import Tileset, TilesetList
from .wang_brush import WangBrush

if TYPE_CHECKING:
    import pytmx  # type: ignore[import-untyped]

__all__ = [
    "FIXED",
    "RENDER_ORDERS",
    "STAGGER_AXES",
    "STAGGER_INDICES",
    "AnyLayer",
    "TileMap",
    "grid_of",
    "observe",
]

# The first word of each is the default.
RENDER_ORDERS = ("right-down", "right-up", "left-down", "left-up")
STAGGER_AXES = ("y", "x")
STAGGER_INDICES = ("odd", "even")
_ORIENTATIONS = ("orthogonal", "isometric", "staggered", "hexagonal", "oblique")

# What stays while a map lives: the places of its cells, their ids, and their order.
FIXED = (
    "orientation", "size", "tile_size", "render_order", "stagger_axis", "stagger_index",
    "hex_side_length", "skew", "infinite",
)  # fmt: skip

LayerType = TypeVar("LayerType", TileLayer, ObjectLayer, ImageLayer)


@dataclass(kw_only=True, eq=False, repr=False)
class TileMap(MapEdits):
    """A Tiled map in world units: pixels, y up unless it was loaded otherwise.

    Example:
        >>> from tilequad import load_map
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> for layer, ids in tile_map.cull((0, 0, 640, 360)):
        ...     boxes = layer.boxes(ids)  # what to draw now, the lowest layer first
        >>> tile_map.layer("ground").visible = False

    Attributes:
        path: The file.
        orientation: "orthogonal", "isometric", "staggered", "hexagonal" or "oblique".
        size: Columns and rows.
        tile_size: Width and height of a cell in pixels.
        render_order: "right-down", "right-up", "left-down" or "left-up": in which order Tiled draws
            the tiles of an orthogonal map.
        stagger_axis: "x" or "y": along which axis every second column or row of a staggered or
            hexagonal map is shifted.
        stagger_index: "odd" or "even": which columns or rows are shifted.
        hex_side_length: Length of a hexagon's edge along the stagger axis, in pixels.
        skew: Pixels that an oblique map shifts right for each row, and down for each column.
        infinite: Whether the map has no edges in Tiled.
        class_name: The class given to the map in Tiled, or "".
        properties: Custom properties of the map.
        layers: Tile, object and image layers in document order, the lowest first.
        groups: The groups of layers, each before those in it.
        tilesets: Tilesets by ascending first gid.
        background_color: (red, green, blue, alpha), each 0 to 255, or None.
        parallax_origin: The view center at which no layer is shifted, in world units.
        axes: Converts world units to Tiled's own pixels and back.
        enums: The enums of the project by name, if the map was loaded with `types=`.
        warnings: Problems that did not stop the map from opening, one line each.
        strict: Whether it was loaded with warnings as errors.
        root: The folder that all its files must lie below, or None.
        limits: Limits on what it may cost, and on what `save` writes; may be set.
        revision: Counts the changes of more than tiles: layers that were added, moved or removed,
            offsets, new tilesets, and reloads of these and of images and objects.
    """

    path: Path
    orientation: str
    size: tuple[int, int]
    tile_size: tuple[int, int]
    render_order: str
    stagger_axis: str
    stagger_index: str
    hex_side_length: int
    skew: tuple[int, int]
    infinite: bool
    class_name: str
    properties: Properties
    layers: list[AnyLayer]
    groups: list[Group]
    tilesets: TilesetList
    background_color: Color | None
    parallax_origin: tuple[float, float]
    axes: Axes
    enums: dict[str, type[Enum]]
    warnings: list[str]
    strict: bool
    root: Path | None
    limits: Limits
    _frame: MapFrame
    revision: int = 0
    _bounds: tuple[int, Bounds] | None = None  # and how often tiles had grown then
    _canvas: tuple[Bounds, Bounds] | None = None  # and the bounds then
    _source: Source | None
    _told_of_loss: bool = False  # by a save, if nothing was kept of the file
    _watch: FileWatch
    _observers: Observers = field(default_factory=Observers)

    @classmethod
    def new(
        cls,
        columns: int,
        rows: int,
        tile_size: tuple[int, int],
        *,
        orientation: str = "orthogonal",
        infinite: bool = False,
        y_up: bool = True,
        render_order: str = "right-down",
        stagger_axis: str = "y",
        stagger_index: str = "odd",
        hex_side_length: int = 0,
        skew: tuple[int, int] = (0, 0),
        background_color: Color | None = None,
        class_name: str = "",
        properties: Mapping[str, Any] | None = None,
        types: str | os.PathLike[str] | None = None,
    ) -> TileMap:
        """Make a map without tilesets and layers.

        Add these with `add_tileset`, `add_tile_layer`, `add_object_layer` and so on. The first
        `save` gives the map its file; until then its path is "untitled.tmx".

        Args:
            columns: Columns of cells. An infinite map may have tiles anywhere; Tiled shows this
                part first.
            rows: Rows of cells.
            tile_size: Width and height of a cell in pixels.
            orientation: "orthogonal", "isometric", "staggered", "hexagonal" or "oblique".
            infinite: Whether the map has no edges.
            y_up: As in `load_map`.
            render_order: "right-down", "right-up", "left-down" or "left-up".
            stagger_axis: "x" or "y": along which axis every second column or row of a staggered or
                hexagonal map is shifted.
            stagger_index: "odd" or "even": which columns or rows are shifted.
            hex_side_length: Length of a hexagon's edge along the stagger axis, in pixels; with 0,
                the cells are diamonds.
            skew: Pixels that an oblique map shifts right for each row, and down for each column.
            background_color: (red, green, blue, alpha), each 0 to 255, or None.
            class_name: The class of the map.
            properties: Custom properties of the map.
            types: As in `load_map`.

        Raises:
            TypeError: An argument is of the wrong type.
            ValueError: A number or a word is none that the map can have.

        Example:
            >>> from tilequad.tiled import TileMap
            >>> TileMap.new(40, 30, (16, 16))
            <TileMap 'untitled.tmx': orthogonal, 40 x 30 cells of 16 x 16 pixels, 0 layers>
        """
        fixed = {
            "orientation": one_of(orientation, "orientation", _ORIENTATIONS),
            "size": (whole_within(columns, "columns", 1), whole_within(rows, "rows", 1)),
            "tile_size": size_of(tile_size, "tile_size"),
            "render_order": one_of(render_order, "render_order", RENDER_ORDERS),
            "stagger_axis": one_of(stagger_axis, "stagger_axis", STAGGER_AXES),
            "stagger_index": one_of(stagger_index, "stagger_index", STAGGER_INDICES),
            "hex_side_length": whole_within(hex_side_length, "hex_side_length", 0),
            "skew": whole_pair(skew, "skew"),
            "infinite": truth_of(infinite, "infinite"),
        }
        color = color_of(background_color, "background_color")
        name, own = text_of(class_name, "class_name"), properties_of(properties)
        made: TileMap = verbs.new_map(fixed, truth_of(y_up, "y_up"), types)
        made.background_color, made.class_name = color, name
        made.properties.update(own)
        made._frame.tools.complete(made.properties, name, "map")
        return made

    def __post_init__(self) -> None:
        self._frame.tools.followers.add(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._frame.tools.followers.add(self)

    def _context(self, path: Path | None = None) -> LoadContext:
        """Return a context to read the file of the map anew, or another file."""
        context = LoadContext(path or self.path, self.root, self.limits)
        context.enums = self.enums
        return context

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        state.pop("tmx", None)  # no map of pytmx can be copied; its file is read again
        return state

    def __repr__(self) -> str:
        (columns, rows), (width, height) = self.size, self.tile_size
        cells = f"{columns:,} x {rows:,} cells of {width} x {height} pixels"
        layers = f"{len(self.layers)} layer{'s' * (len(self.layers) != 1)}"
        return f"<TileMap {str(self.path)!r}: {self.orientation}, {cells}, {layers}>"

    # Usually it is a tile layer; with Any, type checkers do not ask every caller to prove it.
    @overload
    def layer(self, name: str) -> TileLayer | Any: ...
    @overload
    def layer(self, name: str, layer_type: type[LayerType]) -> LayerType: ...
    def layer(self, name: str, layer_type: type[Layer] = Layer) -> Layer:
        """Return the first layer with a name.

        Args:
            name: The layer's name.
            layer_type: `TileLayer`, `ObjectLayer` or `ImageLayer`, to skip layers of other types
                and tell type checkers which one it is.

        Raises:
            KeyError: No layer of that type has the name; the message lists the names.

        Example:
            >>> from tilequad import load_map
            >>> from tilequad.tiled import TileLayer
            >>> load_map("maps/frontier.tmx").layer("ground", TileLayer).cell_at(40, 8176)
            (1, 0)
        """
        if not (isinstance(layer_type, type) and issubclass(layer_type, Layer)):
            raise TypeError(f"layer_type must be a class of layers, got {shown(layer_type)}")
        for layer in self.layers:
            if layer.name == name and isinstance(layer, layer_type):
                return layer
        wanted = "layer" if layer_type is Layer else layer_type.__name__
        names = ", ".join(repr(layer.name) for layer in self.layers)
        known = shortened(names or "none", LONGEST_VALUE)
        raise KeyError(f"no {wanted} {shown(name)}; the map has {known}")

    def tileset_of(self, gid: int) -> Tileset:
        """Return the tileset that a gid belongs to: the last one that begins at it or below.

        The tileset may lack the tile; check with its `has_tile`.

        Args:
            gid: Tiled's number of a tile, without flip bits.

        Raises:
            KeyError: The gid is below the first tileset, or has more than 28 bits.
            TypeError: The gid is no number.
        """
        try:
            return self.tilesets.owner(gid)
        except TypeError:
            raise TypeError(f"gid must be a whole number, got {shown(gid)}") from None

    def wang_set(self, name: str, tileset: str | None = None) -> WangBrush:
        """Return a brush that paints the first Wang set with a name.

        Cost: a millisecond the first time; then the same brush again.

        Args:
            name: The name of the Wang set, called terrain set in Tiled. Terrains of Tiled before
                version 1.5 are "Terrains".
            tileset: The name of its tileset; None for any.

        Raises:
            KeyError: No Wang set has the name; the message lists the names.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> water = tile_map.wang_set("water")
            >>> water.paint(tile_map.layer("ground"), [(40, 40), (41, 40)], 1).shape
            (0, 2)
        """
        known = [(own, one) for own in self.tilesets for one in own.wang_sets]
        for own, wang_set in known:
            if wang_set.name == name and tileset in (None, own.name):
                brush = self._brushes.get((name, tileset))
                if brush is None or brush.wang_set is not wang_set or brush.tileset is not own:
                    brush = self._brushes[name, tileset] = WangBrush(wang_set, own)
                return brush
        names = ", ".join(f"{one.name!r} of {own.name!r}" for own, one in known)
        found = shortened(names or "none", LONGEST_VALUE)
        wanted = shown(name) if tileset is None else f"{shown(name)} of {shown(tileset)}"
        raise KeyError(f"no Wang set {wanted}; the map has {found}")

    @cached_property
    def _brushes(self) -> dict[tuple[str, str | None], WangBrush]:
        return {}

    def object(self, object_id: int) -> MapObject:
        """Return the object with an id.

        Cost: compares the ids of all objects, 0.1 us each.

        Args:
            object_id: Tiled's number of the object, unique in the map; or a property that refers
                to it.

        Raises:
            KeyError: No object has it.
        """
        for layer in self.layers:
            if isinstance(layer, ObjectLayer):
                for item in layer.objects:
                    if item.id == object_id:
                        return item
        raise KeyError(f"no object {shown(object_id)}")

    def objects(
        self,
        properties: Mapping[str, Any] | None = None,
        *,
        class_name: str | None = None,
        name: str | None = None,
    ) -> list[MapObject]:
        """Return objects by properties, class and name, layer by layer in draw order.

        A class or property that no object of the map has is a UserWarning with those that exist.

        Cost: asks every object, 0.2 us each.

        Args:
            properties: Names and values, such as `{"locked": True}`; an object must have all of
                them. None for any.
            class_name: The class of the objects; None for any.
            name: Their name; None for any.

        Raises:
            TypeError: `properties` is not a dict, or `class_name` or `name` no text.

        Example:
            >>> from tilequad import load_map
            >>> [road] = load_map("maps/frontier.tmx").objects(class_name="road")
            >>> road.shape, road.points.shape[1]
            ('polyline', 2)
        """
        wanted = checked_filter(properties, "objects(", class_name=class_name, name=name)
        layers = [layer for layer in self.layers if isinstance(layer, ObjectLayer)]
        found = [
            item
            for layer in layers
            for item in layer.objects
            if (name is None or name == item.name) and matches(item, wanted, class_name)
        ]
        if not found and (wanted or class_name is not None):
            known = [(item.class_name, item.properties) for one in layers for item in one.objects]
            call = f"objects({', '.join(shown_filter(wanted, class_name))})"
            warn_of_unknown(call, wanted, class_name, known, 2)
        return found

    def gids_with(
        self, properties: Mapping[str, Any] | None = None, *, class_name: str | None = None
    ) -> NDArray[np.uint32]:
        """Return the gids of the tiles that have some properties and a class, to make a map of.

        A class or property that no tile has is a UserWarning with those that exist.

        Cost: asks every tile of the tilesets, half a microsecond each.

        Args:
            properties: Names and values, such as `{"solid": True}`; a tile must have all of them.
                None for any.
            class_name: The class of the tiles; None for any.

        Returns:
            Ascending, uint32, shape (n,).

        Raises:
            TypeError: `properties` is not a dict, or `class_name` no text.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> tile_map.gids_with({"solid": True}, class_name="deep").shape
            (17,)
            >>> tile_map.gids_with(class_name="tuft").tolist()
            [159, 160, 161, 162]
        """
        wanted = checked_filter(properties, "gids_with(", class_name=class_name)
        found = [
            gid
            for tileset in self.tilesets
            for gid in range(tileset.first_gid, tileset.end_gid)
            if tileset.has_tile(gid - tileset.first_gid)
            and self.tilesets.matches(gid, wanted, class_name)
        ]
        if not found:
            tiles = [tile for tileset in self.tilesets for tile in tileset.tiles.values()]
            known = [(tile.class_name, tile.properties) for tile in tiles]
            call = f"gids_with({', '.join(shown_filter(wanted, class_name))})"
            warn_of_unknown(call, wanted, class_name, known, 2)
        return np.array(found, np.uint32)

    def cull(self, bounds: Sequence[float]) -> Iterator[tuple[Layer, NDArray[np.int32]]]:
        """Yield the visible layers, each with the ids that the camera sees.

        Cost: a few microseconds for each layer; the first call builds the trees of object layers,
        and the table of each tile layer, 3 ms for a million tiles.

        Args:
            bounds: The box that the camera sees, in world units: min_x, min_y, max_x, max_y.

        Yields:
            (layer, ids) in draw order. The box is shifted by the layer's parallax; draw the layer
            moved by `parallax_shift`.

        Raises:
            ValueError: `bounds` is not a box.
        """
        seen = Bounds.of(bounds, "bounds")
        for layer in self.layers:
            if layer.visible:
                dx, dy = self.parallax_shift(layer, seen)
                yield layer, layer.query(seen.shifted(-dx, -dy))

    def parallax_shift(self, layer: Layer, bounds: Sequence[float]) -> tuple[float, float]:
        """Return how far parallax moves a layer; (0, 0) for a layer without parallax.

        See https://doc.mapeditor.org/en/stable/manual/layers/#parallax-factor.

        Args:
            layer: A layer of this map.
            bounds: The box that the camera sees, in world units.

        Returns:
            (dx, dy), to add to the layer's positions.
        """
        left, low, right, high = Bounds.of(bounds, "bounds")
        x, y = left / 2 + right / 2, low / 2 + high / 2  # a sum may be beyond all floats
        origin_x, origin_y = self.parallax_origin
        if not isinstance(layer, Layer):
            raise TypeError(f"layer must be a layer, got {shown(layer)}")
        factor_x, factor_y = layer.parallax
        return (x - origin_x) * (1 - factor_x), (y - origin_y) * (1 - factor_y)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the map to a file. What was not changed is written byte for byte.

        A changed tile changes its number in a layer of csv or in a list of JSON, else the data of
        its layer or chunk, in the same encoding. Attributes, elements and members that tilequad
        does not know, comments, order and indentation stay, in .tmj as in .tmx. In another folder,
        the paths of tilesets, images, templates and files still lead where they led. The file
        appears at once: an interrupted or failed save leaves an older file as it was.

        Saved are tiles; the settings and the order of layers and groups, new and removed ones;
        class, background color and properties of the map; properties of layers, groups and
        objects; objects, also new and removed ones; new tilesets, and changes of those that are
        part of the map. Any other change is an error, and nothing is written. The files of
        external tilesets and templates are left alone. What `save` writes over the map's own file
        becomes its new beginning; so does the first file of a map that `TileMap.new` made.

        Cost: reads the file again, without its cells, and compresses the layers or chunks that
        have changed. All else takes 5 to 10 ms for a layer of 1024 x 1024 cells: reading, two
        digests, base64, writing; and 20 us for each object. So a changed layer takes 1.1 times its
        compression by zlib, but 1.3 to 1.9 times that by zstd. A changed .tmj takes between a third
        and five times as long as loading it.

        Args:
            path: The file. Its suffix selects the format: .tmx, or .tmj and .json. In the other
                format than the map was read from, the file is made anew, without what that format
                has no name for, such as comments; lists of cells become csv, and csv lists.

        Raises:
            MapError: The map has changes that cannot be saved, such as a setting of a wrong type;
                what JSON cannot hold: an image inside its file, NaN or an infinity; or more than
                `limits` allow.
            OSError: The file cannot be written.
            ValueError: The suffix belongs to no format.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> tile_map.layer("trees").clear_tile(40, 50)
            >>> with TemporaryDirectory() as folder:
            ...     tile_map.save(f"{folder}/felled.tmx")
            ...     load_map(f"{folder}/felled.tmx").layer("trees").gid_of(40, 50)
            0
        """
        verbs.save_map(self, path)

    def reload(self) -> None:
        """Read the file again, which Tiled has just saved, and apply what has changed in it.

        The map stays the same object, and so do its layers, objects and tilesets; ids of cells
        stay. Whatever follows the map follows: selections, grids and what stands on them, walls,
        fog, pictures. If only tiles have changed, it is told of those cells alone. Layers are
        recognized by their ids, like objects. A layer that is gone from the file has no tiles.

        What differs between the file now and when it was read last is applied. All else stays as
        the program has set it: a tree that was felled stays felled, unless the file has another
        tile there now. The exceptions: tilesets, and objects whose template has changed, are as in
        the files; so are all settings and objects if the map was loaded with `keep=False`.

        After an exception, or an interrupt, the map is as it was, or it is as the file.

        Cost: that of loading the map, and 2 us for each changed cell. If more than cells has
        changed, two to three times as much, and grids and pictures are made anew.

        Raises:
            MapError: The file is broken, or goes beyond the limits. Or what stays fixed has
                changed: the size of the map and of its cells, its orientation and render order,
                whether it is infinite; load it anew.

        Example:
            >>> from tilequad import load_map
            >>> tile_map = load_map("maps/frontier.tmx")
            >>> tile_map.reload()  # nothing has changed
        """
        verbs.reload_map(self)

    def reload_if_changed(self) -> bool:
        """Do as `reload` does if Tiled has saved the map; call it once a frame.

        A file that is broken, or half written, leaves the map as it was: a UserWarning tells of it
        once, and the next version of the file is tried again.

        Cost: a look at the clock of the map's file, of its tilesets and templates, and of one of
        its images in turn; some 2 us for each.

        Returns:
            Whether the file was read again.

        Example:
            >>> from tilequad import load_map
            >>> load_map("maps/frontier.tmx").reload_if_changed()
            False
        """
        is_read: bool = verbs.reload_if_changed(self)
        return is_read

    @property
    def bounds(self) -> Bounds:
        """The box around the map's cells; around all chunks with tiles of an infinite map.

        Cost: some 1 ms for each million tiles of an infinite map, once after it has grown.
        """
        tiles = [layer._tiles for layer in self.layers if isinstance(layer, TileLayer)]
        growths = sum(one.growths for one in tiles) if self.infinite else 0
        if self._bounds is None or self._bounds[0] != growths:
            self._bounds = growths, bounds_of(self._frame, self.layers)
        return self._bounds[1]

    @property
    def canvas(self) -> Bounds:
        """The box that Tiled's own renderer draws: around cells, moved layers and image layers.

        Opens the images of image layers to read their sizes.
        """
        bounds = self.bounds
        if self._canvas is None or self._canvas[0] != bounds:
            self._canvas = bounds, self._canvas_around(bounds)
        return self._canvas[1]

    def _canvas_around(self, bounds: Bounds) -> Bounds:
        left, top, right, bottom = self.axes.boxes(np.array([bounds], float))[0]
        margins = np.zeros(4)
        for layer in self.layers:
            dx, dy = layer.offset
            if isinstance(layer, TileLayer):
                margins = np.maximum(margins, np.ceil([-dx, -dy, dx, dy]))
            elif isinstance(layer, ImageLayer) and len(layer):
                box = self.axes.boxes(np.array([layer.bounds], float))[0]
                (x0, y0), (x1, y1) = np.floor(box[:2]), np.ceil(box[2:])
                if not layer.repeat[0]:
                    left, right = min(left, x0), max(right, x1)
                if not layer.repeat[1]:
                    top, bottom = min(top, y0), max(bottom, y1)
        box = np.array([[left, top, right, bottom]]) + margins * (-1, -1, 1, 1)
        return Bounds(*self.axes.boxes(box)[0].tolist())

    @cached_property
    def tmx(self) -> pytmx.TiledMap:
        """The map as pytmx reads it, for code that uses pytmx.

        pytmx reads the file again on first use, because it keeps a list entry for each cell, which
        tilequad itself does not need (0.8 seconds and 20 MB for each layer of 1024 x 1024 cells).
        It has the tiles as they are then; later changes of tiles do not show in it. It has no
        negative cells: tiles left of a map with edges, or above it, are missing.

        Raises:
            MapError: pytmx cannot read the map, or the file has changed.
            ModuleNotFoundError: pytmx is not installed.
        """
        return verbs.make_tmx(self)


def grid_of(tile_map: TileMap) -> Grid:
    """Return the cells of a map, in Tiled's pixels."""
    return tile_map._frame.grid


def observe(tile_map: TileMap, observer: Any) -> None:
    """Tell an observer of changes, such as a grid; the map holds it weakly.

    Calls its `_object_changed(layer, item)` after an object was changed, added or removed, and
    `_map_changed(tile_map)` after more than tiles and objects: a reload, a layer that moved.
    """
    tile_map._observers.add(observer)
