"""Quadtrees for 2D games: cull Tiled maps to the camera, and ask who is near."""

from tilequad.bounds import Bounds
from tilequad.draw import image as _image  # noqa: F401  so that tilequad.draw.image is there
from tilequad.quadtree import COMPILED, DynamicQuadtree, StaticQuadtree
from tilequad.tiled import MapError, load_map

__all__ = [
    "COMPILED",
    "Bounds",
    "DynamicQuadtree",
    "MapError",
    "StaticQuadtree",
    "load_map",
]

__version__ = "0.1.0"
