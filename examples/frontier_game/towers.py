"""The towers and their shots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot

from tilequad.ai import Damage, Targeting, policies
from tilequad.ai import Shot as ShotUnderWay

from .enemies import Enemy
from .units import ENEMY, TOWER, UnitRegistry

MUZZLE = 58.0  # height above a tower's foot at which shots start, in pixels


@dataclass(frozen=True)
class TowerType:
    """One type of tower: range in pixels, damage in points, seconds between two shots."""

    picture: str
    shot: str
    range: float
    damage: float
    reload: float
    speed: float
    splash: float = 0.0
    """Radius around the hit in which all enemies are hurt, in pixels."""


ARCHERS = TowerType("tower", "arrow", range=230, damage=9, reload=0.8, speed=460)
FIRE = TowerType("fire_tower", "bolt", range=190, damage=12, reload=1.6, speed=300, splash=42)


@dataclass(eq=False, slots=True)
class Tower:
    """One tower."""

    type: TowerType
    x: float
    y: float
    loaded_at: float = 0.0
    groups: int = TOWER
    radius: float = 0.0
    slot: int = -1


@dataclass(eq=False, slots=True)
class Shot:
    """An arrow or a fireball in flight."""

    type: TowerType
    x: float
    y: float
    target: Enemy
    under_way: ShotUnderWay
    aim_x: float
    aim_y: float


class Garrison:
    """All towers and their shots.

    Args:
        units: Where to add the towers.
        hit: Called with each enemy that is hurt, and the damage.
        burst: Called with the position where a shot ends, and the type of its tower.
    """

    def __init__(
        self,
        units: UnitRegistry,
        hit: Callable[[Enemy, float], None],
        burst: Callable[[float, float, TowerType], None],
    ) -> None:
        self.units = units
        self.towers: list[Tower] = []
        self.shots: list[Shot] = []
        self._hit, self._burst = hit, burst
        self._under_way = Damage(units, lambda enemy: enemy.health)
        self._targeting = {
            tower_type: Targeting(
                units,
                policies.first(lambda enemy: enemy.progress),
                max_range=tower_type.range,
                groups=ENEMY,
                damage=self._under_way,
                lock=False,
                retarget_every=0.2,
            )
            for tower_type in (ARCHERS, FIRE)
        }

    def build(self, tower_type: TowerType, x: float, y: float) -> None:
        """Build a tower."""
        tower = Tower(tower_type, x, y)
        self.towers.append(tower)
        self.units.add(tower)

    def shoot(self, now: float) -> None:
        """Let every loaded tower shoot at the enemy in range that is first on the road."""
        for tower in self.towers:
            if now < tower.loaded_at:
                continue
            target = self._targeting[tower.type].target(tower, now)
            if target is None:
                continue
            tower.loaded_at = now + tower.type.reload
            under_way = self._under_way.send(target, tower.type.damage)
            muzzle = tower.x, tower.y + MUZZLE
            self.shots.append(Shot(tower.type, *muzzle, target, under_way, target.x, target.y))

    def fly(self, seconds: float) -> None:
        """Move all shots; those that arrive do their damage."""
        flying = []
        for shot in self.shots:
            if shot.target in self.units:
                shot.aim_x, shot.aim_y = shot.target.x, shot.target.y + 12
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
        tower_type, target = shot.type, shot.target
        self._under_way.land(shot.under_way)
        self._burst(shot.aim_x, shot.aim_y, tower_type)
        hurt = [target] if target in self.units else []
        if tower_type.splash:
            hurt = self.units.within(shot.aim_x, shot.aim_y - 12, tower_type.splash, groups=ENEMY)
            hurt.sort(key=lambda enemy: enemy.progress)
        for enemy in hurt:
            self._hit(enemy, tower_type.damage)
