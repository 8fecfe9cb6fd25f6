"""The whole map in a corner of the screen, with dots for units and a frame for the view."""

from __future__ import annotations

from collections.abc import Sequence

import arcade
import numpy as np
from arcade.gl import Framebuffer
from numpy.typing import ArrayLike, NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arcade.blending import blending
from tilequad.draw.arcade.map_view import MapView
from tilequad.draw.arcade.shaders import VERTEX_HEADER
from tilequad.draw.arcade.unit_marks import DOT, FRAME, UnitMarks
from tilequad.tiled import TileLayer

__all__ = ["Minimap"]

VERTEX = (
    VERTEX_HEADER
    + """
uniform vec4 area;
out vec2 v_uv;

void main() {
    v_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = to_screen(mix(area.xy, area.zw, v_uv), 0.0);
}
"""
)

FRAGMENT = """#version 330
uniform sampler2D picture;
in vec2 v_uv;
out vec4 f_color;

void main() {
    f_color = vec4(texture(picture, v_uv).rgb, 1.0);
}
"""


class Minimap:
    """A small picture of a map, which follows the changes of its tiles.

    The picture is painted when it is first drawn, and again after the map has changed: a fraction
    of a millisecond on a GPU.

    Args:
        map_view: Draws the map.
        size: The longer side, in pixels.
        background: Red, green, blue where the map is empty, 0 to 255.

    Attributes:
        width: Of the picture, in pixels.
        height: Of the picture, in pixels.

    Raises:
        ValueError: `size` is below 1.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import Minimap, visible_bounds
        >>> def show(minimap: Minimap, camera: arcade.Camera2D, positions) -> None:
        ...     view = visible_bounds(camera)
        ...     # in window pixels, with the window's own camera in use
        ...     minimap.draw(10, 10, view, positions, colors=(255, 80, 60, 255))
    """

    def __init__(
        self,
        map_view: MapView,
        size: int = 192,
        background: tuple[int, int, int] = (24, 26, 30),
    ) -> None:
        if size < 1:
            raise ValueError(f"size must be 1 or more, got {size!r}")
        self._context = arcade.get_window().ctx
        self._map_view = map_view
        self._background = (*background, 255)
        tile_map = map_view.tile_map
        self._bounds = tile_map.bounds
        longest = max(self._bounds.width, self._bounds.height, 1.0)
        self.width = max(round(self._bounds.width * size / longest), 1)
        self.height = max(round(self._bounds.height * size / longest), 1)
        self._changed = True
        self._visible: list[tuple[bool, float]] = []
        self._target: Framebuffer | None = None
        self._marks = UnitMarks(self._context)
        self._program = self._context.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
        self._geometry = self._context.geometry(mode=self._context.TRIANGLE_STRIP)
        for layer in tile_map.layers:
            if isinstance(layer, TileLayer):
                layer.observe(self)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember to paint the picture again."""
        self._changed = True

    def draw(
        self,
        left: float,
        bottom: float,
        view: Sequence[float] | None = None,
        positions: ArrayLike = (),
        *,
        colors: ArrayLike = (255, 255, 255, 255),
        dot: float = 3.0,
        frame: tuple[int, int, int, int] = (255, 246, 214, 255),
    ) -> None:
        """Draw the picture, one pixel for each unit of the camera in use: mostly the window's own.

        Args:
            left: Its left edge.
            bottom: Its lower edge.
            view: What the game's camera sees, in world units; None draws no frame.
            positions: (n, 2) of units in the world; a dot for each.
            colors: (n, 4) of the dots, or one for all; 0 to 255.
            dot: The side of a dot.
            frame: The color of the frame around the view.

        Raises:
            ValueError: The view is not a box, or shapes do not fit.
        """
        self._paint()
        assert self._target is not None
        self._program["area"] = left, bottom, left + self.width, bottom + self.height
        self._target.color_attachments[0].use(0)
        with blending(self._context):
            self._geometry.render(self._program, vertices=4)
        points = np.asarray(positions, float).reshape(-1, 2)
        if len(points):
            places = self._project(points) + np.array((left, bottom))
            inside = self._bounds
            held = (
                (points[:, 0] >= inside.min_x)
                & (points[:, 0] <= inside.max_x)
                & (points[:, 1] >= inside.min_y)
                & (points[:, 1] <= inside.max_y)
            )
            shades = np.broadcast_to(np.asarray(colors, np.uint8), (len(points), 4))
            half = dot / 2, dot / 2
            self._marks.draw(DOT, places[held].astype(np.float32), half, shades[held])
        if view is not None:
            self._draw_frame(Bounds.of(view, "view"), left, bottom, frame)

    def world_at(self, x: float, y: float) -> tuple[float, float] | None:
        """Return the world point under a point of the picture; None beside it.

        Args:
            x: Pixels from the picture's left edge, such as a mouse click's.
            y: Pixels from its lower edge.
        """
        if not (0 <= x <= self.width and 0 <= y <= self.height):
            return None
        bounds = self._bounds
        return (
            bounds.min_x + x / self.width * bounds.width,
            bounds.min_y + y / self.height * bounds.height,
        )

    def _draw_frame(
        self, view: Bounds, left: float, bottom: float, color: tuple[int, int, int, int]
    ) -> None:
        corners = np.array([(view.min_x, view.min_y), (view.max_x, view.max_y)])
        within = self._project(corners).clip(0, (self.width, self.height))
        low, high = within + np.array((left, bottom))
        center = ((low + high) / 2).astype(np.float32)
        half = np.maximum((high - low) / 2, 1.0)
        self._marks.draw(FRAME, center[None], half[None], color)

    def _project(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return pixels from the lower left corner of the picture."""
        bounds = self._bounds
        size = max(bounds.width, 1e-9), max(bounds.height, 1e-9)
        shares = (points - (bounds.min_x, bounds.min_y)) / size
        found: NDArray[np.float64] = shares * (self.width, self.height)
        return found

    def _paint(self) -> None:
        visible = [(layer.visible, layer.opacity) for layer in self._map_view.tile_map.layers]
        if not self._changed and visible == self._visible:
            return
        self._changed, self._visible = False, visible
        context = self._context
        if self._target is None:
            texture = context.texture(
                (self.width, self.height), filter=(context.LINEAR, context.LINEAR)
            )
            self._target = context.framebuffer(color_attachments=[texture])
        with self._target.activate():
            self._target.clear(color=self._background)
            if self._bounds.width and self._bounds.height:
                self._map_view.draw_box(self._bounds)
