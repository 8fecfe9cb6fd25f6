"""The stress test: thousands of enemies, by quadtrees or by brute force, and what it costs."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from tilequad.tiled import TileMap

from .game import Game
from .settings import ARCHERS, FIRE, FROST, MORTAR, Settings

LEVELS = (1_000, 5_000, 10_000, 20_000, 50_000)
SECONDS = 10.0  # of history
LOOP_BUDGET = 0.03  # seconds of loops in a tick; trees answer the rest, so that it stays usable

STRESS = replace(
    Settings(),
    towers=(ARCHERS, FIRE, ARCHERS, FROST, MORTAR),
    first_towers=20,
    first_enemies=0,
    first_stock=(9_000, 9_000, 9_000),
    steward=False,
    lives=1_000_000_000,
    duration=1e9,
)


class Stress:
    """A game that is kept at a number of enemies, and the history of its figures.

    Args:
        tile_map: The map.
        seed: Of the game.

    Attributes:
        wanted: How many enemies there shall be.
        history: For each tick played: when, in seconds of the clock, whether by loops, and the
            milliseconds of all questions.
    """

    def __init__(self, tile_map: TileMap, seed: int) -> None:
        self.game = Game(tile_map, seed, STRESS)
        self.game.queries.budget = LOOP_BUDGET
        self.wanted = LEVELS[0]
        self.history: deque[tuple[float, bool, float]] = deque()

    def tick(self, clock: float) -> None:
        """Play a tick."""
        game = self.game
        self._top_up()
        game.tick()
        queries = game.queries
        by_loops = queries.looped > 0
        # Where the loops had no time to answer all questions, it is the time that all would take.
        share = queries.looped / queries.asked if by_loops else 1.0
        self.history.append((clock, by_loops, queries.seconds * 1000 / share))
        while self.history and self.history[0][0] < clock - SECONDS:
            self.history.popleft()

    def _top_up(self) -> None:
        game, missing = self.game, self.wanted - len(self.game.horde)
        if missing > self.wanted // 20:
            game.horde.reinforce(missing)
        elif missing < -self.wanted // 20:
            for enemy in list(game.horde)[missing:]:
                game.horde.remove(enemy)

    def recent(self, by_loops: bool) -> float | None:
        """Return the mean milliseconds of the questions of a tick in half a second, or None."""
        found = [questions for _, loops, questions in self.history if loops == by_loops][-30:]
        return sum(found) / len(found) if found else None
