"""Draw an object layer: tile objects as quads, shapes and texts as pictures that Pillow draws."""

from __future__ import annotations

from itertools import groupby
from math import cos, floor, log2, radians, sin

import numpy as np
from arcade import ArcadeContext
from numpy.typing import ArrayLike, NDArray

from tilequad.draw.arcade.grid_shaders import GRID_BLOCK
from tilequad.draw.arcade.shaders import instances
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
        drawn: The number of objects that the last `draw` showed.
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
        self.drawn = 0
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
        self._is_tile = np.array([bool(item.gid) for item in layer.objects], bool)
        self._is_art = np.array([is_drawn(item, "art") for item in layer.objects], bool)
        self._is_shown = np.array([item.visible for item in layer.objects], bool)
        numbers = np.flatnonzero(self._is_shown).tolist()
        #: objects of one kind in draw order: (whether they are tiles, their numbers)
        self._runs = [
            (tiles, np.array(list(run), np.int32))
            for tiles, run in groupby(numbers, lambda number: bool(self._is_tile[number]))
        ]
        self._pictures = {
            number: ShapePicture(context, tile_map, layer, run)
            for number, (tiles, run) in enumerate(self._runs)
            if not tiles
        }
        self._uniforms = context.buffer(reserve=RECORD.itemsize)
        self._record = np.zeros((), RECORD)
        self._buffer = context.buffer(reserve=INSTANCE.itemsize, usage="stream")
        self._geometry = context.geometry(
            [instances(self._buffer, INSTANCE)], mode=context.TRIANGLE_STRIP
        )
        self._shown: tuple[Look, bool] | None = None
        self._visible = self._instances[:0]
        self._uploaded = -1, -1  # the first quad in the buffer, and the end
        # For each part: the number of its run, its first quad, and its end
        self._parts: list[tuple[int, int, int]] = []

    def draw(self, look: Look, ids: ArrayLike | None = None) -> None:
        """Draw the objects in view, or only those with the ids; the tables must be bound."""
        asked = look, self.only_art
        if ids is not None or asked != self._shown:
            self._prepare(look, ids)
            self._shown = asked if ids is None else None
        for run, first, end in self._parts:
            if run in self._pictures:
                self._pictures[run].draw(look)
            else:
                self._uniforms.bind_to_uniform_block(GRID_BLOCK)
                self._upload(first, end)
                self._geometry.render(
                    self._programs.objects(*look.variant), vertices=4, instances=end - first
                )

    def _upload(self, first: int, end: int) -> None:
        """Upload the quads of one run, unless the buffer holds them."""
        if self._uploaded != (first, end):
            part = self._visible[first:end]
            self._buffer.orphan(size=part.nbytes)
            self._buffer.write(part.tobytes())
            self._uploaded = first, end

    def _prepare(self, look: Look, ids: ArrayLike | None) -> None:
        dx, dy = look.shift
        seen = look.view.shifted(-dx, -dy)
        asked = self._layer.query(seen)
        self.drawn = len(asked)
        if ids is not None:
            wanted = np.asarray(ids, np.int32)
            chosen = np.zeros(len(self._layer), bool)
            chosen[wanted] = True
            asked = np.flatnonzero(chosen).astype(np.int32)
            self.drawn = len(wanted)
        if self.only_art:
            asked = asked[self._is_art[asked]]
            self.drawn = len(asked)
        screen = look.screen
        middle_x, middle_y = (floor(axis) for axis in screen.world(0.0, 0.0))
        visible, parts, count = [], [], 0
        for number, (tiles, run) in enumerate(self._runs):
            held = run[np.isin(run, asked, assume_unique=True)]
            if tiles:
                if len(held):
                    visible.append(held)
                    parts.append((number, count, count + len(held)))
                    count += len(held)
            else:
                picture, some = self._pictures[number], None
                if ids is not None:
                    some = held
                elif self.only_art:
                    some = run[self._is_art[run]]
                if (some is None or len(some)) and picture.prepare(look, some):
                    parts.append((number, 0, 0))
        self._parts = parts
        self._uploaded = -1, -1
        numbers = np.concatenate(visible) if visible else np.empty(0, np.int32)
        self._visible = self._instances[numbers]
        self._visible["center"] = (self._centers[numbers] - (middle_x - dx, middle_y - dy)) * (
            1,
            -1,
        )
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
            records[number] = (
                (0, 0),
                (width, height),
                (cos(angle), sin(angle), flips, shrunk),
                kind,
                item.opacity,
            )
            centers[number] = corners.mean(axis=0)
        return records, centers
