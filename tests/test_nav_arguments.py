"""Wrong arguments of grids, fog, walls and looks: an error names them, in a line of 300 letters."""

from pathlib import Path

import numpy as np
import pytest

from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Fog, Grid, LineOfSight, Rule, Walls

MAP = load_map(Path(__file__).parent.parent / "maps" / "frontier.tmx")
GRID = Grid(np.ones((5, 5), bool), 10)
FOG, SIGHT, WALLS = Fog(GRID), LineOfSight(GRID), Walls(GRID)
FIELD = Field(GRID, [(1, 1)])
LONG, NAN, MANY = "x" * 9000, float("nan"), [(0, 0, 1, 1)] * 9000
WRONG = {
    "costs must be numbers, got": lambda: Grid([[1, 2], [3]]),
    "cell_size must be numbers": lambda: Grid([[1]], LONG),
    "cell_size must be one number or two": lambda: Grid([[1]], (1, 2, 3)),
    "origin must be numbers": lambda: Grid([[1]], 1, LONG),
    "diagonal must be one of": lambda: Grid([[1]], diagonal=LONG),
    "tile_map must be what load_map returns, got <Grid": lambda: Grid.of(GRID),
    r"rules must be Rules.* write Grid.of\(tile_map": lambda: Grid.of(MAP, [Rule("a", 1)] * 999),
    "radius must be a number, got": lambda: GRID.with_clearance(LONG),
    "radius must be finite": lambda: GRID.with_clearance(NAN),
    "x and y must be numbers, got 'x": lambda: GRID.cell_at(LONG, 1),
    "xy must be finite, got": lambda: GRID.cell_at_many([(NAN, 1)] * 9000),
    "xy must be numbers, got 'x": lambda: GRID.cell_at_many(LONG),
    "cell must be a whole number": lambda: GRID.center(LONG),
    "cells must be a list of whole numbers": lambda: GRID.block([0.5] * 9000),
    "cells must be from 0 to 24, got 25": lambda: GRID.block([25]),
    "costs must be numbers, got 'x": lambda: GRID.set_costs([1], LONG),
    r"costs must be one number or 2, got shape \(3,\)": lambda: GRID.set_costs([1, 2], [1, 2, 3]),
    "bounds must be four numbers": lambda: GRID.cells_in(LONG),
    r"no argument .solid.; .* a dict": lambda: Rule("a", BLOCKED, solid=True),
    "cost must be a number, got None": lambda: Rule("a", None),
    "gids must be a list of gids, got 3": lambda: Rule("a", 1, gids=3),
    "covered must be a number": lambda: Rule("a", 1, covered=LONG),
    r"numbers, got \[1, 2\] and 3; Fog.follow takes a unit": lambda: FOG.add([1, 2], 3, 4),
    "units must be a DynamicQuadtree, got 5": lambda: Fog(GRID, units=5),
    "x and y must be numbers, got None": lambda: FOG.field_of_view(None, 1, 2),
    r"solid must be grids.*Grid.of\(tile_map": lambda: LineOfSight(MAP),
    "solid must be grids, trees": lambda: LineOfSight(MANY),
    "x0 and y0 must be numbers": lambda: SIGHT.clear(LONG, 0, 1, 1),
    "step must be a number, got 'x": lambda: FIELD.advance(1, 1, LONG),
    "step must be numbers, got 'x": lambda: FIELD.advance_many([(1, 1)], LONG),
    "step must be finite, got inf": lambda: FIELD.advance_many([(1, 1)], float("inf")),
    "max_distance must be a number, got '5'": lambda: Field(GRID, [(1, 1)], "5"),
    "x1 and y1 must be finite, got 1 and nan": lambda: GRID.straight(0, 0, 1, NAN),
    "x and y must be finite, got 1000": lambda: GRID.cell_at(10**400, 1),
    "x1 and y1 must be finite": lambda: SIGHT.hit(0, 0, 1e200, 1),
    "xy0 must be numbers": lambda: SIGHT.clear_many(LONG, (0, 0)),
    "radius must be a number": lambda: SIGHT.polygon(0, 0, LONG),
    "solid must be a StaticQuadtree": lambda: Walls(MANY),
    "dx and dy must be numbers": lambda: WALLS.move_and_slide((0, 0, 1, 1), LONG, 1),
    "dxy must be numbers": lambda: WALLS.move_and_slide_many([(0, 0, 1, 1)], LONG),
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_an_error_names_the_argument_and_ends(words):
    with pytest.raises((TypeError, ValueError, IndexError), match=words) as raised:
        WRONG[words]()
    assert len(str(raised.value)) <= 300
