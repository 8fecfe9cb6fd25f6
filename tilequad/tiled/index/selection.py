"""Selections: spatial queries for tiles or objects of one class or with some properties."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from tilequad.bounds import Bounds

from ..cells import Floats, Ints
from ..filters import shown_filter
from .scattered_boxes import ScatteredBoxes
from .tile_store import distinct, whole_ids

__all__ = ["Selection", "TileSelection"]


class Selection:
    """Tiles or objects of a layer, for spatial queries.

    Queries test the box around the cell of a tile, not around its image, which may be taller. For
    an object they test the box around it as drawn. Ids are the layer's.

    Cost: some microseconds, and 80 nanoseconds for each that is found. After a change of objects,
    the first question looks for them anew: one to two microseconds for each object of the layer.

    Example:
        >>> from tilequad import load_map
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> trees = tile_map.layer("trees")
        >>> wood = trees.select({"resource": "wood"})
        >>> tree = wood.nearest(4000, 4000)
        >>> column, row = trees.cells([tree])[0].tolist()
        >>> trees.clear_tile(column, row)  # felled
        >>> wood.nearest(4000, 4000) == tree
        False
        >>> towers = tile_map.layer("places").select(class_name="tower")
        >>> len(towers.within(4000, 4000, 5000)) > 0
        True
    """

    _layer: Any  # the object layer; its module needs this one
    _wanted: tuple[dict[str, Any], str | None]
    _known: ScatteredBoxes | None = None
    _known_of: Floats | None = None

    def __init__(self) -> None:
        raise TypeError(f"a {type(self).__name__} comes from a layer: layer.select(...)")

    @classmethod
    def _from(cls, layer: Any, properties: dict[str, Any], class_name: str | None) -> Selection:
        selection = cls.__new__(cls)
        selection._layer = layer
        selection._wanted = properties, class_name
        return selection

    @property
    def _boxes(self) -> ScatteredBoxes:
        """The boxes of the objects, made anew after a reload has changed some."""
        boxes = self._layer._boxes
        if self._known is None or self._known_of is not boxes:
            ids: Ints = self._layer._matching(*self._wanted)
            self._known, self._known_of = ScatteredBoxes(ids, boxes[ids]), boxes
        return self._known

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} object{'s' * (len(self) != 1)}>"

    def __len__(self) -> int:
        """Return the number of tiles or objects."""
        return len(self._boxes)

    @property
    def ids(self) -> Ints:
        """The ids of all tiles or objects, in draw order.

        Cost: sorts them, some 20 nanoseconds each, so keep the array.
        """
        return self._in_draw_order(self._boxes.keys())

    def query(self, bounds: Sequence[float]) -> Ints:
        """Find the tiles or objects whose box overlaps another; touching counts.

        Args:
            bounds: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Ids in draw order, int32, shape (n,).

        Raises:
            ValueError: `bounds` is not four finite numbers, or a minimum exceeds its maximum.
        """
        return self._in_draw_order(self._boxes.query(Bounds.of(bounds, "bounds")))

    def boxes(self, ids: Ints) -> Floats:
        """Return the boxes that queries test.

        Cost: 60 nanoseconds for each.

        Args:
            ids: Ids as `query` gives them.

        Returns:
            min_x, min_y, max_x, max_y in world units; float64, shape (n, 4).

        Raises:
            KeyError: An id is not in the selection.
            TypeError: `ids` contains something other than whole numbers.
        """
        asked = whole_ids(ids)
        short = asked.astype(np.int32)
        unknown = asked[asked != short]  # no layer has such an id
        if len(unknown):
            raise KeyError(int(unknown[0]))
        return self._boxes.boxes(short)

    def within(self, x: float, y: float, radius: float) -> Ints:
        """Find the tiles or objects whose box is at most `radius` away from a point.

        Args:
            x: The point, in world units.
            y: The point.
            radius: In world units; a box exactly at that distance counts.

        Returns:
            Ids in draw order, int32, shape (n,).

        Raises:
            ValueError: A number is not finite, or the radius is negative.
        """
        return self._in_draw_order(self._boxes.within(x, y, radius))

    def nearest(self, x: float, y: float, max_distance: float = inf) -> int | None:
        """Find the tile or object whose box is nearest to a point; the first drawn wins ties.

        Args:
            x: The point, in world units.
            y: The point.
            max_distance: Ignore boxes farther away than this, in world units.

        Returns:
            Its id; None if nothing is near enough.

        Raises:
            ValueError: A number is not finite, or the distance is negative.
        """
        nearest = self._in_draw_order(self._boxes.nearest(x, y, max_distance))
        return int(nearest[0]) if len(nearest) else None

    def _in_draw_order(self, ids: Ints) -> Ints:
        return np.sort(ids)


class TileSelection(Selection):
    """The tiles of a layer that have a class or some properties.

    The selection follows its layer: it finds a new wall, and no longer finds a felled tree.

    Attributes:
        layer: The `TileLayer`.
        properties: The properties to match.
        class_name: The class to match; None for any.
    """

    layer: Any
    properties: dict[str, Any]
    class_name: str | None

    @classmethod
    def _follow(
        cls, layer: Any, properties: dict[str, Any], class_name: str | None
    ) -> TileSelection:
        selection = cls.__new__(cls)
        selection.layer = layer
        selection.properties = properties
        selection.class_name = class_name
        selection._known = selection._boxes
        return selection

    @property
    def _boxes(self) -> ScatteredBoxes:
        """The boxes of the tiles, made anew after a change that has been interrupted."""
        if self._known is None:
            ids = self._matching(self.layer.ids())
            self._known = ScatteredBoxes(ids, _boxes_around(self.layer.outlines(ids)))
        return self._known

    def __repr__(self) -> str:
        which = ", ".join(shown_filter(self.properties, self.class_name)) or "all"
        return f"<{type(self).__name__} {which}: {len(self):,} of {self.layer!r}>"

    def segment(self, x0: float, y0: float, x1: float, y1: float) -> Ints:
        """Find the tiles whose cells a segment touches, such as walls in a line of sight.

        Cells have their true shape: a segment that touches only the box of a diamond misses it.
        Cells are closed: a segment through a corner touches all cells that meet there.

        Args:
            x0: The start, in world units.
            y0: The start.
            x1: The end.
            y1: The end.

        Returns:
            Ids by distance from the start, ties in draw order; int32, shape (n,).

        Raises:
            ValueError: A number is not finite.
        """
        ids = self._in_draw_order(self._boxes.segment(x0, y0, x1, y1))
        outlines = self.layer.outlines(ids)
        times = _touch_times(outlines, np.array((x0, y0)), np.array((x1, y1)))
        order = np.argsort(times, kind="stable")
        return ids[order[np.isfinite(times[order])]]

    def _tiles_changed(self, ids: Ints) -> None:
        """Update the selection after the layer has changed some cells."""
        boxes, self._known = self._known, None
        if boxes is None:
            return
        for tile_id in ids.tolist():
            boxes.remove(tile_id)
        matching = self._matching(ids)
        if len(matching):
            boxes.add(matching, _boxes_around(self.layer.outlines(matching)))
        self._known = boxes

    def _layer_changed(self) -> None:
        """Ask all tiles again after a reload that has changed more than some cells."""
        self._known = None

    def _matching(self, ids: Ints) -> Ints:
        gids = self.layer.gids(ids)
        kinds, _ = distinct(gids)
        wanted = [
            gid
            for gid in kinds.tolist()
            if gid != 0 and self.layer.tilesets.matches(gid, self.properties, self.class_name)
        ]
        return ids[np.isin(gids, np.array(wanted, np.uint32))]

    def _in_draw_order(self, ids: Ints) -> Ints:
        ordered: Ints = self.layer._tiles.in_draw_order(ids)
        return ordered


def _boxes_around(outlines: Floats) -> Floats:
    return np.concatenate((outlines.min(axis=1), outlines.max(axis=1)), axis=1)


def _touch_times(polygons: Floats, start: Floats, end: Floats) -> Floats:
    """Return when a point on its way from `start` to `end` first touches polygons, (n, k, 2).

    Times are from 0 to 1, infinity for polygons that it never touches. These are convex; corners
    are in either sense and may coincide. The half-plane of every side clips the segment (Cyrus and
    Beck, 1978).
    """
    following = np.roll(polygons, -1, axis=1)
    sides = following - polygons
    # twice the signed area: its sign is the sense of rotation
    area = (polygons[:, :, 0] * following[:, :, 1] - polygons[:, :, 1] * following[:, :, 0]).sum(1)
    inward = np.where(area >= 0, 1.0, -1.0)[:, None]
    normal_x, normal_y = -sides[:, :, 1] * inward, sides[:, :, 0] * inward
    away = start - polygons
    ahead = normal_x * away[:, :, 0] + normal_y * away[:, :, 1]  # >= 0 on the inner side
    speed = normal_x * (end[0] - start[0]) + normal_y * (end[1] - start[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        times = -ahead / speed
    enters = np.where(speed > 0, times, 0.0).max(axis=1, initial=0.0)
    leaves = np.where(speed < 0, times, 1.0).min(axis=1, initial=1.0)
    outside = ((speed == 0) & (ahead < 0)).any(axis=1)
    return np.where(outside | (enters > leaves), np.inf, enters)
