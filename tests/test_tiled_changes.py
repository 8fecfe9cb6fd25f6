"""Maps that change: after every change a layer answers as if it had been read so from a file."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from tilequad.tiled import TileLayer, load_map

from .test_tiled_culling import GRIDS, SETS, SIZE, by_looking, make_world, views
from .tmx import TILESET, csv_layer, write_map

ALL = slice(None)


def table(layer: TileLayer) -> list[list[int]]:
    """The layer as rows of raw cells, as a file has them."""
    rows = [[0] * SIZE[0] for _ in range(SIZE[1])]
    raw = layer.gids(ALL).astype(np.int64) | layer.flags(ALL).astype(np.int64) << 28
    for (column, row), value in zip(layer.cells(ALL).tolist(), raw.tolist(), strict=True):
        rows[row][column] = value
    return rows


@pytest.mark.parametrize("filling", ["plain", "sparse", "some odd", "rarely odd", "mostly odd"])
@pytest.mark.parametrize("grid", GRIDS)
def test_many_changes_leave_what_a_file_would_give(tmp_path: Path, grid: str, filling: str) -> None:
    rng = random.Random(f"{grid} {filling}")
    layer = make_world(tmp_path, grid, filling).layer("g")
    wanted = table(layer)
    for step in range(150):
        column, row = rng.randrange(SIZE[0]), rng.randrange(SIZE[1])
        if rng.random() < 0.4:
            layer.clear_tile(column, row)
            wanted[row][column] = 0
            assert layer.tile_at(column, row) is None
        else:
            gid, flags = rng.randint(1, 7), rng.randrange(16)
            number = layer.set_tile(column, row, gid, flags)
            wanted[row][column] = gid | flags << 28
            assert layer.tile_at(column, row) == number
            assert (layer.gids([number])[0], layer.flags([number])[0]) == (gid, flags)
            assert layer.cells([number]).tolist() == [[column, row]]
        if step % 15 == 0:
            for view in views(layer, rng)[:30]:
                assert layer.query(view).tolist() == by_looking(layer, view)
    assert table(layer) == wanted
    moved = 'offsetx="0.5" offsety="7.25"'
    path = write_map(
        tmp_path, *SETS, csv_layer("g", wanted, moved), size=SIZE, attributes=GRIDS[grid]
    )
    fresh = load_map(path).layer("g")
    assert len(layer) == len(fresh)
    assert np.array_equal(layer.cells(ALL), fresh.cells(ALL))
    assert np.array_equal(layer.boxes(ALL), fresh.boxes(ALL))
    assert layer.query((-500, -500, 500, 500)).tolist() == list(range(len(fresh)))


@pytest.mark.parametrize("grid", GRIDS)
def test_a_layer_can_be_filled_and_emptied_again(tmp_path: Path, grid: str) -> None:
    """In any order, so that ids are far from the order in which their tiles came."""
    rng = random.Random(grid)
    empty = [[0] * SIZE[0] for _ in range(SIZE[1])]
    path = write_map(tmp_path, *SETS, csv_layer("g", empty), size=SIZE, attributes=GRIDS[grid])
    layer = load_map(path).layer("g")
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
                    assert layer.query(view).tolist() == by_looking(layer, view)
        if filling:
            path = write_map(
                tmp_path, *SETS, csv_layer("g", table(layer)), size=SIZE, attributes=GRIDS[grid]
            )
            fresh = load_map(path).layer("g")
            assert np.array_equal(layer.cells(ALL), fresh.cells(ALL))
            assert np.array_equal(layer.boxes(ALL), fresh.boxes(ALL))
    assert layer.query((-1e6, -1e6, 1e6, 1e6)).tolist() == []
    assert layer.cells(ALL).shape == (0, 2)


def test_ids_are_taken_in_any_form_before_and_after_a_change(tmp_path: Path) -> None:
    layer = make_world(tmp_path, "orthogonal", "some odd").layer("g")
    for changed in (False, True):
        if changed:
            layer.clear_tile(*layer.cells([7])[0].tolist())
            layer.set_tile(*layer.cells([20])[0].tolist(), gid=6)
        count, cells = len(layer), layer.cells(np.arange(len(layer)))
        odd = layer.gids(ALL) > 4
        for ids in (ALL, slice(3, -2), slice(None, None, -3), [0, -1, 5], odd, np.uint8([9, 2])):
            assert layer.cells(ids).tolist() == cells[ids].tolist()
            assert layer.boxes(ids).shape == (len(cells[ids]), 4)
            assert layer.gids(ids).tolist() == layer.gids(ALL)[ids].tolist()
        assert layer.boxes([]).shape == (0, 4)
        for wrong in ([count], [-count - 1]):
            with pytest.raises(IndexError):
                layer.gids(wrong)


def test_the_same_tile_once_more_is_no_change(tmp_path: Path) -> None:
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0, 2]]))).layer("g")
    assert layer.set_tile(2, 0, 2) == 1
    assert layer.revision == 0
    assert layer.set_tile(2, 0, 2, flags=8) == 1
    assert layer.revision == 1


def test_a_change_is_told_by_the_revision(tmp_path: Path) -> None:
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0, 2]]))).layer("g")
    assert layer.revision == 0
    layer.clear_tile(1, 0)  # empty already
    assert layer.revision == 0
    layer.clear_tile(0, 0)
    first = layer.revision
    assert first > 0
    assert len(layer) == 1
    layer.set_tile(1, 0, 4)
    assert layer.revision > first
    assert layer.gids(ALL).tolist() == [4, 2]


def test_an_infinite_map_grows(tmp_path: Path) -> None:
    chunk = '<chunk x="0" y="0" width="2" height="1">1,0</chunk>'
    layer = f'<layer name="g" width="2" height="1"><data encoding="csv">{chunk}</data></layer>'
    path = write_map(tmp_path, TILESET, layer, attributes='infinite="1"')
    ground = load_map(path, y_up=False).layer("g")
    assert ground.set_tile(-70, -3, 2) == 0
    assert ground.set_tile(400, 9, 3) == 2
    assert ground.cells(ALL).tolist() == [[-70, -3], [0, 0], [400, 9]]
    assert ground.query((-70 * 16, -48, -70 * 16, -48)).tolist() == [0]
    assert ground.query((0, 0, 1, 1)).tolist() == [1]
    with pytest.raises(ValueError, match="outside"):
        ground.set_tile(1 << 40, 0, 1)


def test_what_cannot_be_set_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    layer = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1, 0]]), size=(2, 1))).layer("g")
    for column, row in ((-1, 0), (2, 0), (0, 1)):
        with pytest.raises(ValueError, match="outside the map"):
            layer.set_tile(column, row, 1)
    for gid in (0, -1, 5, 1 << 28):
        with pytest.raises(KeyError):
            layer.set_tile(0, 0, gid)
    with pytest.raises(ValueError, match="flags"):
        layer.set_tile(0, 0, 1, flags=16)
    layer.clear_tile(99, 99)
    assert (layer.revision, len(layer)) == (0, 1)
    layer.clear_tile(1 << 40, -(1 << 40))
    assert layer.tile_at(99, 99) is None
    assert layer.tile_at(-(1 << 40), 0) is None
