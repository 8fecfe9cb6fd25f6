"""What the game reads from the map."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad.ai import Route
from tilequad.tiled import MapObject, ObjectLayer, TileMap

from .units import DROP_OFF, QUARRY, SHELTER, TREE

# Height of the trunk's foot above the lower edge of a tree's picture, in pixels.
TREE_FOOT = 6.0
# Distance between the points of a straight path that are tested for water, in pixels.
STRIDE = 14.0


@dataclass(eq=False, slots=True)
class Tree:
    """A tree: its tile in the layer "trees", the foot of its trunk, the wood it has left."""

    tile_id: int
    stump_gid: int
    x: float
    y: float
    amount: int
    full_amount: int
    radius: float = 7.0
    groups: int = TREE
    slot: int = -1


@dataclass(eq=False, slots=True)
class Building:
    """A house, a camp or a quarry. Its position is its door."""

    gid: int
    x: float
    y: float
    groups: int
    radius: float = 0.0
    slot: int = -1


class Land:
    """The map as the game uses it.

    Args:
        tile_map: The map, with the layers and objects that `maps/README.md` names.

    Attributes:
        tree_gids: The gid of each tree by tile id; 0 for ids without a tree.
    """

    def __init__(self, tile_map: TileMap) -> None:
        self.tile_map = tile_map
        self.places: list[MapObject] = tile_map.layer("places", ObjectLayer).objects
        self.road = Route(self.of_class("road")[0].points)
        self.tree_gids, self.trees = self._find_trees()
        self.buildings = list(self._find_buildings())
        self._water = self._find_water()

    def of_class(self, class_name: str) -> list[MapObject]:
        """Return the objects of one class in the layer "places", in the order of their ids."""
        return sorted(
            (item for item in self.places if item.class_name == class_name), key=lambda i: i.id
        )

    def is_dry(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Return whether a straight path between two points crosses no water."""
        steps = ceil(hypot(x1 - x0, y1 - y0) / STRIDE) + 1
        for step in range(steps + 1):
            x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
            if (int(x // 32), int(y // 32)) in self._water:
                return False
        return True

    def _find_trees(self) -> tuple[NDArray[np.int64], list[Tree]]:
        layer = self.tile_map.layer("trees")
        ids = layer.query(self.tile_map.bounds)
        gids, boxes = layer.gids(ids).astype(np.int64), layer.boxes(ids)
        by_id = np.zeros(ids.max() + 1, np.int64)
        by_id[ids] = gids
        trees = []
        for tile_id, gid, (left, low, right, _) in zip(
            ids.tolist(), gids.tolist(), boxes.tolist(), strict=True
        ):
            properties = self._properties(gid)
            if properties.get("resource") == "wood":
                stump = self.tile_map.tileset_of(gid).first_gid + properties["stump"]
                x, amount = (left + right) / 2, properties["amount"]
                trees.append(Tree(tile_id, stump, x, low + TREE_FOOT, amount, amount))
        return by_id, trees

    def _properties(self, gid: int) -> dict[str, Any]:
        """Return the properties of a tile in its tileset."""
        tileset = self.tile_map.tileset_of(gid)
        return tileset.tile_properties(gid - tileset.first_gid)

    def _find_buildings(self) -> list[Building]:
        groups_of_class = {
            "town_hall": DROP_OFF | SHELTER,
            "drop_off": DROP_OFF,
            "shelter": SHELTER,
            "resource": QUARRY,
        }
        found = []
        for class_name, groups in groups_of_class.items():
            for item in self.of_class(class_name):
                x = (item.bounds.min_x + item.bounds.max_x) / 2
                found.append(Building(item.gid, x, item.bounds.min_y, groups))
        return found

    def _find_water(self) -> set[tuple[int, int]]:
        """Return the cells of open water without a bridge: column, and row from the bottom."""
        tile_map = self.tile_map
        ground, roads = tile_map.layer("ground"), tile_map.layer("roads")
        ids = ground.ids()
        gids = ground.gids(ids)
        solid = [gid for gid in np.unique(gids).tolist() if self._properties(gid).get("solid")]
        rows = tile_map.size[1]
        wet = ground.cells(ids[np.isin(gids, solid)])
        crossed = roads.cells(roads.ids())
        return {(column, rows - 1 - row) for column, row in wet.tolist()} - {
            (column, rows - 1 - row) for column, row in crossed.tolist()
        }
