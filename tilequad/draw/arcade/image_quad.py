"""An image layer on the screen: one picture, perhaps repeated without end."""

from __future__ import annotations

import arcade
from PIL import Image

from tilequad.bounds import Bounds
from tilequad.draw.arcade.quads import BLENDS, FRAGMENT, PICTURES_UNIT, blending
from tilequad.tiled import ImageLayer

__all__ = ["ImageQuad"]

Color = tuple[float, float, float, float]

VERTEX = """#version 330
uniform WindowBlock {
    mat4 projection;
    mat4 view;
} window;
uniform vec4 area;    // what to cover: min_x, min_y, max_x, max_y
uniform vec4 bounds;  // the picture itself, which repeats beside it
uniform vec4 room;    // which part of the texture may be shown
uniform vec4 tint;

out vec2 v_uv;
flat out vec4 v_room;
out vec4 v_color;

void main() {
    vec2 spot = vec2((gl_VertexID & 1) == 0 ? area.x : area.z,
                     (gl_VertexID & 2) == 0 ? area.y : area.w);
    gl_Position = window.projection * window.view * vec4(spot, 0.0, 1.0);
    v_uv = (spot - bounds.xy) / (bounds.zw - bounds.xy);
    v_room = room;
    v_color = tint;
}
"""


class ImageQuad:
    """The picture of one image layer, in a texture of its own: it may be too large for an atlas.

    Args:
        context: The arcade context to draw in.
        layer: The image layer.
        pixels: Its picture, RGBA.
    """

    def __init__(
        self, context: arcade.ArcadeContext, layer: ImageLayer, pixels: Image.Image
    ) -> None:
        self._context = context
        self._layer = layer
        most = context.info.MAX_TEXTURE_SIZE
        if max(pixels.size) > most:  # better coarse than not at all
            size = min(pixels.width, most), min(pixels.height, most)
            pixels = pixels.resize(size, Image.Resampling.NEAREST)
        image = pixels.transpose(Image.Transpose.FLIP_TOP_BOTTOM)  # OpenGL's first row is below
        self._texture = context.texture(
            image.size,
            data=image.tobytes(),
            filter=(context.NEAREST, context.NEAREST),
            wrap_x=context.REPEAT,
            wrap_y=context.REPEAT,
        )
        self._program = context.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
        self._program["pictures"] = PICTURES_UNIT
        self._program["room"] = room(image.size, layer.repeat)
        self._geometry = context.geometry(mode=context.TRIANGLE_STRIP)

    def draw(self, view: Bounds, shift: tuple[float, float], tint: Color) -> None:
        """Draw the picture where the view shows it.

        Args:
            view: What the camera sees: a repeated picture fills it.
            shift: How far the layer is moved, for parallax.
            tint: Red, green, blue, alpha from 0 to 1, multiplied with the picture.
        """
        bounds = self._layer.bounds.shifted(*shift)
        repeat_x, repeat_y = self._layer.repeat
        across, along = (view if repeat_x else bounds), (view if repeat_y else bounds)
        self._program["area"] = across.min_x, along.min_y, across.max_x, along.max_y
        self._program["bounds"] = bounds
        self._program["tint"] = tint
        self._texture.use(PICTURES_UNIT)
        self._program["form"], function = BLENDS.get(self._layer.mode, BLENDS["normal"])
        with blending(self._context, function):
            self._geometry.render(self._program, vertices=4)


def room(size: tuple[int, int], repeat: tuple[bool, bool]) -> tuple[float, float, float, float]:
    """Where texture coordinates may lie: anywhere along an axis that repeats."""
    edges = [-1e9 if on else 0.5 / length for length, on in zip(size, repeat, strict=True)]
    return edges[0], edges[1], 1 - edges[0], 1 - edges[1]
