"""Run the benchmarks: `python -m benchmarks`; `--quick` for a look, `nav` for that subject alone.

Every contestant must answer as brute force does before it is timed. The report is printed and kept,
with the figures as JSON and a plot, in a folder named after the machine. `worst` runs only what is
timed call by call: the mean, the p99 and the worst of frames and single calls.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # pykdtree would use every core
os.environ.setdefault("ARCADE_HEADLESS", "True")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tqdm import tqdm

from benchmarks import report
from benchmarks.plan import QUICK_SIZES, SIZES, Plan, Race
from benchmarks.results import Results, Row, row, slug
from benchmarks.timing import QUICK, THOROUGH, race

SUBJECTS = (  # the files of `benchmarks/cases`
    *("queries", "changes", "leaf-size", "crossover", "memory", "tiles", "loading"),
    *("battle", "ai", "crowds", "march", "contacts", "nav", "sight", "sprites"),
    *("draw-pygame", "draw-arcade", "games"),
)
WORST = "worst"


def main() -> int:
    given = arguments()
    results = Results()
    sizes = given.sizes or (QUICK_SIZES if given.quick else SIZES)
    plan = Plan(tuple(sizes), given.quick, results)
    pace = QUICK if given.quick else THOROUGH
    with tqdm(unit=" races", disable=None) as progress:
        for found in wanted(given.subjects, plan):
            about = f"{found.operation}, {found.spread}, {found.count:,}"
            progress.set_description(about)
            if isinstance(found, Row):
                results.rows.append(found)
            else:
                crashes: dict[str, str] = {}
                for name, samples in race(found, pace, crashes).items():
                    key = found.operation, found.spread, found.count, name
                    results.rows.append(row(*key, samples, found.per, found.frames > 0))
                results.notes += [f"{one} crashes: {about}; {why}" for one, why in crashes.items()]
            progress.update()
    folder = Path(__file__).parent / "results" / slug()
    if given.quick or given.subjects or given.sizes:  # only a whole run is a machine's report
        folder /= "part"
    folder = given.output or folder
    folder.mkdir(parents=True, exist_ok=True)
    results.save(folder / "results.json")
    (folder / "report.txt").write_text(report.text(results))
    report.plot(results, folder / "plot.png")
    print(f"{report.text(results)}\nkept in {folder}")
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    subjects = [*SUBJECTS, WORST]
    about = f"run only these: {', '.join(subjects)}"
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=about)
    parser.add_argument("--sizes", type=int, nargs="+", metavar="UNITS", help="sizes of armies")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds")
    parser.add_argument("--output", type=Path, help="folder for the report, JSON and plot")
    given = parser.parse_args()
    unknown = set(given.subjects).difference(subjects)
    if unknown:
        parser.error(f"no subject {unknown.pop()!r}; there are {', '.join(subjects)}")
    return given


def wanted(subjects: list[str], plan: Plan) -> Iterator[Race | Row]:
    """What the cases yield, those of some subjects or all; without the races for the worst."""
    kinds = ("frames",) if WORST in subjects else ("races", "frames")
    for name in [one for one in subjects if one != WORST] or SUBJECTS:
        try:
            case = import_module(f"benchmarks.cases.{name.replace('-', '_')}")
        except ModuleNotFoundError as error:
            plan.results.skipped[name] = str(error)
            continue
        for kind in kinds:
            yield from getattr(case, kind, lambda _: ())(plan)


if __name__ == "__main__":
    sys.exit(main())
