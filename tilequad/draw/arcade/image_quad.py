"""Draw an image layer: one picture, repeated along x or y where the layer says so."""

from __future__ import annotations

import arcade
import numpy as np
from PIL import Image

from tilequad.draw.arcade.shaders import TIE, VERTEX_HEADER, draw_quad, program_of, texture_of
from tilequad.draw.arcade.tile_grid import SMOOTH_BELOW, Look
from tilequad.tiled import ImageLayer

__all__ = ["ImageQuad"]

PICTURES_UNIT = 0  # the texture unit of `pictures`

VERTEX = (
    VERTEX_HEADER
    + """
uniform vec4 area;    // what to cover: min_x, min_y, max_x, max_y
uniform vec4 bounds;  // one copy of the picture
uniform vec2 tie;     // how far to move an edge, in clip coordinates
uniform sampler2D pictures;
out vec2 v_uv;

void main() {
    vec2 spot = vec2((gl_VertexID & 1) == 0 ? area.x : area.z,
                     (gl_VertexID & 2) == 0 ? area.y : area.w);
    gl_Position = to_screen(spot);
    gl_Position.xy += tie * gl_Position.w;
    vec2 inset = vec2(-0.015625, 0.015625) / vec2(textureSize(pictures, 0));
    v_uv = (spot - bounds.xy) / (bounds.zw - bounds.xy) + inset;
}
"""
)

# A tint sees half-transparent texels on white, as in Tiled. `form`: see `form_and_function`.
FRAGMENT = """#version 330
uniform sampler2D pictures;
uniform vec4 limits;  // the texture coordinates that may be sampled
uniform vec4 tint;
uniform int form;
in vec2 v_uv;
out vec4 f_color;

void main() {
    // edges have moved, samples stay
    vec2 uv = v_uv + dFdx(v_uv) * 0.015625 - dFdy(v_uv) * 0.015625;
    vec4 texel = texture(pictures, clamp(uv, limits.xy, limits.zw));
    if (tint.rgb != vec3(1.0)) texel.rgb = mix(vec3(1.0), texel.rgb, texel.a);
    f_color = texel * tint;
    if (f_color.a == 0.0) discard;
    if (form == 1) f_color.rgb *= f_color.a;
    if (form == 2) f_color.rgb = mix(vec3(1.0), f_color.rgb, f_color.a);
}
"""


class ImageQuad:
    """The picture of one image layer, in a texture of its own: it may be too large for an atlas."""

    def __init__(
        self, context: arcade.ArcadeContext, layer: ImageLayer, pixels: Image.Image
    ) -> None:
        self._context = context
        self._layer = layer
        max_side = context.info.MAX_TEXTURE_SIZE
        if max(pixels.size) > max_side:  # a coarse picture is better than no picture
            size = min(pixels.width, max_side), min(pixels.height, max_side)
            pixels = pixels.resize(size, Image.Resampling.NEAREST)
        self._has_mipmaps = False
        # OpenGL's first row is the last
        image = opaque_colors(pixels).transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        self._texture = texture_of(context, image.size, data=image.tobytes())  # it repeats
        places = {"pictures": PICTURES_UNIT}
        self._program = program_of(context, VERTEX, FRAGMENT, places=places)

    def draw(self, look: Look) -> None:
        """Draw the picture; a repeated one fills the view."""
        view = look.view
        bounds = self._layer.bounds.shifted(*look.shift)
        repeat_x, repeat_y = self._layer.repeat
        across, along = (view if repeat_x else bounds), (view if repeat_y else bounds)
        self._program["area"] = across.min_x, along.min_y, across.max_x, along.max_y
        self._program["bounds"] = bounds
        self._program["limits"] = uv_limits(self._texture.size, self._layer.repeat)
        self._program["tint"] = look.tint
        self._program["form"] = look.form
        self._choose_filter(look.screen.zoom)
        self._texture.use(PICTURES_UNIT)
        _, _, width, height = self._context.viewport
        self._program["tie"] = 2 * TIE / max(width, 1), -2 * TIE / max(height, 1)
        draw_quad(self._context, self._program)

    def _choose_filter(self, zoom: float) -> None:
        """Mix texels where the picture is smaller on the screen than in its file."""
        context = self._context
        pixels = self._texture.width / max(self._layer.bounds.width, 1e-9)
        if zoom >= SMOOTH_BELOW * pixels:
            wanted = context.NEAREST, context.NEAREST
        else:
            wanted = context.LINEAR_MIPMAP_LINEAR, context.LINEAR
            if not self._has_mipmaps:
                self._texture.build_mipmaps()
                self._has_mipmaps = True
        if self._texture.filter != wanted:
            self._texture.filter = wanted


def opaque_colors(pixels: Image.Image) -> Image.Image:
    """Give hidden pixels the mean color of the others, so that mixing does not darken edges."""
    colors = np.array(pixels)
    hidden = colors[:, :, 3] == 0
    if not hidden.any() or hidden.all():
        return pixels
    colors[hidden, :3] = colors[~hidden, :3].mean(axis=0)
    return Image.fromarray(colors)


def uv_limits(
    size: tuple[int, int], repeat: tuple[bool, bool]
) -> tuple[float, float, float, float]:
    """The centers of the outermost texels; no limit along an axis that repeats."""
    edges = [-1e9 if on else 0.5 / length for length, on in zip(size, repeat, strict=True)]
    return edges[0], edges[1], 1 - edges[0], 1 - edges[1]
