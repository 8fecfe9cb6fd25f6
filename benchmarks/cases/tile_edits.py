"""A layer that changes: a tile goes in one frame and is back in the next, and the camera looks.

The rival by numpy is an array of cells and a slice of it. The spatial hash has no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tilequad
from benchmarks.cases.tiles import BOXED, VIEWS, boxes_of, hashed, sliced, views_of
from benchmarks.maps import TILE, write_map
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner

GID = 7  # of the tile that comes back
CHECKED = 20
View = tuple[float, float, float, float]


@dataclass(frozen=True)
class Contestant:
    """The verbs of a frame, and `cells`, which turns an answer into row * side + column."""

    clear: Callable[[int, int], object]
    restore: Callable[[int, int], object]
    query: Callable[[View], object]
    cells: Callable[[object], np.ndarray]


def races(side: int, missing: set[str]) -> Iterator[Race]:
    """A layer full of side x side tiles, but for one of them in every second frame."""
    cells = np.random.default_rng(8).integers(0, side, (VIEWS, 2)).tolist()
    changes = list(zip(cells, views_of(side), strict=True))
    contestants = {"tilequad": of_layer(side), "numpy, cells only": of_cells(side)}
    check(side, contestants, cells[:CHECKED])
    if side <= BOXED and "arcade SpatialHash" not in missing:
        contestants["arcade SpatialHash"] = of_hash(side)
    runners = {
        name: Runner(lambda n, one=one: play(one, changes[:n]), VIEWS)
        for name, one in contestants.items()
    }
    yield Race("change a tile and cull", "orthogonal", side * side, "frame", runners, share=2)


def play(one: Contestant, changes: list[tuple[list[int], View]]) -> list:
    """The answers in two frames for every change: the tile is gone, and is back."""
    seen = []
    for (column, row), view in changes:
        one.clear(column, row)
        seen.append(one.query(view))
        one.restore(column, row)
        seen.append(one.query(view))
    return seen


def check(side: int, contestants: dict[str, Contestant], cells: list[list[int]]) -> None:
    """Raise unless all see the cells around a change, in order, with and without its tile."""
    for name, one in contestants.items():
        for column, row in cells:
            view = around(side, [column, row])
            full = sliced(np.ones((side, side), bool), view)
            one.clear(column, row)
            gone = one.cells(one.query(view))
            one.restore(column, row)
            back = one.cells(one.query(view))
            rest = full[full != row * side + column]
            if not (np.array_equal(gone, rest) and np.array_equal(back, full)):
                raise WrongAnswerError(f"{name} culls a changed layer wrong")


def around(side: int, cell: list[int]) -> View:
    """A view of a cell and its neighbors, within the map."""
    left, bottom = cell[0] * TILE, (side - 1 - cell[1]) * TILE
    return max(left - 40, 0), max(bottom - 40, 0), left + TILE + 40, bottom + TILE + 40


def of_layer(side: int) -> Contestant:
    with TemporaryDirectory() as folder:
        layer = tilequad.load_map(write_map(Path(folder), side)).layers[0]
    return Contestant(
        layer.clear_tile,
        lambda column, row: layer.set_tile(column, row, GID),
        layer.query,
        lambda ids: layer.cells(ids) @ (1, side),
    )


def of_cells(side: int) -> Contestant:
    grid = np.ones((side, side), bool)

    def put(column: int, row: int, held: bool) -> None:
        grid[row, column] = held

    return Contestant(
        lambda column, row: put(column, row, False),
        lambda column, row: put(column, row, True),
        lambda view: sliced(grid, view),
        lambda cells: cells,
    )


def of_hash(side: int) -> Contestant:
    from arcade import LRBT

    tree = hashed(boxes_of(side))
    sprites = list(tree.buckets_for_sprite)
    return Contestant(
        lambda column, row: tree.remove(sprites[row * side + column]),
        lambda column, row: tree.add(sprites[row * side + column]),
        lambda view: tree.get_sprites_near_rect(LRBT(view[0], view[2], view[1], view[3])),
        lambda found: np.sort([sprite.number for sprite in found]),
    )
