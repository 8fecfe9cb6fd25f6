"""Plays chunks of games on a map that is opened once."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from frontier_game.play import play
from tilequad import load_map

from .plan import Chunk

Outcome = dict[str, Any]
"""A game's seed, and its "result" as a dictionary or its "error" as text."""
LONGEST = 300  # letters of an error


@dataclass(frozen=True)
class Played:
    """The outcomes of a chunk, who played it, and the seconds that the games took."""

    worker: str
    seconds: float
    outcomes: tuple[Outcome, ...]


class Player:
    """A worker's player: it opens the map once, and then plays chunk after chunk."""

    def __init__(self, map_path: Path) -> None:
        self.tile_map = load_map(map_path)

    def play(self, chunk: Chunk) -> Played:
        """Play the games of a chunk. A game that raises anything is also an outcome."""
        started = perf_counter()
        outcomes = tuple(self._play(chunk, seed) for seed in chunk.seeds)
        worker = f"{platform.node()}/{os.getpid()}"
        return Played(worker, perf_counter() - started, outcomes)

    def _play(self, chunk: Chunk, seed: int) -> Outcome:
        try:
            return {"seed": seed, "result": asdict(play(self.tile_map, seed, chunk.settings))}
        except BaseException as problem:  # SystemExit, too; Ctrl-C never comes to a worker
            return {"seed": seed, "error": error_line(problem)}


def error_line(problem: BaseException) -> str:
    """Return an error as one line that can be printed and written anywhere."""
    try:
        text = str(problem)
    except Exception:  # an error of the game's own may be unable to say what it is
        text = "?"
    line = f"{type(problem).__name__}: {text}".splitlines()[0]
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)[:LONGEST]
