"""The server that tells each player what it sees: what the players know is what is near."""

import asyncio

import pytest

import interest


@pytest.fixture
def played(monkeypatch):
    monkeypatch.setattr(interest, "BOTS", 60)
    monkeypatch.setattr(interest, "TICKS", 40)
    monkeypatch.setattr(interest, "SIDE", 1500.0)
    return asyncio.run(interest.play())


def test_each_bot_knows_who_is_near(played):
    world, bots = played
    assert sum(len(bot.known) for bot in bots) > 60
    assert interest.wrong(world, bots) == 0


def test_the_comparison_finds_what_is_wrong(played):
    world, bots = played
    bot = max(bots, key=lambda one: len(one.known))
    bot.known = set()
    assert interest.wrong(world, bots) > 0
