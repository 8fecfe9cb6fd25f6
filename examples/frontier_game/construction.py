"""What the player builds, sells and trains, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import TYPE_CHECKING, TypeAlias

from .land import Building
from .settings import HouseType, TowerType, due
from .towers import Tower
from .units import DROP_OFF, ENEMY, SHELTER, TOWER, TREE, WALL
from .villagers import Villager
from .ways import footprint

if TYPE_CHECKING:
    from .game import Game

Built: TypeAlias = Tower | Building

APART = 56.0  # least distance between two towers, in pixels
KEEP_CLEAR = 112.0  # around the gate and where enemies appear, in pixels
TOWER_SIZE = (1, 1)  # cells
ROLES = {"shelter": SHELTER, "drop_off": DROP_OFF, "wall": WALL}
TOWER_FOOT, HOUSE_FOOT = 8.0, 2.0  # height of a building's front above its lowest cell, in pixels


class Construction:
    """Builds, if the ground and the stock allow it.

    Args:
        game: The game. Its stock pays.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    def can_build(self, kind: str, place: Sequence[float]) -> str | None:
        """Return why something cannot be built at a place, or None if it can."""
        game = self.game
        building = self._kind(kind)
        left, low, right, high = self.box(kind, place)
        bounds = game.units.bounds
        if left < bounds.min_x or low < bounds.min_y or right > bounds.max_x or high > bounds.max_y:
            return "outside the map"
        if reason := self.cannot_pay(game.settings.price(building)):
            return reason
        cells = game.ways.grid.cells_in((left, low, right, high))
        if game.fog is not None and not game.fog.knows(cells):
            return "nobody has seen this place"
        if game.ways.grid.blocked.ravel()[cells].any():
            return "water, or something stands there"
        x, y = (left + right) / 2, (low + high) / 2
        # Box queries: does a tree or an enemy stand on the ground of the building?
        if game.units.query((left + 1, low + 1, right - 1, high - 1), groups=TREE):
            return "a tree stands there"
        if game.units.query((left, low, right, high), groups=ENEMY):
            return "an enemy stands there"
        # Radius query: towers keep a distance.
        if isinstance(building, TowerType) and game.units.any_within(x, y, APART, groups=TOWER):
            return "too close to another tower"
        if hypot(x - game.land.gate[0], y - game.land.gate[1]) < KEEP_CLEAR:
            return "too close to the gate"
        entries = (
            road.at(game.horde.entry(number) - game.horde.length + road.length)
            for number, road in enumerate(game.horde.roads)
        )
        if any(hypot(x - entry[0], y - entry[1]) < KEEP_CLEAR for entry in entries):
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
        left, low, right, high = self.box(kind, place)
        cells = game.ways.grid.cells_in((left, low, right, high))
        built: Built
        if isinstance(building, TowerType):
            built = game.garrison.build(building, (left + right) / 2, low + TOWER_FOOT)
            built.cells = cells
        else:
            x, y = (left + right) / 2, low + HOUSE_FOOT
            built = Building(0, x, y, ROLES[building.role], building, cells)
            game.houses.append(built)
            game.units.add(built, x, y, groups=built.groups)
        self._changed(built, True)
        return built

    def sell(self, built: Built) -> None:
        """Pull a building down, for a part of its price.

        Raises:
            ValueError: It was not built by the player, or is gone.
        """
        game = self.game
        if built.cells is None or built not in game.units or built.type is None:
            raise ValueError(f"only what was built can be sold, got {built!r}")
        for name, amount in game.settings.price(built.type).items():
            game.stock[name] += int(amount * game.settings.refund)
        if isinstance(built, Tower):
            game.garrison.remove(built)
        else:
            game.houses.remove(built)
            game.units.remove(built)
        self._changed(built, False)

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
        return self.game.village.add_villager(hall.x, hall.y)

    def cannot_pay(self, price: dict[str, int]) -> str | None:
        """Return what the stock lacks for a price, or None."""
        lacks = {name: amount - self.game.stock[name] for name, amount in price.items()}
        short = [f"{amount} {name}" for name, amount in lacks.items() if amount > 0]
        return f"{' and '.join(short)} short" if short else None

    def box(self, kind: str, place: Sequence[float]) -> tuple[float, float, float, float]:
        """Return the ground of a building: the box of the cells that it covers."""
        building = self._kind(kind)
        return footprint(place, building.size if isinstance(building, HouseType) else TOWER_SIZE)

    def _kind(self, kind: str) -> TowerType | HouseType:
        kinds = self.game.settings.kinds
        if kind not in kinds:
            raise KeyError(f"kind must be one of {', '.join(kinds)}, got {kind!r}")
        return kinds[kind]

    def _changed(self, built: Built, stands: bool) -> None:
        """Let everybody take notice of a building that came or went."""
        game = self.game
        (game.ways.close if stands else game.ways.open)(built.cells)
        game.horde.leave_roads()
        if game.fog is not None:
            game.fog.watch(built)
