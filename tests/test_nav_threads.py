"""Twelve threads, all at once: who asks after a change is told the truth, no change is lost."""

import sys
import threading
from functools import partial

import numpy as np
import pytest

from tests.nav_worlds import seen_as_new, told
from tests.test_nav_interrupts_asked import QUESTIONS, TILE_QUESTIONS, Tiles, Town, solid_map
from tilequad import DynamicQuadtree
from tilequad.nav import Fog, Grid

pytestmark = pytest.mark.slow
THREADS = 12


def asked_at_once(calls):
    """What each of some calls returns, all begun at the same time in threads of their own."""
    found, barrier = [None] * len(calls), threading.Barrier(len(calls))

    def ask(number):
        barrier.wait()
        try:
            found[number] = told(calls[number]())
        except BaseException as error:
            found[number] = error

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.fixture(autouse=True)
def _switching_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_all_followers_of_a_grid_are_asked_at_once():
    """Of ways that cost the same, each thread may be told another one: these are left out."""
    town, rng = Town(), np.random.default_rng(5)
    names = [name for name in QUESTIONS if not name.startswith("find")]
    for _ in range(15):
        cells = rng.integers(0, 81, 6)
        for one in (town, fresh := Town()):
            one.grid.set_costs(range(81), 1)
            one.grid.set_costs(cells, np.inf)
        town.fog.update()
        fresh.fog.update()
        expected = {name: told(QUESTIONS[name](fresh)) for name in names}
        for at in range(0, len(names), 4):
            asked = (names[at : at + 4] * 3)[:THREADS]
            found = asked_at_once([lambda name=name: QUESTIONS[name](town) for name in asked])
            assert found == [expected[name] for name in asked]


@pytest.mark.parametrize("name", ["merged", "clear_many", "slide_many", "ids"])
def test_all_followers_of_a_selection_are_asked_at_once(name, tmp_path):
    tiles_path = solid_map(tmp_path, 60)
    tiles, rng = Tiles(tiles_path, ask=True), np.random.default_rng(6)
    ask = TILE_QUESTIONS[name]
    for _ in range(20):
        cells = rng.integers(0, 60, (900, 2))
        gids = rng.integers(0, 2, 900)
        for one in (tiles, fresh := Tiles(tiles_path, ask=False)):
            one.layer.set_tiles([(x, y) for x in range(60) for y in range(60)], [0] * 3600)
            one.layer.set_tiles(cells, gids)
        assert asked_at_once([lambda: ask(tiles)] * THREADS) == [told(ask(fresh))] * THREADS


def test_all_change_one_fog_at_once():
    grid = Grid(np.random.default_rng(7).random((20, 20)) > 0.2, 10)
    units = DynamicQuadtree(grid.bounds)
    units.add_many(range(THREADS), np.random.default_rng(8).uniform(0, 200, (THREADS, 2)))
    fog = Fog(grid, 2, units)

    def play(number):
        rng, mine = np.random.default_rng(number), []
        for _ in range(60):
            x, y, radius = rng.uniform(0, 200, 3).tolist()
            mine.append(fog.add(x, y, radius, number % 2))
            fog.resize(mine[0], radius / 2)
            fog.set_team(mine[-1], int(rng.integers(2)))
            fog.move(mine[-1], y, x)
            mine.append(fog.follow(number, radius))
            fog.update()
            cells = rng.integers(0, 400, 3)
            grid.block(cells)
            grid.unblock(cells)
            for viewer in mine[: rng.integers(3)]:
                fog.remove(viewer)
                mine.remove(viewer)

    assert asked_at_once([partial(play, number) for number in range(THREADS)]) == [None] * THREADS
    assert seen_as_new(fog)
