"""Run the benchmarks: `python -m benchmarks`; `--quick` for a look, `ai` for that section alone.

Every contestant must answer as brute force does before it is timed. The report is printed and kept,
with the figures as JSON and a plot, in a folder named after the machine.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # pykdtree and boostree would use every core
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from tqdm import tqdm

from benchmarks import peers, report
from benchmarks.armies import Army
from benchmarks.call_overhead import Floor
from benchmarks.cases import (
    ai,
    ai_claims,
    ai_crowds,
    ai_queries,
    batches,
    changes,
    crossover,
    draw_arcade,
    draw_pygame,
    fog,
    frames,
    games,
    iso_hex,
    large_boxes,
    leaf_size,
    map_loading,
    memory,
    nav,
    pairs,
    queries,
    regions,
    tile_edits,
    tiles,
    tree_bytes,
    uncompiled,
)
from benchmarks.race import Race
from benchmarks.results import Results, slug
from benchmarks.timing import QUICK, THOROUGH, race

SMALL_SIZES = (50, 200)  # single queries and moves of uniform armies only
SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES = (1_000, 10_000)
LAYERS, QUICK_LAYERS = (1024, 4096), (256,)
FRAMES, QUICK_FRAMES = 300, 30
FRAME_SIZES = 100_000  # the largest army of a game
ENTRIES, QUICK_ENTRIES = 1_000_000, 100_000  # units and boxes whose memory is measured

ARMY_SECTIONS = {"queries": queries.races, "batches": batches.races, "changes": changes.races}
SMALL_SECTIONS = ("queries", "changes")
LAYER_SECTIONS = {
    "tiles": tiles.races,
    "iso-hex": lambda side, _: iso_hex.races(side),
    "tile-edits": tile_edits.races,
    "regions": lambda side, _: regions.races(side),
}
SECTIONS = (
    *(*ARMY_SECTIONS, "leaf-size", "pairs", "large-boxes", "tree-bytes", *LAYER_SECTIONS),
    *("ai", "nav", "headline", "draw", "frames", "crossover", "uncompiled", "map-loading"),
    *("memory", "games"),
)


@dataclass(frozen=True)
class Plan:
    """What to run."""

    only: tuple[str, ...]
    sizes: tuple[int, ...]
    quick: bool
    output: Path

    @property
    def layers(self) -> tuple[int, ...]:
        return QUICK_LAYERS if self.quick else LAYERS


def main() -> int:
    plan = arguments()
    pace = QUICK if plan.quick else THOROUGH
    results = Results()
    indexes = peers.present((*peers.INDEXES, Floor), results.skipped)
    progress = tqdm(unit=" races", disable=None)
    for found in races(plan, indexes, results):
        progress.set_description(f"{found.operation}, {found.spread}, {found.count:,}")
        crashes: dict[str, str] = {}
        results.add(found, race(found.runners, pace, crashes))
        results.notes += [
            f"{name} crashes: {found.operation}, {found.spread}, {found.count:,}; {error}"
            for name, error in crashes.items()
        ]
        progress.update()
    for section, measure in (
        ("ai", add_battle),
        ("nav", add_nav),
        ("draw", add_starts),
        ("frames", add_frames),
        ("crossover", add_crossover),
        ("uncompiled", add_uncompiled),
        ("map-loading", add_map_loading),
        ("memory", add_memory),
        ("draw", add_draw),
        ("games", add_games),
    ):
        if section in plan.only:
            progress.set_description(section)
            measure(plan, results)
    progress.close()
    printed = report.text(results)
    print(printed)
    keep(results, printed, plan.output)
    return 0


def arguments() -> Plan:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "sections",
        choices=SECTIONS,
        nargs="*",
        metavar="SECTION",
        help=f"run only these: {', '.join(SECTIONS)}",
    )
    parser.add_argument("--sizes", type=int, nargs="+", metavar="UNITS", help="sizes of armies")
    parser.add_argument("--quick", action="store_true", help="small sizes, few rounds")
    parser.add_argument("--output", type=Path, help="folder for the report, JSON and plot")
    given = parser.parse_args()
    sizes = given.sizes or (QUICK_SIZES if given.quick else (*SMALL_SIZES, *SIZES))
    output = given.output or default_output(given.quick)
    return Plan(tuple(given.sections or SECTIONS), tuple(sizes), given.quick, output)


def default_output(quick: bool) -> Path:
    folder = Path(__file__).parent / "results" / slug()
    return folder / "quick" if quick else folder


def races(plan: Plan, indexes: list[type[peers.Index]], results: Results) -> Iterator[Race]:
    """Everything that is raced in this process, one army or layer in memory at a time."""
    missing = set(results.skipped)
    for count, spread in product(plan.sizes, ("uniform", "clustered")):
        yield from army_races(Army(spread, count), plan, indexes, results)
    if "large-boxes" in plan.only:
        points = large_boxes.QUICK_POINTS if plan.quick else large_boxes.POINTS
        yield from large_boxes.races(points, missing)
    if "tree-bytes" in plan.only:
        for count in tree_bytes.SIZES:
            if not plan.quick or count <= max(QUICK_SIZES):
                yield from tree_bytes.races(count, missing)
    if "ai" in plan.only:
        yield from ai.races(missing)
        yield from ai_claims.races(missing)
        yield from ai_queries.races(missing)
        yield from ai_crowds.races(missing)
    if "nav" in plan.only:
        yield from nav.races(plan.quick, results.skipped)
        yield from fog.races(plan.quick, results.skipped)
    if "headline" in plan.only:
        yield frames.headline()
    if "draw" in plan.only:
        yield from draw_pygame.races()
    for side in plan.layers:
        for section, layer_races in LAYER_SECTIONS.items():
            if section in plan.only:
                yield from layer_races(side, missing)


def army_races(
    army: Army, plan: Plan, indexes: list[type[peers.Index]], results: Results
) -> Iterator[Race]:
    """The sections on one army. A small army is uniform and has single queries and moves only."""
    small = army.count < min(SIZES)
    if small and army.spread != "uniform":
        return
    wanted = [
        section
        for section in ARMY_SECTIONS
        if section in plan.only and not (small and section not in SMALL_SECTIONS)
    ]
    if wanted:
        built = [index(army) for index in indexes if army.count <= index.most]
        for section in wanted:
            yield from ARMY_SECTIONS[section](army, built, results.notes)
    if "leaf-size" in plan.only and not small:
        yield from leaf_size.races(army)
    if "pairs" in plan.only and not small:
        yield from pairs.races(army, set(results.skipped), results.notes)


def add_battle(plan: Plan, results: Results) -> None:
    results.rows += ai.rows(ai.QUICK_TICKS if plan.quick else ai.TICKS)
    results.rows += ai_queries.rows(3 if plan.quick else 11, set(results.skipped))


def add_nav(plan: Plan, results: Results) -> None:
    results.rows += nav.rows(plan.quick)
    results.rows += fog.rows(plan.quick)


def add_starts(plan: Plan, results: Results) -> None:
    results.rows += draw_pygame.rows()


def add_frames(plan: Plan, results: Results) -> None:
    for count in plan.sizes:
        if min(SIZES) <= count <= FRAME_SIZES:
            number = QUICK_FRAMES if plan.quick else FRAMES
            results.frames[count] = frames.frames(Army("uniform", count), number)


def add_crossover(plan: Plan, results: Results) -> None:
    results.crossover = crossover.crossover(results.skipped)


def add_uncompiled(plan: Plan, results: Results) -> None:
    if uncompiled.COUNT in plan.sizes:
        results.rows += uncompiled.rows(QUICK if plan.quick else THOROUGH)


def add_map_loading(plan: Plan, results: Results) -> None:
    for side in plan.layers:
        results.rows += map_loading.rows(side, set(results.skipped), results.notes)


def add_memory(plan: Plan, results: Results) -> None:
    results.rows += memory.rows(QUICK_ENTRIES if plan.quick else ENTRIES)


def add_draw(plan: Plan, results: Results) -> None:
    if find_spec("arcade"):
        results.rows += draw_arcade.rows(plan.quick)
    else:
        results.skipped["arcade"] = "not installed"


def add_games(plan: Plan, results: Results) -> None:
    results.rows += games.rows(plan.quick, results)


def keep(results: Results, printed: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results.save(folder / "results.json")
    (folder / "report.txt").write_text(printed)
    drawn = report.plot(results, folder / "plot.png")
    print(f"kept in {folder}" + ("" if drawn else ", without a plot"))


if __name__ == "__main__":
    sys.exit(main())
