"""Separation: push overlapping units apart; buildings stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.ai._overlaps import push
from tilequad.ai.protocols import BatchIndex, SpatialIndex
from tilequad.bounds import Bounds

__all__ = ["separate", "separate_many"]

Footprint: TypeAlias = float | tuple[float, float]
Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


def separate(
    units: SpatialIndex,
    footprint: Footprint | Callable[[Any], Footprint],
    *,
    mass: float | Callable[[Any], float] = 1.0,
    groups: int | None = None,
    bounds: Sequence[float] | None = None,
    iterations: int = 1,
) -> dict[Any, tuple[float, float]]:
    """Push overlapping units apart and move them in the tree.

    Each pair is pushed apart along the shortest way, by as much as it overlaps, the lighter unit
    further than the heavier: after one iteration a single pair no longer overlaps. A unit in n
    pairs moves by the sum of its pushes divided by the square root of n, so a crowd spreads over a
    few calls instead of bursting. Units on exactly the same point leave it in different directions.
    The result is deterministic: the same units, added in the same order at the same positions, are
    pushed to the same positions.

    Costs one `pairs` query per iteration, plus work for the units that overlap.

    Args:
        units: The tree. It finds pairs by the footprints passed to its `add`.
        footprint: A unit's radius, or the (width, height) of its box, in world units; or a function
            of the unit that returns either. Smaller than in the tree lets units overlap a little;
            larger counts only where the tree finds a pair.
        mass: A unit's mass above 0, or a function of the unit; `math.inf` is immovable.
        groups: Mask; both units of a pair must be in these groups. None means all.
        bounds: Keeps the positions of pushed units inside; None means no limit.
        iterations: The most rounds of finding pairs and pushing; fewer if no pair overlaps.

    Returns:
        The new position (x, y) of every unit that moved.

    Raises:
        RuntimeError: `footprint` or `mass` removed a unit that overlaps another.
        ValueError: A footprint, mass, bound or number of iterations is invalid. Nothing is moved
            then, nor if `footprint` or `mass` raises.

    Example:
        >>> from math import inf
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import separate
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("anna", 44, 50, radius=6)
        >>> units.add("bert", 48, 50, radius=6)
        >>> units.add("barn", 80, 50, size=(20, 20))
        >>> sizes = {"anna": 6, "bert": 6, "barn": (20, 20)}
        >>> separate(units, sizes.get, mass=lambda unit: inf if unit == "barn" else 1)
        {'anna': (40.0, 50.0), 'bert': (52.0, 50.0)}
    """
    if iterations < 1:
        raise ValueError(f"iterations must be at least 1, got {iterations!r}")
    limits = Bounds(-inf, -inf, inf, inf) if bounds is None else Bounds.of(bounds)
    bodies = _Bodies(footprint, mass)
    moved: dict[Any, tuple[float, float]] = {}
    start: dict[Any, tuple[float, float]] = {}
    for _ in range(iterations):
        members, first, second = _number(units.pairs(groups=groups))
        try:
            table = bodies.table(members)  # asks the game, which may raise
            places = _places(units, members)
        except BaseException:
            for unit, (x, y) in start.items():  # nothing is half moved
                if unit in units:
                    units.move(unit, x, y)
            raise
        positions = np.array(places).reshape(-1, 2)
        changed, positions = push(positions, table, first, second, limits)
        if not changed.size:
            break
        for number, (x, y) in zip(changed.tolist(), positions.tolist(), strict=True):
            start.setdefault(members[number], places[number])
            units.move(members[number], x, y)
            moved[members[number]] = x, y
    return moved


def separate_many(
    units: BatchIndex,
    xy: Floats,
    radius: ArrayLike,
    *,
    size: ArrayLike | None = None,
    mass: ArrayLike = 1.0,
    groups: int | None = None,
    against: int | None = None,
    bounds: Sequence[float] | None = None,
    iterations: int = 1,
) -> NDArray[np.int32]:
    """Push overlapping units apart as `separate` does, for games that keep units in arrays.

    The arrays have a row for each slot of the tree: row 7 belongs to the unit in slot 7. No Python
    object is created per unit, so this is several times faster than `separate`.

    Args:
        units: The tree. It finds pairs by the footprints passed to its `add_many`.
        xy: The positions of the units, (m, 2) float64, in world units, as the tree has them. New
            positions are written into this array and into the tree.
        radius: Radius of the footprints, in world units: one number, or (m,).
        size: Width and height of the footprints, (m, 2), for boxes; 0 for circles. None means no
            boxes. A unit with both a size and a radius is a box with rounded corners.
        mass: Masses above 0: one number, or (m,); `math.inf` is immovable.
        groups: Mask; one unit of each pair must be in these groups. None means all.
        against: Mask; the other unit must be in these groups. None means the same as `groups`.
        bounds: Keeps the positions of pushed units inside; None means no limit.
        iterations: The most rounds of finding pairs and pushing; fewer if no pair overlaps.

    Returns:
        The slots of the units that moved, ascending, (n,) int32.

    Raises:
        ValueError: An array, bound or number of iterations is invalid.

    Example:
        >>> import numpy as np
        >>> from tilequad import DynamicQuadtree
        >>> from tilequad.ai import separate_many
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> xy = np.array([(44.0, 50.0), (48.0, 50.0), (80.0, 80.0)])
        >>> slots = units.add_many(["anna", "bert", "carl"], xy, radius=6)
        >>> separate_many(units, xy, 6).tolist()
        [0, 1]
        >>> xy.tolist()
        [[40.0, 50.0], [52.0, 50.0], [80.0, 80.0]]
    """
    if iterations < 1:
        raise ValueError(f"iterations must be at least 1, got {iterations!r}")
    limits = Bounds(-inf, -inf, inf, inf) if bounds is None else Bounds.of(bounds)
    table = _table(xy, radius, size, mass)
    moved = np.zeros(len(xy), dtype=np.bool_)
    rows = np.zeros(len(xy), dtype=np.intp)  # row of each overlapping unit, by slot
    for _ in range(iterations):
        pairs = units.pairs_many(groups=groups, against=against)
        if pairs.max(initial=-1) >= len(xy):
            raise ValueError(f"xy must have a row for slot {pairs.max()}, got {len(xy)} rows")
        slots = np.flatnonzero(np.bincount(pairs.ravel(), minlength=len(xy)))
        rows[slots] = np.arange(len(slots))
        first, second = rows.take(pairs.T)
        changed, positions = push(xy[slots], table[slots], first, second, limits)
        if not changed.size:
            break
        units.move_many(slots[changed], positions)
        xy[slots[changed]] = positions
        moved[slots[changed]] = True
    return np.flatnonzero(moved).astype(np.int32)


def _places(units: SpatialIndex, members: list[Any]) -> list[tuple[float, float]]:
    """The positions of units that were just found in the tree."""
    try:
        return [units.position(unit) for unit in members]
    except KeyError as error:
        raise RuntimeError(
            f"{error.args[0]!r} left the tree meanwhile: mass and footprint must not change it"
        ) from None


class _Bodies:
    """Footprints and masses of units: looked up once per unit, checked, and kept."""

    def __init__(
        self,
        footprint: Footprint | Callable[[Any], Footprint],
        mass: float | Callable[[Any], float],
    ) -> None:
        self._footprint = footprint if callable(footprint) else lambda unit: footprint
        self._mass = mass if callable(mass) else lambda unit: mass
        self._rows: dict[Any, tuple[float, float, float, float]] = {}

    def table(self, members: list[Any]) -> Floats:
        """Return a row per unit: half width, half height, radius and 1 / mass."""
        rows = self._rows
        for unit in members:
            if unit not in rows:
                rows[unit] = _row(unit, self._footprint(unit), self._mass(unit))
        return np.array([rows[unit] for unit in members]).reshape(-1, 4)


def _number(pairs: list[tuple[Any, Any]]) -> tuple[list[Any], Indices, Indices]:
    """Number the units in the order of the pairs; return the units and the numbers of each pair."""
    numbers: dict[Any, int] = {}
    ends = [numbers.setdefault(unit, len(numbers)) for pair in pairs for unit in pair]
    first, second = np.array(ends, dtype=np.intp).reshape(-1, 2).T
    return list(numbers), first, second


def _table(xy: Floats, radius: ArrayLike, size: ArrayLike | None, mass: ArrayLike) -> Floats:
    """Check the arrays and return a row per slot, as `_Bodies.table` does."""
    if not (isinstance(xy, np.ndarray) and xy.dtype == np.float64 and xy.shape[1:] == (2,)):
        raise ValueError(f"xy must be a float64 array of shape (m, 2), got {xy!r}")
    table = np.empty((len(xy), 4))
    for columns, value, name in (
        (table[:, :2], 0.0 if size is None else size, "size"),
        (table[:, 2], radius, "radius"),
        (table[:, 3], mass, "mass"),
    ):
        given = np.asarray(value, dtype=np.float64)
        if given.shape not in ((), columns.shape):
            raise ValueError(f"{name} must have shape {columns.shape}, got {given.shape}")
        columns[:] = given
    if not (np.isfinite(table[:, :3]).all() and (table[:, :3] >= 0).all()):
        raise ValueError("radius and size must be finite and at least 0")
    if not (table[:, 3] > 0).all():
        raise ValueError("mass must be above 0")
    table[:, :2] /= 2
    table[:, 3] = 1 / table[:, 3]
    return table


def _row(unit: Any, footprint: Footprint, mass: float) -> tuple[float, float, float, float]:
    """Check one unit; return its half width, half height, radius and 1 / mass."""
    try:
        width, height, radius = _sides(footprint)
    except (TypeError, ValueError):
        raise ValueError(
            f"footprint of {unit!r} must be a radius or (width, height), got {footprint!r}"
        ) from None
    if not (0 <= width < inf and 0 <= height < inf and 0 <= radius < inf):
        raise ValueError(f"footprint of {unit!r} must be finite and >= 0, got {footprint!r}")
    if not mass > 0:
        raise ValueError(f"mass of {unit!r} must be above 0, got {mass!r}")
    return width / 2, height / 2, radius, 1 / mass


def _sides(footprint: Footprint) -> tuple[float, float, float]:
    """Return width, height and radius of a footprint: a box has radius 0, a circle size 0."""
    if isinstance(footprint, (tuple, list)):
        width, height = footprint
        return float(width), float(height), 0.0
    return 0.0, 0.0, float(footprint)
