"""The bars: what must be met, each as a limit that the same run of the benchmarks sets.

Most limits are a part of what a peer takes in this run. Rivals written in C++ do not run here:
their times, measured beside scipy's on another machine, are carried over by the ratio to scipy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.peers import OURS, TilequadStatic
from benchmarks.results import BYTES, SECONDS, Results

FAST, SCIPY, PYKD = "fastquadtree", "scipy cKDTree", "pykdtree"
US, MS = 1e-6, 1e-3
MIB = 2.0**20
K10, K100, M1 = 10_000, 100_000, 1_000_000
LAYER, LARGE_LAYER = 1024 * 1024, 4096 * 4096
Limit = Callable[[Results], float | None]

# Bytes that a tree may hold for each entry, by what `benchmarks.cases.memory` calls it.
HELD = {
    "a unit, added at once": 64,
    "a unit, added one by one": 64,
    "a static box": 24,
    "a tile of a layer": 12,
}


@dataclass(frozen=True)
class Bar:
    """One line: the operation of ours that counts, and the seconds or bytes that it may take."""

    name: str
    operation: str
    count: int
    limit: Limit
    spread: str = "uniform"
    unit: str = SECONDS
    contestant: str = OURS

    def verdict(self, results: Results) -> tuple[str, float | None, float | None]:
        """Met or short by how much, what we take and what is allowed."""
        ours = results.median(self.operation, self.spread, self.count, self.contestant)
        allowed = self.limit(results)
        return judged(ours, allowed), ours, allowed


def judged(ours: float | None, allowed: float | None) -> str:
    """Whether what we take is within what is allowed, and by how much."""
    if ours is None or allowed is None:
        return "not measured"
    if ours <= allowed:
        return f"met, {allowed / ours:.2f}x to spare"
    return f"short by {ours / allowed:.2f}x"


def part_of(operation: str, count: int, peer: str, part: float) -> Limit:
    """A part of what a peer takes in this run, for the same operation and number of units."""

    def limit(results: Results) -> float | None:
        seconds = results.median(operation, "uniform", count, peer)
        return None if seconds is None else seconds * part

    return limit


def fixed(limit: float) -> Limit:
    return lambda _: limit


def twice_uniform(operation: str, count: int) -> Limit:
    return part_of(operation, count, OURS, 2.0)


def times_faster(operation: str, count: int, times: float, *peers: str) -> list[Bar]:
    return [
        Bar(
            f"{operation}, {count:,}: "
            + (f"ahead of {peer}" if times == 1 else f"{times:g}x faster than {peer}"),
            operation,
            count,
            part_of(operation, count, peer, 1 / times),
        )
        for peer in peers
    ]


def static_build(count: int, peer: str) -> Bar:
    """Like with like: these peers keep no items for their points, as our static tree does not."""
    return Bar(
        f"static build, {count:,}: ahead of {peer}",
        "bulk build",
        count,
        part_of("bulk build", count, peer, 1.0),
        contestant=TilequadStatic.name,
    )


def carried_over(operation: str, count: int, rival: str, ratio: float) -> Bar:
    """A rival that takes `ratio` of scipy's time."""
    return Bar(
        f"{operation}, {count:,}: {rival}",
        operation,
        count,
        part_of(operation, count, SCIPY, ratio),
    )


def clustered(operation: str, count: int) -> Bar:
    return Bar(
        f"{operation}, {count:,}, clustered: within 2x of uniform",
        operation,
        count,
        twice_uniform(operation, count),
        "clustered",
    )


def opening(title: str, count: int, orientation: str, time: float, memory: float) -> list[Bar]:
    """How long a map may take to open, and what memory at the peak."""
    return [
        Bar(f"open {title}: {time:g} s", "open a map", count, fixed(time), orientation),
        Bar(
            f"open {title}: {memory / MIB:g} MiB at the peak",
            "open a map, peak memory",
            count,
            fixed(memory),
            orientation,
            BYTES,
        ),
    ]


BARS = [
    *times_faster("radius query", K10, 12, FAST, SCIPY),
    Bar(
        "radius query, 10,000, uncompiled: 200 us",
        "radius query, uncompiled",
        K10,
        fixed(200 * US),
    ),
    *times_faster("radius query, batch", K10, 8, SCIPY),
    *times_faster("radius query, batch", K100, 8, SCIPY),
    carried_over("radius query, batch", K10, "within 3x of a tuned C++ grid", 3 * 0.05 / 1.41),
    carried_over("radius query, batch", K100, "within 3x of a tuned C++ grid", 3 * 0.06 / 1.72),
    *times_faster("nearest", K10, 4, FAST),
    *times_faster("8 nearest", K10, 10, FAST),
    *times_faster("nearest, batch", K10, 1, SCIPY, PYKD),
    *times_faster("nearest, batch", K100, 1, SCIPY, PYKD),
    carried_over("nearest, batch", K10, "ahead of nanoflann in C++", 0.22 / 0.51),
    carried_over("nearest, batch", K100, "ahead of nanoflann in C++", 0.34 / 0.67),
    *times_faster("move one unit", K10, 6, FAST),
    Bar("move all units, 100,000: 2.5 ms", "move all units", K100, fixed(2.5 * MS)),
    *times_faster("bulk build", K10, 1, FAST, PYKD),
    *times_faster("bulk build", K100, 1, FAST, PYKD),
    *times_faster("bulk build", M1, 1, FAST, PYKD),
    *(static_build(count, peer) for count in (K10, K100, M1) for peer in (FAST, PYKD)),
    Bar("overlapping pairs, 100,000: 10 ms", "overlapping pairs", K100, fixed(10 * MS)),
    Bar(
        "box query, 10,000: 1.2 us, a C++ quadtree from Python",
        "box query, 12 hits",
        K10,
        fixed(1.2 * US),
    ),
    Bar(
        "box query, 100,000: 2.6 us, a C++ quadtree from Python",
        "box query, 12 hits",
        K100,
        fixed(2.6 * US),
    ),
    *(
        clustered(operation, K100)
        for operation in (
            "radius query",
            "radius query, batch",
            "nearest",
            "8 nearest",
            "nearest, batch",
            "box query, 12 hits",
            "move one unit",
            "move all units",
            "bulk build",
            "overlapping pairs",
        )
    ),
    Bar(
        "nearest of 1% of the groups, 100,000: 1 us",
        "nearest of 1% of the groups",
        K100,
        fixed(1 * US),
    ),
    *(
        Bar(
            f"cull {side} x {side} tiles, 1,000 in view: 10 us",
            "cull a layer",
            side * side,
            fixed(10 * US),
            "orthogonal",
        )
        for side in (1024, 4096)
    ),
    *(
        Bar(
            f"cull 1024 x 1024 {orientation} tiles, 1,000 in view: 10 us",
            "cull a layer",
            LAYER,
            fixed(10 * US),
            orientation,
        )
        for orientation in ("isometric", "hexagonal")
    ),
    *(
        Bar(
            f"change a tile of {side} x {side} and cull: 100 us",
            "change a tile and cull",
            side * side,
            fixed(100 * US),
            "orthogonal",
        )
        for side in (1024, 4096)
    ),
    Bar("build a layer's tree: 60 ms", "build a layer's tree", LAYER, fixed(60 * MS), "tiles"),
    *opening("a map of 1024 x 1024", LAYER, "orthogonal", 1.5, 40 * MIB),
    *opening("one of 1024 x 1024, isometric", LAYER, "isometric", 1.5, 40 * MIB),
    *opening("one of 1024 x 1024, hexagonal", LAYER, "hexagonal", 1.5, 40 * MIB),
    *opening("one of 4096 x 4096", LARGE_LAYER, "orthogonal", 20.0, 1024 * MIB),
]
