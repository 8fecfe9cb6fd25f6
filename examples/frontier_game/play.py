"""A whole game without a screen: the same map, seed and settings give the same result."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from zlib import compress, decompress

from tilequad.tiled import TileMap

from .game import Game
from .settings import Settings

DIGEST_EVERY = 600  # ticks


@dataclass(frozen=True)
class Result:
    """How a game ended. Plain numbers and text, so it can be sent to other processes."""

    seed: int
    winner: str
    """"village" or "horde"."""
    ticks: int
    slain: int
    broke_through: int
    """Enemies that came to the gate: the lives that the village lost."""
    waves: int
    """How many have come."""
    towers: int
    villagers: int
    gathered: dict[str, int]
    spent: dict[str, int]
    digests: tuple[str, ...]
    """The state of the game every 600 ticks."""


def play(tile_map: TileMap, seed: int, settings: Settings | None = None) -> Result:
    """Play a game to its end, and return how it ended.

    The village wins if it holds out for `settings.duration` seconds or beats all
    `settings.waves`; the horde wins when `settings.lives` enemies have broken through. Nothing is
    drawn or written, and the map is left as it is.

    Args:
        tile_map: The map of the frontier.
        seed: Decides everything that is left to chance.
        settings: The numbers of the game. None means the numbers of the demo.

    Example:
        >>> from tilequad import load_map
        >>> play(load_map("maps/frontier.tmx"), seed=1).winner  # doctest: +SKIP
        'village'
    """
    match = Match(tile_map, seed, settings)
    while not match.is_over:
        match.tick()
    return match.result()


class Match:
    """A game that ends, tick by tick. It can be saved at any tick.

    Args:
        tile_map: The map of the frontier.
        seed: Decides everything that is left to chance.
        settings: The numbers of the game. None means the numbers of the demo.

    Example:
        >>> from tilequad import load_map
        >>> match = Match(load_map("maps/frontier.tmx"), seed=1)  # doctest: +SKIP
        >>> match.tick()  # doctest: +SKIP
        >>> again = Match.resume(match.save())  # doctest: +SKIP
    """

    def __init__(self, tile_map: TileMap, seed: int, settings: Settings | None = None) -> None:
        self.seed = seed
        self.game = Game(tile_map, seed, settings)
        self.digests: list[str] = []

    @property
    def is_over(self) -> bool:
        """Whether the village has held out, or is lost."""
        return self.game.is_lost or self.game.is_won

    def tick(self) -> None:
        """Play a sixtieth of a second."""
        self.game.tick()
        if self.game.ticks % DIGEST_EVERY == 0:
            self.digests.append(self.game.digest())

    def result(self) -> Result:
        """Return how the game stands, or how it ended. An unfinished game is the village's."""
        game = self.game
        return Result(
            seed=self.seed,
            winner="horde" if game.is_lost else "village",
            ticks=game.ticks,
            slain=game.slain,
            broke_through=game.breakthroughs,
            waves=game.waves.number,
            towers=len(game.garrison.towers),
            villagers=len(game.village.villagers),
            gathered=dict(game.gathered),
            spent=dict(game.spent),
            digests=tuple(self.digests),
        )

    def save(self) -> bytes:
        """Return the whole game, without the map's pictures and layers, packed."""
        return compress(pickle.dumps(self), 1)

    @staticmethod
    def resume(saved: bytes) -> Match:
        """Return a saved game; it goes on as if nothing had happened. Load no stranger's file."""
        match = pickle.loads(decompress(saved))
        if not isinstance(match, Match):
            raise TypeError(f"saved must be a match, got {match!r}")
        return match


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as a whole, or leave the one that is there."""
    new = path.with_name(path.name + ".new")
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
