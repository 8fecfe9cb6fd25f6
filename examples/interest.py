"""A server that tells each player only of those nearby: 200 bots walk, and keep what they hear.

`python examples/interest.py` plays 100 ticks over sockets of this machine, then compares what each
bot knows with the truth, and prints what was sent. Needs nothing but tilequad.
"""

from __future__ import annotations

import asyncio
import json
from math import hypot
from random import Random

from tilequad import DynamicQuadtree
from tilequad.ai import RangeEvents

BOTS, TICKS, SIDE = 200, 100, 4000.0
SIGHT, LEAVE = 300.0, 340.0  # who came nearer than SIGHT is told of until farther away than LEAVE
STEP = 24.0


class Server:
    """The world: who is where, and who must hear of whom."""

    def __init__(self) -> None:
        self.units: DynamicQuadtree[int] = DynamicQuadtree((0, 0, SIDE, SIDE))
        self.interest = RangeEvents(self.units)
        self.players: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}
        self.full = asyncio.Event()
        self.sent = 0

    async def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Let a player in: the first line says where it begins."""
        x, y = json.loads(await reader.readline())
        player = len(self.players)
        self.players[player] = reader, writer
        self.units.add(player, x, y)
        self.interest.follow(player, SIGHT, leave_radius=LEAVE)
        if len(self.players) == BOTS:
            self.full.set()

    async def tick(self) -> None:
        """Take a step from each player, and tell each what it must know."""
        for player, (reader, _) in self.players.items():
            x, y = json.loads(await reader.readline())
            self.units.move(player, x, y)
        news = {zone.item: (entered, left) for zone, entered, left in self.interest.update()}
        for (_, writer), zone in zip(self.players.values(), self.interest, strict=True):
            entered, left = news.get(zone.item, ((), ()))
            seen = {other: self.units.position(other) for other in self.interest.inside(zone)}
            line = json.dumps({"came": entered, "left": left, "at": seen}).encode() + b"\n"
            writer.write(line)
            self.sent += len(line)


class Bot:
    """A player: walks about, and knows only what the server tells."""

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        self.place = self.random.uniform(0, SIDE), self.random.uniform(0, SIDE)
        self.known: set[int] = set()
        self.seen: dict[str, list[float]] = {}

    async def play(self, port: int) -> None:
        """Join, and walk for all ticks."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(json.dumps(self.place).encode() + b"\n")
        for _ in range(TICKS):
            x, y = (at + self.random.uniform(-STEP, STEP) for at in self.place)
            self.place = min(max(x, 0.0), SIDE), min(max(y, 0.0), SIDE)
            writer.write(json.dumps(self.place).encode() + b"\n")
            news = json.loads(await reader.readline())
            self.known = self.known - set(news["left"]) | set(news["came"])
            self.seen = news["at"]
        writer.close()
        await writer.wait_closed()


async def play() -> tuple[Server, list[Bot]]:
    """Play all ticks, server and bots in one process."""
    world = Server()
    listening = await asyncio.start_server(world.join, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    bots = [Bot(number) for number in range(BOTS)]
    playing = asyncio.gather(*(bot.play(port) for bot in bots))
    await world.full.wait()
    for _ in range(TICKS):
        await world.tick()
    await playing
    for _, writer in world.players.values():
        writer.close()
        await writer.wait_closed()
    listening.close()
    await listening.wait_closed()
    return world, bots


def wrong(world: Server, bots: list[Bot]) -> int:
    """How many pairs a bot should know and does not, or knows and should not, by brute force."""
    places = {player: world.units.position(player) for player in world.players}
    by_place = {bot.place: bot for bot in bots}
    count = 0
    for player, (x, y) in places.items():
        known = by_place[x, y].known
        count += set(map(int, by_place[x, y].seen)) != known
        for other, (other_x, other_y) in places.items():
            away = hypot(other_x - x, other_y - y)
            if other != player:
                count += (away <= SIGHT and other not in known) or (away > LEAVE and other in known)
    return count


def main() -> None:
    """Play, and print what came of it."""
    world, bots = asyncio.run(play())
    knows = sum(len(bot.known) for bot in bots) / BOTS
    each = world.sent / BOTS / TICKS
    print(f"{BOTS} bots, {TICKS} ticks: each knows {knows:.1f} others, {each:.0f} bytes a tick")
    print(f"wrong by brute force: {wrong(world, bots)}")


if __name__ == "__main__":
    main()
