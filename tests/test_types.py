"""What type checkers see of the trees, which know the type of their units."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tilequad

ROOT = Path(__file__).parent.parent

TYPED = """
from dataclasses import dataclass
from typing import Any
from typing_extensions import assert_type

import numpy as np
from numpy.typing import NDArray

from tilequad import DynamicQuadtree, StaticQuadtree, load_map
from tilequad.ai import Claims, Damage, Goal, GoalSearch, March, Projectiles, RangeEvents, Route
from tilequad.ai import Stagger, Targeting, TickBudget, intercept, pack, policies, separate, unpack
from tilequad.nav import Field, Fog, Grid, InfluenceMap, LineOfSight, Slide, Walls
from tilequad.quadtree import Contacts
from tilequad.tiled import ObjectLayer, TileLayer


@dataclass(eq=False)
class Unit:
    x: float
    y: float


units: DynamicQuadtree[Unit] = DynamicQuadtree((0, 0, 10, 10))
orc = Unit(1, 2)
units.add(orc, orc.x, orc.y)
assert_type(units.query((0, 0, 5, 5)), list[Unit])
assert_type(units.within(0, 0, 5, exclude=orc), list[Unit])
assert_type(units.nearest(0, 0, where=lambda unit: unit.x > 1), Unit | None)
assert_type(units.pairs(), list[tuple[Unit, Unit]])
assert_type(list(units), list[Unit])
assert_type(units.segment_hits(0, 0, 1, 1)[0].item, Unit)
assert_type(DynamicQuadtree.from_bytes(units.to_bytes(), [orc]), DynamicQuadtree[Unit])
assert_type(DynamicQuadtree[Unit]((0, 0, 10, 10)), DynamicQuadtree[Unit])
assert_type(Contacts(units).update(), tuple[list[tuple[Unit, Unit]], list[tuple[Unit, Unit]]])
units.add("orc", 1, 2)  # refused: a string is not a Unit
units.remove(7)  # refused
units.within("1", 2, 3)  # refused: a string is no number
units.bounds = units.bounds  # refused: it is read-only

loose = DynamicQuadtree((0, 0, 10, 10))
loose.add("orc", 1, 2)
loose.add(7, 1, 2)
[name.upper() for name in loose.query((0, 0, 5, 5))]


def count(tree: DynamicQuadtree) -> int:
    return len(tree)


Targeting(units, max_distance=5)
GoalSearch(units, Goal(1)).search(orc, now=0)
assert_type(separate(units, 1, walls=StaticQuadtree([(0, 0, 1, 1)])), NDArray[np.int32])

grid = Grid([[True]])
field, fog, sight, walls = Field(grid, [(0, 0)]), Fog(grid), LineOfSight(grid), Walls(grid)
aims = Targeting(units, policies.first(lambda unit: 3), max_distance=5, sight=(fog.sight(), sight))
claims, events = Claims(units, 4), RangeEvents(units, sight=sight)
search = GoalSearch(units, Goal(1, field=field, near=None), Goal(2, near=(1, 1)), claims=claims)
damage = Damage(units, lambda unit: 3)
shots, march = Projectiles(units, damage), March(units, grid)
shots.step(walls=walls), shots.step(walls=sight), separate(units, walls=walls)
for path in (Route([(0, 0), (1, 1)]), field):
    intercept(0, 0, 1, (1, 1), 3.0, path=path)
influence, beat, budget = InfluenceMap(grid, units, 9), Stagger(3, units=units), TickBudget(3)
data = pack(units, grid, aims, claims, search, damage, shots, events, fog, influence, march, beat)
unpack(data, [orc], units, grid, aims, claims, search, damage, shots, events, fog, influence, march)
pack(units, budget)
pack(units, "orc")  # refused: it has no state about the tree

tree = StaticQuadtree([(0, 0, 1, 1)])
assert_type(tree.query((0, 0, 1, 1)), NDArray[np.int32])
assert_type(tree.boxes(), NDArray[np.float64])

tile_map = load_map("map.tmx")
ground = tile_map.layer("ground")
assert_type(ground.cells([1]), NDArray[np.int32] | Any)
ground.visible = False
ground.set_tyle(1, 2, 3)  # refused
woods = tile_map.layer("woods", TileLayer)
assert_type(woods, TileLayer)
woods.set_tile(1, 2, 3)
assert_type(tile_map.layer("places", ObjectLayer), ObjectLayer)
tile_map.layer("places", str)  # refused: not a layer
for solid in (tree, ground, woods, woods.select({"solid": True}), tile_map.layer("a", ObjectLayer)):
    assert_type(Walls(solid).move_and_slide((0, 0, 1, 1), 1, 1), Slide)
"""


@pytest.mark.slow
def test_type_checkers_know_the_units_and_the_layers(tmp_path):
    pytest.importorskip("mypy", reason="needs a type checker")
    script = tmp_path / "typed.py"
    script.write_text(TYPED, encoding="utf-8")
    refused = [number for number, line in enumerate(TYPED.splitlines(), 1) if "# refused" in line]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(script)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]

    assert [int(line.removeprefix(str(script)).split(":")[1]) for line in errors] == refused, (
        done.stdout + done.stderr
    )


def test_the_trees_are_generic_when_they_run():
    assert tilequad.DynamicQuadtree[int]((0, 0, 1, 1)).query((0, 0, 1, 1)) == []
