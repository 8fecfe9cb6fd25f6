"""Draw a Tiled map: what the camera sees, in one draw call for most layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import arcade
from numpy.typing import ArrayLike

from tilequad.bounds import Bounds
from tilequad.draw.arcade.blended_layer import BlendedLayer, is_blended
from tilequad.draw.arcade.blending import blending, form_and_function
from tilequad.draw.arcade.grid_cells import GridCells
from tilequad.draw.arcade.image_quad import ImageQuad
from tilequad.draw.arcade.object_quads import ObjectQuads
from tilequad.draw.arcade.overview import FAR, Overview
from tilequad.draw.arcade.screen import Screen, pixel_viewport
from tilequad.draw.arcade.tile_grid import SMOOTH_BELOW, GridPrograms, Look, TileGrid
from tilequad.tiled import ImageLayer, Layer, TileLayer, TileMap

__all__ = ["MapView"]


class MapView:
    """Draws a map, or single layers of it, through the camera in use.

    A view of any part of a map costs what the screen costs, whether it shows a hundred tiles or
    millions. The view uploads the map once: two bytes for each cell, in the blocks of 8 x 8 cells
    that hold tiles, and the pictures of its tiles. A frame uploads the cells that were set since
    the frame before. While neither the camera nor the map moves, nothing is asked and nothing is
    uploaded.

    All layers look as in Tiled, pixel by pixel at zoom 1: tiles of any size, offsets, flips and
    rotations, opacity, tint, parallax, blend modes, shapes and text. Zoomed out, tiles are smoothed
    so that they shimmer less than those of `tilequad.draw.pillow.render`, which leaves pixels out;
    where their patterns are fine, that looks different. Where a tile is smaller than a pixel, an
    animated one shows one frame.

    Args:
        tile_map: The map, with y up.

    Attributes:
        tile_map: The map.

    Raises:
        TypeError: `tile_map` is something else.
        ValueError: The map was loaded with `y_up=False`.
        MapError: The pictures of the tiles do not fit into a texture; or an image cannot be read,
            and the map was loaded with `strict=True`. Otherwise a missing image is a warning of
            the map, and a crossed-out box on the screen, as in Tiled.

    Example:
        >>> import arcade
        >>> from tilequad import load_map
        >>> from tilequad.draw.arcade import MapView, visible_bounds
        >>> def show(path: str, camera: arcade.Camera2D) -> None:  # with a window open
        ...     map_view = MapView(load_map(path))
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
    """

    def __init__(self, tile_map: TileMap) -> None:
        if not isinstance(tile_map, TileMap):
            raise TypeError(f"tile_map must be what load_map returns, got {tile_map!r}")
        if not tile_map.axes.y_up:
            raise ValueError("tile_map must be loaded with y_up=True: y points up in arcade")
        context = arcade.get_window().ctx
        self.tile_map = tile_map
        self._context = context
        self._programs = GridPrograms(context, tile_map)
        self._layers: dict[Layer, TileLayerView | ObjectQuads | ImageQuad | None] = {}
        pictures = self._programs.kinds.pictures
        for layer in tile_map.layers:
            if isinstance(layer, TileLayer):
                self._layers[layer] = TileLayerView(context, tile_map, layer, self._programs)
            elif not isinstance(layer, ImageLayer):
                self._layers[layer] = ObjectQuads(context, tile_map, layer, self._programs)
            elif layer.picture and (pixels := pictures.pixels(layer.picture)):
                self._layers[layer] = ImageQuad(context, layer, pixels)
            else:  # an image layer without a picture shows nothing
                self._layers[layer] = None
        self._blended: BlendedLayer | None = None

    def draw(self, view: Sequence[float]) -> int:
        """Draw the visible layers in order. The camera must be in use.

        Args:
            view: What the camera sees: `visible_bounds(camera)`.

        Returns:
            The number of tiles, objects and images drawn.
        """
        seen = Bounds.of(view, "view")
        screen = Screen.of(self._context)
        drawn = 0
        visible = [layer for layer in self.tile_map.layers if layer.visible]
        with self._ready(visible, screen):
            for layer in visible:
                drawn += self._draw(layer, None, seen, screen)
        return drawn

    def draw_layer(self, layer: Layer, ids: ArrayLike | None, view: Sequence[float]) -> None:
        """Draw one layer, so that a game can draw its units between two layers.

        Args:
            layer: A layer of this map, visible or not.
            ids: None for all tiles that the view shows, which is the fastest from far away; or the
                tiles to draw, in draw order, each as a quad. An image layer is drawn whatever the
                ids.
            view: What the camera sees; parallax depends on it.

        Raises:
            KeyError: The layer belongs to another map.

        Example:
            >>> from tilequad.draw.arcade import MapView, SpriteBatch
            >>> def show(map_view: MapView, view, units: SpriteBatch, positions) -> None:
            ...     for layer in map_view.tile_map.layers:
            ...         map_view.draw_layer(layer, None, view)
            ...         if layer.name == "ground":
            ...             units.draw(positions)
        """
        seen = Bounds.of(view, "view")
        screen = Screen.of(self._context)
        with self._ready([layer], screen):
            self._draw(layer, ids, seen, screen)

    def draw_box(self, box: Sequence[float]) -> None:
        """Draw a part of the map over the whole viewport, without a camera and without parallax.

        Use it for a minimap or a picture of the map in a framebuffer of your own.

        Args:
            box: The part, in world units; stretched if its shape is another.

        Raises:
            ValueError: The box is not a box, or it is empty.
        """
        seen = Bounds.of(box, "box")
        if not (seen.width and seen.height):
            raise ValueError(f"box must have a width and a height, got {box!r}")
        _, _, width, height = pixel_viewport(self._context)
        screen = Screen.around(seen, max(width, 1), max(height, 1))
        visible = [layer for layer in self.tile_map.layers if layer.visible]
        with self._ready(visible, screen):
            for layer in visible:
                self._draw(layer, None, seen, screen, still=True)

    def set_time(self, time: float) -> None:
        """Set the time that animated tiles show; at first it is 0.

        Costs a microsecond for each kind of animated tile, however many tiles the map has.

        Args:
            time: Milliseconds since the map was opened.
        """
        self._programs.kinds.set_time(time)

    @property
    def nbytes(self) -> int:
        """The memory on the GPU for cells, kinds of tiles, pictures and overviews, in bytes."""
        layers = (view.nbytes for view in self._layers.values() if isinstance(view, TileLayerView))
        return sum(layers) + self.picture_bytes

    @property
    def picture_bytes(self) -> int:
        """The part of it for the pictures of tiles, however many cells show them, in bytes."""
        return self._programs.kinds.nbytes + self._programs.sheet.nbytes

    @contextmanager
    def _ready(self, layers: Sequence[Layer], screen: Screen) -> Iterator[None]:
        """Follow the changes of layers, which may bring new pictures; bind what they share."""
        for layer in layers:
            view = self._layers[layer]
            if isinstance(view, TileLayerView):
                view.follow()
        self._programs.use(smooth=screen.zoom < SMOOTH_BELOW)
        with blending(self._context):
            yield

    def _draw(
        self,
        layer: Layer,
        ids: ArrayLike | None,
        seen: Bounds,
        screen: Screen,
        still: bool = False,
    ) -> int:
        view = self._layers[layer]
        if view is None:
            return 0
        opacity, mode = layer.opacity, layer.mode
        if layer.tint is None:
            red = green = blue = alpha = 1.0
        else:
            red, green, blue, alpha = (channel / 255 for channel in layer.tint)
        parallax = layer.parallax != (1, 1) and not still
        shift = self.tile_map.parallax_shift(layer, seen) if parallax else (0.0, 0.0)
        if mode != "normal" and is_blended(mode, opacity):
            if self._blended is None:
                self._blended = BlendedLayer(self._context)
            look = Look(screen, seen, shift, (red, green, blue, alpha), 0)
            with self._blended.collecting(mode, opacity):
                view.draw(look) if ids is None else view.draw(look, ids)
            return view.drawn
        form, function = form_and_function(mode)
        look = Look(screen, seen, shift, (red, green, blue, alpha * opacity), form)
        if mode != "normal":
            self._context.blend_func = function
        view.draw(look) if ids is None else view.draw(look, ids)
        if mode != "normal":
            self._context.blend_func = form_and_function("normal")[1]
        return view.drawn


class TileLayerView:
    """A tile layer: its tiles, or from far away its overview.

    Attributes:
        drawn: The number of tiles that the last `draw` showed.
    """

    def __init__(
        self,
        context: arcade.ArcadeContext,
        tile_map: TileMap,
        layer: TileLayer,
        programs: GridPrograms,
    ) -> None:
        self._parts = context, tile_map, layer, programs
        self._layer = layer
        self._grid = TileGrid(*self._parts, GridCells(context, layer, programs.kinds))
        self._overview: Overview | None = None
        self._counted: tuple[object, ...] = ()
        self.drawn = 0

    @property
    def nbytes(self) -> int:
        """The memory of cells and pages on the GPU, in bytes."""
        pages = self._overview.nbytes if self._overview else 0
        return self._grid.cells.nbytes + pages

    def follow(self) -> None:
        """Upload the changes of the layer since the last call."""
        self._grid.cells.follow()

    def draw(self, look: Look, ids: ArrayLike | None = None) -> None:
        """Draw the tiles in view, or those with the ids."""
        side = self._grid.cell_side * look.screen.zoom
        if ids is not None or side >= FAR:
            self._grid.draw(look, ids)
            self.drawn = self._grid.drawn
            return
        if self._overview is None:
            self._overview = Overview(*self._parts, self._grid)
        self._overview.draw(look)
        asked = look.view, look.shift, self._grid.cells.revision
        if asked != self._counted:
            self._counted = asked
            dx, dy = look.shift
            self.drawn = self._layer.count(look.view.shifted(-dx, -dy))
