"""MapView against arcade's own sprites, Pillow and Tiled."""

import numpy as np
import pytest
from PIL import Image

import tilequad.draw.arcade.tile_grid as tile_grid
from tests.corpus import rows
from tests.drawing import (
    BACKGROUND,
    EVERYWHERE,
    animation,
    arcade,
    as_in_pillow,
    noise,
    noisy_map,
    noisy_tileset,
    on_background,
    random_camera,
    random_cells,
    redraw,
    screen,
    show,
    write_window_map,
)
from tests.tmx import csv_layer
from tilequad.draw.arcade import MapView, visible_bounds
from tilequad.tiled import Limits, MapError, TileLayer, load_map

pytestmark = pytest.mark.gl


def test_tiles_look_as_in_arcade_with_all_eight_flips(window, tmp_path):
    tile_map = noisy_map(
        tmp_path,
        csv_layer("low", random_cells(1, 1, 16, empty=0.1), 'id="1"'),
        csv_layer("high", random_cells(2, 1, 16, empty=0.5), 'id="2"'),
    )
    window.clear(color=BACKGROUND)
    for sprites in arcade.load_tilemap(tile_map.path).sprite_lists.values():
        sprites.draw(pixelated=True)
    expected = screen(window)
    assert {flag for layer in tile_map.layers for flag in layer.flags(layer.ids())} == set(
        range(0, 16, 2)
    )
    assert np.array_equal(show(window, tile_map), expected)


def test_large_and_offset_tiles_look_as_in_pillow(window, tmp_path):
    moved = '<tileoffset x="5" y="-3"/>'
    tile_map = load_map(
        write_window_map(
            tmp_path,
            noisy_tileset(tmp_path, "wide", 1, (40, 24)),
            noisy_tileset(tmp_path, "tall", 17, (16, 56), moved),
            csv_layer("a", random_cells(1, 1, 32), 'offsetx="7" offsety="-11"'),
            csv_layer("b", random_cells(2, 1, 32, empty=0.9), 'opacity="0.5"'),
            csv_layer("c", random_cells(3, 1, 32, empty=0.9), 'tintcolor="#80ff8040"'),
            csv_layer("d", random_cells(4, 1, 32, empty=0.5), 'visible="0"'),
        )
    )
    expected = as_in_pillow(window, tile_map)
    # Pillow and the GPU round colors after each layer on their own.
    assert abs(show(window, tile_map) - expected).max() <= 4


def test_tile_objects_and_images_look_as_in_pillow(window, tmp_path):
    noise(64, 48, seed=5).save(tmp_path / "cloud.png")
    objects = [
        f'<object id="{number}" gid="{number % 16 + 1 | number % 8 << 29}" x="{x}" y="{y}" '
        f'width="{16 + number % 3 * 16}" height="{16 + number % 2 * 16}" '
        f'visible="{int(number % 6 > 0)}"/>'
        for number, (x, y) in enumerate(
            np.random.default_rng(3).integers(0, 240, (40, 2)).tolist(), 1
        )
    ]
    shape = '<object id="99" x="50" y="60" width="70" height="80"/>'
    tile_map = noisy_map(
        tmp_path,
        '<imagelayer id="1" name="sky" offsetx="9" offsety="4" repeatx="1">'
        '<image source="cloud.png" width="64" height="48"/></imagelayer>',
        f'<objectgroup id="2" name="things" opacity="0.8">{"".join(objects)}</objectgroup>',
        '<imagelayer id="3" name="sun" opacity="0.6" offsetx="-20" offsety="100">'
        '<image source="cloud.png" width="64" height="48"/></imagelayer>',
        f'<objectgroup id="4" name="shapes">{shape}</objectgroup>',
    )
    expected = as_in_pillow(window, tile_map)
    assert abs(show(window, tile_map) - expected).max() <= 4


@pytest.mark.parametrize("shift", [(0.5, 0.5), (-7.5, 3.5), (0.25, 0.75)])
def test_edges_between_pixels_are_rounded_as_in_pillow(window, tmp_path, shift):
    noise(64, 48, seed=5).save(tmp_path / "cloud.png")
    offset = f'offsetx="{shift[0]}" offsety="{shift[1]}"'
    objects = "".join(
        f'<object id="{number}" gid="{number % 16 + 1 | number % 8 << 29}" x="{20 * number}" '
        f'y="{11 * number}" width="{16 << number % 3}" height="{16 << number % 2}" '
        f'rotation="{number % 5 * 90}"/>'
        for number in range(1, 15)
    )
    tile_map = noisy_map(
        tmp_path,
        noisy_tileset(tmp_path, "tall", 17, (13, 29)),
        f'<imagelayer name="sky" {offset}><image source="cloud.png"/></imagelayer>',
        csv_layer("a", random_cells(1, 1, 32, empty=0.6), offset),
        f'<objectgroup name="things" {offset}>{objects}</objectgroup>',
    )
    for layer in tile_map.layers:
        window.clear(color=BACKGROUND)
        MapView(tile_map).draw(EVERYWHERE, [layer])
        expected = as_in_pillow(window, tile_map, layers=[layer])
        different = abs(screen(window) - expected).max(axis=2) > 4
        assert np.count_nonzero(different) == 0, layer.name


@pytest.mark.parametrize("tint", ["#ff8040", "#80206090", "#60ffffff", "#ffffff"])
def test_a_tint_sees_half_transparent_pixels_on_white_as_in_pillow(window, tmp_path, tint):
    noise(64, 48, seed=5).save(tmp_path / "cloud.png")
    tile_map = noisy_map(
        tmp_path,
        csv_layer("a", random_cells(1, 1, 16), f'tintcolor="{tint}"'),
        f'<imagelayer name="sky" tintcolor="{tint}"><image source="cloud.png"/></imagelayer>',
    )
    expected = as_in_pillow(window, tile_map)
    assert abs(show(window, tile_map) - expected).max() <= 4


@pytest.mark.parametrize(
    ("mode", "opacity"),
    [
        ("normal", 0.8), ("add", 1), ("add", 0.8), ("multiply", 0.8), ("screen", 0.8),
        ("overlay", 0.8), ("darken", 0.8), ("lighten", 0.8), ("color-dodge", 1),
        ("color-burn", 0.8), ("hard-light", 0.8), ("soft-light", 0.8), ("difference", 0.8),
        ("exclusion", 1), ("unheard-of", 0.8),
    ],
)  # fmt: skip
def test_every_blend_mode_looks_as_in_pillow(window, tmp_path, mode, opacity):
    noise(320, 240, seed=9).convert("RGB").save(tmp_path / "ground.png")
    noise(64, 48, seed=5).save(tmp_path / "cloud.png")
    tile_map = noisy_map(
        tmp_path,
        '<imagelayer name="ground"><image source="ground.png"/></imagelayer>',
        csv_layer("a", random_cells(1, 1, 16), f'mode="{mode}" opacity="{opacity}"'),
        f'<imagelayer name="sky" mode="{mode}" offsetx="30" offsety="40">'
        '<image source="cloud.png"/></imagelayer>',
    )
    expected = as_in_pillow(window, tile_map)
    # Pillow keeps eight bits of every step; a mode that divides multiplies what they lack.
    few = 0.001 if mode in ("color-dodge", "color-burn") else 0
    assert (abs(show(window, tile_map) - expected).max(axis=2) > 4).mean() <= few


@pytest.mark.parametrize("mode", ["normal", "overlay"])
def test_a_screen_of_high_density_shows_the_same(window, tmp_path, monkeypatch, mode):
    tile_map = noisy_map(
        tmp_path,
        csv_layer("a", random_cells(1, 1, 16)),
        csv_layer("b", random_cells(2, 1, 16), f'mode="{mode}"'),
    )
    camera = arcade.Camera2D(zoom=0.4)
    expected = show(window, tile_map, camera)
    window.clear(color=BACKGROUND)
    map_view = MapView(tile_map)
    with camera.activate():
        view = visible_bounds(camera)
        with monkeypatch.context() as patch:  # arcade then counts half as many
            patch.setattr(window, "get_pixel_ratio", lambda: 2.0)
            map_view.draw(view)
    assert np.array_equal(screen(window), expected)


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_tile_objects_rotate_about_their_corner(window, tmp_path, degrees):
    tile_map = load_map(
        write_window_map(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (40, 24)),
            f'<objectgroup name="o"><object id="1" gid="7" x="100" y="80" '
            f'rotation="{degrees}"/></objectgroup>',
        )
    )
    tile = Image.open(tmp_path / "tiles.png").crop((80, 24, 120, 48))
    turned = tile.rotate(-degrees, expand=True)
    left, top = {90: (100, 80), 180: (60, 80), 270: (76, 40)}[degrees]
    canvas = Image.new("RGBA", window.size)
    canvas.paste(turned, (left, top))
    assert abs(show(window, tile_map) - on_background(canvas)).max() <= 1


@pytest.mark.parametrize("seed", range(6))
def test_culling_loses_no_pixel(window, tmp_path, seed, monkeypatch):
    monkeypatch.setattr(tile_grid, "QUADS_FROM", 0.0)
    tile_map = load_map(
        write_window_map(
            tmp_path,
            noisy_tileset(tmp_path, "wide", 1, (40, 24)),
            noisy_tileset(tmp_path, "tall", 17, (16, 56), '<tileoffset x="5" y="-3"/>'),
            csv_layer("a", random_cells(seed, 1, 32, size=(60, 60))),
            size=(60, 60),
        )
    )
    rng = np.random.default_rng(seed)
    camera = random_camera(rng)
    camera.position = tuple(rng.uniform(0, 960, 2))
    layer, view = tile_map.layer("a"), visible_bounds(camera)
    pictures = []
    for bounds in (view, EVERYWHERE):
        window.clear(color=BACKGROUND)
        with camera.activate():
            MapView(tile_map).draw(bounds)
        pictures.append(screen(window))
    culled, everything = pictures
    assert len(layer.query(view)) < len(layer)
    assert (everything != BACKGROUND[:3]).any()
    assert np.array_equal(culled, everything)


def test_parallax_moves_a_layer_with_the_camera(window, tmp_path):
    tile_map = noisy_map(
        tmp_path,
        csv_layer("still", random_cells(1, 1, 16), 'parallaxx="0" parallaxy="0"'),
        csv_layer("slow", random_cells(2, 1, 16), 'parallaxx="0.5" parallaxy="0.5"'),
    )
    still, slow = tile_map.layers
    slow.visible = False
    here, there = (arcade.Camera2D(position=place) for place in ((160, 120), (560, 320)))
    assert np.array_equal(show(window, tile_map, here), show(window, tile_map, there))
    slow.visible, still.visible = True, False
    first, second = show(window, tile_map, here), show(window, tile_map, there)
    # The camera went (400, 200) on: the layer fell back by half of that.
    assert (first[:140, 200:] != BACKGROUND[:3]).any()
    assert np.array_equal(first[:140, 200:], second[100:, :120])


def test_parallax_moves_images_and_culls_by_what_is_seen(window, tmp_path):
    noise(64, 48, seed=5).save(tmp_path / "cloud.png")
    tile_map = load_map(
        write_window_map(
            tmp_path,
            '<imagelayer name="sky" parallaxx="0"><image source="cloud.png" width="64" '
            'height="48"/></imagelayer>',
        )
    )
    here, far = (arcade.Camera2D(position=(x, 220)) for x in (20, 50_020))
    expected = show(window, tile_map, here)
    assert (expected != BACKGROUND[:3]).any()
    assert np.array_equal(show(window, tile_map, far), expected)


def test_time_moves_animated_tiles(window, tmp_path):
    tile_map = noisy_map(
        tmp_path,
        csv_layer("a", [[1, 2 | 1 << 31, 1 | 1 << 31]]),
        elements=animation(0, (5, 100), (0, 50)),
        size=(3, 1),
    )
    map_view = MapView(tile_map)
    pictures = []
    for time in (0, 99, 100, 149, 150):
        map_view.set_time(time)
        pictures.append(redraw(window, map_view))
        canvas = as_in_pillow(window, tile_map, time=time)
        assert abs(pictures[-1] - canvas).max() <= 1
    first, same, other, still_other, again = pictures
    assert np.array_equal(first, same)
    assert np.array_equal(other, still_other)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_draw_leaves_out_hidden_layers_and_what_is_out_of_view(window, tmp_path):
    tile_map = noisy_map(
        tmp_path, csv_layer("a", [[1, 2, 0, 3]]), csv_layer("b", [[4, 4, 4, 4]]), size=(4, 1)
    )
    map_view = MapView(tile_map)
    for visible in (True, False):
        tile_map.layer("b").visible = visible
        expected = as_in_pillow(window, tile_map, layers=tile_map.layers[: 1 + visible])
        assert abs(redraw(window, map_view) - expected).max() <= 2
    window.clear(color=BACKGROUND)
    map_view.draw((500, 500, 600, 600))
    assert (screen(window) == BACKGROUND[:3]).all()


def test_missing_images_are_marked_as_in_pillow(window, tmp_path):
    noisy_map(tmp_path, csv_layer("a", [[1, 2]]), size=(2, 1))
    (tmp_path / "tiles.png").unlink()
    tile_map = load_map(tmp_path / "map.tmx")
    actual = show(window, tile_map)
    assert "tiles.png" in tile_map.warnings[0]
    expected = as_in_pillow(window, tile_map)
    assert (expected != BACKGROUND[:3]).any()
    assert abs(actual - expected).max() <= 1


@pytest.mark.parametrize("zoom", [0.25, 0.5, 1, 2, 3, 4])
def test_markers_of_missing_images_have_the_lines_of_pillow_at_each_zoom(window, tmp_path, zoom):
    sizes = (40, 30), (16, 16), (70, 12), (40, 30)
    items = "".join(
        f'<object id="{number}" gid="1" x="{20 + 25 * number}" y="{40 + 20 * number}" '
        f'width="{width}" height="{height}"/>'
        for number, (width, height) in enumerate(sizes, 1)
    )
    objects = f'<objectgroup name="o">{items}</objectgroup>'
    noisy_map(tmp_path, csv_layer("a", [[1, 0, 2] * 4] * 9), objects, size=(12, 9))
    (tmp_path / "tiles.png").unlink()
    tile_map = load_map(tmp_path / "map.tmx")
    camera = arcade.Camera2D(position=(window.width / zoom / 2, window.height / zoom / 2))
    camera.zoom = zoom
    actual = show(window, tile_map, camera)
    different = abs(actual - as_in_pillow(window, tile_map, camera))
    assert (actual != BACKGROUND[:3]).any()
    assert different.mean() < (0.5 if zoom != 3 else 4)  # of which none has a picture of its own


def test_a_tile_that_the_cache_dropped_is_not_drawn_as_a_missing_one(window, tmp_path):
    parts = ""
    for number in (0, 1):
        noise(16, 16, seed=number).save(tmp_path / f"{number}.png")
        parts += f'<tile id="{number}"><image source="{number}.png" width="16" height="16"/></tile>'
    tiles = f'<tileset firstgid="1" name="t" tilewidth="16" tileheight="16">{parts}</tileset>'
    item = '<object id="1" gid="1" x="64" y="64" width="32" height="32"/>'
    objects = f'<objectgroup name="o">{item}</objectgroup>'
    path = write_window_map(tmp_path, tiles, csv_layer("a", [[1, 2]]), objects)
    whole, small = (show(window, load_map(path, limits=Limits(pixels=most))) for most in (600, 300))
    assert np.array_equal(whole, small)


def test_an_image_longer_than_a_texture_is_drawn_coarser(window, tmp_path):
    length = 2 * window.ctx.info.MAX_TEXTURE_SIZE
    Image.new("RGBA", (length, 4), (9, 99, 200, 255)).save(tmp_path / "long.png")
    layer = '<imagelayer name="i"><image source="long.png"/></imagelayer>'
    actual = show(window, load_map(write_window_map(tmp_path, layer)))
    assert (actual == (9, 99, 200)).all(axis=2).sum() == 4 * window.width


def test_tiles_that_are_longer_than_the_atlas_are_refused(window, tmp_path):
    length = window.ctx.info.MAX_TEXTURE_SIZE + 1
    tiles = noisy_tileset(tmp_path, "tiles", 1, (16, 16)).replace('="16"', f'="{length}"', 1)
    tile_map = load_map(write_window_map(tmp_path, tiles, csv_layer("a", [[1]])))
    with pytest.raises(MapError, match="do not fit into the texture atlas"):
        MapView(tile_map)


def test_tiles_that_are_too_many_for_a_texture_are_refused(window, tmp_path, monkeypatch):
    tile_map = noisy_map(tmp_path, csv_layer("a", [[*range(1, 17)]]), size=(16, 1))
    monkeypatch.setattr(window.ctx.info, "MAX_TEXTURE_SIZE", 64)
    with pytest.raises(MapError, match="do not fit into the texture atlas"):
        MapView(tile_map)


# Real maps of every kind, whose tile layers the GPU must draw as Tiled 1.12 does.
REAL_MAPS = (
    "maps/bevy_ecs_tiled/assets/maps/isometric/finite_diamond.tmx",
    "maps/bevy_ecs_tiled/assets/maps/hexagonal/finite_flat_top_odd.tmx",
    "maps/cocos2d-objc/Resources/TileMaps/hexa-test.tmx",
    "maps/go-tiled/assets/groups.tmx",
    "maps/go-tiled/assets/staggered.tmx",
    "maps/tiled/examples/hexagonal-mini.tmx",
    "maps/tiled/examples/isometric_grass_and_water.tmx",
    "maps/haxe-format-tiled/test/assets/orthogonal-outside.tmx",
    "maps/tiled/examples/perspective_walls.tmx",
    "maps/haxe-format-tiled/test/assets/sewers.tmx",
)


@pytest.mark.corpus
@pytest.mark.parametrize("name", REAL_MAPS)
def test_real_maps_look_as_in_tiled(window, corpus, name, monkeypatch):
    monkeypatch.setattr(tile_grid, "QUADS_FROM", 0.0)
    [truth] = [row["truth_tiles"] for row in rows() if row["path"] == name]
    expected = on_background(Image.open(corpus / truth).convert("RGBA"))
    tile_map = load_map(corpus / name)
    height, width = expected.shape[:2]
    assert (tile_map.canvas.width, tile_map.canvas.height) == (width, height)

    target = window.ctx.framebuffer(color_attachments=[window.ctx.texture((width, height))])
    camera = arcade.Camera2D(position=tile_map.canvas.center, render_target=target)
    map_view = MapView(tile_map)
    with camera.activate():
        target.clear(color=BACKGROUND)
        for layer in tile_map.layers:
            layer.parallax = 1, 1  # Tiled's renderer knows no camera
            if isinstance(layer, TileLayer) and layer.visible:
                map_view.draw(tile_map.canvas, [layer])
        pixels = np.frombuffer(target.read(components=3), np.uint8)
    actual = np.flipud(pixels.reshape(height, width, 3)).astype(int)
    # A turned hexagon has a few pixels whose center lies on its very edge.
    wrong = (abs(actual - expected) > 4).any(axis=2).sum()
    assert wrong <= (5 if tile_map.orientation == "hexagonal" else 0)
