"""A player of the roguelike, who sees what the fog shows: fights, fetches things, then explores."""

from __future__ import annotations

import numpy as np

from roguelike import Cellars
from tilequad.nav import Field


def explore(game: Cellars) -> None:
    """Play a turn: to monsters and things in sight, then where nobody has looked."""
    grid, here, known = game.grid, game.hero.cell, game.fog.explored().ravel()
    goals = [one.cell for one in game.monsters if game.fog.sees(one.cell)]
    goals = goals or [*np.flatnonzero(~known & ~grid.blocked.ravel()), *game.doors.ids()]
    goals += [cell for cell, one in game.things.items() if known[cell] and one.kind != "stairs"]
    cell = Field(grid, grid.center_many(goals or list(game.things))).next_cell(here)
    if cell == here:  # a closed door is next
        cell = next(one for one in game.doors.ids() if cell in grid.neighbors(one))
    (row, column), (to_row, to_column) = divmod(here, grid.columns), divmod(cell, grid.columns)
    game.walk(int(to_column - column), int(to_row - row))
