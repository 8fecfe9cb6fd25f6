"""The quadtrees: compiled if a C compiler was found, otherwise run as plain Python.

Names load on first use.
"""

from typing import TYPE_CHECKING

from tilequad._core.compiled import take_compiled
from tilequad._core.lazy import on_first_use

__all__ = ["COMPILED", "Contacts", "DynamicQuadtree", "Followed", "Hit", "StaticQuadtree"]

_MODULES = {
    "COMPILED": "tilequad._core.compiled",
    "Contacts": "tilequad.quadtree.contacts",
    "DynamicQuadtree": "tilequad.quadtree.dynamic",
    "Followed": "tilequad.quadtree.followed",
    "Hit": "tilequad.quadtree.hits",
    "StaticQuadtree": "tilequad.quadtree.static",
}

if TYPE_CHECKING:
    from tilequad._core.compiled import COMPILED
    from tilequad.quadtree.contacts import Contacts
    from tilequad.quadtree.dynamic import DynamicQuadtree
    from tilequad.quadtree.followed import Followed
    from tilequad.quadtree.hits import Hit
    from tilequad.quadtree.static import StaticQuadtree
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)

take_compiled(__name__)
