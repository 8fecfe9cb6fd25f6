"""The layers of a map: what the camera sees, also after a change, and on diamonds and hexagons.

The rival by numpy is a slice of an array of cells. fastquadtree's own benchmark stands here, too:
500,000 integer points and boxes so large that they hold many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tilequad
from benchmarks.maps import TILE, write_map
from benchmarks.peers import OURS, STATIC, FastQuadTree
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad import DynamicQuadtree, StaticQuadtree
from tilequad.tiled import TileLayer

VIEW = 39 * TILE, 25 * TILE  # px, 40 x 26 tiles where it lies across their edges: about 1,000
# The views of about a thousand diamonds or hexagons.
OTHER_VIEWS = {"isometric": (640, 344), "hexagonal": (1120, 640)}  # px
VIEWS = 200
CHECKED = 20
GID = 7  # of the tile that comes back
LARGE = 4096
SIDE, BOXES = 1_000, 500  # of fastquadtree's benchmark: its world and its boxes
POINTS, QUICK_POINTS = 500_000, 20_000
View = tuple[float, float, float, float]


def races(plan: Plan) -> Iterator[Race]:
    for side in (plan.side,) if plan.quick else (plan.side, LARGE):
        layer = layer_of(side, "orthogonal")
        yield from orthogonal(side, layer)
    for orientation in OTHER_VIEWS:
        layer = layer_of(plan.side, orientation)
        yield other(orientation, plan.side, layer)
    yield from large_boxes(QUICK_POINTS if plan.quick else POINTS, plan)


def layer_of(side: int, orientation: str) -> TileLayer:
    """A full layer; y points up on an orthogonal map only."""
    with TemporaryDirectory() as folder:
        path = write_map(Path(folder), side, orientation)
        return tilequad.load_map(path, y_up=orientation == "orthogonal").layers[0]


def orthogonal(side: int, layer: TileLayer) -> Iterator[Race]:
    """What is in view: its ids, its gids, their number; and a tile that goes and comes back."""
    rng = np.random.default_rng(5)
    width, height = VIEW
    corners = rng.uniform(0, (side * TILE - width, side * TILE - height), (VIEWS, 2)) // 16 * 16 + 8
    views = [(x, y, x + width, y + height) for x, y in corners.tolist()]
    held = np.ones((side, side), bool)
    numbers = np.arange(side * side, dtype=np.int32).reshape(side, side)
    gids = layer.gids(numbers.ravel()).reshape(side, side)
    cells = cycle(rng.integers(0, side, (VIEWS, 2)).tolist())

    def sliced(view: View) -> np.ndarray:
        rows, columns = np.nonzero(held[part(side, view)])
        top, left = (cut.start for cut in part(side, view))
        return ((rows + top) * side + columns + left).astype(np.int32)

    def edited(view: View) -> None:
        column, row = next(cells)
        layer.clear_tile(column, row)
        layer.query(view)
        layer.set_tile(column, row, GID)
        layer.query(view)

    def edited_array(view: View) -> None:
        column, row = next(cells)
        for value in (False, True):
            held[row, column] = value
            sliced(view)

    for view in views[:CHECKED]:
        check(np.array_equal(layer.query(view), sliced(view)), "a layer is culled wrong")
        here = layer.gids(layer.query(view))
        check(np.array_equal(here, gids[part(side, view)].ravel()), "wrong gids in view")
    ids_by_numpy = lambda view: numbers[part(side, view)].copy()  # noqa: E731
    for operation, share, asked in (
        ("cull a layer", 1, {OURS: layer.query, "numpy slice of ids": ids_by_numpy}),
        (
            "gids in view",
            1,
            {
                OURS: lambda view: layer.gids(layer.query(view)),
                "numpy slice": lambda view: gids[part(side, view)].copy(),
            },
        ),
        ("count the tiles in view", 1, {OURS: layer.count}),
        ("change a tile and cull", 2, {OURS: edited, "numpy, cells only": edited_array}),
    ):
        runners = {name: viewing(ask, views) for name, ask in asked.items()}
        yield Race(operation, "orthogonal", side * side, "view", runners, share=share)


def viewing(ask: Callable[[View], object], views: list[View]) -> Runner:
    """Look at the next view."""
    turn = cycle(views)
    return lambda: ask(next(turn))


def part(side: int, view: View) -> tuple[slice, slice]:
    """The rows and columns in view; rows count downwards."""
    left, right = int(view[0] // TILE), int(view[2] // TILE) + 1
    top, bottom = side - 1 - int(view[3] // TILE), side - int(view[1] // TILE)
    return slice(max(top, 0), bottom), slice(max(left, 0), right)


def other(orientation: str, side: int, layer: TileLayer) -> Race:
    """Diamonds or hexagons in view, in draw order."""
    reach = 2.0 * (side + 1) * TILE
    ids = layer.query((-reach, -reach, reach, reach))
    boxes, cells = layer.boxes(ids), layer.cells(ids)
    inner = np.flatnonzero(((cells >= side // 4) & (cells < side - side // 4)).all(axis=1))
    at = boxes[np.random.default_rng(5).choice(inner, VIEWS), :2]
    half = np.array(OTHER_VIEWS[orientation]) / 2
    views = [tuple(view) for view in np.hstack([at - half, at + half]).tolist()]
    for view in views[:CHECKED]:
        seen = (boxes[:, :2] <= view[2:]) & (boxes[:, 2:] >= view[:2])
        expected = ids[seen.all(axis=1)]
        check(np.array_equal(layer.query(view), expected), f"{orientation} tiles, culled wrong")
    tree = StaticQuadtree(boxes)
    runners = {
        OURS: viewing(layer.query, views),
        "tilequad, tree of boxes": viewing(tree.query, views),
    }
    return Race("cull a layer", orientation, side * side, "view", runners)


def large_boxes(count: int, plan: Plan) -> Iterator[Race]:
    """Its settings are those it publishes: capacity 128, depth 16, float32, numpy in and out."""
    rng = np.random.default_rng(42)
    points = rng.integers(0, SIDE, (count, 2)).astype(np.float64)
    low = rng.integers(0, SIDE + 1, (BOXES, 2))
    size = rng.integers(0, SIDE - low + 1) // rng.integers(1, 9, (BOXES, 2))
    boxes = np.hstack([low, low + size]).astype(np.float64)
    items = list(range(count))

    def dynamic() -> DynamicQuadtree:
        tree = DynamicQuadtree((0.0, 0.0, SIDE, SIDE))
        tree.add_many(items, points)
        return tree

    def ask_dynamic(tree: DynamicQuadtree, asked: np.ndarray) -> list[np.ndarray]:
        offsets, slots = tree.query_many(asked)
        return np.split(slots, offsets[1:-1])

    def ask_static(tree: StaticQuadtree, asked: np.ndarray) -> list[np.ndarray]:
        return [tree.query(box) for box in asked.tolist()]

    static = lambda: StaticQuadtree(np.hstack([points, points]))  # noqa: E731
    makers = {OURS: (dynamic, ask_dynamic), STATIC: (static, ask_static)}
    if plan.has("fastquadtree"):
        from fastquadtree import QuadTree

        exact = points.astype(np.float32)  # what it is fastest with; integers stay exact

        def theirs() -> QuadTree:
            tree = QuadTree((0.0, 0.0, SIDE, SIDE), 128, max_depth=16)
            tree.insert_many_np(exact)
            return tree

        def ask_theirs(tree: QuadTree, asked: np.ndarray) -> list[np.ndarray]:
            closed = np.add(asked, (0.0, 0.0, 0.5, 0.5))  # its boxes leave out their upper edges
            return [tree.query_np(box)[0] for box in map(tuple, closed.tolist())]

        makers[FastQuadTree.name] = theirs, ask_theirs
    few, ask = boxes[:CHECKED], {}
    for name, (make, query) in makers.items():
        tree = make()
        for box, found in zip(few, query(tree, few), strict=True):
            inside = ((points >= box[:2]) & (points <= box[2:])).all(axis=1)
            check(np.array_equal(np.sort(found), np.flatnonzero(inside)), f"{name}: large boxes")
        ask[name] = lambda query=query, tree=tree: query(tree, boxes)
    build = {name: make for name, (make, _) in makers.items()}
    yield Race("large boxes, build", "integers", count, "tree", build)
    yield Race("large boxes, 500 queries", "integers", count, "500 queries", ask)
