"""The layers of a map: cull what the camera sees, and build a layer's tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tilequad
from benchmarks.maps import TILE, write_map
from benchmarks.peers import Sprite
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import StaticQuadtree
from tilequad._core.cells.region import RegionQuadtree

VIEW = 39 * TILE, 25 * TILE  # px, 40 x 26 tiles where it lies across their edges: about 1,000
VIEWS = 200
BOXED = 1024  # the largest side for contestants that keep a box or a sprite for every tile


def races(side: int, missing: set[str]) -> Iterator[Race]:
    """A full layer of side x side tiles, in Tiled's draw order: the top row first, y up."""
    if side <= BOXED:
        yield building(side, missing)
    with TemporaryDirectory() as folder:
        yield culling(side, write_map(Path(folder), side), missing)


def boxes_of(side: int) -> np.ndarray:
    """The boxes of the tiles, (side * side, 4)."""
    numbers = np.arange(side * side)
    x, y = numbers % side * TILE, (side - 1 - numbers // side) * TILE
    return np.stack([x, y, x + TILE, y + TILE], axis=1).astype(np.float64)


def views_of(side: int) -> list[tuple[float, float, float, float]]:
    """Views whose edges cross tiles."""
    rng = np.random.default_rng(5)
    width, height = VIEW
    corners = rng.uniform(0, (side * TILE - width, side * TILE - height), (VIEWS, 2)) // 16 * 16 + 8
    return [(x, y, x + width, y + height) for x, y in corners.tolist()]


def building(side: int, missing: set[str]) -> Race:
    """Ours is built from the cells, the others from the boxes of the tiles."""
    boxes, occupied = boxes_of(side), np.ones((side, side), bool)
    runners = {
        "tilequad": Runner(lambda _: RegionQuadtree(occupied)),
        "tilequad, tree of boxes": Runner(lambda _: StaticQuadtree(boxes)),
    }
    if "arcade SpatialHash" not in missing:
        runners["arcade SpatialHash"] = Runner(lambda _: hashed(boxes))
    if "shapely STRtree" not in missing:
        runners["shapely STRtree"] = Runner(lambda _: strtree(boxes))
    return Race("build a layer's tree", "tiles", side * side, "layer", runners)


def culling(side: int, path: Path, missing: set[str]) -> Race:
    """Ids of the tiles in view, in draw order; the hash's in no order and by whole buckets."""
    grid = np.ones((side, side), dtype=bool)
    numbers = np.arange(side * side, dtype=np.int32).reshape(side, side)
    asked = {
        "tilequad": tilequad.load_map(path).layers[0].query,
        "numpy slice": lambda view: sliced(grid, view),
        "numpy slice of ids": lambda view: picked(grid, numbers, view),
    }
    if side <= BOXED:
        asked["tilequad, tree of boxes"] = StaticQuadtree(boxes_of(side)).query
    views = views_of(side)
    for name, ask in asked.items():
        if any(not np.array_equal(ask(view), sliced(grid, view)) for view in views[:20]):
            raise WrongAnswerError(f"{name} culls wrong")
    if side <= BOXED and "arcade SpatialHash" not in missing:
        asked["arcade SpatialHash"] = ask_hash(side, asked["tilequad"], views[0])
    runners = {
        name: Runner(lambda n, ask=ask: [ask(view) for view in views[:n]], VIEWS)
        for name, ask in asked.items()
    }
    return Race("cull a layer", "orthogonal", side * side, "view", runners)


def ask_hash(side: int, truth: Callable, view: tuple[float, float, float, float]) -> Callable:
    """The spatial hash of arcade over the layer, after a check that it misses no tile."""
    from arcade import LRBT

    near = hashed(boxes_of(side)).get_sprites_near_rect

    def ask(view: tuple[float, float, float, float]) -> set[Sprite]:
        return near(LRBT(view[0], view[2], view[1], view[3]))

    if not {sprite.number for sprite in ask(view)}.issuperset(truth(view).tolist()):
        raise WrongAnswerError("arcade's hash misses tiles")
    return ask


def sliced(grid: np.ndarray, view: tuple[float, float, float, float]) -> np.ndarray:
    """The rival of a tree on a full grid: a range of rows and columns, empty cells out."""
    left, top, right, bottom = range_of(len(grid), view)
    rows, columns = np.nonzero(grid[top:bottom, left:right])
    return ((rows + top) * len(grid) + columns + left).astype(np.int32)


def picked(
    grid: np.ndarray, ids: np.ndarray, view: tuple[float, float, float, float]
) -> np.ndarray:
    """The same with the ids of all cells in an array beside the grid, four bytes each."""
    left, top, right, bottom = range_of(len(grid), view)
    return ids[top:bottom, left:right][grid[top:bottom, left:right]]


def range_of(side: int, view: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    """First column and row in view, and those after the last; rows count downwards."""
    left, right = int(view[0] // TILE), int(view[2] // TILE) + 1
    top, bottom = side - 1 - int(view[3] // TILE), side - int(view[1] // TILE)
    return max(left, 0), max(top, 0), right, bottom


def hashed(boxes: np.ndarray):
    from arcade.sprite_list.spatial_hash import SpatialHash

    tree = SpatialHash(128)
    for number, box in enumerate(boxes.tolist()):
        tree.add(Sprite(number, *box))
    return tree


def strtree(boxes: np.ndarray):
    import shapely

    tree = shapely.STRtree(shapely.box(*boxes.T))
    tree.query(shapely.Point(0, 0))  # it builds on its first question
    return tree
