"""A camera: its view of the world, and the screen position of a world point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilequad._core.checks import checked_point, checked_positive
from tilequad._core.shown import shown
from tilequad.bounds import Bounds

__all__ = ["Camera"]


class Camera:
    """Where a screen lies in the world, y down on both.

    pygame has no camera. In arcade, which has one, `visible_bounds`, `pan` and `zoom_at` are
    functions that take it.

    Args:
        size: Width and height of the screen in pixels.
        position: The point of the world in the middle of the screen.
        zoom: Pixels of the screen for each world unit.

    Attributes:
        size: Width and height of the screen; set it when the window is resized.
        position: The point in the middle; set it to move.
        zoom: Above 1 to see less, larger.

    Raises:
        TypeError: `zoom` is not a number, here or when it is set.
        ValueError: `zoom` is not finite and above 0, `size` is not two numbers above 0, or
            `position` not two finite ones, here or when they are set.

    Example:
        >>> from tilequad.draw.pygame import Camera
        >>> camera = Camera((640, 360), position=(1000, 500), zoom=2)
        >>> camera.visible_bounds
        Bounds(min_x=840.0, min_y=410.0, max_x=1160.0, max_y=590.0)
        >>> camera.to_world(0, 0), camera.to_screen(1000, 500)
        ((840.0, 410.0), (320.0, 180.0))
        >>> camera.keep_within((0, 0, 1024, 1024))  # the bounds of a map
        >>> camera.visible_bounds
        Bounds(min_x=704.0, min_y=410.0, max_x=1024.0, max_y=590.0)
    """

    def __init__(
        self,
        size: tuple[int, int],
        position: tuple[float, float] = (0.0, 0.0),
        zoom: float = 1.0,
    ) -> None:
        self.size = size
        self.position = position
        self.zoom = zoom

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "zoom":
            value = checked_positive(value, name)
        elif name == "position":
            value = checked_point(value, name)
        elif name == "size" and min(checked_point(value, name)) <= 0:
            raise ValueError(f"size must be above 0 along both sides, got {shown(value)}")
        super().__setattr__(name, value)

    @property
    def visible_bounds(self) -> Bounds:
        """What it sees, for `MapView.draw`, `tile_map.cull`, `layer.query` or `units.query`."""
        return Bounds(*self.to_world(0, 0), *self.to_world(*self.size))

    def to_world(self, x: float, y: float) -> tuple[float, float]:
        """Return the point of the world at a pixel of the screen, such as under the mouse."""
        (width, height), (center_x, center_y) = self.size, self.position
        return center_x + (x - width / 2) / self.zoom, center_y + (y - height / 2) / self.zoom

    def to_screen(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of the screen at a point of the world."""
        (width, height), (center_x, center_y) = self.size, self.position
        return width / 2 + (x - center_x) * self.zoom, height / 2 + (y - center_y) * self.zoom

    def pan(self, dx: float, dy: float) -> None:
        """Drag the world under the camera.

        Args:
            dx: Pixels of the screen to the right, as `event.rel` of MOUSEMOTION gives them.
            dy: Pixels down.
        """
        x, y = self.position
        self.position = x - dx / self.zoom, y - dy / self.zoom

    def keep_within(self, bounds: Sequence[float]) -> None:
        """Move back until the camera sees nothing beyond a part of the world.

        Along an axis on which it sees more than that, the part is in the middle of the screen.

        Args:
            bounds: The part, such as `tile_map.bounds`: min_x, min_y, max_x, max_y, in world units.

        Raises:
            ValueError: `bounds` is not a box.
        """
        land, seen, (x, y) = Bounds.of(bounds), self.visible_bounds, self.position
        half_x, half_y = min(seen.width, land.width) / 2, min(seen.height, land.height) / 2
        self.position = (
            min(max(x, land.min_x + half_x), land.max_x - half_x),
            min(max(y, land.min_y + half_y), land.max_y - half_y),
        )

    def zoom_at(self, x: float, y: float, factor: float) -> None:
        """Zoom in or out around a point of the screen.

        Args:
            x: The fixed point, in pixels of the screen.
            y: The fixed point.
            factor: Above 1 to zoom in, below 1 to zoom out.

        Raises:
            ValueError: `factor` is not finite and above 0.
        """
        factor = checked_positive(factor, "factor")
        before_x, before_y = self.to_world(x, y)
        self.zoom *= factor
        after_x, after_y = self.to_world(x, y)
        center_x, center_y = self.position
        self.position = center_x + before_x - after_x, center_y + before_y - after_y
