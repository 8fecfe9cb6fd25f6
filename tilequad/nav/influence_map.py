"""Influence maps: how strong units are where, such as the threat to a team, and its support."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tilequad._core.array_kinds import Floats, Ints
from tilequad._core.arrays import as_rows, finite_points, own_array
from tilequad._core.checks import check_point, checked_positive, mask_of, number_of
from tilequad._core.tree.rows import INFLUENCES, RowReader, need, row_from
from tilequad._core.tree.units import slots_of
from tilequad._core.turns import Turns
from tilequad._core.ways.influences import Influences
from tilequad._core.ways.layout import FALLOFF, LANES, LATTICE, STAGGERED_COLUMNS
from tilequad.nav._shapes import Shape
from tilequad.nav.grid import Grid, ground_of
from tilequad.quadtree.dynamic import DynamicQuadtree, check_tree, store_of

__all__ = ["InfluenceMap"]

Values: TypeAlias = "float | Floats"
State: TypeAlias = tuple[bytes, bytes, int]


class InfluenceMap:
    """How much influence units have on each cell, such as the threat of all who fight a team.

    A unit adds `value * (1 - distance / radius)` to each cell nearer than the radius, measured
    between the centers of the cells; walls do not stop it. So a map of the enemies is the threat to
    a team, one of its own units its support, and the difference of both tells who holds a place.

    The map follows its units with `update`. Values count in steps of 1/65,536, falloffs in steps of
    1/4,096, and their sums are exact: a map depends only on who is where, not on how they came
    there, and one that was kept up equals a new one to the bit. A unit outside the grid has no
    influence. The map can be pickled and copied together with the grid and the tree.

    Cost: an update compares each unit of the tree with what it was before, in 5 to 10 nanoseconds,
    and stamps those that are in another cell: for a radius of 8 cells, 0.1 microseconds for a step
    to a cell beside, and twice as much for a leap. For larger ones, a leap takes half a nanosecond
    for each cell of the circle: 0.06 seconds for 10,000 units and 60 cells.
    Memory: 8 bytes for each cell, 12 for each slot, and 72 for each cell of the largest circle.

    Args:
        grid: The cells.
        units: The tree; its units count where they were at the last update.
        radius: How far the influence of a unit reaches, in world units.
        values: How much a unit counts: one number for all, or an array with a number for each slot.
            An array of float64 is read anew at each update, any other one is copied. Numbers may be
            negative.
        groups: A mask; only units in one of these groups count. None for all.
        without: A mask; leave out units in any of these groups. None for none.

    Raises:
        TypeError: `grid` is not a Grid, `units` is not a tree, or a mask is not a whole number.
        ValueError: `radius` is not above 0 or not finite, a mask is out of range, or what `update`
            raises.

    Example:
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.nav import Grid, InfluenceMap
        >>> RED, BLUE = 1, 2
        >>> units = DynamicQuadtree((0, 0, 80, 10))
        >>> units.add("orc", 15, 5, groups=RED)
        >>> units.add("elf", 65, 5, groups=BLUE)
        >>> threat = InfluenceMap(Grid([[True] * 8], cell_size=10), units, 40, groups=RED)
        >>> threat.totals.tolist()
        [[0.75, 1.0, 0.75, 0.5, 0.25, 0.0, 0.0, 0.0]]
        >>> units.move("orc", 35, 5)
        >>> threat.update()
        >>> threat.at(65, 5), threat.at_many([(35, 5), (25, 5), (99, 99)]).tolist()
        (0.25, [1.0, 0.75, 0.0])
    """

    def __init__(
        self,
        grid: Grid,
        units: DynamicQuadtree[Any],
        radius: float,
        values: float | ArrayLike = 1.0,
        *,
        groups: int | None = None,
        without: int | None = None,
    ) -> None:
        self._ground = ground_of(grid)
        check_tree(units)
        number = checked_positive(radius, "radius")
        self._grid = grid
        self._units = units
        self._radius = number
        self._groups, self._without = groups, without
        self._masks = mask_of(groups, "groups"), mask_of(without, "without")
        self.values = values
        self._core: Influences | None = None
        self._state: State = b"", b"", 0  # what is pickled of the core
        self._turns = Turns("use an influence map while it changes")
        self.update()

    def __repr__(self) -> str:
        return f"<InfluenceMap of {self._units!r} over {self._radius:g}, {self._grid!r}>"

    @property
    def grid(self) -> Grid:
        """The cells."""
        return self._grid

    @property
    def units(self) -> DynamicQuadtree[Any]:
        """The tree."""
        return self._units

    @property
    def radius(self) -> float:
        """How far the influence of a unit reaches, in world units."""
        return self._radius

    @property
    def groups(self) -> int | None:
        """Mask of the groups that count; None means all."""
        return self._groups

    @property
    def without(self) -> int | None:
        """Mask of the groups that do not count; None means none."""
        return self._without

    @property
    def values(self) -> Values:
        """How much a unit counts: one number, or an array by slot. It may be set at any time."""
        return self._values

    @values.setter
    def values(self, value: float | ArrayLike) -> None:
        if np.ndim(value) == 0:
            self._values: Values = number_of(value, "values")
            return
        kept = isinstance(value, np.ndarray) and value.dtype == np.float64
        given = value if kept else own_array(value, "values")
        if given.ndim != 1:  # type: ignore[union-attr]
            raise ValueError(f"values must be one number or (slots,), got shape {np.shape(value)}")
        self._values = given  # type: ignore[assignment]

    @property
    def revision(self) -> int:
        """Counts the updates that changed something; a picture is outdated once this has grown."""
        return self._ready().revision

    def update(self) -> None:
        """Follow the units: those that came, moved, left, changed their groups or their values.

        Raises:
            RuntimeError: The tree is being changed.
            ValueError: `values` has no number for a slot in use, or one that is NaN, or more than
                33,554,432, as all of them together without their signs must not be. Nothing
                changes then.
        """
        core = self._ready()
        shared = isinstance(self._values, float)
        values = np.array([self._values]) if shared else np.ascontiguousarray(self._values)
        with self._turns:
            core.update(store_of(self._units), *self._masks, values.data, shared)

    # -- questions ---------------------------------------------------------------------------------

    def at(self, x: float, y: float) -> float:
        """Return the total influence on the cell at a point; 0.0 outside the grid.

        Args:
            x: The point, in world units.
            y: The point.

        Raises:
            ValueError: A number is not finite.
        """
        check_point(x, y)
        return self._ready().at(x, y)

    def at_many(self, xy: ArrayLike) -> Floats:
        """Return the total influence at each of many points, as `at` does.

        Cost: 10 nanoseconds for each point.

        Args:
            xy: Points in world units, with a last axis of two.

        Returns:
            Array with the shape of `xy` without its last axis.

        Raises:
            ValueError: A point is not two finite numbers.
        """
        points = finite_points(xy, "xy")
        found = np.zeros(points.shape[:-1])
        if found.size:
            self._ready().fill(as_rows(points).data, found.reshape(-1).data)
        return found

    @property
    def totals(self) -> Floats:
        """The total influence on each cell; a new array, (rows, columns)."""
        return self._ready().picture()

    # -- keeping -----------------------------------------------------------------------------------

    def _ready(self) -> Influences:
        """Return the totals, restored if they were saved, mended if an interrupt cut an update."""
        core = self._core
        if core is None or core.torn:
            with self._turns:
                core = self._core
                if core is None:
                    core = Influences(self._ground, *stamps_of(self._ground.shape, self._radius))
                    if not core.restore(*self._state):
                        raise ValueError("the saved state does not fit the grid")
                    self._core, self._state = core, (b"", b"", 0)
                core.mend()
        return core

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_core"], state["_state"] = None, self._ready().state()
        return state

    # -- for `pack` and `unpack` of tilequad.ai ---

    _kind = INFLUENCES

    def _packed(self, slots: int) -> dict[str, memoryview]:
        spots, weights, _ = self._ready().state()
        return {
            "spots": row_from("i", np.frombuffer(spots, np.int32)[:slots]),
            "weights": row_from("d", np.frombuffer(weights)[:slots]),
        }

    def _read(self, reader: RowReader, tree: DynamicQuadtree[Any]) -> Callable[[], None]:
        spots = reader.take("spots", "i")
        weights = reader.take("weights", "d", len(spots))
        reader.end()
        need(len(spots) <= slots_of(store_of(tree)), "the number of units")
        core = Influences(self._ground, *stamps_of(self._ground.shape, self._radius))
        state = spots.tobytes(), weights.tobytes(), self.revision + 1
        need(core.restore(*state), "the cell or the value of a unit")
        return partial(setattr, self, "_core", core)


# -- how much influence each cell around a unit has, and what a step changes ---


def stamps_of(shape: Shape, radius: float) -> tuple[Ints, Ints, Floats]:
    """Return the rows of all stamps, where those of each end, and their falloffs.

    A unit has `1 - distance / radius` of its influence on a cell, measured from center to center.
    """
    own = [_falloffs(shape, radius, shifted) for shifted in (0, 1)]
    rows: list[tuple[int, int, int, int]] = []
    ends, falloffs, count = [], [], 0
    for shifted in (0, 1) if shape.kind != LATTICE else (0,):
        for line in (-1, 0, 1):
            then = own[shifted ^ (line & 1)] if shape.kind != LATTICE else own[shifted]
            for place in (-1, 0, 1):
                stamp = np.pad(then, 1)
                if line or place:
                    stamp = np.roll(stamp, (line, place), (0, 1)) - np.pad(own[shifted], 1)
                high, wide = stamp.shape[0] // 2, stamp.shape[1] // 2
                for at in np.flatnonzero(stamp.any(axis=1)).tolist():
                    used = np.flatnonzero(stamp[at])
                    part = stamp[at, used[0] : used[-1] + 1]
                    part = np.pad(part, (0, -len(part) % LANES))
                    rows.append((at - high, int(used[0]) - wide, len(part), count))
                    falloffs.append(part)
                    count += len(part)
                ends.append(len(rows))
    return np.array(rows, np.int32), np.array(ends, np.int32), np.concatenate(falloffs)


def _falloffs(shape: Shape, radius: float, shifted: int) -> Floats:
    """The falloff of each cell around one in a line that is shifted or not, as whole numbers.

    The one is in the middle.
    """
    lines, places = (shape.rows, shape.columns)[:: -1 if shape.kind == STAGGERED_COLUMNS else 1]
    frame = shape.frame
    if shape.kind == LATTICE:
        steps = np.array([frame[4:6], frame[2:4]])
        gram = steps @ steps.T
        area = gram[0, 0] * gram[1, 1] - gram[0, 1] * gram[0, 1]
        bounds = radius * np.sqrt(np.array([gram[1, 1], gram[0, 0]]) / area) + 1.0
    else:
        bounds = np.array([radius / abs(frame[3]), radius / abs(2 * frame[1]) + 1.0]) + 1.0
    high, wide = np.minimum(np.floor(bounds), (lines - 1, places)).astype(int).tolist()
    line, place = np.arange(-high, high + 1)[:, None], np.arange(-wide, wide + 1)
    if shape.kind == LATTICE:
        x = line * steps[0, 0] + place * steps[1, 0]
        y = line * steps[0, 1] + place * steps[1, 1]
    else:
        x = (2 * place + (line & 1) * (1 - 2 * shifted)) * frame[1]
        y = np.broadcast_to(line * frame[3], x.shape)
    found: Floats = np.rint(FALLOFF * (1.0 - np.sqrt(x * x + y * y) / radius)).clip(0.0)
    return found
