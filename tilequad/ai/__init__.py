"""Game AI on top of a tree of units: targeting, gathering, crowds, roads, staggered work.

One idea per file, each usable alone:

- `targeting`: `Targeting` picks a target for each tower and decides when to look for another.
- `policies`: choose among the enemies in range: `first`, `last`, `closest`, `farthest`,
  `strongest`, `weakest`, `most_clustered`, or a function of your own.
- `intercepts`: `intercept` says where to shoot at what moves; by a `Lead`, `Targeting` leaves alone
  what leaves its range meanwhile.
- `damage`: `Damage` counts the shots under way: no two towers kill one enemy.
- `projectiles`: `Projectiles` flies the shots, and tells whom they hit, as `Impacts`.
- `goal_search`: `GoalSearch` finds the nearest free tree, else the nearest shelter, for
  thousands at once; each `Goal` is one wish.
- `claims`: `Claims` keeps two villagers from walking to the same tree.
- `crowds`: `separate` pushes overlapping units apart, and out of walls.
- `marching`: `March` sends units to places: fields for many, paths for few, a free place for each.
- `routes`: `Route`, a polyline measured along its length, for thousands of walkers at once.
- `blasts`: `best_blast` finds the best place for a shell to land, a `Blast`.
- `formations`: `formation_places` lays out a block, a line, a wedge, a column, a circle or points
  of your own; `assign_places` says who goes to which place.
- `flocks`: `flock` returns a `Steering`: the vectors that boids steer by.
- `range_events`: `RangeEvents` tells who entered and left each `Zone`, at a place or on a unit.
- `packing`: `pack` writes the tree and all of these as bytes, `unpack` reads them: for a player who
  joins late.
- `pacing`: `Stagger` spreads recurring work over the ticks, `TickBudget` limits the work of a tick.
- `protocols`: for type checkers, the methods that this package calls on trees, walls, lines of
  sight and fields.

Everything queries a `DynamicQuadtree`; nothing loops over all units. The same calls in the same
order give the same answers, so a game can be replayed. Names load on first use.
"""

from typing import TYPE_CHECKING

from tilequad._core.lazy import on_first_use

__all__ = [
    "Blast",
    "Claims",
    "Damage",
    "Goal",
    "GoalSearch",
    "Impacts",
    "Lead",
    "March",
    "Marched",
    "Projectiles",
    "RangeEvents",
    "Route",
    "Stagger",
    "Steering",
    "Targeting",
    "TickBudget",
    "Zone",
    "assign_places",
    "best_blast",
    "flock",
    "formation_places",
    "intercept",
    "intercept_many",
    "pack",
    "policies",
    "protocols",
    "separate",
    "unpack",
]

_MODULES = {
    "Blast": "tilequad.ai.blasts",
    "Claims": "tilequad.ai.claims",
    "Damage": "tilequad.ai.damage",
    "Goal": "tilequad.ai.goal_search",
    "GoalSearch": "tilequad.ai.goal_search",
    "Impacts": "tilequad.ai.projectiles",
    "Lead": "tilequad.ai.intercepts",
    "March": "tilequad.ai.marching",
    "Marched": "tilequad.ai.marching",
    "Projectiles": "tilequad.ai.projectiles",
    "RangeEvents": "tilequad.ai.range_events",
    "Route": "tilequad.ai.routes",
    "Stagger": "tilequad.ai.pacing",
    "Steering": "tilequad.ai.flocks",
    "Targeting": "tilequad.ai.targeting",
    "TickBudget": "tilequad.ai.pacing",
    "Zone": "tilequad.ai.range_events",
    "assign_places": "tilequad.ai.formations",
    "best_blast": "tilequad.ai.blasts",
    "flock": "tilequad.ai.flocks",
    "formation_places": "tilequad.ai.formations",
    "intercept": "tilequad.ai.intercepts",
    "intercept_many": "tilequad.ai.intercepts",
    "pack": "tilequad.ai.packing",
    "policies": "tilequad.ai.policies",
    "protocols": "tilequad.ai.protocols",
    "separate": "tilequad.ai.crowds",
    "unpack": "tilequad.ai.packing",
}

if TYPE_CHECKING:
    from tilequad.ai import policies, protocols
    from tilequad.ai.blasts import Blast, best_blast
    from tilequad.ai.claims import Claims
    from tilequad.ai.crowds import separate
    from tilequad.ai.damage import Damage
    from tilequad.ai.flocks import Steering, flock
    from tilequad.ai.formations import assign_places, formation_places
    from tilequad.ai.goal_search import Goal, GoalSearch
    from tilequad.ai.intercepts import Lead, intercept, intercept_many
    from tilequad.ai.marching import March, Marched
    from tilequad.ai.pacing import Stagger, TickBudget
    from tilequad.ai.packing import pack, unpack
    from tilequad.ai.projectiles import Impacts, Projectiles
    from tilequad.ai.range_events import RangeEvents, Zone
    from tilequad.ai.routes import Route
    from tilequad.ai.targeting import Targeting
else:  # hidden from type checkers, which would otherwise accept any name
    __getattr__, __dir__ = on_first_use(__name__, _MODULES)
