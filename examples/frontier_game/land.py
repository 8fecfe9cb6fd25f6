"""What the game reads from the map."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, hypot, inf
from typing import Any

import numpy as np

from tilequad.ai import Route
from tilequad.tiled import MapObject, TileMap

from .units import DROP_OFF, QUARRY, SHELTER, TREE

# How far above the lower edge of a tree's picture its trunk meets the ground, in pixels.
TREE_FOOT = 6.0
# How far apart the points are at which a straight way is tried for water, in pixels.
STRIDE = 14.0


@dataclass(eq=False, slots=True)
class Tree:
    """A tree: its id in the layer "trees", where its trunk stands, the wood it gives."""

    number: int
    x: float
    y: float
    amount: int
    full: int
    radius: float = 7.0
    mass: float = inf
    groups: int = TREE
    slot: int = -1


@dataclass(eq=False, slots=True)
class Building:
    """A house, a camp, a quarry; it stands at its door."""

    gid: int
    kind: str
    x: float
    y: float
    groups: int
    radius: float = 0.0
    mass: float = inf
    slot: int = -1


class Land:
    """The map as the game sees it.

    Args:
        world: The map, with the layers and objects that `maps/README.md` names.
    """

    def __init__(self, world: TileMap) -> None:
        self.world = world
        self.places: list[MapObject] = world.layer("places").objects
        self.road = Route(self.of_type("road")[0].points)
        self.trees = list(self._trees())
        self.buildings = list(self._buildings())
        self._water = self._find_water()

    def of_type(self, kind: str) -> list[MapObject]:
        """The places of one type, in the order in which they were made."""
        found = (item for item in self.places if item.class_name == kind)
        return sorted(found, key=lambda item: item.id)

    def is_dry(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether one can walk straight from one point to another and never gets wet."""
        steps = ceil(hypot(x1 - x0, y1 - y0) / STRIDE) + 1
        for step in range(steps + 1):
            x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
            if (int(x // 32), int(y // 32)) in self._water:
                return False
        return True

    def _trees(self) -> list[Tree]:
        layer = self.world.layer("trees")
        ids = layer.ids()
        gids, boxes = layer.gids(ids).tolist(), layer.boxes(ids).tolist()
        found = []
        for number, gid, (left, low, right, _) in zip(ids.tolist(), gids, boxes, strict=True):
            says = self._says(gid)
            if says.get("resource") == "wood":
                middle, amount = (left + right) / 2, says["amount"]
                found.append(Tree(number, middle, low + TREE_FOOT, amount, amount))
        return found

    def stump_gids(self) -> np.ndarray:
        """By the id of a tree, the gid of the stump it leaves."""
        layer = self.world.layer("trees")
        gids = layer.gids(np.arange(layer.id_limit))
        stumps: np.ndarray = gids.copy()
        for gid in np.unique(gids[gids != 0]).tolist():
            stump = self._says(gid).get("stump")
            if stump is not None:
                stumps[gids == gid] = self.world.tileset_of(gid).first_gid + stump
        return stumps

    def _says(self, gid: int) -> dict[str, Any]:
        """The properties that a tile has in its tileset."""
        tileset = self.world.tileset_of(gid)
        return tileset.tile_properties(gid - tileset.first_gid)

    def _buildings(self) -> list[Building]:
        groups = {
            "town_hall": DROP_OFF | SHELTER,
            "drop_off": DROP_OFF,
            "shelter": SHELTER,
            "resource": QUARRY,
        }
        found = []
        for kind, mask in groups.items():
            for item in self.of_type(kind):
                middle = (item.bounds.min_x + item.bounds.max_x) / 2
                found.append(Building(item.gid, kind, middle, item.bounds.min_y, mask))
        return found

    def _find_water(self) -> set[tuple[int, int]]:
        """The cells one cannot walk on, by column and row from the lower left."""
        world = self.world
        ground, roads = world.layer("ground"), world.layer("roads")
        ids = ground.ids()
        gids = ground.gids(ids)
        solid = [gid for gid in np.unique(gids).tolist() if self._says(gid).get("solid")]
        rows = world.size[1]
        wet = ground.cells(ids[np.isin(gids, solid)])
        crossed = roads.cells(roads.ids())
        return {(column, rows - 1 - row) for column, row in wet.tolist()} - {
            (column, rows - 1 - row) for column, row in crossed.tolist()
        }
