"""Which cells are connected: a label for each area, kept up to date.

Opening cells joins areas, which is quick: one label becomes another's child. Closing cells may cut
an area in two. Then searches start on all sides and take turns until they meet, or until all but
one are exhausted: the exhausted ones have found the parts cut off. So the cost depends on the
smaller parts.
"""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.ground import Ground


@cython.cclass
class Areas:
    """The area of each cell.

    Args:
        ground: The cells.
        labels: A label for each place, 0 for closed cells.
    """

    __slots__ = {
        "ground": "Ground",
        "labels": "int[::1]",
        "parents": "IntBuffer",
        "stack": "IntBuffer",
    }

    def __init__(self, ground: Ground, labels: memoryview) -> None:
        self.ground = ground
        self.labels = labels
        self.stack = IntBuffer(256)
        self.label_all()

    def label_all(self) -> None:
        """Label all cells from scratch."""
        place: cython.Py_ssize_t
        self.parents = IntBuffer(256)
        self.parents.append(0)
        with cython.nogil:
            for place in range(len(self.labels)):
                self.labels[place] = 0
            for place in range(len(self.labels)):
                if self.ground.codes[place] != 0 and self.labels[place] == 0:
                    self.flood(place, self.new_label())

    def new_label(self) -> RaisesNoGil[cython.int]:
        """Return an unused label."""
        label: cython.int = cython.cast(cython.int, self.parents.used)
        self.parents.append(label)
        return label

    def root(self, label: cython.int) -> NoGil[cython.int]:
        """Return the root label of an area."""
        while self.parents.values[label] != label:
            self.parents.values[label] = self.parents.values[self.parents.values[label]]
            label = self.parents.values[label]
        return label

    def join(self, label: cython.int, other: cython.int) -> NoGil[None]:
        """Merge two areas; the older label stays."""
        label = self.root(label)
        other = self.root(other)
        if label < other:
            self.parents.values[other] = label
        else:
            self.parents.values[label] = other

    def flood(self, place: cython.Py_ssize_t, label: cython.int) -> RaisesNoGil[cython.int]:
        """Label all cells that can be reached from a cell."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        base: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        other: cython.Py_ssize_t
        self.labels[place] = label
        self.stack.used = 0
        self.stack.append(cython.cast(cython.int, place))
        while self.stack.used:
            self.stack.used -= 1
            place = self.stack.values[self.stack.used]
            base = self.ground.parity_of(place)
            moves = self.ground.moves[place]
            for i in range(self.ground.counts[moves]):
                k = self.ground.orders[8 * moves + i]
                other = place + self.ground.offsets[base + k]
                if self.labels[other] == 0:
                    self.labels[other] = label
                    self.stack.append(cython.cast(cython.int, other))
        return 0

    def update(self, places: cython.int[::1]) -> None:
        """Follow a change of cells that are near each other."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        place: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        sides: dict[int, list[int]] = {}
        closed: cython.bint = False
        for i in range(len(places)):
            place = places[i]
            if self.ground.codes[place] == 0:
                self.labels[place] = 0
                closed = True
            elif self.labels[place] == 0:
                self.labels[place] = self.new_label()
        for i in range(len(places)):
            self.join_around(places[i])
        if not closed:
            return
        seen = set()
        for i in range(len(places)):
            place = places[i]
            base = self.ground.parity_of(place)
            for k in range(-1, self.ground.directions):
                other = place if k < 0 else place + self.ground.offsets[base + k]
                if self.labels[other] != 0 and other not in seen:
                    seen.add(other)
                    sides.setdefault(self.root(self.labels[other]), []).append(other)
        for label in sorted(sides):
            if len(sides[label]) > 1:
                self.split(label, sides[label])

    def join_around(self, place: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Join the areas that the moves from a cell and its neighbors connect."""
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        base: cython.Py_ssize_t = self.ground.parity_of(place)
        start: cython.Py_ssize_t
        other: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        for n in range(-1, self.ground.directions):
            start = place if n < 0 else place + self.ground.offsets[base + n]
            moves = self.ground.moves[start]
            for i in range(self.ground.counts[moves]):
                k = self.ground.orders[8 * moves + i]
                other = start + self.ground.offsets[self.ground.parity_of(start) + k]
                if self.labels[start] != 0 and self.labels[other] != 0:
                    self.join(self.labels[start], self.labels[other])
        return 0

    def split(self, label: int, starts: list[int]) -> None:
        """Test whether cells of one area are still connected; give parts cut off new labels.

        Cells that a search has seen are marked with its number, below 0.
        """
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        s: cython.Py_ssize_t
        place: cython.Py_ssize_t
        other: cython.Py_ssize_t
        base: cython.Py_ssize_t
        moves: cython.Py_ssize_t
        mark: cython.Py_ssize_t
        searches = [[start] for start in starts]
        done = [0] * len(starts)
        group = list(range(len(starts)))
        for s in range(len(starts)):
            self.labels[starts[s]] = cython.cast(cython.int, -1 - s)
        active = list(range(len(starts)))
        groups = len(starts)
        while groups > 1:
            for s in active:
                if done[s] == len(searches[s]):
                    continue
                place = searches[s][done[s]]
                done[s] += 1
                base = self.ground.parity_of(place)
                moves = self.ground.moves[place]
                for i in range(self.ground.counts[moves]):
                    k = self.ground.orders[8 * moves + i]
                    other = place + self.ground.offsets[base + k]
                    mark = -1 - self.labels[other]
                    if mark < 0:
                        self.labels[other] = cython.cast(cython.int, -1 - s)
                        searches[s].append(other)
                    elif top_of(group, mark) != top_of(group, s):
                        group[top_of(group, mark)] = top_of(group, s)
                        groups -= 1
            active = [s for s in active if done[s] < len(searches[s])]
            if len({top_of(group, s) for s in active}) <= 1:
                break
        # The group that is still searching, or the only one, keeps the label.
        kept = top_of(group, active[0]) if active else top_of(group, 0)
        labels = {kept: label}
        for s in range(len(starts)):
            top = top_of(group, s)
            if top not in labels:
                labels[top] = self.new_label()
            for found in searches[s]:
                self.labels[found] = labels[top]

    def root_of(self, label: int) -> int:
        """The label of the area that a label belongs to."""
        return self.root(label)

    def area_at(self, place: int) -> int:
        """The label of the area of a cell, 0 if it is closed."""
        return self.root(self.labels[place])


def top_of(group: list[int], s: int) -> int:
    """Return the search that represents all searches that one has met."""
    while group[s] != s:
        group[s] = group[group[s]]
        s = group[s]
    return s
