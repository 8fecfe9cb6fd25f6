"""The cells of a grid, as the rules derive them from the layers of a map."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import groupby, pairwise
from math import inf, nan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.array_kinds import Ints, Traits
from tilequad._core.cells.blocks import corners_of
from tilequad._core.shown import shown
from tilequad._core.ways.layout import LATTICE, STAGGERED_ROWS
from tilequad._core.ways.traits import KIND_MASK, LOOK_SHIFT, OPAQUE_TRAIT, WALK_SHIFT
from tilequad.nav._kinds import Cell, Kinds, Outline
from tilequad.nav._shapes import Shape
from tilequad.nav.rules import Rule
from tilequad.tiled.cells import GID_MASK
from tilequad.tiled.filters import matches, warn_of_unknown
from tilequad.tiled.model.collision import shown_shapes
from tilequad.tiled.model.map_object import MapObject
from tilequad.tiled.model.object_layer import ObjectLayer
from tilequad.tiled.model.tile_layer import TileLayer, places_of
from tilequad.tiled.model.tile_map import TileMap
from tilequad.tiled.model.tilesets import TilesetList

__all__ = ["Terrain"]


LEVEL = 4  # calls from here to the line of the game that makes a grid
#: A rule, and the traits that it gives.
_Chosen: TypeAlias = tuple[Rule, int]
#: The number of a rule, an object, and what the rule lets it do to a cell.
_Effect: TypeAlias = tuple[int, MapObject, int]

# What a tile does to a cell is a number like its traits. With KEEP the cell keeps what it has, and
# holds the shapes as well; KEEP alone does nothing.
KEEP = 512
ALL_BUT_CODE = (1 << 64) - 1 - 0xFF
SAMPLES = 8  # sample points along each side of a cell, to measure how much is covered
AT_ONCE = 4096  # cells whose samples are taken together
FINE = float(1 << 30)  # parts of a pixel


class Terrain:
    """Gives each cell its traits, by the layers of a map.

    Args:
        tile_map: The map.
        rules: The rules, in order.
        shape: The cells.
        first: Column and row of the map's cell that is (0, 0) in the grid.
        code_of: Returns the code of a cost.
        need: How many of the cells beside a move across a corner must be open.
        kinds: The kinds of shapes that the cells hold already; None for a new grid.
    """

    def __init__(
        self,
        tile_map: TileMap,
        rules: Iterable[Rule],
        shape: Shape,
        first: tuple[int, int],
        code_of: Callable[[float], int],
        need: int,
        kinds: Kinds | None = None,
    ) -> None:
        self.rules = tuple(rules)
        self.first = first
        self.shape = shape
        self.plain = code_of(1.0)
        self.need = need
        self.parts: list[_Tiles | _Objects] = []
        is_new = kinds is None
        chosen = [
            (layer, rule)
            for rule in self.rules
            for layer in _layers_of(tile_map, rule.layer, is_new)
        ]
        if is_new:
            _warn_of_strangers(chosen)
            _warn_of_tilesets([rule for _, rule in chosen], tile_map.tilesets)
        self.kinds = kinds or Kinds(shape)
        self.shaped = False
        for layer, pairs in groupby(chosen, key=lambda pair: pair[0]):
            own = [(rule, code_of(rule.cost) + OPAQUE_TRAIT * rule.opaque) for _, rule in pairs]
            if isinstance(layer, TileLayer):
                self.parts.append(_Tiles(layer, own, shape, first, self.kinds))
            else:
                self.parts.append(_Objects(layer, own, shape, tile_map.tilesets, self.kinds))
            self.shaped = self.shaped or self.parts[-1].shaped

    def again(self, tile_map: TileMap, code_of: Callable[[float], int]) -> Terrain:
        """Return the terrain of a map that was reloaded, with the rules of this one.

        A grid that has been made without shapes has no room for them: such tiles stay whole.
        """
        found = Terrain(
            tile_map, self.rules, self.shape, self.first, code_of, self.need, self.kinds
        )
        if not self.shaped:
            found.shaped = False
            for part in found.parts:
                part.shaped = False
        return found

    @property
    def tiles(self) -> list[_Tiles]:
        """The rules of tile layers."""
        return [part for part in self.parts if isinstance(part, _Tiles)]

    def traits(self) -> Traits:
        """The traits of all cells, (rows, columns)."""
        found = np.full((self.shape.rows, self.shape.columns), self.plain, np.uint64)
        for part in self.parts:
            part.apply(found)
        if self.shaped:
            self._close(found)
        self.kinds.flush()
        return found

    def traits_of(self, cells: Iterable[Cell]) -> list[int]:
        """The traits of some cells."""
        known: dict[Cell, int] = {}
        found = []
        for cell in cells:
            traits = self._given(cell, known)
            if self._is_held(traits):
                ways = self._ways_of(cell)
                around = {way: self._given(other, known) for way, other in ways.items()}
                if self._is_shut(cell, traits, around):
                    traits = self._shut(traits)
            found.append(traits)
        self.kinds.flush()
        return found

    def changes(self, layer: TileLayer, columns: Ints, rows: Ints) -> tuple[Ints, Traits]:
        """The cells that may change with the tiles in some cells of a layer, and their traits."""
        found = dict.fromkeys(zip(columns.tolist(), rows.tolist(), strict=True))
        if self.shaped:
            for part in self.tiles:
                if part.layer is layer:
                    for column, row in list(found):
                        for across, down in part.reach_of(column, row):
                            found[column + across, row + down] = None
        return self._given_anew(found)

    def object_changes(self, layer: ObjectLayer, item: MapObject) -> tuple[Ints, Traits]:
        """The cells that may change with an object of a layer, and their traits."""
        found: dict[Cell, None] = {}
        for part in self.parts:
            if part.layer is layer and isinstance(part, _Objects):
                found |= part.change(item)
        return self._given_anew(found)

    def _given_anew(self, found: dict[Cell, None]) -> tuple[Ints, Traits]:
        """The cells that may change with some, and their traits."""
        if self.shaped:
            for cell in list(found):  # whether a cell is closed depends on its neighbors
                found.update(dict.fromkeys(self._ways_of(cell).values()))
        inside = [cell for cell in found if self._is_inside(cell)]
        cells = [row * self.shape.columns + column for column, row in inside]
        return np.array(cells, np.int32), np.array(self.traits_of(inside), np.uint64)

    def drop_unused(self) -> None:
        """Drop the kinds of shapes that no cell holds any more, if they are many."""
        if self.shaped:
            self.kinds.drop_unused(effect for part in self.parts for effect in part.effects())

    # -- open cells that hold shapes ---------------------------------------------------------------

    def _given(self, cell: Cell, known: dict[Cell, int]) -> int:
        """The traits that the parts give to a cell."""
        found = known.get(cell)
        if found is None:
            found = self.plain
            for part in self.parts:
                for effect in part.effects_at(*cell):
                    found = _put(found, effect, self.kinds)
            known[cell] = found
        return found

    def _close(self, traits: Traits) -> None:
        """Close the cells whose shapes are in the way of walkers."""
        kinds = (traits >> np.uint64(WALK_SHIFT) & np.uint64(KIND_MASK)).astype(np.int64)
        is_open = traits & np.uint64(0xFF) > 0
        rows, columns = np.nonzero(is_open & (kinds > 0))
        if not len(rows):
            return
        # Cells of one kind with equal neighbors are alike: one of each likeness is looked at.
        states = np.pad(np.where(is_open, kinds + 1, 0), 2)
        parity = np.array([self.shape.parity(k, k) for k in (0, 1)])
        lines = parity[(rows, rows, columns)[self.shape.kind] & 1]
        likeness = 2 * kinds[rows, columns] + lines
        for ways in zip(self.shape.neighbors(0), self.shape.neighbors(1), strict=True):
            across, down = np.array(ways)[lines].T
            beside = states[rows + 2 + down, columns + 2 + across]
            known = np.unique(likeness, return_inverse=True)[1]
            likeness = known * (states.max() + 1) + beside
        _, first, own = np.unique(likeness, return_index=True, return_inverse=True)
        shut = np.zeros(len(first), bool)
        for k, at in enumerate(first.tolist()):
            cell = int(columns[at]), int(rows[at])
            around = {way: int(traits[other[::-1]]) for way, other in self._ways_of(cell).items()}
            shut[k] = self._is_shut(cell, int(traits[cell[::-1]]), around)
        gone = rows[shut[own]], columns[shut[own]]
        before, where = np.unique(traits[gone], return_inverse=True)
        after = [self._shut(one) for one in before.tolist()]
        traits[gone] = np.array(after, np.uint64)[where]

    def _shut(self, traits: int) -> int:
        """The traits of a cell that its shapes close: opaque, if all of them stop looks."""
        shifts = WALK_SHIFT, LOOK_SHIFT
        walk, look = (self.kinds.shapes[traits >> shift & KIND_MASK] for shift in shifts)
        return traits & ALL_BUT_CODE | (OPAQUE_TRAIT if walk <= look else 0)

    def _is_held(self, traits: int) -> bool:
        """Return whether a cell is open, and holds a shape."""
        return bool(traits & 0xFF and traits >> WALK_SHIFT & KIND_MASK)

    def _is_shut(self, cell: Cell, traits: int, around: dict[Cell, int]) -> bool:
        """Return whether shapes are in the way from an open neighbor of a cell to another.

        Across a corner walkers go around, unless they may pass where a cell beside it is closed.
        """
        kind, parity = traits >> WALK_SHIFT & KIND_MASK, self.shape.parity(*cell)
        exits, corners = [], []
        for k, way in enumerate(self.shape.neighbors(parity)):
            other = around.get(way, 0)
            if not other & 0xFF:
                continue
            if self.shape.directions == 8 and k % 2:
                corners.append(way)
            else:
                exits.append((8 * parity + k, other >> WALK_SHIFT & KIND_MASK))
        self.kinds.flush()
        if not self.kinds.pieces.can_pass(kind, exits):
            return True
        if self.need >= 2 or not corners:
            return False
        blocked = self.kinds.blocked(kind, parity)
        return any(way in blocked for way in corners)

    def _ways_of(self, cell: Cell) -> dict[Cell, Cell]:
        """The neighbors of a cell in the grid, by where they are relative to it."""
        column, row = cell
        near = self.shape.neighbors(self.shape.parity(*cell))
        found = {(x, y): (column + x, row + y) for x, y in near}
        return {way: other for way, other in found.items() if self._is_inside(other)}

    def _is_inside(self, cell: Cell) -> bool:
        """Return whether there is a cell."""
        return 0 <= cell[0] < self.shape.columns and 0 <= cell[1] < self.shape.rows


def _put(traits: int, effect: int, kinds: Kinds) -> int:
    """The traits of a cell after something else was put on it.

    What is solid as a whole stays so; shapes add up; and what opens a cell takes all shapes away.
    """
    keeps = effect & KEEP
    found = (traits if keeps else effect) & (OPAQUE_TRAIT | 0xFF)
    if effect >> WALK_SHIFT & KIND_MASK and traits >> LOOK_SHIFT & KIND_MASK:
        keeps = KEEP  # a pane of glass takes away no stone beside it
        found |= traits & OPAQUE_TRAIT
    for shift, solid in ((WALK_SHIFT, not traits & 0xFF), (LOOK_SHIFT, traits & OPAQUE_TRAIT)):
        before, now = traits >> shift & KIND_MASK, effect >> shift & KIND_MASK
        if now and not (solid and not before):
            found |= kinds.both(before, now) << shift
        elif keeps:
            found |= before << shift
    return found


def _put_all(traits: Traits, effects: Traits, kinds: Kinds) -> None:
    """Change the traits of many cells; both arrays have the same shape."""
    shaped = effects >> np.uint64(9) > 0  # KEEP, or there are shapes
    np.copyto(traits, effects, where=~shaped)
    some = shaped & (effects != KEEP)
    if not some.any():
        return
    before, where_before = np.unique(traits[some], return_inverse=True)
    then, where_then = np.unique(effects[some], return_inverse=True)
    pairs, where = np.unique(where_before * len(then) + where_then, return_inverse=True)
    after = [
        _put(int(before[pair // len(then)]), int(then[pair % len(then)]), kinds)
        for pair in pairs.tolist()
    ]
    traits[some] = np.array(after, np.uint64)[where]


class _Tiles:
    """The rules of a tile layer."""

    def __init__(
        self,
        layer: TileLayer,
        rules: list[_Chosen],
        shape: Shape,
        first: tuple[int, int],
        kinds: Kinds,
    ) -> None:
        self.layer = layer
        self._rules = rules
        self._shape = shape
        self._kinds = kinds
        # What each raw value does to its own cell, and to others, by the parity of its line.
        self._known = {0: KEEP}
        self._others: dict[int, tuple[dict[Cell, int], ...]] = {}
        self._reach: tuple[set[Cell], ...] = set(), set()
        # The offset from a cell of the layer to the cell of the grid.
        places = places_of(layer)
        self._tiles = places.tiles
        self.shift = (places.origin[0] - first[0], places.origin[1] - first[1])
        stops = any(rule.cost == inf or rule.opaque for rule, _ in rules)
        self.shaped = stops and any(
            tileset.collision_shapes(tile) for tileset in layer.tilesets for tile in tileset.tiles
        )

    def apply(self, traits: Traits) -> None:
        """Write the traits of the cells whose tile matches a rule."""
        tiles = self._tiles
        slots, columns, rows = corners_of(tiles.held)
        kinds, _ = tiles.kinds()
        if not len(kinds):
            return
        for raw in kinds.tolist():
            self._effect(raw)
        raws = tiles.values.reshape(-1, 64)
        # Put all blocks into one array, then cut out the part that the grid covers.
        left, top = int(columns.min()), int(rows.min())
        across = (int(columns.max()) - left) // 8 + 1
        down = (int(rows.max()) - top) // 8 + 1
        corner = left + self.shift[0], top + self.shift[1]

        def put(table: dict[int, int], offset: Cell, parity: int | None) -> None:
            values = self._looked_up(raws, kinds, table)[slots // 64]
            picture = np.full((down, 8, across, 8), KEEP, np.uint64)
            picture[(rows - top) // 8, :, (columns - left) // 8, :] = values.reshape(-1, 8, 8)
            flat = picture.reshape(8 * down, 8 * across)
            if parity is not None and self._shape.kind:
                lines = np.arange(flat.shape[self._shape.kind - 1])
                lines = (lines + corner[2 - self._shape.kind]) & 1 ^ self._shape.flip
                own = lines == parity
                flat[~own if self._shape.kind == STAGGERED_ROWS else (slice(None), ~own)] = KEEP
            x, y = corner[0] + offset[0], corner[1] + offset[1]
            low_x, low_y = max(x, 0), max(y, 0)
            high_x = min(x + 8 * across, traits.shape[1])
            high_y = min(y + 8 * down, traits.shape[0])
            if low_x < high_x and low_y < high_y:
                part = flat[low_y - y : high_y - y, low_x - x : high_x - x]
                _put_all(traits[low_y:high_y, low_x:high_x], part, self._kinds)

        put(self._known, (0, 0), None)
        for parity in (0, 1) if self._shape.kind != LATTICE else (0,):
            for offset in sorted(self._reach[parity]):
                others = {raw: own[parity].get(offset, KEEP) for raw, own in self._others.items()}
                put(others, offset, parity)

    def effects(self) -> Iterator[int]:
        """What all tiles do to cells."""
        yield from list(self._known.values())
        for each in list(self._others.values()):
            for own in each:
                yield from own.values()

    def effects_at(self, column: int, row: int) -> list[int]:
        """Return what its tile does to a cell, and then what those around it do."""
        found = [self._effect(self._raw_at(column, row))]
        for parity in (0, 1) if self._shape.kind != LATTICE else (0,):
            for across, down in sorted(self._reach[parity]):
                x, y = column - across, row - down
                if self._shape.parity(x, y) == parity:
                    raw = self._raw_at(x, y)
                    self._effect(raw)
                    if raw in self._others:
                        found.append(self._others[raw][parity].get((across, down), KEEP))
        return [effect for effect in found if effect != KEEP]

    def reach_of(self, column: int, row: int) -> set[Cell]:
        """The cells, relative to one, that any tile there may hold shapes in."""
        self._effect(self._raw_at(column, row))
        return self._reach[self._shape.parity(column, row)]

    def _raw_at(self, column: int, row: int) -> int:
        return self._tiles.raw_at(column - self.shift[0], row - self.shift[1])

    def _looked_up(
        self, values: NDArray[np.uint32], kinds: NDArray[np.uint32], table: dict[int, int]
    ) -> Traits:
        """What many raw values do."""
        effects = np.array([table.get(raw, KEEP) for raw in kinds.tolist()], np.uint64)
        last = int(kinds[-1])
        if last < 1 << 22:  # the usual case: no tile is flipped
            by_raw = np.full(last + 1, KEEP, np.uint64)
            by_raw[kinds] = effects
            return by_raw.take(values)
        at = np.searchsorted(kinds, values).clip(0, len(kinds) - 1)
        return np.where(kinds[at] == values, effects[at], np.uint64(KEEP))

    def _effect(self, raw: int) -> int:
        """What a raw value does to its own cell."""
        effect = self._known.get(raw)
        if effect is None:
            gid, effect = raw & GID_MASK, KEEP
            share = -1.0
            taken: Rule | None = None
            for rule, own in self._rules:
                if not _takes(rule, gid, self.layer.tilesets):
                    continue
                if not self.layer.tilesets.matches(gid, rule.properties, rule.class_name):
                    continue
                taken = rule
                if rule.covered > 0.0:
                    share = self._share(raw) if share < 0.0 else share
                    if share < rule.covered:
                        continue
                effect = own
            if taken is not None and self.shaped:
                effect = self._with_shapes(raw, effect, taken)
            self._known[raw] = effect
        return effect

    def _with_shapes(self, raw: int, effect: int, rule: Rule) -> int:
        """What a raw value does to its own cell with its shapes; notes what it does to others."""
        outlines, center = self._outlines(raw)
        # Rounded, so that it does not matter in which cell the tile was found.
        shapes: list[Outline] = [
            (shape, np.round((points - center) * FINE) / FINE)
            for shape, points in outlines
            if shape != "polyline" or rule.covered == 0.0  # it covers no share of a cell
        ]
        if not shapes or not (rule.cost == inf or rule.opaque):
            return effect
        others: list[dict[Cell, int]] = []
        for parity in (0, 1) if self._shape.kind != LATTICE else (0,):
            entered = self._kinds.entered(shapes, *self._kinds.around(shapes, parity))
            own = entered.pop((0, 0), 0)
            if not parity:
                effect = _shaped(effect, own, rule, self._kinds)
            others.append(
                {cell: _shaped(KEEP, kind, rule, self._kinds) for cell, kind in entered.items()}
            )
            self._reach[parity].update(others[-1])
        if any(others):
            self._others[raw] = tuple(others)
        return effect

    def _example(self, raw: int) -> int:
        """The id of a cell that holds a raw value."""
        slots = np.flatnonzero(self._tiles.values == raw)[:1]
        return self.layer.id_of(*self._tiles.cells_at(slots)[0].tolist())

    def _outlines(self, raw: int) -> tuple[list[Outline], NDArray[np.float64]]:
        """The collision shapes of a tile in some cell of the layer, and the center of that cell."""
        number = self._example(raw)
        shapes = [
            (shape.shape, shape.points)
            for shape in self.layer.collision_shapes(number)
            if shape.shape != "point"
        ]
        columns, rows = self._tiles.cells([number])
        shift = np.array(self.shift)
        [center] = self._shape.centers(columns + shift[0], rows + shift[1])
        return shapes, center

    def _share(self, raw: int) -> float:
        """Return how much of its cell the collision shapes of a tile cover."""
        number = self._example(raw)
        [outline] = self.layer.outlines([number])
        points = _samples(outline)
        inside = np.zeros(len(points), bool)
        for shape in self.layer.collision_shapes(number):
            if shape.shape not in ("point", "polyline"):
                inside |= _inside(shape.points, points)
        return float(inside.mean())


def _shaped(effect: int, kind: int, rule: Rule, kinds: Kinds) -> int:
    """What a tile or an object does to a cell that holds a part of it."""
    if not kind or (not effect & KEEP and kinds.is_whole(kind)):
        return effect
    if rule.cost == inf:
        effect |= kind << WALK_SHIFT
    if rule.opaque:
        effect |= kind << LOOK_SHIFT
    return effect


class _Objects:
    """The rules of an object layer. What each object does to its cells is found once."""

    def __init__(
        self,
        layer: ObjectLayer,
        rules: list[_Chosen],
        shape: Shape,
        tilesets: TilesetList,
        kinds: Kinds,
    ) -> None:
        self.layer = layer
        self._rules = rules
        self._shape = shape
        self._tilesets = tilesets
        self._kinds = kinds
        self._samples = _samples(shape.outline)
        self._cells: dict[MapObject, tuple[Cell, ...]] = {}  # to which each does something
        self.shaped = any(rule.cost == inf or rule.opaque for rule, _ in rules)

    @cached_property
    def _effects(self) -> dict[Cell, list[_Effect]]:
        """What objects do to each cell, in the order of the rules, then in that of the layer."""
        found: dict[Cell, list[_Effect]] = {}
        for number in range(len(self._rules)):
            for item in self.layer.objects:
                own = self._found(number, item)
                self._cells[item] = *self._cells.get(item, ()), *own
                for cell, effect in own.items():
                    found.setdefault(cell, []).append((number, item, effect))
        return found

    def change(self, item: MapObject) -> dict[Cell, None]:
        """Apply the rules to a changed object; return the cells where it was or is."""
        ranks = self._ranked(item)
        numbers = range(len(self._rules)) if item in ranks else range(0)
        news = [self._found(number, item) for number in numbers]
        cells = dict.fromkeys([*self._cells.pop(item, ()), *(cell for own in news for cell in own)])
        for cell in cells:
            effects = [
                one for one in self._effects.pop(cell, ()) if one[1] is not item and one[1] in ranks
            ]
            effects += [(k, item, own[cell]) for k, own in enumerate(news) if cell in own]
            if effects:
                self._effects[cell] = sorted(effects, key=lambda one: (one[0], ranks[one[1]]))
        if numbers:
            self._cells[item] = tuple(cell for own in news for cell in own)
        return cells

    @cached_property
    def _ranks(self) -> dict[MapObject, float]:
        """Numbers in the order of the layer; counted once, for a layer may have very many."""
        return {item: float(rank) for rank, item in enumerate(self.layer.objects)}

    def _ranked(self, item: MapObject) -> dict[MapObject, float]:
        """Return the ranks after a change of an object, which takes one between its neighbors."""
        objects, ranks = self.layer.objects, self._ranks
        ranks.pop(item, None)
        if item not in objects:
            return ranks
        at = objects.index(item)
        high = ranks.get(objects[at + 1], nan) if at + 1 < len(objects) else inf
        low = ranks.get(objects[at - 1], nan) if at else high - 2
        ranks[item] = rank = (low + min(high, low + 2)) / 2
        if not low < rank < high:  # no number is left between them, or one has none
            del self._ranks
        return self._ranks

    def _found(self, number: int, item: MapObject) -> dict[Cell, int]:
        """What a rule lets an object do to cells."""
        rule, traits = self._rules[number]
        if not matches(item, rule.properties, rule.class_name):
            return {}
        if not _takes(rule, item.gid, self._tilesets):
            return {}
        outlines = _outlines_of(item, self._tilesets, self._shape.orientation == "hexagonal")
        if rule.covered > 0.0:  # points and lines have no area: they cover no share
            outlines = [one for one in outlines if one[0] not in ("point", "polyline")]
        if not outlines:
            return {}
        near = _near(self._shape, outlines)
        stops = self.shaped and (rule.cost == inf or rule.opaque)
        entered = self._kinds.entered(outlines, *near) if stops else {}
        areas = [one for one in outlines if one[0] not in ("point", "polyline")]
        if rule.covered > 0.0:
            covered = set(_covered(areas, near, self._samples, rule.covered))
        elif stops and len(areas) == len(outlines):
            covered = set(entered)
        else:
            covered = set(self._kinds.touched(areas, *near))
            for kind, points in outlines:
                if kind in ("point", "polyline"):
                    covered.update(_on_line(points, self._shape))
        return {
            cell: _shaped(
                traits if cell in covered else KEEP, entered.get(cell, 0), rule, self._kinds
            )
            for cell in [*covered, *(cell for cell in entered if cell not in covered)]
        }

    def apply(self, traits: Traits) -> None:
        """Write the traits of the cells that objects cover."""
        for (column, row), effects in self._effects.items():
            for _, _, effect in effects:
                traits[row, column] = _put(int(traits[row, column]), effect, self._kinds)

    def effects(self) -> Iterator[int]:
        """What all objects do to cells."""
        for effects in list(self._effects.values()):
            yield from [effect for _, _, effect in effects]

    def effects_at(self, column: int, row: int) -> list[int]:
        """Return what objects do to a cell."""
        return [effect for _, _, effect in self._effects.get((column, row), ())]


def _outlines_of(item: MapObject, tilesets: TilesetList, turns: bool) -> list[Outline]:
    """The shapes of an object: of a tile that has some the collision shapes, as it is shown."""
    if item.gid:
        tileset = tilesets.owner(item.gid)
        local_id = item.gid - tileset.first_gid
        own = [one for one in tileset.collision_shapes(local_id) if one.shape != "point"]
        size = tileset.tile_size(local_id)
        shown = shown_shapes(own, size, item.flags, item.points, turns)
        if shown:
            return [(one.shape, one.points) for one in shown]
    return [(item.shape, item.points)]


def _takes(rule: Rule, gid: int | None, tilesets: TilesetList) -> bool:
    """Return whether a rule takes a tile, by gid and by tileset."""
    if rule.gids is not None and gid not in rule.gids:
        return False
    if rule.tileset is None:
        return True
    if not gid:  # an object without a tile
        return False
    tileset = tilesets.owner(gid)
    if tileset.name != rule.tileset:
        return False
    return rule.tiles is None or gid - tileset.first_gid in rule.tiles


def _warn_of_strangers(chosen: list[tuple[Any, Rule]]) -> None:
    """Warn of rules that fit no tile or object of their layers, whatever is set there later."""
    for rule in dict.fromkeys(rule for _, rule in chosen):
        known: list[tuple[str, Any]] = []
        gids: list[range] = []
        for layer, other in chosen:
            if other is rule and isinstance(layer, TileLayer):
                for tileset in layer.tilesets:
                    known += [(tile.class_name, tile.properties) for tile in tileset.tiles.values()]
                    end = 1 << 31 if tileset.missing else tileset.end_gid
                    gids.append(range(tileset.first_gid, end))
            elif other is rule:
                known += [(item.class_name, item.properties) for item in layer.objects]
                gids += [range(item.gid, item.gid + 1) for item in layer.objects if item.gid]
        warn_of_unknown(repr(rule), rule.properties, rule.class_name, known, LEVEL)
        if rule.gids and not any(gid in some for gid in rule.gids for some in gids):
            last = max((some[-1] for some in gids if some), default=0)
            text = f"{rule!r} fits nothing: none of its gids is in the map, which ends at {last}"
            warnings.warn(text, UserWarning, stacklevel=LEVEL)


def _warn_of_tilesets(rules: list[Rule], tilesets: TilesetList) -> None:
    """Warn of rules whose tileset is not in the map, or has none of their tiles."""
    for rule in dict.fromkeys(rules):
        own = [one for one in tilesets if one.name == rule.tileset]
        text = f"{rule!r} fits nothing: "
        if rule.tileset is None:
            continue
        if not own:
            names = ", ".join(repr(one.name) for one in tilesets) or "none"
            text += f"no tileset is called {rule.tileset!r}; there are: {names}"
            warnings.warn(text, UserWarning, stacklevel=LEVEL)
        elif rule.tiles is not None and not any(
            one.missing or one.has_tile(tile) for one in own for tile in rule.tiles
        ):
            last = max(one.end_id for one in own) - 1
            text += f"none of its tiles is in the tileset, which ends at {last}"
            warnings.warn(text, UserWarning, stacklevel=LEVEL)


def _layers_of(tile_map: TileMap, name: str | None, must_be: bool) -> list[Any]:
    """Return the layers that a rule applies to; its layer must be there in a new map."""
    if name is None:
        return [layer for layer in tile_map.layers if isinstance(layer, TileLayer)]
    if not must_be and all(layer.name != name for layer in tile_map.layers):
        return []
    layer = tile_map.layer(name)
    if not isinstance(layer, TileLayer | ObjectLayer):
        raise ValueError(f"layer {name!r} must have tiles or objects, got {shown(layer)}")
    return [layer]


def _covered(
    areas: list[Outline],
    near: tuple[list[Cell], NDArray[np.float64]],
    samples: NDArray[np.float64],
    least: float,
) -> list[Cell]:
    """Return the cells of which areas cover at least a share."""
    cells, centers = near
    found = []
    for start in range(0, len(cells), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        points = (centers[some, None] + samples).reshape(-1, 2)
        inside = np.zeros(len(points), bool)
        for _, area in areas:
            inside |= _inside(area, points)
        shares = inside.reshape(-1, len(samples)).mean(axis=1)
        found += [cells[start + k] for k in np.flatnonzero((shares >= least) & (shares > 0.0))]
    return found


def _on_line(line: NDArray[np.float64], shape: Shape) -> set[Cell]:
    """The cells that hold a point of a line, one after the other."""
    half = np.abs(shape.outline).max(axis=0)
    points = _along(line, float(half.min()) / SAMPLES)
    found: set[Cell] = set()
    for start in range(0, len(points), SAMPLES**2):
        some = points[start : start + SAMPLES**2]
        cells, centers = shape.cells_in(some.min(axis=0) - half, some.max(axis=0) + half)
        inside = _inside(shape.outline, (some - centers[:, None]).reshape(-1, 2))
        held = inside.reshape(len(cells), len(some)).any(axis=1)
        found.update(cells[k] for k in np.flatnonzero(held).tolist())
    return found


def _near(shape: Shape, outlines: list[Outline]) -> tuple[list[Cell], NDArray[np.float64]]:
    """The cells near to some outlines, whose boxes may overlap the box around them; and centers."""
    points = np.concatenate([points for _, points in outlines])
    half = np.abs(shape.outline).max(axis=0)
    return shape.cells_in(points.min(axis=0) - half, points.max(axis=0) + half)


def _samples(outline: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points spread evenly over a cell."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    parts = (np.arange(SAMPLES) + 0.5) / SAMPLES
    x, y = np.meshgrid(*(low[axis] + parts * (high[axis] - low[axis]) for axis in (0, 1)))
    points = np.stack((x.ravel(), y.ravel()), axis=-1)
    return points[_inside(outline, points)]


def _inside(polygon: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points lie in a polygon: a ray to the right crosses it an odd number of times."""
    inside = np.zeros(len(points), bool)
    x, y = points[:, 0], points[:, 1]
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if y0 != y1:
            crossed = (y0 <= y) != (y1 <= y)
            inside ^= crossed & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
    return inside


def _along(points: NDArray[np.float64], pitch: float) -> NDArray[np.float64]:
    """Points along a line, at most a pitch apart."""
    parts = [points[:1]]
    for start, end in pairwise(points):
        count = int(np.hypot(*(end - start)) / pitch) + 1
        parts.append(start + (np.arange(1, count + 1) / count)[:, None] * (end - start))
    return np.concatenate(parts)
