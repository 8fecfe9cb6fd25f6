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
        random = self.random
        kind = random.choices(KINDS, [kind.often for kind in KINDS])[0]
        lane = random.uniform(-LANE, LANE)
        (x, y), (ahead_x, ahead_y) = self.road.at(progress), self.road.heading(progress)
        enemy = Enemy(
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
        self._enemies[enemy] = None
        self.units.add(enemy)

    def remove(self, enemy: Enemy) -> None:
        """Take an enemy out of the game."""
        del self._enemies[enemy]
        self.units.remove(enemy)

    def march(self, seconds: float) -> list[Enemy]:
        """Walk on; returns those who have reached the end of the road."""
        enemies = list(self._enemies)
        if not enemies:
            return []
        rows = [(one.x, one.y, one.progress, one.lane, one.speed) for one in enemies]
        x, y, progress, lane, speed = np.array(rows).T
        heading = self.road.heading(progress)
        goal = self.road.at(progress) + np.stack((-heading[:, 1], heading[:, 0]), 1) * lane[:, None]
        way = goal - np.stack((x, y), 1)
        distance = np.hypot(way[:, 0], way[:, 1])
        # Whoever was pushed aside hurries back; whoever was held up does not walk on without legs.
        share = np.minimum(1.0, 1.6 * speed * seconds / np.maximum(distance, 1e-9))
        x, y = x + way[:, 0] * share, y + way[:, 1] * share
        progress = np.where(distance < PUSHED, progress + speed * seconds, progress)
        sideways = np.abs(heading[:, 0]) > np.abs(heading[:, 1])
        positive = np.where(sideways, heading[:, 0], heading[:, 1]) > 0
        facing = FACINGS[sideways.astype(int), positive.astype(int)]
        columns = (x.tolist(), y.tolist(), progress.tolist(), facing.tolist())
        for enemy, new_x, new_y, walked, face in zip(enemies, *columns, strict=True):
            self.units.move(enemy, new_x, new_y)
            enemy.progress, enemy.facing = walked, face
        end = self.road.length - 1
        return [enemy for enemy in enemies if enemy.progress >= end]


FACINGS = np.array([["down", "up"], ["left", "right"]])
