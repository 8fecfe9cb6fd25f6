"""Fog and fields in a window: the pictures that Pillow draws, and small uploads."""

import numpy as np
import pytest
from PIL import Image

from tests.draw_faces import BLACK_SHARE, caves, feared, foggy, led
from tests.drawing import arcade, screen
from tests.nav_worlds import ORIENTATIONS
from tilequad import DynamicQuadtree
from tilequad.draw.arcade import FieldOverlay, FogOverlay, InfluenceOverlay, visible_bounds
from tilequad.draw.pillow import draw_field, draw_fog, draw_influence
from tilequad.nav import Field, Fog, Grid

pytestmark = pytest.mark.gl

LAND = (230, 240, 200)
# What is shown, how in a window and how on a picture, and the options of both
OVERLAYS = {
    "fog": (foggy, FogOverlay, draw_fog, {"team": 1, "soft": 1.0}),
    "sharper fog": (foggy, FogOverlay, draw_fog, {"team": 1, "soft": 0.3}),
    "field": (led, FieldOverlay, draw_field, {"band": 40}),
    "influence": (feared, InfluenceOverlay, draw_influence, {"full": 3}),
}


def land(window):
    """A plain picture of the window's size."""
    return Image.new("RGB", (window.width, window.height), LAND)


def shown(window, overlay, camera):
    """What a camera sees of an overlay over plain land."""
    window.clear(color=(*LAND, 255))
    with camera.activate():
        overlay.draw()
    return screen(window)


def rgb(image):
    return np.asarray(image.convert("RGB")).astype(int)


@pytest.mark.parametrize("what", OVERLAYS)
@pytest.mark.parametrize("zoom", [1.0, 0.4, 3.3])
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_an_overlay_is_that_of_pillow(window, tmp_path, name, zoom, what):
    make, overlay, draw, options = OVERLAYS[what]
    thing = make(caves(tmp_path, name))
    camera = arcade.Camera2D(position=(130.3, 90.7), zoom=zoom)

    drawn = shown(window, overlay(thing, **options), camera)
    expected = rgb(draw(land(window), thing, visible_bounds(camera), **options))

    apart = np.abs(drawn - expected)
    assert apart.max() <= (8 if what == "sharper fog" else 3)
    assert apart.mean() < 0.6
    assert len(np.unique(expected)) > 30  # there is something to see


@pytest.mark.parametrize("name", ORIENTATIONS)
def test_with_sharp_edges_a_pixel_has_the_state_of_its_cell(window, tmp_path, name):
    fog = foggy(caves(tmp_path, name))

    drawn = shown(window, FogOverlay(fog, 1, soft=0), arcade.Camera2D(position=(130.3, 90.7)))

    y, x = np.mgrid[0 : window.height, 0 : window.width]
    x, y = x + 130.3 - window.width / 2 + 0.5, 90.7 + window.height / 2 - y - 0.5
    states = fog.state_at_many(np.stack((x, y), axis=-1), 1)
    shades = np.round(LAND[0] * BLACK_SHARE).astype(int)
    wrong = np.abs(drawn[..., 0] - shades[states]) > 1
    assert wrong.mean() < 0.015  # on edges; the edges of Tiled's odd hexagons are a pixel apart


def test_a_turned_camera_turns_the_fog(window):
    grid = Grid(np.ones((20, 20), bool), cell_size=10)
    fog = Fog(grid)
    fog.add(155, 105, 30)
    camera = arcade.Camera2D(position=(100, 100))
    camera.angle = 90

    drawn = shown(window, FogOverlay(fog), camera)

    lit = np.argwhere(drawn[..., 0] > 200).mean(axis=0)
    x, y = camera.project((155, 105))
    assert lit == pytest.approx((window.height - y, x), abs=1.5)
    assert abs(lit[0] - window.height / 2) > 40  # and not where it is upright


def test_far_from_the_origin_edges_stay_where_they_are(window):
    here, far = (Grid(np.ones((9, 9), bool), 10.0, (x, 0.0)) for x in (0.0, 1e7))
    pictures = []
    for grid, x in ((here, 0.0), (far, 1e7)):
        fog = Fog(grid)
        fog.add(x + 45, 45, 20)
        pictures.append(shown(window, FogOverlay(fog), arcade.Camera2D(position=(x + 45.5, 45))))
    # arcade's own matrices count in 32 bits, so a far place is rounded to a unit
    assert np.abs(pictures[0] - pictures[1]).mean() < 4


def test_only_what_has_changed_is_uploaded(window):
    units = DynamicQuadtree((0, 0, 3000, 2000))
    units.add("scout", 1005, 1005)
    fog = Fog(Grid(np.ones((200, 300), bool), cell_size=10), units=units)
    fog.follow("scout", radius_in_cells=5)
    fog.add(205, 205, radius_in_cells=2)
    overlay = FogOverlay(fog)
    counts = []
    for step in (0, 0, 3, 10, 0):
        x, y = units.position("scout")
        units.move("scout", x + step, y)
        fog.update()
        overlay.draw()
        counts.append(overlay._uploads)
    assert counts[0] == 200 * 300
    assert counts[1:3] == [0, 0]  # a step inside of a cell changes nothing
    assert 0 < counts[3] <= 11 * 12
    assert counts[4] == 0
    fresh = FogOverlay(fog)
    camera = arcade.Camera2D(position=(1000, 1000))
    assert (shown(window, overlay, camera) == shown(window, fresh, camera)).all()


def test_the_overlay_shows_another_team_and_another_fog(window):
    fog = Fog(Grid(np.ones((20, 20), bool), cell_size=10), teams=2)
    fog.add(100, 100, 50, team=1)
    overlay = FogOverlay(fog)
    camera = arcade.Camera2D(position=(100, 100))
    assert not shown(window, overlay, camera).any()
    overlay.team = 1
    assert shown(window, overlay, camera).max() > 200
    seen, other = fog, Fog(fog.grid, teams=2)
    other.add(40, 40, 50, team=1)
    for overlay.fog in (other, seen):
        fresh = FogOverlay(overlay.fog, 1)
        assert (shown(window, overlay, camera) == shown(window, fresh, camera)).all()
    overlay.team = 2
    with pytest.raises(ValueError, match="team must be from 0 to 1"):
        overlay.draw()


def test_the_field_overlay_follows_buildings(window):
    grid = Grid(np.ones((100, 100), bool), cell_size=10)
    field = Field(grid, [(55, 505)])
    overlay = FieldOverlay(field, max_distance=1500)
    camera = arcade.Camera2D(position=(700, 500))
    before = shown(window, overlay, camera)
    assert overlay._uploads == 100 * 100
    overlay.draw()
    assert overlay._uploads == 0
    grid.block(grid.cells_in((600, 400, 640, 600)))
    after = shown(window, overlay, camera)
    assert 0 < overlay._uploads < 100 * 100
    assert np.abs(after - before).max() > 30
    assert (after == shown(window, FieldOverlay(field, max_distance=1500), camera)).all()


def test_a_field_that_leads_nowhere_colors_nothing(window):
    overlay = FieldOverlay(Field(Grid(np.ones((20, 20), bool), cell_size=10), []))
    assert (shown(window, overlay, arcade.Camera2D(position=(100, 100))) == LAND).all()


def test_a_real_map(window, frontier):
    fog = foggy(Grid.of(frontier))
    camera = arcade.Camera2D(position=(4000, 4000), zoom=0.2)
    drawn = shown(window, FogOverlay(fog, 1), camera)
    expected = rgb(draw_fog(land(window), fog, visible_bounds(camera), 1))
    assert np.abs(drawn - expected).max() <= 3
