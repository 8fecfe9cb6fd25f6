"""Draw textured quads from a buffer of records, all in one draw call.

A quad shows one picture of a texture atlas, flipped by Tiled's flags and rotated about its center.
At zoom 1 it matches the picture pixel by pixel: nearest texels, edges exactly at the coordinates.
"""

from __future__ import annotations

from math import prod

import numpy as np
from arcade import ArcadeContext
from arcade.gl import Buffer, BufferDescription, Program
from arcade.texture_atlas import TextureAtlasBase

from tilequad.draw.arcade.blending import blending, use_mode
from tilequad.draw.arcade.shaders import PICTURE_FRAGMENT, PICTURES_UNIT, VERTEX_HEADER

__all__ = ["Quads", "instances", "upload"]

# Texture units: PICTURES_UNIT and UV_UNIT hold the atlas.
UV_UNIT = 1

# A caller's vertex shader declares its inputs and a `main` that calls `place`.
# gl_VertexID 0..3 are the corners of a triangle strip: upper left, upper right, lower left, lower
# right, as in the atlas. Tiled applies flip 1 (diagonal) first, then 4 (left to right),
# then 2 (top to bottom); undoing them in reverse gives the corner of the picture to show.
PLACE = (
    VERTEX_HEADER
    + """
#include :system:shaders/lib/sprite.glsl

uniform sampler2D pictures;
uniform sampler2D uv_texture;

out vec2 v_uv;
flat out vec4 v_limits;
flat out float v_away;
flat out float v_flash;
out vec4 v_color;

void place(vec2 center, vec2 size, float clockwise, int slot, int flips, vec4 color) {
    ivec2 corner = ivec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 arm = size * vec2(float(corner.x) - 0.5, 0.5 - float(corner.y));
    float c = cos(clockwise);
    float s = sin(clockwise);
    // Tiled's toolkit moves edges that run across the pixels the other way.
    v_away = min(abs(c), abs(s)) < 1e-5 ? 1.0 : -1.0;
    gl_Position = to_screen(center + vec2(c * arm.x + s * arm.y, c * arm.y - s * arm.x), v_away);

    if ((flips & 2) != 0) corner.y = 1 - corner.y;
    if ((flips & 4) != 0) corner.x = 1 - corner.x;
    if ((flips & 1) != 0) corner = corner.yx;
    vec2 uv[4];
    getSpriteUVs(uv_texture, slot, uv[0], uv[1], uv[2], uv[3]);
    vec2 texel = 1.0 / vec2(textureSize(pictures, 0));
    v_uv = uv[corner.y * 2 + corner.x] - inset * texel * sign(uv[3] - uv[0]);
    vec2 half_texel = 0.5 * texel;
    v_limits = vec4(min(uv[0], uv[3]) + half_texel, max(uv[0], uv[3]) - half_texel);
    v_color = color;
}
"""
)


class Quads:
    """A shader and the buffer that feeds it: one quad for each record.

    Args:
        context: The arcade context to draw in.
        vertex_shader: GLSL that follows `PLACE`: the inputs and `main`.
        record: The fields of one record; a field `size` is the shader's input `in_size`.
    """

    def __init__(self, context: ArcadeContext, vertex_shader: str, record: np.dtype) -> None:
        self._context = context
        self.program: Program = context.program(
            vertex_shader=context.shader_inc(PLACE + vertex_shader),
            fragment_shader=PICTURE_FRAGMENT,
        )
        self.program["pictures"] = PICTURES_UNIT
        self.program["uv_texture"] = UV_UNIT
        self._buffer = context.buffer(reserve=record.itemsize, usage="stream")
        self._geometry = context.geometry(
            [instances(self._buffer, record)], mode=context.TRIANGLE_STRIP
        )

    @property
    def nbytes(self) -> int:
        """The memory of the records on the GPU, in bytes."""
        return int(self._buffer.size)

    def draw(self, atlas: TextureAtlasBase, records: np.ndarray, mode: str = "normal") -> None:
        """Upload the records and draw their quads in order, later ones on top.

        Args:
            atlas: The texture atlas that holds the pictures.
            records: One record for each quad, writable and contiguous.
            mode: The blend mode, as in Tiled.
        """
        if not len(records):
            return
        # Ask for the texture in every frame: an atlas that grows replaces it.
        context, pictures = self._context, atlas.texture
        pictures.filter = context.NEAREST, context.NEAREST
        pictures.use(PICTURES_UNIT)
        atlas.use_uv_texture(UV_UNIT)
        upload(self._buffer, records)
        with blending(context, use_mode(self.program, mode)):
            self._geometry.render(self.program, vertices=4, instances=len(records))


def instances(buffer: Buffer, record: np.dtype) -> BufferDescription:
    """Describe a buffer of records to arcade: each field is an input, each record an instance."""
    kinds = {"f4": "f", "i4": "i", "u1": "f1"}  # bytes reach the shader as 0.0 to 1.0
    names = record.names or ()
    fields = [record[name] for name in names]
    formats = [f"{prod(field.shape)}{kinds[field.base.str[1:]]}" for field in fields]
    return BufferDescription(
        buffer, " ".join(formats), [f"in_{name}" for name in names], instanced=True
    )


def upload(buffer: Buffer, records: np.ndarray) -> None:
    """Replace the content of a buffer, in a new block: the GPU may still read the old one."""
    buffer.orphan(size=records.nbytes)
    buffer.write(records.view(np.uint8).data)
