"""The trees return the same results in the same order, compiled or not, in every process."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from math import inf
from pathlib import Path
from random import Random

import tilequad
from tests.questions import DYNAMIC_VERBS, STATIC_VERBS, Asker
from tests.worlds import WORLDS, boxes, footprint
from tilequad import DynamicQuadtree, StaticQuadtree

SCRIPT = """
import json, sys
sys.modules["cython"] = None  # as if Cython were not installed
import tilequad
assert not tilequad.COMPILED, tilequad.__file__
from tests.test_quadtree_modes import answers
print(json.dumps(answers()))
"""


def test_plain_python_returns_the_same_lists(tmp_path):
    """A copy of the sources without compiled modules runs in its own process."""
    source = Path(tilequad.__file__).parent
    shutil.copytree(source, tmp_path / "tilequad", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    path = {"PYTHONPATH": str(Path(__file__).parents[1])}
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env={**os.environ, **path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    for mine, other in zip(answers(), json.loads(run.stdout), strict=True):
        assert mine == other


def answers() -> list:
    """Return the results of trees in every world, in their order."""
    found = []
    for world in WORLDS:
        rng = Random(world.name)
        found += dynamic_answers(rng, world) + static_answers(rng, world)
    return json.loads(json.dumps(found))  # turn tuples into lists, as the other process does


def dynamic_answers(rng, world) -> list:
    tree, places = DynamicQuadtree(world.bounds), {}
    for item in range(300):
        places[item] = world.place(rng)
        tree.add(item, *places[item], groups=rng.choice((1, 2, 6)), **footprint(rng, world, 300))
    slots = tree.add_many(range(300, 500), [world.place(rng) for _ in range(200)])
    for item in rng.sample(range(500), 150):
        tree.move(item, *world.place(rng))
    tree.move_many(slots, [world.place(rng) for _ in slots])
    for item in rng.sample(range(500), 150):
        tree.remove(item)
        places.pop(item, None)
    asker = Asker(rng, world, places)
    questions = [asker.dynamic(verb) for verb in DYNAMIC_VERBS for _ in range(6)]
    found = [getattr(tree, verb)(*args, **options) for verb, args, options in questions]
    xy = list(places.values())
    offsets, near = tree.within_many(xy, world.bounds.width / 20)
    nearest, distances = tree.nearest_many(xy)
    arrays = offsets, near, nearest, distances, tree.pairs_many()
    nodes = tree.nodes()[["depth", "count", "leaf"]]
    return [*found, *(array.tolist() for array in arrays), nodes.tolist()]


def static_answers(rng, world) -> list:
    rows = boxes(rng, world, 400)
    tree = StaticQuadtree(rows)
    asker = Asker(rng, world, {i: row[:2] for i, row in enumerate(rows)})
    questions = [asker.static(verb) for verb in STATIC_VERBS for _ in range(6)]
    found = [getattr(tree, verb)(*args, **options) for verb, args, options in questions]
    nodes = tree.nodes()[["depth", "count", "leaf"]]
    return [
        *(answer if isinstance(answer, int | None) else answer.tolist() for answer in found),
        nodes.tolist(),
    ]


def test_inspect_reads_every_signature():
    for tree in (DynamicQuadtree, StaticQuadtree):
        for name, verb in inspect.getmembers(tree, inspect.isroutine):
            if not name.startswith("_"):
                assert inspect.signature(verb).parameters, name
    told = inspect.signature(DynamicQuadtree.nearest).parameters
    assert [name for name in told if name != "self"] == [
        *("x", "y", "groups", "min_distance", "max_distance", "exclude", "where")
    ]
    assert told["max_distance"].default == inf
