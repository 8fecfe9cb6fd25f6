"""The island: made from noise and Wang tiles, saved, and walked on."""

import shutil
import subprocess

import numpy as np
import pytest

from tests.programs import pygame_example
from tilequad import load_map

pygame = pytest.importorskip("pygame")


@pytest.fixture
def example(monkeypatch):
    with pygame_example("island", monkeypatch) as module:
        yield module


def corners_of(tile_map, example):
    """The colors of the corners of all cells, clockwise from the top right."""
    brush, land = tile_map.wang_set("ground"), tile_map.layer("land")
    found = brush.wang_ids(land, example.cells())[:, 1::2]
    return found.reshape(example.ROWS, example.COLUMNS, 4)


def assert_no_seam(corners):
    assert (corners > 0).all()
    assert (corners[:, :-1, :2] == corners[:, 1:, [3, 2]]).all()
    assert (corners[:-1, :, 1:3] == corners[1:, :, [0, 3]]).all()


def test_all_tiles_of_an_island_fit(tmp_path, example):
    for seed in range(3):
        tile_map = example.island(seed)
        corners = corners_of(tile_map, example)
        assert_no_seam(corners)
        assert set(np.unique(corners).tolist()) == {1, 3, 4, 5}
        assert (corners[[0, -1]][:, [0, -1]] == 5).all()  # the sea is all around
        tile_map.save(tmp_path / "island.tmx")
        saved = load_map(tmp_path / "island.tmx", y_up=False, strict=True)
        assert (corners_of(saved, example) == corners).all()
        assert len(saved.layer("trees")) == len(tile_map.layer("trees")) > 50
    if shutil.which("tiled"):
        done = subprocess.run(
            ["tiled", "--export-map", "json", tmp_path / "island.tmx", tmp_path / "island.json"],
            env={"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(tmp_path)},
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        exported = load_map(tmp_path / "island.json", y_up=False)
        assert (corners_of(exported, example) == corners).all()


def test_one_walks_on_it_and_digs(tmp_path, example):
    example.island(3).save(tmp_path / "island.tmx")
    walk = example.Walk(tmp_path / "island.tmx")
    trees = walk.tile_map.layer("trees")
    trees.set_tiles(trees.cells(trees.ids()), 0)
    walk.draw(0)
    before = pygame.surfarray.array3d(walk.screen)
    x, y = walk.camera.to_screen(walk.x, walk.y)
    walk.dig((x + 96, y), "water")
    assert_no_seam(corners_of(walk.tile_map, example))
    for _ in range(200):
        walk.step(1, 0)
    stop = walk.x
    assert (stop + example.SIZE) % 32 == 0  # at the shore
    walk.draw(16)
    assert (pygame.surfarray.array3d(walk.screen) != before).any()
    x, y = walk.camera.to_screen(walk.x, walk.y)
    for step in range(0, 100, 16):
        walk.dig((x + step, y), "grass")
    assert_no_seam(corners_of(walk.tile_map, example))
    walk.step(1, 0)
    assert walk.x > stop
