"""Whole games without a screen: a tick and its parts, sweeps on each engine, a worker's memory."""

from __future__ import annotations

import cProfile
import pstats
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import mean, median
from time import perf_counter

from benchmarks.peers import OURS
from benchmarks.results import BYTES, Results, Row
from tilequad import load_map

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))

from frontier_game.play import Match  # noqa: E402
from frontier_game.settings import TICK, Settings  # noqa: E402
from frontier_sweep.engines import ENGINES, engine  # noqa: E402
from frontier_sweep.plan import Chunk, Plan, chunk_size  # noqa: E402
from frontier_sweep.player import Player  # noqa: E402

MAP = ROOT / "maps" / "frontier.tmx"
SPREAD = "frontier"
# Enemies at the start, and the most that a tick with them may take.
TICKS = {300: 0.25e-3, 5_000: 3e-3, 20_000: 20e-3}
PARTS = ("trees", "AI", "game")
WARM_UP, TICKS_TIMED, QUICK_TICKS_TIMED = 12, 600, 60
GAME_TICKS = 3_600
GAMES, FEWER_GAMES, QUICK_GAMES = 1_000, 100, 24
TICK_OF, GAME, BESIDE, START = (
    "a tick of a game",
    "a game",
    "a game, all but playing",
    "an engine starts",
)
OPEN, MEMORY = "the map opened in a worker", "memory of a worker beyond the first"


def workers(name: str, count: int) -> str:
    """How the report names an engine with some workers."""
    return f"{name}, {count} worker{'s' if count > 1 else ''}"


def rows(quick: bool, results: Results) -> Iterator[Row]:
    """Measure everything; notes tell the games and unit-ticks a second."""
    for enemies in TICKS:
        yield from tick_rows(enemies, QUICK_TICKS_TIMED if quick else TICKS_TIMED)
    yield from worker_rows()
    units = units_in_play()
    for name in ENGINES:
        try:
            engine(name)
        except ModuleNotFoundError:
            results.skipped[name] = "not installed"
            continue
        for count in (1, 2):
            # A thousand games on the engine that everybody has, enough games on the others.
            many = GAMES if (name, count) == ("processes", 2) else FEWER_GAMES
            yield from sweep_rows(name, count, QUICK_GAMES if quick else many, units, results.notes)


def tick_rows(enemies: int, ticks: int) -> Iterator[Row]:
    """The median of a tick, and how it splits.

    The time is taken without the profiler, which then tells the shares.
    """
    match = the_match(enemies)
    times = []
    for _ in range(ticks):
        started = perf_counter()
        match.tick()
        times.append(perf_counter() - started)
    whole, least = median(times), min(times)
    yield row(TICK_OF, enemies, "tick", OURS, whole, least, ticks)
    for part, share in shares(the_match(enemies), ticks).items():
        yield row(TICK_OF, enemies, "tick", f"of it {part}", whole * share, least * share, ticks)


def the_match(enemies: int) -> Match:
    """A game with this many enemies at the start, which nobody can win while it is timed."""
    match = Match(tile_map(), 1, Settings(first_enemies=enemies, lives=10**9, duration=10**6))
    for _ in range(WARM_UP):
        match.tick()
    return match


def shares(match: Match, ticks: int) -> dict[str, float]:
    """The shares of the trees, of what stands on them, and of the game's own code.

    What compiled AI does inside the trees counts as AI: no call shows where one ends.
    """
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(ticks):
        match.tick()
    profile.disable()
    spent: dict[str, float] = dict.fromkeys(PARTS, 0.0)
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    parts = {function: part_of(function) for function in found}
    for function, (_, _, own, _, callers) in found.items():
        if parts[function]:
            spent[parts[function]] += own
            continue
        # Python's and numpy's own functions count for those who call them.
        for caller, (_, _, for_caller, _) in callers.items():
            spent[first_part(caller, found, parts)] += for_caller
    total = sum(spent.values())
    return {part: seconds / total for part, seconds in spent.items()}


def part_of(function: tuple[str, int, str]) -> str:
    """Whose a function is; empty for Python's and numpy's own."""
    file, _, name = function
    place = f"{file} {name}".replace("\\", "/").replace("/", ".")
    if re.search(r"tilequad\.(ai|nav)\b", place):
        return "AI"
    if "tilequad.quadtree" in place:
        return "trees"
    return "game" if "frontier_game" in place or "benchmarks" in place else ""


def first_part(function: tuple[str, int, str], found: dict, parts: dict) -> str:
    """Whose call a function serves: the first that is known on the way up."""
    seen = set()
    while not parts.get(function) and function not in seen:
        seen.add(function)
        callers = found[function][4]
        if not callers:
            break
        function = max(callers, key=lambda caller: callers[caller][3])
    return parts.get(function) or "game"


def units_in_play() -> float:
    """How many enemies and villagers a game has, on the average of its ticks."""
    match = Match(tile_map(), 1, settings())
    counts = []
    while not match.is_over:
        match.tick()
        counts.append(len(match.game.horde) + len(match.game.village.villagers))
    return mean(counts)


def settings() -> Settings:
    """Those of the demo, to the last tick."""
    return replace(Settings(), duration=GAME_TICKS * TICK, lives=10**9)


def sweep_rows(name: str, count: int, games: int, units: float, notes: list[str]) -> Iterator[Row]:
    """Seconds for a game on an engine, and what of them is not play. Starting it is a row apart."""
    plan = Plan(({"lives": 10**9, "duration": GAME_TICKS * TICK},), tuple(range(1, games + 1)))
    chunks = list(plan.chunks(set(), chunk_size(games, count)))
    asked, begun, played = perf_counter(), 0.0, 0.0
    for _, answer in engine(name)(chunks, MAP, count):
        if isinstance(answer, Exception):
            raise answer
        played += answer.seconds
        begun = begun or perf_counter() - answer.seconds
        ended = perf_counter()
        assert all("result" in outcome for outcome in answer.outcomes), answer.outcomes
    who, wall = workers(name, count), ended - begun
    yield row(GAME, GAME_TICKS, "game", who, wall / games, wall / games, games)
    beside = max(0.0, wall * count - played) / games
    yield row(BESIDE, GAME_TICKS, "game", who, beside, beside, games)
    yield row(GAME, GAME_TICKS, "game", f"{who}, playing", played / games, played / games, games)
    yield row(START, GAME_TICKS, "start", who, begun - asked, begun - asked, 1)
    rate = games / wall
    notes.append(
        f"{who}: {games} games of {GAME_TICKS:,} ticks, {rate:.2f} games a second, "
        f"{rate * GAME_TICKS * units:,.0f} unit-ticks a second"
    )


def worker_rows() -> Iterator[Row]:
    """What a second worker costs: its own memory after a game, and the time to open the map."""
    times = []
    for _ in range(5):
        started = perf_counter()
        Player(MAP)
        times.append(perf_counter() - started)
    yield row(OPEN, GAME_TICKS, "worker", OURS, median(times), min(times), len(times))
    short = replace(settings(), duration=10.0)
    chunks = [Chunk(0, short, (seed,)) for seed in (1, 2)]
    answers = engine("processes")(chunks, MAP, 2)
    owned = []
    for _, answer in answers:  # a worker is idle, and still there, when its answer is
        if isinstance(answer, Exception):
            raise answer
        owned.append(own_memory(int(answer.worker.rpartition("/")[2])))
    if None not in owned:
        size = float(max(owned))
        yield row(MEMORY, GAME_TICKS, "worker", OURS, size, float(min(owned)), 2, BYTES)


def own_memory(process: int) -> int | None:
    """The bytes that a process shares with no other; None where the system does not tell."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return None
    return sum(1024 * int(size) for size in re.findall(r"^Private_\w+:\s+(\d+) kB", text, re.M))


@cache
def tile_map():
    return load_map(MAP)


def row(
    operation: str, count: int, per: str, contestant: str, amount: float, least: float,
    rounds: int, unit: str = "s",
) -> Row:  # fmt: skip
    return Row(operation, SPREAD, count, per, contestant, amount, least, rounds, unit)
