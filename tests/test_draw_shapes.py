"""Shapes and texts of object layers on the GPU, against Pillow's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tilequad.draw.arcade.object_quads as object_quads
from tests.drawing import (
    BACKGROUND,
    arcade,
    as_in_pillow,
    noisy_tileset,
    random_cells,
    redraw,
)
from tests.tmx import csv_layer
from tilequad.draw.arcade import MapView
from tilequad.draw.pillow.renderer import drawn_on
from tilequad.tiled import TileMap, load_map

pytestmark = pytest.mark.gl

SHAPES = (
    '<object id="1" x="20" y="30" width="60" height="40"/>'
    '<object id="2" x="120" y="40" width="50.5" height="30" rotation="30"><ellipse/></object>'
    '<object id="3" x="200" y="60"><polyline points="0,0 60,20 10,70"/></object>'
    '<object id="4" x="60" y="120" rotation="-20"><polygon points="0,0 50,10 40,60 -10,30"/>'
    "</object>"
    '<object id="5" x="160" y="180"><point/></object>'
    '<object id="6" x="230" y="150" width="80" height="40" opacity="0.6"><text wrap="1" '
    'pixelsize="14" color="#ff80c040">Hello, tall and small trees</text></object>'
    '<object id="7" gid="3" x="100" y="110"/>'
    '<object id="8" x="90" y="90" width="40" height="30"/>'
    '<object id="9" x="10" y="200" visible="0" width="300" height="30"/>'
)


def shape_map(folder: Path, orientation: str, attributes: str = "") -> TileMap:
    path = folder / "map.tmx"
    path.write_text(
        f'<map version="1.10" orientation="{orientation}" width="20" height="15" tilewidth="16" '
        f'tileheight="16" infinite="0">{noisy_tileset(folder, "tiles", 1, (16, 16))}'
        f"{csv_layer('a', random_cells(1, 1, 16, empty=0.7, flips=[0]))}"
        f'<objectgroup name="things" draworder="index" {attributes}>{SHAPES}</objectgroup></map>'
    )
    return load_map(path)


def compare(
    window: arcade.Window, map_view: MapView, place: tuple[float, float], zoom: float
) -> None:
    camera = arcade.Camera2D(position=place, zoom=zoom)
    expected = as_in_pillow(window, map_view.tile_map, camera)
    assert abs(redraw(window, map_view, camera) - expected).max() <= 4


@pytest.mark.parametrize("orientation", ["orthogonal", "isometric"])
@pytest.mark.parametrize("attributes", ["", 'opacity="0.5" color="#40c080" offsetx="7"'])
def test_shapes_and_texts_look_as_in_pillow(window, tmp_path, orientation, attributes):
    map_view = MapView(shape_map(tmp_path, orientation, attributes), objects="all")
    center = tuple(float(round(axis)) for axis in map_view.tile_map.bounds.center)
    for zoom in (1.0, 2.0):
        compare(window, map_view, center, zoom)


def test_shapes_are_painted_once_for_many_views(window, tmp_path, monkeypatch):
    painted = []

    def spy(*arguments, **options):
        painted.append(arguments)
        return drawn_on(*arguments, **options)

    monkeypatch.setattr(object_quads, "drawn_on", spy)
    map_view = MapView(shape_map(tmp_path, "orthogonal"), objects="all")
    for step in range(12):
        compare(window, map_view, (160.0 + 5 * step, 120.0 - 3 * step), 1.0)
    assert 0 < len(painted) <= 4  # two runs of shapes, with a tile object between them
    map_view.tile_map.layer("things").opacity = 0.4
    before = len(painted)
    compare(window, map_view, (160.0, 120.0), 1.0)
    assert len(painted) > before


def test_shapes_with_parallax_move_with_their_layer(window, tmp_path):
    tile_map = shape_map(tmp_path, "orthogonal", 'parallaxx="0" parallaxy="0"')
    tile_map.layer("a").visible = False
    map_view, pictures = MapView(tile_map, objects="all"), []
    for place in ((160, 120), (560, 320), (4000, 9000)):
        pictures.append(redraw(window, map_view, arcade.Camera2D(position=place)))
    assert (pictures[0] != BACKGROUND[:3]).any()
    assert np.array_equal(pictures[0], pictures[1])
    assert np.array_equal(pictures[0], pictures[2])
