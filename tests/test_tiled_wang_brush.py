"""Wang brushes: judged by the edges and corners that neighbors share, and by brute force."""

import itertools
import random
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from tests.wang_worlds import GRIDS, WHERE, Judge, all_tiles, wang_map
from tilequad import load_map
from tilequad.tiled import MapError, TileLayer

SIZE = (7, 6)
CASES = [(grid, "corner") for grid in GRIDS]
CASES += [
    ("orthogonal", "edge"),
    ("isometric", "mixed"),
    ("staggered x", "edge"),
    ("hexagonal", "mixed"),
]
ANY_TURN = '<transformations hflip="1" vflip="1" rotate="1" preferuntransformed="{}"/>'


def new_map(folder, kind, tiles, size=SIZE, *, grid="orthogonal", **options):
    """Return the layer of a new map, its brush and its judge."""
    tile_map = wang_map(folder, kind, tiles, size, grid=grid, **options)
    return tile_map.layer("g"), tile_map.wang_set("Ground"), Judge(tile_map, grid)


def as_dict(colors):
    """Return the colors of cells by column and row."""
    return {(column, row): int(colors[row, column]) for row, column in np.ndindex(*colors.shape)}


@pytest.mark.parametrize(("grid", "kind"), CASES)
def test_a_complete_set_fills_a_map_without_a_seam(tmp_path, grid, kind):
    tiles = all_tiles(kind, range(1, 4 if kind != "mixed" else 3), versions=2)
    layer, brush, judge = new_map(tmp_path, kind, tiles, grid=grid)
    rng = np.random.default_rng(len(grid))
    for seed in range(5):
        colors = rng.integers(1, 4 if kind != "mixed" else 3, SIZE[::-1])
        assert brush.fill(layer, colors, seed=seed).shape == (0, 2)
        assert not judge.seams(layer)
        wanted = judge.wanted(as_dict(colors), joins=False)
        assert {cell: judge.shown(layer, *cell) for cell in wanted} == wanted
        cells = list(wanted)
        assert list(map(tuple, brush.wang_ids(layer, cells).tolist())) == list(wanted.values())


def random_set(rng, kind):
    """Return some of the tiles of a complete set, some of them twice."""
    tiles = all_tiles(kind, range(rng.choice([0, 1]), 3))
    return rng.choices(tiles, k=rng.randint(1, min(40, len(tiles))))


@pytest.mark.parametrize("number", range(40))
def test_no_tile_fits_better_than_the_one_that_fill_chooses(tmp_path, number):
    rng = random.Random(number)
    kind, grid = rng.choice(list(WHERE)), rng.choice(list(GRIDS))
    turns = rng.choice(["", ANY_TURN.format(0), ANY_TURN.format(1)])
    layer, brush, judge = new_map(
        tmp_path, kind, random_set(rng, kind), grid=grid, colors=2, transformations=turns
    )
    flags = [0] if not turns else range(0, 16, 2 if judge.square else 4)
    known = {judge.turned(one, flag) for _, one in judge.wang_set.tiles for flag in flags}
    joins = kind != "corner" and any(0 in [one[p] for p in judge.where] for one in known)
    for seed in range(5):
        colors = np.array(rng.choices(range(3), k=SIZE[0] * SIZE[1])).reshape(SIZE[::-1])
        wrong = set(map(tuple, brush.fill(layer, colors, seed=seed).tolist()))
        for cell, wanted in judge.wanted(as_dict(colors), joins).items():
            shown = judge.shown(layer, *cell)
            misses = sum(map(int.__ne__, shown, wanted))
            alone = joins and colors[cell[::-1]] and not any(wanted)
            assert (cell in wrong) == (misses > 0)
            if alone:
                assert layer.gid_of(*cell)
                assert misses == min(sum(map(int.__ne__, one, wanted)) for one in known)
            else:
                options = known | {(0,) * 8}
                assert misses == min(sum(map(int.__ne__, one, wanted)) for one in options)


@pytest.mark.parametrize(("grid", "kind"), CASES)
def test_painted_cells_change_their_neighbors_and_nothing_else(tmp_path, grid, kind):
    tiles = all_tiles(kind, range(1, 3), versions=2)
    layer, brush, judge = new_map(tmp_path, kind, tiles, grid=grid, colors=2)
    rng = random.Random(f"{grid} {kind}")
    brush.fill(layer, np.ones(SIZE[::-1], int))
    for seed in range(30):
        before = {cell: judge.shown(layer, *cell) for cell in np.ndindex(*SIZE)}
        gids = {cell: layer.gid_of(*cell) for cell in before}
        cells = [(rng.randrange(SIZE[0]), rng.randrange(SIZE[1])) for _ in range(1 + seed % 4)]
        color = rng.randint(1, 2)
        assert brush.paint(layer, cells, color, seed=seed).shape == (0, 2)
        wanted = {cell: list(wang_id) for cell, wang_id in before.items()}
        for cell in cells:
            for place, other, there in judge.shared(*cell):
                wanted[cell][place] = color
                if judge.inside(other):
                    wanted[other][there] = color
        for cell, wang_id in wanted.items():
            assert judge.shown(layer, *cell) == tuple(wang_id)
            assert before[cell] != tuple(wang_id) or layer.gid_of(*cell) == gids[cell]
        assert not judge.seams(layer)


def exists(judge, size, fixed):
    """Return whether tiles without a seam exist that have the fixed colors, by trying all."""
    known = sorted({(0,) * 8, *judge.by_tile.values()})
    cells = sorted(np.ndindex(*size), key=lambda cell: -len(fixed.get(cell, ())))  # painted first

    def fits(at, chosen):
        if at == len(cells):
            return True
        for wang_id in known:
            mine = fixed.get(cells[at], {})
            if (
                all(wang_id[place] == color for place, color in mine.items())
                and all(
                    chosen[other][there] == wang_id[place]
                    for place, other, there in judge.shared(*cells[at])
                    if other in chosen
                )
                and fits(at + 1, chosen | {cells[at]: wang_id})
            ):
                return True
        return False

    return fits(0, {})


@pytest.mark.parametrize("number", range(25))
def test_what_brute_force_can_mend_is_mended(tmp_path, number):
    rng = random.Random(number)
    kind, size = rng.choice(["corner", "corner", "edge"]), (rng.randint(2, 4), rng.randint(2, 3))
    grid = rng.choice(["orthogonal", "staggered y", "hexagonal"])
    tiles = all_tiles(kind, range(1 if kind == "edge" else rng.choice([0, 1]), 4))
    tiles = [wang_id for wang_id in tiles if len(set(wang_id)) <= 2 or rng.random() < 0.5]
    tiles = rng.sample(tiles, k=max(1, int(len(tiles) * rng.choice([0.5, 0.8, 1]))))
    # nested terrains: 1 and 3 never meet
    tiles = [one for one in tiles if not {1, 3} <= {one[place] for place in WHERE[kind]}]
    layer, brush, judge = new_map(tmp_path, kind, tiles, size, grid=grid)
    for seed in range(6):
        cells = [(rng.randrange(size[0]), rng.randrange(size[1])) for _ in range(rng.randint(1, 2))]
        color = rng.randint(1, 3)
        fixed = {}
        for cell in cells:
            for place, other, there in judge.shared(*cell):
                fixed.setdefault(cell, {})[place] = color
                fixed.setdefault(other, {})[there] = color
        if judge.seams(layer):
            break
        wrong = set(map(tuple, brush.paint(layer, cells, color, seed=seed).tolist()))
        if not wrong:
            assert not judge.seams(layer)
            for cell, colors in fixed.items():
                shown = judge.shown(layer, *cell) if judge.inside(cell) else None
                assert shown is None or all(shown[place] == c for place, c in colors.items())
        else:
            assert not exists(judge, size, fixed), (number, seed, cells, color)


@pytest.mark.parametrize("number", range(30))
def test_no_seam_is_left_without_a_word(tmp_path, number):
    rng = random.Random(number)
    kind, grid, colors = (
        rng.choice(list(WHERE)),
        rng.choice(list(GRIDS)),
        rng.choice([1, 2, 5, 254]),
    )
    tiles = [
        tuple(rng.choice([0, rng.randint(0, colors), rng.randint(0, 1)]) for _ in range(8))
        for _ in range(rng.choice([0, 1, 20, 60]))
    ]
    chances = {tile: rng.choice([0, 1, 2.5, 1e300, -1]) for tile in range(0, len(tiles), 4)}
    size = rng.randint(1, 9), rng.randint(1, 9)
    layer, brush, judge = new_map(
        *(tmp_path, kind, tiles, size),
        grid=grid,
        colors=colors,
        probabilities=chances,
        transformations=rng.choice(["", ANY_TURN.format(0), ANY_TURN.format(1)]),
    )
    for seed in range(4):
        if seed % 2 and not judge.seams(layer):
            wrong = brush.paint(layer, [(size[0] // 2, size[1] // 2)], rng.randint(0, colors))
        elif seed % 2 == 0:
            cells = [rng.randint(0, colors if seed else 0) for _ in range(size[0] * size[1])]
            wrong = brush.fill(layer, np.reshape(cells, size[::-1]), seed=seed)
        reported = set(map(tuple, wrong.tolist()))
        assert len(reported) == len(wrong)
        ids = {cell: judge.shown(layer, *cell) for cell in np.ndindex(*size)}
        for cell in ids.keys() - reported:
            for place, other, there in judge.shared(*cell):
                if judge.inside(other) and other not in reported:
                    assert ids[other][there] == ids[cell][place]


def test_roads_join_cells_of_their_color(tmp_path):
    layer, brush, judge = new_map(tmp_path, "edge", all_tiles("edge", range(3)), colors=2)
    assert brush.paint(layer, [(1, 1), (2, 1), (3, 1), (5, 1)], 1).tolist() == [[5, 1]]
    assert layer.gid_of(5, 1)  # nothing has no edges, so it holds the end of a road
    assert brush.wang_ids(layer, [(1, 1), (2, 1), (0, 1)])[:, ::2].tolist() == [
        *([0, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0])
    ]
    assert brush.paint(layer, [(4, 1), (3, 2)], 1).tolist() == []
    assert brush.wang_ids(layer, [(3, 1), (5, 1)])[:, ::2].tolist()[0] == [0, 1, 1, 1]
    assert brush.paint(layer, [(3, 1)], 0).tolist() == []
    assert (layer.gid_of(3, 1), layer.gid_of(3, 2)) == (0, 0)
    assert brush.wang_ids(layer, [(2, 1)])[:, ::2].tolist() == [[0, 0, 0, 1]]
    road = np.zeros(SIZE[::-1], int)
    road[2, 1:4] = road[3:5, 3] = 2
    assert brush.fill(layer, road).tolist() == []
    assert brush.wang_ids(layer, [(2, 2), (3, 2), (3, 4)])[:, ::2].tolist() == [
        *([0, 2, 0, 2], [0, 0, 2, 2], [2, 0, 0, 0])
    ]
    assert not judge.seams(layer)


def test_corners_are_sampled_where_they_are(tmp_path):
    layer, brush, _ = new_map(tmp_path, "corner", all_tiles("corner", range(4)))
    corners = np.random.default_rng(3).integers(0, 4, (7, 8))
    assert brush.fill(layer, corners, corners=True).tolist() == []
    for column, row in np.ndindex(*SIZE):
        [wang_id] = brush.wang_ids(layer, [(column, row)])[:, 1::2]
        there = corners[row : row + 2, column : column + 2]
        assert wang_id.tolist() == [there[0, 1], there[1, 1], there[1, 0], there[0, 0]]
        assert bool(layer.gid_of(column, row)) == there.any()


def test_a_part_has_the_colors_of_what_is_around_it(tmp_path):
    layer, brush, judge = new_map(tmp_path, "corner", all_tiles("corner", range(1, 4)))
    rng = np.random.default_rng(5)
    brush.fill(layer, rng.integers(1, 4, SIZE[::-1]))
    for _ in range(20):
        gids = {cell: layer.gid_of(*cell) for cell in np.ndindex(*SIZE)}
        column, row = int(rng.integers(0, 5)), int(rng.integers(0, 4))
        part = rng.integers(1, 4, (2, 3))
        assert brush.fill(layer, part, column=column, row=row).tolist() == []
        assert not judge.seams(layer)
        for x, y in gids:
            if not (column <= x < column + 3 and row <= y < row + 2):
                assert layer.gid_of(x, y) == gids[x, y]


def test_the_choice_depends_on_the_cell_and_the_seed_alone(tmp_path):
    tiles = [(0, 1) * 4] * 4
    chances = {0: 1, 1: 0.25, 2: 0, 3: 2.75}
    layer, brush, _ = new_map(tmp_path, "corner", tiles, (120, 100), probabilities=chances)
    ones = np.ones((100, 120), int)
    brush.fill(layer, ones, seed=7)
    gids = layer.gids(layer.ids())
    counts = np.bincount(gids - 11, minlength=4) / 3000
    assert counts[2] == 0
    assert np.abs(counts - list(chances.values())).max() < 0.06
    assert gids[:6].tolist() == [12, 12, 14, 12, 14, 11]
    grid = gids.reshape(100, 120)
    for shift in (1, 120, 121):  # neighbors do not depend on one another
        same = (gids[shift:] == gids[:-shift]).mean()
        assert abs(same - (counts**2).sum() / 16) < 0.03
    brush.fill(layer, ones, seed=8)
    assert (layer.gids(layer.ids()) != gids).mean() > 0.3
    brush.fill(layer, ones * 0)
    assert len(layer) == 0
    for left in range(0, 120, 40):
        brush.fill(layer, ones[:, :40], column=left, seed=7)
    assert (layer.gids(layer.ids()).reshape(100, 120) == grid).all()


@pytest.mark.parametrize(("prefer", "flipped"), [(0, True), (1, False)])
def test_tiles_are_turned_as_the_tileset_allows(tmp_path, prefer, flipped):
    whole, corner = (0, 1, 0, 1, 0, 1, 0, 1), (0, 1, 0, 0, 0, 0, 0, 0)
    other = (0, 0, 0, 1, 0, 0, 0, 0)
    tiles, turns = [whole, corner, other], ANY_TURN.format(prefer)
    layer, brush, _ = new_map(tmp_path, "corner", tiles, (6, 6), transformations=turns)
    colors = np.zeros((6, 6), int)
    colors[2:4, 2:4] = 1
    wrong = brush.fill(layer, colors).tolist()
    assert len(wrong) == 8
    assert [1, 1] not in wrong
    ids = [layer.id_of(*cell) for cell in ((1, 1), (4, 1), (4, 4), (1, 4))]
    gids, flags = layer.gids(ids).tolist(), layer.flags(ids).tolist()
    assert set(gids) <= {12, 13}
    assert (gids[0] == 13 and flags[0] == 0) >= prefer
    whole_flags = {int(layer.flags([layer.id_of(x, y)])[0]) for x in (2, 3) for y in (2, 3)}
    assert (whole_flags != {0}) == flipped


def test_tiles_of_other_sets_have_no_color(tmp_path):
    tiles = all_tiles("corner", range(3))
    layer, brush, _ = new_map(tmp_path, "corner", tiles, colors=2)
    grass = 11 + len(tiles)
    layer.set_tiles([(1, 1), (2, 1), (4, 1)], grass)
    assert brush.paint(layer, [(2, 1), (2, 2)], 1).tolist() == []
    assert brush.wang_ids(layer, [(1, 1), (2, 1)]).tolist() == [[0, 1, 0, 1] + [0] * 4, [0, 1] * 4]
    assert brush.paint(layer, [(2, 1), (2, 2), (4, 1)], 0).tolist() == []
    assert len(layer) == 0


def test_an_infinite_map_grows_where_it_is_painted(tmp_path):
    tiles = all_tiles("corner", range(2))
    options = {"colors": 1, "attributes": 'infinite="1"'}
    layer, brush, _ = new_map(tmp_path, "corner", tiles, (16, 16), **options)
    assert brush.paint(layer, [(-40, 5), (-39, 5)], 1).tolist() == []
    assert brush.wang_ids(layer, [(-41, 5), (-39, 5)]).tolist() == [
        [0, 1, 0, 1] + [0] * 4,
        [0, 1] * 4,
    ]
    assert brush.fill(layer, [[1, 1]], column=-38, row=5).tolist() == []
    assert len(layer) == 3 * 4 + 1
    with pytest.raises(ValueError, match="the box around the cells must have at most 67108864"):
        brush.paint(layer, [(0, 0), (1 << 20, 1 << 20)], 1)


def test_what_is_wrong_is_named(tmp_path):
    tile_map = wang_map(tmp_path, "corner", all_tiles("corner", range(3)), SIZE, colors=2)
    layer, brush = tile_map.layer("g"), tile_map.wang_set("Ground")
    other = wang_map(tmp_path, "edge", all_tiles("edge", range(2)), SIZE, colors=1)
    with pytest.raises(KeyError, match="no Wang set 'Sky'; the map has 'Ground' of 't'"):
        tile_map.wang_set("Sky")
    with pytest.raises(KeyError, match="no Wang set 'Ground' of 'u'"):
        tile_map.wang_set("Ground", "u")
    assert tile_map.wang_set("Ground", "t").wang_set is brush.wang_set
    assert tile_map.wang_set("Ground") is brush
    with pytest.raises(KeyError, match="no color 'c3'; the Wang set has 'c1', 'c2'"):
        brush.color("c3")
    assert brush.color("c2") == 2
    ones = np.ones(SIZE[::-1], int)
    for call, error, text in [
        (lambda: brush.fill(layer, ones * 3), ValueError, "colors must be from 0 to 2, got 3"),
        (lambda: brush.fill(layer, -ones), ValueError, "colors must be from 0 to 2, got -1"),
        (lambda: brush.fill(layer, ones * 1.5), TypeError, "colors must be whole numbers"),
        (lambda: brush.fill(layer, [1]), ValueError, r"colors must have the shape .*got \(1,\)"),
        (lambda: brush.fill(layer, [[[1]]]), ValueError, r"got \(1, 1, 1\)"),
        (lambda: brush.fill(layer, ones, column=1), ValueError, r"cell \(7, 0\) lies outside"),
        (lambda: brush.fill(layer, ones, row=1 << 70), ValueError, "lies outside the map"),
        (lambda: brush.fill(layer, ones, seed="x"), TypeError, "seed must be a whole number"),
        (lambda: brush.paint(layer, [(0, 0)], 3), ValueError, "color must be from 0 to 2, got 3"),
        (lambda: brush.paint(layer, [(0, 9)], 1), ValueError, r"cell \(0, 9\) lies outside"),
        (lambda: brush.paint(layer, [(0.5, 0)], 1), TypeError, "cells must be whole numbers"),
        (lambda: brush.paint(layer, [0], 1), ValueError, r"cells must have the shape \(n, 2\)"),
        (lambda: brush.paint("g", [(0, 0)], 1), TypeError, "layer must be a tile layer, got 'g'"),
        (lambda: other.wang_set("Ground").paint(layer, [(0, 0)], 1), ValueError, "the map of the"),
        (lambda: other.wang_set("Ground").fill(other.layer("g"), ones, corners=True), ValueError,
         "corners=True needs a corner set"),
    ]:  # fmt: skip
        with pytest.raises(error, match=text):
            call()
        assert len(layer) == 0
    assert brush.fill(layer, np.ones((0, 0), int)).shape == brush.paint(layer, [], 1).shape


def any_in(words, path):
    """Return whether a file has one of some words."""
    text = path.read_text("utf-8", errors="replace")
    return any(word in text for word in words)


@pytest.mark.corpus
def test_real_maps_keep_their_colors_when_they_are_painted_anew(corpus):
    known = kept = 0
    seen = set()
    words = ["<wangset", "<terraintypes"]
    sets = [path.name for path in corpus.glob("maps/**/*.tsx") if any_in(words, path)]
    for path in sorted(corpus.glob("maps/**/*.tmx")):
        text = path.read_text("utf-8", errors="replace")
        if text in seen or not any_in(words + sets, path):
            continue
        seen.add(text)
        try:
            tile_map = load_map(path)
        except MapError:
            continue
        layers = [layer for layer in tile_map.layers if isinstance(layer, TileLayer)]
        columns, rows = tile_map.size
        for tileset in tile_map.tilesets if not tile_map.infinite else ():
            for name in {one.name for one in tileset.wang_sets}:
                brush = tile_map.wang_set(name, tileset.name)
                for layer in layers:
                    cells = np.indices((rows, columns))[::-1].reshape(2, -1).T
                    ids = brush.wang_ids(layer, cells)
                    wrong = brush.fill(layer, ids.reshape(rows, columns, 8))
                    same = (brush.wang_ids(layer, cells) == ids).all(axis=1)
                    reported = np.isin(cells @ [1, columns], wrong @ [1, columns])
                    assert (same | reported).all(), path
                    known += ids.any(axis=1).sum()
                    kept += (same & ids.any(axis=1)).sum()
    assert known > 20_000
    assert kept > 0.99 * known


def answers():
    """Return maps that are filled and painted, for the comparison of compiled and plain code."""
    rows = []
    with TemporaryDirectory() as folder:
        for kind, grid in itertools.product(["corner", "edge"], ["orthogonal", "staggered y"]):
            tiles = all_tiles(kind, range(2), versions=2) + all_tiles(kind, range(1, 3))
            layer, brush, _ = new_map(Path(folder), kind, tiles, (20, 20), grid=grid)
            rng = np.random.default_rng(1)
            wrong = brush.fill(layer, rng.integers(0, 4, (20, 20)), seed=3).tolist()
            for seed in range(10):
                cells = rng.integers(0, 20, (3, 2))
                wrong += brush.paint(layer, cells, seed % 3, seed=seed).tolist()
            ids = layer.ids()
            rows.append([wrong, ids.tolist(), layer.gids(ids).tolist(), layer.flags(ids).tolist()])
    return rows
