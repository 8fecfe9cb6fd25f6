"""Brute force: every unit is tested, by numpy or by a plain loop."""

from math import inf

import numpy as np

from benchmarks.armies import Army
from benchmarks.peers.base import Index


class NumpyScan(Index):
    name = "numpy brute force"

    def __init__(self, army: Army) -> None:
        self.x, self.y = np.ascontiguousarray(army.xy.T)
        self.rare = np.arange(army.count) % 100 == 0

    def radius(self, queries, radius):
        x, y, radius2 = self.x, self.y, radius * radius
        return [np.flatnonzero((x - qx) ** 2 + (y - qy) ** 2 <= radius2) for qx, qy in queries]

    def nearest(self, queries):
        x, y = self.x, self.y
        return [((x - qx) ** 2 + (y - qy) ** 2).argmin() for qx, qy in queries]

    def nearest_rare(self, queries):
        x, y, rare = self.x, self.y, self.rare
        return [np.where(rare, (x - qx) ** 2 + (y - qy) ** 2, inf).argmin() for qx, qy in queries]

    def k_nearest(self, queries, k):
        x, y = self.x, self.y
        distances = ((x - qx) ** 2 + (y - qy) ** 2 for qx, qy in queries)
        return [np.argpartition(d2, min(k, len(d2)) - 1)[:k] for d2 in distances]

    def box(self, queries, half):
        x, y = self.x, self.y
        return [np.flatnonzero((abs(x - qx) <= half) & (abs(y - qy) <= half)) for qx, qy in queries]

    def pairing(self, army, size):
        """Each unit against all later ones."""
        if army.count > 10_000:  # which takes too long
            return None
        x, y = self.x, self.y
        return lambda: [
            np.flatnonzero((abs(x[i + 1 :] - x[i]) <= size) & (abs(y[i + 1 :] - y[i]) <= size))
            for i in range(len(x) - 1)
        ]

    def move(self, steps):
        for item, _, _, x, y in steps:
            self.x[item], self.y[item] = x, y


class PythonScan(Index):
    """A list of tuples."""

    name = "Python list"
    most = 10_000

    def __init__(self, army: Army) -> None:
        self.units = [(i, x, y) for i, (x, y) in enumerate(army.xy.tolist())]

    def radius(self, queries, radius):
        units, radius2 = self.units, radius * radius
        return [
            [i for i, x, y in units if (x - qx) * (x - qx) + (y - qy) * (y - qy) <= radius2]
            for qx, qy in queries
        ]

    def nearest(self, queries):
        units = self.units
        return [
            min(units, key=lambda unit: (unit[1] - qx) ** 2 + (unit[2] - qy) ** 2)[0]
            for qx, qy in queries
        ]

    def box(self, queries, half):
        units = self.units
        return [
            [i for i, x, y in units if abs(x - qx) <= half and abs(y - qy) <= half]
            for qx, qy in queries
        ]

    def move(self, steps):
        for item, _, _, x, y in steps:
            self.units[item] = item, x, y
