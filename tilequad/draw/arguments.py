"""Checks of arguments that the packages of all hosts share; each error names its argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.shown import shown
from tilequad.tiled import Color, Layer, TileMap

if TYPE_CHECKING:
    from tilequad.nav import Field, Fog, InfluenceMap, Walls

__all__ = [
    "Objects",
    "checked_color",
    "checked_field",
    "checked_fog",
    "checked_influence",
    "checked_layers",
    "checked_objects",
    "checked_tile_map",
    "checked_walls",
    "misfit",
    "points_of",
    "rgba",
    "set_rows",
]

Asked = TypeVar("Asked")
Number = TypeVar("Number", bound=np.floating[Any])
Objects = Literal["all", "art", "none"]


def checked_color(value: Any, name: str) -> Color:
    """Return red, green, blue and alpha; raise ValueError unless they are four from 0 to 255."""
    try:
        red, green, blue, alpha = value
        if all(0 <= channel <= 255 for channel in (red, green, blue, alpha)):
            return red, green, blue, alpha
    except (TypeError, ValueError):
        pass
    raise ValueError(f"{name} must be red, green, blue, alpha from 0 to 255, got {shown(value)}")


def checked_tile_map(tile_map: Any, *, y_up: bool) -> TileMap:
    """Return a map; raise TypeError or ValueError unless it is one with y as its host needs it."""
    if not isinstance(tile_map, TileMap):
        raise TypeError(f"tile_map must be what load_map returns, got {shown(tile_map)}")
    if tile_map.axes.y_up != y_up:
        host = "up in arcade" if y_up else "down in pygame"
        raise ValueError(f"tile_map must be loaded with y_up={y_up}: y points {host}")
    return tile_map


def checked_layers(layers: Any, tile_map: TileMap | None = None) -> tuple[Layer, ...]:
    """Return layers as a tuple; raise TypeError if they are something else, such as names.

    Raise KeyError if one does not belong to the map, where one is given.
    """
    if isinstance(layers, Layer | str) or not isinstance(layers, Iterable):
        raise TypeError(f"layers must be a list of layers, got {shown(layers)}")
    found = tuple(layers)
    for layer in found:
        if not isinstance(layer, Layer):
            raise TypeError(f"layers must be layers of this map, got {shown(layer)}")
        if tile_map is not None and layer not in tile_map.layers:
            raise KeyError(f"{layer!r} belongs to another map")
    return found


def checked_fog(fog: Fog) -> Fog:
    """Return a fog, or anything that is asked like one; raise TypeError for something else."""
    return _of_grid(fog, "states", "fog must be a tilequad.nav.Fog")


def checked_field(field: Field) -> Field:
    """Return a field, or anything that is asked like one; raise TypeError for something else."""
    return _of_grid(field, "distances", "field must be a tilequad.nav.Field")


def checked_influence(influence: InfluenceMap) -> InfluenceMap:
    """Return an influence map, or anything that is asked like one; raise TypeError otherwise."""
    return _of_grid(influence, "totals", "influence must be a tilequad.nav.InfluenceMap")


def _of_grid(value: Asked, name: str, what: str) -> Asked:
    """Return what has an attribute, which may take long to compute, and a grid."""
    if all(hasattr(type(value), one) or hasattr(value, one) for one in (name, "grid")):
        return value
    raise TypeError(f"{what}, got {shown(value)}")


def checked_walls(walls: Walls) -> Walls:
    """Return walls, or anything that is asked like them; raise TypeError for something else."""
    if hasattr(walls, "move_and_slide"):
        return walls
    raise TypeError(f"walls must be tilequad.nav.Walls, got {shown(walls)}")


def checked_objects(objects: Objects) -> Objects:
    """Return which objects to draw; raise ValueError unless it is one of the three names."""
    if objects not in get_args(Objects):
        raise ValueError(f'objects must be "all", "art" or "none", got {shown(objects)}')
    return objects


def points_of(positions: ArrayLike, number: type[Number]) -> NDArray[Number]:
    """Return positions as an array, (n, 2), not copied if they are one of such numbers.

    Raise ValueError if they have another shape, but for an empty list, and TypeError for other
    things, such as sprites.
    """
    try:
        points = np.asarray(positions, number)
    except (TypeError, ValueError) as problem:  # such as sprites, or rows of different lengths
        raise type(problem)(f"positions must be numbers, (n, 2), got {shown(positions)}") from None
    if not points.size:
        return points.reshape(0, 2)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"positions must have shape (n, 2), got {points.shape}")
    return points


def set_rows(target: NDArray[Any], values: ArrayLike, name: str) -> None:
    """Set the rows of an array, one for each unit; raise ValueError if the values do not fit."""
    try:
        target[...] = values
    except (TypeError, ValueError):
        raise misfit(values, name, len(target)) from None


def misfit(values: Any, name: str, count: int) -> ValueError:
    """Return the error for values that do not fit so many units."""
    what = f"{name} must have one value for all {count} units, or a row for each"
    return ValueError(f"{what}, got {shown(values)}")


def rgba(colors: ArrayLike, count: int, name: str = "colors") -> NDArray[np.uint8]:
    """Return a color for each of `count` things, (count, 4), from one for all or one for each.

    Raise ValueError if there are more or fewer colors, or one has neither three nor four numbers
    from 0 to 255.
    """
    if not count:
        return np.empty((0, 4), np.uint8)
    try:
        found = np.asarray(colors)
    except ValueError:  # rows of different lengths
        raise misfit(colors, name, count) from None
    if found.dtype != np.uint8:
        is_number = found.dtype.kind in "iuf"
        # a number that does not fit would become another one
        if not (is_number and found.min(initial=0) >= 0 and found.max(initial=0) <= 255):
            raise ValueError(f"{name} must be from 0 to 255, got {shown(colors)}")
        found = found.astype(np.uint8)
    if found.ndim == 2 and len(found) not in (1, count):
        raise misfit(colors, name, count)
    if found.ndim not in (1, 2) or found.shape[-1] not in (3, 4):
        raise ValueError(f"a color must have three or four numbers, got {shown(colors)}")
    if found.shape[-1] == 3:
        found = np.concatenate((found, np.full((*found.shape[:-1], 1), 255, np.uint8)), axis=-1)
    return np.broadcast_to(found, (count, 4))
