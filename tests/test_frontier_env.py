"""The game as a Gymnasium environment, and what its two players do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="needs gymnasium: pip install 'tilequad[env]'")

from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv

import frontier_env
from frontier_env import KINDS, REACH, SETTINGS, FrontierEnv, chance, greed, play_games

pytestmark = pytest.mark.slow
SHORT = replace(SETTINGS, duration=12.0, first_enemies=30, lives=1000)


@pytest.fixture
def env():
    return FrontierEnv(SHORT)


def play(env, player, seed):
    """All observations, rewards and actions of a game."""
    random = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    seen = [(observation, 0.0, 0)]
    over = False
    while not over:
        action = player(observation, info["action_mask"], random)
        observation, reward, over, _, info = env.step(action)
        seen.append((observation, reward, action))
    return seen, info


def test_gymnasium_finds_nothing_wrong(env, recwarn):
    check_env(env, skip_render_check=True)

    assert [str(warning.message) for warning in recwarn] == []


def test_the_same_seed_and_actions_give_the_same_game(env):
    first, _ = play(env, chance, 3)
    again, _ = play(FrontierEnv(SHORT), chance, 3)
    other, _ = play(env, chance, 4)

    assert len(first) == 7  # 12 seconds in steps of two, and the start
    for (one, reward, action), (same, same_reward, same_action) in zip(first, again, strict=True):
        assert (reward, action) == (same_reward, same_action)
        assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not all(
        np.array_equal(one["sites"], same["sites"])
        for (one, _, _), (same, _, _) in zip(first, other, strict=True)
    )


def test_observations_are_what_a_loop_over_all_units_finds(env):
    env.reset(seed=2)
    for _ in range(3):
        observation, *_ = env.step(0)
    game = env._match.game
    enemies = [(enemy, *game.units.position(enemy)) for enemy in game.horde]
    assert enemies
    for row, (x, y) in zip(observation["sites"], game.land.sites, strict=True):
        away = [np.hypot(ex - x, ey - y) for _, ex, ey in enemies]
        near = [enemy for (enemy, _, _), far in zip(enemies, away, strict=True) if far <= REACH]
        assert row[1] == len(near)
        assert row[2] == pytest.approx(sum(enemy.health for enemy in near), rel=1e-6)
        assert row[3] == pytest.approx(min(away), rel=1e-6)
        gate_x, gate_y = game.land.gate
        assert row[4] == pytest.approx(np.hypot(gate_x - x, gate_y - y), rel=1e-6)
    lives, _, _, count = observation["state"]
    assert (lives, count) == (1000 - game.breakthroughs, len(enemies))
    assert observation["stock"].tolist() == [game.stock[name] for name in ("wood", "stone", "gold")]


def test_the_mask_is_what_can_be_built(env):
    _, info = env.reset(seed=1)
    for _ in range(3):
        game = env._match.game
        for action, allowed in enumerate(info["action_mask"][1:], 1):
            site, kind = divmod(action - 1, len(KINDS))
            refused = game.can_build(KINDS[kind], game.land.sites[site])
            assert bool(allowed) == (refused is None)
        [action, *_] = np.flatnonzero(info["action_mask"][1:]) + 1
        towers = len(game.garrison.towers)
        observation, _, _, _, info = env.step(int(action))
        site, kind = divmod(int(action) - 1, len(KINDS))
        assert observation["sites"][site, 0] == kind + 1
        assert len(env._match.game.garrison.towers) == towers + 1
        assert not info["action_mask"][1 + site * len(KINDS) : 1 + (site + 1) * len(KINDS)].any()


def test_what_cannot_be_built_is_waiting(env):
    env.reset(seed=1)
    env._match.game.stock.update(wood=0, stone=0, gold=0)
    observation, _, _, _, _ = env.step(1)

    assert not observation["sites"][:, 0].any()


def test_rewards_count_the_slain_and_the_lost():
    env = FrontierEnv(replace(SHORT, first_towers=10, duration=30.0))
    env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        _, reward, over, _, info = env.step(0)
        total += reward
    game = env._match.game
    assert game.slain > 0
    assert total == game.slain - 10 * game.breakthroughs
    assert info["won"]
    _, reward, over, cut_off, _ = env.step(0)  # nothing happens after the end
    assert (reward, over, cut_off) == (0.0, True, False)


def test_a_game_that_does_not_end_is_cut_off(monkeypatch):
    monkeypatch.setattr(frontier_env, "MOST_STEPS", 2)
    env = FrontierEnv(SHORT)
    env.reset(seed=1)
    assert env.step(0)[2:4] == (False, False)
    assert env.step(0)[2:4] == (False, True)
    env.reset(seed=1)
    assert env.step(0)[2:4] == (False, False)


def test_gymnasiums_own_vector_plays_the_same_games(monkeypatch):
    envs = AsyncVectorEnv([ShortEnv, ShortEnv])
    try:
        observations, infos = envs.reset(seed=[5, 6])
        for _ in range(3):
            observations, rewards, _, _, infos = envs.step(np.array([1, 0]))
    finally:
        envs.close()
    for row, (seed, action) in enumerate(((5, 1), (6, 0))):
        env = ShortEnv()
        env.reset(seed=seed)
        for _ in range(3):
            observation, reward, _, _, info = env.step(action)
        assert reward == rewards[row]
        assert np.array_equal(info["action_mask"], infos["action_mask"][row])
        for name, part in observation.items():
            assert np.array_equal(part, observations[name][row])


class ShortEnv(FrontierEnv):
    """A short game, for the processes of a vector."""

    def __init__(self) -> None:
        super().__init__(SHORT)


def test_greed_builds_the_dearest_tower_nearest_to_the_gate():
    sites = np.zeros((3, 5), np.float32)
    sites[:, 4] = 300, 100, 200
    mask = np.zeros(1 + 3 * len(KINDS), np.int8)
    random = np.random.default_rng(1)
    mask[0] = 1
    assert greed({"sites": sites}, mask, random) == 0
    mask[[1, 2, 9, 10]] = 1  # archers and fire at the first and the last site
    assert greed({"sites": sites}, mask, random) == 10
    assert {chance({"sites": sites}, mask, random) for _ in range(99)} == {0, 1, 2, 9, 10}


def test_games_in_a_vector_are_the_games_played_alone(monkeypatch):
    monkeypatch.setattr(frontier_env, "FrontierEnv", ShortEnv)
    found = play_games(greed, range(1, 4), workers=2)

    assert len(found) == 3
    assert all(won for _, won in found)
    alone, info = play(ShortEnv(), greed, 2)
    assert found[1] == (sum(reward for _, reward, _ in alone), info["won"])
