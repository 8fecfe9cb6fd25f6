"""Show a Tiled map in a window: drag to pan, scroll to zoom. Needs `tilequad[arcade]`."""

import sys
from pathlib import Path

import arcade

from tilequad import load_map
from tilequad.draw.arcade import MapView, pan, visible_bounds, zoom_at

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"


class Window(arcade.Window):
    """A window that shows one map."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(1280, 720, "A map", resizable=True)
        tile_map = load_map(path)
        self.map_view = MapView(tile_map)
        self.camera = arcade.Camera2D(position=tile_map.bounds.center)

    def on_draw(self) -> None:
        """Draw the part of the map that the camera sees."""
        self.clear()
        with self.camera.activate():
            self.map_view.draw(visible_bounds(self.camera))

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Pan: the map follows the mouse."""
        pan(self.camera, dx, dy)

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Zoom at the mouse."""
        zoom_at(self.camera, x, y, 1.2**scroll_y)


if __name__ == "__main__":
    Window(sys.argv[1] if len(sys.argv) > 1 else MAP).run()
