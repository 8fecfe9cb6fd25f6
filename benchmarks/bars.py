"""The bars that tilequad sets itself, each as a limit that the same run of the benchmarks gives.

Most limits are a ratio to another row of the run: the floor of a call, a peer, our other tree.
Rivals written in C++ do not run here. Their times, measured beside scipy's on another machine, are
carried over by the ratio to scipy.
"""

from __future__ import annotations

from itertools import product

from benchmarks.call_overhead import FLOOR
from benchmarks.cases import (
    ai,
    ai_claims,
    ai_crowds,
    ai_queries,
    draw_arcade,
    draw_pygame,
    fog,
    games,
    nav,
    tree_bytes,
)
from benchmarks.peers import OURS, STATIC
from benchmarks.results import BYTES, SECONDS, Results
from benchmarks.verdicts import Bar, Measure, Verdict, ahead_of, verdict

FAST, SCIPY, PYKD = "fastquadtree", "scipy cKDTree", "pykdtree"
NS, US, MS = 1e-9, 1e-6, 1e-3
MIB = 2.0**20
K10, K100, M1 = 10_000, 100_000, 1_000_000
LAYER, LARGE_LAYER = 1024 * 1024, 4096 * 4096
OWN_BARS = ("a tree to bytes", "bytes to a tree")  # races that have bars of their own
SIDES = {1024: LAYER, 4096: LARGE_LAYER}


def over_floor(operation: str, count: int, times: float) -> Bar:
    return Bar(
        f"{operation}, {count:,}: {times:g}x the floor",
        Measure(operation, count),
        Measure(operation, count, FLOOR),
        times,
    )


def faster(operation: str, count: int, times: float, *peers: str, ours: str = OURS) -> list[Bar]:
    """`times` as fast as each peer; 1 for ahead of it."""
    whose = "" if ours == OURS else f"{ours}, "
    return [
        Bar(
            f"{whose}{operation}, {count:,}: "
            + (f"ahead of {peer}" if times == 1 else f"{times:g}x faster than {peer}"),
            Measure(operation, count, ours),
            Measure(operation, count, peer),
            1 / times,
        )
        for peer in peers
    ]


def carried_over(operation: str, count: int, rival: str, ratio: float) -> Bar:
    """A rival that takes `ratio` of scipy's time."""
    return Bar(
        f"{operation}, {count:,}: {rival}",
        Measure(operation, count),
        Measure(operation, count, SCIPY),
        ratio,
    )


def static_to_dynamic(operation: str, count: int) -> Bar:
    return Bar(
        f"{STATIC}, {operation}, {count:,}: 1.5x the dynamic tree",
        Measure(operation, count, STATIC),
        Measure(operation, count),
        1.5,
    )


def clustered(operation: str) -> Bar:
    return Bar(
        f"{operation}, {K100:,}, clustered: 2x uniform",
        Measure(operation, K100, spread="clustered"),
        Measure(operation, K100),
        2.0,
    )


def contest(operation: str, spread: str, count: int) -> list[Bar]:
    """Both of our trees ahead of fastquadtree."""
    return [
        Bar(
            f"{ours}, {operation}: ahead of {FAST}",
            Measure(operation, count, ours, spread),
            Measure(operation, count, FAST, spread),
        )
        for ours in (OURS, STATIC)
    ]


def kept(operation: str, count: int, ours: str, rival: str | None) -> Bar:
    """One of our trees to bytes or back, ahead of another, or of its own pickle."""
    rival = rival or ours + tree_bytes.PICKLED
    return Bar(
        f"{ours}, {operation}, {count:,}: ahead of {rival}",
        Measure(operation, count, ours),
        Measure(operation, count, rival),
    )


def opening(title: str, count: int, orientation: str, time: float, memory: float) -> list[Bar]:
    """The time and the peak memory for opening a map."""
    return [
        Bar(
            f"open {title}: {time:g} s",
            Measure("open a map", count, spread=orientation),
            amount=time,
        ),
        Bar(
            f"open {title}: {memory / MIB:g} MiB at the peak",
            Measure("open a map, peak memory", count, spread=orientation),
            amount=memory,
            unit=BYTES,
        ),
    ]


def ahead_in_pygame(operation: str, unit: str = SECONDS) -> Bar:
    """A frame of a map, or its start, ahead of pyscroll."""
    of = draw_pygame.MAP
    return Bar(
        f"{operation}: ahead of {draw_pygame.PYSCROLL}",
        Measure(operation, draw_pygame.TILES, spread=of),
        Measure(operation, draw_pygame.TILES, draw_pygame.PYSCROLL, of),
        unit=unit,
    )


def memory(entry: str, limit: float) -> Bar:
    measured = Measure(f"memory of {entry}", M1)
    return Bar(f"memory of {entry}: {limit:g} B", measured, amount=limit, unit=BYTES)


def on_grid(title: str, operation: str, limit: float, unit: str = SECONDS) -> Bar:
    """A bar for ways on a grid of 1024 x 1024 cells."""
    return Bar(title, Measure(operation, LAYER, spread=nav.SPREAD), amount=limit, unit=unit)


def ahead_on_grid(operation: str, peer: str) -> Bar:
    ours, theirs = (Measure(operation, LAYER, who, nav.SPREAD) for who in (OURS, peer))
    return Bar(f"{operation}: ahead of {peer}", ours, theirs)


def in_fog(title: str, operation: str, spread: str, limit: float, unit: str = SECONDS) -> Bar:
    """A bar for fog on 1024 x 1024 cells."""
    return Bar(title, Measure(operation, LAYER, spread=spread), amount=limit, unit=unit)


def sweeping(engine: str) -> list[Bar]:
    """Two workers against one, and what an engine costs besides playing."""
    one, two = (games.workers(engine, count) for count in (1, 2))
    return [
        Bar(
            f"{games.GAME}, {two}: 1.85x the games of one",
            Measure(games.GAME, games.GAME_TICKS, two, games.SPREAD),
            Measure(games.GAME, games.GAME_TICKS, one, games.SPREAD),
            1 / 1.85,
        ),
        *(
            Bar(
                f"{games.BESIDE}, {who}: 3% of playing",
                Measure(games.BESIDE, games.GAME_TICKS, who, games.SPREAD),
                Measure(games.GAME, games.GAME_TICKS, f"{who}, playing", games.SPREAD),
                0.03,
            )
            for who in (one, two)
        ),
    ]


def in_games(operation: str, limit: float, unit: str = SECONDS) -> Bar:
    """A bar for the workers of a sweep."""
    shown = f"{limit / MIB:g} MiB" if unit == BYTES else f"{limit / MS:g} ms"
    measured = Measure(operation, games.GAME_TICKS, spread=games.SPREAD)
    return Bar(f"{operation}: {shown}", measured, amount=limit, unit=unit)


BARS = [
    *(
        over_floor(*bar)
        for bar in (
            ("radius query", K10, 1.7),
            ("nearest", K10, 1.8),
            ("8 nearest", K10, 2.4),
            ("radius query", K100, 1.8),
            ("nearest", K100, 2.0),
            ("8 nearest", K100, 2.8),
        )
    ),
    *(
        static_to_dynamic(operation, count)
        for count in (K10, K100)
        for operation in ("radius query", "box query, 12 hits", "nearest", "8 nearest")
    ),
    *faster("radius query, batch", K10, 8, SCIPY),
    *faster("radius query, batch", K100, 8, SCIPY),
    carried_over("radius query, batch", K10, "2x a tuned C++ grid", 2 * 0.05 / 1.41),
    carried_over("radius query, batch", K100, "3x a tuned C++ grid", 3 * 0.06 / 1.72),
    *faster("nearest, batch", K10, 1, SCIPY, PYKD),
    *faster("nearest, batch", K100, 1, SCIPY, PYKD),
    carried_over("nearest, batch", K10, "ahead of nanoflann in C++", 0.22 / 0.51),
    carried_over("nearest, batch", K100, "ahead of nanoflann in C++", 0.34 / 0.67),
    over_floor("move one unit", K10, 1.5),
    *faster("move one unit", K10, 6, FAST),
    Bar("move all units, 100,000: 1.5 ms", Measure("move all units", K100), amount=1.5 * MS),
    Bar("overlapping pairs, 100,000: 9 ms", Measure("overlapping pairs", K100), amount=9 * MS),
    *(
        Bar(
            f"bulk build, {count:,}: the floor + 45 ns a unit",
            Measure("bulk build", count),
            Measure("bulk build", count, FLOOR),
            plus=45 * NS,
        )
        for count in (K10, K100, M1)
    ),
    *(
        bar
        for count in (K10, K100, M1)
        for bar in faster("bulk build", count, 1, FAST, PYKD, ours=STATIC)
    ),
    *(
        clustered(operation)
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
    *contest("large boxes, build", "integers", 500_000),
    *contest("large boxes, 500 queries", "integers", 500_000),
    *(kept(*which) for which in product(OWN_BARS, tree_bytes.SIZES, (OURS, STATIC), (FAST, None))),
    *(
        Bar(
            f"cull {side} x {side} tiles, 1,000 in view: 5 us",
            Measure("cull a layer", count, spread="orthogonal"),
            amount=5 * US,
        )
        for side, count in SIDES.items()
    ),
    *(
        Bar(
            f"cull 1024 x 1024 {orientation} tiles, 1,000 in view: 10 us",
            Measure("cull a layer", LAYER, spread=orientation),
            amount=10 * US,
        )
        for orientation in ("isometric", "hexagonal")
    ),
    *(
        Bar(
            f"change a tile of {side} x {side} and cull: 10 us",
            Measure("change a tile and cull", count, spread="orthogonal"),
            amount=10 * US,
        )
        for side, count in SIDES.items()
    ),
    *opening("a map of 1024 x 1024", LAYER, "orthogonal", 0.06, 25 * MIB),
    *opening("one of 4096 x 4096", LARGE_LAYER, "orthogonal", 1.8, 354 * MIB),
    *opening("one of 1024 x 1024, isometric", LAYER, "isometric", 1.5, 40 * MIB),
    *opening("one of 1024 x 1024, hexagonal", LAYER, "hexagonal", 1.5, 40 * MIB),
    Bar(
        "build a layer's tree: 60 ms",
        Measure("build a layer's tree", LAYER, spread="tiles"),
        amount=60 * MS,
    ),
    *(
        Bar(
            f"box query, {count:,}: {limit:g} us, a C++ quadtree from Python",
            Measure("box query, 12 hits", count),
            amount=limit * US,
        )
        for count, limit in ((K10, 1.2), (K100, 2.6))
    ),
    Bar(
        "nearest of 1% of the groups, 100,000: 1 us",
        Measure("nearest of 1% of the groups", K100),
        amount=1 * US,
    ),
    Bar(
        "radius query, 10,000, uncompiled: 200 us",
        Measure("radius query, uncompiled", K10),
        amount=200 * US,
    ),
    *(
        Bar(
            f"1,000 towers look, 380 in range: {times:g}x faster than {peer}",
            Measure("1,000 towers look", ai.TOWERS, ai.SLOTS, "roads"),
            Measure("1,000 towers look", ai.TOWERS, peer, "roads"),
            1 / times,
        )
        for times, peer in ((61, ai.NUMPY), (27, ai.KDTREE))
    ),
    *(
        Bar(
            f"{operation}, {name}: 3x the usual tick",
            Measure(operation, ai.TOWERS, name, "roads"),
            Measure("tick", ai.TOWERS, name, "roads"),
            3.0,
        )
        for operation in (
            *("tick, the first", "tick, the slowest", "tick, all targets dead"),
            "tick, 1,000 villagers released",
        )
        for name in (ai.SLOTS, ai.OBJECTS)
    ),
    Bar(
        "a tick of a battle, objects: 6.5x faster than numpy with a sixth of the towers",
        Measure("tick", ai.TOWERS, ai.OBJECTS, "roads"),
        Measure("tick", ai.TOWERS, ai.NUMPY, "roads"),
        4 / 26,
    ),
    Bar(
        f"50 mortars, best place: 130x faster than {ai_queries.NUMPY}",
        Measure("50 mortars, best place", ai_queries.ENEMIES, OURS, "game"),
        Measure("50 mortars, best place", ai_queries.ENEMIES, ai_queries.NUMPY, "game"),
        1 / 130,
    ),
    *(
        Bar(
            f"{operation}: {limit * 1e6:g} us",
            Measure(operation, count, OURS, "game"),
            amount=limit,
        )
        for operation, count, limit in (
            ("line of sight", ai_queries.TILES, 0.3 * US),
            ("visible polygon", ai_queries.TILES, 50 * US),
            ("boids", ai_queries.BOIDS, 0.8 * MS),
            ("zones, 10 inside", ai_queries.ZONES, 0.3 * MS),
            ("zones, 60 inside", ai_queries.ZONES, 1 * MS),
            ("zones, 10 inside, first look", ai_queries.ZONES, 5 * MS),
            ("zones, 60 inside, first look", ai_queries.ZONES, 5 * MS),
            ("road of 6 corners", ai_queries.WALKERS, 0.3 * MS),
            ("road of 200 corners", ai_queries.WALKERS, 0.6 * MS),
        )
    ),
    Bar(
        "a crowd pressed into a dead end: 2x the flow",
        Measure(ai_crowds.PRESSED, ai_crowds.UNITS, spread="game"),
        Measure(ai_crowds.FLOW, ai_crowds.UNITS, spread="game"),
        2.0,
    ),
    *(
        ahead_in_pygame(operation)
        for operation in (
            draw_pygame.STILL,
            *(draw_pygame.PAN.format(way=way) for way in draw_pygame.WAYS),
            *(draw_pygame.STILL_AT.format(zoom=zoom) for zoom in draw_pygame.ZOOMS),
            *(draw_pygame.PAN_AT.format(zoom=zoom) for zoom in draw_pygame.ZOOMS),
            draw_pygame.ZOOMING,
            draw_pygame.START,
        )
    ),
    ahead_in_pygame(draw_pygame.MEMORY, BYTES),
    *(
        Bar(
            f"{operation}: ahead of {draw_pygame.GROUP}",
            Measure(operation, draw_pygame.SPRITES, spread=draw_pygame.SPRITES_MAP),
            Measure(operation, draw_pygame.SPRITES, draw_pygame.GROUP, draw_pygame.SPRITES_MAP),
        )
        for operation in (draw_pygame.IN_VIEW.format(share=share) for share in draw_pygame.SHARES)
    ),
    *(
        Bar(
            f"claims, {crowd}, {name}: ahead of {ai_claims.NUMPY}",
            Measure("claims", ai_claims.VILLAGERS, name, crowd),
            Measure("claims", ai_claims.VILLAGERS, ai_claims.NUMPY, crowd),
            1.0,
        )
        for crowd in ai_claims.CROWDS
        for name in (ai_claims.SLOTS, ai_claims.OBJECTS)
    ),
    memory("a unit, added at once", 64),
    memory("a unit, added one by one", 64),
    memory("a static box", 24),
    memory("a tile of a layer", 12),
    *(
        Bar(
            f"{draw_arcade.OURS}{moving}, frame, {name}: {times:g}x faster than {peer}",
            Measure(f"frame, {name}", LAYER, draw_arcade.OURS + moving, "tiles"),
            Measure(f"frame, {name}", LAYER, peer, "tiles"),
            1 / times,
        )
        for name, moving, times in (
            ("zoom 1", "", 6),
            ("zoom 1", ", panning", 5),
            ("20,000 tiles", "", 7),
            ("66,000 tiles", "", 10),
            ("1,048,576 tiles", "", 35),
        )
        for peer in (draw_arcade.SPRITES,)
    ),
    *(
        Bar(
            f"frame, {name}: 4096 x 4096 within 10% of 1024 x 1024",
            Measure(f"frame, {name}", LAYER, f"{draw_arcade.OURS}, 4096 x 4096", "tiles"),
            Measure(f"frame, {name}", LAYER, draw_arcade.OURS, "tiles"),
            1.1,
        )
        for name in draw_arcade.zooms()
    ),
    *(
        Bar(
            f"{draw_arcade.CALLS}, {name}: {limit:g} ms",
            Measure(f"{draw_arcade.CALLS}, {name}", LAYER, draw_arcade.OURS, "tiles"),
            amount=limit * MS,
        )
        for name, limit in (("still", 0.1), ("panning", 0.6))
    ),
    *(
        Bar(
            f"{draw_arcade.START}, {side} x {side}: {limit:g} s",
            Measure(draw_arcade.START, side * side, draw_arcade.OURS, "tiles"),
            amount=limit,
        )
        for side, limit in ((1024, 0.6), (4096, 1.5))
    ),
    Bar(
        f"{draw_arcade.CELL}: 4",
        Measure(draw_arcade.CELL, LAYER, draw_arcade.OURS, "tiles"),
        amount=4,
        unit=BYTES,
    ),
    Bar(
        f"{draw_arcade.UNIT_FRAME}: 60x faster than {draw_arcade.SPRITES}",
        Measure(draw_arcade.UNIT_FRAME, draw_arcade.UNITS, draw_arcade.OURS, "tiles"),
        Measure(draw_arcade.UNIT_FRAME, draw_arcade.UNITS, draw_arcade.SPRITES, "tiles"),
        1 / 60,
    ),
    on_grid("a distance field: 45 ms", "distances from everywhere", 45 * MS),
    on_grid("a building placed, the field repaired: 1 ms", "a building, field repaired", 1 * MS),
    on_grid("a path from corner to corner: 5 ms", "a path from corner to corner", 5 * MS),
    *(ahead_on_grid("100 paths", peer) for peer in (nav.PYASTAR, nav.NANO, nav.TCOD)),
    on_grid("20,000 walkers read direction and distance: 0.3 ms", "20,000 walkers read", 0.3 * MS),
    on_grid("a grid from layers: 20 ms", "a grid from layers", 20 * MS),
    on_grid("a grid after one set_tile: 20 us", "a tile set below a grid", 20 * US),
    on_grid("memory of a cell of a grid: 2 B", "memory of a cell of a grid", 2, BYTES),
    on_grid("memory of a cell of a field: 6 B", "memory of a cell of a field", 6, BYTES),
    *(
        Bar(
            f"a field of view, {spread}: ahead of {peer}",
            Measure("a field of view, radius 20", LAYER, OURS, spread),
            Measure("a field of view, radius 20", LAYER, peer, spread),
        )
        for spread in fog.SHARES
        for peer in (fog.CUT, fog.WHOLE)
    ),
    in_fog("a field of view: 5 us", "a field of view, radius 20", fog.CAVE, 5 * US),
    in_fog("2,000 viewers move: 3 ms", "2,000 viewers move", fog.OPEN, 3 * MS),
    in_fog("2,000 viewers move, walls: 15 ms", "2,000 viewers move, with walls", fog.CAVE, 15 * MS),
    in_fog("memory of a cell of a fog: 3 B", "memory of a cell of a fog", fog.OPEN, 3, BYTES),
    *(
        Bar(
            f"{games.TICK_OF}, {enemies:,} enemies: {limit / MS:g} ms",
            Measure(games.TICK_OF, enemies, spread=games.SPREAD),
            amount=limit,
        )
        for enemies, limit in games.TICKS.items()
    ),
    *(bar for name in games.ENGINES for bar in sweeping(name)),
    in_games(games.OPEN, 50 * MS),
    in_games(games.MEMORY, 40 * MIB, BYTES),
]

# Ahead of each of these in every race of 1,000 units and more.
RIVALS = (
    *("rtree", "boostree", "rstar-python", "pymunk", "pygame collidelistall"),
    *("arcade SpatialHash", "arcade collisions"),
)
AHEAD_FROM = 1_000
# A list has no index to build or update. What its moves cost is part of the crossover's frame.
LISTS = {"pygame collidelistall": ("bulk build", "move one unit")}


def verdicts(results: Results) -> list[Verdict]:
    """All bars, in order."""
    lines = [verdict(bar, results) for bar in BARS]
    for rival in RIVALS:
        left_out = (*OWN_BARS, *LISTS.get(rival, ()))
        lines += ahead_of(rival, AHEAD_FROM, left_out, results)
    return lines
