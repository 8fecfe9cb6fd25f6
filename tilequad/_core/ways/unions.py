"""Cells and the shapes in them merged into polygons: rings without inner seams, with holes.

A rim is what one kind of cell adds: the sides around its solids, with what is solid to their left,
from node to node. Sides within the cell are outer ones. On an edge of the cell, what the sides of
both neighbors have in common is no side, and joins their patches: parts that are one solid. What is
left is followed from node to node into rings, always to the left, so that solids that only touch do
not join. A hole belongs to the outer ring of its patch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.layout import INF
from tilequad._core.ways.ground import Ground
from tilequad._core.ways.perimeters import polygons_of
from tilequad._core.ways.tables import rim_tables

# The columns of a side: its nodes, the patch to its left, and the edge of the cell, -1 within it.
START: cython.int = 0
END: cython.int = 1
PATCH: cython.int = 2
SIDE_EDGE: cython.int = 3
# The columns of a rim, as `rim_tables` writes them: its first node, side, side on an edge, and how
# many patches it has.
NODE: cython.int = 0
SIDE: cython.int = 1
EDGE_SIDE: cython.int = 2
PATCHES: cython.int = 3

SPREAD: cython.double = 64.0  # times what is near: the size of a bucket of nodes
SHIFT: cython.double = 0.37  # in buckets: round numbers are in the middle of one


@cython.final
@cython.cclass
class Rims:
    """The rims of some kinds of cells.

    Args:
        outline: The corners of a cell relative to its center, counterclockwise, each of them once,
            (k, 2).
        near: Nodes so near are one.
        rims: By kind: nodes as rows of x, y and whether they are on an edge of the cell; sides,
            those within the cell first, then by edge and along it; how many patches there are.
    """

    __slots__ = {
        "edges": "double[:, ::1]",  # by edge: where it begins, its direction, its length
        "across": "double[:, ::1]",  # by edge: a point in the cell beyond it
        "facing": "int[::1]",  # by edge: that of this cell
        "near": "double",
        "rows": "int[::1]",  # by kind: the row of its rim, -1 for none
        "rims": "int[:, ::1]",
        "nodes": "double[:, ::1]",
        "sides": "int[:, ::1]",
    }

    def __init__(self, outline: np.ndarray, near: float, rims: dict[int, Any]) -> None:
        self.near = near
        tables = rim_tables(outline, list(rims.values()))
        self.edges, self.across, self.facing, self.rims, self.nodes, self.sides = tables
        rows = np.full(max(rims) + 1, -1, np.int32)
        rows[list(rims)] = np.arange(len(rims))
        self.rows = rows.data


@cython.final
@cython.cclass
class Union:
    """The union of the solids of some cells.

    Args:
        ground: The cells.
        rims: The rims of all their kinds.
        cells: Their numbers, ascending.
    """

    __slots__ = {
        "ground": "Ground",
        "rims": "Rims",
        "cells": "int[::1]",
        # By cell, in the order given: its kind's row, its center, its first node and patch.
        "rows": "int[::1]",
        "centers": "double[:, ::1]",
        "nodes": "int[::1]",
        "patches": "int[::1]",
        "parents": "int[::1]",  # by patch: one that it has joined
        # By node: its place; which it is one with; its first side, and where it is on the way.
        "places": "double[:, ::1]",
        "same": "int[::1]",
        "heads": "int[::1]",
        "at": "int[::1]",
        # By bucket: a node; the buckets are known by column and row.
        "buckets": "int[::1]",
        "columns": "long long[::1]",
        "lines": "long long[::1]",
        # By side: where it ends, its patch, and the next one from the same node.
        "ends": "int[::1]",
        "owners": "int[::1]",
        "after": "int[::1]",
        "used": "Py_ssize_t",
        # Where two cells meet: how far along their edge sides begin and end, and their nodes.
        "marks": "double[::1]",
        "mark_nodes": "int[::1]",
        "way": "int[::1]",
        # The rings: corners; where each begins; its patch, and whether it is a hole.
        "points": "double[:, ::1]",
        "starts": "int[::1]",
        "ring_patches": "int[::1]",
        "holes": "unsigned char[::1]",
        "rings": "Py_ssize_t",
    }

    def __init__(self, ground: Ground, rims: Rims, cells: cython.int[::1]) -> None:
        nodes: cython.int = 0
        patches: cython.int = 0
        sides: cython.Py_ssize_t = 0
        widest: cython.Py_ssize_t = 2
        size: cython.Py_ssize_t = 64
        n = len(cells)
        self.ground, self.rims, self.cells = ground, rims, cells
        self.rows, self.nodes, self.patches = [np.empty(n, np.int32).data for _ in range(3)]
        self.centers = np.empty((n, 2)).data
        for i in range(n):
            place = ground.place_of(cells[i])
            row = rims.rows[ground.walk_kinds[place]]
            self.rows[i], self.nodes[i], self.patches[i] = row, nodes, patches
            self.centers[i, 0], self.centers[i, 1] = ground.center_x(place), ground.center_y(place)
            nodes += rims.rims[row + 1, NODE] - rims.rims[row, NODE]
            patches += rims.rims[row, PATCHES]
            sides += 2 * (rims.rims[row + 1, SIDE] - rims.rims[row, SIDE])
            widest = max(widest, rims.rims[row + 1, SIDE] - rims.rims[row, EDGE_SIDE])
        while size < 2 * nodes:
            size *= 2
        self.parents = np.arange(patches, dtype=np.int32).data
        self.places = np.empty((nodes, 2)).data
        self.same, self.heads, self.at = [np.full(nodes, -1, np.int32).data for _ in range(3)]
        self.buckets = np.full(size, -1, np.int32).data
        self.columns, self.lines = [np.empty(size, np.int64).data for _ in range(2)]
        self.ends, self.owners, self.after = [np.empty(sides, np.int32).data for _ in range(3)]
        self.marks, self.mark_nodes = np.empty(4 * widest).data, np.empty(4 * widest, np.int32).data
        self.way = np.empty(nodes + 1, np.int32).data
        self.points = np.empty((sides, 2)).data
        self.starts = np.zeros(sides + 1, np.int32).data
        self.ring_patches = np.empty(sides, np.int32).data
        self.holes = np.empty(sides, np.uint8).data
        self.used = self.rings = 0

    def polygons(self) -> list[tuple[np.ndarray, ...]]:
        """Return the polygons, by their first cells: the outer ring of each, and then its holes."""
        with cython.nogil:
            for i in range(len(self.cells)):
                self.enter(i)
            for i in range(len(self.cells)):
                self.add_sides(i)
            for i in range(len(self.heads)):
                while self.heads[i] >= 0:
                    self.trace(cython.cast(cython.int, i))
        patches = np.asarray(self.ring_patches)[: self.rings]
        holes = np.asarray(self.holes)[: self.rings] > 0
        outer = np.flatnonzero(~holes)
        outer = outer[np.argsort(patches[outer], kind="stable")]
        owners = np.zeros(self.rings, np.int32)
        number = np.zeros(len(self.parents), np.int32)
        owners[outer] = np.arange(1, len(outer) + 1)
        number[patches[outer]] = owners[outer]
        owners[holes] = -number[patches[holes]]
        starts = np.asarray(self.starts)[: self.rings + 1]
        return polygons_of(np.asarray(self.points), starts.data, owners.data, len(outer))

    # -- nodes -------------------------------------------------------------------------------------

    def enter(self, i: cython.Py_ssize_t) -> NoGil[None]:
        """Enter the nodes of a cell. Those on its edges may be one with those of others."""
        row: cython.Py_ssize_t = self.rows[i]
        first: cython.Py_ssize_t = self.rims.rims[row, NODE]
        node: cython.int = self.nodes[i]
        for k in range(first, self.rims.rims[row + 1, NODE]):
            self.places[node, 0] = self.centers[i, 0] + self.rims.nodes[k, 0]
            self.places[node, 1] = self.centers[i, 1] + self.rims.nodes[k, 1]
            self.same[node] = node
            if self.rims.nodes[k, 2] != 0.0:
                self.same[node] = self.find_same(node)
            node += 1

    def find_same(self, node: cython.int) -> NoGil[cython.int]:
        """Return the first node that a node is near to; itself if there is none, and enter it."""
        size = SPREAD * self.rims.near
        x = self.places[node, 0] / size + SHIFT
        y = self.places[node, 1] / size + SHIFT
        beside = 4.0 / SPREAD
        for column in range(floored(x - beside), floored(x + beside) + 1):
            for line in range(floored(y - beside), floored(y + beside) + 1):
                found = self.find_in(column, line, node)
                if found >= 0:
                    return found
        bucket = self.bucket_of(floored(x), floored(y))
        while self.buckets[bucket] >= 0:
            bucket = (bucket + 1) & (len(self.buckets) - 1)
        self.buckets[bucket] = node
        self.columns[bucket] = floored(x)
        self.lines[bucket] = floored(y)
        return node

    def find_in(
        self, column: cython.longlong, line: cython.longlong, node: cython.int
    ) -> NoGil[cython.int]:
        """Return the node of a bucket that is near to one, -1 if there is none."""
        bucket = self.bucket_of(column, line)
        far = 4.0 * self.rims.near
        while self.buckets[bucket] >= 0:
            other = self.buckets[bucket]
            if (
                self.columns[bucket] == column
                and self.lines[bucket] == line
                and abs(self.places[other, 0] - self.places[node, 0]) <= far
                and abs(self.places[other, 1] - self.places[node, 1]) <= far
            ):
                return other
            bucket = (bucket + 1) & (len(self.buckets) - 1)
        return -1

    def bucket_of(self, column: cython.longlong, line: cython.longlong) -> NoGil[cython.Py_ssize_t]:
        """Where the search for a bucket begins."""
        key = (column & 0x7FFFFFFF) * 73856093 + (line & 0x7FFFFFFF) * 19349663
        key ^= key >> 17
        return cython.cast(cython.Py_ssize_t, key & (len(self.buckets) - 1))

    # -- sides -------------------------------------------------------------------------------------

    def add_sides(self, i: cython.Py_ssize_t) -> NoGil[None]:
        """Add the sides within a cell, and those on its edges to later cells and to none."""
        row: cython.Py_ssize_t = self.rows[i]
        for k in range(self.rims.rims[row, SIDE], self.rims.rims[row, EDGE_SIDE]):
            self.add_own(i, k)
        for edge in range(len(self.rims.edges)):
            if self.rims.edges[edge, 4] <= self.rims.near:  # diamonds among hexagons
                continue
            other = self.neighbor_of(i, edge)
            if other < 0:
                for k in range(self.first_on(row, edge), self.first_on(row, edge + 1)):
                    self.add_own(i, k)
            elif other > i:
                self.add_between(i, other, edge)

    def add_own(self, i: cython.Py_ssize_t, k: cython.Py_ssize_t) -> NoGil[None]:
        """Add a side of a cell as it is."""
        self.add_side(
            self.same[self.nodes[i] + self.rims.sides[k, START]],
            self.same[self.nodes[i] + self.rims.sides[k, END]],
            self.patches[i] + self.rims.sides[k, PATCH],
        )

    def add_side(self, start: cython.int, end: cython.int, patch: cython.int) -> NoGil[None]:
        """Add a side from a node to another one."""
        k = self.heads[start]
        if start == end:
            return
        while k >= 0:
            if self.ends[k] == end:
                return
            k = self.after[k]
        k = cython.cast(cython.int, self.used)
        self.ends[k] = end
        self.owners[k] = patch
        self.after[k] = self.heads[start]
        self.heads[start] = k
        self.used += 1

    def first_on(self, row: cython.Py_ssize_t, edge: cython.int) -> NoGil[cython.Py_ssize_t]:
        """The first side of a rim on an edge, or on a later one."""
        k: cython.Py_ssize_t = self.rims.rims[row, EDGE_SIDE]
        while k < self.rims.rims[row + 1, SIDE] and self.rims.sides[k, SIDE_EDGE] < edge:
            k += 1
        return k

    def neighbor_of(self, i: cython.Py_ssize_t, edge: cython.int) -> NoGil[cython.Py_ssize_t]:
        """The cell across an edge, by its place among the cells; -1 if it is not among them."""
        low: cython.Py_ssize_t = 0
        high = len(self.cells)
        cell = self.ground.place_at(
            self.centers[i, 0] + self.rims.across[edge, 0],
            self.centers[i, 1] + self.rims.across[edge, 1],
        )
        if cell < 0:
            return -1
        cell = self.ground.cell_of(cell)
        while low < high:
            middle = (low + high) // 2
            if self.cells[middle] < cell:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.cells) and self.cells[low] == cell else -1

    # -- where cells meet --------------------------------------------------------------------------

    def add_between(
        self, i: cython.Py_ssize_t, other: cython.Py_ssize_t, edge: cython.int
    ) -> NoGil[None]:
        """Add the sides on the edge between two cells: where one of them is solid alone."""
        facing = self.rims.facing[edge]
        count = self.mark(i, i, edge, edge, 0)
        count = self.mark(i, other, edge, facing, count)
        for k in range(count - 1):
            if self.mark_nodes[k] == self.mark_nodes[k + 1]:
                continue
            middle = (self.marks[k] + self.marks[k + 1]) / 2.0
            own = self.patch_at(i, i, edge, edge, middle)
            its = self.patch_at(i, other, edge, facing, middle)
            if own >= 0 and its >= 0:
                self.join(own, its)
            elif own >= 0:
                self.add_side(self.mark_nodes[k], self.mark_nodes[k + 1], own)
            elif its >= 0:
                self.add_side(self.mark_nodes[k + 1], self.mark_nodes[k], its)

    def mark(
        self,
        i: cython.Py_ssize_t,
        other: cython.Py_ssize_t,
        edge: cython.int,
        own_edge: cython.int,
        count: cython.Py_ssize_t,
    ) -> NoGil[cython.Py_ssize_t]:
        """Put the ends of a cell's sides on an edge into the marks, in order; return how many."""
        row: cython.Py_ssize_t = self.rows[other]
        for k in range(self.first_on(row, own_edge), self.first_on(row, own_edge + 1)):
            for end in range(2):
                node = self.same[self.nodes[other] + self.rims.sides[k, START + end]]
                place = self.place_on(i, edge, node)
                at = count
                while at > 0 and self.marks[at - 1] > place:
                    self.marks[at] = self.marks[at - 1]
                    self.mark_nodes[at] = self.mark_nodes[at - 1]
                    at -= 1
                self.marks[at] = place
                self.mark_nodes[at] = node
                count += 1
        return count

    def patch_at(
        self,
        i: cython.Py_ssize_t,
        other: cython.Py_ssize_t,
        edge: cython.int,
        own_edge: cython.int,
        place: cython.double,
    ) -> NoGil[cython.int]:
        """Return the patch of a cell at a place on an edge, -1 if it is not solid there."""
        row: cython.Py_ssize_t = self.rows[other]
        for k in range(self.first_on(row, own_edge), self.first_on(row, own_edge + 1)):
            one = self.place_on(i, edge, self.same[self.nodes[other] + self.rims.sides[k, START]])
            two = self.place_on(i, edge, self.same[self.nodes[other] + self.rims.sides[k, END]])
            if min(one, two) < place < max(one, two):
                return self.patches[other] + self.rims.sides[k, PATCH]
        return -1

    def place_on(
        self, i: cython.Py_ssize_t, edge: cython.int, node: cython.int
    ) -> NoGil[cython.double]:
        """How far along an edge of a cell a node is."""
        x = self.places[node, 0] - self.centers[i, 0] - self.rims.edges[edge, 0]
        y = self.places[node, 1] - self.centers[i, 1] - self.rims.edges[edge, 1]
        return x * self.rims.edges[edge, 2] + y * self.rims.edges[edge, 3]

    def join(self, one: cython.int, other: cython.int) -> NoGil[None]:
        """Make two patches one."""
        one = self.root_of(one)
        other = self.root_of(other)
        self.parents[max(one, other)] = min(one, other)

    def root_of(self, patch: cython.int) -> NoGil[cython.int]:
        """The first patch of all those that are one with a patch."""
        while self.parents[patch] != patch:
            self.parents[patch] = self.parents[self.parents[patch]]
            patch = self.parents[patch]
        return patch

    # -- rings -------------------------------------------------------------------------------------

    def trace(self, first: cython.int) -> NoGil[None]:
        """Follow sides from a node until they lead back to it.

        Where they come back to another node, what lies in between is a ring of its own. So no ring
        touches itself.
        """
        here = first
        count: cython.Py_ssize_t = 0
        side: cython.int = -1
        while True:
            if self.at[here] >= 0:
                self.add_ring(self.at[here], count, self.root_of(self.owners[side]))
                for k in range(self.at[here] + 1, count):
                    self.at[self.way[k]] = -1
                count = self.at[here] + 1
                if here == first:
                    break
            else:
                self.at[here] = cython.cast(cython.int, count)
                self.way[count] = here
                count += 1
            side = self.take_leftmost(self.way[count - 2] if count > 1 else -1, here)
            if side < 0:  # nothing leads on: rounding
                break
            here = self.ends[side]
        for k in range(count):
            self.at[self.way[k]] = -1

    def take_leftmost(self, before: cython.int, here: cython.int) -> NoGil[cython.int]:
        """Take the side that lies most to the left of a way to a node; return it, -1 for none."""
        side = self.heads[here]
        found = side
        last: cython.int = -1
        found_last: cython.int = -1
        best: cython.double = -INF
        if side < 0:
            return -1
        while side >= 0 and before >= 0 and self.after[self.heads[here]] >= 0:
            turn = self.turn_to(before, here, self.ends[side])
            if turn > best:
                best = turn
                found = side
                found_last = last
            last = side
            side = self.after[side]
        if found_last < 0:
            self.heads[here] = self.after[found]
        else:
            self.after[found_last] = self.after[found]
        return found

    def turn_to(self, before: cython.int, here: cython.int, to: cython.int) -> NoGil[cython.double]:
        """How far a way turns to the left, in quarters; below 0 to the right."""
        dx: cython.double = self.places[here, 0] - self.places[before, 0]
        dy: cython.double = self.places[here, 1] - self.places[before, 1]
        x: cython.double = self.places[to, 0] - self.places[here, 0]
        y: cython.double = self.places[to, 1] - self.places[here, 1]
        left: cython.double = dx * y - dy * x
        ahead: cython.double = dx * x + dy * y
        if left == 0.0 and ahead == 0.0:
            return 0.0
        ahead /= abs(left) + abs(ahead)
        return 1.0 - ahead if left >= 0.0 else ahead - 1.0

    def add_ring(
        self, first: cython.Py_ssize_t, past: cython.Py_ssize_t, patch: cython.int
    ) -> NoGil[None]:
        """Keep a part of the way as a ring, without the nodes at which it goes straight on."""
        start: cython.Py_ssize_t = self.starts[self.rings]
        used: cython.Py_ssize_t = start
        low: cython.Py_ssize_t = start
        area: cython.double = 0.0
        for k in range(first, past):
            while used - start > 1 and self.is_straight(
                used - 2, used - 1, self.places[self.way[k], 0], self.places[self.way[k], 1]
            ):
                used -= 1
            self.points[used, 0] = self.places[self.way[k], 0]
            self.points[used, 1] = self.places[self.way[k], 1]
            used += 1
        while used - low > 2 and self.is_straight(
            used - 2, used - 1, self.points[low, 0], self.points[low, 1]
        ):
            used -= 1
        while used - low > 2 and self.is_straight(
            used - 1, low, self.points[low + 1, 0], self.points[low + 1, 1]
        ):
            low += 1
        if used - low < 3:
            return
        for k in range(low, used):
            self.points[start + k - low, 0] = self.points[k, 0]
            self.points[start + k - low, 1] = self.points[k, 1]
        used -= low - start
        for k in range(start + 2, used):
            area += (self.points[k - 1, 0] - self.points[start, 0]) * (
                self.points[k, 1] - self.points[start, 1]
            ) - (self.points[k, 0] - self.points[start, 0]) * (
                self.points[k - 1, 1] - self.points[start, 1]
            )
        self.ring_patches[self.rings] = patch
        self.holes[self.rings] = area <= 0.0
        self.rings += 1
        self.starts[self.rings] = cython.cast(cython.int, used)

    def is_straight(
        self, one: cython.Py_ssize_t, two: cython.Py_ssize_t, x: cython.double, y: cython.double
    ) -> NoGil[cython.bint]:
        """Whether the second of two corners lies on the line from the first to a place."""
        dx = x - self.points[one, 0]
        dy = y - self.points[one, 1]
        away = dx * (self.points[two, 1] - self.points[one, 1])
        away -= dy * (self.points[two, 0] - self.points[one, 0])
        return away * away <= (dx * dx + dy * dy) * (self.rims.near / 4.0) ** 2


def floored(number: cython.double) -> NoGil[cython.longlong]:
    """Round down a number that is not too large for it."""
    whole = cython.cast(cython.longlong, min(max(number, -9e18), 9e18))
    return whole - 1 if whole > number else whole
