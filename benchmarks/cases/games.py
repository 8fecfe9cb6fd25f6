"""Whole games without a screen: the demo's ticks, its crowd, and sweeps on each engine."""

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.cases import ROOT
from benchmarks.plan import OURS, Plan, Race, Races
from benchmarks.results import BYTES, row
from frontier_game.play import Match
from frontier_game.settings import TICK, Settings
from frontier_game.units import ENEMY
from frontier_sweep.engines import ENGINES, Engine, engine
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
SETTINGS = {"duration": GAME_TICKS * TICK, "lives": 10**9}  # which nobody can win


def frames(plan: Plan) -> Races:
    """Ticks of the demo, and what pushes its enemies apart, which some ticks do."""
    for enemies in ENEMIES:
        match = the_match(enemies)
        yield Race("a tick of a game", SPREAD, enemies, match.tick, frames=TICKS)
    match = the_match(enemies)
    game, name = match.game, "the enemies are pushed apart"
    push = partial(separate, game.units, ENEMY, walls=game.ways.walls, iterations=2)
    yield Race(name, SPREAD, enemies, push, frames=TICKS // 6, prepare=match.tick)


def the_match(enemies: int) -> Match:
    """A game with so many enemies at the start, which nobody can win while it is timed."""
    match = Match(load_map(MAP), 1, Settings(first_enemies=enemies, lives=10**9, duration=10**6))
    for _ in range(WARM_UP):
        match.tick()
    return match


def races(plan: Plan) -> Races:
    """Games by the dozen; what a second worker costs."""
    yield Race("the map opened in a worker", SPREAD, GAME_TICKS, partial(Player, MAP))
    short = replace(Settings(), duration=10.0, lives=10**9)
    owned = []
    for _, answer in engine("processes")([Chunk(0, short, (seed,)) for seed in (1, 2)], MAP, 2):
        # A worker is idle, and still there, when its answer is.
        with suppress(OSError):  # where the system does not tell what no other process shares
            text = Path(f"/proc/{answer.worker.rpartition('/')[2]}/smaps_rollup").read_text()
            sizes = re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.MULTILINE)
            owned.append(1024 * sum(map(int, sizes)))
    if owned:
        about = "memory of a worker beyond the first", SPREAD, GAME_TICKS
        yield row(*about, OURS, owned, unit=BYTES)
    for name in ENGINES:
        try:
            play = engine(name)
        except ModuleNotFoundError as error:
            plan.results.skipped[name] = str(error)
            continue
        for workers in (1, 2):
            who = f"{name}, {workers} worker{'s' * (workers > 1)}"
            yield from sweep(play, who, workers, QUICK_GAMES if plan.quick else GAMES)


def sweep(play: Engine, who: str, workers: int, games: int) -> Races:
    """Seconds for a game on an engine, and what of them is not play.

    Here the clock on the wall counts: the workers share the machine, which should have nothing
    else to do.
    """
    whole = Sweep((SETTINGS,), tuple(range(1, games + 1)))
    chunks = whole.chunks(set(), chunk_size(games, workers))
    asked, begun, played = perf_counter(), 0.0, 0.0
    for _, answer in play(list(chunks), MAP, workers):
        if isinstance(answer, Exception):
            raise answer
        played += answer.seconds
        begun = begun or perf_counter() - answer.seconds
        ended = perf_counter()
        assert all("result" in outcome for outcome in answer.outcomes), answer.outcomes
    wall = ended - begun
    for operation, seconds in (
        ("a game of a sweep", wall / games),
        ("a game of a sweep, playing", played / games),
        ("a game of a sweep, all but playing", max(0.0, wall * workers - played) / games),
        ("an engine starts", begun - asked),
    ):
        yield row(operation, SPREAD, GAME_TICKS, who, [seconds])
