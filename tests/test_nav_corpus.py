"""Grids, fields, paths and fog on real maps of all orientations."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from tests.corpus import each, rows
from tests.fog_game import Sight
from tests.nav_worlds import Twin
from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Fog, Grid, Paths, Rule
from tilequad.tiled import TileLayer, TileMap

pytestmark = pytest.mark.corpus

MOST_CELLS = 1_500  # the twin takes its time
MOST_MAPS = 6  # of each orientation


def maps() -> list[dict[str, str]]:
    """Some maps of each orientation, from what expected.csv says of them."""
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows():
        if row["infinite"] != "0" or row["tiles"] in ("", "0"):
            continue
        if 1 < int(row["width"]) * int(row["height"]) <= MOST_CELLS:
            found[row["orientation"]].append(row)
    return [row for some in found.values() for row in some[:: max(len(some) // MOST_MAPS, 1)]]


MAPS = maps()


@each(MAPS)
def test_a_real_map(corpus, row):
    tile_map = load_map(corpus / row["path"])
    layers = [layer for layer in tile_map.layers if isinstance(layer, TileLayer) and len(layer)]
    gids = np.unique(layers[0].gids(layers[0].ids())).tolist()
    name = layers[0].name
    if tile_map.layer(name) is not layers[0]:
        name = None
    closed, dear = gids[:-1:3], gids[1::3]  # the last one stays open
    grid = Grid.of(tile_map, Rule(name, BLOCKED, gids=closed), Rule(name, 1.7, gids=dear))
    assert grid.bounds == pytest.approx(tuple(tile_map.bounds), abs=1.0)
    free = np.flatnonzero(~grid.blocked.ravel())
    rng = np.random.default_rng(len(free))
    goals = rng.choice(free, min(3, len(free)), replace=False)
    field, paths, twin = Field(grid, grid.center_many(goals)), Paths(grid), Twin(grid)
    size = min(grid.cell_size)

    np.testing.assert_allclose(
        field.distances.ravel(), twin.distances(goals.tolist()), atol=1e-4 * size
    )
    labels = twin.labels()
    ends = rng.choice(free, (2, 20))
    found = paths.find_many(*(grid.center_many(end) for end in ends))
    assert [way is not None for way in found] == (labels[ends[0]] == labels[ends[1]]).tolist()


@each(MAPS)
def test_fog_on_a_real_map(corpus, row):
    """What viewers see, past walls and over them, is what a recount finds after every move."""
    tile_map = load_map(corpus / row["path"])
    layers = [layer for layer in tile_map.layers if isinstance(layer, TileLayer) and len(layer)]
    gids = np.unique(layers[0].gids(layers[0].ids())).tolist()
    grid = Grid.of(tile_map, Rule(None, BLOCKED, gids=gids[1::4]))
    rng = np.random.default_rng(len(grid))
    fog, sight = Fog(grid), Sight(_kind(tile_map, grid), grid)
    reaches = [(None, 3.0), (2.2 * min(grid.cell_size), None), (None, 2.0)]
    explored = np.zeros(len(grid), bool)
    viewers = {}
    for number, (radius, cells) in enumerate(reaches):
        cell = int(rng.integers(len(grid)))
        place = tuple(grid.center_many([cell])[0].tolist())
        viewers[fog.add(*place, radius, radius_in_cells=cells, over_walls=number == 2)] = cell
    for turn in range(8):
        counts = np.zeros(len(grid), np.uint16)
        walls = grid.blocked
        for viewer, cell in viewers.items():
            near = sight.circle(cell, viewer.radius, viewer.radius_in_cells)
            if not viewer.over_walls:
                near = [other for other in near if sight.sees(walls, cell, other)]
            counts[near] += 1
        explored |= counts > 0
        assert (fog.counts().ravel() == counts).all()
        assert (fog.states().ravel() == np.where(counts > 0, 2, explored)).all()
        if turn % 4 == 3:
            grid.set_costs(rng.integers(0, len(grid), 3), rng.choice([1.0, BLOCKED], 3))
        else:
            viewer = list(viewers)[turn % 3]
            cell = viewers[viewer] = int(rng.integers(len(grid)))
            fog.move(viewer, *grid.center_many([cell])[0].tolist())


def _kind(tile_map: TileMap, grid: Grid) -> str:
    """The orientation as the twin names it."""
    if tile_map.orientation not in ("staggered", "hexagonal"):
        return tile_map.orientation
    name = "hexagonal" if grid.frame.slant < 1.0 else "staggered"
    return f"{name}, {tile_map.stagger_axis} {tile_map.stagger_index}"
