"""Tiled maps: `load_map` turns a .tmx file into a TileMap, and `TileMap.save` turns it back.

Only this package knows XML, gids, pytmx, and that Tiled's y points down.

- `load.py`, `worlds.py`: the entry points; `load_map` is a list of its steps
- `pytmx_bridge/`: the same map for code that uses pytmx
- `reload/`: the steps from a file that was saved again to the map that a game holds
- `make/`: maps, tilesets and objects made by a program
- `write/`: the steps from a map back to its file
- `read/`: the steps from a file to a map, one per file
- `model/`: what a map holds
- `index/`: finds the tiles and objects that a view, a point or a segment touches
- `geometry/`: grids of cells in every orientation, the y axis

A folder imports only from the folders below it in this list, and from the files next to this one.
What the model needs of those above is in `model/verbs.py`, which loads them on first use.

Names load on first use.
"""

from typing import TYPE_CHECKING

from tilequad._core.lazy import on_first_use

__all__ = [
    "FLIPPED_DIAGONALLY",
    "FLIPPED_HORIZONTALLY",
    "FLIPPED_VERTICALLY",
    "ROTATED_HEXAGONAL_120",
    "CollisionShape",
    "Color",
    "Group",
    "ImageLayer",
    "Layer",
    "LayerSettings",
    "Limits",
    "MapError",
    "MapObject",
    "ObjectLayer",
    "ObjectRef",
    "ObjectSettings",
    "Picture",
    "Properties",
    "Selection",
    "Template",
    "Text",
    "TileImage",
    "TileLayer",
    "TileMap",
    "TileSelection",
    "TileWindow",
    "Tileset",
    "Transformations",
    "WangBrush",
    "WangColor",
    "WangSet",
    "WangTile",
    "World",
    "WorldMap",
    "load_map",
    "load_world",
]

_MODULES = {
    "FLIPPED_DIAGONALLY": "tilequad.tiled.cells",
    "FLIPPED_HORIZONTALLY": "tilequad.tiled.cells",
    "FLIPPED_VERTICALLY": "tilequad.tiled.cells",
    "ROTATED_HEXAGONAL_120": "tilequad.tiled.cells",
    "CollisionShape": "tilequad.tiled.model.collision",
    "Color": "tilequad.tiled.model.properties",
    "Group": "tilequad.tiled.model.layer",
    "ImageLayer": "tilequad.tiled.model.image_layer",
    "Layer": "tilequad.tiled.model.layer",
    "LayerSettings": "tilequad.tiled.model.additions",
    "Limits": "tilequad.tiled.limits",
    "MapError": "tilequad.tiled.errors",
    "MapObject": "tilequad.tiled.model.map_object",
    "ObjectLayer": "tilequad.tiled.model.object_layer",
    "ObjectRef": "tilequad.tiled.model.properties",
    "ObjectSettings": "tilequad.tiled.model.object_layer",
    "Picture": "tilequad.tiled.model.pictures",
    "Properties": "tilequad.tiled.model.properties",
    "Selection": "tilequad.tiled.index.selection",
    "Template": "tilequad.tiled.model.map_object",
    "Text": "tilequad.tiled.model.map_object",
    "TileImage": "tilequad.tiled.model.pictures",
    "TileLayer": "tilequad.tiled.model.tile_layer",
    "TileMap": "tilequad.tiled.model.tile_map",
    "TileSelection": "tilequad.tiled.index.selection",
    "TileWindow": "tilequad.tiled.model.tile_layer",
    "Tileset": "tilequad.tiled.model.tilesets",
    "Transformations": "tilequad.tiled.model.tilesets",
    "WangBrush": "tilequad.tiled.model.wang_brush",
    "WangColor": "tilequad.tiled.model.wang_sets",
    "WangSet": "tilequad.tiled.model.wang_sets",
    "WangTile": "tilequad.tiled.model.wang_sets",
    "World": "tilequad.tiled.worlds",
    "WorldMap": "tilequad.tiled.worlds",
    "load_map": "tilequad.tiled.load",
    "load_world": "tilequad.tiled.worlds",
}

if TYPE_CHECKING:
    from .cells import (
        FLIPPED_DIAGONALLY,
        FLIPPED_HORIZONTALLY,
        FLIPPED_VERTICALLY,
        ROTATED_HEXAGONAL_120,
    )
    from .errors import MapError
    from .index.selection import Selection, TileSelection
    from .limits import Limits
    from .load import load_map
    from .model.additions import LayerSettings
    from .model.collision import CollisionShape
    from .model.image_layer import ImageLayer
    from .model.layer import Group, Layer
    from .model.map_object import MapObject, Template, Text
    from .model.object_layer import ObjectLayer, ObjectSettings
    from .model.pictures import Picture, TileImage
    from .model.properties import Color, ObjectRef, Properties
    from .model.tile_layer import TileLayer, TileWindow
    from .model.tile_map import TileMap
    from .model.tilesets import Tileset, Transformations
    from .model.wang_brush import WangBrush
    from .model.wang_sets import WangColor, WangSet, WangTile
    from .worlds import World, WorldMap, load_world
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)
