"""Every public class of draw names the argument that is wrong, with its value."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.tmx import TILESET, csv_layer, write_map
from tilequad import DynamicQuadtree, load_map
from tilequad.draw.arguments import checked_field, checked_fog
from tilequad.draw.pillow import draw_field, draw_fog, draw_influence, render
from tilequad.nav import Field, Fog, Grid, InfluenceMap, Walls

pygame = pytest.importorskip("pygame")
import tilequad.draw.pygame as on_surface  # noqa: E402

VIEW = 0, 0, 64, 48
WRONG_POINT, WRONG_NUMBER = "must be two numbers, got", "must be a number, got"
NOT_ABOVE_0, NOT_POINTS = "must be finite and above 0, got", "positions must have shape (n, 2), got"
NOT_ASKED = "asked must have three or four numbers, got"


class Things:
    """What right arguments are made of; the host's classes under `host`."""

    def __init__(self, host: Any, folder: Any, y_up: bool) -> None:
        self.host = host
        path = write_map(folder, TILESET, csv_layer("a", [[1, 2, 3, 4]] * 3))
        self.tile_map = load_map(path, y_up=y_up)
        self.other_way = load_map(path, y_up=not y_up)
        self.map_view = host.MapView(self.tile_map)
        self.grid = Grid(np.ones((3, 4), bool), cell_size=16)
        self.walls = Walls(self.grid)
        self.fog, self.field = Fog(self.grid), Field(self.grid, [(8, 8)])
        self.units: DynamicQuadtree[Any] = DynamicQuadtree((0, 0, 64, 48))
        self.map = InfluenceMap(self.grid, self.units, 20)
        self.target = () if y_up else (pygame.Surface((64, 48)),)
        self.nodes = self.units.nodes()
        self.followed = host.FollowedSprites(self.units)


def drawn_minimap(things: Things, **options: Any) -> None:
    minimap = things.host.Minimap(things.map_view, 40)
    minimap.draw(*things.target, 0, 0, (8, 8, 40, 40), **options)


# A call with one wrong argument, the error, and what its message says
BOTH = [
    (lambda t: drawn_minimap(t, positions=[t.grid]), TypeError, "positions must be numbers, (n,"),
    (lambda t: drawn_minimap(t, positions=[(1,), 2]), ValueError, "positions must be numbers, (n,"),
    (lambda t: t.host.move_sprite(t.walls, None, 1, 2), TypeError, "sprite must "),
    (lambda t: t.host.move_sprite(t.walls, t.grid, 1, 2), TypeError, "sprite must "),
    (lambda t: t.host.move_sprite(None, None, 1, 2), TypeError, "walls must be tilequad.nav.Wa"),
    (lambda t: t.host.MapView("x"), TypeError, "tile_map must be what load_map returns, got 'x'"),
    (lambda t: t.host.MapView(t.other_way), ValueError, "tile_map must be loaded with y_up="),
    (lambda t: t.host.MapView(t.tile_map, objects=3), ValueError, 'objects must be "all", "art"'),
    (lambda t: t.map_view.draw(*t.target, "x"), ValueError, "bounds must be four numbers, got 'x'"),
    (lambda t: t.map_view.draw(*t.target, (0, 0, -1, 1)), ValueError, "bounds must have min <= m"),
    (lambda t: t.map_view.draw(*t.target, VIEW, 3), TypeError, "layers must be a list of layers"),
    (lambda t: t.map_view.draw(*t.target, VIEW, "a"), TypeError, "layers must be a list of layers"),
    (lambda t: t.map_view.draw(*t.target, VIEW, [3]), TypeError, "layers must be layers of this"),
    (lambda t: t.map_view.draw(*t.target, VIEW, ["a"]), TypeError, "layers must be layers of this"),
    (
        lambda t: t.map_view.draw(*t.target, VIEW, [t.other_way.layer("a")]),
        KeyError,
        "<TileLayer 'a': 12 tiles> belongs to another map",
    ),
    (lambda t: t.map_view.set_time("x"), TypeError, f"time {WRONG_NUMBER} 'x'"),
    (lambda t: t.map_view.set_time(float("nan")), ValueError, "time must be finite, got nan"),
    (lambda t: t.host.Minimap(t.tile_map), TypeError, "map_view must be a MapView of this package"),
    (lambda t: t.host.Minimap(t.map_view, "x"), TypeError, f"size {WRONG_NUMBER} 'x'"),
    (lambda t: t.host.Minimap(t.map_view, 0), ValueError, "size must be 1 or more, got 0"),
    (lambda t: t.host.Minimap(t.map_view, fog=t.grid), TypeError, "fog must be a tilequad.nav.Fog"),
    (
        lambda t: t.host.Minimap(t.map_view).draw(*t.target, 0, 0, positions=[1, 2, 3]),
        ValueError,
        f"{NOT_POINTS} (3,)",
    ),
    (
        lambda t: t.host.Minimap(t.map_view, 40).draw(
            *t.target, 0, 0, positions=[(1, 1)], colors=(1, 2)
        ),
        ValueError,
        "a color must have three or four numbers, got (1, 2)",
    ),
    (
        lambda t: drawn_minimap(t, positions=[(1, 1)], colors=(300, 0, 0)),
        ValueError,
        "colors must be from 0 to 255, got (300, 0, 0)",
    ),
    (
        lambda t: drawn_minimap(t, positions=[(1, 1)], colors=[(1, 2, 3), (4, 5, 6)]),
        ValueError,
        "colors must have one value for all 1 units, or a row for each, got [(1, 2, 3), (4, 5, 6)]",
    ),
    (
        lambda t: drawn_minimap(t, positions=[(1, 1)], colors="red"),
        ValueError,
        "colors must be from 0 to 255, got 'red'",
    ),
    (lambda t: drawn_minimap(t, positions=[(1, 1)], dot="x"), TypeError, f"dot {WRONG_NUMBER} 'x'"),
    (lambda t: drawn_minimap(t, frame="red"), ValueError, "frame must be one color, got 'red'"),
    (lambda t: drawn_minimap(t, frame=(1, 2)), ValueError, "a color must have three or four numb"),
    (lambda t: drawn_minimap(t, frame=(1, 2, -3)), ValueError, "frame must be from 0 to 255, got"),
    (lambda t: drawn_minimap(t, frame=[(1, 2, 3)] * 2), ValueError, "frame must be one color, got"),
    (lambda t: t.host.FogOverlay(t.grid), TypeError, "fog must be a tilequad.nav.Fog, got <Grid"),
    (lambda t: t.host.FogOverlay(t.fog, soft="x"), TypeError, f"soft {WRONG_NUMBER} 'x'"),
    (lambda t: t.host.FogOverlay(t.fog, soft=2), ValueError, "soft must be from 0 to 1, got 2"),
    (lambda t: t.host.FogOverlay(t.fog, darkness=3), ValueError, "darkness must be two numbers"),
    (lambda t: t.host.FogOverlay(t.fog, soft=np.nan), ValueError, "soft must be from 0 to 1"),
    (lambda t: t.host.FogOverlay(t.fog, darkness="ab"), ValueError, "darkness must be two numbers"),
    (lambda t: t.host.FogOverlay(t.fog, darkness=(300, 0)), ValueError, "darkness must be two num"),
    (lambda t: t.host.FieldOverlay(3), TypeError, "field must be a tilequad.nav.Field, got 3"),
    (lambda t: t.host.FieldOverlay(t.grid), TypeError, "field must be a tilequad.nav.Field, got <"),
    (lambda t: t.host.FieldOverlay(t.field, band=0), ValueError, f"band {NOT_ABOVE_0} 0"),
    (lambda t: t.host.FieldOverlay(t.field, band="x"), TypeError, f"band {WRONG_NUMBER} 'x'"),
    (
        lambda t: t.host.FieldOverlay(t.field, max_distance=0),
        ValueError,
        f"max_distance {NOT_ABOVE_0} 0",
    ),
    (lambda t: t.host.FieldOverlay(t.field, near=3), ValueError, "near must be red, green, blue"),
    (lambda t: t.host.FieldOverlay(t.field, far=(1, 2, 3)), ValueError, "far must be red, green"),
    (lambda t: t.host.InfluenceOverlay(3), TypeError, "influence must be a tilequad.nav.Influence"),
    (lambda t: t.host.InfluenceOverlay(t.grid), TypeError, "influence must be a tilequad.nav.Inf"),
    (lambda t: t.host.InfluenceOverlay(t.map, full=0), ValueError, f"full {NOT_ABOVE_0} 0"),
    (lambda t: t.host.InfluenceOverlay(t.map, low=3), ValueError, "low must be red, green, blue"),
    (lambda t: t.host.FollowedSprites(3), TypeError, "units must be a DynamicQuadtree, got 3"),
    (lambda t: t.followed.sync(3), TypeError, "sprites must be a "),
    (lambda t: t.followed.sync([3]), TypeError, "sprites must be a "),
    (lambda t: t.followed.in_view(3), ValueError, "bounds must be four numbers, got 3"),
    (lambda t: t.followed.draw(*t.target, 3), ValueError, "bounds must be four numbers, got 3"),
]


def check(things: Things, call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call(things)


CAMERA, RECT = on_surface.Camera((64, 48)), pygame.Rect(0, 0, 4, 4)
ONLY_PYGAME = [
    (lambda t: on_surface.Camera(3), ValueError, f"size {WRONG_POINT} 3"),
    (lambda t: on_surface.Camera((0, 5)), ValueError, "size must be above 0 along both sides"),
    (lambda t: on_surface.Camera((64, 48), 3), ValueError, f"position {WRONG_POINT} 3"),
    (lambda t: on_surface.Camera((64, 48), zoom="x"), TypeError, f"zoom {WRONG_NUMBER} 'x'"),
    (lambda t: on_surface.Camera((64, 48), zoom=0), ValueError, f"zoom {NOT_ABOVE_0} 0"),
    (lambda t: on_surface.Camera((64, 48), zoom=-1), ValueError, f"zoom {NOT_ABOVE_0} -1"),
    (lambda t: on_surface.Camera((64, 48), zoom=np.nan), ValueError, f"zoom {NOT_ABOVE_0} nan"),
    (lambda t: on_surface.Camera((64, 48), zoom=np.inf), ValueError, f"zoom {NOT_ABOVE_0} inf"),
    (lambda t: setattr(CAMERA, "zoom", 0), ValueError, f"zoom {NOT_ABOVE_0} 0"),
    (lambda t: setattr(CAMERA, "position", (1, np.nan)), ValueError, "position must be finite"),
    (lambda t: setattr(CAMERA, "size", (0, 9)), ValueError, "size must be above 0 along both"),
    (lambda t: CAMERA.zoom_at(0, 0, "x"), TypeError, f"factor {WRONG_NUMBER} 'x'"),
    (lambda t: CAMERA.zoom_at(0, 0, 0), ValueError, f"factor {NOT_ABOVE_0} 0"),
    (lambda t: CAMERA.zoom_at(0, 0, -1), ValueError, f"factor {NOT_ABOVE_0} -1"),
    (lambda t: CAMERA.zoom_at(0, 0, np.nan), ValueError, f"factor {NOT_ABOVE_0} nan"),
    (lambda t: CAMERA.zoom_at(0, 0, np.inf), ValueError, f"factor {NOT_ABOVE_0} inf"),
    (lambda t: CAMERA.keep_within(3), ValueError, "bounds must be four numbers, got 3"),
    (lambda t: CAMERA.keep_within((10, 0, 0, 10)), ValueError, "bounds must have min <= max"),
    (lambda t: t.host.MapView(t.other_way), ValueError, "y_up=False: y points down in pygame"),
    (lambda t: t.map_view.draw(3, VIEW), TypeError, "target must be a pygame.Surface or a Rend"),
    (lambda t: t.map_view.draw(None, VIEW), TypeError, "call pygame.display.set_mode"),
    (
        lambda t: t.map_view.draw(*t.target, RECT),
        TypeError,
        f"min_x, min_y, max_x, max_y, got {RECT!r}",
    ),
    (lambda t: t.map_view.draw(*t.target, (0, 0, 0, 9)), ValueError, "bounds must not be empty"),
    (lambda t: t.map_view.draw(*t.target, (0, 0, np.nan, 9)), ValueError, "bounds must be finite"),
    (lambda t: t.followed.draw("x", VIEW), TypeError, "target must be a pygame.Surface"),
    (lambda t: t.followed.draw(*t.target, RECT), TypeError, "bounds must be min_x"),
    (lambda t: t.host.FogOverlay(t.fog).draw(3, VIEW), TypeError, "target must be a pygame.Surf"),
    (
        lambda t: t.host.FogOverlay(t.fog).draw(*t.target, (0, 0, 0, 0)),
        ValueError,
        "bounds must no",
    ),
    (lambda t: t.host.FogOverlay(t.fog).draw(*t.target, RECT), TypeError, "bounds must be min_x"),
    (lambda t: t.host.FieldOverlay(t.field).draw(*t.target, RECT), TypeError, "bounds must be min"),
    (lambda t: t.host.Minimap(t.map_view).draw(3, 0, 0), TypeError, "target must be a pygame.Sur"),
    (
        lambda t: t.host.Minimap(t.map_view, 40).draw(*t.target, 30, 10),
        ValueError,
        "the minimap does not fit on the surface",
    ),
    (lambda t: t.host.TreeOverlay().draw(3, VIEW, t.nodes), TypeError, "target must be a pygame."),
    (
        lambda t: t.host.TreeOverlay().draw(*t.target, VIEW, 3),
        TypeError,
        "nodes must be what nodes() of a tree returns, got 3",
    ),
    (
        lambda t: t.host.TreeOverlay().draw(*t.target, VIEW, t.nodes, asked=3),
        ValueError,
        f"{NOT_ASKED} 3",
    ),
    (
        lambda t: t.host.TreeOverlay().draw(*t.target, VIEW, t.nodes, asked=(1, 2)),
        ValueError,
        f"{NOT_ASKED} (1, 2)",
    ),
]

PICTURE = Image.new("RGB", (4, 3))
ON_PICTURE = [
    (lambda t: render(t.tile_map, (0, 0, -1, 1)), ValueError, "bounds must have min <= max, got"),
    (lambda t: render(t.tile_map, time="x"), TypeError, f"time {WRONG_NUMBER} 'x'"),
    (lambda t: render(t.tile_map, time=np.nan), ValueError, "time must be finite, got nan"),
    (lambda t: render(t.tile_map, time=np.inf), ValueError, "time must be finite, got inf"),
    (
        lambda t: render(t.tile_map, layers=[t.other_way.layer("a")]),
        KeyError,
        "<TileLayer 'a': 12 tiles> belongs to another map",
    ),
    (lambda t: render(t.tile_map, scale=0), ValueError, f"scale {NOT_ABOVE_0} 0"),
    (lambda t: render(t.tile_map, scale=-1), ValueError, f"scale {NOT_ABOVE_0} -1"),
    (lambda t: render(t.tile_map, scale=np.nan), ValueError, f"scale {NOT_ABOVE_0} nan"),
    (lambda t: render(t.tile_map, scale=np.inf), ValueError, f"scale {NOT_ABOVE_0} inf"),
    (lambda t: draw_fog(PICTURE, t.grid, VIEW), TypeError, "fog must be a tilequad.nav.Fog, got <"),
    (lambda t: draw_fog(PICTURE, t.fog, 3), ValueError, "bounds must be four numbers, got 3"),
    (lambda t: draw_field(PICTURE, "x", VIEW), TypeError, "field must be a tilequad.nav.Field, g"),
    (lambda t: draw_field(PICTURE, t.field, VIEW, far=3), ValueError, "far must be red, green, bl"),
    (lambda t: draw_influence(PICTURE, 3, VIEW), TypeError, "influence must be a tilequad.nav.I"),
    (lambda t: draw_influence(PICTURE, t.map, VIEW, full=0), ValueError, "full must be finite and"),
]


@pytest.mark.parametrize(("call", "error", "message"), [*BOTH, *ONLY_PYGAME, *ON_PICTURE])
def test_pygame_and_pillow_name_wrong_arguments(tmp_path, call, error, message):
    check(Things(on_surface, tmp_path, y_up=False), call, error, message)


def batch(things: Things) -> Any:
    import arcade

    return things.host.SpriteBatch([arcade.make_soft_square_texture(8, (255, 0, 0))])


THREE = np.zeros((3, 2))
ONLY_ARCADE = [
    (lambda t: t.host.visible_bounds(3), TypeError, "camera must be an arcade.Camera2D, got 3"),
    (lambda t: t.host.pan(3, 1, 1), TypeError, "camera must be an arcade.Camera2D, got 3"),
    (lambda t: t.host.zoom_at(3, 1, 1, 2), TypeError, "camera must be an arcade.Camera2D, got 3"),
    (lambda t: t.host.zoom_at(3, 1, 1, 0), ValueError, f"factor {NOT_ABOVE_0} 0"),
    (lambda t: t.host.zoom_at(3, 1, 1, -1), ValueError, f"factor {NOT_ABOVE_0} -1"),
    (lambda t: t.host.zoom_at(3, 1, 1, np.nan), ValueError, f"factor {NOT_ABOVE_0} nan"),
    (lambda t: t.host.TreeOverlay().draw(3), TypeError, "nodes must be what nodes() of a tree"),
    (lambda t: t.host.TreeOverlay().draw(t.nodes, asked=3), ValueError, f"{NOT_ASKED} 3"),
    (lambda t: t.host.TreeOverlay().draw(t.nodes, asked=(1, 2)), ValueError, f"{NOT_ASKED} (1, 2)"),
    (lambda t: t.host.SpriteBatch(3), TypeError, "textures must be a list of textures, got 3"),
    (lambda t: t.host.SpriteBatch([]), ValueError, "textures must hold at least one texture"),
    (lambda t: t.host.SpriteBatch(["x"]), TypeError, "textures must be textures of arcade, got"),
    (lambda t: batch(t).draw([1, 2]), ValueError, f"{NOT_POINTS} (2,)"),
    (lambda t: batch(t).draw([(1, 2, 3)]), ValueError, f"{NOT_POINTS} (1, 3)"),
    (lambda t: batch(t).draw(np.zeros((2, 2, 2))), ValueError, f"{NOT_POINTS} (2, 2, 2)"),
    (lambda t: batch(t).draw_bars([1, 2], 1), ValueError, f"{NOT_POINTS} (2,)"),
    (
        lambda t: batch(t).draw(np.zeros((3, 2)), 3),
        IndexError,
        "textures must be from 0 to 0, got 3",
    ),
    (lambda t: batch(t).draw([(1, 2)], -1), IndexError, "textures must be from 0 to 0, got -1"),
    (lambda t: batch(t).draw(THREE, [0, -1, 0]), IndexError, "textures must be from 0 to 0, got ["),
    (lambda t: batch(t).draw(THREE, [0, 0]), ValueError, "textures must have one value for all 3"),
    (lambda t: batch(t).draw(THREE, [0, 0.5, 0]), TypeError, "textures must be whole numbers, got"),
    (lambda t: batch(t).draw(THREE, [True] * 3), TypeError, "textures must be whole numbers, got"),
    (
        lambda t: batch(t).draw(THREE, colors=(300, 0, 0, 255)),
        ValueError,
        "colors must be from 0 to 255, got (300, 0, 0, 255)",
    ),
    (lambda t: batch(t).draw(THREE, colors=[(1, 2, 3, 4), (1, 2)]), ValueError, "colors must have"),
    (lambda t: batch(t).draw(THREE, colors=np.full((3, 4), 300)), ValueError, "colors must be fr"),
    (lambda t: batch(t).draw(THREE, colors=np.full((3, 4), -1)), ValueError, "colors must be from"),
    (lambda t: batch(t).draw(THREE, colors=np.full((3, 4), np.nan)), ValueError, "colors must be"),
    (lambda t: batch(t).draw_rings(THREE, 2, colors=(300, 0, 0, 255)), ValueError, "colors must b"),
    (lambda t: batch(t).draw_rings(THREE, [1, 2]), ValueError, "radii must have one value for all"),
    (lambda t: batch(t).draw_shadows(THREE, "x"), ValueError, "radii must have one value for all"),
    (
        lambda t: batch(t).draw_shadows(THREE, 2, colors=np.zeros((2, 4))),
        ValueError,
        "colors must have one value for all 3 units, or a row for each",
    ),
    (lambda t: batch(t).draw_bars(THREE, [0, 1]), ValueError, "shares must have one value for all"),
    (lambda t: batch(t).draw_bars(THREE, [0, np.nan, 1]), ValueError, "shares must be from 0 to 1"),
    (lambda t: batch(t).draw_bars(THREE, 1, widths=[1, 2]), ValueError, "widths must have one va"),
    (lambda t: batch(t).draw_bars(THREE, 1, colors=(1, 2)), ValueError, "a color must have three"),
    (
        lambda t: t.host.StandingLayers(t.tile_map, [], batch(t)).draw(VIEW, THREE, feet=[1, 2]),
        ValueError,
        "feet must have one value for all 3 units, or a row for each, got [1, 2]",
    ),
    (
        lambda t: t.host.StandingLayers(t.tile_map, t.other_way.layers, batch(t)),
        KeyError,
        "<TileLayer 'a': 12 tiles> belongs to another map",
    ),
    (lambda t: batch(t).draw([(1, 2)], sizes=[1, 2, 3]), ValueError, "sizes must have one value"),
    (lambda t: batch(t).draw([(1, 2)], angles="x"), ValueError, "angles must have one value for"),
    (
        lambda t: batch(t).draw(np.zeros((3, 2)), angles=[1, 2]),
        ValueError,
        "angles must have one value for all 3 units",
    ),
    (lambda t: batch(t).draw([(1, 2)], colors=[[1]] * 3), ValueError, "colors must have one value"),
    (
        lambda t: t.host.StandingLayers(t.other_way, [], batch(t)),
        ValueError,
        "tile_map must be loaded with y_up=True: y points up in arcade",
    ),
    (
        lambda t: t.host.StandingLayers(t.tile_map, ["a"], batch(t)),
        TypeError,
        "layers must be layers of this map, got 'a'",
    ),
    (
        lambda t: t.host.StandingLayers(t.tile_map, t.tile_map.layers, 3),
        TypeError,
        "batch must be a SpriteBatch, got 3",
    ),
    (
        lambda t: t.host.StandingLayers(t.tile_map, t.tile_map.layers, batch(t), {"a": 8}),
        TypeError,
        "feet must be a number for each layer, got one for 'a'",
    ),
    (
        lambda t: t.host.StandingLayers(t.tile_map, t.tile_map.layers, batch(t), "x"),
        TypeError,
        f"feet {WRONG_NUMBER} 'x'",
    ),
]


@pytest.mark.gl
@pytest.mark.parametrize(("call", "error", "message"), [*BOTH, *ONLY_ARCADE])
def test_arcade_names_wrong_arguments(window, tmp_path, call, error, message):
    import tilequad.draw.arcade as on_gpu

    check(Things(on_gpu, tmp_path, y_up=True), call, error, message)


class Lazy:
    """What stands before a fog or a field: it passes on what it is asked."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Slow:
    """What is asked like a field, and must not be until it is drawn."""

    grid = None

    @property
    def distances(self) -> Any:
        raise AssertionError("was asked for its distances")


def test_what_answers_like_a_fog_or_field_is_taken_without_an_answer(tmp_path):
    things = Things(on_surface, tmp_path, y_up=False)
    assert checked_fog(Lazy(things.fog)).grid is things.grid
    assert checked_field(Lazy(things.field)).grid is things.grid
    slow: Any = Slow()
    assert checked_field(slow) is slow
