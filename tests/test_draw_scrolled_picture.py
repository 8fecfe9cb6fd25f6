"""Frames in arcade that are equal, or whole pixels apart: layers are drawn once, then copied."""

import numpy as np
import pytest

from tests.drawing import (
    BACKGROUND,
    ORIENTATIONS,
    animation,
    arcade,
    drawn_without_multisampling,
    noisy_map,
    one_noisy_layer,
    orientation_map,
    random_cells,
)
from tests.share import WHOLE
from tests.tmx import csv_layer
from tilequad.draw.arcade import MapView, pan, visible_bounds
from tilequad.draw.arcade.map_view import TileLayerView
from tilequad.draw.arcade.scrolled_picture import MARGIN, RESTED, ScrolledPicture

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
    draw = ScrolledPicture.draw
    monkeypatch.setattr(
        ScrolledPicture, "draw", lambda *arguments: found.append(draw(*arguments)) or found[-1]
    )
    return found


@pytest.fixture
def tile_map(tmp_path):
    """A map of one layer of noise."""
    return one_noisy_layer(tmp_path, (60, 60))


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
    assert copied == [False, True]  # both layers, or the lower one
    assert abs(first - second).max() <= 2  # colors are rounded once more


def scrolls(seed, size):
    """Steps of a camera in pixels: small ones, along one axis, none, half a screen, too far."""
    rng = np.random.default_rng(seed)
    width, height = size
    steps = [rng.integers(-9, 10, 2) for _ in range(6)]
    steps += [(3, 0), (0, -2), (0, 0), (width // 2, 0), (-5, height // 2), (7, 2 * height)]
    rng.shuffle(steps)
    return [(int(x), int(y)) for x, y in steps]


def scrolled_frames(window, map_view, camera, seed):
    """Frames of a camera that goes by whole pixels, each beside that of a fresh view."""
    for x, y in scrolls(seed, window.size):
        pan(camera, x, y)
        yield frame(window, map_view, camera), anew(window, map_view.tile_map, camera)


def same(one, other):
    """Colors are rounded once more, and where edges meet the middle of a pixel, either may win."""
    return (abs(one - other).max(axis=2) > 2).mean() < 0.001


@pytest.mark.slow
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_scrolling_by_whole_pixels_shows_what_fresh_views_show(window, tmp_path, copied, name):
    map_view = MapView(orientation_map(tmp_path, name))
    looks = [*enumerate(((0.9, 0), (0.3, 33), (0.15, 0), (0.04, 33)))]
    for seed, (zoom, angle) in looks if WHOLE else looks[[*ORIENTATIONS].index(name) % 2 :: 2]:
        camera = arcade.Camera2D(position=map_view.tile_map.bounds.center, zoom=zoom)
        camera.angle = angle
        before = sum(copied)
        for now, truth in scrolled_frames(window, map_view, camera, seed):
            assert same(now, truth), zoom
        assert sum(copied) > before + 6


@pytest.mark.parametrize("zoom", [0.9, 0.3, 0.05])
def test_most_frames_that_scroll_draw_no_tiles(window, tmp_path, monkeypatch, zoom):
    map_view = MapView(one_noisy_layer(tmp_path, (300, 300)))
    camera = arcade.Camera2D(position=map_view.tile_map.bounds.center, zoom=zoom)
    for _ in range(9):
        frame(window, map_view, camera)
    draw, drawn, by_frame = TileLayerView.draw, [], []
    monkeypatch.setattr(TileLayerView, "draw", lambda *a, **k: drawn.append(1) or draw(*a, **k))
    for _ in range(40):
        before = len(drawn)
        pan(camera, 3, -2)
        now = frame(window, map_view, camera)
        by_frame.append(len(drawn) > before)
    assert 1 < sum(by_frame) < 9
    fresh = MapView(map_view.tile_map)
    for _ in range(9):
        truth = frame(window, fresh, camera)
    assert same(now, truth)


def test_layers_scroll_together(window, tmp_path, copied):
    cells = [csv_layer(name, random_cells(ord(name), 1, 16, size=(60, 60))) for name in "abcd"]
    tile_map = noisy_map(tmp_path, *cells, size=(60, 60))
    tile_map.layer("b").opacity = 0.6
    tile_map.layer("c").parallax = 2, 2
    tile_map.layer("d").tint = 90, 255, 30, 200
    map_view = MapView(tile_map)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.5)
    pairs = list(scrolled_frames(window, map_view, camera, seed=1))
    assert len(map_view._pictures) == 3  # "a" and "b" are one
    assert sum(copied) > 20
    for now, truth in pairs:
        assert same(now, truth)
    tile_map.layer("c").parallax = 1, 1
    for now, truth in scrolled_frames(window, map_view, camera, seed=2):
        assert same(now, truth)
    assert len(map_view._pictures) == 1


@pytest.mark.parametrize(("zoom", "angle"), [(0.9, 0), (0.5, 33), (0.3, 0), (0.05, 0)])
def test_a_moving_picture_lies_at_the_nearest_whole_pixel(window, tile_map, copied, zoom, angle):
    map_view, rng = MapView(tile_map), np.random.default_rng(4)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=zoom)
    camera.angle = angle
    for _ in range(3):  # pages are there, and the second picture is copied
        frame(window, map_view, camera)
    origin, way = camera.position, np.zeros(2)
    for x, y in rng.uniform(-7, 7, (12, 2)).tolist():
        pan(camera, x, y)
        way += x, y
        beside = arcade.Camera2D(position=origin, zoom=zoom)
        beside.angle = angle
        pan(beside, *way.round().tolist())  # at most half a pixel off
        now = frame(window, map_view, camera)
        assert copied[-1]
        assert same(now, anew(window, tile_map, beside))
    for _ in range(RESTED):
        frame(window, map_view, camera)
    assert copied[-1]
    assert same(frame(window, map_view, camera), anew(window, tile_map, camera))


def test_parts_of_a_pixel_from_zoom_1_on_and_other_changes_are_not_scrolled(
    window, tile_map, copied
):
    map_view = MapView(tile_map)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=1)
    for step in (0, 0.5, 0.25, -1 / 3):
        pan(camera, step, 0)
        now = frame(window, map_view, camera)
        assert np.array_equal(now, anew(window, tile_map, camera))
    camera.zoom = 0.3
    for number in range(6):  # a change in each frame
        pan(camera, 4, 1)
        tile_map.layer("a").set_tile(30, 20 + number, 1 + number)
        now = frame(window, map_view, camera)
        assert np.array_equal(now, anew(window, tile_map, camera))
    assert not any(copied)


def test_bounds_that_cover_a_part_of_the_screen_do_not_scroll(window, tile_map, copied):
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.5)

    def part(map_view):
        def draw():
            x, y = camera.position
            with camera.activate():
                map_view.draw((x - 100, y - 60, x + 40, y + 90))

        return drawn_without_multisampling(window, draw)

    map_view = MapView(tile_map)
    for _ in range(5):
        assert np.array_equal(part(map_view), part(MapView(tile_map)))
        pan(camera, 5, -3)
    assert not any(copied)
    part(map_view)
    part(map_view)
    assert copied[-1]


def test_every_change_is_seen(window, tmp_path, copied):
    tile_map = one_noisy_layer(tmp_path, (60, 60), elements=animation(0, (1, 100), (2, 100)))
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


def test_a_part_of_the_target_is_copied_to_its_place(window, tile_map, copied):
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


def test_the_memory_of_the_copy_is_counted_and_freed(window, tile_map):
    map_view = MapView(tile_map)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.3)
    frame(window, map_view, camera)
    before = map_view.nbytes
    frame(window, map_view, camera)
    assert map_view.nbytes - before == (window.width + MARGIN) * (window.height + MARGIN) * 4
    camera.zoom = 0.01
    frame(window, map_view, camera)
    camera.zoom = 0.3
    frame(window, map_view, camera)
    pages = map_view._layers[tile_map.layer("a")]._overview.nbytes
    assert map_view.nbytes == before + pages
