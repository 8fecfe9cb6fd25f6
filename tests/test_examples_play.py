"""Whole games without a screen: the same result everywhere, saved and resumed at any tick."""

from __future__ import annotations

import dataclasses
import pickle
from random import Random

import pytest

from frontier_game.play import Match, play
from frontier_game.settings import ARCHERS, ENEMY_TYPES, Settings, Wave
from tests.programs import MAP
from tilequad import load_map

pytestmark = pytest.mark.slow
SHORT = Settings(duration=20.0, lives=1000)


@pytest.fixture(scope="module")
def result(frontier):
    return play(frontier, 3, SHORT)


def first_digest(frontier, seed, settings):
    match = Match(frontier, seed, settings)
    while not match.digests:
        match.tick()
    return match.digests[0]


def test_the_seed_and_the_settings_decide_the_result(frontier, result):
    assert play(frontier, 3, SHORT) == result
    assert first_digest(frontier, 4, SHORT) != result.digests[0]
    slow = dataclasses.replace(SHORT, walk=50.0)
    assert first_digest(frontier, 3, slow) != result.digests[0]


def test_a_result_is_small_and_tells_how_the_game_ended(result):
    assert len(pickle.dumps(result)) < 2000
    assert pickle.loads(pickle.dumps(result)) == result
    assert (result.seed, result.winner, result.ticks) == (3, "village", 1200)
    assert len(result.digests) == len(set(result.digests)) == 2
    assert result.slain > 0
    assert result.gathered["wood"] > 0


def test_the_horde_wins_where_nobody_shoots(frontier):
    lost = play(frontier, 3, dataclasses.replace(SHORT, first_towers=0, lives=5))

    assert (lost.winner, lost.broke_through, lost.slain) == ("horde", 5, 0)
    assert lost.ticks < 1200


def test_prices_policies_and_waves_count(frontier):
    cheap = dataclasses.replace(
        SHORT,
        tower_price=(5, 0),
        towers=(dataclasses.replace(ARCHERS, policy="strongest"),),
        enemies=ENEMY_TYPES[:1],
        first_enemies=50,
        spawn_every=0.1,
    )
    match = Match(frontier, 1, cheap)
    while not match.is_over:
        match.tick()
    result = match.result()

    bought = match.game.settings.villager_price[0] * (result.villagers - 56)
    assert result.towers == 10 + (result.spent["wood"] - bought) // 5 > 10
    assert {enemy.type.name for enemy in match.game.horde} == {"goblin"}
    assert len(match.game.horde) + result.slain + result.broke_through == 50 + 1200 // 6


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"spawn_every": 0.0}, "spawn_every"),
        ({"towers": ()}, "towers"),
        ({"enemies": ()}, "enemies"),
        ({"duration": float("inf")}, "duration"),
        ({"waves": (Wave((("dragon", 1),)),)}, "waves"),
        ({"waves": (Wave((("goblin", 1),), ()),)}, "waves"),
        ({"waves": (Wave((("goblin", 1),), every=0.0),)}, "waves"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(wrong, name):
    with pytest.raises(ValueError, match=f"^{name} must "):
        Settings(**wrong)


def test_a_game_saved_at_any_tick_goes_on_as_if_nothing_had_happened(frontier, result):
    random = Random(8)
    ticks = {0, random.randrange(1200), random.randrange(1200)}
    match, saved = Match(frontier, 3, SHORT), []
    while not match.is_over:
        if match.game.ticks in ticks:
            saved.append(match.save())
        match.tick()

    assert match.result() == result  # saving changes nothing
    assert len(saved) == len(ticks)
    for state in saved:
        again = Match.resume(state)
        while not again.is_over:
            again.tick()
        assert again.result() == result


def answers() -> list:
    """The digests of a small game, tick by tick."""
    match = Match(load_map(MAP), 2, Settings(first_towers=6, first_villagers=2, first_enemies=40))
    found = []
    for _ in range(30):
        match.tick()
        found.append(match.game.digest())
    return found
