"""What the tests of both hosts share: faces of classes, caves in fog, real maps."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.nav_worlds import cave, map_grid
from tilequad import DynamicQuadtree
from tilequad.draw.pillow import render
from tilequad.nav import Field, Fog, Grid, InfluenceMap
from tilequad.tiled import MapError, TileMap, load_map

BLACK_SHARE = 1 - np.array([255, 150, 0]) / 255  # of light that unseen, seen before, seen now keep


def caves(folder: Path, name: str) -> Grid:
    """A grid of one orientation, a fifth of which is closed."""
    gids = np.random.default_rng(4).choice([1, 2], (14, 17), p=[0.8, 0.2])
    grid: Grid = map_grid(folder, name, gids)[1]
    return grid


def foggy(grid: Grid, eyes: list[int] | None = None) -> Fog:
    """A fog with parts that the second team has explored, and sees from some cells, or from any."""
    rng = np.random.default_rng(3)
    fog = Fog(grid, teams=2)
    fog.set_explored(cave(rng, grid.rows, grid.columns), 1)
    cells = rng.choice(open_cells(grid), 4) if eyes is None else eyes
    for center in grid.center_many(cells).tolist():
        fog.add(*center, radius_in_cells=3, team=1)
    return fog


def led(grid: Grid) -> Field:
    """A field with two goals."""
    return Field(grid, grid.center_many(open_cells(grid)[[20, -9]]))


def feared(grid: Grid) -> InfluenceMap:
    """The influence of a few units, some of it below 0."""
    rng = np.random.default_rng(6)
    units: DynamicQuadtree[int] = DynamicQuadtree(grid.bounds)
    slots = units.add_many(range(7), grid.center_many(rng.choice(len(grid), 7)))
    return InfluenceMap(grid, units, 60, rng.uniform(-3, 3, len(slots)))


def open_cells(grid: Grid) -> NDArray[np.intp]:
    return np.flatnonzero(~grid.blocked.ravel())


def expected_fog(fog: Any, team: int, minimap: Any, y_up: bool) -> NDArray[np.float64]:
    """How much light each pixel of a minimap keeps, cell by cell, (height, width)."""
    frame, states = fog.grid.frame, fog.states(team)
    rows, columns = np.indices(states.shape)[..., None]
    places = frame.origin + columns * frame.across + rows * frame.down
    side = abs(frame.across[0]) / 2, abs(frame.down[1]) / 2
    light = np.zeros((minimap.height, minimap.width))
    for y in range(minimap.height):
        for x in range(minimap.width):
            point = minimap.world_at(x + 0.5, (minimap.height - y - 0.5) if y_up else y + 0.5)
            assert point is not None
            in_cell = (np.abs(places - point) < side).all(axis=-1)
            if in_cell.any():
                light[y, x] = BLACK_SHARE[states[in_cell].item()]
    return light


def visits(asked: tuple[float, ...], node: np.void) -> bool:
    """Whether a query visits a node: whether its box, or its circle, touches that of the node."""
    x = min(max(asked[0], node["min_x"]), node["max_x"])
    y = min(max(asked[1], node["min_y"]), node["max_y"])
    if len(asked) == 3:
        return bool(np.hypot(x - asked[0], y - asked[1]) <= asked[2])
    return bool(asked[0] <= x <= asked[2] and asked[1] <= y <= asked[3])


def face(owner: type) -> dict[str, Any]:
    """The public names of a class, and the arguments of each method but what hosts differ in."""
    hosts = ("self", "target", "bottom", "top", "pixelated", "filter")
    found: dict[str, Any] = {"()": arguments(owner.__init__, hosts)}
    for name in dir(owner):
        if not name.startswith("_"):
            value = getattr(owner, name)
            found[name] = arguments(value, hosts) if callable(value) else "property"
    return found


def arguments(function: Any, without: tuple[str, ...]) -> list[tuple[str, Any]]:
    """Names and defaults of the arguments of a function."""
    parameters = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in parameters if one.name not in without]


def without_parallax(tile_map: TileMap) -> TileMap:
    """The map as `render` draws it."""
    for layer in tile_map.layers:
        layer.parallax = (1.0, 1.0)
    return tile_map


def map_paths(corpus: Path) -> list[Path]:
    """All maps of the corpus; some of them are broken."""
    return sorted(path for path in corpus.rglob("*") if path.suffix in (".tmx", ".tmj"))


def real_maps(
    corpus: Path, rng: np.random.Generator, counts: dict[str, int], y_up: bool
) -> Iterator[tuple[Path, TileMap]]:
    """Maps of the corpus that can be drawn, at random, so many of each orientation."""
    paths = map_paths(corpus)
    rng.shuffle(paths)
    found: Counter[str] = Counter()
    for path in paths:
        try:
            tile_map = without_parallax(load_map(path, y_up=y_up))
            if found[tile_map.orientation] == counts.get(tile_map.orientation, 0):
                continue
            render(tile_map, scale=0.05)
        except MapError:
            continue
        found[tile_map.orientation] += 1
        yield path, tile_map
        if found == counts:
            return
    pytest.fail(f"the corpus has too few maps to draw: {found}")
