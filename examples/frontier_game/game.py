"""The rules of the game, tick by tick."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import Any

from tilequad import DynamicQuadtree
from tilequad.ai import separate
from tilequad.nav import Fog
from tilequad.tiled import TileMap

from .construction import Built, Construction
from .effects import Clock, Effect
from .enemies import LOOK_EVERY, Enemy, Horde
from .fog import UPDATE_EVERY, fog_over, lift
from .land import Building, Land, Tree
from .settings import RESOURCES, TICK, Settings, TowerType, due
from .towers import Garrison
from .units import DROP_OFF, ENEMY, TREE, Queries
from .villagers import Village, Villager
from .waves import Waves
from .ways import CELL, Ways


class Game:
    """The whole game. It draws nothing.

    Args:
        tile_map: The map.
        seed: The same seed plays the same game, with quadtrees and by brute force.
        settings: The numbers of the game. None means the numbers of the demo.

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
        self.ways = Ways(self.land)
        # Dynamic tree: everything that stands or moves, each in its group.
        self.units: DynamicQuadtree[Any] = DynamicQuadtree(tile_map.bounds)
        self.queries = Queries(self.units)
        self.fog: Fog | None = None
        self._populate()
        if settings.fog:
            land = self.land
            self.fog = fog_over(self.ways.grid, self.units, land.buildings, land.gate)
        self.horde = Horde(self.queries, self.land, self.ways, settings, self.random)
        sight = None if self.fog is None else self.fog.sight()
        self.garrison = Garrison(self.queries, self.horde, sight, self._hit, self._burst)
        self.village = Village(
            *(self.queries, self.land, self.ways, settings, self.random), self._fell, self._bring
        )
        self.waves = Waves(self.horde, settings)
        self.construction = Construction(self)
        self.houses: list[Building] = []
        self.tree_gids = self.land.tree_gids.copy()
        self._growing: deque[tuple[float, Tree, int]] = deque()
        self.effects: list[Effect] = []
        self.stock = dict.fromkeys(RESOURCES, 0) | due(settings.first_stock)
        self.gathered = dict.fromkeys(RESOURCES, 0)
        self.spent = dict.fromkeys(RESOURCES, 0)
        self.slain = self.breakthroughs = self.felled = self.ticks = 0
        self.parts: dict[str, float] = {}
        self._sites = self.land.sites.copy()
        self._settle()

    @property
    def now(self) -> float:
        """Seconds of play so far."""
        return self.ticks * TICK

    @property
    def is_lost(self) -> bool:
        """Whether as many enemies have broken through as the village has lives."""
        return self.breakthroughs >= self.settings.lives

    @property
    def is_won(self) -> bool:
        """Whether the village has held out, or has beaten all waves."""
        held_out = self.now >= self.settings.duration - TICK / 2
        return not self.is_lost and (held_out or self.waves.are_over)

    def tick(self) -> None:
        """Play a sixtieth of a second."""
        clock = Clock()
        self.queries.begin_tick()
        self.ticks += 1
        now, ticks = self.now, self.ticks
        self.waves.update(ticks)
        self.horde.march(now, ticks, TICK)
        if ticks % LOOK_EVERY == 0:
            for enemy in self.horde.arrivals():
                self.breakthroughs += 1
                self._add_effect("dust", *self.units.position(enemy), 0.5)
                self.horde.remove(enemy)
        clock.stop("march")
        if ticks % LOOK_EVERY == 1:
            self.garrison.shoot(now)
        self.garrison.shots.fly(TICK)
        clock.stop("towers")
        self.village.update(now, ticks, TICK)
        self._grow()
        clock.stop("villagers")
        self._crowd(ticks)
        clock.stop("crowds")
        if self.fog is not None and ticks % UPDATE_EVERY == 0:
            self.fog.update()
        clock.stop("fog")
        if ticks % 30 == 0:
            self.effects = [one for one in self.effects if now < one.start + one.life]
        self.parts = clock.parts

    # -- what the player does --

    def can_build(self, kind: str, place: Sequence[float]) -> str | None:
        """Return why something cannot be built at a place, or None if it can.

        Args:
            kind: A name in `settings.kinds`.
            place: Any point of the lowest row of cells that it would cover, at its middle.
        """
        return self.construction.can_build(kind, place)

    def build(self, kind: str, place: Sequence[float]) -> Built:
        """Build something at a place and pay for it; `ValueError` says why not."""
        return self.construction.build(kind, place)

    def sell(self, built: Built) -> None:
        """Pull down what was built, for a part of its price."""
        self.construction.sell(built)

    def can_train(self) -> str | None:
        """Return why no villager can be trained, or None if one can."""
        return self.construction.cannot_train()

    def train(self) -> Villager:
        """Train a villager at the town hall and pay for it; `ValueError` says why not."""
        return self.construction.train()

    def add_villager(self, x: float, y: float) -> Villager:
        """Add a villager near a door."""
        villager = self.village.add_villager(x, y)
        if self.fog is not None:
            lift(self.fog, villager)
        return villager

    def call_wave(self) -> None:
        """Let the next wave come at once, in a pause."""
        self.waves.call()

    def digest(self) -> str:
        """Return a hash of the game state: two games with the same hash are the same game."""
        state = blake2b(self.units.digest(), digest_size=8)
        enemies = self.horde.slots()
        for known in (self.horde.kinds, self.horde.progress):
            state.update(known[enemies].tobytes())
        for enemy in self.horde.hurt:
            state.update(f"{self.units.slot(enemy)} {enemy.health};".encode())
        for villager in self.village.villagers:
            state.update(f"{villager.state} {villager.trade} {villager.load};".encode())
        for tower in self.garrison.towers:
            state.update(f"{tower.type.name} {tower.policy} {tower.loaded_at};".encode())
        for shot in self.garrison.shots:
            state.update(f"{shot.x} {shot.y} {shot.left};".encode())
        state.update(f"{self.stock} {self.slain} {self.breakthroughs} {self.felled}".encode())
        state.update(f"{self.waves.number} {self.waves.wait}".encode())
        if self.fog is not None:
            state.update(self.fog.states().tobytes())
        return state.hexdigest()

    # -- set-up --

    def _populate(self) -> None:
        """Add trees and buildings."""
        trees, buildings = self.land.trees, self.land.buildings
        self.queries.lists[TREE] = trees
        places = [(one.x, one.y) for one in trees]
        self.units.add_many(trees, places, radius=[one.radius for one in trees], groups=TREE)
        for building in buildings:
            self.units.add(building, building.x, building.y, groups=building.groups)

    def _settle(self) -> None:
        """Add the first towers, villagers at their doors, enemies on the road."""
        for _ in range(min(self.settings.first_towers, len(self._sites))):
            self._build_tower()
        for building in self.land.buildings:
            if building.groups & DROP_OFF:
                for _ in range(self.settings.first_villagers):
                    self.add_villager(building.x, building.y)
        in_front = self.settings.first_enemies // 5
        self.horde.line_up(self.settings.first_enemies - in_front, 0.0, 0.70)
        self.horde.line_up(in_front, 0.70, 0.90)

    def _build_tower(self) -> Built:
        """Build the steward's next tower."""
        types = self.settings.towers
        kind = types[len(self.garrison.towers) % len(types)]
        site = self._sites.pop(0)
        place = self.ways.grid.free_near(*site, (CELL, CELL))
        return self.construction.put_up(kind, place or self.construction.box(kind.name, site))

    # -- events --

    def _hit(self, enemy: Enemy, tower_type: TowerType) -> None:
        enemy.health -= tower_type.damage
        self.horde.hurt[enemy] = None
        if tower_type.slow:
            self.horde.slow(enemy, self.now + tower_type.slow)
        if enemy.health <= 0:
            self.slain += 1
            picture = f"{enemy.type.name}_{self.horde.facing(enemy)}_0"
            self._add_effect(picture, *self.units.position(enemy), 0.7)
            self.horde.remove(enemy)

    def _burst(self, x: float, y: float, tower_type: TowerType) -> None:
        splash = "blast" if tower_type.lobbed else "fire"
        self._add_effect(splash if tower_type.splash else "spark", x, y, 0.25)

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
        self._add_effect(load, x, y + 26, 0.9)
        if settings.steward:
            self._let_steward_buy(x, y)

    def _let_steward_buy(self, x: float, y: float) -> None:
        """Buy a tower at the next site, or a villager, if the stock covers it."""
        settings = self.settings
        tower_price = due(settings.tower_price)
        if self._sites and not self.construction.cannot_pay(tower_price):
            self.pay(tower_price)
            tower = self._build_tower()
            for side in (-18, 0, 18):
                self._add_effect("dust", tower.x + side, tower.y, 0.8)
        elif self.stock["wood"] >= settings.wood_reserve and not self.can_train():
            self.pay(due(settings.villager_price))
            self.add_villager(x, y)

    def pay(self, price: dict[str, int]) -> None:
        """Take a price from the stock."""
        for resource, amount in price.items():
            self.stock[resource] -= amount
            self.spent[resource] += amount

    def _crowd(self, ticks: int) -> None:
        """Keep the crowds apart, and out of walls."""
        # Pairs: who overlaps whom? The closed cells are walls for all.
        slots = self.horde.crowd(ticks)
        if len(slots):
            separate(self.units, ENEMY, slots=slots, walls=self.ways.walls, iterations=2)

    def _add_effect(self, effect_type: str, x: float, y: float, life: float) -> None:
        self.effects.append(Effect(effect_type, x, y, self.now, life))
