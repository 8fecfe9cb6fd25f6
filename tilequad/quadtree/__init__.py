"""The two quadtrees. Compiled where there was a C compiler; the same files run without."""

from tilequad.quadtree import (
    batches_cy,
    buffer_cy,
    build_cy,
    cell_blocks_cy,
    cell_walk_cy,
    checks_cy,
    dynamic_cy,
    many_cy,
    motion_cy,
    nodes_cy,
    pairs_cy,
    region_cy,
    search_cy,
    static_cy,
    units_cy,
    zorder_cy,
)
from tilequad.quadtree.contacts import Contacts
from tilequad.quadtree.dynamic_cy import DynamicQuadtree
from tilequad.quadtree.region_cy import RegionQuadtree
from tilequad.quadtree.static_cy import StaticQuadtree

__all__ = ["COMPILED", "Contacts", "DynamicQuadtree", "RegionQuadtree", "StaticQuadtree"]

#: Whether the trees run as C. A single module that does not makes it False.
COMPILED = all(
    module.COMPILED
    for module in (
        batches_cy,
        buffer_cy,
        build_cy,
        cell_blocks_cy,
        cell_walk_cy,
        checks_cy,
        dynamic_cy,
        many_cy,
        motion_cy,
        nodes_cy,
        pairs_cy,
        region_cy,
        search_cy,
        static_cy,
        units_cy,
        zorder_cy,
    )
)
