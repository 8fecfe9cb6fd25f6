"""Walls given by the caller, as compiled code reads them."""

from __future__ import annotations

from typing import Any

from tilequad._core.army.solids import Solids
from tilequad._core.array_kinds import Floats
from tilequad._core.shown import shown
from tilequad.quadtree import StaticQuadtree
from tilequad.quadtree.static import box_store_of


def solids_of(walls: Any) -> Solids:
    """Return the walls; raise TypeError if these are none."""
    if isinstance(walls, StaticQuadtree):
        return Solids(box_store_of(walls))
    from tilequad.nav import walls as nav_walls  # here, because a crowd without walls needs no map

    if isinstance(walls, nav_walls.Walls):
        return nav_walls.solids_of(walls)
    merged = getattr(walls, "merged", None)
    boxes = merged() if callable(merged) else None
    if isinstance(boxes, StaticQuadtree):
        return Solids(box_store_of(boxes))
    hint = "Walls(...) takes a layer, a Grid"
    raise TypeError(f"walls must be Walls or a StaticQuadtree, got {shown(walls)}; {hint}")


def shares_before(looks: Any, starts: Floats, ends: Floats) -> Any:
    """Return after which share of its way each shot meets what stops looks, (n,)."""
    from tilequad.nav import sight

    if isinstance(looks, sight.LineOfSight):
        return sight.shares_before(looks, starts, ends)
    return looks.hit_many(starts, ends)[0]
