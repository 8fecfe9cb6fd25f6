"""The map: what a file becomes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from ..colors import Color
from ..geometry.axes import Axes
from ..limits import Limits
from .image_layer import ImageLayer
from .layer import Layer
from .object_layer import MapObject, ObjectLayer
from .tile_layer import TileLayer
from .tilesets import Tileset, TilesetList

if TYPE_CHECKING:
    import pytmx  # type: ignore[import-untyped]

__all__ = ["TileMap"]

AnyLayer = TileLayer | ObjectLayer | ImageLayer


class TileMap:
    """A Tiled map in world units: pixels, y up unless it was loaded otherwise.

    Example:
        >>> from tilequad import load_map
        >>> world = load_map("maps/frontier.tmx")
        >>> for layer, ids in world.cull((0, 0, 640, 360)):
        ...     boxes = layer.boxes(ids)  # what to draw now, the lowest layer first
        >>> world.layer("ground").visible = False

    Attributes:
        path: The file.
        bounds: The box of the map's cells; of all chunks in an infinite map.
        orientation: "orthogonal", "isometric", "staggered", "hexagonal" or "oblique".
        class_name: The class given to the map in Tiled, or "".
        size: Columns and rows.
        tile_size: Width and height of a cell in pixels.
        infinite: Whether the map has no edges in Tiled.
        properties: Custom properties of the map.
        layers: Tile, object and image layers in document order, the lowest first.
        tilesets: Tilesets by ascending first gid.
        background_color: (red, green, blue, alpha) or None.
        warnings: What was noticed on reading and did not stop it, one line each.
        axes: Turns world units into Tiled's own pixels and back.
        limits: What the map was allowed to ask for.
        strict: Whether it was opened to refuse what Tiled would only warn of.
    """

    def __init__(
        self,
        *,
        path: Path,
        bounds: Bounds,
        orientation: str,
        class_name: str,
        size: tuple[int, int],
        tile_size: tuple[int, int],
        infinite: bool,
        properties: dict[str, Any],
        layers: list[AnyLayer],
        tilesets: TilesetList,
        background_color: Color | None,
        parallax_origin: tuple[float, float],
        warnings: list[str],
        axes: Axes,
        strict: bool,
        limits: Limits,
        make_tmx: Callable[[TileMap], pytmx.TiledMap],
    ) -> None:
        self.path = path
        self.bounds = bounds
        self.orientation = orientation
        self.class_name = class_name
        self.size = size
        self.tile_size = tile_size
        self.infinite = infinite
        self.properties = properties
        self.layers = layers
        self.tilesets = tilesets
        self.background_color = background_color
        self.warnings = warnings
        self.axes = axes
        self.strict = strict
        self.limits = limits
        self._parallax_origin = parallax_origin
        self._make_tmx = make_tmx

    def __repr__(self) -> str:
        return f"<TileMap {str(self.path)!r}: {self.orientation}, {len(self.layers)} layers>"

    def layer(self, name: str) -> Any:
        """The first layer of a name.

        Args:
            name: The layer's name.

        Raises:
            KeyError: There is none; the message names those there are.
        """
        for layer in self.layers:
            if layer.name == name:
                return layer
        names = ", ".join(repr(layer.name) for layer in self.layers)
        raise KeyError(f"no layer {name!r}; the map has {names or 'none'}")

    def tileset_of(self, gid: int) -> Tileset:
        """The tileset that a gid belongs to.

        Args:
            gid: Tiled's number of a tile, without flip bits.

        Raises:
            KeyError: No tileset of the map has it.
        """
        return self.tilesets.owner(gid)

    def object(self, number: int) -> MapObject:
        """The object with Tiled's number.

        Raises:
            KeyError: There is none.
        """
        for item in self.objects():
            if item.id == number:
                return item
        raise KeyError(f"no object {number!r}")

    def objects(
        self, class_name: str | None = None, name: str | None = None, **properties: Any
    ) -> list[MapObject]:
        """The objects of a class, of a name or with properties, layer by layer in draw order.

        Args:
            class_name: The class of the objects, or None for any.
            name: Their name, or None for any.
            properties: Names and values; an object must have all of them.

        Example:
            >>> from tilequad import load_map
            >>> [road] = load_map("maps/frontier.tmx").objects(class_name="road")
            >>> road.shape, road.points.shape[1]
            ('polyline', 2)
        """
        return [
            item
            for layer in self.layers
            if isinstance(layer, ObjectLayer)
            for item in layer.objects
            if name in (None, item.name) and item.matches(class_name, properties)
        ]

    def cull(self, view: Sequence[float]) -> Iterator[tuple[Layer, NDArray[np.int32]]]:
        """The layers to draw now, each with the ids of what is seen of it.

        Args:
            view: The box that the camera sees, in world units.

        Yields:
            (layer, ids) for every visible layer in draw order. The view is shifted by the layer's
            parallax; draw the layer moved by `parallax_shift` to see what was asked for.

        Raises:
            ValueError: The view is no box.
        """
        seen = Bounds.of(view, "view")
        for layer in self.layers:
            if layer.visible:
                dx, dy = self.parallax_shift(layer, seen)
                yield layer, layer.query(seen.shifted(-dx, -dy))

    def parallax_shift(self, layer: Layer, view: Sequence[float]) -> tuple[float, float]:
        """How far a layer is moved for a view: (0, 0) for a layer without parallax.

        Args:
            layer: A layer of this map.
            view: The box that the camera sees, in world units.

        Returns:
            What to add to the layer's positions, (dx, dy) in world units.
        """
        x, y = Bounds.of(view, "view").center
        origin_x, origin_y = self._parallax_origin
        factor_x, factor_y = layer.parallax
        return (x - origin_x) * (1 - factor_x), (y - origin_y) * (1 - factor_y)

    @cached_property
    def canvas(self) -> Bounds:
        """What Tiled's own renderer draws on: the cells, and more for moved and image layers.

        Image layers may open their image to learn its size.
        """
        left, top, right, bottom = self.axes.boxes(np.array([self.bounds], float))[0]
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
        """The map as pytmx gives it, for code that knows pytmx.

        It is read at the first use. pytmx keeps a Python list entry and a method call for every
        cell, two thirds of a second and 20 MB for 1024 x 1024 of them, and nothing in tilequad
        needs that; so whoever does not ask for it does not pay for it.

        Raises:
            MapError: pytmx cannot read the map.
        """
        return self._make_tmx(self)
