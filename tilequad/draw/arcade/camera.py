"""What a camera sees; pan and zoom with the mouse."""

from __future__ import annotations

from math import cos, radians, sin

from arcade import Camera2D

from tilequad._core.checks import checked_positive
from tilequad._core.shown import shown
from tilequad.bounds import Bounds

__all__ = ["pan", "visible_bounds", "zoom_at"]


def visible_bounds(camera: Camera2D) -> Bounds:
    """Return the smallest world box around everything the camera sees.

    That is the box around the four corners of the view. A rotated camera sees a rotated rectangle,
    so its box is larger than the screen.
    (`Camera2D.aabb` of arcade 3.3 leaves zoom and position out.)

    Args:
        camera: Any `arcade.Camera2D`.

    Returns:
        Bounds in world units, for `tile_map.cull`, `layer.query` or `units.query`.

    Raises:
        TypeError: `camera` is not a `Camera2D`.

    Example:
        >>> from arcade import Camera2D
        >>> from tilequad.draw.arcade import visible_bounds
        >>> def width(camera: Camera2D) -> float:
        ...     return visible_bounds(camera).width  # 640 in a window of 1280 pixels at zoom 2
    """
    checked_camera(camera)
    corners = (camera.bottom_left, camera.bottom_right, camera.top_left, camera.top_right)
    xs = [corner.x for corner in corners]
    ys = [corner.y for corner in corners]
    return Bounds(min(xs), min(ys), max(xs), max(ys))


def pan(camera: Camera2D, dx: float, dy: float) -> None:
    """Drag the world under the camera.

    Args:
        camera: The camera to move. Zoom and rotation are taken into account.
        dx: Screen pixels to the right, as `on_mouse_drag` gives them.
        dy: Screen pixels up.

    Raises:
        TypeError: `camera` is not a `Camera2D`.
    """
    angle = radians(checked_camera(camera).angle)
    x, y = camera.position
    camera.position = (
        x - (dx * cos(angle) + dy * sin(angle)) / camera.zoom,
        y - (dy * cos(angle) - dx * sin(angle)) / camera.zoom,
    )


def zoom_at(camera: Camera2D, x: float, y: float, factor: float) -> None:
    """Zoom in or out around a point of the screen.

    Args:
        camera: The camera to zoom.
        x: The fixed point, in screen pixels from the left.
        y: The fixed point, in screen pixels from the bottom.
        factor: Above 1 to zoom in, below 1 to zoom out.

    Raises:
        TypeError: `camera` is not a `Camera2D`.
        ValueError: `factor` is not finite and above 0.
    """
    factor = checked_positive(factor, "factor")
    before = checked_camera(camera).unproject((x, y))
    camera.zoom *= factor
    after = camera.unproject((x, y))
    camera.position = (
        camera.position.x + before.x - after.x,
        camera.position.y + before.y - after.y,
    )


def checked_camera(camera: Camera2D) -> Camera2D:
    """Return the camera; raise TypeError if it is something else."""
    if not isinstance(camera, Camera2D):
        raise TypeError(f"camera must be an arcade.Camera2D, got {shown(camera)}")
    return camera
