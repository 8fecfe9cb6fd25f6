"""The towers and their shots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot
from operator import attrgetter
from typing import Any

from tilequad import DynamicQuadtree
from tilequad.ai import Damage, Targeting, policies
from tilequad.ai import Shot as ShotUnderWay

from .enemies import Enemy, Horde
from .settings import TowerType
from .units import ENEMY, TOWER, Queries

MUZZLE = 58.0  # height above a tower's foot at which shots start, in pixels
CHEST = 12.0  # height above an enemy's feet at which shots hit, in pixels


@dataclass(eq=False, slots=True)
class Tower:
    """One tower."""

    type: TowerType
    x: float
    y: float
    loaded_at: float = 0.0
    radius: float = 0.0


@dataclass(eq=False, slots=True)
class Shot:
    """An arrow or a fireball in flight."""

    type: TowerType
    x: float
    y: float
    aim_x: float
    aim_y: float
    under_way: ShotUnderWay


class Garrison:
    """All towers and their shots.

    Args:
        queries: The tree to add the towers to.
        horde: The enemies.
        hit: Called with each enemy that is hurt, and the damage.
        burst: Called with the position where a shot ends, and the type of its tower.
    """

    def __init__(
        self,
        queries: Queries,
        horde: Horde,
        hit: Callable[[Enemy, float], None],
        burst: Callable[[float, float, TowerType], None],
    ) -> None:
        self.queries, self.horde = queries, horde
        self.units: DynamicQuadtree[Any] = queries.tree
        self.towers: list[Tower] = []
        self.shots: list[Shot] = []
        self._hit, self._burst = hit, burst
        self._damage = Damage(self.units, attrgetter("health"))
        self._aim = Targeting(
            queries, max_range=0, groups=ENEMY, damage=self._damage, retarget_every=0.2
        )
        queries.lists[TOWER] = self.towers

    def build(self, tower_type: TowerType, x: float, y: float) -> Tower:
        """Build a tower."""
        tower = Tower(tower_type, x, y)
        self.towers.append(tower)
        self.units.add(tower, x, y, groups=TOWER)
        return tower

    def shoot(self, now: float) -> None:
        """Let every loaded tower shoot at the enemy in range that it prefers."""
        choices = self._policies()
        ranges = [tower.type.range for tower in self.towers]
        chosen = [choices[tower.type.policy] for tower in self.towers]
        targets = self.queries.targets(self._aim, self.towers, now, ranges, chosen)
        for tower, target in zip(self.towers, targets, strict=True):
            if target and now >= tower.loaded_at and not self._damage.doomed(target):
                tower.loaded_at = now + tower.type.reload
                under_way = self._damage.send(target, tower.type.damage)
                aim = self.units.position(target)
                self.shots.append(Shot(tower.type, tower.x, tower.y + MUZZLE, *aim, under_way))

    def fly(self, seconds: float) -> None:
        """Move all shots; those that arrive do their damage."""
        flying = []
        for shot in self.shots:
            target = self._damage.target(shot.under_way)
            if target is not None:
                x, y = self.units.position(target)
                shot.aim_x, shot.aim_y = x, y + CHEST
            dx, dy = shot.aim_x - shot.x, shot.aim_y - shot.y
            left, step = hypot(dx, dy), shot.type.speed * seconds
            if left > step:
                shot.x += dx / left * step
                shot.y += dy / left * step
                flying.append(shot)
            else:
                self._arrive(shot)
        self.shots = flying

    def _arrive(self, shot: Shot) -> None:
        target = self._damage.land(shot.under_way)
        self._burst(shot.aim_x, shot.aim_y, shot.type)
        hurt = [] if target is None else [target]
        if shot.type.splash:
            place = shot.aim_x, shot.aim_y - CHEST
            with self.queries.timed():
                hurt = self.queries.within(*place, shot.type.splash, groups=ENEMY)
            hurt.sort(key=self.units.slot)
        for enemy in hurt:
            self._hit(enemy, shot.type.damage)

    def _policies(self) -> dict[str, policies.Policy]:
        """The policies by their names. The array of the horde is another one when it has grown."""
        health, progress = attrgetter("health"), self.horde.progress
        return {
            "first": policies.first(progress),
            "last": policies.last(progress),
            "closest": policies.closest,
            "farthest": policies.farthest,
            "strongest": policies.strongest(health),
            "weakest": policies.weakest(health),
        }
