"""The sweep's command line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from math import inf
from pathlib import Path

from tqdm import tqdm  # type: ignore[import-untyped]

from tilequad import MapError, load_map

from . import report
from .engines import ENGINES, Engine, engine
from .journal import Journal, JournalError
from .plan import BASES, Chunk, Plan, PlanError, chunk_size, grid, names, sample, seeds
from .player import Played, error_line

MAP = Path(__file__).resolve().parents[2] / "maps" / "frontier.tmx"
SHOWN = 10  # failed games that are listed


def run(arguments: Sequence[str] | None = None) -> int:
    """Play the sweep that the command line asks for; return the exit status.

    0: all games were played; 1: some failed; 2: it cannot be played; 130: it was interrupted.
    """
    try:
        return _sweep(_options(arguments))
    except (PlanError, JournalError, MapError, ModuleNotFoundError) as problem:
        print(f"sweep: {problem}", file=sys.stderr)
    except OSError as problem:
        file = f"{problem.filename}: " if problem.filename else ""
        print(f"sweep: {file}{problem.strerror or problem}", file=sys.stderr)
    return 2


def play_all(
    journal: Journal, start: Engine, map_path: Path, workers: int, address: str | None, size: int
) -> Generator[int, None, None]:
    """Play all games of a plan that are not done, and keep them; yield how many came at a time.

    A chunk that costs its worker's life again and again is split, so that one game cannot keep the
    others of its chunk from being played. A game that does so alone has failed.
    """
    chunks = list(journal.plan.chunks(journal.done, size))
    while chunks:
        lost: list[Chunk] = []
        with closing(start(chunks, map_path, workers, address)) as answers:
            for chunk, answer in answers:
                if isinstance(answer, Exception):
                    if len(chunk.seeds) > 1:
                        lost += chunk.split()
                        continue
                    failed = {"seed": chunk.seeds[0], "error": error_line(answer)}
                    answer = Played("", 0.0, (failed,))
                journal.add(chunk, answer)
                yield len(chunk.seeds)
        chunks = lost


def _sweep(options: argparse.Namespace) -> int:
    start = engine(options.engine, options.timeout)
    plan = _plan(options)
    load_map(options.map)  # one clear error here, not one in each worker
    with Journal(options.output, plan, options.map, options.resume) as journal:
        interrupted = _play(journal, start, options)
        print(report.as_text(report.table_rows(journal)))
        status = _outcome(journal, interrupted)
        _report(journal, options.output)
        return status


def _play(journal: Journal, start: Engine, options: argparse.Namespace) -> bool:
    """Play on, and return whether Ctrl-C has stopped it."""
    total = len(journal.plan.games)
    # With a timeout a chunk is one game, so that none has to wait for the end of another.
    most = 8 if options.timeout is None else 1
    size = options.chunk or chunk_size(total - len(journal.done), options.workers, most)
    bar = tqdm(total=total, initial=len(journal.done), unit=" games", disable=None)
    play = play_all(journal, start, options.map, options.workers, options.address, size)
    try:
        with bar, closing(play) as played:
            for count in played:
                bar.update(count)
                bar.set_postfix(failed=len(journal.failed), refresh=False)
    except KeyboardInterrupt:
        return True
    return False


def _report(journal: Journal, folder: Path) -> None:
    """Write the tables and the plot."""
    try:
        report.write(journal, folder)
        report.plot(journal.plan, report.table_rows(journal), folder / "win_rate.png")
    except ModuleNotFoundError:
        print("sweep: no plot without matplotlib: pip install matplotlib", file=sys.stderr)
    except OSError as problem:
        raise JournalError(
            f"cannot write the tables to {folder}: {problem.strerror}; {len(journal.done)} games "
            "are kept: make room, and go on with --resume"
        ) from None


def _outcome(journal: Journal, interrupted: bool) -> int:
    """Say what failed and what is missing; return the exit status."""
    plan, failed = journal.plan, journal.failed
    for (variant, seed), error in list(failed.items())[:SHOWN]:
        changes = "".join(f", {name}={value}" for name, value in plan.variants[variant].items())
        print(f"sweep: failed: seed={seed}{changes}: {error}", file=sys.stderr)
    if len(failed) > SHOWN:
        print(f"sweep: {len(failed)} games failed: see games.csv", file=sys.stderr)
    if interrupted:
        kept = f"{len(journal.done)} of {len(plan.games)} games are kept"
        print(f"sweep: interrupted; {kept}: go on with --resume", file=sys.stderr)
        return 130
    return 1 if failed else 0


def _plan(options: argparse.Namespace) -> Plan | None:
    """Return the plan that was asked for; None to go on with the one in the journal."""
    asked = options.set, options.seeds, options.sample
    if options.resume and not any(asked):
        return None
    values = {}
    for text in options.set:
        name, equals, listed = text.partition("=")
        if not equals:
            raise PlanError(
                f"--set takes NAME=VALUES, got {text!r}; names: {', '.join(names(options.base))}"
            )
        if name in values:
            raise PlanError(f"{name} is set twice")
        values[name] = listed
    if options.sample:
        variants = sample(values, options.sample, options.sample_seed, options.base)
    else:
        variants = grid(values, options.base)
    return Plan(variants, seeds(options.seeds or "20"), options.base)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="sweep", description="Play the frontier with many settings and seeds."
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="a setting and its values, such as first_towers=4,8 or towers.policy=first,closest; "
        "with --sample also a range, such as spawn_every=0.2:0.8",
    )
    parser.add_argument(
        "--sample", type=_positive, metavar="N", help="play N random settings, not all combinations"
    )
    parser.add_argument("--sample-seed", type=int, default=1, help="decides the random settings")
    parser.add_argument("--base", choices=BASES, default="demo", help="what the settings change")
    parser.add_argument("--seeds", metavar="N", help="50 for seeds 1 to 50 (default 20), or 51:100")
    parser.add_argument("--engine", choices=ENGINES, default="processes")
    parser.add_argument("--workers", type=_positive, default=_cores(), help="default: all cores")
    parser.add_argument("--address", help="of a Dask or Ray cluster that runs already")
    parser.add_argument("--chunk", type=_positive, metavar="N", help="games sent at once")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help="a game that plays for longer has failed; without it, games have all the time",
    )
    parser.add_argument("--map", type=Path, default=MAP)
    parser.add_argument("--output", type=Path, default=Path("sweep"), metavar="FOLDER")
    parser.add_argument("--resume", action="store_true", help="go on with the sweep in the folder")
    options = parser.parse_args(arguments)
    if options.address and options.engine == "processes":
        parser.error("--address needs --engine dask or ray")
    if options.timeout and options.engine != "processes":
        parser.error("--timeout needs --engine processes")
    return options


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < inf:
        raise ValueError
    return seconds


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
