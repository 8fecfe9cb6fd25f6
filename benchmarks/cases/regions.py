"""The filled cells in a range of a grid: full, half full and sparse, zoomed in and out.

The rivals by numpy keep arrays of the size of the grid. One has the ids in an array, five bytes a
cell with the mask; the other finds the cells alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.cases.tiles import BOXED
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import StaticQuadtree
from tilequad._core.cells.region import RegionQuadtree

DENSITIES = {"full": 1.0, "half full": 0.5, "sparse": 0.01}
SPANS = {"cells in range": (40, 26), "cells in range, zoomed out": (400, 260)}
RANGES = 200
CHECKED = 20
Range = tuple[int, int, int, int]


def races(side: int) -> Iterator[Race]:
    """A grid of side x side cells, as the layers of a map are."""
    for spread, density in DENSITIES.items():
        grid = np.random.default_rng(6).random((side, side)) < density
        tree = RegionQuadtree(grid)
        for operation, span in SPANS.items():
            if span[0] < side:
                yield asking(operation, spread, grid, tree, span)


def asking(
    operation: str, spread: str, grid: np.ndarray, tree: RegionQuadtree, span: tuple[int, int]
) -> Race:
    """Find the filled cells, row by row."""
    side = len(grid)
    all_ids = tree.query(0, 0, side - 1, side - 1)
    ids = np.zeros((side, side), np.int32)
    ids[grid] = all_ids

    def picked(part: Range) -> np.ndarray:
        view = np.s_[part[1] : part[3] + 1, part[0] : part[2] + 1]
        return ids[view][grid[view]]

    def searched(part: Range) -> np.ndarray:
        rows, columns = np.nonzero(grid[part[1] : part[3] + 1, part[0] : part[2] + 1])
        return (rows + part[1]) * side + (columns + part[0])

    cells_of_ids = lambda found: tree.cells(found) @ (1, side)  # noqa: E731
    asked: dict[str, tuple[Callable, Callable]] = {
        "tilequad": (lambda part: tree.query(*part), cells_of_ids),
        "numpy, array of ids": (picked, cells_of_ids),
        "numpy, cells only": (searched, lambda cells: cells),
    }
    if side <= BOXED and len(tree) < BOXED * BOXED // 2:
        cells = tree.cells(all_ids)
        boxes = StaticQuadtree(np.hstack([cells, cells]).astype(np.float64))
        asked["tilequad, tree of boxes"] = boxes.query, lambda rows: cells[rows] @ (1, side)
    parts = ranges_of(side, span)
    for name, (ask, to_cells) in asked.items():
        for part in parts[:CHECKED]:
            if not np.array_equal(to_cells(ask(part)), searched(part)):
                raise WrongAnswerError(f"{name} finds other cells")
    runners = {
        name: Runner(lambda n, ask=ask: [ask(part) for part in parts[:n]], RANGES)
        for name, (ask, _) in asked.items()
    }
    return Race(operation, spread, side * side, "range", runners)


def ranges_of(side: int, span: tuple[int, int]) -> list[Range]:
    """Ranges of one size, anywhere in the grid."""
    corners = np.random.default_rng(7).integers(0, (side - span[0], side - span[1]), (RANGES, 2))
    return [(x, y, x + span[0] - 1, y + span[1] - 1) for x, y in corners.tolist()]
