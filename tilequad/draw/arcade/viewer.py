"""A screen to look around in any map: what `tilequad view` shows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from time import perf_counter

import arcade
import numpy as np
from arcade.texture_atlas import DefaultTextureAtlas

from tilequad.bounds import Bounds
from tilequad.draw.arcade.camera import pan, visible_bounds, zoom_at
from tilequad.draw.arcade.map_view import MapView
from tilequad.draw.arcade.tree_overlay import TreeOverlay
from tilequad.tiled import ImageLayer, Layer, MapObject, ObjectLayer, TileMap

__all__ = ["MapScreen"]

KEYS = """\
drag, arrow keys   move over the map
wheel, + and -     zoom
Home               the whole map
1 to 9             show or hide a layer
O                  outlines of objects
Q                  the trees that cull the layers
F12                save a picture
F1                 these keys
Esc                quit"""

# How the camera moves while a key is held.
ARROWS = {
    arcade.key.LEFT: (-1, 0),
    arcade.key.RIGHT: (1, 0),
    arcade.key.DOWN: (0, -1),
    arcade.key.UP: (0, 1),
}
PAN_SPEED = 800  # pixels of the screen in a second
ZOOM_STEP = 1.25  # for a notch of the wheel
ZOOM_RANGE = (1 / 64, 32)
FIGURES_EVERY = 0.25  # seconds between two lines of figures

FONT = ("DejaVu Sans Mono", "Menlo", "Consolas", "Courier New")
TEXT_COLOR = (235, 240, 235, 255)
PANEL_COLOR = (20, 24, 28, 205)
OUTLINE_COLOR = (255, 255, 255, 200)
# A colour for the tree of each layer, used in turn.
TREE_COLORS = ((255, 220, 60, 170), (90, 200, 255, 170), (255, 120, 200, 170), (150, 255, 120, 170))

Segments = list[tuple[float, float]]  # pairs of points, each pair a line


class MapScreen(arcade.View):
    """Shows a map, moves and zooms with mouse and keys, and lays its trees over it.

    Args:
        world: The map, with y up.
        window: The window to show it in; by default the one that is open.

    Attributes:
        camera: Where one looks.
        show_outlines: Whether the shapes of object layers are drawn.
        show_trees: Whether the nodes of the layers' trees are drawn.
        show_keys: Whether the list of keys is drawn.

    Example:
        >>> import arcade
        >>> from tilequad import load_map
        >>> from tilequad.draw.arcade.viewer import MapScreen
        >>> def view(path: str) -> None:
        ...     window = arcade.Window(1280, 720, path, resizable=True)
        ...     window.show_view(MapScreen(load_map(path)))
        ...     window.run()
    """

    def __init__(self, world: TileMap, window: arcade.Window | None = None) -> None:
        super().__init__(window, background_color=world.background_color or (40, 42, 46, 255))
        self.world = world
        self.camera = arcade.Camera2D(position=world.bounds.center)
        self.camera.zoom = max(1, self._zoom_of_the_whole() // 1)
        self.show_outlines = True
        self.show_trees = False
        self.show_keys = False
        self._map_view = MapView(world, roomy_atlas(world))
        self._overlay = TreeOverlay()
        self._outlines = {
            layer: [outline(item) for item in layer.objects]
            for layer in world.layers
            if isinstance(layer, ObjectLayer)
        }
        self._nodes: dict[Layer, np.ndarray] = {}  # asked for when first shown; they never change
        self._held: set[int] = set()
        self._seconds = 0.0
        self._frames: list[float] = []
        self._line = arcade.Text("", 10, 9, TEXT_COLOR, 11, font_name=FONT)
        self._keys = arcade.Text(
            KEYS,
            24,
            40,
            TEXT_COLOR,
            11,
            font_name=FONT,
            anchor_y="bottom",
            multiline=True,
            width=520,
        )

    @property
    def figures(self) -> str:
        """The line below the map: tiles drawn, time for culling, frames a second, zoom."""
        return self._line.text

    # Drawing.

    def on_draw(self) -> None:
        """Draw what the camera sees, and the panels over it."""
        started = perf_counter()
        view = visible_bounds(self.camera)
        culled = list(self.world.cull(view))
        cull_time = perf_counter() - started
        self.clear()
        with self.camera.activate():
            for layer, ids in culled:
                self._map_view.draw_layer(layer, ids, view)
                if self.show_outlines and isinstance(layer, ObjectLayer):
                    self._draw_outlines(layer, ids, view)
            if self.show_trees:
                self._draw_trees()
        self._draw_panels(sum(len(ids) for _, ids in culled), cull_time)

    def _draw_outlines(self, layer: ObjectLayer, ids: np.ndarray, view: Bounds) -> None:
        dx, dy = self.world.parallax_shift(layer, view)
        lines = self._outlines[layer]
        points = [(x + dx, y + dy) for number in ids.tolist() for x, y in lines[number]]
        arcade.draw_lines(points, layer.color or OUTLINE_COLOR, 2 / self.camera.zoom)

    def _draw_trees(self) -> None:
        for number, layer in enumerate(self.world.layers):
            if layer.visible and not isinstance(layer, ImageLayer):
                if layer not in self._nodes:
                    self._nodes[layer] = layer.nodes()
                self._overlay.draw(self._nodes[layer], TREE_COLORS[number % len(TREE_COLORS)])

    def _draw_panels(self, drawn: int, cull_time: float) -> None:
        self._frames.append(perf_counter())
        passed = self._frames[-1] - self._frames[0]
        if passed > FIGURES_EVERY or not self._line.text:
            rate = f"{(len(self._frames) - 1) / passed:.0f}" if passed else "-"
            shown = sum(len(layer) for layer in self.world.layers if layer.visible)
            self._line.text = (
                f"{drawn:,} of {shown:,} drawn   culled in {cull_time * 1000:.2f} ms   "
                f"{rate} fps   zoom {self.camera.zoom:.2f}   F1 keys"
            )
            self._frames = self._frames[-1:]
        arcade.draw_lbwh_rectangle_filled(0, 0, self.window.width, 30, PANEL_COLOR)
        self._line.draw()
        if self.show_keys:
            arcade.draw_lbwh_rectangle_filled(
                10, 38, 520, self._keys.content_height + 8, PANEL_COLOR
            )
            self._keys.draw()

    # Moving and asking.

    def on_update(self, delta_time: float) -> None:
        """Move with the arrow keys that are held, and show the animated tiles of the moment."""
        self._seconds += delta_time
        self._map_view.set_time(self._seconds * 1000)
        step = PAN_SPEED * delta_time
        for key in self._held & ARROWS.keys():
            pan(self.camera, -ARROWS[key][0] * step, -ARROWS[key][1] * step)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Drag the map under the mouse."""
        pan(self.camera, dx, dy)

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Zoom at the mouse."""
        self._zoom(x, y, ZOOM_STEP**scroll_y)

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Do what `KEYS` says."""
        key, center = arcade.key, (self.window.width / 2, self.window.height / 2)
        self._held.add(symbol)
        if symbol in (key.PLUS, key.EQUAL, key.NUM_ADD):
            self._zoom(*center, ZOOM_STEP)
        elif symbol in (key.MINUS, key.NUM_SUBTRACT):
            self._zoom(*center, 1 / ZOOM_STEP)
        elif symbol == key.HOME:
            self.camera.position = self.world.bounds.center
            self.camera.zoom = self._zoom_of_the_whole()
        elif key.KEY_1 <= symbol <= key.KEY_9:
            for layer in self.world.layers[symbol - key.KEY_1 :][:1]:
                layer.visible = not layer.visible
        elif symbol == key.O:
            self.show_outlines = not self.show_outlines
        elif symbol == key.Q:
            self.show_trees = not self.show_trees
        elif symbol == key.F1:
            self.show_keys = not self.show_keys
        elif symbol == key.F12:
            print(save_picture(self.world.path.stem), flush=True)
        elif symbol == key.ESCAPE:
            self.window.close()

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Stop moving."""
        self._held.discard(symbol)

    def on_resize(self, width: int, height: int) -> None:
        """See more of the map in a larger window."""
        self.camera.match_window()

    def _zoom(self, x: float, y: float, factor: float) -> None:
        low, high = ZOOM_RANGE
        zoom = min(max(self.camera.zoom * factor, low), high)
        zoom_at(self.camera, x, y, zoom / self.camera.zoom)

    def _zoom_of_the_whole(self) -> float:
        bounds, (low, high) = self.world.bounds, ZOOM_RANGE
        across = self.window.width / max(bounds.width, 1)
        along = self.window.height / max(bounds.height, 1)
        return float(min(max(min(across, along), low), high))


def roomy_atlas(world: TileMap) -> DefaultTextureAtlas:
    """A texture atlas with a slot for every tile of a map; the window's own has but 8192."""
    tiles = sum(tileset.tile_count for tileset in world.tilesets)
    # The capacity counts in rows of 4096 slots.
    return DefaultTextureAtlas((1024, 1024), capacity=2 + tiles // 4096)


def outline(item: MapObject) -> Segments:
    """The lines around an object; a cross for a point, nothing for a picture or what is hidden."""
    if item.gid or not item.visible:
        return []
    if item.shape == "point":
        x, y = item.x, item.y
        return [(x - 6, y), (x + 6, y), (x, y - 6), (x, y + 6)]
    corners = [(x, y) for x, y in item.points.tolist()]
    if item.shape != "polyline":
        corners.append(corners[0])
    return [corner for segment in pairwise(corners) for corner in segment]


def save_picture(stem: str) -> Path:
    """Save what is on the screen beside the pictures saved before; returns the new file."""
    number = 1
    while (path := Path(f"{stem}-{number:03}.png")).exists():
        number += 1
    arcade.get_image().convert("RGB").save(path)
    return path
