"""MapView from far away, while nothing moves, and over a long run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tilequad.draw.pillow import render
from tilequad.tiled import TileMap, load_map

from .tmx import csv_layer

arcade = pytest.importorskip(
    "arcade", exc_type=ImportError, reason="arcade or the OpenGL library it needs is missing"
)
from tilequad.draw.arcade import MapView, visible_bounds  # noqa: E402

from .draw_long_run import Run  # noqa: E402
from .drawing import (  # noqa: E402
    BACKGROUND,
    EVERYWHERE,
    Pixels,
    noisy_tileset,
    on_background,
    random_cells,
    screen,
    write_window_map,
)

pytestmark = pytest.mark.gl

ROOT = Path(__file__).parent.parent

# Cells of 32 x 16 pixels, whose tiles are taller than they are.
ORIENTATIONS = {
    "orthogonal": 'orientation="orthogonal"',
    "orthogonal, from right and below": 'orientation="orthogonal" renderorder="left-up"',
    "isometric": 'orientation="isometric"',
    "staggered": 'orientation="staggered" staggeraxis="y" staggerindex="odd"',
    "staggered, columns": 'orientation="staggered" staggeraxis="x" staggerindex="even"',
    "hexagonal": 'orientation="hexagonal" staggeraxis="y" staggerindex="even" hexsidelength="8"',
    "hexagonal, columns": 'orientation="hexagonal" staggeraxis="x" staggerindex="odd" '
    'hexsidelength="12"',
}


def plain_picture(path: Path) -> None:
    """Sixteen tiles of 32 x 24 pixels in soft colours, with round clear corners."""
    rng = np.random.default_rng(8)
    pixels = np.zeros((4 * 24, 4 * 32, 4), np.uint8)
    y, x = np.mgrid[0:24, 0:32]
    opaque = ((x - 15.5) / 16) ** 4 + ((y - 11.5) / 12) ** 4 < 1.2
    for number in range(16):
        tile = pixels[number // 4 * 24 :, number % 4 * 32 :][:24, :32]
        tile[:, :, :3] = rng.integers(110, 160, 3) + (x[:, :, None] + y[:, :, None]) // 4
        tile[:, :, 3] = 255 * opaque
    Image.fromarray(pixels).save(path)


def orientation_map(folder: Path, name: str, side: int = 60, data: str = "") -> TileMap:
    """A map of one orientation with overlapping tiles, flipped at random."""
    plain_picture(folder / "plain.png")
    flips = (0, 1, 2, 3, 4, 5, 6, 7) if "orthogonal" in name else (0, 2, 4, 6)
    cells = random_cells(5, 1, 16, empty=0.1, flips=flips, size=(side, side))
    path = folder / "map.tmx"
    path.write_text(
        f'<map version="1.10" {ORIENTATIONS[name]} width="{side}" height="{side}" tilewidth="32" '
        'tileheight="16" infinite="0"><tileset firstgid="1" name="p" tilewidth="32" '
        'tileheight="24" tilecount="16" columns="4"><image source="plain.png"/></tileset>'
        f"{csv_layer('a', cells)}</map>"
    )
    return load_map(path)


def shown(window: arcade.Window, map_view: MapView, camera: arcade.Camera2D) -> Pixels:
    window.clear(color=BACKGROUND)
    with camera.activate():
        map_view.draw(visible_bounds(camera))
    return screen(window)


def expected(window: arcade.Window, tile_map: TileMap, camera: arcade.Camera2D) -> Pixels:
    x, y = camera.position
    half = window.width / 2 / camera.zoom, window.height / 2 / camera.zoom
    bounds = x - half[0], y - half[1], x + half[0], y + half[1]
    return on_background(render(tile_map, bounds=bounds, scale=camera.zoom))


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_a_view_from_far_away_looks_like_pillows(
    window: arcade.Window, tmp_path: Path, name: str
) -> None:
    tile_map = orientation_map(tmp_path, name)
    map_view = MapView(tile_map)
    for pixels in (15, 5, 2, 1.1, 0.6):  # side of a tile on the screen
        zoom = pixels / 22
        camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=zoom)
        first = shown(window, map_view, camera)
        assert abs(first - expected(window, tile_map, camera)).mean() < 6, pixels
        camera.position += arcade.Vec2(1 / 3 / zoom, 0)
        assert abs(first - shown(window, map_view, camera)).mean() < 6, pixels


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_looking_up_cells_shows_what_quads_show(
    window: arcade.Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    import tilequad.draw.arcade.tile_grid as tile_grid

    tile_map = orientation_map(tmp_path, name)
    x, y = (int(axis) for axis in tile_map.bounds.center)
    pictures = []
    for quads_from in (0, 1000):
        monkeypatch.setattr(tile_grid, "QUADS_FROM", quads_from)
        map_view = MapView(tile_map)
        pictures.append(
            [shown(window, map_view, arcade.Camera2D(position=(x, y), zoom=z)) for z in (1, 2)]
        )
    for quads, cells in zip(*pictures, strict=True):
        assert (quads != BACKGROUND[:3]).any()
        different = abs(quads - cells).max(axis=2) > 4
        assert different.mean() < 0.002  # where a corner lies on the middle of a pixel


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_counting_tiles_is_as_listing_them(tmp_path: Path, name: str) -> None:
    tile_map = orientation_map(tmp_path, name, side=30)
    layer, rng = tile_map.layer("a"), np.random.default_rng(5)
    for _ in range(100):
        x, y = rng.uniform(-300, 1000, 2)
        width, height = rng.uniform(0, 900, 2)
        view = (x, y, x + width, y + height)
        assert layer.count(view) == len(layer.query(view))


def test_the_real_map_does_not_shimmer(window: arcade.Window) -> None:
    tile_map = load_map(ROOT / "maps" / "frontier.tmx")
    map_view = MapView(tile_map)
    for zoom in (0.5, 0.2, 0.08, 0.05):
        camera = arcade.Camera2D(position=(3600, 4300), zoom=zoom)
        first = shown(window, map_view, camera)
        assert abs(first - expected(window, tile_map, camera)).mean() < 6, zoom
        camera.position += arcade.Vec2(1 / 3 / zoom, 0)
        assert abs(first - shown(window, map_view, camera)).mean() < 6, zoom


def test_the_switches_of_method_are_not_seen(window: arcade.Window) -> None:
    import tilequad.draw.arcade.overview as overview
    import tilequad.draw.arcade.tile_grid as tile_grid

    map_view = MapView(load_map(ROOT / "maps" / "frontier.tmx"))
    for side in (tile_grid.QUADS_FROM, tile_grid.SEVERAL_BELOW, overview.FAR):
        zooms = ((side + change) / 32 for change in (0.001, -0.001))
        near, far = (
            shown(window, map_view, arcade.Camera2D(position=(3600, 4300), zoom=zoom))
            for zoom in zooms
        )
        assert abs(near - far).mean() < 6, side


def test_an_overview_follows_changes(window: arcade.Window, tmp_path: Path) -> None:
    tile_map = orientation_map(tmp_path, "orthogonal")
    layer, map_view, rng = tile_map.layer("a"), MapView(tile_map), np.random.default_rng(3)
    camera = arcade.Camera2D(position=tile_map.bounds.center, zoom=0.02)
    before = shown(window, map_view, camera)
    for _ in range(4):
        cells = rng.integers(0, 60, (400, 2))
        layer.set_tiles(cells, rng.integers(0, 17, 400))
        now = shown(window, map_view, camera)
        assert np.array_equal(now, shown(window, MapView(tile_map), camera))
        assert not np.array_equal(now, before)
        before = now


@pytest.mark.parametrize("far", [0, 100_000, -100_000])
def test_far_and_sparse_maps_are_drawn_to_the_pixel(
    window: arcade.Window, tmp_path: Path, far: int
) -> None:
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
    map_view, top = MapView(tile_map), tile_map.axes.height
    for zoom in (1, 0.5):
        camera = arcade.Camera2D(position=(far * 16 + 200, top - 100), zoom=zoom)
        actual = shown(window, map_view, camera)
        near = expected(window, tile_map, camera)
        assert (actual != BACKGROUND[:3]).any()
        if zoom == 1:
            assert abs(actual - near).max() <= 4
        assert ((actual != BACKGROUND[:3]) == (near != BACKGROUND[:3])).mean() > 0.99
    shown(window, map_view, arcade.Camera2D(position=(0, 0), zoom=1e-4))


def test_nothing_is_asked_or_uploaded_while_nothing_changes(
    window: arcade.Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tilequad.tiled import ObjectLayer, TileLayer

    objects = '<objectgroup name="o"><object id="1" gid="2" x="50" y="60"/></objectgroup>'
    tile_map = load_map(
        write_window_map(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
            noisy_tileset(tmp_path, "tall", 17, (16, 24)),
            csv_layer("a", random_cells(1, 1, 16)),
            csv_layer("b", random_cells(2, 1, 32)),
            objects,
        )
    )
    map_view, camera = MapView(tile_map), arcade.Camera2D(zoom=1.0)
    done: list[str] = []

    def spied(owner: type, name: str) -> None:
        method = getattr(owner, name)

        def spy(self, *rest, **options):
            done.append(f"{owner.__name__}.{name}")
            return method(self, *rest, **options)

        monkeypatch.setattr(owner, name, spy)

    for zoom in (1.0, 0.3, 0.02):
        camera.zoom = zoom
        shown(window, map_view, camera)
        with monkeypatch.context() as patch:
            monkeypatch = patch
            for owner, names in (
                (TileLayer, ("query", "count", "boxes", "gids")),
                (ObjectLayer, ("query", "boxes")),
                (type(window.ctx.buffer(reserve=4)), ("write", "orphan")),
                (type(window.ctx.texture((1, 1))), ("write", "build_mipmaps")),
            ):
                for name in names:
                    spied(owner, name)
            view = visible_bounds(camera)
            with camera.activate():
                done.clear()
                assert map_view.draw(view) > 0
            assert done == [], zoom


def test_a_move_uploads_the_ids_in_view_and_little_else(
    window: arcade.Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tile_map = load_map(
        write_window_map(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
            csv_layer("a", random_cells(1, 1, 16, size=(200, 200))),
            size=(200, 200),
        )
    )
    layer, map_view = tile_map.layer("a"), MapView(tile_map)
    camera = arcade.Camera2D(position=(1600, 1600))
    shown(window, map_view, camera)
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


def test_the_memory_of_a_cell_is_two_bytes(window: arcade.Window, tmp_path: Path) -> None:
    tile_map = load_map(
        write_window_map(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
            csv_layer("a", random_cells(1, 1, 16, empty=0, size=(512, 512))),
            size=(512, 512),
        )
    )
    map_view = MapView(tile_map)
    map_view.draw(EVERYWHERE)
    cells = map_view.nbytes - MapView(load_map(write_window_map(
        tmp_path,
        noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
        csv_layer("a", [[*range(1, 17)]]),
        size=(16, 1),
    ))).nbytes  # fmt: skip
    assert cells < 4 * 512 * 512


@pytest.mark.parametrize("infinite", [False, True])
def test_random_moves_and_edits_show_the_tiles_of_brute_force(
    window: arcade.Window, tmp_path: Path, infinite: bool
) -> None:
    run = Run(window, tmp_path, infinite, seed=11)
    for _ in range(80):
        run.step()
