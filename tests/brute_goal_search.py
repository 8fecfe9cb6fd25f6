"""The rules of `Claims` and `GoalSearch` as plain loops over a world of plain dicts."""

from collections import Counter
from math import hypot, inf


class BruteClaims:
    """The twin of `Claims`: who holds what, as lives of both sides."""

    def __init__(self, world, seats, taken=0):
        self.world, self.seats, self.taken = world, seats, taken
        self.claims = {}  # name: its life, the item, the item's life, groups

    def valid(self):
        """End what has ended, and return the rest."""
        bodies = self.world.bodies
        self.claims = {
            name: (life, item, item_life, groups)
            for name, (life, item, item_life, groups) in self.claims.items()
            if name in bodies
            and bodies[name].life == life
            and item in bodies
            and bodies[item].life == item_life
            and (groups is None or bodies[item].groups & groups)
        }
        return self.claims

    def held(self, name):
        return self.valid().get(name, (None, None))[1]

    def counts(self):
        return Counter(claim[1] for claim in self.valid().values())

    def is_free(self, item, name):
        return self.counts()[item] - (self.held(name) == item) < self.seats(item)

    def release(self, name):
        self.valid().pop(name, None)

    def claim(self, name, item, groups=None):
        bodies = self.world.bodies
        self.release(name)
        self.claims[name] = bodies[name].life, item, bodies[item].life, groups


class BruteGoalSearch:
    """The twin of `GoalSearch`; `goals` are the same `Goal` objects."""

    def __init__(self, world, *goals, claims=None):
        self.world, self.goals, self.claims = world, goals, claims
        self.failed = {}  # (goal number, name, life): when

    def search(self, name, now):
        if self.claims is not None:
            self.claims.release(name)
        life = self.world.bodies[name].life
        for number, goal in enumerate(self.goals):
            failed_at = self.failed.get((number, name, life), inf)
            if failed_at <= now < failed_at + goal.retry:
                continue
            found = next(self.ranked(name, goal), None)
            if found is None:
                self.failed[number, name, life] = now
                continue
            self.failed.pop((number, name, life), None)
            if goal.claim:
                self.claims.claim(name, found, goal.groups)
            return found
        return None

    def is_left_out(self, unit, goal):
        """Whether a unit is in a group that the goal leaves out; full items are in `taken`."""
        groups = self.world.bodies[unit].groups
        if self.claims is not None and 0 < self.claims.seats(unit) <= self.claims.counts()[unit]:
            groups |= self.claims.taken
        return groups & (goal.without or 0) != 0

    def ranked(self, name, goal):
        """The units that meet a goal, the nearest first."""
        bodies = self.world.bodies
        x, y = bodies[name].x, bodies[name].y
        place = goal.near(name) if callable(goal.near) else goal.near
        if place is not None:
            x, y = place
        field = goal.field
        if field is not None and not hasattr(field, "distance_many"):
            field = field(name)
            if field is None:
                return
        rows = []
        used = self.claims.counts() if goal.claim else {}
        for order, (unit, body) in enumerate(bodies.items()):
            dx, dy = body.x - x, body.y - y
            square = body.gap2(x, y) if goal.to_edge else dx * dx + dy * dy
            if unit == name or square > goal.max_distance * goal.max_distance:
                continue
            if goal.groups is not None and not body.groups & goal.groups:
                continue
            if self.is_left_out(unit, goal):
                continue
            length = square
            if field is not None:
                length = float(field.distance_many([(body.x, body.y)])[0])
                if length > goal.max_distance or length == inf:
                    continue
            rows.append((length, order, unit))
        for _, _, unit in sorted(rows):
            if goal.claim and used[unit] >= self.claims.seats(unit):
                continue
            if goal.where is None or goal.where(name, unit):
                yield unit


class Detour:
    """A field without a map: the way goes round by a gate, and some places cannot be reached."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def distance_many(self, xy):
        return [
            inf if x > 95 else round(hypot(x - 50, y - 20) + hypot(50 - self.x, 20 - self.y))
            for x, y in (map(float, place) for place in xy)
        ]
