"""Grids, and all that follows them, while objects and the tiles of tilesets are edited."""

from __future__ import annotations

import copy
import pickle
from math import cos, sin
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.interrupts import assert_done_or_not
from tests.share import share
from tests.tmx import csv_layer, write_map
from tilequad import DynamicQuadtree
from tilequad.nav import BLOCKED, Field, Fog, Grid, LineOfSight, Rule, Walls
from tilequad.tiled import MapObject, TileMap, load_map

# Edits make and remove what the rules are about.
pytestmark = pytest.mark.filterwarnings("ignore:.* fits nothing.*:UserWarning")

SIZE = 12, 10
TILES = (
    '<tileset firstgid="1" name="tiles" tilewidth="16" tileheight="16" tilecount="4" columns="2">'
    '<image source="tiles.png" width="32" height="32"/>'
    '<tile id="1" type="rock"><properties><property name="solid" type="bool" value="true"/>'
    "</properties></tile>{}</tileset>"
)
SHAPED = (
    '<tile id="3"><objectgroup><object id="1" x="2" y="3" width="9" height="6"/></objectgroup>'
    "</tile>"
)
OBJECTS = """<objectgroup id="5" name="things">
<object id="1" type="rock" x="16" y="32" width="32" height="16"/>
<object id="2" gid="2" x="64" y="64" width="16" height="16"/>
<object id="3" gid="2" type="rock" x="96" y="64" width="16" height="16"/>
<object id="4" gid="2" type="hut" x="96" y="96" width="16" height="16"/></objectgroup>"""
RULES = (
    Rule("ground", 2.0, class_name="rock"),
    Rule("things", BLOCKED, class_name="rock", opaque=False),
    Rule("ground", BLOCKED, {"solid": True}),
    Rule("things", 3.0, {"slow": True}),
    Rule("things", BLOCKED, class_name="hut", covered=0.5),
    Rule("things", 1.5, {"road": True}),
)
KINDS = {"": "", "hexagonal": 'orientation="hexagonal" hexsidelength="8" staggeraxis="y" '}
KINDS["hexagonal"] += 'staggerindex="odd"'


def town(folder: Path, shapes: str = SHAPED, kind: str = "", objects: str = OBJECTS) -> TileMap:
    chance = Random(4)
    rows = [[chance.choice([0, 1, 1, 1, 2, 4]) for _ in range(SIZE[0])] for _ in range(SIZE[1])]
    parts = TILES.format(shapes), csv_layer("ground", rows, 'id="1"'), objects
    return load_map(write_map(folder, *parts, size=SIZE, attributes=KINDS[kind]))


class Followers:
    """A grid with all that follows it."""

    def __init__(self, tile_map: TileMap) -> None:
        self.tile_map = tile_map
        self.grid = Grid.of(tile_map, *RULES)
        self.goals = self.grid.center_many([0, len(self.grid) - 1])
        self.field, self.fog = Field(self.grid, self.goals), Fog(self.grid)
        for cell in (30, 77):
            self.fog.add(*self.grid.center(cell), 60)
        self.walls, self.sight = Walls(self.grid), LineOfSight(self.grid)
        self.wide = self.grid.with_clearance(9)
        self.ground = tile_map.layer("ground").select({"solid": True})
        self.huts = tile_map.layer("things").select(class_name="hut")

    def facts(self) -> list[Any]:
        """All that can be asked, in a form that compares."""
        grid, xy = self.grid, np.mgrid[3:190:13, 3:160:11].reshape(2, -1).T.astype(float)
        boxes = [(x, y, x + 7, y + 5) for x, y in xy[::9].tolist()]
        return [
            grid.costs.tolist(),
            grid.opaque.tolist(),
            sorted([ring.tolist() for ring in polygon] for polygon in grid.outlines()),
            self.wide.costs.tolist(),
            self.field.distance_many(xy).tolist(),
            self.fog.visible().tolist(),
            [tuple(self.walls.move_and_slide(box, 25, -18).bounds) for box in boxes],
            self.sight.clear_many(xy, xy[::-1]).tolist(),
            self.ground.ids.tolist(),
            [self.tile_map.layer("things").objects[number].id for number in self.huts.ids],
        ]

    def check(self) -> None:
        mine, fresh = self.facts(), Followers(self.tile_map).facts()
        for number, (one, other) in enumerate(zip(mine, fresh, strict=True)):
            assert one == other, number


def edit(tile_map: TileMap, chance: Random) -> None:
    """Add, change or remove an object, or change a tile."""
    layer, ground = tile_map.layer("things"), tile_map.layer("ground")
    x, y = chance.choice([0, 16, 37.5, 80, 111, 200]), chance.choice([-9, 16, 40.25, 64, 120])
    settings = {
        "class_name": chance.choice(["", "rock", "hut"]),
        "properties": chance.choice([{}, {"slow": True}, {"road": True}, {"slow": True, "a": 1}]),
        "rotation": chance.choice([0, 0, 30, 90]),
        "visible": chance.random() < 0.8,
    }
    size = chance.choice([(16, 16), (40, 24), (9.5, 33)])
    pick = chance.choice(["add", "edit", "edit", "edit", "edit", "remove", "tile", "set", "move"])
    if pick == "add" or not layer.objects:
        layer.add_object(chance.choice(["rectangle", "ellipse"]), x, y, size, **settings)
    elif pick == "edit":
        item = chance.choice(layer.objects)
        name = chance.choice([*settings, "place", "size", "shape", "gid"])
        if name == "place":
            layer.edit_object(item, x=x, y=y)
        elif name == "size":
            layer.edit_object(item, size=size)
        elif name == "shape":
            points = [(x, y), (x + 50, y + 9), (x + 20, y + 44)]
            layer.edit_object(item, shape=chance.choice(["polygon", "polyline"]), points=points)
        elif name == "gid":
            layer.edit_object(item, shape="tile", gid=chance.choice([2, 4]), size=(16, 16))
        else:
            layer.edit_object(item, **{name: settings[name]})
    elif pick == "remove":
        layer.remove_object(chance.choice(layer.objects))
    elif pick == "tile":
        own = {"solid": chance.random() < 0.5, "slow": chance.random() < 0.5}
        named = chance.choice(["rock", "hut", ""])
        tile_map.tilesets[0].edit_tile(chance.choice([0, 1, 3]), class_name=named, properties=own)
    elif pick == "set":
        ground.set_tile(chance.randrange(SIZE[0]), chance.randrange(SIZE[1]), chance.choice([1, 2]))
    else:
        layer.offset = chance.choice([0, 5]), chance.choice([0, -7])


@pytest.mark.slow
@pytest.mark.parametrize("seed", share(range(40), 5))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shapes", ["", SHAPED], ids=["plain", "shaped"])
def test_all_that_follows_is_as_if_made_then(tmp_path, monkeypatch, shapes, kind, seed):
    if seed % 2:  # look at each change for the shapes that no cell holds any more
        monkeypatch.setattr("tilequad.nav._kinds.UNUSED", 0)
    tile_map, chance = town(tmp_path, shapes, kind), Random(seed)
    followers = Followers(tile_map)
    for step in range(25):
        edit(tile_map, chance)
        if step % 3 == 0:
            followers.check()
        if step == 12:
            copied = copy.deepcopy(followers) if seed % 2 else pickle.loads(pickle.dumps(followers))
            edit(tile_map, chance)
            followers, tile_map = copied, copied.tile_map
    followers.check()


@pytest.mark.parametrize("seed", share(range(20), 5))
def test_objects_are_those_of_the_saved_map(tmp_path, seed):
    tile_map, chance = town(tmp_path), Random(seed)
    for _ in range(30):
        edit(tile_map, chance)
    tile_map.layer("things").offset = 0, 0
    tile_map.save(tmp_path / "saved.tmx")
    saved = load_map(tmp_path / "saved.tmx")
    mine, theirs = (
        {item.id: (item.class_name, dict(item.properties)) for item in one.objects()}
        for one in (tile_map, saved)
    )
    assert mine == theirs


def test_a_grid_of_an_empty_layer_has_room_for_shapes(tmp_path):
    tile_map = town(tmp_path, "", objects='<objectgroup id="5" name="things"/>')
    followers = Followers(tile_map)
    tile_map.layer("things").add_object("ellipse", 40, 70, (21, 33), class_name="rock")
    followers.check()
    assert not followers.grid.blocked.all()


def test_what_moves_for_long_leaves_nothing_behind(tmp_path):
    tile_map = town(tmp_path)
    followers = Followers(tile_map)
    sizes = []
    for step in range(900):
        x, y = 80 + 60 * sin(step * 0.37), 80 + 60 * cos(step * 0.21)
        tile_map.layer("things").edit_object(tile_map.object(1), x=x, y=y, rotation=step)
        if step % 300 == 299:
            sizes.append(len(pickle.dumps(followers.grid)))
    assert sizes[2] < 1.5 * sizes[0]
    followers.check()


def test_a_unit_stays_on_a_building_while_objects_move_below(tmp_path):
    tile_map = town(tmp_path)
    grid, units = Grid.of(tile_map, *RULES), DynamicQuadtree[str](tile_map.bounds)
    place = grid.free_near(96, 80, (32, 16))
    assert place is not None
    grid.build(units, "tower", place)
    before, layer = grid.blocked, tile_map.layer("things")
    rock = layer.add_object("rectangle", place[0] - 20, place[3] + 20, (80, 60), class_name="rock")
    assert grid.blocked.sum() > before.sum()
    layer.remove_object(rock)
    assert (grid.blocked == before).all()
    layer.edit_object(layer.objects[0], x=place[0], y=place[3])
    grid.raze("tower")
    assert (grid.blocked == Grid.of(tile_map, *RULES).blocked).all()


def test_an_edit_changes_the_cells_around_it_alone(tmp_path):
    tile_map = town(tmp_path)
    grid = Grid.of(tile_map, *RULES)
    field = Field(grid, grid.center_many([0]))
    field.distance(50, 50)
    asked: list[int] = []
    assert grid._map is not None
    terrain = grid._map.terrain
    before = terrain.traits_of
    terrain.traits_of = lambda cells: asked.append(len(cells)) or before(cells)
    tile_map.layer("things").edit_object(tile_map.object(1), x=32)
    assert 0 < sum(asked) < 40


@pytest.mark.parametrize("draw_order", ["topdown", "index"])
def test_an_edit_walks_over_the_layer_once_in_many(tmp_path, draw_order):
    """A layer of rocks that overlap, of which two change places: which is on top counts."""
    tile_map = TileMap.new(*SIZE, (16, 16))
    things = tile_map.add_object_layer("things", draw_order=draw_order)
    for number in range(60):
        things.add_object("rectangle", number, 60 + number, (60, 60), properties={"slow": True})
    rules = Rule("things", 3.0, {"slow": True}), Rule("things", 2.0, class_name="rock")
    grid = Grid.of(tile_map, *rules)
    walks = []

    class Walked(list):
        def __iter__(self):
            walks.append(1)
            return super().__iter__()

    things.objects = Walked(things.objects)
    for step in range(200):
        item = things.objects[20 + step % 2]
        name = "rock" if step % 3 else ""
        things.edit_object(item, y=things.objects[40].y + 0.5, class_name=name, x=step % 7)
        if step % 20 == 0:
            count = len(walks)
            assert (grid.costs == Grid.of(tile_map, *rules).costs).all()
            del walks[count:]
    assert len(walks) < 12


def test_a_class_of_its_own_stays_when_the_tile_gets_another(tmp_path):
    tile_map = town(tmp_path)
    tile_map.tilesets[0].edit_tile(1, class_name="door")
    assert [tile_map.object(number).class_name for number in (2, 3, 4)] == ["door", "rock", "hut"]
    tile_map.tilesets[0].edit_tile(1, class_name="hut")
    tile_map.tilesets[0].edit_tile(1, class_name="wall")
    assert [tile_map.object(number).class_name for number in (2, 3, 4)] == ["wall", "rock", "hut"]
    tile_map.save(tmp_path / "saved.tmx")
    text = (tmp_path / "saved.tmx").read_text()
    assert OBJECTS in text  # no object has changed in the file


CHANGES = {
    "add": lambda layer: layer.add_object("rectangle", 64, 90, (16, 20), class_name="rock"),
    "edit": lambda layer: layer.edit_object(layer.objects[0], x=64, y=96, name="moved"),
    "remove": lambda layer: layer.remove_object(layer.objects[0]),
    "tile": lambda layer: layer.tilesets[0].edit_tile(
        1, class_name="hut", properties={"slow": True}
    ),
}


def state(tile_map: TileMap) -> list[Any]:
    def one(item: MapObject) -> tuple[Any, ...]:
        return item.id, item.class_name, dict(item.properties), tuple(item.bounds)

    return [*map(one, tile_map.layer("things").objects), tile_map.tilesets[0].tile_class(1)]


# Python only reports what is raised while a generator is closed.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", CHANGES)
def test_an_interrupt_leaves_a_change_as_before_or_as_after(tmp_path, name):
    path = town(tmp_path).path
    part = "ground" if name == "tile" else "things"
    rule = Rule("things", BLOCKED, class_name="rock")

    def make() -> tuple[TileMap, Fog]:
        fresh = load_map(path)
        fog = Fog(Grid.of(fresh, rule))
        fog.add(56, 112, 80)
        return fresh, fog

    def change(made: tuple[TileMap, Fog]) -> None:
        CHANGES[name](made[0].layer(part))

    def told(made: tuple[TileMap, Fog]) -> list[Any]:  # a fog remembers what it has seen
        return [*state(made[0]), made[1].states().tolist()]

    def check(made: tuple[TileMap, Fog]) -> None:
        assert (made[1].grid.costs == Grid.of(made[0], rule).costs).all()

    assert_done_or_not(make, change, told, check, places=50)


def test_a_tile_is_followed_after_its_tileset_was_read_again(tmp_path):
    tile_map = town(tmp_path)
    followers = Followers(tile_map)
    path = Path(tile_map.path)
    path.write_text(path.read_text().replace('name="tiles"', 'name="tiles" class="stones"'))
    tile_map.reload()
    assert tile_map.tilesets[0].class_name == "stones"
    tile_map.tilesets[0].edit_tile(0, properties={"solid": True})
    assert tile_map.tilesets[0].tile_properties(0) == {"solid": True}
    followers.check()
