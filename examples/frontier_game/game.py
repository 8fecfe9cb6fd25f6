"""The rules of the game, tick by tick."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from time import perf_counter

from tilequad.tiled import TileMap

from .enemies import Enemy, Horde
from .land import Land, Tree
from .towers import ARCHERS, FIRE, Garrison, TowerType
from .units import DROP_OFF, ENEMY, VILLAGER, UnitRegistry
from .villagers import Village, Villager

TICK = 1 / 60
FIRST_TOWERS = 10
TOWER_PRICE = {"wood": 120, "stone": 6}
VILLAGER_PRICE = {"wood": 100}
WOOD_RESERVE = 300  # wood to save for towers before a villager is bought
LOAD = {"wood": 5, "stone": 3}
REGROWTH = 100.0  # seconds until a stump is a tree again
SPAWN_INTERVAL = 0.5  # seconds between two new enemies


@dataclass(slots=True)
class Effect:
    """A short visual effect: type, position, start and duration in seconds."""

    type: str
    x: float
    y: float
    start: float
    life: float
    gid: int = 0
    turn: float = 0.0


class Game:
    """The whole game. It draws nothing.

    Args:
        tile_map: The map.
        seed: The same seed plays the same game, with quadtrees and by brute force.

    Example:
        >>> from tilequad import load_map
        >>> game = Game(load_map("maps/frontier.tmx"), seed=1)  # doctest: +SKIP
        >>> for _ in range(600):  # doctest: +SKIP
        ...     game.tick()
    """

    def __init__(self, tile_map: TileMap, seed: int = 1) -> None:
        self.random = Random(seed)
        self.land = Land(tile_map)
        self.units = UnitRegistry(tile_map.bounds)
        self.horde = Horde(self.units, self.land.road, self.random)
        self.garrison = Garrison(self.units, self._hit, self._burst)
        self.village = Village(self.units, self.land, self.random, self._fell, self._bring)
        self.tree_gids = self.land.tree_gids.copy()
        self._growing: deque[tuple[float, Tree, int]] = deque()
        self.effects: list[Effect] = []
        self.stock = {"wood": 0, "stone": 0}
        self.slain = self.breakthroughs = self.felled = self.ticks = 0
        self.query_seconds = self.seconds = 0.0
        self._sites = [(site.x, site.y) for site in self.land.of_class("tower")]
        self._populate()

    @property
    def now(self) -> float:
        """Seconds of play so far."""
        return self.ticks * TICK

    def tick(self) -> None:
        """Play a sixtieth of a second."""
        started = perf_counter()
        query_seconds = self.units.seconds
        self.ticks += 1
        if self.ticks % round(SPAWN_INTERVAL / TICK) == 0:
            self.horde.spawn(0.0)
        for enemy in self.horde.march(TICK):
            self.breakthroughs += 1
            self._add_effect("dust", enemy.x, enemy.y, 0.5)
            self.horde.remove(enemy)
        self.garrison.shoot(self.now)
        self.garrison.fly(TICK)
        self.village.update(self.now, TICK)
        self._grow()
        if self.ticks % 2 == 0:
            self.units.separate(ENEMY | VILLAGER)
        self.effects = [one for one in self.effects if self.now < one.start + one.life]
        self.query_seconds = self.units.seconds - query_seconds
        self.seconds = perf_counter() - started

    def reinforce(self, count: int) -> None:
        """Add many enemies at once, spread along the road."""
        self._line_up(count, 0.0, 0.72)

    def digest(self) -> str:
        """Return a hash of the game state: two games with the same hash are the same game."""
        state = blake2b(digest_size=8)
        for enemy in self.horde:
            state.update(f"{enemy.type.name} {enemy.x} {enemy.y} {enemy.health};".encode())
        for villager in self.village.villagers:
            state.update(f"{villager.state} {villager.x} {villager.y} {villager.load};".encode())
        state.update(f"{self.stock} {self.slain} {self.breakthroughs} {self.felled}".encode())
        return state.hexdigest()

    # -- set-up --

    def _populate(self) -> None:
        """Add trees, buildings, the first towers, villagers at their doors, enemies on the road."""
        self.units.add_all([*self.land.trees, *self.land.buildings])
        for _ in range(FIRST_TOWERS):
            self._build_tower()
        for building in self.land.buildings:
            if building.groups & DROP_OFF:
                for _ in range(7):
                    self.village.add_villager(building.x, building.y)
        self._line_up(240, 0.0, 0.70)
        self._line_up(60, 0.70, 0.90)

    def _line_up(self, count: int, start: float, end: float) -> None:
        """Add enemies at random between two fractions of the road's length."""
        length = self.land.road.length
        self.horde.spawn_all(
            [self.random.uniform(start * length, end * length) for _ in range(count)]
        )

    def _build_tower(self) -> None:
        x, y = self._sites.pop(0)
        self.garrison.build(FIRE if len(self.garrison.towers) % 3 == 2 else ARCHERS, x, y)

    # -- events --

    def _hit(self, enemy: Enemy, damage: float) -> None:
        enemy.health -= damage
        if enemy.health <= 0 and enemy in self.units:
            self.slain += 1
            self._add_effect(f"{enemy.type.name}_{enemy.facing}_0", enemy.x, enemy.y, 0.7)
            self.horde.remove(enemy)

    def _burst(self, x: float, y: float, tower_type: TowerType) -> None:
        self._add_effect("fire" if tower_type.splash else "spark", x, y, 0.25)

    def _fell(self, tree: Tree, villager: Villager) -> None:
        self.felled += 1
        self.units.remove(tree)
        gid = int(self.tree_gids[tree.tile_id])
        self._growing.append((self.now + REGROWTH, tree, gid))
        self.tree_gids[tree.tile_id] = tree.stump_gid
        turn = -1.0 if villager.x > tree.x else 1.0
        self.effects.append(Effect("fall", tree.x, tree.y, self.now, 1.1, gid, turn))

    def _grow(self) -> None:
        """Turn stumps back into trees when their time has come."""
        while self._growing and self._growing[0][0] <= self.now:
            _, tree, gid = self._growing.popleft()
            tree.amount = tree.full_amount
            self.tree_gids[tree.tile_id] = gid
            self.units.add(tree)

    def _bring(self, load: str, x: float, y: float) -> None:
        self.stock[load] += LOAD[load]
        self._add_effect("wood" if load == "wood" else "dust", x, y + 26, 0.9)
        if self._sites and self._pay(TOWER_PRICE):
            self._build_tower()
            tower = self.garrison.towers[-1]
            for side in (-18, 0, 18):
                self._add_effect("dust", tower.x + side, tower.y, 0.8)
        elif self.stock["wood"] >= WOOD_RESERVE and self._pay(VILLAGER_PRICE):
            self.village.add_villager(x, y)

    def _pay(self, price: dict[str, int]) -> bool:
        """Take a price from the stock and return True, if the stock covers it."""
        if any(self.stock[resource] < amount for resource, amount in price.items()):
            return False
        for resource, amount in price.items():
            self.stock[resource] -= amount
        return True

    def _add_effect(self, effect_type: str, x: float, y: float, life: float) -> None:
        self.effects.append(Effect(effect_type, x, y, self.now, life))
