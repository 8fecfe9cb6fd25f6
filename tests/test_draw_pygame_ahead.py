"""A moving camera in pygame: chunks are painted before it needs them, a little in each frame."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pygame = pytest.importorskip("pygame")
from tests.tmx import TILE, TILESET, csv_layer, write_map  # noqa: E402
from tilequad import load_map  # noqa: E402
from tilequad.draw.pygame import MapView, painter  # noqa: E402
from tilequad.draw.pygame.layer_group import CHUNK  # noqa: E402
from tilequad.draw.pygame.painter import Painter  # noqa: E402
from tilequad.draw.pygame.surface_buffer import Lookahead  # noqa: E402
from tilequad.draw.tile_pictures import TilePictures  # noqa: E402

SIZE = 640, 360
SIDE = 260  # cells


@pytest.fixture
def wide_map(tmp_path):
    """Three layers, the upper ones with gaps, so that they do not hide the others."""
    cells = range(SIDE)
    layers = []
    for number in (1, 2, 3):
        held = [[(3 * x + 5 * y * number) % 4 + 1 for x in cells] for y in cells]
        rows = [
            [gid * ((x + y) % number == 0) for x, gid in enumerate(row)]
            for y, row in enumerate(held)
        ]
        layers.append(csv_layer(f"layer {number}", rows))
    return load_map(write_map(tmp_path, TILESET, *layers, size=(SIDE, SIDE)), y_up=False)


@pytest.fixture
def painted(monkeypatch) -> Iterator[list[int]]:
    """A number for each step of painting, the chunks that it has ended; cleared between frames.

    The steps are half as long as else, so that chunks of the map above take many of them.
    """
    monkeypatch.setattr(painter, "_STEP", 96)
    found: list[int] = []
    steps = Painter.steps

    def counted(self, area, *rest):
        for painted in steps(self, area, *rest):
            found.append(0 if painted is None else area.width * area.height // CHUNK**2)
            yield painted

    monkeypatch.setattr(Painter, "steps", counted)
    return found


def view_at(x: float, y: float, zoom: float) -> tuple[float, float, float, float]:
    return x, y, x + SIZE[0] / zoom, y + SIZE[1] / zoom


def pan(map_view, surface, painted, zoom, start, step, frames) -> list[int]:
    """Steps of painting that each frame takes."""
    found = []
    for number in range(frames):
        painted.clear()
        x, y = (place + number * by / zoom for place, by in zip(start, step, strict=True))
        map_view.draw(surface, view_at(x, y, zoom))
        found.append(len(painted))
    return found


def steps_of_a_chunk(map_view, zoom) -> int:
    """Steps of painting that a chunk full of tiles takes."""
    [group] = map_view._chosen(None).groups
    area = pygame.Rect(0, 0, CHUNK, CHUNK)
    return len(list(group._painter.steps(area, min(zoom, 1))))


STEPS = [(3, 3), (-3, 2), (4, -4), (-5, 0), (0, 7)]


@pytest.mark.slow
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("zoom", [1.0, 0.5, 0.37, 2.0])
def test_a_steady_camera_paints_a_chunk_over_many_frames(wide_map, painted, zoom, step):
    map_view, surface = MapView(wide_map), pygame.Surface(SIZE)
    middle = [(SIDE * TILE - seen / zoom) / 2 for seen in SIZE]
    found = pan(map_view, surface, painted, zoom, middle, step, 300)
    a_chunk = steps_of_a_chunk(map_view, zoom)
    assert a_chunk >= (4 if zoom == 0.37 else 6)  # there, a layer is found and drawn as a whole
    assert found[0] >= 2 * a_chunk  # all that is in view
    assert max(found[1:]) <= a_chunk + 1  # chunks differ by a step
    assert sum(steps > a_chunk // 2 for steps in found[1:]) <= 6
    assert sum(steps <= 2 for steps in found[1:]) >= 270


def test_a_fast_camera_spreads_what_it_needs(wide_map, painted):
    map_view = MapView(wide_map)
    found = pan(map_view, pygame.Surface(SIZE), painted, 1.0, (0, 0), (40, 25), 60)
    a_chunk = steps_of_a_chunk(map_view, 1.0)
    assert sum(found[2:]) > 50 * a_chunk
    assert max(found[2:]) <= 2 * a_chunk  # of 6 at a corner: a column of 3 and a row of 4


def test_a_jump_paints_what_is_in_view_and_nothing_ahead(wide_map, painted):
    map_view, surface = MapView(wide_map), pygame.Surface(SIZE)
    pan(map_view, surface, painted, 1.0, (0, 0), (3, 0), 100)
    painted.clear()
    map_view.draw(surface, view_at(2048 + 64, 2048 + 64, 1.0))
    assert sum(painted) == 3 * 2  # 2112 to 2752, 2112 to 2472
    painted.clear()
    map_view.draw(surface, view_at(2048 + 64, 2048 + 64, 1.0))
    assert not painted


def test_a_camera_at_rest_stops_painting(wide_map, painted):
    map_view, surface = MapView(wide_map), pygame.Surface(SIZE)
    found = pan(map_view, surface, painted, 1.0, (500, 500), (3, 3), 2)
    for _ in range(60):
        found += pan(map_view, surface, painted, 1.0, (503, 503), (0, 0), 1)
    assert 0 < sum(found[1:]) < 100
    assert not any(found[-8:])


@pytest.mark.parametrize("zoom", [1.0, 0.5, 0.37, 0.8, 1.5])
def test_pictures_do_not_depend_on_it(wide_map, monkeypatch, zoom):
    ahead, plain = MapView(wide_map), MapView(wide_map)
    one, other = pygame.Surface(SIZE), pygame.Surface(SIZE)
    x, y = 1500.0, 2400.0
    ways = [(3, 3)] * 60 + [(-7, 2)] * 40 + [(0, 0)] * 3 + [(300, -200), (12, 0)] + [(0, -30)] * 20
    changed = wide_map.layer("layer 2")
    missing = Lookahead.missing
    for number, (dx, dy) in enumerate(ways):
        x, y = x + dx / zoom, y + dy / zoom
        if number % 10 == 0:
            changed.set_tile(int(x // TILE) + 20, int(y // TILE) + 5, number % 4 + 1)
        monkeypatch.setattr(Lookahead, "missing", missing)
        ahead.draw(one, view_at(x, y, zoom))
        monkeypatch.setattr(Lookahead, "missing", lambda *_: [])
        plain.draw(other, view_at(x, y, zoom))
        assert one.get_buffer().raw == other.get_buffer().raw, number


def test_layers_that_move_apart_share_the_frames(wide_map, painted):
    for number, layer in enumerate(wide_map.layers, 1):
        layer.parallax = number / 2, number / 2
    found = pan(MapView(wide_map), pygame.Surface(SIZE), painted, 1.0, (500, 500), (2, 2), 300)
    assert max(found[1:]) <= 3


def test_choices_of_layers_take_turns(wide_map, painted):
    map_view, surface = MapView(wide_map), pygame.Surface(SIZE)
    choices, both = (wide_map.layers[:1], wide_map.layers[1:]), 0
    for number in range(200):
        steps = []
        for layers in choices:
            painted.clear()
            map_view.draw(surface, view_at(1000 + 2 * number, 1000, 1.0), layers)
            steps.append(len(painted))
        both += all(steps)
    assert both <= 5  # of 25, if each painted in the first frame in which it may


def test_a_zooming_camera_keeps_few_pictures(wide_map):
    map_view, surface = MapView(wide_map), pygame.Surface(SIZE)
    kept = []
    for number in range(60):
        map_view.draw(surface, view_at(1000, 1000, 0.5 * 0.99**number))
        kept.append(map_view.nbytes)
    assert kept[-1] <= 4 * kept[0]


def test_the_first_frame_reads_images_of_tiles_out_of_view(wide_map, monkeypatch):
    read = []
    pixels = TilePictures.pixels
    monkeypatch.setattr(TilePictures, "pixels", lambda *of: read.append(of[1]) or pixels(*of))
    MapView(wide_map).draw(pygame.Surface(SIZE), view_at(-2000, -2000, 1.0))
    assert {tileset.picture for tileset in wide_map.tilesets} == set(read)


@pytest.mark.slow
@pytest.mark.parametrize("zoom", [1.0, 0.5, 0.37, 2.0, 1.5])
def test_a_ground_has_no_holes_at_the_edge_of_the_map(tmp_path, zoom):
    """Its picture is copied, not blended, although the chunks there are not full."""
    side = 50  # 800 pixels, so chunks cross the edge
    ground = [[(3 * x + 5 * y) % 4 + 1 for x in range(side)] for y in range(side)]
    path = write_map(tmp_path, TILESET, csv_layer("ground", ground), size=(side, side))
    tile_map = load_map(path, y_up=False)
    map_view, surface, fresh = MapView(tile_map), pygame.Surface(SIZE), pygame.Surface(SIZE)
    [buffer] = map_view._chosen(None).buffers
    for number in range(-40, 120):
        view = view_at(300 + 5 * number, 250 + 3 * number, zoom)
        for target, drawing in ((surface, map_view), (fresh, MapView(tile_map))):
            target.fill((10, 20, 30))
            drawing.draw(target, view)
        assert surface.get_buffer().raw == fresh.get_buffer().raw, number
        in_map = pygame.Rect(0, 0, round(side * TILE * zoom), round(side * TILE * zoom))
        shown = [surface.get_rect(topleft=corner) for surface, corner in buffer._shown]
        assert not any(surface.get_masks()[3] for surface, _ in buffer._shown)
        assert all(in_map.contains(place) for place in shown)
