"""The scene: what to draw, in drawing order.

Every picture is a tile of the map's tilesets, named by its gid. Standing things are sorted by
their feet, so a villager behind a tree is drawn behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import atan2, cos, degrees, radians, sin
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilequad import Bounds
from tilequad.tiled import ObjectLayer, TileMap

from .enemies import Enemy
from .game import Effect, Game
from .land import TREE_FOOT
from .minimap import Minimap
from .towers import Tower
from .units import ENEMY, TOWER, VILLAGER
from .villagers import Villager

# Height of the feet above the lower edge of a picture, in pixels.
PEOPLE_FOOT = 5.0
TOWER_FOOT = 7.0
MARGIN = 64.0  # greatest extent of a picture around its unit's position, in pixels
WALK_CYCLE = (0, 1, 0, 2)
WHITE = (255, 255, 255, 255)

Row = tuple[float, float, int, float, float, float, tuple[int, int, int, int]]


@dataclass(frozen=True)
class Sprites:
    """Pictures to draw, back to front; each array has one row per sprite."""

    centers: NDArray[np.float64]
    gids: NDArray[np.int64]
    sizes: NDArray[np.float64]
    """Width and height; a negative width mirrors the picture."""
    angles: NDArray[np.float64]
    """Degrees clockwise."""
    colors: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.gids)


class Scene:
    """Find what a view of the game shows, and measure how long that takes.

    Args:
        tile_map: The map.
        game: The game played on it.
    """

    def __init__(self, tile_map: TileMap, game: Game) -> None:
        self.tile_map, self.game = tile_map, game
        self.floor = [tile_map.layer(name) for name in ("ground", "roads", "decor")]
        self.trees = tile_map.layer("trees")
        self.places = tile_map.layer("places", ObjectLayer)
        self.tiles_total = sum(len(layer) for layer in (*self.floor, self.trees))
        self.tiles_drawn = self.units_drawn = 0
        self.cull_seconds = 0.0
        self.minimap = Minimap(tile_map)
        self.gids = {
            name: tileset.first_gid + number
            for tileset in tile_map.tilesets
            if tileset.name in ("people", "effects")
            for number in range(tileset.tile_count)
            if (name := tileset.tile_class(number))
        }
        self.pictures = self._pictures()
        self._sizes = np.zeros((max(self.pictures) + 1, 2))
        for gid in self.pictures:
            tileset = tile_map.tileset_of(gid)
            self._sizes[gid] = tileset.tile_size(gid - tileset.first_gid)
        # All tiles as plain numbers, for culling by a loop.
        self._tiles = {}
        for layer in (*self.floor, self.trees):
            ids = layer.ids()
            self._tiles[layer] = [
                (tile_id, *box)
                for tile_id, box in zip(ids.tolist(), layer.boxes(ids).tolist(), strict=True)
            ]

    @property
    def start(self) -> tuple[float, float]:
        """Where the camera starts, in world units."""
        return self.game.land.camera

    def find_visible(self, view: Bounds) -> VisibleScene:
        """Return what the view shows."""
        started = perf_counter()
        wide = Bounds(
            view.min_x - MARGIN, view.min_y - MARGIN, view.max_x + MARGIN, view.max_y + MARGIN
        )
        floor = [(layer, self._cull(layer, view)) for layer in self.floor]
        trees = self._cull(self.trees, view)
        units = self.game.queries.query(wide, ENEMY | VILLAGER | TOWER)
        buildings = self.places.query(view)
        self.cull_seconds = perf_counter() - started
        self.tiles_drawn = len(trees) + sum(len(ids) for _, ids in floor)
        self.units_drawn = len(units)
        return VisibleScene(
            floor, self._standing(trees, units, buildings), self._overhead(units, wide)
        )

    def _cull(self, layer: Any, view: Bounds) -> NDArray[np.int32]:
        """Return the tiles of a layer in view: by a query, or by testing each tile."""
        if not self.game.queries.brute_force:
            found: NDArray[np.int32] = layer.query(view)
            return found
        min_x, min_y, max_x, max_y = view
        tested = [
            tile_id
            for tile_id, left, low, right, high in self._tiles[layer]
            if left <= max_x and right >= min_x and low <= max_y and high >= min_y
        ]
        return np.array(tested, np.int32)

    # -- things that stand on the ground --

    def _standing(
        self, trees: NDArray[np.int32], units: list[Any], buildings: NDArray[np.int32]
    ) -> Sprites:
        """Return trees, buildings, towers and people, sorted by their feet."""
        boxes = self.trees.boxes(trees)
        tree_feet = boxes[:, 1] + TREE_FOOT
        tree_centers = np.stack((boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]), 1) / 2
        rows: list[Row] = []
        feet: list[float] = []
        for unit in units:
            x, y = self.game.units.position(unit)
            row = self._unit_sprite(unit, x, y)
            if row is not None:
                rows.append(row)
                feet.append(y)
        for number in buildings.tolist():
            building = self.places.objects[number]
            if building.gid:
                x, y = building.bounds.center
                rows.append(self._row(x, y, self._frame(building.gid)))
                feet.append(building.bounds.min_y + 8)
        others = _sprites(rows)
        gids = np.concatenate((self.game.tree_gids[trees], others.gids))
        order = np.argsort(-np.concatenate((tree_feet, feet)), kind="stable")
        count = len(trees)
        return Sprites(
            np.concatenate((tree_centers, others.centers))[order],
            gids[order],
            np.concatenate((self._sizes[gids[:count]], others.sizes))[order],
            np.concatenate((np.zeros(count), others.angles))[order],
            np.concatenate((np.full((count, 4), 255, np.uint8), others.colors))[order],
        )

    def _unit_sprite(self, unit: Any, x: float, y: float) -> Row | None:
        foot = PEOPLE_FOOT
        if isinstance(unit, Tower):
            gid, foot = self._building_gid(unit.type.picture), TOWER_FOOT
        elif isinstance(unit, Enemy):
            horde = self.game.horde
            walked = horde.progress[self.game.units.slot(unit)]
            step = WALK_CYCLE[int(walked / 9) % 4]
            gid = self.gids[f"{unit.type.name}_{horde.facing(unit)}_{step}"]
        elif unit.state == "hiding":
            return None
        else:
            step = WALK_CYCLE[int(unit.steps / 9) % 4]
            load = f"_{unit.load}" if unit.load else ""
            still = unit.state in ("idle", "working")
            gid = self.gids[f"{unit.appearance}{load}_{unit.facing}_{0 if still else step}"]
        return self._row(x, y + self._sizes[gid][1] / 2 - foot, gid)

    # -- things above everything --

    def _overhead(self, units: list[Any], wide: Bounds) -> Sprites:
        """Return tools at work, shots, effects and health bars."""
        rows: list[Row] = []
        for unit in units:
            if isinstance(unit, Villager) and unit.state == "working":
                rows.append(self._tool(unit))
        for shot in self.game.garrison.shots:
            if wide.contains(shot.x, shot.y):
                turn = -degrees(atan2(shot.aim_y - shot.y, shot.aim_x - shot.x))
                rows.append(self._row(shot.x, shot.y, self.gids[shot.type.shot], turn))
        for effect in self.game.effects:
            if wide.contains(effect.x, effect.y):
                rows.append(self._effect(effect))
        for unit in units:
            if isinstance(unit, Enemy) and unit.health < unit.type.health:
                rows.extend(self._health_bar(unit))
        return _sprites(rows)

    def _tool(self, villager: Villager) -> Row:
        swing = abs(sin((villager.until - self.game.now) * 5))
        left = villager.facing == "left"
        angle = (-70 + 95 * swing) * (-1 if left else 1)
        width, height = self._sizes[self.gids["axe"]]
        x, y = self.game.units.position(villager)
        x, y = x + (-5 if left else 5), y + 13
        return (x, y, self.gids["axe"], angle, -width if left else width, height, WHITE)

    def _effect(self, effect: Effect) -> Row:
        age = min(1.0, (self.game.now - effect.start) / effect.life)
        fade = (255, 255, 255, round(255 * (1 - age)))
        if effect.type == "fall":
            return self._leaning(effect, effect.gid, 86 * effect.turn * age * age, TREE_FOOT, age)
        if effect.type == "wood":
            return self._row(effect.x, effect.y + 26 * age, self.gids["wood"], color=fade)
        if effect.type in ("dust", "spark", "fire"):
            name, steps = ("dust", 4) if effect.type == "dust" else ("spark", 3)
            gid = self.gids[f"{name}_{min(int(age * steps), steps - 1)}"]
            x, y, _, angle, width, height, color = self._row(effect.x, effect.y, gid)
            size = 2.4 if effect.type == "fire" else 1.0
            return (x, y, gid, angle, width * size, height * size, color)
        return self._leaning(effect, self.gids[effect.type], 90 * min(1, 2 * age), PEOPLE_FOOT, age)

    def _leaning(self, effect: Effect, gid: int, angle: float, foot: float, age: float) -> Row:
        """Return a picture that falls over around its foot and fades at the end."""
        arm = self._sizes[gid][1] / 2 - foot
        x = effect.x + arm * sin(radians(angle))
        y = effect.y + arm * cos(radians(angle))
        fade = round(255 * min(1.0, 3 * (1 - age)))
        return self._row(x, y, gid, angle, (255, 255, 255, fade))

    def _health_bar(self, enemy: Enemy) -> list[Row]:
        x, y = self.game.units.position(enemy)
        share = max(0.0, enemy.health / enemy.type.health)
        width = 12 + enemy.radius
        y += 2.6 * enemy.radius + 14
        white = self.gids["white"]
        color = (round(230 - 130 * share), round(70 + 140 * share), 70, 255)
        left = x - width / 2
        return [
            (x, y, white, 0.0, width + 2, 5.0, (30, 24, 30, 220)),
            (left + width * share / 2, y, white, 0.0, width * share, 3.0, color),
        ]

    # -- pictures --

    def _row(
        self,
        x: float,
        y: float,
        gid: int,
        angle: float = 0.0,
        color: tuple[int, int, int, int] = WHITE,
    ) -> Row:
        width, height = self._sizes[gid]
        return (x, y, gid, angle, width, height, color)

    def _pictures(self) -> list[int]:
        """Return the gids of everything that can stand or fly."""
        names = ("trees_tall", "trees_small", "buildings", "people", "effects")
        return [
            tileset.first_gid + number
            for tileset in self.tile_map.tilesets
            if tileset.name in names
            for number in range(tileset.tile_count)
        ]

    @cache  # noqa: B019  the scene lives as long as the game
    def _building_gid(self, name: str) -> int:
        """Return the gid of a building by its name."""
        for gid in self.pictures:
            tileset = self.tile_map.tileset_of(gid)
            if tileset.name == "buildings" and tileset.tile_class(gid - tileset.first_gid) == name:
                return gid
        raise KeyError(name)

    def _frame(self, gid: int) -> int:
        """Return the gid of the frame that an animated tile shows now."""
        tileset = self.tile_map.tileset_of(gid)
        frame = tileset.frame_at(gid - tileset.first_gid, self.game.now * 1000)
        return tileset.first_gid + frame


@dataclass(frozen=True)
class VisibleScene:
    """What a view shows: the tiles of the floor, standing sprites, overhead sprites."""

    floor: list[tuple[Any, NDArray[np.int32]]]
    standing: Sprites
    overhead: Sprites


def _sprites(rows: list[Row]) -> Sprites:
    """Turn rows into columns."""
    if not rows:
        return Sprites(
            np.zeros((0, 2)),
            np.zeros(0, np.int64),
            np.zeros((0, 2)),
            np.zeros(0),
            np.zeros((0, 4), np.uint8),
        )
    x, y, gids, angles, widths, heights, colors = zip(*rows, strict=True)
    return Sprites(
        np.stack((x, y), 1),
        np.array(gids, np.int64),
        np.stack((widths, heights), 1),
        np.array(angles, float),
        np.array(colors, np.uint8),
    )
