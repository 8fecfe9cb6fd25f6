"""Targets are the same, compiled or not, in every process."""

from __future__ import annotations

from tests.plain import plain_answers
from tests.test_ai_targeting_many import Battle


def test_plain_python_chooses_the_same_targets(tmp_path):
    """A copy of the sources without compiled modules runs in its own process."""
    plain = plain_answers(__name__, tmp_path)

    for mine, other in zip(answers(), plain, strict=True):
        assert mine == other


def answers() -> list:
    """The targets of battles, in each of which loop, batch and brute force agree."""
    battles = [Battle(seed) for seed in range(30, 36)]
    return [[str(battle.tick()) for _ in range(60)] for battle in battles]
