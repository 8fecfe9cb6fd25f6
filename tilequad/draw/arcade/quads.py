"""The one way to draw here: a textured quad for each record of a buffer, all in one draw call.

A quad shows one picture of a texture atlas, flipped as Tiled flips and turned around its centre.
Its pixels are exact at zoom 1: nearest texels, edges where the numbers say. OpenGL 3.3 is enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

import arcade
import numpy as np
from arcade import gl
from arcade.gl import Buffer, BufferDescription, Program
from arcade.gl.types import BlendFunction
from arcade.texture_atlas import TextureAtlasBase

__all__ = [
    "BLENDS",
    "FRAGMENT",
    "OWN_UNIT",
    "PICTURES_UNIT",
    "Quads",
    "blending",
    "instances",
    "upload",
]

# Texture units. The first two hold the atlas; a shader of its own may use those from OWN_UNIT on.
PICTURES_UNIT = 0
UV_UNIT = 1
OWN_UNIT = 2

# Every vertex shader here is this text followed by inputs and a `main` that calls `place`.
# gl_VertexID 0..3 are the corners of a triangle strip: upper left, upper right, lower left, lower
# right, which is also the order of the atlas. Flips are Tiled's: 1 diagonal, then 4 left to right,
# then 2 upside down; undone in the opposite order to find the corner of the picture to show.
PLACE = """#version 330
#include :system:shaders/lib/sprite.glsl

uniform WindowBlock {
    mat4 projection;
    mat4 view;
} window;
uniform sampler2D pictures;
uniform sampler2D uv_texture;

out vec2 v_uv;
flat out vec4 v_room;
out vec4 v_color;

void place(vec2 center, vec2 size, float clockwise, int slot, int flips, vec4 color) {
    ivec2 corner = ivec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 arm = size * vec2(float(corner.x) - 0.5, 0.5 - float(corner.y));
    float c = cos(clockwise);
    float s = sin(clockwise);
    vec2 spot = center + vec2(c * arm.x + s * arm.y, c * arm.y - s * arm.x);
    gl_Position = window.projection * window.view * vec4(spot, 0.0, 1.0);

    if ((flips & 2) != 0) corner.y = 1 - corner.y;
    if ((flips & 4) != 0) corner.x = 1 - corner.x;
    if ((flips & 1) != 0) corner = corner.yx;
    vec2 uv[4];
    getSpriteUVs(uv_texture, slot, uv[0], uv[1], uv[2], uv[3]);
    v_uv = uv[corner.y * 2 + corner.x];
    vec2 half_texel = 0.5 / vec2(textureSize(pictures, 0));
    v_room = vec4(min(uv[0], uv[3]) + half_texel, max(uv[0], uv[3]) - half_texel);
    v_color = color;
}
"""

# With multisampling, a pixel on the edge of a quad asks for texels beyond it; zoomed out these are
# those of another picture. The room of its own picture, to the middle of its outermost texels,
# keeps them apart. Empty texels are dropped, as by arcade's sprites: they leave no trace at all.
FRAGMENT = """#version 330
uniform sampler2D pictures;
uniform int form;
in vec2 v_uv;
flat in vec4 v_room;
in vec4 v_color;
out vec4 f_color;

void main() {
    f_color = texture(pictures, clamp(v_uv, v_room.xy, v_room.zw)) * v_color;
    if (f_color.a == 0.0) discard;
    if (form == 1) f_color.rgb *= f_color.a;
    if (form == 2) f_color.rgb = mix(vec3(1.0), f_color.rgb, f_color.a);
}
"""

# Tiled's blend modes that a GPU does by itself: the form in which the shader above hands a colour
# over (0 as it is, 1 times its alpha, 2 the whiter the more see-through), and the blend function.
# The others take more than a blend function and are drawn as "normal".
NORMAL = gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA
ALPHA = gl.ONE, gl.ONE_MINUS_SRC_ALPHA
BLENDS: dict[str, tuple[int, BlendFunction]] = {
    "normal": (0, NORMAL),
    "add": (0, (gl.SRC_ALPHA, gl.ONE, *ALPHA)),
    "screen": (1, (gl.ONE_MINUS_DST_COLOR, gl.ONE, *ALPHA)),
    "multiply": (2, (gl.DST_COLOR, gl.ZERO, *ALPHA)),
}


class Quads:
    """A shader and the buffer that feeds it: one quad for each record.

    Args:
        context: The arcade context to draw in.
        vertex_shader: GLSL that goes after `PLACE`: the inputs and `main`.
        record: What one record holds; a field `size` is the shader's input `in_size`.
    """

    def __init__(self, context: arcade.ArcadeContext, vertex_shader: str, record: np.dtype) -> None:
        self._context = context
        self.program: Program = context.program(
            vertex_shader=context.shader_inc(PLACE + vertex_shader),
            fragment_shader=FRAGMENT,
        )
        self.program["pictures"] = PICTURES_UNIT
        self.program["uv_texture"] = UV_UNIT
        self._buffer = context.buffer(reserve=record.itemsize, usage="stream")
        self._geometry = context.geometry(
            [instances(self._buffer, record)], mode=context.TRIANGLE_STRIP
        )

    def draw(self, atlas: TextureAtlasBase, records: np.ndarray, mode: str = "normal") -> None:
        """Upload the records and draw their quads in order, later ones on top.

        Args:
            atlas: Where the slots that the shader calls for are found.
            records: One record a quad; writable and contiguous.
            mode: The blend mode of a layer.
        """
        if not len(records):
            return
        # A growing atlas replaces its texture, so it is asked for anew each time.
        context, pictures = self._context, atlas.texture
        pictures.filter = context.NEAREST, context.NEAREST
        pictures.use(PICTURES_UNIT)
        atlas.use_uv_texture(UV_UNIT)
        upload(self._buffer, records)
        self.program["form"], function = BLENDS.get(mode, BLENDS["normal"])
        with blending(context, function):
            self._geometry.render(self.program, vertices=4, instances=len(records))


def instances(buffer: Buffer, record: np.dtype) -> BufferDescription:
    """Describe a buffer of records to arcade: each field is an input, each record an instance."""
    kinds = {"f4": "f", "i4": "i", "u1": "f1"}  # bytes arrive in the shader as 0.0 to 1.0
    names = record.names or ()
    fields = [record[name] for name in names]
    formats = [f"{prod(field.shape)}{kinds[field.base.str[1:]]}" for field in fields]
    return BufferDescription(
        buffer, " ".join(formats), [f"in_{name}" for name in names], instanced=True
    )


def upload(buffer: Buffer, records: np.ndarray) -> None:
    """Fill a buffer anew, in a fresh block: the driver need not wait for the frame before."""
    buffer.orphan(size=records.nbytes)
    buffer.write(records.view(np.uint8).data)


@contextmanager
def blending(context: arcade.ArcadeContext, function: BlendFunction = NORMAL) -> Iterator[None]:
    """Colours mix with what is below by a blend function; the state of before comes back."""
    before = context.blend_func
    context.blend_func = function
    with context.enabled(context.BLEND):
        yield
    context.blend_func = before
