"""The first ticks of the long games, so that they are ready when they are wanted."""

import pytest

from tests import ai_long_run
from tests.share import WHOLE

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ai_long_run.GAMES)
def test_a_short_game(name, monkeypatch):
    monkeypatch.setattr(ai_long_run, "SAVED", 100)
    ai_long_run.play(name, 250 if WHOLE else 150, seed=1)


def test_a_difference_ends_the_game(monkeypatch, capsys):
    class Blind(ai_long_run.LineOfSight):
        def clear(self, *line):
            return True

    monkeypatch.setattr(ai_long_run, "LineOfSight", Blind)
    with pytest.raises(AssertionError):
        ai_long_run.play("sight", 500, seed=1)
    assert "sight, seed 1, tick" in capsys.readouterr().err
