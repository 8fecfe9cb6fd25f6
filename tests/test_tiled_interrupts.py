"""An interrupt at any place of a change of tiles: the layer is whole, and who follows it knows."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.interrupts import Cut, alarms, assert_done_or_not, real_signals
from tests.test_tiled_culling import SETS, SIZE, by_brute_force
from tests.tmx import csv_layer, write_map
from tilequad import load_map
from tilequad.nav import BLOCKED, Grid, Rule
from tilequad.tiled import TileLayer, TileMap

pytestmark = pytest.mark.slow
SOLID = (
    '<tileset firstgid="8" name="walls" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
    '<image source="tiles.png" width="32" height="32"/><tile id="0"><properties>'
    '<property name="solid" type="bool" value="true"/></properties></tile></tileset>'
)
EVERYTHING = (-500, -500, 500, 500)


class Follower:
    """Keeps a copy of the gids of a layer."""

    def __init__(self, layer: TileLayer) -> None:
        self.layer = layer
        self.gids = layer.gids(np.arange(layer.id_limit))
        layer.observe(self)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        self.gids[ids] = self.layer.gids(ids)


class World:
    """A layer with all that follows it: a selection, a grid, an observer."""

    def __init__(self, tile_map: TileMap) -> None:
        self.tile_map = tile_map
        self.layer = tile_map.layer("g")
        self.layer.query(EVERYTHING)
        self.walls = self.layer.select({"solid": True})
        self.grid = Grid.of(tile_map, Rule("g", BLOCKED, {"solid": True}))
        self.follower = Follower(self.layer)

    def state(self) -> list[int]:
        layer = self.layer
        cells = [(column, row) for row in range(SIZE[1]) for column in range(SIZE[0])]
        return [layer.gid_of(*cell) for cell in cells]

    def check(self) -> None:
        """Compare all that follows the layer with what its cells say."""
        layer, gids = self.layer, self.state()
        held = [number for number, gid in enumerate(gids) if gid]
        solid = [number for number, gid in enumerate(gids) if gid == 8]
        assert layer.ids().tolist() == held
        assert len(layer) == len(held)
        assert layer.boxes(held).shape == (len(held), 4)
        for view in (EVERYTHING, (20, 20, 60, 70)):
            assert layer.query(view).tolist() == by_brute_force(layer, view)
        assert self.walls.ids.tolist() == solid
        assert self.walls.query((-999, -999, 999, 999)).tolist() == solid
        assert len(self.walls) == len(solid)
        assert (~np.isfinite(self.grid.costs)).ravel().nonzero()[0].tolist() == solid
        assert self.follower.gids.tolist() == gids
        assert layer._tiles.kinds()[0].tolist() == sorted(set(gids) - {0})


def new_map(folder: Path) -> TileMap:
    chance = random.Random(5)
    rows = [[chance.choice((0, 0, 1, 2, 8)) for _ in range(SIZE[0])] for _ in range(SIZE[1])]
    rows[0][:5] = [1, 8, 0, 2, 8]
    for row in rows:
        row[8] = 0  # the only column of the second block
    return load_map(write_map(folder, *SETS, SOLID, csv_layer("g", rows), size=SIZE))


CHANGES = {
    "set": lambda layer: layer.set_tile(0, 0, 8),
    "fill": lambda layer: layer.set_tile(2, 0, 8),
    "new size": lambda layer: layer.set_tile(3, 0, 6),
    "new block": lambda layer: layer.set_tile(8, 3, 8),
    "clear": lambda layer: layer.clear_tile(1, 0),
    "set_tiles": lambda layer: layer.set_tiles(
        [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0)], [8, 0, 6, 8, 1]
    ),
}


# Python only reports what is raised while a generator is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_interrupt_leaves_a_layer_as_before_or_as_after(tmp_path, change):
    path = new_map(tmp_path).path
    assert_done_or_not(
        lambda: World(load_map(path)),
        lambda world: change(world.layer),
        World.state,
        World.check,
        places=50,
    )


@real_signals
def test_signals_in_the_middle_of_changes_lose_nothing(tmp_path):
    world = World(new_map(tmp_path))
    chance = random.Random(3)
    hits = 0
    with alarms(Cut) as alarm:
        for _ in range(300):
            cells = [(chance.randrange(SIZE[0]), chance.randrange(SIZE[1])) for _ in range(6)]
            gids = chance.choices((0, 1, 6, 8), k=6)
            try:
                alarm(chance.uniform(1e-6, 3e-4))
                world.layer.set_tile(*cells[0], 8)
                world.layer.set_tiles(cells, gids)
                world.layer.clear_tile(*cells[1])
                alarm(0)
            except Cut:
                hits += 1
            finally:
                alarm(0)
            world.check()
    assert hits


# Python only reports what is raised while a generator is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_observer_that_fails_keeps_nothing_from_the_others(tmp_path, change):
    class Failing:
        def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
            raise ZeroDivisionError

    for _ in range(5):  # observers are told in no order
        failing = [Failing(), Failing()]
        world = World(new_map(tmp_path))
        expected = World(load_map(world.tile_map.path))
        change(expected.layer)
        for one in failing:
            world.layer.observe(one)
        with pytest.raises(ZeroDivisionError):
            change(world.layer)
        assert world.state() == expected.state()
        world.check()
