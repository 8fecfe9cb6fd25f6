"""Game AI on top of a tree of units: targeting, gathering, crowds, roads, staggered work.

One idea per file, each usable alone:

- `targeting`: `Targeting` picks a target for each tower and decides when to look for another.
- `policies`: which of the enemies in range: `first`, `last`, `closest`, `farthest`, `strongest`,
  `weakest`, `most_clustered`, or a function of your own.
- `damage`: `Damage` counts the shots under way, so that no two towers kill one enemy.
- `goal_search`: `GoalSearch` finds the nearest free tree, else the nearest shelter, for thousands
  at once.
- `claims`: `Claims` keeps two villagers from walking to the same tree.
- `crowds`: `separate` pushes overlapping units apart, and out of walls.
- `routes`: `Route`, a polyline measured along its length, for thousands of walkers at once.
- `blasts`: `best_blast` finds the place where a shell catches most.
- `flocks`: `flock` sums what boids steer by.
- `watches`: `Watches` tells who came near a place or a unit, and who left.
- `pacing`: `Stagger` spreads recurring work over the ticks, `Turns` limits the work of a tick.
- `protocols`: `SpatialIndex`, `Sight`, `DistanceField`, the methods that this package
  calls on a tree, on walls, on what blocks a view and on what measures a walk.

Everything queries a `DynamicQuadtree`; nothing loops over all units. The same calls in the same
order give the same answers, so a game can be replayed.
"""

from tilequad.ai import policies
from tilequad.ai.blasts import Blast, best_blast
from tilequad.ai.claims import Claims
from tilequad.ai.crowds import separate
from tilequad.ai.damage import Damage, Shot
from tilequad.ai.flocks import Flock, flock
from tilequad.ai.goal_search import Goal, GoalSearch
from tilequad.ai.pacing import Stagger, Ticker, Turn, Turns
from tilequad.ai.protocols import DistanceField, Sight, SpatialIndex
from tilequad.ai.routes import Route
from tilequad.ai.targeting import Targeting
from tilequad.ai.watches import Watch, Watches

__all__ = [
    "Blast",
    "Claims",
    "Damage",
    "DistanceField",
    "Flock",
    "Goal",
    "GoalSearch",
    "Route",
    "Shot",
    "Sight",
    "SpatialIndex",
    "Stagger",
    "Targeting",
    "Ticker",
    "Turn",
    "Turns",
    "Watch",
    "Watches",
    "best_blast",
    "flock",
    "policies",
    "separate",
]
