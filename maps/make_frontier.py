"""Make frontier.tmx from the tilesets beside it: `python maps/make_frontier.py` writes the map.

The map has 256 x 256 tiles: a river with a bridge, lakes, woods, a town with fields, two villages,
and the road of the enemies. It is made of seeded noise around a few places set by hand, so it is
the same every time. Corners of cells get grounds, and Wang sets find the tiles.
"""

from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tilequad.tiled import TileMap

HERE = Path(__file__).resolve().parent
SIZE, TILE, SEED = 256, 32, 2026  # tiles along each side, and the pixels of a tile
CELLS = np.stack(np.indices((SIZE, SIZE))[::-1], axis=-1)  # column and row of each cell

# fmt: off
# Places set by hand, in tiles from the upper left.
ROAD = [
    (256, 46), (240, 48), (224, 42), (208, 52), (202, 68), (212, 84), (206, 100), (190, 104),
    (176, 111), (164, 117), (153, 118), (143, 118), (138, 117.4), (133.5, 113.4), (125, 110.6),
    (116, 111.2), (110, 115), (107.4, 120.5), (108.6, 126), (111.4, 128.8), (114.5, 127.8)]
PATHS = [
    [(114, 131), (102, 139), (84, 138), (68, 146), (52, 142), (34, 150), (16, 146), (0, 150)],
    [(110, 115), (98, 108), (88, 99), (80, 88), (70, 72), (62, 62)],
    [(116, 131), (121, 146), (116, 162), (100, 176), (84, 190), (72, 210), (70, 232), (60, 256)],
    [(190, 104), (204, 122), (198, 144), (206, 166), (202, 186)]]
RIVER = [
    (150, 0), (158, 22), (150, 44), (158, 66), (148, 86), (149, 104), (147, 118), (150, 132),
    (144, 150), (154, 172), (144, 194), (122, 206), (110, 226), (116, 256)]
BRIDGE = np.s_[116:120, 141:154]  # rows and columns
LAKES = [  # center and radius, as those of the woods near the town
    (146, 196, 15), (60, 100, 10), (222, 140, 12), (28, 36, 13), (224, 226, 16), (128, 92, 4.5)]
GROVES = [
    (121, 101, 7), (141, 104, 6), (135, 128, 6), (117, 116.5, 5.6), (139, 123, 5),
    (126, 114, 4.5), (122, 120.5, 3.5)]
TOWN = [  # left and lower edge
    ("town_hall", 112, 126.6), ("house_red", 103, 126), ("house_blue", 122, 125),
    ("house_thatch", 124.5, 129.5), ("house_blue", 101, 136), ("house_red", 121, 136.5),
    ("mill", 130, 126.6), ("well", 119, 130), ("lumber_camp", 118.5, 118.6),
    ("lumber_camp", 134.5, 126.5), ("lumber_camp", 96, 118), ("house_thatch", 112, 138),
    ("house_red", 139, 109.5), ("house_thatch", 58, 62), ("house_red", 63, 59),
    ("house_blue", 66, 64), ("well", 62, 65), ("lumber_camp", 54, 68), ("lumber_camp", 74, 80),
    ("house_blue", 198, 188), ("house_thatch", 205, 186), ("house_red", 202, 193),
    ("mill", 208, 192), ("lumber_camp", 192, 182), ("lumber_camp", 206, 160),
    ("stall_red", 116.2, 128.9), ("stall_blue", 112.4, 131.8), ("stall_red", 109.2, 131.4),
    ("boat", 143.9, 121.2), ("boat", 146.4, 112.6), ("boat", 139, 196.5), ("boat", 146.5, 201),
    ("quarry", 139, 129), ("quarry", 126, 99), ("quarry", 84, 132), ("quarry", 76, 66),
    ("quarry", 196, 176), ("gold_mine", 132, 129), ("gold_mine", 96, 121), ("gold_mine", 120, 124)]
KINDS = {  # class and properties of buildings
    "town": ("town_hall", {"takes": "wood"}), "lumber": ("drop_off", {"takes": "wood"}),
    "house": ("shelter", {}), "quarry": ("resource", {"resource": "stone"}),
    "gold": ("resource", {"resource": "gold"})}
FIELDS = [  # left, top, width, height, and the crop
    (128, 119, 5, 4, "wheat"), (129, 130, 6, 3, "cabbage"), (128, 136, 6, 4, "wheat"),
    (88, 124, 5, 4, "sown"), (87, 142, 6, 4, "wheat"), (43, 63, 5, 4, "cabbage"),
    (50, 56, 5, 3, "wheat"), (212, 184, 5, 4, "wheat"), (194, 192, 5, 3, "sown")]
TOWERS = [
    (139, 114), (136, 121), (129, 115), (127, 108), (121, 113), (112, 119), (114, 108),
    (104, 116), (104, 122), (120, 108), (170, 111), (173, 118), (186, 109), (200, 97),
    (214, 96), (212, 77), (197, 66), (208, 58), (218, 46), (232, 40)]
TREES = [  # single ones; then dense woods: cold, light, dry, and all others
    "oak_0 lime birch cherry apple sapling small_birch",
    "pine_0 pine_1 fir pine_0 fir small_pine small_fir", "birch birch lime small_birch",
    "autumn_oak autumn_oak lime autumn_sapling", "oak_0 oak_1 oak_0 lime pine_1 sapling"]
WOODLAND = ["fern", "tuft_2", "mushrooms", "log", "fern", "pebbles"]
FLOWERS = ["flowers_red", "flowers_white", "flowers_yellow", "flowers_blue", "flowers_pink"]
THINGS = ["tuft_0", "tuft_1", "tuft_2", "tuft_3"] * 3 + [
    "bush", "bush_red", "bush_blue", "rock", "rocks", "pebbles", "flowers_white"]
# fmt: on


def noise(rng, x, y, cell):
    """Return smooth random values (value noise) from 0 to 1, with features about `cell` long."""
    knots = rng.random((int(y.max() / cell) + 3, int(x.max() / cell) + 3))
    column, row = (x / cell).astype(int), (y / cell).astype(int)
    u, v = ((3 - 2 * part) * part**2 for part in (x / cell - column, y / cell - row))
    top = knots[row, column] * (1 - u) + knots[row, column + 1] * u
    low = knots[row + 1, column] * (1 - u) + knots[row + 1, column + 1] * u
    return top * (1 - v) + low * v


def smooth(points):
    """Return a Catmull-Rom spline through the points, four pieces for each."""
    p, t = np.array([points[0], *points, points[-1]], float), np.arange(4)[:, None] / 4
    a, b, c, d = (p[n : len(p) - 3 + n, None] for n in range(4))
    square, cube = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
    curve = b + ((c - a) * t + square * t**2 + cube * t**3) / 2
    return np.concatenate((curve.reshape(-1, 2), p[-1:]))


def distance(x, y, *lines):
    """Return the distance of each point to the nearest curve, in tiles."""
    nearest = np.full(x.shape, np.inf)
    for curve in map(smooth, lines):
        for (x0, y0), (dx, dy) in zip(curve, np.diff(curve, axis=0), strict=False):
            along = np.clip(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0, 1)
            nearest = np.minimum(nearest, np.hypot(x - x0 - along * dx, y - y0 - along * dy))
    return nearest


def around(mask, by=1):
    """Return the mask dilated by a square, `by` in each direction."""
    return sliding_window_view(np.pad(mask, by), (2 * by + 1,) * 2).any(axis=(2, 3))


def corners_in(mask):
    """Return which corners of each cell are in a mask: first the upper left, then clockwise."""
    return np.stack((mask[:-1, :-1], mask[:-1, 1:], mask[1:, 1:], mask[1:, :-1]))


def tidy(mask):
    """Return the mask without single corners, and without cells that touch only diagonally."""
    mask = mask.copy()
    for _ in range(4):
        a, b, c, d = corners_in(mask)
        crossed = (a == c) & (b == d) & (a != b)
        mask[:-1, :-1] |= crossed
        mask[:-1, 1:] |= crossed
    p = np.pad(mask, 1)
    return mask & (p[:-2, 1:-1] | p[2:, 1:-1] | p[1:-1, :-2] | p[1:-1, 2:])


def footprints(sizes):
    """Return the cells of fields, buildings and towers, and those where a tree would hide them."""
    taken, clear = np.zeros((2, SIZE, SIZE), bool)
    boxes = [(x - 1, y - 1, x + wide + 1, y + high, 2) for x, y, wide, high, _ in FIELDS]
    boxes += [(x - 1, y - 1, x + 2, y + 1, 3) for x, y in TOWERS]
    for left, top, right, bottom, below in boxes:
        taken[top:bottom, left:right] = clear[top : bottom + below, left:right] = True
    for name, left, foot in TOWN:
        if name not in ("boat", "gold_mine"):
            low, high = int(foot - sizes[name][1] / TILE * 0.7), int(np.ceil(foot))
            right = int(np.ceil(left + sizes[name][0] / TILE))
            taken[low:high, int(left) : right] = True
            clear[low : high + 3, int(left) - 1 : right + 1] = True
    return taken, clear


def survey(taken):
    """Return the grounds as masks over the corners of cells, and how thick the woods are."""
    y, x = np.mgrid[0 : SIZE + 1, 0 : SIZE + 1].astype(float)
    rng = np.random.default_rng(SEED)
    rough = noise(rng, x, y, 9) * 0.6 + noise(rng, x, y, 4) * 0.4 - 0.5
    to_road, to_path = distance(x, y, ROAD), distance(x, y, *PATHS)
    to_town = np.hypot((x - 115) / 1.25, y - 127)
    wet = distance(x, y, RIVER) - 3.1 - rough * 6 < 0
    for a, b, radius in LAKES:
        wet |= np.hypot(x - a, (y - b) * 1.25) - radius - rough * 7 < 0
    dry = 0.74 + 0.4 * np.exp(-np.minimum(to_road, to_path) / 3)
    dry += 0.4 * np.exp(-((to_town / 30) ** 2))
    wet |= noise(rng, x, y, 22) * 0.8 + noise(rng, x, y, 6) * 0.2 > dry
    bridge = (np.abs(y - 118) < 4) & (x >= 140) & (x <= 155)
    wet[bridge] = (np.abs(x - 147.5) < 4)[bridge]
    wet &= (to_path > 3.5) & ((to_road > 3.2) | bridge)
    water = tidy(wet) & ~around(sliding_window_view(np.pad(taken, 1), (2, 2)).any(axis=(2, 3)), 2)
    roads = tidy((to_road < 1.45) & ~around(water)) | tidy((to_path < 1.1) & ~around(water))
    plaza = np.hypot((x - 115) / 7.6, (y - 128.6) / 3.6) + rough * 0.12
    woods = noise(rng, x, y, 17) * 0.75 + noise(rng, x, y, 6) * 0.25
    woods -= 0.3 * np.exp(-((to_town / 17) ** 2)) + 0.1 * np.exp(-((to_road / 4) ** 2))
    for a, b, radius in GROVES:
        woods += 0.5 * np.exp(-((np.hypot(x - a, (y - b) * 1.3) / radius) ** 2))
    moss = tidy((woods > 0.5) & ~around(water, 2))
    sunny = noise(rng, x, y, 8) * 0.7 + noise(rng, x, y, 4) * 0.3
    meadow = tidy((sunny > 0.52) & ~around(water | moss, 2))
    dirt, cobble = tidy((roads | (plaza < 1.22)) & ~water), tidy(plaza < 1)
    return water, tidy(~around(~water, 2)), moss, meadow, dirt, cobble, woods[:-1, :-1]


def plant(blocked, woods, gids):
    """Return the trees: dense woods, single trees elsewhere, species by climate."""
    rng = np.random.default_rng(SEED + 4)
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    cold, light = noise(rng, x, y, 40), noise(rng, x, y, 9)
    dry = (light < 0.24) & (cold < 0.5)
    kinds = np.select([woods < 0.44, cold > 0.56, light > 0.72, dry], [0, 1, 2, 3], 4)
    chances = np.select([woods > 0.5, woods > 0.44], [0.6, 0.1], 0.012)
    trees, crowd = np.zeros((SIZE, SIZE), int), np.zeros((SIZE + 2, SIZE + 2), int)
    for row, column in zip(*np.divmod(rng.permutation(SIZE * SIZE), SIZE), strict=True):
        if blocked[row, column] or rng.random() > chances[row, column]:
            continue
        if crowd[row + 1, column + 1] < 2:  # no tree next to another, and one diagonally at most
            names = TREES[kinds[row, column]].split()
            trees[row, column] = gids[names[rng.integers(len(names))]]
            crowd[row : row + 3, column : column + 3] += [[1, 2, 1], [2, 2, 2], [1, 2, 1]]
    return trees


def decorate(free, wooded, water, deep, moss, gids):
    """Return flowers, stones and reeds, and their flips; then fields, and beds beside houses."""
    rng = np.random.default_rng(SEED + 3)
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(float)
    patch, hue, chance = noise(rng, x, y, 5), noise(rng, x, y, 11), rng.random((SIZE, SIZE))
    wet, dark = corners_in(water), corners_in(moss).all(axis=0)
    full, dry = wet.all(axis=0), ~wet.any(axis=0)
    beds = dry & ~dark & (patch > 0.7) & (chance < 0.42)
    hue = (hue * 4.99).astype(int)
    rules = [(beds & (hue == n), [bed, bed, "tuft_0"]) for n, bed in enumerate(FLOWERS)]
    rules += [
        (wet[0] & wet[1] & ~full & (chance < 0.4), ["reeds_0", "reeds_1"]),
        (full & ~corners_in(deep).any(axis=0) & (chance < 0.12), ["lilies_0", "lilies_1"]),
        (dark & ~wooded & (chance < 0.13), WOODLAND),
        (dry & ~dark & ~beds & (chance < 0.1), THINGS),
    ]
    things, flips = np.zeros((SIZE, SIZE), int), np.where(free & dry, 8, 0)
    for where, names in rules:
        tiles = np.array([gids[name] for name in names])
        things = np.where(where & free, tiles[rng.integers(len(names), size=x.shape)], things)
    for name, left, foot in TOWN:
        if name.startswith("house"):
            things[int(foot) - 1, int(left) - 1] = gids[FLOWERS[int(left) % 4]]
            things[int(foot) - 1, int(left) + 3] = gids[FLOWERS[int(foot) % 4]]
    for left, top, wide, high, crop in FIELDS:
        things[top : top + high, left : left + wide] = gids[crop]
        things[top - 1, left : left + wide] = gids["fence"]
        things[top + high - 1, left + wide], things[top, left - 1] = gids["hay"], gids["barrels"]
    for column, row in TOWERS:
        things[row, column] = gids["foundation"]
    return things, flips * rng.integers(2, size=x.shape)


def add_places(tile_map, gids, sizes):
    """Add the objects: the road of the enemies, sites of towers, buildings."""
    places = tile_map.add_object_layer("places", color=(208, 80, 48, 255))
    road, west = smooth(ROAD), smooth([*reversed(PATHS[0]), ROAD[-1]])
    # Their other way is no object of its own: where a grid is made of objects, it would take cells.
    corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in west * TILE)
    points = np.round((road - ROAD[0]) * TILE) + np.array(ROAD[0]) * TILE
    names = {"name": "road", "class_name": "road", "properties": {"west_road": corners}}
    places.add_object("polyline", points=points, **names)
    for column, row in TOWERS:  # the foot of the tower, centered on its foundation
        places.add_object("point", column * TILE + 16, row * TILE + 24, class_name="tower")
    places.add_object("point", 126.5 * TILE, 118.6 * TILE, name="start", class_name="camera")
    for name, left, foot in TOWN:
        kind, own = KINDS.get(name.split("_")[0], ("building", {}))
        names = {"name": name, "class_name": kind, "properties": own, "gid": gids[name]}
        places.add_object("tile", left * TILE, foot * TILE, sizes[name], **names)


def main():
    """Write the map."""
    title, color = {"title": "The frontier"}, (126, 174, 76, 255)
    cells = {"y_up": False, "background_color": color, "properties": title}
    tile_map = TileMap.new(SIZE, SIZE, (TILE, TILE), **cells)
    gids, sizes = {}, {}
    for file in ("terrain", "trees_tall", "trees_small", "buildings", "people", "effects"):
        tileset = tile_map.add_tileset(HERE / f"{file}.tsx")
        for number, tile in tileset.tiles.items():
            alike = [n for n, other in tileset.tiles.items() if other.class_name == tile.class_name]
            name = tile.class_name + f"_{alike.index(number)}" * (len(alike) > 1)
            gids[name], sizes[name] = tileset.first_gid + number, tileset.tile_size(number)
    taken, clear = footprints(sizes)
    water, deep, moss, meadow, dirt, cobble, woods = survey(taken)
    blocked = taken | clear | corners_in(water | around(dirt) | cobble).any(axis=0)
    blocked[0] = True  # crowns in the top row would be cut off
    trees = plant(blocked, woods, gids)
    land, roads, decor = (
        tile_map.add_tile_layer(name, encoding="zlib") for name in ("ground", "roads", "decor")
    )
    tile_map.add_tile_layer("trees", trees, encoding="zlib")

    ground = tile_map.wang_set("ground")
    colors = np.select([deep, water, moss, meadow], [5, 4, 3, 2], 1)
    ground.fill(land, colors, corners=True, seed=SEED)
    plain = [tile[0] + 1 for tile in ground.wang_set.tiles if tile[1] in ((0, 1) * 4, (0, 3) * 4)]
    ids = land.ids()[np.isin(land.gids(land.ids()), plain)]  # eight pictures from one
    turns = np.random.default_rng(SEED + 1).integers(8, size=len(ids)) * 2
    land.set_tiles(land.cells(ids), land.gids(ids), turns)
    tile_map.wang_set("dirt").fill(roads, dirt * 1, corners=True, seed=SEED)
    parts = [gids[f"bridge_{part}"] for part in ("top", "middle", "middle", "bottom")]
    roads.set_tiles(CELLS[BRIDGE].reshape(-1, 2), np.repeat(parts, CELLS[BRIDGE].shape[1]))
    tile_map.wang_set("cobble").fill(decor, cobble * 1, corners=True, seed=SEED)
    free = ~(taken | corners_in(dirt | cobble).any(axis=0))
    free[BRIDGE] = False
    things, flips = decorate(free, trees > 0, water, deep, moss, gids)
    decor.set_tiles(CELLS[things > 0], things[things > 0], flips[things > 0])
    add_places(tile_map, gids, sizes)
    tile_map.save(HERE / "frontier.tmx")


if __name__ == "__main__":
    main()
