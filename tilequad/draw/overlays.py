"""Shared by the overlays of all hosts: what they take, follow and show; what a query visits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Floats
from tilequad._core.checks import checked_positive
from tilequad._core.shown import shown
from tilequad.bounds import Bounds
from tilequad.draw.arguments import (
    checked_color,
    checked_field,
    checked_fog,
    checked_influence,
)
from tilequad.draw.cells import CellSpace, checked_soft
from tilequad.tiled import Color
from tilequad.tiled.index.lattice_index import seen

if TYPE_CHECKING:
    from tilequad.nav import CellFrame, Field, Fog, InfluenceMap

__all__ = [
    "DARKNESS",
    "FADING",
    "FAR",
    "HIGH",
    "LOW",
    "NEAR",
    "CellOverlay",
    "CellsOfField",
    "CellsOfFog",
    "CellsOfInfluence",
    "boxes_of",
    "checked_darkness",
    "field_pixels",
    "influence_pixels",
    "node_lines",
    "pixel_places",
    "visited_by",
]


DARKNESS = 255, 150  # of cells never seen, and of cells seen before
NEAR: Color = (255, 214, 90, 150)
FAR: Color = (70, 40, 150, 150)
HIGH: Color = (220, 40, 30, 150)
LOW: Color = (40, 90, 220, 150)
FADING = 8.0, 80.0  # pixels; boxes of nodes this large are invisible, and not faded
BANDS = 24  # how many bands there are by default
SHADES = 1024  # steps of the colors and of a band; a power of two
STRIP = 128  # rows painted at a time, so that they stay in the processor's cache


class FieldColors(NamedTuple):
    """The colors of distances."""

    max_distance: float  #: the distance that has the last color
    band: float  #: the width of a band, from dark to dark, in world units
    near: Color  #: of distance 0
    far: Color  #: of `max_distance`


def checked_darkness(darkness: tuple[int, int]) -> NDArray[np.float32]:
    """Return the darkness of the three states; raise ValueError unless both are from 0 to 255."""
    try:
        unseen, before = darkness
        if 0 <= unseen <= 255 and 0 <= before <= 255:
            return np.array([unseen, before, 0], np.float32)
    except (TypeError, ValueError):
        pass
    raise ValueError(f"darkness must be two numbers from 0 to 255, got {shown(darkness)}")


def checked_colors(
    distances: NDArray[np.float32],
    max_distance: float | None,
    band: float | None,
    near: Color,
    far: Color,
) -> FieldColors:
    """Return the colors of `FieldValues.distances`; raise ValueError for a wrong argument."""
    if max_distance is None:
        max_distance = float(distances.max(initial=0)) or 1.0
    longest = checked_positive(max_distance, "max_distance")
    width = longest / BANDS if band is None else checked_positive(band, "band")
    return FieldColors(longest, width, checked_color(near, "near"), checked_color(far, "far"))


class Tints(NamedTuple):
    """The colors of influence."""

    full: float  #: the influence, above or below 0, that has the whole color
    high: Color  #: of an influence above 0
    low: Color  #: of one below 0


def checked_tints(totals: Floats, full: float | None, high: Color, low: Color) -> Tints:
    """Return the colors; raise ValueError unless `full` is above 0."""
    if full is None:
        full = float(np.abs(totals).max()) or 1.0
    most = checked_positive(full, "full")
    return Tints(most, checked_color(high, "high"), checked_color(low, "low"))


def pixel_places(
    size: tuple[int, int], bounds: Sequence[float], y_up: bool
) -> tuple[Floats, Floats]:
    """Return the centers of the pixels of a picture: x, (1, width), and y, (height, 1)."""
    box = Bounds.of(bounds)
    width, height = size
    x: Floats = box.min_x + np.arange(0.5, width) * (box.width / width)
    y: Floats = box.min_y + np.arange(0.5, height) * (box.height / height)
    return x[None, :], (y[::-1] if y_up else y)[:, None]


class FieldValues(NamedTuple):
    """The distances of a field as its overlays blend them, (rows, columns)."""

    distances: NDArray[np.float32]  #: the distance from each cell; 0 where no way leads
    known: NDArray[np.float32]  #: 1 where a way leads, else 0

    @classmethod
    def of(cls, distances: Floats) -> FieldValues:
        """Return the values of `Field.distances`."""
        found = distances.astype(np.float32)
        known = found < np.inf
        np.copyto(found, 0.0, where=~known)
        return cls(found, known.astype(np.float32))


def field_pixels(
    values: FieldValues, colors: FieldColors, space: CellSpace, x: Floats, y: Floats
) -> NDArray[np.uint8]:
    """Return the colors of the pixels of a raster: red, green, blue, alpha, (height, width, 4).

    x is that of the columns in world units, (1, width), and y that of the rows, (height, 1).
    """
    steps = np.linspace(0, 1, SHADES)[:, None]
    shades = (np.array(colors.near) * (1 - steps) + np.array(colors.far) * steps + 0.5).astype("u1")
    waves = 0.7 + 0.3 * np.cos(np.arange(SHADES) * (2 * np.pi / SHADES)).astype(np.float32)
    alphas, pixels = shades[:, 3].astype(np.float32), shades.view(np.uint32)[:, 0].copy()
    # Nothing narrower than this is told apart, and numbers stay below 2 ** 30.
    finest = max(float(values.distances.max(initial=0)) / 2**20, 1e-20)
    shade = np.float32(SHADES / max(colors.max_distance, finest))
    wave = np.float32(SHADES / max(colors.band, finest))
    found = np.empty((len(y), x.shape[1], 4), np.uint8)
    for start in range(0, len(y), STRIP):
        strip = found[start : start + STRIP]
        places = x, y[start : start + STRIP], 1.0
        distance = space.blend(values.distances, 0.0, *places)
        share = space.blend(values.known, 0.0, *places)
        distance /= share + np.float32(1e-9)
        share *= waves.take((distance * wave).astype(np.int32) & (SHADES - 1))
        distance *= shade
        numbers = np.minimum(distance, SHADES - 1, out=distance).astype(np.intp)
        share *= alphas.take(numbers)
        share += 0.5
        strip.view(np.uint32)[..., 0] = pixels.take(numbers)
        strip[..., 3] = share
    return found


def influence_pixels(
    totals: Floats, tints: Tints, space: CellSpace, x: Floats, y: Floats
) -> NDArray[np.uint8]:
    """Return the colors of points of the world: red, green, blue, alpha, (..., 4)."""
    share = space.blend(totals.astype(np.float32), 0.0, x, y, 1.0) / tints.full
    found = np.where((share > 0.0)[..., None], tints.high, tints.low)
    found[..., 3] = found[..., 3] * np.minimum(np.abs(share), 1.0) + 0.5
    return found.astype(np.uint8)


def boxes_of(nodes: NDArray[np.void]) -> Floats:
    """Return the boxes of the nodes of a tree, (n, 4); raise TypeError for anything else."""
    if not (isinstance(nodes, np.ndarray) and nodes.dtype.names and "min_x" in nodes.dtype.names):
        raise TypeError(f"nodes must be what nodes() of a tree returns, got {shown(nodes)}")
    return np.stack([nodes[side] for side in ("min_x", "min_y", "max_x", "max_y")], axis=1)


def node_lines(
    nodes: NDArray[np.void], color: Color, asked: Sequence[float] | None, lit: Color
) -> tuple[Floats, NDArray[np.uint8]]:
    """Return the boxes of the nodes of a tree and their colors, (n, 4) each.

    Those that a question visits have the color `lit`, and come last, on top. Raise TypeError for
    nodes that are not what `nodes()` returns, ValueError as `visited_by`.
    """
    boxes = boxes_of(nodes)
    visited = np.zeros(len(boxes), bool) if asked is None else visited_by(boxes, asked)
    order = np.argsort(visited, kind="stable")
    colors = np.array([color, lit], np.uint8)[visited.astype(np.int64)]
    return boxes[order], colors[order]


def visited_by(boxes: Floats, asked: Sequence[float]) -> NDArray[np.bool_]:
    """Return which nodes a query visits: all that its box, or circle (x, y, radius), touches.

    Raise ValueError if `asked` has neither three nor four numbers, or the four are not a box.
    """
    try:
        numbers = len(asked)
    except TypeError:
        numbers = 0
    if numbers == 4:
        return seen(boxes, Bounds.of(asked, "asked"))
    if numbers != 3:
        raise ValueError(f"asked must have three or four numbers, got {shown(asked)}")
    x, y, radius = asked
    beside = np.maximum(boxes[:, :2] - (x, y), (x, y) - boxes[:, 2:]).clip(0)
    touched: NDArray[np.bool_] = (beside * beside).sum(axis=1) <= radius * radius
    return touched


class CellOverlay:
    """An overlay of the cells of a grid. The class of a host comes first among the bases."""

    def _begin(self, frame: CellFrame) -> None:
        """Make what shows cells that lie there."""
        self._space = CellSpace(frame)

    def _content(self) -> tuple[object, ...]:
        """Return what is shown, to compare it."""
        raise NotImplementedError


class CellsOfFog(CellOverlay):
    """What a team does not see."""

    def __init__(
        self,
        fog: Fog,
        team: int = 0,
        *,
        soft: float = 1.0,
        darkness: tuple[int, int] = DARKNESS,
    ) -> None:
        self._shades = checked_darkness(darkness)
        self.fog = checked_fog(fog)
        self.team = team
        self._soft = checked_soft(soft)
        self._begin(fog.grid.frame)

    def _content(self) -> tuple[object, ...]:
        return self.fog, self.fog.revision, self.team

    def _dark(self) -> NDArray[np.float32]:
        """Return how dark each cell is, 0 to 255; raise ValueError if there is no such team."""
        return self._shades.take(self.fog.states(self.team))

    def _dark_at(self, x: Floats, y: Floats) -> NDArray[np.uint8]:
        """Return how dark it is at points of the world, x (1, width) and y (height, 1)."""
        dark = self._space.blend(self._dark(), float(self._shades[0]), x, y, self._soft)
        return (dark + 0.5).astype(np.uint8)


class CellsOfField(CellOverlay):
    """How far it is to the goals of a field."""

    def __init__(
        self,
        field: Field,
        *,
        max_distance: float | None = None,
        band: float | None = None,
        near: Color = NEAR,
        far: Color = FAR,
    ) -> None:
        self._given = max_distance, band, near, far
        checked_colors(np.zeros((1, 1), np.float32), *self._given)
        self.field = checked_field(field)
        self._begin(field.grid.frame)

    def _content(self) -> tuple[object, ...]:
        return self.field, self.field.revision

    def _measured(self) -> tuple[FieldValues, FieldColors]:
        """Return the distances and their colors."""
        values = FieldValues.of(self.field.distances)
        return values, checked_colors(values.distances, *self._given)


class CellsOfInfluence(CellOverlay):
    """How great the influence of units is."""

    def __init__(
        self,
        influence: InfluenceMap,
        *,
        full: float | None = None,
        high: Color = HIGH,
        low: Color = LOW,
    ) -> None:
        self._given = full, high, low
        checked_tints(np.zeros((1, 1)), *self._given)
        self.influence = checked_influence(influence)
        self._begin(influence.grid.frame)

    def _content(self) -> tuple[object, ...]:
        return self.influence, self.influence.revision

    def _measured(self) -> tuple[NDArray[np.float64], Tints]:
        """Return the influence on each cell, and its colors."""
        totals = self.influence.totals
        return totals, checked_tints(totals, *self._given)
