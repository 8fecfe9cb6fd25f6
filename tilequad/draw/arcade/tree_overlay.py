"""Draw the nodes of a quadtree as lines over the game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilequad.draw.arcade.shaders import VERTEX_HEADER, InWindow, Records, program_of
from tilequad.draw.overlays import FADING, node_lines
from tilequad.tiled import Color

__all__ = ["TreeOverlay"]

RECORD = np.dtype([("bounds", np.float32, 4), ("color", np.uint8, 4)])

# A box is a closed line of four corners, one instance each. Zoomed out, the thousands of nodes of a
# tree would cover the map, so a box fades as it shrinks on the screen.
VERTEX = (
    VERTEX_HEADER
    + """
uniform vec2 screen;  // width and height in pixels
uniform vec2 fading;  // how large boxes are that are invisible, and that are not faded

in vec4 in_bounds;
in vec4 in_color;
out vec4 v_color;

float pixels(vec2 side) {
    return length((window.projection * window.view * vec4(side, 0.0, 0.0)).xy * screen) / 2.0;
}

void main() {
    vec2 spot = vec2(gl_VertexID == 1 || gl_VertexID == 2 ? in_bounds.z : in_bounds.x,
                     gl_VertexID >= 2 ? in_bounds.w : in_bounds.y);
    gl_Position = to_screen(spot);
    vec2 size = in_bounds.zw - in_bounds.xy;
    float longest = max(pixels(vec2(size.x, 0.0)), pixels(vec2(0.0, size.y)));
    v_color = in_color * vec4(1.0, 1.0, 1.0, smoothstep(fading.x, fading.y, longest));
}
"""
)

FRAGMENT = """#version 330
in vec4 v_color;
out vec4 f_color;

void main() {
    f_color = v_color;
}
"""


class TreeOverlay(InWindow):
    """Draws the nodes of any tree as boxes, in lines one pixel wide at every zoom.

    Boxes smaller than 80 pixels on the screen fade; those smaller than 8 are invisible. With
    `asked`, the nodes that a query visits are lit.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.draw.arcade import TreeOverlay
        >>> def show(units: DynamicQuadtree) -> None:  # with a window open and a camera in use
        ...     overlay = TreeOverlay()
        ...     near = units.within(320, 180, 100)
        ...     overlay.draw(units.nodes(), asked=(320, 180, 100))
    """

    def __init__(self) -> None:
        self._program = program_of(self._context, VERTEX, FRAGMENT)
        self._boxes = Records(self._context, RECORD, self._context.LINE_LOOP)

    @property
    def nbytes(self) -> int:
        """The memory on the GPU, in bytes."""
        return self._boxes.nbytes

    def draw(
        self,
        nodes: NDArray[np.void],
        color: Color = (255, 255, 0, 160),
        *,
        asked: Sequence[float] | None = None,
        lit: Color = (255, 90, 40, 255),
    ) -> None:
        """Draw the boxes of the nodes. The camera in use determines the view.

        Args:
            nodes: The result of a tree's `nodes()`. The nodes of a static tree never change: call
                it once.
            color: Red, green, blue, alpha from 0 to 255.
            asked: The last question: a box of four numbers as for `query`, or x, y and radius as
                for `within`. The nodes that it visits are drawn on top, in `lit`.
            lit: The color of these nodes.

        Raises:
            TypeError: `nodes` is not what `nodes()` returns.
            ValueError: `asked` has neither four nor three numbers.
        """
        boxes, colors = node_lines(nodes, color, asked, lit)
        if not len(boxes):
            return
        records = np.empty(len(boxes), RECORD)
        records["bounds"], records["color"] = boxes, colors
        self._program["screen"] = self._context.viewport[2:]
        self._program["fading"] = FADING
        self._boxes.draw(self._program, records)
