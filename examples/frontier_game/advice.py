"""What to do next time: a word to who has lost, and where what is short comes from."""

from __future__ import annotations

from math import dist

from .game import Game
from .settings import RESOURCES

SIDES = ("east", "west")  # where the roads come from
TRADE_KEYS = dict(zip(RESOURCES, "ZXC", strict=True))
LAST = 1400.0  # of each road, in pixels: there towers guard it
UNUSED = 150  # so much of something that is not spent is too much


def cure(lacks: dict[str, int]) -> str:
    """Return how to get what is short."""
    name = max(lacks, key=lacks.__getitem__)
    return f"villagers fetch {name}: V chooses all, a box some, then {TRADE_KEYS[name]}"


def advice(game: Game) -> str:
    """Return what a village that was lost has missed most."""
    waves = game.settings.waves[: game.waves.number]
    for road in dict.fromkeys(waves[-1].roads if waves else ()):
        if not guards(game, road):
            return f"The wave came from the {SIDES[road]}, and no tower stood by that road."
    stock = game.stock
    least, most = min(stock, key=stock.__getitem__), max(stock, key=stock.__getitem__)
    if stock[most] >= UNUSED > 3 * stock[least]:
        return (
            f"{stock[most]} {most} lay unused, and {least} was short: "
            f"choose villagers, then press {TRADE_KEYS[least]}."
        )
    if len(game.village.villagers) < 20:
        return "More villagers bring more: press T, and build houses for them."
    if len({tower.type.name for tower in game.garrison.towers}) < 3:
        return "Frost slows, fire and mortars hurt many at once: build more kinds of towers."
    return "More towers by the bends of both roads, where they reach them longest."


def guards(game: Game, road: int) -> int:
    """Return how many towers reach the end of a road."""
    route, count = game.land.roads[road], 0
    for tower in game.garrison.towers:
        nearest = route.at(route.progress(tower.x, tower.y, low=route.length - LAST))
        count += dist(nearest, (tower.x, tower.y)) < tower.range
    return count
