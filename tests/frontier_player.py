"""A player of the frontier who does what a person does: little at a time, by buttons and clicks."""

from __future__ import annotations

from itertools import cycle
from math import inf

import numpy as np

from frontier_game.session import Session

PEOPLE = 24  # villagers that suffice
TOWERS = "archers", "fire", "archers", "frost", "mortar"  # in turn
BESIDE = 64.0  # what is built stays off the roads by that much, in pixels
LAST = 1300.0  # of each road, in pixels: there the towers stand


class Player:
    """Trains villagers, houses them, and builds towers beside the roads, where they see most.

    Args:
        session: What is played. Only what a player sees is asked.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.turns = cycle(TOWERS)
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
        game = self.session.game
        self.share_trades()
        people, towers = len(game.village.villagers), len(game.garrison.towers)
        if people < min(PEOPLE, 12 + towers):
            reason = game.can_train()
            if reason is None:
                self.session.do("train")
                return
            if reason.startswith("no bed") and self.build("house", self.lots):
                return
        if self.build(self.next, self.posts):
            self.next = next(self.turns)

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


def play(session: Session, player: Player | None = None, until: float = inf) -> list[str]:
    """Play a session to its end, or to a second of its game; return a digest for each second.

    The player acts once a second; without one, nobody does.
    """
    states = []
    while session.screen == "play" and session.game.now < until:
        if session.game.ticks % 60 == 0:
            if player is not None:
                player.act()
            states.append(session.game.digest())
        session.play(1 / 60)
    return states
