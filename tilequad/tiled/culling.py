"""The seam between layers and the trees that answer which of their boxes are in view."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.quadtree import StaticQuadtree

__all__ = ["Index", "index_boxes"]


class Index(Protocol):
    """Anything that answers by view with ids in draw order."""

    def query(self, view: Bounds) -> NDArray[np.int32]:
        """Ascending ids of the closed boxes that share a point with the view."""

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree, for overlays and statistics."""


def index_boxes(boxes: NDArray[np.float64]) -> Index:
    """The tree of some boxes; the id of a box is its row number."""
    tree: Index = StaticQuadtree(boxes)
    return tree
