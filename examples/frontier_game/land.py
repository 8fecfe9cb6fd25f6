"""What the game reads from the map."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from tilequad import StaticQuadtree
from tilequad.ai import Route
from tilequad.nav import BLOCKED, Grid, LineOfSight, Rule
from tilequad.tiled import MapObject, TileMap

from .settings import HouseType
from .units import DROP_OFF, MINE, QUARRY, SHELTER

# Height of the trunk's foot above the lower edge of a tree's picture, in pixels.
TREE_FOOT = 6.0


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


@dataclass(eq=False, slots=True)
class Building:
    """A house, a camp, a quarry or a mine. Its position is its door."""

    gid: int
    x: float
    y: float
    groups: int
    type: HouseType | None = None
    """What the player has built; None for what stands on the map."""
    radius: float = 0.0


class Land:
    """The map as the game uses it. It does not keep the map, so that a game can be saved.

    Args:
        tile_map: The map, with the layers and objects that `maps/README.md` names.

    Attributes:
        roads: The ways of the enemies, from the east and from the west, to the same gate.
        gate: Their end.
        camera: Where the camera starts, in world units.
        sites: Ringed stones: the steward builds on them, and they are high ground.
        tree_gids: The gid of each tree by tile id; 0 for ids without a tree.
        hall: The town hall.
        grid: Where one can walk, and what one can see across.
        paths: Tells which straight paths cross no water.
    """

    def __init__(self, tile_map: TileMap) -> None:
        road = _of_class(tile_map, "road")[0]
        # The other road is a property: corners in pixels from the upper left, as Tiled counts them.
        corners = [corner.split(",") for corner in str(road.properties["west_road"]).split()]
        west = [(float(x), tile_map.bounds.max_y - float(y)) for x, y in corners]
        self.roads = [Route(road.points), Route(west)]
        x, y = self.roads[0].points[-1].tolist()
        self.gate = (x, y)
        self.camera = _positions(tile_map, "camera")[0]
        self.sites = _positions(tile_map, "tower")
        self.tree_gids, self.trees = _find_trees(tile_map)
        self.buildings = _find_buildings(tile_map)
        self.hall = next(one for one in self.buildings if one.groups == DROP_OFF | SHELTER)
        self.paths = LineOfSight(_find_water(tile_map))
        self.grid = _find_grid(tile_map)


def _of_class(tile_map: TileMap, class_name: str) -> list[MapObject]:
    """Return the objects of one class, in the order of their ids."""
    return sorted(tile_map.objects(class_name=class_name), key=attrgetter("id"))


def _positions(tile_map: TileMap, class_name: str) -> list[tuple[float, float]]:
    return [(one.x, one.y) for one in _of_class(tile_map, class_name)]


def _find_trees(tile_map: TileMap) -> tuple[NDArray[np.int64], list[Tree]]:
    """Return the gid of each tree by tile id, and the trees that give wood."""
    layer = tile_map.layer("trees")
    by_id = np.zeros(layer.id_limit, np.int64)
    by_id[layer.ids()] = layer.gids(layer.ids())
    ids = layer.select({"resource": "wood"}).ids
    trees = []
    for tile_id, (left, low, right, _) in zip(ids.tolist(), layer.boxes(ids).tolist(), strict=True):
        gid = int(by_id[tile_id])
        tileset = tile_map.tileset_of(gid)
        properties = tileset.tile_properties(gid - tileset.first_gid)
        x, amount = (left + right) / 2, properties["amount"]
        stump = tileset.first_gid + properties["stump"]
        trees.append(Tree(tile_id, stump, x, low + TREE_FOOT, amount, amount))
    return by_id, trees


def _find_buildings(tile_map: TileMap) -> list[Building]:
    groups_of_class = {
        "town_hall": DROP_OFF | SHELTER,
        "drop_off": DROP_OFF,
        "shelter": SHELTER,
        "resource": QUARRY,  # of stone, if the map does not say gold
    }
    found = []
    for class_name, groups in groups_of_class.items():
        for item in _of_class(tile_map, class_name):
            own = MINE if item.properties.get("resource") == "gold" else groups
            found.append(Building(item.gid, item.bounds.center[0], item.bounds.min_y, own))
    return found


def _find_water(tile_map: TileMap) -> StaticQuadtree:
    """Return the cells of open water without a bridge."""
    ground, roads = tile_map.layer("ground"), tile_map.layer("roads")
    wet = ground.select({"solid": True}).ids
    # Layers of one size give the same id to the same cell.
    return StaticQuadtree(ground.boxes(wet[~np.isin(wet, roads.ids())]))


def _find_grid(tile_map: TileMap) -> Grid:
    """Return what the layers of the map allow, in a grid that does not keep the map."""
    classes = ("town_hall", "shelter", "drop_off", "resource", "building")
    found = Grid.of(
        tile_map,
        Rule("ground", BLOCKED, {"solid": True}, opaque=False),
        Rule("trees", 3.0),
        *(Rule("decor", 4.0, class_name=crop) for crop in ("wheat", "cabbage", "sown")),
        Rule("roads", 0.6),  # and a bridge opens the water below
        *(Rule("places", BLOCKED, class_name=name, covered=0.5) for name in classes),
    )
    return Grid(found.costs, opaque=found.opaque, cell_size=found.cell_size)
