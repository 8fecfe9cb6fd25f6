"""Draw an object layer: tile objects as quads, shapes and texts as pictures that Pillow draws."""

from __future__ import annotations

from itertools import groupby
from math import cos, floor, log2, radians, sin

import numpy as np
from arcade import ArcadeContext
from numpy.typing import NDArray

from tilequad.draw.arcade.grid_shaders import GRID_BLOCK
from tilequad.draw.arcade.shaders import Records
from tilequad.draw.arcade.shape_picture import ShapePicture
from tilequad.draw.arcade.tile_grid import RECORD, GridPrograms, Look, write_view
from tilequad.draw.arcade.tile_kinds import SHARPNESS, flips_and_turn
from tilequad.draw.arguments import is_drawn
from tilequad.tiled import ObjectLayer, TileMap

__all__ = ["ObjectQuads"]

INSTANCE = np.dtype(
    [
        ("center", np.float32, 2),
        ("size", np.float32, 2),
        ("turn", np.float32, 4),
        ("kind", np.int32),
        ("opacity", np.float32),
    ]
)


class ObjectQuads:
    """The objects of one layer.

    Attributes:
        only_art: Whether `draw` leaves out objects that have neither a tile nor text.
    """

    def __init__(
        self,
        context: ArcadeContext,
        tile_map: TileMap,
        layer: ObjectLayer,
        programs: GridPrograms,
    ) -> None:
        self._context = context
        self._tile_map = tile_map
        self._layer = layer
        self._programs = programs
        self.only_art = False
        self._begin()

    def follow(self) -> None:
        """Follow changes of the objects."""
        if self._revision != self._layer.revision:
            self._begin()

    def _begin(self) -> None:
        """Measure all objects."""
        context, tile_map, layer = self._context, self._tile_map, self._layer
        self._revision = layer.revision
        self._instances, self._centers = self._measure(tile_map)
        self._is_art = np.array([is_drawn(item, "art") for item in layer.objects], bool)
        shown = [number for number, item in enumerate(layer.objects) if item.visible]
        # Objects of one kind in draw order, and the picture of those without tiles
        self._runs: list[tuple[NDArray[np.int32], ShapePicture | None]] = []
        for tiles, some in groupby(shown, lambda number: bool(layer.objects[number].gid)):
            run = np.array(list(some), np.int32)
            picture = None if tiles else ShapePicture(context, tile_map, layer, run)
            self._runs.append((run, picture))
        self._uniforms = context.buffer(reserve=RECORD.itemsize)
        self._record = np.zeros((), RECORD)
        self._quads = Records(context, INSTANCE)
        self._shown: tuple[Look, bool] | None = None
        self._parts: list[np.ndarray | ShapePicture] = []  # in view; quads, or a picture
        self._uploaded: np.ndarray | None = None  # the part that is in the buffer

    def draw(self, look: Look) -> None:
        """Draw the objects in view; the tables must be bound."""
        asked = look, self.only_art
        if asked != self._shown:
            self._prepare(look)
            self._shown = asked
        for part in self._parts:
            if isinstance(part, ShapePicture):
                part.draw(look)
                continue
            self._uniforms.bind_to_uniform_block(GRID_BLOCK)
            if part is not self._uploaded:
                self._quads.write(part)
                self._uploaded = part
            self._quads.render(self._programs.objects(*look.variant))

    def _prepare(self, look: Look) -> None:
        (dx, dy), screen = look.shift, look.screen
        asked = self._layer.query(look.view.shifted(-dx, -dy))
        if self.only_art:
            asked = asked[self._is_art[asked]]
        middle_x, middle_y = (floor(axis) for axis in screen.world(0.0, 0.0))
        self._parts = []
        for run, picture in self._runs:
            if picture is not None:
                some = run[self._is_art[run]] if self.only_art else run
                if len(some) and picture.prepare(look, some):
                    self._parts.append(picture)
            elif len(held := run[np.isin(run, asked, assume_unique=True)]):
                quads = self._instances[held]
                middle = middle_x - dx, middle_y - dy
                quads["center"] = (self._centers[held] - middle) * (1, -1)
                self._parts.append(quads)
        write_view(self._record, screen, middle_x, middle_y)
        self._record["tint"] = look.tint
        self._record["look"] = log2(1 / screen.zoom) - SHARPNESS, 1, look.form, 0
        self._uniforms.write(self._record.tobytes())

    def _measure(self, tile_map: TileMap) -> tuple[np.ndarray, NDArray[np.float64]]:
        """Return the records of all objects, and their centers in the world."""
        hexagonal = tile_map.orientation == "hexagonal"
        records = np.zeros(len(self._layer), INSTANCE)
        centers = np.zeros((len(self._layer), 2))
        for number, item in enumerate(self._layer.objects):
            if not item.gid:
                continue
            corners = item.points  # the corners of the turned image: top left, top right, ...
            width, height = (float(np.hypot(*(corners[i] - corners[0]))) for i in (1, 3))
            flips, turn = flips_and_turn(item.flags, hexagonal)
            angle = radians(turn + item.rotation)
            kind, shrunk = self._programs.kinds.of_object(item.gid, width, height)
            way = cos(angle), sin(angle), flips, shrunk
            records[number] = (0, 0), (width, height), way, kind, item.opacity
            centers[number] = corners.mean(axis=0)
        return records, centers
