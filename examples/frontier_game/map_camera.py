"""The camera over the land: it pans and zooms, and never leaves the map."""

from __future__ import annotations

import arcade

from tilequad import Bounds
from tilequad.draw.arcade import pan, visible_bounds, zoom_at

CLOSEST = 4.0  # greatest zoom


class MapCamera:
    """A camera that stays on the map.

    Args:
        land: The map's box, in world units.
        place: Where it looks at the start.
    """

    def __init__(self, land: Bounds, place: tuple[float, float]) -> None:
        self.land = land
        self.camera = arcade.Camera2D(position=place)
        self.keep()

    @property
    def view(self) -> Bounds:
        """What it sees."""
        return visible_bounds(self.camera)

    def drag(self, dx: float, dy: float) -> None:
        """Drag the land with the mouse, in screen pixels."""
        pan(self.camera, dx, dy)
        self.keep()

    def zoom(self, x: float, y: float, factor: float) -> None:
        """Zoom at a point of the screen."""
        zoom = self.camera.zoom
        zoom_at(self.camera, x, y, min(max(zoom * factor, self.farthest), CLOSEST) / zoom)
        self.keep()

    def look_at(self, x: float, y: float) -> None:
        """Look at a place of the land."""
        self.camera.position = x, y
        self.keep()

    def world(self, x: float, y: float) -> tuple[float, float]:
        """Return the place of the land below a point of the screen."""
        place = self.camera.unproject((x, y))
        return place.x, place.y

    @property
    def farthest(self) -> float:
        """The zoom at which the map just fills the window."""
        width, height = self.camera.viewport_width, self.camera.viewport_height
        return max(width / self.land.width, height / self.land.height)

    def keep(self) -> None:
        """Move back onto the map what would look beyond its edges."""
        self.camera.zoom = min(max(self.camera.zoom, self.farthest), CLOSEST)
        half_x = self.camera.viewport_width / self.camera.zoom / 2
        half_y = self.camera.viewport_height / self.camera.zoom / 2
        land, (x, y) = self.land, self.camera.position
        self.camera.position = (
            min(max(x, land.min_x + half_x), land.max_x - half_x),
            min(max(y, land.min_y + half_y), land.max_y - half_y),
        )
