# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: binding=False
"""The part of a call that no tree can avoid, compiled by `benchmarks.call_overhead`.

The arguments and the kind of answer are a tree's, but nothing is searched. The items of the answers
are drawn beforehand at random: neighbors in the world are seldom neighbors in memory.
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
        """The next items, in a list made at its full length."""
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
        """The place of the next items; starts over after the last."""
        i: cython.Py_ssize_t = self.at if self.at < self.end else 0
        self.at = i + EACH
        return i
