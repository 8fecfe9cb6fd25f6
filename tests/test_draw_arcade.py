"""What the GPU draws: against arcade's own sprites, against Pillow, and corner by corner."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tilequad.bounds import Bounds
from tilequad.draw.image import render
from tilequad.tiled import MapError, TileLayer, load_map

from .tmx import csv_layer, map_text

arcade = pytest.importorskip(
    "arcade", exc_type=ImportError, reason="arcade or the OpenGL library it needs is missing"
)
import tilequad.draw.arcade.tile_quads as tile_quads  # noqa: E402
from tilequad.draw.arcade import (  # noqa: E402
    MapView,
    SpriteBatch,
    TreeOverlay,
    pan,
    visible_bounds,
    zoom_at,
)
from tilequad.draw.arcade.viewer import MapScreen  # noqa: E402

pytestmark = pytest.mark.gl

BACKGROUND = (20, 40, 60, 255)


def picture(window) -> np.ndarray:
    """What is on the screen, (height, width, 4), top row first."""
    return np.asarray(arcade.get_image(0, 0, window.width, window.height))


def drawn_plainly(window, draw) -> np.ndarray:
    """What `draw` draws where nothing is multisampled, (height, width, 3), top row first."""
    target = window.ctx.framebuffer(color_attachments=[window.ctx.texture(window.size)])
    with target.activate():
        target.clear(color=BACKGROUND)
        draw()
        pixels = np.frombuffer(target.read(components=3), np.uint8)
    return np.flipud(pixels.reshape(window.height, window.width, 3))


def noise(width: int, height: int, seed: int) -> Image.Image:
    """A picture without any symmetry: a wrong flip or a shift by a pixel cannot hide in it."""
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    return Image.fromarray(pixels)


def random_camera(rng: np.random.Generator):
    camera = arcade.Camera2D()
    camera.position = tuple(rng.uniform(-1000, 1000, 2))
    camera.zoom = float(rng.uniform(0.2, 5))
    camera.angle = float(rng.uniform(0, 360))
    return camera


class TestVisibleBounds:
    def test_of_a_camera_at_rest_is_the_window(self, window):
        camera = arcade.Camera2D()
        assert visible_bounds(camera) == (0, 0, window.width, window.height)

    def test_halves_when_the_zoom_doubles(self, window):
        camera = arcade.Camera2D(position=(1000, 500), zoom=2)
        assert visible_bounds(camera) == (920, 440, 1080, 560)

    def test_swaps_its_sides_at_a_quarter_turn(self, window):
        camera = arcade.Camera2D(position=(0, 0))
        camera.angle = 90
        assert visible_bounds(camera) == pytest.approx((-120, -160, 120, 160))

    @pytest.mark.parametrize("seed", range(20))
    def test_is_the_box_around_the_unprojected_corners(self, window, seed):
        camera = random_camera(np.random.default_rng(seed))
        corners = [camera.unproject((x, y)) for x in (0, window.width) for y in (0, window.height)]
        xs, ys = [corner.x for corner in corners], [corner.y for corner in corners]
        assert visible_bounds(camera) == pytest.approx((min(xs), min(ys), max(xs), max(ys)))

    def test_follows_a_viewport_smaller_than_the_window(self, window):
        camera = arcade.Camera2D(arcade.LBWH(100, 50, 80, 60), position=(0, 0), zoom=0.5)
        low, high = camera.unproject((100, 50)), camera.unproject((180, 110))
        assert visible_bounds(camera) == pytest.approx((low.x, low.y, high.x, high.y))
        assert visible_bounds(camera) == (-80, -60, 80, 60)


class TestMovingTheCamera:
    @pytest.mark.parametrize("seed", range(10))
    def test_pan_keeps_the_world_under_the_hand(self, window, seed):
        camera = random_camera(np.random.default_rng(seed))
        before = camera.unproject((100, 60))
        pan(camera, 37, -11)
        assert camera.unproject((137, 49)) == pytest.approx(before)

    @pytest.mark.parametrize("seed", range(10))
    def test_zoom_keeps_the_world_under_the_mouse(self, window, seed):
        camera = random_camera(np.random.default_rng(seed))
        before, zoom = camera.unproject((250, 30)), camera.zoom
        zoom_at(camera, 250, 30, 1.25)
        assert camera.unproject((250, 30)) == pytest.approx(before)
        assert camera.zoom == pytest.approx(zoom * 1.25)

    @pytest.mark.parametrize("factor", [0, -1, float("nan")])
    def test_zoom_by_nothing_is_refused(self, window, factor):
        with pytest.raises(ValueError, match="factor must be above 0"):
            zoom_at(arcade.Camera2D(), 0, 0, factor)


class TestSpriteBatch:
    TEXTURE_SIZES = ((16, 16), (10, 24), (9, 7))

    def textures(self):
        return [
            arcade.Texture(noise(width, height, seed))
            for seed, (width, height) in enumerate(self.TEXTURE_SIZES)
        ]

    @pytest.mark.parametrize("turn", ["none", "quarter", "any"])
    def test_equals_a_sprite_list(self, window, turn):
        rng = np.random.default_rng(7)
        numbers = rng.integers(0, 3, 200)
        sizes = np.array(self.TEXTURE_SIZES)[numbers]
        positions = rng.integers(0, 320, (200, 2)) + sizes % 2 / 2
        colors = rng.integers(0, 256, (200, 4))
        angles = {
            "none": np.zeros(200),
            "quarter": rng.integers(0, 4, 200) * 90.0,
            "any": rng.uniform(0, 360, 200),
        }[turn]
        textures = self.textures()
        sprites = arcade.SpriteList()
        for number, (x, y), angle, color in zip(numbers, positions, angles, colors, strict=True):
            sprite = arcade.Sprite(textures[number], 1, x, y, angle)
            sprite.color = tuple(color)
            sprites.append(sprite)

        batch = SpriteBatch(textures)

        expected = drawn_plainly(window, lambda: sprites.draw(pixelated=True))
        actual = drawn_plainly(
            window, lambda: batch.draw(positions, numbers, angles=angles, colors=colors)
        )

        assert (expected != BACKGROUND[:3]).any(axis=2).sum() > 10_000
        assert np.array_equal(actual, expected)

    def test_shows_nothing_of_its_neighbours_in_the_atlas(self, window):
        # A multisampled edge pixel, ten texels wide, asks for texels far outside of the picture.
        red, blue = (
            arcade.Texture(Image.new("RGBA", (32, 32), color))
            for color in ((255, 0, 0, 255), (0, 0, 255, 255))
        )
        batch = SpriteBatch([red, blue, red], arcade.texture_atlas.DefaultTextureAtlas((128, 128)))
        rows, columns = np.divmod(np.arange(10_000), 100)
        camera = arcade.Camera2D(position=(1600, 1600), zoom=0.1)
        with camera.activate():
            batch.draw(np.stack((columns, rows), axis=1) * 32 + 16)
        seen = np.flipud(picture(window))[:, :, :3]
        assert (seen[1:-1, 1:-1] == (255, 0, 0)).all()

    def test_sizes_stretch_the_picture(self, window):
        red = arcade.Texture(Image.new("RGBA", (4, 4), (255, 0, 0, 255)))
        SpriteBatch([red]).draw([(100, 60)], sizes=(40, 20))
        rows, columns = np.nonzero(picture(window)[:, :, 0])
        assert (columns.min(), columns.max()) == (80, 119)
        assert (window.height - 1 - rows.max(), window.height - 1 - rows.min()) == (50, 69)

    def test_a_negative_width_mirrors(self, window):
        face = arcade.Texture(noise(16, 16, seed=4))
        SpriteBatch([face, face.flip_left_right()]).draw(
            [(100, 100), (140, 100)], [0, 1], sizes=[(-16, 16), (16, 16)]
        )
        seen = np.flipud(picture(window))
        assert seen[92:108, 92:108].any()
        assert np.array_equal(seen[92:108, 92:108], seen[92:108, 132:148])

    def test_keeps_its_textures_in_the_atlas(self, window):
        batch = SpriteBatch([arcade.Texture(Image.new("RGBA", (8, 8), (0, 255, 0, 255)))])
        # Without a reference of the batch's own the slot is free again: the next one takes it.
        others = SpriteBatch([arcade.Texture(Image.new("RGBA", (8, 8), (0, 0, 255, 255)))])
        others.draw([(50, 50)])
        batch.draw([(50, 50)])
        assert tuple(picture(window)[window.height - 50, 50]) == (0, 255, 0, 255)

    def test_survives_an_atlas_that_grows(self, window):
        atlas = arcade.texture_atlas.DefaultTextureAtlas((64, 64))
        batch = SpriteBatch([arcade.Texture(noise(32, 32, 1))], atlas)
        batch.draw([(100, 100)])
        expected = picture(window)
        before = atlas.texture
        big = SpriteBatch([arcade.Texture(noise(200, 200, 2))], atlas)
        window.clear(color=(0, 0, 0, 255))
        batch.draw([(100, 100)])
        assert big is not None
        assert atlas.texture is not before
        assert np.array_equal(picture(window), expected)

    def test_nothing_is_drawn_for_no_units(self, window):
        SpriteBatch(self.textures()).draw(np.empty((0, 2)))
        assert not picture(window)[:, :, :3].any()

    def test_leaves_blending_as_it_was(self, window):
        context = window.ctx
        before = context.is_enabled(context.BLEND), context.blend_func
        SpriteBatch(self.textures()).draw([(10, 10)])
        assert (context.is_enabled(context.BLEND), context.blend_func) == before

    @pytest.mark.parametrize("positions", [(1, 2), [(1, 2, 3)], np.zeros((2, 2, 2))])
    def test_positions_of_another_shape_are_refused(self, window, positions):
        with pytest.raises(ValueError, match="positions must have shape"):
            SpriteBatch(self.textures()).draw(positions)

    def test_values_that_do_not_fit_are_refused(self, window):
        batch = SpriteBatch(self.textures())
        with pytest.raises(ValueError, match="broadcast"):
            batch.draw(np.zeros((3, 2)), angles=[1, 2])
        with pytest.raises(IndexError):
            batch.draw(np.zeros((3, 2)), 3)
        with pytest.raises(ValueError, match="at least one texture"):
            SpriteBatch([])


class TestTreeOverlay:
    NODES = np.array(
        [(10.5, 20.5, 100.5, 80.5, 0, 5), (10.5, 20.5, 40.5, 50.5, 1, 2)],
        [(name, float) for name in Bounds._fields] + [("depth", np.int32), ("count", np.int32)],
    )

    def test_draws_the_edges_of_every_box_and_nothing_else(self, window):
        TreeOverlay().draw(self.NODES, color=(255, 255, 255, 255))
        drawn = np.flipud(picture(window)[:, :, 0]) > 0
        allowed = np.zeros_like(drawn)
        for min_x, min_y, max_x, max_y in [tuple(map(int, node))[:4] for node in self.NODES]:
            edges = np.zeros_like(drawn)
            edges[min_y : max_y + 1, min_x : max_x + 1] = True
            edges[min_y + 1 : max_y, min_x + 1 : max_x] = False
            allowed |= edges
            # Where a line ends a driver may leave out its last pixel.
            assert drawn[edges].mean() > 0.98
        assert not drawn[~allowed].any()

    def test_small_nodes_fade(self, window):
        overlay, brightness = TreeOverlay(), []
        for zoom in (1, 0.3, 0.05):
            window.clear(color=(0, 0, 0, 255))
            with arcade.Camera2D(position=(10.5, 20.5), zoom=zoom).activate():
                overlay.draw(self.NODES[:1], color=(255, 255, 255, 255))
            brightness.append(int(picture(window)[:, :, 0].max()))
        large, small, tiny = brightness
        assert large == 255
        assert 0 < small < 255
        assert tiny == 0

    def test_stays_one_pixel_wide_under_zoom(self, window):
        camera = arcade.Camera2D(position=(40, 30), zoom=2)
        with camera.activate():
            TreeOverlay().draw(self.NODES, color=(255, 255, 255, 255))
        across = np.flipud(picture(window))[window.height // 2 + 5, :, 0] > 0
        assert np.flatnonzero(across).tolist() == [101, 161, 281]

    def test_no_nodes_draw_nothing(self, window):
        TreeOverlay().draw(self.NODES[:0])
        assert not picture(window)[:, :, :3].any()


EVERYWHERE = (-1e6, -1e6, 1e6, 1e6)


def screen(window) -> np.ndarray:
    """What is on the screen, (height, width, 3) as signed numbers, top row first."""
    return picture(window)[:, :, :3].astype(int)


def on_background(image: Image.Image) -> np.ndarray:
    """A Pillow picture over the background of the tests, in the form of `screen`."""
    canvas = Image.new("RGBA", image.size, BACKGROUND)
    canvas.alpha_composite(image)
    return np.asarray(canvas)[:, :, :3].astype(int)


def show(window, world, camera=None) -> np.ndarray:
    """Draw what a camera sees of a map, as a game does."""
    camera = camera or arcade.Camera2D()
    window.clear(color=BACKGROUND)
    with camera.activate():
        MapView(world).draw(visible_bounds(camera))
    return screen(window)


def noisy_tileset(folder: Path, name: str, first_gid: int, size: tuple[int, int], more="") -> str:
    """A tileset of 4 x 4 tiles of noise, some of it see-through; `more` are elements in it."""
    width, height = size
    noise(4 * width, 4 * height, seed=first_gid).save(folder / f"{name}.png")
    return (
        f'<tileset firstgid="{first_gid}" name="{name}" tilewidth="{width}" tileheight="{height}" '
        f'tilecount="16" columns="4">{more}'
        f'<image source="{name}.png" width="{4 * width}" height="{4 * height}"/></tileset>'
    )


def write(folder: Path, *parts: str, size=(20, 15), attributes="") -> Path:
    """A map as large as the window, with cells of 16 pixels."""
    path = folder / "map.tmx"
    usual = 'version="1.10" tiledversion="1.10.2" orientation="orthogonal" '
    usual += 'renderorder="right-down" infinite="0" nextlayerid="9" nextobjectid="99"'
    path.write_text(map_text(*parts, size=size, attributes=attributes or usual))
    return path


def random_cells(seed: int, low: int, high: int, empty=0.2, flips=range(8), size=(20, 15)):
    """Rows of random gids from low to high, with random flips, some cells empty."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(low, high + 1, size[::-1]) | rng.choice(list(flips), size[::-1]) << 29
    cells[rng.random(size[::-1]) < empty] = 0
    return cells.tolist()


class TestMapView:
    def test_equals_arcade_with_all_eight_flips(self, window, tmp_path):
        path = write(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
            csv_layer("low", random_cells(1, 1, 16, empty=0.1), 'id="1"'),
            csv_layer("high", random_cells(2, 1, 16, empty=0.5), 'id="2"'),
        )
        window.clear(color=BACKGROUND)
        for sprites in arcade.load_tilemap(path).sprite_lists.values():
            sprites.draw(pixelated=True)
        expected = screen(window)
        world = load_map(path)
        assert {flag for layer in world.layers for flag in layer.flags(slice(None))} == set(
            range(0, 16, 2)
        )
        assert np.array_equal(show(window, world), expected)

    def test_equals_pillow_where_tiles_are_large_and_out_of_place(self, window, tmp_path):
        moved = '<tileoffset x="5" y="-3"/>'
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "wide", 1, (40, 24)),
                noisy_tileset(tmp_path, "tall", 17, (16, 56), moved),
                csv_layer("a", random_cells(1, 1, 32), 'offsetx="7" offsety="-11"'),
                csv_layer("b", random_cells(2, 1, 32, empty=0.9), 'opacity="0.5"'),
                csv_layer("c", random_cells(3, 1, 32, empty=0.9), 'tintcolor="#80ff8040"'),
                csv_layer("d", random_cells(4, 1, 32, empty=0.5), 'visible="0"'),
            )
        )
        expected = on_background(render(world, bounds=(0, 0, *window.size)))
        # Pillow and the GPU round colours after each layer on their own.
        assert abs(show(window, world) - expected).max() <= 4

    def test_equals_pillow_on_tile_objects_and_images(self, window, tmp_path):
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
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
                '<imagelayer id="1" name="sky" offsetx="9" offsety="4" repeatx="1">'
                '<image source="cloud.png" width="64" height="48"/></imagelayer>',
                f'<objectgroup id="2" name="things" opacity="0.8">{"".join(objects)}</objectgroup>',
                '<imagelayer id="3" name="sun" opacity="0.6" offsetx="-20" offsety="100">'
                '<image source="cloud.png" width="64" height="48"/></imagelayer>',
                f'<objectgroup id="4" name="shapes">{shape}</objectgroup>',
            )
        )
        drawn = [layer for layer in world.layers if layer.name != "shapes"]
        expected = on_background(render(world, bounds=(0, 0, *window.size), layers=drawn))
        assert abs(show(window, world) - expected).max() <= 4

    @pytest.mark.parametrize("mode", ["normal", "add", "multiply", "screen"])
    def test_equals_pillow_in_every_blend_mode_of_the_gpu(self, window, tmp_path, mode):
        noise(320, 240, seed=9).convert("RGB").save(tmp_path / "ground.png")
        noise(64, 48, seed=5).save(tmp_path / "cloud.png")
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
                '<imagelayer name="ground"><image source="ground.png"/></imagelayer>',
                csv_layer("a", random_cells(1, 1, 16), f'mode="{mode}" opacity="0.8"'),
                f'<imagelayer name="sky" mode="{mode}" offsetx="30" offsety="40">'
                '<image source="cloud.png"/></imagelayer>',
            )
        )
        expected = on_background(render(world, bounds=(0, 0, *window.size)))
        assert abs(show(window, world) - expected).max() <= 4

    @pytest.mark.parametrize("degrees", [90, 180, 270])
    def test_turns_tile_objects_about_their_corner(self, window, tmp_path, degrees):
        world = load_map(
            write(
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
        assert abs(show(window, world) - on_background(canvas)).max() <= 1

    @pytest.mark.parametrize("seed", range(6))
    def test_culling_loses_no_pixel(self, window, tmp_path, seed):
        world = load_map(
            write(
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
        layer, map_view, view = world.layer("a"), MapView(world), visible_bounds(camera)
        pictures = []
        for ids in (layer.query(view), np.arange(len(layer))):
            window.clear(color=BACKGROUND)
            with camera.activate():
                map_view.draw_layer(layer, ids, view)
            pictures.append(screen(window))
        culled, everything = pictures
        assert len(layer.query(view)) < len(layer)
        assert (everything != BACKGROUND[:3]).any()
        assert np.array_equal(culled, everything)

    def test_parallax_moves_a_layer_with_the_camera(self, window, tmp_path):
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
                csv_layer("still", random_cells(1, 1, 16), 'parallaxx="0" parallaxy="0"'),
                csv_layer("slow", random_cells(2, 1, 16), 'parallaxx="0.5" parallaxy="0.5"'),
            )
        )
        still, slow = world.layers
        slow.visible = False
        here, there = (arcade.Camera2D(position=place) for place in ((160, 120), (560, 320)))
        assert np.array_equal(show(window, world, here), show(window, world, there))
        slow.visible, still.visible = True, False
        first, second = show(window, world, here), show(window, world, there)
        # The camera went (400, 200) on: the layer fell back by half of that.
        assert (first[:140, 200:] != BACKGROUND[:3]).any()
        assert np.array_equal(first[:140, 200:], second[100:, :120])

    def test_parallax_moves_images_and_culls_by_what_is_seen(self, window, tmp_path):
        noise(64, 48, seed=5).save(tmp_path / "cloud.png")
        world = load_map(
            write(
                tmp_path,
                '<imagelayer name="sky" parallaxx="0"><image source="cloud.png" width="64" '
                'height="48"/></imagelayer>',
            )
        )
        here, far = (arcade.Camera2D(position=(x, 220)) for x in (20, 50_020))
        expected = show(window, world, here)
        assert (expected != BACKGROUND[:3]).any()
        assert np.array_equal(show(window, world, far), expected)

    def test_time_moves_animated_tiles(self, window, tmp_path):
        frames = (
            '<tile id="0"><animation><frame tileid="5" duration="100"/>'
            '<frame tileid="0" duration="50"/></animation></tile>'
        )
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16), frames),
                csv_layer("a", [[1, 2 | 1 << 31, 1 | 1 << 31]]),
                size=(3, 1),
            )
        )
        map_view = MapView(world)
        pictures = []
        for time in (0, 99, 100, 149, 150):
            map_view.set_time(time)
            window.clear(color=BACKGROUND)
            map_view.draw(EVERYWHERE)
            pictures.append(screen(window))
            canvas = on_background(render(world, bounds=(0, 0, *window.size), time=time))
            assert abs(pictures[-1] - canvas).max() <= 1
        first, same, other, still_other, again = pictures
        assert np.array_equal(first, same)
        assert np.array_equal(other, still_other)
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)

    def test_follows_a_map_that_changes(self, window, tmp_path):
        frames = (
            '<tile id="3"><animation><frame tileid="5" duration="100"/>'
            '<frame tileid="0" duration="50"/></animation></tile>'
        )
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16), frames),
                noisy_tileset(tmp_path, "tall", 17, (16, 56)),
                csv_layer("a", random_cells(1, 1, 3, empty=0.5, flips=[0])),
            )
        )
        layer, map_view, rng = world.layer("a"), MapView(world), np.random.default_rng(2)
        map_view.draw(EVERYWHERE)
        for _ in range(30):
            for _ in range(rng.integers(1, 4)):
                column, row = int(rng.integers(20)), int(rng.integers(15))
                if rng.random() < 0.4:
                    layer.clear_tile(column, row)
                else:
                    gid, flags = int(rng.integers(1, 33)), int(rng.integers(8)) * 2
                    layer.set_tile(column, row, gid, flags)
            window.clear(color=BACKGROUND)
            map_view.draw(EVERYWHERE)
            actual = screen(window)
            assert np.array_equal(actual, show(window, world))

    def test_follows_a_layer_that_is_emptied_and_filled(self, window, tmp_path):
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
                csv_layer("a", [[1, 0, 2]]),
                size=(3, 1),
            )
        )
        layer, map_view = world.layer("a"), MapView(world)
        for change in (
            lambda: layer.clear_tile(0, 0),
            lambda: layer.clear_tile(2, 0),
            lambda: layer.set_tile(1, 0, 7),
        ):
            change()
            window.clear(color=BACKGROUND)
            assert map_view.draw(EVERYWHERE) == len(layer)
            actual = screen(window)
            assert np.array_equal(actual, show(window, world))

    @pytest.mark.parametrize("few", [0, 1 / 50, 1])
    def test_a_layer_may_grow_beyond_all_that_was_laid_out_for_it(
        self, window, tmp_path, monkeypatch, few
    ):
        monkeypatch.setattr(tile_quads, "TEXTURE_WIDTH", 8)  # so that neighbours are in two rows
        monkeypatch.setattr(tile_quads, "FEW", few)
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
                csv_layer("a", random_cells(3, 1, 16, empty=0.9)),
                csv_layer("b", [[0] * 20] * 15),
            )
        )
        map_view, rng = MapView(world), np.random.default_rng(4)
        cells = rng.permutation([(column, row) for row in range(15) for column in range(20)])
        for number, (column, row) in enumerate(cells.tolist()):
            for layer in world.layers:
                layer.set_tile(column, row, int(rng.integers(1, 17)))
            if number % 3 == 0:
                world.layer("a").clear_tile(*cells[number // 2].tolist())
            if number % 25 == 24:
                window.clear(color=BACKGROUND)
                map_view.draw(EVERYWHERE)
                actual = screen(window)
                assert np.array_equal(actual, show(window, world))

    def test_a_change_uploads_the_tile_that_came_and_nothing_else(
        self, window, tmp_path, monkeypatch
    ):
        cells = random_cells(5, 1, 16, empty=0, flips=[0])
        cells[7][9] = 0
        world = load_map(
            write(tmp_path, noisy_tileset(tmp_path, "tiles", 1, (16, 16)), csv_layer("a", cells))
        )
        layer, map_view = world.layer("a"), MapView(world)
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
            (lambda: layer.clear_tile(0, 0), 0),
            (lambda: layer.set_tile(9, 7, 5), 1),
            (lambda: (layer.set_tile(1, 0, 5), layer.clear_tile(1, 0)), 0),
            (lambda: None, 0),
        ):
            change()
            written.clear()
            map_view.draw(EVERYWHERE)
            assert sum(written) == 12 * texels  # three numbers each

    def test_follows_a_layer_that_changed_before_the_view_was_made(self, window, tmp_path):
        path = write(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
            csv_layer("a", random_cells(6, 1, 16)),
        )
        world, same = load_map(path), load_map(path)
        map_view = MapView(same)
        for layer in (world.layer("a"), same.layer("a")):
            for number in range(0, 60, 2):
                layer.clear_tile(number % 20, number // 20)
                layer.set_tile(number % 7, 14 - number % 11, 3)
        window.clear(color=BACKGROUND)
        map_view.draw(EVERYWHERE)
        actual = screen(window)
        assert np.array_equal(actual, show(window, world))

    def test_counts_what_it_draws_and_leaves_out_hidden_layers(self, window, tmp_path):
        world = load_map(
            write(
                tmp_path,
                noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
                csv_layer("a", [[1, 2, 0, 3]]),
                csv_layer("b", [[4, 4, 4, 4]]),
                size=(4, 1),
            )
        )
        map_view = MapView(world)
        assert map_view.draw((0, 0, 64, 16)) == 7
        world.layer("b").visible = False
        assert map_view.draw((0, 0, 64, 16)) == 3
        assert map_view.draw((500, 500, 600, 600)) == 0

    def test_marks_missing_images_as_pillow_does(self, window, tmp_path):
        path = write(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
            csv_layer("a", [[1, 2]]),
            size=(2, 1),
        )
        (tmp_path / "tiles.png").unlink()
        world = load_map(path)
        actual = show(window, world)
        assert "tiles.png" in world.warnings[0]
        expected = on_background(render(world, bounds=(0, 0, *window.size)))
        assert (expected != BACKGROUND[:3]).any()
        assert abs(actual - expected).max() <= 1

    def test_an_image_longer_than_a_texture_is_drawn_coarser(self, window, tmp_path):
        length = 2 * window.ctx.info.MAX_TEXTURE_SIZE
        Image.new("RGBA", (length, 4), (9, 99, 200, 255)).save(tmp_path / "long.png")
        layer = '<imagelayer name="i"><image source="long.png"/></imagelayer>'
        actual = show(window, load_map(write(tmp_path, layer)))
        assert (actual == (9, 99, 200)).all(axis=2).sum() == 4 * window.width

    def test_tiles_that_are_longer_than_the_atlas_are_refused(self, window, tmp_path):
        length = window.ctx.info.MAX_TEXTURE_SIZE + 1
        tiles = noisy_tileset(tmp_path, "tiles", 1, (16, 16)).replace('="16"', f'="{length}"', 1)
        world = load_map(write(tmp_path, tiles, csv_layer("a", [[1]])))
        with pytest.raises(MapError, match="do not fit into the texture atlas"):
            MapView(world)

    def test_tiles_that_are_too_many_for_the_atlas_are_refused(self, window, tmp_path):
        tiles = noisy_tileset(tmp_path, "tiles", 1, (16, 16))
        world = load_map(write(tmp_path, tiles, csv_layer("a", [[*range(1, 17)]]), size=(16, 1)))
        atlas = arcade.DefaultTextureAtlas((64, 64), auto_resize=False)
        with pytest.raises(MapError, match="do not fit into the texture atlas"):
            MapView(world, atlas)

    def test_a_map_with_y_down_is_refused(self, window, tmp_path):
        world = load_map(write(tmp_path), y_up=False)
        with pytest.raises(ValueError, match="y_up=True"):
            MapView(world)

    def test_a_layer_of_another_map_is_refused(self, window, tmp_path):
        path = write(tmp_path, noisy_tileset(tmp_path, "tiles", 1, (16, 16)), csv_layer("a", [[1]]))
        with pytest.raises(KeyError, match="'a'"):
            MapView(load_map(path)).draw_layer(load_map(path).layer("a"), [0], EVERYWHERE)

    def test_a_view_that_is_no_box_is_refused(self, window, tmp_path):
        with pytest.raises(ValueError, match="view"):
            MapView(load_map(write(tmp_path))).draw((0, 0, -1, 1))


def send(window, event: str, *arguments: object) -> None:
    """Let the window's handlers see an event, as its event loop does."""
    window.dispatch_event(event, *arguments)
    window.dispatch_events()


class TestMapScreen:
    """The screen of `tilequad view`, driven by the events of its window."""

    @pytest.fixture
    def shown(self, window, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        shapes = (
            '<object id="1" x="30" y="40" width="50" height="60"/>'
            '<object id="2" x="200" y="100"><polyline points="0,0 60,20 10,70"/></object>'
            '<object id="3" x="150" y="180"><point/></object>'
            '<object id="4" x="9" y="9" visible="0"><ellipse/></object>'
            '<object id="5" gid="1" x="100" y="100"/>'
        )
        path = write(
            tmp_path,
            noisy_tileset(tmp_path, "tiles", 1, (16, 16)),
            csv_layer("ground", random_cells(1, 1, 16, size=(60, 50))),
            f'<objectgroup name="things">{shapes}</objectgroup>',
            size=(60, 50),
        )
        screen = MapScreen(load_map(path))
        window.show_view(screen)
        yield screen
        window.hide_view()

    def frame(self, window) -> np.ndarray:
        """One turn of the event loop, and what it drew."""
        send(window, "on_update", 1 / 60)
        send(window, "on_draw")
        return screen(window)

    def press(self, window, *keys) -> None:
        for key in keys:
            send(window, "on_key_press", key, 0)
            send(window, "on_key_release", key, 0)

    def test_begins_in_the_middle_of_the_map(self, window, shown):
        assert tuple(shown.camera.position) == shown.world.bounds.center
        assert shown.camera.zoom == 1
        assert (self.frame(window) != (40, 42, 46)).any()

    def test_drag_moves_the_map_with_the_mouse(self, window, shown):
        before = shown.camera.unproject((100, 100))
        send(window, "on_mouse_drag", 130, 90, 30, -10, 1, 0)
        assert shown.camera.unproject((130, 90)) == pytest.approx(before)

    def test_wheel_zooms_at_the_mouse_within_limits(self, window, shown):
        before = shown.camera.unproject((250, 40))
        send(window, "on_mouse_scroll", 250, 40, 0, 2)
        assert shown.camera.zoom == pytest.approx(1.25**2)
        assert shown.camera.unproject((250, 40)) == pytest.approx(before)
        for notch, limit in ((1, 32), (-1, 1 / 64)):
            for _ in range(60):
                send(window, "on_mouse_scroll", 250, 40, 0, notch)
            assert shown.camera.zoom == pytest.approx(limit)

    def test_arrow_keys_move_while_they_are_held(self, window, shown):
        x, y = shown.camera.position
        send(window, "on_key_press", arcade.key.RIGHT, 0)
        send(window, "on_key_press", arcade.key.UP, 0)
        send(window, "on_update", 0.1)
        assert tuple(shown.camera.position) == pytest.approx((x + 80, y + 80))
        send(window, "on_key_release", arcade.key.RIGHT, 0)
        send(window, "on_update", 0.1)
        assert tuple(shown.camera.position) == pytest.approx((x + 80, y + 160))

    def test_plus_and_minus_zoom_at_the_middle(self, window, shown):
        self.press(window, arcade.key.PLUS)
        assert shown.camera.zoom == pytest.approx(1.25)
        self.press(window, arcade.key.MINUS)
        assert shown.camera.zoom == pytest.approx(1)
        assert tuple(shown.camera.position) == pytest.approx(shown.world.bounds.center)

    def test_home_shows_the_whole_map(self, window, shown):
        send(window, "on_mouse_drag", 0, 0, 500, 500, 1, 0)
        self.press(window, arcade.key.HOME)
        view, bounds = visible_bounds(shown.camera), shown.world.bounds
        assert view.min_x <= bounds.min_x
        assert view.max_x >= bounds.max_x
        assert view.min_y <= bounds.min_y
        assert view.max_y >= bounds.max_y
        assert view.width == bounds.width or view.height == bounds.height

    def test_numbers_hide_and_show_layers(self, window, shown):
        before = self.frame(window)
        self.press(window, arcade.key.KEY_1, arcade.key.KEY_9)
        assert not shown.world.layer("ground").visible
        assert not np.array_equal(self.frame(window), before)
        self.press(window, arcade.key.KEY_1)
        assert np.array_equal(self.frame(window)[:200], before[:200])

    @pytest.mark.parametrize("name", ["O", "Q", "F1"])
    def test_keys_lay_something_over_the_map_and_take_it_off(self, window, shown, name):
        shown.camera.position = 150, 700  # where the objects are
        before, key = self.frame(window), getattr(arcade.key, name)
        self.press(window, key)
        assert not np.array_equal(self.frame(window)[:200], before[:200])
        self.press(window, key)
        assert np.array_equal(self.frame(window)[:200], before[:200])

    def test_f12_saves_what_is_seen_and_overwrites_nothing(self, window, shown, tmp_path, capsys):
        seen = self.frame(window)
        self.press(window, arcade.key.F12, arcade.key.F12)
        assert capsys.readouterr().out == "map-001.png\nmap-002.png\n"
        for name in ("map-001.png", "map-002.png"):
            assert np.array_equal(np.asarray(Image.open(tmp_path / name)), seen)

    def test_tells_how_much_it_draws(self, window, shown):
        self.frame(window)
        drawn = sum(len(ids) for _, ids in shown.world.cull(visible_bounds(shown.camera)))
        total = sum(len(layer) for layer in shown.world.layers)
        assert f"{drawn:,} of {total:,} drawn" in shown.figures


# Real maps of every kind, whose tile layers the GPU is to draw as Tiled 1.12 does.
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
def test_draws_real_maps_as_tiled_does(window, corpus, name):
    with (corpus / "expected.csv").open() as table:
        truth = next(row["truth_tiles"] for row in csv.DictReader(table) if row["path"] == name)
    expected = on_background(Image.open(corpus / truth).convert("RGBA"))
    world = load_map(corpus / name)
    height, width = expected.shape[:2]
    assert (world.canvas.width, world.canvas.height) == (width, height)

    target = window.ctx.framebuffer(color_attachments=[window.ctx.texture((width, height))])
    camera = arcade.Camera2D(position=world.canvas.center, render_target=target)
    map_view = MapView(world, arcade.texture_atlas.DefaultTextureAtlas((2048, 2048)))
    with camera.activate():
        target.clear(color=BACKGROUND)
        for layer in world.layers:
            layer.parallax = 1, 1  # Tiled's renderer knows no camera
            if isinstance(layer, TileLayer) and layer.visible:
                map_view.draw_layer(layer, layer.query(world.canvas), world.canvas)
        pixels = np.frombuffer(target.read(components=3), np.uint8)
    actual = np.flipud(pixels.reshape(height, width, 3)).astype(int)
    # A turned hexagon has a few pixels whose centre lies on its very edge.
    wrong = (abs(actual - expected) > 4).any(axis=2).sum()
    assert wrong <= (5 if world.orientation == "hexagonal" else 0)
