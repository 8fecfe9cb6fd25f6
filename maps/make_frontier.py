"""Make frontier.tmx from the tilesets beside it: `python maps/make_frontier.py` writes the map.

The map has 256 x 256 tiles: a river with a bridge, lakes, woods, a town with fields, two villages,
and the road of the enemies. It is generated from seeded noise around a few places set by hand, so
it is the same every time.

Grounds are assigned to the corners of cells; each cell shows the tile with the same corners.
"""

from __future__ import annotations

import argparse
import base64
import struct
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
SIZE = 256  # tiles along each side
TILE = 32  # width and height of a tile in pixels
FORMAT = {"version": "1.8", "tiledversion": "1.8.2"}
#: The tilesets in the order in which the map uses them.
TILESETS = {
    f"{name}.tsx": ET.parse(HERE / f"{name}.tsx").getroot()
    for name in ("terrain", "trees_tall", "trees_small", "buildings", "people", "effects")
}
SEED = 2026

Mask = NDArray[np.bool_]
Gids = NDArray[np.uint32]
Floats = NDArray[np.float64]
Point = tuple[float, float]

# Places set by hand, in tiles from the upper left.
ROAD: list[Point] = [
    (256, 46), (240, 48), (224, 42), (208, 52), (202, 68), (212, 84), (206, 100), (190, 104),
    (176, 111), (164, 117), (153, 118), (143, 118), (138, 117.4), (133.5, 113.4), (125, 110.6),
    (116, 111.2), (110, 115), (107.4, 120.5), (108.6, 126), (111.4, 128.8), (114.5, 127.8),
]  # fmt: skip
PATHS: list[list[Point]] = [
    [(114, 131), (102, 139), (84, 138), (68, 146), (52, 142), (34, 150), (16, 146), (0, 150)],
    [(110, 115), (98, 108), (88, 99), (80, 88), (70, 72), (62, 62)],
    [(116, 131), (121, 146), (116, 162), (100, 176), (84, 190), (72, 210), (70, 232), (60, 256)],
    [(190, 104), (204, 122), (198, 144), (206, 166), (202, 186)],
]
#: The way of those who come from the west: the first of the paths, and on to the town hall.
WEST_ROAD: list[Point] = [*reversed(PATHS[0]), ROAD[-1]]
RIVER: list[Point] = [
    (150, 0), (158, 22), (150, 44), (158, 66), (148, 86), (149, 104), (147, 118), (150, 132),
    (144, 150), (154, 172), (144, 194), (122, 206), (110, 226), (116, 256),
]  # fmt: skip
LAKES: list[tuple[float, float, float]] = [
    (146, 196, 15), (60, 100, 10), (222, 140, 12), (28, 36, 13), (224, 226, 16), (128, 92, 4.5),
]  # fmt: skip
BRIDGE = (118, range(141, 154))  # row of corners along its middle, columns of its cells
PLAZA = (115.0, 128.6, 7.6, 3.6)  # center and semi-axes

#: Buildings: picture, tile column of the left edge, tile row of the lower edge.
TOWN: list[tuple[str, float, float]] = [
    ("town_hall", 112, 126.6),
    ("house_red", 103, 126), ("house_blue", 122, 125), ("house_thatch", 124.5, 129.5),
    ("house_blue", 101, 136), ("house_red", 121, 136.5), ("mill", 130, 126.6),
    ("well", 119, 130), ("lumber_camp", 118.5, 118.6), ("lumber_camp", 134.5, 126.5),
    ("lumber_camp", 96, 118), ("house_thatch", 112, 138), ("house_red", 139, 109.5),
    ("house_thatch", 58, 62), ("house_red", 63, 59), ("house_blue", 66, 64),
    ("well", 62, 65), ("lumber_camp", 54, 68), ("lumber_camp", 74, 80),
    ("house_blue", 198, 188), ("house_thatch", 205, 186), ("house_red", 202, 193),
    ("mill", 208, 192), ("lumber_camp", 192, 182), ("lumber_camp", 206, 160),
    ("stall_red", 116.2, 128.9), ("stall_blue", 112.4, 131.8), ("stall_red", 109.2, 131.4),
    ("boat", 143.9, 121.2), ("boat", 146.4, 112.6), ("boat", 139, 196.5), ("boat", 146.5, 201),
    ("quarry", 139, 129), ("quarry", 126, 99), ("quarry", 84, 132), ("quarry", 76, 66),
    ("quarry", 196, 176),
]  # fmt: skip
#: Gold mines, on free ground: tile column of the left edge, tile row of the lower edge.
MINES: list[tuple[float, float]] = [(132, 129), (96, 121), (120, 124)]
#: Fields: left, top, width, height in tiles, and the crop.
FIELDS: list[tuple[int, int, int, int, str]] = [
    (128, 119, 5, 4, "wheat"), (129, 130, 6, 3, "cabbage"), (128, 136, 6, 4, "wheat"),
    (88, 124, 5, 4, "sown"), (87, 142, 6, 4, "wheat"), (43, 63, 5, 4, "cabbage"),
    (50, 56, 5, 3, "wheat"), (212, 184, 5, 4, "wheat"), (194, 192, 5, 3, "sown"),
]  # fmt: skip
TOWERS: list[Point] = [
    (139.5, 114.5), (136, 121.5), (129.5, 115.6), (127, 108.4), (121, 113.8), (112, 119),
    (114, 108.4), (104.5, 116), (104, 122), (120.5, 108.6), (170, 111),
    (173, 118.5), (186, 109), (200, 97), (214, 96), (212, 77),
    (197, 66), (208, 58), (218, 46), (232, 40),
]  # fmt: skip
#: Woods near the town: center and radius.
GROVES: list[tuple[float, float, float]] = [
    (121, 101, 7), (141, 104, 6), (135, 128, 6), (117, 116.5, 5.6), (139, 123, 5), (126, 114, 4.5),
    (122, 120.5, 3.5),
]  # fmt: skip
CAMERA: Point = (126.5, 118.6)

#: How much a tree crowds its neighboring cells.
CROWDING = np.array([[1, 2, 1], [2, 2, 2], [1, 2, 1]])

#: The class of each building, by picture.
CLASSES = {
    "town_hall": "town_hall",
    "house_red": "shelter",
    "house_blue": "shelter",
    "house_thatch": "shelter",
    "lumber_camp": "drop_off",
    "quarry": "resource",
}


# -- the tilesets --


def _classes(name: str) -> dict[str, int]:
    """Return the local ids of a tileset's tiles by class; a class of several counts them from 0."""
    ids: dict[str, list[int]] = {}
    for tile in TILESETS[name].findall("tile"):
        ids.setdefault(tile.get("type", ""), []).append(int(tile.get("id", "")))
    found = {}
    for class_name, tiles in ids.items():
        names = (
            [class_name] if len(tiles) == 1 else [f"{class_name}_{n}" for n in range(len(tiles))]
        )
        found.update(zip(names, tiles, strict=True))
    return found


def _ground_tiles() -> dict[str, dict[int, list[int]]]:
    """Return the tiles of each terrain set by case, which `_case` defines."""
    found: dict[str, dict[int, list[int]]] = {}
    for terrain_set in TILESETS["terrain.tsx"].iter("wangset"):
        cases = found[terrain_set.get("name", "")] = {}
        for tile in terrain_set.iter("wangtile"):
            # Tiled lists edges and corners alternately, clockwise from the top edge.
            corners = tile.get("wangid", "").split(",")[1::2]
            case = sum(
                int(corner) << bit for corner, bit in zip(corners, (1, 2, 3, 0), strict=True)
            )
            cases.setdefault(case, []).append(int(tile.get("tileid", "")))
    return found


def _picture_size(tile: ET.Element) -> tuple[int, int]:
    """Return width and height of a tile's own picture."""
    picture = tile.find("image")
    assert picture is not None
    return int(picture.get("width", "")), int(picture.get("height", ""))


TERRAIN_ID = _classes("terrain.tsx")
GROUND_TILES = _ground_tiles()
TALL_TREE_ID = _classes("trees_tall.tsx")
SMALL_TREE_ID = _classes("trees_small.tsx")
BUILDING_ID = _classes("buildings.tsx")
BUILDING_SIZE = {
    tile.get("type", ""): _picture_size(tile) for tile in TILESETS["buildings.tsx"].iter("tile")
}


# -- the land --


@dataclass
class Land:
    """The land as masks, over the 257 x 257 corners unless a comment says cells."""

    water: Mask
    deep: Mask
    meadow: Mask
    moss: Mask
    dirt: Mask
    cobble: Mask
    woods: Floats
    taken: Mask  # cells with fields, buildings and tower sites
    clear: Mask  # cells where no tree may grow


def main() -> None:
    """Write the map."""
    parser = argparse.ArgumentParser(description="Make the map of the demo.")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for frontier.tmx")
    path = parser.parse_args().out / "frontier.tmx"
    root = frontier()
    ET.indent(root, " ")
    text = ET.tostring(root, encoding="unicode")
    path.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')
    print(path)


# -- the map --


def frontier() -> ET.Element:
    """Return the map as XML."""
    land = survey()
    first = _first_gids()
    root = ET.Element(
        "map",
        FORMAT,
        orientation="orthogonal",
        renderorder="right-down",
        width=str(SIZE),
        height=str(SIZE),
        tilewidth=str(TILE),
        tileheight=str(TILE),
        infinite="0",
        backgroundcolor="#7eae4c",
        nextlayerid="6",
    )
    _properties(root, title="The frontier")
    for name, first_gid in first.items():
        ET.SubElement(root, "tileset", firstgid=str(first_gid), source=name)
    woods = plant(land, first)
    layers = {
        "ground": lay_ground(land),
        "roads": lay_roads(land),
        "decor": lay_decor(land, woods > 0),
        "trees": woods,
    }
    for number, (name, cells) in enumerate(layers.items(), 1):
        root.append(_tile_layer(number, name, cells))
    places, objects = _places(first["buildings.tsx"])
    root.append(places)
    root.set("nextobjectid", str(objects + 1))
    return root


def _first_gids() -> dict[str, int]:
    """Return the first gid of each tileset."""
    first, next_gid = {}, 1
    for name, root in TILESETS.items():
        first[name] = next_gid
        next_gid += int(root.get("tilecount", "0"))
    return first


def survey() -> Land:
    """Lay out water, woods, roads and buildings."""
    y, x = np.mgrid[0 : SIZE + 1, 0 : SIZE + 1].astype(float)
    rng = np.random.default_rng(SEED)
    rough = noise(rng, x, y, 9) * 0.6 + noise(rng, x, y, 4) * 0.4 - 0.5
    to_road, to_path = _distance(x, y, [ROAD]), _distance(x, y, PATHS)
    taken, clear = _taken()
    water = _tidy(_wet(rng, x, y, rough, to_road, to_path)) & ~_grown(_corners_of(taken), 2)
    deep = _tidy(~_grown(~water, 2))

    road = _tidy((to_road < 1.45) & ~_grown(water, 1))
    road |= _tidy((to_path < 1.1) & ~_grown(water, 1))
    middle_x, middle_y, half_x, half_y = PLAZA
    radius = np.hypot((x - middle_x) / half_x, (y - middle_y) / half_y) + rough * 0.12
    dirt = _tidy((road | (radius < 1.22)) & ~water)
    cobble = _tidy(radius < 1.0)

    woods = noise(rng, x, y, 17) * 0.75 + noise(rng, x, y, 6) * 0.25
    woods -= 0.30 * np.exp(-((_to_town(x, y) / 17) ** 2)) + 0.10 * np.exp(-((to_road / 4) ** 2))
    for grove_x, grove_y, radius in GROVES:
        woods += 0.5 * np.exp(-((np.hypot(x - grove_x, (y - grove_y) * 1.3) / radius) ** 2))
    sunny = noise(rng, x, y, 8) * 0.7 + noise(rng, x, y, 4) * 0.3
    moss = _tidy((woods > 0.50) & ~_grown(water, 2))
    meadow = _tidy((sunny > 0.52) & ~_grown(water | moss, 2))
    return Land(water, deep, meadow, moss, dirt, cobble, woods, taken, clear)


def _wet(
    rng: np.random.Generator, x: Floats, y: Floats, rough: Floats, to_road: Floats, to_path: Floats
) -> Mask:
    """Return the corners under water: river, lakes and ponds, away from roads and bridge."""
    river = _distance(x, y, [RIVER]) - 3.1 - rough * 6
    lakes = [np.hypot(x - a, (y - b) * 1.25) - radius - rough * 7 for a, b, radius in LAKES]
    dry = 0.74 + 0.4 * np.exp(-np.minimum(to_road, to_path) / 3)
    dry += 0.4 * np.exp(-((_to_town(x, y) / 30) ** 2))
    ponds = noise(rng, x, y, 22) * 0.8 + noise(rng, x, y, 6) * 0.2 > dry
    wet = (np.minimum.reduce([river, *lakes]) < 0) | ponds
    row, columns = BRIDGE
    crossing = (np.abs(y - row) < 4) & (x >= columns.start - 1) & (x <= columns.stop + 1)
    wet[crossing] = (np.abs(x - (columns.start + columns.stop) / 2) < 4)[crossing]
    wet &= (to_path > 3.5) & ((to_road > 3.2) | crossing)
    return np.asarray(wet)


def _to_town(x: Floats, y: Floats) -> Floats:
    """Return the distance to the town in tiles, compressed along x."""
    return np.hypot((x - 115) / 1.25, y - 127)


def lay_ground(land: Land) -> Gids:
    """Return the ground layer: grass, forest floor, water."""
    rng = np.random.default_rng(SEED + 1)
    cells = np.zeros((SIZE, SIZE), np.uint32)
    cells[:] = 1 + rng.integers(0, 8, cells.shape)
    # Rotate and mirror ground without direction: eight pictures from one.
    cells |= rng.integers(0, 8, cells.shape).astype(np.uint32) << 29
    for name, corners in (
        ("meadow", land.meadow),
        ("moss", land.moss),
        ("water", land.water),
        ("deep", land.deep),
    ):
        cells = _corner_tiles(cells, name, corners, rng)
    whole = np.isin(cells, [1 + tile for tile in GROUND_TILES["moss"][15]])
    cells[whole] |= rng.integers(0, 8, int(whole.sum())).astype(np.uint32) << 29
    return cells


def lay_roads(land: Land) -> Gids:
    """Return the road layer: road, paths and bridge."""
    rng = np.random.default_rng(SEED + 2)
    cells = _corner_tiles(np.zeros((SIZE, SIZE), np.uint32), "dirt", land.dirt, rng)
    row, columns = BRIDGE
    parts = ("bridge_top", "bridge_middle", "bridge_middle", "bridge_bottom")
    for offset, part in enumerate(parts):
        cells[row - 2 + offset, columns.start : columns.stop] = 1 + TERRAIN_ID[part]
    return cells


def lay_decor(land: Land, wooded: Mask) -> Gids:
    """Return the decor layer: paving, fields, flowers, stones, reeds."""
    rng = np.random.default_rng(SEED + 3)
    cells = _corner_tiles(np.zeros((SIZE, SIZE), np.uint32), "cobble", land.cobble, rng)
    _lay_fields(cells)
    for x, y in TOWERS:
        cells[int(y), int(x)] = 1 + TERRAIN_ID["foundation"]
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    patch, hue = noise(rng, x, y, 5), noise(rng, x, y, 11)
    chance = rng.random(cells.shape)
    wet, mossy = _case(land.water), _case(land.moss)
    free = (cells == 0) & (_case(land.dirt) == 0) & ~land.taken
    bridge_row, bridge_columns = BRIDGE
    free[bridge_row - 2 : bridge_row + 2, bridge_columns.start : bridge_columns.stop] = False
    beds = ("red", "white", "yellow", "blue", "pink")
    for row, column in zip(*np.nonzero(free), strict=True):
        if wet[row, column]:
            names = _at_water(int(wet[row, column]), land.deep, row, column, chance[row, column])
        elif mossy[row, column] == 15:
            names = ("fern", "tuft_2", "mushrooms", "log", "fern", "pebbles")
            names = names if chance[row, column] < 0.13 else ()
        elif patch[row, column] > 0.70 and chance[row, column] < 0.42:
            bed = beds[int(hue[row, column] * 4.99)]
            names = (f"flowers_{bed}", f"flowers_{bed}", "tuft_0")
        elif chance[row, column] < 0.10:
            names = ("tuft_0", "tuft_1", "tuft_2", "tuft_3") * 3
            names += ("bush", "bush_red", "bush_blue", "rock", "rocks", "pebbles", "flowers_white")
        else:
            names = ()
        if names and not (wooded[row, column] and names[0] == "fern"):
            name = names[int(rng.integers(len(names)))]
            mirrored = 0 if wet[row, column] else int(rng.integers(2)) << 31
            cells[row, column] = (1 + TERRAIN_ID[name]) | mirrored
    return cells


def plant(land: Land, first: dict[str, int]) -> Gids:
    """Return the tree layer: dense woods, single trees elsewhere, species by climate."""
    rng = np.random.default_rng(SEED + 4)
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    climate, variety = noise(rng, x, y, 40), noise(rng, x, y, 9)
    thick = land.woods[:-1, :-1]
    cells = np.zeros((SIZE, SIZE), np.uint32)
    crowd = np.zeros((SIZE + 2, SIZE + 2), int)
    blocked = (_case(land.water) | _case(_grown(land.dirt, 1)) | _case(land.cobble)) > 0
    blocked |= land.taken | land.clear
    blocked[0] = True  # crowns in the top row would be cut off
    for number in rng.permutation(SIZE * SIZE):
        row, column = divmod(int(number), SIZE)
        density = thick[row, column]
        chance = 0.60 if density > 0.50 else 0.10 if density > 0.44 else 0.012
        if blocked[row, column] or rng.random() > chance:
            continue
        # No tree next to another one, and at most one diagonally.
        if crowd[row + 1, column + 1] > 1:
            continue
        name = _tree_species(climate[row, column], variety[row, column], density, rng)
        tileset = "trees_tall.tsx" if name in TALL_TREE_ID else "trees_small.tsx"
        cells[row, column] = first[tileset] + (TALL_TREE_ID | SMALL_TREE_ID)[name]
        crowd[row : row + 3, column : column + 3] += CROWDING
    return cells


def _tree_species(climate: float, variety: float, density: float, rng: np.random.Generator) -> str:
    """Choose a species that suits the place."""
    if density < 0.44:
        names = ["oak_0", "lime", "birch", "cherry", "apple", "sapling", "small_birch"]
    elif climate > 0.56:
        names = ["pine_0", "pine_1", "fir", "pine_0", "fir", "small_pine", "small_fir"]
    elif variety > 0.72:
        names = ["birch", "birch", "lime", "small_birch"]
    elif variety < 0.24 and climate < 0.5:
        names = ["autumn_oak", "autumn_oak", "lime", "autumn_sapling"]
    else:
        names = ["oak_0", "oak_1", "oak_0", "lime", "pine_1", "sapling"]
    return names[int(rng.integers(len(names)))]


def _at_water(case: int, deep: Mask, row: int, column: int, chance: float) -> tuple[str, ...]:
    """Return the plants in the water: reeds at a southern shore, lilies in the shallows."""
    if case == 15:
        shallow = not deep[row : row + 2, column : column + 2].any()
        return ("lilies_0", "lilies_1") if shallow and chance < 0.12 else ()
    return ("reeds_0", "reeds_1") if case in (7, 11, 3) and chance < 0.4 else ()


def _lay_fields(cells: Gids) -> None:
    """Add fields of one crop with a fence above, and flowers next to the houses."""
    for name, left, foot in TOWN:
        if name.startswith("house"):
            beds = ("flowers_red", "flowers_white", "flowers_pink", "flowers_yellow")
            cells[int(foot) - 1, int(left) - 1] = 1 + TERRAIN_ID[beds[int(left) % 4]]
            cells[int(foot) - 1, int(left) + 3] = 1 + TERRAIN_ID[beds[int(foot) % 4]]
    for left, top, width, height, crop in FIELDS:
        cells[top : top + height, left : left + width] = 1 + TERRAIN_ID[crop]
        cells[top - 1, left : left + width] = 1 + TERRAIN_ID["fence"]
        cells[top + height - 1, left + width] = 1 + TERRAIN_ID["hay"]
        cells[top, left - 1] = 1 + TERRAIN_ID["barrels"]


# -- layers and objects as XML --


def _tile_layer(number: int, name: str, cells: Gids) -> ET.Element:
    layer = ET.Element("layer", id=str(number), name=name, width=str(SIZE), height=str(SIZE))
    data = ET.SubElement(layer, "data", encoding="base64", compression="zlib")
    packed = struct.pack(f"<{cells.size}I", *cells.ravel().tolist())
    data.text = base64.b64encode(zlib.compress(packed, 9)).decode()
    return layer


def _places(first_building: int) -> tuple[ET.Element, int]:
    """Return the object layer and the number of its objects."""
    group = ET.Element("objectgroup", id="5", name="places", color="#d05030")
    road = _line(group, "road", "road", ROAD)
    # Not an object of its own: where a grid is made of objects, its cells would be taken.
    corners = (f"{round(x * TILE)},{round(y * TILE)}" for x, y in _smooth(WEST_ROAD))
    _properties(road, west_road=" ".join(corners))
    for x, y in TOWERS:
        # The foot of the tower, centered on its foundation.
        ET.SubElement(_object(group, "", "tower", int(x) + 0.5, int(y) + 0.75), "point")
    ET.SubElement(_object(group, "start", "camera", *CAMERA), "point")
    for name, left, foot in TOWN:
        item = _building(group, name, CLASSES.get(name, "building"), (left, foot), first_building)
        if name == "quarry":
            _properties(item, resource="stone")
        elif name in ("town_hall", "lumber_camp"):
            _properties(item, takes="wood")
    for left, foot in MINES:
        item = _building(group, "gold_mine", "resource", (left, foot), first_building)
        _properties(item, resource="gold")
    return group, len(group)


def _building(
    group: ET.Element, name: str, class_name: str, place: Point, first_gid: int
) -> ET.Element:
    """Add a building as a tile object, and return it."""
    item = _object(group, name, class_name, *place)
    width, height = BUILDING_SIZE[name]
    gid = first_gid + BUILDING_ID[name]
    item.attrib |= {"gid": str(gid), "width": str(width), "height": str(height)}
    return item


def _line(group: ET.Element, name: str, class_name: str, corners: Sequence[Point]) -> ET.Element:
    """Add a curve through some corners as a polyline, and return it."""
    curve = _smooth(corners)
    start_x, start_y = curve[0]
    line = _object(group, name, class_name, start_x, start_y)
    points = (f"{round((x - start_x) * TILE)},{round((y - start_y) * TILE)}" for x, y in curve)
    ET.SubElement(line, "polyline", points=" ".join(points))
    return line


def _properties(parent: ET.Element, **values: str) -> None:
    """Add custom properties to an element."""
    holder = ET.Element("properties")
    for name, value in values.items():
        ET.SubElement(holder, "property", name=name, value=value)
    parent.insert(0, holder)


def _object(group: ET.Element, name: str, class_name: str, x: float, y: float) -> ET.Element:
    item = ET.SubElement(group, "object", id=str(len(group) + 1), type=class_name)
    if name:
        item.set("name", name)
    item.attrib |= {"x": f"{x * TILE:g}", "y": f"{y * TILE:g}"}
    return item


# -- helpers --


def noise(rng: np.random.Generator, x: Floats, y: Floats, cell: float) -> Floats:
    """Return smooth random values (value noise) from 0 to 1, with features about `cell` long."""
    columns = int(x.max() / cell) + 3
    rows = int(y.max() / cell) + 3
    knots = rng.random((rows, columns))
    column, row = (x / cell).astype(int), (y / cell).astype(int)
    u, v = x / cell - column, y / cell - row
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    top = knots[row, column] * (1 - u) + knots[row, column + 1] * u
    low = knots[row + 1, column] * (1 - u) + knots[row + 1, column + 1] * u
    return np.asarray(top * (1 - v) + low * v)


def _corner_tiles(cells: Gids, name: str, corners: Mask, rng: np.random.Generator) -> Gids:
    """Set the tile with matching corners wherever a corner has the ground."""
    cases = _case(corners)
    laid = cells.copy()
    for case in range(1, 16):
        here = cases == case
        versions = GROUND_TILES[name][case]
        version = rng.integers(0, len(versions), int(here.sum()))
        if case == 15:
            # The first version is the plainest; make it the most common.
            version[rng.random(len(version)) < 0.5] = 0
        laid[here] = 1 + np.array(versions)[version]
    return laid


def _case(corners: Mask) -> NDArray[np.int64]:
    """Return each cell's case: 1 upper left + 2 upper right + 4 lower right + 8 lower left."""
    whole = corners.astype(np.int64)
    return whole[:-1, :-1] + 2 * whole[:-1, 1:] + 4 * whole[1:, 1:] + 8 * whole[1:, :-1]


def _tidy(corners: Mask) -> Mask:
    """Return the mask without single corners, and without cells that touch only diagonally."""
    corners = corners.copy()
    for _ in range(4):
        crossed = np.isin(_case(corners), (5, 10))
        corners[:-1, :-1] |= crossed
        corners[:-1, 1:] |= crossed
    neighbors = np.zeros(corners.shape, int)
    neighbors[1:] += corners[:-1]
    neighbors[:-1] += corners[1:]
    neighbors[:, 1:] += corners[:, :-1]
    neighbors[:, :-1] += corners[:, 1:]
    return corners & (neighbors > 0)


def _grown(corners: Mask, by: int) -> Mask:
    """Return the mask dilated by a square, `by` corners in each direction."""
    grown = corners.copy()
    for _ in range(by):
        for axis in (0, 1):
            ahead = np.moveaxis(grown, axis, 0)
            spread = ahead.copy()
            spread[1:] |= ahead[:-1]
            spread[:-1] |= ahead[1:]
            grown = np.moveaxis(spread, 0, axis)
    return grown


def _corners_of(cells: Mask) -> Mask:
    """Return the corners of the cells in a mask."""
    corners = np.zeros((SIZE + 1, SIZE + 1), bool)
    for row in (0, 1):
        for column in (0, 1):
            corners[row : row + SIZE, column : column + SIZE] |= cells
    return corners


def _taken() -> tuple[Mask, Mask]:
    """Return the cells of fields, buildings and towers, and those where a tree would hide them."""
    taken, clear = np.zeros((SIZE, SIZE), bool), np.zeros((SIZE, SIZE), bool)
    for left, top, width, height, _ in FIELDS:
        taken[top - 1 : top + height, left - 1 : left + width + 1] = True
        clear[top - 1 : top + height + 2, left - 1 : left + width + 1] = True
    for name, left, foot in TOWN:
        if name == "boat":
            continue
        wide, tall = (side / TILE for side in BUILDING_SIZE[name])
        low, high = int(foot - tall * 0.7), int(np.ceil(foot))
        taken[low:high, int(left) : int(np.ceil(left + wide))] = True
        clear[low : high + 3, int(left) - 1 : int(np.ceil(left + wide)) + 1] = True
    for x, y in TOWERS:
        taken[int(y) - 1 : int(y) + 1, int(x) - 1 : int(x) + 2] = True
        clear[int(y) - 1 : int(y) + 4, int(x) - 1 : int(x) + 2] = True
    return taken, clear


def _smooth(points: Sequence[Point], steps: int = 4) -> list[Point]:
    """Return a Catmull-Rom spline through the points."""
    ends = [points[0], *points, points[-1]]
    curve = [
        (
            _spline(a[0], b[0], c[0], d[0], step / steps),
            _spline(a[1], b[1], c[1], d[1], step / steps),
        )
        for a, b, c, d in zip(ends, ends[1:], ends[2:], ends[3:], strict=False)
        for step in range(steps)
    ]
    return [*curve, points[-1]]


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    """Interpolate between b and c; a and d control the slope."""
    bend = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
    return 0.5 * (2 * b + (c - a) * t + bend[0] * t * t + bend[1] * t * t * t)


def _distance(x: Floats, y: Floats, lines: Sequence[Sequence[Point]]) -> Floats:
    """Return the distance of each point to the nearest curve, in tiles."""
    nearest = np.full(x.shape, np.inf)
    for points in lines:
        curve = _smooth(points)
        for (x0, y0), (x1, y1) in pairwise(curve):
            dx, dy = x1 - x0, y1 - y0
            along = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
            nearest = np.minimum(nearest, np.hypot(x - x0 - along * dx, y - y0 - along * dy))
    return nearest


if __name__ == "__main__":
    main()
