"""The game that a player plays: what can be built, waves to the end, saved in the middle."""

from __future__ import annotations

from dataclasses import replace
from math import hypot

import numpy as np
import pytest

from frontier_game.campaign import CAMPAIGN
from frontier_game.play import Match
from frontier_game.settings import Wave
from frontier_game.units import ENEMY, MINE, TREE
from frontier_game.villagers import THINK_EVERY
from tests.programs import MAP
from tilequad import load_map
from tilequad.nav import Fog

pytestmark = pytest.mark.slow
QUICK = replace(
    CAMPAIGN,
    waves=(
        Wave((("goblin", 5),), (0,), pause=2.0, every=0.5),
        Wave((("goblin", 4), ("orc", 2)), (0, 1), pause=2.0, every=0.5),
    ),
    first_stock=(2000, 2000, 2000),
    approach=620.0,
    lives=4,
)


@pytest.fixture
def game(frontier):
    return Match(frontier, 1, QUICK).game


def near_road(game, distance, offset):
    """A place beside the first road, this far before the gate."""
    road = game.land.roads[0]
    return road.at(road.length - distance, offset)


def places_along(game):
    """Places beside the first road where a tower can be built, from the gate outwards."""
    for distance in range(130, 600, 10):
        for offset in (60.0, -60.0, 90.0, -90.0, 130.0, -130.0):
            place = near_road(game, distance, offset)
            if game.can_build("archers", place) is None:
                yield place


def play_as_a_player(match, until=None):
    """Play on, with the deeds of one player at fixed ticks; stop at a tick, or at the end."""
    game = match.game
    while not match.is_over and game.ticks != until:
        if game.ticks == 10:
            for kind in ("archers", "fire", "frost", "mortar", "archers", "fire"):
                game.build(kind, next(places_along(game)))
        if game.ticks == 60:
            game.garrison.towers[0].policy = "closest"
            game.train()
        if game.ticks == 200:
            wall_off(game)
        if game.ticks == 400:
            game.sell(game.garrison.towers[-1])
        match.tick()


def wall_off(game):
    """Build walls across the first road, as far as it can be done."""
    for offset in range(-96, 97, 32):
        place = near_road(game, 400.0, offset)
        if game.can_build("wall", place) is None:
            game.build("wall", place)


# -- what can be built --


def test_what_is_built_stands_shoots_and_is_paid_for(game):
    place = next(places_along(game))
    stock, cells = dict(game.stock), game.ways.grid.blocked.sum()
    tower = game.build("fire", place)

    price = game.settings.price(tower.type)
    assert price == {"wood": 80, "stone": 30, "gold": 10}
    assert game.stock == {name: stock[name] - price[name] for name in stock}
    assert tower in game.units
    assert hypot(tower.x - place[0], tower.y - place[1]) < 46
    assert game.ways.grid.blocked.sum() == cells + 1


def test_a_building_that_is_sold_brings_half_and_opens_its_ground(game):
    closed = game.ways.grid.blocked
    before = game.digest()
    tower = game.build("archers", next(places_along(game)))
    game.sell(tower)

    assert (game.ways.grid.blocked == closed).all()
    assert game.stock["wood"] == 2000 - 30
    assert tower not in game.units
    assert before != game.digest()
    with pytest.raises(ValueError, match="only what was built can be sold"):
        game.sell(tower)


def test_villagers_are_put_beside_what_is_built_on_them(game):
    place = next(open_places(game, "house"))
    village = game.village.villagers[:5]
    for number, villager in enumerate(village):
        game.units.move(villager, place[0] + 5 * number, place[1] + 20)
    house = game.build("house", place)
    ground = game.construction.box("house", place)

    assert (house.x, house.y) == (ground.center[0], ground.min_y)
    for villager in village:
        x, y = game.units.position(villager)
        assert game.ways.grid.is_open(x, y)
        assert hypot(x - place[0], y - place[1]) < 100


def test_who_is_at_work_already_has_no_way_to_go(game):
    villager = game.village.villagers[0]
    tree = game.units.nearest(game.land.hall.x, game.land.hall.y, groups=TREE)
    game.units.move(villager, tree.x + 17, tree.y - 2)
    game.village._set_out([(villager, tree)], "going")
    game.tick()

    assert villager.state == "working"


def test_a_building_shuts_a_road_and_opens_it_again(game):
    wall_off(game)
    assert game.ways.cut == [True, False]
    for wall in game.houses.copy():
        game.sell(wall)
    assert game.ways.cut == [False, False]


def refusals(game):
    """A place for each reason."""
    tree = next(t for t in game.land.trees if game.fog.state_at(t.x, t.y))
    water = next(
        (x, y)
        for x in range(3800, 5200, 32)
        for y in range(3900, 4600, 32)
        if not game.ways.grid.is_open(x, y) and game.fog.state_at(x, y)
    )
    return {
        "outside the map": (-5.0, 100.0),
        "a tree stands there": (tree.x, tree.y),
        "water, or something stands there": water,
        "nobody has seen this place": (500.0, 7600.0),
        "too close to the gate": (game.land.gate[0], game.land.gate[1] - 50),
    }


def test_the_ground_must_allow_a_building(game):
    for reason, place in refusals(game).items():
        digest, stock = game.digest(), dict(game.stock)
        assert game.can_build("archers", place) == reason
        with pytest.raises(ValueError, match=reason):
            game.build("archers", place)
        assert (game.digest(), game.stock) == (digest, stock)


def test_towers_keep_their_distance_but_walls_do_not(game):
    tower = game.build("archers", next(places_along(game)))
    beside = next(
        place
        for place in ((tower.x + dx, tower.y + dy) for dx in (-32, 0, 32) for dy in (-32, 0, 32))
        if game.can_build("wall", place) is None
    )

    assert game.can_build("archers", beside) == "too close to another tower"


def test_nothing_is_built_on_an_enemy_nor_where_they_appear(game):
    place = next(places_along(game))
    game.horde.spawn([0.0])
    (enemy,) = game.horde
    game.units.move(enemy, *place)

    assert game.can_build("archers", place) == "an enemy stands there"
    road = game.land.roads[0]
    entry = road.at(game.horde.entry(0) - game.horde.length + road.length)
    game.fog.set_explored(True)
    assert game.can_build("wall", entry) == "too close to where the enemies appear"


def test_what_the_stock_does_not_cover_is_refused(game):
    place = next(places_along(game))
    game.stock = {"wood": 50, "stone": 40, "gold": 100}

    assert game.can_build("mortar", place) == "10 wood and 20 stone short"
    assert game.can_build("wall", place) is None


def test_an_unknown_kind_is_an_error_that_names_all(game):
    with pytest.raises(KeyError, match="archers, fire, frost, mortar, house, lumber_camp, wall"):
        game.can_build("castle", (0, 0))


def test_villagers_are_trained_up_to_the_beds(frontier):
    game = Match(frontier, 1, replace(QUICK, beds=2)).game
    count = len(game.village.villagers)
    while not game.can_train():
        game.train()

    assert game.can_train() == "no bed is free: build a house"
    assert len(game.village.villagers) > count
    game.build("house", next(p for p in open_places(game, "house")))
    assert game.can_train() is None
    game.stock["wood"] = 0
    with pytest.raises(ValueError, match="short"):
        game.train()


def open_places(game, kind):
    x, y = game.land.gate
    for row in range(-16, 17):
        for column in range(-16, 17):
            place = x + 32 * column, y + 32 * row
            if game.can_build(kind, place) is None:
                yield place


def test_the_last_way_cannot_be_shut(game):
    """Walls in a ring around the gate: one gap stays."""
    game.stock = dict.fromkeys(game.stock, 100_000)
    game.fog.set_explored(True)
    x, y = (32 * (int(v) // 32) + 16 for v in game.land.gate)
    ring = [(x + 32 * c, y + 32 * r) for r in range(-7, 8) for c in range(-9, 10)
            if abs(r) == 7 or abs(c) == 9]  # fmt: skip
    reasons = []
    for place in ring:
        reasons.append(game.can_build("wall", place))
        if reasons[-1] is None:
            game.build("wall", place)
        elif reasons[-1] == "a tree stands there":
            cell = game.ways.grid.cell_at(*place)
            game.ways.grid.block([cell])  # as if it could not be walked through
            if not game.ways.lead_to_gate:
                game.ways.grid.unblock([cell])

    assert game.ways.lead_to_gate
    assert "the village would be shut in" in reasons


# -- the ways --


def test_enemies_find_another_way_when_the_road_is_shut(frontier):
    match = Match(frontier, 2, replace(QUICK, lives=100, fog=False))
    game = match.game
    game.stock = dict.fromkeys(game.stock, 100_000)
    while len(game.horde) < 3:
        match.tick()
    assert not game.ways.cut[0]
    wall_off(game)
    assert game.ways.cut[0]
    walls = game.ways.grid.blocked.ravel()
    while not game.breakthroughs and game.ticks < 3000:
        match.tick()
        xy = game.units.position_many(game.horde.slots())
        assert not walls[game.ways.grid.cell_at_many(xy)].any()
    assert game.breakthroughs > 0


def test_those_on_foot_beside_walls_do_not_step_into_them(game):
    grid, distances = game.ways.grid, game.ways.field.distances
    around = np.lib.stride_tricks.sliding_window_view(grid.blocked, (3, 3))
    cells = np.zeros_like(grid.blocked)
    cells[1:-1, 1:-1] = np.isfinite(distances[1:-1, 1:-1]) & around.any((2, 3))
    random = np.random.default_rng(1)
    chosen = random.choice(np.flatnonzero(cells), 300)
    game.horde.scatter(grid.center_many(chosen) + random.uniform(-15.5, 15.5, (300, 2)))
    closed = grid.blocked.ravel()
    for tick in range(120):
        game.horde.march(tick / 60, tick, 1 / 60)
        xy = game.units.position_many(game.horde.slots())
        assert not closed[grid.cell_at_many(xy)].any()


def test_who_is_slowed_walks_at_half_speed(game):
    game.horde.spawn([3000.0, 3000.0])
    slow = next(iter(game.horde))
    game.horde._speed[game.horde.slots()] = 50.0
    game.horde.slow(slow, until=100.0)
    for tick in range(60):
        game.horde.march(tick / 60, tick, 1 / 60)
    progress = game.horde.progress[game.horde.slots()] - 3000.0

    assert progress.tolist() == pytest.approx([25.0, 50.0])


def test_a_shot_hits_whom_it_touches_first(game):
    tower = game.build("archers", next(places_along(game)))
    game.horde.spawn([0.0, 0.0], types=[game.settings.enemies[2]] * 2)
    near, far = game.horde
    game.units.move(near, tower.x + 150, tower.y)
    game.units.move(far, tower.x + 190, tower.y)
    game.garrison.shots.fire(tower.type, tower.x, tower.y, far, 0.0, 0.0)
    for _ in range(60):
        game.garrison.shots.fly(1 / 60)

    assert (near.health, far.health) == (80 - 9, 80)
    assert not len(game.garrison.shots)


def test_a_villager_who_is_told_to_goes_far_for_gold(game):
    mines = [one for one in game.land.buildings if one.groups == MINE]
    places = game.units.position_many(game.units.slots(game.village.villagers))
    far = [min(hypot(x - one.x, y - one.y) for one in mines) for x, y in places.tolist()]
    villager = game.village.villagers[int(np.argmax(far))]
    game.village.set_trade(villager, "gold")
    for _ in range(3 * 60):
        game.tick()

    assert max(far) > 2000
    assert (villager.trade, villager.state) == ("gold", "going")
    assert villager.goal in mines


def test_a_villager_at_work_who_is_told_to_fetch_something_else_goes_at_once(game):
    while not (at_work := [v for v in game.village.villagers if v.state == "working"]):
        game.tick()
    trade = "gold" if at_work[0].trade == "wood" else "wood"
    game.village.set_trade(at_work[0], trade)
    for _ in range(THINK_EVERY):
        game.tick()

    assert (at_work[0].trade, at_work[0].state) == (trade, "going")


# -- the fog --


def test_villagers_and_towers_lift_the_fog(game):
    game.fog.set_explored(True)
    spot = next(
        place
        for place in (near_road(game, distance, 90.0) for distance in range(300, 1500, 20))
        if game.fog.state_at(*place) == Fog.EXPLORED and game.can_build("archers", place) is None
    )
    game.build("archers", spot)
    assert game.fog.state_at(*spot) == Fog.VISIBLE

    far = 200.0, 8000.0
    assert game.fog.state_at(*far) == Fog.EXPLORED
    game.units.move(game.village.villagers[0], *far)
    game.fog.update()
    assert game.fog.state_at(*far) == Fog.VISIBLE


# -- to the end --


@pytest.fixture(scope="module")
def played(frontier):
    """A player's game at its end; tests only look at it."""
    match = Match(frontier, 1, QUICK)
    play_as_a_player(match)
    return match


def test_the_village_wins_when_all_waves_are_beaten(played):
    result = played.result()

    assert (result.winner, result.waves, result.towers) == ("village", 2, 5)
    assert result.slain + result.broke_through == 11
    assert played.game.is_won


def test_the_horde_wins_where_nothing_is_built(frontier):
    match = Match(frontier, 1, QUICK)
    while not match.is_over:
        match.tick()

    assert match.result().winner == "horde"
    assert match.result().broke_through == 4
    assert not match.game.is_won


def test_a_wave_can_be_called(frontier):
    game = Match(frontier, 1, QUICK).game
    game.call_wave()
    game.tick()

    assert (game.waves.number, game.waves.is_pause) == (1, False)


def test_a_player_s_game_saved_in_the_middle_ends_the_same(frontier, played):
    match = Match(frontier, 1, QUICK)
    for tick in (30, 300, 700):
        play_as_a_player(match, until=tick)
        again = Match.resume(match.save())
        play_as_a_player(again)
        assert again.result() == played.result()
        assert again.game.digest() == played.game.digest()


def test_brute_force_plays_a_player_s_game_as_the_tree_does(frontier):
    games = []
    for budget in (None, 1e9, 1e-4):
        match = Match(frontier, 1, QUICK)
        if budget is not None:
            match.game.queries.brute_force = True
            match.game.queries.budget = budget
        play_as_a_player(match, until=600)
        games.append(match.game)

    assert len({game.digest() for game in games}) == 1
    for game in games:
        game.units.check()


def answers() -> list:
    """The digests of the start of a player's game, and what stands then."""
    match = Match(load_map(MAP), 1, QUICK)
    found = []
    for tick in range(20, 261, 20):
        play_as_a_player(match, until=tick)
        found.append(match.game.digest())
    game = match.game
    return [found, len(game.units), len(game.horde), game.ways.cut, len(game.houses)]


def test_groups_of_the_tree_are_as_the_game_says(game):
    assert all(game.units.groups(tree) == TREE for tree in game.land.trees[:20])
    game.horde.spawn([0.0])
    assert [game.units.groups(one) for one in game.horde] == [ENEMY]
