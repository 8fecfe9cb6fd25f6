"""Wrong arguments: each error names the argument, in one line of at most 300 letters."""

import warnings

import numpy as np
import pytest

from tilequad import DynamicQuadtree
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
    assign_places,
    best_blast,
    formation_places,
    intercept,
    intercept_many,
    pack,
    policies,
    unpack,
)
from tilequad.nav import Grid


class World:
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
        self.data = pack(self.units, self.damage)


def goal_search(w, units, goals, claims):
    return GoalSearch(units, goals, claims=claims)


def shot(w):
    numbers = {"speed": 1, "life": 1, "width": 1, "splash": 1, "delay": 1, "damage": 1, "pierce": 1}
    units = {"target": "orc", "exclude": "oak", "homing": True, "groups": 1, "without": 2}
    return {"x": 1, "y": 2, "aim": (4, 5), **numbers, **units}


# What to call, and right arguments.
CALLS = {
    "Targeting": (
        lambda w, **given: Targeting(**given),
        lambda w: {
            "units": w.units,
            "policy": policies.closest,
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
    ),
    "target": (
        lambda w, **given: w.aims.target(**given),
        lambda w: {"seeker": "tower", "now": 0, "policy": None, "max_distance": 5},
    ),
    "target_many": (
        lambda w, **given: w.aims.target_many(**given),
        lambda w: {"slots": w.slots, "now": 0, "policy": None, "max_distance": 5},
    ),
    "drop": (lambda w, **given: w.aims.drop(**given), lambda w: {"seeker": "tower"}),
    "drop_many": (lambda w, **given: w.aims.drop_many(**given), lambda w: {"slots": w.slots}),
    "intercept": (
        lambda w, **given: intercept(**given),
        lambda w: {"x": 1, "y": 2, "speed": 3, "target": (4, 5), "velocity": (1, 1), "path": None},
    ),
    "intercept_many": (
        lambda w, **given: intercept_many(**given),
        lambda w: {"xy": (1, 2), "speed": 3, "target": [(4, 5)], "velocity": 1, "path": w.route},
    ),
    "Lead": (
        lambda w, **given: Lead(**given),
        lambda w: {"units": w.units, "speed": 3, "velocity": len, "path": None},
    ),
    "aim": (
        lambda w, **given: w.lead.aim(**given),
        lambda w: {"seeker": "tower", "target": "orc"},
    ),
    "aim_many": (
        lambda w, **given: w.lead.aim_many(**given),
        lambda w: {"slots": w.slots, "targets": w.slots},
    ),
    "Claims": (
        lambda w, **given: Claims(**given),
        lambda w: {"units": w.units, "taken": 8, "seats": 1},
    ),
    "claim": (
        lambda w, **given: w.claims.claim(**given),
        lambda w: {"claimant": "anna", "item": "oak", "groups": 4},
    ),
    "release": (lambda w, **given: w.claims.release(**given), lambda w: {"claimant": "anna"}),
    "held": (lambda w, **given: w.claims.held(**given), lambda w: {"claimant": "anna"}),
    "count": (lambda w, **given: w.claims.count(**given), lambda w: {"item": "oak"}),
    "is_free": (
        lambda w, **given: w.claims.is_free(**given),
        lambda w: {"item": "oak", "claimant": "anna"},
    ),
    "is_free_many": (
        lambda w, **given: w.claims.is_free_many(**given),
        lambda w: {"slots": w.slots, "claimants": w.slots},
    ),
    "Goal": (
        lambda w, **given: Goal(**given),
        lambda w: {
            "groups": 1,
            "without": 2,
            "max_distance": 4,
            "near": None,
            "field": None,
            "where": None,
            "retry": 1,
        },
    ),
    "GoalSearch": (
        goal_search,
        lambda w: {"units": w.units, "goals": Goal(4), "claims": None},
    ),
    "search": (lambda w, **given: w.goals.search(**given), lambda w: {"seeker": "anna", "now": 0}),
    "search_many": (
        lambda w, **given: w.goals.search_many(**given),
        lambda w: {"slots": w.slots, "now": 0},
    ),
    "Damage": (lambda w, **given: Damage(**given), lambda w: {"units": w.units, "health": len}),
    "send": (lambda w, **given: w.damage.send(**given), lambda w: {"target": "orc", "damage": 3}),
    "land": (lambda w, **given: w.damage.land(**given), lambda w: {"shot": w.shot}),
    "miss": (lambda w, **given: w.damage.miss(**given), lambda w: {"shot": w.shot}),
    "send_many": (
        lambda w, **given: w.damage.send_many(**given),
        lambda w: {"slots": w.slots, "damage": 3},
    ),
    "land_many": (lambda w, **given: w.damage.land_many(**given), lambda w: {"shots": [w.shot]}),
    "miss_many": (lambda w, **given: w.damage.miss_many(**given), lambda w: {"shots": [w.shot]}),
    "amount": (lambda w, **given: w.damage.amount(**given), lambda w: {"shot": w.shot}),
    "Projectiles": (
        lambda w, **given: Projectiles(**given),
        lambda w: {"units": w.units, "damage": w.damage, "groups": 1, "without": 2},
    ),
    "fire": (lambda w, **given: w.shots.fire(**given), shot),
    "fire_many": (
        lambda w, **given: w.shots.fire_many(**given),
        lambda w: {
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
    ),
    "step": (lambda w, **given: w.shots.step(**given), lambda w: {"time": 1, "walls": None}),
    "remove_shot": (lambda w, **given: w.shots.remove(**given), lambda w: {"shot": w.bolt}),
    "remove_shots": (
        lambda w, **given: w.shots.remove_many(**given),
        lambda w: {"shots": [w.bolt]},
    ),
    "doomed": (lambda w, **given: w.damage.doomed(**given), lambda w: {"unit": "orc"}),
    "under_way": (lambda w, **given: w.damage.under_way(**given), lambda w: {"unit": "orc"}),
    "RangeEvents": (
        lambda w, **given: RangeEvents(**given),
        lambda w: {"units": w.units, "groups": 1, "without": 2, "sight": None},
    ),
    "add": (
        lambda w, **given: w.events.add(**given),
        lambda w: {"x": 1, "y": 2, "radius": 5, "leave_radius": 6, "groups": 1, "without": 2},
    ),
    "follow": (
        lambda w, **given: w.events.follow(**given),
        lambda w: {"item": "orc", "radius": 5, "leave_radius": 6, "groups": 1},
    ),
    "remove": (lambda w, **given: w.events.remove(**given), lambda w: {"zone": w.zone}),
    "enable": (lambda w, **given: w.events.enable(**given), lambda w: {"zone": w.zone}),
    "inside": (lambda w, **given: w.events.inside(**given), lambda w: {"zone": w.zone}),
    "Stagger": (lambda w, **given: Stagger(**given), lambda w: {"every": 3, "units": w.units}),
    "due": (lambda w, **given: w.stagger.due(**given), lambda w: {"item": "orc", "now": 3}),
    "due_many": (
        lambda w, **given: w.stagger.due_many(**given),
        lambda w: {"slots": w.slots, "now": 3},
    ),
    "free_many": (
        lambda w, **given: w.free.due_many(**given),
        lambda w: {"slots": w.slots, "now": 3},
    ),
    "TickBudget": (
        lambda w, **given: TickBudget(**given),
        lambda w: {"per_tick": 3, "units": w.units},
    ),
    "take": (lambda w, **given: w.budget.take(**given), lambda w: {"item": "orc", "now": 3}),
    "Route": (lambda w, **given: Route(**given), lambda w: {"points": [(0, 0), (1, 1)]}),
    "at": (lambda w, **given: w.route.at(**given), lambda w: {"distance": 3, "offset": 1}),
    "progress": (
        lambda w, **given: w.route.progress(**given),
        lambda w: {"x": 3, "y": 4, "low": 0, "high": 4},
    ),
    "at_many": (
        lambda w, **given: w.route.at_many(**given),
        lambda w: {"distances": [3], "offset": 1},
    ),
    "progress_many": (
        lambda w, **given: w.route.progress_many(**given),
        lambda w: {"xy": [(3, 4)], "low": 0, "high": 4},
    ),
    "best_blast": (
        lambda w, **given: best_blast(**given),
        lambda w: {
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
    ),
    "formation_places": (
        lambda w, **given: formation_places(**given),
        lambda w: {"formation": "block", "count": 3, "spacing": 5, "facing": (1, 0)},
    ),
    "assign_places": (
        lambda w, **given: assign_places(**given),
        lambda w: {"xy": [(3, 4)], "places": [(5, 4)]},
    ),
    "most_clustered": (
        lambda w, **given: policies.most_clustered(**given),
        lambda w: {"radius": 3},
    ),
    "pack": (
        lambda w, units, parts: pack(units, parts),
        lambda w: {"units": w.units, "parts": w.damage},
    ),
    "unpack": (
        lambda w, data, items, units, parts: unpack(data, items, units, parts),
        lambda w: {"data": w.data, "items": list(w.units), "units": w.units, "parts": w.damage},
    ),
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
    [(call, name) for call, (_, right) in CALLS.items() for name in right(World())],
)
def test_an_error_names_the_argument_in_a_line(call, name):
    ask, right = CALLS[call]
    world = World()
    ask(world, **right(world))
    for kind, wrong in WRONG.items():
        world = World()
        given = {**right(world), name: wrong()}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                ask(world, **given)
        except (TypeError, ValueError, KeyError) as error:
            (said,) = error.args
            assert name in said or ALSO.get(name, name) in said, (kind, said)
            assert len(said) <= 300, kind
            assert "\n" not in said, kind
        else:
            assert kind != "object"
