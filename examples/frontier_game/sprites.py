"""Pictures of everything that stands or flies: tiles of the map's tilesets, named by their gids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad.tiled import TileMap

from .settings import EnemyType

PEOPLE_FOOT = 5.0  # height of the feet above the lower edge of a picture, in pixels
WALK_CYCLE = np.array((0, 1, 0, 2))
FACINGS = ("right", "left", "up", "down")
WHITE = (255, 255, 255, 255)
SHEETS = ("trees_tall", "trees_small", "buildings", "people", "effects")

Row: TypeAlias = tuple[float, float, int, float, float, float, tuple[int, int, int, int]]


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

    @classmethod
    def of_rows(cls, rows: Sequence[Row]) -> Sprites:
        """Turn rows into columns."""
        if not rows:
            return cls.upright(np.zeros((0, 2)), np.zeros(0, np.int64), np.zeros((0, 2)))
        x, y, gids, angles, widths, heights, colors = zip(*rows, strict=True)
        return cls(
            np.stack((x, y), 1),
            np.array(gids, np.int64),
            np.stack((widths, heights), 1),
            np.array(angles, float),
            np.array(colors, np.uint8),
        )

    @classmethod
    def upright(
        cls, centers: NDArray[np.float64], gids: NDArray[np.int64], sizes: NDArray[np.float64]
    ) -> Sprites:
        """Return sprites that are neither turned nor tinted."""
        count = len(gids)
        return cls(centers, gids, sizes, np.zeros(count), np.full((count, 4), 255, np.uint8))

    @classmethod
    def sorted(cls, parts: Sequence[Sprites], feet: NDArray[np.float64]) -> Sprites:
        """Join sprites, those with the highest feet first."""
        order = np.argsort(-feet, kind="stable")
        names = ("centers", "gids", "sizes", "angles", "colors")
        return cls(
            *(np.concatenate([getattr(part, name) for part in parts])[order] for name in names)
        )


class Pictures:
    """The gids of all pictures, by name, and their sizes.

    Args:
        tile_map: The map with the tilesets.
        enemies: The types of enemies.

    Attributes:
        all: The gids of everything that can stand or fly.
        gids: The gid of each figure and effect, by name.
        sizes: Width and height by gid.
    """

    def __init__(self, tile_map: TileMap, enemies: Sequence[EnemyType]) -> None:
        self.tile_map = tile_map
        sheets = [one for one in tile_map.tilesets if one.name in SHEETS]
        self.all = [s.first_gid + number for s in sheets for number in range(s.tile_count)]
        self.gids = {
            name: sheet.first_gid + number
            for sheet in sheets
            for number in range(sheet.tile_count)
            if (name := sheet.tile_class(number))
            and sheet.name not in ("trees_tall", "trees_small")
        }
        self.sizes = np.zeros((max(self.all) + 1, 2))
        for sheet in sheets:
            for number in range(sheet.tile_count):
                self.sizes[sheet.first_gid + number] = sheet.tile_size(number)
        steps = range(len(set(WALK_CYCLE.tolist())))
        # By type, facing and step.
        self._enemies = np.array(
            [[[self.gids[f"{one.name}_{facing}_{step}"] for step in steps] for facing in FACINGS]
             for one in enemies]
        )  # fmt: skip

    def row(
        self,
        x: float,
        y: float,
        gid: int,
        angle: float = 0.0,
        color: tuple[int, int, int, int] = WHITE,
    ) -> Row:
        """Return a picture around a point."""
        width, height = self.sizes[gid].tolist()
        return (x, y, gid, angle, width, height, color)

    def standing(
        self,
        x: float,
        foot_y: float,
        gid: int,
        foot: float,
        color: tuple[int, int, int, int] = WHITE,
    ) -> Row:
        """Return a picture whose feet, so high above its lower edge, are at a point."""
        return self.row(x, foot_y + self.sizes[gid, 1] / 2 - foot, gid, color=color)

    def leaning(self, x: float, y: float, gid: int, angle: float, foot: float, age: float) -> Row:
        """Return a picture that falls over around its foot and fades at the end."""
        arm = self.sizes[gid, 1] / 2 - foot
        x += arm * sin(radians(angle))
        y += arm * cos(radians(angle))
        fade = round(255 * min(1.0, 3 * (1 - age)))
        return self.row(x, y, gid, angle, (255, 255, 255, fade))

    def people(
        self,
        types: NDArray[np.int8],
        velocity: NDArray[np.float64],
        walked: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """Return the gids of walking enemies, of all at once."""
        dx, dy = velocity.T
        sideways = np.abs(dx) > np.abs(dy)
        facings = np.where(sideways, np.where(dx > 0, 0, 1), np.where(dy > 0, 2, 3))
        steps = WALK_CYCLE[(walked / 9).astype(np.int64) % 4]
        found: NDArray[np.int64] = self._enemies[types, facings, steps]
        return found

    def frame(self, gid: int, milliseconds: float) -> int:
        """Return the gid of the frame that an animated tile shows now."""
        tileset = self.tile_map.tileset_of(gid)
        return tileset.first_gid + tileset.frame_at(gid - tileset.first_gid, milliseconds)
