"""Whole games without a screen: the demo's ticks, its crowd, and sweeps on each engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import perf_counter

from benchmarks.cases import ROOT
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.results import BYTES, Row, row
from benchmarks.timing import Race, Runner
from frontier_game.play import Match
from frontier_game.settings import TICK, Settings
from frontier_game.units import ENEMY
from frontier_sweep.engines import ENGINES, engine
from frontier_sweep.plan import Chunk, chunk_size
from frontier_sweep.plan import Plan as Sweep
from frontier_sweep.player import Player
from tilequad import load_map
from tilequad.ai import separate

MAP = ROOT / "maps" / "frontier.tmx"
SPREAD = "frontier"
ENEMIES = 300, 5_000, 20_000  # at the start
WARM_UP, TICKS = 12, 600
GAME_TICKS = 3_600
GAMES, QUICK_GAMES = 40, 12
SETTINGS = replace(Settings(), duration=GAME_TICKS * TICK, lives=10**9)


def frames(plan: Plan) -> Iterator[Race]:
    """Ticks of the demo, and what pushes its enemies apart, which some ticks do."""
    for enemies in ENEMIES:
        about = "a tick of a game", SPREAD, enemies, "tick"
        yield Race(*about, {OURS: the_match(enemies).tick}, frames=plan.frames(TICKS))
    match = the_match(ENEMIES[-1])
    game = match.game

    def push() -> None:
        separate(game.units, ENEMY, walls=game.ways.walls, iterations=2)

    crowd = {OURS: match.tick}
    about = "the enemies are pushed apart", SPREAD, ENEMIES[-1], "tick"
    yield Race(*about, {OURS: push}, frames=plan.frames(TICKS // 6), prepare=crowd)


def the_match(enemies: int) -> Match:
    """A game with so many enemies at the start, which nobody can win while it is timed."""
    match = Match(tile_map(), 1, Settings(first_enemies=enemies, lives=10**9, duration=10**6))
    for _ in range(WARM_UP):
        match.tick()
    return match


@cache
def tile_map():
    return load_map(MAP)


def races(plan: Plan) -> Iterator[Race | Row]:
    """Games by the dozen; what a second worker costs."""
    opening: dict[str, Runner] = {OURS: lambda: Player(MAP)}
    yield Race("the map opened in a worker", SPREAD, GAME_TICKS, "worker", opening)
    short = replace(SETTINGS, duration=10.0)
    owned = []
    for _, answer in engine("processes")([Chunk(0, short, (seed,)) for seed in (1, 2)], MAP, 2):
        # A worker is idle, and still there, when its answer is.
        owned.append(own_memory(int(answer.worker.rpartition("/")[2])))
    if None not in owned:
        about = "memory of a worker beyond the first", SPREAD, GAME_TICKS, "worker", OURS
        yield row(*about, owned, unit=BYTES)
    for name in ENGINES:
        try:
            engine(name)
        except ModuleNotFoundError:
            plan.results.skipped[name] = "not installed"
            continue
        for workers in (1, 2):
            yield from sweep(name, workers, QUICK_GAMES if plan.quick else GAMES)


def sweep(name: str, workers: int, games: int) -> Iterator[Row]:
    """Seconds for a game on an engine, and what of them is not play.

    Here the clock on the wall counts: the workers share the machine, which should have nothing
    else to do.
    """
    plan = Sweep(({"lives": 10**9, "duration": GAME_TICKS * TICK},), tuple(range(1, games + 1)))
    chunks = list(plan.chunks(set(), chunk_size(games, workers)))
    asked, begun, played = perf_counter(), 0.0, 0.0
    for _, answer in engine(name)(chunks, MAP, workers):
        if isinstance(answer, Exception):
            raise answer
        played += answer.seconds
        begun = begun or perf_counter() - answer.seconds
        ended = perf_counter()
        assert all("result" in outcome for outcome in answer.outcomes), answer.outcomes
    who, wall = f"{name}, {workers} worker{'s' * (workers > 1)}", ended - begun
    beside = max(0.0, wall * workers - played)
    for operation, per, seconds in (
        ("a game of a sweep", "game", wall / games),
        ("a game of a sweep, playing", "game", played / games),
        ("a game of a sweep, all but playing", "game", beside / games),
        ("an engine starts", "start", begun - asked),
    ):
        yield row(operation, SPREAD, GAME_TICKS, per, who, [seconds])


def own_memory(process: int) -> int | None:
    """The bytes that a process shares with no other; None where the system does not tell."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return None
    return sum(1024 * int(size) for size in re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M))
