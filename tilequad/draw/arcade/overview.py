"""A layer seen from far away: pages of a small picture of it, made when they are first in view.

Where a tile is about a pixel or smaller, single tiles are no longer looked up. A page is a square
texture; a page of the next level shows four times as much of the world, from four pages of the
level below. So a view of any size takes a few pages, and the picture does not shimmer.
"""

from __future__ import annotations

from math import floor, log2

import numpy as np
from arcade import ArcadeContext
from arcade.gl import Framebuffer, Program, Texture2D, enums
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arcade.blending import blending
from tilequad.draw.arcade.screen import Screen
from tilequad.draw.arcade.shaders import PLACED_VERTEX
from tilequad.draw.arcade.shape_picture import around_screen
from tilequad.draw.arcade.tile_grid import GridPrograms, Look, TileGrid
from tilequad.tiled import TileLayer, TileMap
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["ALL", "FAR", "Overview"]

FAR = 1.25  # pixels; tiles smaller than this are seen through the overview
SIDE = 256  # the side of a page, in texels
CELLS = 0.75  # side of a texel of level 0, in cells
DIRECT = 1  # the highest level whose pages are drawn from tiles, and not from pages
MOST_PAGES = 256  # the most pages kept on the GPU, a quarter of a MiB each
ALL = MOST_PAGES  # pages to make in a frame
HIGHEST = 24  # level

Page = tuple[int, int, int]  # level, column, row

# Pages hold colors times alpha. PLAIN: shown, or copied, as they are.
FRAGMENT = """#version 330
uniform sampler2D page;
uniform vec4 tint;
uniform int form;
in vec2 v_uv;
out vec4 f_color;

void main() {
    vec4 color = texture(page, v_uv);
#ifdef PLAIN
    f_color = color * tint.a;
#else
    if (tint.rgb != vec3(1.0)) color.rgb += 1.0 - color.a;
    else color.rgb /= max(color.a, 1e-6);
    color *= tint;
    if (form == 1) color.rgb *= color.a;
    if (form == 2) color.rgb = mix(vec3(1.0), color.rgb, color.a);
    f_color = color;
#endif
}
"""
MULTIPLIED = enums.ONE, enums.ONE_MINUS_SRC_ALPHA
REPLACED = enums.ONE, enums.ZERO


class Overview:
    """The pages of one layer.

    Args:
        context: The arcade context to draw in.
        tile_map: The map of the layer.
        layer: The layer.
        programs: The shaders and tables shared by all layers.
        grid: Draws its tiles.
    """

    def __init__(
        self,
        context: ArcadeContext,
        tile_map: TileMap,
        layer: TileLayer,
        programs: GridPrograms,
        grid: TileGrid,
    ) -> None:
        self._context = context
        self._layer = layer
        self._height = tile_map.axes.height
        self._programs = programs
        self._cells = grid.cells
        self._grid = TileGrid(context, tile_map, layer, programs, grid.cells)
        self._texel = CELLS * grid.cell_side
        self._pages: dict[Page, Texture2D] = {}  # the least recently used first
        self._held: list[set[tuple[int, int]]] = []  # places of pages with tiles, by level
        self._changed: set[int] = set()
        plain = FRAGMENT.replace("#version 330\n", "#version 330\n#define PLAIN\n")
        self._plain = context.program(vertex_shader=PLACED_VERTEX, fragment_shader=plain)
        self._program = context.program(vertex_shader=PLACED_VERTEX, fragment_shader=FRAGMENT)
        self._quad = context.geometry(mode=context.TRIANGLE_STRIP)
        layer.observe(self)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember which cells have changed."""
        self._changed.update(ids.tolist())

    @property
    def nbytes(self) -> int:
        """The memory of the pages on the GPU, in bytes."""
        return len(self._pages) * SIDE * SIDE * 4

    def draw(self, look: Look, most: int) -> bool:
        """Draw the pages in view; the tables must be bound.

        Args:
            look: How to draw them.
            most: The most pages to make.

        Returns:
            False, and nothing is drawn, while more than these are missing.
        """
        self._follow()
        dx, dy = look.shift
        level = floor(log2(1 / (look.screen.zoom * self._texel)) + 0.25)
        level = min(max(level, 0), HIGHEST)
        side = self._page_side(level)
        seen, own = around_screen(look.screen).shifted(-dx, -dy), look.view.shifted(-dx, -dy)
        columns = range(
            floor(max(seen.min_x, own.min_x) / side), floor(min(seen.max_x, own.max_x) / side) + 1
        )
        rows = range(
            floor(max(seen.min_y, own.min_y) / side), floor(min(seen.max_y, own.max_y) / side) + 1
        )
        if len(columns) * len(rows) > len(self._held[level]):
            places = [
                (column, row)
                for column, row in self._held[level]
                if column in columns and row in rows
            ]
        else:
            places = [
                (column, row)
                for row in rows
                for column in columns
                if (column, row) in self._held[level]
            ]
        missing = [place for place in places if (level, *place) not in self._pages]
        if missing:
            target = self._context.active_framebuffer
            with blending(self._context, REPLACED):
                for column, row in missing[:most]:
                    self._make((level, column, row))
            target.use(force=True)
        if len(missing) > most:
            return False
        if not places:
            return True
        plain = bool(look.variant)
        program = self._plain if plain else self._program
        program["tint"] = look.tint
        if plain:
            before = self._context.blend_func
            self._context.blend_func = MULTIPLIED
        else:
            program["form"] = look.form
        for column, row in places:
            self._draw_page(program, (level, column, row), look, side)
        if plain:
            self._context.blend_func = before
        while len(self._pages) > max(MOST_PAGES, 2 * len(places)):
            del self._pages[next(iter(self._pages))]
        return True

    def _draw_page(self, program: Program, page: Page, look: Look, side: float) -> None:
        texture = self._pages.pop(page)
        self._pages[page] = texture  # most recently used
        _, column, row = page
        a, b, c, d, e, f, _, _ = look.screen
        x, y = column * side + look.shift[0], row * side + look.shift[1]
        program["corner"] = a * x + c * y + e, b * x + d * y + f, 0, 0
        program["sides"] = a * side, b * side, c * side, d * side
        texture.use(0)
        self._quad.render(program, vertices=4)

    def _page_side(self, level: int) -> float:
        return self._texel * SIDE * 2.0**level

    # -- making pages --

    def _make(self, page: Page) -> None:
        """Draw a page, and the lower pages that it needs."""
        level, column, row = page
        if level <= DIRECT:
            texture = self._draw_tiles(page)
        else:
            children = [
                (x, y)
                for y in (2 * row, 2 * row + 1)
                for x in (2 * column, 2 * column + 1)
                if (x, y) in self._held[level - 1]
            ]
            for x, y in children:
                if (level - 1, x, y) not in self._pages:
                    self._make((level - 1, x, y))
            texture, target = self._target(SIDE)
            target.use()
            target.clear()
            for x, y in children:
                self._copy(
                    self._pages[level - 1, x, y], (x - 2 * column - 1.0, y - 2 * row - 1.0), 1.0
                )
        self._pages[page] = texture

    def _draw_tiles(self, page: Page) -> Texture2D:
        """Draw a page of a low level, at twice its size first."""
        level, column, row = page
        side = self._page_side(level)
        box = Bounds(column * side, row * side, (column + 1) * side, (row + 1) * side)
        large, target = self._target(2 * SIDE)
        target.use()
        target.clear()
        screen = Screen.around(box, 2 * SIDE, 2 * SIDE)
        self._grid.draw(Look(screen, box, (0.0, 0.0), (1.0, 1.0, 1.0, 1.0), 1, several=False))
        texture, target = self._target(SIDE)
        target.use()
        target.clear()
        self._copy(large, (-1.0, -1.0), 2.0)
        return texture

    def _target(self, side: int) -> tuple[Texture2D, Framebuffer]:
        context = self._context
        texture = context.texture(
            (side, side),
            filter=(context.LINEAR, context.LINEAR),
            wrap_x=context.CLAMP_TO_EDGE,
            wrap_y=context.CLAMP_TO_EDGE,
        )
        return texture, context.framebuffer(color_attachments=[texture])

    def _copy(self, texture: Texture2D, corner: tuple[float, float], length: float) -> None:
        self._plain["corner"] = *corner, 0, 0
        self._plain["sides"] = length, 0, 0, length
        self._plain["tint"] = 1.0, 1.0, 1.0, 1.0
        texture.use(0)
        self._quad.render(self._plain, vertices=4)

    # -- which pages hold tiles --

    def _follow(self) -> None:
        """Find the pages that hold tiles on the first call; later drop pages that have changed."""
        if not self._held:
            self._changed.clear()
            self._held = [set() for _ in range(HIGHEST + 1)]
            _, columns, rows, _ = places_of(self._layer).tiles.held.blocks()
            self._add(columns, rows, 7)
        elif self._changed:
            ids = np.array(sorted(self._changed), np.int32)
            self._changed.clear()
            for column, row in self._add(*places_of(self._layer).tiles.ids.cells(ids), 0):
                for level in range(HIGHEST + 1):
                    self._pages.pop((level, column >> level, row >> level), None)

    def _add(
        self, columns: NDArray[np.int32], rows: NDArray[np.int32], more: int
    ) -> set[tuple[int, int]]:
        """Enter the pages that squares of cells may touch, and return those of level 0."""
        places, side = places_of(self._layer), self._page_side(0)
        corners = np.stack(
            [places.anchors(columns + x, rows + y) for x in (0, more) for y in (0, more)]
        )
        lattice = places.grid.lattice
        margin = (abs(lattice.dx), abs(lattice.dy)) if lattice is not None else (0.0, 0.0)
        reach, (x, y) = self._cells.reach, self._layer.offset
        low = corners.min(axis=0) + reach[:2] - margin + (x, y)
        high = corners.max(axis=0) + reach[2:] + margin + (x, y)
        first = np.stack((low[:, 0], self._height - high[:, 1]), axis=1)
        last = np.stack((high[:, 0], self._height - low[:, 1]), axis=1)
        ranges = np.floor(np.concatenate((first, last), axis=1) / side).astype(np.int64)
        found = {
            (column, row)
            for left, bottom, right, top in np.unique(ranges, axis=0).tolist()
            for column in range(left, right + 1)
            for row in range(bottom, top + 1)
        }
        for level in range(HIGHEST + 1):
            self._held[level] |= {(column >> level, row >> level) for column, row in found}
        return found
