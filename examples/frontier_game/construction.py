"""What the player builds, sells and trains, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist, floor
from typing import TYPE_CHECKING, Any, TypeAlias

from tilequad import Bounds

from .enemies import Enemy
from .fog import lift
from .land import Building, Tree
from .settings import HouseType, TowerType, due
from .towers import Tower
from .units import DROP_OFF, ENEMY, SHELTER, TOWER, VILLAGER, WALL
from .villagers import Villager
from .ways import CELL

if TYPE_CHECKING:
    from .game import Game

Built: TypeAlias = Tower | Building

APART = 56.0  # least distance between two towers, in pixels
KEEP_CLEAR = 112.0  # around the gate and where enemies appear, in pixels
ROLES = {"shelter": SHELTER, "drop_off": DROP_OFF, "wall": WALL}
STANDS = {Tree: "a tree stands there", Enemy: "an enemy stands there"}


class Construction:
    """Builds, if the ground and the stock allow it.

    Args:
        game: The game. Its stock pays.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    def can_build(self, kind: str, place: Sequence[float]) -> str | None:
        """Return why something cannot be built at a place, or None if it can."""
        game, grid = self.game, self.game.ways.grid
        building = self._kind(kind)
        box = self.box(kind, place)
        # Blocker: do closed cells or units hinder a building there?
        obstacle = grid.blocker(box, game.units, without=VILLAGER)
        if obstacle and obstacle.reason == "outside":
            return "outside the map"
        if reason := self.cannot_pay(game.settings.price(building)):
            return reason
        cells = grid.cells_in(box)
        if game.fog is not None and not game.fog.state_at_many(grid.center_many(cells)).all():
            return "nobody has seen this place"
        if obstacle:
            return STANDS.get(type(obstacle.unit), "water, or something stands there")
        middle, is_tower = box.center, isinstance(building, TowerType)
        # Radius query: towers keep a distance.
        if is_tower and game.units.any_within(*middle, APART, groups=TOWER):
            return "too close to another tower"
        if dist(middle, game.land.gate) < KEEP_CLEAR:
            return "too close to the gate"
        entries = map(game.horde.entry_at, range(len(game.horde.roads)))
        if any(dist(middle, entry) < KEEP_CLEAR for entry in entries):
            return "too close to where the enemies appear"
        if game.ways.shuts_last_way(cells):
            return "the village would be shut in"
        return None

    def build(self, kind: str, place: Sequence[float]) -> Built:
        """Build something, and pay for it.

        Raises:
            ValueError: It cannot be built there; the message says why.
            KeyError: There is no such kind.
        """
        reason = self.can_build(kind, place)
        if reason is not None:
            raise ValueError(f"cannot build {kind} at {tuple(place)}: {reason}")
        game, building = self.game, self._kind(kind)
        game.pay(game.settings.price(building))
        return self.put_up(building, self.box(kind, place))

    def put_up(self, building: TowerType | HouseType, box: Bounds) -> Built:
        """Put up a building. Those who are in the way are put beside it."""
        game, (x, y), groups = self.game, box.center, TOWER
        built: Built
        if isinstance(building, TowerType):
            built = Tower(building, x, y, building.policy, self.reach(building, box))
        else:
            groups = ROLES[building.role]
            built = Building(0, x, box.min_y, groups, building)
        game.ways.grid.build(game.units, built, box, groups=groups, push=VILLAGER | ENEMY)
        self._like(built).append(built)
        if game.fog is not None:
            lift(game.fog, built)
        return built

    def sell(self, built: Built) -> None:
        """Pull a building down, for a part of its price.

        Raises:
            ValueError: It was not built by the player, or is gone.
        """
        game = self.game
        if built.type is None or built not in game.units:
            raise ValueError(f"only what was built can be sold, got {built!r}")
        for name, amount in game.settings.price(built.type).items():
            game.stock[name] += int(amount * game.settings.refund)
        self._like(built).remove(built)
        game.ways.grid.raze(built)

    def cannot_train(self) -> str | None:
        """Return why no villager can be trained, or None."""
        game = self.game
        shelters = sum(bool(one.groups & SHELTER) for one in (*game.land.buildings, *game.houses))
        if len(game.village.villagers) >= shelters * game.settings.beds:
            return "no bed is free: build a house"
        return self.cannot_pay(due(game.settings.villager_price))

    def train(self) -> Villager:
        """Train a villager at the town hall.

        Raises:
            ValueError: There is no bed, or the stock does not cover it.
        """
        reason = self.cannot_train()
        if reason is not None:
            raise ValueError(f"cannot train a villager: {reason}")
        self.game.pay(due(self.game.settings.villager_price))
        hall = self.game.land.hall
        return self.game.add_villager(hall.x, hall.y)

    def lacks(self, price: dict[str, int]) -> dict[str, int]:
        """Return how much of what is short for a price."""
        lacks = {name: amount - self.game.stock[name] for name, amount in price.items()}
        return {name: amount for name, amount in lacks.items() if amount > 0}

    def cannot_pay(self, price: dict[str, int]) -> str | None:
        """Return what the stock lacks for a price, or None."""
        short = [f"{amount} {name}" for name, amount in self.lacks(price).items()]
        listed = " and ".join([", ".join(short[:-1])] * (len(short) > 1) + short[-1:])
        return f"{listed} short" if short else None

    def reach(self, kind: TowerType, box: Bounds) -> float:
        """Return how far a tower reaches that stands on some ground."""
        return kind.range * (self.game.settings.high_ground if self.is_high(box) else 1.0)

    def is_high(self, box: Bounds) -> bool:
        """Whether ringed stones are on some ground."""
        return any(box.contains(*site) for site in self.game.land.sites)

    def box(self, kind: str, place: Sequence[float]) -> Bounds:
        """Return the ground of a building whose front is at a place: whole cells."""
        wide, deep = self._kind(kind).size
        left = floor(place[0] / CELL - (wide - 1) / 2) * CELL
        low = floor(place[1] / CELL) * CELL
        return Bounds(left, low, left + wide * CELL, low + deep * CELL)

    def _like(self, built: Built) -> list[Any]:
        return self.game.garrison.towers if isinstance(built, Tower) else self.game.houses

    def _kind(self, kind: str) -> TowerType | HouseType:
        kinds = self.game.settings.kinds
        if kind not in kinds:
            raise KeyError(f"kind must be one of {', '.join(kinds)}, got {kind!r}")
        return kinds[kind]
