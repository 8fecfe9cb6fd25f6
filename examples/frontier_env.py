"""The frontier as a Gymnasium environment, and two players to beat: chance, and greed.

    python examples/frontier_env.py --games 100

plays 100 games with each and prints their results. Needs gymnasium: `pip install
'tilequad[env]'`. To train a player of your own:

    envs = gymnasium.vector.AsyncVectorEnv([FrontierEnv] * 8)
    observations, infos = envs.reset(seed=1)
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

try:
    import gymnasium
except ModuleNotFoundError:
    sys.exit("frontier_env: gymnasium is not installed: pip install 'tilequad[env]'")
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from numpy.typing import NDArray
from tqdm import tqdm  # type: ignore[import-untyped]

from frontier_game.campaign import CAMPAIGN, EAST
from frontier_game.play import Match
from frontier_game.settings import TICK, Settings
from frontier_game.units import ENEMY
from tilequad import load_map
from tilequad.tiled import TileMap

MAP = Path(__file__).resolve().parent.parent / "maps" / "frontier.tmx"
WAVES = tuple(replace(wave, roads=EAST, pause=10.0) for wave in CAMPAIGN.waves[:4])
SETTINGS = replace(CAMPAIGN, waves=WAVES, lives=10, fog=False)
"""The first four waves of the campaign, all on the road past the sites: two or three minutes."""
KINDS = ("archers", "fire", "frost", "mortar")
STEP = 2.0  # seconds of play from one decision to the next
MOST_STEPS = 150  # then a game is cut off
REACH = 230.0  # within which enemies count as near a site, in pixels
FAR = 10_000.0  # the distance that is shown where no enemy is, in pixels
MOST = 1e6  # no number in an observation is larger
LOST_LIFE = -10.0  # reward; each enemy slain brings 1
Observation = dict[str, NDArray[np.float32]]
Info = dict[str, Any]


class FrontierEnv(gymnasium.Env[Observation, np.int64]):  # type: ignore[misc]
    """The village builds towers on the sites of the map, and villagers fetch what that takes.

    An observation is a dictionary of float32 arrays, filled by batch questions to the tree of
    units:

    - `sites`, a row for each site: the tower there (0 for none, 1 for the first of `KINDS`), how
      many enemies are within 230 px, their health, the distance to the nearest, and to the gate.
    - `stock`: wood, stone and gold.
    - `state`: lives left, waves come, seconds to the next, enemies on the map.

    An action is 0 to wait, or `1 + site * len(KINDS) + kind` to build. What cannot be built is the
    same as waiting; `info["action_mask"]` has a 1 for each action that has an effect. A step is two
    seconds of play. Its reward is 1 for each enemy slain and -10 for each life lost. A game ends
    when the village has beaten all waves, or is lost; `info["won"]` tells. After five minutes it is
    truncated.

    Args:
        settings: The numbers of the game.
        map_path: The map.
    """

    metadata: ClassVar[Info] = {"render_modes": []}

    def __init__(self, settings: Settings = SETTINGS, map_path: Path = MAP) -> None:
        self.settings = settings
        self._map: TileMap = load_map(map_path)
        self._match = Match(self._map, 0, settings)
        self._sites = np.array(self._match.game.land.sites, float)
        self._to_gate = np.hypot(*(self._sites - self._match.game.land.gate).T)
        self._built = np.zeros(len(self._sites))
        count = len(self._sites)
        shapes = {"sites": (count, 5), "stock": (3,), "state": (4,)}
        self.observation_space = Dict(
            {name: Box(0.0, MOST, shape) for name, shape in shapes.items()}
        )
        self.action_space = Discrete(1 + count * len(KINDS))

    def reset(
        self, *, seed: int | None = None, options: Info | None = None
    ) -> tuple[Observation, Info]:
        """Start a new game. The same seed starts the same game."""
        super().reset(seed=seed)
        self._match = Match(self._map, int(self.np_random.integers(2**31)), self.settings)
        self._built[:] = 0
        self._steps = 0
        return self._observation(), self._info()

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Info]:
        """Build, or wait; then play for two seconds."""
        match, game = self._match, self._match.game
        if action and not match.is_over and self._can_build(int(action)):
            site, kind = divmod(int(action) - 1, len(KINDS))
            game.build(KINDS[kind], self._sites[site])
            self._built[site] = kind + 1
        slain, lost = game.slain, game.breakthroughs
        for _ in range(round(STEP / TICK)):
            if match.is_over:
                break
            match.tick()
        reward = game.slain - slain + LOST_LIFE * (game.breakthroughs - lost)
        self._steps += 1
        cut_off = self._steps >= MOST_STEPS and not match.is_over
        return self._observation(), float(reward), match.is_over, cut_off, self._info()

    def _observation(self) -> Observation:
        game = self._match.game
        units, sites = game.units, self._sites
        slots, enemies = game.horde.slots(), list(game.horde)
        health = np.zeros(1 + max(map(units.slot, units)))
        health[slots] = [enemy.health for enemy in enemies]
        near = units.count_within_many(sites, REACH, groups=ENEMY)
        strength = units.sum_within_many(sites, REACH, health, groups=ENEMY)
        _, distances = units.nearest_many(sites, groups=ENEMY)
        columns = self._built, near, strength, np.minimum(distances, FAR), self._to_gate
        waves = game.waves
        lives = self.settings.lives - game.breakthroughs
        wait = min(max(waves.wait, 0.0), FAR)
        return {
            "sites": np.stack(columns, axis=1).astype(np.float32),
            "stock": np.array(list(game.stock.values()), np.float32),
            "state": np.array([lives, waves.number, wait, len(enemies)], np.float32),
        }

    def _info(self) -> Info:
        mask = np.zeros(int(self.action_space.n), np.int8)
        mask[0] = 1
        game = self._match.game
        for kind, name in enumerate(KINDS):
            if game.construction.cannot_pay(game.settings.price(game.settings.kinds[name])) is None:
                actions = 1 + kind + len(KINDS) * np.flatnonzero(self._built == 0)
                mask[actions] = [self._can_build(int(action)) for action in actions]
        return {"action_mask": mask, "won": game.is_won}

    def _can_build(self, action: int) -> bool:
        site, kind = divmod(action - 1, len(KINDS))
        if self._built[site]:
            return False
        return self._match.game.can_build(KINDS[kind], self._sites[site]) is None


Player = Callable[[Observation, NDArray[np.int8], np.random.Generator], int]


def chance(observation: Observation, mask: NDArray[np.int8], random: np.random.Generator) -> int:
    """Do anything that has an effect."""
    return int(random.choice(np.flatnonzero(mask)))


def greed(observation: Observation, mask: NDArray[np.int8], random: np.random.Generator) -> int:
    """Build the dearest tower that can be paid, as near to the gate as there is room."""
    actions = np.flatnonzero(mask[1:])
    if not len(actions):
        return 0
    site, kind = np.divmod(actions, len(KINDS))
    to_gate = observation["sites"][site, 4]
    return 1 + int(actions[np.lexsort((kind, -to_gate))[-1]])


def play_games(player: Player, seeds: range, workers: int) -> list[tuple[float, bool]]:
    """Return the sum of rewards of each game, and whether it was won; `workers` games at a time."""
    found = []
    envs = AsyncVectorEnv([FrontierEnv] * workers, autoreset_mode=AutoresetMode.DISABLED)
    try:
        for start in tqdm(
            seeds[::workers], desc=player.__name__, unit=f" x {workers} games", disable=None
        ):
            batch = [*range(start, start + workers)]
            randoms = [np.random.default_rng(seed) for seed in batch]
            observations, infos = envs.reset(seed=batch)
            rewards, over = np.zeros(workers), np.zeros(workers, bool)
            while not over.all():
                actions = [
                    player({name: part[row] for name, part in observations.items()}, mask, random)
                    for row, (mask, random) in enumerate(
                        zip(infos["action_mask"], randoms, strict=True)
                    )
                ]
                observations, gained, ended, cut_off, infos = envs.step(np.array(actions))
                rewards += np.where(over, 0.0, gained)
                over |= ended | cut_off
            found += list(zip(rewards.tolist(), infos["won"].tolist(), strict=True))
    finally:
        envs.close()
    return found[: len(seeds)]


def main() -> None:
    """Let both players play, and print what they reach."""
    parser = argparse.ArgumentParser(description="What chance and greed reach on the frontier.")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for player in (chance, greed):
        found = play_games(player, range(1, 1 + options.games), options.workers)
        rewards = np.array([reward for reward, _ in found])
        won = sum(won for _, won in found)
        print(
            f"{player.__name__}: {won} of {len(found)} games won; reward {rewards.mean():.1f} "
            f"on average, {rewards.min():.0f} to {rewards.max():.0f}"
        )


if __name__ == "__main__":
    main()
