"""Those who come down the road."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import numpy as np

from tilequad.ai import Route

from .units import ENEMY, Units

# Enemies keep to their lane of the road, so many pixels to its left or right at most.
LANE = 26.0
# Who is pushed further than this from his place waits for the crowd, in pixels.
PUSHED = 26.0


@dataclass(frozen=True)
class Kind:
    """One kind of enemy: health in points, speed in pixels a second, radius in pixels."""

    name: str
    health: float
    speed: float
    radius: float
    often: int


KINDS = (
    Kind("goblin", 32, 52, 7, often=10),
    Kind("skeleton", 46, 44, 7, often=7),
    Kind("orc", 80, 38, 9, often=5),
    Kind("ogre", 260, 28, 13, often=1),
)


@dataclass(eq=False, slots=True)
class Enemy:
    """One of them."""

    kind: Kind
    x: float
    y: float
    progress: float
    lane: float
    health: float
    radius: float
    mass: float
    speed: float
    coming: float = 0.0
    """Damage of the shots that are on their way to it."""
    facing: str = "down"
    groups: int = ENEMY
    slot: int = -1


class Horde:
    """All enemies, walked along the road together."""

    def __init__(self, units: Units, road: Route, random: Random) -> None:
        self.units = units
        self.road = road
        self.random = random
        self._enemies: dict[Enemy, None] = {}

    def __len__(self) -> int:
        return len(self._enemies)

    def __iter__(self) -> Iterator[Enemy]:
        return iter(self._enemies)

    def spawn(self, progress: float) -> None:
        """Let a new enemy come, so far along the road."""
        self.spawn_all([progress])

    def spawn_all(self, progresses: list[float]) -> None:
        """Let many come at once."""
        enemies = [self._recruit(progress) for progress in progresses]
        self._enemies |= dict.fromkeys(enemies)
        self.units.add_all(enemies)

    def remove(self, enemy: Enemy) -> None:
        """Take an enemy out of the game."""
        del self._enemies[enemy]
        self.units.remove(enemy)

    def march(self, seconds: float) -> list[Enemy]:
        """Walk on; returns those who have reached the end of the road."""
        enemies = list(self._enemies)
        if not enemies:
            return []
        progress, lane, speed = np.array([(one.progress, one.lane, one.speed) for one in enemies]).T
        places = self.units.xy[[one.slot for one in enemies]]
        heading = self.road.heading(progress)
        goals = (
            self.road.at(progress) + np.stack((-heading[:, 1], heading[:, 0]), 1) * lane[:, None]
        )
        ways = goals - places
        distance = np.hypot(ways[:, 0], ways[:, 1])
        # Whoever was pushed aside hurries back; whoever is held up far from his place waits.
        share = np.minimum(1.0, 1.6 * speed * seconds / np.maximum(distance, 1e-9))
        self.units.move_all(enemies, places + ways * share[:, None])
        progress = np.where(distance < PUSHED, progress + speed * seconds, progress)
        sideways = np.abs(heading[:, 0]) > np.abs(heading[:, 1])
        positive = np.where(sideways, heading[:, 0], heading[:, 1]) > 0
        facing = FACINGS[sideways.astype(int), positive.astype(int)]
        for enemy, walked, face in zip(enemies, progress.tolist(), facing.tolist(), strict=True):
            enemy.progress, enemy.facing = walked, face
        end = self.road.length - 1
        return [enemy for enemy in enemies if enemy.progress >= end]

    def _recruit(self, progress: float) -> Enemy:
        """One more, whoever chance brings."""
        random = self.random
        kind = random.choices(KINDS, [kind.often for kind in KINDS])[0]
        lane = random.uniform(-LANE, LANE)
        (x, y), (ahead_x, ahead_y) = self.road.at(progress), self.road.heading(progress)
        return Enemy(
            kind,
            float(x - ahead_y * lane),
            float(y + ahead_x * lane),
            progress,
            lane,
            kind.health,
            kind.radius,
            mass=kind.radius * kind.radius,
            speed=kind.speed * random.uniform(0.9, 1.1),
        )


FACINGS = np.array([["down", "up"], ["left", "right"]])
