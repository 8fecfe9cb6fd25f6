"""The quadtrees: compiled if a C compiler was found, otherwise run as plain Python.

Names load on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["COMPILED", "Contacts", "DynamicQuadtree", "Hit", "StaticQuadtree"]

_MODULES = {
    "COMPILED": "tilequad._core.compiled",
    "Contacts": "tilequad.quadtree.contacts",
    "DynamicQuadtree": "tilequad.quadtree.dynamic",
    "Hit": "tilequad.quadtree.hits",
    "StaticQuadtree": "tilequad.quadtree.static",
}

if TYPE_CHECKING:
    from tilequad._core.compiled import COMPILED
    from tilequad.quadtree.contacts import Contacts
    from tilequad.quadtree.dynamic import DynamicQuadtree
    from tilequad.quadtree.hits import Hit
    from tilequad.quadtree.static import StaticQuadtree
else:  # type checkers must not see it: they would accept any name

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used (PEP 562)."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return list(__all__)
