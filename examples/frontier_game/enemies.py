"""The enemies: each keeps a lane of its road, or finds another way when the road is shut.

Roads ask for a `Route`, not for a `March` as the villagers': those who come side by side in their
lanes stay side by side. On the way of a `Field`, which marches share, all of them would end up in
single file, and beside the road where it bends; each step would cost four times as much. And a
march pushes all of its units apart in each tick: of 20,000, here a third has its turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad import DynamicQuadtree

from .land import Land
from .settings import EnemyType, Settings
from .units import ENEMY, Queries, facing
from .ways import LANE, Ways

# An enemy pushed further than this from its lane waits for the crowd, in pixels.
PUSHED = 26.0
GATE = 48.0  # an enemy this near to the gate has broken through, in pixels
ON_FOOT = -1  # instead of the number of a road: over the land, by the field
HURRY = 1.6  # times its speed, of an enemy that was pushed off its lane
PATIENCE = 4.0  # seconds that an enemy waits in all, before it leaves the road
SLOWED = 0.5  # the speed of those whom frost has hit
ROOM = 8.0  # pixels of a road that a new enemy takes
FAR = 1600.0  # from the gate: there new enemies appear over the land, in pixels
BY_SLOT = (
    "progress", "velocity", "kinds", "_lane", "_speed", "_slow_until", "_waited", "_road",
)  # fmt: skip
TOGETHER = 1_000  # up to so many enemies look around in one tick, and are pushed apart in one
MOST_TOGETHER = 7_000  # at most about so many in any tick
SAMPLE = 16  # one in so many enemies tells where the strips begin
LOOK_EVERY = 3  # ticks: all have their turn to look around 20 times a second; of 50,000, 7.5
MEASURED = 10  # one in so many looks how far it has come on foot


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
    """All enemies, moved together: arrays by slot of the tree hold what is known of each.

    Args:
        queries: The tree to add the enemies to.
        land: The map, with the roads.
        ways: The way over the land, where no road leads on.
        settings: The types of enemies, and where they appear.
        random: Chooses type, lane and speed of each enemy.

    Attributes:
        progress: How far each enemy has come, in pixels, by its slot in the tree. It is `length`
            at the gate, on every road.
        velocity: How far each enemy walked in its last tick, in pixels a second, by its slot.
        kinds: The number of each enemy's type, by its slot.
        hurt: The enemies that have lost health.
        length: The length of the longest road.
    """

    def __init__(
        self, queries: Queries, land: Land, ways: Ways, settings: Settings, random: Random
    ) -> None:
        self.units: DynamicQuadtree[Any] = queries.tree
        self.land, self.ways, self.settings, self.random = land, ways, settings, random
        self.roads = land.roads
        self._numbers = {one.name: number for number, one in enumerate(settings.enemies)}
        self.length = max(road.length for road in self.roads)
        # A road begins at this progress, so that all roads end at the same progress.
        self._begins = [self.length - road.length for road in self.roads]
        self.progress, self._lane, self._speed, self._slow_until, self._waited = np.zeros((5, 0))
        self.velocity = np.zeros((0, 2))
        self._road, self.kinds = np.zeros((2, 0), np.int8)
        self.hurt: dict[Enemy, None] = {}
        self._enemies: dict[Enemy, None] = {}
        self._slots = np.zeros(0, np.int32)
        queries.lists[ENEMY] = self._enemies

    def __len__(self) -> int:
        return len(self._enemies)

    @property
    def every(self) -> int:
        """How many ticks it takes until all have had their turn to look around."""
        return max(LOOK_EVERY, -(-len(self) // MOST_TOGETHER))

    def __iter__(self) -> Iterator[Enemy]:
        return iter(self._enemies)

    def entry(self, road: int) -> float:
        """Return the progress at which new enemies appear on a road."""
        return max(self._begins[road], self.length - self.settings.approach)

    def entry_at(self, road: int) -> tuple[float, float]:
        """Return the place where new enemies appear on a road."""
        return self.roads[road].at(self.entry(road) - self._begins[road])

    def spawn(
        self, progress: Sequence[float], road: int = 0, types: Sequence[EnemyType] = ()
    ) -> None:
        """Add an enemy at each of these distances along a road.

        Args:
            progress: How far each has come.
            road: The number of their road.
            types: The type of each; chosen by their frequency, if none are given.
        """
        random = self.random
        count = len(progress)
        lanes = [random.uniform(-LANE, LANE) for _ in range(count)]
        xy = self.roads[road].at_many(np.subtract(progress, self._begins[road]), lanes)
        self._add(xy, progress, lanes, ON_FOOT if self.ways.cut[road] else road, types)

    def scatter(self, xy: ArrayLike) -> None:
        """Add enemies at points of the land, from where they find the gate by themselves."""
        points = np.asarray(xy, float)
        self._add(points, np.zeros(len(points)), np.zeros(len(points)), ON_FOOT, ())
        self._measure(self.slots())

    def line_up(self, count: int, start: float, end: float) -> None:
        """Add enemies at random between two fractions of the first road's length."""
        length, begin = self.roads[0].length, self._begins[0]
        places = (self.random.uniform(start * length, end * length) for _ in range(count))
        self.spawn([begin + place for place in places])

    def reinforce(self, count: int) -> None:
        """Add many enemies at once: on the first road, and where it is full, over the land."""
        room = max(0, round(self.roads[0].length / ROOM) - len(self))
        self.line_up(min(count, room), 0.0, 0.72)
        if count > room:
            grid, field = self.ways.grid, self.ways.field
            places = grid.center_many(np.flatnonzero(np.isfinite(field.distances.ravel())))
            far = places[np.hypot(*(places - self.land.gate).T) > FAR]
            chosen = self.random.choices(range(len(far)), k=count - room)
            shift = [[self.random.uniform(-9, 9) for _ in range(2)] for _ in chosen]
            self.scatter(far[chosen] + shift)

    def _add(
        self,
        xy: NDArray[np.float64],
        progress: ArrayLike,
        lanes: ArrayLike,
        road: int,
        types: Sequence[EnemyType],
    ) -> None:
        random, known = self.random, self.settings.enemies
        if not types:
            types = random.choices(known, [one.frequency for one in known], k=len(xy))
        enemies = [Enemy(one, one.health) for one in types]
        radii = [one.radius for one in types]
        slots = self.units.add_many(enemies, xy, radius=radii, groups=ENEMY)
        self._reserve(slots.max(initial=0) + 1)
        self.progress[slots], self._lane[slots], self._road[slots] = progress, lanes, road
        self._speed[slots] = [one.speed * random.uniform(0.9, 1.1) for one in types]
        self._slow_until[slots], self.velocity[slots], self._waited[slots] = -inf, 0.0, 0.0
        self.kinds[slots] = [self._numbers[one.name] for one in types]
        self._enemies.update(dict.fromkeys(enemies))
        self._slots = np.append(self._slots, slots)

    def remove(self, enemy: Enemy) -> None:
        """Remove an enemy from the game."""
        del self._enemies[enemy]
        self.hurt.pop(enemy, None)
        self._slots = self._slots[self._slots != self.units.slot(enemy)]
        self.units.remove(enemy)

    def slow(self, enemy: Enemy, until: float) -> None:
        """Let an enemy walk slowly up to a moment of the game."""
        self._slow_until[self.units.slot(enemy)] = until

    def march(self, now: float, ticks: int, seconds: float) -> None:
        """Move all enemies. Those look where they go whose turn it is."""
        slots, every = self.slots(), self.every
        if not len(slots):
            return
        for number, cut in enumerate(self.ways.cut):
            if cut:  # they go over the land, and stay on foot
                self._road[self._road == number] = ON_FOOT
        turns = slots if len(slots) > TOGETHER else 0 * slots
        turn = slots[(turns + ticks) % every == 0]
        self._steer(turn, now, every * seconds)
        self._measure(turn[ticks % MEASURED :: MEASURED])
        moves = self.velocity.take(slots, 0) * seconds
        self.units.move_many(slots, self.units.position_many(slots) + moves)

    def _steer(self, slots: NDArray[np.int32], now: float, seconds: float) -> None:
        """Let some enemies choose where they go in the next seconds, and how fast."""
        step = self._speed.take(slots) * seconds
        step[self._slow_until.take(slots) > now] *= SLOWED
        positions = self.units.position_many(slots)
        progress = self.progress.take(slots) + step
        roads, lanes = self._road.take(slots), self._lane.take(slots)
        for number in range(ON_FOOT, len(self.roads)):
            there = np.flatnonzero(roads == number)
            if not len(there):
                continue
            places, steps = positions.take(there, 0), step.take(there)
            if number == ON_FOOT:
                # Field: one way to the gate, for all who are on foot.
                moves = self.ways.field.advance_many(places, steps) - places
            else:
                # Route: a lane of the road, at the distance that each will have come.
                along = progress.take(there) - self._begins[number]
                moves = self.roads[number].at_many(along, lanes.take(there)) - places
                distance = np.sqrt(moves[:, 0] * moves[:, 0] + moves[:, 1] * moves[:, 1])
                # An enemy pushed off its lane hurries back; far from its lane it waits for that.
                far = distance >= PUSHED
                pace = np.where(far, 1.0, HURRY) * steps
                moves *= np.minimum(1.0, pace / np.maximum(distance, 1e-9))[:, None]
                held = there[far]
                progress[held] -= step[held]
                waited = self._waited[slots[held]] + seconds
                self._waited[slots[held]] = waited
                self._road[slots[held[waited > PATIENCE]]] = ON_FOOT
            self.velocity[slots[there]] = moves / seconds
        self.progress[slots] = progress

    def _measure(self, slots: NDArray[np.int32]) -> None:
        """Measure how far those have come who are on foot."""
        slots = slots[self._road[slots] == ON_FOOT]
        left = self.ways.field.distance_many(self.units.position_many(slots))
        self.progress[slots] = self.length - np.where(np.isfinite(left), left, self.length)

    def arrivals(self) -> list[Enemy]:
        """Return the enemies at the gate."""
        # Radius query: who is at the gate?
        x, y = self.land.gate
        return self.units.within(x, y, GATE, groups=ENEMY)

    def slots(self) -> NDArray[np.int32]:
        """Return the slots of all enemies, in the order of adding."""
        return self._slots

    def crowd(self, ticks: int) -> NDArray[np.int32]:
        """Return the slots of the enemies that are pushed apart in a tick.

        A few have their turn together, in one tick of `every`. Of many, those of one strip of the
        map have it in each tick, from west to east, so that no tick pays for all of them.
        """
        slots, every = self.slots(), self.every
        turn = ticks % every
        if len(slots) <= TOGETHER:
            return slots if turn == every - 1 else slots[:0]
        xs = self.units.position_many(slots)[:, 0]
        some = np.sort(xs[::SAMPLE])
        cuts = [-inf, *some[[len(some) * strip // every for strip in range(1, every)]], inf]
        found: NDArray[np.int32] = slots[(xs >= cuts[turn]) & (xs < cuts[turn + 1])]
        return found

    def facing(self, enemy: Enemy) -> str:
        """Return the direction in which an enemy looks."""
        return facing(*self.velocity[self.units.slot(enemy)].tolist())

    def _reserve(self, count: int) -> None:
        """Make room for this many slots."""
        if count > len(self.progress):
            for name in BY_SLOT:
                array = getattr(self, name)
                setattr(self, name, np.resize(array, (count + count // 2, *array.shape[1:])))
