"""Layers that are added, moved, removed or shifted while views, grids and selections exist."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from random import Random
from typing import Any
from xml.etree.ElementTree import Element, parse

import numpy as np
import pytest
from PIL import Image

from tests.map_facts import assert_equal, rounded
from tests.tmx import TILESET, csv_layer, write_map
from tilequad import StaticQuadtree
from tilequad.draw.pillow import render
from tilequad.nav import BLOCKED, Grid, Rule, Walls
from tilequad.tiled import Group, ImageLayer, ObjectLayer, TileLayer, TileMap, load_map

OBJECTS = """<objectgroup id="5" name="things"><object id="1" gid="2" x="16" y="32"/>
<object id="2" x="3" y="4" rotation="30"><polygon points="0,0 9,0 0,20"/></object>
<object id="3" x="20" y="20" width="9" height="5"><ellipse/></object></objectgroup>"""


def town(folder: Path, *, y_up: bool = True) -> TileMap:
    """Two tile layers and objects, one of each in a group within a group."""
    first = csv_layer("ground", [[1, 2, 3, 4]] * 3, 'id="1"')
    second = csv_layer("walls", [[0, 4, 0, 0]] * 3, 'id="4" offsetx="2"')
    inner = f'<group id="3" name="inner" offsety="1">{second}{OBJECTS}</group>'
    groups = f'<group id="2" name="outer" offsetx="4" tintcolor="#80ff80">{inner}</group>'
    return load_map(write_map(folder, TILESET, first, groups), y_up=y_up)


def picture(tile_map: TileMap) -> np.ndarray[Any, Any]:
    found = np.asarray(render(tile_map, (-40, -40, 110, 100))).astype(int)
    found[found[:, :, 3] == 0] = 0
    return found


def again(tile_map: TileMap) -> TileMap:
    """The map as it is read from its saved file."""
    path = tile_map.path.with_name("again.tmx")
    tile_map.save(path)
    return load_map(path, y_up=tile_map.axes.y_up)


def shift(tile_map: TileMap, chance: Random) -> None:
    """Move or tint a group or a layer."""
    x, y = chance.choice([0, 3, -8.5, 16]), chance.choice([0, 5, -7.25])
    one = chance.choice([*tile_map.groups, *tile_map.layers])
    if not isinstance(one, Group):
        one.offset = x, y
    elif chance.random() < 0.6:
        tile_map.set_group(one, offset=(x, y))
    else:
        color = chance.choice([(255, 128, 0, 255), (255, 255, 255, 255), (9, 99, 200, 128)])
        tile_map.set_group(one, tint=color, opacity=chance.choice([0.5, 1]))


def arrange(tile_map: TileMap, chance: Random) -> None:
    """Add, move or remove a layer."""
    where = {"group": chance.choice([None, *tile_map.groups])}
    pick = chance.choice(["tiles", "objects", "image", "move", "remove"])
    if pick == "tiles":
        gids = [[chance.randrange(5) for _ in range(4)] for _ in range(3)]
        offset = chance.choice([0, 5]), 0
        tile_map.add_tile_layer("walls", gids, opacity=0.5, offset=offset, **where)
    elif pick == "objects":
        layer = tile_map.add_object_layer("new", **where)
        layer.add_object("tile", chance.randrange(50), 30, gid=chance.randrange(1, 5))
    elif pick == "image":
        tile_map.add_image_layer("sky", tile_map.path.with_name("tiles.png"), **where)
    elif len(tile_map.layers) > 1:
        one, other = chance.sample(tile_map.layers, 2)
        if pick == "move":
            tile_map.move_layer(one, before=other)
        else:
            tile_map.remove_layer(one)


def change_objects(tile_map: TileMap, chance: Random) -> None:
    """Add, change or remove an object."""
    layers = [layer for layer in tile_map.layers if isinstance(layer, ObjectLayer)]
    if not layers:
        return
    layer = chance.choice(layers)
    x, y = chance.randrange(60), chance.randrange(60)
    if not layer.objects or chance.random() < 0.3:
        layer.add_object("tile", x, y, gid=chance.randrange(1, 5))
        return
    item = chance.choice(layer.objects)
    pick = chance.choice(["move", "reshape", "tile", "remove"])
    if pick == "move":
        layer.edit_object(item, x=x, y=y, visible=chance.random() < 0.8)
    elif pick == "reshape":
        layer.edit_object(item, shape="text", text="Hi", size=(30, 20), rotation=0)
    elif pick == "tile":
        layer.edit_object(item, shape="tile", gid=chance.randrange(1, 5), size=(16, 20))
    else:
        layer.remove_object(item)


@pytest.mark.slow
@pytest.mark.parametrize("y_up", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_all_that_follows_a_map_is_as_of_a_map_loaded_then(tmp_path, seed, y_up):
    tile_map, chance = town(tmp_path, y_up=y_up), Random(seed)
    rules = Rule("walls", BLOCKED), Rule("things", 3.0)
    grid = Grid.of(tile_map, *rules)
    walls = tile_map.layer("walls", TileLayer)
    selection, slides = walls.select(), Walls(walls)
    slides.merged()
    for _ in range(12):
        chance.choice([shift, arrange])(tile_map, chance)
        fresh = again(tile_map)
        assert_equal(rounded(copy.deepcopy(tile_map)), rounded(copy.deepcopy(fresh)))
        assert np.array_equal(picture(tile_map), picture(fresh))
        assert tile_map.canvas == fresh.canvas
        names = {layer.name for layer in tile_map.layers}
        chosen = [rule for rule in rules if rule.layer in names]
        assert np.array_equal(grid.costs, Grid.of(fresh, *chosen).costs)
        if any(layer is walls for layer in tile_map.layers):
            same = fresh.layers[tile_map.layers.index(walls)]
            assert np.array_equal(selection.within(20, 20, 9), same.select().within(20, 20, 9))
            expected = Walls(same).merged()
            assert boxes(slides.merged()) == boxes(expected)
    for copied in (pickle.loads(pickle.dumps(tile_map)), copy.deepcopy(tile_map)):
        before = copied.revision
        copied.layers[0].offset = 77, 1
        assert copied.revision == before + 1


def boxes(tree: StaticQuadtree) -> list[list[float]]:
    return sorted(tree.boxes().round(6).tolist())


@pytest.mark.parametrize("seed", range(6))
def test_views_of_pygame_show_what_a_fresh_one_shows(tmp_path, seed):
    pygame = pytest.importorskip("pygame")
    from tilequad.draw.pygame import MapView

    def shown(view: MapView) -> np.ndarray[Any, Any]:
        surface = pygame.Surface((160, 140), pygame.SRCALPHA)
        view.draw(surface, (-40, -40, 120, 100))
        return np.asarray(
            Image.frombytes("RGBA", (160, 140), pygame.image.tobytes(surface, "RGBA"))
        )

    tile_map, chance = town(tmp_path, y_up=False), Random(seed)
    view = MapView(tile_map)
    shown(view)
    for _ in range(12):
        chance.choice([shift, arrange, change_objects])(tile_map, chance)
        if chance.random() < 0.5:
            own = chance.choice(tile_map.layers)
            if isinstance(own, TileLayer):
                own.set_tile(1, 1, 3)
        assert np.array_equal(shown(view), shown(MapView(again(tile_map))))


@pytest.mark.gl
@pytest.mark.parametrize("seed", range(4))
def test_views_of_arcade_show_what_a_fresh_one_shows(window, tmp_path, seed):
    from tests.drawing import redraw
    from tilequad.draw.arcade import MapView, Minimap

    tile_map, chance = town(tmp_path), Random(seed)
    view = MapView(tile_map)
    minimap = Minimap(view, 80)
    redraw(window, view)
    for _ in range(8):
        chance.choice([shift, arrange, change_objects])(tile_map, chance)
        fresh = MapView(again(tile_map))
        assert np.array_equal(redraw(window, view), redraw(window, fresh))
        minimap.draw(10, 10)


def test_a_moved_group_takes_what_its_layers_set_themselves(tmp_path):
    tile_map = town(tmp_path)
    outer, inner = tile_map.groups
    walls, things = tile_map.layer("walls"), tile_map.layer("things", ObjectLayer)
    sky = tile_map.add_image_layer("sky", tmp_path / "tiles.png", group=inner)
    hill = tile_map.object(2)
    before = walls.boxes([1]).copy(), hill.points.copy(), things.query((-99, -99, 99, 99)).tolist()
    walls.offset = 0, 0
    tile_map.set_group(outer, offset=(104, 200))
    assert (walls.offset, things.offset, sky.offset) == ((100, 200), (104, 201), (104, 201))
    assert (walls.boxes([1]) - before[0]).tolist() == [[94, -199, 94, -199]]
    assert (hill.points - before[1]).round(9).tolist() == [[100, -200]] * 3
    assert things.query((-99, -99, 99, 99)).tolist() == []
    assert things.query((1, -299, 199, 0)).tolist() == before[2]
    assert isinstance(sky, ImageLayer)
    assert sky.bounds.min_x == 104
    path = tmp_path / "again.tmx"
    tile_map.save(path)
    assert path.read_text().count('points="0,0 9,0 0,20"') == 1
    with pytest.raises(TypeError, match="offset must be two numbers, got 5"):
        walls.offset = 5
    with pytest.raises(ValueError, match="tint must be three or four numbers to 255"):
        tile_map.set_group(outer, tint=(1, 2, 300), offset=(0, 0))
    assert walls.offset == (100, 200)


def places(tile_map: TileMap) -> list[str]:
    """The names of layers and groups in the order of the saved file, with those they are in."""
    path = tile_map.path.with_name("places.tmx")
    tile_map.save(path)
    names = ("layer", "objectgroup", "imagelayer", "group")
    found = []

    def walk(parent: Element, above: str) -> None:
        for one in parent:
            if one.tag in names:
                found.append(above + one.get("name", ""))
                walk(one, f"{found[-1]}/")

    walk(parse(path).getroot(), "")
    read = [f"{group.name}" for group in load_map(path).groups]
    assert read == [group.name for group in tile_map.groups]
    return found


def empty(folder: Path, *names: str) -> TileMap:
    """A new map, with tile layers of these names, and groups where these begin with an upper case.

    It is loaded from a file that has no other places for groups.
    """
    parts = [
        f'<group id="{number}" name="{name}"/>' if name[0].isupper() else
        csv_layer(name, [[1] * 4] * 3, f'id="{number}"')
        for number, name in enumerate(names, 1)
    ]  # fmt: skip
    return load_map(write_map(folder, TILESET, *parts))


def test_the_only_layer_of_a_group_moves_below_it(tmp_path):
    tile_map = empty(tmp_path, "a", "b", "c")
    group = tile_map.add_group("G")
    a, b, c = tile_map.layers
    tile_map.move_layer(b, group=group)
    tile_map.move_layer(b, before=group)
    assert places(tile_map) == ["a", "c", "b", "G"]
    for one in (b, c):
        tile_map.move_layer(one, group=group)
    tile_map.move_layer(b, before=group)
    assert places(tile_map) == ["a", "b", "G", "G/c"]
    tile_map.move_layer(a, before=group)
    assert places(tile_map) == ["b", "a", "G", "G/c"]


def test_an_empty_group_keeps_its_place(tmp_path):
    tile_map = empty(tmp_path, "a", "Low", "b", "Mid", "High")
    low, mid, high = tile_map.groups
    assert places(tile_map) == ["a", "Low", "b", "Mid", "High"]
    x = tile_map.add_tile_layer("x", group=low)
    assert places(tile_map) == ["a", "Low", "Low/x", "b", "Mid", "High"]
    assert [layer.name for layer in tile_map.layers] == ["a", "x", "b"]
    tile_map.add_tile_layer("y")
    tile_map.add_tile_layer("z", before=high)
    assert places(tile_map) == ["a", "Low", "Low/x", "b", "Mid", "z", "High", "y"]
    tile_map.remove_layer(x)
    tile_map.remove_layer(tile_map.layer("a"))
    assert places(tile_map) == ["Low", "b", "Mid", "z", "High", "y"]
    tile_map.move_layer(mid, before=low)
    assert places(tile_map) == ["Mid", "Low", "b", "z", "High", "y"]
    tile_map.move_layer(tile_map.layer("y"), before=low)
    assert places(tile_map) == ["Mid", "y", "Low", "b", "z", "High"]
    tile_map.move_layer(mid, group=high)
    tile_map.move_layer(tile_map.layer("b"), group=high)
    assert places(tile_map) == ["y", "Low", "z", "High", "High/Mid", "High/b"]
    tile_map.move_layer(high, before=tile_map.layer("y"))
    assert places(tile_map) == ["High", "High/Mid", "High/b", "y", "Low", "z"]
    tile_map.move_layer(tile_map.layer("b"))
    assert places(tile_map) == ["High", "High/Mid", "y", "Low", "z", "b"]
    tile_map.move_layer(high)
    assert places(tile_map) == ["y", "Low", "z", "b", "High", "High/Mid"]


def test_a_new_group_has_a_place_once_it_is_moved_filled_or_saved(tmp_path):
    made = TileMap.new(4, 3, (16, 16))
    path = tmp_path / "map.tmx"
    made.add_tile_layer("a")
    first, second = made.add_group("First"), made.add_group("Second")
    made.add_tile_layer("b")
    made.move_layer(first, before=made.layer("a"))
    made.save(path)
    assert places(made) == ["First", "a", "b", "Second"]
    made.add_tile_layer("c")
    made.add_tile_layer("d", group=made.groups[0])
    assert places(made) == ["First", "First/d", "a", "b", "Second", "c"]
    made.move_layer(first, group=second)
    assert [group.name for group in made.groups] == ["Second", "First"]
    assert places(made) == ["a", "b", "Second", "Second/First", "Second/First/d", "c"]
    made.save(path)
    other = load_map(path)
    other.move_layer(other.layer("d"))
    other.move_layer(other.groups[0], before=other.layer("a"))
    other.save(path)
    made.reload()
    assert places(made) == ["Second", "Second/First", "a", "b", "c", "d"]


def test_a_group_that_is_moved_into_a_new_one_gives_it_a_place(tmp_path):
    made = TileMap.new(4, 3, (16, 16))
    made.path = tmp_path / "map.tmx"
    made.add_tile_layer("a")
    outer, inner = made.add_group("Outer"), made.add_group("Inner")
    made.move_layer(inner, group=outer)
    made.add_tile_layer("b")
    assert places(made) == ["a", "Outer", "Outer/Inner", "b"]
    made.add_tile_layer("c", group=inner)
    assert places(made) == ["a", "Outer", "Outer/Inner", "Outer/Inner/c", "b"]
