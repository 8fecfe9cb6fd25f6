"""The fog: what the village sees now, and what it has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilequad import DynamicQuadtree
from tilequad.nav import Fog, Grid

from .land import Building
from .towers import Tower
from .villagers import Villager

EYES, WINDOWS = 190.0, 300.0  # how far villagers and buildings see, in pixels
HOME = 1300.0  # how far around its gate the village knows the land, in pixels
LOOKOUT = 50.0  # how much farther than its range a tower sees, in pixels
UPDATE_EVERY = 6  # ticks


def fog_over(
    grid: Grid,
    units: DynamicQuadtree[Any],
    buildings: Sequence[Building],
    gate: tuple[float, float],
) -> Fog:
    """Return the fog over the land, lifted by buildings; `lift` adds who else lifts it.

    Args:
        grid: The grid of the land.
        units: The tree of those who see.
        buildings: What stands on the map.
        gate: The middle of the land that the village knows.
    """
    # Fog: counts for each cell who sees it. Viewers follow units of the tree.
    fog = Fog(grid, units=units)
    for building in buildings:
        lift(fog, building)
    # The village knows the land around it.
    centers = grid.center_many(np.arange(len(grid)))
    known = np.hypot(*(centers - gate).T) < HOME
    fog.set_explored(known.reshape(grid.rows, grid.columns) | fog.explored())
    return fog


def lift(fog: Fog, unit: Tower | Building | Villager) -> None:
    """Let a unit lift the fog, as long as it is in the game."""
    radius = EYES
    if isinstance(unit, Tower):
        radius = max(unit.type.range if not unit.type.lobbed else 0.0, EYES) + LOOKOUT
    elif isinstance(unit, Building):
        radius = WINDOWS
    fog.follow(unit, radius, over_walls=not isinstance(unit, Villager))
