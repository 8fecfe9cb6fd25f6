"""The towers, and whom they shoot at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree
from tilequad.ai import Damage, Targeting, policies
from tilequad.ai.protocols import Sight

from .enemies import Enemy, Horde
from .settings import Policy, TowerType
from .shots import Shots
from .units import ENEMY, TOWER, Queries


@dataclass(eq=False, slots=True)
class Tower:
    """One tower."""

    type: TowerType
    x: float
    y: float
    policy: Policy
    range: float
    loaded_at: float = 0.0
    radius: float = 0.0


class Garrison:
    """All towers and their shots.

    Args:
        queries: The tree to add the towers to.
        horde: The enemies.
        sight: What the village sees; None if that is everything.
        hit: Called with each enemy that is hurt, and the type of the tower.
        burst: Called with the place where a shot ends, and the type of its tower.

    Attributes:
        towers: The towers.
        shots: The shots in flight.
    """

    def __init__(
        self,
        queries: Queries,
        horde: Horde,
        sight: Sight | None,
        hit: Callable[[Enemy, TowerType], None],
        burst: Callable[[float, float, TowerType], None],
    ) -> None:
        self.queries, self.horde = queries, horde
        self.units: DynamicQuadtree[Any] = queries.tree
        self.towers: list[Tower] = []
        self._damage = Damage(self.units, attrgetter("health"))
        # Targeting: each tower's target, in its range, by its policy, if the village sees it.
        self._aim = Targeting(
            queries,
            max_distance=0,
            groups=ENEMY,
            damage=self._damage,
            sight=sight,
            retarget_every=0.2,
        )
        self.shots = Shots(self.units, self._damage, hit, burst)
        self._progress: NDArray[np.float64] | None = None
        self._by_name: dict[str, policies.Policy] = {}
        queries.lists[TOWER] = self.towers

    def shoot(self, now: float) -> None:
        """Let every loaded tower shoot at the enemy in range that it prefers."""
        loaded = [tower for tower in self.towers if now >= tower.loaded_at]
        if not loaded or not len(self.horde):
            return
        choices = self._policies()
        ranges = [(tower.type.min_distance, tower.range) for tower in loaded]
        chosen = [choices[tower.policy] for tower in loaded]
        targets = self.queries.targets(self._aim, loaded, now, ranges, chosen)
        for tower, target in zip(loaded, targets, strict=True):
            if target and not self._damage.doomed(target):
                tower.loaded_at = now + tower.type.reload
                velocity = self.horde.velocity[self.units.slot(target)].tolist()
                self.shots.fire(tower.type, tower.x, tower.y, target, *velocity)

    def _policies(self) -> dict[str, policies.Policy]:
        """The policies by their names. The array of the horde is another one when it has grown."""
        progress = self.horde.progress
        if self._progress is not progress:
            self._progress, health = progress, attrgetter("health")
            self._by_name = {
                "first": policies.first(progress),
                "last": policies.last(progress),
                "closest": policies.closest,
                "farthest": policies.farthest,
                "strongest": policies.strongest(health),
                "weakest": policies.weakest(health),
                "most_clustered": policies.most_clustered(48.0),
            }
        return self._by_name
