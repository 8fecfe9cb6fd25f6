"""A Tiled map on the screen: what the camera sees of it, in one draw call a layer."""

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

    All pictures of the map go to the GPU when the view is made; a frame then uploads four bytes
    for each tile in view. Tiles that are set or cleared later are seen in the next frame, which
    uploads those that were set: a few of them take a fraction of a millisecond, however many tiles
    the layer holds. Tiles of any size, tile offsets, flips and turns, opacity, tint and parallax
    of layers, tile objects and image layers are drawn as Tiled draws them, pixel by pixel at zoom
    1. Shapes and texts of object layers are not drawn; of the blend modes "add", "multiply" and
    "screen" are, the others look like "normal".

    Args:
        world: The map, with y up.
        atlas: The texture atlas for the tiles; by default the window's own, which arcade's
            sprites and a `SpriteBatch` use too.

    Raises:
        ValueError: The map was loaded with `y_up=False`.
        MapError: An image cannot be read, and the map was opened with `strict=True`; otherwise
            it becomes one of the map's warnings, and a crossed-out box is drawn, as in Tiled.
            Or the pictures of the tiles are too large for the atlas.

    Example:
        >>> import arcade
        >>> from tilequad import load_map
        >>> from tilequad.draw.arcade import MapView, visible_bounds
        >>> def show(path: str, camera: arcade.Camera2D) -> None:  # with a window open
        ...     map_view = MapView(load_map(path))
        ...     with camera.activate():
        ...         map_view.draw(visible_bounds(camera))
    """

    def __init__(self, world: TileMap, atlas: TextureAtlasBase | None = None) -> None:
        if not world.axes.y_up:
            raise ValueError("world must be loaded with y_up=True: y points up in arcade")
        context = arcade.get_window().ctx
        self.world = world
        self._atlas = atlas or context.default_atlas
        self._quads = TileQuads(context)
        slots = TileSlots(world, self._atlas)
        self._tiles: dict[Layer, LayerTiles] = {}
        self._images: dict[Layer, ImageQuad] = {}
        for layer in world.layers:
            if not isinstance(layer, ImageLayer):
                self._tiles[layer] = LayerTiles(context, world, layer, slots)
            elif layer.picture and (pixels := slots.pictures.pixels(layer.picture)):
                self._images[layer] = ImageQuad(context, layer, pixels)

    def draw(self, view: Sequence[float]) -> int:
        """Draw every visible layer, the lowest first. The camera must be in use.

        Args:
            view: What the camera sees: `visible_bounds(camera)`.

        Returns:
            How many tiles, objects and images were drawn.
        """
        drawn = 0
        for layer, ids in self.world.cull(view):
            self.draw_layer(layer, ids, view)
            drawn += len(ids)
        return drawn

    def draw_layer(self, layer: Layer, ids: ArrayLike, view: Sequence[float]) -> None:
        """Draw some tiles of one layer, so that a game can draw its units between two layers.

        Args:
            layer: A layer of this map, visible or not.
            ids: The tiles in draw order, as `world.cull` gives them.
            view: What the camera sees; parallax moves the layer by it.

        Raises:
            KeyError: The layer belongs to another map.

        Example:
            >>> from tilequad.draw.arcade import MapView, SpriteBatch
            >>> def show(map_view: MapView, view, units: SpriteBatch, positions) -> None:
            ...     for layer, ids in map_view.world.cull(view):
            ...         map_view.draw_layer(layer, ids, view)
            ...         if layer.name == "ground":
            ...             units.draw(positions)
        """
        seen = Bounds.of(view, "view")
        red, green, blue, alpha = (channel / 255 for channel in layer.tint or (255,) * 4)
        tint = red, green, blue, alpha * layer.opacity
        shift = self.world.parallax_shift(layer, seen)
        if layer in self._images:
            self._images[layer].draw(seen, shift, tint)
        elif not isinstance(layer, ImageLayer):  # one without a picture shows nothing
            self._quads.draw(self._atlas, self._tiles[layer], ids, shift, tint, layer.mode)

    def set_time(self, time: float) -> None:
        """Show every animated tile as it looks at a time; before the first call that is 0.

        Costs a microsecond for each kind of animated tile, however many of them the map holds.

        Args:
            time: Milliseconds since the map was opened.
        """
        for tiles in self._tiles.values():
            tiles.set_time(time)
