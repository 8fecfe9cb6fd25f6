"""Mending around painted cells: tiles that lead from new colors to those farther out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import InitVar, dataclass

import numpy as np
from numpy.typing import NDArray

from ..cells import Colors
from ..geometry.wang_lattice import AROUND
from ..index.wang_tiles import NO_WAY, hashed
from .wang_area import Area, CellsAt, Place

__all__ = ["Mending"]

WangId = tuple[int, ...]

_MOST_STEPS = 500  # of a search, and some more for each cell
_STEPS_PER_CELL = 4


@dataclass
class Mending:
    """Searches tiles for cells next to edges and corners whose colors are set.

    A cell keeps as much of its colors as it can. What it gives up, its neighbors have to follow,
    as with Tiled's terrain brush; but where that leads to no tile, the search goes back and tries
    the next best one.
    """

    area: Area  #: the painted cells
    cells: InitVar[CellsAt]  #: those to search tiles for; the painted ones first
    shown: InitVar[Colors]  #: the Wang ids that they show
    fixed: InitVar[Colors]  #: the colors that they must have, or `free`
    free: InitVar[int]  #: stands for an edge or corner without such a color
    settled: InitVar[set[Place]]  #: the places of cells that have their tiles
    weights: NDArray[np.float64]  #: how likely each Wang id of the tiles is to be chosen
    seed: int  #: chooses among equally good Wang ids

    def __post_init__(
        self, cells: CellsAt, shown: Colors, fixed: Colors, free: int, settled: set[Place]
    ) -> None:
        #: the number of the Wang id of each cell that was considered, by place
        self.chosen: dict[Place, int] = {}
        self.wrong: set[Place] = set()  #: the cells that no tile fits
        self._tiles = self.area.scene.tiles
        self._around = [AROUND[place] for place in self._tiles.where]
        self._queue = cells.places()
        self._shown: dict[Place, WangId | None] = dict.fromkeys(settled)
        self._shown.update(zip(self._queue, map(tuple, shown.tolist()), strict=True))
        self._fixed: dict[Place, int] = {
            where: wang_id[place]
            for cell, wang_id in zip(self._queue, fixed.tolist(), strict=True)
            for place, where in zip(self._tiles.where, self._places(cell), strict=True)
            if wang_id[place] != free
        }
        distances = self._tiles.distances
        far = int(distances[distances < NO_WAY].max()) + 1
        height, width = self.area.inside.shape
        self._limits = -far, -far, width + far, height + far

    def search(self) -> dict[Place, tuple[int, bool]]:
        """Choose tiles for the cells, and for all those that have to follow.

        Return the number of the Wang id of each cell that changes, by place, and whether it fits.
        """
        if not self._solve(self._queue.copy()):
            self._approximate(self._queue.copy())
        ids = list(map(tuple, self._tiles.ids.tolist()))
        return {
            cell: (number, cell not in self.wrong)
            for cell, number in self.chosen.items()
            if ids[number] != self.shows(cell)
        }

    def shows(self, cell: Place) -> WangId | None:
        """Return the Wang id that a cell shows before; None for one that is settled."""
        if cell not in self._shown:
            self._shown[cell] = self.area.shown_at(cell)
        return self._shown[cell]

    def _solve(self, queue: list[Place]) -> bool:
        """Find tiles that fit everywhere; go back at dead ends. Return whether it succeeded."""
        left = _MOST_STEPS + _STEPS_PER_CELL * len(queue)
        # per choice: where in the queue, what else may be chosen, what was fixed, and its length
        stack: list[tuple[int, Iterator[int], list[Place], int]] = []
        at = 0
        while left > 0:
            while at < len(queue) and not self._is_open(queue[at]):
                at += 1
            if at == len(queue):
                return True
            stack.append((at, iter(self._candidates(queue[at])), [], len(queue)))
            while stack:
                left -= 1
                at, candidates, own, length = stack[-1]
                self._undo(queue[at], own)
                del queue[length:]
                number = next(candidates, -1)
                if number < 0:
                    stack.pop()
                elif self._choose(queue[at], number, own, queue):
                    at += 1
                    break
            else:
                return False
        for at, _, own, _ in stack:
            self._undo(queue[at], own)
        return False

    def _approximate(self, queue: list[Place]) -> None:
        """Choose the best tile for one cell after the other; some may fit nowhere."""
        most = _MOST_STEPS + _STEPS_PER_CELL * len(queue)
        for cell in queue:  # it grows
            if not self._is_open(cell):
                continue
            candidates = self._candidates(cell) if len(self.chosen) < most else []
            if len(candidates):
                self._choose(cell, candidates[0], [], queue)
            else:
                self.chosen[cell] = self._tiles.nearest(self._wanted(cell)[0])
                self.wrong.add(cell)

    def _is_open(self, cell: Place) -> bool:
        """Return whether a cell needs another tile than it shows."""
        if cell in self.chosen:
            return False
        shown = self.shows(cell)
        return shown is not None and any(
            self._fixed.get(where, shown[place]) != shown[place]
            for place, where in zip(self._tiles.where, self._places(cell), strict=True)
        )

    def _wanted(self, cell: Place) -> tuple[Colors, NDArray[np.bool_]]:
        """Return the Wang id that a cell should have, and which of its places are fixed."""
        wanted = np.array(self.shows(cell), np.uint8)
        is_fixed = np.zeros(8, bool)
        for place, where in zip(self._tiles.where, self._places(cell), strict=True):
            if where in self._fixed:
                wanted[place] = self._fixed[where]
                is_fixed[place] = True
        return wanted, is_fixed

    def _candidates(self, cell: Place) -> list[int]:
        """Return the numbers of Wang ids for a cell, the best first."""
        wanted, is_fixed = self._wanted(cell)
        ids = self._tiles.ids
        fits = np.flatnonzero((ids[:, is_fixed] == wanted[is_fixed]).all(axis=1))
        steps = self._tiles.distances[wanted, ids[fits]].sum(axis=1, dtype=np.int64)
        here = np.full(len(fits), cell[0] + (cell[1] << 32))
        chance = (hashed(fits, here, self.seed).astype(np.float64) + 1) / 2.0**64
        found: list[int] = fits[np.lexsort((-np.log(chance) / self.weights[fits], steps))].tolist()
        return found

    def _choose(self, cell: Place, number: int, own: list[Place], queue: list[Place]) -> bool:
        """Give a cell a Wang id. Return whether cells that may not change still fit.

        `own` receives the edges and corners that it fixes, `queue` the cells that have to follow.
        """
        self.chosen[cell] = number
        wang_id = self._tiles.ids[number].tolist()
        for place, where in zip(self._tiles.where, self._places(cell), strict=True):
            if where not in self._fixed:
                self._fixed[where] = wang_id[place]
                own.append(where)
        left, top, right, bottom = self._limits
        beyond: list[Place] = []
        for du, dv in AROUND if own else ():
            u, v = cell[0] + du, cell[1] + dv
            if self._is_open((u, v)):
                inside = left <= u <= right and top <= v <= bottom
                (queue if inside else beyond).append((u, v))
        self.wrong.update(beyond)
        return not beyond

    def _undo(self, cell: Place, own: list[Place]) -> None:
        self.chosen.pop(cell, None)
        for where in own:
            del self._fixed[where]
        own.clear()
        self.wrong.clear()

    def _places(self, cell: Place) -> list[Place]:
        """Return the places of a cell's edges and corners."""
        u, v = 2 * cell[0] + 1, 2 * cell[1] + 1
        return [(u + du, v + dv) for du, dv in self._around]
