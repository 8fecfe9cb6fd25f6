"""Tiled maps: `load_map` turns a .tmx file into a TileMap.

Only this package knows XML, gids, pytmx, and that Tiled's y points down.

- `load.py`, `worlds.py`: the front door; `load_map` reads as the list of its steps
- `read/`: the steps from a file to a map, one a file
- `model/`: what a map holds
- `index/`: which tiles and objects a view, a point or a segment touches
- `geometry/`: grids of cells in every orientation, the y axis, polygons
- `pytmx_bridge/`: the same map for code that uses pytmx

A folder imports only from the folders below it in this list, and from the files beside this one.
"""

from .cells import ACROSS, DIAGONAL, DOWN, TURN_120
from .colors import Color
from .errors import MapError
from .index.selection import Selection, TileSelection
from .limits import Limits
from .load import load_map
from .model.collision import CollisionShape
from .model.image_layer import ImageLayer
from .model.layer import Group, Layer
from .model.object_layer import MapObject, ObjectLayer
from .model.pictures import Picture, TileImage
from .model.properties import Properties
from .model.tile_layer import TileLayer
from .model.tile_map import TileMap
from .model.tilesets import Tileset, Transformations
from .model.wang_sets import WangColor, WangSet, WangTile
from .worlds import World, WorldMap, load_world

__all__ = [
    "ACROSS",
    "DIAGONAL",
    "DOWN",
    "TURN_120",
    "CollisionShape",
    "Color",
    "Group",
    "ImageLayer",
    "Layer",
    "Limits",
    "MapError",
    "MapObject",
    "ObjectLayer",
    "Picture",
    "Properties",
    "Selection",
    "TileImage",
    "TileLayer",
    "TileMap",
    "TileSelection",
    "Tileset",
    "Transformations",
    "WangColor",
    "WangSet",
    "WangTile",
    "World",
    "WorldMap",
    "load_map",
    "load_world",
]
