"""Run the benchmarks: `python -m benchmarks`; `--quick` for a look, `nav` for that subject alone.

Every contestant must answer as brute force does before it is timed. The report is printed and kept,
with the figures as JSON and a plot, in a folder named after the machine. `worst` runs what is timed
call by call, in all subjects: the mean, the p99 and the worst of frames and single calls.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # pykdtree would use every core
os.environ.setdefault("ARCADE_HEADLESS", "True")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tqdm import tqdm

from benchmarks import report
from benchmarks.cases import (
    ai,
    battle,
    changes,
    contacts,
    crossover,
    crowds,
    draw_arcade,
    draw_pygame,
    games,
    leaf_size,
    loading,
    march,
    memory,
    nav,
    queries,
    sight,
    sprites,
    tiles,
)
from benchmarks.plan import QUICK_SIZES, SIZES, Plan
from benchmarks.results import Results, Row, row, slug
from benchmarks.timing import QUICK, THOROUGH, Race, race

Measure = Callable[[Plan], Iterator[Race | Row]]

SUBJECTS: dict[str, tuple[Measure, ...]] = {
    "queries": (queries.races,),
    "batches": (queries.batches,),
    "changes": (changes.races, changes.frames),
    "leaf-size": (leaf_size.races,),
    "crossover": (crossover.races,),
    "memory": (memory.races,),
    "tiles": (tiles.races,),
    "loading": (loading.races,),
    "battle": (battle.races, battle.frames),
    "ai": (ai.races, ai.frames),
    "crowds": (crowds.frames,),
    "march": (march.frames,),
    "contacts": (contacts.races, contacts.frames),
    "nav": (nav.races, nav.frames),
    "sight": (sight.races, sight.frames),
    "sprites": (sprites.races,),
    "draw": (draw_pygame.races, draw_pygame.frames, draw_arcade.frames),
    "games": (games.frames, games.races),
}
WORST = tuple(one for subject in SUBJECTS.values() for one in subject if one.__name__ == "frames")


def main() -> int:
    given = arguments()
    results = Results()
    sizes = given.sizes or (QUICK_SIZES if given.quick else SIZES)
    plan = Plan(tuple(sizes), given.quick, results)
    pace = QUICK if given.quick else THOROUGH
    wanted = [one for name in given.subjects or SUBJECTS for one in ALL[name]]
    with tqdm(unit=" races", disable=None) as progress:
        for measure in dict.fromkeys(wanted):
            for found in measure(plan):
                progress.set_description(f"{found.operation}, {found.spread}, {found.count:,}")
                results.rows += (
                    run(found, pace, results.notes) if isinstance(found, Race) else [found]
                )
                progress.update()
    printed = report.text(results)
    print(printed)
    keep(results, printed, given.output or default_output(given))
    return 0


ALL = {**SUBJECTS, "worst": WORST}


def run(found: Race, pace, notes: list[str]) -> list[Row]:
    """Time a race, and note which rivals crash."""
    about = found.operation, found.spread, found.count
    crashes: dict[str, str] = {}
    samples = race(found, pace, crashes)
    notes += [
        f"{name} crashes: {', '.join(map(str, about))}; {why}" for name, why in crashes.items()
    ]
    return [row(*about, found.per, name, mine, found.frames > 0) for name, mine in samples.items()]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "subjects",
        nargs="*",
        metavar="SUBJECT",
        help=f"run only these: {', '.join(ALL)}",
    )
    parser.add_argument("--sizes", type=int, nargs="+", metavar="UNITS", help="sizes of armies")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds")
    parser.add_argument("--output", type=Path, help="folder for the report, JSON and plot")
    given = parser.parse_args()
    unknown = [name for name in given.subjects if name not in ALL]
    if unknown:
        parser.error(f"no subject {unknown[0]!r}; there are {', '.join(ALL)}")
    return given


def default_output(given: argparse.Namespace) -> Path:
    """Only a whole run is the report of a machine."""
    folder = Path(__file__).parent / "results" / slug()
    whole = not (given.quick or given.subjects or given.sizes)
    return folder if whole else folder / "part"


def keep(results: Results, printed: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results.save(folder / "results.json")
    (folder / "report.txt").write_text(printed)
    drawn = report.plot(results, folder / "plot.png")
    print(f"kept in {folder}" + ("" if drawn else ", without a plot"))


if __name__ == "__main__":
    sys.exit(main())
