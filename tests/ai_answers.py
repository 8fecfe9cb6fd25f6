"""What `tests.test_modes` asks of range events, sight, roads, flocks and blasts."""

from __future__ import annotations

import numpy as np

from tests.test_ai_range_events import Game
from tests.test_ai_rings import Field
from tests.test_nav_sight import tiles, walls
from tilequad import DynamicQuadtree
from tilequad.ai import Route, best_blast, flock


def answers() -> list:
    """Answers of a few small games."""
    game = Game(5)
    told = []
    for _ in range(120):
        game.tick()
        told.append(str(game.told()))
        game.twin.update(game)
    rng = np.random.default_rng(7)
    xy = rng.uniform(0, 160, (80, 2))
    units: DynamicQuadtree = DynamicQuadtree((0, 0, 160, 160))
    slots = units.add_many(range(80), xy)
    sight = walls(*tiles(3))
    road = Route([(0, 0), (100, 0), (100, 0.5), (3, 70), (160, 160)])
    blasts = [best_blast(units, 80, 80, 70, 14, accuracy=part) for part in (0.9, 1.0)]
    speeds = rng.uniform(-1, 1, (80, 2))
    seen = [
        part.tolist()
        for kind in ("linear", "constant", "inverse", "inverse_square")
        for part in flock(
            units, slots, speeds, max_distance=25, separation_distance=12, falloff=kind
        )
    ]
    fields = [Field(seed) for seed in (2, 3, 4)]
    crowd = fields[0].units, fields[0].slots, rng.uniform(-1, 1, (2_000, 2))
    return [
        told,
        [sight.polygon(x, y, 70).tolist() for x, y in xy[:9].tolist()],
        sight.clear_many(xy[:40], xy[40:]).tolist(),
        [str(sight.hit(*a, *b)) for a, b in zip(xy[:40].tolist(), xy[40:].tolist(), strict=True)],
        road.at_many(xy[:, 0] * 2, xy[:, 1]).tolist(),
        road.heading_many(xy[:, 0] * 2).tolist(),
        road.progress_many(xy).tolist(),
        road.progress_many(xy, xy[:, 0], xy[:, 0] + 50).tolist(),
        seen,
        [str(blast) for blast in blasts],
        [part.tolist() for part in flock(*crowd, max_distance=30)],
        str(best_blast(fields[0].units, 450, 450, 200, 24, min_distance=30)),
        [
            field.rings().best_by_key(field.by_slot(field.xy[:, 0]), True)[0].tolist()
            for field in fields
        ],
        [field.rings().farthest().tolist() for field in fields],
        [field.rings().slots().tolist() for field in fields],
    ]
