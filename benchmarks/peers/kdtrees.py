"""k-d trees: scipy's and pykdtree's. They are static: when units move, a new tree is built."""

from __future__ import annotations

from math import inf

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class ScipyTree(Index):
    name = "scipy cKDTree"

    @staticmethod
    def build(army: Army):
        from scipy.spatial import cKDTree

        return cKDTree(army.xy)

    def radius(self, queries, radius):
        ball = self.tree.query_ball_point
        return [ball(place, radius) for place in queries]

    def nearest(self, queries):
        query = self.tree.query
        return [query(place) for place in queries]

    def k_nearest(self, queries, k):
        query = self.tree.query
        return [query(place, k)[1] for place in queries]

    def radius_batch(self, xy, radius):
        return self.tree.query_ball_point(xy, radius)

    def nearest_batch(self, xy):
        return self.tree.query(xy)

    def k_nearest_batch(self, xy, k):
        return self.tree.query(xy, k)

    def count_batch(self, xy, radius):
        return self.tree.query_ball_point(xy, radius, return_length=True)

    def pairing(self, army, size):
        """Built from the positions in every frame."""
        return lambda: self.build(army).query_pairs(size, p=inf, output_type="ndarray")

    def move_all(self, xy):
        self.tree = type(self.tree)(xy)

    def around(self, places, half):
        return self.tree.query_ball_point(places, half, p=inf)

    def one(self, answer):
        return int(answer[1])


class PyKDTree(Index):
    name = "pykdtree"

    @staticmethod
    def build(army: Army):
        from pykdtree.kdtree import KDTree

        return KDTree(army.xy)

    def nearest_batch(self, xy):
        return self.tree.query(xy)

    def k_nearest_batch(self, xy, k):
        return self.tree.query(xy, k)
