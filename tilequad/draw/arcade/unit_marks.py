"""Shadows, selection rings, health bars, dots: simple shapes, all of a kind in one draw call."""

from __future__ import annotations

import numpy as np
from arcade import ArcadeContext
from numpy.typing import ArrayLike, NDArray

from tilequad.draw.arcade.shaders import VERTEX_HEADER, Records, program_of

__all__ = ["BAR", "DOT", "FRAME", "RING", "SHADOW", "UnitMarks"]

RECORD = np.dtype(
    [
        ("center", np.float32, 2),
        ("half", np.float32, 2),
        ("color", np.uint8, 4),
        ("share", np.float32),
    ]
)
SHADOW, RING, BAR, DOT, FRAME = range(5)

VERTEX = (
    VERTEX_HEADER
    + """
uniform vec2 screen;  // width and height in pixels
in vec2 in_center;
in vec2 in_half;
in vec4 in_color;
in float in_share;
out vec2 v_arm;           // in pixels, from the center
flat out vec2 v_half;     // in pixels
flat out vec4 v_color;
flat out float v_share;

void main() {
    mat4 camera = window.projection * window.view;
    vec2 scale = vec2(length((camera * vec4(1.0, 0.0, 0.0, 0.0)).xy * screen),
                      length((camera * vec4(0.0, 1.0, 0.0, 0.0)).xy * screen)) / 2.0;
    v_half = in_half * scale;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    v_arm = corner * (v_half + 2.0);  // room for smooth edges
    gl_Position = to_screen(in_center + v_arm / scale);
    v_color = in_color;
    v_share = in_share;
}
"""
)

# A ring is two pixels wide and a bar has a frame of one pixel, at every zoom.
FRAGMENT = """#version 330
in vec2 v_arm;
flat in vec2 v_half;
flat in vec4 v_color;
flat in float v_share;
uniform int shape;
out vec4 f_color;

void main() {
    f_color = v_color;
    if (shape >= 2) {
        vec2 past = abs(v_arm) - v_half;
        if (max(past.x, past.y) > 0.0) discard;
        if (shape == 3) return;
        if (shape == 4) {
            if (max(past.x, past.y) < -1.0) discard;
            return;
        }
        bool frame = max(past.x, past.y) > -1.0;
        bool filled = v_arm.x + v_half.x - 1.0 <= v_share * (2.0 * v_half.x - 2.0);
        if (frame || !filled) f_color = vec4(0.11, 0.09, 0.11, 0.86 * v_color.a);
        return;
    }
    float distance = length(v_arm / max(v_half, vec2(1e-3)));  // 1 on the edge
    if (shape == 0) {
        f_color.a *= 1.0 - smoothstep(0.4, 1.0, distance);
    } else {
        vec2 slope = v_arm / max(v_half * v_half, vec2(1e-3));
        float away = (distance - 1.0) * distance / max(length(slope), 1e-6);  // in pixels
        f_color.a *= clamp(1.5 - abs(away), 0.0, 1.0);
    }
    if (f_color.a <= 0.0) discard;
}
"""


class UnitMarks:
    """Draws shapes of a few pixels, smooth at every zoom."""

    def __init__(self, context: ArcadeContext) -> None:
        self._program = program_of(context, VERTEX, FRAGMENT)
        self._marks = Records(context, RECORD)

    def draw(
        self,
        context: ArcadeContext,
        shape: int,
        centers: NDArray[np.float32],
        halves: ArrayLike,
        colors: ArrayLike,
        shares: ArrayLike = 1.0,
    ) -> None:
        """Draw one mark at each place, in one draw call, in the context in use.

        Centers and halves (half the width and half the height) are (n, 2) in world units; the share
        is how much of a bar is filled. FRAME is an empty rectangle.
        """
        if not len(centers):
            return
        records = np.empty(len(centers), RECORD)
        records["center"] = centers
        records["half"] = halves
        records["color"] = colors
        records["share"] = shares
        self._program["screen"] = context.viewport[2:]
        self._program["shape"] = shape
        self._marks.draw(self._program, records)
