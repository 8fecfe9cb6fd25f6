"""Cull layers of diamonds or hexagons, with about a thousand tiles in view.

The rival by numpy is a slice again: of the columns and rows around the view, the tiles whose box
overlaps it. It keeps the boxes, 36 bytes a tile with the ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tilequad
from benchmarks.cases.tiles import BOXED, VIEWS
from benchmarks.maps import TILE, write_map
from benchmarks.race import Race, WrongAnswerError
from benchmarks.timing import Runner
from tilequad import StaticQuadtree
from tilequad.tiled import TileLayer

VIEW = {"isometric": (640, 344), "hexagonal": (1120, 640)}  # px
ABOUT = range(900, 1100)  # tiles in view
PITCH = TILE / 2, TILE / 4  # px, half of a diamond's width and of its height
View = tuple[float, float, float, float]


def races(side: int) -> Iterator[Race]:
    """Full layers of side x side tiles, y down as Tiled has it."""
    if side <= BOXED:
        for orientation in VIEW:
            with TemporaryDirectory() as folder:
                path = write_map(Path(folder), side, orientation)
                layer = tilequad.load_map(path, y_up=False).layers[0]
            yield culling(side, orientation, layer)


def culling(side: int, orientation: str, layer: TileLayer) -> Race:
    """Tiles in view, in draw order: ids from the layer, places in that order from the others."""
    ids = layer.query(layer_bounds(side))
    boxes = layer.boxes(ids)
    views = views_of(side, orientation, layer, ids)
    asked = {
        "tilequad": layer.query,
        "numpy slice": slicing(side, orientation, layer.cells(ids), boxes),
        "tilequad, tree of boxes": StaticQuadtree(boxes).query,
        "numpy brute force": lambda view: np.flatnonzero(seen(boxes.T, view)),
    }
    for view in views:
        expected = asked["numpy brute force"](view)
        for name, ask in asked.items():
            found = ask(view)
            if not np.array_equal(found if name == "tilequad" else ids[found], ids[expected]):
                raise WrongAnswerError(f"{name} culls {orientation} tiles wrong")
    if round(np.mean([len(layer.query(view)) for view in views])) not in ABOUT:
        raise WrongAnswerError("the views do not hold about 1,000 tiles")
    runners = {
        name: Runner(lambda n, ask=ask: [ask(view) for view in views[:n]], VIEWS)
        for name, ask in asked.items()
    }
    return Race("cull a layer", orientation, side * side, "view", runners)


def layer_bounds(side: int) -> View:
    """A view of everything: no orientation needs more than two tiles a cell."""
    reach = 2.0 * (side + 1) * TILE
    return -reach, -reach, reach, reach


def views_of(side: int, orientation: str, layer: TileLayer, ids: np.ndarray) -> list[View]:
    """Views around tiles that are not near the edge of the map."""
    width, height = VIEW[orientation]
    cells = layer.cells(ids)
    inner = ids[((cells >= side // 4) & (cells < side - side // 4)).all(axis=1)]
    chosen = np.random.default_rng(5).choice(inner, VIEWS)
    return [
        (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        for x, y in layer.boxes(chosen)[:, :2].tolist()
    ]


def slicing(
    side: int, orientation: str, cells: np.ndarray, boxes: np.ndarray
) -> Callable[[View], np.ndarray]:
    """The rival of a tree on a full layer."""
    columns, rows = cells.T
    places = np.empty((side, side), np.int32)  # in draw order
    places[rows, columns] = np.arange(side * side)
    grid = np.empty((4, side, side))
    grid[:, rows, columns] = boxes.T
    near = {"isometric": near_diamonds, "hexagonal": near_hexagons}[orientation]

    def ask(view: View) -> np.ndarray:
        part = near(view, side)
        found = places[part][seen(grid[(slice(None), *part)], view)]
        found.sort()
        return found

    return ask


def near_diamonds(view: View, side: int) -> tuple[slice, slice]:
    """Rows and columns of all diamonds whose image may overlap the view."""
    left, right = view[0] / PITCH[0] - side - 2, view[2] / PITCH[0] - side + 2
    top, bottom = view[1] / PITCH[1] - 2, view[3] / PITCH[1] + 4  # images are two cells high
    return (
        slice(max(int((top - right) / 2), 0), int((bottom - left) / 2) + 1),
        slice(max(int((top + left) / 2), 0), int((bottom + right) / 2) + 1),
    )


def near_hexagons(view: View, side: int) -> tuple[slice, slice]:
    """Rows and columns of all hexagons whose image may overlap the view."""
    high = TILE * 3 // 4  # from one row to the next
    return (
        slice(max(int(view[1] / high) - 2, 0), int(view[3] / high) + 1),
        slice(max(int(view[0] / TILE) - 2, 0), int(view[2] / TILE) + 1),
    )


def seen(boxes: np.ndarray, view: View) -> np.ndarray:
    """A mask of the boxes that overlap a view; the four edges of the boxes come as four arrays."""
    min_x, min_y, max_x, max_y = boxes
    held = (min_x <= view[2]) & (view[0] <= max_x)
    return held & (min_y <= view[3]) & (view[1] <= max_y)
