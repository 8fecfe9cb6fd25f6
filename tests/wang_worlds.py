"""Wang sets and maps made at random, and a judge that knows nothing of how brushes work."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.tmx import map_text, write_tiles
from tilequad import load_map
from tilequad.tiled import TileLayer, TileMap

__all__ = ["GRIDS", "Judge", "all_tiles", "wang_map"]

GRIDS = {
    "orthogonal": "",
    "leftwards": 'renderorder="left-up"',
    "isometric": 'orientation="isometric"',
    "staggered y": 'orientation="staggered" staggeraxis="y" staggerindex="odd"',
    "staggered y even": 'orientation="staggered" staggeraxis="y" staggerindex="even"',
    "staggered x": 'orientation="staggered" staggeraxis="x" staggerindex="odd"',
    "hexagonal": 'orientation="hexagonal" hexsidelength="8" staggeraxis="x" staggerindex="even"',
}

WHERE = {"corner": (1, 3, 5, 7), "edge": (0, 2, 4, 6), "mixed": tuple(range(8))}

# What a flip does to the colors of a Wang id, told clockwise from the top. On an isometric or
# staggered map, the top edge is drawn at the upper right.
SQUARE = {8: (0, 7, 6, 5, 4, 3, 2, 1), 4: (4, 3, 2, 1, 0, 7, 6, 5), 2: (6, 5, 4, 3, 2, 1, 0, 7)}
DIAMOND = {8: (6, 5, 4, 3, 2, 1, 0, 7), 4: (2, 1, 0, 7, 6, 5, 4, 3)}

Tiles = list[tuple[int, ...]]


def all_tiles(kind: str, colors: range | list[int], versions: int = 1) -> Tiles:
    """Return the Wang ids of a complete set, without the one of an empty cell."""
    found = []
    for choice in itertools.product(colors, repeat=len(WHERE[kind])):
        wang_id = [0] * 8
        for place, color in zip(WHERE[kind], choice, strict=True):
            wang_id[place] = color
        if any(wang_id):
            found += [tuple(wang_id)] * versions
    return found


def wang_map(
    folder: Path,
    kind: str,
    tiles: Tiles,
    size: tuple[int, int],
    *,
    grid: str = "orthogonal",
    colors: int = 3,
    probabilities: dict[int, float] | None = None,
    attributes: str = "",
    transformations: str = "",
) -> TileMap:
    """Return an empty map with a layer "g", and a Wang set "Ground" of tiles 0 and on.

    The tileset begins at gid 11 and has 3 tiles more, without colors.
    """
    write_tiles(folder / "tiles.png")
    chances = "".join(
        f'<tile id="{tile}" probability="{chance}"/>'
        for tile, chance in (probabilities or {}).items()
    )
    names = "".join(
        f'<wangcolor name="c{n + 1}" color="#ff0000" tile="-1" probability="1"/>'
        for n in range(colors)
    )
    wang_tiles = "".join(
        f'<wangtile tileid="{number}" wangid="{",".join(map(str, wang_id))}"/>'
        for number, wang_id in enumerate(tiles)
    )
    tileset = (
        f'<tileset firstgid="11" name="t" tilewidth="16" tileheight="16" columns="2" '
        f'tilecount="{len(tiles) + 3}"><image source="tiles.png" width="32" height="32"/>'
        f"{transformations}{chances}<wangsets>"
        f'<wangset name="Ground" type="{kind}" tile="-1">{names}{wang_tiles}</wangset></wangsets>'
        "</tileset>"
    )
    layer = f'<layer id="1" name="g" width="{size[0]}" height="{size[1]}"><data encoding="csv">'
    layer += ",".join(["0"] * (size[0] * size[1])) + "</data></layer>"
    path = folder / "wang.tmx"
    path.write_text(map_text(tileset, layer, size=size, attributes=f"{attributes} {GRIDS[grid]}"))
    return load_map(path)


class Judge:
    """Judges a map by brute force, with Tiled's rules of who neighbors whom.

    Args:
        tile_map: A map of `wang_map`.
        grid: Its kind.
    """

    def __init__(self, tile_map: TileMap, grid: str) -> None:
        self.tileset = tile_map.tilesets[0]
        [self.wang_set] = self.tileset.wang_sets
        self.size = tile_map.size
        self.grid = grid
        self.where = WHERE[self.wang_set.type]
        self.square = grid in ("orthogonal", "leftwards")
        self.by_tile = dict(self.wang_set.tiles)

    def shown(self, layer: TileLayer, column: int, row: int) -> tuple[int, ...]:
        """Return the Wang id of a cell; all 0 if it has none."""
        gid = layer.gid_of(column, row)
        flags = int(layer.flags([layer.id_of(column, row)])[0])
        return self.turned(self.by_tile.get(gid - self.tileset.first_gid, (0,) * 8), flags)

    def turned(self, wang_id: tuple[int, ...], flags: int) -> tuple[int, ...]:
        """Return a Wang id after flips: the diagonal one first."""
        moves = SQUARE if self.square else DIAMOND
        for flag in (2, 8, 4):
            if flags & flag:
                wang_id = tuple(wang_id[place] for place in moves[flag])
        return wang_id

    def around(self, x: int, y: int) -> list[tuple[int, int]]:
        """Return the neighbors of a cell in the order of a Wang id, in the map or not."""
        if self.square or self.grid == "isometric":
            steps = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
            return [(x + dx, y + dy) for dx, dy in steps]
        even = "even" in self.grid or self.grid == "hexagonal"
        if "y" in self.grid.split():
            shift = ((y & 1) == 0) == even
            right, left = x + shift, x - 1 + shift
            return [
                *((right, y - 1), (x + 1, y), (right, y + 1), (x, y + 2)),
                *((left, y + 1), (x - 1, y), (left, y - 1), (x, y - 2)),
            ]
        shift = ((x & 1) == 0) == even
        below, above = y + shift, y - 1 + shift
        return [
            *((x + 1, above), (x + 2, y), (x + 1, below), (x, y + 1)),
            *((x - 1, below), (x - 2, y), (x - 1, above), (x, y - 1)),
        ]

    def shared(self, x: int, y: int) -> Iterator[tuple[int, tuple[int, int], int]]:
        """Yield each place of a cell, a neighbor that shares it, and its place there."""
        around = self.around(x, y)
        for place in self.where:
            yield place, around[place], (place + 4) % 8
            if place % 2:  # the two others around a corner
                yield place, around[(place + 1) % 8], (place - 2) % 8
                yield place, around[place - 1], (place + 2) % 8

    def inside(self, cell: tuple[int, int]) -> bool:
        return 0 <= cell[0] < self.size[0] and 0 <= cell[1] < self.size[1]

    def seams(self, layer: TileLayer) -> set[tuple[int, int]]:
        """Return the cells with tiles that do not fit a neighbor's tile."""
        ids = {cell: self.shown(layer, *cell) for cell in np.ndindex(*self.size)}
        return {
            (x, y)
            for x, y in ids
            for place, other, there in self.shared(x, y)
            if self.inside(other) and ids[other][there] != ids[x, y][place]
        }

    def wanted(self, colors: dict[tuple[int, int], int], joins: bool) -> dict[tuple[int, int], Any]:
        """Return the Wang ids that colors of cells ask for."""
        pick = min if joins else max
        found = {}
        for x, y in colors:
            wang_id = [0] * 8
            for place in self.where:
                others = [other for own, other, _ in self.shared(x, y) if own == place]
                near = [colors[other] for other in others if other in colors]
                wang_id[place] = pick([colors[x, y], *near])
            found[x, y] = tuple(wang_id)
        return found
