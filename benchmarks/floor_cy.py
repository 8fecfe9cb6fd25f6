# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: binding=False
"""What no tree can leave out of a call: compiled when `benchmarks.floors` asks for it.

The same arguments as a tree's and the same kind of answer, but nothing is searched: the items given
back are drawn beforehand, at random places, as those of units that stand together are.
"""

import cython

EACH = 8  # items in a list


@cython.cclass
class Floor:
    """A tree's `within`, `nearest`, `k_nearest` and `move` without the tree."""

    items: list
    slots: dict
    places: cython.Py_ssize_t[::1]
    at: cython.Py_ssize_t
    end: cython.Py_ssize_t
    moved: cython.Py_ssize_t

    def __init__(self, items: list, places: cython.Py_ssize_t[::1]) -> None:
        self.items = items
        self.slots = dict(zip(items, range(len(items)), strict=True))
        self.places = places
        self.end = len(places)
        self.at = 0

    def within(self, x: cython.double, y: cython.double, radius: cython.double) -> list:
        return self.handful()

    def k_nearest(self, x: cython.double, y: cython.double, k: cython.Py_ssize_t) -> list:
        return self.handful()

    def nearest(self, x: cython.double, y: cython.double) -> object:
        return self.items[self.places[self.turn()]]

    def move(self, item: object, x: cython.double, y: cython.double) -> None:
        self.moved = self.slots[item]

    @cython.cfunc
    def handful(self) -> list:
        """The next items, in a list that is made at its full length."""
        items: list = self.items
        p: cython.Py_ssize_t[::1] = self.places
        i: cython.Py_ssize_t = self.turn()
        return [
            items[p[i]],
            items[p[i + 1]],
            items[p[i + 2]],
            items[p[i + 3]],
            items[p[i + 4]],
            items[p[i + 5]],
            items[p[i + 6]],
            items[p[i + 7]],
        ]

    @cython.cfunc
    @cython.exceptval(check=False)
    def turn(self) -> cython.Py_ssize_t:
        """Where the next items are told; the same ones again when all had their turn."""
        i: cython.Py_ssize_t = self.at if self.at < self.end else 0
        self.at = i + EACH
        return i
