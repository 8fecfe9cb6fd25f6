"""The programs of the GPU: each is compiled once for a window, and serves all who draw in it."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import pytest

from tests.draw_faces import caves, feared, foggy, led
from tests.drawing import (
    arcade,
    drawn_without_multisampling,
    noise,
    noisy_map,
    noisy_tileset,
    random_cells,
)
from tests.tmx import csv_layer
from tilequad import DynamicQuadtree
from tilequad.draw.arcade import (
    FieldOverlay,
    FogOverlay,
    InfluenceOverlay,
    MapView,
    Minimap,
    SpriteBatch,
    TreeOverlay,
    visible_bounds,
)
from tilequad.draw.arcade.shaders import program_of

pytestmark = pytest.mark.gl

OBJECTS = (
    '<objectgroup id="8" name="things">'
    '<object id="1" gid="3" x="40" y="50" width="20" height="30"/>'
    '<object id="2" x="60" y="20" width="33" height="12"/></objectgroup>'
)
ZOOMS = 1.7, 0.9, 0.05, 0.03  # quads, single cells, and what is seen from far away


def image_layer(folder, side, more=""):
    noise(side, side, seed=side).save(folder / f"{side}.png")
    return (
        f'<imagelayer id="7" name="sky" offsetx="330" offsety="150" {more}>'
        f'<image source="{side}.png" width="{side}" height="{side}"/></imagelayer>'
    )


def one_map(folder, number):
    """One of two maps that look different in every way that a program is told."""
    folder.mkdir()
    size, tall = ((40, 30), (16, 56)) if number else ((50, 20), (24, 24))
    cells = [
        random_cells(seed + number, low, low + 15, size=size) for seed, low in ((1, 1), (5, 17))
    ]
    looks = (
        ('opacity="0.7" tintcolor="#ff8040"', 'mode="overlay"', 'tintcolor="#40ff80"'),
        ('tintcolor="#4080ff"', 'mode="darken" opacity="0.6"', 'repeatx="1" mode="screen"'),
    )[number]
    return noisy_map(
        folder,
        noisy_tileset(folder, "tall", 17, tall),
        image_layer(folder, (40, 24)[number], looks[2]),
        csv_layer("low", cells[0]),
        csv_layer("faded", cells[0], looks[0]),
        csv_layer("high", cells[1], looks[1]),
        OBJECTS.replace('name="things"', f'name="things" opacity="{1 - number / 2}"'),
        size=size,
    )


def everything(folder: Any, number: int) -> list[Callable[[], object]]:
    """Draw calls of all that can be drawn: each shows one thing in one of two looks."""
    tile_map = one_map(folder / str(number), number)
    caves_map = folder / f"caves {number}"
    caves_map.mkdir()
    grid = caves(caves_map, ("orthogonal", "hexagonal-rows")[number])
    map_view = MapView(tile_map, objects="all")
    x, y = tile_map.bounds.center
    cameras = [arcade.Camera2D(position=(x + number, y), zoom=zoom) for zoom in ZOOMS]
    near = arcade.Camera2D(position=(130.3, 90.7))
    overlays = [
        FogOverlay(foggy(grid), 1, soft=(1, 0.3)[number]),
        FieldOverlay(led(grid), band=(40, 90)[number], near=(200, 90 * number, 0, 200)),
        InfluenceOverlay(feared(grid), full=(3, 9)[number], high=(99, 9, 200 * number, 255)),
    ]
    trees: DynamicQuadtree[int] = DynamicQuadtree(tile_map.bounds)
    places = np.random.default_rng(number).uniform(0, 300, (60, 2))
    for unit, place in enumerate(places.tolist()):
        trees.add(unit, *place)
    batch = SpriteBatch([arcade.make_soft_circle_texture(20 + 9 * number, (250, 90, 30))])
    lines = TreeOverlay()
    maps = Minimap(map_view, 70 + 40 * number), Minimap(map_view, 90, fog=foggy(grid))

    def seen(camera: Any, draw: Callable[[], object]) -> Callable[[], None]:
        def call() -> None:
            with camera.activate():
                draw()

        return call

    return [
        *(seen(one, lambda one=one: map_view.draw(visible_bounds(one))) for one in cameras),
        *(seen(near, one.draw) for one in overlays),
        seen(near, lambda: lines.draw(trees.nodes())),
        seen(near, lambda: batch.draw(places)),
        seen(near, lambda: batch.draw_bars(places, np.linspace(0, 1, 60))),
        *(lambda one=one: one.draw(5, 9, (50, 50, 200, 150), places) for one in maps),
    ]


def pictures(window, *all_calls):
    """What calls draw, one of each list after the other, once nothing is missing any more."""
    for _ in range(4):
        found = [
            [drawn_without_multisampling(window, draw) for draw in turn]
            for turn in zip(*all_calls, strict=True)
        ]
    return list(zip(*found, strict=True))


def test_who_comes_later_compiles_nothing(window, tmp_path, monkeypatch):
    for draw in everything(tmp_path, 0):
        drawn_without_multisampling(window, draw)
    made = []
    program = type(window.ctx).program
    monkeypatch.setattr(
        type(window.ctx), "program", lambda *a, **k: made.append(1) or program(*a, **k)
    )
    (tmp_path / "again").mkdir()
    for draw in everything(tmp_path / "again", 0):
        drawn_without_multisampling(window, draw)

    assert not made


def test_those_who_draw_in_turns_do_not_see_the_settings_of_one_another(window, tmp_path):
    alone = [pictures(window, everything(tmp_path, number))[0] for number in (0, 1)]
    (tmp_path / "together").mkdir()

    both = pictures(window, *(everything(tmp_path / "together", number) for number in (0, 1)))

    for expected, found in zip(alone, both, strict=True):
        assert all(map(np.array_equal, found, expected))
        assert all(len(np.unique(picture)) > 2 for picture in found)
    assert not any(map(np.array_equal, *both))


def test_each_window_has_programs_of_its_own(window, tmp_path):
    def frames(number):
        (tmp_path / str(number)).mkdir()
        calls = everything(tmp_path / str(number), 0)
        return calls, pictures(arcade.get_window(), calls)[0]

    calls, expected = frames(1)
    other = arcade.Window(*window.size, "another", visible=False)
    try:
        _, found = frames(2)
        assert all(map(np.array_equal, found, expected))
        for draw in calls:
            with pytest.raises(RuntimeError, match="made in another window than the one in use"):
                draw()
    finally:
        other.close()
        arcade.set_window(window)
        window.switch_to()
    assert all(map(np.array_equal, pictures(window, calls)[0], expected))


class Context:
    """What compiles programs, each of which keeps it alive as a real one does."""

    def __init__(self) -> None:
        self.made: list[dict[str, str]] = []

    def program(self, **sources: str) -> Any:
        self.made.append(sources)
        return Program(self)


class Program(dict[str, int]):
    def __init__(self, context: Context) -> None:
        self.context = context

    def set_uniform_safe(self, name: str, value: int) -> None:
        self[name] = value


def test_a_program_is_made_once_for_its_sources_names_and_context():
    one, other = Context(), Context()
    fragment = "#version 330\nvoid main() {}\n"

    def asked(context, *names):
        return program_of(context, "vertex", fragment, names, {"sheet": 6})

    found = [asked(one), asked(one, "PLAIN"), asked(one, "PLAIN", "FULL"), asked(other)]

    assert len({id(program) for program in found}) == 4
    assert [asked(one), asked(one, "PLAIN"), asked(one, "PLAIN", "FULL"), asked(other)] == found
    assert [made["fragment_shader"] for made in one.made] == [
        fragment,
        "#version 330\n#define PLAIN\nvoid main() {}\n",
        "#version 330\n#define PLAIN\n#define FULL\nvoid main() {}\n",
    ]
    assert [program.context for program in found] == [one] * 3 + [other]
    assert all(program == {"sheet": 6} for program in found)


def test_programs_do_not_keep_their_context():
    context = Context()
    program_of(context, "vertex", "#version 330\n")
    gone = ref(context)
    del context
    gc.collect()

    assert gone() is None
