"""Make frontier.tmx of frontier-plan.tmx: `python maps/make_frontier.py` writes the map.

The plan is drawn in Tiled: roads, river, lakes, groves, buildings, fields, sites of towers. Seeded
noise adds the rest, each time the same: corners of cells get grounds, Wang sets find the tiles.
"""

from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tilequad import load_map
from tilequad.ai import Route

HERE, SEED = Path(__file__).resolve().parent, 2026
MAP = load_map(HERE / "frontier-plan.tmx", y_up=False)
SIZE, TILE = MAP.size[0], MAP.tile_size[0]  # tiles along each side, and the pixels of a tile
TREES = [  # classes of single ones; then dense woods: cold, light, dry, and all others
    "oak_0 lime birch cherry apple sapling small_birch",
    "pine_0 pine_1 fir pine_0 fir small_pine small_fir",
    "birch birch lime small_birch",
    "autumn_oak autumn_oak lime autumn_sapling",
    "oak_0 oak_1 oak_0 lime pine_1 sapling",
]
FLOWERS = "flowers_red flowers_white flowers_yellow flowers_blue flowers_pink"
THINGS = "tuft tuft tuft bush bush_red bush_blue rock rocks pebbles flowers_white"


def gids_of(classes):
    """Return the gids of the tiles of some classes."""
    return np.concatenate([MAP.gids_with(class_name=name) for name in classes.split()])


def smooth(points):
    """Return a Catmull-Rom spline through the points, four pieces for each."""
    p, t = np.array([points[0], *points, points[-1]]), np.arange(4)[:, None] / 4
    a, b, c, d = (p[n : len(p) - 3 + n, None] for n in range(4))
    square, cube = 2 * a - 5 * b + 4 * c - d, 3 * b - a - 3 * c + d
    curve = b + ((c - a) * t + square * t**2 + cube * t**3) / 2
    return np.concatenate((curve.reshape(-1, 2), p[-1:]))


def distance(x, y, class_name):
    """Return the distance of points to the nearest line of the plan of a class, in tiles."""
    xy, nearest = np.stack((x.ravel(), y.ravel()), axis=1), np.inf
    for item in MAP.objects(class_name=class_name):
        line = Route(smooth(item.points) / TILE)
        away = line.at_many(line.progress_many(xy)) - xy
        nearest = np.minimum(nearest, np.hypot(*away.T))
    return nearest.reshape(x.shape)


def rings(x, y, class_name):
    """Yield for each ellipse of the plan how far points are from its center, and its radius."""
    for item in MAP.objects(class_name=class_name):
        across, down = item.bounds.center[0] / TILE, item.bounds.center[1] / TILE
        yield np.hypot(x - across, (y - down) * item.width / item.height), item.width / TILE / 2


def noise(rng, size, cell):
    """Return smooth random values (value noise) of a square, with features about `cell` long."""
    y, x = np.mgrid[0:size, 0:size] / cell
    row, column = y.astype(int), x.astype(int)
    knots = rng.random((row.max() + 3, column.max() + 3))
    u, v = ((3 - 2 * part) * part**2 for part in (x - column, y - row))
    top = knots[row, column] * (1 - u) + knots[row, column + 1] * u
    low = knots[row + 1, column] * (1 - u) + knots[row + 1, column + 1] * u
    return top * (1 - v) + low * v


def around(mask, by=1):
    """Return the mask dilated by a square, `by` in each direction."""
    return sliding_window_view(np.pad(mask, by), (2 * by + 1,) * 2).any(axis=(2, 3))


def corners_in(mask):
    """Return which corners of each cell are in a mask: first the upper left, then clockwise."""
    return np.stack((mask[:-1, :-1], mask[:-1, 1:], mask[1:, 1:], mask[1:, :-1]))


def tidy(mask):
    """Return the mask without single corners, and without cells that touch only diagonally."""
    for _ in range(4):
        a, b, c, d = corners_in(mask)
        crossed = (a == c) & (b == d) & (a != b)
        mask = mask | np.pad(crossed, ((0, 1), (0, 1))) | np.pad(crossed, ((0, 1), (1, 0)))
    p = np.pad(mask, 1)
    return mask & (p[:-2, 1:-1] | p[2:, 1:-1] | p[1:-1, :-2] | p[1:-1, 2:])


def footprints():
    """Return the cells of fields, buildings and towers, and those where a tree would hide them."""
    taken, clear = np.zeros((2, SIZE, SIZE), bool)
    for item in MAP.objects(class_name="field") + MAP.layer("places").objects:
        left, top, right, bottom = np.array(item.bounds) / TILE
        left, right, bottom = int(left), *np.ceil((right, bottom)).astype(int)
        if item.class_name == "tower":
            left, top, right = left - 1, top - 1, right + 1
        elif item.gid:  # behind its roof there is room
            top = (item.y - item.height * 0.7) / TILE
        if item.class_name not in ("road", "camera") and item.name not in ("boat", "gold_mine"):
            taken[int(top) : bottom, left:right] = True
            beside, below = (0, 2) if item.class_name == "field" else (int(item.gid > 0), 3)
            clear[int(top) : bottom + below, left - beside : right + beside] = True
    return taken, clear


def survey(taken):
    """Return the grounds as masks over the corners of cells, and how thick the woods are."""
    rng, size = np.random.default_rng(SEED), SIZE + 1
    y, x = np.mgrid[0:size, 0:size]
    rough = noise(rng, size, 9) * 0.6 + noise(rng, size, 4) * 0.4 - 0.5
    to_road, to_path, to_river = (distance(x, y, of) for of in ("road", "path", "river"))
    to_town = np.hypot((x - 115) / 1.25, y - 127)
    wet = to_river - 3.1 - rough * 6 < 0
    wet |= np.any([away - radius < rough * 7 for away, radius in rings(x, y, "lake")], axis=0)
    dry = 0.74 + 0.4 * (np.exp(-np.minimum(to_road, to_path) / 3) + np.exp(-((to_town / 30) ** 2)))
    wet |= noise(rng, size, 22) * 0.8 + noise(rng, size, 6) * 0.2 > dry
    bridge = (np.abs(y - 118) < 4) & (x >= 140) & (x <= 155)
    wet = np.where(bridge, np.abs(x - 147.5) < 4, wet & (to_road > 3.2)) & (to_path > 3.5)
    water = tidy(wet) & ~around(sliding_window_view(np.pad(taken, 1), (2, 2)).any(axis=(2, 3)), 2)
    roads = tidy((to_road < 1.45) & ~around(water)) | tidy((to_path < 1.1) & ~around(water))
    plaza = np.hypot((x - 115) / 7.6, (y - 128.6) / 3.6) + rough * 0.12
    woods = noise(rng, size, 17) * 0.75 + noise(rng, size, 6) * 0.25
    woods -= 0.3 * np.exp(-((to_town / 17) ** 2)) + 0.1 * np.exp(-((to_road / 4) ** 2))
    woods += sum(0.5 * np.exp(-((away / radius) ** 2)) for away, radius in rings(x, y, "grove"))
    moss = tidy((woods > 0.5) & ~around(water, 2))
    sunny = noise(rng, size, 8) * 0.7 + noise(rng, size, 4) * 0.3
    meadow = tidy((sunny > 0.52) & ~around(water | moss, 2))
    dirt, cobble = tidy((roads | (plaza < 1.22)) & ~water), tidy(plaza < 1)
    return water, tidy(~around(~water, 2)), moss, meadow, dirt, cobble, woods[:-1, :-1]


def plant(blocked, woods):
    """Return the trees: dense woods, single trees elsewhere, species by climate."""
    rng, species = np.random.default_rng(SEED + 4), [gids_of(classes) for classes in TREES]
    cold, light = noise(rng, SIZE, 40), noise(rng, SIZE, 9)
    dry = (light < 0.24) & (cold < 0.5)
    kinds = np.select([woods < 0.44, cold > 0.56, light > 0.72, dry], [0, 1, 2, 3], 4)
    chances = np.select([woods > 0.5, woods > 0.44], [0.6, 0.1], 0.012)
    trees, crowd = np.zeros((SIZE, SIZE), int), np.zeros((SIZE + 2, SIZE + 2), int)
    for row, column in zip(*np.divmod(rng.permutation(SIZE * SIZE), SIZE), strict=True):
        # No tree stands next to another, and one diagonally at most.
        free = not blocked[row, column] and rng.random() <= chances[row, column]
        if free and crowd[row + 1, column + 1] < 2:
            trees[row, column] = rng.choice(species[kinds[row, column]])
            crowd[row : row + 3, column : column + 3] += [[1, 2, 1], [2, 2, 2], [1, 2, 1]]
    return trees


def decorate(free, wooded, water, deep, moss):
    """Return flowers, stones and reeds, and their flips."""
    rng = np.random.default_rng(SEED + 3)
    patch, hue, chance = noise(rng, SIZE, 5), noise(rng, SIZE, 11), rng.random((SIZE, SIZE))
    wet, dark = corners_in(water), corners_in(moss).all(axis=0)
    full, dry = wet.all(axis=0), ~wet.any(axis=0)
    beds = dry & ~dark & (patch > 0.7) & (chance < 0.42)
    hue, tufts = (hue * 4.99).astype(int), gids_of("tuft")
    woodland = np.insert(gids_of("fern mushrooms log fern pebbles"), 1, tufts[2])
    rules = [
        *((beds & (hue == n), [bed, bed, tufts[0]]) for n, bed in enumerate(gids_of(FLOWERS))),
        (wet[0] & wet[1] & ~full & (chance < 0.4), gids_of("reeds")),
        (full & ~corners_in(deep).any(axis=0) & (chance < 0.12), gids_of("lilies")),
        (dark & ~wooded & (chance < 0.13), woodland),
        (dry & ~dark & ~beds & (chance < 0.1), gids_of(THINGS)),
    ]
    things, flips = np.zeros((SIZE, SIZE), int), np.where(free & dry, 8, 0)
    for where, gids in rules:
        things = np.where(where & free, rng.choice(gids, things.shape), things)
    return things, flips * rng.integers(2, size=things.shape)


taken, clear = footprints()
water, deep, moss, meadow, dirt, cobble, woods = survey(taken)
land, roads, decor, trees, places = MAP.layers[:5]
planned = [(layer, layer.gids_in(MAP.bounds)[2:]) for layer in (roads, decor)]
blocked = taken | clear | corners_in(water | around(dirt) | cobble).any(axis=0)
blocked[0] = True  # crowns in the top row would be cut off
trees.set_gids(MAP.bounds, plant(blocked, woods))

ground = MAP.wang_set("ground")
ground.fill(land, np.select([deep, water, moss, meadow], [5, 4, 3, 2], 1), corners=True, seed=SEED)
plain = [tile[0] + 1 for tile in ground.wang_set.tiles if tile[1] in ((0, 1) * 4, (0, 3) * 4)]
ids = land.ids()[np.isin(land.gids(land.ids()), plain)]  # eight pictures from one
turns = np.random.default_rng(SEED + 1).integers(8, size=len(ids)) * 2
land.set_tiles(land.cells(ids), land.gids(ids), turns)
MAP.wang_set("dirt").fill(roads, dirt * 1, corners=True, seed=SEED)
MAP.wang_set("cobble").fill(decor, cobble * 1, corners=True, seed=SEED)
free = ~(taken | corners_in(dirt | cobble).any(axis=0)) & (planned[0][1][0] == 0)
things = decorate(free, trees.gids_in(MAP.bounds).gids > 0, water, deep, moss)
for layer, (gids, flags) in [(decor, things), *planned]:
    layer.set_tiles(np.argwhere(gids)[:, ::-1], gids[gids > 0], flags[gids > 0])

[road], [west, *_] = MAP.objects(class_name="road"), MAP.objects(class_name="path")
# Their other way is no object of its own: where a grid is made of objects, it would take cells.
other = smooth([*west.points[::-1], road.points[-1]])
corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in other)
places.edit_object(road, points=np.round(smooth(road.points)), properties={"west_road": corners})
MAP.remove_layer(MAP.groups[0])  # what was drawn for this program alone
MAP.save(HERE / "frontier.tmx")
