"""The campaign of the frontier: sense wins it, idleness loses, and one seed plays one game.

Whole games take minutes: TILEQUAD_WHOLE=1 plays them. Else sense has to outlive idleness.
"""

from math import inf

import pytest

from frontier_game.campaign import CAMPAIGN
from frontier_game.session import Session
from tests.frontier_player import Naive, Player, play
from tests.share import WHOLE

pytestmark = pytest.mark.slow
LATE = 215  # seconds: later than the idle player's end, which is in the third wave


@pytest.fixture
def session(frontier, tmp_path):
    return started(frontier, tmp_path)


def started(frontier, folder):
    session = Session(frontier, 7, CAMPAIGN, folder)
    session.tick_budget = inf
    session.do("start")
    return session


@pytest.fixture(scope="module")
def sensible(frontier, tmp_path_factory):
    """A session of a player with sense: to its end, or until the idle one has lost."""
    session = started(frontier, tmp_path_factory.mktemp("sensible"))
    play(session, Player(session), inf if WHOLE else LATE)
    return session


def test_a_sensible_player_stands_where_the_idle_one_has_lost(sensible):
    if WHOLE:
        assert (sensible.screen, sensible.game.waves.number) == ("won", 10)
        assert 10 * 60 < sensible.game.now < 15 * 60
    else:
        assert (sensible.screen, sensible.game.breakthroughs) == ("play", 0)
        assert sensible.game.waves.number >= 3


def test_a_campaign_that_is_saved_and_loaded_goes_on_as_one_played_through(sensible, session):
    player = Player(session)
    for seconds in (50, 120):
        play(session, player, seconds)
        session.do("save")
        play(session, None, seconds + 10)  # which is forgotten
        session.do("load")
        assert session.screen == "play"
    play(session, player, inf if WHOLE else 160)

    states = session.match.digests
    assert len(states) >= 15
    assert states == sensible.match.digests[: None if WHOLE else len(states)]


def test_an_idle_player_loses(session):
    play(session)

    assert session.screen == "lost"
    assert session.game.now < LATE
    assert session.game.waves.number <= 3


@pytest.mark.skipif(not WHOLE, reason="a game of ten minutes: TILEQUAD_WHOLE=1 plays it")
def test_who_only_builds_towers_meets_the_fifth_wave_and_loses_in_the_end(session):
    play(session, Naive(session))

    assert session.screen == "lost"
    assert session.game.waves.number >= 5
