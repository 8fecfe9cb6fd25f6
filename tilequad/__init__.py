"""Quadtrees for 2D games: cull Tiled maps to the camera, and ask who is near.

Names load on first use, so a program that needs only a tree imports numpy and nothing else.
"""

from typing import TYPE_CHECKING

from tilequad._core.lazy import on_first_use

__all__ = [
    "COMPILED",
    "Bounds",
    "DynamicQuadtree",
    "MapError",
    "StaticQuadtree",
    "load_map",
]

__version__ = "0.1.0"

_MODULES = {
    "COMPILED": "tilequad._core.compiled",
    "Bounds": "tilequad.bounds",
    "DynamicQuadtree": "tilequad.quadtree",
    "MapError": "tilequad.tiled",
    "StaticQuadtree": "tilequad.quadtree",
    "load_map": "tilequad.tiled",
}

if TYPE_CHECKING:
    from tilequad._core.compiled import COMPILED
    from tilequad.bounds import Bounds
    from tilequad.quadtree import DynamicQuadtree, StaticQuadtree
    from tilequad.tiled import MapError, load_map
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES, "__version__")
