"""Fog on a surface of pygame: the picture that Pillow draws."""

import numpy as np
import pytest
from PIL import Image

from tests.draw_faces import caves, feared, foggy, led
from tests.nav_worlds import ORIENTATIONS
from tilequad import DynamicQuadtree
from tilequad.draw.pillow import draw_field, draw_fog, draw_influence
from tilequad.nav import Field, Fog, Grid, InfluenceMap

pygame = pytest.importorskip("pygame")
from tilequad.draw.pygame import (  # noqa: E402
    Camera,
    FieldOverlay,
    FogOverlay,
    InfluenceOverlay,
)
from tilequad.draw.pygame.surfaces import to_image  # noqa: E402

LAND = (230, 240, 200)
# What is shown, how on a surface and how on a picture, and the options of both
OVERLAYS = {
    "fog": (lambda grid: foggy(grid, [100]), FogOverlay, draw_fog, {"team": 1}),
    "field": (led, FieldOverlay, draw_field, {"band": 40}),
    "influence": (feared, InfluenceOverlay, draw_influence, {}),
}


def shown(overlay, camera):
    """What a camera sees of an overlay over plain land."""
    surface = pygame.Surface(camera.size)
    surface.fill(LAND)
    overlay.draw(surface, camera.visible_bounds)
    return np.asarray(to_image(surface).convert("RGB")).astype(int)


@pytest.mark.parametrize("goals", [[], [(24, 168)]])
@pytest.mark.parametrize("tiny", [1e-300, 1e-30, 1e-6])
def test_bands_too_narrow_to_see_are_drawn_all_the_same(goals, tiny):
    field = Field(Grid(np.ones((20, 20), bool), cell_size=16), goals)
    camera = Camera((320, 320), (160, 160))
    far = shown(FieldOverlay(field, max_distance=tiny, far=(255, 0, 0, 255)), camera)
    assert (far != np.array(LAND)).any() == bool(goals)
    shown(FieldOverlay(field, band=tiny), camera)


@pytest.mark.parametrize("what", OVERLAYS)
@pytest.mark.parametrize("zoom", [1.0, 0.4, 3.3])
@pytest.mark.parametrize("name", ORIENTATIONS)
def test_an_overlay_is_that_of_pillow(tmp_path, name, zoom, what):
    make, overlay, draw, options = OVERLAYS[what]
    thing, camera = make(caves(tmp_path, name)), Camera((321, 243), (130.3, 90.7), zoom)
    picture = Image.new("RGB", camera.size, LAND)

    drawn = shown(overlay(thing, **options), camera)
    image = draw(picture, thing, camera.visible_bounds, y_up=False, **options)

    expected = np.asarray(image.convert("RGB")).astype(int)
    assert np.abs(drawn - expected).max() <= 12  # between samples
    assert np.abs(drawn - expected).mean() < 1.5
    assert len(np.unique(expected)) > 30


def test_the_overlay_follows_the_fog_and_the_view():
    fog = Fog(Grid(np.ones((20, 20), bool), cell_size=16), teams=2)
    overlay, camera = FogOverlay(fog, 1), Camera((320, 320), (160, 160))
    assert not shown(overlay, camera).any()
    eye = fog.add(168, 168, 40, team=1)
    assert shown(overlay, camera)[168, 168].tolist() == list(LAND)
    fog.move(eye, 40, 40)
    assert 0 < shown(overlay, camera)[168, 168, 0] < 150
    camera.pan(-128, -128)
    assert (shown(overlay, camera) == shown(FogOverlay(fog, 1), camera)).all()
    overlay.team = 0
    assert not shown(overlay, camera).any()
    for x in (200, 232):
        overlay.fog = Fog(fog.grid)
        overlay.fog.add(x, 200, 40)
        assert (shown(overlay, camera) == shown(FogOverlay(overlay.fog), camera)).all()


def test_the_influence_overlay_follows_the_map_and_the_view():
    units = DynamicQuadtree((0, 0, 320, 320))
    units.add("orc", 168, 168)
    influence = InfluenceMap(Grid(np.ones((20, 20), bool), cell_size=16, y_up=False), units, 60)
    overlay, camera = InfluenceOverlay(influence), Camera((320, 320), (160, 160))
    red = shown(overlay, camera)[168, 168]
    assert red[0] > 200 > red[1]
    units.move("orc", 40, 40)
    influence.update()
    assert shown(overlay, camera)[168, 168].tolist() == list(LAND)
    camera.pan(-128, -128)
    assert (shown(overlay, camera) == shown(InfluenceOverlay(influence), camera)).all()
    influence.values = -1
    influence.update()
    drawn = shown(overlay, Camera((320, 320), (160, 160)))
    assert drawn[40, 40, 2] > 200 > drawn[40, 40, 0]


def test_the_field_overlay_follows_the_field_and_the_view():
    grid = Grid(np.ones((20, 20), bool), cell_size=16)
    field = Field(grid, [(24, 168)])
    overlay, camera = FieldOverlay(field, max_distance=400), Camera((320, 320), (160, 160))
    before = shown(overlay, camera)
    assert overlay.nbytes >= 320 * 320 * 4
    grid.block(grid.cells_in((100, 40, 120, 300)))
    after = shown(overlay, camera)
    assert np.abs(after - before).max() > 30
    assert (after == shown(FieldOverlay(field, max_distance=400), camera)).all()
    camera.pan(-128, -128)
    assert (shown(overlay, camera) == shown(FieldOverlay(field, max_distance=400), camera)).all()
    nowhere = FieldOverlay(Field(grid, []))
    assert (shown(nowhere, camera) == LAND).all()
