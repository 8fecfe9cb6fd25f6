"""Draw the tiles of a layer: each tile is a quad of its own, or each pixel looks up its cell.

Looking up costs what the screen costs, however many tiles are in view, so it is used where tiles
are small on the screen. Large tiles are few, and a pixel of a quad costs less.
"""

from __future__ import annotations

from math import ceil, floor, log2, sqrt
from typing import NamedTuple

import numpy as np
from arcade import ArcadeContext
from arcade.gl import Program
from numpy.typing import ArrayLike, NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arcade.grid_cells import GridCells
from tilequad.draw.arcade.grid_shaders import (
    GRID_BLOCK,
    GRID_FRAGMENT,
    GRID_PLACES,
    GRID_VERTEX,
    OBJECT_VERTEX,
    QUAD_FRAGMENT,
    QUAD_VERTEX,
)
from tilequad.draw.arcade.screen import Screen
from tilequad.draw.arcade.shaders import TIE, Records, draw_quad, program_of
from tilequad.draw.arcade.tile_kinds import LEVELS, SHARPNESS, TileKinds
from tilequad.tiled import TileLayer, TileMap
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["RECORD", "GridPrograms", "Look", "TileGrid", "write_view"]

RECORD = np.dtype(
    [(name, np.float32, 4) for name in (
        "to_clip", "clip_base", "from_clip", "from_clip_y", "area", "to_point", "to_lattice",
        "reach", "tint", "look",
    )]
    + [(name, np.int32, 4) for name in ("base", "places", "sense")]
    + [(name, np.float32, 4) for name in ("one", "one_copy")]
)  # fmt: skip

SLOT = np.dtype([("slot", np.int32)])  # of a tile that is drawn as a quad

MOST_TRIES = 64  # the most cells that a pixel may look up
QUADS_FROM = 15.5  # pixels; tiles as large as this on the screen are quads
SMOOTH_BELOW = 0.999  # from this zoom on, each texel is shown as it is
QUAD = 30  # to draw a small tile as a quad takes about what it takes to look up so many cells


class GridPrograms:
    """The shaders and the tables that all layers of a map share, and where they are drawn."""

    def __init__(self, context: ArcadeContext, tile_map: TileMap) -> None:
        self.context = context
        self.tile_map = tile_map
        self.kinds = TileKinds(context, tile_map)

    def grid(self, *variant: str) -> Program:
        """Return the shader that looks up cells, with names of GRID_FRAGMENT defined."""
        return program_of(self.context, GRID_VERTEX, GRID_FRAGMENT, variant, GRID_PLACES)

    def quads(self, *variant: str) -> Program:
        """Return the shader that draws tiles as quads, with names of QUAD_FRAGMENT defined."""
        return program_of(self.context, QUAD_VERTEX, QUAD_FRAGMENT, variant, GRID_PLACES)

    def objects(self, *variant: str) -> Program:
        """Return the shader for tile objects."""
        return program_of(self.context, OBJECT_VERTEX, QUAD_FRAGMENT, variant, GRID_PLACES)


class Look(NamedTuple):
    """The look of a layer."""

    screen: Screen
    view: Bounds  #: the part to draw, in world units
    shift: tuple[float, float]  #: the shift by parallax
    tint: tuple[float, float, float, float]
    form: int  #: the source form that the blend function expects, see `form_and_function`

    @property
    def variant(self) -> tuple[str, ...]:
        """PLAIN if colors are shown as they are."""
        return ("PLAIN",) if self.form == 0 and self.tint[:3] == (1.0, 1.0, 1.0) else ()


class TileGrid:
    """The tiles of one layer on the GPU.

    Attributes:
        cell_side: The side of a square as large as a cell, in pixels of the map.
        drawn: The number of tiles that the last `draw` showed.
        by_cells: Whether it looked up the cell of each pixel; else each tile was a quad.
    """

    def __init__(self, programs: GridPrograms, layer: TileLayer, cells: GridCells) -> None:
        context = programs.context
        self._layer = layer
        self._programs = programs
        self._height = programs.tile_map.axes.height
        self.cells = cells
        self._set_lattice()
        self.drawn = 0
        self._record = np.zeros((), RECORD)
        self._uniforms = context.buffer(reserve=RECORD.itemsize)
        self._quads = Records(context, SLOT)
        self._shown: tuple[object, ...] = ()  # the tiles that the buffers hold
        self.by_cells = False
        self._program: Program | None = None
        self._measured = -1  # the revision of the cells when they were measured
        self._reach: tuple[list[float], list[float]] = [0.0, 0.0], [0.0, 0.0]
        self._copies: list[float] | None = None

    def draw(self, look: Look, ids: ArrayLike | None = None) -> None:
        """Draw the tiles in view, or in their order those with the ids; the tables must be bound.

        If nothing changed since the last call, nothing is queried and nothing uploaded.
        """
        wanted = look, self.cells.revision
        if ids is not None or wanted != self._shown:
            self._prepare(look, ids)
            self._shown = wanted if ids is None else ()
        if not self.drawn or self._program is None:
            return
        self._uniforms.bind_to_uniform_block(GRID_BLOCK)
        self.cells.use()
        if self.by_cells:
            draw_quad(self._programs.context, self._program)
        else:
            self.cells.use_blocks()
            self._quads.render(self._program)

    def looks_up(self, look: Look) -> bool:
        """Return whether the tiles are drawn by looking up cells, and not each as a quad."""
        return self._choose(look, self.cell_side * look.screen.zoom) is not None

    def few(self, look: Look) -> NDArray[np.int32] | None:
        """Return the ids in view if their quads take less than to look up cells; else None."""
        if not self.looks_up(look) or self.tries == 1:
            return None
        seen = look.view.shifted(-look.shift[0], -look.shift[1])
        lookups = look.screen.width * look.screen.height * self.tries
        return self._layer.query(seen) if self._layer.count(seen) * QUAD < lookups else None

    @property
    def tries(self) -> int:
        """How many cells each pixel may have to look up, as far as the last draw knew."""
        low, high = self._reach
        steps, lines = (ceil(b - a - 1e-9) for a, b in zip(low, high, strict=True))
        return max(steps * lines, 1)

    def _prepare(self, look: Look, ids: ArrayLike | None) -> None:
        dx, dy = look.shift
        seen = look.view.shifted(-dx, -dy)
        side = self.cell_side * look.screen.zoom
        program = self._choose(look, side) if ids is None else None
        self.by_cells = program is not None
        self._program = program or self._programs.quads(*look.variant)
        if not self.by_cells:
            ids = self._layer.query(seen) if ids is None else ids
            slots = self.cells.slots(ids)
            self.drawn = len(slots)
            if self.drawn:
                self._quads.write(slots)
        else:
            self.drawn = self._layer.count(seen)
        if self.drawn:
            self._write(look)

    def _choose(self, look: Look, side: float) -> Program | None:
        """Return the program that looks up cells, or None to draw each tile as a quad."""
        if self.cells.directory is None or self._lattice_area == 0:
            return None
        if side >= QUADS_FROM:
            return None
        if self._measured != self.cells.revision:
            self._measure()
        if self._copies is not None:
            near = [] if look.screen.zoom < SMOOTH_BELOW else ["NEAR"]
            return self._programs.grid(*look.variant, "ONE", *near)
        if self.tries > MOST_TRIES * (2 if self._mode else 1):
            return None
        # overlapping tiles must be blended one by one
        return None if look.form and side >= 4 else self._programs.grid(*look.variant)

    def _measure(self) -> None:
        """Work out the reach of all tiles around their anchors, and whether each fills its cell."""
        self._measured = self.cells.revision
        left, top, right, bottom = self.cells.reach.tolist()
        corners = np.array([(x, y) for x in (left, right) for y in (top, bottom)])
        around = corners @ self._to_lattice.T
        self._reach = around.min(axis=0).tolist(), around.max(axis=0).tolist()
        kinds = self._programs.kinds
        boxes, copies = kinds.boxes[self.cells.numbers], kinds.copies(self.cells.numbers)
        to_point = self._to_point
        size = abs(to_point[0, 0]), abs(to_point[1, 1])
        fills = (
            self._mode == 0
            and self._sense == (1, 1)
            and to_point[0, 1] == to_point[1, 0] == 0
            and len(boxes)
            and (boxes == boxes[0]).all()
            and (boxes[0, 2] - boxes[0, 0], boxes[0, 3] - boxes[0, 1]) == size
            and (copies == copies[0]).all()
        )
        self._copies = copies[0].tolist() if fills else None

    def _set_lattice(self) -> None:
        """Work out where the anchor of each step and line is."""
        places = places_of(self._layer)
        grid, order = places.grid, places.tiles.order
        lattice = grid.lattice
        if lattice is not None:
            self._to_point = np.array([[lattice.dx, 0.0], [0.0, lattice.dy]])
            start = np.array([lattice.left, lattice.top])
        else:  # an oblique map
            one = np.array([0, 1, 0], np.int32), np.array([0, 0, 1], np.int32)
            anchors = grid.anchors(*one)
            start = anchors[0]
            self._to_point = np.stack((anchors[1] - start, anchors[2] - start), axis=1)
        shift = np.array(grid.shift_of(places.origin), float)
        self._start = start + self._to_point @ shift
        self._mode = 1 if order.diagonal else {"rows": 2, "columns": 3}.get(order.stagger, 0)
        self._sense = -1 if order.leftwards else 1, -1 if order.upwards else 1
        self._even = int(order.shift_even)
        self._lattice_area = abs(float(np.linalg.det(self._to_point)))
        self.cell_side = sqrt(self._lattice_area * (2 if self._mode else 1)) or 1.0
        if self._lattice_area:
            self._to_lattice = np.linalg.inv(self._to_point)
        else:  # the cells of an oblique map may all lie on a line
            self._to_lattice = np.zeros((2, 2))

    def _write(self, look: Look) -> None:
        """Fill in the record and upload it."""
        record, screen, start = self._record, look.screen, self._start
        # the point (x, y) of the map lies at (left + x, top - y) in the world
        left = self._layer.offset[0] + look.shift[0]
        top = self._height - self._layer.offset[1] + look.shift[1]
        x, y = screen.world(0.0, 0.0)
        middle = np.array((x - left, top - y))
        base = np.floor(self._to_lattice @ (middle - start)).clip(-(1 << 30), 1 << 30)
        base_x, base_y = (start + self._to_point @ base).tolist()
        write_view(record, screen, left + base_x, top - base_y)
        detail = log2(1 / screen.zoom) - SHARPNESS
        level = 0
        if self.by_cells:
            record["area"] = self._area(look, left, top)
            record["reach"] = *self._reach[0], *self._reach[1]
            record["places"] = self.cells.directory
            if self._copies is not None:
                level = min(max(floor(detail + self._copies[0] + 0.5), 0), LEVELS - 1)
                width, height = self._copies[1 + 2 * level : 3 + 2 * level]
                side = self._programs.kinds.sheet.side
                record["one_copy"] = width, height, 1 / side, 1 / side
                record["one"][:2] = record["from_clip_y"][2:] * np.diag(self._to_lattice)
        record["to_point"] = self._to_point.T.reshape(-1)
        record["to_lattice"] = self._to_lattice.T.reshape(-1)
        record["tint"] = look.tint
        record["look"] = detail, 0, look.form, 0
        record["base"] = int(base[0]), int(base[1]), self._mode, self._even
        record["sense"] = *self._sense, level, 0
        self._uniforms.write(record.tobytes())

    def _area(self, look: Look, left: float, top: float) -> tuple[float, float, float, float]:
        """Return the part of the screen that tiles in view may touch, in clip coordinates."""
        box = self.cells.box
        reach = float(np.abs(self.cells.reach).max())
        min_x, min_y, max_x, max_y = look.view
        around = Bounds(
            max(left + box.min_x, min_x - reach),
            max(top - box.max_y, min_y - reach),
            min(left + box.max_x, max_x + reach),
            min(top - box.min_y, max_y + reach),
        )
        if around.min_x > around.max_x or around.min_y > around.max_y:
            return 1.0, 1.0, -1.0, -1.0
        area = look.screen.clip(around)
        edge_x, edge_y = 4 / look.screen.width, 4 / look.screen.height
        return (
            max(area[0] - edge_x, -1.0),
            max(area[1] - edge_y, -1.0),
            min(area[2] + edge_x, 1.0),
            min(area[3] + edge_y, 1.0),
        )


def write_view(record: np.ndarray, screen: Screen, zero_x: float, zero_y: float) -> None:
    """Fill in how points lie on the screen, where (0, 0) is this point of the world."""
    a, b, c, d, e, f, width, height = screen
    determinant = c * b - a * d  # of the transform from points, y down, to clip coordinates
    unit = -d / determinant, -b / determinant, c / determinant, a / determinant
    x, y = a * zero_x + c * zero_y + e, b * zero_x + d * zero_y + f
    record["to_clip"] = a, b, -c, -d
    record["clip_base"] = x, y, width, height
    middle = -unit[0] * x - unit[2] * y, -unit[1] * x - unit[3] * y
    record["from_clip"] = *middle, unit[0], unit[1]
    tie_x, tie_y = 2 * TIE / width, -2 * TIE / height
    tie = unit[0] * tie_x + unit[2] * tie_y, unit[1] * tie_x + unit[3] * tie_y
    record["from_clip_y"] = unit[2], unit[3], *tie
