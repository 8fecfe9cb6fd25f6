"""A tower defense on one road: prints the score; `tower_defense.py FILE.png` also draws the game.

Archers shoot at the first enemy, a mortar where most stand together, a sniper at the strongest.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from random import Random

from PIL import Image, ImageDraw

from tilequad import DynamicQuadtree
from tilequad.ai import Damage, Projectiles, Route, Targeting, policies

TOWER, ENEMY = 1, 2
SPEED = 14  # of shots, in pixels a tick
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


class Game:
    """The whole game; the same seed plays the same game."""

    def __init__(self, seed: int) -> None:
        self.random, self.tick, self.killed = Random(seed), 0, 0
        self.units = DynamicQuadtree((0, 0, WIDTH, HEIGHT))
        self.damage = Damage(self.units, lambda enemy: enemy.health)
        self.shots = Projectiles(self.units, self.damage, groups=ENEMY)
        self.aim = Targeting(
            self.units, max_distance=0, groups=ENEMY, damage=self.damage, retarget_every=6
        )
        first = policies.first(lambda enemy: enemy.walked)
        places = (200, 270), (360, 260), (260, 140), (60, 150)
        self.towers = [Tower(x, y, first) for x, y in places]
        self.towers.append(Tower(300, 260, policies.most_clustered(30), 150, 14, 60, splash=30))
        self.towers.append(Tower(470, 150, policies.strongest(self.damage.health), 260, 60, 90))
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
            if target and self.tick >= tower.loaded_at and not self.damage.doomed(target):
                tower.loaded_at = self.tick + tower.reload
                self.shots.fire(
                    *(tower.x, tower.y, self.units.position(target), SPEED), life=60, width=4,
                    damage=tower.damage, splash=tower.splash, target=target, homing=True,
                )  # fmt: skip
        self.land()
        self.tick += 1

    def land(self) -> None:
        """Let shots fly, and hurt whom they hit, unless another one killed him in this tick."""
        hits = self.shots.step()
        for enemy, damage in zip(self.units.items(hits.slots), hits.damage, strict=True):
            if enemy in self.units:
                enemy.health -= damage
                if enemy.health <= 0:
                    self.units.remove(enemy)
                    self.killed += 1

    def picture(self) -> Image.Image:
        """Draw the road, the enemies, the towers with their ranges, and the shots."""
        draw = ImageDraw.Draw(image := Image.new("RGB", (WIDTH, HEIGHT), (86, 125, 70)))
        draw.line(ROAD.points.ravel().tolist(), (190, 160, 110), 28)
        for enemy in self.units.query(self.units.bounds, groups=ENEMY):
            draw.circle(self.units.position(enemy), 4 + enemy.health / 20, (190, 50, 40))
        for tower in self.towers:
            draw.circle((tower.x, tower.y), tower.range, outline=(110, 150, 95))
            draw.circle((tower.x, tower.y), 12, (70, 80, 110))
        for place, way in zip(self.shots.xy, self.shots.directions, strict=True):
            draw.line([*(place - 9 * way), *place], (250, 240, 160), 2)
        return image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)  # y is up in the world


if __name__ == "__main__":
    game = Game(seed=1)
    for _ in range(1500):
        game.step()
    print(f"{game.killed} killed, {len(game.shots)} shots in the air")
    if len(sys.argv) > 1:
        game.picture().save(sys.argv[1])
