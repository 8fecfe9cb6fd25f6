"""What lies under the mouse in the viewer, and lines over the map: outlines, and the grid."""

from __future__ import annotations

from typing import NamedTuple

import arcade
import numpy as np
from arcade.gl import BufferDescription
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arcade.shaders import VERTEX_HEADER, upload
from tilequad.tiled import ImageLayer, ObjectLayer, TileLayer, TileMap
from tilequad.tiled.model.properties import Properties
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["Inspection", "LineDrawing", "grid_lines", "inspect"]

Points = NDArray[np.float64]  # (n, 2), two for each line

MOST_PROPERTIES = 12
LONGEST = 40  # most letters shown of a value
FLIPS = ((8, "left to right"), (4, "top to bottom"), (2, "diagonally"), (1, "by 120 degrees"))
MOST_CELLS = 20_000  # lines of a grid; more would only look gray
NO_LINES = np.empty((0, 2))

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
        """Draw lines between pairs of points, all shifted. The camera must be in use."""
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
        columns, rows = zip(*(places.cells_at(x, y)[-1] for x, y in corners), strict=True)
    except ValueError:  # farther out than any cell
        return NO_LINES
    first, last = [min(columns) - 1, min(rows) - 1], [max(columns) + 2, max(rows) + 2]
    if not tile_map.infinite:
        first = [max(first[0], 0), max(first[1], 0)]
        last = [min(last[0], tile_map.size[0]), min(last[1], tile_map.size[1])]
    across, along = last[0] - first[0], last[1] - first[1]
    if across <= 0 or along <= 0 or across * along > MOST_CELLS:
        return NO_LINES
    ys, xs = np.mgrid[first[1] : last[1], first[0] : last[0]].astype(np.int32)
    return closed_lines(places.outlines(xs.ravel(), ys.ravel()))


def closed_lines(polygons: NDArray[np.float64]) -> Points:
    """Return the edges of polygons, (n, corners, 2)."""
    ends = np.stack((polygons, np.roll(polygons, -1, axis=1)), axis=2)
    return ends.reshape(-1, 2)


class Inspection(NamedTuple):
    """What is under the mouse."""

    text: str
    outline: NDArray[np.float64]  #: the outline of the cell or object; two points for each line
    collisions: NDArray[np.float64]  #: the collision shapes of a tile
    shift: tuple[float, float]  #: the shift of both by parallax


def inspect(tile_map: TileMap, view: Bounds, x: float, y: float) -> Inspection | None:
    """Inspect the topmost visible tile or object at a point of the world; None if there is none."""
    for layer in reversed(tile_map.layers):
        if not layer.visible or isinstance(layer, ImageLayer):
            continue
        shift = tile_map.parallax_shift(layer, view)
        place = x - shift[0], y - shift[1]
        if isinstance(layer, TileLayer):
            found = inspect_tile(tile_map, layer, place, shift)
        else:
            found = inspect_object(layer, place, shift)
        if found:
            return found
    return None


def inspect_tile(
    tile_map: TileMap, layer: TileLayer, place: tuple[float, float], shift: tuple[float, float]
) -> Inspection | None:
    """Inspect the tile of the cell at a point."""
    try:
        number = layer.tile_at(*place)
    except ValueError:  # farther out than any cell
        return None
    if number is None:
        return None
    column, row = layer.cells([number])[0].tolist()
    gid, flags = int(layer.gids([number])[0]), int(layer.flags([number])[0])
    tileset = tile_map.tileset_of(gid)
    local_id = gid - tileset.first_gid
    lines = [layer.name, f"cell {column}, {row}", f"tile {local_id} of {tileset.name}, gid {gid}"]
    if flags:
        lines.append("flipped " + ", ".join(name for bit, name in FLIPS if flags & bit))
    if class_name := tileset.tile_class(local_id):
        lines.append(f"class {class_name}")
    if frames := tileset.animation(local_id):
        lines.append(f"{len(frames)} frames of animation")
    lines += property_lines(tileset.tile_properties(local_id))
    shapes = layer.collision_shapes(number)
    if shapes:
        lines.append(f"{len(shapes)} collision shape{'s' * (len(shapes) > 1)}")
    edges = [closed_lines(shape.points[None]) for shape in shapes if len(shape.points) > 1]
    cell = layer.outlines([number])
    return Inspection(
        "\n".join(lines), closed_lines(cell), np.concatenate([NO_LINES, *edges]), shift
    )


def inspect_object(
    layer: ObjectLayer, place: tuple[float, float], shift: tuple[float, float]
) -> Inspection | None:
    """Inspect the topmost object whose box contains a point."""
    x, y = place
    for number in reversed(layer.query((x - 2, y - 2, x + 2, y + 2)).tolist()):
        item = layer.objects[number]
        if not item.visible:
            continue
        lines = [layer.name, f"object {item.id} {item.name!r}, {item.shape}"]
        if item.class_name:
            lines.append(f"class {item.class_name}")
        if item.text:
            lines.append(shortened(item.text.words))
        lines.append(f"at {item.x:g}, {item.y:g}, {item.width:g} x {item.height:g}")
        lines += property_lines(item.properties)
        corners = item.points if len(item.points) > 1 else np.array([item.bounds[:2], (x, y)])
        return Inspection("\n".join(lines), closed_lines(corners[None]), NO_LINES, shift)
    return None


def property_lines(properties: Properties) -> list[str]:
    """Return one line for each property, up to a limit."""
    lines = [f"{name} = {shortened(str(value))}" for name, value in properties.items()]
    if len(lines) > MOST_PROPERTIES:
        lines[MOST_PROPERTIES - 1 :] = [f"and {len(lines) - MOST_PROPERTIES + 1} more properties"]
    return lines


def shortened(words: str) -> str:
    """Return a text as one line, cut if it is long."""
    line = " ".join(words.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
