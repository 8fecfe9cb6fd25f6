"""MapView follows tiles that are set and cleared."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest

import tilequad.draw.arcade.grid_cells as grid_cells
from tests.drawing import (
    BACKGROUND,
    EVERYWHERE,
    animation,
    arcade,
    as_in_pillow,
    noise,
    noisy_map,
    noisy_tileset,
    one_noisy_layer,
    random_cells,
    redraw,
    screen,
    show,
)
from tests.tmx import csv_layer
from tilequad.draw.arcade import MapView, Minimap, SpriteBatch, StandingLayers
from tilequad.draw.arcade.map_view import TileLayerView
from tilequad.tiled import FLIPPED_HORIZONTALLY, MapError, load_map

pytestmark = pytest.mark.gl


def test_a_view_follows_random_changes(window, tmp_path):
    tile_map = noisy_map(
        tmp_path,
        noisy_tileset(tmp_path, "tall", 17, (16, 56)),
        csv_layer("a", random_cells(1, 1, 3, empty=0.5, flips=[0])),
        elements=animation(3, (5, 100), (0, 50)),
    )
    layer, map_view, rng = tile_map.layer("a"), MapView(tile_map), np.random.default_rng(2)
    map_view.draw(EVERYWHERE)
    for _ in range(30):
        for _ in range(rng.integers(1, 4)):
            column, row = int(rng.integers(20)), int(rng.integers(15))
            if rng.random() < 0.4:
                layer.clear_tile(column, row)
            else:
                gid, flags = int(rng.integers(1, 33)), int(rng.integers(8)) * 2
                layer.set_tile(column, row, gid, flags)
        assert np.array_equal(redraw(window, map_view), show(window, tile_map))


def test_a_view_follows_a_layer_that_is_emptied_and_filled(window, tmp_path):
    tile_map = noisy_map(tmp_path, csv_layer("a", [[1, 0, 2]]), size=(3, 1))
    layer, map_view = tile_map.layer("a"), MapView(tile_map)
    for change in (
        lambda: layer.clear_tile(0, 0),
        lambda: layer.clear_tile(2, 0),
        lambda: layer.set_tile(1, 0, 7),
    ):
        change()
        actual = redraw(window, map_view)
        assert np.array_equal(actual, show(window, tile_map))


@pytest.mark.parametrize("few", [0, 1 / 50, 1])
def test_a_layer_may_outgrow_its_textures(window, tmp_path, monkeypatch, few):
    monkeypatch.setattr(grid_cells, "FEW", few)
    tile_map = noisy_map(
        tmp_path, csv_layer("a", random_cells(3, 1, 16, empty=0.9)), csv_layer("b", [[0] * 20] * 15)
    )
    map_view, rng = MapView(tile_map), np.random.default_rng(4)
    cells = rng.permutation([(column, row) for row in range(15) for column in range(20)])
    for number, (column, row) in enumerate(cells.tolist()):
        for layer in tile_map.layers:
            layer.set_tile(column, row, int(rng.integers(1, 17)))
        if number % 3 == 0:
            tile_map.layer("a").clear_tile(*cells[number // 2].tolist())
        if number % 25 == 24:
            assert np.array_equal(redraw(window, map_view), show(window, tile_map))


def test_many_changes_are_uploaded_row_by_row(window, tmp_path, monkeypatch):
    monkeypatch.setattr(grid_cells, "FEW", 1)
    tile_map = one_noisy_layer(tmp_path, (256, 256), seed=5)
    layer, map_view, rng = tile_map.layer("a"), MapView(tile_map), np.random.default_rng(4)
    map_view.draw(EVERYWHERE)
    calls = []
    write_run = grid_cells.write_run
    monkeypatch.setattr(grid_cells, "write_run", lambda *a: calls.append(a[1]) or write_run(*a))
    layer.set_tiles(rng.integers(0, 256, (2000, 2)), rng.integers(1, 17, 2000))
    map_view.draw(EVERYWHERE)
    grid = map_view._layers[layer]._grid.cells
    held = np.frombuffer(grid._cells.read(), np.uint16)[: len(grid._store.values)]
    assert np.array_equal(held, grid._kinds_of(grid._store.values))
    assert 1 < len(calls) <= len(held) // grid_cells.WIDTH + 1


def test_a_change_uploads_its_cells_and_nothing_else(window, tmp_path, monkeypatch):
    cells = random_cells(5, 1, 16, empty=0, flips=[0])
    cells[7][9] = 0
    tile_map = noisy_map(tmp_path, csv_layer("a", cells))
    layer, map_view = tile_map.layer("a"), MapView(tile_map)
    map_view.draw(EVERYWHERE)
    written = []
    textures = type(window.ctx.texture((1, 1)))
    write_texels = textures.write

    def spy(texture, data, *rest, **options):
        written.append(memoryview(data).nbytes)
        write_texels(texture, data, *rest, **options)

    monkeypatch.setattr(textures, "write", spy)
    for change, texels in (
        (lambda: layer.set_tile(3, 3, 1 + cells[3][3] % 16), 1),
        (lambda: layer.clear_tile(0, 0), 1),
        (lambda: layer.set_tile(9, 7, 5), 1),
        (lambda: (layer.set_tile(1, 0, 5), layer.clear_tile(1, 0)), 1),
        (lambda: None, 0),
    ):
        change()
        written.clear()
        map_view.draw(EVERYWHERE)
        assert sum(written) == 2 * texels


def test_a_view_shows_changes_from_before_it_was_made(window, tmp_path):
    tile_map = noisy_map(tmp_path, csv_layer("a", random_cells(6, 1, 16)))
    same = load_map(tile_map.path)
    map_view = MapView(same)
    for layer in (tile_map.layer("a"), same.layer("a")):
        for number in range(0, 60, 2):
            layer.clear_tile(number % 20, number // 20)
            layer.set_tile(number % 7, 14 - number % 11, 3)
    assert np.array_equal(redraw(window, map_view), show(window, tile_map))


def test_a_view_follows_a_map_that_was_saved_again(window, tmp_path):
    cells = random_cells(7, 1, 16)
    item = '<objectgroup id="9"><object id="1" gid="3" x="50" y="90"/></objectgroup>'
    tile_map = noisy_map(tmp_path, csv_layer("a", cells, 'id="1"'), item)
    map_view = MapView(tile_map)

    def others(map_view: MapView) -> tuple[Minimap, StandingLayers]:
        layer = map_view.tile_map.layer("a")
        batch = SpriteBatch([arcade.Texture(noise(8, 8, 1))])
        return Minimap(map_view, 80), StandingLayers(map_view.tile_map, [layer], batch)

    def small(minimap: Minimap, standing: StandingLayers) -> list[np.ndarray]:
        """What a minimap shows, and tiles that stand among units."""
        window.clear(color=BACKGROUND)
        minimap.draw(10, 10)
        picture = screen(window)
        window.clear(color=BACKGROUND)
        standing.draw(EVERYWHERE)
        return [picture, screen(window)]

    own = others(map_view)
    small(*own)
    text = tile_map.path.read_text()
    more = csv_layer("b", random_cells(8, 1, 16, empty=0.7), 'id="5" offsetx="3"')
    for newer in (
        text.replace('id="1" ', 'id="1" offsety="5" ', 1),
        text.replace("<objectgroup", f"{more}<objectgroup"),
        text.replace('gid="3" x="50"', 'gid="4" x="70"'),
        text.replace("<image ", '<tileoffset x="2" y="3"/><image '),
        text,
    ):
        tile_map.path.write_text(newer)
        noise(64, 64, len(newer)).save(tmp_path / "tiles.png")
        revision = tile_map.revision
        assert tile_map.reload_if_changed()
        assert tile_map.revision == revision + 1
        fresh = load_map(tile_map.path)
        assert np.array_equal(redraw(window, map_view), show(window, fresh))
        for here, there in zip(small(*own), small(*others(MapView(fresh))), strict=True):
            assert np.array_equal(here, there)


def test_a_frame_that_fails_is_drawn_when_it_can_be(window, tmp_path):
    item = '<objectgroup id="9"><object id="1" gid="3" x="50" y="90"/></objectgroup>'
    broken = noisy_tileset(tmp_path, "broken", 17, (16, 16))
    (tmp_path / "broken.png").write_text("no image")
    noisy_map(tmp_path, broken, csv_layer("a", random_cells(7, 1, 16)), item)
    tile_map = load_map(tmp_path / "map.tmx", strict=True)
    map_view, (layer, things) = MapView(tile_map), tile_map.layers
    minimap = Minimap(map_view, 80)
    for spoil, repair in (
        (lambda: layer.set_tile(3, 3, 18), lambda: layer.set_tile(3, 3, 6)),
        (
            lambda: things.edit_object(things.objects[0], gid=20),
            lambda: things.edit_object(things.objects[0], gid=4),
        ),
    ):
        layer.set_tile(4, 3, 1)
        layer.set_tile(4, 4, 2)
        spoil()
        for draw in (redraw, redraw, lambda *_: minimap.draw(0, 0)):
            with pytest.raises(MapError, match="is not an image"):
                draw(window, map_view)
        repair()
        assert np.array_equal(redraw(window, map_view), show(window, tile_map))


def test_an_interrupted_frame_leaves_no_trace(window, tmp_path, monkeypatch):
    """A minimap is painted in the next frame, and what a game draws is blended as before."""
    tile_map = one_noisy_layer(tmp_path, (20, 15))
    map_view, blended = MapView(tile_map), window.ctx.blend_func
    minimap = Minimap(map_view, 80)
    tile_map.layer("a").set_tiles([(x, y) for x in range(9) for y in range(9)], 3)
    with monkeypatch.context() as patch:
        patch.setattr(TileLayerView, "draw", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            minimap.draw(10, 10)
    assert window.ctx.blend_func == blended
    found = []
    for shown in (minimap, Minimap(MapView(tile_map), 80)):
        window.clear(color=BACKGROUND)
        shown.draw(10, 10)
        found.append(screen(window))
    assert np.array_equal(*found)


def test_the_time_may_be_set_between_an_edit_and_the_next_frame(window, tmp_path):
    tile_map = noisy_map(
        tmp_path, csv_layer("a", [[1, 2, 3, 4]] * 3), elements=animation(0, (0, 100), (1, 100))
    )
    map_view = MapView(tile_map)
    map_view.set_time(50)
    redraw(window, map_view)
    for frames in ([(0, 100), (9, 100)], [(5, 100), (2, 100)], []):
        tile_map.tilesets[0].edit_tile(0, animation=frames)
        map_view.set_time(150)
        found = redraw(window, map_view)
        assert abs(found - as_in_pillow(window, tile_map, time=150)).max() <= 4


def test_a_kind_that_appears_later_shows_the_frame_of_the_time(window, tmp_path):
    frames = animation(1, (1, 100), (5, 100))
    tile_map = noisy_map(tmp_path, csv_layer("a", [[1, 3, 4, 0]] * 3), elements=frames)
    map_view, layer = MapView(tile_map), tile_map.layer("a")
    map_view.set_time(150)
    redraw(window, map_view)
    for flags in (0, FLIPPED_HORIZONTALLY):
        layer.set_tile(0, 0, 2, flags)
        found = redraw(window, map_view)
        assert abs(found - as_in_pillow(window, tile_map, time=150)).max() <= 4


def test_a_view_follows_colors_of_outlines_and_repeats_of_images(window, tmp_path):
    tile_map = noisy_map(
        tmp_path,
        '<imagelayer id="1" name="sky"><image source="tiles.png" width="64" height="64"/>'
        '</imagelayer><objectgroup id="2" name="marks" color="#ff0000">'
        '<object id="1" x="10" y="20" width="30" height="20"/></objectgroup>',
    )
    sky, marks = tile_map.layers
    map_view = MapView(tile_map, objects="all")
    minimap, small = Minimap(map_view, 240), []
    for change in (
        lambda: None,
        lambda: setattr(marks, "color", (0, 0, 255, 255)),
        lambda: setattr(sky, "repeat", (True, False)),
        lambda: marks.edit_object(marks.objects[0], x=200),
    ):
        change()
        found = redraw(window, map_view, arcade.Camera2D())
        assert abs(found - as_in_pillow(window, tile_map)).max() <= 4
        window.clear(color=BACKGROUND)
        minimap.draw(0, 0)
        small.append(screen(window).tobytes())
    assert len(set(small)) == 4
