"""Which cells are connected: a label for each area, kept up to date.

Opening cells joins areas, which is quick: one label becomes another's child. Closing cells may cut
an area in two. Then searches start on all sides and take turns until they meet, or until all but
one are exhausted: the exhausted ones have found the parts cut off. So the cost depends on the
smaller parts; where those are large as well, all cells are labeled anew.
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, RaisesNoGil
from tilequad._core.buffers import IntBuffer
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.layout import BORDER, LATTICE

PATIENCE: cython.Py_ssize_t = 128  # a search takes so many times as long for a cell as labeling


@cython.final
@cython.cclass
class Areas:
    """The area of each cell.

    Args:
        ground: The cells.
    """

    __slots__ = {
        "ground": "Ground",
        "known": "bint",  # whether the cells are labeled yet
        "labels": "int[::1]",  # by place, 0 for closed cells
        "parents": "IntBuffer",  # by label: the label that it was joined to, or itself
        "pitch": "double",
    }

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.pitch = ground.shape.pitch()
        self.labels = ground.by_place(np.int32).data
        self.parents = IntBuffer(256)
        self.known = False

    def know(self) -> RaisesNoGil[cython.int]:
        """Label the cells, at the first question that depends on it."""
        if not self.known:
            with cython.gil:
                self.label_all()
        return 0

    def label_all(self) -> Object[None]:
        """Label all cells from scratch: each takes the label of an earlier cell beside it.

        Open cells that share an edge are connected. If a move across a corner passes an open cell,
        it connects no others.
        """
        codes: cython.p_uchar = (
            cython.address(self.ground.codes[0]) if cython.compiled else self.ground.codes
        )
        labels: cython.p_int = cython.address(self.labels[0]) if cython.compiled else self.labels
        earlier = cython.declare(cython.int[16])
        ends = cython.declare(cython.Py_ssize_t[2])
        self.parents = IntBuffer(256)
        self.parents.append(0)
        with cython.nogil:
            ends[0] = 0
            ends[1] = 8
            for k in range(16):  # of even lines, then of odd ones
                if self.ground.offsets[k] < 0 and (
                    self.ground.edges >> (k & 7) & 1 or self.ground.need == 0
                ):
                    earlier[ends[k >> 3]] = self.ground.offsets[k]
                    ends[k >> 3] += 1
            for place in range(len(self.labels)):
                labels[place] = 0
                if codes[place] == 0:
                    continue
                odd = self.ground.parity_of(place) >> 3 if self.ground.kind != LATTICE else 0
                found: cython.int = 0
                for i in range(8 * odd, ends[odd]):
                    label = labels[place + earlier[i]]
                    if label != 0 and label != found:
                        if found != 0:
                            self.join(found, label)
                        found = label
                labels[place] = found if found != 0 else self.new_label()
            self.number_anew()
        self.known = True

    def number_anew(self) -> RaisesNoGil[cython.int]:
        """Give each area one label, in the order of their first cells."""
        label: cython.int
        count: cython.int = 0
        for label in range(1, cython.cast(cython.int, self.parents.used)):
            if self.parents.values[label] == label:
                count += 1
                self.parents.values[label] = count
            else:  # an older label, so it has its number
                self.parents.values[label] = self.parents.values[self.parents.values[label]]
        for place in range(len(self.labels)):
            self.labels[place] = self.parents.values[self.labels[place]]
        for label in range(1, count + 1):
            self.parents.values[label] = label
        self.parents.used = count + 1
        return 0

    def new_label(self) -> RaisesNoGil[cython.int]:
        """Return an unused label."""
        label = cython.cast(cython.int, self.parents.used)
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

    def update(self, cells: cython.int[::1]) -> None:
        """Follow a change of cells: those that have opened or closed, which are near each other."""
        sides: dict[int, list[int]] = {}
        changed: list[int] = []
        closed = False
        if not self.known:
            return
        for i in range(len(cells)):
            place: cython.Py_ssize_t = self.ground.place_of(cells[i])
            if (self.ground.codes[place] == 0) == (self.labels[place] == 0):
                continue  # only its cost is another one
            changed.append(place)
            if self.labels[place] == 0:
                self.labels[place] = self.new_label()
            else:
                self.labels[place] = 0
                closed = True
        for place in changed:
            self.join_around(place)
        if not closed:
            return
        seen = set()
        for place in changed:
            base = self.ground.parity_of(place)
            for k in range(-1, self.ground.directions):
                other = place if k < 0 else place + self.ground.offsets[base + k]
                if self.labels[other] != 0 and other not in seen:
                    seen.add(other)
                    sides.setdefault(self.root(self.labels[other]), []).append(other)
        for label in sorted(sides):
            if len(sides[label]) > 1 and not self.split(label, sides[label]):
                self.label_all()
                return

    def join_around(self, place: cython.Py_ssize_t) -> RaisesNoGil[cython.int]:
        """Join the areas that the moves from a cell and its neighbors connect."""
        i: cython.Py_ssize_t
        base = self.ground.parity_of(place)
        for n in range(-1, self.ground.directions):
            start = place if n < 0 else place + self.ground.offsets[base + n]
            moves: cython.Py_ssize_t = self.ground.moves[start]
            for i in range(self.ground.counts[moves]):
                k: cython.Py_ssize_t = self.ground.orders[8 * moves + i]
                other = start + self.ground.offsets[self.ground.parity_of(start) + k]
                if self.labels[start] != 0 and self.labels[other] != 0:
                    self.join(self.labels[start], self.labels[other])
        return 0

    def split(self, label: int, starts: list[int]) -> bool:
        """Test whether cells of one area are still connected; give new labels to parts cut off.

        Cells that a search has seen are marked with its number, below 0. Returns False, and leaves
        the marks, if labeling all cells anew takes less than going on.
        """
        i: cython.Py_ssize_t
        s: cython.Py_ssize_t
        searches = [[start] for start in starts]
        done = [0] * len(starts)
        group = list(range(len(starts)))
        for s in range(len(starts)):
            self.labels[starts[s]] = cython.cast(cython.int, -1 - s)
        active = list(range(len(starts)))
        groups = len(starts)
        left = len(self.labels) // PATIENCE + 64
        while groups > 1:
            left -= len(active)
            if left < 0:
                return False
            for s in active:
                if done[s] == len(searches[s]):
                    continue
                place: cython.Py_ssize_t = searches[s][done[s]]
                done[s] += 1
                base = self.ground.parity_of(place)
                moves: cython.Py_ssize_t = self.ground.moves[place]
                for i in range(self.ground.counts[moves]):
                    k: cython.Py_ssize_t = self.ground.orders[8 * moves + i]
                    other: cython.Py_ssize_t = place + self.ground.offsets[base + k]
                    mark: cython.Py_ssize_t = -1 - self.labels[other]
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
        return True

    # -- answers -----------------------------------------------------------------------------------

    def areas_of(self, cells: cython.int[::1]) -> np.ndarray:
        """The areas of cells, int32; 0 for closed cells and for -1."""
        found = np.zeros(len(cells), np.int32)
        areas: cython.int[::1] = found.data
        self.know()
        for i in range(len(cells)):
            if cells[i] >= 0:
                areas[i] = self.root(self.labels[self.ground.place_of(cells[i])])
        return found

    def largest(self) -> int:
        """The largest area, 0 if there is none.

        Among equally large areas it is the one with the first cell: labels may change when saved.
        """
        self.know()
        labels = np.asarray(self.labels)
        counts = np.bincount(labels)
        counts[0] = 0
        kinds = np.flatnonzero(counts)
        if not len(kinds):
            return 0
        roots = np.array([self.root(label) for label in kinds.tolist()])
        sizes = np.bincount(roots, counts[kinds])
        ties = kinds[sizes[roots] == sizes.max()]
        return self.root(int(labels[np.isin(labels, ties).argmax()]))

    def nearest(
        self, x: cython.double, y: cython.double, area: cython.int
    ) -> NoGil[cython.Py_ssize_t]:
        """Return the open cell of an area (0: any) whose center is nearest to a point; -1 if none.

        Searches square rings around the point until no larger ring can hold a nearer cell. Ties go
        to the first row, then to the first column.
        """
        middle = self.ground.nearest_place(x, y)
        column = middle % self.ground.stride - BORDER
        row = middle // self.ground.stride - BORDER
        found: cython.Py_ssize_t = -1
        best = 0.0
        for ring in range(self.ground.columns + self.ground.rows):
            reach = (ring - 2) * self.pitch
            if found >= 0 and reach > 0.0 and reach * reach > best:
                break
            for r in range(max(row - ring, 0), min(row + ring, self.ground.rows - 1) + 1):
                step = 1 if r == row - ring or r == row + ring else max(2 * ring, 1)
                c = column - ring
                while c <= column + ring:
                    if 0 <= c < self.ground.columns:
                        place = (r + BORDER) * self.ground.stride + c + BORDER
                        label = self.labels[place]
                        if label != 0 and (area == 0 or self.root(label) == area):
                            dx = self.ground.center_x(place) - x
                            dy = self.ground.center_y(place) - y
                            dx = dx * dx + dy * dy
                            if found < 0 or dx < best or (dx == best and place < found):
                                best = dx
                                found = place
                    c += step
        return found


def top_of(group: list[int], s: int) -> Object[int]:
    """Return the search that stands for a search and all others that it has met."""
    while group[s] != s:
        group[s] = group[group[s]]
        s = group[s]
    return s
