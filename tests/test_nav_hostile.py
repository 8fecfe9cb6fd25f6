"""Signals, threads, forks and missing memory among grids, fog, walls and looks: nothing crashes."""

import os
import sys
import threading
from contextlib import suppress
from random import Random

import numpy as np
import pytest

import tilequad
from tests.interrupts import Cut, alarms, real_signals
from tests.nav_worlds import seen_as_new
from tests.test_nav_interrupts import CHANGES, World
from tests.test_quadtree_hostile_memory import assert_raises_or_is_right, failing, survives
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad._core.turns import Turns
from tilequad.ai import separate
from tilequad.nav import Field, Fog, Grid, LineOfSight, Walls

pytestmark = pytest.mark.slow

# -- signals ---------------------------------------------------------------------------------------


def until_a_signal(call, delay):
    """Call again and again, until a signal raises Cut, or for long."""
    with alarms() as alarm, suppress(Cut):
        alarm(delay)
        for _ in range(10_000):
            call()
        alarm(0)


def busy(world):
    """Changes that may follow one another for ever."""
    rng, fog, grid = Random(5), world.fog, world.grid
    mover, sizer = world.viewers
    extra = []

    def change():
        kind = rng.randrange(8)
        cells = rng.sample(range(81), 3)
        if kind == 0:
            grid.set_costs(cells, [rng.choice((1.0, 2.0, np.inf)) for _ in cells])
        elif kind == 1:
            grid.block(cells)
            grid.unblock(cells)
        elif kind == 2:
            fog.move(mover, rng.uniform(0, 90), rng.uniform(0, 90))
        elif kind == 3:
            fog.resize(sizer, rng.choice((20, 35)))
            fog.set_team(sizer, rng.choice((0, 1)))
        elif kind == 4 and len(fog) < 9:
            extra.append(fog.add(rng.uniform(0, 90), 45, 15))
        elif kind == 5 and extra:
            viewer = extra.pop()
            if viewer in fog:
                fog.remove(viewer)
        elif kind == 6:
            world.units.move("anna", rng.uniform(0, 90), rng.uniform(0, 90))
            fog.update()
        else:
            world.sight.clear(5, 5, 85, 85)
            world.wide.costs  # noqa: B018

    return change


@real_signals
def test_a_handler_that_raises_leaves_nobody_stale():
    rng = Random(1)
    for _ in range(60):
        world = World()
        world.sight = LineOfSight(world.wide)
        until_a_signal(busy(world), 10 ** rng.uniform(-4.5, -2))
        world.fog.update()
        world.check()
        twin = LineOfSight(StaticQuadtree(world.wide.boxes(np.flatnonzero(world.wide.opaque))))
        a, b = np.random.default_rng(2).uniform(0, 90, (2, 50, 2))
        assert (world.sight.clear_many(a, b) == twin.clear_many(a, b)).all()


@real_signals
def test_a_handler_that_raises_leaves_no_turn_taken():
    rng, turns = Random(2), Turns("wait")
    for _ in range(300):
        with alarms() as alarm, suppress(Cut):
            alarm(10 ** rng.uniform(-4.5, -3))
            while True:
                with turns:
                    pass
        assert not turns.is_mine


@pytest.mark.parametrize("name", ["set_costs", "block", "unblock"])
def test_whoever_observes_after_one_that_fails_is_told_or_knows(name):
    class Failing:
        def _cells_changed(self, cells):
            raise ZeroDivisionError

    for seed in range(6):
        world, others = World(), [Failing() for _ in range(seed)]
        fogs = [Fog(world.grid) for _ in range(3)]
        for fog in fogs:
            fog.add(45, 45, 40)
        for one in others:
            world.grid._ground.observe(one)
        for _ in range(2):
            with suppress(ZeroDivisionError, ValueError):  # unblocked already
                CHANGES[name](world)
        for fog in fogs:
            assert len(fog) == 1
            assert seen_as_new(fog)
        world.check()


# -- threads and forks -----------------------------------------------------------------------------


def crowded():
    """A grid with all that follows it."""
    rng = np.random.default_rng(3)
    grid = Grid(rng.random((60, 70)) > 0.2, 10)
    units = DynamicQuadtree(grid.bounds)
    units.add_many(range(50), rng.uniform(0, 600, (50, 2)), radius=3)
    fog = Fog(grid, 2, units)
    for unit in range(10):
        fog.follow(unit, 80, unit % 2)
    return grid, fog, Field(grid, [(305, 305)]), units


def questions(grid, fog, field, seed):
    """What a thread asks of them."""
    rng = np.random.default_rng(seed)
    sight, walls = LineOfSight(grid), Walls(grid)
    a, b = rng.uniform(0, 600, (2, 200, 2))
    boxes = np.hstack((a, a + 8))
    return (
        lambda: sight.clear_many(a, b),
        lambda: sight.hit_many(a, b),
        lambda: sight.polygon(*a[0], 90),
        lambda: walls.move_and_slide_many(boxes, b - a),
        lambda: walls.move_and_slide((*a[1], *(a[1] + 5)), 30, 20),
        lambda: grid.cells_in((*a[2], *(a[2] + 90))),
        lambda: grid.query((*a[3], *(a[3] + 90))),
        lambda: field.distance_many(a),
        lambda: fog.state_at_many(a),
        lambda: fog.field_of_view(*a[4], 90),
    )


def test_twelve_threads_on_one_grid():
    grid, fog, field, units = crowded()
    errors, stop = [], threading.Event()

    def ask(seed):
        try:
            asked = questions(grid, fog, field, seed)
            while not stop.is_set():
                for question in asked:
                    question()
        except BaseException as error:
            errors.append(error)
            raise

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(11)]
    try:
        for thread in threads:
            thread.start()
        rng = np.random.default_rng(4)
        for _ in range(150):
            cells = rng.integers(0, len(grid), 5)
            grid.set_costs(cells, rng.choice([1.0, 3.0, np.inf], 5))
            units.move(int(rng.integers(10)), *rng.uniform(0, 600, 2))
            fog.update()
            separate(units, walls=Walls(grid))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    assert errors == []
    fog.update()
    assert len(fog) == 10
    assert seen_as_new(fog)
    assert (field.distances == Field(grid, [(305, 305)]).distances).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_of_questions_and_changes():
    grid, fog, _, units = crowded()
    before, sight = grid.blocked.flat[[100, 200]].tolist(), LineOfSight(grid)
    a, b = np.random.default_rng(5).uniform(0, 600, (2, 3000, 2))
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            sight.clear_many(a, b)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for round_ in range(8):
            grid.set_costs([round_], np.inf)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    grid.block([100, 200])
                    units.move(3, 40, 40)
                    fog.update()
                    same = len(fog) == 10 and seen_as_new(fog)
                    twin = LineOfSight(StaticQuadtree(grid.boxes(np.flatnonzero(grid.blocked))))
                    same &= (sight.clear_many(a, b) == twin.clear_many(a, b)).all()
                    code = 0 if same else 2
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()
    assert grid.blocked.flat[[100, 200]].tolist() == before


# -- memory ----------------------------------------------------------------------------------------


def small():
    rng = np.random.default_rng(6)
    grid = Grid(rng.random((12, 14)) > 0.2, 10)
    units = DynamicQuadtree(grid.bounds)
    units.add_many(range(20), rng.uniform(0, 120, (20, 2)), radius=3)
    fog = Fog(grid, 2, units)
    fog.follow(0, 40)
    fog.follow(1, 30, 1, over_walls=True)
    return grid, fog, units


LINES = np.random.default_rng(7).uniform(0, 130, (2, 40, 2))
TOWN = LineOfSight(StaticQuadtree(small()[0].boxes(range(9))))
TOWN.clear(0, 0, 1, 1)
FREE = small()[0].boxes(np.flatnonzero(~small()[0].blocked)) + np.array((2, 2, -2, -2))
QUESTIONS = {
    "clear": lambda grid, fog, units: LineOfSight(grid).clear(5, 5, 130, 110),
    "clear_many": lambda grid, fog, units: LineOfSight(grid).clear_many(*LINES).tolist(),
    "hit_many": lambda grid, fog, units: LineOfSight(grid).hit_many(*LINES)[0].tolist(),
    "polygon": lambda grid, fog, units: LineOfSight(grid).polygon(61, 52, 90).tolist(),
    "boxes": lambda grid, fog, units: TOWN.clear_many(*LINES).tolist(),
    "slide": lambda grid, fog, units: Walls(grid).move_and_slide(FREE[0], 30, 20),
    "slide_many": lambda grid, fog, units: Walls(grid).move_and_slide_many(FREE, (9, 4))[0].sum(),
    "cells_in": lambda grid, fog, units: grid.cells_in((5, 5, 90, 90)).tolist(),
    "query": lambda grid, fog, units: grid.query((5, 5, 90, 90)).tolist(),
    "field_of_view": lambda grid, fog, units: fog.field_of_view(61, 52, 60).tolist(),
    "fields_of_view": lambda grid, fog, units: fog.field_of_view_many(LINES[0], 60)[1].tolist(),
    "seen_units": lambda grid, fog, units: fog.seen_units().tolist(),
    "states": lambda grid, fog, units: fog.states(1).tolist(),
}  # fmt: skip
# One that hangs has a `with` behind bytecode 256 of a function: to leave it, CPython needs memory,
# and tries forever.
NEWS = {
    "block": lambda grid, fog, units: grid.block([30, 31, 32]),
    "set_costs": lambda grid, fog, units: grid.set_costs(range(50, 90), np.inf),
    "add": lambda grid, fog, units: fog.add(65, 65, 50),
    "follow": lambda grid, fog, units: fog.follow(3, 50, 1),
    "resize": lambda grid, fog, units: fog.resize(next(iter(fog)), 70),
    "remove": lambda grid, fog, units: fog.remove(next(iter(fog))),
    "update": lambda grid, fog, units: (units.move(0, 99, 99), fog.update()),
    "separate": lambda grid, fog, units: separate(units, walls=Walls(grid)),
}
compiled = pytest.mark.skipif(not tilequad.COMPILED, reason="uncompiled, nothing can crash")


@compiled
@survives
@pytest.mark.alone
@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_without_memory_raises_or_is_right(ask):
    pytest.importorskip("_testcapi")
    world = small()
    assert_raises_or_is_right(lambda: ask(*world), 600)


@compiled
@survives
@pytest.mark.alone
@pytest.mark.parametrize("change", NEWS.values(), ids=NEWS)
def test_a_change_without_memory_crashes_nobody(change):
    pytest.importorskip("_testcapi")
    worlds = [small()]
    failures = 0
    for failed in failing(lambda: change(*worlds[-1]), 600):
        failures += failed
        grid, fog, _ = worlds.pop()
        try:
            fog.counts(0), fog.states(1), len(fog), grid.costs
            grid.set_costs([5], 2)
            fog.update()
        except RuntimeError as error:  # what lacked memory may be lost, and says so
            assert "lost" in str(error)  # noqa: PT017
        worlds.append(small())
    assert failures
