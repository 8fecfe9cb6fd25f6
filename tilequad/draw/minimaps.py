"""Shared by the minimaps of all hosts: their size, their coordinates, and the fog over them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.array_kinds import Floats
from tilequad._core.checks import number_of
from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.draw.arguments import checked_fog, rgba
from tilequad.draw.cells import CellSpace
from tilequad.draw.map_views import MapViewBase
from tilequad.draw.overlays import DARKNESS, checked_darkness, pixel_places

if TYPE_CHECKING:
    from tilequad.nav import Fog, Grid

__all__ = ["MinimapBase"]


View = TypeVar("View", bound=MapViewBase)


class MinimapBase(Generic[View]):
    """What the minimaps of all hosts share: their arguments, the world under them, and its fog.

    Pixels are counted from the corner with the smallest x and y: the upper left one where y points
    down, the lower left one where it points up.
    """

    _view_type: type[View]  # the `MapView` of the host

    def __init__(
        self,
        map_view: View,
        size: int = 192,
        background: tuple[int, int, int] = (24, 26, 30),
        *,
        fog: Fog | None = None,
        team: int = 0,
    ) -> None:
        if not isinstance(map_view, self._view_type):
            raise TypeError(f"map_view must be a MapView of this package, got {shown(map_view)}")
        if not 1 <= number_of(size, "size") < inf:
            raise ValueError(f"size must be 1 or more, got {shown(size)}")
        self._map_view = map_view
        self._background = background
        self._size = size
        self.fog = None if fog is None else checked_fog(fog)
        self.team = team
        self._begin(map_view.tile_map.bounds)

    def _begin(self, bounds: Bounds) -> None:
        """Forget all pictures, and show a box of the world."""
        self._bounds = bounds
        longest = max(bounds.width, bounds.height, 1.0)
        self.width = max(round(bounds.width * self._size / longest), 1)
        self.height = max(round(bounds.height * self._size / longest), 1)
        self._grid: Grid | None = None
        # The cell at the center of each pixel, found once for a grid; -1 for none
        self._cells: NDArray[np.int64] = np.empty((0, 0), np.int64)
        self._known: tuple[Fog, int, int] | None = None  # the fog that was asked last
        self._prepare()

    def _prepare(self) -> None:
        """Make what the host needs."""
        raise NotImplementedError

    def _follow_bounds(self) -> None:
        """Show all of the map, which may have grown."""
        bounds = self._map_view.tile_map.bounds
        if bounds != self._bounds:
            self._begin(bounds)

    def world_at(self, x: float, y: float) -> tuple[float, float] | None:
        """Return the world point under a point of the picture, or None outside it.

        Args:
            x: Pixels from the picture's left edge, such as a mouse click's.
            y: Pixels from its upper edge, or where y points up, from its lower edge.
        """
        if not (0 <= x <= self.width and 0 <= y <= self.height):
            return None
        bounds = self._bounds
        return (
            bounds.min_x + x / self.width * bounds.width,
            bounds.min_y + y / self.height * bounds.height,
        )

    def _project(self, points: Floats) -> Floats:
        """Return the pixels at world points, both (n, 2)."""
        bounds = self._bounds
        extent = max(bounds.width, 1e-9), max(bounds.height, 1e-9)
        found: Floats = (points - (bounds.min_x, bounds.min_y)) / extent
        return found * (self.width, self.height)

    def _frame_color(self, color: ArrayLike) -> NDArray[np.uint8]:
        """Return the color of a frame, (4,); raise ValueError if it is none."""
        if np.ndim(color) != 1:
            raise ValueError(f"frame must be one color, got {shown(color)}")
        found: NDArray[np.uint8] = rgba(color, 1, "frame")[0]
        return found

    def _corners(self, seen: Bounds) -> Floats:
        """Return the corners of a box in pixels: the smallest x and y, then the largest."""
        return self._project(np.array([(seen.min_x, seen.min_y), (seen.max_x, seen.max_y)]))

    def _shades(self, fog: Fog) -> NDArray[np.uint8] | None:
        """Return how dark the pixels are, or None if nothing has changed since the last call.

        0 to 255, (height, width), the upper row first. Raise ValueError if there is no such team.
        """
        known = fog, fog.revision, self.team
        if known == self._known:
            return None
        shades = checked_darkness(DARKNESS).astype(np.uint8)
        states = fog.states(self.team)
        if fog.grid is not self._grid:
            self._grid = fog.grid
            x, y = pixel_places((self.width, self.height), self._bounds, self._map_view._y_up)
            self._cells = CellSpace(fog.grid.frame).nearest(x, y)
        found: NDArray[np.uint8] = shades.take(states.reshape(-1).take(self._cells, mode="clip"))
        found[self._cells < 0] = shades[0]
        self._known = known
        return found
