"""The scene: what a view of the game shows, in drawing order.

Standing things are sorted by their feet, so a villager behind a tree is drawn behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, degrees, sin
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad import Bounds
from tilequad.tiled import ObjectLayer, TileMap

from .effects import Effect
from .game import Game
from .land import TREE_FOOT, Building
from .minimap import Minimap
from .sprites import PEOPLE_FOOT, WALK_CYCLE, WHITE, Pictures, Row, Sprites
from .towers import Tower
from .units import DROP_OFF, ENEMY, SHELTER, TOWER, VILLAGER, WALL
from .villagers import Villager

FEET = {"palisade": 3.0, "mortar": 14.0, "house_thatch": 8.0, "lumber_camp": 6.0}  # as PEOPLE_FOOT
TOWER_FOOT = 15.0
MARGIN = 64.0  # greatest extent of a picture around its unit's position, in pixels


@dataclass(frozen=True)
class VisibleScene:
    """What a view shows: the tiles of the floor, standing sprites, overhead sprites."""

    floor: list[tuple[Any, NDArray[np.int32]]]
    standing: Sprites
    overhead: Sprites


class Scene:
    """Find what a view of the game shows, and measure how long that takes.

    Args:
        tile_map: The map.
        game: The game played on it. Another one may take its place.
    """

    def __init__(self, tile_map: TileMap, game: Game) -> None:
        self.tile_map, self.game = tile_map, game
        self.floor = [tile_map.layer(name) for name in ("ground", "roads", "decor")]
        self.trees = tile_map.layer("trees")
        self.places = tile_map.layer("places", ObjectLayer)
        self.tiles_total = sum(len(layer) for layer in (*self.floor, self.trees))
        self.tiles_drawn = self.units_drawn = 0
        self.cull_seconds = 0.0
        self.through_fog = False
        self.minimap = Minimap(tile_map)
        self.pictures = Pictures(tile_map, game.settings.enemies)
        self._lists: dict[Any, list[tuple[float, ...]]] = {}

    @property
    def start(self) -> tuple[float, float]:
        """Where the camera starts, in world units."""
        return self.game.land.camera

    def find_visible(self, view: Bounds) -> VisibleScene:
        """Return what the view shows."""
        started = perf_counter()
        game = self.game
        wide = Bounds(
            view.min_x - MARGIN, view.min_y - MARGIN, view.max_x + MARGIN, view.max_y + MARGIN
        )
        # Static trees: which tiles does the camera see?
        floor = [(layer, self._cull(layer, view)) for layer in self.floor]
        trees = self._cull(self.trees, view)
        buildings = self.places.query(view)
        # Dynamic tree: which units does it see?
        enemies = self._seen(self._enemies_in(wide))
        others = game.queries.query(wide, VILLAGER | TOWER | SHELTER | DROP_OFF | WALL)
        self.cull_seconds = perf_counter() - started
        self.tiles_drawn = len(trees) + sum(len(ids) for _, ids in floor)
        self.units_drawn = len(enemies) + len(others)
        standing = self._standing(trees, enemies, others, buildings)
        return VisibleScene(floor, standing, self._overhead(others, wide))

    def _enemies_in(self, wide: Bounds) -> NDArray[np.int32]:
        """Return the slots of the enemies in a box."""
        queries = self.game.queries
        if queries.brute_force:
            slot = queries.tree.slot
            return np.array([slot(one) for one in queries.query(wide, ENEMY)], np.int32)
        return queries.tree.query_many([wide], groups=ENEMY)[1]

    def _seen(self, slots: NDArray[np.int32]) -> NDArray[np.int32]:
        """Leave out those whom the fog hides."""
        fog = self.game.fog
        if fog is None or self.through_fog or not len(slots):
            return slots
        found: NDArray[np.int32] = slots[fog.seen_units()[slots]]
        return found

    def _cull(self, layer: Any, view: Bounds) -> NDArray[np.int32]:
        """Return the tiles of a layer in view: by a query, or by testing each tile."""
        if not self.game.queries.brute_force:
            found: NDArray[np.int32] = layer.query(view)
            return found
        if layer not in self._lists:  # all tiles as plain numbers
            ids = layer.ids()
            rows = zip(ids.tolist(), layer.boxes(ids).tolist(), strict=True)
            self._lists[layer] = [(tile_id, *box) for tile_id, box in rows]
        min_x, min_y, max_x, max_y = view
        tested = [
            tile_id
            for tile_id, left, low, right, high in self._lists[layer]
            if left <= max_x and right >= min_x and low <= max_y and high >= min_y
        ]
        return np.array(tested, np.int32)

    # -- things that stand on the ground --

    def _standing(
        self,
        trees: NDArray[np.int32],
        enemies: NDArray[np.int32],
        others: list[Any],
        buildings: NDArray[np.int32],
    ) -> Sprites:
        """Return trees, buildings, towers and people, sorted by their feet."""
        game, pictures = self.game, self.pictures
        boxes = self.trees.boxes(trees)
        middles = np.stack((boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]), 1) / 2
        tree_gids = game.tree_gids[trees]
        horde, places = game.horde, game.units.position_many(enemies)
        gids = pictures.people(
            horde.kinds[enemies], horde.velocity[enemies], horde.progress[enemies]
        )
        sizes = pictures.sizes[gids]
        shift = np.zeros_like(places)
        shift[:, 1] = sizes[:, 1] / 2 - PEOPLE_FOOT
        rows: list[Row] = []
        feet: list[float] = []
        for unit in others:
            x, y = game.units.position(unit)
            row = self._unit_sprite(unit, x, y)
            if row is not None:
                rows.append(row)
                feet.append(y)
        for number in buildings.tolist():
            building = self.places.objects[number]
            if building.gid:
                x, y = building.bounds.center
                rows.append(pictures.row(x, y, pictures.frame(building.gid, game.now * 1000)))
                feet.append(building.bounds.min_y + 8)
        return Sprites.sorted(
            (
                Sprites.upright(middles, tree_gids, pictures.sizes[tree_gids]),
                Sprites.upright(places + shift, gids, sizes),
                Sprites.of_rows(rows),
            ),
            np.concatenate((boxes[:, 1] + TREE_FOOT, places[:, 1], feet)),
        )

    def _unit_sprite(self, unit: Any, x: float, y: float) -> Row | None:
        gids = self.pictures.gids
        if isinstance(unit, Tower | Building):
            if unit.type is None:
                return None  # it stands on the map
            name = unit.type.picture
            return self.pictures.standing(unit.x, unit.y, gids[name], FEET.get(name, TOWER_FOOT))
        if unit.state == "hiding":
            return None
        step = 0
        if unit.state not in ("idle", "working"):
            step = WALK_CYCLE[int(self.game.now * self.game.settings.walk / 9 + id_of(unit)) % 4]
        load = f"_{unit.load}" if unit.load else ""
        gid = gids[f"{unit.appearance}{load}_{unit.facing}_{step}"]
        return self.pictures.standing(x, y, gid, PEOPLE_FOOT)

    # -- things above everything --

    def _overhead(self, others: list[Any], wide: Bounds) -> Sprites:
        """Return tools at work, shots, effects and health bars."""
        rows: list[Row] = []
        for unit in others:
            if isinstance(unit, Villager) and unit.state == "working":
                rows.append(self._tool(unit))
        for shot in self.game.garrison.shots:
            if wide.contains(shot.x, shot.y):
                turn = -degrees(
                    atan2(shot.dy * shot.length - shot.type.muzzle, shot.dx * shot.length)
                )
                gid = self.pictures.gids[shot.type.shot]
                rows.append(self.pictures.row(shot.x, shot.y + shot.height, gid, turn))
        for effect in self.game.effects:
            if wide.contains(effect.x, effect.y) and self.game.now < effect.start + effect.life:
                rows.append(self._effect(effect))
        seen = self._seen(self.game.units.slots(self.game.horde.hurt))
        for enemy in self.game.units.items(seen):
            x, y = self.game.units.position(enemy)
            if wide.contains(x, y):
                rows.extend(self._health_bar(enemy, x, y))
        return Sprites.of_rows(rows)

    def _tool(self, villager: Villager) -> Row:
        swing = abs(sin((villager.until - self.game.now) * 5))
        left = villager.facing == "left"
        angle = (-70 + 95 * swing) * (-1 if left else 1)
        gid = self.pictures.gids["axe"]
        width, height = self.pictures.sizes[gid].tolist()
        x, y = self.game.units.position(villager)
        x, y = x + (-5 if left else 5), y + 13
        return (x, y, gid, angle, -width if left else width, height, WHITE)

    def _effect(self, effect: Effect) -> Row:
        pictures, x, y = self.pictures, effect.x, effect.y
        age = min(1.0, (self.game.now - effect.start) / effect.life)
        fade = (255, 255, 255, round(255 * (1 - age)))
        if effect.type == "fall":
            return pictures.leaning(x, y, effect.gid, 86 * effect.turn * age * age, TREE_FOOT, age)
        if effect.type in ("wood", "stone", "gold"):
            return pictures.row(x, y + 26 * age, pictures.gids[effect.type], color=fade)
        if effect.type in ("dust", "spark", "fire", "blast"):
            name, steps = ("dust", 4) if effect.type == "dust" else ("spark", 3)
            gid = pictures.gids[f"{name}_{min(int(age * steps), steps - 1)}"]
            size = {"fire": 2.4, "blast": 3.6}.get(effect.type, 1.0)
            x, y, _, angle, width, height, color = pictures.row(x, y, gid)
            return (x, y, gid, angle, width * size, height * size, color)
        gid = pictures.gids[effect.type]
        return pictures.leaning(x, y, gid, 90 * min(1, 2 * age), PEOPLE_FOOT, age)

    def _health_bar(self, enemy: Any, x: float, y: float) -> list[Row]:
        share = max(0.0, enemy.health / enemy.type.health)
        width = 12 + enemy.radius
        y += 2.6 * enemy.radius + 14
        white = self.pictures.gids["white"]
        color = (round(230 - 130 * share), round(70 + 140 * share), 70, 255)
        left = x - width / 2
        return [
            (x, y, white, 0.0, width + 2, 5.0, (30, 24, 30, 220)),
            (left + width * share / 2, y, white, 0.0, width * share, 3.0, color),
        ]


def id_of(villager: Villager) -> int:
    """Return a number that lets villagers walk out of step."""
    return len(villager.appearance) + round(villager.until * 7)
