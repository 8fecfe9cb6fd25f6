"""Damaged maps end in a map or a MapError, never in anything else.

Twenty thousand damaged real maps are tried by `python -m tests.fuzz_maps`; here a few hundred.
"""

import importlib
import sys

import pytest

from tests import fuzz_maps
from tests.fuzz_maps import limit_memory, many, writable_copy
from tests.test_tiled_culling import GRIDS, SETS
from tests.tmx import csv_layer, map_text, write_tiles

pytestmark = pytest.mark.slow
OBJECTS = (
    '<objectgroup name="o" color="#ff8000"><object id="1" x="3" y="4" width="9" height="5" '
    'rotation="30"/><object id="2" gid="2147483650" x="8" y="20"/>'
    '<object id="3" x="5" y="5"><polyline points="0,0 9,3 -4,7"/></object>'
    '<object id="4" x="5" y="5" width="30" height="9"><text wrap="1">some words</text></object>'
    '<object id="5" x="9" y="9" width="8" height="8"><ellipse/></object></objectgroup>'
)
IMAGE = '<imagelayer name="i" repeatx="1" opacity="0.5"><image source="tiles.png"/></imagelayer>'


@pytest.mark.parametrize("grid", GRIDS)
def test_maps_of_our_own(tmp_path, grid):
    write_tiles(tmp_path / "tiles.png")
    layer = csv_layer("g", [[1, 2, 0, 5, 6], [3, 1073741825, 7, 0, 1]], 'offsetx="2"')
    text = map_text(
        *SETS,
        f'<group name="q">{layer}{OBJECTS}</group>',
        IMAGE,
        size=(5, 2),
        attributes=GRIDS[grid],
    )
    (tmp_path / "map.tmx").write_text(text)
    outcomes = [what for what, _ in many([tmp_path / "map.tmx"], 60, seed=len(grid))]
    assert "fault" not in outcomes
    assert outcomes.count("refused") < len(outcomes)


def test_the_fuzzer_runs_where_memory_cannot_be_limited(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    limit_memory()
    importlib.reload(fuzz_maps)


@pytest.mark.corpus
def test_real_maps(corpus, tmp_path):
    folder = writable_copy(corpus / "maps" / "tiled" / "examples", tmp_path / "examples")
    maps = sorted(folder.rglob("*.tmx"))
    outcomes = [what for what, _ in many(maps, 150, seed=4)]
    assert "fault" not in outcomes
    assert outcomes.count("refused") < len(outcomes)
