"""The part of a grid that a search with a limit can reach: what it keeps depends on this alone."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.ways.ground import Ground
from tilequad.nav._shapes import Shape

__all__ = ["Part", "Reach"]

Ints: TypeAlias = NDArray[np.int32]

STEP = (
    32  # cells; parts begin and end at multiples, so that a goal that walks seldom leaves its own
)
MARGIN = 3  # cells around all that can be reached: walls, and what their corners touch


class Reach(NamedTuple):
    """The columns from `left` to `right` and the rows from `top` to `bottom`."""

    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def of(cls, ground: Ground, goals: Ints, limit: int) -> Reach:
        """What a search from some cells can reach, or all cells if that is more than half of them.

        Args:
            ground: All cells.
            goals: Some of them.
            limit: The greatest distance of the search, in its units.
        """
        whole = cls(0, 0, ground.columns, ground.rows)
        least, _ = ground.move_range()
        moves = limit // max(least, 1) + MARGIN
        if moves > max(whole) or ground.shaped:  # a part would not follow the shapes in cells
            return whole
        far = moves * (2 if ground.kind else 1)  # a move among staggered lines may cross two
        rows, columns = np.divmod(goals if len(goals) else np.zeros(1), ground.columns)
        low = [(int(axis.min()) - far) // STEP * STEP for axis in (columns, rows)]
        high = [(int(axis.max()) + far) // STEP * STEP + STEP for axis in (columns, rows)]
        found = cls(*(max(end, 0) for end in low), *map(min, high, whole[2:]))
        return found if 2 * found.size < whole.size else whole

    @property
    def size(self) -> int:
        """How many cells it has."""
        return (self.right - self.left) * (self.bottom - self.top)


class Part:
    """What a field keeps of a part of the cells: their ground, with numbers of its own, and words.

    Args:
        whole: The ground of all cells.
        reach: The part; if it is all cells, it has no ground of its own.

    Attributes:
        ground: The ground of the part.
        words: A word for each of its places; see `Distances`.
        lengths: The length of the straight way from each place; see `Headings`.
        headings: The heading of each place.
    """

    def __init__(self, whole: Ground, reach: Reach) -> None:
        self.whole, self.reach, self.ground = whole, reach, whole
        if reach != (0, 0, whole.columns, whole.rows):
            shape, codes = _cut(whole.shape, reach), whole.cell_codes()[self.slices]
            self.ground = Ground(shape, whole.need, whole.costs, codes.astype(np.uint64))
        self.words: NDArray[np.int64] = self.ground.by_place(np.int64)
        self.lengths: NDArray[np.float32] = self.ground.by_place(np.float32)
        self.headings: NDArray[np.uint8] = self.ground.by_place(np.uint8)

    @property
    def slices(self) -> tuple[slice, slice]:
        """The rows and columns of the part."""
        left, top, right, bottom = self.reach
        return slice(top, bottom), slice(left, right)

    def numbers(self, cells: Ints) -> Ints:
        """The own numbers of those cells that are in the part."""
        return self._located(cells)[1]

    def follow(self, changed: Ints) -> Ints:
        """Follow a change of cells; return the own numbers of those in the part."""
        inside, numbers = self._located(changed)
        if self.ground is not self.whole:
            codes = self.whole.cell_codes().reshape(-1)[inside].astype(np.uint64)
            self.ground.set_traits(numbers.data, codes.data, [])
        return numbers

    def _located(self, cells: Ints) -> tuple[Ints, Ints]:
        """The cells that are in the part, and their own numbers."""
        if self.ground is self.whole:
            return cells, cells
        left, top, right, bottom = self.reach
        rows, columns = np.divmod(cells, np.int32(self.whole.columns))
        near = (columns >= left) & (columns < right) & (rows >= top) & (rows < bottom)
        numbers = (rows[near] - top) * (right - left) + columns[near] - left
        return cells[near], numbers.astype(np.int32)


def _cut(shape: Shape, reach: Reach) -> Shape:
    """The shape of a part. It begins at an even line, so its lines are shifted as those of all."""
    left, top, right, bottom = reach
    frame = shape.frame.copy()
    if shape.kind == 0:
        frame[:2] += left * frame[2:4] + top * frame[4:6]
    else:
        along, across = (left, top) if shape.kind == 1 else (top, left)
        frame[0] += 2 * along * frame[1]
        frame[2] += across * frame[3]
    return shape._replace(columns=right - left, rows=bottom - top, frame=frame)
