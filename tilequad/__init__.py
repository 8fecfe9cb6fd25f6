"""Quadtrees for 2D games: cull Tiled maps to the camera, and ask who is near.

Names load on first use, so a program that needs only a tree imports numpy and nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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
    "COMPILED": "tilequad.quadtree",
    "Bounds": "tilequad.bounds",
    "DynamicQuadtree": "tilequad.quadtree",
    "MapError": "tilequad.tiled",
    "StaticQuadtree": "tilequad.quadtree",
    "load_map": "tilequad.tiled",
}

if TYPE_CHECKING:
    from tilequad.bounds import Bounds
    from tilequad.quadtree import COMPILED, DynamicQuadtree, StaticQuadtree
    from tilequad.tiled import MapError, load_map
else:  # type checkers must not see it: they would accept any name

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return [*__all__, "__version__"]
