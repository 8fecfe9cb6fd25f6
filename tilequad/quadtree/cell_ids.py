"""What the cells of a grid are called: a number for each, for good."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["CellIds", "CellOrder", "ChunkIds", "GridIds", "into_blocks"]

MOST_IDS = 1 << 31  # ids are C ints
Ints: TypeAlias = npt.NDArray[np.integer[Any]]
Int32s: TypeAlias = npt.NDArray[np.int32]
Number = TypeVar("Number", bound=np.integer[Any])


class CellOrder(NamedTuple):
    """The order in which the cells of a grid are listed: line by line, step by step in a line.

    It says how far along (step) and in which line a cell lies:

    - as it stands, steps are columns and lines are rows;
    - `leftwards` counts steps as -column, `upwards` counts lines as -row;
    - `diagonal`: step = column - row, line = column + row, as in an isometric map;
    - `stagger="rows"`: step = 2 * column + shift of the row, line = row;
    - `stagger="columns"`: step = column, line = 2 * row + shift of the column; every second row,
      or column, is shifted by 1, the odd ones or with `shift_even` the even ones.
    """

    leftwards: bool = False
    upwards: bool = False
    diagonal: bool = False
    stagger: str = ""
    shift_even: bool = False

    @property
    def by_rows(self) -> bool:
        """Whether cells are listed row by row, each from left to right."""
        return not (self.leftwards or self.upwards or self.diagonal or self.stagger == "columns")

    def steps_and_lines(
        self, columns: npt.NDArray[Number], rows: npt.NDArray[Number]
    ) -> tuple[npt.NDArray[Number], npt.NDArray[Number]]:
        """The step and the line of each cell.

        Example:
            >>> steps, lines = CellOrder(diagonal=True).steps_and_lines(
            ...     np.array([3, 1]), np.array([1, 0])
            ... )
            >>> steps.tolist(), lines.tolist()
            ([2, 1], [4, 1])
        """
        if self.diagonal:
            return columns - rows, columns + rows
        if self.stagger == "rows":
            return 2 * columns + self.shift_of(rows), rows
        if self.stagger == "columns":
            return columns, 2 * rows + self.shift_of(columns)
        return -columns if self.leftwards else columns, -rows if self.upwards else rows

    def shift_of(self, index: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """By how much some rows, or columns, are shifted: 0 or 1."""
        odd: npt.NDArray[Number] = np.bitwise_and(index, 1)
        return np.subtract(1, odd) if self.shift_even else odd


class GridIds:
    """The ids of a grid with edges: row * columns + column.

    Args:
        columns: How many there are.
        rows: How many there are.

    Attributes:
        stride: How much higher the id of the cell below is.
        limit: All ids are below this.

    Raises:
        ValueError: More cells than an int32 can count.
    """

    def __init__(self, columns: int, rows: int) -> None:
        if columns * rows >= MOST_IDS:
            raise ValueError(f"a grid must have fewer than 2**31 cells, got {columns} x {rows}")
        self.columns = columns
        self.rows = rows
        self.stride = columns
        self.limit = columns * rows

    def id_at(self, column: int, row: int) -> int | None:
        """The id of a cell, or None outside the grid."""
        if 0 <= column < self.columns and 0 <= row < self.rows:
            return row * self.columns + column
        return None

    def cells(self, ids: Int32s) -> tuple[Int32s, Int32s]:
        """The columns and the rows of some ids."""
        rows = ids // np.int32(max(self.columns, 1))
        return ids - rows * np.int32(self.columns), rows


class ChunkIds:
    """The ids of a grid without edges, which grows by chunks.

    The id of a cell is its place in its chunk, row by row, plus an offset for that chunk. Chunks
    take their offsets in the order in which they are first used, and keep them.

    Args:
        width: Columns of a chunk, a multiple of 8.
        height: Rows of a chunk, a multiple of 8.

    Attributes:
        stride: How much higher the id of the cell below is, within a chunk.

    Example:
        >>> ids = ChunkIds(16, 16)
        >>> ids.first_of(-16, 32), ids.first_of(0, 0), ids.first_of(-8, 40)
        (0, 256, 136)
        >>> ids.id_at(-15, 33), ids.id_at(99, 99), ids.limit
        (17, None, 512)
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.stride = width
        self._numbers: dict[tuple[int, int], int] = {}
        self._corners = np.empty((0, 2), np.int32)  # of each chunk, and room for more

    @property
    def limit(self) -> int:
        """All ids are below this; it rises with each new chunk."""
        return len(self._numbers) * self.width * self.height

    def id_at(self, column: int, row: int) -> int | None:
        """The id of a cell, or None where no chunk is yet."""
        number = self._numbers.get((column // self.width, row // self.height))
        return None if number is None else self._place(number, column, row)

    def first_of(self, column: int, row: int) -> int:
        """The id of a cell, for the first of a block of 8 x 8; a new chunk takes its offset now.

        Raises:
            ValueError: More ids than an int32 can count.
        """
        chunk = column // self.width, row // self.height
        number = self._numbers.get(chunk)
        if number is None:
            number = len(self._numbers)
            self.check_room(1)
            if number == len(self._corners):
                room = np.empty((number // 2 + 16, 2), np.int32)
                self._corners = np.concatenate((self._corners, room))
            self._numbers[chunk] = number
            self._corners[number] = chunk[0] * self.width, chunk[1] * self.height
        return self._place(number, column, row)

    def firsts_of(self, columns: Ints, rows: Ints) -> Int32s:
        """The same for many blocks; new chunks take their offsets in the order of the blocks."""
        across, down = columns // self.width, rows // self.height
        keys = (down.astype(np.int64) << 32) + across
        _, firsts, which = np.unique(keys, return_index=True, return_inverse=True)
        numbers = np.empty(len(firsts), np.int64)
        size = self.width * self.height
        for chunk in firsts.argsort().tolist():
            block = firsts[chunk]
            first = self.first_of(int(across[block]) * self.width, int(down[block]) * self.height)
            numbers[chunk] = first // size
        places = (rows - down * self.height) * self.width + columns - across * self.width
        return (numbers[which.reshape(-1)] * size + places).astype(np.int32)

    def cells(self, ids: Int32s) -> tuple[Int32s, Int32s]:
        """The columns and the rows of some ids."""
        numbers = ids // np.int32(self.width * self.height)
        places = ids - numbers * np.int32(self.width * self.height)
        rows = places // np.int32(self.width)
        corners = self._corners[numbers]
        return corners[:, 0] + places - rows * np.int32(self.width), corners[:, 1] + rows

    def _place(self, number: int, column: int, row: int) -> int:
        place = row % self.height * self.width + column % self.width
        return number * self.width * self.height + place

    def check_room(self, chunks: int) -> None:
        """Refuse more new chunks than there are ids for.

        Raises:
            ValueError: There are more.
        """
        count = len(self._numbers) + chunks
        if count * self.width * self.height >= MOST_IDS:
            raise ValueError(f"{count} chunks have more cells than an int32 can count")


CellIds: TypeAlias = GridIds | ChunkIds


def into_blocks(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A grid cut into blocks of 8 x 8, row by row of blocks, filled up with zeros: (n, 64)."""
    rows, columns = -(-values.shape[0] // 8), -(-values.shape[1] // 8)
    if values.shape != (8 * rows, 8 * columns):
        whole = np.zeros((8 * rows, 8 * columns), values.dtype)
        whole[: values.shape[0], : values.shape[1]] = values
        values = whole
    return values.reshape(rows, 8, columns, 8).swapaxes(1, 2).reshape(-1, 64)
