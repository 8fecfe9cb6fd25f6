"""Players of the frontier who do what people do: little at a time, by buttons and clicks.

    python -m tests.frontier_player --games 20

plays as many games with each, from one who does nothing to one with sense, and prints how far they
come.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import cycle
from math import inf
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))  # as pytest does

from frontier_game.campaign import CAMPAIGN  # noqa: E402
from frontier_game.session import Session  # noqa: E402
from tilequad import load_map  # noqa: E402

PEOPLE = 24  # villagers that suffice
TOWERS = "archers", "fire", "archers", "frost", "mortar"  # in turn
BESIDE = 64.0  # what is built stays off the roads by that much, in pixels
LAST = 1300.0  # of each road, in pixels: there the towers stand


class Player:
    """Trains villagers, houses them, and builds towers beside the roads, where they see most.

    Args:
        session: What is played. Only what a player sees is asked.
    """

    towers = TOWERS
    every = 1  # seconds from one deed to the next

    def __init__(self, session: Session) -> None:
        self.session = session
        self.turns = cycle(self.towers)
        self.next = next(self.turns)
        land = session.game.land
        ends = [
            road.at_many(np.arange(road.length - LAST, road.length, 16.0)) for road in land.roads
        ]
        road = np.concatenate(ends)
        steps = np.arange(-28, 29) * 32.0
        places = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2) + land.gate
        far = np.hypot(*(places[:, None] - road).transpose(2, 0, 1))
        seen = np.where(far.min(1) > BESIDE, (far < 200.0).sum(1), 0)
        self.posts = places[np.argsort(-seen, kind="stable")[: np.count_nonzero(seen)]].tolist()
        lots = places[seen == 0]
        near = np.hypot(*(lots - land.gate).T)
        self.lots = lots[np.argsort(near, kind="stable")].tolist()

    def act(self) -> None:
        """Do the one thing that is wanted most and can be paid."""
        self.share_trades()
        if not self.train():
            self.build_tower()

    def build_tower(self) -> None:
        """Build the next tower, if it can be paid."""
        if self.build(self.next, self.posts):
            self.next = next(self.turns)

    def train(self) -> bool:
        """Train a villager, or build a house for one; whether either was done."""
        game = self.session.game
        people, towers = len(game.village.villagers), len(game.garrison.towers)
        if people >= min(PEOPLE, 12 + towers):
            return False
        reason = game.can_train()
        if reason is None:
            self.session.do("train")
            return True
        return reason.startswith("no bed") and self.build("house", self.lots)

    def share_trades(self) -> None:
        """Send a villager from what there is most of to what the next tower lacks."""
        session, game = self.session, self.session.game
        price = game.settings.price(game.settings.kinds[self.next])
        lacks = {name: price.get(name, 0) - game.stock[name] for name in game.stock}
        most, least = min(lacks, key=lacks.__getitem__), max(lacks, key=lacks.__getitem__)
        workers = [one for one in game.village.villagers if one.trade == most]
        if lacks[least] > 0 and len(workers) > 3:
            session.selected = workers[:1]
            session.do(f"trade {least}")
            session.do("cancel")

    def build(self, kind: str, places: list[list[float]]) -> bool:
        """Build something at the first of some places where it may stand, if it can be paid."""
        session = self.session
        session.do(f"kind {kind}")
        if session.kind is None:
            return False
        for place in places:
            if session.game.can_build(kind, place) is None:
                session.press(place)
                return True
        session.do("cancel")
        return False


class Naive(Player):
    """Builds towers when there is enough for one, and leaves the villagers to themselves."""

    towers = "archers", "fire"
    every = 5

    def act(self) -> None:
        """Build a tower."""
        self.build_tower()


class Learner(Player):
    """Also sends villagers for what is short, as the game says, but trains none."""

    every = 5

    def act(self) -> None:
        """Send a villager, and build a tower."""
        self.share_trades()
        self.build_tower()


PLAYERS: dict[str, type[Player] | None] = {
    "idle": None, "naive": Naive, "learner": Learner, "sensible": Player,
}  # fmt: skip


def play(session: Session, player: Player | None = None, until: float = inf) -> None:
    """Play a session to its end, or to a second of its game.

    The player acts once a second, or as seldom as he is slow; without one, nobody does.
    """
    while session.screen == "play" and session.game.now < until:
        second, rest = divmod(session.game.ticks, 60)
        if player is not None and rest == 0 and second % player.every == 0:
            player.act()
        session.play(1 / 60)


def play_through(name: str, seed: int) -> tuple[bool, int, int]:
    """Play a campaign; return whether it was won, how many waves came, and the lives left."""
    with tempfile.TemporaryDirectory() as folder:
        tile_map = load_map(ROOT / "maps" / "frontier.tmx")
        session = Session(tile_map, seed, CAMPAIGN, Path(folder))
        session.tick_budget = inf
        session.do("start")
        kind = PLAYERS[name]
        play(session, None if kind is None else kind(session))
    game = session.game
    left = max(game.settings.lives - game.breakthroughs, 0)
    return session.screen == "won", game.waves.number, left


def main() -> None:
    """Let all players play, and print how far they come."""
    parser = argparse.ArgumentParser(description="How far players of the frontier come.")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--players", nargs="+", choices=PLAYERS, default=list(PLAYERS))
    options = parser.parse_args()
    with ProcessPoolExecutor(options.workers) as pool:
        for name in options.players:
            found = pool.map(partial(play_through, name), range(1, 1 + options.games))
            won, waves, left = zip(*found, strict=True)
            print(
                f"{name}: {sum(won)} of {len(won)} games won; waves {sorted(waves)}; "
                f"lives left {sorted(left)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
