"""The fog over the land, drawn with OpenGL: one quad, and a texture with a texel for each cell."""

from __future__ import annotations

import numpy as np
from arcade import ArcadeContext
from arcade.gl import Texture2D, geometry

from tilequad import Bounds
from tilequad.nav import Fog

VERTEX = """#version 330
in vec2 in_vert;
uniform vec4 place;  // on the screen, -1 to 1
uniform vec4 part;   // of the map, 0 to 1
out vec2 at;
void main() {
    vec2 share = in_vert * 0.5 + 0.5;
    at = mix(part.xy, part.zw, share);
    gl_Position = vec4(mix(place.xy, place.zw, share), 0.0, 1.0);
}
"""

# The mean of nine texels around: the edges of cells are not seen.
FRAGMENT = """#version 330
uniform sampler2D fog;
uniform vec2 texel;
in vec2 at;
out vec4 f_color;
void main() {
    float dark = 0.0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            dark += texture(fog, at + vec2(i, j) * texel * 0.8).r;
    f_color = vec4(0.05, 0.06, 0.11, dark / 9.0);
}
"""

DARKNESS = np.array([238, 112, 0], np.uint8)  # of cells: hidden, explored, visible


class FogLayer:
    """Draws a fog over a part of the screen.

    Args:
        context: The window's.
    """

    def __init__(self, context: ArcadeContext) -> None:
        self._context = context
        self._quad = geometry.quad_2d_fs()
        self._program = context.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
        self._states = b""
        self._texture: Texture2D | None = None

    def update(self, fog: Fog) -> None:
        """Take over what the village knows now."""
        states = fog.states()
        if states.tobytes() == self._states:
            return
        self._states = states.tobytes()
        shade = DARKNESS[states]
        rows, columns = shade.shape
        if self._texture is None or self._texture.size != (columns, rows):
            self._texture = self._context.texture(
                (columns, rows),
                components=1,
                filter=(self._context.LINEAR, self._context.LINEAR),
                wrap_x=self._context.CLAMP_TO_EDGE,
                wrap_y=self._context.CLAMP_TO_EDGE,
            )
        self._texture.write(shade.tobytes())

    def draw(self, land: Bounds, view: Bounds, place: tuple[float, float, float, float]) -> None:
        """Draw the fog over a part of the land.

        Args:
            land: The whole map.
            view: The part of it that is shown.
            place: Where on the screen: left, bottom, right, top from -1 to 1.
        """
        if self._texture is None:
            return
        self._texture.use(0)
        self._program["fog"] = 0
        self._program["texel"] = 1 / self._texture.width, 1 / self._texture.height
        self._program["place"] = place
        self._program["part"] = (
            (view.min_x - land.min_x) / land.width,
            (view.min_y - land.min_y) / land.height,
            (view.max_x - land.min_x) / land.width,
            (view.max_y - land.min_y) / land.height,
        )
        self._context.enable(self._context.BLEND)
        self._context.blend_func = self._context.BLEND_DEFAULT
        self._quad.render(self._program)
