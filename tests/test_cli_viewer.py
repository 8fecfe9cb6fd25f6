"""The map viewer, driven by the events of its window."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests.drawing import Pixels, animation, arcade, noisy_map, random_cells, screen
from tests.tmx import csv_layer
from tilequad.cli.common import RequestError
from tilequad.cli.map_screen import MapScreen
from tilequad.cli.view import open_window
from tilequad.draw.arcade import visible_bounds
from tilequad.tiled import TileMap

pytestmark = pytest.mark.gl


def send(window: arcade.Window, event: str, *arguments: object) -> None:
    """Let the window's handlers see an event, as its event loop does."""
    window.dispatch_event(event, *arguments)
    window.dispatch_events()


@pytest.fixture
def show(window):
    """Show a map in the viewer, until the test ends."""

    def shown(tile_map: TileMap) -> MapScreen:
        view = MapScreen(tile_map)
        window.show_view(view)
        return view

    yield shown
    window.hide_view()


@pytest.fixture
def shown(show, tmp_path, monkeypatch):
    """The viewer with a map of tiles and shapes."""
    monkeypatch.chdir(tmp_path)
    shapes = (
        '<object id="1" x="30" y="40" width="50" height="60"/>'
        '<object id="2" x="200" y="100"><polyline points="0,0 60,20 10,70"/></object>'
        '<object id="3" x="150" y="180"><point/></object>'
        '<object id="4" x="9" y="9" visible="0"><ellipse/></object>'
        '<object id="5" gid="1" x="100" y="100"/>'
    )
    tile_map = noisy_map(
        tmp_path,
        csv_layer("ground", random_cells(1, 1, 16, size=(60, 50))),
        f'<objectgroup name="things">{shapes}</objectgroup>',
        size=(60, 50),
    )
    return show(tile_map)


def frame(window: arcade.Window) -> Pixels:
    """One turn of the event loop, and what it drew."""
    send(window, "on_update", 1 / 60)
    send(window, "on_draw")
    return screen(window)


def press(window: arcade.Window, *keys: int) -> None:
    for key in keys:
        send(window, "on_key_press", key, 0)
        send(window, "on_key_release", key, 0)


def test_the_viewer_begins_in_the_middle_of_the_map(window, shown):
    assert tuple(shown.camera.position) == shown.tile_map.bounds.center
    assert shown.camera.zoom == 1
    assert (frame(window) != (40, 42, 46)).any()


def test_dragging_moves_the_map_with_the_mouse(window, shown):
    before = shown.camera.unproject((100, 100))
    send(window, "on_mouse_drag", 130, 90, 30, -10, 1, 0)
    assert shown.camera.unproject((130, 90)) == pytest.approx(before)


def test_the_wheel_zooms_around_the_mouse_within_limits(window, shown):
    before = shown.camera.unproject((250, 40))
    send(window, "on_mouse_scroll", 250, 40, 0, 2)
    assert shown.camera.zoom == pytest.approx(1.25**2)
    assert shown.camera.unproject((250, 40)) == pytest.approx(before)
    for notch, limit in ((1, 32), (-1, 1 / 64)):
        for _ in range(60):
            send(window, "on_mouse_scroll", 250, 40, 0, notch)
        assert shown.camera.zoom == pytest.approx(limit)


def test_arrow_keys_move_while_they_are_held(window, shown):
    x, y = shown.camera.position
    send(window, "on_key_press", arcade.key.RIGHT, 0)
    send(window, "on_key_press", arcade.key.UP, 0)
    send(window, "on_update", 0.1)
    assert tuple(shown.camera.position) == pytest.approx((x + 80, y + 80))
    send(window, "on_key_release", arcade.key.RIGHT, 0)
    send(window, "on_update", 0.1)
    assert tuple(shown.camera.position) == pytest.approx((x + 80, y + 160))


def test_plus_and_minus_zoom_around_the_middle(window, shown):
    press(window, arcade.key.PLUS)
    assert shown.camera.zoom == pytest.approx(1.25)
    press(window, arcade.key.MINUS)
    assert shown.camera.zoom == pytest.approx(1)
    assert tuple(shown.camera.position) == pytest.approx(shown.tile_map.bounds.center)


def test_home_shows_the_whole_map(window, shown):
    send(window, "on_mouse_drag", 0, 0, 500, 500, 1, 0)
    press(window, arcade.key.HOME)
    view, bounds = visible_bounds(shown.camera), shown.tile_map.bounds
    assert view.min_x <= bounds.min_x
    assert view.max_x >= bounds.max_x
    assert view.min_y <= bounds.min_y
    assert view.max_y >= bounds.max_y
    assert view.width == bounds.width or view.height == bounds.height


def test_numbers_hide_and_show_layers(window, shown):
    before = frame(window)
    press(window, arcade.key.KEY_1, arcade.key.KEY_9)
    assert not shown.tile_map.layer("ground").visible
    assert not np.array_equal(frame(window), before)
    press(window, arcade.key.KEY_1)
    assert np.array_equal(frame(window)[:200], before[:200])


@pytest.mark.parametrize("name", ["O", "Q", "F1", "G", "L"])
def test_keys_show_and_hide_something_over_the_map(window, shown, name):
    shown.camera.position = 150, 700  # where the objects are
    before, key = frame(window), getattr(arcade.key, name)
    press(window, key)
    assert not np.array_equal(frame(window)[:200], before[:200])
    press(window, key)
    assert np.array_equal(frame(window)[:200], before[:200])


def test_f12_saves_a_picture_and_overwrites_nothing(window, shown, tmp_path, capsys):
    seen = frame(window)
    press(window, arcade.key.F12, arcade.key.F12)
    assert capsys.readouterr().out == "map-001.png\nmap-002.png\n"
    for name in ("map-001.png", "map-002.png"):
        assert np.array_equal(np.asarray(Image.open(tmp_path / name)), seen)


def test_the_line_of_figures_counts_what_is_drawn(window, shown):
    frame(window)
    drawn = sum(len(ids) for _, ids in shown.tile_map.cull(visible_bounds(shown.camera)))
    total = sum(len(layer) for layer in shown.tile_map.layers)
    assert f"{drawn:,} of {total:,} drawn" in shown.figures


def test_a_click_on_a_line_of_the_list_hides_the_layer(window, shown):
    press(window, arcade.key.L)
    before = frame(window)
    assert shown.tile_map.layers[-1].name == "things"
    left, bottom, _, top = shown._layers._box
    for y, name in ((top - 12, "things"), (bottom + 12, "ground")):
        send(window, "on_mouse_press", int(left + 30), int(y), 1, 0)
        assert not shown.tile_map.layer(name).visible
    assert not np.array_equal(frame(window), before)
    send(window, "on_mouse_press", int(left + 30), int(bottom + 12), 1, 0)
    assert shown.tile_map.layer("ground").visible


def test_a_click_below_the_list_of_many_layers_hides_none(window, show, tmp_path):
    rows = random_cells(1, 1, 16, size=(20, 15))
    tile_map = noisy_map(tmp_path, *(csv_layer(str(number), rows) for number in range(30)))
    view = show(tile_map)
    press(window, arcade.key.L)
    frame(window)
    left, bottom, _, top = view._layers._box
    assert view._layers._text.text.endswith(" more")
    send(window, "on_mouse_press", int(left + 30), int(bottom + 12), 1, 0)
    assert all(layer.visible for layer in tile_map.layers)
    send(window, "on_mouse_press", int(left + 30), int(top - 12), 1, 0)
    assert [layer.name for layer in tile_map.layers if not layer.visible] == ["29"]


def test_the_tile_under_the_mouse_is_described(window, show, tmp_path):
    tile = (
        '<tile id="2" type="Wall"><properties><property name="hard" value="yes"/></properties>'
        '<objectgroup><object id="1" x="2" y="2" width="8" height="9"/></objectgroup></tile>'
    )
    tile_map = noisy_map(
        tmp_path,
        csv_layer("ground", [[3] * 20] * 15),
        '<objectgroup name="things"><object id="8" name="door" type="Exit" x="32" y="32" '
        'width="30" height="30"/></objectgroup>',
        elements=tile,
    )
    view = show(tile_map)
    before = frame(window)
    send(window, "on_mouse_motion", 200, 40, 0, 0)
    assert not np.array_equal(frame(window), before)
    lines = view.inspected.splitlines()
    assert lines[0] == "ground"
    assert {"cell 12, 12", "class Wall", "hard = yes", "1 collision shape"} <= set(lines)
    send(window, "on_mouse_motion", 40, 240 - 40, 0, 0)
    frame(window)
    assert view.inspected.startswith("things\nobject 8 'door', rectangle\nclass Exit")
    press(window, arcade.key.I)
    assert view.inspected == ""


def test_a_saved_file_is_read_again(window, shown, tmp_path):
    press(window, arcade.key.KEY_2)
    shown.camera.position = 100, 700
    before, path = frame(window), shown.tile_map.path
    text = path.read_text()
    path.write_text("<map")
    send(window, "on_update", 1.0)
    frame(window)
    assert "cannot read the map again" in shown.figures
    path.write_text(
        text.replace(
            text[text.index("<layer") : text.index("</layer>") + 8],
            csv_layer("ground", random_cells(9, 1, 16, size=(60, 50))),
        )
    )
    send(window, "on_update", 1.0)
    after = frame(window)
    assert shown.figures == "read the map again"
    assert not np.array_equal(after[:200], before[:200])
    assert tuple(shown.camera.position) == (100, 700)
    assert not shown.tile_map.layer("things").visible
    same = shown.tile_map
    send(window, "on_update", 1.0)
    assert shown.tile_map is same


def test_a_map_of_another_size_is_loaded_anew(window, shown):
    first, path = shown.tile_map, shown.tile_map.path
    path.write_text(path.read_text().replace('<map width="60"', '<map width="70"'))
    send(window, "on_update", 1.0)
    frame(window)
    assert shown.tile_map is not first
    assert shown.tile_map.size == (70, 50)


def test_parallax_of_the_file_is_followed_while_it_is_stopped(window, shown):
    ground, path = shown.tile_map.layer("ground"), shown.tile_map.path
    press(window, arcade.key.P)
    path.write_text(path.read_text().replace('name="ground"', 'name="ground" parallaxx="0.5"'))
    send(window, "on_update", 1.0)
    assert ground.parallax == (1, 1)
    press(window, arcade.key.P)
    assert ground.parallax == (0.5, 1)


def test_parallax_and_animations_can_be_stopped(window, show, tmp_path):
    far = csv_layer("far", [[1] * 20] * 15, 'parallaxx="0.5"')
    view = show(noisy_map(tmp_path, far, elements=animation(0, (5, 100), (1, 100))))
    layer = view.tile_map.layer("far")
    press(window, arcade.key.P)
    assert layer.parallax == (1, 1)
    press(window, arcade.key.P)
    assert layer.parallax == (0.5, 1)
    first = frame(window)[:200]
    send(window, "on_update", 0.1)
    assert not np.array_equal(frame(window)[:200], first)
    press(window, arcade.key.A)
    first = frame(window)[:200]
    send(window, "on_update", 0.1)
    assert np.array_equal(frame(window)[:200], first)


def test_too_old_an_opengl_says_what_to_do():
    def make() -> None:
        raise OSError("Could not create GL context")  # as pyglet says it

    with pytest.raises(RequestError, match=r"needs OpenGL 3\.3 .*update the driver"):
        open_window(make, "tilequad view")
