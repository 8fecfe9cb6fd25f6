"""The frontier, one tick after another."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from time import perf_counter

import numpy as np

from tilequad.tiled import TileMap

from .enemies import Enemy, Horde
from .land import Land, Tree
from .towers import ARCHERS, FIRE, Garrison, Make
from .units import DROP_OFF, ENEMY, VILLAGER, Units
from .villagers import Village, Villager

TICK = 1 / 60
FIRST_TOWERS = 10
PRICE = {"wood": 120, "stone": 6}  # of another tower
SETTLING = {"wood": 100}  # of another villager
PLENTY = 300  # wood that is not kept for a tower
LOAD = {"wood": 5, "stone": 3}
REGROWTH = 100.0  # seconds until a stump is a tree again
ARRIVAL = 0.5  # seconds between two new enemies


@dataclass(slots=True)
class Effect:
    """Something to see for a moment: what, where, since when and for how long."""

    kind: str
    x: float
    y: float
    start: float
    life: float
    gid: int = 0
    turn: float = 0.0


class Game:
    """The whole game; it draws nothing.

    Args:
        world: The map.
        seed: The same seed gives the same game, by the tree and by brute force.

    Example:
        >>> from tilequad import load_map
        >>> game = Game(load_map("maps/frontier.tmx"), seed=1)  # doctest: +SKIP
        >>> for _ in range(600):  # doctest: +SKIP
        ...     game.tick()
    """

    def __init__(self, world: TileMap, seed: int = 1) -> None:
        self.random = Random(seed)
        self.land = Land(world)
        self.units = Units(world.bounds)
        self.horde = Horde(self.units, self.land.road, self.random)
        self.garrison = Garrison(self.units, self._hit, self._burst)
        self.village = Village(self.units, self.land, self.random, self._fell, self._bring)
        trees = world.layer("trees")
        self.tree_gids = trees.gids(np.arange(trees.id_limit)).astype(np.int64)  # by id
        self._stumps = self.land.stump_gids()
        self._growing: deque[tuple[float, Tree, int]] = deque()
        self.effects: list[Effect] = []
        self.stock = {"wood": 0, "stone": 0}
        self.slain = self.raids = self.felled = self.ticks = 0
        self.query_seconds = self.seconds = 0.0
        self._sites = [(site.x, site.y) for site in self.land.of_type("tower")]
        self._populate()

    @property
    def now(self) -> float:
        """Seconds of play so far."""
        return self.ticks * TICK

    def tick(self) -> None:
        """A sixtieth of a second goes by."""
        started = perf_counter()
        asked = self.units.seconds
        self.ticks += 1
        if self.ticks % round(ARRIVAL / TICK) == 0:
            self.horde.spawn(0.0)
        for enemy in self.horde.march(TICK):
            self.raids += 1
            self._add_effect("dust", enemy.x, enemy.y, 0.5)
            self.horde.remove(enemy)
        self.garrison.shoot(self.now)
        self.garrison.fly(TICK)
        self.village.live(self.now, TICK)
        self._grow()
        if self.ticks % 2 == 0:
            self.units.separate(ENEMY | VILLAGER)
        self.effects = [one for one in self.effects if self.now < one.start + one.life]
        self.query_seconds = self.units.seconds - asked
        self.seconds = perf_counter() - started

    def reinforce(self, count: int) -> None:
        """Let many enemies come at once, all along the road."""
        self._line_up(count, 0.0, 0.72)

    def digest(self) -> str:
        """A fingerprint of where everybody stands and what has happened."""
        state = blake2b(digest_size=8)
        for enemy in self.horde:
            state.update(f"{enemy.kind.name} {enemy.x} {enemy.y} {enemy.health};".encode())
        for villager in self.village.villagers:
            state.update(f"{villager.doing} {villager.x} {villager.y} {villager.load};".encode())
        state.update(f"{self.stock} {self.slain} {self.raids} {self.felled}".encode())
        return state.hexdigest()

    # -- how it begins --

    def _populate(self) -> None:
        """Trees, houses, the first towers, villagers at their doors, and a road full of enemies."""
        self.units.add_all([*self.land.trees, *self.land.buildings])
        for _ in range(FIRST_TOWERS):
            self._build_tower()
        for building in self.land.buildings:
            if building.groups & DROP_OFF:
                for _ in range(7):
                    self.village.settle(building.x, building.y)
        self._line_up(240, 0.0, 0.70)
        self._line_up(60, 0.70, 0.90)

    def _line_up(self, count: int, start: float, end: float) -> None:
        """Enemies anywhere between two shares of the road's length."""
        length = self.land.road.length
        self.horde.spawn_all(
            [self.random.uniform(start * length, end * length) for _ in range(count)]
        )

    def _build_tower(self) -> None:
        x, y = self._sites.pop(0)
        self.garrison.build(FIRE if len(self.garrison.towers) % 3 == 2 else ARCHERS, x, y)

    # -- what happens --

    def _hit(self, enemy: Enemy, damage: float) -> None:
        enemy.health -= damage
        if enemy.health <= 0 and enemy in self.units:
            self.slain += 1
            self._add_effect(f"{enemy.kind.name}_{enemy.facing}_0", enemy.x, enemy.y, 0.7)
            self.horde.remove(enemy)

    def _burst(self, x: float, y: float, make: Make) -> None:
        self._add_effect("fire" if make.splash else "spark", x, y, 0.25)

    def _fell(self, tree: Tree, villager: Villager) -> None:
        self.felled += 1
        self.units.remove(tree)
        gid = int(self.tree_gids[tree.number])
        self._growing.append((self.now + REGROWTH, tree, gid))
        self.tree_gids[tree.number] = self._stumps[tree.number]
        turn = -1.0 if villager.x > tree.x else 1.0
        self.effects.append(Effect("fall", tree.x, tree.y, self.now, 1.1, gid, turn))

    def _grow(self) -> None:
        """Stumps whose time has come are trees again."""
        while self._growing and self._growing[0][0] <= self.now:
            _, tree, gid = self._growing.popleft()
            tree.amount = tree.full
            self.tree_gids[tree.number] = gid
            self.units.add(tree)

    def _bring(self, load: str, x: float, y: float) -> None:
        self.stock[load] += LOAD[load]
        self._add_effect("wood" if load == "wood" else "dust", x, y + 26, 0.9)
        if self._sites and self._pays(PRICE):
            self._build_tower()
            tower = self.garrison.towers[-1]
            for side in (-18, 0, 18):
                self._add_effect("dust", tower.x + side, tower.y, 0.8)
        elif self.stock["wood"] >= PLENTY and self._pays(SETTLING):
            self.village.settle(x, y)

    def _pays(self, price: dict[str, int]) -> bool:
        """Take a price from the stock, if all of it is there."""
        if any(self.stock[what] < amount for what, amount in price.items()):
            return False
        for what, amount in price.items():
            self.stock[what] -= amount
        return True

    def _add_effect(self, kind: str, x: float, y: float, life: float) -> None:
        self.effects.append(Effect(kind, x, y, self.now, life))
