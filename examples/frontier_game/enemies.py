"""The enemies, and how they march down the road."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree
from tilequad.ai import Route, Watches

from .settings import EnemyType
from .units import ENEMY, Queries, facing

LANE = 26.0  # greatest distance of a lane from the middle of the road, in pixels
# An enemy pushed further than this from its lane waits for the crowd, in pixels.
PUSHED = 26.0
GATE = 40.0  # an enemy this near to the end of the road has broken through, in pixels


@dataclass(eq=False, slots=True)
class Enemy:
    """One enemy."""

    type: EnemyType
    health: float

    @property
    def radius(self) -> float:
        """The radius of its footprint, in pixels."""
        return self.type.radius


class Horde:
    """All enemies, moved along the road together.

    Args:
        queries: The tree to add the enemies to.
        road: The road that they follow.
        types: The types of enemies, each with its frequency.
        random: Chooses type, lane and speed of each enemy.

    Attributes:
        progress: How far along the road each enemy is, in pixels, by its slot in the tree.
    """

    def __init__(
        self, queries: Queries, road: Route, types: Sequence[EnemyType], random: Random
    ) -> None:
        self.units: DynamicQuadtree[Any] = queries.tree
        self.road, self.types, self.random = road, types, random
        self.progress, self._lane, self._speed = np.zeros((3, 0))
        self._enemies: dict[Enemy, None] = {}
        self._slots: NDArray[np.int32] | None = None
        queries.lists[ENEMY] = self._enemies
        self._gate = Watches(self.units, ENEMY)
        self._gate.add(road.points[-1].tolist(), GATE)

    def __len__(self) -> int:
        return len(self._enemies)

    def __iter__(self) -> Iterator[Enemy]:
        return iter(self._enemies)

    def spawn(self, progress: Sequence[float]) -> None:
        """Add an enemy at each of these distances along the road."""
        random = self.random
        frequencies = [one.frequency for one in self.types]
        types = random.choices(self.types, frequencies, k=len(progress))
        lanes = [random.uniform(-LANE, LANE) for _ in types]
        enemies = [Enemy(one, one.health) for one in types]
        slots = self.units.add_many(
            enemies,
            self.road.at(progress, lanes),
            radius=[one.radius for one in types],
            groups=ENEMY,
        )
        self._reserve(slots.max(initial=0) + 1)
        self.progress[slots], self._lane[slots] = progress, lanes
        self._speed[slots] = [one.speed * random.uniform(0.9, 1.1) for one in types]
        self._enemies.update(dict.fromkeys(enemies))
        self._slots = None

    def remove(self, enemy: Enemy) -> None:
        """Remove an enemy from the game."""
        del self._enemies[enemy]
        self.units.remove(enemy)
        self._slots = None

    def march(self, seconds: float) -> None:
        """Move all enemies."""
        slots = self.slots()
        progress, step = self.progress[slots], self._speed[slots] * seconds
        positions = self.units.positions(slots)
        offsets = self.road.at(progress, self._lane[slots]) - positions
        distance = np.sqrt((offsets * offsets).sum(axis=1))
        # An enemy pushed off its lane hurries back; one held up far from its lane waits.
        share = np.minimum(1.0, 1.6 * step / np.maximum(distance, 1e-9))
        self.units.move_many(slots, positions + offsets * share[:, None])
        self.progress[slots] = np.where(distance < PUSHED, progress + step, progress)

    def arrivals(self) -> list[Enemy]:
        """Return the enemies that have reached the end of the road since the last call."""
        return [enemy for _, entered, _ in self._gate.update() for enemy in entered]

    def slots(self) -> NDArray[np.int32]:
        """Return the slots of all enemies, in the order of adding."""
        if self._slots is None:
            self._slots = np.array([self.units.slot(one) for one in self._enemies], np.int32)
        return self._slots

    def facing(self, enemy: Enemy) -> str:
        """Return the direction in which an enemy looks."""
        return facing(*self.road.heading(self.progress[self.units.slot(enemy)]).tolist())

    def _reserve(self, count: int) -> None:
        """Make room for so many slots."""
        more = count - len(self.progress)
        if more > 0:
            arrays = self.progress, self._lane, self._speed
            grown = (np.append(array, np.zeros(more + count // 2)) for array in arrays)
            self.progress, self._lane, self._speed = grown
