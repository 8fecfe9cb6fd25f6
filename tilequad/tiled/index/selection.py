"""Tiles and objects of a kind: the nearest wood, the walls in the way of an arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from .. import cells
from ..geometry.polygons import touch_times
from .scattered_boxes import ScatteredBoxes

__all__ = ["Selection", "TileSelection"]

Ids = NDArray[np.int32]


class Selection:
    """Some tiles or objects of a layer, asked by place.

    Questions are about a box for each: that around the cell of a tile, not around its image, which
    may be taller; that around an object as it is drawn. Ids are those of the layer.

    Example:
        >>> from tilequad import load_map
        >>> world = load_map("maps/frontier.tmx")
        >>> trees = world.layer("trees")
        >>> wood = trees.select(resource="wood")
        >>> tree = wood.nearest(4000, 4000)
        >>> column, row = trees.cells([tree])[0].tolist()
        >>> trees.clear_tile(column, row)  # felled
        >>> wood.nearest(4000, 4000) == tree
        False
        >>> towers = world.layer("places").select(class_name="tower")
        >>> len(towers.within(4000, 4000, 5000)) > 0
        True
    """

    def __init__(self, ids: Ids, boxes: NDArray[np.float64]) -> None:
        self._boxes = ScatteredBoxes(ids, boxes)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} object{'s' * (len(self) != 1)}>"

    def __len__(self) -> int:
        """Number of tiles or objects."""
        return len(self._boxes)

    @property
    def ids(self) -> Ids:
        """The ids of all of them, in draw order."""
        return self._in_draw_order(self._boxes.keys())

    def query(self, view: Sequence[float]) -> Ids:
        """The ids of those whose box shares a point with a box.

        Args:
            view: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Ids in draw order, int32, shape (n,).

        Raises:
            ValueError: The view is no box.
        """
        return self._in_draw_order(self._boxes.query(Bounds.of(view, "view")))

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """The boxes of some of them, that the questions are about.

        Args:
            ids: Ids as `query` gives them.

        Returns:
            min_x, min_y, max_x, max_y in world units; float64, shape (n, 4).

        Raises:
            KeyError: An id is not in the selection.
        """
        return self._boxes.boxes(np.asarray(ids, np.int32))

    def within(self, x: float, y: float, radius: float) -> Ids:
        """The ids of those whose box is at most `radius` away from a point.

        Args:
            x: The point, in world units.
            y: The point.
            radius: In world units; a box exactly as far away counts.

        Returns:
            Ids in draw order, int32, shape (n,).

        Raises:
            ValueError: A number is not finite, or the radius is negative.
        """
        return self._in_draw_order(self._boxes.within(x, y, radius))

    def nearest(self, x: float, y: float, max_distance: float = inf) -> int | None:
        """The id of the one whose box is nearest to a point; of equally near ones the first drawn.

        Args:
            x: The point, in world units.
            y: The point.
            max_distance: How far away it may be.

        Returns:
            Its id, or None where there is none.

        Raises:
            ValueError: A number is not finite, or the distance is negative.
        """
        nearest = self._in_draw_order(self._boxes.nearest(x, y, max_distance))
        return int(nearest[0]) if len(nearest) else None

    def _in_draw_order(self, ids: Ids) -> Ids:
        return np.sort(ids)


class Tilesets(Protocol):
    """What a selection of tiles needs of their tilesets."""

    def matches(self, gid: int, class_name: str | None, properties: dict[str, Any]) -> bool:
        """Whether a tile has the class, unless that is None, and all of the properties."""


class Tiles(Protocol):
    """What a selection of tiles needs of their layer."""

    @property
    def tilesets(self) -> Tilesets:
        """The tilesets of the map."""

    def ids(self) -> Ids:
        """The ids of all tiles, in draw order."""

    def gids(self, ids: cells.Ids) -> NDArray[np.uint32]:
        """The gids of tiles, without flip bits."""

    def outlines(self, ids: cells.Ids) -> NDArray[np.float64]:
        """The corners of their cells."""


class TileSelection(Selection):
    """Those tiles of a layer that are of a class or have some properties.

    The selection follows its layer: it no longer finds a felled tree, and it finds a new wall.

    Attributes:
        layer: The layer.
        class_name: The class asked for, or None for any.
        properties: The properties asked for.
    """

    def __init__(
        self,
        layer: Tiles,
        class_name: str | None,
        properties: dict[str, Any],
        in_draw_order: Callable[[Ids], Ids],
    ) -> None:
        self.layer = layer
        self.class_name = class_name
        self.properties = properties
        self._sorted = in_draw_order
        ids = self._chosen(layer.ids())
        super().__init__(ids, _boxes_around(layer.outlines(ids)))

    def __repr__(self) -> str:
        wanted = {} if self.class_name is None else {"class_name": self.class_name}
        named = [f"{name}={value!r}" for name, value in (wanted | self.properties).items()]
        which = ", ".join(named) or "all"
        return f"<{type(self).__name__} {which}: {len(self):,} of {self.layer!r}>"

    def segment(self, x0: float, y0: float, x1: float, y1: float) -> Ids:
        """The tiles whose cells a segment touches, the first one first: a line of sight.

        Cells are closed and have their true shape, so that a diamond is missed where only its box
        is touched; a segment through a corner touches all cells that meet there.

        Args:
            x0: Where it starts, in world units.
            y0: Where it starts.
            x1: Where it ends.
            y1: Where it ends.

        Returns:
            Ids in order of first touch, ties in draw order; int32, shape (n,).

        Raises:
            ValueError: A number is not finite.
        """
        ids = self._in_draw_order(self._boxes.segment(x0, y0, x1, y1))
        outlines = self.layer.outlines(ids)
        times = touch_times(outlines, np.array((x0, y0)), np.array((x1, y1)))
        order = np.argsort(times, kind="stable")
        found: Ids = ids[order[np.isfinite(times[order])]]
        return found

    def tiles_changed(self, ids: Ids) -> None:
        """Take over a change of the layer: these cells hold other tiles now, or none."""
        for number in ids.tolist():
            self._boxes.remove(number)
        chosen = self._chosen(ids)
        if len(chosen):
            self._boxes.add(chosen, _boxes_around(self.layer.outlines(chosen)))

    def _chosen(self, ids: Ids) -> Ids:
        """Those of some cells that hold a tile of the selection."""
        gids = self.layer.gids(ids)
        kinds = np.unique(gids)
        wanted = np.array([gid != 0 and self._wants(gid) for gid in kinds.tolist()], bool)
        chosen: Ids = ids[wanted[np.searchsorted(kinds, gids)]]
        return chosen

    def _in_draw_order(self, ids: Ids) -> Ids:
        return self._sorted(ids)

    def _wants(self, gid: int) -> bool:
        return self.layer.tilesets.matches(gid, self.class_name, self.properties)


def _boxes_around(outlines: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate((outlines.min(axis=1), outlines.max(axis=1)), axis=1)
