"""Layers above the units in pygame: blocks with holes, packed once they have been drawn."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

pygame = pytest.importorskip("pygame")
from tests.tmx import TILE, TILESET, csv_layer, write_map  # noqa: E402
from tilequad import load_map  # noqa: E402
from tilequad.draw.pillow import render  # noqa: E402
from tilequad.draw.pygame import MapView  # noqa: E402
from tilequad.draw.pygame.blocks import Blocks  # noqa: E402
from tilequad.draw.pygame.layer_group import CHUNK  # noqa: E402
from tilequad.draw.pygame.surfaces import blank, is_packed, repeated  # noqa: E402

SIZE = 320, 200
SIDE = 60  # cells
FRAMES = 30  # more than there are blocks in view, so that all are packed


@pytest.fixture
def towns(tmp_path):
    """A full ground, and roofs over a few of its cells."""
    generator = np.random.default_rng(7)
    ground = generator.integers(1, 5, (SIDE, SIDE)).tolist()
    roofs = (
        generator.integers(1, 5, (SIDE, SIDE)) * (generator.random((SIDE, SIDE)) < 0.1)
    ).tolist()
    layers = csv_layer("ground", ground), csv_layer("roofs", roofs)
    return load_map(write_map(tmp_path, TILESET, *layers, size=(SIDE, SIDE)), y_up=False)


def view_at(x: float, y: float, zoom: float) -> tuple[float, float, float, float]:
    return x, y, x + SIZE[0] / zoom, y + SIZE[1] / zoom


def pictures(map_view, layers) -> list[pygame.Surface]:
    """The pictures of all blocks that hold something."""
    [buffer] = map_view._choices[tuple(layers)].buffers
    found = [picture.surface for picture in buffer._pictures.values()]
    return [surface for surface in found if surface is not None]


def colors(surface) -> np.ndarray:
    return pygame.surfarray.array3d(surface).swapaxes(0, 1)


@pytest.mark.parametrize("kind", ["screen", "alpha", "24 bits"])
@pytest.mark.parametrize("zoom", [1.0, 2.0, 3.0, 1.5])
def test_packed_blocks_look_as_render(towns, zoom, kind):
    map_view, view = MapView(towns), view_at(200, 150, zoom)
    surface = {"screen": pygame.Surface(SIZE, 0, 32), "24 bits": pygame.Surface(SIZE, 0, 24)}.get(
        kind, blank(SIZE)
    )
    below, above = ([towns.layer(name)] for name in ("ground", "roofs"))
    for _ in range(FRAMES):
        map_view.draw(surface, view, below)
        map_view.draw(surface, view, above)
    assert pictures(map_view, above)
    assert any(map(is_packed, pictures(map_view, above))) == (kind == "screen")
    expected = np.asarray(render(towns, view, scale=zoom).convert("RGB"))
    assert (colors(surface) == expected).all()


@pytest.mark.parametrize("zoom", [1.0, 2.0, 2.5])
def test_they_follow_the_camera_and_the_map(towns, zoom):
    kept, surface, plain = MapView(towns), pygame.Surface(SIZE, 0, 32), pygame.Surface(SIZE, 0, 32)
    roofs = towns.layer("roofs")
    x, y = 100.0, 100.0
    for number in range(120):
        x, y = x + (7 if number % 50 < 30 else -9) / zoom, y + 3 / zoom
        if number % 7 == 0:
            cell = int(x // TILE) + 3, int(y // TILE) + 3
            if number % 2:
                roofs.set_tile(*cell, number % 4 + 1)
            else:
                roofs.clear_tile(*cell)
        for target, view in ((surface, kept), (plain, MapView(towns))):
            target.fill((30, 60, 90))
            view.draw(target, view_at(x, y, zoom), [roofs])
        assert (colors(surface) == colors(plain)).all(), number


def test_what_is_half_transparent_is_not_packed(towns):
    map_view, surface, view = MapView(towns), pygame.Surface(SIZE, 0, 32), view_at(200, 150, 1)
    roofs = towns.layer("roofs")
    roofs.opacity = 0.5
    for _ in range(FRAMES):
        map_view.draw(surface, view)
        map_view.draw(surface, view, [roofs])
    assert pictures(map_view, [roofs])
    assert not any(map(is_packed, pictures(map_view, [roofs])))


def test_blocks_without_a_tile_are_left_out(towns):
    roofs = towns.layer("roofs")
    for column, row in roofs.cells(roofs.ids()).tolist():
        roofs.clear_tile(column, row)
    map_view = MapView(towns)
    map_view.draw(pygame.Surface(SIZE), view_at(200, 150, 2), [roofs])
    assert not pictures(map_view, [roofs])


@pytest.mark.parametrize("zoom", [2, 3, 4, 5, 7, 8])
def test_whole_zooms_are_enlarged_as_all_others(zoom):
    generator = np.random.default_rng(zoom)
    chunk, fast = blank((CHUNK, CHUNK)), blank((10 * zoom, 6 * zoom))
    pygame.surfarray.pixels2d(chunk)[:] = generator.integers(0, 1 << 32, (CHUNK, CHUNK), np.uint32)
    blocks = Blocks(zoom, False)
    block = blocks.area((1, 2))
    part = pygame.Rect(block.x + 3 * zoom, block.y + 5 * zoom, *fast.get_size())
    chunk.set_alpha(None)
    blocks.draw(fast, chunk, (1, 2), part)
    left, top = blocks.source((1, 2)).topleft
    columns = np.repeat(np.arange(3, 13), zoom) + left
    rows = np.repeat(np.arange(5, 11), zoom) + top
    assert fast.get_buffer().raw == repeated(chunk, columns, rows).get_buffer().raw


@pytest.mark.parametrize("zoom", [0.51, 0.6, 0.75, 0.9])
def test_lines_that_no_pixel_shows_are_left_out(tmp_path, zoom):
    rows = [[0] * SIDE for _ in range(SIDE)]
    for number in range(0, SIDE, 4):
        rows[number][(7 * number) % SIDE] = 1
    path = write_map(tmp_path, TILESET, csv_layer("posts", rows), size=(SIDE, SIDE))
    tiles = np.zeros((2 * TILE, 2 * TILE, 4), np.uint8)
    tiles[:TILE, 5] = 200, 100, 50, 255
    Image.fromarray(tiles).save(tmp_path / "tiles.png")
    tile_map = load_map(path, y_up=False)
    for x in range(0, 500, 100):  # whole pixels at all these zooms
        surface, view = pygame.Surface(SIZE), view_at(x, x, zoom)
        MapView(tile_map).draw(surface, view)
        expected = np.asarray(render(tile_map, view, scale=zoom).convert("RGB"))
        assert (colors(surface) == expected).all(), x


@pytest.mark.parametrize("zoom", [256, 300, 5000])
def test_huge_zooms_take_no_more_memory(towns, zoom):
    roofs = towns.layer("roofs")
    column, row = roofs.cells(roofs.ids())[40].tolist()
    view = view_at(column * TILE + 3.99, row * TILE - 0.01, zoom)  # across edges of pixels
    map_view, surface = MapView(towns), pygame.Surface(SIZE, 0, 32)
    for _ in range(5):
        map_view.draw(surface, view, [roofs])
    assert map_view.nbytes < 16 << 20
    alone = np.asarray(render(towns, view, scale=zoom, layers=[roofs]).convert("RGB"))
    assert (colors(surface) == alone).all()
