"""Blend modes beyond the GPU's blend functions: they read a copy of the picture below."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arcade import ArcadeContext
from arcade.gl import Framebuffer, enums
from pyglet import gl

from tilequad.draw.arcade.screen import pixel_viewport
from tilequad.draw.arcade.shaders import PLACED_VERTEX, blending, draw_quad, program_of, target_of

__all__ = ["BlendedLayer", "is_blended"]

# In the order that `separate` in FRAGMENT expects.
MODES = (
    "add",
    "overlay",
    "darken",
    "lighten",
    "color-dodge",
    "color-burn",
    "hard-light",
    "soft-light",
    "difference",
    "exclusion",
)

# The modes of tilequad/draw/blending.py.
FRAGMENT = """#version 330
uniform sampler2D above;  // colors times alpha
uniform sampler2D below;
uniform ivec2 start;      // of the viewport
uniform int mode;
uniform float opacity;
out vec4 f_color;

vec3 screened(vec3 back, vec3 color) { return back + color - back * color; }

vec3 hard_light(vec3 back, vec3 color) {
    bvec3 dark = lessThanEqual(color, vec3(0.5));
    return mix(screened(back, 2.0 * color - 1.0), back * 2.0 * color, dark);
}

float dodge(float back, float color) {
    if (back == 0.0) return 0.0;
    return color >= 1.0 ? 1.0 : min(1.0, back / (1.0 - color));
}

float burn(float back, float color) {
    if (back >= 1.0) return 1.0;
    return color <= 0.0 ? 0.0 : 1.0 - min(1.0, (1.0 - back) / color);
}

float soft(float back, float color) {
    if (color <= 0.5) return back - (1.0 - 2.0 * color) * back * (1.0 - back);
    float curve = back <= 0.25 ? ((16.0 * back - 12.0) * back + 4.0) * back : sqrt(back);
    return back + (2.0 * color - 1.0) * (curve - back);
}

vec3 separate(vec3 back, vec3 color) {
    if (mode == 1) return hard_light(color, back);
    if (mode == 2) return min(back, color);
    if (mode == 3) return max(back, color);
    if (mode == 4)
        return vec3(dodge(back.r, color.r), dodge(back.g, color.g), dodge(back.b, color.b));
    if (mode == 5) return vec3(burn(back.r, color.r), burn(back.g, color.g), burn(back.b, color.b));
    if (mode == 6) return hard_light(back, color);
    if (mode == 7) return vec3(soft(back.r, color.r), soft(back.g, color.g), soft(back.b, color.b));
    if (mode == 8) return abs(back - color);
    return back + color - 2.0 * back * color;
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy) - start;
    vec4 source = texelFetch(above, place, 0);
    if (source.a == 0.0) discard;
    vec4 back = texelFetch(below, place, 0);
    float total;
    vec3 sum;
    if (mode == 0) {
        total = min(back.a + source.a, 1.0);
        sum = min(back.rgb * back.a + source.rgb, 1.0);
    } else {
        total = back.a + source.a - back.a * source.a;
        sum = source.rgb * (1.0 - back.a) + back.rgb * back.a * (1.0 - source.a)
            + separate(back.rgb, min(source.rgb / source.a, 1.0)) * source.a * back.a;
    }
    float alpha = mix(back.a, total, opacity);
    sum = mix(back.rgb * back.a, sum, opacity);
    f_color = vec4(min(sum / max(alpha, 1e-6), 1.0), alpha);
}
"""


def is_blended(mode: str, opacity: float) -> bool:
    """Return whether a layer needs a copy of the picture below, as a faded "add" does."""
    return mode in MODES and (mode != "add" or opacity < 1)


class BlendedLayer:
    """Collects the output of a layer, then blends it with the picture below.

    Tiles of the layer that overlap cover each other before they are blended.
    """

    def __init__(self, context: ArcadeContext) -> None:
        self._context = context
        places = {"above": 0, "below": 1}
        self._program = program_of(context, PLACED_VERTEX, FRAGMENT, places=places)
        self._above: Framebuffer | None = None
        self._below: Framebuffer | None = None

    @contextmanager
    def collecting(self, mode: str, opacity: float) -> Iterator[None]:
        """Collect what the block draws, in form 0 and with full opacity; then blend it.

        The mode is one for which `is_blended` is true; the opacity is how much of the result shows.
        """
        context = self._context
        target = context.active_framebuffer
        x, y, width, height = pixel_viewport(context)
        # Eight bits are not enough for colors that are later divided by their alpha.
        self._above = self._fitting(self._above, (width, height), "f2")
        self._below = self._fitting(self._below, (width, height), "f1")
        # `Context.copy_framebuffer` cannot read the screen: arcade asks it for an attachment.
        source = gl.GLint()
        gl.glGetIntegerv(gl.GL_DRAW_FRAMEBUFFER_BINDING, source)
        self._below.use(force=True)
        gl.glBindFramebuffer(gl.GL_READ_FRAMEBUFFER, source.value)
        area = x, y, x + width, y + height
        gl.glBlitFramebuffer(*area, 0, 0, width, height, gl.GL_COLOR_BUFFER_BIT, gl.GL_NEAREST)
        target.use(force=True)  # `clear` restores it
        self._above.clear()
        self._above.use()
        with blending(context):
            yield
        target.use(force=True)
        self._program["corner"] = -1.0, -1.0, 0.0, 0.0
        self._program["sides"] = 2.0, 0.0, 0.0, 2.0
        self._program["start"] = x, y
        self._program["mode"] = MODES.index(mode)
        self._program["opacity"] = opacity
        self._above.color_attachments[0].use(0)
        self._below.color_attachments[0].use(1)
        with blending(context, (enums.ONE, enums.ZERO)):
            draw_quad(context, self._program)

    def _fitting(self, held: Framebuffer | None, size: tuple[int, int], dtype: str) -> Framebuffer:
        if held is not None and held.size == size:
            return held
        return target_of(self._context, size, dtype=dtype)
