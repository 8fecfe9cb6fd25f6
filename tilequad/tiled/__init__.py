"""Tiled maps: the only room that knows XML, gids, pytmx, and that Tiled's y points down."""

from .cells import ACROSS, DIAGONAL, DOWN, TURN_120
from .colors import Color
from .errors import MapError
from .index.selection import Selection, TileSelection
from .limits import Limits
from .load import load_map
from .model.collision import CollisionShape
from .model.image_layer import ImageLayer
from .model.layer import Layer
from .model.object_layer import MapObject, ObjectLayer
from .model.pictures import Picture, TileImage
from .model.tile_layer import TileLayer
from .model.tile_map import TileMap
from .model.tilesets import Tileset
from .worlds import World, WorldMap, load_world

__all__ = [
    "ACROSS",
    "DIAGONAL",
    "DOWN",
    "TURN_120",
    "CollisionShape",
    "Color",
    "ImageLayer",
    "Layer",
    "Limits",
    "MapError",
    "MapObject",
    "ObjectLayer",
    "Picture",
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
