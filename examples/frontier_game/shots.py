"""Shots in flight: they leave a tower, sink, and hit whom they touch first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import hypot
from typing import Any, NamedTuple

from tilequad import DynamicQuadtree
from tilequad.ai import Damage, Impacts, Projectiles, intercept

from .enemies import Enemy
from .settings import TowerType
from .units import ENEMY

CHEST = 12.0  # height above the ground at which shots end, in pixels
HEAD = 34.0  # a shot higher than this flies over everybody, in pixels
WIDTH = 5.0  # of a shot, in pixels
ARC = 0.45  # height of the way of a lobbed shot, as a share of its length


class Shot(NamedTuple):
    """An arrow, a bolt or a ball in flight. Its place is the one on the ground below it."""

    type: TowerType
    x: float
    y: float
    dx: float
    dy: float
    left: float
    """How far it still flies, in pixels."""
    length: float
    """Of its whole way."""

    @property
    def height(self) -> float:
        """How high it flies, in pixels."""
        share = self.left / self.length
        straight = CHEST + (self.type.muzzle - CHEST) * share
        if self.type.lobbed:
            return straight + 4 * ARC * self.length * share * (1 - share)
        return straight


class Shots:
    """All shots in flight.

    Args:
        units: The tree of those who may be hit.
        damage: The damage under way.
        hit: Called with each enemy that is hurt, and the type of the tower.
        burst: Called with the place where a shot ends, and the type of its tower.
    """

    def __init__(
        self,
        units: DynamicQuadtree[Any],
        damage: Damage,
        hit: Callable[[Enemy, TowerType], None],
        burst: Callable[[float, float, TowerType], None],
    ) -> None:
        self.units = units
        # Projectiles: swept, so that no shot skips anybody; the damage under way ends with them.
        self._flying = Projectiles(units, damage, groups=ENEMY)
        self._types: dict[int, tuple[TowerType, float]] = {}  # and the lengths, by number
        self._hit, self._burst = hit, burst

    def __iter__(self) -> Iterator[Shot]:
        flying = self._flying
        columns = flying, flying.xy.tolist(), flying.directions.tolist(), flying.left.tolist()
        for number, (x, y), (dx, dy), left in zip(*columns, strict=True):
            kind, length = self._types[number]
            yield Shot(kind, x, y, dx, dy, left * kind.speed, length)

    def __len__(self) -> int:
        return len(self._flying)

    def fire(
        self, kind: TowerType, x: float, y: float, target: Enemy, vx: float, vy: float
    ) -> None:
        """Fire at where a target will be that walks on with its velocity."""
        place = self.units.position(target)
        meeting = intercept(x, y, kind.speed, place, (vx, vy))
        aim = place if meeting is None else meeting[:2]
        length = max(hypot(aim[0] - x, aim[1] - y), 1.0)
        life = length / kind.speed
        falls = max(kind.muzzle - CHEST, 0.01)
        over = life if kind.lobbed else life * max(1 - (HEAD - CHEST) / falls, 0.0)
        number = self._flying.fire(
            *(x, y, aim, kind.speed), life=life, delay=over, width=WIDTH, splash=kind.splash,
            target=target, damage=kind.damage,
        )  # fmt: skip
        self._types[number] = kind, length

    def fly(self, seconds: float) -> None:
        """Move all shots. Low ones hit whom they touch first, all burst where they end."""
        if not len(self._flying):
            return
        impacts = self._flying.step(seconds)
        hurt = self.units.items(impacts.slots)  # before any of them dies
        columns = impacts.shots.tolist(), hurt, impacts.xy.tolist(), impacts.kinds.tolist()
        for number, enemy, (x, y), what in zip(*columns, strict=True):
            kind = self._types[number][0]
            if what != Impacts.SPLASH:
                self._burst(x, y, kind)
            if enemy is not None and enemy in self.units:
                self._hit(enemy, kind)
        for number in impacts.ended.tolist():
            del self._types[number]
