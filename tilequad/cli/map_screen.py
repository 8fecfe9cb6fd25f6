"""The map viewer that `tilequad view` shows in its window."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from time import perf_counter

import arcade
import numpy as np

from tilequad.bounds import Bounds
from tilequad.cli.panels import FiguresPanel, InspectionPanel, KeysPanel, LayersPanel
from tilequad.cli.view_inspection import LineDrawing, grid_lines, inspect
from tilequad.draw.arcade import MapView, TreeOverlay, pan, visible_bounds, zoom_at
from tilequad.draw.arguments import Objects
from tilequad.tiled import Layer, MapError, ObjectLayer, TileLayer, TileMap, load_map

__all__ = ["MapScreen"]


# The direction in which each arrow key moves the camera.
ARROWS = {
    arcade.key.LEFT: (-1, 0),
    arcade.key.RIGHT: (1, 0),
    arcade.key.DOWN: (0, -1),
    arcade.key.UP: (0, 1),
}
PAN_SPEED = 800  # screen pixels per second
ZOOM_STEP = 1.25  # zoom factor for each notch of the wheel
ZOOM_RANGE = (1 / 64, 32)
# The attribute that each key turns on and off.
SWITCHES = {
    arcade.key.Q: "show_trees",
    arcade.key.G: "show_grid",
    arcade.key.L: "show_layers",
    arcade.key.I: "show_inspection",
    arcade.key.A: "animated",
    arcade.key.P: "with_parallax",
    arcade.key.F1: "show_keys",
}
NEXT_OBJECTS: dict[Objects, Objects] = {"all": "art", "art": "all", "none": "all"}
CHECK_INTERVAL = 0.5  # seconds between checks of the files
GRID_FROM = 6.0  # pixels; the grid of smaller cells would only be gray

BACKGROUND = (40, 42, 46, 255)
GRID_COLOR = (255, 255, 255, 60)
OUTLINE_COLOR = (255, 255, 255, 220)
COLLISION_COLOR = (255, 80, 60, 255)
# One color for the tree of each layer, in turn.
TREE_COLORS = ((255, 220, 60, 170), (90, 200, 255, 170), (255, 120, 200, 170), (150, 255, 120, 170))
LIT = (255, 90, 40, 255)


class MapScreen(arcade.View):
    """Shows a map; mouse and keys move and zoom it, and show its trees.

    Attributes:
        tile_map: The map, which follows its file; replaced when its size or its cells change.
        camera: The camera.

    Example:
        >>> import arcade
        >>> from tilequad import load_map
        >>> from tilequad.cli.map_screen import MapScreen
        >>> def view(path: str) -> None:
        ...     window = arcade.Window(1280, 720, path, resizable=True)
        ...     window.run(MapScreen(load_map(path)))
    """

    def __init__(self, tile_map: TileMap, *, objects: Objects = "all") -> None:
        super().__init__()
        self.camera = arcade.Camera2D()
        # What SWITCHES turn on and off
        self.show_trees = False
        self.show_grid = False
        self.show_layers = False
        self.show_inspection = True
        self.show_keys = False
        self.animated = True
        self.with_parallax = True
        self._overlay = TreeOverlay()
        self._lines = LineDrawing()
        self._pressed: set[int] = set()
        self._seconds = 0.0
        self._unchecked = 0.0  # seconds since the last check of the files
        self._mouse: tuple[float, float] | None = None
        self._figures = FiguresPanel()
        self._keys = KeysPanel()
        self._layers = LayersPanel()
        self._inspection = InspectionPanel()
        self._objects = objects
        self._show(tile_map)
        self.camera.position = tile_map.bounds.center
        self.camera.zoom = max(1, self._zoom_to_fit() // 1)

    @property
    def figures(self) -> str:
        """The line of figures at the lower edge."""
        return self._figures.text

    @property
    def inspected(self) -> str:
        """The text of the panel about the tile or object under the mouse."""
        return self._inspection.text if self._mouse and self.show_inspection else ""

    def _show(self, tile_map: TileMap) -> None:
        """Show a map where the camera is."""
        map_view = MapView(tile_map, objects=self._objects)  # may fail; then the previous map stays
        self.tile_map = tile_map
        self._map_view = map_view
        self._follow_map()

    def _follow_map(self) -> None:
        """Follow a map that was read."""
        self.background_color = self.tile_map.background_color or BACKGROUND
        self._nodes: dict[Layer, np.ndarray] = {}  # map and trees never change here
        self._parallax = {layer: layer.parallax for layer in self.tile_map.layers}
        self._set_parallax(self.with_parallax)

    # -- drawing --

    def on_draw(self) -> None:
        """Draw the visible part of the map, and the panels over it."""
        view = visible_bounds(self.camera)
        started = perf_counter()
        drawn = sum(count(layer, view, self.tile_map) for layer in self._visible())
        cull_time = perf_counter() - started
        self.clear()
        with self.camera.activate():
            self._draw_map(view)
            if self.show_grid:
                self._draw_grid(view)
            if self.show_trees:
                self._draw_trees(view)
            found = self._inspect(view)
        visible = sum(len(layer) for layer in self._visible())
        self._figures.count_frame(drawn, visible, cull_time, self.camera.zoom)
        self._figures.draw(self.window.width)
        if found:
            self._inspection.draw(found, self.window.width, self.window.height)
        if self.show_layers:
            self._layers.draw(self.tile_map.layers, self.window.height)
        if self.show_keys:
            self._keys.draw()

    def _draw_map(self, view: Bounds) -> None:
        try:
            for layer in self._visible():
                self._map_view.draw(view, [layer])
        except MapError as problem:  # an image of a map that was read again
            self._figures.say(f"cannot draw the map: {problem}")

    def _visible(self) -> list[Layer]:
        return [layer for layer in self.tile_map.layers if layer.visible]

    def _draw_grid(self, view: Bounds) -> None:
        if min(self.tile_map.tile_size) * self.camera.zoom < GRID_FROM:
            return
        for layer in self._visible():
            if isinstance(layer, TileLayer):
                shift = self.tile_map.parallax_shift(layer, view)
                seen = view.shifted(-shift[0], -shift[1])
                self._lines.draw(grid_lines(self.tile_map, layer, seen), shift, GRID_COLOR)
                return  # layers share the grid

    def _draw_trees(self, view: Bounds) -> None:
        for number, layer in enumerate(self.tile_map.layers):
            if layer.visible and isinstance(layer, TileLayer | ObjectLayer):
                if layer not in self._nodes:
                    self._nodes[layer] = layer.nodes()
                color = TREE_COLORS[number % len(TREE_COLORS)]
                self._overlay.draw(self._nodes[layer], color, asked=self._asked(view), lit=LIT)

    def _asked(self, view: Bounds) -> tuple[float, float, float, float]:
        """Return the box of the query whose nodes are shown: around the mouse, or in the view."""
        x, y = self.camera.unproject(self._mouse)[:2] if self._mouse else view.center
        width, height = view.width / 8, view.height / 8
        return x - width, y - height, x + width, y + height

    def _inspect(self, view: Bounds) -> str:
        """Outline what is under the mouse, and return its description."""
        if self._mouse is None or not self.show_inspection:
            return ""
        x, y = self.camera.unproject(self._mouse)[:2]
        found = inspect(self.tile_map, view, x, y)
        if found is None:
            return ""
        self._lines.draw(found.outline, found.shift, OUTLINE_COLOR)
        self._lines.draw(found.collisions, found.shift, COLLISION_COLOR)
        return found.text

    # -- events --

    def on_update(self, delta_time: float) -> None:
        """Advance the animated tiles; move while arrow keys are held; follow the file."""
        if self.animated:
            self._seconds += delta_time
        self._map_view.set_time(self._seconds * 1000)
        step = PAN_SPEED * delta_time
        for key in self._pressed & ARROWS.keys():
            pan(self.camera, -ARROWS[key][0] * step, -ARROWS[key][1] * step)
        self._unchecked += delta_time
        if self._unchecked >= CHECK_INTERVAL:
            self._unchecked = 0.0
            self._follow_files()

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        """Look at what is under the mouse."""
        self._mouse = x, y

    def on_mouse_leave(self, x: int, y: int) -> None:
        """Look at nothing."""
        self._mouse = None

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Show or hide the layer whose line was clicked."""
        layer = self._layers.layer_at(x, y) if self.show_layers else None
        if layer is not None:
            layer.visible = not layer.visible

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Drag the map."""
        self._mouse = x, y
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
        elif symbol in SWITCHES:
            name = SWITCHES[symbol]
            setattr(self, name, not getattr(self, name))
            self._set_parallax(self.with_parallax)
        elif symbol == key.O:
            self._map_view.objects = self._objects = NEXT_OBJECTS[self._objects]
        elif symbol == key.R:
            self._read_again()
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

    def _set_parallax(self, own: bool) -> None:
        """Give the layers their own parallax, as in the file, or none."""
        for layer, factor in self._parallax.items():
            layer.parallax = factor if own else (1.0, 1.0)

    def _follow_files(self) -> None:
        """Read the map again if its files have changed."""
        self._set_parallax(True)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            changed = self.tile_map.reload_if_changed()
        if changed:
            self._follow_map()
            self._figures.say("read the map again")
            return
        self._set_parallax(self.with_parallax)
        if told:  # broken, or of another size
            self._load_anew()

    def _read_again(self) -> None:
        """Read the map again."""
        self._set_parallax(True)
        try:
            self.tile_map.reload()
        except MapError:
            self._set_parallax(self.with_parallax)
            self._load_anew()
            return
        self._follow_map()
        self._figures.say("read the map again")

    def _load_anew(self) -> None:
        """Show a map of its own; keep the current one if the file cannot be read."""
        switches = {(layer.id, layer.name): layer.visible for layer in self.tile_map.layers}
        old = self.tile_map
        try:
            tile_map = load_map(old.path, strict=old.strict, root=old.root, limits=old.limits)
            self._show(tile_map)
        except MapError as problem:
            self._figures.say(f"cannot read the map again: {problem}")
            return
        for layer in tile_map.layers:
            layer.visible = switches.get((layer.id, layer.name), layer.visible)
        self._figures.say("read the map again")

    def _save_screenshot(self) -> None:
        """Save the window to a new PNG file in the current folder; earlier ones are kept."""
        number = 1
        while (path := Path(f"{self.tile_map.path.stem}-{number:03}.png")).exists():
            number += 1
        try:
            arcade.get_image().convert("RGB").save(path)
            print(path, flush=True)
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


def count(layer: Layer, view: Bounds, tile_map: TileMap) -> int:
    """Count the tiles, objects or pictures of a layer in a view."""
    dx, dy = tile_map.parallax_shift(layer, view)
    seen = view.shifted(-dx, -dy)
    return layer.count(seen) if isinstance(layer, TileLayer) else len(layer.query(seen))
