"""The enemies, and how they march down the road."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import numpy as np

from tilequad.ai import Route

from .units import ENEMY, UnitRegistry

LANE = 26.0  # greatest distance of a lane from the middle of the road, in pixels
# An enemy pushed further than this from its lane waits for the crowd, in pixels.
PUSHED = 26.0


@dataclass(frozen=True)
class EnemyType:
    """One type of enemy: health in points, speed in pixels a second, radius in pixels."""

    name: str
    health: float
    speed: float
    radius: float
    frequency: int


ENEMY_TYPES = (
    EnemyType("goblin", 32, 52, 7, frequency=10),
    EnemyType("skeleton", 46, 44, 7, frequency=7),
    EnemyType("orc", 80, 38, 9, frequency=5),
    EnemyType("ogre", 260, 28, 13, frequency=1),
)


@dataclass(eq=False, slots=True)
class Enemy:
    """One enemy."""

    type: EnemyType
    x: float
    y: float
    progress: float
    lane: float
    health: float
    radius: float
    speed: float
    facing: str = "down"
    groups: int = ENEMY
    slot: int = -1


class Horde:
    """All enemies, moved along the road together.

    Args:
        units: Where to add the enemies.
        road: The road that they follow.
        random: Chooses type, lane and speed of each enemy.
    """

    def __init__(self, units: UnitRegistry, road: Route, random: Random) -> None:
        self.units = units
        self.road = road
        self.random = random
        self._enemies: dict[Enemy, None] = {}

    def __len__(self) -> int:
        return len(self._enemies)

    def __iter__(self) -> Iterator[Enemy]:
        return iter(self._enemies)

    def spawn(self, progress: float) -> None:
        """Add an enemy at a distance along the road."""
        self.spawn_all([progress])

    def spawn_all(self, progresses: list[float]) -> None:
        """Add many enemies at once."""
        enemies = [self._make_enemy(progress) for progress in progresses]
        self._enemies |= dict.fromkeys(enemies)
        self.units.add_all(enemies)

    def remove(self, enemy: Enemy) -> None:
        """Remove an enemy from the game."""
        del self._enemies[enemy]
        self.units.remove(enemy)

    def march(self, seconds: float) -> list[Enemy]:
        """Move all enemies; return those at the end of the road."""
        enemies = list(self._enemies)
        if not enemies:
            return []
        progress, lane, speed = np.array([(one.progress, one.lane, one.speed) for one in enemies]).T
        positions = self.units.positions(enemies)
        heading = self.road.heading(progress)
        goals = (
            self.road.at(progress) + np.stack((-heading[:, 1], heading[:, 0]), 1) * lane[:, None]
        )
        offsets = goals - positions
        distance = np.hypot(offsets[:, 0], offsets[:, 1])
        # An enemy pushed off its lane hurries back; one held up far from its lane waits.
        share = np.minimum(1.0, 1.6 * speed * seconds / np.maximum(distance, 1e-9))
        self.units.move_all(enemies, positions + offsets * share[:, None])
        progress = np.where(distance < PUSHED, progress + speed * seconds, progress)
        sideways = np.abs(heading[:, 0]) > np.abs(heading[:, 1])
        positive = np.where(sideways, heading[:, 0], heading[:, 1]) > 0
        facing = FACINGS[sideways.astype(int), positive.astype(int)]
        for enemy, walked, face in zip(enemies, progress.tolist(), facing.tolist(), strict=True):
            enemy.progress, enemy.facing = walked, face
        end = self.road.length - 1
        return [enemy for enemy in enemies if enemy.progress >= end]

    def _make_enemy(self, progress: float) -> Enemy:
        """Make an enemy of a random type in a random lane."""
        random = self.random
        chosen = random.choices(ENEMY_TYPES, [one.frequency for one in ENEMY_TYPES])[0]
        lane = random.uniform(-LANE, LANE)
        (x, y), (ahead_x, ahead_y) = self.road.at(progress), self.road.heading(progress)
        return Enemy(
            chosen,
            float(x - ahead_y * lane),
            float(y + ahead_x * lane),
            progress,
            lane,
            chosen.health,
            chosen.radius,
            speed=chosen.speed * random.uniform(0.9, 1.1),
        )


FACINGS = np.array([["down", "up"], ["left", "right"]])
