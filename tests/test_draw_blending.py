"""Blend modes, compared with Pillow's own and with values worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageChops

from tests.tmx import TILESET, csv_layer, write_map
from tilequad.draw.blending import MODES, blend
from tilequad.draw.pillow import render
from tilequad.tiled import load_map

KNOWN: dict[str, Callable[[Image.Image, Image.Image], Image.Image]] = {
    "add": ImageChops.add,
    "multiply": ImageChops.multiply,
    "screen": ImageChops.screen,
    "darken": ImageChops.darker,
    "lighten": ImageChops.lighter,
    "difference": ImageChops.difference,
    "hard-light": ImageChops.hard_light,
    "overlay": ImageChops.overlay,
}


def every_pair() -> tuple[Image.Image, Image.Image]:
    """Two opaque images in which every value of one meets every value of the other."""
    values = np.arange(256, dtype=np.uint8)
    below = np.broadcast_to(values[:, None, None], (256, 256, 3))
    above = np.broadcast_to(values[None, :, None], (256, 256, 3))
    return Image.fromarray(below.copy()), Image.fromarray(above.copy())


@pytest.mark.parametrize("mode", KNOWN)
def test_opaque_colors_meet_as_in_pillow(mode):
    below, above = every_pair()
    found = blend(below.convert("RGBA"), above.convert("RGBA"), mode).convert("RGB")
    wanted = np.asarray(KNOWN[mode](below, above)).astype(int)
    assert np.abs(np.asarray(found).astype(int) - wanted).max() <= 2  # Pillow rounds to whole steps


@pytest.mark.parametrize(
    ("mode", "below", "above", "wanted"),
    [
        ("color-dodge", 0, 255, 0),
        ("color-dodge", 51, 204, 255),
        ("color-dodge", 51, 127, 102),
        ("color-burn", 255, 0, 255),
        ("color-burn", 204, 0, 0),
        ("color-burn", 204, 128, 153),
        ("soft-light", 100, 128, 100),
        ("soft-light", 255, 0, 255),
        ("soft-light", 128, 255, 181),
        ("exclusion", 255, 200, 55),
        ("exclusion", 128, 77, 128),
    ],
)
def test_values_worked_out_by_hand(mode, below, above, wanted):
    one, other = (Image.new("RGBA", (1, 1), (value,) * 3 + (255,)) for value in (below, above))
    value = blend(one, other, mode).getpixel((0, 0))
    assert isinstance(value, tuple)
    assert value[3] == 255
    assert abs(value[0] - wanted) <= 1


@pytest.mark.parametrize("mode", MODES)
def test_a_transparent_pixel_changes_nothing(mode):
    clear = Image.new("RGBA", (1, 1), (9, 8, 7, 0))
    solid = Image.new("RGBA", (1, 1), (200, 100, 50, 255))
    half = Image.new("RGBA", (1, 1), (200, 100, 50, 128))
    for image in (solid, half):
        assert blend(image, clear, mode).getpixel((0, 0)) == image.getpixel((0, 0))
        assert blend(clear, image, mode).getpixel((0, 0)) == image.getpixel((0, 0))


def test_half_of_a_color_has_half_of_the_effect():
    white = Image.new("RGBA", (1, 1), (255, 255, 255, 255))
    half = Image.new("RGBA", (1, 1), (0, 255, 255, 128))
    assert blend(white, half, "multiply").getpixel((0, 0)) == (127, 255, 255, 255)


def test_an_unknown_mode_blends_as_normal():
    red = Image.new("RGBA", (1, 1), (255, 0, 0, 255))
    blue = Image.new("RGBA", (1, 1), (0, 0, 255, 255))
    assert blend(red, blue, "mystery").getpixel((0, 0)) == (0, 0, 255, 255)


def test_added_colors_are_clipped_before_they_fade():
    below = Image.new("RGBA", (1, 1), (205, 100, 0, 255))
    above = Image.new("RGBA", (1, 1), (200, 100, 0, 255))
    # halfway from 205 to the full 255, and from 100 to 200
    assert blend(below, above, "add", 0.5).getpixel((0, 0)) == (230, 150, 0, 255)


@pytest.mark.parametrize("mode", ["normal", *MODES])
def test_opacity_is_halfway_to_the_blended_image(mode):
    rng = np.random.default_rng(1)
    below, above = (
        Image.fromarray(rng.integers(0, 256, (20, 20, 4), dtype=np.uint8)) for _ in range(2)
    )

    def premultiplied(image: Image.Image) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        pixels = np.asarray(image).astype(float)
        return pixels * np.where(np.arange(4) < 3, pixels[:, :, 3:] / 255, 1)

    whole, none = premultiplied(blend(below, above, mode)), premultiplied(below)
    half = premultiplied(blend(below, above, mode, 0.5))
    assert np.abs(half - (whole + none) / 2).max() <= 2


@pytest.mark.parametrize(
    ("below", "above", "look", "wanted"),
    [
        ([1, 4], [2, 2], 'mode="multiply"', [(0, 0, 0), (0, 255, 0)]),
        ([4, 1], [4, 2], 'mode="add" opacity="0.5"', [(255, 255, 255), (255, 128, 0)]),  # as Tiled
    ],
    ids=["multiply", "add, faded"],
)
def test_a_layer_is_drawn_in_its_mode(tmp_path, below, above, look, wanted):
    layers = csv_layer("below", [below]), csv_layer("above", [above], look)
    picture = render(load_map(write_map(tmp_path, TILESET, *layers, size=(2, 1))))
    assert [picture.getpixel((x, 8)) for x in (8, 24)] == [(*color, 255) for color in wanted]
