"""The fog: what the village sees now, and what it has seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree
from tilequad.nav import Fog, TeamSight

from .towers import Tower
from .villagers import Villager
from .ways import Ways

EYES, WINDOWS = 190.0, 300.0  # how far villagers and buildings see, in pixels
HOME = 1300.0  # how far around its gate the village knows the land, in pixels
LOOKOUT = 50.0  # how much farther than its range a tower sees, in pixels
UPDATE_EVERY = 6  # ticks


class Mist:
    """The fog over the land, lifted by villagers, buildings and towers.

    Args:
        units: The tree of those who see.
        ways: The grid of the land.
        buildings: What stands on the map.
        gate: The middle of the land that the village knows.
    """

    def __init__(
        self,
        units: DynamicQuadtree[Any],
        ways: Ways,
        buildings: list[Any],
        gate: tuple[float, float],
    ) -> None:
        # Fog: counts for each cell who sees it. Viewers follow units of the tree.
        self.fog = Fog(ways.grid, units=units)
        for building in buildings:
            self.watch(building)
        # The village knows the land around it.
        centers = ways.grid.center_many(np.arange(len(ways.grid)))
        known = np.hypot(*(centers - gate).T) < HOME
        self.fog.set_explored(known.reshape(self.fog.explored().shape) | self.fog.explored())

    @property
    def sight(self) -> TeamSight:
        """What the village sees, for targeting."""
        return self.fog.sight(0)

    def watch(self, unit: Any) -> None:
        """Let a new unit lift the fog, as long as it is in the game."""
        if self.fog.units is None or unit not in self.fog.units:
            return
        radius = EYES
        if isinstance(unit, Tower):
            radius = max(unit.type.range if not unit.type.lobbed else 0.0, EYES) + LOOKOUT
        elif hasattr(unit, "groups"):
            radius = WINDOWS
        self.fog.follow(unit, radius, over_walls=not isinstance(unit, Villager))

    def update(self) -> None:
        """Let the viewers follow their units."""
        self.fog.update()

    def knows(self, cells: NDArray[np.int32]) -> bool:
        """Return whether all of some cells have been seen."""
        return bool(self.fog.explored().ravel()[cells].all())

    def seen(self) -> NDArray[np.bool_]:
        """Return which units the village sees, by slot."""
        return self.fog.seen_units(0)
