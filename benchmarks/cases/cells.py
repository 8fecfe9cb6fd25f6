"""The held cells of a grid in a range: full, half full and sparse, zoomed in and out.

Its rivals by numpy keep an array of the size of the grid. One has the ids in it, five bytes a cell
with the mask; the other finds the cells alone, and where ids are wanted they are the cells' own
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.cases.tiles import BOXED
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import StaticQuadtree
from tilequad.quadtree import RegionQuadtree

DENSITIES = {"full": 1.0, "half full": 0.5, "sparse": 0.01}
SPANS = {"cells in range": (40, 26), "cells in range, zoomed out": (400, 260)}
RANGES = 200
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
    """Ids of the held cells, ascending."""
    side = len(grid)
    ids = grid.cumsum(dtype=np.int32).reshape(grid.shape) - np.int32(1)

    def picked(part: Range) -> np.ndarray:
        view = np.s_[part[1] : part[3] + 1, part[0] : part[2] + 1]
        return ids[view][grid[view]]

    def searched(part: Range) -> np.ndarray:
        rows, columns = np.nonzero(grid[part[1] : part[3] + 1, part[0] : part[2] + 1])
        return (rows + part[1]) * side + (columns + part[0])

    asked = {
        "tilequad": lambda part: tree.query(*part),
        "numpy, array of ids": picked,
        "numpy, cells only": searched,
    }
    if side <= BOXED and len(tree) < BOXED * BOXED // 2:
        boxes = StaticQuadtree(boxes_of(tree))
        asked["tilequad, tree of boxes"] = boxes.query
    parts = ranges_of(side, span)
    for name, ask in asked.items():
        for part in parts[:20]:
            truth = searched(part) if name == "numpy, cells only" else picked(part)
            if not np.array_equal(ask(part), truth):
                raise WrongAnswerError(f"{name} finds other cells")
    runners = {
        name: Runner(lambda n, ask=ask: [ask(part) for part in parts[:n]], RANGES)
        for name, ask in asked.items()
    }
    return Race(operation, spread, side * side, "range", runners)


def boxes_of(tree: RegionQuadtree) -> np.ndarray:
    """A box without size for every held cell."""
    cells = tree.cells(np.arange(len(tree)))
    return np.hstack([cells, cells]).astype(np.float64)


def ranges_of(side: int, span: tuple[int, int]) -> list[Range]:
    """Ranges of one size, anywhere in the grid."""
    corners = np.random.default_rng(7).integers(0, (side - span[0], side - span[1]), (RANGES, 2))
    return [(x, y, x + span[0] - 1, y + span[1] - 1) for x, y in corners.tolist()]
