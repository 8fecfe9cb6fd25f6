"""The layers of a map: what the camera sees, also on diamonds and hexagons; changes and terrain.

The rival by numpy is a slice of an array of cells.
"""

from itertools import cycle

import numpy as np

import tilequad
from benchmarks.cases import ROOT
from benchmarks.maps import TILE, write_map
from benchmarks.plan import OURS, Plan, Race, Races, check, in_turn
from tilequad.tiled import TileMap

VIEW = 39 * TILE, 25 * TILE  # px, 40 x 26 tiles where it lies across their edges: about 1,000
# The views of about a thousand diamonds or hexagons.
OTHER_VIEWS = {"isometric": (640, 344), "hexagonal": (1120, 640)}  # px
VIEWS = 200
CHECKED = 20
CULL = "cull a layer"
View = tuple[float, float, float, float]


def races(plan: Plan) -> Races:
    for side in plan.sides:
        yield from orthogonal(side)
    for orientation in OTHER_VIEWS:
        yield other(orientation, plan.side)
    yield from painted(plan.side)


def orthogonal(side: int) -> Races:
    """What is in view; and a tile that goes and comes back."""
    layer, (width, height) = tilequad.load_map(write_map(side)).layers[0], VIEW
    rng = np.random.default_rng(5)
    corners = rng.uniform(0, (side * TILE - width, side * TILE - height), (VIEWS, 2)) // 16 * 16 + 8
    views = [(x, y, x + width, y + height) for x, y in corners.tolist()]
    numbers = np.arange(side * side, dtype=np.int32).reshape(side, side)
    cells = cycle(rng.integers(0, side, (VIEWS, 2)).tolist())

    def sliced(view: View) -> np.ndarray:
        """Rows count downwards."""
        left, right = int(view[0] // TILE), int(view[2] // TILE) + 1
        top, bottom = side - 1 - int(view[3] // TILE), side - int(view[1] // TILE)
        return numbers[max(top, 0) : bottom, max(left, 0) : right].copy()

    def edited(view: View) -> None:
        column, row = next(cells)
        layer.clear_tile(column, row)
        layer.query(view)
        layer.set_tile(column, row, 7)
        layer.query(view)

    for view in views[:CHECKED]:
        check(np.array_equal(layer.query(view), sliced(view).ravel()), "a layer is culled wrong")
    culling = {OURS: in_turn(layer.query, views), "numpy slice of ids": in_turn(sliced, views)}
    yield Race(CULL, "orthogonal", side * side, culling)
    editing = in_turn(edited, views)
    yield Race("change a tile and cull", "orthogonal", side * side, editing, "view", share=2)


def other(orientation: str, side: int) -> Race:
    """Diamonds or hexagons in view, in draw order."""
    layer = tilequad.load_map(write_map(side, orientation), y_up=False).layers[0]
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
    return Race(CULL, orientation, side * side, in_turn(layer.query, views))


def painted(side: int) -> Races:
    """A lake land of Wang tiles: filled anew, and painted in squares of 10 x 10 cells."""
    tile_map = TileMap.new(side, side, (TILE, TILE))
    tile_map.add_tileset(ROOT / "maps" / "terrain.tsx")
    layer, water = tile_map.add_tile_layer("water"), tile_map.wang_set("water")
    rng = np.random.default_rng(5)
    lakes = [(rng.random((side + 1, side + 1)) < share).astype(int) for share in (0.4, 0.5, 0.6)]
    places = rng.integers(0, side - 10, (VIEWS, 2))
    square = np.stack(np.indices((10, 10)), axis=-1).reshape(-1, 2)
    cells = np.indices((side, side))[::-1].reshape(2, -1).T
    check(not len(water.fill(layer, lakes[0], corners=True)), "a lake without tiles")
    shown = water.wang_ids(layer, cells)[:, 7].reshape(side, side)  # at the upper left corner
    check(np.array_equal(shown, lakes[0][:-1, :-1]), "a lake elsewhere")
    for place in places[:CHECKED]:
        check(not len(water.paint(layer, square + place, 1)), "a square without tiles")
        check(bool(water.wang_ids(layer, square + place)[:, 1::2].all()), "a square elsewhere")
    color = cycle((0, 1, 1))
    fill = in_turn(lambda lake: water.fill(layer, lake, corners=True), lakes)
    paint = in_turn(lambda at: water.paint(layer, square + at, next(color)), places)
    yield Race("fill a layer by a Wang set", "orthogonal", side * side, fill)
    yield Race("paint 100 cells by a Wang set", "orthogonal", side * side, paint)
