"""The waves of enemies, and the pauses between them."""

from __future__ import annotations

from itertools import cycle
from math import inf

from .enemies import Horde
from .settings import TICK, EnemyType, Settings


class Waves:
    """Sends enemies: a steady stream, and waves one after the other.

    Args:
        horde: The enemies on the map.
        settings: When they come, and how many.

    Attributes:
        number: How many waves have come or are coming.
        wait: Seconds until the next one; 0 while one is coming or fights.
    """

    def __init__(self, horde: Horde, settings: Settings) -> None:
        self.horde, self.settings = horde, settings
        self.number = 0
        self._types = {one.name: one for one in settings.enemies}
        self._coming: list[tuple[EnemyType, int]] = []  # of this wave, the next one last
        self._next_tick = 0
        self.wait = settings.waves[0].pause if settings.waves else inf

    @property
    def are_over(self) -> bool:
        """Whether all waves have come and gone. Never, if there are none."""
        waves = self.settings.waves
        over = self.number == len(waves) and not self._coming and not len(self.horde)
        return bool(waves) and over

    @property
    def roads(self) -> tuple[int, ...]:
        """The roads of the wave that is waited for or comes; none when all of it is on the map."""
        if not (self.is_pause or self._coming):
            return ()
        wave = self.settings.waves[self.number - (not self.is_pause)]
        return tuple(dict.fromkeys(wave.roads))

    @property
    def is_pause(self) -> bool:
        """Whether a next wave is waited for."""
        return 0 < self.wait < inf

    def call(self) -> None:
        """Let the next wave come at once, in a pause."""
        if self.is_pause:
            self.wait = TICK / 2

    def update(self, ticks: int) -> None:
        """Send the enemies that are due in this tick."""
        if self.settings.spawn_every < inf and ticks % round(self.settings.spawn_every / TICK) == 0:
            self.horde.spawn([self.horde.entry(0)])
        if self.is_pause:
            self.wait -= TICK
            if self.wait <= 0:
                self.wait = 0.0
                self._begin(ticks)
        elif self._coming:
            if ticks >= self._next_tick:
                self._send(ticks)
        elif self.number < len(self.settings.waves) and not len(self.horde):
            self.wait = max(self.settings.waves[self.number].pause, TICK / 2)

    def _begin(self, ticks: int) -> None:
        wave = self.settings.waves[self.number]
        self.number += 1
        kinds = [self._types[name] for name, count in wave.enemies for _ in range(count)]
        self.horde.random.shuffle(kinds)
        self._coming = list(zip(kinds, cycle(wave.roads)))[::-1]
        self._next_tick = ticks

    def _send(self, ticks: int) -> None:
        kind, road = self._coming.pop()
        self.horde.spawn([self.horde.entry(road)], road, [kind])
        self._next_tick = ticks + round(self.settings.waves[self.number - 1].every / TICK)
