"""What something touches first on its way among units that stand in a crowd.

A way through a crowd touches thousands, of whom only the first count. Here the units are in blocks,
and these in a tree, by place. A node knows its box, and who of it was added first; so it is passed
over if it is touched later than those found so far, or at the same time and its units were added
later.

The tree of the units itself knows no orders, and cannot split units that stand on one point.
"""

from __future__ import annotations

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.army.cell_grid import list_members
from tilequad._core.army.levels import ROUNDED, by_place, levels_over
from tilequad._core.layout import INF, PRUNE_MARGIN
from tilequad._core.tree.motion import disc_time, footprint_time, slab_time
from tilequad._core.tree.units import UnitStore

STACK: cython.int = 64  # three for each level, and one more
LOSS: cython.double = ROUNDED
# The columns of a node: the box of its positions, how far footprints extend from them along x and
# y, the middle of the box, and how far footprints extend from that.
MIN_X: cython.int = 0
MIN_Y: cython.int = 1
MAX_X: cython.int = 2
MAX_Y: cython.int = 3
WIDE: cython.int = 4
HIGH: cython.int = 5
MID_X: cython.int = 6
MID_Y: cython.int = 7
AROUND: cython.int = 8


@cython.final
@cython.cclass
class FirstHits:
    """The units of a tree in some groups, and in none of others, by place. The tree must stay.

    Ask `begin`, and then `next_block` until there is none:

        hits.begin(x0, y0, x1, y1, radius)
        while hits.next_block(time, order):
            ...  # test the units hits.at .. hits.end, and lower the time and the order
    """

    __slots__ = {
        "groups": "int",
        "without": "int",
        "slots": "int[::1]",
        "orders": "int[::1]",
        "bodies": "double[:, ::1]",
        # By node: the blocks first, the root last.
        "nodes": "double[:, ::1]",
        "below": "int[:, ::1]",  # the units of a block, or the nodes below a node: from and to
        "firsts": "int[::1]",  # the order of who was added first
        "alike": "signed char[::1]",  # whether its units have one position and one footprint
        "blocks": "int",
        # The search.
        "x": "double",
        "y": "double",
        "dx": "double",
        "dy": "double",
        "radius": "double",
        "reach": "double",
        "stack": "int[64]",
        "times": "double[64]",
        "top": "int",
        # The block: its units, and if all are alike, when they are touched.
        "at": "int",
        "end": "int",
        "same": "bint",
        "known": "double",
    }

    def __init__(self, units: UnitStore, groups: cython.int, without: cython.int) -> None:
        if not cython.compiled:  # in C, arrays of zeros
            self.stack = [0] * STACK
            self.times = [0.0] * STACK
        self.groups = groups
        self.without = without
        room = np.empty(units.count, np.int32)
        slots = room[: list_members(units, groups, without, room)]
        sizes, orders = units.sizes(slots), units.orders(slots)
        bodies = np.column_stack((units.positions(slots), sizes))
        rows = by_place(bodies, orders)
        bodies, orders = bodies[rows], orders[rows]
        self.slots = slots[rows].data
        self.orders = orders.data
        self.bodies = bodies.data
        nodes, below, firsts, alike, self.blocks = levels_over(bodies, orders)
        self.nodes = nodes.data
        self.below = below.data
        self.firsts = firsts.data
        self.alike = alike.data

    def begin(
        self,
        x0: cython.double,
        y0: cython.double,
        x1: cython.double,
        y1: cython.double,
        radius: cython.double,
    ) -> NoGil[None]:
        """Begin the search for what a disc touches on its way."""
        most = max(max(abs(x0), abs(y0)), max(abs(x1), abs(y1)))
        self.x = x0
        self.y = y0
        self.dx = x1 - x0
        self.dy = y1 - y0
        self.radius = radius
        self.reach = radius * PRUNE_MARGIN + LOSS * most
        self.stack[0] = cython.cast(cython.int, len(self.nodes) - 1)
        self.times[0] = self.sooner(self.stack[0], 1.0)
        self.top = 1 if self.times[0] < INF else 0

    def next_block(self, time: cython.double, order: cython.int) -> NoGil[cython.bint]:
        """Find the next units that may be touched before a time, or then and were added before.

        A node comes the sooner, the sooner it is touched, and the sooner one of it was added.
        """
        while self.top > 0:
            self.top -= 1
            node = self.stack[self.top]
            self.known = self.times[self.top]
            if self.is_behind(node, self.known, time, order):
                continue
            self.same = self.alike[node]
            self.at = self.below[node, 0]
            self.end = self.below[node, 1]
            if node < self.blocks:
                return True
            first = self.top
            for k in range(self.at, self.end):
                sooner = self.known if self.same else self.sooner(k, time)
                if sooner < INF and not self.is_behind(k, sooner, time, order):
                    self.push(k, sooner, first)
        return False

    def is_behind(
        self, node: cython.int, sooner: cython.double, time: cython.double, order: cython.int
    ) -> NoGil[cython.bint]:
        """Whether all of a node comes behind a time and an order."""
        return sooner > time or (sooner == time and self.firsts[node] > order)

    def push(self, node: cython.int, sooner: cython.double, first: cython.int) -> NoGil[None]:
        """Put a node onto the stack, from `first` on below those that come before it."""
        k: cython.int = self.top
        while k > first and self.is_behind(
            node, sooner, self.times[k - 1], self.firsts[self.stack[k - 1]]
        ):
            self.stack[k] = self.stack[k - 1]
            self.times[k] = self.times[k - 1]
            k -= 1
        self.stack[k] = node
        self.times[k] = sooner
        self.top += 1

    def sooner(self, node: cython.int, limit: cython.double) -> NoGil[cython.double]:
        """Return a time before which nothing of a node is touched; any that is beyond the limit.

        If all its units are alike, it is when they are touched.
        """
        if self.alike[node]:
            while node >= self.blocks:
                node = self.below[node, 0]
            return self.touch_time(self.below[node, 0])
        wide = self.nodes[node, WIDE] + self.reach
        high = self.nodes[node, HIGH] + self.reach
        time = slab_time(
            self.x - self.nodes[node, MIN_X],
            self.y - self.nodes[node, MIN_Y],
            self.x - self.nodes[node, MAX_X],
            self.y - self.nodes[node, MAX_Y],
            self.dx,
            self.dy,
            wide,
            high,
        )
        if time > limit:
            return time
        return max(
            time,
            disc_time(
                self.x - self.nodes[node, MID_X],
                self.y - self.nodes[node, MID_Y],
                self.dx,
                self.dy,
                self.nodes[node, AROUND] + self.reach,
            ),
        )

    def time_of(self, i: cython.int) -> NoGil[cython.double]:
        """Return when the disc touches a unit of the block, 0 to 1; inf if never."""
        return self.known if self.same else self.touch_time(i)

    def touch_time(self, i: cython.int) -> NoGil[cython.double]:
        """The same for any unit."""
        return footprint_time(
            self.x - self.bodies[i, 0],
            self.y - self.bodies[i, 1],
            self.dx,
            self.dy,
            self.radius,
            -1.0,
            self.bodies[i, 2],
            self.bodies[i, 3],
        )
