"""The cells of a grid as all searches see them: where they lie, what they cost, where one may go.

Cells have four numbers:

    cell    row * columns + column: what a game sees, and what all public methods take
    place   (row + 2) * stride + column + 2, with a stride of columns + 4: where the kernels keep
            what they know of a cell. A border of two closed cells surrounds the grid, so that no
            search needs to check for edges.
    code    which of the different costs of the grid the cell has: 0 is closed
    traits  all of a cell in one number: see `traits`

Only this file turns cells into places and back. What `field_of_view` and `view_counts` call a place
is another thing: where a cell lies in its line.

A cell has up to eight neighbors, or six if it is a hexagon. Directions are numbered around the
cell; of eight, even ones lead across an edge and odd ones across a corner. In staggered and
hexagonal grids the neighbors of odd and even lines lie at other offsets. Half of a move lies in
each of its two cells, and costs what that cell costs.
"""

from __future__ import annotations

from math import fabs, floor
from typing import Annotated, Any
from weakref import WeakSet

import numpy as np

from tilequad._core import _cython as cython
from tilequad._core._cython import NoGil, Object
from tilequad._core.arrays import as_rows
from tilequad._core.buffers import IntBuffer, untouched_zeros
from tilequad._core.checks import check_point
from tilequad._core.turns import Turns
from tilequad._core.ways.layout import (
    BORDER,
    LATTICE,
    STAGGERED_COLUMNS,
    STAGGERED_ROWS,
    Axes,
    Spot,
)
from tilequad._core.ways.pieces import Pieces
from tilequad._core.ways.tables import moves_of, sets_of_moves
from tilequad._core.ways.traits import (
    LOOK_SHIFT,
    OPAQUE_TRAIT,
    WALK_SHIFT,
    kinds_from,
    traits_from,
)


@cython.final
@cython.cclass
class Ground:
    """The cells of a grid.

    Args:
        shape: Where they lie: a `Shape` of `tilequad.nav`.
        need: How many of the two cells beside a move across a corner must be open; 3 forbids such
            moves.
        costs: The different costs.
        traits: The traits of each cell, (rows, columns).
        pieces: The shapes that cells may hold; None if no cell ever holds one.
    """

    __slots__ = {
        "shape": "readonly object",
        "costs": "readonly object",
        "observers": "object",
        "sites": "public object",  # the buildings, once there are some: `Sites` of nav
        # What others follow: how many changes there were; how many cells they have changed, of
        # which the last are kept, as ~cell where only looks are concerned; and for a ground that is
        # made from another, how many of that one's it has followed.
        "revision": "readonly int",
        "changed": "readonly Py_ssize_t",
        "recent": "IntBuffer",
        "base": "Ground",
        "danger": "public object",  # what else changes costs: a `Danger` of nav, or None
        "followed": "public Py_ssize_t",
        "turns": "readonly object",  # whoever changes cells takes one
        "need": "readonly int",
        "columns": "readonly Py_ssize_t",
        "rows": "readonly Py_ssize_t",
        "stride": "Py_ssize_t",
        "kind": "readonly int",  # `LATTICE`, `STAGGERED_ROWS` or `STAGGERED_COLUMNS`
        "flip": "int",  # whether even lines are shifted instead of odd ones
        # Where a lattice lies.
        "axes": "Axes",
        # Where staggered lines lie: the first center along a line, half the distance between
        # centers on a line, the center of the first line, the distance between lines, and how much
        # of that distance slanted edges take.
        "start": "double",
        "half": "double",
        "first": "double",
        "apart": "double",
        "slant": "double",
        # By place: the code; whether looks pass, 0 or 1; and a bit for each legal move.
        "codes": "unsigned char[::1]",
        "clear": "unsigned char[::1]",
        "moves": "readonly unsigned char[::1]",
        # By place, if there are shapes: the kind of those that stop walkers, or looks; 0 if the
        # whole cell does, and -1 if nothing does.
        "pieces": "readonly Pieces",
        "shaped": "readonly bint",
        "walk_kinds": "int[::1]",
        "look_kinds": "int[::1]",
        # By direction: the offset of the neighbor, for even and for odd lines; the way back; the
        # step (x, y); and by code and direction the cost of half a move, in units of distance.
        "directions": "readonly Py_ssize_t",
        "edges": "int",  # a bit for each direction across an edge
        "offsets": "int[::1]",
        "opposites": "unsigned char[::1]",
        "backs": "unsigned char[::1]",
        "steps": "double[::1]",
        "halves": "long long[::1]",
        # By a set of directions, a bit for each: `legal` are the legal moves if only the cells in
        # these directions are open; `counts` is the size of the set, `orders` lists it.
        "legal": "unsigned char[::1]",
        "counts": "unsigned char[::1]",
        "orders": "unsigned char[::1]",
    }

    def __init__(
        self, shape: Any, need: int, costs: Any, traits: Any = 0, pieces: Pieces | None = None
    ) -> None:
        self.shape = shape
        self.costs = costs
        self.observers: Any = WeakSet()
        self.sites: Any = None
        self.revision = 0
        self.changed = 0
        self.recent = IntBuffer(16)
        self.base: Any = None
        self.danger: Any = None
        self.followed = 0
        self.turns: Any = Turns("change a grid while it changes")
        self.need = need
        self.columns, self.rows = shape.columns, shape.rows
        self.stride = self.columns + 2 * BORDER
        self.kind, self.flip = shape.kind, shape.flip
        self.set_frame(shape.frame.tolist())
        self.directions = shape.directions
        self.halves = costs.halves.reshape(-1).data
        self.set_tables()
        size = (self.rows + 2 * BORDER) * self.stride
        self.codes = np.zeros(size, np.uint8).data
        self.clear = np.zeros(size, np.uint8).data
        self.moves = np.zeros(size, np.uint8).data
        self.inner(self.codes)[:] = np.bitwise_and(traits, OPAQUE_TRAIT - 1)
        self.inner(self.clear)[:] = np.equal(np.bitwise_and(traits, OPAQUE_TRAIT), 0)
        self.pieces: Any = pieces
        self.shaped = pieces is not None
        if self.shaped:
            kinds = kinds_from(np.asarray(traits))
            self.walk_kinds = np.full(size, -1, np.int32).data
            self.look_kinds = np.full(size, -1, np.int32).data
            self.inner(self.walk_kinds)[:], self.inner(self.look_kinds)[:] = kinds
        self.find_moves()

    def __reduce__(self) -> tuple[Any, ...]:
        traits = self.cell_traits()
        state = (
            list(self.observers),
            self.sites,
            self.revision,
            self.changed,
            self.base,
            self.followed,
            self.danger,
        )
        return Ground, (self.shape, self.need, self.costs, traits, self.pieces), state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        observers, self.sites, self.revision, self.changed, self.base = state[:5]
        self.followed, self.danger = state[5:]
        self.observers = WeakSet(observers)

    def set_frame(self, frame: list[float]) -> Object[None]:
        """Set where the cells lie."""
        axes = cython.declare(Axes)
        if not cython.compiled:
            self.axes = axes  # a struct has all its fields from the start
        if self.kind != LATTICE:
            self.start, self.half, self.first, self.apart, self.slant, _ = frame
            return
        axes.x, axes.y, axes.across_x, axes.across_y, axes.down_x, axes.down_y = frame
        axes.area = axes.across_x * axes.down_y - axes.across_y * axes.down_x
        axes.columns, axes.rows = self.columns, self.rows
        self.axes = axes

    def set_tables(self) -> Object[None]:
        """Make the tables of directions."""
        self.edges = 0x55 if self.directions == 8 else 0x3F
        self.legal, self.counts, self.orders = sets_of_moves(self.directions, self.edges, self.need)
        self.offsets, self.steps, self.backs, self.opposites = moves_of(self.shape)

    # -- codes and moves ---------------------------------------------------------------------------

    def inner(self, values: Any) -> np.ndarray:
        """Return a view of an array by place, without its border: (rows, columns)."""
        part = slice(BORDER, -BORDER)
        return np.asarray(values).reshape(self.rows + 2 * BORDER, self.stride)[part, part]

    def by_place(self, kind: Any) -> np.ndarray:
        """Return an array with a value for each place: zeros, which take no time until touched."""
        return untouched_zeros(len(self.codes), kind)

    def cell_codes(self) -> np.ndarray:
        """Return a view of the codes of all cells, (rows, columns)."""
        return self.inner(self.codes)

    def code_at(self, cell: cython.Py_ssize_t) -> int:
        """The code of a cell."""
        return self.codes[self.place_of(cell)]

    def codes_at(self, cells: cython.int[::1]) -> np.ndarray:
        """The codes of some cells."""
        return np.asarray(self.codes)[self.places_of(cells)]

    def cell_opacity(self) -> np.ndarray:
        """Return which cells stop looks, (rows, columns), a new array."""
        return self.inner(self.clear) == 0

    def cell_traits(self) -> np.ndarray:
        """Return the traits of all cells, (rows, columns), a new array."""
        kinds = [self.inner(self.walk_kinds), self.inner(self.look_kinds)] if self.shaped else []
        return traits_from(self.cell_codes(), self.inner(self.clear), *kinds)

    def roomy_codes(self) -> np.ndarray:
        """The codes of all cells, with 0 where a cell holds a part of a shape; perhaps a view."""
        codes = self.cell_codes()
        return codes * (self.inner(self.walk_kinds) <= 0) if self.shaped else codes

    def opacity_of(self, cells: cython.int[::1]) -> np.ndarray:
        """Whether each of some cells stops looks, 0 or 1."""
        return 1 - np.asarray(self.clear)[self.places_of(cells)]

    def traits_at(self, cell: cython.Py_ssize_t) -> int:
        """The traits of a cell."""
        place = self.place_of(cell)
        traits = self.codes[place] + (0 if self.clear[place] else OPAQUE_TRAIT)
        if self.shaped:
            traits += max(self.walk_kinds[place], 0) << WALK_SHIFT
            traits += int(max(self.look_kinds[place], 0)) << LOOK_SHIFT
        return traits

    def kinds_of(self, cells: cython.int[::1]) -> np.ndarray:
        """What of some cells stops walkers, as `walk_kinds`, if the ground is shaped."""
        return np.asarray(self.walk_kinds)[self.places_of(cells)]

    def traits_of(self, cells: cython.int[::1]) -> np.ndarray:
        """The traits of some cells."""
        held = [self.codes, self.clear]
        if self.shaped:
            held += [self.walk_kinds, self.look_kinds]
        places = self.places_of(cells)
        return traits_from(*[np.asarray(values)[places] for values in held])

    def places_of(self, cells: cython.int[::1]) -> np.ndarray:
        """The places of some cells."""
        found = np.empty(len(cells), np.intp)
        places: cython.Py_ssize_t[::1] = found.data
        for i in range(len(cells)):
            places[i] = self.place_of(cells[i])
        return found

    def set_traits(
        self,
        cells: cython.int[::1],
        traits: cython.ulonglong[::1],
        books: list[tuple[dict[Any, Any], dict[Any, Any]]],
    ) -> np.ndarray:
        """Set the traits of cells and the moves around them; return the cells that have changed.

        All of it happens in one call, so no signal comes in between.

        Args:
            cells: The cells.
            traits: Those of each; of a cell given twice, the last count.
            books: What the grid knows of cells and buildings, and what to change there; None for
                what leaves.
        """
        n: cython.Py_ssize_t = 0
        found = np.empty(len(cells), np.int32)
        changed: cython.int[::1] = found.data
        if self.recent.used > len(self.codes) // 4:
            self.forget_half()
        self.recent.reserve(len(cells))
        for book, news in books:
            for key, kept in news.items():
                if kept is None:
                    book.pop(key, None)
                else:
                    book[key] = kept
        with cython.nogil:
            for i in range(len(cells)):
                place = self.place_of(cells[i])
                code = cython.cast(cython.int, traits[i] & 0xFF)
                clear: cython.int = 1 - cython.cast(cython.int, traits[i] >> 8 & 1)
                new_kinds = self.shaped and self.set_kinds(place, traits[i])
                if self.codes[place] == code and self.clear[place] == clear and not new_kinds:
                    continue
                changed[n] = cells[i] if self.codes[place] != code else ~cells[i]
                self.codes[place] = code
                self.clear[place] = clear
                n += 1
            for i in range(n):
                if changed[i] >= 0:
                    self.find_moves_around(self.place_of(changed[i]))
            for i in range(n):
                self.recent.values[self.recent.used + i] = changed[i]
            self.recent.used += n
            self.changed += n
            self.revision += n > 0
        return plain_cells(found[:n])

    def set_kinds(self, place: cython.Py_ssize_t, traits: cython.ulonglong) -> NoGil[cython.bint]:
        """Set what a cell holds; return whether it is new."""
        walk: cython.int = cython.cast(cython.int, traits >> 16 & 0xFFFFFF)
        look: cython.int = cython.cast(cython.int, traits >> 40 & 0xFFFFFF)
        if walk == 0 and traits & 0xFF != 0:
            walk = -1
        if look == 0 and traits & 0x100 == 0:
            look = -1
        if self.walk_kinds[place] == walk and self.look_kinds[place] == look:
            return False
        self.walk_kinds[place] = walk
        self.look_kinds[place] = look
        return True

    def mark_kinds(self, marks: cython.uchar[::1]) -> None:
        """Mark the kinds of shapes that cells hold, if the ground is shaped."""
        with cython.nogil:
            for place in range(len(self.walk_kinds)):
                marks[max(self.walk_kinds[place], 0)] = 1
                marks[max(self.look_kinds[place], 0)] = 1

    def forget_half(self) -> Object[None]:
        """Forget the older of the changed cells; who has not followed them begins anew."""
        recent: IntBuffer = IntBuffer(self.recent.used)
        for i in range(self.recent.used // 2, self.recent.used):
            recent.append(self.recent.values[i])
        self.recent = recent

    def follow(self, base: Ground) -> None:
        """Follow another ground, from now on."""
        self.base = base
        self.followed = base.changed

    def is_behind(self, seen: cython.Py_ssize_t) -> bool:
        """Whether cells have changed since so many had, or will once buildings are looked after."""
        if seen != self.changed or (self.sites is not None and self.sites.are_behind()):
            return True
        if self.danger is not None and self.danger.is_behind():
            return True
        return self.base is not None and self.base.is_behind(self.followed)

    def changed_since(
        self, seen: cython.Py_ssize_t, looks: cython.bint = False
    ) -> np.ndarray | None:
        """The cells that have changed since so many had, ascending; None if that is forgotten.

        Only those whose code has changed, for those who walk; for `looks` all.
        """
        n = self.changed - seen
        if seen < 0 or n < 0 or n > self.recent.used:
            return None
        found = np.array(self.recent.taken()[self.recent.used - n :], np.int32)
        return np.unique(plain_cells(found) if looks else found[found >= 0])

    def find_moves(self) -> None:
        """Find the legal moves of all cells."""
        with cython.nogil:
            for row in range(self.rows):
                first = self.place_of(row * self.columns)
                if self.kind != STAGGERED_COLUMNS:
                    self.find_moves_of(first, first + self.columns)
                    continue
                for place in range(first, first + self.columns):
                    self.moves[place] = self.move_mask(place)

    def find_moves_of(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> NoGil[None]:
        """Find the legal moves of a row of cells, whose neighbors all lie at the same offsets."""
        base = self.parity_of(first)
        codes: cython.p_uchar = cython.address(self.codes[0]) if cython.compiled else self.codes
        moves: cython.p_uchar = cython.address(self.moves[0]) if cython.compiled else self.moves
        for place in range(first, end):
            moves[place] = 0
        for k in range(self.directions):
            offset: cython.Py_ssize_t = self.offsets[base + k]
            for place in range(first, end):
                moves[place] |= (codes[place + offset] != 0) << k
        for place in range(first, end):
            moves[place] = self.legal[moves[place]] if codes[place] != 0 else 0

    def find_moves_around(self, place: cython.Py_ssize_t) -> NoGil[None]:
        """Find the legal moves of a place, and of its neighbors."""
        base = self.parity_of(place)
        self.moves[place] = self.move_mask(place)
        for k in range(self.directions):
            other = place + self.offsets[base + k]
            self.moves[other] = self.move_mask(other)

    def move_mask(self, place: cython.Py_ssize_t) -> NoGil[cython.int]:
        """The legal moves from a place."""
        free: cython.int = 0
        if self.codes[place] == 0:
            return 0
        base = self.parity_of(place)
        for k in range(self.directions):  # without a branch on the neighbor
            free |= (self.codes[place + self.offsets[base + k]] != 0) << k
        return self.legal[free]

    def weight(
        self, place: cython.Py_ssize_t, other: cython.Py_ssize_t, k: cython.Py_ssize_t
    ) -> NoGil[cython.longlong]:
        """Return the cost of a move in direction k."""
        return self.halves[8 * self.codes[place] + k] + self.halves[8 * self.codes[other] + k]

    def used_halves(self) -> Object[np.ndarray]:
        """The costs of half a move over open cells, (codes, directions)."""
        halves = np.asarray(self.halves).reshape(-1, 8)
        return halves[1 : len(self.costs.values), : self.directions]

    def move_range(self) -> tuple[int, int]:
        """The costs of the cheapest and of the most expensive move."""
        halves = self.used_halves()  # none if all cells are closed
        return 2 * int(halves.min(initial=1 << 40)), 2 * int(halves.max(initial=1))

    def parity_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Return where the neighbor offsets of a place start in `offsets`: 0 or 8."""
        if self.kind == LATTICE:
            return 0
        line = place // self.stride if self.kind == STAGGERED_ROWS else place % self.stride
        return 8 if (line & 1) != self.flip else 0

    # -- changes -----------------------------------------------------------------------------------

    def observe(self, observer: Any) -> None:
        """Call an observer's `_cells_changed(cells)` after every change; it is held weakly.

        This is for those who follow at once. An exception or a signal may cut it short, so they
        compare `changed` as well.
        """
        self.observers.add(observer)

    def notify(self, cells: np.ndarray) -> None:
        """Tell all observers which cells have changed, if any."""
        if len(cells) and len(self.observers):
            for observer in list(self.observers):
                observer._cells_changed(cells)

    # -- cells and places --------------------------------------------------------------------------

    def place_of(self, cell: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The place of a cell."""
        row = cell // self.columns
        return (row + BORDER) * self.stride + cell - row * self.columns + BORDER

    def cell_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The cell of a place."""
        row = place // self.stride
        return (row - BORDER) * self.columns + place - row * self.stride - BORDER

    def line_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """The row of a place; its column, if columns are staggered."""
        if self.kind == STAGGERED_COLUMNS:
            return place % self.stride - BORDER
        return place // self.stride - BORDER

    def at_of(self, place: cython.Py_ssize_t) -> NoGil[cython.Py_ssize_t]:
        """Where in its line a place is."""
        if self.kind == STAGGERED_COLUMNS:
            return place // self.stride - BORDER
        return place % self.stride - BORDER

    # -- points ------------------------------------------------------------------------------------

    def place_at(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """The place of the cell at a point, -1 outside. An edge belongs to the higher cell.

        The outer edges belong to the cells inside.
        """
        spot = cython.declare(Spot)
        if self.kind != LATTICE:
            return self.staggered_at(x, y)
        return lattice_at(cython.address(self.axes), x, y, cython.address(spot))

    def staggered_at(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """Return the place at a point among staggered lines: the nearest cell of three lines.

        Nearness is measured across the slanted edges, the only ones between lines. Nothing is
        divided in it: of whole numbers it is exact, so a point on an edge is as near to both cells.
        """
        best = 0.0
        inside: cython.bint
        column: cython.Py_ssize_t = -1
        row: cython.Py_ssize_t = -1
        lines: cython.Py_ssize_t = self.rows
        steps: cython.Py_ssize_t = self.columns
        if self.kind == STAGGERED_COLUMNS:
            x, y = y, x
            lines, steps = steps, lines
        x -= self.start
        y -= self.first
        along = x / self.half
        across = y / self.apart
        if not (-4.0 < along < 2.0 * (self.columns + self.rows) + 4.0):
            return -1
        if not (-4.0 < across < self.columns + self.rows + 4.0):
            return -1
        for i in range(-1, 2):  # the first one only reaches here with a corner
            line = floor(across) + i
            odd = cython.cast(cython.Py_ssize_t, line) & 1
            shift: cython.Py_ssize_t = 1 if odd != self.flip else 0
            step = floor((along - shift + 1.0) / 2.0)
            if step == steps and along - shift + 1.0 == 2.0 * steps:  # on the outer edge
                step -= 1.0
            middle = 2.0 * step + shift
            far = fabs(y - line * self.apart) * fabs(self.half)
            far += fabs(x - middle * self.half) * self.slant
            inside = 0.0 <= line < lines and 0.0 <= step < steps
            if i < 0 or far < best or (far == best and inside):
                best = far
                row = cython.cast(cython.Py_ssize_t, line) if inside else -1
                column = cython.cast(cython.Py_ssize_t, step)
        if row < 0:
            return -1
        if self.kind == STAGGERED_COLUMNS:
            column, row = row, column
        return (row + BORDER) * self.stride + column + BORDER

    def nearest_place(self, x: cython.double, y: cython.double) -> NoGil[cython.Py_ssize_t]:
        """Return the place of a point, with its column and row clamped to the grid."""
        spot = cython.declare(Spot)
        if self.kind == LATTICE:
            find_spot(cython.address(self.axes), x, y, cython.address(spot))
        elif self.kind == STAGGERED_ROWS:
            spot.u = (x - self.start) / self.half / 2.0
            spot.v = (y - self.first) / self.apart
        else:
            spot.u = (x - self.first) / self.apart
            spot.v = (y - self.start) / self.half / 2.0
        # Far away u and v may be NaN, for which no comparison holds.
        column = row = 0
        if spot.u > 0.0:
            column = cython.cast(cython.Py_ssize_t, min(spot.u, self.columns - 1.0))
        if spot.v > 0.0:
            row = cython.cast(cython.Py_ssize_t, min(spot.v, self.rows - 1.0))
        return (row + BORDER) * self.stride + column + BORDER

    def center_x(self, place: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The x of the center of a cell."""
        return self.x_in(place % self.stride - BORDER, place // self.stride - BORDER)

    def center_y(self, place: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The y of the center of a cell."""
        return self.y_in(place % self.stride - BORDER, place // self.stride - BORDER)

    def x_in(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The x of the center of the cell in a column and a row."""
        if self.kind != LATTICE:
            return self.staggered_center(column, row, self.kind == STAGGERED_ROWS)
        return self.axes.x + (column + 0.5) * self.axes.across_x + (row + 0.5) * self.axes.down_x

    def y_in(self, column: cython.Py_ssize_t, row: cython.Py_ssize_t) -> NoGil[cython.double]:
        """The y of the center of the cell in a column and a row."""
        if self.kind != LATTICE:
            return self.staggered_center(column, row, self.kind == STAGGERED_COLUMNS)
        return self.axes.y + (column + 0.5) * self.axes.across_y + (row + 0.5) * self.axes.down_y

    def staggered_center(
        self, column: cython.Py_ssize_t, row: cython.Py_ssize_t, along: cython.bint
    ) -> NoGil[cython.double]:
        """Return one coordinate of a cell's center: along its line, or across the lines."""
        line = row if self.kind == STAGGERED_ROWS else column
        step = column if self.kind == STAGGERED_ROWS else row
        shift: cython.Py_ssize_t = 1 if (line & 1) != self.flip else 0
        if along:
            return self.start + (2 * step + shift) * self.half
        return self.first + line * self.apart

    # -- answers -----------------------------------------------------------------------------------

    def cell_at(self, x: cython.double, y: cython.double) -> int:
        """The cell at a point; -1 outside."""
        place = self.place_at(x, y)
        return self.cell_of(place) if place >= 0 else -1

    def spot_at(self, x: Any, y: Any) -> int:
        """The spot of the cell at a point, see `spot_of`; -1 outside. Refuse a wrong point."""
        check_point(x, y)
        place = self.place_at(x, y)
        return self.spot_of(self.cell_of(place)) if place >= 0 else -1

    def spot_of(
        self, cell: cython.Py_ssize_t
    ) -> Annotated[cython.Py_ssize_t, "cpdef noexcept nogil"]:
        """The index of a cell row by row, or column by column if columns are staggered."""
        if self.kind != STAGGERED_COLUMNS:
            return cell
        return cell % self.columns * self.rows + cell // self.columns

    def nearest_cell(self, x: cython.double, y: cython.double) -> int:
        """The cell of a point, with its column and row clamped to the grid."""
        return self.cell_of(self.nearest_place(x, y))

    def cells_at(self, points: np.ndarray, outside: cython.int) -> np.ndarray:
        """Return the cells at points, (..., 2), int32; `outside` for points outside the grid."""
        xy: cython.double[:, ::1] = as_rows(points).data
        found = np.empty(len(xy), np.int32)
        cells: cython.int[::1] = found.data
        with cython.nogil:
            for i in range(len(xy)):
                place = self.place_at(xy[i, 0], xy[i, 1])
                cells[i] = outside
                if place >= 0:
                    cells[i] = cython.cast(cython.int, self.cell_of(place))
        return found.reshape(points.shape[: points.ndim - 1])

    def center_of(self, cell: cython.Py_ssize_t) -> tuple[float, float]:
        """The center (x, y) of a cell."""
        place = self.place_of(cell)
        return self.center_x(place), self.center_y(place)

    def centers_of(self, cells: cython.int[::1]) -> np.ndarray:
        """The centers of cells, (n, 2)."""
        found = np.empty((len(cells), 2))
        centers: cython.double[:, ::1] = found.data
        with cython.nogil:
            for i in range(len(cells)):
                place = self.place_of(cells[i])
                centers[i, 0] = self.center_x(place)
                centers[i, 1] = self.center_y(place)
        return found


def plain_cells(cells: np.ndarray) -> Object[np.ndarray]:
    """The numbers of cells that are marked as in `recent`."""
    return np.where(cells < 0, ~cells, cells)


@cython.inline
def find_spot(
    axes: cython.pointer[Axes], x: cython.double, y: cython.double, spot: cython.pointer[Spot]
) -> cython.void:
    """Find how many columns and rows a point is from the corner of a lattice."""
    x -= axes.x
    y -= axes.y
    spot.u = (x * axes.down_y - y * axes.down_x) / axes.area
    spot.v = (y * axes.across_x - x * axes.across_y) / axes.area


@cython.inline
def lattice_at(
    axes: cython.pointer[Axes], x: cython.double, y: cython.double, spot: cython.pointer[Spot]
) -> cython.Py_ssize_t:
    """Return the place at a point, -1 outside, and where in its cell it is.

    The last edges belong to the last cells.
    """
    find_spot(axes, x, y, spot)
    if not (0.0 <= spot.u <= axes.columns and 0.0 <= spot.v <= axes.rows):
        return -1
    column: cython.Py_ssize_t = min(cython.cast(cython.Py_ssize_t, spot.u), axes.columns - 1)
    row: cython.Py_ssize_t = min(cython.cast(cython.Py_ssize_t, spot.v), axes.rows - 1)
    spot.u -= column + 0.5
    spot.v -= row + 0.5
    return (row + BORDER) * (axes.columns + 2 * BORDER) + column + BORDER
