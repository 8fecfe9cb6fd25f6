"""Tiled maps: the only room that knows XML, gids, pytmx, and that Tiled's y points down."""

from .colliding import CollisionShape
from .errors import MapError
from .layers import ImageLayer
from .limits import Limits
from .load import load_map
from .objects import MapObject, ObjectLayer
from .pictures import TileImage
from .selecting import Selection, TileSelection
from .tilelayer import TileLayer
from .tilemap import TileMap
from .tilesets import Tileset
from .worlds import World, WorldMap, load_world

__all__ = [
    "CollisionShape",
    "ImageLayer",
    "Limits",
    "MapError",
    "MapObject",
    "ObjectLayer",
    "Selection",
    "TileImage",
    "TileLayer",
    "TileMap",
    "TileSelection",
    "Tileset",
    "World",
    "WorldMap",
    "load_map",
    "load_world",
]
