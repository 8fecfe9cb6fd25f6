"""A tower defense on one road: prints the score; `tower_defense.py FILE.png` also draws the game.

Archers shoot at the first enemy, a mortar where most stand together, a sniper at the strongest.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageDraw

from tilequad import DynamicQuadtree
from tilequad.ai import Damage, Route, Targeting, policies

TOWER, ENEMY = 1, 2
WIDTH, HEIGHT = 640, 400
ROAD = Route([(0, 320), (420, 320), (420, 200), (120, 200), (120, 80), (640, 80)])


@dataclass(eq=False)
class Enemy:
    """One enemy: health, speed in pixels a tick, and how far it has walked."""

    health: float
    speed: float
    walked: float = 0.0


@dataclass(eq=False)
class Tower:
    """One tower: place, whom it prefers, range, damage, ticks between two shots, splash."""

    x: float
    y: float
    policy: policies.Policy
    range: float = 110
    damage: float = 9
    reload: int = 20
    splash: float = 0.0
    loaded_at: int = 0
    target: Enemy | None = None


class Game:
    """The whole game; the same seed plays the same game."""

    def __init__(self, seed: int) -> None:
        self.random, self.tick, self.killed = Random(seed), 0, 0
        self.units = DynamicQuadtree((0, 0, WIDTH, HEIGHT))
        self.shots = Damage(self.units, lambda enemy: enemy.health)
        self.aim = Targeting(
            self.units, max_distance=0, groups=ENEMY, damage=self.shots, retarget_every=6
        )
        self.flying: list[tuple[int, Tower, int]] = []
        first = policies.first(lambda enemy: enemy.walked)
        places = (200, 270), (360, 260), (260, 140), (60, 150)
        self.towers = [Tower(x, y, first) for x, y in places]
        self.towers.append(Tower(300, 260, policies.most_clustered(30), 150, 14, 60, splash=30))
        self.towers.append(Tower(470, 150, policies.strongest(self.shots.health), 260, 60, 90))
        for tower in self.towers:
            self.units.add(tower, tower.x, tower.y, radius=12, groups=TOWER)

    def step(self) -> None:
        """Play one tick: enemies come and walk, towers aim and shoot, shots land."""
        if self.tick % 15 == 0:
            enemy = Enemy(self.random.choice((25, 25, 25, 90)), self.random.uniform(0.9, 1.5))
            self.units.add(enemy, 0, 320, radius=6, groups=ENEMY)
        for enemy in self.units.query(self.units.bounds, groups=ENEMY):
            enemy.walked += enemy.speed
            self.units.move(enemy, *ROAD.at(enemy.walked))
        targets = [
            self.aim.target(tower, self.tick, policy=tower.policy, max_distance=tower.range)
            for tower in self.towers
        ]
        for tower, target in zip(self.towers, targets, strict=True):
            tower.target, is_loaded = target, self.tick >= tower.loaded_at
            if target and is_loaded and not self.shots.doomed(target):
                tower.loaded_at = self.tick + tower.reload
                shot = self.shots.send(target, tower.damage)
                self.flying.append((self.tick + 8, tower, shot))
        while self.flying and self.flying[0][0] <= self.tick:
            self.land(*self.flying.pop(0)[1:])
        self.tick += 1

    def land(self, tower: Tower, shot: int) -> None:
        """Hurt whom a shot hits; one whose target has died meanwhile hits nobody."""
        target = self.shots.land(shot)
        hurt = [target] if target else []
        if hurt and tower.splash:
            hurt = self.units.within(*self.units.position(target), tower.splash, groups=ENEMY)
        for enemy in hurt:
            enemy.health -= tower.damage
            if enemy.health <= 0:
                self.units.remove(enemy)
                self.killed += 1

    def picture(self) -> Image.Image:
        """Draw the road, the enemies, the towers with their ranges, and who aims at whom."""
        draw = ImageDraw.Draw(image := Image.new("RGB", (WIDTH, HEIGHT), (86, 125, 70)))
        draw.line(ROAD.points.ravel().tolist(), (190, 160, 110), 28)
        for enemy in self.units.query(self.units.bounds, groups=ENEMY):
            draw.circle(self.units.position(enemy), 4 + enemy.health / 20, (190, 50, 40))
        for tower in self.towers:
            draw.circle((tower.x, tower.y), tower.range, outline=(110, 150, 95))
            draw.circle((tower.x, tower.y), 12, (70, 80, 110))
            if tower.target in self.units:
                aim = *self.units.position(tower), *self.units.position(tower.target)
                draw.line(aim, (250, 240, 160))
        return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)  # y is up in the world


if __name__ == "__main__":
    game = Game(seed=1)
    for _ in range(1500):
        game.step()
    print(f"{game.killed} killed, {len(game.flying)} shots in the air")
    if len(sys.argv) > 1:
        game.picture().save(sys.argv[1])
