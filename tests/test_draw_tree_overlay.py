"""TreeOverlay, pixel by pixel."""

import numpy as np
import pytest

from tests.drawing import arcade, screenshot
from tilequad.bounds import Bounds
from tilequad.draw.arcade import TreeOverlay

pytestmark = pytest.mark.gl


NODES = np.array(
    [(10.5, 20.5, 100.5, 80.5, 0, 5), (10.5, 20.5, 40.5, 50.5, 1, 2)],
    [(name, float) for name in Bounds._fields] + [("depth", np.int32), ("count", np.int32)],
)


def test_the_overlay_draws_the_edges_of_every_box_and_nothing_else(window):
    TreeOverlay().draw(NODES, color=(255, 255, 255, 255))
    drawn = np.flipud(screenshot(window)[:, :, 0]) > 0
    allowed = np.zeros_like(drawn)
    for min_x, min_y, max_x, max_y in [tuple(map(int, node))[:4] for node in NODES]:
        edges = np.zeros_like(drawn)
        edges[min_y : max_y + 1, min_x : max_x + 1] = True
        edges[min_y + 1 : max_y, min_x + 1 : max_x] = False
        allowed |= edges
        # Where a line ends a driver may leave out its last pixel.
        assert drawn[edges].mean() > 0.98
    assert not drawn[~allowed].any()


def test_small_nodes_fade(window):
    overlay, brightness = TreeOverlay(), []
    for zoom in (1, 0.3, 0.05):
        window.clear(color=(0, 0, 0, 255))
        with arcade.Camera2D(position=(10.5, 20.5), zoom=zoom).activate():
            overlay.draw(NODES[:1], color=(255, 255, 255, 255))
        brightness.append(int(screenshot(window)[:, :, 0].max()))
    large, small, tiny = brightness
    assert large == 255
    assert 0 < small < 255
    assert tiny == 0


def test_lines_stay_one_pixel_wide_under_zoom(window):
    camera = arcade.Camera2D(position=(40, 30), zoom=2)
    with camera.activate():
        TreeOverlay().draw(NODES, color=(255, 255, 255, 255))
    across = np.flipud(screenshot(window))[window.height // 2 + 5, :, 0] > 0
    assert np.flatnonzero(across).tolist() == [101, 161, 281]


def test_no_nodes_draw_nothing(window):
    TreeOverlay().draw(NODES[:0])
    assert not screenshot(window)[:, :, :3].any()
