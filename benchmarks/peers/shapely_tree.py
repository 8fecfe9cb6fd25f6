"""shapely's STRtree, of GEOS, in batches."""

from __future__ import annotations

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class Shapely(Index):
    name = "shapely STRtree"
    most = 100_000

    @staticmethod
    def build(army: Army):
        import shapely

        tree = shapely.STRtree(shapely.points(army.xy))
        tree.query(shapely.box(0, 0, 0, 0))  # it builds on its first question
        return tree

    def radius_batch(self, xy, radius):
        import shapely

        return self.tree.query(shapely.points(xy), predicate="dwithin", distance=radius)

    def box_batch(self, boxes):
        import shapely

        return self.tree.query(shapely.box(*boxes.T))

    def lists(self, answer):
        of, found = answer
        return np.split(found, np.searchsorted(of, np.arange(1, of.max(initial=0) + 1)))
