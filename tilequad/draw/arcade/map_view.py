"""Draw a Tiled map: what the camera sees, in one draw call for each layer."""

from __future__ import annotations

from collections.abc import Sequence

import arcade
from arcade.texture_atlas import TextureAtlasBase
from numpy.typing import ArrayLike

from tilequad.bounds import Bounds
from tilequad.draw.arcade.image_quad import ImageQuad
from tilequad.draw.arcade.tile_quads import LayerTiles, TileQuads
from tilequad.draw.arcade.tile_slots import TileSlots
from tilequad.tiled import ImageLayer, Layer, TileMap

__all__ = ["MapView"]


class MapView:
    """Draws a map, or single layers of it, through the camera in use.

    The view uploads all pictures of the map to the GPU at once. A frame then uploads four bytes
    for each visible tile, and the tiles that were set since the frame before: a few of them take a
    fraction of a millisecond, however large the layer is.

    Tile layers, tile objects and image layers look as in Tiled, pixel by pixel at zoom 1: tiles of
    any size, offsets, flips and rotations, opacity, tint, parallax. Shapes and texts of object
    layers are not drawn. Of the blend modes, "add", "multiply" and "screen" are drawn; the others
    look like "normal". A layer that adds fades before the sum is clipped, not after.

    Args:
        tile_map: The map, with y up.
        atlas: The texture atlas for the tiles; by default the window's own, which it shares with
            arcade's sprites and `SpriteBatch`.

    Attributes:
        tile_map: The map.

    Raises:
        ValueError: The map was loaded with `y_up=False`.
        MapError: The pictures of the tiles do not fit into the atlas; or an image cannot be read,
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

    def __init__(self, tile_map: TileMap, atlas: TextureAtlasBase | None = None) -> None:
        if not tile_map.axes.y_up:
            raise ValueError("tile_map must be loaded with y_up=True: y points up in arcade")
        context = arcade.get_window().ctx
        self.tile_map = tile_map
        self._atlas = atlas or context.default_atlas
        self._quads = TileQuads(context)
        slots = TileSlots(tile_map, self._atlas)
        self._tiles: dict[Layer, LayerTiles] = {}
        self._images: dict[Layer, ImageQuad] = {}
        for layer in tile_map.layers:
            if not isinstance(layer, ImageLayer):
                self._tiles[layer] = LayerTiles(context, tile_map, layer, slots)
            elif layer.picture and (pixels := slots.pictures.pixels(layer.picture)):
                self._images[layer] = ImageQuad(context, layer, pixels)

    def draw(self, view: Sequence[float]) -> int:
        """Draw the visible layers in order. The camera must be in use.

        Args:
            view: What the camera sees: `visible_bounds(camera)`.

        Returns:
            The number of tiles, objects and images drawn.
        """
        drawn = 0
        for layer, ids in self.tile_map.cull(view):
            self.draw_layer(layer, ids, view)
            drawn += len(ids)
        return drawn

    def draw_layer(self, layer: Layer, ids: ArrayLike, view: Sequence[float]) -> None:
        """Draw tiles of one layer, so that a game can draw its units between two layers.

        Args:
            layer: A layer of this map, visible or not.
            ids: The tiles in draw order, as `tile_map.cull` gives them.
            view: What the camera sees; parallax depends on it.

        Raises:
            KeyError: The layer belongs to another map.

        Example:
            >>> from tilequad.draw.arcade import MapView, SpriteBatch
            >>> def show(map_view: MapView, view, units: SpriteBatch, positions) -> None:
            ...     for layer, ids in map_view.tile_map.cull(view):
            ...         map_view.draw_layer(layer, ids, view)
            ...         if layer.name == "ground":
            ...             units.draw(positions)
        """
        seen = Bounds.of(view, "view")
        red, green, blue, alpha = (channel / 255 for channel in layer.tint or (255,) * 4)
        tint = red, green, blue, alpha * layer.opacity
        shift = self.tile_map.parallax_shift(layer, seen)
        if layer in self._images:
            self._images[layer].draw(seen, shift, tint)
        elif not isinstance(layer, ImageLayer):  # an image layer without a picture shows nothing
            self._quads.draw(self._atlas, self._tiles[layer], ids, shift, tint, layer.mode)

    def set_time(self, time: float) -> None:
        """Set the time that animated tiles show; at first it is 0.

        Costs a microsecond for each kind of animated tile, however many tiles the map has.

        Args:
            time: Milliseconds since the map was opened.
        """
        for tiles in self._tiles.values():
            tiles.set_time(time)
