"""Tiled maps: the only room that knows XML, gids, pytmx, and that Tiled's y points down."""

from .errors import MapError
from .layers import ImageLayer
from .limits import Limits
from .load import load_map
from .objects import MapObject, ObjectLayer
from .pictures import TileImage
from .tilelayer import TileLayer
from .tilemap import TileMap
from .tilesets import Tileset
from .worlds import World, WorldMap, load_world

__all__ = [
    "ImageLayer",
    "Limits",
    "MapError",
    "MapObject",
    "ObjectLayer",
    "TileImage",
    "TileLayer",
    "TileMap",
    "Tileset",
    "World",
    "WorldMap",
    "load_map",
    "load_world",
]
