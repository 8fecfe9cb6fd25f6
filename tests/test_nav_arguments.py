"""Wrong arguments of grids, fog, walls and looks: an error names them, in a line of 300 letters."""

from fractions import Fraction
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest

from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Fog, Grid, LineOfSight, Paths, Rule, Walls

MAP = load_map(Path(__file__).parent.parent / "maps" / "frontier.tmx")
GRID = Grid(np.ones((5, 5), bool), 10)
FOG, SIGHT, WALLS = Fog(GRID), LineOfSight(GRID), Walls(GRID)
FIELD = Field(GRID, [(1, 1)])
LONG, MANY, RULES = "x" * 9000, [(0, 0, 1, 1)] * 9000, [Rule("a", 1)] * 999
WRONG = [
    (ValueError, "costs must be numbers, got", lambda: Grid([[1, 2], [3]])),
    (ValueError, r"costs must have .* got \(\); Grid.of\(tile_map", lambda: Grid(MAP)),
    (ValueError, "cell_size must be numbers", lambda: Grid([[1]], LONG)),
    (ValueError, "cell_size must be one number or two", lambda: Grid([[1]], (1, 2, 3))),
    (ValueError, "origin must be numbers", lambda: Grid([[1]], 1, LONG)),
    (ValueError, "diagonal must be one of", lambda: Grid([[1]], diagonal=LONG)),
    (TypeError, "tile_map must be what load_map returns, got <Grid", lambda: Grid.of(GRID)),
    (
        TypeError,
        r"^rules must be Rules, got \[.* write Grid.of\(tile_map",
        lambda: Grid.of(MAP, RULES),
    ),
    (TypeError, "radius must be a number, got", lambda: GRID.with_clearance(LONG)),
    (ValueError, "radius must be finite", lambda: GRID.with_clearance(nan)),
    (TypeError, "x and y must be numbers, got 'x", lambda: GRID.cell_at(LONG, 1)),
    (ValueError, "xy must be finite, got", lambda: GRID.cell_at_many([(nan, 1)] * 9000)),
    (ValueError, "xy must be numbers, got 'x", lambda: GRID.cell_at_many(LONG)),
    (TypeError, "cell must be a whole number", lambda: GRID.center(LONG)),
    (TypeError, "cells must be a list of whole numbers", lambda: GRID.block([0.5] * 9000)),
    (IndexError, "cells must be from 0 to 24, got 25", lambda: GRID.block([25])),
    (ValueError, "costs must be numbers, got 'x", lambda: GRID.set_costs([1], LONG)),
    (
        ValueError,
        r"costs must be one number or 2, got shape \(3,\)",
        lambda: GRID.set_costs([1, 2], [1, 2, 3]),
    ),
    (ValueError, "bounds must be four numbers", lambda: GRID.cells_in(LONG)),
    (TypeError, r"no argument .solid.; .* a dict", lambda: Rule("a", BLOCKED, solid=True)),
    (TypeError, "cost must be a number, got None", lambda: Rule("a", None)),
    (TypeError, "gids must be a list of gids, got 3", lambda: Rule("a", 1, gids=3)),
    (TypeError, "covered must be a number", lambda: Rule("a", 1, covered=LONG)),
    (
        TypeError,
        r"numbers, got \[1, 2\] and 3; Fog.follow takes a unit",
        lambda: FOG.add([1, 2], 3, 4),
    ),
    (TypeError, "units must be a DynamicQuadtree, got 5", lambda: Fog(GRID, units=5)),
    (TypeError, "x and y must be numbers, got None", lambda: FOG.field_of_view(None, 1, 2)),
    (TypeError, r"solid must be grids.*Grid.of\(tile_map", lambda: LineOfSight(MAP)),
    (TypeError, "solid must be grids, trees", lambda: LineOfSight(MANY)),
    (TypeError, "x0 and y0 must be numbers", lambda: SIGHT.clear(LONG, 0, 1, 1)),
    (TypeError, "step must be a number, got 'x", lambda: FIELD.advance(1, 1, LONG)),
    (ValueError, "step must be numbers, got 'x", lambda: FIELD.advance_many([(1, 1)], LONG)),
    (ValueError, "step must be finite, got inf", lambda: FIELD.advance_many([(1, 1)], inf)),
    (TypeError, "max_distance must be a number, got '5'", lambda: Field(GRID, [(1, 1)], "5")),
    (ValueError, "x1 and y1 must be finite, got 1 and nan", lambda: GRID.straight(0, 0, 1, nan)),
    (ValueError, "x and y must be finite, got 1000", lambda: GRID.cell_at(10**400, 1)),
    (ValueError, "x1 and y1 must be finite", lambda: SIGHT.hit(0, 0, 1e200, 1)),
    (ValueError, "xy0 must be numbers", lambda: SIGHT.clear_many(LONG, (0, 0))),
    (TypeError, "radius must be a number", lambda: SIGHT.polygon(0, 0, LONG)),
    (TypeError, r"^grid must be a Grid, got <TileMap .*Grid\.of", lambda: Field(MAP, [(1, 1)])),
    (TypeError, "^grid must be a Grid, got <TileMap", lambda: Paths(MAP)),
    (TypeError, "^grid must be a Grid, got <TileMap", lambda: Fog(MAP)),
    (TypeError, "^solid must be a StaticQuadtree, .* or a Grid, got <TileMap", lambda: Walls(MAP)),
    (TypeError, "solid must be a StaticQuadtree", lambda: Walls(MANY)),
    (TypeError, "dx and dy must be numbers", lambda: WALLS.move_and_slide((0, 0, 1, 1), LONG, 1)),
    (ValueError, "dxy must be numbers", lambda: WALLS.move_and_slide_many([(0, 0, 1, 1)], LONG)),
]

ANSWERS = [
    lambda number: GRID.cell_at(number, number),
    lambda number: GRID.is_open(number, number),
    lambda number: GRID.straight(number, number, number, number),
    lambda number: GRID.free_near(number, number, (number, number)),
    lambda number: FIELD.distance(number, number),
    lambda number: FIELD.direction(number, number),
    lambda number: FIELD.advance(number, number, number),
    lambda number: Paths(GRID).connected(number, number, number, number),
    lambda number: FOG.state_at(number, number),
    lambda number: FOG.field_of_view(number, number, number),
    lambda number: SIGHT.clear(number, number, number, number),
    lambda number: SIGHT.polygon(number, number, number),
    lambda number: WALLS.move_and_slide((0, 0, number, number), number, number).bounds,
]


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, Fraction])
def test_numbers_of_every_kind_are_taken(kind, answer):
    """Without a warning: 1e308, the limit of some, is too much for small floats of numpy."""
    np.testing.assert_allclose(answer(kind(24)), answer(24.0), rtol=0.01)


@pytest.mark.parametrize(("error", "words", "call"), WRONG, ids=[words for _, words, _ in WRONG])
def test_an_error_names_the_argument_and_ends(error, words, call):
    with pytest.raises(error, match=words) as raised:
        call()
    assert len(str(raised.value)) <= 300
