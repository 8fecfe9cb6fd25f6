"""What teams see: against a recount, against lines tried one by one, compiled and plain."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from PIL import Image

from tests.fog_game import KINDS, Game, Sight, caves, grid_of
from tests.memory import at_most
from tilequad import DynamicQuadtree
from tilequad._core.ways import layout
from tilequad.draw.pillow import draw_fog
from tilequad.nav import BLOCKED, Fog, Grid, Viewer, _viewers

each_kind = pytest.mark.parametrize("kind", KINDS)
TICKS = 60  # of each game; `python -m tests.fog_game` plays longer ones


def open_fog(columns: int = 9, rows: int = 9, teams: int = 2, **options) -> Fog:
    return Fog(Grid(np.ones((rows, columns), bool), cell_size=10), teams, **options)


# -- the twin ---


@each_kind
def test_a_random_game_is_what_a_recount_says(kind, tmp_path):
    game = Game(kind, 5, tmp_path)
    for number in range(TICKS):
        game.tick()
        if number % 20 == 19:
            game.copied(by_pickle=number % 40 == 19)


def test_a_difference_ends_the_game(tmp_path, monkeypatch):
    game = Game("orthogonal", 5, tmp_path)
    monkeypatch.setattr(Sight, "sees", lambda *_: True)

    def play_on() -> None:
        for _ in range(TICKS):
            game.tick()

    with pytest.raises(AssertionError):
        play_on()


@each_kind
@pytest.mark.parametrize("share", [0.03, 0.15, 0.4])
def test_a_field_of_view_is_what_single_lines_say(kind, share, tmp_path):
    rng = Random(f"{kind} {share}")
    walls = caves(rng, share, (23, 21))
    grid = grid_of(kind, walls, tmp_path)
    sight, fog = Sight(kind, grid), Fog(grid)
    for reach in ((150.0, None), (None, 8)):
        cell = rng.randrange(len(grid))
        expected = [other for other in sight.circle(cell, *reach) if sight.sees(walls, cell, other)]
        [xy] = grid.center_many([cell])
        assert fog.field_of_view(*xy, reach[0], radius_in_cells=reach[1]).tolist() == expected


@each_kind
@pytest.mark.parametrize("over_walls", [False, True])
def test_many_fields_of_view_are_those_of_each_point(kind, over_walls, tmp_path):
    grid = grid_of(kind, caves(Random(kind), 0.15, (23, 21)), tmp_path)
    fog, size = Fog(grid), np.array(grid.bounds).reshape(2, 2)
    xy = np.random.default_rng(3).uniform(size[0] - 20, size[1] + 20, (40, 2))
    for reach in ({"radius": 90.0}, {"radius_in_cells": 5}):
        offsets, cells = fog.field_of_view_many(xy, **reach, over_walls=over_walls)
        expected = [fog.field_of_view(*place, **reach, over_walls=over_walls) for place in xy]
        assert offsets.tolist() == np.cumsum([0, *map(len, expected)]).tolist()
        assert cells.tolist() == np.concatenate(expected).tolist()
        assert len(cells) > 100
    offsets, cells = fog.field_of_view_many(np.empty((0, 2)), 10)
    assert (offsets.tolist(), cells.tolist()) == ([0], [])


@each_kind
@pytest.mark.parametrize("reach", [(70.0, None), (None, 6.5), (None, 1000)])
def test_two_open_cells_see_each_other_or_neither_does(kind, reach, tmp_path):
    walls = caves(Random(f"{kind} {reach}"), 0.25, (24, 20))
    grid = grid_of(kind, walls, tmp_path)
    fog = Fog(grid)
    sees = np.zeros((len(grid), len(grid)), bool)
    for cell, (x, y) in enumerate(grid.center_many(np.arange(len(grid)))):
        sees[cell, fog.field_of_view(x, y, reach[0], radius_in_cells=reach[1])] = True
    free = np.flatnonzero(~walls.ravel())
    among = sees[np.ix_(free, free)]

    assert (among == among.T).all()
    assert among.sum() > 3 * len(free)
    assert not among.all()


@pytest.mark.parametrize(
    ("walls", "free"), [([1], True), ([2 * 7 + 3], True), ([1, 2 * 7 + 3], False)]
)
def test_sight_that_is_pinched_is_free_in_neither_direction(walls, free):
    """Two walls touch the line between opposite corners, one from each side."""
    grid = Grid(np.ones((4, 7), bool), y_up=False)
    grid.block(walls)
    corners = 0, len(grid) - 1
    for one, other in (corners, corners[::-1]):
        seen = Fog(grid).field_of_view(*grid.center_many([one])[0], radius_in_cells=9)
        assert (other in seen) == free


@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (300, 1), (3, 200), (200, 3)])
@each_kind
def test_a_radius_may_reach_beyond_a_narrow_map(kind, shape, tmp_path):
    grid = grid_of(kind, np.zeros(shape, bool), tmp_path)
    fog = Fog(grid)
    x, y = grid.center_many([len(grid) // 2])[0]
    for over_walls in (False, True):
        for reach in ((1e9, None), (None, 5e5)):
            found = fog.field_of_view(
                x, y, reach[0], radius_in_cells=reach[1], over_walls=over_walls
            )
            assert len(found) == len(grid)
    assert fog.field_of_view(x, y, 0).tolist() == [len(grid) // 2]


def test_a_viewer_that_sees_the_whole_map_takes_no_room_for_a_circle():
    fog = open_fog(1000, 1000)
    fog.state_at(0, 0, 0)  # makes what is made once
    with at_most(3_000_000):
        fog.add(500, 500, 1e6, over_walls=True)
    assert fog.visible(0).all()


@pytest.mark.parametrize("size", [1e-140, 1e-90, 1.0, 1e90, 1e140])
def test_cells_of_any_size_make_equal_circles(size):
    fog = Fog(Grid(np.ones((9, 9), bool), cell_size=size))
    assert len(fog.field_of_view(4.5 * size, 4.5 * size, 1.5 * size)) == 9
    assert len(fog.field_of_view(4.5 * size, 4.5 * size, 3 * size)) == 29


def answers() -> list[list[str]]:
    """Digests of what teams know in random games."""
    return [play(kind, 30) for kind in KINDS]


def play(kind: str, ticks: int) -> list[str]:
    found = []
    with TemporaryDirectory() as folder:
        game = Game(kind, 11, Path(folder))
        for _ in range(ticks):
            game.tick()
            known = [game.fog.states(team).tobytes() for team in range(Game.TEAMS)]
            known += [game.fog.counts(team).tobytes() for team in range(Game.TEAMS)]
            found.append(sha256(b"".join(known)).hexdigest())
    return found


# -- numbers and copies; the random games have lives, walls and units that are seen ---


@pytest.fixture
def units():
    tree = DynamicQuadtree((0, 0, 90, 90))
    tree.add("scout", 45, 45)
    return tree


def test_a_number_is_used_again(units):
    fog = open_fog(units=units)
    viewers = [fog.follow("scout", 20) for _ in range(20)]
    fog.remove(viewers[3])
    fog.remove(viewers[7])
    again = [fog.add(5, 5, 0), fog.add(5, 5, 0)]

    assert {viewer._number for viewer in again} == {3, 7}
    assert len({viewer._number for viewer in fog}) == 20
    units.remove("scout")
    fog.update()
    assert list(fog) == again
    assert fog.counts()[-1, 0] == 2


def test_a_grid_takes_its_fog_along(again):
    first = open_fog(3, 3)
    first.add(15, 15, 10)
    grid, fog = again((first.grid, first))
    grid.set_costs([3], BLOCKED)

    assert fog.grid is grid
    assert fog.counts().sum() == 5
    assert (fog._store.states & layout.OPAQUE != 0).reshape(2, 3, 3)[:, 1, 0].all()
    assert not (first._store.states & layout.OPAQUE).any()


# -- questions ---


def test_a_viewer_outside_sees_nothing_until_it_comes_in():
    fog = open_fog()
    viewer = fog.add(-1, 5, 30)
    assert not fog.visible().any()
    fog.move(viewer, 5, 5)
    assert fog.visible().sum() == 11
    fog.move(viewer, 5, 1e6)
    assert not fog.visible().any()
    assert fog.explored().sum() == 11
    assert len(fog.field_of_view(-1, 5, 30)) == 0
    assert fog.state_at_many([(5, 5), (-5, 5)]).tolist() == [Fog.EXPLORED, Fog.HIDDEN]
    assert [fog.state_at(5, 5), fog.state_at(-5, 5)] == [Fog.EXPLORED, Fog.HIDDEN]
    assert type(fog.state_at(5, 5)) is type(fog.state_at(-5, 5)) is int


def test_what_is_returned_is_a_copy():
    fog = open_fog()
    fog.add(45, 45, 10)
    for found in (fog.states(), fog.counts(), fog.visible(), fog.explored()):
        found[:] = 0
    assert fog.visible().sum() == fog.explored().sum() == fog.counts().sum() == 5


def test_three_bytes_for_each_cell_and_team():
    fog = open_fog(200, 100, teams=3)
    held = [part for part in vars(fog._store).values() if isinstance(part, np.ndarray)]
    cells = sum(part.nbytes for part in held if part.size >= 20_000)
    assert cells == 3 * 3 * 200 * 100


# -- what is refused ---


@pytest.mark.parametrize(
    ("problem", "verb", "arguments", "options", "words"),
    [
        (ValueError, "add", (5, 5, -1), {}, "radius must be finite and at least 0"),
        (ValueError, "add", (5, 5, float("nan")), {}, "radius must be finite and at least 0"),
        (ValueError, "add", (5, 5, float("inf")), {}, "radius must be finite and at least 0"),
        (
            ValueError,
            "add",
            (5, 5),
            {"radius_in_cells": -2},
            "radius_in_cells must be finite and at least 0",
        ),
        (TypeError, "add", (5, 5), {}, "either radius or radius_in_cells"),
        (TypeError, "add", (5, 5, 3), {"radius_in_cells": 2}, "either radius or radius_in_cells"),
        (ValueError, "add", (5, 5, 3, 2), {}, "team must be from 0 to 1, got 2"),
        (ValueError, "add", (5, 5, 3, -1), {}, "team must be from 0 to 1, got -1"),
        (TypeError, "add", (5, 5, 3, 0.5), {}, "team must be a whole number"),
        (ValueError, "add", (5, float("nan"), 3), {}, "x and y must be finite"),
        (TypeError, "add", ("scout", 80, 1), {}, r"^x and y .* got 'scout' and 80; Fog\.follow"),
        (KeyError, "follow", ("nobody", 3), {}, "nobody"),
        (KeyError, "follow", ((5, 5), 3), {}, "5, 5"),
        (TypeError, "follow", ([5, 5], 3), {}, "hashable"),
        (ValueError, "follow", ("scout", -1), {}, "radius must be finite and at least 0"),
        (TypeError, "follow", ("scout",), {}, "either radius or radius_in_cells"),
        (ValueError, "follow", ("scout", 3, 2), {}, "team must be from 0 to 1, got 2"),
    ],
)
def test_a_viewer_that_cannot_be(problem, verb, arguments, options, words, units):
    fog = open_fog(units=units)
    with pytest.raises(problem, match=words):
        getattr(fog, verb)(*arguments, **options)
    assert len(fog) == 0
    assert not fog.explored().any()


def test_a_place_is_never_taken_for_a_unit():
    units = DynamicQuadtree((0, 0, 90, 90))
    units.add((5, 5), 85, 85)
    fog = open_fog(units=units)
    place, unit = fog.add(5, 5, 0), fog.follow((5, 5), 0)
    assert (place.item, place.position, unit.item, unit.position) == (None, (5, 5), (5, 5), None)
    assert (fog.state_at(5, 5), fog.state_at(85, 85)) == (Fog.VISIBLE, Fog.VISIBLE)


def test_viewers_tell_of_themselves_and_only_the_fog_changes_them(units):
    fog = open_fog(units=units)
    viewer = fog.follow("scout", 20, 1, over_walls=True)
    tower = fog.add(5, 6, radius_in_cells=2)
    names = ("item", "position", "team", "radius", "radius_in_cells", "over_walls")
    assert [getattr(viewer, name) for name in names] == ["scout", None, 1, 20, None, True]
    assert [getattr(tower, name) for name in names] == [None, (5, 6), 0, None, 2, False]
    for name in names:
        with pytest.raises(AttributeError):
            setattr(viewer, name, 7)
    fog.resize(viewer, radius_in_cells=1)
    fog.set_team(viewer, 0)
    fog.move(tower, 15, 16)
    assert [getattr(viewer, name) for name in names] == ["scout", None, 0, None, 1, True]
    assert tower.position == (15, 16)
    with pytest.raises(TypeError, match=r"made by Fog.add and Fog.follow"):
        Viewer()


def test_a_change_that_fails_changes_nothing(units):
    fog = open_fog(units=units)
    viewer, tower = fog.follow("scout", 20), fog.add(5, 5, radius_in_cells=2, team=1)
    before = fog.counts(0), fog.counts(1)
    for change, problem in (
        (lambda: fog.resize(viewer, -1), ValueError),
        (lambda: fog.resize(viewer), TypeError),
        (lambda: fog.set_team(viewer, 2), ValueError),
        (lambda: fog.move(viewer, 5, 5), ValueError),
        (lambda: fog.move(tower, 5, float("inf")), ValueError),
        (lambda: fog.set_explored(np.ones((3, 3), bool)), ValueError),
        (lambda: fog.set_explored(np.ones((9, 9))), TypeError),
        (lambda: fog.states(2), ValueError),
        (lambda: fog.seen_units(0, groups=0), ValueError),
        (lambda: fog.seen_units(0, without=-1), ValueError),
        (lambda: fog.seen_units(0, groups=1.5), TypeError),
        (lambda: fog.field_of_view(0, float("nan"), 3), ValueError),
    ):
        with pytest.raises(problem):
            change()
    assert (fog.counts(0) == before[0]).all()
    assert (fog.counts(1) == before[1]).all()
    assert (viewer.radius, viewer.team, tower.position) == (20, 0, (5, 5))


def test_fogs_that_cannot_be():
    with pytest.raises(ValueError, match="teams must be at least 1, got 0"):
        open_fog(teams=0)
    with pytest.raises(TypeError, match="teams must be a whole number"):
        open_fog(teams=1.5)
    with pytest.raises(ValueError, match="units must be given"):
        open_fog().seen_units()
    with pytest.raises(ValueError, match="units must be given"):
        open_fog().follow("scout", 1)
    stranger = open_fog().add(5, 5, 1)
    for change in (open_fog().remove, lambda viewer: open_fog().move(viewer, 1, 1)):
        with pytest.raises(KeyError, match="viewer must be of this fog and not have ended, got <V"):
            change(stranger)


def test_a_team_has_only_so_many_viewers(monkeypatch):
    monkeypatch.setattr(_viewers, "MOST_VIEWERS", 2)
    crowd = open_fog()
    viewers = [crowd.add(5, 5, 10) for _ in range(2)]
    other = crowd.add(5, 5, 10, 1)
    with pytest.raises(ValueError, match="team 0 must have at most 2 viewers"):
        crowd.add(5, 5, 10)
    with pytest.raises(ValueError, match="team 0 must have at most 2 viewers"):
        crowd.set_team(other, 0)
    crowd.remove(viewers[0])
    crowd.set_team(other, 0)
    assert crowd.counts(0).max() == 2


def test_a_radius_that_overflows_is_refused():
    fog = Fog(Grid(np.ones((1, 20_000), bool)))
    with pytest.raises(ValueError, match="a radius must be less than 16383 cells"):
        fog.add(0.5, 0.5, radius_in_cells=17_000)
    assert fog.add(0.5, 0.5, radius_in_cells=16_000) in fog
    assert fog.visible().sum() == 16_001


# -- pictures ---


def test_the_revision_counts_what_changes():
    units = DynamicQuadtree((0, 0, 100, 100))
    units.add("scout", 5, 5)
    fog = open_fog(units=units)
    seen = [fog.revision]
    viewer = fog.follow("scout", 20)
    seen.append(fog.revision)
    fog.resize(viewer, 30)
    seen.append(fog.revision)
    fog.set_team(viewer, 1)
    seen.append(fog.revision)
    units.move("scout", 25, 5)
    fog.update()
    seen.append(fog.revision)
    fog.set_explored(np.array(True))
    seen.append(fog.revision)
    fog.grid.block([3])
    seen.append(fog.revision)
    fog.remove(viewer)
    seen.append(fog.revision)
    assert len(set(seen)) == len(seen)
    assert seen == sorted(seen)
    last = fog.follow("scout", 20), fog.revision
    units.move("scout", 26, 5)
    fog.update()  # inside of a cell
    assert fog.revision == last[1]


@pytest.mark.parametrize("y_up", [True, False])
def test_a_picture_is_dark_where_the_fog_is(y_up):
    fog = Fog(Grid(np.ones((2, 4), bool), cell_size=10, y_up=y_up))
    fog.set_explored(np.array([[True, True, False, False], [False] * 4]))
    fog.add(5, 15 if y_up else 5, 0)
    white = Image.new("RGB", (8, 4), "white")
    seen = np.asarray(draw_fog(white, fog, (0, 0, 40, 20), soft=0, y_up=y_up))[..., 0]
    rows = [[255, 255, 105, 105, 0, 0, 0, 0], [0] * 8]

    assert seen[::2].tolist() == rows
    soft = np.asarray(draw_fog(white, fog, (0, 0, 40, 20), y_up=y_up))[..., 0]
    assert len(np.unique(soft)) > 3
    with pytest.raises(ValueError, match="soft must be from 0 to 1"):
        draw_fog(white, fog, (0, 0, 40, 20), soft=-1)
