"""The units of some groups, copied out of their tree: positions, footprints and weights."""

from __future__ import annotations

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object, RaisesNoGil
from tilequad._core.army.cell_grid import CellGrid, list_members
from tilequad._core.buffers import IntBuffer, Scratch
from tilequad._core.layout import ENTRY, INF, RECORD
from tilequad._core.tree.units import UnitStore

# Flags of a unit: others push it; it pushes others; it has been taken out of a wall.
PUSHED: cython.int = 1
PUSHES: cython.int = 2
LEFT_WALL: cython.int = 4
PI: cython.double = 3.141592653589793
LIGHTEST: cython.double = 1e-150  # the least mass; smaller ones are raised to it
# Units are neighbors if their gap is at most this share of the smaller one's width. Only if small
# gaps are ignored do the inside and the rim of a crowd show.
GAP: cython.double = 0.2
# Overlaps and penetrations below these parts of the footprint and of the coordinates count as
# rounding, so that units which only touch after a push stay where they are.
SLOP: cython.double = 1e-9
RELATIVE_SLOP: cython.double = 1e-14
LARGE: cython.double = 2.0  # a unit this many times as large as the mean does not fit a cell
MANY: cython.Py_ssize_t = 32  # units of a bucket that are not compared one with another


@cython.final
@cython.cclass
class Bodies:
    """The units of some groups, numbered by the cells of a grid, and by slot within a cell.

    Small units that nearly touch are in the same or in neighboring cells. Neighbors get neighboring
    numbers, which is kind to the cache.
    """

    __slots__ = {
        "n": "int",
        "grid": "CellGrid",  # its points are the bodies
        "small": "double",  # the extent of the largest unit that fits a cell
        "largest": "double",  # the extent of the largest unit
        "boxed": "bint",  # whether any footprint is a box
        "mutual": "bint",  # whether every unit pushes others
        "askers": "int",  # PUSHED or PUSHES, if less than half of the units have it; else 0
        # By number.
        "slots": "int[::1]",
        "flags": "int[::1]",
        "start_x": "double[::1]",
        "start_y": "double[::1]",
        "x": "double[::1]",
        "y": "double[::1]",
        "half_w": "double[::1]",
        "half_h": "double[::1]",
        "extent": "double[::1]",  # the larger half of the size
        "weight": "double[::1]",
    }

    def __init__(
        self,
        store: UnitStore,
        memory: Scratch,
        pushed: cython.int,
        others: cython.int,
        without: cython.int,
        chosen: cython.uchar[::1] | None,
    ) -> None:
        room: cython.int[::1]
        marks: cython.int[::1]
        room, marks, self.slots, self.flags = memory.ints(4)
        self.start_x, self.start_y, self.x, self.y = memory.floats(4)
        self.half_w, self.half_h, self.extent, self.weight = memory.floats(4)
        self.n = list_members(store, pushed | others, without, room)
        if chosen is not None:
            self.n = self.keep_around(store, room, pushed, chosen)
        self.boxed = False
        self.read_members(store, room, pushed, others, chosen, marks)
        self.grid = CellGrid(self.n, self.x, self.y, 2.0 * (1.0 + GAP) * self.small, memory)
        self.read_units(store, room, marks)

    def keep_around(
        self,
        store: UnitStore,
        members: cython.int[::1],
        pushed: cython.int,
        chosen: cython.uchar[::1],
    ) -> NoGil[cython.int]:
        """Keep the chosen units and those near the box around them; return how many."""
        box = cython.declare(cython.double[4])
        i: cython.Py_ssize_t
        reach = 0.0
        n: cython.int = 0
        box[0] = box[1] = INF
        box[2] = box[3] = -INF
        for i in range(self.n):
            slot = members[i]
            entry: cython.Py_ssize_t = store.record[RECORD * slot + ENTRY]
            if chosen[slot] and store.masks[entry] & pushed:
                extent = max(store.half_w[slot], store.half_h[slot])
                reach = max(reach, (1.0 + 2.0 * GAP) * extent)
                box[0] = min(box[0], store.xs[entry])
                box[1] = min(box[1], store.ys[entry])
                box[2] = max(box[2], store.xs[entry])
                box[3] = max(box[3], store.ys[entry])
        for i in range(self.n):
            slot = members[i]
            entry = store.record[RECORD * slot + ENTRY]
            extent = max(store.half_w[slot], store.half_h[slot]) + reach
            if (
                box[0] - extent <= store.xs[entry]
                and box[1] - extent <= store.ys[entry]
                and store.xs[entry] <= box[2] + extent
                and store.ys[entry] <= box[3] + extent
            ):
                members[n] = slot
                n += 1
        return n

    def read_members(
        self,
        store: UnitStore,
        members: cython.int[::1],
        pushed: cython.int,
        others: cython.int,
        chosen: cython.uchar[::1] | None,
        marks: cython.int[::1],
    ) -> NoGil[None]:
        """Read where all members are, in their order, their flags, and how large they are."""
        i: cython.Py_ssize_t
        total = 0.0
        movable: cython.Py_ssize_t = 0
        pushing: cython.Py_ssize_t = 0
        self.largest = 0.0
        for i in range(self.n):
            entry: cython.Py_ssize_t = store.record[RECORD * members[i] + ENTRY]
            self.x[i] = store.xs[entry]
            self.y[i] = store.ys[entry]
            mask = store.masks[entry]
            marks[i] = PUSHED if mask & pushed and (chosen is None or chosen[members[i]]) else 0
            movable += marks[i]
            if mask & others:
                marks[i] |= PUSHES
                pushing += 1
            extent = max(store.half_w[members[i]], store.half_h[members[i]])
            total += extent
            self.largest = max(self.largest, extent)
        self.mutual = pushing == self.n
        self.askers = 0
        if 2 * min(movable, pushing) < self.n:
            self.askers = PUSHED if movable <= pushing else PUSHES
        self.small = min(self.largest, LARGE * total / max(self.n, 1))

    def read_units(
        self, store: UnitStore, members: cython.int[::1], marks: cython.int[::1]
    ) -> NoGil[None]:
        """Read what else is known of the units, in the order of the grid."""
        for u in range(self.n):
            slot = members[self.grid.numbers[u]]
            self.slots[u] = slot
            self.flags[u] = marks[self.grid.numbers[u]]
            self.weight[u] = 0.0
            self.start_x[u] = self.x[u] = self.grid.xs[u]
            self.start_y[u] = self.y[u] = self.grid.ys[u]
            self.half_w[u] = store.half_w[slot]
            self.half_h[u] = store.half_h[slot]
            self.extent[u] = max(self.half_w[u], self.half_h[u])
            self.boxed |= self.half_h[u] >= 0.0
            self.grid.numbers[u] = u

    def weigh(self, mass: cython.double[::1] | None) -> Object[int]:
        """Set the weight of each unit that may be pushed; return a slot without a mass, or -1.

        A weight is the inverse of a mass: how far a push moves the unit.
        """
        u: cython.Py_ssize_t
        for u in range(self.n):
            if not self.flags[u] & PUSHED:
                continue
            if mass is None:
                self.weight[u] = 1.0 / max(self.area(u), LIGHTEST)
            elif self.slots[u] < len(mass):
                self.weight[u] = 1.0 / max(mass[self.slots[u]], LIGHTEST)
            else:
                return self.slots[u]
        return -1

    def slack_of(self, u: cython.Py_ssize_t) -> NoGil[cython.double]:
        """Return how deep a unit that only touches may seem to overlap, by rounding."""
        return SLOP * self.extent[u] + RELATIVE_SLOP * (abs(self.x[u]) + abs(self.y[u]))

    def area(self, u: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The area of a footprint."""
        if self.half_h[u] < 0.0:
            return PI * self.half_w[u] * self.half_w[u]
        return 4.0 * self.half_w[u] * self.half_h[u]

    def sort_again(self) -> Object[None]:
        """Sort the units into cells by where they are now; their numbers stay."""
        self.grid = CellGrid(self.n, self.x, self.y, 2.0 * (1.0 + GAP) * self.small)

    def renumber(
        self, order: cython.int[::1], spare: cython.double[::1], spare_ints: cython.int[::1]
    ) -> NoGil[None]:
        """Give unit order[k] the number k, outside of the grid; the spare ones are scratch."""
        sort_by(self.start_x, order, self.n, spare)
        sort_by(self.start_y, order, self.n, spare)
        sort_by(self.x, order, self.n, spare)
        sort_by(self.y, order, self.n, spare)
        sort_by(self.half_w, order, self.n, spare)
        sort_by(self.half_h, order, self.n, spare)
        sort_by(self.extent, order, self.n, spare)
        sort_by(self.weight, order, self.n, spare)
        sort_ints_by(self.slots, order, self.n, spare_ints)
        sort_ints_by(self.flags, order, self.n, spare_ints)

    # -- who is near whom --------------------------------------------------------------------------

    def find_near(self, pairs: IntBuffer, hits: IntBuffer) -> RaisesNoGil[cython.int]:
        """Append all pairs of neighbors of which one pushes the other, two numbers a pair.

        Where few may be pushed, or few push, only they look for others: a heap of the others would
        look at itself for nothing.
        """
        runs = cython.declare(cython.int[12])
        if self.largest == 0.0:
            return 0
        for bucket in range(self.grid.size):
            if self.grid.starts[bucket] == self.grid.starts[bucket + 1]:
                continue
            # Each pair once: who comes later in the cell or is in the next one, and the next row.
            self.grid.write_run_from(bucket, 2, runs, 0)
            self.grid.write_run_from(self.grid.bucket_of(bucket - 1, 1), 3, runs, 4)
            if self.askers:  # the cell before as well, and the row before
                self.grid.write_run_from(self.grid.bucket_of(bucket - 1, 0), 3, runs, 0)
                self.grid.write_run_from(self.grid.bucket_of(bucket - 1, -1), 3, runs, 8)
            for k in range(self.grid.starts[bucket], self.grid.starts[bucket + 1]):
                u = self.grid.numbers[k]
                if self.extent[u] > self.small:
                    self.find_near_large(u, k, pairs, hits)
                elif not self.askers:
                    runs[0] = k + 1
                    self.append_near(u, k, runs, 8, pairs, hits)
                elif self.flags[u] & self.askers:
                    self.append_near(u, k, runs, 12, pairs, hits)
        return 0

    def find_near_large(
        self, u: cython.int, k: cython.int, pairs: IntBuffer, hits: IntBuffer
    ) -> RaisesNoGil[cython.int]:
        """Append the pairs of a unit that does not fit a cell, with those no larger than itself.

        It looks at all cells in its reach, or at all units if these are fewer.
        """
        runs = cython.declare(cython.int[4])
        reach = 2.0 * (1.0 + GAP) * self.extent[u]
        x = self.x[u]
        y = self.y[u]
        left = self.grid.cell_of(x - reach)
        columns = self.grid.cell_of(x + reach) + 1 - left
        row = self.grid.cell_of(y - reach)
        rows = self.grid.cell_of(y + reach) + 1 - row
        if columns >= self.grid.size or rows * columns >= self.grid.size:
            runs[0] = 0
            runs[1] = self.n
            return self.append_near(u, k, runs, 2, pairs, hits)
        for row in range(row, row + rows):
            self.grid.write_run(left, row, columns, runs, 0)
            start = pairs.used
            self.append_near(u, k, runs, 4, pairs, hits)
            # Rows that share buckets would be found in both, so only what is in this row counts.
            end = pairs.used
            pairs.used = start
            for start in range(start, end, 2):
                if self.grid.cell_of(self.y[pairs.values[start + 1]]) == row:
                    pairs.values[pairs.used] = u
                    pairs.values[pairs.used + 1] = pairs.values[start + 1]
                    pairs.used += 2
        return 0

    def append_near(
        self,
        u: cython.int,
        k: cython.int,
        runs: cython.p_int,
        n: cython.int,
        pairs: IntBuffer,
        hits: IntBuffer,
    ) -> RaisesNoGil[cython.int]:
        """Append the pairs of u, the k-th point of the grid, with its neighbors in runs of points.

        Of two units, the larger finds the other; of two as large and of two small ones, the one
        that comes first in the grid, or the one that looks. The runs are n numbers, the start and
        the end of each.
        """
        extent = self.extent[u]
        most = max(extent, self.small)
        least = extent if extent > self.small else 0.0  # who is smaller does not look for u
        askers: cython.int = self.askers if extent <= self.small else 0  # nor do others than these
        after: cython.int = k if extent > self.small or askers else -1
        corners = 2.0 if self.boxed else 1.0  # boxes reach farther there
        gap = 2.0 * GAP * extent + (extent + most)
        j: cython.int
        end: cython.Py_ssize_t = pairs.used
        self.grid.find(self.x[u], self.y[u], corners * (gap * gap), runs, n, hits)
        pairs.reserve(2 * hits.used + 2)
        for h in range(hits.used):  # without branches: all are written, and those near are kept
            j = hits.values[h]
            v = self.grid.numbers[j]
            dx = self.grid.xs[j] - self.x[u]
            dy = self.grid.ys[j] - self.y[u]
            gap = 2.0 * GAP * min(extent, self.extent[v]) + (extent + self.extent[v])
            pairs.values[end] = u
            pairs.values[end + 1] = v
            end += 2 * (
                (dx * dx + dy * dy <= corners * (gap * gap))
                & (gap > 0.0)  # points never overlap
                & (self.extent[v] <= most)
                & ((j > after) | (self.extent[v] < least) | ((askers & ~self.flags[v]) != 0))
                & self.fit(u, v)
            )
        if self.boxed:
            end = self.keep_near(pairs, end)
        pairs.used = end
        return 0

    def keep_near(self, pairs: IntBuffer, end: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Keep those of the pairs up to `end` whose footprints are near; return the new end."""
        n = pairs.used
        for k in range(pairs.used, end, 2):
            if self.are_near(pairs.values[k], pairs.values[k + 1]):
                pairs.values[n] = pairs.values[k]
                pairs.values[n + 1] = pairs.values[k + 1]
                n += 2
        return n

    def fit(self, u: cython.int, v: cython.int) -> NoGil[cython.bint]:
        """Whether one of two units pushes the other."""
        one: cython.int = self.flags[u] & (self.flags[v] >> 1)  # PUSHES is twice PUSHED
        other: cython.int = self.flags[v] & (self.flags[u] >> 1)
        return (one | other) & PUSHED

    def are_near(self, u: cython.int, v: cython.int) -> NoGil[cython.bint]:
        """Whether the footprints of two units touch or nearly do."""
        gap = 2.0 * GAP * min(self.extent[u], self.extent[v])
        dx = abs(self.x[u] - self.x[v])
        dy = abs(self.y[u] - self.y[v])
        if self.half_h[u] >= 0.0 and self.half_h[v] >= 0.0:
            return (
                dx <= self.half_w[u] + self.half_w[v] + gap
                and dy <= self.half_h[u] + self.half_h[v] + gap
            )
        if self.half_h[u] >= 0.0:
            dx = max(dx - self.half_w[u], 0.0)
            dy = max(dy - self.half_h[u], 0.0)
            gap += self.half_w[v]
        elif self.half_h[v] >= 0.0:
            dx = max(dx - self.half_w[v], 0.0)
            dy = max(dy - self.half_h[v], 0.0)
            gap += self.half_w[u]
        else:
            gap += self.half_w[u] + self.half_w[v]
        return dx * dx + dy * dy <= gap * gap

    # -- heaps -------------------------------------------------------------------------------------

    def find_crowded(self, full: cython.double, found: IntBuffer) -> RaisesNoGil[cython.int]:
        """Append all units that push one another and may stand in a heap or on one point.

        A heap fills its cell at least `full` times.
        """
        k: cython.Py_ssize_t
        for b in range(self.grid.size):
            if self.grid.starts[b + 1] - self.grid.starts[b] < 3:
                continue
            if not self.may_be_heap(self.grid.starts[b], self.grid.starts[b + 1], full):
                continue
            for k in range(self.grid.starts[b], self.grid.starts[b + 1]):
                u = self.grid.numbers[k]
                if self.flags[u] & PUSHES and self.weight[u] > 0.0 and self.extent[u] > 0.0:
                    found.append(u)
        return 0

    def may_be_heap(
        self, first: cython.Py_ssize_t, end: cython.Py_ssize_t, full: cython.double
    ) -> NoGil[cython.bint]:
        """Whether the units of a bucket cover it several times, or two of them are on one point."""
        area = 0.0
        if end - first > MANY:
            return True
        for k in range(first, end):
            extent = self.extent[self.grid.numbers[k]]
            if extent <= self.small:
                area += 4.0 * extent * extent
            for j in range(first, k):
                if self.grid.xs[j] == self.grid.xs[k] and self.grid.ys[j] == self.grid.ys[k]:
                    return True
        return area > full * self.grid.side * self.grid.side


def sort_by(
    values: cython.double[::1], order: cython.int[::1], n: cython.int, spare: cython.double[::1]
) -> NoGil[None]:
    """Put values[order[k]] at k."""
    k: cython.Py_ssize_t
    for k in range(n):
        spare[k] = values[order[k]]
    for k in range(n):
        values[k] = spare[k]


def sort_ints_by(
    values: cython.int[::1], order: cython.int[::1], n: cython.int, spare: cython.int[::1]
) -> NoGil[None]:
    """Put values[order[k]] at k."""
    k: cython.Py_ssize_t
    for k in range(n):
        spare[k] = values[order[k]]
    for k in range(n):
        values[k] = spare[k]
