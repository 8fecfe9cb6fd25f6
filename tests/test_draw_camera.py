"""What a camera sees; pan and zoom."""

import numpy as np
import pytest

from tests.drawing import arcade, random_camera
from tilequad.draw.arcade import pan, visible_bounds, zoom_at

pytestmark = pytest.mark.gl


@pytest.mark.parametrize(
    ("position", "zoom", "angle", "seen"),
    [
        ((160, 120), 1, 0, (0, 0, 320, 240)),
        ((1000, 500), 2, 0, (920, 440, 1080, 560)),
        ((0, 0), 1, 90, (-120, -160, 120, 160)),
    ],
)
def test_a_camera_sees_what_its_place_zoom_and_angle_say(window, position, zoom, angle, seen):
    camera = arcade.Camera2D(position=position, zoom=zoom)
    camera.angle = angle
    assert visible_bounds(camera) == pytest.approx(seen)


@pytest.mark.parametrize("seed", range(20))
def test_the_view_is_the_box_around_the_unprojected_corners(window, seed):
    camera = random_camera(np.random.default_rng(seed))
    corners = [camera.unproject((x, y)) for x in (0, window.width) for y in (0, window.height)]
    xs, ys = [corner.x for corner in corners], [corner.y for corner in corners]
    assert visible_bounds(camera) == pytest.approx((min(xs), min(ys), max(xs), max(ys)))


def test_the_view_follows_a_viewport_smaller_than_the_window(window):
    camera = arcade.Camera2D(arcade.LBWH(100, 50, 80, 60), position=(0, 0), zoom=0.5)
    low, high = camera.unproject((100, 50)), camera.unproject((180, 110))
    assert visible_bounds(camera) == pytest.approx((low.x, low.y, high.x, high.y))
    assert visible_bounds(camera) == (-80, -60, 80, 60)


@pytest.mark.parametrize("seed", range(10))
def test_pan_and_zoom_keep_the_world_under_the_mouse(window, seed):
    camera = random_camera(np.random.default_rng(seed))
    before = camera.unproject((100, 60))
    pan(camera, 37, -11)
    assert camera.unproject((137, 49)) == pytest.approx(before)

    before, zoom = camera.unproject((250, 30)), camera.zoom
    zoom_at(camera, 250, 30, 1.25)
    assert camera.unproject((250, 30)) == pytest.approx(before)
    assert camera.zoom == pytest.approx(zoom * 1.25)
