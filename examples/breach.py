"""Walls rise before an army and fall again: one grid tells walkers, looks and crowds what is solid.

Prints what happens; `python examples/breach.py --window` shows it. Needs `tilequad[arcade]` then.
"""

import argparse
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tilequad import COMPILED, DynamicQuadtree, load_map
from tilequad.ai import separate
from tilequad.nav import BLOCKED, Field, Grid, LineOfSight, Rule, Walls

SOLDIER, WALL = 1, 2
COUNT, SPEED, REACH = 300, 1.6, 60.0  # soldiers, px a tick, and how far they strike, in px
TOWN, CAMP = (3664.0, 4102.0), (4700, 4200, 5100, 4700)
EVERY, AHEAD, LONG = 60, 200.0, (96.0, 64.0)  # ticks for a wall, how far before the army, its size
STONES, STRENGTH, IDLE = 8, 600.0, 400  # walls at a time, strokes for one, ticks until it is razed

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--window", action="store_true", help="show it in a window")
given = parser.parse_args()


@dataclass(eq=False)
class Wall:
    """A piece of wall, as long as it stands."""

    strength: float
    touched: int  # the tick when it was built or struck


tile_map = load_map(Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx")
grid = Grid.of(
    tile_map,
    Rule("ground", BLOCKED, {"solid": True}, opaque=False),  # one sees over water,
    Rule("trees", 2.0, opaque=True),  # and walks through a wood
    Rule("roads", 0.6),
    Rule("places", BLOCKED, covered=0.5),
)
field, walls, sight = Field(grid, [TOWN]), Walls(grid), LineOfSight(grid)
to_walls = Field(grid, [TOWN])  # for those who find every way shut
units = DynamicQuadtree(tile_map.bounds)
rng = np.random.default_rng(4)
camp = grid.cells_in(CAMP)
camp = camp[np.isfinite(field.distances.ravel()[camp])]
army = grid.center_many(rng.choice(camp, COUNT)) + rng.uniform(-9, 9, (COUNT, 2))
units.add_many(range(COUNT), army, radius=6, groups=SOLDIER)
standing: list[Wall] = []
counts = {"built": 0, "breached": 0, "razed": 0, "arrived": 0}


def soldiers() -> NDArray[np.int32]:
    """The slots of all soldiers."""
    found: NDArray[np.int32] = units.query_many([tile_map.bounds], groups=SOLDIER)[1]
    return found


def march() -> None:
    """All walk on; if every way is shut, to the next wall. Who has come to the town stays there."""
    slots = soldiers()
    xy = units.position_many(slots)
    shut = np.isinf(field.distance_many(xy))
    ways = np.where(shut[:, None], to_walls.advance_many(xy, SPEED), field.advance_many(xy, SPEED))
    units.move_many(slots, ways)
    separate(units, SOLDIER, walls=walls)
    home = slots[field.distance_many(units.position_many(slots)) < 64]
    units.remove_many(home)
    counts["arrived"] += len(home)


def fortify(tick: int) -> None:
    """Build a wall before the first soldier, and take down the one that has waited longest."""
    xy = units.position_many(soldiers())
    away = field.distance_many(xy)
    place = None
    if np.isfinite(away).any() and len(standing) < STONES:
        x, y = xy[away.argmin()].tolist()
        place = grid.free_near(*field.advance(x, y, AHEAD), LONG, units, without=SOLDIER)
    if place:
        standing.append(Wall(STRENGTH, tick))
        grid.build(units, standing[-1], place, groups=WALL, push=SOLDIER)
        counts["built"] += 1
    for wall in standing[:]:
        if tick - wall.touched > IDLE:
            standing.remove(wall)
            grid.raze(wall)
            counts["razed"] += 1
    to_walls.move_goals([units.position(wall) for wall in standing])


def breach(tick: int) -> None:
    """Soldiers strike the walls beside them; a wall that falls leaves the tree, and the grid."""
    for wall in standing[:]:
        strokes = units.count_within(*units.position(wall), REACH, groups=SOLDIER)
        if strokes:
            wall.strength, wall.touched = wall.strength - strokes, tick
        if wall.strength <= 0:
            standing.remove(wall)
            units.remove(wall)  # all that follow the grid notice at their next question
            counts["breached"] += 1


def step(tick: int) -> None:
    """One tick of the game."""
    march()
    breach(tick)
    if tick % EVERY == 0:
        fortify(tick)


def tell(tick: int) -> None:
    """Print how it stands."""
    slots = soldiers()
    seen = np.zeros(len(slots), bool)
    for wall in standing:  # each has a sentry, who looks over the own wall and past the others
        seen |= sight.clear_many(units.position(wall), units.position_many(slots))
    print(f"tick {tick:4}: {len(slots):3} on their way, {seen.sum():3} in sight; {counts}")


def show() -> None:
    """Open a window, and play on in it."""
    import arcade

    from tilequad.draw.arcade import MapView, SpriteBatch, visible_bounds

    window = arcade.Window(960, 600, "Breach")
    camera = arcade.Camera2D(position=((TOWN[0] + CAMP[2]) / 2, 4350), zoom=0.6)
    map_view = MapView(tile_map)
    batch = SpriteBatch([arcade.make_circle_texture(14, arcade.color.RED)])
    ticks = count(1)

    def draw() -> None:
        window.clear()
        with camera.activate():
            map_view.draw(visible_bounds(camera))
            for wall in standing:
                arcade.draw_rect_filled(arcade.XYWH(*units.position(wall), *LONG), (90, 80, 70))
            slots = soldiers()
            batch.draw(units.position_many(slots), np.zeros(len(slots), int))

    window.push_handlers(on_update=lambda _: step(next(ticks)), on_draw=draw)
    window.run()


if given.window:
    show()
else:
    ticks = 1601 if COMPILED else 76  # plain Python is 100 times slower
    for tick in range(1, ticks):
        step(tick)
        if tick % 400 == 0 or tick == ticks - 1:
            tell(tick)
