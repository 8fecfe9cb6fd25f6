"""Shots in flight: they leave a tower, sink, and hit whom they touch first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np

from tilequad import DynamicQuadtree
from tilequad.ai import Damage

from .enemies import Enemy
from .settings import TowerType
from .units import ENEMY, Queries

CHEST = 12.0  # height above the ground at which shots end, in pixels
HEAD = 34.0  # a shot higher than this flies over everybody, in pixels
WIDTH = 5.0  # of a shot, in pixels
ARC = 0.45  # height of the way of a lobbed shot, as a share of its length


@dataclass(eq=False, slots=True)
class Shot:
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
    under_way: int

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
        queries: The tree of those who may be hit.
        damage: The damage under way.
        hit: Called with each enemy that is hurt, and the type of the tower.
        burst: Called with the place where a shot ends, and the type of its tower.
    """

    def __init__(
        self,
        queries: Queries,
        damage: Damage,
        hit: Callable[[Enemy, TowerType], None],
        burst: Callable[[float, float, TowerType], None],
    ) -> None:
        self.queries, self.damage = queries, damage
        self.units: DynamicQuadtree[Any] = queries.tree
        self.flying: list[Shot] = []
        self._hit, self._burst = hit, burst

    def fire(
        self, kind: TowerType, x: float, y: float, target: Enemy, vx: float, vy: float
    ) -> None:
        """Fire at where a target will be that walks on with its velocity."""
        target_x, target_y = self.units.position(target)
        time = hypot(target_x - x, target_y - y) / kind.speed
        dx, dy = target_x + vx * time - x, target_y + vy * time - y
        length = max(hypot(dx, dy), 1.0)
        # Damage: what is under way counts, so that no two towers kill one enemy.
        under_way = self.damage.send(target, kind.damage)
        self.flying.append(Shot(kind, x, y, dx / length, dy / length, length, length, under_way))

    def fly(self, seconds: float) -> None:
        """Move all shots. Low ones hit whom they touch first, all burst where they end."""
        low, starts, ends, ended = [], [], [], []
        for shot in self.flying:
            step = min(shot.type.speed * seconds, shot.left)
            x, y = shot.x + shot.dx * step, shot.y + shot.dy * step
            if not shot.type.lobbed and shot.height <= HEAD:
                low.append(shot)
                starts.append((shot.x, shot.y))
                ends.append((x, y))
            elif shot.left <= step:
                ended.append((shot, None))
            shot.x, shot.y = x, y
            shot.left -= step
        if low:
            # Swept hits: whom does each shot touch first on its way of this tick?
            hits = self.queries.first_hits(np.array(starts), np.array(ends), WIDTH, ENEMY)
            for shot, touched in zip(low, hits, strict=True):
                if touched is not None or shot.left <= 0:
                    ended.append((shot, touched))
        for shot, touched in ended:
            self._end(shot, touched)
        if ended:
            gone = {id(shot) for shot, _ in ended}
            self.flying = [shot for shot in self.flying if id(shot) not in gone]

    def _end(self, shot: Shot, touched: Enemy | None) -> None:
        if touched is not None and touched in self.units:
            self.damage.land(shot.under_way, on=touched)
        else:
            self.damage.miss(shot.under_way)
            touched = None
        self._burst(shot.x, shot.y, shot.type)
        hurt = [] if touched is None else [touched]
        if shot.type.splash:
            with self.queries.timed():
                # Radius query: who is near the blast?
                hurt = self.queries.within(shot.x, shot.y, shot.type.splash, groups=ENEMY)
            hurt.sort(key=self.units.slot)
        for enemy in hurt:
            self._hit(enemy, shot.type)
