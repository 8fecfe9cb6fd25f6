"""What is to be seen: pictures and places, in the order in which they are to be drawn.

A picture is a gid of the map: the tilesets hold whatever can be seen. Things that stand are sorted
by where their foot is, so that whoever walks behind a tree is behind it.
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
from tilequad.tiled import TileMap

from .enemies import Enemy
from .game import Effect, Game
from .land import TREE_FOOT
from .minimap import Minimap
from .towers import Tower
from .units import ENEMY, TOWER, VILLAGER
from .villagers import Villager

PEOPLE_FOOT = 5.0  # how far above the lower edge of their cell people stand, in pixels
TOWER_FOOT = 7.0
MARGIN = 64.0  # units stand at a point, their pictures reach this far from it
WALK_CYCLE = (0, 1, 0, 2)
WHITE = (255, 255, 255, 255)

Row = tuple[float, float, int, float, float, float, tuple[int, int, int, int]]


@dataclass(frozen=True)
class Sprites:
    """Pictures and places, the hindmost first; each array has a row a picture."""

    centers: NDArray[np.float64]
    gids: NDArray[np.int64]
    sizes: NDArray[np.float64]
    """Width and height; a negative width is mirrored."""
    angles: NDArray[np.float64]
    """Degrees clockwise."""
    colors: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.gids)


class Scene:
    """What a view of the game shows, and how long it took to find out.

    Args:
        world: The map.
        game: The game that is played on it.
    """

    def __init__(self, world: TileMap, game: Game) -> None:
        self.world, self.game = world, game
        self.floor = [world.layer(name) for name in ("ground", "roads", "decor")]
        self.trees = world.layer("trees")
        self.places = world.layer("places")
        self.tiles_total = sum(len(layer) for layer in (*self.floor, self.trees))
        self.tiles_drawn = self.units_drawn = 0
        self.cull_seconds = 0.0
        self.minimap = Minimap(world)
        self.gids = {
            name: tileset.first_gid + number
            for tileset in world.tilesets
            if tileset.name in ("people", "effects")
            for number in range(tileset.tile_count)
            if (name := tileset.tile_class(number))
        }
        self.pictures = self._pictures()
        self._sizes = np.zeros((max(self.pictures) + 1, 2))
        for gid in self.pictures:
            tileset = world.tileset_of(gid)
            self._sizes[gid] = tileset.tile_size(gid - tileset.first_gid)
        # The boxes of all tiles as plain numbers: for culling by a loop, without the trees.
        self._boxes = {
            layer: list(zip(layer.ids().tolist(), layer.boxes(layer.ids()).tolist(), strict=True))
            for layer in (*self.floor, self.trees)
        }

    @property
    def start(self) -> tuple[float, float]:
        """Where the map wants the player to look first."""
        (camera,) = self.game.land.of_type("camera")
        return camera.x, camera.y

    def look(self, view: Bounds) -> Look:
        """Find what the view shows."""
        started = perf_counter()
        wide = Bounds(
            view.min_x - MARGIN, view.min_y - MARGIN, view.max_x + MARGIN, view.max_y + MARGIN
        )
        floor = [(layer, self._cull(layer, view)) for layer in self.floor]
        trees = self._cull(self.trees, view)
        units = self.game.units.query(wide, ENEMY | VILLAGER | TOWER)
        houses = self.places.query(view)
        self.cull_seconds = perf_counter() - started
        self.tiles_drawn = len(trees) + sum(len(ids) for _, ids in floor)
        self.units_drawn = len(units)
        return Look(floor, self._standing(trees, units, houses), self._above(units, wide))

    def _cull(self, layer: Any, view: Bounds) -> NDArray[np.int32]:
        """The tiles of a layer in view: by its tree, or by looking at each of them."""
        if not self.game.units.brute:
            seen: NDArray[np.int32] = layer.query(view)
            return seen
        min_x, min_y, max_x, max_y = view
        looked = [
            number
            for number, (left, low, right, high) in self._boxes[layer]
            if left <= max_x and right >= min_x and low <= max_y and high >= min_y
        ]
        return np.array(looked, np.int32)

    # -- what stands on the ground --

    def _standing(
        self, trees: NDArray[np.int32], units: list[Any], houses: NDArray[np.int32]
    ) -> Sprites:
        """Trees, houses, towers, people: sorted by their feet."""
        boxes = self.trees.boxes(trees)
        tree_feet = boxes[:, 1] + TREE_FOOT
        tree_centers = np.stack((boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]), 1) / 2
        rows: list[Row] = []
        feet: list[float] = []
        for unit in units:
            row = self._figure(unit)
            if row is not None:
                rows.append(row)
                feet.append(unit.y)
        for number in houses.tolist():
            house = self.places.objects[number]
            if house.gid:
                x, y = house.bounds.center
                rows.append(self._row(x, y, self._frame(house.gid)))
                feet.append(house.bounds.min_y + 8)
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

    def _figure(self, unit: Any) -> Row | None:
        if isinstance(unit, Tower):
            gid = self._building(unit.make.picture)
            return self._row(unit.x, unit.y + self._sizes[gid][1] / 2 - TOWER_FOOT, gid)
        if isinstance(unit, Enemy):
            step = WALK_CYCLE[int(unit.progress / 9) % 4]
            name = f"{unit.kind.name}_{unit.facing}_{step}"
        else:
            if unit.doing == "hiding":
                return None
            step = WALK_CYCLE[int(unit.steps / 9) % 4]
            load = f"_{unit.load}" if unit.load else ""
            still = unit.doing in ("idle", "working")
            name = f"{unit.look}{load}_{unit.facing}_{0 if still else step}"
        gid = self.gids[name]
        return self._row(unit.x, unit.y + self._sizes[gid][1] / 2 - PEOPLE_FOOT, gid)

    # -- what is above everything --

    def _above(self, units: list[Any], wide: Bounds) -> Sprites:
        """Tools at work, shots, effects, bars of health."""
        rows: list[Row] = []
        for unit in units:
            if isinstance(unit, Villager) and unit.doing == "working":
                rows.append(self._tool(unit))
        for shot in self.game.garrison.shots:
            if wide.contains(shot.x, shot.y):
                turn = -degrees(atan2(shot.aim_y - shot.y, shot.aim_x - shot.x))
                rows.append(self._row(shot.x, shot.y, self.gids[shot.make.shot], turn))
        for effect in self.game.effects:
            if wide.contains(effect.x, effect.y):
                rows.append(self._effect(effect))
        for unit in units:
            if isinstance(unit, Enemy) and unit.health < unit.kind.health:
                rows.extend(self._bar(unit))
        return _sprites(rows)

    def _tool(self, villager: Villager) -> Row:
        swing = abs(sin((villager.until - self.game.now) * 5))
        left = villager.facing == "left"
        angle = (-70 + 95 * swing) * (-1 if left else 1)
        width, height = self._sizes[self.gids["axe"]]
        x, y = villager.x + (-5 if left else 5), villager.y + 13
        return (x, y, self.gids["axe"], angle, -width if left else width, height, WHITE)

    def _effect(self, effect: Effect) -> Row:
        age = min(1.0, (self.game.now - effect.start) / effect.life)
        fade = (255, 255, 255, round(255 * (1 - age)))
        if effect.kind == "fall":
            return self._leaning(effect, effect.gid, 86 * effect.turn * age * age, TREE_FOOT, age)
        if effect.kind == "wood":
            return self._row(effect.x, effect.y + 26 * age, self.gids["wood"], color=fade)
        if effect.kind in ("dust", "spark", "fire"):
            kind, steps = ("dust", 4) if effect.kind == "dust" else ("spark", 3)
            gid = self.gids[f"{kind}_{min(int(age * steps), steps - 1)}"]
            x, y, _, angle, width, height, color = self._row(effect.x, effect.y, gid)
            size = 2.4 if effect.kind == "fire" else 1.0
            return (x, y, gid, angle, width * size, height * size, color)
        return self._leaning(effect, self.gids[effect.kind], 90 * min(1, 2 * age), PEOPLE_FOOT, age)

    def _leaning(self, effect: Effect, gid: int, angle: float, foot: float, age: float) -> Row:
        """A picture that falls over its foot and fades at the end."""
        arm = self._sizes[gid][1] / 2 - foot
        x = effect.x + arm * sin(radians(angle))
        y = effect.y + arm * cos(radians(angle))
        fade = round(255 * min(1.0, 3 * (1 - age)))
        return self._row(x, y, gid, angle, (255, 255, 255, fade))

    def _bar(self, enemy: Enemy) -> list[Row]:
        share = max(0.0, enemy.health / enemy.kind.health)
        width = 12 + enemy.radius
        y = enemy.y + 2.6 * enemy.radius + 14
        white = self.gids["white"]
        color = (round(230 - 130 * share), round(70 + 140 * share), 70, 255)
        left = enemy.x - width / 2
        return [
            (enemy.x, y, white, 0.0, width + 2, 5.0, (30, 24, 30, 220)),
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
        """The gids of everything that may stand or fly."""
        names = ("trees_tall", "trees_small", "buildings", "people", "effects")
        return [
            tileset.first_gid + number
            for tileset in self.world.tilesets
            if tileset.name in names
            for number in range(tileset.tile_count)
        ]

    @cache  # noqa: B019  a scene lives as long as the game
    def _building(self, name: str) -> int:
        """The gid of a building by its name."""
        for gid in self.pictures:
            tileset = self.world.tileset_of(gid)
            if tileset.name == "buildings" and tileset.tile_class(gid - tileset.first_gid) == name:
                return gid
        raise KeyError(name)

    def _frame(self, gid: int) -> int:
        """What an animated building shows now."""
        tileset = self.world.tileset_of(gid)
        frame = tileset.frame_at(gid - tileset.first_gid, self.game.now * 1000)
        return tileset.first_gid + frame


@dataclass(frozen=True)
class Look:
    """What a view shows: the floor's tiles, what stands on it, what is above."""

    floor: list[tuple[Any, NDArray[np.int32]]]
    standing: Sprites
    above: Sprites


def _sprites(rows: list[Row]) -> Sprites:
    """Rows as columns."""
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
