"""Maps whose tiles have collision shapes, and their solids as polygons."""

import numpy as np
import shapely

from tests.nav_worlds import ORIENTATIONS
from tests.tmx import csv_layer, write_map
from tilequad import load_map
from tilequad.nav import BLOCKED, Grid, Rule

# What Tiled's collision editor writes, in pixels of a tile of 16 x 16.
SHAPES = [
    '<object id="1" x="4" y="4" width="8" height="5"/>',
    '<object id="1" x="2" y="2" width="12" height="12"><ellipse/></object>',
    '<object id="1" x="0" y="16"><polygon points="0,0 16,0 16,-16"/></object>',
    '<object id="1" x="0" y="0"><polygon points="0,0 16,0 16,4 4,4 4,16 0,16"/></object>',
    '<object id="1" x="2" y="3"><polyline points="0,0 9,4 5,11"/></object>',
    '<object id="1" x="8" y="9" width="14" height="5"/>',  # sticks out
    '<object id="1" x="1" y="1" width="3" height="4"/><object id="2" x="9" y="9"><polygon '
    'points="0,0 5,2 3,6"/></object>',
    '<object id="1" x="3" y="5" width="11" height="4" rotation="25"/>',
    '<object id="1" x="0" y="0" width="16" height="16"/>',
]
OPEN, WHOLE = 1, 2
FIRST = 3  # the gid of the first tile with a shape
LAST = FIRST + len(SHAPES)
FLIPS = [flags << 29 for flags in range(8)]

BASE = (
    '<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="16" columns="2">'
    '<image source="tiles.png" width="32" height="128"/>{}</tileset>'
)


def shape_map(folder, name, gids, rules=None, y_up=True, diagonal="only_if_no_obstacles", more=""):
    """A map whose tiles from FIRST on have shapes, and its grid."""
    tiles = "".join(
        f'<tile id="{FIRST - 1 + k}"><objectgroup>{text}</objectgroup></tile>'
        for k, text in enumerate(SHAPES)
    )
    rows = np.asarray(gids).tolist()
    parts = BASE.format(tiles), csv_layer("ground", rows), more
    size = len(rows[0]), len(rows)
    path = write_map(folder, *parts, size=size, attributes=ORIENTATIONS[name])
    tile_map = load_map(path, y_up=y_up)
    gid_range = range(WHOLE, LAST)
    rules = rules or (Rule("ground", BLOCKED, gids=gid_range),)
    return tile_map, Grid.of(tile_map, *rules, diagonal=diagonal)


def some_gids(rng, rows, columns, share=0.5):
    """Tiles at random, many of them open."""
    gids = np.where(
        rng.random((rows, columns)) < share, OPEN, rng.integers(WHOLE, LAST, (rows, columns))
    )
    turned = rng.choice(FLIPS, (rows, columns))
    return np.where(gids >= FIRST, gids + turned, gids)


def solids(tile_map, grid):
    """By cell, the solids in it: shapely's polygons and lines, made from the shapes alone."""
    layer = tile_map.layer("ground")
    outline, whole, shapes = grid._ground.shape.outline, {}, []
    for cell in range(len(grid)):
        row, column = divmod(cell, grid.columns)
        number = layer.id_of(column, row)
        gid = int(layer.gids([number])[0]) if number is not None else 0
        if gid == WHOLE:
            whole[cell] = shapely.Polygon(outline + grid.center(cell))
        elif gid >= FIRST:
            for shape in layer.collision_shapes(number):
                line = shape.shape == "polyline"
                shapes.append((shapely.LineString if line else shapely.Polygon)(shape.points))
    found = {}
    for cell in range(len(grid)):
        if cell in whole:
            found[cell] = [whole[cell]]
            continue
        own = shapely.Polygon(outline + grid.center(cell))
        parts = [
            part
            for shape in shapes
            for part in [shapely.intersection(own, shape)]
            if part.area > 1e-6 or (shape.area == 0 and part.length > 1e-6)
        ]
        if parts:
            found[cell] = parts
    return found
