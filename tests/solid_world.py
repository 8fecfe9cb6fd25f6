"""A map whose solid cells change at random, cut by interrupts, and all that follows it.

In a `ShapedWorld`, tiles have collision shapes. Costs are set by hand in the first rows alone; in
the others, what cells hold is compared with a grid that is made anew from the map.
"""

from __future__ import annotations

import pickle
import tempfile
from contextlib import suppress
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from tests.interrupts import interrupted
from tests.nav_worlds import ORIENTATIONS, map_grid, renewed, same, seen_as_new, told
from tests.shape_worlds import FIRST, FLIPS, LAST, OPEN, WHOLE, shape_map, some_gids
from tilequad import DynamicQuadtree
from tilequad._core.ways.traits import KIND_MASK, LOOK_SHIFT, WALK_SHIFT
from tilequad.nav import BLOCKED, Field, Fog, Grid, LineOfSight, Paths, Rule, Walls

COLUMNS, ROWS = 13, 11
UNITS = 8
HALL = 16  # the group of buildings
COMPARED = 5  # steps between two looks at everything
SHAPED = (
    Rule("ground", BLOCKED, gids=[WHOLE]),
    Rule("ground", BLOCKED, gids=range(FIRST, LAST), covered=0.35),
)


class SolidWorld:
    """A game of changes. Each follower must equal one that is made anew."""

    by_hand = COLUMNS * ROWS  # in so many cells costs are set by hand

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.steps = self.halls = 0
        name = self.random.choice(list(ORIENTATIONS))
        kinds = np.random.default_rng(seed)
        with tempfile.TemporaryDirectory() as folder:
            self.tile_map, self.grid = self.ground(Path(folder), name, kinds)
        self.wide = self.grid.with_clearance(7)
        goals = self.grid.center_many([5, len(self.grid) - 4])
        self.fields = [Field(self.grid, goals), Field(self.wide, goals[:1], 90)]
        self.paths = Paths(self.grid)
        self.walls, self.sight = Walls(self.grid), LineOfSight(self.grid)
        self.units: DynamicQuadtree[Any] = DynamicQuadtree(self.grid.bounds)
        for number in range(UNITS):
            self.units.add(f"unit {number}", *self.place(), radius=3)
        self.fog = Fog(self.grid, 2, self.units)
        for number in range(UNITS):
            self.fog.follow(f"unit {number}", 45, number % 2, over_walls=number == 3)

    def ground(self, folder: Path, name: str, kinds: np.random.Generator) -> tuple[Any, Grid]:
        """A map in some orientation, and its grid."""
        gids = kinds.choice([1, 2, 3, 4], (ROWS, COLUMNS), p=[0.7, 0.1, 0.1, 0.1])
        map_and_grid: tuple[Any, Grid] = map_grid(folder, name, gids)
        return map_and_grid

    def place(self) -> tuple[float, float]:
        """Anywhere on the map."""
        low_x, low_y, high_x, high_y = self.grid.bounds
        return self.random.uniform(low_x, high_x), self.random.uniform(low_y, high_y)

    def cells(self) -> list[int]:
        """Some cells, perhaps one of them twice."""
        return [self.random.randrange(len(self.grid)) for _ in range(self.random.randint(1, 4))]

    # -- changes -----------------------------------------------------------------------------------

    def set_costs(self) -> None:
        cells, opaque = self.cells(), self.random.choice((None, None, True, False))
        cells = [cell % self.by_hand for cell in cells]
        costs = self.random.choices([1.0, 2.0, 3.5, inf], k=len(cells))
        self.grid.set_costs(cells, costs, opaque=opaque)

    def block(self) -> None:
        self.grid.block(self.cells(), opaque=self.random.random() < 0.6)

    def unblock(self) -> None:
        opaque = self.random.random() < 0.6
        with suppress(ValueError):  # not blocked, or otherwise
            self.grid.unblock([self.random.choice([*self.grid._blocks.held, 0])], opaque=opaque)

    def tile(self) -> tuple[int, int]:
        """A gid and flip bits."""
        return self.random.choice([1, 1, 2, 3]), 0

    def set_tile(self) -> None:
        column, row = self.random.randrange(COLUMNS), self.random.randrange(ROWS)
        gid, flags = self.tile()
        self.tile_map.layer("ground").set_tile(column, row, gid, flags=flags)

    def move(self) -> None:
        self.units.move(f"unit {self.random.randrange(UNITS)}", *self.place())
        self.fog.update()

    def move_goals(self) -> None:
        cells = self.cells()[:2]
        self.fields[0].move_goals(self.grid.center_many(cells))

    def build(self) -> None:
        self.halls += 1
        room = self.grid.free_near(*self.place(), (30, 20))
        if room is not None:
            with suppress(ValueError):  # beyond the edge, or around no center
                opaque = self.random.random() < 0.7
                self.grid.build(self.units, self.halls, room, groups=HALL, opaque=opaque, push=1)

    def raze(self) -> None:
        halls = self.units.query(self.grid.bounds, groups=HALL)
        if halls:
            hall = self.random.choice(halls)
            if self.random.random() < 0.5:
                self.grid.raze(hall)
            else:
                self.units.remove(hall)

    CHANGES = (set_costs, block, unblock, set_tile, move, move_goals, build, raze)

    # -- a step ------------------------------------------------------------------------------------

    def step(self) -> None:
        """One change, perhaps cut; now and then all is compared."""
        change = self.random.choice(self.CHANGES)
        if self.random.random() < 0.3:
            interrupted(lambda: change(self), self.random.randint(1, 200))
        else:
            change(self)
        self.steps += 1
        if self.steps % COMPARED == 0:
            self.compare()

    def compare(self) -> None:
        """Compare each follower with one made anew."""
        grid = self.grid
        assert (self.wide.costs == grid.with_clearance(7).costs).all()
        assert all(same(field, renewed(field)) for field in self.fields)
        xy = np.array([self.place() for _ in range(12)])
        paths, walls, sight = Paths(grid), Walls(grid), LineOfSight(grid)
        for start in xy[:2]:
            expected = paths.connected_many(start, xy)
            assert (self.paths.connected_many(start, xy) == expected).all()
        boxes, motions = np.hstack((xy - 3.0, xy + 3.0)), xy[::-1] - xy
        slides = walls.move_and_slide_many(boxes, motions)
        assert told(self.walls.move_and_slide_many(boxes, motions)) == told(slides)
        assert (self.sight.clear_many(xy, xy[::-1]) == sight.clear_many(xy, xy[::-1])).all()
        self.fog.update()
        assert seen_as_new(self.fog)
        self.compare_buildings()

    def compare_buildings(self) -> None:
        """The grid knows the buildings that stand in the tree, and no others."""
        halls = self.units.query(self.grid.bounds, groups=HALL)
        known = [slot for town in self.grid._sites().towns for slot in town.held]
        assert sorted(known) == sorted(self.units.slots(halls).tolist())


class ShapedWorld(SolidWorld):
    """The same where tiles have collision shapes."""

    by_hand = 3 * COLUMNS

    def ground(self, folder: Path, name: str, kinds: np.random.Generator) -> tuple[Any, Grid]:
        """A map in some orientation, and its grid."""
        map_and_grid: tuple[Any, Grid] = shape_map(
            folder, name, some_gids(kinds, ROWS, COLUMNS, 0.7), SHAPED
        )
        return map_and_grid

    def tile(self) -> tuple[int, int]:
        """A gid and flip bits."""
        gid = self.random.choice([OPEN, WHOLE, self.random.randrange(FIRST, LAST)])
        return gid, self.random.choice(FLIPS) >> 29 if gid >= FIRST else 0

    def compare(self) -> None:
        """And what cells hold with a grid made from the map, and what reads it with copies."""
        super().compare()
        grid, anew = self.grid, Grid.of(self.tile_map, *SHAPED)
        xy = np.array([self.place() for _ in range(12)])
        changed = grid._blocks.held
        for cell in range(self.by_hand, len(grid)):
            if cell not in changed:
                assert held_by(grid, cell) == held_by(anew, cell)
        copied = pickle.loads(pickle.dumps(grid))
        assert told(grid.outlines()) == told(copied.outlines())
        hits, again = self.sight.hit_many(xy, xy[::-1]), LineOfSight(copied).hit_many(xy, xy[::-1])
        assert told(hits) == told(again)
        moved = self.fields[0].advance_many(xy, 3.0)
        assert (moved == renewed(self.fields[0]).advance_many(xy, 3.0)).all()
        afresh = Walls(copied).overlaps_many(self.units)
        assert told(self.walls.overlaps_many(self.units)) == told(afresh)


def held_by(grid: Grid, cell: int) -> tuple[Any, ...]:
    """The cost of a cell, and what it holds that stops walkers and looks."""
    traits, kinds = grid._ground.traits_at(cell), grid._kinds
    assert kinds is not None
    found = [traits & 0xFFFF]
    for shift in (WALK_SHIFT, LOOK_SHIFT):
        kind = traits >> shift & KIND_MASK
        found.append(told(kinds.corners(kind)))
    return tuple(found)
