"""Checks of arguments that the packages of all hosts share; each error names its argument."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.shown import shown
from tilequad.tiled import Color, Layer, TileMap

if TYPE_CHECKING:
    from tilequad.nav import Field, Fog, InfluenceMap

__all__ = [
    "Objects",
    "checked_color",
    "checked_field",
    "checked_fog",
    "checked_influence",
    "checked_layers",
    "checked_objects",
    "checked_tile_map",
    "points_of",
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


def checked_layers(layers: Any) -> tuple[Layer, ...]:
    """Return layers as a tuple; raise TypeError if they are something else, such as names."""
    if isinstance(layers, Layer | str) or not isinstance(layers, Iterable):
        raise TypeError(f"layers must be a list of layers, got {shown(layers)}")
    found = tuple(layers)
    for layer in found:
        if not isinstance(layer, Layer):
            raise TypeError(f"layers must be layers of this map, got {shown(layer)}")
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


def checked_objects(objects: Objects) -> Objects:
    """Return which objects to draw; raise ValueError unless it is one of the three names."""
    if objects not in get_args(Objects):
        raise ValueError(f'objects must be "all", "art" or "none", got {shown(objects)}')
    return objects


def points_of(positions: ArrayLike, number: type[Number]) -> NDArray[Number]:
    """Return positions as an array, (n, 2), not copied if they are one of such numbers.

    Raise ValueError if they have another shape, but for an empty list.
    """
    points = np.asarray(positions, number)
    if not points.size:
        return points.reshape(0, 2)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"positions must have shape (n, 2), got {points.shape}")
    return points
