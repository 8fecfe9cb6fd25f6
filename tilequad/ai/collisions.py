"""Making way: overlapping units are pushed apart, buildings stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad.ai._pushing import push
from tilequad.ai.units import Units
from tilequad.bounds import Bounds

if TYPE_CHECKING:
    from tilequad.quadtree import DynamicQuadtree

__all__ = ["separate", "separate_many"]

Footprint: TypeAlias = float | tuple[float, float]
Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]


def separate(
    units: Units,
    footprint: Footprint | Callable[[Any], Footprint],
    *,
    mass: float | Callable[[Any], float] = 1.0,
    groups: int | None = None,
    bounds: Sequence[float] | None = None,
    iterations: int = 1,
) -> dict[Any, tuple[float, float]]:
    """Push overlapping units apart and move them in the tree, the lighter further than the heavier.

    Every pair is pushed along the shortest way out, as far as it overlaps, shared by mass: a single
    pair is apart after one iteration. A unit in n pairs goes the sum of its ways over the root of
    n, so a crowd loosens over a few calls and does not burst. Units on one and the same point leave
    it in different directions. There is no chance in it: the same units added in the same order to
    the same places are pushed to the same places.

    Costs one `pairs` query an iteration, and work for the units that overlap; others are not
    looked at.

    Args:
        units: The tree; pairs are found by the footprints it was given in `add`.
        footprint: A unit's radius, or (width, height) of its box, in world units, or a function of
            the unit that returns either. Smaller than in the tree lets units overlap a little;
            larger is felt only where the tree finds a pair.
        mass: A unit's mass above 0, or a function of the unit; `math.inf` is immovable.
        groups: Both units of a pair must be of these groups; None means all.
        bounds: Pushed units are kept with their positions inside; None means no limit.
        iterations: How often to look for pairs and push, at most; it ends early when none overlap.

    Returns:
        The new position (x, y) of every unit that was moved.

    Raises:
        ValueError: A footprint, mass, bound or number of iterations that cannot be.

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
    for _ in range(iterations):
        members, first, second = _number(units.pairs(groups))
        places = np.array([units.position(unit) for unit in members]).reshape(-1, 2)
        changed, places = push(places, bodies.table(members), first, second, limits)
        if not changed.size:
            break
        for number, (x, y) in zip(changed.tolist(), places.tolist(), strict=True):
            units.move(members[number], x, y)
            moved[members[number]] = x, y
    return moved


def separate_many(
    units: DynamicQuadtree,
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
    """Push overlapping units apart as `separate` does, for games that keep their units in arrays.

    The arrays have a row for each slot of the tree: row 7 is the unit in slot 7. No Python object
    is touched on the way, which makes it several times faster than `separate`.

    Args:
        units: The tree; pairs are found by the footprints it was given.
        xy: Where the units stand, (m, 2) float64, in world units, as the tree has it. The new
            positions are written into it, and into the tree.
        radius: Of their footprints, in world units: one number, or (m,).
        size: Width and height of their footprints, (m, 2), for boxes; 0 for circles. None means no
            boxes. A unit with both is a box with rounded corners.
        mass: Their masses above 0: one number, or (m,); `math.inf` is immovable.
        groups: One unit of each pair must be of these groups; None means all.
        against: The other one must be of these; None means the same as `groups`.
        bounds: Pushed units are kept with their positions inside; None means no limit.
        iterations: How often to look for pairs and push, at most; it ends early when none overlap.

    Returns:
        The slots of the units that were moved, ascending, (n,) int32.

    Raises:
        ValueError: An array, bound or number of iterations that cannot be.

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
    rows = np.zeros(len(xy), dtype=np.intp)  # of the units in contact, by slot
    for _ in range(iterations):
        pairs = units.pairs_many(groups, against)
        if pairs.max(initial=-1) >= len(xy):
            raise ValueError(f"xy must have a row for slot {pairs.max()}, got {len(xy)} rows")
        slots = np.flatnonzero(np.bincount(pairs.ravel(), minlength=len(xy)))
        rows[slots] = np.arange(len(slots))
        first, second = rows.take(pairs.T)
        changed, places = push(xy[slots], table[slots], first, second, limits)
        if not changed.size:
            break
        units.move_many(slots[changed], places)
        xy[slots[changed]] = places
        moved[slots[changed]] = True
    return np.flatnonzero(moved).astype(np.int32)


class _Bodies:
    """What the game says of its units, asked once for each of them and checked."""

    def __init__(
        self,
        footprint: Footprint | Callable[[Any], Footprint],
        mass: float | Callable[[Any], float],
    ) -> None:
        self._footprint = footprint if callable(footprint) else lambda unit: footprint
        self._mass = mass if callable(mass) else lambda unit: mass
        self._rows: dict[Any, tuple[float, float, float, float]] = {}

    def table(self, members: list[Any]) -> Floats:
        """Return a row for each unit: half width, half height, radius, and 1 / mass."""
        rows = self._rows
        for unit in members:
            if unit not in rows:
                rows[unit] = _row(unit, self._footprint(unit), self._mass(unit))
        return np.array([rows[unit] for unit in members]).reshape(-1, 4)


def _number(pairs: list[tuple[Any, Any]]) -> tuple[list[Any], Indices, Indices]:
    """Number the units in the order in which pairs name them; return them, and pairs of numbers."""
    numbers: dict[Any, int] = {}
    ends = [numbers.setdefault(unit, len(numbers)) for pair in pairs for unit in pair]
    first, second = np.array(ends, dtype=np.intp).reshape(-1, 2).T
    return list(numbers), first, second


def _table(xy: Floats, radius: ArrayLike, size: ArrayLike | None, mass: ArrayLike) -> Floats:
    """The rows of `_Bodies.table` for all slots, from arrays that are checked."""
    if not (isinstance(xy, np.ndarray) and xy.dtype == np.float64 and xy.shape[1:] == (2,)):
        raise ValueError(f"xy must be an array of float64, (m, 2), got {xy!r}")
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
    """Half width, half height, radius, and 1 / mass of a unit, checked."""
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
    """Width, height and radius of a footprint: the box or the circle is of no size."""
    if isinstance(footprint, (tuple, list)):
        width, height = footprint
        return float(width), float(height), 0.0
    return 0.0, 0.0, float(footprint)
