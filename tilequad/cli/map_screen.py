"""The map viewer: what `tilequad view` shows in its window."""

from __future__ import annotations

import sys
from itertools import pairwise
from time import perf_counter

import arcade
import numpy as np
from arcade.texture_atlas import DefaultTextureAtlas

from tilequad.bounds import Bounds
from tilequad.cli.panels import FiguresPanel, KeysPanel
from tilequad.cli.screenshot import save_screenshot
from tilequad.draw.arcade import MapView, TreeOverlay, pan, visible_bounds, zoom_at
from tilequad.tiled import ImageLayer, Layer, MapObject, ObjectLayer, TileMap

__all__ = ["MapScreen"]

# The direction in which each arrow key moves the camera.
ARROWS = {
    arcade.key.LEFT: (-1, 0),
    arcade.key.RIGHT: (1, 0),
    arcade.key.DOWN: (0, -1),
    arcade.key.UP: (0, 1),
}
PAN_SPEED = 800  # screen pixels per second
ZOOM_STEP = 1.25  # for each notch of the wheel
ZOOM_RANGE = (1 / 64, 32)

BACKGROUND = (40, 42, 46, 255)
OUTLINE_COLOR = (255, 255, 255, 200)
# One colour for the tree of each layer, in turn.
TREE_COLORS = ((255, 220, 60, 170), (90, 200, 255, 170), (255, 120, 200, 170), (150, 255, 120, 170))

Lines = list[tuple[float, float]]  # two points for each line


class MapScreen(arcade.View):
    """Shows a map; mouse and keys move and zoom it, and show its trees.

    Args:
        tile_map: The map, with y up.
        window: The window to show it in; by default the open one.

    Attributes:
        camera: The camera.
        show_outlines: Whether to draw the outlines of objects.
        show_trees: Whether to draw the nodes of the layers' trees.
        show_keys: Whether to draw the list of keys.

    Example:
        >>> import arcade
        >>> from tilequad import load_map
        >>> from tilequad.cli.map_screen import MapScreen
        >>> def view(path: str) -> None:
        ...     window = arcade.Window(1280, 720, path, resizable=True)
        ...     window.run(MapScreen(load_map(path)))
    """

    def __init__(self, tile_map: TileMap, window: arcade.Window | None = None) -> None:
        super().__init__(window, background_color=tile_map.background_color or BACKGROUND)
        self.tile_map = tile_map
        self.camera = arcade.Camera2D(position=tile_map.bounds.center)
        self.camera.zoom = max(1, self._zoom_to_fit() // 1)
        self.show_outlines = True
        self.show_trees = False
        self.show_keys = False
        self._map_view = MapView(tile_map, large_atlas(tile_map))
        self._overlay = TreeOverlay()
        self._outlines = {
            layer: [outline(item) for item in layer.objects]
            for layer in tile_map.layers
            if isinstance(layer, ObjectLayer)
        }
        self._nodes: dict[Layer, np.ndarray] = {}  # the map never changes here, nor do its trees
        self._pressed: set[int] = set()
        self._seconds = 0.0
        self._figures = FiguresPanel()
        self._keys = KeysPanel()

    @property
    def figures(self) -> str:
        """The line of figures at the lower edge."""
        return self._figures.text

    # -- drawing --

    def on_draw(self) -> None:
        """Draw the visible part of the map, and the panels over it."""
        started = perf_counter()
        view = visible_bounds(self.camera)
        culled = list(self.tile_map.cull(view))
        cull_time = perf_counter() - started
        self.clear()
        with self.camera.activate():
            for layer, ids in culled:
                self._map_view.draw_layer(layer, ids, view)
                if self.show_outlines and isinstance(layer, ObjectLayer):
                    self._draw_outlines(layer, ids, view)
            if self.show_trees:
                self._draw_trees()
        drawn = sum(len(ids) for _, ids in culled)
        visible = sum(len(layer) for layer in self.tile_map.layers if layer.visible)
        self._figures.count_frame(drawn, visible, cull_time, self.camera.zoom)
        self._figures.draw(self.window.width)
        if self.show_keys:
            self._keys.draw()

    def _draw_outlines(self, layer: ObjectLayer, ids: np.ndarray, view: Bounds) -> None:
        dx, dy = self.tile_map.parallax_shift(layer, view)
        lines = self._outlines[layer]
        points = [(x + dx, y + dy) for number in ids.tolist() for x, y in lines[number]]
        arcade.draw_lines(points, layer.color or OUTLINE_COLOR, 2 / self.camera.zoom)

    def _draw_trees(self) -> None:
        for number, layer in enumerate(self.tile_map.layers):
            if layer.visible and not isinstance(layer, ImageLayer):
                if layer not in self._nodes:
                    self._nodes[layer] = layer.nodes()
                self._overlay.draw(self._nodes[layer], TREE_COLORS[number % len(TREE_COLORS)])

    # -- events --

    def on_update(self, delta_time: float) -> None:
        """Advance the animated tiles; move while arrow keys are held."""
        self._seconds += delta_time
        self._map_view.set_time(self._seconds * 1000)
        step = PAN_SPEED * delta_time
        for key in self._pressed & ARROWS.keys():
            pan(self.camera, -ARROWS[key][0] * step, -ARROWS[key][1] * step)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Drag the map."""
        pan(self.camera, dx, dy)

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Zoom around the mouse."""
        self._zoom(x, y, ZOOM_STEP**scroll_y)

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Handle the keys that the keys panel lists."""
        key, center = arcade.key, (self.window.width / 2, self.window.height / 2)
        self._pressed.add(symbol)
        if symbol in (key.PLUS, key.EQUAL, key.NUM_ADD):
            self._zoom(*center, ZOOM_STEP)
        elif symbol in (key.MINUS, key.NUM_SUBTRACT):
            self._zoom(*center, 1 / ZOOM_STEP)
        elif symbol == key.HOME:
            self.camera.position = self.tile_map.bounds.center
            self.camera.zoom = self._zoom_to_fit()
        elif key.KEY_1 <= symbol <= key.KEY_9:
            for layer in self.tile_map.layers[symbol - key.KEY_1 :][:1]:
                layer.visible = not layer.visible
        elif symbol == key.O:
            self.show_outlines = not self.show_outlines
        elif symbol == key.Q:
            self.show_trees = not self.show_trees
        elif symbol == key.F1:
            self.show_keys = not self.show_keys
        elif symbol == key.F12:
            self._save_screenshot()
        elif symbol == key.ESCAPE:
            self.window.close()

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Stop moving."""
        self._pressed.discard(symbol)

    def on_resize(self, width: int, height: int) -> None:
        """Show more of the map in a larger window."""
        self.camera.match_window()

    def _save_screenshot(self) -> None:
        try:
            print(save_screenshot(self.tile_map.path.stem), flush=True)
        except OSError as problem:  # the viewer goes on
            print(f"tilequad: cannot save a picture: {problem}", file=sys.stderr)

    def _zoom(self, x: float, y: float, factor: float) -> None:
        low, high = ZOOM_RANGE
        zoom = min(max(self.camera.zoom * factor, low), high)
        zoom_at(self.camera, x, y, zoom / self.camera.zoom)

    def _zoom_to_fit(self) -> float:
        """The zoom at which the whole map fits into the window."""
        bounds, (low, high) = self.tile_map.bounds, ZOOM_RANGE
        across = self.window.width / max(bounds.width, 1)
        along = self.window.height / max(bounds.height, 1)
        return float(min(max(min(across, along), low), high))


def large_atlas(tile_map: TileMap) -> DefaultTextureAtlas:
    """A texture atlas with a slot for every tile of a map; the window's own has only 8192."""
    tiles = sum(tileset.tile_count for tileset in tile_map.tilesets)
    # The capacity counts rows of 4096 slots.
    return DefaultTextureAtlas((1024, 1024), capacity=2 + tiles // 4096)


def outline(item: MapObject) -> Lines:
    """The lines around an object: a cross for a point, none for a tile object or a hidden one."""
    if item.gid or not item.visible:
        return []
    if item.shape == "point":
        x, y = item.x, item.y
        return [(x - 6, y), (x + 6, y), (x, y - 6), (x, y + 6)]
    corners = [(x, y) for x, y in item.points.tolist()]
    if item.shape != "polyline":
        corners.append(corners[0])
    return [corner for line in pairwise(corners) for corner in line]
