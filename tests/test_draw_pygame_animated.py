"""Animated tiles in pygame: only what surrounds them is painted again, and fresh views equal it."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest
from PIL import Image

pygame = pytest.importorskip("pygame")
from tests.tmx import TILE, csv_layer, map_text  # noqa: E402
from tilequad import load_map  # noqa: E402
from tilequad.draw.pygame import MapView  # noqa: E402
from tilequad.draw.pygame.painter import Painter  # noqa: E402

SIZE = 320, 200
SIDE = 60  # cells
FRAMES = {0: (0, 1), 3: (3, 4), 4: (4, 5, 2), 7: (7, 6, 0)}  # from opaque to holes, and to glass
ANIMATED = [1, 4, 5, 8]  # their gids


@pytest.fixture
def ponds(tmp_path):
    """A full ground with few animated tiles, and some roofs, of which more are animated."""
    pixels = np.random.default_rng(2).integers(0, 256, (TILE, 8 * TILE, 4), np.uint8)
    pixels[..., 3] = 255
    pixels[4:9, 4 * TILE : 6 * TILE, 3] = 0  # tiles 4 and 5 have holes
    pixels[:, 6 * TILE : 7 * TILE, 3] = 90  # tile 6 is of glass
    Image.fromarray(pixels).save(tmp_path / "tiles.png")
    moving = "".join(
        f'<tile id="{tile}"><animation>'
        + "".join(f'<frame tileid="{frame}" duration="{70 + 30 * tile}"/>' for frame in frames)
        + "</animation></tile>"
        for tile, frames in FRAMES.items()
    )
    tileset = (
        '<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="8" '
        f'columns="8"><image source="tiles.png" width="128" height="16"/>{moving}</tileset>'
    )
    rng = np.random.default_rng(5)
    ground = rng.integers(2, 4, (SIDE, SIDE))
    some = rng.random((SIDE, SIDE)) < 0.02
    ground[some] = rng.choice([1] * 40 + ANIMATED, some.sum())
    roofs = rng.choice([*ANIMATED, 3, 5, 6], (SIDE, SIDE)) * (rng.random((SIDE, SIDE)) < 0.01)
    layers = csv_layer("ground", ground.tolist()), csv_layer("roofs", roofs.tolist())
    path = tmp_path / "map.tmx"
    path.write_text(map_text(tileset, *layers, size=(SIDE, SIDE)))
    return load_map(path, y_up=False)


def view_at(x: float, y: float, zoom: float) -> tuple[float, float, float, float]:
    return x, y, x + SIZE[0] / zoom, y + SIZE[1] / zoom


CASES = [(zoom, False) for zoom in (1.0, 2.0, 1.5, 0.5, 0.37)] + [(1.0, True), (2.0, True)]


@pytest.mark.parametrize(("zoom", "alpha"), CASES)
def test_frames_equal_those_of_a_fresh_view(ponds, zoom, alpha):
    rng, kept, time = Random(7), MapView(ponds), 0
    one, other = (pygame.Surface(SIZE, pygame.SRCALPHA if alpha else 0, 32) for _ in range(2))
    x, y = 200.0, 300.0
    for number in range(40):
        x, y = x + rng.randint(-9, 12) / zoom, y + rng.randint(-12, 9) / zoom
        if number % 3:
            time += rng.choice((0, 40, 90))
        else:
            cell = int(x // TILE) + rng.randint(0, 9), int(y // TILE) + rng.randint(0, 6)
            rng.choice(ponds.layers).set_tile(*cell, rng.choice([*ANIMATED, 2, 2, 2, 3, 3, 3]))
        kept.set_time(time)
        fresh = MapView(ponds)
        fresh.set_time(time)
        for target, map_view in ((one, kept), (other, fresh)):
            target.fill((30, 60, 90))
            for layer in ponds.layers:
                map_view.draw(target, view_at(x, y, zoom), [layer])
        same = (pygame.image.tobytes(surface, "RGBA") for surface in (one, other))
        assert next(same) == next(same), number


@pytest.fixture
def pond(ponds):
    """The ground, where only two tiles beside each other are animated."""
    ground = ponds.layer("ground")
    ids = ground.ids()
    ground.set_tiles(ground.cells(ids[np.isin(ground.gids(ids), ANIMATED)]), 2)
    ground.set_tiles([(20, 25), (21, 25)], 1)
    return ground


def sizes_painted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The sizes of what is painted from now on."""
    painted: list[tuple[int, int]] = []
    steps = Painter.steps

    def noted(self, area, *rest):
        painted.append(area.size)
        return steps(self, area, *rest)

    monkeypatch.setattr(Painter, "steps", noted)
    return painted


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_little_is_painted_for_another_frame(ponds, pond, monkeypatch, zoom):
    """What else a chunk holds is copied."""
    map_view, surface = MapView(ponds), pygame.Surface(SIZE)
    map_view.draw(surface, view_at(256, 320, zoom), [pond])
    painted = sizes_painted(monkeypatch)
    map_view.set_time(70)
    map_view.draw(surface, view_at(256, 320, zoom), [pond])
    assert painted == [(2 * TILE + 2, TILE + 2)]
    for time in (140, 210, 280):  # both frames are kept
        map_view.set_time(time)
        map_view.draw(surface, view_at(256, 320, zoom), [pond])
    assert len(painted) == 1


def test_little_is_painted_for_another_frame_of_an_object(ponds, monkeypatch):
    mills = ponds.add_object_layer("mills")
    mills.add_object("tile", 300, 400, (40, 30), gid=1)
    map_view, surface = MapView(ponds), pygame.Surface(SIZE)
    map_view.draw(surface, view_at(256, 320, 1), [mills])
    painted = sizes_painted(monkeypatch)
    map_view.set_time(70)
    map_view.draw(surface, view_at(256, 320, 1), [mills])
    assert painted == [(42, 32)]


def test_all_frames_of_two_rhythms_are_painted_once(ponds, pond, monkeypatch):
    pond.set_tile(20, 26, 4)
    for tile, step in ((0, 100), (3, 90)):
        ponds.tilesets[0].edit_tile(tile, animation=[(other, step) for other in (0, 1, 3, 7)])
    map_view, surface = MapView(ponds), pygame.Surface(SIZE)
    painted = sizes_painted(monkeypatch)
    counts = []
    for time in (*range(0, 3600, 10), *range(0, 3600, 10)):
        map_view.set_time(time)
        map_view.draw(surface, view_at(256, 320, 1), [pond])
        counts.append(len(painted))
    assert 16 <= counts[359] == counts[-1]


@pytest.mark.parametrize("zoom", [1.0, 2.0])
def test_an_edit_shows_beside_animated_tiles(ponds, pond, zoom):
    map_view, one, other = MapView(ponds), pygame.Surface(SIZE), pygame.Surface(SIZE)
    for cell in ((25, 21), (22, 25), (21, 25)):
        map_view.draw(one, view_at(256, 320, zoom), [pond])
        pond.set_tile(*cell, 2 if pond.gid_of(*cell) == 3 else 3)
        map_view.draw(one, view_at(256, 320, zoom), [pond])
        MapView(ponds).draw(other, view_at(256, 320, zoom), [pond])
        assert pygame.image.tobytes(one, "RGB") == pygame.image.tobytes(other, "RGB")


def later(gid: re.Match[str]) -> str:
    """A gid of a cell, as it is with a tileset that begins at 9."""
    return str(int(gid[0]) and int(gid[0]) + 8)


def test_the_time_may_be_set_between_a_reload_and_the_next_frame(ponds):
    map_view, surface = MapView(ponds), pygame.Surface(SIZE)
    map_view.set_time(70)
    map_view.draw(surface, view_at(256, 320, 1))
    text = ponds.path.read_text()
    for newer in (
        re.sub(r"(?<=[,\n])(\d+)(?=[,\n])", later, text.replace('firstgid="1"', 'firstgid="9"')),
        text.replace('tileid="1"', 'tileid="7"'),
        text,
    ):
        ponds.path.write_text(newer)
        ponds.reload()
        fresh, other = MapView(ponds), pygame.Surface(SIZE)
        for one in (map_view, fresh):
            one.set_time(150)
        map_view.draw(surface, view_at(256, 320, 1))
        fresh.draw(other, view_at(256, 320, 1))
        assert pygame.image.tobytes(surface, "RGB") == pygame.image.tobytes(other, "RGB")
