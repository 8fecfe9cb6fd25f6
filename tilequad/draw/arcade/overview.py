"""A layer seen from far away: pages of a small picture of it, made when they are first in view.

Where a tile is about a pixel or smaller, single tiles are no longer looked up. A page is a square
texture; a page of the next level shows four times as much of the world, from four pages of the
level below. So a view of any size takes a few pages, and the picture does not shimmer.

A page from far away needs hundreds of the lowest pages. So a frame makes few, and the next frames
go on; until then cells are looked up once and copied, or the pages are drawn that are there. Where
tiles change faster than pages are made, old pages are shown. Frames that have time make the pages
around the screen, so that a camera that moves finds them there.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log2

import numpy as np
from arcade import ArcadeContext
from arcade.gl import Framebuffer, Program, Texture2D, enums
from numpy.typing import NDArray

from tilequad.bounds import Bounds
from tilequad.draw.arcade.grid_cells import SQUARE, GridCells, squares_around
from tilequad.draw.arcade.screen import Screen
from tilequad.draw.arcade.scrolled_picture import WHOLE, Clip
from tilequad.draw.arcade.shaders import (
    PLACED_VERTEX,
    blending,
    draw_quad,
    program_of,
    target_of,
)
from tilequad.draw.arcade.tile_grid import GridPrograms, Look, TileGrid
from tilequad.tiled import TileLayer
from tilequad.tiled.model.tile_layer import places_of

__all__ = ["FAR", "Overview", "PageMaker"]

FAR = 1.25  # pixels; tiles smaller than this are seen through the overview
SIDE = 128  # the side of a page, in texels
CELLS = 0.75  # side of a texel of level 0, in cells
DIRECT = 1  # the highest level whose pages are drawn from tiles, and not from pages
MOST_PAGES = 1024  # the most pages kept on the GPU, 64 KiB each
HIGHEST = 24  # level
# What a frame may do for the pages of a map, where a page full of tiles takes 1, and as many times
# more as each of its pixels may have to look up cells.
WORK = 4
COPY = 0.25  # what a page from other pages takes
QUADS = 1000  # tiles as quads that take 1, too
FEW = 64  # changed cells that are followed one by one, and not in squares

Page = tuple[int, int, int]  # level, column, row
Box = tuple[float, float, float, float]  # left, bottom, right, top

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


class PageMaker:
    """What the overviews of all layers of a map share, and how much they may do in a frame.

    Attributes:
        left: What may still be done in this frame; a page may be begun while anything is left.
        unfinished: Whether a page was missing or out of date at the end of a layer of this frame.
    """

    def __init__(self, context: ArcadeContext) -> None:
        self._context = context
        self._large: Framebuffer | None = None
        self.begin()

    def begin(self, share: float = 1.0) -> None:
        """Begin a frame that may do a share of the usual work."""
        self.left, self.unfinished = share * WORK, False

    def program(self, *variant: str) -> Program:
        """Return the shader that draws pages, with names of FRAGMENT defined."""
        return program_of(self._context, PLACED_VERTEX, FRAGMENT, variant)

    def page(self) -> Texture2D:
        """Return a clear page, and draw into it from now on."""
        return self._begun(self._target(SIDE))

    def draft(self) -> Texture2D:
        """Return the clear picture of twice the size of a page, and draw into it from now on."""
        if self._large is None:
            self._large = self._target(2 * SIDE)
        return self._begun(self._large)

    def copy(self, texture: Texture2D, corner: tuple[float, float], length: float) -> None:
        """Copy a picture to a corner, with sides of a length, both in clip coordinates."""
        program = self.program("PLAIN")
        program["corner"] = *corner, 0, 0
        program["sides"] = length, 0, 0, length
        program["tint"] = 1.0, 1.0, 1.0, 1.0
        texture.use(0)
        draw_quad(self._context, program)

    def _target(self, side: int) -> Framebuffer:
        return target_of(self._context, (side, side), smooth=True, clamped=True)

    def _begun(self, target: Framebuffer) -> Texture2D:
        target.use()
        target.clear()
        return target.color_attachments[0]


class Overview:
    """The pages of one layer.

    Attributes:
        renewed: How many pages were made again because their tiles had changed.
    """

    def __init__(
        self, programs: GridPrograms, layer: TileLayer, maker: PageMaker, cells: GridCells
    ) -> None:
        self._context = programs.context
        self._layer = layer
        self._height = programs.tile_map.axes.height
        self._maker = maker
        self._cells = cells
        self._grid = TileGrid(programs, layer, cells)
        self._texel = CELLS * self._grid.cell_side
        self._pages: dict[Page, Texture2D] = {}  # the least recently used first
        self.renewed = 0
        self._stale: set[Page] = set()  # pages that show what has changed since
        self._surrounded: tuple[int, ...] = ()  # the level and the box around which all are there
        self._held: list[set[tuple[int, int]]] = []  # places of pages with tiles, by level
        self._changed: set[int] = set()
        layer.observe(self)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        """Remember which cells have changed."""
        self._changed.update(ids.tolist())

    @property
    def nbytes(self) -> int:
        """The memory of the pages on the GPU, in bytes."""
        return len(self._pages) * SIDE * SIDE * 4

    def draw(self, look: Look, clip: Clip, partly: bool) -> bool:
        """Draw the pages in view, and return whether all are there; the tables must be bound.

        Args:
            look: How to draw them.
            clip: The part of the screen that is not cut away, in clip coordinates.
            partly: Whether to draw those that are there, even if others are missing.
        """
        wanted = self._make_seen(look, clip)
        ready = [page for page in wanted if page in self._pages]
        complete = len(ready) == len(wanted)
        if ready and (complete or partly):
            self._show(ready, look)
        if len(self._pages) > MOST_PAGES:
            self._forget_some(look)
        return complete

    def prepare(self, look: Look) -> bool:
        """Make the pages in view as far as this frame allows, and return whether all are there.

        The tables must be bound.
        """
        self._follow()
        level = self._level(look)
        if self._surrounded == (level, *map(floor, self._box(look, WHOLE, level))):
            return True
        return all(page in self._pages for page in self._make_seen(look, WHOLE))

    def _make_seen(self, look: Look, clip: Clip) -> list[Page]:
        """Make the pages in view as far as this frame allows, and return them, there or not."""
        self._follow()
        level = self._level(look)
        wanted = [(level, *place) for place in self._in_view(self._box(look, clip, level), level)]
        due = [page for page in wanted if not self._is_fresh(page)]
        if due and not self._make_all(due):
            self._maker.unfinished = True
        return wanted

    def look_ahead(self, look: Look) -> None:
        """Make pages around the view, the nearest first, in half of a frame that has time."""
        level = self._level(look)
        box = self._box(look, WHOLE, level)
        around = level, *map(floor, box)
        if self._maker.left <= WORK / 2 or self._maker.unfinished or around == self._surrounded:
            return
        left, bottom, right, top = box
        wide = left - 1, bottom - 1, right + 1, top + 1
        missing = [
            (max(left - x - 1, x - right, bottom - y - 1, y - top), (level, x, y))
            for x, y in self._in_view(wide, level)
            if not self._is_fresh((level, x, y))
        ]
        self._maker.left -= WORK / 2
        if not missing or self._make_all(page for _, page in sorted(missing)):
            self._surrounded = around
        self._maker.left += WORK / 2

    def _level(self, look: Look) -> int:
        """Return the level whose texels are about as large as pixels."""
        level = floor(log2(1 / (look.screen.zoom * self._texel)) + 0.25)
        return min(max(level, 0), HIGHEST)

    def _box(self, look: Look, clip: Clip, level: int) -> Box:
        """Return the part of the world in view, counted in pages of a level."""
        dx, dy = look.shift
        side = self._page_side(level)
        seen = look.screen.box(clip).shifted(-dx, -dy)
        own = look.view.shifted(-dx, -dy)
        low = max(seen.min_x, own.min_x) / side, max(seen.min_y, own.min_y) / side
        return (*low, min(seen.max_x, own.max_x) / side, min(seen.max_y, own.max_y) / side)

    def _in_view(self, box: Box, level: int) -> list[tuple[int, int]]:
        """Return the places of the pages of a level that hold tiles in view."""
        left, bottom, right, top = map(floor, box)
        columns, rows, held = range(left, right + 1), range(bottom, top + 1), self._held[level]
        if len(columns) * len(rows) > len(held):
            return [(column, row) for column, row in held if column in columns and row in rows]
        return [(column, row) for row in rows for column in columns if (column, row) in held]

    def _show(self, pages: list[Page], look: Look) -> None:
        """Draw pages of one level."""
        program = self._maker.program(*look.variant)
        program["tint"] = look.tint
        if look.variant:
            before = self._context.blend_func
            self._context.blend_func = MULTIPLIED
        else:
            program["form"] = look.form
        a, b, c, d, e, f, _, _ = look.screen
        for page in pages:
            level, column, row = page
            side = self._page_side(level)
            x, y = column * side + look.shift[0], row * side + look.shift[1]
            program["corner"] = a * x + c * y + e, b * x + d * y + f, 0, 0
            program["sides"] = a * side, b * side, c * side, d * side
            self._pages[page] = self._pages.pop(page)  # most recently used
            self._pages[page].use(0)
            draw_quad(self._context, program)
        if look.variant:
            self._context.blend_func = before

    def _forget_some(self, look: Look) -> None:
        """Forget the pages that were not drawn for longest; keep more for a large screen."""
        level = self._level(look)
        seen = self._in_view(self._box(look, WHOLE, level), level)
        while len(self._pages) > max(MOST_PAGES, 2 * len(seen)):
            oldest = next(iter(self._pages))
            del self._pages[oldest]
            self._stale.discard(oldest)
            self._surrounded = ()

    def _page_side(self, level: int) -> float:
        return self._texel * SIDE * 2.0**level

    # -- making pages --

    def _make_all(self, pages: Iterable[Page]) -> bool:
        """Make pages until one has to wait for the next frame; return whether all are there."""
        target = self._context.active_framebuffer
        with blending(self._context, REPLACED):
            made = all(self._make(page) for page in pages)
        target.use(force=True)
        return made

    def _is_fresh(self, page: Page) -> bool:
        """Return whether a page is there and up to date."""
        return page in self._pages and page not in self._stale

    def _make(self, page: Page) -> bool:
        """Draw a page, and the lower pages that it needs, as far as this frame allows.

        Return whether it is there and up to date.
        """
        level, column, row = page
        if self._maker.left <= 0:
            return False
        if level <= DIRECT:
            texture = self._draw_tiles(page)
        else:
            children = [
                (level - 1, x, y)
                for y in (2 * row, 2 * row + 1)
                for x in (2 * column, 2 * column + 1)
                if (x, y) in self._held[level - 1]
            ]
            for child in children:
                if not self._is_fresh(child) and not self._make(child):
                    return False
            self._maker.left -= COPY
            texture = self._maker.page()
            for child in children:
                corner = child[1] - 2 * column - 1.0, child[2] - 2 * row - 1.0
                self._maker.copy(self._pages[child], corner, 1.0)
        self._pages.pop(page, None)
        self._pages[page] = texture
        self.renewed += page in self._stale
        self._stale.discard(page)
        return True

    def _draw_tiles(self, page: Page) -> Texture2D:
        """Draw a page of a low level, at twice its size first."""
        level, column, row = page
        side = self._page_side(level)
        box = Bounds(column * side, row * side, (column + 1) * side, (row + 1) * side)
        large = self._maker.draft()
        screen = Screen.around(box, 2 * SIDE, 2 * SIDE)
        look = Look(screen, box, (0.0, 0.0), (1.0, 1.0, 1.0, 1.0), 0)
        with blending(self._context):
            self._grid.draw(look, self._grid.few(look))
        count = self._layer.count(box)
        filled = count / (SIDE * CELLS * 2**level) ** 2
        self._maker.left -= COPY + min(filled * self._grid.tries, count / QUADS)
        texture = self._maker.page()
        self._maker.copy(large, (-1.0, -1.0), 2.0)
        return texture

    # -- which pages hold tiles --

    def _follow(self) -> None:
        """Find the pages that hold tiles on the first call; later note which pages have changed."""
        if not self._held:
            self._changed.clear()
            self._held = [set() for _ in range(HIGHEST + 1)]
            self._enter(*self._cells.squares(), SQUARE)
        elif self._changed:
            ids = np.array(sorted(self._changed), np.int32)
            cells, side = places_of(self._layer).tiles.ids.cells(ids), 1
            if len(ids) > FEW:
                cells, side = squares_around(*cells), SQUARE
            self._surrounded = ()
            for column, row in self._enter(*cells, side):
                pages = ((level, column >> level, row >> level) for level in range(HIGHEST + 1))
                self._stale.update(page for page in pages if page in self._pages)
            self._changed.clear()

    def _enter(
        self, columns: NDArray[np.int32], rows: NDArray[np.int32], cells: int
    ) -> set[tuple[int, int]]:
        """Enter the pages that squares of cells may touch, and return those of level 0.

        Given are the first column and row of each square, and the side of all, in cells.
        """
        cells_of, side, more = places_of(self._layer), self._page_side(0), cells - 1
        corners = np.stack(
            [cells_of.anchors(columns + x, rows + y) for x in (0, more) for y in (0, more)]
        )
        lattice = cells_of.grid.lattice
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
        places = found
        for held in self._held:
            held |= places
            places = {(column >> 1, row >> 1) for column, row in places}
        return found
