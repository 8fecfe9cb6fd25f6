"""Towers, and the shots they send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot, inf

from tilequad.ai import Targeting, first

from .enemies import Enemy
from .units import ENEMY, TOWER, Units

# How high above its foot a tower shoots, in pixels.
GALLERY = 58.0


@dataclass(frozen=True)
class Make:
    """One kind of tower: range in pixels, damage in points, seconds between two shots."""

    picture: str
    shot: str
    range: float
    damage: float
    pause: float
    speed: float
    splash: float = 0.0
    """Radius around the hit in which everybody is hurt, in pixels."""


ARCHERS = Make("tower", "arrow", range=230, damage=9, pause=0.8, speed=460)
FIRE = Make("fire_tower", "bolt", range=190, damage=12, pause=1.6, speed=300, splash=42)


@dataclass(eq=False, slots=True)
class Tower:
    """One tower."""

    make: Make
    x: float
    y: float
    loaded_at: float = 0.0
    groups: int = TOWER
    radius: float = 0.0
    mass: float = inf
    slot: int = -1


@dataclass(eq=False, slots=True)
class Shot:
    """An arrow or a ball of fire on its way."""

    make: Make
    x: float
    y: float
    target: Enemy
    aim_x: float
    aim_y: float


class Garrison:
    """All towers and their shots.

    Args:
        units: Where everybody stands.
        hit: Called for everybody who is hurt, with the damage.
        burst: Called where a shot ends, with its make.
    """

    def __init__(
        self,
        units: Units,
        hit: Callable[[Enemy, float], None],
        burst: Callable[[float, float, Make], None],
    ) -> None:
        self.units = units
        self.towers: list[Tower] = []
        self.shots: list[Shot] = []
        self._hit, self._burst = hit, burst
        self._targeting = {
            make: Targeting(
                units,
                first(lambda enemy: enemy.progress),
                max_range=make.range,
                groups=ENEMY,
                where=lambda enemy: enemy.health > enemy.coming,
                lock=False,
                retarget_every=0.2,
            )
            for make in (ARCHERS, FIRE)
        }

    def build(self, make: Make, x: float, y: float) -> None:
        """Put up a tower."""
        tower = Tower(make, x, y)
        self.towers.append(tower)
        self.units.add(tower)

    def shoot(self, now: float) -> None:
        """Let every tower that is ready send a shot at the enemy first on the road."""
        for tower in self.towers:
            if now < tower.loaded_at:
                continue
            target = self._targeting[tower.make].target(tower, now)
            if target is None:
                continue
            tower.loaded_at = now + tower.make.pause
            target.coming += tower.make.damage
            shot = Shot(tower.make, tower.x, tower.y + GALLERY, target, target.x, target.y)
            self.shots.append(shot)

    def fly(self, seconds: float) -> None:
        """Move the shots; those that arrive do harm."""
        flying = []
        for shot in self.shots:
            if shot.target in self.units:
                shot.aim_x, shot.aim_y = shot.target.x, shot.target.y + 12
            dx, dy = shot.aim_x - shot.x, shot.aim_y - shot.y
            left, step = hypot(dx, dy), shot.make.speed * seconds
            if left > step:
                shot.x += dx / left * step
                shot.y += dy / left * step
                flying.append(shot)
            else:
                self._arrive(shot)
        self.shots = flying

    def _arrive(self, shot: Shot) -> None:
        make, target = shot.make, shot.target
        target.coming -= make.damage
        self._burst(shot.aim_x, shot.aim_y, make)
        hurt = [target] if target in self.units else []
        if make.splash:
            hurt = self.units.within(shot.aim_x, shot.aim_y - 12, make.splash, groups=ENEMY)
            hurt.sort(key=lambda enemy: enemy.progress)
        for enemy in hurt:
            self._hit(enemy, make.damage)
