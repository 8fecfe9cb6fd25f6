"""Grids for the tests of nav, with twins in numpy and scipy, and fields and fog made anew."""

from math import inf

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra

from tests.tmx import TILESET, csv_layer, write_map
from tilequad import load_map
from tilequad.nav import BLOCKED, Field, Fog, Grid, Rule

ORIENTATIONS = {
    "orthogonal": 'orientation="orthogonal" tilewidth="16" tileheight="16"',
    "isometric": 'orientation="isometric" tilewidth="32" tileheight="16"',
    "oblique": 'orientation="oblique" tilewidth="16" tileheight="16" skewx="6" skewy="0"',
    "staggered-rows": 'orientation="staggered" tilewidth="32" tileheight="16" staggeraxis="y" '
    'staggerindex="odd"',
    "staggered-columns": 'orientation="staggered" tilewidth="32" tileheight="16" staggeraxis="x" '
    'staggerindex="even"',
    "hexagonal-rows": 'orientation="hexagonal" tilewidth="16" tileheight="16" hexsidelength="8" '
    'staggeraxis="y" staggerindex="even"',
    "hexagonal-columns": 'orientation="hexagonal" tilewidth="18" tileheight="16" '
    'hexsidelength="8" staggeraxis="x" staggerindex="odd"',
}
DIAGONALS = ("never", "only_if_no_obstacles", "at_least_one_walkable", "always")
# A gid is a kind of ground: open, water, mud, sand.
RULES = (
    Rule("ground", BLOCKED, gids=[2]),
    Rule("ground", 2.5, gids=[3]),
    Rule("ground", 1.37, gids=[4]),
)


def map_grid(folder, name, gids, diagonal="only_if_no_obstacles"):
    """A map of one layer in some orientation, and its grid."""
    rows = np.asarray(gids).tolist()
    layer, size = csv_layer("ground", rows), (len(rows[0]), len(rows))
    tile_map = load_map(write_map(folder, TILESET, layer, size=size, attributes=ORIENTATIONS[name]))
    return tile_map, Grid.of(tile_map, *RULES, diagonal=diagonal)


def change(rng, grid, layer, built):
    """One change of a map, of 24 x 24 cells or more."""
    kind = rng.integers(4)
    if kind == 0:
        layer.set_tile(*rng.integers(0, 24, 2).tolist(), int(rng.integers(1, 5)))
    elif kind == 1:
        grid.set_costs(rng.choice(len(grid), 3), rng.choice([1.0, 2.0, 5.5, inf]))
    elif kind == 2 and built:
        grid.unblock(built.pop(rng.integers(len(built))))
    else:
        column, row = rng.integers(0, 22, 2)
        cells = ((row + np.arange(3))[:, None] * 24 + column + np.arange(3)).ravel()
        grid.block(cells)
        built.append(cells)


def cave(rng, rows, columns, share=0.45):
    """Caves: noise, smoothed a few times. True is open."""
    closed = rng.random((rows, columns)) < share
    for _ in range(3):
        padded = np.pad(closed, 1, constant_values=True).astype(int)
        around = sum(padded[r : r + rows, c : c + columns] for r in range(3) for c in range(3))
        closed = around >= 5
    return ~closed


def maze(rng, rows, columns):
    """A perfect maze of corridors one cell wide. True is open."""
    free = np.zeros((rows, columns), bool)
    stack = [(0, 0)]
    free[0, 0] = True
    while stack:
        r, c = stack[-1]
        ways = [
            (dr, dc)
            for dr, dc in ((0, 2), (2, 0), (0, -2), (-2, 0))
            if 0 <= r + dr < rows and 0 <= c + dc < columns and not free[r + dr, c + dc]
        ]
        if not ways:
            stack.pop()
            continue
        dr, dc = ways[rng.integers(len(ways))]
        free[r + dr // 2, c + dc // 2] = free[r + dr, c + dc] = True
        stack.append((r + dr, c + dc))
    return free


def same(field, other):
    """Whether two fields are equal to the last bit."""
    field.distance(0, 0), other.distance(0, 0)
    mine, its = field._part, other._part
    return mine.reach == its.reach and all(
        bool((one == other).all())
        for one, other in (
            (mine.words, its.words),
            (mine.lengths, its.lengths),
            (mine.headings, its.headings),
        )
    )


def renewed(field):
    """The same field, made from scratch."""
    goals = field.grid.center_many(field.goals)
    return Field(field.grid, goals, field.max_distance)


def seen_as_new(fog):
    """Whether all teams see what the same viewers see in a fog made from scratch."""

    def seen(one):
        return np.array([(one.counts(team), one.visible(team)) for team in range(one.teams)])

    found = seen(fog)  # before the other one asks the grid what has changed
    fresh = Fog(fog.grid, fog.teams, fog.units)
    for one in fog:
        reach = {"radius": one.radius, "radius_in_cells": one.radius_in_cells}
        if one.position is None:
            fresh.follow(one.item, team=one.team, over_walls=one.over_walls, **reach)
        else:
            fresh.add(*one.position, team=one.team, over_walls=one.over_walls, **reach)
    return np.array_equal(found, seen(fresh))


def told(value):
    """An answer, as plain lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [told(part) for part in value]
    return value


def neighbors_of(grid, number):
    """Cells that share an edge or a corner with one, by their outlines alone: (cell, is_edge).

    Corners that nearly meet are one: Tiled's cells of odd sizes are a pixel apart.
    """
    centers = grid.center_many(np.arange(len(grid)))
    outline = np.unique(np.round(grid._ground.shape.outline, 6), axis=0)
    size = np.ptp(outline, axis=0).max()
    away = centers - centers[number]
    near = np.flatnonzero((abs(away) < 3 * size).all(axis=1))
    near = near[near != number]
    apart = away[near, None, None] + outline[:, None] - outline  # of each corner from each
    shared = (np.hypot(apart[..., 0], apart[..., 1]) < 0.02 * size).sum(axis=(1, 2))
    return [(other, int(n) == 2) for other, n in zip(near.tolist(), shared, strict=True) if n]


class Twin:
    """The same graph in scipy: an edge for each legal move, half of its cost in each cell."""

    def __init__(self, grid):
        self.grid = grid
        self.centers = grid.center_many(np.arange(len(grid)))
        self.around = [neighbors_of(grid, number) for number in range(len(grid))]

    def graph(self):
        """The moves of the grid as it is now."""
        costs = self.grid.costs.ravel().astype(float)
        need = {"never": 9, "only_if_no_obstacles": 2, "at_least_one_walkable": 1, "always": 0}
        least = need[self.grid.diagonal]
        starts, ends, weights = [], [], []
        for number, around in enumerate(self.around):
            if costs[number] == inf:
                continue
            edges = {other for other, is_edge in around if is_edge}
            for other, is_edge in around:
                if costs[other] == inf:
                    continue
                if not is_edge:
                    beside = edges & {cell for cell, edge in self.around[other] if edge}
                    # At the border a cell beside the corner is missing: it is closed.
                    if sum(costs[cell] < inf for cell in beside) < least:
                        continue
                length = float(np.hypot(*(self.centers[number] - self.centers[other])))
                starts.append(number)
                ends.append(other)
                weights.append(length * (costs[number] + costs[other]) / 2)
        n = len(costs)
        return csr_matrix((weights, (starts, ends)), (n, n))

    def distances(self, goals):
        """The distance to the nearest open goal from each cell."""
        graph = self.graph()
        free = [goal for goal in goals if self.grid.costs.ravel()[goal] < inf]
        if not free:
            return np.full(len(self.grid), inf)
        return dijkstra(graph, indices=free, min_only=True)

    def approached(self, goals):
        """The same; of closed cells by way of the best open cell across an edge."""
        found, costs = self.distances(goals), self.grid.costs.ravel()
        for cell in np.flatnonzero(costs == inf).tolist():
            ways = [
                found[other] + np.hypot(*(self.centers[cell] - self.centers[other])) * costs[other]
                for other, is_edge in self.around[cell]
                if is_edge and costs[other] < inf
            ]
            found[cell] = min(ways, default=inf)
        return found

    def labels(self):
        """A label for each connected part."""
        return connected_components(self.graph(), directed=False)[1]
