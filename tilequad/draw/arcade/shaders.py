"""The GLSL that several renderers share. OpenGL 3.3 is enough."""

from __future__ import annotations

from arcade import ArcadeContext
from arcade.gl import Program

__all__ = [
    "PICTURES_UNIT",
    "PICTURE_FRAGMENT",
    "PLACED_VERTEX",
    "SCREEN_VERTEX",
    "VERTEX_HEADER",
    "break_ties",
]

PICTURES_UNIT = 0  # the texture unit of `pictures`

# Every vertex shader begins with this. The camera in use fills arcade's WindowBlock.
VERTEX_HEADER = """#version 330
uniform WindowBlock {
    mat4 projection;
    mat4 view;
} window;

// Both zero unless set by `break_ties`.
uniform vec2 tie;    // how far to move an edge, in clip coordinates
uniform float inset; // how far to move a sample up and left in the picture, in texels

// `away` is 1.0 to move an edge on the center of a pixel right and down, -1.0 the other way.
vec4 to_screen(vec2 point, float away) {
    vec4 place = window.projection * window.view * vec4(point, 0.0, 1.0);
    place.xy += tie * away * place.w;
    return place;
}
"""

# A quad over the whole target.
SCREEN_VERTEX = """#version 330
void main() {
    vec2 spot = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(2.0 * spot - 1.0, 0.0, 1.0);
}
"""

# A picture anywhere on the target, in clip coordinates.
PLACED_VERTEX = """#version 330
uniform vec4 corner;  // where its first texel is
uniform vec4 sides;   // the way along its rows, and along its columns
out vec2 v_uv;

void main() {
    v_uv = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(corner.xy + v_uv.x * sides.xy + v_uv.y * sides.zw, 0.0, 1.0);
}
"""

# Nudges in pixels and texels: enough to absorb a GPU's rounding, too small to see.
_TIE = 1 / 64

# With multisampling, a pixel on the edge of a quad samples beyond it. Zoomed out, that would show
# the next picture of the atlas, so v_limits keeps samples within the outermost texels of this one.
# Transparent texels are dropped, as arcade's sprites do.
# `on_white` says that a tint sees half-transparent texels on white, as in Tiled.
# `source_form` says what the blend function expects: 0 the color as it is, 1 the color times its
# alpha, 2 a color that fades to white.
PICTURE_FRAGMENT = """#version 330
uniform sampler2D pictures;
uniform int source_form;
uniform bool on_white;
uniform vec2 edge_shift;  // in pixels, zero unless set by `break_ties`
flat in float v_away;
flat in float v_flash;  // how much of the color turns white
in vec2 v_uv;
flat in vec4 v_limits;
in vec4 v_color;
out vec4 f_color;

void main() {
    vec2 moved = edge_shift * v_away;  // edges have moved, samples stay
    vec2 uv = v_uv + dFdx(v_uv) * moved.x + dFdy(v_uv) * moved.y;
    vec4 texel = texture(pictures, clamp(uv, v_limits.xy, v_limits.zw));
    bool tinted = v_color.rgb != vec3(1.0);
    if (on_white && tinted) texel.rgb = mix(vec3(1.0), texel.rgb, texel.a);
    f_color = texel * v_color;
    f_color.rgb = mix(f_color.rgb, vec3(1.0), v_flash);
    if (f_color.a == 0.0) discard;
    if (source_form == 1) f_color.rgb *= f_color.a;
    if (source_form == 2) f_color.rgb = mix(vec3(1.0), f_color.rgb, f_color.a);
}
"""


def break_ties(context: ArcadeContext, program: Program) -> None:
    """Prepare a program with VERTEX_HEADER and PICTURE_FRAGMENT to round as Pillow and Tiled do.

    An edge on the center of a pixel goes right and down, and a sample between two texels takes the
    first one of the picture. OpenGL defines neither case.
    """
    _, _, width, height = context.viewport
    program["tie"] = 2 * _TIE / max(width, 1), -2 * _TIE / max(height, 1)
    program["edge_shift"] = _TIE, -_TIE
    program["inset"] = _TIE
