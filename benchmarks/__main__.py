"""Run the benchmarks: `python -m benchmarks`; `--quick` for a look, `--only` for a part.

Every contestant is shown to answer as brute force does before it is timed. The report is printed
and kept, with the figures as JSON and a plot, in a folder named for the machine.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread each; pykdtree takes all it gets

import argparse
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from tqdm import tqdm

from benchmarks import peers, report
from benchmarks.cases import (
    asking,
    batches,
    cells,
    changing,
    felling,
    games,
    lattices,
    memory,
    opening,
    pairs,
    tiles,
    uncompiled,
)
from benchmarks.floors import Floor
from benchmarks.race import Race
from benchmarks.results import Results, slug
from benchmarks.timing import QUICK, THOROUGH, Pace, race
from benchmarks.worlds import Army

PARTS = (
    *("asking", "batches", "changing", "pairs", "tiles", "opening"),
    *("games", "crossover", "memory"),
)
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES = (1_000, 10_000)
LAYERS = (1024, 4096)
QUICK_LAYERS = (256,)
FRAMES, QUICK_FRAMES = 300, 30
FRAME_SIZES = 100_000  # the most units of a game
ENTRIES, QUICK_ENTRIES = 1_000_000, 100_000  # units and boxes whose memory is measured


def main() -> int:
    wanted = arguments()
    pace = QUICK if wanted.quick else THOROUGH
    sizes = wanted.sizes or (QUICK_SIZES if wanted.quick else SIZES)
    results = Results()
    indexes = peers.present((*peers.INDEXES, Floor), results.skipped)
    progress = tqdm(unit=" races", disable=None)
    for found in races(wanted.only, sizes, wanted.quick, indexes, results):
        progress.set_description(f"{found.operation}, {found.spread}, {found.count:,}")
        results.add(found, race(found.runners, pace))
        progress.update()
    progress.set_description("plain Python, opening maps, frames of a game, break-even, memory")
    others(wanted.only, sizes, wanted.quick, pace, results)
    progress.close()
    printed = report.text(results)
    print(printed)
    keep(results, printed, wanted.output or default_output(wanted.quick))
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="these parts")
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of units")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds")
    parser.add_argument("--output", type=Path, help="folder for the report, JSON and plot")
    return parser.parse_args()


def default_output(quick: bool) -> Path:
    folder = Path(__file__).parent / "results" / slug()
    return folder / "quick" if quick else folder


def races(
    only: tuple[str, ...],
    sizes: tuple[int, ...],
    quick: bool,
    indexes: list[type[peers.Index]],
    results: Results,
) -> Iterator[Race]:
    """Everything that is raced, an army at a time, so that one army is held in memory."""
    missing, notes = set(results.skipped), results.notes
    modules = [module for module in (asking, batches, changing) if short(module) in only]
    for count, spread in product(sizes, ("uniform", "clustered")):
        army = Army(spread, count)
        if modules:
            built = [index(army) for index in indexes if count <= index.most]
            for module in modules:
                yield from module.races(army, built, notes)
        if "pairs" in only:
            yield from pairs.races(army, missing, notes)
    if "games" in only:
        yield games.headline()
    if "tiles" in only:
        for side in QUICK_LAYERS if quick else LAYERS:
            yield from tiles.races(side, missing)
            yield from lattices.races(side)
            yield from felling.races(side, missing)
            yield from cells.races(side)


def short(module) -> str:
    return module.__name__.rpartition(".")[2]


def others(
    only: tuple[str, ...], sizes: tuple[int, ...], quick: bool, pace: Pace, results: Results
) -> None:
    """What is no race in this process.

    Plain Python, opening maps, a game's frame, where brute force stops winning, memory.
    """
    if "asking" in only and uncompiled.COUNT in sizes:
        results.rows += uncompiled.rows(pace)
    if "opening" in only:
        for side in QUICK_LAYERS if quick else LAYERS:
            results.rows += opening.rows(side, set(results.skipped), results.notes)
    if "games" in only:
        for count in sizes:
            if count <= FRAME_SIZES:
                frames = QUICK_FRAMES if quick else FRAMES
                results.frames[count] = games.frames(Army("uniform", count), frames)
    if "crossover" in only:
        results.crossover = games.crossover(pace)
    if "memory" in only:
        results.memory = memory.bytes_each(QUICK_ENTRIES if quick else ENTRIES)


def keep(results: Results, printed: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results.save(folder / "results.json")
    (folder / "report.txt").write_text(printed)
    drawn = report.plot(results, folder / "plot.png")
    print(f"kept in {folder}" + ("" if drawn else ", without a plot"))


if __name__ == "__main__":
    sys.exit(main())
