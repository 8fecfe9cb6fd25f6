"""Fields and paths are the same, compiled or not, to the last bit."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np

from tests.nav_worlds import ORIENTATIONS, map_grid
from tests.plain import plain_answers
from tests.test_nav_fields import change
from tilequad.nav import Field, Paths


def test_plain_python_gives_the_same_answers(tmp_path):
    """A copy of the sources without compiled modules runs in its own process."""
    plain = plain_answers(__name__, tmp_path)

    for mine, other in zip(json.loads(json.dumps(answers())), plain, strict=True):
        assert mine == other


def answers() -> list:
    """Distances, walkers and paths on changing grids of all orientations."""
    found = []
    for name in ORIENTATIONS:
        rng = np.random.default_rng(len(name))
        gids = rng.choice([1, 2, 3, 4], (24, 24), p=[0.6, 0.2, 0.1, 0.1])
        with tempfile.TemporaryDirectory() as folder:
            tile_map, grid = map_grid(Path(folder), name, gids)
        layer = tile_map.layer("ground")
        field, paths = Field(grid, grid.center_many([30, 500])), Paths(grid)
        box = np.array(grid.bounds).reshape(2, 2)
        xy = rng.uniform(*box, (60, 2))
        built: list[np.ndarray] = []
        for turn in range(12):
            change(rng, grid, layer, built)
            if turn % 4 == 0:
                field.move_goals(grid.center_many(rng.choice(len(grid), 2, replace=False)))
            ways = paths.find_many(xy[:10], xy[10:20])
            found.append(field.distances.tolist())
            found.append(field.direction_many(xy).tolist())
            found.append(field.distance_many(xy).tolist())
            found.append([field.distance(*place) for place in xy.tolist()])
            found.append([field.direction(*place) for place in xy.tolist()])
            found.append([field.advance(*place, 5.0) for place in xy.tolist()])
            found.append([grid.cell_at(*place) for place in xy.tolist()])
            found.append([None if way is None else way.tolist() for way in ways])
            found.append(paths.connected_many(xy[:20], xy[20:40]).tolist())
            xy = field.advance_many(xy, 5.0)
            found.append(xy.tolist())
    return found
