"""The quadtrees, compiled where there was a C compiler; the same files run without one."""

from tilequad.quadtree import _core, dynamic, region, static
from tilequad.quadtree.contacts import Contacts
from tilequad.quadtree.dynamic import DynamicQuadtree
from tilequad.quadtree.hits import Hit
from tilequad.quadtree.region import RegionQuadtree
from tilequad.quadtree.static import StaticQuadtree

__all__ = ["COMPILED", "Contacts", "DynamicQuadtree", "Hit", "RegionQuadtree", "StaticQuadtree"]

#: Whether the trees run as C. A single module that does not makes it False.
COMPILED = _core.COMPILED and all(map(_core.is_compiled, (dynamic, region, static)))


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)
