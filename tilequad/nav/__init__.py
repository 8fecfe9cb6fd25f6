"""The map as a grid: where units may walk, how far it is, and which way to go.

One idea per file, each usable alone:

- `grid`: `Grid`, where units may walk and at what cost, from map layers or an array.
- `buildings`: how a `Grid` builds and razes, and why not: `Obstacle`.
- `fields`: `Field`, how far it is to the nearest goal from everywhere, and which way to go.
- `value_field`: `ValueField`, the way down on plain numbers, such as away from somebody.
- `fog`: `Fog`, what each team sees and has seen, by viewers with a radius, among walls.
- `influence_map`: `InfluenceMap`, how strong units are where, such as the threat to a team.
- `paths`: `Paths`, the way from one place to another, in straight lines.
- `walls`: `Walls` moves a box and slides it along what is solid.
- `sight`: `LineOfSight` tells what solid boxes hide, and the outline of what is seen.
- `frame`: `CellFrame`, where the cells lie, for drawing them.
- `rules`: `Rule`, what the tiles or objects of a layer do to the cells below them.
- `protocols`: the methods that `Walls` and `LineOfSight` call on solid things, for type checkers.

Names load on first use.
"""

from typing import TYPE_CHECKING

from tilequad._core.lazy import on_first_use

__all__ = [
    "BLOCKED",
    "CellFrame",
    "Field",
    "Fog",
    "Grid",
    "InfluenceMap",
    "LineOfSight",
    "Obstacle",
    "Paths",
    "Rule",
    "SightHit",
    "Slide",
    "TeamSight",
    "ValueField",
    "Viewer",
    "Walls",
]

_MODULES = {
    "BLOCKED": "tilequad.nav.rules",
    "CellFrame": "tilequad.nav.frame",
    "Field": "tilequad.nav.fields",
    "Fog": "tilequad.nav.fog",
    "Grid": "tilequad.nav.grid",
    "InfluenceMap": "tilequad.nav.influence_map",
    "LineOfSight": "tilequad.nav.sight",
    "Obstacle": "tilequad.nav.buildings",
    "Paths": "tilequad.nav.paths",
    "Rule": "tilequad.nav.rules",
    "SightHit": "tilequad.nav.sight",
    "Slide": "tilequad.nav.walls",
    "TeamSight": "tilequad.nav.fog",
    "ValueField": "tilequad.nav.value_field",
    "Viewer": "tilequad.nav.fog",
    "Walls": "tilequad.nav.walls",
}

if TYPE_CHECKING:
    from tilequad.nav.buildings import Obstacle
    from tilequad.nav.fields import Field
    from tilequad.nav.fog import Fog, TeamSight, Viewer
    from tilequad.nav.frame import CellFrame
    from tilequad.nav.grid import Grid
    from tilequad.nav.influence_map import InfluenceMap
    from tilequad.nav.paths import Paths
    from tilequad.nav.rules import BLOCKED, Rule
    from tilequad.nav.sight import LineOfSight, SightHit
    from tilequad.nav.value_field import ValueField
    from tilequad.nav.walls import Slide, Walls
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)
