"""Lines over the map in the viewer: the grid, and collision shapes."""

from __future__ import annotations

import arcade
import numpy as np
from arcade.gl import BufferDescription
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arcade.shaders import VERTEX_HEADER, upload
from tilequad.tiled import TileLayer, TileMap
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["LineDrawing", "grid_lines"]

Points = NDArray[np.float64]  # (n, 2), two for each line

MOST_CELLS = 20_000  # lines of a grid; more would only look gray

VERTEX = (
    VERTEX_HEADER
    + """
in vec2 in_point;

void main() {
    gl_Position = to_screen(in_point);
}
"""
)

FRAGMENT = """#version 330
uniform vec4 color;
out vec4 f_color;

void main() {
    f_color = color;
}
"""


class LineDrawing:
    """Draws many lines, one pixel wide at every zoom, in one draw call."""

    def __init__(self) -> None:
        self._context = arcade.get_window().ctx
        self._program = self._context.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
        self._buffer = self._context.buffer(reserve=8, usage="stream")
        self._geometry = self._context.geometry(
            [BufferDescription(self._buffer, "2f", ["in_point"])], mode=self._context.LINES
        )

    def draw(
        self, points: Points, shift: tuple[float, float], color: tuple[int, int, int, int]
    ) -> None:
        """Draw lines. The camera must be in use.

        Args:
            points: The ends of the lines.
            shift: Moves all of them.
            color: Red, green, blue, alpha, 0 to 255.
        """
        if not len(points):
            return
        ends = np.ascontiguousarray(points + shift, np.float32)
        upload(self._buffer, ends)
        self._program["color"] = tuple(channel / 255 for channel in color)
        with self._context.enabled(self._context.BLEND):
            self._geometry.render(self._program, vertices=len(ends))


def grid_lines(tile_map: TileMap, layer: TileLayer, view: Bounds) -> Points:
    """Return the outlines of the cells of a layer in a view; none if there are too many."""
    corners = [(x, y) for x in (view.min_x, view.max_x) for y in (view.min_y, view.max_y)]
    places = places_of(layer)
    try:
        columns, rows = zip(*(places.cell_near(x, y) for x, y in corners), strict=True)
    except ValueError:  # farther out than any cell
        return np.empty((0, 2))
    first, last = [min(columns) - 1, min(rows) - 1], [max(columns) + 2, max(rows) + 2]
    if not tile_map.infinite:
        first = [max(first[0], 0), max(first[1], 0)]
        last = [min(last[0], tile_map.size[0]), min(last[1], tile_map.size[1])]
    across, along = last[0] - first[0], last[1] - first[1]
    if across <= 0 or along <= 0 or across * along > MOST_CELLS:
        return np.empty((0, 2))
    ys, xs = np.mgrid[first[1] : last[1], first[0] : last[0]].astype(np.int32)
    return closed_lines(places.outlines(xs.ravel(), ys.ravel()))


def closed_lines(polygons: NDArray[np.float64]) -> Points:
    """Return the edges of polygons, (n, corners, 2)."""
    ends = np.stack((polygons, np.roll(polygons, -1, axis=1)), axis=2)
    return ends.reshape(-1, 2)
