"""Changes of maps: a changed layer equals one that is read from a file with the same tiles."""

from __future__ import annotations

import pickle
import random
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.share import share
from tests.test_tiled_culling import (
    FILLINGS,
    GRIDS,
    SIZE,
    by_brute_force,
    layer_of_rows,
    make_layer,
    views,
)
from tests.tmx import TILESET, csv_layer, write_map, write_tiles
from tests.tmx_cells import chunks_of
from tilequad.draw.pillow import render
from tilequad.tiled import TileLayer, TileMap, load_map


def table(layer: TileLayer) -> list[list[int]]:
    """Return the layer as rows of raw cells, as in a file."""
    rows = [[0] * SIZE[0] for _ in range(SIZE[1])]
    ids = layer.ids()
    raw = layer.gids(ids).astype(np.int64) | layer.flags(ids).astype(np.int64) << 28
    for (column, row), value in zip(layer.cells(ids).tolist(), raw.tolist(), strict=True):
        rows[row][column] = value
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(("grid", "filling"), share(list(product(GRIDS, FILLINGS)), 2))
def test_a_changed_layer_equals_one_from_a_file(tmp_path, grid, filling):
    rng = random.Random(f"{grid} {filling}")
    layer = make_layer(tmp_path, grid, filling)
    wanted = table(layer)
    for step in range(150):
        column, row = rng.randrange(SIZE[0]), rng.randrange(SIZE[1])
        if step % 10 == 5:
            some = [(rng.randrange(SIZE[0]), rng.randrange(SIZE[1])) for _ in range(step // 2)]
            gids, flags = zip(*((rng.randint(0, 7), rng.randrange(16)) for _ in some), strict=True)
            layer.set_tiles(some, gids, flags)
            for (column, row), gid, flag in zip(some, gids, flags, strict=True):
                wanted[row][column] = gid | flag << 28 if gid else 0
            assert table(layer) == wanted
        elif rng.random() < 0.4:
            layer.clear_tile(column, row)
            wanted[row][column] = 0
            assert layer.gid_of(column, row) == 0
        else:
            gid, flags = rng.randint(1, 7), rng.randrange(16)
            number = layer.set_tile(column, row, gid, flags)
            wanted[row][column] = gid | flags << 28
            assert number == row * SIZE[0] + column == layer.id_of(column, row)
            assert layer.gid_of(column, row) == gid
            assert (layer.gids([number])[0], layer.flags([number])[0]) == (gid, flags)
            assert layer.cells([number]).tolist() == [[column, row]]
        if step % 15 == 0:
            for view in views(layer, rng)[:30]:
                assert layer.query(view).tolist() == by_brute_force(layer, view)
    assert table(layer) == wanted
    fresh = layer_of_rows(tmp_path, grid, wanted)
    everything = (-500, -500, 500, 500)
    same(layer, fresh)
    assert layer.query(everything).tolist() == fresh.query(everything).tolist()
    assert layer.query(everything).tolist() == fresh.ids().tolist()


def same(layer: TileLayer, fresh: TileLayer) -> None:
    """Assert that two layers hold the same tiles with the same ids in the same order."""
    assert len(layer) == len(fresh)
    ids = layer.ids()
    assert ids.tolist() == fresh.ids().tolist()
    assert table(layer) == table(fresh)
    assert np.array_equal(layer.boxes(ids), fresh.boxes(ids))


@pytest.mark.parametrize("grid", GRIDS)
def test_a_layer_can_be_filled_and_cleared_again(tmp_path, grid):
    """Cells are set and cleared in any order, with tiles of any size."""
    rng = random.Random(grid)
    layer = layer_of_rows(tmp_path, grid, [[0] * SIZE[0]] * SIZE[1])
    cells = [(column, row) for column in range(SIZE[0]) for row in range(SIZE[1])]
    for filling in (True, False):
        rng.shuffle(cells)
        for step, (column, row) in enumerate(cells):
            if filling:
                layer.set_tile(column, row, rng.randint(1, 7))
            else:
                layer.clear_tile(column, row)
            assert len(layer) == (step + 1 if filling else len(cells) - step - 1)
            if step % 9 == 0 and len(layer):
                for view in views(layer, rng)[:12]:
                    assert layer.query(view).tolist() == by_brute_force(layer, view)
        if filling:
            same(layer, layer_of_rows(tmp_path, grid, table(layer)))
    assert layer.query((-1e6, -1e6, 1e6, 1e6)).tolist() == []
    assert layer.cells(layer.ids()).shape == (0, 2)


def test_ids_are_lists_of_whole_numbers(tmp_path):
    layer = make_layer(tmp_path, "orthogonal", "some odd")
    first, second = layer.ids()[:2].tolist()
    for ids in ([first, second], (first, second), np.uint8([first, second])):
        assert layer.cells(ids).tolist() == layer.cells([first, second]).tolist()
        assert layer.boxes(ids).shape == (2, 4)
    assert layer.boxes([]).shape == (0, 4)
    assert layer.gids([]).shape == (0,)
    for wrong in ([layer.id_limit], [-1], np.array([2**40])):
        with pytest.raises(IndexError, match=f"0 to {layer.id_limit - 1}"):
            layer.gids(wrong)
    for wrong in ([0.5], [True], slice(None), 3, [[1, 2]]):
        with pytest.raises(TypeError, match="ids must be a list of whole numbers"):
            layer.cells(wrong)  # type: ignore[arg-type]


def test_only_ids_that_there_are_have_boxes(tmp_path):
    layers = (
        '<objectgroup name="o"><object width="4" height="2"/><object width="8" height="6"/>'
        '</objectgroup><imagelayer name="sky"><image source="tiles.png"/></imagelayer>'
    )
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[0, 1]]), layers), y_up=False)
    ground, things, sky = tile_map.layers
    assert sky.boxes((0,)).tolist() == sky.boxes(np.int32([0])).tolist() == [[0, 0, 32, 32]]
    assert sky.boxes([]).shape == (0, 4)
    assert things.boxes((1,)).tolist() == [[0, 0, 8, 6]]
    for layer, limit in ((things, 2), (sky, 1)):
        for wrong in ([-1], [limit], np.uint64([2**64 - 1]), [2**32]):
            with pytest.raises(
                IndexError, match=rf"ids must be from 0 to {limit - 1}, got {wrong[0]}$"
            ):
                layer.boxes(wrong)
        with pytest.raises(TypeError, match="ids must be a list of whole numbers"):
            layer.boxes(0)  # type: ignore[arg-type]
    for selection, known in ((ground.select(), 1), (things.select(), 1)):
        assert selection.boxes([known]).shape == (1, 4)
        for far in (known + 2**32, known - 2**32):
            with pytest.raises(KeyError, match=str(far)):
                selection.boxes([far])


def test_a_cell_without_a_tile_has_an_id_but_no_box(tmp_path):
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0, 2]]))).layer("g")
    empty = layer.id_of(1, 0)
    assert empty == 1
    assert (layer.gids([empty])[0], layer.flags([empty])[0]) == (0, 0)
    assert layer.cells([empty]).tolist() == [[1, 0]]
    assert layer.outlines([empty]).shape == (1, 4, 2)
    for ask in (layer.boxes, lambda ids: layer.collision_shapes(ids[0])):
        with pytest.raises(KeyError, match=r"id 1: the cell \(1, 0\) holds no tile"):
            ask([empty])
    for outside in ((-1, 0), (4, 0), (0, 3), (10**30, 0)):
        with pytest.raises(ValueError, match="outside the map"):
            layer.id_of(*outside)


class Observer:
    """Records the changes of a layer."""

    def __init__(self, layer: TileLayer) -> None:
        self.told: list[list[int]] = []
        layer.observe(self)

    def _tiles_changed(self, ids: NDArray[np.int32]) -> None:
        assert ids.dtype == np.int32
        self.told.append(ids.tolist())


def test_observers_receive_real_changes_only(tmp_path):
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0, 2]]))).layer("g")
    observer = Observer(layer)
    layer.set_tile(2, 0, 2)  # the same tile
    layer.clear_tile(1, 0)  # already empty
    layer.set_tiles([(0, 0), (1, 0)], [1, 0])
    layer.set_tiles([], [])
    assert observer.told == []
    layer.set_tile(2, 0, 2, flags=8)
    layer.clear_tile(0, 0)
    layer.set_tiles([(3, 1), (2, 0), (0, 0)], [4, 0, 0])
    assert observer.told == [[2], [0], [7, 2]]


def test_an_infinite_map_grows(tmp_path):
    layer = chunks_of({(0, 0): [[1, 0]]})
    path = write_map(tmp_path, TILESET, layer, attributes='infinite="1"')
    ground = load_map(path, y_up=False).layer("ground")
    assert (ground.ids().tolist(), ground.id_limit) == ([0], 256)
    first = ground.set_tile(-70, -3, 2)  # in the chunk at (-80, -16)
    second = ground.set_tile(400, 9, 3)  # in the chunk at (400, 0)
    assert (first, second) == (256 + 13 * 16 + 10, 512 + 9 * 16)
    assert ground.ids().tolist() == [first, 0, second]
    assert ground.cells(ground.ids()).tolist() == [[-70, -3], [0, 0], [400, 9]]
    assert ground.query((-70 * 16, -48, -70 * 16, -48)).tolist() == [first]
    assert ground.query((0, 0, 1, 1)).tolist() == [0]
    ground.clear_tile(-70, -3)
    assert ground.set_tile(-70, -3, 1) == first  # an empty chunk keeps its ids
    with pytest.raises(ValueError, match="outside"):
        ground.set_tile(1 << 40, 0, 1)
    with pytest.raises(ValueError, match="outside the chunks"):
        ground.id_of(5000, 5000)


def test_chunks_are_numbered_in_the_order_of_the_file(tmp_path):
    corners = (32, 8), (-32, -8), (0, 0)
    layer = chunks_of({corner: [[1] * 32] * 8 for corner in corners})
    [ground] = load_map(write_map(tmp_path, TILESET, layer, attributes='infinite="1"')).layers
    assert [ground.id_of(*corner) for corner in corners] == [0, 256, 512]
    assert ground.id_of(34, 9) == 32 + 2
    assert ground.id_limit == len(ground) == 768
    assert ground.ids()[0] == 256  # but higher rows are drawn first


def test_a_refused_change_changes_nothing(tmp_path):
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0]]), size=(2, 1))).layer("g")
    observer = Observer(layer)
    for column, row in ((-1, 0), (2, 0), (0, 1)):
        with pytest.raises(ValueError, match="outside the map"):
            layer.set_tile(column, row, 1)
        with pytest.raises(ValueError, match=rf"cell \({column}, {row}\) lies outside the map"):
            layer.set_tiles([(1, 0), (column, row)], 1)
    for gid in (0, -1, 1 << 28):
        with pytest.raises(KeyError, match=rf"gid {gid}\b" if gid else "gid 0 .* clear_tile"):
            layer.set_tile(0, 0, gid)
        if gid:
            with pytest.raises(KeyError, match=rf"gid {gid}\b"):
                layer.set_tiles([(1, 0), (0, 0)], [1, gid])
    with pytest.raises(ValueError, match="flags"):
        layer.set_tile(0, 0, 1, flags=16)
    layer.set_tile(0, 0, 1)
    with pytest.raises(ValueError, match="flags"):
        layer.set_tile(0, 0, 1, flags=np.uint32(16))  # which shifts out of its 32 bits
    with pytest.raises(ValueError, match="flags must be from 0 to 15, got 16"):
        layer.set_tiles([(1, 0), (0, 0)], 1, flags=[0, 16])
    for cells, gids, message in (
        ([1, 0], 1, r"cells must have the shape \(n, 2\)"),
        ([(1, 0, 2)], 1, r"cells must have the shape \(n, 2\)"),
        ([(1, 0)], [1, 2], "gids must be one number, or 1 of them"),
    ):
        with pytest.raises(ValueError, match=message):
            layer.set_tiles(cells, gids)
    with pytest.raises(TypeError, match="gids must be whole numbers"):
        layer.set_tiles([(1, 0)], [1.5])
    layer.clear_tile(99, 99)
    layer.clear_tile(1 << 40, -(1 << 40))
    assert layer.gid_of(99, 99) == 0
    assert layer.gid_of(-(1 << 40), 0) == 0
    assert (observer.told, layer.ids().tolist()) == ([], [0])


def test_the_last_tile_for_a_cell_wins(tmp_path):
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0, 2]]))).layer("g")
    layer.set_tiles([(0, 0), (1, 0), (0, 0), (1, 0)], [2, 4, 3, 0], flags=[0, 0, 8, 0])
    assert layer.ids().tolist() == [0, 2]
    assert (layer.gids([0])[0], layer.flags([0])[0]) == (3, 8)


def test_an_infinite_map_grows_with_its_tiles(tmp_path):
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(4, 4, (16, 16), infinite=True, y_up=False)
    made.add_tileset(tmp_path / "tiles.png")
    layer = made.add_tile_layer("a", np.full((2, 2), 1))
    assert made.canvas == made.bounds == (0, 0, 256, 256)
    layer.set_tile(20, 2, 1)
    assert made.canvas == made.bounds == (0, 0, 512, 256)
    layer.set_tiles([(-1, 40)], 1)
    assert made.canvas == made.bounds == (-256, 0, 512, 768)
    assert render(made).size == (768, 768)
    layer.clear_tile(-1, 40)
    layer.clear_tile(20, 2)
    layer.set_tile(40, 0, 1)
    layer.set_tile(20, 2, 1)
    layer.set_tile(-1, 40, 1)
    made.save(tmp_path / "map.tmx")
    again = load_map(tmp_path / "map.tmx", y_up=False)
    assert made.bounds == again.bounds == (-256, 0, 768, 768)
    again.layer("a").set_tile(0, -1, 1)
    assert pickle.loads(pickle.dumps(again)).bounds == again.bounds == (-256, -256, 768, 768)
    again.save(tmp_path / "map.tmx")
    made.reload()
    assert made.bounds == again.bounds
