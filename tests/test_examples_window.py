"""The game as the player sees it: what keys, buttons and mouse do, with and without a window."""

import zlib
from dataclasses import replace
from errno import ENOSPC
from math import dist, inf
from pathlib import Path

import numpy as np
import pytest

from frontier_game.advice import advice, guards
from frontier_game.campaign import CAMPAIGN
from frontier_game.minimap import DOT, ENEMY_DOT, SIDE, TOWER_DOT, VILLAGER_DOT, Minimap
from frontier_game.play import Match
from frontier_game.session import SAVE_NAME, Session
from frontier_game.settings import Wave
from frontier_game.stress import Stress
from tests.programs import EXAMPLES, ROOT, run

pytestmark = pytest.mark.slow
QUICK = replace(
    CAMPAIGN,
    waves=(Wave((("goblin", 3),), (0,), pause=1.0, every=0.5),),
    approach=500.0,
    first_stock=(900, 900, 900),
)


@pytest.fixture
def session(frontier, tmp_path):
    return begun(frontier, tmp_path)


def begun(frontier, folder, settings=QUICK):
    """A session that has begun, and skips no tick, however slow the machine is."""
    session = Session(frontier, 1, settings, folder)
    session.tick_budget = inf
    session.do("start")
    return session


def site(session):
    """A place of the map where a tower can be built."""
    game = session.game
    sites = sorted(game.land.sites, key=lambda place: dist(place, game.land.gate))
    return next(place for place in sites if game.can_build("archers", place) is None)


def play(session, ticks):
    for _ in range(ticks):
        session.play(1 / 60)


# -- without a window --


def test_a_session_plays_the_same_game_as_without_a_player(session, frontier):
    play(session, 300)
    match = Match(frontier, 1, QUICK)
    while match.game.ticks < session.game.ticks:
        match.tick()

    assert session.game.ticks > 290
    assert session.game.digest() == match.game.digest()


def test_the_leaves_of_the_quadtree_on_show_change_and_the_game_does_not(session):
    play(session, 30)
    digest, nodes = session.game.digest(), session.shown_nodes()
    assert len(nodes) == len(session.game.units.nodes())

    leaves = {}
    for _ in range(3):
        session.do("leaves smaller")
        assert session.message.endswith(f"at most {session.leaf_size} units in a leaf")
        leaves[session.leaf_size] = session.shown_nodes()
    assert list(leaves) == [24, 12, 6]
    assert session.shows["trees"]
    for size, shown in leaves.items():
        assert shown["count"][0] == len(session.game.units)
        assert shown["count"][shown["leaf"]].max() <= size
    assert len(nodes) < len(leaves[24]) < len(leaves[12]) < len(leaves[6])

    for _ in range(20):
        session.do("leaves larger")
    assert session.leaf_size == 1024
    for _ in range(20):
        session.do("leaves smaller")
    assert session.leaf_size == 1
    assert session.game.digest() == digest
    assert session.game.units.leaf_size == 48


def test_the_speed_decides_how_many_ticks_are_played(session):
    session.do("pause")
    play(session, 10)
    assert session.game.ticks == 0
    session.do("speed 3")
    play(session, 10)
    assert session.game.ticks == 30
    session.do("faster")
    session.do("faster")
    assert session.speed == 4
    session.do("slower")
    assert session.speed == 3


def test_what_is_in_hand_is_built_once_unless_shift_keeps_it(session):
    session.do("kind archers")
    session.press(site(session))
    assert (len(session.game.garrison.towers), session.kind) == (1, None)
    session.do("kind archers")
    session.press(site(session), keep=True)
    assert (len(session.game.garrison.towers), session.kind) == (2, "archers")
    session.press((10.0, 10.0))
    assert session.message == "nobody has seen this place"
    session.do("cancel")
    assert session.kind is None


def test_what_costs_too_much_is_not_taken_in_hand(session):
    session.game.stock = {"wood": 20, "stone": 0, "gold": 0}
    session.do("kind mortar")

    assert session.kind is None
    assert session.message == (
        "mortar: 40 wood, 60 stone and 40 gold short; "
        "villagers fetch stone: V chooses all, a box some, then X"
    )
    assert session.short == {"wood", "stone", "gold"}
    session.do("kind archers")
    session.game.stock = {"wood": 200, "stone": 0, "gold": 0}
    session.do("kind archers")
    assert session.short == {"stone"}
    session.tell("well done")
    assert not session.short


def test_a_tower_that_is_clicked_changes_its_policy_and_is_sold(session):
    session.do("kind fire")
    session.press(site(session))
    (tower,) = session.game.garrison.towers
    session.press((tower.x, tower.y + 30))

    assert session.selected == [tower]
    session.do("policy")
    assert tower.policy == "last"
    session.do("sell")
    assert (session.game.garrison.towers, session.selected) == ([], [])


def test_a_box_chooses_villagers_before_towers(session):
    session.do("kind fire")
    session.press(site(session))
    session.select_box(tuple(session.tile_map.bounds))
    assert len(session.selected) == len(session.game.village.villagers) > 0
    session.do("trade gold")
    assert {one.trade for one in session.game.village.villagers} == {"gold"}

    (tower,) = session.game.garrison.towers
    box = (tower.x - 5, tower.y - 5, tower.x + 5, tower.y + 5)
    session.select_box(box)
    assert session.selected == [tower]

    villager = session.game.village.villagers[0]
    session.game.units.move(villager, tower.x, tower.y)
    session.select_box(box)
    assert session.selected == [villager]


def test_who_hides_in_a_building_is_in_nobody_s_way(session):
    session.do("kind fire")
    session.press(site(session))
    (tower,) = session.game.garrison.towers
    villager = session.game.village.villagers[0]
    session.game.units.move(villager, tower.x, tower.y)
    villager.state = "hiding"

    session.select_box((tower.x - 5, tower.y - 5, tower.x + 5, tower.y + 5))
    assert session.selected == [tower]
    session.press((tower.x, tower.y + 10))
    assert session.selected == [tower]


def test_a_session_is_won_and_played_again(session):
    for _ in range(3):
        session.do("kind archers")
        session.press(site(session))
    session.do("wave")
    play(session, 3000)

    assert session.screen == "won"
    seed = session.seed
    session.do("start")
    assert (session.screen, session.seed, session.game.ticks) == ("play", seed + 1, 0)
    assert session.message == ""


def test_a_session_is_lost(frontier, tmp_path):
    session = begun(frontier, tmp_path, replace(QUICK, lives=1))
    play(session, 2400)

    assert session.screen == "lost"
    assert advice(session.game) == "The wave came from the east, and no tower stood by that road."


def test_who_has_lost_is_told_what_was_missing(session):
    game = session.game
    game.waves.number = 1
    game.build("archers", site(session))
    assert guards(game, 0)
    game.stock = {"wood": 300, "stone": 9, "gold": 0}
    assert advice(game).startswith("300 wood lay unused, and gold was short")
    game.stock = {"wood": 9, "stone": 9, "gold": 9}
    assert advice(game).startswith("More villagers")


def test_the_side_of_the_next_wave_is_told_before_it_walks(session):
    game = session.game
    told = []
    while game.waves.number < 1 or game.waves.roads:
        told.append((game.waves.number, game.waves.roads, len(game.horde)))
        game.tick()

    assert told[0] == (0, (0,), 0)
    assert told[-1] == (1, (0,), 2)
    assert game.waves.roads == ()


def test_a_tower_on_ringed_stones_reaches_farther(session):
    game, (x, y) = session.game, site(session)
    beside = next(
        place
        for step in range(3, 30)
        for place in ((x + 32 * step, y), (x, y + 32 * step), (x, y - 32 * step))
        if game.can_build("archers", place) is None
        and not game.construction.is_high(game.construction.box("archers", place))
    )

    assert game.build("archers", (x, y)).range == pytest.approx(1.2 * 230)
    assert game.build("archers", beside).range == 230


def test_a_session_saves_and_loads(session):
    play(session, 100)
    session.do("save")
    assert SAVE_NAME in session.message
    digest = session.game.digest()
    play(session, 100)
    session.do("load")
    assert session.game.digest() == digest

    other_version = zlib.compress(b"cfrontier_game.knights\nKnight\n.")
    for wrong in (b"no game", other_version):
        session.saved_game.write_bytes(wrong)
        session.do("load")
        assert "is not a saved game" in session.message
        assert session.game.digest() == digest


def test_a_disk_that_is_full_takes_no_saved_game_away(session, monkeypatch):
    session.do("save")
    saved = session.saved_game.read_bytes()

    def write(path, content):
        with path.open("wb") as file:
            file.write(content[:9])
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write)
    session.do("save")
    assert session.message == f"{session.saved_game}: No space left on device"
    assert session.saved_game.read_bytes() == saved
    assert list(session.folder.iterdir()) == [session.saved_game]


def test_help_goes_back_to_where_it_was_asked_for(session):
    session.do("help")
    ticks = session.game.ticks
    play(session, 5)
    assert (session.screen, session.game.ticks) == ("help", ticks)
    session.do("cancel")
    assert session.screen == "play"


def test_a_player_s_game_waits_at_the_title_and_one_that_nobody_plays_goes_on(session, frontier):
    play(session, 5)
    session.do("cancel")
    play(session, 5)
    assert (session.screen, session.game.ticks) == ("title", 5)
    session.do("back")
    play(session, 5)
    assert (session.screen, session.game.ticks) == ("play", 10)

    shown = Session(frontier, 1, QUICK)
    play(shown, 5)
    assert (shown.screen, shown.game.ticks) == ("title", 5)


def test_the_stress_test_keeps_its_number_of_enemies(frontier):
    stress = Stress(frontier, 1)
    for wanted in (1000, 3000, 1000):
        stress.wanted = wanted
        for tick in range(5):
            stress.tick(tick / 60)
        assert abs(len(stress.game.horde) - wanted) <= wanted // 20 + 1
    stress.game.units.check()


def test_of_a_large_horde_as_many_have_their_turn_in_a_tick_as_of_a_smaller_one(frontier):
    stress = Stress(frontier, 3)
    for stress.wanted, every in ((5_000, 3), (20_000, 3), (50_000, 8)):
        stress.tick(0.0)
        horde = stress.game.horde
        assert horde.every == every
        turns = [horde.crowd(tick) for tick in range(every)]
        assert sorted(np.concatenate(turns).tolist()) == sorted(horde.slots().tolist())
        assert max(map(len, turns)) < 1.3 * len(horde) / every


def test_the_bars_of_the_minimap_cover_the_squares_of_the_units(frontier):
    stress, minimap = Stress(frontier, 3), Minimap(frontier)
    for stress.wanted in (1_000, 20_000):
        stress.tick(0.0)
        game = stress.game
        shown, expected = np.zeros((2, SIDE, SIDE, 3), np.uint8)
        kinds = (
            (game.village.villagers, VILLAGER_DOT),
            (list(game.horde), ENEMY_DOT),
            (game.garrison.towers, TOWER_DOT),
        )
        for units, color in kinds:
            xy = minimap.project(game.units.position_many(game.units.slots(units)))
            for x, y in (xy // DOT * DOT).clip(0, SIDE - DOT).astype(int).tolist():
                expected[x : x + DOT, y : y + DOT] = color
        middles, sizes, colors = minimap.dots(game)
        corners = np.concatenate((middles - sizes / 2, middles + sizes / 2), 1).astype(int)
        for (left, low, right, high), color in zip(corners.tolist(), colors, strict=True):
            shown[left:right, low:high] = color[:3]
        assert (shown == expected).all()


def test_brute_force_answers_as_much_as_its_budget_allows(frontier):
    stress = Stress(frontier, 1)
    other = Stress(frontier, 1)
    stress.game.queries.brute_force, stress.game.queries.budget = True, 0.002
    for tick in range(30):
        stress.tick(tick / 60)
        other.tick(tick / 60)

    assert stress.game.digest() == other.game.digest()
    assert stress.recent(by_loops=True) > 0
    assert other.recent(by_loops=True) is None
    looped = [row for row in stress.history if row[1]]
    assert 0 < len(looped) <= len(stress.history)


# -- in a window without a screen --

SCRIPT = """
from pathlib import Path
import arcade
from arcade import key
from frontier_game.hud import Hud
from frontier_game.scene import Scene
from frontier_game.session import Session
from frontier_game.window import Window
from tests.programs import MAP
from tests.test_examples_window import QUICK, site
from tilequad import load_map

frontier = load_map(MAP)
session = Session(frontier, 1, QUICK, Path.cwd())
window = Window((1280, 720))
scene = Scene(frontier, session.game)
window.stage(scene, Hud(session.game, scene), session)

def frame():
    window.on_update(1 / 60)
    window.on_draw()
    window.on_refresh(1 / 60)
    for (name, size), written in window.pen._texts.items():  # no text leaves its box
        if written._shown is not None:
            assert 0 <= written.label.left and written.label.right <= 1280, name
            for button in window.buttons:
                if name == f"button {button.name}":
                    assert written.width <= button.box[2] - 4, name

def at(place):
    x, y = window.camera.camera.project(place)
    return int(x), int(y)

def click(x, y):
    window.on_mouse_motion(x, y, 0, 0)
    frame()
    window.on_mouse_press(x, y, arcade.MOUSE_BUTTON_LEFT, 0)
    window.on_mouse_release(x, y, arcade.MOUSE_BUTTON_LEFT, 0)
    frame()

def press(name):
    (button,) = (one for one in window.buttons if one.name == name)
    left, low, width, height = button.box
    click(int(left + width / 2), int(low + height / 2))

frame()
press("help"); assert session.screen == "help"
press("help"); assert session.screen == "title"
press("start"); assert session.screen == "play"
window.on_key_press(key.KEY_1, 0)
place = next(p for p in session.game.land.sites if session.game.can_build("archers", p) is None
             and 100 < at(p)[0] < 1000 and 150 < at(p)[1] < 600)
window.on_mouse_motion(*at(place), 0, 0)
frame()
click(*at(place))
(tower,) = session.game.garrison.towers
click(*at((tower.x, tower.y + 30)))
assert session.selected == [tower]
press("policy"); assert tower.policy == "last"
press("sell"); assert not session.game.garrison.towers
press("kind wall"); assert session.kind == "wall"
window.on_key_press(key.ESCAPE, 0); assert session.kind is None
window.on_mouse_press(100, 620, arcade.MOUSE_BUTTON_LEFT, 0)
window.on_mouse_drag(1000, 200, 900, -420, arcade.MOUSE_BUTTON_LEFT, 0)
frame()
window.on_mouse_release(1000, 200, arcade.MOUSE_BUTTON_LEFT, 0)
frame()
assert session.selected and all(hasattr(one, "trade") for one in session.selected)
land = frontier.bounds
for step in range(60):
    window.on_mouse_scroll(10, 10, 0, -1 if step < 40 else 1)
    window.on_mouse_drag(0, 0, 400 if step % 20 < 10 else -900, 700, arcade.MOUSE_BUTTON_RIGHT, 0)
    view = window.camera.view
    assert view.min_x >= land.min_x - 1 and view.min_y >= land.min_y - 1, view
    assert view.max_x <= land.max_x + 1 and view.max_y <= land.max_y + 1, view
frame()
window.on_mouse_press(1200, 60, arcade.MOUSE_BUTTON_LEFT, 0)  # the minimap
for symbol in (key.R, key.F, key.Q, key.SPACE, key.V, key.T, key.N):
    window.on_key_press(symbol, 0)
    frame()
window.on_key_press(key.F2, 0)
window.on_key_press(key.B, 0)
frame()
press("enemies 5000"); press("brute trees"); press("stress"); assert session.screen == "title"
for screen in ("won", "lost"):
    session.screen = screen
    frame()
print("played", session.game.ticks)
"""


@pytest.mark.gl
def test_the_window_is_played_with_keys_and_mouse(tmp_path):
    done = run("-c", SCRIPT, folder=tmp_path, paths=(EXAMPLES, ROOT))

    assert done.returncode == 0, done.stderr
    assert "played" in done.stdout
