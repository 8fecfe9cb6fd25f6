"""Show a Tiled map in a window: drag to pan, scroll to zoom. Needs `tilequad[arcade]`."""

import sys
from pathlib import Path

try:
    import arcade

    from tilequad import MapError, load_map
    from tilequad.draw.arcade import MapView, pan, visible_bounds, zoom_at
except ImportError as problem:
    sys.exit(f'map_window: needs OpenGL, and pip install "tilequad[arcade]" ({problem})')
except KeyboardInterrupt:
    sys.exit(130)

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"


class Window(arcade.Window):
    """A window that shows one map."""

    def __init__(self, path: str | Path) -> None:
        tile_map = load_map(path)
        super().__init__(1280, 720, "A map", resizable=True)
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


def main() -> None:
    """Show the map that the command line names."""
    try:
        window = Window(sys.argv[1] if len(sys.argv) > 1 else MAP)
    except MapError as problem:
        sys.exit(f"map_window: {problem}")
    except Exception as problem:  # without a screen, each system raises its own
        sys.exit(f"map_window: cannot open a window: {problem}")
    window.run()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
