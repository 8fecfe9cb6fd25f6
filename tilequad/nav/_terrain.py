"""The cells of a grid, as the rules derive them from the layers of a map."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from itertools import groupby, pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilequad._core.ways.ground import OPAQUE_TRAIT
from tilequad.nav._shapes import Shape
from tilequad.nav.rules import Rule
from tilequad.tiled.cells import GID_MASK
from tilequad.tiled.filters import warn_of_unknown
from tilequad.tiled.model.object_layer import ObjectLayer, object_matches
from tilequad.tiled.model.tile_layer import TileLayer
from tilequad.tiled.model.tile_map import TileMap
from tilequad.tiled.model.tilesets import TilesetList

__all__ = ["Terrain"]

Traits: TypeAlias = NDArray[np.uint16]

LEVEL = 4  # calls from here to the line of the game that makes a grid
#: A rule, and the traits that it gives.
_Chosen: TypeAlias = tuple[Rule, int]

KEEP = 0xFFFF  # the traits of a cell that a rule does not change
SAMPLES = 8  # sample points along each side of a cell, to measure how much is covered


class Terrain:
    """Gives each cell its traits, by the layers of a map.

    Args:
        tile_map: The map.
        rules: The rules, in order.
        shape: The cells.
        first: Column and row of the map's cell that is (0, 0) in the grid.
        code_of: Returns the code of a cost.
    """

    def __init__(
        self,
        tile_map: TileMap,
        rules: Iterable[Rule],
        shape: Shape,
        first: tuple[int, int],
        code_of: Callable[[float], int],
    ) -> None:
        self.shape = shape
        self.plain = code_of(1.0)
        self.parts: list[_Tiles | _Objects] = []
        chosen = [(layer, rule) for rule in rules for layer in _layers_of(tile_map, rule.layer)]
        _warn_of_strangers(chosen)
        _warn_of_tilesets([rule for _, rule in chosen], tile_map.tilesets)
        for layer, pairs in groupby(chosen, key=lambda pair: pair[0]):
            own = [(rule, code_of(rule.cost) + OPAQUE_TRAIT * rule.opaque) for _, rule in pairs]
            if isinstance(layer, TileLayer):
                self.parts.append(_Tiles(layer, own, shape, first))
            else:
                self.parts.append(_Objects(layer, own, shape, tile_map.tilesets))

    @property
    def tiles(self) -> list[_Tiles]:
        """The rules of tile layers."""
        return [part for part in self.parts if isinstance(part, _Tiles)]

    def traits(self) -> Traits:
        """The traits of all cells, (rows, columns)."""
        found = np.full((self.shape.rows, self.shape.columns), self.plain, np.uint16)
        for part in self.parts:
            part.apply(found)
        return found

    def traits_at(self, column: int, row: int) -> int:
        """The traits of one cell."""
        found = self.plain
        for part in self.parts:
            traits = part.traits_at(column, row)
            if traits != KEEP:
                found = traits
        return found


class _Tiles:
    """The rules of a tile layer."""

    def __init__(
        self,
        layer: TileLayer,
        rules: list[_Chosen],
        shape: Shape,
        first: tuple[int, int],
    ) -> None:
        self.layer = layer
        self._rules = rules
        self._shape = shape
        self._known = {0: KEEP}  # the traits of each raw value
        # The offset from a cell of the layer to the cell of the grid.
        self.shift = (int(layer._origin[0]) - first[0], int(layer._origin[1]) - first[1])

    def apply(self, traits: Traits) -> None:
        """Write the traits of the cells whose tile matches a rule."""
        tiles = self.layer._tiles
        slots, columns, rows, _ = tiles.held.blocks()
        kinds, _ = tiles.kinds()
        if not len(kinds):
            return
        for raw in kinds.tolist():
            self._traits(raw)
        values = self._looked_up(tiles.values.reshape(-1, 64), kinds)[slots // 64]
        # Put all blocks into one array, then cut out the part that the grid covers.
        left, top = int(columns.min()), int(rows.min())
        across = (int(columns.max()) - left) // 8 + 1
        down = (int(rows.max()) - top) // 8 + 1
        picture = np.full((down, 8, across, 8), KEEP, np.uint16)
        picture[(rows - top) // 8, :, (columns - left) // 8, :] = values.reshape(-1, 8, 8)
        flat = picture.reshape(8 * down, 8 * across)
        x, y = left + self.shift[0], top + self.shift[1]
        low_x, low_y = max(x, 0), max(y, 0)
        high_x, high_y = min(x + 8 * across, traits.shape[1]), min(y + 8 * down, traits.shape[0])
        if low_x < high_x and low_y < high_y:
            part = flat[low_y - y : high_y - y, low_x - x : high_x - x]
            np.copyto(traits[low_y:high_y, low_x:high_x], part, where=part != KEEP)

    def traits_at(self, column: int, row: int) -> int:
        """Return the traits that a cell gets from its tile."""
        return self._traits(self.layer._tiles.raw_at(column - self.shift[0], row - self.shift[1]))

    def _looked_up(self, values: NDArray[np.uint32], kinds: NDArray[np.uint32]) -> Traits:
        """The traits of many raw values."""
        traits = np.array([self._known[raw] for raw in kinds.tolist()], np.uint16)
        last = int(kinds[-1])
        if last < 1 << 22:  # the usual case: no tile is flipped
            table = np.full(last + 1, KEEP, np.uint16)
            table[kinds] = traits
            found: Traits = table.take(values)
            return found
        at = np.searchsorted(kinds, values).clip(0, len(kinds) - 1)
        return np.where(kinds[at] == values, traits[at], np.uint16(KEEP))

    def _traits(self, raw: int) -> int:
        traits = self._known.get(raw)
        if traits is None:
            gid, traits = raw & GID_MASK, KEEP
            share = -1.0
            for rule, own in self._rules:
                if not _takes(rule, gid, self.layer.tilesets):
                    continue
                if not self.layer.tilesets.matches(gid, rule.properties, rule.class_name):
                    continue
                if rule.covered > 0.0:
                    share = self._share(raw) if share < 0.0 else share
                    if share < rule.covered:
                        continue
                traits = own
            self._known[raw] = traits
        return traits

    def _share(self, raw: int) -> float:
        """Return how much of its cell the collision shapes of a tile cover."""
        tiles = self.layer._tiles
        slot = int(np.flatnonzero(tiles.values == raw)[0])
        slots, columns, rows, _ = tiles.held.blocks()
        block = int(np.flatnonzero(slots == slot & -64)[0])
        column, row = int(columns[block]) + slot % 8, int(rows[block]) + slot % 64 // 8
        number = self.layer.id_of(column, row)
        [outline] = self.layer.outlines([number])
        points = _samples(outline)
        inside = np.zeros(len(points), bool)
        for shape in self.layer.collision_shapes(number):
            if shape.shape not in ("point", "polyline"):
                inside |= _inside(shape.points, points)
        return float(inside.mean())


class _Objects:
    """The rules of an object layer. Objects do not move, so their cells are found once."""

    def __init__(
        self, layer: ObjectLayer, rules: list[_Chosen], shape: Shape, tilesets: TilesetList
    ) -> None:
        self._traits: dict[tuple[int, int], int] = {}
        points = _samples(shape.outline)
        for rule, traits in rules:
            for item in layer.objects:
                if not object_matches(item, rule.properties, rule.class_name):
                    continue
                if not _takes(rule, item.gid, tilesets):
                    continue
                for column, row in _covered(item.points, item.shape, shape, points, rule.covered):
                    self._traits[column, row] = traits

    def apply(self, traits: Traits) -> None:
        """Write the traits of the cells that objects cover."""
        for (column, row), own in self._traits.items():
            traits[row, column] = own

    def traits_at(self, column: int, row: int) -> int:
        """The traits that objects give to a cell."""
        return self._traits.get((column, row), KEEP)


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


def _layers_of(tile_map: TileMap, name: str | None) -> list[Any]:
    """Return the layers that a rule applies to."""
    if name is None:
        return [layer for layer in tile_map.layers if isinstance(layer, TileLayer)]
    layer = tile_map.layer(name)
    if not isinstance(layer, TileLayer | ObjectLayer):
        raise ValueError(f"layer {name!r} must have tiles or objects, got {layer!r}")
    return [layer]


def _covered(
    points: NDArray[np.float64],
    kind: str,
    shape: Shape,
    samples: NDArray[np.float64],
    least: float,
) -> list[tuple[int, int]]:
    """Return the cells of which an outline covers at least a share; 0 means any overlap."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.abs(shape.outline).max(axis=0)
    if kind in ("point", "polyline"):  # they have no area, so they cover no share of a cell
        if least > 0.0:
            return []
        points = _along(points, float(half.min()) / SAMPLES)
    columns, rows = _near(shape, low - half, high + half)
    centers = shape.centers(columns, rows)
    found = []
    for column, row, center in zip(columns.tolist(), rows.tolist(), centers, strict=True):
        if kind in ("point", "polyline"):
            share = float(_inside(shape.outline + center, points).any())
        else:
            share = float(_inside(points, samples + center).mean())
        if share >= least and share > 0.0:
            found.append((column, row))
    return found


def _near(
    shape: Shape, low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cells with their center in a box."""
    rows, columns = np.divmod(np.arange(shape.rows * shape.columns), max(shape.columns, 1))
    centers = shape.centers(columns, rows)
    near = ((centers >= low) & (centers <= high)).all(axis=1)
    return columns[near], rows[near]


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
