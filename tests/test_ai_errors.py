"""Wrong arguments: each error names the argument, in one line of at most 300 letters."""

import warnings
from operator import attrgetter

import numpy as np
import pytest

from tilequad import DynamicQuadtree, ai
from tilequad.ai import (
    Claims,
    Damage,
    Goal,
    GoalSearch,
    Lead,
    Projectiles,
    RangeEvents,
    Route,
    Stagger,
    Targeting,
    TickBudget,
)
from tilequad.nav import Grid


class World:
    ai = ai

    def __init__(self):
        self.units = DynamicQuadtree((0, 0, 100, 100))
        for number, name in enumerate(("tower", "orc", "oak", "anna")):
            self.units.add(name, 10 + 10 * number, 50, groups=1 << number)
        self.slots = self.units.slots(["tower", "orc"])
        self.damage = Damage(self.units, lambda unit: 10)
        self.shot = self.damage.send("orc", 3)
        self.claims = Claims(self.units, 1 << 30)
        self.aims = Targeting(self.units, max_distance=50)
        self.goals = GoalSearch(self.units, Goal(4, 50, claim=True), claims=self.claims)
        self.events = RangeEvents(self.units)
        self.zone = self.events.add(50, 50, 10)
        self.stagger, self.budget = Stagger(3, units=self.units), TickBudget(3, units=self.units)
        self.free = Stagger(3)
        self.route = Route([(0, 0), (10, 0)])
        self.shots = Projectiles(self.units, self.damage)
        self.bolt = self.shots.fire(0, 0, (1, 1), 1, life=3)
        self.lead = Lead(self.units, 5, lambda unit: (1, 0))
        self.data = ai.pack(self.units, self.damage)

    def goal_search(self, units, goals, claims):
        return GoalSearch(units, goals, claims=claims)

    def pack(self, units, parts):
        return ai.pack(units, parts)

    def unpack(self, data, items, units, parts):
        return ai.unpack(data, items, units, parts)


def shot(w):
    numbers = {"speed": 1, "life": 1, "width": 1, "splash": 1, "delay": 1, "damage": 1, "pierce": 1}
    units = {"target": "orc", "exclude": "oak", "homing": True, "groups": 1, "without": 2}
    return {"x": 1, "y": 2, "aim": (4, 5), **numbers, **units}


# Right arguments of what the world and the package have.
RIGHT = {
    "ai.Targeting": lambda w: {
        "units": w.units,
        "policy": ai.policies.closest,
        "max_distance": 50,
        "min_distance": 0,
        "lose_distance": 60,
        "groups": 1,
        "without": 2,
        "where": None,
        "sight": None,
        "damage": None,
        "lead": None,
        "switch_margin": 0,
        "retarget_every": 0,
        "at_once": 3,
    },
    "aims.target": lambda w: {"seeker": "tower", "now": 0, "policy": None, "max_distance": 5},
    "aims.target_many": lambda w: {"slots": w.slots, "now": 0, "policy": None, "max_distance": 5},
    "aims.drop": lambda w: {"seeker": "tower"},
    "aims.drop_many": lambda w: {"slots": w.slots},
    "ai.intercept": lambda w: {
        "x": 1,
        "y": 2,
        "speed": 3,
        "target": (4, 5),
        "velocity": (1, 1),
        "path": None,
    },
    "ai.intercept_many": lambda w: {
        "xy": (1, 2),
        "speed": 3,
        "target": [(4, 5)],
        "velocity": 1,
        "path": w.route,
    },
    "ai.Lead": lambda w: {"units": w.units, "speed": 3, "velocity": len, "path": None},
    "lead.aim": lambda w: {"seeker": "tower", "target": "orc"},
    "lead.aim_many": lambda w: {"slots": w.slots, "targets": w.slots},
    "ai.Claims": lambda w: {"units": w.units, "taken": 8, "seats": 1},
    "claims.claim": lambda w: {"claimant": "anna", "item": "oak", "groups": 4},
    "claims.release": lambda w: {"claimant": "anna"},
    "claims.held": lambda w: {"claimant": "anna"},
    "claims.count": lambda w: {"item": "oak"},
    "claims.is_free": lambda w: {"item": "oak", "claimant": "anna"},
    "claims.is_free_many": lambda w: {"slots": w.slots, "claimants": w.slots},
    "ai.Goal": lambda w: {
        "groups": 1,
        "without": 2,
        "max_distance": 4,
        "near": None,
        "field": None,
        "where": None,
        "retry": 1,
    },
    "goal_search": lambda w: {"units": w.units, "goals": Goal(4), "claims": None},
    "goals.search": lambda w: {"seeker": "anna", "now": 0},
    "goals.search_many": lambda w: {"slots": w.slots, "now": 0},
    "ai.Damage": lambda w: {"units": w.units, "health": len},
    "damage.send": lambda w: {"target": "orc", "damage": 3},
    "damage.land": lambda w: {"shot": w.shot},
    "damage.miss": lambda w: {"shot": w.shot},
    "damage.send_many": lambda w: {"slots": w.slots, "damage": 3},
    "damage.land_many": lambda w: {"shots": [w.shot]},
    "damage.miss_many": lambda w: {"shots": [w.shot]},
    "damage.amount": lambda w: {"shot": w.shot},
    "ai.Projectiles": lambda w: {"units": w.units, "damage": w.damage, "groups": 1, "without": 2},
    "shots.fire": shot,
    "shots.fire_many": lambda w: {
        "xy": [(0, 0)],
        "aim": [(1, 1)],
        "speed": 1,
        "life": 1,
        "targets": w.slots[:1],
        "homing": True,
        "pierce": 1,
        "exclude": w.slots[:1],
        "groups": 1,
    },
    "shots.step": lambda w: {"time": 1, "walls": None},
    "shots.remove": lambda w: {"shot": w.bolt},
    "shots.remove_many": lambda w: {"shots": [w.bolt]},
    "damage.doomed": lambda w: {"unit": "orc"},
    "damage.under_way": lambda w: {"unit": "orc"},
    "ai.RangeEvents": lambda w: {"units": w.units, "groups": 1, "without": 2, "sight": None},
    "events.add": lambda w: {
        "x": 1,
        "y": 2,
        "radius": 5,
        "leave_radius": 6,
        "groups": 1,
        "without": 2,
    },
    "events.follow": lambda w: {"item": "orc", "radius": 5, "leave_radius": 6, "groups": 1},
    "events.remove": lambda w: {"zone": w.zone},
    "events.enable": lambda w: {"zone": w.zone},
    "events.inside": lambda w: {"zone": w.zone},
    "ai.Stagger": lambda w: {"every": 3, "units": w.units},
    "stagger.due": lambda w: {"item": "orc", "now": 3},
    "stagger.due_many": lambda w: {"slots": w.slots, "now": 3},
    "free.due_many": lambda w: {"slots": w.slots, "now": 3},
    "ai.TickBudget": lambda w: {"per_tick": 3, "units": w.units},
    "budget.take": lambda w: {"item": "orc", "now": 3},
    "ai.Route": lambda w: {"points": [(0, 0), (1, 1)]},
    "route.at": lambda w: {"distance": 3, "offset": 1},
    "route.progress": lambda w: {"x": 3, "y": 4, "low": 0, "high": 4},
    "route.at_many": lambda w: {"distances": [3], "offset": 1},
    "route.progress_many": lambda w: {"xy": [(3, 4)], "low": 0, "high": 4},
    "ai.best_blast": lambda w: {
        "units": w.units,
        "x": 10,
        "y": 50,
        "max_distance": 50,
        "radius": 5,
        "min_distance": 0,
        "groups": 1,
        "exclude": None,
        "value": None,
        "accuracy": 0.9,
    },
    "ai.flock": lambda w: {
        "units": w.units,
        "slots": w.slots,
        "velocity": np.zeros((4, 2)),
        "max_distance": 50,
        "separation_distance": 5,
        "falloff": "linear",
        "groups": 1,
        "without": 2,
    },
    "ai.separate": lambda w: {
        "units": w.units,
        "groups": 1,
        "without": 2,
        "against": 4,
        "slots": w.slots[:1],
        "mass": 1,
        "walls": None,
        "max_push": 3,
        "iterations": 4,
    },
    "ai.formation_places": lambda w: {
        "formation": "block",
        "count": 3,
        "spacing": 5,
        "facing": (1, 0),
    },
    "ai.assign_places": lambda w: {"xy": [(3, 4)], "places": [(5, 4)]},
    "ai.policies.most_clustered": lambda w: {"radius": 3},
    "pack": lambda w: {"units": w.units, "parts": w.damage},
    "unpack": lambda w: {
        "data": w.data,
        "items": list(w.units),
        "units": w.units,
        "parts": w.damage,
    },
}


class Wordy:
    def __repr__(self):
        return "many\nlines " * 1000


class Silent:
    def __repr__(self):
        raise ZeroDivisionError


WRONG = {
    "nan": lambda: float("nan"),
    "word": lambda: "ghost",
    "huge": lambda: 10**400,
    "digits": lambda: -(10**6000),
    "object": object,
    "grid": lambda: Grid([[1]]),
    "half": lambda: 2.9,
    "complex": lambda: 1j,
    "long": lambda: "x" * 10_000,
    "list": lambda: [7.5] * 5000,
    "wordy": Wordy,
    "silent": Silent,
    "dict": dict,
    "ragged": lambda: [[1], [2, 3]],
    "objects": lambda: np.array([object()]),
    "complexes": lambda: np.array([1j, 2j]),
}
ALSO = {"x": "x and y", "y": "x and y", "low": "high", "high": "low"}


@pytest.mark.parametrize(
    ("call", "name"),
    [(call, name) for call, right in RIGHT.items() for name in right(World())],
)
def test_an_error_names_the_argument_in_a_line(call, name):
    ask, right = attrgetter(call), RIGHT[call]
    world = World()
    ask(world)(**right(world))
    for kind, wrong in WRONG.items():
        world = World()
        given = {**right(world), name: wrong()}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                # What numpy before 2.4 says of an array just before it fails.
                warnings.filterwarnings("ignore", "Conversion of an array", DeprecationWarning)
                ask(world)(**given)
        except (TypeError, ValueError, KeyError) as error:
            (said,) = error.args
            assert name in said or ALSO.get(name, name) in said, (kind, said)
            assert len(said) <= 300, kind
            assert "\n" not in said, kind
        else:
            assert kind != "object"
