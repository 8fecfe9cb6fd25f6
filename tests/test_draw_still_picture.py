"""Equal frames in arcade: a layer that is looked up by cells is drawn once, then copied."""

from __future__ import annotations

import numpy as np
import pytest

from tests.drawing import BACKGROUND, arcade, drawn_without_multisampling, noisy_map, random_cells
from tests.test_draw_zoomed_out import ORIENTATIONS, orientation_map
from tests.tmx import csv_layer
from tilequad.draw.arcade import MapView, visible_bounds
from tilequad.draw.arcade.still_picture import StillPicture

pytestmark = pytest.mark.gl

MODES = ("normal", "add", "multiply", "screen", "overlay")


def frame(window, map_view, camera):
    """What a camera sees of a view, without multisampling."""

    def draw():
        with camera.activate():
            map_view.draw(visible_bounds(camera))

    return drawn_without_multisampling(window, draw)


def anew(window, tile_map, camera, time=0.0):
    map_view = MapView(tile_map)
    map_view.set_time(time)
    return frame(window, map_view, camera)


@pytest.fixture
def copied(monkeypatch):
    """Whether each layer was copied."""
    found = []
    draw = StillPicture.draw
    monkeypatch.setattr(
        StillPicture, "draw", lambda *arguments: found.append(draw(*arguments)) or found[-1]
    )
    return found


@pytest.mark.parametrize("angle", [0, 33])
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_equal_frames_are_copied(window, tmp_path, copied, name, angle):
    tile_map = orientation_map(tmp_path, name)
    map_view = MapView(tile_map)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.15)
    camera.angle = angle
    first = frame(window, map_view, camera)
    assert (first != BACKGROUND[:3]).any()
    for _ in range(3):
        assert np.array_equal(frame(window, map_view, camera), first)
    assert copied[-3:] == [True] * 3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tint", [None, (200, 120, 255, 180)])
def test_a_faded_layer_looks_the_same_as_a_copy(window, tmp_path, copied, mode, tint):
    cells = [random_cells(seed, 1, 16, size=(60, 60)) for seed in (1, 2)]
    tile_map = noisy_map(
        tmp_path, csv_layer("a", cells[0]), csv_layer("b", cells[1]), size=(60, 60)
    )
    upper = tile_map.layer("b")
    upper.opacity, upper.mode, upper.tint = 0.7, mode, tint
    map_view = MapView(tile_map)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.3)
    first = frame(window, map_view, camera)
    second = frame(window, map_view, camera)
    assert copied[-1] == (mode not in ("screen", "multiply"))
    assert abs(first - second).max() <= 2  # colors are rounded once more


def test_every_change_is_seen(window, tmp_path, copied):
    animated = '<tile id="0"><animation><frame tileid="1" duration="100"/>'
    animated += '<frame tileid="2" duration="100"/></animation></tile>'
    cells = random_cells(1, 1, 16, size=(60, 60))
    tile_map = noisy_map(tmp_path, csv_layer("a", cells), elements=animated, size=(60, 60))
    layer, map_view, rng = tile_map.layer("a"), MapView(tile_map), np.random.default_rng(2)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.3)
    time = 0.0

    def tick():
        nonlocal time
        time += 100
        map_view.set_time(time)

    def turn():
        camera.angle += 40

    changes = [
        lambda: layer.set_tiles(rng.integers(0, 60, (300, 2)), rng.integers(0, 17, 300)),
        lambda: setattr(layer, "opacity", rng.uniform(0.2, 0.7)),
        lambda: setattr(layer, "tint", (*rng.integers(50, 255, 3).tolist(), 255)),
        tick,
        turn,
        lambda: setattr(camera, "position", camera.position + arcade.Vec2(1 / 3, 0)),
        lambda: setattr(camera, "zoom", camera.zoom * 1.03),
    ]
    for _ in range(2):
        for change in changes:
            before = frame(window, map_view, camera)
            frame(window, map_view, camera)
            change()
            frames = [frame(window, map_view, camera) for _ in range(3)]
            truth = anew(window, tile_map, camera, time)
            assert np.array_equal(frames[0], truth)
            assert all(abs(one - truth).max() <= 2 for one in frames)
            assert not np.array_equal(before, truth), changes.index(change)
    assert any(copied)


def test_a_part_of_the_target_is_copied_to_its_place(window, tmp_path, copied):
    tile_map = noisy_map(
        tmp_path, csv_layer("a", random_cells(1, 1, 16, size=(60, 60))), size=(60, 60)
    )
    map_view = MapView(tile_map)
    target = window.ctx.framebuffer(color_attachments=[window.ctx.texture((200, 160))])
    pictures = []
    with target.activate():
        for _ in range(3):
            target.viewport = 0, 0, 200, 160
            target.clear(color=BACKGROUND)
            target.viewport = 60, 40, 100, 80
            camera = arcade.Camera2D(
                viewport=arcade.LBWH(60, 40, 100, 80), position=tile_map.bounds.center, zoom=0.3
            )
            with camera.activate():
                map_view.draw(visible_bounds(camera))
            pictures.append(target.read(components=3, viewport=(0, 0, 200, 160)))
    assert pictures[0] == pictures[1] == pictures[2]
    assert copied[-1]
    assert len(set(pictures[0])) > 50


def test_the_memory_of_the_copy_is_counted_and_freed(window, tmp_path):
    tile_map = noisy_map(
        tmp_path, csv_layer("a", random_cells(1, 1, 16, size=(60, 60))), size=(60, 60)
    )
    map_view = MapView(tile_map)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.3)
    frame(window, map_view, camera)
    before = map_view.nbytes
    frame(window, map_view, camera)
    assert map_view.nbytes - before == window.width * window.height * 4
    camera.zoom = 0.01
    frame(window, map_view, camera)
    camera.zoom = 0.3
    frame(window, map_view, camera)
    pages = map_view._layers[tile_map.layer("a")]._overview.nbytes
    assert map_view.nbytes == before + pages
