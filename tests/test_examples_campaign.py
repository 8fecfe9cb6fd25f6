"""The campaign of the frontier: who plays with sense wins it, and who does nothing loses."""

from __future__ import annotations

import sys
from math import inf
from pathlib import Path

import pytest

from tilequad import COMPILED, load_map

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples"))

from frontier_game.campaign import CAMPAIGN  # noqa: E402
from frontier_game.session import Session  # noqa: E402

from tests.frontier_player import Player, play  # noqa: E402

pytestmark = pytest.mark.skipif(not COMPILED, reason="ten waves as plain Python take an hour")


@pytest.fixture
def session(tmp_path):
    session = Session(load_map(ROOT / "maps" / "frontier.tmx"), 7, CAMPAIGN, tmp_path)
    session.tick_budget = inf
    session.do("start")
    return session


def test_a_sensible_player_wins(session):
    play(session, Player(session))

    assert (session.screen, session.game.waves.number) == ("won", 10)
    assert 10 * 60 < session.game.now < 15 * 60


def test_an_idle_player_loses(session):
    play(session)

    assert session.screen == "lost"
    assert session.game.waves.number <= 2


def test_a_player_who_leaves_all_villagers_where_they_are_loses(session):
    player = Player(session)
    player.share_trades = lambda: None
    play(session, player)

    assert session.screen == "lost"
