"""The numbers of the game: who fights, what things cost, how many come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TICK = 1 / 60  # seconds


@dataclass(frozen=True)
class TowerType:
    """One type of tower: range in pixels, damage in points, seconds between two shots."""

    picture: str
    shot: str
    range: float
    damage: float
    reload: float
    speed: float
    """Of its shots, in pixels a second."""
    splash: float = 0.0
    """Radius around the hit in which all enemies are hurt, in pixels."""
    policy: Literal["first", "last", "closest", "farthest", "strongest", "weakest"] = "first"
    """Whom it shoots at."""


@dataclass(frozen=True)
class EnemyType:
    """One type of enemy: health in points, speed in pixels a second, radius in pixels."""

    name: str
    health: float
    speed: float
    radius: float
    frequency: int


ARCHERS = TowerType("tower", "arrow", range=230, damage=9, reload=0.8, speed=460)
FIRE = TowerType("fire_tower", "bolt", range=190, damage=12, reload=1.6, speed=300, splash=42)

ENEMY_TYPES = (
    EnemyType("goblin", 32, 52, 7, frequency=10),
    EnemyType("skeleton", 46, 44, 7, frequency=7),
    EnemyType("orc", 80, 38, 9, frequency=5),
    EnemyType("ogre", 260, 28, 13, frequency=1),
)


@dataclass(frozen=True)
class Settings:
    """All numbers that a designer of the game may want to change. Times are in seconds.

    Raises:
        ValueError: There is no type of tower or of enemy, or enemies come faster than the ticks.
    """

    towers: tuple[TowerType, ...] = (ARCHERS, ARCHERS, FIRE)
    """The types of towers, built in turn."""
    first_towers: int = 10
    """How many stand at the start, if the map has so many sites."""
    first_villagers: int = 7
    """How many villagers each drop-off has at the start."""
    tower_price: tuple[int, int] = (120, 6)
    """Wood and stone."""
    villager_price: tuple[int, int] = (100, 0)
    wood_reserve: int = 300
    """Wood to save for towers before a villager is bought."""
    load: tuple[int, int] = (5, 3)
    """How much wood or stone a villager brings at once."""
    chop: int = 20
    """Wood that one load takes from a tree."""
    regrowth: float = 100.0
    """Until a stump is a tree again."""
    walk: float = 46.0
    """Of villagers, in pixels a second."""
    run: float = 84.0
    """Of villagers who flee."""
    enemies: tuple[EnemyType, ...] = ENEMY_TYPES
    first_enemies: int = 300
    spawn_every: float = 0.5
    """Between two new enemies."""
    lives: int = 100
    """The village is lost when so many enemies have broken through."""
    duration: float = 60.0
    """The village has won when it holds out for so long."""

    def __post_init__(self) -> None:
        """Refuse what no game can be played with."""
        for name in ("towers", "enemies"):
            if not getattr(self, name):
                raise ValueError(f"{name} must have at least one type")
        if not self.spawn_every >= TICK:
            raise ValueError(f"spawn_every must be at least {TICK:.4f}, got {self.spawn_every!r}")
