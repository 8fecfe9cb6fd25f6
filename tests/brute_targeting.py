"""The rules of `Targeting` as one plain loop over everything, on a world that is a plain dict."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor, sqrt

GOLDEN_RATIO = 0.6180339887498949


@dataclass
class Body:
    """One life of one unit."""

    x: float
    y: float
    groups: int
    life: int
    footprint: dict = field(default_factory=dict)

    def square(self, x, y):
        """The squared distance from a point to the position."""
        dx, dy = self.x - x, self.y - y
        return dx * dx + dy * dy

    def gap2(self, x, y):
        """The squared distance from a point to the footprint: `radius` or `size`."""
        if "size" not in self.footprint:
            gap = max(sqrt(self.square(x, y)) - self.footprint.get("radius", 0), 0)
            return gap * gap
        dx, dy = (
            max(abs(there - here) - side / 2, 0)
            for there, here, side in (
                (self.x, x, self.footprint["size"][0]),
                (self.y, y, self.footprint["size"][1]),
            )
        )
        return dx * dx + dy * dy


class World:
    """Units by name, in the order of adding; each stay has a number of its own."""

    def __init__(self, to_edge=False):
        self.bodies: dict[object, Body] = {}
        self.to_edge = to_edge
        self._lives = 0

    def add(self, name, x, y, groups, **footprint):
        self.bodies[name] = Body(x, y, groups, self._lives, footprint)
        self._lives += 1

    def remove(self, name):
        del self.bodies[name]

    def distance2(self, a, b):
        place, other = (self.bodies[a].x, self.bodies[a].y), self.bodies[b]
        return other.gap2(*place) if self.to_edge else other.square(*place)


@dataclass
class Aim:
    """What is known of one life of one seeker."""

    offset: float
    interval: float
    target: object = None
    target_life: int = -1
    ticket: int | None = None


@dataclass
class BruteTargeting:
    """The twin of `Targeting`."""

    world: World
    groups: int | None
    without: int | None
    where: object
    lock: bool
    margin: float
    every: float
    at_once: float
    doomed: object
    aims: dict[int, Aim] = field(default_factory=dict)
    issued: int = 0
    limit: float = 0
    tick: float | None = None

    def target(self, seeker, now, kind, score, low, high, lose):
        """Choose as `Targeting.target` must; `score` is a number for each unit."""
        me = self.world.bodies[seeker]
        if now != self.tick:
            self.tick, self.limit = now, min(self.limit, self.issued) + self.at_once
        aim = self.aims.get(me.life)
        is_new = aim is None
        if is_new:
            offset = len(self.aims) * GOLDEN_RATIO % 1.0
            aim = self.aims[me.life] = Aim(offset, 0)
        interval = floor(now / self.every + aim.offset) if self.every else 0
        due = not self.every or (not is_new and interval != aim.interval)
        aim.interval = interval
        kept = aim.target if self._keeps(seeker, aim, low, lose) else None
        if (is_new or (aim.target is not None and kept is None)) and aim.ticket is None:
            aim.ticket, self.issued = self.issued, self.issued + 1
        called = aim.ticket is not None and aim.ticket < self.limit
        chosen = kept
        if (due or called) and not (self.lock and kept is not None):
            aim.ticket = None
            chosen = self._choose(seeker, kind, score, low, high)
            if chosen is None:
                chosen = kept
            elif kept is not None and self.margin:
                lead = self._measure(seeker, kind, score, chosen)
                lead -= self._measure(seeker, kind, score, kept)
                if chosen != kept and lead <= self.margin:
                    chosen = kept
        if chosen is not None:
            aim.ticket = None
        aim.target = chosen
        aim.target_life = -1 if chosen is None else self.world.bodies[chosen].life
        return chosen

    def _passes(self, seeker, enemy):
        body = self.world.bodies[enemy]
        return (
            (self.groups is None or body.groups & self.groups)
            and not body.groups & (self.without or 0)
            and not (self.doomed and self.doomed(enemy))
            and (self.where is None or self.where(seeker, enemy))
        )

    def _keeps(self, seeker, aim, low, lose):
        body = self.world.bodies.get(aim.target)
        if aim.target is None or body is None or body.life != aim.target_life:
            return False
        gap2 = self.world.distance2(seeker, aim.target)
        return low * low <= gap2 <= lose * lose and self._passes(seeker, aim.target)

    def _choose(self, seeker, kind, score, low, high):
        ranked = []
        for order, enemy in enumerate(self.world.bodies):
            gap2 = self.world.distance2(seeker, enemy)
            in_ring = enemy != seeker and low * low <= gap2 <= high * high
            if in_ring and self._passes(seeker, enemy):
                value = {"closest": -gap2, "farthest": gap2}.get(kind)
                if value is None:
                    value = score[enemy] if kind in ("first", "strongest") else -score[enemy]
                ranked.append((-value, gap2, order, enemy))
        return min(ranked)[-1] if ranked else None

    def _measure(self, seeker, kind, score, enemy):
        """How good an enemy is; more is better."""
        if kind in ("closest", "farthest"):
            gap = sqrt(self.world.distance2(seeker, enemy))
            return gap if kind == "farthest" else -gap
        return float(score[enemy]) if kind in ("first", "strongest") else -float(score[enemy])
