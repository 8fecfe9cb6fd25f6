"""SpriteBatch against arcade's own sprites."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from PIL import Image

from tests.drawing import BACKGROUND, arcade, drawn_without_multisampling, noise, screenshot
from tilequad.draw.arcade import SpriteBatch

pytestmark = pytest.mark.gl


TEXTURE_SIZES = ((16, 16), (10, 24), (9, 7))


@cache  # an atlas of arcade forgets a texture when an equal one dies
def make_textures() -> list[arcade.Texture]:
    return [arcade.Texture(noise(*size, seed)) for seed, size in enumerate(TEXTURE_SIZES)]


@pytest.mark.parametrize("turn", ["none", "quarter", "any"])
def test_a_batch_equals_a_sprite_list(window, turn):
    rng = np.random.default_rng(7)
    numbers = rng.integers(0, 3, 200)
    sizes = np.array(TEXTURE_SIZES)[numbers]
    positions = rng.integers(0, 320, (200, 2)) + sizes % 2 / 2
    colors = rng.integers(0, 256, (200, 4))
    angles = {
        "none": np.zeros(200),
        "quarter": rng.integers(0, 4, 200) * 90.0,
        "any": rng.uniform(0, 360, 200),
    }[turn]
    textures = make_textures()
    sprites = arcade.SpriteList()
    for number, (x, y), angle, color in zip(numbers, positions, angles, colors, strict=True):
        sprite = arcade.Sprite(textures[number], 1, x, y, angle)
        sprite.color = tuple(color)
        sprites.append(sprite)

    batch = SpriteBatch(textures)

    expected = drawn_without_multisampling(window, lambda: sprites.draw(pixelated=True))
    actual = drawn_without_multisampling(
        window, lambda: batch.draw(positions, numbers, angles=angles, colors=colors)
    )

    assert (expected != BACKGROUND[:3]).any(axis=2).sum() > 10_000
    assert np.array_equal(actual, expected)


def test_a_picture_shows_nothing_of_its_neighbors_in_the_atlas(window):
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
    seen = np.flipud(screenshot(window))[:, :, :3]
    assert (seen[1:-1, 1:-1] == (255, 0, 0)).all()


def test_sizes_stretch_the_picture(window):
    red = arcade.Texture(Image.new("RGBA", (4, 4), (255, 0, 0, 255)))
    SpriteBatch([red]).draw([(100, 60)], sizes=(40, 20))
    rows, columns = np.nonzero(screenshot(window)[:, :, 0])
    assert (columns.min(), columns.max()) == (80, 119)
    assert (window.height - 1 - rows.max(), window.height - 1 - rows.min()) == (50, 69)


def test_a_negative_width_mirrors(window):
    face = arcade.Texture(noise(16, 16, seed=4))
    SpriteBatch([face, face.flip_left_right()]).draw(
        [(100, 100), (140, 100)], [0, 1], sizes=[(-16, 16), (16, 16)]
    )
    seen = np.flipud(screenshot(window))
    assert seen[92:108, 92:108].any()
    assert np.array_equal(seen[92:108, 92:108], seen[92:108, 132:148])


def test_a_batch_keeps_its_textures_in_the_atlas(window):
    batch = SpriteBatch([arcade.Texture(Image.new("RGBA", (8, 8), (0, 255, 0, 255)))])
    # Without a reference of the batch's own the slot is free again: the next one takes it.
    others = SpriteBatch([arcade.Texture(Image.new("RGBA", (8, 8), (0, 0, 255, 255)))])
    others.draw([(50, 50)])
    batch.draw([(50, 50)])
    assert tuple(screenshot(window)[window.height - 50, 50]) == (0, 255, 0, 255)


def test_a_batch_survives_an_atlas_that_grows(window):
    atlas = arcade.texture_atlas.DefaultTextureAtlas((64, 64))
    batch = SpriteBatch([arcade.Texture(noise(32, 32, 1))], atlas)
    batch.draw([(100, 100)])
    expected = screenshot(window)
    before = atlas.texture
    big = SpriteBatch([arcade.Texture(noise(200, 200, 2))], atlas)
    window.clear(color=(0, 0, 0, 255))
    batch.draw([(100, 100)])
    assert big is not None
    assert atlas.texture is not before
    assert np.array_equal(screenshot(window), expected)


def test_nothing_is_drawn_for_no_units(window):
    SpriteBatch(make_textures()).draw(np.empty((0, 2)))
    assert not screenshot(window)[:, :, :3].any()


def test_drawing_leaves_blending_as_it_was(window):
    context = window.ctx
    before = context.is_enabled(context.BLEND), context.blend_func
    SpriteBatch(make_textures()).draw([(10, 10)])
    assert (context.is_enabled(context.BLEND), context.blend_func) == before
