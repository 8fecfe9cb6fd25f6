"""The rules of the game, tick by tick."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from time import perf_counter
from typing import Any

from tilequad import DynamicQuadtree
from tilequad.ai import separate
from tilequad.tiled import TileMap

from .enemies import Enemy, Horde
from .land import Land, Tree
from .settings import TICK, Settings, TowerType
from .towers import Garrison, Tower
from .units import DROP_OFF, ENEMY, TREE, VILLAGER, Queries
from .villagers import Village, Villager

RESOURCES = ("wood", "stone")


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
        settings: The numbers of the game. None means those of the demo.

    Example:
        >>> from tilequad import load_map
        >>> game = Game(load_map("maps/frontier.tmx"), seed=1)  # doctest: +SKIP
        >>> for _ in range(600):  # doctest: +SKIP
        ...     game.tick()
    """

    def __init__(self, tile_map: TileMap, seed: int = 1, settings: Settings | None = None) -> None:
        self.settings = settings = Settings() if settings is None else settings
        self.random = Random(seed)
        self.land = Land(tile_map)
        self.units: DynamicQuadtree[Any] = DynamicQuadtree(tile_map.bounds)
        self.queries = Queries(self.units)
        self.horde = Horde(self.queries, self.land.road, settings.enemies, self.random)
        self.garrison = Garrison(self.queries, self.horde, self._hit, self._burst)
        self.village = Village(
            self.queries, self.land, settings, self.random, self._fell, self._bring
        )
        self.tree_gids = self.land.tree_gids.copy()
        self._growing: deque[tuple[float, Tree, int]] = deque()
        self.effects: list[Effect] = []
        self.stock = dict.fromkeys(RESOURCES, 0)
        self.gathered = dict.fromkeys(RESOURCES, 0)
        self.spent = dict.fromkeys(RESOURCES, 0)
        self.slain = self.breakthroughs = self.felled = self.ticks = 0
        self.query_seconds = self.seconds = 0.0
        self._sites = self.land.sites.copy()
        self._populate()

    @property
    def now(self) -> float:
        """Seconds of play so far."""
        return self.ticks * TICK

    def tick(self) -> None:
        """Play a sixtieth of a second."""
        started, query_seconds = perf_counter(), self.queries.seconds
        self.ticks += 1
        if self.ticks % round(self.settings.spawn_every / TICK) == 0:
            self.horde.spawn([0.0])
        self.horde.march(TICK)
        for enemy in self.horde.arrivals():
            self.breakthroughs += 1
            self._add_effect("dust", *self.units.position(enemy), 0.5)
            self.horde.remove(enemy)
        self.garrison.shoot(self.now)
        self.garrison.fly(TICK)
        self.village.update(self.now, TICK)
        self._grow()
        if self.ticks % 2 == 0:
            with self.queries.timed():
                separate(self.units, ENEMY | VILLAGER, walls=self.land.water)
        self.effects = [one for one in self.effects if self.now < one.start + one.life]
        self.query_seconds = self.queries.seconds - query_seconds
        self.seconds = perf_counter() - started

    def reinforce(self, count: int) -> None:
        """Add many enemies at once, spread along the road."""
        self._line_up(count, 0.0, 0.72)

    def digest(self) -> str:
        """Return a hash of the game state: two games with the same hash are the same game."""
        state = blake2b(self.units.digest(), digest_size=8)
        for enemy in self.horde:
            state.update(f"{enemy.type.name} {enemy.health};".encode())
        for villager in self.village.villagers:
            state.update(f"{villager.state} {villager.load};".encode())
        state.update(self.horde.progress[self.horde.slots()].tobytes())
        state.update(f"{self.stock} {self.slain} {self.breakthroughs} {self.felled}".encode())
        return state.hexdigest()

    # -- set-up --

    def _populate(self) -> None:
        """Add trees, buildings, the first towers, villagers at their doors, enemies on the road."""
        trees, buildings = self.land.trees, self.land.buildings
        self.queries.lists[TREE] = trees
        places = [(one.x, one.y) for one in trees]
        self.units.add_many(trees, places, radius=[one.radius for one in trees], groups=TREE)
        for building in buildings:
            self.units.add(building, building.x, building.y, groups=building.groups)
        for _ in range(min(self.settings.first_towers, len(self._sites))):
            self._build_tower()
        for building in buildings:
            if building.groups & DROP_OFF:
                for _ in range(self.settings.first_villagers):
                    self.village.add_villager(building.x, building.y)
        in_front = self.settings.first_enemies // 5
        self._line_up(self.settings.first_enemies - in_front, 0.0, 0.70)
        self._line_up(in_front, 0.70, 0.90)

    def _line_up(self, count: int, start: float, end: float) -> None:
        """Add enemies at random between two fractions of the road's length."""
        length = self.land.road.length
        self.horde.spawn([self.random.uniform(start * length, end * length) for _ in range(count)])

    def _build_tower(self) -> Tower:
        types = self.settings.towers
        return self.garrison.build(
            types[len(self.garrison.towers) % len(types)], *self._sites.pop(0)
        )

    # -- events --

    def _hit(self, enemy: Enemy, damage: float) -> None:
        enemy.health -= damage
        if enemy.health <= 0:
            self.slain += 1
            picture = f"{enemy.type.name}_{self.horde.facing(enemy)}_0"
            self._add_effect(picture, *self.units.position(enemy), 0.7)
            self.horde.remove(enemy)

    def _burst(self, x: float, y: float, tower_type: TowerType) -> None:
        self._add_effect("fire" if tower_type.splash else "spark", x, y, 0.25)

    def _fell(self, tree: Tree, villager: Villager) -> None:
        self.felled += 1
        self.units.remove(tree)
        gid = int(self.tree_gids[tree.tile_id])
        self._growing.append((self.now + self.settings.regrowth, tree, gid))
        self.tree_gids[tree.tile_id] = tree.stump_gid
        turn = 1.0 if villager.facing == "right" else -1.0
        self.effects.append(Effect("fall", tree.x, tree.y, self.now, 1.1, gid, turn))

    def _grow(self) -> None:
        """Turn stumps back into trees when their time has come."""
        while self._growing and self._growing[0][0] <= self.now:
            _, tree, gid = self._growing.popleft()
            tree.amount = tree.full_amount
            self.tree_gids[tree.tile_id] = gid
            self.units.add(tree, tree.x, tree.y, radius=tree.radius, groups=TREE)

    def _bring(self, load: str, x: float, y: float) -> None:
        settings = self.settings
        amount = settings.load[RESOURCES.index(load)]
        self.stock[load] += amount
        self.gathered[load] += amount
        self._add_effect("wood" if load == "wood" else "dust", x, y + 26, 0.9)
        if self._sites and self._pay(settings.tower_price):
            tower = self._build_tower()
            for side in (-18, 0, 18):
                self._add_effect("dust", tower.x + side, tower.y, 0.8)
        elif self.stock["wood"] >= settings.wood_reserve and self._pay(settings.villager_price):
            self.village.add_villager(x, y)

    def _pay(self, price: tuple[int, int]) -> bool:
        """Take a price from the stock and return True, if the stock covers it."""
        due = dict(zip(RESOURCES, price, strict=True))
        if any(self.stock[resource] < amount for resource, amount in due.items()):
            return False
        for resource, amount in due.items():
            self.stock[resource] -= amount
            self.spent[resource] += amount
        return True

    def _add_effect(self, effect_type: str, x: float, y: float, life: float) -> None:
        self.effects.append(Effect(effect_type, x, y, self.now, life))
