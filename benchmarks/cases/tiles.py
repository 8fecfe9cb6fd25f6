"""The layers of a map: what the camera sees, also on diamonds and hexagons; changes and terrain.

The rival by numpy is a slice of an array of cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tilequad
from benchmarks.cases import ROOT
from benchmarks.maps import TILE, write_map
from benchmarks.peers import OURS
from benchmarks.plan import Plan
from benchmarks.timing import Race, Runner, check
from tilequad.tiled import TileLayer, TileMap

VIEW = 39 * TILE, 25 * TILE  # px, 40 x 26 tiles where it lies across their edges: about 1,000
# The views of about a thousand diamonds or hexagons.
OTHER_VIEWS = {"isometric": (640, 344), "hexagonal": (1120, 640)}  # px
VIEWS = 200
CHECKED = 20
TERRAIN = ROOT / "maps" / "terrain.tsx"
GID = 7  # of the tile that comes back
View = tuple[float, float, float, float]


def races(plan: Plan) -> Iterator[Race]:
    for side in plan.sides:
        layer = layer_of(side, "orthogonal")
        yield from orthogonal(side, layer)
    for orientation in OTHER_VIEWS:
        layer = layer_of(plan.side, orientation)
        yield other(orientation, plan.side, layer)
    yield from painted(plan.side)


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
    numbers = np.arange(side * side, dtype=np.int32).reshape(side, side)
    gids = layer.gids(numbers.ravel()).reshape(side, side)
    cells = cycle(rng.integers(0, side, (VIEWS, 2)).tolist())

    def sliced(view: View) -> np.ndarray:
        return numbers[part(side, view)].copy()

    def edited(view: View) -> None:
        column, row = next(cells)
        layer.clear_tile(column, row)
        layer.query(view)
        layer.set_tile(column, row, GID)
        layer.query(view)

    for view in views[:CHECKED]:
        check(np.array_equal(layer.query(view), sliced(view).ravel()), "a layer is culled wrong")
        here = layer.gids(layer.query(view))
        check(np.array_equal(here, gids[part(side, view)].ravel()), "wrong gids in view")
        check(np.array_equal(layer.gids_in(view).gids, gids[part(side, view)]), "a wrong window")
    gids_by_numpy = lambda view: gids[part(side, view)].copy()  # noqa: E731
    for operation, share, asked in (
        ("cull a layer", 1, {OURS: layer.query, "numpy slice of ids": sliced}),
        ("gids in view", 1, {OURS: layer.gids_in, "numpy slice": gids_by_numpy}),
        ("count the tiles in view", 1, {OURS: layer.count}),
        ("change a tile and cull", 2, {OURS: edited}),
    ):
        runners = {name: viewing(ask, views) for name, ask in asked.items()}
        yield Race(operation, "orthogonal", side * side, "view", runners, share=share)


def painted(side: int) -> Iterator[Race]:
    """A lake land of Wang tiles: filled anew, and painted in squares of 10 x 10 cells."""
    tile_map = TileMap.new(side, side, (TILE, TILE))
    tile_map.add_tileset(TERRAIN)
    layer, water = tile_map.add_tile_layer("water"), tile_map.wang_set("water")
    rng = np.random.default_rng(5)
    lakes = [(rng.random((side + 1, side + 1)) < share).astype(int) for share in (0.4, 0.5, 0.6)]
    places = rng.integers(0, side - 10, (VIEWS, 2))
    square = np.stack(np.indices((10, 10)), axis=-1).reshape(-1, 2)
    cells = np.indices((side, side))[::-1].reshape(2, -1).T
    check(not len(water.fill(layer, lakes[0], corners=True)), "a lake without tiles")
    shown = water.wang_ids(layer, cells)[:, 1::2].reshape(side, side, 4)
    check(np.array_equal(shown[..., 3], lakes[0][:-1, :-1]), "a lake elsewhere")
    for place in places[:CHECKED]:
        check(not len(water.paint(layer, square + place, 1)), "a square without tiles")
        check(bool(water.wang_ids(layer, square + place)[:, 1::2].all()), "a square elsewhere")
    lake, place, color = cycle(lakes), cycle(places), cycle((0, 1, 1))
    fill = lambda: water.fill(layer, next(lake), corners=True)  # noqa: E731
    paint = lambda: water.paint(layer, square + next(place), next(color))  # noqa: E731
    yield Race("fill a layer by a Wang set", "orthogonal", side * side, "layer", {OURS: fill})
    yield Race("paint 100 cells by a Wang set", "orthogonal", side * side, "call", {OURS: paint})


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
    culling = {OURS: viewing(layer.query, views)}
    return Race("cull a layer", orientation, side * side, "view", culling)
