"""The campaign of the frontier: sense wins it, idleness loses, and one seed plays one game."""

from __future__ import annotations

from math import inf

import pytest

from frontier_game.campaign import CAMPAIGN
from frontier_game.session import Session
from tests.frontier_player import Naive, Player, play
from tests.share import WHOLE


@pytest.fixture
def session(frontier, tmp_path):
    return started(frontier, tmp_path)


def started(frontier, folder):
    session = Session(frontier, 7, CAMPAIGN, folder)
    session.tick_budget = inf
    session.do("start")
    return session


@pytest.fixture(scope="module")
def won(frontier, tmp_path_factory):
    """A session that a sensible player has won."""
    session = started(frontier, tmp_path_factory.mktemp("won"))
    play(session, Player(session))
    return session


def test_a_sensible_player_wins(won):
    assert (won.screen, won.game.waves.number) == ("won", 10)
    assert 10 * 60 < won.game.now < 15 * 60


def test_a_campaign_that_is_saved_and_loaded_goes_on_as_one_played_through(won, session):
    player = Player(session)
    for seconds in (50, 150):
        play(session, player, seconds)
        session.do("save")
        play(session, None, seconds + 10)  # which is forgotten
        session.do("load")
        assert session.screen == "play"
    play(session, player, inf if WHOLE else 250)

    states = session.match.digests
    assert len(states) >= 24
    assert states == won.match.digests[: None if WHOLE else len(states)]


def test_an_idle_player_loses(session):
    play(session)

    assert session.screen == "lost"
    assert session.game.waves.number <= 3


def test_who_only_builds_towers_meets_the_fifth_wave_and_loses_in_the_end(session):
    play(session, Naive(session))

    assert session.screen == "lost"
    assert session.game.waves.number >= 5
