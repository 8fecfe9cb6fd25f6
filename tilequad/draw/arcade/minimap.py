"""The whole map in a corner of the screen, with dots for units and a frame for the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from arcade.gl import Texture2D
from numpy.typing import ArrayLike

from tilequad._core.checks import finite_number
from tilequad.bounds import Bounds
from tilequad.draw.arcade.map_view import MapView
from tilequad.draw.arcade.screen import Screen
from tilequad.draw.arcade.shaders import (
    VERTEX_HEADER,
    InWindow,
    blending,
    draw_quad,
    program_of,
    target_of,
    texture_of,
)
from tilequad.draw.arcade.unit_marks import DOT, FRAME, UnitMarks
from tilequad.draw.arguments import points_of, rgba
from tilequad.draw.map_views import look_of
from tilequad.draw.minimaps import MinimapBase

if TYPE_CHECKING:
    from tilequad.nav import Fog

__all__ = ["Minimap"]

VERTEX = (
    VERTEX_HEADER
    + """
uniform vec4 area;
out vec2 v_uv;

void main() {
    v_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = to_screen(mix(area.xy, area.zw, v_uv));
}
"""
)

FRAGMENT = """#version 330
uniform sampler2D picture;
uniform sampler2D fog;  // how dark it is
in vec2 v_uv;
out vec4 f_color;

void main() {
    f_color = vec4(texture(picture, v_uv).rgb, 1.0);
#ifdef FOGGY
    f_color.rgb *= 1.0 - texture(fog, v_uv).r;
#endif
}
"""

Color = tuple[int, ...]  # red, green, blue, optionally alpha


class Minimap(InWindow, MinimapBase[MapView]):
    """A small picture of a map, which follows the changes of its tiles and of a fog.

    The picture is painted as the minimap is made, so make it while a game loads: the driver may
    compile shaders, some tens of milliseconds; in software and for the first time, half a second.
    It is painted again after the map has changed: a fraction of a millisecond on a GPU. That of a
    large map is painted roughly at first, and becomes sharp some frames later. After a change of
    the fog, a byte for each pixel is uploaded.

    Args:
        map_view: Draws the map; the picture shows the same objects as it does.
        size: The longer side, in pixels.
        background: Red, green, blue where the map is empty, 0 to 255.
        fog: A `tilequad.nav.Fog`: the picture is black where the team has never
            seen the land, and dark where it does not see it now. Dots are drawn over it, so pass
            only units that the team sees.
        team: The team whose view it is.

    Attributes:
        width: The width of the picture, in pixels: `size` at most. `draw` changes it after an
            infinite map has grown.
        height: The height of the picture, in pixels, likewise.
        fog: The fog, or None; it may be set at any time.
        team: The team; it may be set at any time.

    Raises:
        TypeError: `map_view` is not a `MapView` of this package.
        ValueError: `size` is below 1.

    Example:
        >>> import arcade
        >>> from tilequad.draw.arcade import Minimap, visible_bounds
        >>> def show(minimap: Minimap, camera: arcade.Camera2D, positions) -> None:
        ...     bounds = visible_bounds(camera)
        ...     # in window pixels, with the window's own camera in use
        ...     minimap.draw(10, 10, bounds, positions, colors=(255, 80, 60))
    """

    _view_type = MapView

    def _prepare(self) -> None:
        self._look: list[object] = []
        self._final = True  # whether the picture does not become better by itself
        self._target = target_of(self._context, (self.width, self.height), smooth=True)
        self._fog: Texture2D | None = None
        self._marks = UnitMarks(self._context)
        self._paint()

    @property
    def nbytes(self) -> int:
        """The memory of the picture and of the fog over it, in bytes."""
        pixels = self.width * self.height
        return (4 + (self._fog is not None)) * pixels + self._cells.nbytes

    def draw(
        self,
        left: float,
        bottom: float,
        bounds: Sequence[float] | None = None,
        positions: ArrayLike = (),
        *,
        colors: ArrayLike = (255, 255, 255),
        dot: float = 3,
        frame: Color = (255, 246, 214),
    ) -> None:
        """Draw the picture, one pixel per unit of the camera in use, usually the window's own.

        Args:
            left: Its left edge.
            bottom: Its lower edge: y points up in arcade.
            bounds: What the game's camera sees, in world units; None draws no frame.
            positions: (n, 2) of units in the world; a dot for each.
            colors: The colors of the dots, (n, 3) or (n, 4) with alpha, or one for all; 0 to 255.
            dot: The side of a dot, in pixels.
            frame: The color of the frame around `bounds`.

        Raises:
            TypeError: `dot` is not a number.
            ValueError: `bounds` is not a box, shapes do not fit, a color is not from 0 to 255, or
                the fog has no such team.
        """
        context = self._context
        self._follow_bounds()
        points = points_of(positions, np.float64)
        half = finite_number(dot, "dot") / 2
        seen = None if bounds is None else Bounds.of(bounds)
        self._paint()
        if self.fog is not None:
            self._follow_fog(self.fog)
        variant = () if self.fog is None else ("FOGGY",)
        program = program_of(context, VERTEX, FRAGMENT, variant, {"fog": 1})
        program["area"] = left, bottom, left + self.width, bottom + self.height
        self._target.color_attachments[0].use(0)
        with blending(context):
            draw_quad(context, program)
        if len(points):
            places = self._project(points) + np.array((left, bottom))
            low, high = self._bounds[:2], self._bounds[2:]
            held = ((points >= low) & (points <= high)).all(axis=1)
            shades = rgba(colors, len(points))
            self._marks.draw(context, DOT, places[held].astype(np.float32), half, shades[held])
        if seen is not None:
            self._draw_frame(seen, left, bottom, frame)

    def _draw_frame(self, seen: Bounds, left: float, bottom: float, color: Color) -> None:
        within = self._corners(seen).clip(0, (self.width, self.height))
        low, high = within + np.array((left, bottom))
        center = ((low + high) / 2).astype(np.float32)
        half = np.maximum((high - low) / 2, 1.0)
        self._marks.draw(self._context, FRAME, center[None], half[None], self._frame_color(color))

    def _follow_fog(self, fog: Fog) -> None:
        """Upload how dark the picture is where that has changed, and bind it."""
        shades, context = self._shades(fog), self._context
        if self._fog is None:
            self._fog = texture_of(context, (self.width, self.height), components=1)
        if shades is not None:
            self._fog.write(shades[::-1].tobytes())  # OpenGL's first row is the lowest
        self._fog.use(1)

    def _paint(self) -> None:
        layers = self._map_view.tile_map.layers
        look: list[object] = [look_of(layer) for layer in layers if layer.visible]
        look += (self._map_view.objects, self._map_view.tile_map.revision, self._map_view._edits)
        changed = look != self._look
        if self._final and not changed:
            return
        bounds = self._bounds
        with self._target.activate():
            has_area = bounds.width and bounds.height
            screen = Screen.around(bounds, self.width, self.height) if has_area else None
            final = screen is None or self._map_view._prepare_over(bounds, screen)
            if final or changed:
                self._target.clear(color=(*self._background, 255))
                if screen is not None:
                    self._map_view._draw_over(bounds, screen)
        self._look, self._final = look, final  # not before: what fails is painted again
