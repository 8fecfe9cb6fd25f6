"""What the GPU draws: against arcade's own sprites, against Pillow, and corner by corner."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tilequad.bounds import Bounds

arcade = pytest.importorskip("arcade", exc_type=ImportError, reason="arcade is not installed")
from tilequad.draw.arcade import (  # noqa: E402
    SpriteBatch,
    TreeOverlay,
    pan,
    visible_bounds,
    zoom_at,
)

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

    def test_deeper_nodes_are_fainter(self, window):
        TreeOverlay().draw(self.NODES, color=(255, 255, 255, 255))
        screen = np.flipud(picture(window)[:, :, 0])
        assert screen[35, 40] < screen[35, 100]

    def test_stays_one_pixel_wide_under_zoom(self, window):
        camera = arcade.Camera2D(position=(40, 30), zoom=2)
        with camera.activate():
            TreeOverlay().draw(self.NODES, color=(255, 255, 255, 255))
        across = np.flipud(picture(window))[window.height // 2 + 5, :, 0] > 0
        assert np.flatnonzero(across).tolist() == [101, 161, 281]

    def test_no_nodes_draw_nothing(self, window):
        TreeOverlay().draw(self.NODES[:0])
        assert not picture(window)[:, :, :3].any()
