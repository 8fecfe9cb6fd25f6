"""What a game does with a tree of units: who shoots whom, who fetches what, who makes way.

One idea a file, each usable alone:

- `targeting`: `Targeting` gives each tower its target, and decides when to look for another.
- `policies`: which of the enemies in range: `first`, `last`, `closest`, `farthest`, `strongest`,
  `weakest`, or a function of the game's own.
- `gathering`: `search` finds the nearest free tree, else the nearest shelter; `Claims` keeps two
  villagers from walking to one tree.
- `collisions`: `separate` pushes overlapping units apart; `separate_many` does it on arrays.
- `routes`: `Route`, a polyline measured along its length, for thousands of walkers at once.
- `units`: `Units`, the verbs of a tree that the room calls, for type checkers.
- `pacing`: `Pace` spreads the work of many over the ticks, each in a rhythm of its own.

Everything asks a `DynamicQuadtree`, nothing loops over all units, and the same calls in the same
order give the same answers: a game can be replayed.
"""

from tilequad.ai.collisions import separate, separate_many
from tilequad.ai.gathering import Claims, Goal, search
from tilequad.ai.pacing import Beat, Pace
from tilequad.ai.policies import (
    Policy,
    Sight,
    closest,
    farthest,
    first,
    last,
    strongest,
    weakest,
)
from tilequad.ai.routes import Route
from tilequad.ai.targeting import Targeting
from tilequad.ai.units import Units

__all__ = [
    "Beat",
    "Claims",
    "Goal",
    "Pace",
    "Policy",
    "Route",
    "Sight",
    "Targeting",
    "Units",
    "closest",
    "farthest",
    "first",
    "last",
    "search",
    "separate",
    "separate_many",
    "strongest",
    "weakest",
]
