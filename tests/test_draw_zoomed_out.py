"""MapView from far away, while nothing moves, and over a long run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image

from tests.draw_faces import real_maps
from tests.draw_long_run import Run
from tests.drawing import (
    BACKGROUND,
    EVERYWHERE,
    ORIENTATIONS,
    Pixels,
    arcade,
    as_in_pillow,
    drawn_without_multisampling,
    noisy_map,
    noisy_tileset,
    on_background,
    one_noisy_layer,
    orientation_map,
    random_cells,
    redraw,
    seen_by,
    write_window_map,
)
from tests.share import WHOLE
from tests.tmx import csv_layer
from tilequad.draw.arcade import MapView, Minimap, overview, tile_grid, visible_bounds
from tilequad.draw.pillow import render
from tilequad.tiled import ObjectLayer, TileLayer, TileMap, load_map

pytestmark = pytest.mark.gl


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The pages that overviews draw tile by tile, in the order of drawing."""
    pages: list[object] = []
    draw_tiles = overview.Overview._draw_tiles
    monkeypatch.setattr(
        overview.Overview, "_draw_tiles", lambda *a: pages.append(a[1]) or draw_tiles(*a)
    )
    return pages


class Measured(NamedTuple):
    """Mean differences, where the map covers the screen."""

    near: float  #: the picture and that of `render`, which leaves pixels out
    frames: float  #: two pictures a third of a pixel apart
    frames_of_render: float


def measured(
    window: arcade.Window, tile_map: TileMap, map_view: MapView, camera: arcade.Camera2D
) -> Measured:
    """Measure a view, and another one a third of a pixel further on."""
    picture = render(tile_map, seen_by(window, camera), camera.zoom)
    cover = np.asarray(picture)[:, :, 3] > 0
    before = redraw(window, map_view, camera), on_background(picture)
    moved = arcade.Camera2D(
        position=camera.position + arcade.Vec2(1 / 3 / camera.zoom, 0), zoom=camera.zoom
    )
    after = redraw(window, map_view, moved), as_in_pillow(window, tile_map, moved)
    pairs = (before[0], before[1]), (before[0], after[0]), (before[1], after[1])
    return Measured(*(float(abs(a - b)[cover].mean()) if cover.any() else 0.0 for a, b in pairs))


def near_of_a_box_filter(
    window: arcade.Window, tile_map: TileMap, camera: arcade.Camera2D
) -> float:
    """How far the mean of 64 samples of each pixel is from `render`, as `Measured.near`."""
    view, zoom = seen_by(window, camera), camera.zoom
    picked = render(tile_map, view, zoom)
    mean = render(tile_map, view, 8 * zoom).convert("RGBa").reduce(8).convert("RGBA")
    cover = np.asarray(picked)[:, :, 3] > 0
    return float(abs(on_background(mean) - on_background(picked))[cover].mean())


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_view_from_far_away_looks_like_pillows(window, tmp_path, name):
    tile_map = orientation_map(tmp_path, name)
    map_view = MapView(tile_map, objects="all")
    for pixels in (15, 5, 2):  # side of a tile on the screen
        camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=pixels / 22)
        found = measured(window, tile_map, map_view, camera)
        assert found.near < 6, pixels
        assert found.frames < max(6, found.frames_of_render), pixels


@pytest.mark.parametrize("name", ORIENTATIONS)
@pytest.mark.parametrize("pixels", [1.1, 0.6])
def test_tiles_of_a_pixel_are_as_near_as_by_a_box_filter(window, tmp_path, name, pixels):
    # Of random tiles `render` picks one at random for each pixel; a mean is not near to that.
    tile_map = orientation_map(tmp_path, name)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=pixels / 22)
    best = near_of_a_box_filter(window, tile_map, camera)
    assert best > 25
    found = measured(window, tile_map, MapView(tile_map, objects="all"), camera)
    assert found.near < 1.25 * best
    assert found.frames < found.frames_of_render


def test_noise_at_half_the_size_is_that_of_a_box_filter(window, tmp_path):
    noisy = noisy_tileset(tmp_path, "tiles", 1, (16, 16))
    Image.open(tmp_path / "tiles.png").convert("RGB").save(tmp_path / "tiles.png")
    cells = random_cells(3, 1, 16, empty=0, flips=[0], size=(80, 60))
    path = write_window_map(tmp_path, noisy, csv_layer("a", cells), size=(80, 60))
    tile_map = load_map(path)
    camera = arcade.Camera2D(position=(640, 480), zoom=0.5)
    picture = on_background(render(tile_map, seen_by(window, camera)).reduce(2))
    assert abs(redraw(window, MapView(tile_map, objects="all"), camera) - picture).mean() < 3


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_looking_up_cells_shows_what_quads_show(window, tmp_path, monkeypatch, name):
    tile_map = orientation_map(tmp_path, name)
    x, y = (int(axis) for axis in tile_map.bounds.center)
    pictures = []
    for quads_from in (0, 1000):
        monkeypatch.setattr(tile_grid, "QUADS_FROM", quads_from)
        map_view = MapView(tile_map, objects="all")
        pictures.append(
            [redraw(window, map_view, arcade.Camera2D(position=(x, y), zoom=z)) for z in (1, 2)]
        )
    for quads, cells in zip(*pictures, strict=True):
        assert (quads != BACKGROUND[:3]).any()
        different = abs(quads - cells).max(axis=2) > 4
        assert different.mean() < 0.002  # where a corner lies on the middle of a pixel


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_counting_tiles_is_as_listing_them(tmp_path, name):
    tile_map = orientation_map(tmp_path, name, side=30)
    layer, rng = tile_map.layer("a"), np.random.default_rng(5)
    for _ in range(100):
        x, y = rng.uniform(-300, 1000, 2)
        width, height = rng.uniform(0, 900, 2)
        view = (x, y, x + width, y + height)
        assert layer.count(view) == len(layer.query(view))


@pytest.mark.slow
def test_the_real_map_does_not_shimmer(window, frontier):
    map_view = MapView(frontier, objects="all")
    for zoom in (0.75, 0.5, 0.36, 0.31, 0.2, 0.13, 0.08, 0.05):
        camera = arcade.Camera2D(position=(3600, 4300), zoom=zoom)
        found = measured(window, frontier, map_view, camera)
        assert found.near < 6, zoom
        assert found.frames < 6, zoom


REAL_MAPS = {"orthogonal": 10, "isometric": 5, "hexagonal": 5, "staggered": 3}
if not WHOLE:
    REAL_MAPS = {orientation: count // 3 for orientation, count in REAL_MAPS.items()}


@pytest.mark.slow
@pytest.mark.corpus
def test_real_maps_are_as_near_as_by_a_box_filter(window, corpus):
    # Of fine patterns a mean is not near to the single pixels that `render` picks. Where the bar of
    # 6 is out of reach, the picture is as near as the best mean, and moves no more than `render`'s.
    for path, tile_map in real_maps(corpus, np.random.default_rng(4), REAL_MAPS, y_up=True):
        map_view = MapView(tile_map, objects="all")
        size = tile_map.bounds.width * tile_map.bounds.height
        for zoom in (0.5, 0.31, 0.1, 0.05):
            if size * zoom**2 < 1000:  # too few pixels for a mean
                continue
            camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=zoom)
            near, frames, frames_of_render = measured(window, tile_map, map_view, camera)
            if zoom < 0.3 or not tile_map.warnings:  # `render` puts markers on whole pixels
                assert frames < max(6, 1.25 * frames_of_render), (path, zoom)
            if near >= 6:
                best = near_of_a_box_filter(window, tile_map, camera)
                assert near < 1.25 * best, (path, zoom)


def test_a_layer_without_tiles_is_zoomed_out(window, tmp_path):
    layers = csv_layer("a", random_cells(1, 1, 16)), csv_layer("b", [[0] * 20] * 15)
    map_view = MapView(noisy_map(tmp_path, *layers))
    for zoom in (0.5, 0.05, 0.02):
        picture = redraw(window, map_view, arcade.Camera2D(position=(160, 120), zoom=zoom))
        assert (picture != BACKGROUND[:3]).any()


def test_the_switches_of_method_are_not_seen(window, frontier):
    map_view = MapView(frontier)
    for side in (tile_grid.QUADS_FROM, overview.FAR):
        zooms = ((side + change) / 32 for change in (0.001, -0.001))
        near, far = (
            redraw(window, map_view, arcade.Camera2D(position=(3600, 4300), zoom=zoom))
            for zoom in zooms
        )
        assert abs(near - far).mean() < 6, side


def test_an_overview_follows_changes(window, tmp_path):
    tile_map = orientation_map(tmp_path, "orthogonal")
    layer, rng = tile_map.layer("a"), np.random.default_rng(3)
    map_view = MapView(tile_map, objects="all")
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.02)
    before = redraw(window, map_view, camera)
    for _ in range(4):
        cells = rng.integers(0, 60, (400, 2))
        layer.set_tiles(cells, rng.integers(0, 17, 400))
        now = redraw(window, map_view, camera)
        assert np.array_equal(now, redraw(window, MapView(tile_map, objects="all"), camera))
        assert not np.array_equal(now, before)
        before = now


@pytest.mark.parametrize("side", [60, 400])
def test_a_minimap_is_made_little_by_little(window, tmp_path, monkeypatch, made, side):
    tile_map = orientation_map(tmp_path, "orthogonal", side)
    by_frame: list[int] = []
    minimap = Minimap(MapView(tile_map), 128)
    pictures = []
    while not by_frame or by_frame[-1]:
        before = len(made)
        pictures.append(drawn_without_multisampling(window, lambda: minimap.draw(0, 0)))
        by_frame.append(len(made) - before)
    assert len(made) == len(set(made))  # none twice
    assert max(by_frame) <= 4 * overview.WORK
    monkeypatch.setattr(overview, "WORK", 1000)
    minimap = Minimap(MapView(tile_map), 128)
    at_once = drawn_without_multisampling(window, lambda: minimap.draw(0, 0))
    assert (at_once != BACKGROUND[:3]).any()
    assert np.array_equal(pictures[-1], at_once)
    if side == 60:
        assert np.array_equal(pictures[0], at_once)
    else:  # the first picture is rough, but of the right place
        assert len(by_frame) > 2
        assert abs(pictures[0] - at_once).mean() < 15
        turned = at_once[::-1, ::-1]
        assert abs(pictures[0] - at_once).mean() < abs(pictures[0] - turned).mean()


def test_a_minimap_paints_as_it_is_made_and_when_it_has_become_better(window, tmp_path):
    tile_map = orientation_map(tmp_path, "orthogonal", 400)
    minimap = Minimap(MapView(tile_map), 128)
    frames = []

    while minimap._map_view._maker.unfinished:
        frames.append(drawn_without_multisampling(window, lambda: minimap.draw(0, 0)))

    assert len(frames) > 3
    assert all(np.array_equal(frame, frames[0]) for frame in frames[:-1])
    assert not np.array_equal(frames[-1], frames[0])
    tile_map.layer("a").set_tiles([(column, 10) for column in range(400)], 0)
    painted = drawn_without_multisampling(window, lambda: minimap.draw(0, 0))
    assert not np.array_equal(painted, frames[-1])


def test_pages_are_made_before_they_come_into_view(window, tmp_path, monkeypatch, made):
    map_view = MapView(one_noisy_layer(tmp_path, (800, 800)))
    complete: list[bool] = []
    draw = overview.Overview.draw
    monkeypatch.setattr(
        overview.Overview, "draw", lambda *a, **k: complete.append(draw(*a, **k)) or complete[-1]
    )
    camera, by_frame = arcade.Camera2D(zoom=0.07), []

    def frame(number: int) -> Pixels:
        camera.position = 4000 + number * 3 / camera.zoom, 8000 - number * 2 / camera.zoom
        return redraw(window, map_view, camera)

    for _ in range(30):  # the camera waits until all is there
        frame(0)
        frame(1)
    complete.clear()
    for number in range(90):
        before = len(made)
        frame(number)
        by_frame.append(len(made) - before)
    assert all(complete)
    assert sum(by_frame) > 5
    assert max(by_frame) <= overview.WORK / 2
    shown, anew = frame(90), MapView(map_view.tile_map)
    for _ in range(9):
        picture = redraw(window, anew, camera)
    assert abs(shown - picture).mean() < 0.5


def test_a_new_view_looks_up_its_cells_twice_and_then_copies_them(window, tmp_path, monkeypatch):
    monkeypatch.setattr(overview, "WORK", 1)
    tile_map = orientation_map(tmp_path, "orthogonal", 400)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.02)
    map_view = MapView(tile_map)
    grid = map_view._layers[tile_map.layer("a")]._grid
    drawn: list[int] = []
    draw = grid.draw
    grid.draw = lambda *a: drawn.append(len(frames)) or draw(*a)
    frames: list[Pixels] = []
    while not frames or map_view._maker.unfinished:
        frames.append(redraw(window, map_view, camera))
    assert len(frames) > 4
    assert drawn == [0, 1]  # to the screen, and to the picture that is copied from then on
    assert all(np.array_equal(frame, frames[0]) for frame in frames[:-1])
    assert not np.array_equal(frames[-1], frames[0])


def test_pages_in_view_are_kept_on_a_screen_that_shows_more_than_are_kept(
    window, tmp_path, monkeypatch, made
):
    map_view = MapView(one_noisy_layer(tmp_path, (400, 300)))
    x, y = map_view.tile_map.bounds.center
    camera = arcade.Camera2D(position=(x, y), zoom=0.0496)
    monkeypatch.setattr(overview, "MOST_PAGES", 2)
    for number in range(60):
        if number == 20:
            assert made
            made.clear()
        camera.position = x + number * 3 / camera.zoom, y
        redraw(window, map_view, camera)
    assert not made


def test_changes_of_a_whole_map_are_shown_little_by_little(window, tmp_path):
    tile_map = orientation_map(tmp_path, "orthogonal", 400)
    layer, rng = tile_map.layer("a"), np.random.default_rng(3)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.02)

    def finished(map_view):
        frames = [redraw(window, map_view, camera)]
        while map_view._maker.unfinished:
            frames.append(redraw(window, map_view, camera))
        return frames

    map_view = MapView(tile_map)
    before = finished(map_view)
    cells = np.stack(np.divmod(np.arange(160_000), 400), axis=1)
    layer.set_tiles(cells, rng.integers(1, 3, 160_000))
    after = finished(map_view)
    assert len(before) > 2
    assert len(after) > 2
    assert not np.array_equal(before[-1], after[-1])
    truth = finished(MapView(tile_map))[-1]
    assert abs(after[-1] - truth).max() <= 1  # it does not know the kinds of tiles from before


@pytest.mark.parametrize("far", [0, 100_000, -100_000])
def test_far_and_sparse_maps_are_drawn_to_the_pixel(window, tmp_path, far):
    noisy = noisy_tileset(tmp_path, "tiles", 1, (16, 16))
    chunks = [
        f'<chunk x="{x}" y="{y}" width="16" height="16">'
        + ",".join(str(1 + (x + y + number) % 16) for number in range(256))
        + "</chunk>"
        for x, y in ((0, 0), (far, 0), (far + 16, -16), (5000, -80_000))
    ]
    path = tmp_path / "map.tmx"
    path.write_text(
        '<map version="1.10" orientation="orthogonal" width="16" height="16" tilewidth="16" '
        f'tileheight="16" infinite="1">{noisy}<layer name="a" width="16" height="16">'
        f'<data encoding="csv">{"".join(chunks)}</data></layer></map>'
    )
    tile_map = load_map(path)
    map_view, top = MapView(tile_map, objects="all"), tile_map.axes.height
    for zoom in (1, 0.5):
        camera = arcade.Camera2D(position=(far * 16 + 200, top - 100), zoom=zoom)
        actual = redraw(window, map_view, camera)
        near = as_in_pillow(window, tile_map, camera)
        assert (actual != BACKGROUND[:3]).any()
        if zoom == 1:
            assert abs(actual - near).max() <= 4
        assert ((actual != BACKGROUND[:3]) == (near != BACKGROUND[:3])).mean() > 0.99
    redraw(window, map_view, arcade.Camera2D(position=(0, 0), zoom=1e-4))


def test_nothing_is_asked_or_uploaded_while_nothing_changes(window, tmp_path, monkeypatch):
    objects = (  # a shape between two tiles: they are not drawn together
        '<objectgroup name="o" draworder="index"><object id="1" gid="2" x="50" y="60"/>'
        '<object id="2" x="70" y="40" width="20" height="20"/>'
        '<object id="3" gid="3" x="100" y="60"/></objectgroup>'
    )
    tile_map = noisy_map(
        tmp_path,
        noisy_tileset(tmp_path, "tall", 17, (16, 24)),
        csv_layer("a", random_cells(1, 1, 16)),
        csv_layer("b", random_cells(2, 1, 32)),
        objects,
    )
    map_view, camera = MapView(tile_map, objects="all"), arcade.Camera2D(zoom=1.0)
    done: list[str] = []

    def spied(patch, owner: type, name: str) -> None:
        method = getattr(owner, name)

        def spy(self, *rest, **options):
            done.append(f"{owner.__name__}.{name}")
            return method(self, *rest, **options)

        patch.setattr(owner, name, spy)

    for zoom in (1.0, 0.3, 0.02):
        camera.zoom = zoom
        redraw(window, map_view, camera)
        with monkeypatch.context() as patch:
            for owner, names in (
                (TileLayer, ("query", "count", "boxes", "gids")),
                (ObjectLayer, ("query", "boxes")),
                (type(window.ctx.buffer(reserve=4)), ("write", "orphan")),
                (type(window.ctx.texture((1, 1))), ("write", "build_mipmaps")),
            ):
                for name in names:
                    spied(patch, owner, name)
            picture = redraw(window, map_view, camera)
            assert (picture != BACKGROUND[:3]).any()
            assert done == [], zoom


def test_a_move_uploads_the_ids_in_view_and_little_else(window, tmp_path, monkeypatch):
    tile_map = one_noisy_layer(tmp_path, (200, 200))
    layer, map_view = tile_map.layer("a"), MapView(tile_map, objects="all")
    camera = arcade.Camera2D(position=(1600, 1600))
    redraw(window, map_view, camera)
    camera.position += arcade.Vec2(7, 3)
    buffers, written = type(window.ctx.buffer(reserve=4)), []
    write = buffers.write

    def spy(buffer, data, *rest):
        written.append(memoryview(data).nbytes)
        write(buffer, data, *rest)

    view = visible_bounds(camera)
    with camera.activate(), monkeypatch.context() as patch:
        patch.setattr(buffers, "write", spy)
        map_view.draw(view)
    assert 4 * len(layer.query(view)) in written
    assert sum(written) <= 4 * len(layer.query(view)) + 512


def test_the_memory_of_a_cell_is_two_bytes(window, tmp_path):
    map_view = MapView(one_noisy_layer(tmp_path, (512, 512), empty=0), objects="all")
    map_view.draw(EVERYWHERE)
    small = MapView(noisy_map(tmp_path, csv_layer("a", [[*range(1, 17)]]), size=(16, 1)))
    assert map_view.nbytes - small.nbytes < 4 * 512 * 512


@pytest.mark.parametrize("infinite", [False, True])
def test_random_moves_and_edits_show_the_tiles_of_brute_force(window, tmp_path, infinite):
    run = Run(window, tmp_path, infinite, seed=11)
    for _ in range(80):
        run.step()
