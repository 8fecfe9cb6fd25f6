"""A layer that changes: in one frame a tile goes, in the next it is back, and the camera looks.

Of the rivals by numpy one counts the ids of all cells anew; the other has no ids but the numbers of
the cells, which do not change. The spatial hash has none either, and no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tilequad
from benchmarks.cases.tiles import BOXED, VIEWS, boxes_of, hashed, picked, sliced, views_of
from benchmarks.maps import TILE, write_map
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner

GID = 7  # of a tile that comes back
View = tuple[float, float, float, float]


@dataclass(frozen=True)
class Contestant:
    """The verbs of a frame."""

    clear: Callable[[int, int], object]
    restore: Callable[[int, int], object]
    query: Callable[[View], object]


def races(side: int, missing: set[str]) -> Iterator[Race]:
    """A layer that is full of side x side tiles, but for one of them in every second frame."""
    cells = np.random.default_rng(8).integers(0, side, (VIEWS, 2)).tolist()
    changes = list(zip(cells, views_of(side), strict=True))
    contestants = {
        "tilequad": of_layer(side),
        "numpy, ids counted anew": of_ids(side),
        "numpy, cells only": of_cells(side),
    }
    check(side, contestants, cells[:20])
    if side <= BOXED and "arcade SpatialHash" not in missing:
        contestants["arcade SpatialHash"] = of_hash(side)
    runners = {
        name: Runner(lambda n, one=one: play(one, changes[:n]), VIEWS)
        for name, one in contestants.items()
    }
    yield Race("change a tile and cull", "orthogonal", side * side, "frame", runners, share=2)


def play(one: Contestant, changes: list[tuple[list[int], View]]) -> list:
    """What is seen in two frames for every change: the tile is gone, and is back."""
    seen = []
    for (column, row), view in changes:
        one.clear(column, row)
        seen.append(one.query(view))
        one.restore(column, row)
        seen.append(one.query(view))
    return seen


def check(side: int, contestants: dict[str, Contestant], cells: list[list[int]]) -> None:
    """All see the same; where cells keep their numbers, those behind the gap are one too high."""
    changes = [(cell, around(side, cell)) for cell in cells]
    ours, anew, kept = (play(one, changes) for one in contestants.values())
    for number, (ids, counted, numbers) in enumerate(zip(ours, anew, kept, strict=True)):
        column, row = cells[number // 2]
        behind = numbers > row * side + column
        shifted = numbers - behind if number % 2 == 0 else numbers
        if not (np.array_equal(ids, counted) and np.array_equal(ids, shifted)):
            raise WrongAnswerError("a changed layer culls wrong")


def around(side: int, cell: list[int]) -> View:
    """A view of a cell and its neighbours, as far as there are any."""
    left, bottom = cell[0] * TILE, (side - 1 - cell[1]) * TILE
    return max(left - 40, 0), max(bottom - 40, 0), left + TILE + 40, bottom + TILE + 40


def of_layer(side: int) -> Contestant:
    with TemporaryDirectory() as folder:
        layer = tilequad.load_map(write_map(Path(folder), side)).layers[0]
    return Contestant(
        layer.clear_tile, lambda column, row: layer.set_tile(column, row, GID), layer.query
    )


def of_ids(side: int) -> Contestant:
    grid, counted = np.ones((side, side), bool), [np.empty(0, np.int32)]

    def put(column: int, row: int, held: bool) -> None:
        grid[row, column] = held
        counted[0] = grid.cumsum(dtype=np.int32).reshape(grid.shape) - np.int32(1)

    return Contestant(
        lambda column, row: put(column, row, False),
        lambda column, row: put(column, row, True),
        lambda view: picked(grid, counted[0], view),
    )


def of_cells(side: int) -> Contestant:
    grid = np.ones((side, side), bool)

    def put(column: int, row: int, held: bool) -> None:
        grid[row, column] = held

    return Contestant(
        lambda column, row: put(column, row, False),
        lambda column, row: put(column, row, True),
        lambda view: sliced(grid, view),
    )


def of_hash(side: int) -> Contestant:
    from arcade import LRBT

    tree = hashed(boxes_of(side))
    sprites = list(tree.buckets_for_sprite)
    return Contestant(
        lambda column, row: tree.remove(sprites[row * side + column]),
        lambda column, row: tree.add(sprites[row * side + column]),
        lambda view: tree.get_sprites_near_rect(LRBT(view[0], view[2], view[1], view[3])),
    )
