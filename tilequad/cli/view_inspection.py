"""What lies under the mouse in the viewer: a tile or an object, its properties and its shapes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.cli.view_lines import closed_lines
from tilequad.tiled import ImageLayer, ObjectLayer, TileLayer, TileMap
from tilequad.tiled.model.properties import Properties

__all__ = ["Inspection", "inspect"]

MOST_PROPERTIES = 12
LONGEST = 40  # most letters shown of a value
FLIPS = ((8, "left to right"), (4, "top to bottom"), (2, "diagonally"), (1, "by 120 degrees"))


class Inspection(NamedTuple):
    """What is under the mouse."""

    text: str
    outline: NDArray[np.float64]  #: the outline of the cell or object; two points for each line
    collisions: NDArray[np.float64]  #: the collision shapes of a tile
    shift: tuple[float, float]  #: the shift of both by parallax


NO_LINES = np.empty((0, 2))


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
            found = inspect_object(tile_map, layer, place, shift)
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
    tile_map: TileMap, layer: ObjectLayer, place: tuple[float, float], shift: tuple[float, float]
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
