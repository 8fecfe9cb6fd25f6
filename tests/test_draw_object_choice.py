"""`objects=`: all as in Tiled, only art, or none; the same words in all hosts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tmx import TILESET, csv_layer, write_map
from tilequad import load_map
from tilequad.draw.pillow import render
from tilequad.tiled import TileMap

MARKS = (
    '<object id="3" x="40" y="4" width="16" height="12"/>'
    '<object id="4" x="34" y="40"><point/></object>'
)
ART = (
    '<object id="1" gid="1" x="4" y="44" width="8" height="8"/>'
    '<object id="2" x="4" y="4" width="30" height="14"><text pixelsize="12">Hi</text></object>'
)


def objects_map(
    folder: Path, *, marks: bool = True, art: bool = True, y_up: bool = True
) -> TileMap:
    objects = ART * art + MARKS * marks
    layer = f'<objectgroup id="9" name="things">{objects}</objectgroup>'
    ground = csv_layer("ground", [[1] * 4] * 3)
    path = write_map(folder, TILESET, ground, layer, size=(4, 3))
    return load_map(path, y_up=y_up)


def pixels(tile_map: TileMap, objects: str) -> np.ndarray:
    return np.asarray(render(tile_map, tile_map.bounds, objects=objects))


def test_render_draws_what_is_chosen(tmp_path):
    whole = objects_map(tmp_path)
    assert (pixels(whole, "all") == np.asarray(render(whole, whole.bounds))).all()
    assert (pixels(whole, "art") == pixels(objects_map(tmp_path, marks=False), "all")).all()
    bare = objects_map(tmp_path, marks=False, art=False)
    assert (pixels(whole, "none") == pixels(bare, "all")).all()
    assert (pixels(whole, "all") != pixels(whole, "art")).any()
    assert (pixels(whole, "art") != pixels(whole, "none")).any()


@pytest.mark.parametrize("objects", [True, False, None, "some", "ALL"])
def test_another_word_is_a_value_error(tmp_path, objects):
    pytest.importorskip("pygame")
    from tilequad.draw.pygame import MapView

    message = f'objects must be "all", "art" or "none", got {objects!r}'
    with pytest.raises(ValueError, match=f"^{message}$"):
        render(objects_map(tmp_path), objects=objects)
    tile_map = objects_map(tmp_path, y_up=False)
    with pytest.raises(ValueError, match=f"^{message}$"):
        MapView(tile_map, objects=objects)
    map_view = MapView(tile_map)
    with pytest.raises(ValueError, match=f"^{message}$"):
        map_view.objects = objects
    assert map_view.objects == "art"


def test_a_view_of_pygame_draws_what_is_chosen(tmp_path):
    pygame = pytest.importorskip("pygame")
    from tilequad.draw.pygame import MapView, Minimap

    tile_map = objects_map(tmp_path, y_up=False)
    map_view = MapView(tile_map)
    minimap = Minimap(map_view, 64)
    small = []
    for objects in ("art", "all", "none", "art"):
        map_view.objects = objects
        surface = pygame.Surface(tuple(map(int, tile_map.bounds[2:])))
        map_view.draw(surface, tile_map.bounds)
        found = pygame.surfarray.array3d(surface).transpose(1, 0, 2)
        assert (found == pixels(tile_map, objects)[..., :3]).all()
        screen = pygame.Surface((64, 64))
        minimap.draw(screen, 0, 0)
        small.append(pygame.surfarray.array3d(screen))
    assert (small[0] == small[3]).all()
    assert (small[0] != small[1]).any()
    assert (small[0] != small[2]).any()


@pytest.mark.gl
def test_a_view_of_arcade_draws_what_is_chosen(window, tmp_path):
    import arcade

    from tilequad.draw.arcade import MapView, Minimap, visible_bounds

    tile_map = objects_map(tmp_path)
    camera = arcade.Camera2D()
    camera.position = tile_map.bounds.center
    map_view = MapView(tile_map)
    assert map_view.objects == "art"
    minimap = Minimap(map_view, 64)
    height, width = pixels(tile_map, "all").shape[:2]
    for objects in ("art", "all", "none", "art"):
        map_view.objects = objects
        for layer_alone in (False, True):
            window.clear(color=(0, 0, 0, 255))
            with camera.activate():
                seen = visible_bounds(camera)
                if layer_alone:
                    for layer in tile_map.layers:
                        map_view.draw(seen, [layer])
                else:
                    map_view.draw(seen)
            shown = np.asarray(arcade.get_image())[..., :3].astype(int)
            top, left = (shown.shape[0] - height) // 2, (shown.shape[1] - width) // 2
            found = shown[top : top + height, left : left + width]
            wanted = pixels(tile_map, objects)[..., :3].astype(int)
            assert (np.abs(found - wanted) > 3).any(axis=2).sum() == 0
    pictures = []
    for objects in ("art", "all", "none"):
        map_view.objects = objects
        window.clear(color=(0, 0, 0, 255))
        window.default_camera.use()
        minimap.draw(0, 0)
        pictures.append(np.asarray(arcade.get_image())[-minimap.height :, :64])
    assert (pictures[0] != pictures[1]).any()
    assert (pictures[0] != pictures[2]).any()
