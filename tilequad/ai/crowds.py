"""Separation: push overlapping units apart, and out of walls."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, inf, sin
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.army import crowds
from tilequad._core.array_kinds import Floats
from tilequad._core.arrays import own_array
from tilequad._core.checks import mask_of, masks_of, number_of, whole
from tilequad._core.layout import MAX_COORDINATE
from tilequad._core.shown import shown
from tilequad._core.tree.units import slots_of
from tilequad.ai._checks import unit_slots
from tilequad.ai._walls import solids_of
from tilequad.ai.protocols import MergedWalls
from tilequad.bounds import Bounds
from tilequad.quadtree import DynamicQuadtree, StaticQuadtree
from tilequad.quadtree.dynamic import check_tree, store_of

__all__ = ["separate"]


# Directions at multiples of the golden angle: two in a row never point the same way.
GOLDEN_ANGLE = 2.399963229728653
DIRECTIONS = np.array([(cos(k * GOLDEN_ANGLE), sin(k * GOLDEN_ANGLE)) for k in range(64)])
MAX_ITERATIONS = 1_000_000
NO_WALLS = StaticQuadtree(np.empty((0, 4)))


def separate(
    units: DynamicQuadtree[Any],
    groups: int | None = None,
    *,
    without: int | None = None,
    against: int | None = None,
    slots: ArrayLike | None = None,
    mass: ArrayLike | None = None,
    walls: StaticQuadtree | MergedWalls | None = None,
    bounds: Sequence[float] | None = None,
    max_push: float = inf,
    iterations: int = 4,
) -> NDArray[np.int32]:
    """Push overlapping units apart, and out of walls, and move them in the tree.

    Each pair is pushed apart along the shortest way, by the overlap of its footprints; the lighter
    unit moves further. Units inside a crowd stay and units further out make way, so units keep
    their distances even when a crowd presses into a dead end or toward one point.

    A heap, such as a thousand units on one point or line, is spread at once: its units go onto
    rings around its middle, each on its own side, and then hardly overlap.

    Walls have the last word. Afterwards no unit that may be pushed has its center in a wall, and
    none was pushed through one; where there is room, its whole footprint is outside. A unit whose
    center was inside is moved out the shortest way along x or y that ends in the bounds, however
    far that is; out of the bounds only if each of these ways ends there.

    The same units in the same slots at the same positions are pushed to the same positions, if
    `slots` are the same, too, in any order.

    Cost: the units are sorted into cells, and some passes go over the pairs that nearly touch; 0.2
    to 0.5 microseconds a unit. With `slots`, 20 nanoseconds a unit, and that for those in a box
    around the chosen ones. So a crowd can be spread over the ticks: push those of one strip of the
    map in a tick, and those of the next strip in the next.

    Args:
        units: The tree. Positions and footprints are read there, and positions are written there.
        groups: A mask: units in these groups are pushed. None for all.
        without: A mask: units in any of these groups neither push nor are pushed. None for none.
        against: A mask: only units in these groups push others. A unit that pushes and is not in
            `groups` stays where it is. None means the same as `groups`.
        slots: Of the units in `groups`, only those in these slots are pushed, (n,); the others are
            like units that are only in `against`. None for all.
        mass: How heavy units are: one number above 0 for all, or an array of one for each slot of
            the tree, (m,). `math.inf` is immovable. None means the areas of the footprints.
        walls: Boxes that units keep out of: a `StaticQuadtree`, or `Walls` of `tilequad.nav`.
        bounds: Positions of pushed units stay inside, unless every way out of a wall leads out;
            None means no limit.
        max_push: The farthest that one call moves a unit, in world units; a unit leaving a wall may
            move further. Take twice the step of a tick or more. With less than one and a half steps
            a dense crowd that presses on may sink into itself. Where it holds units back, a call
            takes up to three times as long.
        iterations: The most passes over all pairs; fewer if no pair overlaps visibly. Four bring a
            crowd to rest whose units walk up to half a radius a tick toward one point. Where
            thousands press forward and some are three times as large as others, small ones may end
            up under large ones.

    Returns:
        The slots of the units that moved, ascending, (n,) int32. `units.items` and
        `units.position_many` take them.

    Raises:
        ValueError: An argument is out of range, a number is not the slot of a unit, or `mass` has
            no row for a unit. Nothing is moved.
        TypeError: `walls` has none of these types, or a mask or `iterations` is not a whole number.
        RuntimeError: The tree is being asked or changed.

    Example:
        >>> from tilequad import DynamicQuadtree, StaticQuadtree
        >>> from tilequad.ai import separate
        >>> units = DynamicQuadtree((0, 0, 100, 100))
        >>> units.add("anna", 44, 50, radius=6)
        >>> units.add("bert", 48, 50, radius=6)
        >>> units.add("carl", 79, 50, radius=6)
        >>> moved = separate(units, walls=StaticQuadtree([(80, 0, 90, 100)]))
        >>> units.items(moved), units.position_many(moved).tolist()
        (['anna', 'bert', 'carl'], [[40.0, 50.0], [52.0, 50.0], [74.0, 50.0]])
    """
    check_tree(units)
    pushed, neither = masks_of(groups, without)
    others = pushed if against is None else mask_of(against, "against")
    limits = (-inf, -inf, inf, inf) if bounds is None else Bounds.of(bounds)
    farthest = number_of(max_push, "max_push")
    if not farthest >= 0.0:
        raise ValueError(f"max_push must be at least 0, got {shown(max_push)}")
    sweeps = whole(iterations, "iterations")
    if sweeps < 1:
        raise ValueError(f"iterations must be at least 1, got {shown(iterations)}")
    return crowds.separate(
        store_of(units),
        (pushed, others, neither),
        None if slots is None else _chosen(units, unit_slots(units, slots)),
        None if mass is None else _masses(mass),
        solids_of(NO_WALLS if walls is None else walls),
        np.array(limits, np.float64).data,
        min(farthest, MAX_COORDINATE),
        min(sweeps, MAX_ITERATIONS),
        DIRECTIONS.data,
    )


def _chosen(units: DynamicQuadtree[Any], slots: NDArray[np.int32]) -> NDArray[np.uint8]:
    """By slot of the tree, whether it is one of some slots."""
    chosen = np.zeros(slots_of(store_of(units)), np.uint8)
    chosen[slots] = 1
    return chosen


def _masses(mass: ArrayLike) -> Floats:
    """One mass for all units or masses by slot, checked."""
    given = own_array(mass, "mass")
    if given.ndim > 1:
        raise ValueError(f"mass must be one number or have shape (m,), got {given.shape}")
    if not (given > 0).all():
        raise ValueError(f"mass must be above 0, got {given[~(given > 0)].flat[0]}")
    return given
