"""An interrupt in the first question after a change: whoever is asked again answers as if new."""

from itertools import count

import numpy as np
import pytest

from tests.interrupts import cut_everywhere, interrupted
from tests.nav_worlds import told
from tests.tmx import TILESET, csv_layer, write_map
from tilequad import DynamicQuadtree, load_map
from tilequad.nav import Field, Fog, Grid, LineOfSight, Paths, Walls

pytestmark = pytest.mark.slow
XY = np.random.default_rng(8).uniform(0, 90, (2, 12, 2))
CELLS = np.arange(81)
BOXES = np.hstack((XY[0], XY[0] + 3))[:4]


class Town:
    """Everyone who keeps something of a grid, asked once and then late by a change."""

    def __init__(self, *asked):
        rng = np.random.default_rng(7)
        self.grid = Grid(rng.random((9, 9)) > 0.25, 10)
        self.wide = self.grid.with_clearance(6)
        self.units = DynamicQuadtree((0, 0, 90, 90))
        self.units.add_many(["anna", "bert"], [(25, 25), (65, 45)], radius=3)
        self.paths, self.wide_paths = Paths(self.grid), Paths(self.wide)
        self.field, self.far = Field(self.grid, [(5, 85)]), Field(self.wide, [(5, 85)])
        self.walls, self.sight = Walls(self.grid), LineOfSight(self.grid)
        self.wide_sight = LineOfSight(self.wide)
        self.fog = Fog(self.grid, 2, self.units)
        self.fog.follow("anna", 30)
        self.fog.add(45, 45, 40, 1)
        for ask in asked:
            ask(self)
        closed, open_ = np.flatnonzero(self.grid.blocked), np.flatnonzero(~self.grid.blocked)
        self.grid.set_costs(closed[::3], 1)
        self.grid.block(open_[1::7])
        self.grid.set_costs(open_[3::9], 2.5)
        self.units.move("bert", 35, 75)


QUESTIONS = {
    "find": lambda town: town.paths.find(5, 5, 85, 85),
    "find_many": lambda town: town.paths.find_many(*XY),
    "find_wide": lambda town: town.wide_paths.find_many(*XY),
    "connected": lambda town: town.paths.connected(5, 5, 85, 85),
    "connected_many": lambda town: town.wide_paths.connected_many(*XY),
    "distance_many": lambda town: town.field.distance_many(XY[0]),
    "distances": lambda town: town.far.distances,
    "direction_many": lambda town: town.field.direction_many(XY[0]),
    "advance": lambda town: town.field.advance(45, 45, 7),
    "advance_many": lambda town: town.far.advance_many(XY[0], 7),
    "next_cell": lambda town: town.field.next_cell(80),
    "next_cell_many": lambda town: town.far.next_cell_many(CELLS, avoid=[3, 4]),
    "goals": lambda town: (town.field.goals, town.field.revision >= 0),
    "clear": lambda town: town.sight.clear(5, 5, 85, 85),
    "clear_many": lambda town: town.sight.clear_many(*XY),
    "hit": lambda town: town.wide_sight.hit(5, 5, 85, 85),
    "hit_many": lambda town: town.wide_sight.hit_many(*XY),
    "polygon": lambda town: town.sight.polygon(45, 45, 60),
    "visible": lambda town: sorted(town.sight.visible(town.units, 25, 25, 60)),
    "nearest_visible": lambda town: town.wide_sight.nearest_visible(town.units, 30, 30),
    "slide": lambda town: town.walls.move_and_slide((2, 2, 8, 8), 60, 50),
    "slide_many": lambda town: town.walls.move_and_slide_many(BOXES, (9, 4)),
    "in_walls": lambda town: town.walls.overlaps_many(town.units),
    "merged": lambda town: sorted(map(tuple, town.walls.merged().boxes().tolist())),
    "with_clearance": lambda town: town.grid.with_clearance(6).costs,
    "wide_costs": lambda town: town.wide.costs,
    "blocked": lambda town: (town.grid.blocked, town.grid.opaque, town.wide.blocked),
    "outlines": lambda town: town.grid.outlines(),
    "states": lambda town: (town.fog.states(), town.fog.states(1)),
    "counts": lambda town: (town.fog.counts(), town.fog.counts(1)),
    "sees_many": lambda town: town.fog.sees_many(CELLS, 1),
    "state_at_many": lambda town: town.fog.state_at_many(XY[0], 1),
    "seen_units": lambda town: town.fog.seen_units(1),
    "team_sight": lambda town: town.fog.sight(1).clear_many([(45, 45)] * 12, XY[1]),
    "field_of_view": lambda town: town.fog.field_of_view(45, 45, 40),
    "field_of_view_many": lambda town: town.fog.field_of_view_many(XY[0], 30),
}  # fmt: skip

ALL = QUESTIONS.values()


def all_answers(town):
    town.fog.update()
    return {name: told(ask(town)) for name, ask in QUESTIONS.items()}


@pytest.fixture(scope="module")
def expected():
    """What each question answers of a town that was not asked before the change."""
    return all_answers(Town())


@pytest.mark.parametrize("name", QUESTIONS)
def test_who_was_interrupted_answers_as_if_new(name, expected):
    ask, places = QUESTIONS[name], 0
    assert all_answers(Town(*ALL)) == expected
    for places, town in cut_everywhere(lambda: Town(ask), ask):
        town.fog.update()
        assert told(ask(town)) == expected[name], places
        if places % 20 == 1:
            assert all_answers(town) == expected, places
    assert places


def test_who_was_interrupted_while_saved_goes_on(again, expected):
    assert all_answers(again(Town(*ALL))) == expected
    for place in count(1, 11):
        town = Town(*ALL)
        if not interrupted(lambda: again(town), place):  # noqa: B023
            break
        assert all_answers(town) == expected, place
    assert place > 20


# -- tiles of a layer, which tells of its changes --------------------------------------------------

TILE_QUESTIONS = {
    "merged": lambda tiles: tiles.walls.merged().boxes(),
    "slide_many": lambda tiles: tiles.walls.move_and_slide_many([(2, 2, 8, 8)], (60, 50))[0],
    "in_walls": lambda tiles: tiles.walls.overlaps_many(tiles.units)[1],
    "clear_many": lambda tiles: tiles.sight.clear_many(*XY),
    "clear": lambda tiles: tiles.sight.clear(5, 5, 85, 85),
    "hit_many": lambda tiles: tiles.sight.hit_many(*XY),
    "polygon": lambda tiles: tiles.sight.polygon(45, 45, 60),
    "repr": lambda tiles: repr(tiles.sight),
    "ids": lambda tiles: tiles.layer.select(class_name="solid").ids,
}


class Tiles:
    """Walls and looks among the tiles of a layer, late by a change of it."""

    def __init__(self, path, ask):
        self.layer = load_map(path).layer("ground")
        self.units = DynamicQuadtree((0, 0, 96, 96))
        self.units.add_many("ab", [(20, 20), (60, 44)], radius=3)
        solid = self.layer.select(class_name="solid")
        self.walls, self.sight = Walls(solid), LineOfSight(solid)
        if ask:
            self.answers()
        self.layer.set_tiles([(0, 0), (1, 1), (4, 3)], [1, 1, 0])

    def answers(self):
        return {name: told(ask(self)) for name, ask in TILE_QUESTIONS.items()}


def solid_map(folder, side):
    """Write a map, two fifths of whose cells have solid tiles."""
    rows = (np.random.default_rng(3).random((side, side)) < 0.4).astype(int).tolist()
    tileset = TILESET.replace("</tileset>", '<tile id="0" type="solid"/></tileset>')
    return write_map(folder, tileset, csv_layer("ground", rows), size=(side, side))


@pytest.fixture(scope="module")
def tiles_path(tmp_path_factory):
    return solid_map(tmp_path_factory.mktemp("map"), 6)


@pytest.mark.parametrize("ask", TILE_QUESTIONS.values(), ids=TILE_QUESTIONS)
@pytest.mark.parametrize("asked", [False, True], ids=["first", "late"])
def test_who_was_interrupted_among_tiles_answers_as_if_new(ask, asked, tiles_path):
    expected = Tiles(tiles_path, ask=False).answers()
    late = Tiles(tiles_path, ask=True)
    assert late.answers() == expected
    other = Tiles(tiles_path, ask=False)
    other.layer.set_tiles([(0, 0), (2, 5)], [0, 1])
    changed, places = other.answers(), 0
    for places, tiles in cut_everywhere(lambda: Tiles(tiles_path, asked), ask):
        assert tiles.answers() == expected, places
        tiles.layer.set_tiles([(0, 0), (2, 5)], [0, 1])
        assert tiles.answers() == changed, places
    assert places
