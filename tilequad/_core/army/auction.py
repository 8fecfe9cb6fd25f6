"""Places near by are sold at auction, where ways are hardly longer than from place to place.

Cuts and halves look at many units at once. Where units stand among their places, what counts is who
takes which of the next few places, and there an auction finds nearly the best (Bertsekas, 1988).
Each unit bids for the place that costs it least, way and price together, and drives the price up by
what this place is better than its second choice, and a step. No unit loses more than a step. Large
steps find out soon what a place is worth; then all who lose more than a small step bid again.
"""

from __future__ import annotations

from math import sqrt

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil
from tilequad._core.army.assignment import Assignment
from tilequad._core.army.cell_grid import CellGrid
from tilequad._core.buffers import Scratch
from tilequad._core.layout import INF

CHOICES: cython.int = 18  # places that a unit bids for at most
NEAREST: cython.int = 12  # of these, its own and the nearest; the others are spread around it
REACH: cython.double = 1.5  # how far places are looked for, in mean ways
CROWDED: cython.int = 450  # places around a unit, on the average, where an auction is no gain
SEEN: cython.Py_ssize_t = 250  # of these, a unit looks at so many, or a few more
FEW: cython.int = 64  # units that look at all places
ROUNDS: cython.int = 3
FIRST: cython.double = 1.0  # the step of the first round, in mean ways
FINER: cython.double = 0.25  # and that of the next, in steps of this one
MOST: cython.Py_ssize_t = 100  # bids for each unit; where they do not do, all stay as they are
GAIN: cython.double = (
    0.99  # the auction counts if it makes ways so much shorter, for it breaks ranks
)


@cython.final
@cython.cclass
class Auction:
    """Sells the places of an assignment again, if they are near."""

    __slots__ = {
        "n": "Py_ssize_t",
        "counts": "int[::1]",
        "choices": "int[::1]",  # CHOICES for each unit: its own place, and others by distance
        "costs": "double[::1]",  # how far they are
        "prices": "double[::1]",
        "owners": "int[::1]",
        "bidders": "int[::1]",
        "waiting": "Py_ssize_t",
        "bids": "Py_ssize_t",
        "step": "double",
    }

    def __init__(self, n: int) -> None:
        self.n = n
        memory = Scratch(n, 1, 3)
        [self.prices] = memory.floats(1)
        self.counts, self.owners, self.bidders = memory.ints(3)
        lists = Scratch(CHOICES * n, 1, 1)
        [self.costs], [self.choices] = lists.floats(1), lists.ints(1)

    def improve(self, ways: Assignment) -> None:
        """Give the units other places, if these are near and the ways to them shorter."""
        mean = ways.measure() / self.n
        after = 0.0
        grid: CellGrid = CellGrid(self.n, ways.xs[self.n :], ways.ys[self.n :], REACH * mean)
        with cython.nogil:
            if mean > 0.0 and self.list_choices(ways, grid) and self.sell(mean):
                for i in range(self.n):
                    after += ways.way(self.owners[i], i)
                if after < GAIN * mean * self.n:
                    for i in range(self.n):
                        ways.take(self.owners[i], cython.cast(cython.int, i))

    def list_choices(self, ways: Assignment, grid: CellGrid) -> NoGil[cython.bint]:
        """List the places that units bid for; give up where too many are near by."""
        near: cython.Py_ssize_t = 0
        for i in range(self.n):
            self.counts[i] = 0
            near += self.look(ways, grid, i, 0, False)
        if near > CROWDED * self.n:
            return False
        for i in range(self.n):
            self.insert(i, ways.place[i], ways.lengths[i], CHOICES * i)
            near = self.look(ways, grid, i, 0, False)
            self.look(ways, grid, i, near // SEEN + 1, False)
            if near > NEAREST:
                self.look(ways, grid, i, near // (CHOICES - NEAREST) + 1, True)
        return True

    def look(
        self,
        ways: Assignment,
        grid: CellGrid,
        i: cython.Py_ssize_t,
        every: cython.Py_ssize_t,
        far: cython.bint,
    ) -> NoGil[cython.Py_ssize_t]:
        """Return how many places are around a unit; choose among every so many of them, if any."""
        runs = cython.declare(cython.int[4])
        near: cython.Py_ssize_t = 0
        row = grid.cell_of(ways.ys[i])
        column = grid.cell_of(ways.xs[i])
        last = self.last_of(i)
        for k in range(3):
            grid.write_run(column - 1, row + (k + 1) % 3 - 1, 3, runs, 0)  # its own row first
            if self.n <= FEW:  # all are near
                runs[0] = runs[2] = runs[3] = 0
                runs[1] = cython.cast(cython.int, self.n if k == 0 else 0)
            for half in range(0, 4, 2):
                near += runs[half + 1] - runs[half]
                if every == 0:
                    continue
                at = runs[half] + (i + k) % every  # others for each unit, so that few contend
                while at < runs[half + 1]:
                    dx = grid.xs[at] - ways.xs[i]
                    dy = grid.ys[at] - ways.ys[i]
                    if far:
                        self.choose_far(ways, i, grid.numbers[at], dx * dx + dy * dy)
                    elif dx * dx + dy * dy < last:
                        last = self.choose_near(ways, i, grid.numbers[at], dx * dx + dy * dy)
                    at += every
        return near

    def last_of(self, i: cython.Py_ssize_t) -> NoGil[cython.double]:
        """How far the last of a unit's nearest places is, squared, if it has as many as it may."""
        last = self.costs[CHOICES * i + NEAREST - 1]
        return last * last if self.counts[i] >= NEAREST else INF

    def choose_near(
        self,
        ways: Assignment,
        i: cython.Py_ssize_t,
        place: cython.int,
        far2: cython.double,
    ) -> NoGil[cython.double]:
        """Add a place to the nearest of a unit; return how far the last of them is, squared."""
        if place != ways.place[i]:
            self.counts[i] = min(self.counts[i], NEAREST - 1)
            self.insert(i, place, sqrt(far2), CHOICES * i + self.counts[i])
        return self.last_of(i)

    def choose_far(
        self,
        ways: Assignment,
        i: cython.Py_ssize_t,
        place: cython.int,
        far2: cython.double,
    ) -> NoGil[None]:
        """Add a place beyond the nearest of a unit, where there is room for another one."""
        last = self.costs[CHOICES * i + NEAREST - 1]
        if self.counts[i] < CHOICES and place != ways.place[i] and far2 > last * last:
            self.insert(i, place, sqrt(far2), CHOICES * i + self.counts[i])

    def insert(
        self, i: cython.Py_ssize_t, place: cython.int, cost: cython.double, at: cython.Py_ssize_t
    ) -> NoGil[None]:
        """Add a place to the choices of a unit, which are sorted by distance up to `at`."""
        self.counts[i] += 1
        while at > CHOICES * i + 1 and self.costs[at - 1] > cost:
            self.choices[at] = self.choices[at - 1]
            self.costs[at] = self.costs[at - 1]
            at -= 1
        self.choices[at] = place
        self.costs[at] = cost

    def sell(self, mean: cython.double) -> NoGil[cython.bint]:
        """Sell all places, in rounds with ever smaller steps; whether that came to an end."""
        self.bids = 0
        self.step = FIRST * mean
        self.waiting = self.n
        for i in range(self.n):
            self.prices[i] = 0.0
            self.owners[i] = -1
            self.bidders[i] = cython.cast(cython.int, i)
        for turn in range(ROUNDS):
            if turn > 0:
                self.step *= FINER
                self.return_dear()
            while self.waiting > 0:
                if self.bids == MOST * self.n:
                    return False
                self.waiting -= 1
                self.bids += 1
                self.bid(self.bidders[self.waiting])
        return True

    def bid(self, i: cython.int) -> NoGil[None]:
        """Let a unit bid for the place that costs it least; whoever had it bids again."""
        first: cython.Py_ssize_t = CHOICES * i
        best = self.choices[first]
        least = self.costs[first] + self.prices[best]
        second = INF
        for k in range(first + 1, first + self.counts[i]):
            if self.costs[k] >= second:
                break
            value = self.costs[k] + self.prices[self.choices[k]]
            if value < least:
                second = least
                least = value
                best = self.choices[k]
            elif value < second:
                second = value
        self.prices[best] += self.step + (second - least if second < INF else 0.0)
        if self.owners[best] >= 0:
            self.bidders[self.waiting] = self.owners[best]
            self.waiting += 1
        self.owners[best] = i

    def return_dear(self) -> NoGil[None]:
        """Let all bid again who lose more than a step by the place that they have."""
        for place in range(self.n):
            i: cython.Py_ssize_t = self.owners[place]
            least = mine = INF
            for k in range(CHOICES * i, CHOICES * i + self.counts[i]):
                value = self.costs[k] + self.prices[self.choices[k]]
                least = min(least, value)
                if self.choices[k] == place:
                    mine = value
            if mine > least + self.step:
                self.owners[place] = -1
                self.bidders[self.waiting] = cython.cast(cython.int, i)
                self.waiting += 1
