"""Ids of grid cells: one fixed number per cell."""

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
    """The order in which queries list cells: line by line and, within a line, step by step.

    It defines the step and the line of each cell:

    - by default: step = column, line = row;
    - `leftwards`: step = -column; `upwards`: line = -row;
    - `diagonal`: step = column - row, line = column + row, as in an isometric map;
    - `stagger="rows"`: step = 2 * column + shift of the row, line = row;
    - `stagger="columns"`: step = column, line = 2 * row + shift of the column.

    The shift is 1 for odd rows or columns and 0 for even ones; `shift_even` swaps the two.
    """

    leftwards: bool = False
    upwards: bool = False
    diagonal: bool = False
    stagger: str = ""
    shift_even: bool = False

    @property
    def by_rows(self) -> bool:
        """Whether the order is row by row, from left to right."""
        return not (self.leftwards or self.upwards or self.diagonal or self.stagger == "columns")

    def steps_and_lines(
        self, columns: npt.NDArray[Number], rows: npt.NDArray[Number]
    ) -> tuple[npt.NDArray[Number], npt.NDArray[Number]]:
        """Return the steps and the lines of cells.

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

    def cells_of(self, first: int, top: int, last: int, bottom: int) -> tuple[int, int, int, int]:
        """Return the smallest rectangle of cells with the steps and lines of a range.

        All ends are inclusive: the first column and row, and the last ones.

        Example:
            >>> CellOrder(diagonal=True).cells_of(-1, 3, 1, 5)
            (1, 1, 3, 3)
        """
        if self.diagonal:
            return (
                (first + top + 1) // 2,
                (top - last + 1) // 2,
                (last + bottom) // 2,
                (bottom - first) // 2,
            )
        if self.stagger == "rows":
            return first // 2, top, last // 2, bottom
        if self.stagger == "columns":
            return first, top // 2, last, bottom // 2
        if self.leftwards:
            first, last = -last, -first
        if self.upwards:
            top, bottom = -bottom, -top
        return first, top, last, bottom

    def shift_of(self, index: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Return the shifts of rows, or of columns: 0 or 1."""
        odd: npt.NDArray[Number] = np.bitwise_and(index, 1)
        return np.subtract(1, odd) if self.shift_even else odd


class GridIds:
    """The ids of a grid with edges: row * columns + column.

    Args:
        columns: The number of columns.
        rows: The number of rows.

    Attributes:
        stride: Difference between the ids of a cell and of the cell below it.
        limit: The upper limit of ids (exclusive).

    Raises:
        ValueError: There are more cells than an int32 can count.
    """

    def __init__(self, columns: int, rows: int) -> None:
        if columns * rows >= MOST_IDS:
            raise ValueError(f"a grid must have fewer than 2**31 cells, got {columns} x {rows}")
        self.columns = columns
        self.rows = rows
        self.stride = columns
        self.limit = columns * rows

    def id_at(self, column: int, row: int) -> int | None:
        """Return the id of a cell, or None outside the grid."""
        if 0 <= column < self.columns and 0 <= row < self.rows:
            return row * self.columns + column
        return None

    def ids_at(self, columns: Int32s, rows: Int32s) -> Int32s:
        """Return the ids of cells of the grid."""
        return rows * np.int32(self.columns) + columns

    def cells(self, ids: Int32s) -> tuple[Int32s, Int32s]:
        """Return the columns and rows of ids."""
        rows = ids // np.int32(max(self.columns, 1))
        return ids - rows * np.int32(self.columns), rows


class ChunkIds:
    """The ids of a grid without edges, which grows by chunks.

    The id of a cell is its place in its chunk, row by row, plus an offset of the chunk. Each chunk
    gets the next free offset when it is first used, and keeps it.

    Args:
        width: Columns of a chunk, a multiple of 8.
        height: Rows of a chunk, a multiple of 8.

    Attributes:
        stride: Difference between the ids of a cell and of the cell below it in the chunk.

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
        self._corners = np.empty((0, 2), np.int32)  # of each chunk, then spare rows

    @property
    def limit(self) -> int:
        """The upper limit of ids (exclusive). Each new chunk raises it."""
        return len(self._numbers) * self.width * self.height

    def id_at(self, column: int, row: int) -> int | None:
        """Return the id of a cell, or None if its chunk was never used."""
        number = self._numbers.get((column // self.width, row // self.height))
        return None if number is None else self._place(number, column, row)

    def ids_at(self, columns: Int32s, rows: Int32s) -> Int32s:
        """Return the ids of cells whose chunks have been used."""
        cells = zip(columns.tolist(), rows.tolist(), strict=True)
        return np.array([self.id_at(column, row) for column, row in cells], np.int32)

    def first_of(self, column: int, row: int) -> int:
        """Return the id of the first cell of a block of 8 x 8; give a new chunk its offset.

        Raises:
            ValueError: A new chunk would need more ids than an int32 can count.
        """
        chunk = column // self.width, row // self.height
        number = self._numbers.get(chunk)
        if number is None:
            number = len(self._numbers)
            self.check_capacity(1)
            if number == len(self._corners):
                spare = np.empty((number // 2 + 16, 2), np.int32)
                self._corners = np.concatenate((self._corners, spare))
            self._numbers[chunk] = number
            self._corners[number] = chunk[0] * self.width, chunk[1] * self.height
        return self._place(number, column, row)

    def firsts_of(self, columns: Ints, rows: Ints) -> Int32s:
        """Return the first ids of many blocks; new chunks get offsets in block order."""
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
        """Return the columns and rows of ids."""
        numbers = ids // np.int32(self.width * self.height)
        places = ids - numbers * np.int32(self.width * self.height)
        rows = places // np.int32(self.width)
        corners = self._corners[numbers]
        return corners[:, 0] + places - rows * np.int32(self.width), corners[:, 1] + rows

    def _place(self, number: int, column: int, row: int) -> int:
        place = row % self.height * self.width + column % self.width
        return number * self.width * self.height + place

    def check_capacity(self, chunks: int) -> None:
        """Raise ValueError if so many new chunks would need more ids than an int32 can count."""
        count = len(self._numbers) + chunks
        if count * self.width * self.height >= MOST_IDS:
            raise ValueError(f"{count} chunks have more cells than an int32 can count")


CellIds: TypeAlias = GridIds | ChunkIds


def into_blocks(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Cut a grid into blocks of 8 x 8, row by row of blocks, padded with zeros: (n, 64)."""
    rows, columns = -(-values.shape[0] // 8), -(-values.shape[1] // 8)
    if values.shape != (8 * rows, 8 * columns):
        whole = np.zeros((8 * rows, 8 * columns), values.dtype)
        whole[: values.shape[0], : values.shape[1]] = values
        values = whole
    return values.reshape(rows, 8, columns, 8).swapaxes(1, 2).reshape(-1, 64)
