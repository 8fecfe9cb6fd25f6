"""What a camera sees, and how a hand moves it."""

from __future__ import annotations

from math import cos, radians, sin

from arcade import Camera2D

from tilequad.bounds import Bounds

__all__ = ["pan", "visible_bounds", "zoom_at"]


def visible_bounds(camera: Camera2D) -> Bounds:
    """The smallest box in the world that holds everything the camera sees.

    It follows position, zoom and rotation: the box around the four corners of the view. A turned
    camera sees a turned rectangle, so its box is larger than what is on the screen.
    (`Camera2D.aabb` of arcade 3.3 leaves zoom and position out.)

    Args:
        camera: Any `arcade.Camera2D`.

    Returns:
        Bounds in world units, ready for `world.cull`, `layer.query` or `units.query`.

    Example:
        >>> from arcade import Camera2D
        >>> from tilequad.draw.arcade import visible_bounds
        >>> def width(camera: Camera2D) -> float:
        ...     return visible_bounds(camera).width  # 640 in a window of 1280 pixels at zoom 2
    """
    corners = (camera.bottom_left, camera.bottom_right, camera.top_left, camera.top_right)
    xs = [corner.x for corner in corners]
    ys = [corner.y for corner in corners]
    return Bounds(min(xs), min(ys), max(xs), max(ys))


def pan(camera: Camera2D, dx: float, dy: float) -> None:
    """Drag the world under the camera by screen pixels, as a hand drags a paper map.

    Args:
        camera: The camera to move; its zoom and rotation are respected.
        dx: How far the hand moved to the right, in screen pixels.
        dy: How far it moved up, in screen pixels. `on_mouse_drag` gives both as they are.
    """
    angle = radians(camera.angle)
    x, y = camera.position
    camera.position = (
        x - (dx * cos(angle) + dy * sin(angle)) / camera.zoom,
        y - (dy * cos(angle) - dx * sin(angle)) / camera.zoom,
    )


def zoom_at(camera: Camera2D, x: float, y: float, factor: float) -> None:
    """Zoom so that the world point under a screen position stays where it is.

    Args:
        camera: The camera to zoom.
        x: The fixed point, in screen pixels from the left: where the mouse is.
        y: The fixed point, in screen pixels from the bottom.
        factor: How much larger things become; below 1 they become smaller.

    Raises:
        ValueError: The factor is not above 0.
    """
    if not factor > 0:
        raise ValueError(f"factor must be above 0, got {factor!r}")
    before = camera.unproject((x, y))
    camera.zoom *= factor
    after = camera.unproject((x, y))
    camera.position = (
        camera.position.x + before.x - after.x,
        camera.position.y + before.y - after.y,
    )
