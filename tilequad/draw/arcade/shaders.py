"""The GLSL that several renderers share. OpenGL 3.3 is enough."""

from __future__ import annotations

__all__ = ["PICTURES_UNIT", "PICTURE_FRAGMENT", "VERTEX_HEADER"]

PICTURES_UNIT = 0  # the texture unit of `pictures`

# Every vertex shader begins with this. WindowBlock is arcade's: the camera in use fills it.
VERTEX_HEADER = """#version 330
uniform WindowBlock {
    mat4 projection;
    mat4 view;
} window;

vec4 to_screen(vec2 point) {
    return window.projection * window.view * vec4(point, 0.0, 1.0);
}
"""

# With multisampling, a pixel on the edge of a quad samples beyond it. Zoomed out, that would show
# the next picture of the atlas, so v_limits keeps samples within the outermost texels of this one.
# Transparent texels are dropped, as arcade's sprites do.
# `source_form` says what the blend function expects: 0 the colour as it is, 1 the colour times its
# alpha, 2 a colour that fades to white.
PICTURE_FRAGMENT = """#version 330
uniform sampler2D pictures;
uniform int source_form;
in vec2 v_uv;
flat in vec4 v_limits;
in vec4 v_color;
out vec4 f_color;

void main() {
    f_color = texture(pictures, clamp(v_uv, v_limits.xy, v_limits.zw)) * v_color;
    if (f_color.a == 0.0) discard;
    if (source_form == 1) f_color.rgb *= f_color.a;
    if (source_form == 2) f_color.rgb = mix(vec3(1.0), f_color.rgb, f_color.a);
}
"""
