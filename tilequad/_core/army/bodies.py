"""The units of some groups, copied out of their tree: positions, footprints and weights."""

from __future__ import annotations

from array import array
from typing import Any

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.tree.layout import COUNT, FIRST, place_of
from tilequad._core.tree.units import UnitStore

# Flags of a unit: others push it; it pushes others; it has been taken out of a wall.
PUSHED: cython.int = 1
PUSHES: cython.int = 2
LEFT_WALL: cython.int = 4
PI: cython.double = 3.141592653589793
LIGHTEST: cython.double = 1e-150  # the least mass; smaller ones are raised to it


@cython.cclass
class Bodies:
    """The units of some groups, numbered leaf by leaf of their tree.

    Neighbors get neighboring numbers, which is kind to the cache. No result may depend on the
    numbers, because the leaves depend on the whole history of the tree.
    """

    __slots__ = {
        "store": "UnitStore",
        "pushed": "int",
        "others": "int",
        "without": "int",
        "n": "int",
        "begin": "int[::1]",
        "end": "int[::1]",
        "number": "int[::1]",
        "slots": "int[::1]",
        "flags": "int[::1]",
        "start_x": "double[::1]",
        "start_y": "double[::1]",
        "x": "double[::1]",
        "y": "double[::1]",
        "half_w": "double[::1]",
        "half_h": "double[::1]",
        "weight": "double[::1]",
    }

    def __init__(
        self, store: UnitStore, pushed: cython.int, others: cython.int, without: cython.int
    ) -> None:
        self.store = store
        self.pushed = pushed  # groups that are pushed
        self.others = others  # groups that push
        self.without = without  # groups that do neither
        self.n = 0
        # The units of leaf q are begin[q] .. end[q]. The array by slot holds numbers, or -1; all
        # others are by number.

    def collect(self, mass: cython.double[::1] | None) -> int:
        """Number the units; return a slot that `mass` has no row for, or -1."""
        store: UnitStore = self.store
        order: cython.int[::1] = array("i", [0]) * store.nodes.live
        k: cython.Py_ssize_t
        q: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        first: cython.Py_ssize_t
        at: cython.Py_ssize_t
        slot: cython.int
        u: cython.int = 0
        self.begin = array("i", [0]) * (4 * store.nodes.used)
        self.end = array("i", [0]) * (4 * store.nodes.used)
        self.number = array("i", [-1]) * max(store.slots, 1)
        self.slots = array("i", [0]) * store.count
        self.flags = array("i", [0]) * store.count
        zeros: Any = array("d", [0.0]) * store.count
        self.start_x, self.start_y, self.x, self.y = [zeros[:] for _ in range(4)]
        self.half_w, self.half_h, self.weight = [zeros[:] for _ in range(3)]
        for k in range(store.nodes.write_preorder(order)):
            for q in range(4 * order[k], 4 * order[k] + 4):
                at = place_of(q)
                first = store.nodes.links[at + FIRST]
                self.begin[q] = u
                for entry in range(first, first + store.nodes.links[at + COUNT]):
                    if (store.masks[entry] & (self.pushed | self.others)) == 0:
                        continue
                    if (store.masks[entry] & self.without) != 0:
                        continue
                    slot = store.slot_of[entry]
                    self.number[slot] = u
                    self.slots[u] = slot
                    self.start_x[u] = self.x[u] = store.xs[entry]
                    self.start_y[u] = self.y[u] = store.ys[entry]
                    self.half_w[u] = store.half_w[slot]
                    self.half_h[u] = store.half_h[slot]
                    if (store.masks[entry] & self.others) != 0:
                        self.flags[u] = PUSHES
                    if (store.masks[entry] & self.pushed) != 0:
                        self.flags[u] |= PUSHED
                        if mass is None:
                            self.weight[u] = 1.0 / max(self.area(u), LIGHTEST)
                        elif slot < len(mass):
                            self.weight[u] = 1.0 / max(mass[slot], LIGHTEST)
                        else:
                            return slot
                    u += 1
                self.end[q] = u
        self.n = u
        return -1

    def area(self, u: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The area of a footprint."""
        if self.half_h[u] < 0.0:
            return PI * self.half_w[u] * self.half_w[u]
        return 4.0 * self.half_w[u] * self.half_h[u]

    def extent(self, u: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The larger half extent of a footprint."""
        return max(self.half_w[u], self.half_h[u])
