"""`TileMap.reload`: the map becomes what its file is, and all that follows it follows.

    python -m tests.test_tiled_reload --edits 1000 --seed 1

plays longer than the tests do.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import warnings
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.interrupts import interrupted
from tests.map_facts import LAYER, assert_equal, tileset_facts
from tests.programs import MAP, ROOT
from tests.test_tiled_changes import Observer
from tests.tmx import TILESET, csv_layer, write_map, write_tiles
from tests.tmx_cells import chunks_of
from tilequad import DynamicQuadtree
from tilequad.nav import BLOCKED, Field, Fog, Grid, LineOfSight, Rule, Walls
from tilequad.tiled import (
    ImageLayer,
    Limits,
    MapError,
    ObjectLayer,
    TileLayer,
    TileMap,
    load_map,
)

pygame = pytest.importorskip("pygame")
from tilequad.draw.pygame import MapView  # noqa: E402

WHOLE = (0, 0, 384, 288)


def facts(tile_map: TileMap) -> list[str]:
    """All that a game can see of a map, ids and answers of queries as well."""
    found: list[Any] = [
        tile_map.properties, dict(tile_map.properties.types), tile_map.bounds, tile_map.class_name,
        tile_map.background_color, tile_map.warnings, len(tile_map.layers),
    ]  # fmt: skip
    for tileset in tile_map.tilesets:
        found += [tileset.first_gid, tileset.path, *tileset_facts(tileset)]
    for layer in tile_map.layers:
        found += [type(layer), layer.id, *(getattr(layer, name, None) for name in LAYER)]
        found.append([(group.id, group.name) for group in layer.groups])
        if isinstance(layer, TileLayer):
            gids, flags = layer.gids_in(WHOLE)[2:]
            found += [gids.tolist(), flags.tolist(), layer.query(WHOLE).tolist()]
            found += [layer.boxes(layer.ids()).tolist(), len(layer)]
        elif isinstance(layer, ObjectLayer):
            found += [{**vars(item), "points": item.points.tolist()} for item in layer.objects]
            found.append(layer.query(WHOLE).tolist())
        elif isinstance(layer, ImageLayer):
            found += [layer.image_path, layer.bounds]
    return list(map(repr, found))


RULES = (Rule(None, BLOCKED, {"solid": True}, opaque=True),)


class Game:
    """A game on a map: everything that follows one."""

    def __init__(self, tile_map: TileMap) -> None:
        self.tile_map = tile_map
        self.grid = Grid.of(tile_map, *RULES)
        self.wide = self.grid.with_clearance(10)
        self.field = Field(self.grid, [tile_map.bounds.center])
        self.units: DynamicQuadtree[str] = DynamicQuadtree(tile_map.bounds)
        self.units.add("scout", *tile_map.bounds.center, radius=5)
        self.fog = Fog(self.grid, units=self.units)
        self.fog.follow("scout", 120)
        self.view = MapView(tile_map, objects="all")
        self.surface = pygame.Surface(WHOLE[2:])
        self.selections: dict[TileLayer, Any] = {}
        self.sights: dict[TileLayer, LineOfSight] = {}
        self.walls: dict[TileLayer, Walls] = {}
        for layer in tile_map.layers:
            if isinstance(layer, TileLayer):
                self.select(layer)

    def select(self, layer: TileLayer) -> None:
        """Follow the solid tiles of a layer."""
        chosen = self.selections[layer] = layer.select({"solid": True})
        self.sights[layer], self.walls[layer] = LineOfSight(chosen), Walls(chosen)

    def seen(self) -> list[Any]:
        """What follows from the map, in values that can be compared."""
        self.surface.fill((9, 9, 9))
        self.fog.update()
        self.view.draw(self.surface, WHOLE)
        found: list[Any] = [
            self.grid.costs.tolist(), self.grid.opaque.tolist(), self.wide.costs.tolist(),
            self.field.distances.tolist(), (self.fog.states() == 2).tolist(),
            pygame.image.tobytes(self.surface, "RGB"),
        ]  # fmt: skip
        for layer in self.tile_map.layers:
            if layer in self.selections:
                found += [self.selections[layer].ids.tolist()]
                lines = [self.sights[layer].clear(8, y, 380, 290 - y) for y in range(8, 280, 30)]
                found += [lines, self.walls[layer].merged().boxes().tolist()]
        return found


def check(game: Game) -> None:
    """Compare a game with one that begins now."""
    fresh = load_map(game.tile_map.path, y_up=False)
    assert_equal(game.tile_map, fresh, facts)
    new = Game(fresh)
    for layer in game.tile_map.layers:  # a game selects in new layers, too
        if isinstance(layer, TileLayer) and layer not in game.selections:
            game.select(layer)
    for here, there in zip(game.seen(), new.seen(), strict=True):
        assert here == there


def play(folder: Path, seed: int, edits: int) -> None:
    """Let another process edit a map, and a game follow it."""
    command = [sys.executable, "-m", "tests.map_editor", str(folder), str(seed)]
    editor = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert editor.stdin is not None
    assert editor.stdout is not None
    with editor:
        assert editor.stdout.readline() == "ready\n"
        game = Game(load_map(folder / "map.tmx", y_up=False))
        kept = dict(game.selections)
        for _ in range(edits):
            editor.stdin.write("\n")
            editor.stdin.flush()
            assert editor.stdout.readline() == "saved\n"
            assert game.tile_map.reload_if_changed()
            check(game)
            for layer, selection in kept.items():
                if layer not in game.tile_map.layers:  # gone from the file
                    assert len(layer) == len(selection) == 0
        editor.stdin.close()


@pytest.mark.slow
def test_a_game_follows_what_another_program_edits(tmp_path):
    play(tmp_path, 1, 60)


# -- what a reload does, one by one --

SOLID = '<properties><property name="solid" type="bool" value="true"/></properties>'
WALLS = TILESET.replace("<image", f'<tile id="2">{SOLID}</tile><image')
CELLS = [[1, 2, 3, 4], [0, 0, 1, 0], [4, 0, 0, 4]]
THINGS = (
    '<objectgroup id="7" name="things"><properties><property name="a" value="1"/></properties>'
    '<object id="3" name="chest" x="3" y="40" width="8" height="8"/>'
    '<object id="4" x="10" y="9"/></objectgroup>'
)


@pytest.fixture
def town(tmp_path):
    """A map with tiles and objects."""
    ground = csv_layer("ground", CELLS, 'id="1"')
    return load_map(write_map(tmp_path, WALLS, ground, THINGS, attributes='class="town"'))


def rewrite(tile_map: TileMap, *pairs: tuple[str, str]) -> None:
    """Replace words in the file of a map."""
    text = tile_map.path.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    tile_map.path.with_name("new").write_text(text)
    os.replace(tile_map.path.with_name("new"), tile_map.path)


def test_nothing_changes_where_nothing_has_changed():
    tile_map = load_map(MAP)
    pictures = [tileset.picture for tileset in tile_map.tilesets]
    tile_map.reload()
    assert tile_map.revision == 0
    assert [tileset.picture for tileset in tile_map.tilesets] == pictures


def test_observers_are_told_of_the_changed_cells_only(town):
    ground = town.layer("ground")
    observer, revision = Observer(ground), town.revision
    rewrite(town, ("1,2,3,4", "1,2,2,4"), ("4,0,0,4", "4,0,1,0"))
    assert town.reload_if_changed()
    assert observer.told == [[2, 10, 11]]
    assert town.revision == revision
    assert not town.reload_if_changed()
    assert_equal(town, load_map(town.path), facts)


def test_objects_layers_and_tilesets_stay_the_same_objects(town):
    ground, things, chest = town.layer("ground"), town.layer("things"), town.object(3)
    [tileset], properties = town.tilesets, things.properties
    rewrite(
        town, ('name="chest" x="3"', 'name="box" x="5"'), ('value="1"', 'value="2"'),
        ('name="tiles"', 'name="tiles" class="c"'), ('<object id="4" x="10" y="9"/>', ""),
    )  # fmt: skip
    boxes = things.select(class_name="")
    assert boxes.ids.tolist() == [0, 1]
    town.reload()
    assert boxes.ids.tolist() == [0]
    assert boxes.query((12, 0, 14, 99)).tolist() == [0]
    assert (town.layer("ground"), town.layer("things")) == (ground, things)
    assert (town.object(3), chest.name, chest.x) == (chest, "box", 5)
    assert things.query((0, 0, 99, 99)).tolist() == [0]
    assert town.tilesets[0] is tileset
    assert tileset.class_name == "c"
    assert properties == {"a": "2"}
    assert town.revision == 1


def test_what_the_program_has_changed_stays_unless_the_file_changes_it(town):
    ground, things = town.layer("ground"), town.layer("things")
    ground.set_tile(0, 0, 3)
    ground.clear_tile(3, 2)
    ground.set_tile(1, 0, 1)
    ground.visible = things.visible = False
    things.properties["b"] = "mine"
    town.object(3).x = 50
    town.object(4).name = "mine"
    rewrite(town, ("1,2,3,4", "1,3,3,4"), ('name="things"', 'name="things" visible="1"'))
    rewrite(town, ('name="chest"', 'name="box"'), ('value="1"', 'value="2"'))
    town.reload()
    assert ground.gids_in((1, 1, 63, 47)).gids.tolist() == [
        [3, 3, 3, 4],
        [0, 0, 1, 0],
        [4, 0, 0, 0],
    ]
    assert not ground.visible
    assert things.properties == {"a": "2", "b": "mine"}
    assert (town.object(3).name, town.object(3).x, town.object(4).name) == ("box", 50, "mine")
    # and once more: the base of what comes next is the newer file
    rewrite(town, ("1,3,3,4", "1,3,3,1"))
    town.reload()
    assert [ground.gid_of(0, 0), ground.gid_of(3, 0), ground.gid_of(3, 2)] == [3, 1, 0]
    town.save(town.path)
    assert not town.reload_if_changed()
    assert load_map(town.path).layer("ground").gid_of(0, 0) == 3
    rewrite(town, ("3,3,3,1", "2,3,3,1"))
    town.reload()
    assert ground.gid_of(0, 0) == 2


def test_a_number_that_is_none_does_not_change(tmp_path):
    text = '<properties><property name="a" type="float" value="nan"/></properties>'
    path = write_map(tmp_path, TILESET, text, csv_layer("ground", [[1, 2]]))
    tile_map = load_map(path)
    tile_map.properties["a"] = 5.0
    path.write_text(path.read_text().replace("<property ", '<property name="b"/><property '))
    tile_map.reload()
    assert tile_map.properties == {"a": 5.0, "b": ""}


def test_without_the_kept_bytes_the_file_wins(town):
    town = load_map(town.path, keep=False)
    town.layer("ground").visible = False
    town.layer("ground").set_tile(0, 0, 3)
    town.layer("things").objects.clear()
    rewrite(town, ("1,2,3,4", "1,3,3,4"))
    town.reload()
    assert town.layer("ground").visible
    assert [item.id for item in town.layer("things").objects] == [4, 3]
    assert [town.layer("ground").gid_of(x, 0) for x in (0, 1)] == [3, 3]


BROKEN = {
    "half written": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "no map": lambda text: "<tileset/>",
    "unknown gid": lambda text: text.replace("firstgid=\"1\"", "firstgid=\"3\""),
    "huge": lambda text: text.replace('height="3"', 'height="99999999"'),
    "larger": lambda text: text.replace('<map width="4"', '<map width="5"'),
    "other cells": lambda text: text.replace('tilewidth="16"', 'tilewidth="8"', 1),
    "isometric": lambda text: text.replace("<map ", '<map orientation="isometric" '),
    "infinite": lambda text: text.replace("<map ", '<map infinite="1" '),
    "deep": lambda text: text.replace("<layer", "<group>" * 99 + "<layer"),
    "bomb": lambda text: '<!DOCTYPE map [<!ENTITY a "aaaa">]>' + text.split("?>")[1],
    "outside": lambda text: text.replace('width="4" height="3" id', 'width="5" height="3" id')
    .replace("1,2,3,4", "1,2,3,4,1").replace("0,0,1,0", "0,0,1,0,1")
    .replace("4,0,0,4", "4,0,0,4,1"),
}  # fmt: skip


@pytest.mark.parametrize("spoil", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_leaves_the_map_and_warns_once(town, spoil):
    observer, text, before = Observer(town.layer("ground")), town.path.read_text(), facts(town)
    town.path.write_text(spoil(text).replace("1,2,3,4", "1,2,2,4"))
    with pytest.warns(UserWarning, match="the map stays as it was") as warned:
        assert not town.reload_if_changed()
    assert len(warned) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not town.reload_if_changed()
        os.utime(town.path, (1, 1))  # saved again, and as broken as before
        assert not town.reload_if_changed()
    with pytest.raises(MapError):
        town.reload()
    assert facts(town) == before
    assert not observer.told
    town.path.write_text(text.replace("1,2,3,4", "1,2,2,4"))
    assert town.reload_if_changed()
    assert observer.told == [[2]]


def test_a_map_that_is_gone_stays_and_may_come_back(town):
    text = town.path.read_text()
    town.path.unlink()
    with pytest.warns(UserWarning, match="no such file; the map stays as it was"):
        assert not town.reload_if_changed()
    assert not town.reload_if_changed()
    town.path.write_text(text.replace("1,2,3,4", "1,2,2,4"))
    assert town.reload_if_changed()
    assert town.layer("ground").gid_of(2, 0) == 2


def test_limits_hold(town):
    tight = load_map(town.path, limits=Limits(cells=12))
    rewrite(town, ("<objectgroup", csv_layer("more", CELLS) + "<objectgroup"))
    with pytest.raises(MapError, match="go beyond the limit of 12"):
        tight.reload()
    assert len(tight.layers) == 2


def test_an_image_that_was_drawn_is_read_again(town):
    [tileset] = town.tilesets
    picture = tileset.picture
    town.reload()
    assert tileset.picture is picture
    assert picture is not None
    before = picture.pixels.getpixel((5, 5))
    Image.new("RGBA", (32, 32), (9, 8, 7, 255)).save(town.path.with_name("tiles.png"))
    assert town.reload_if_changed()
    assert tileset.picture is not None
    assert before != tileset.picture.pixels.getpixel((5, 5)) == (9, 8, 7, 255)
    assert town.revision == 1


def test_a_map_in_json_is_reloaded(town):
    town.save(town.path.with_suffix(".tmj"))
    town = load_map(town.path.with_suffix(".tmj"))
    town.layer("ground").set_tile(0, 2, 1)
    rewrite(town, ("1, 2, 3, 4", "1, 2, 2, 4"), ('"chest"', '"box"'))
    assert town.reload_if_changed()
    cells = town.layer("ground").gids_in((1, 1, 63, 47)).gids.tolist()
    assert cells == [[1, 2, 2, 4], [0, 0, 1, 0], [1, 0, 0, 4]]
    assert town.object(3).name == "box"


def test_an_infinite_map_keeps_its_ids(tmp_path):
    def write(gids: dict[int, int]) -> Path:
        """Write a layer of chunks of one gid each, by the column where they begin."""
        layer = chunks_of({(x, 0): [[gid] * 16] * 16 for x, gid in gids.items()})
        return write_map(tmp_path, TILESET, layer, attributes='infinite="1"')

    tile_map = load_map(write({0: 1, 16: 2}))
    ground = tile_map.layer("ground")
    numbers = {(x, 3): ground.id_of(x, 3) for x in (0, 20)}
    write({-32: 3, 0: 4, 16: 2})
    tile_map.reload()
    fresh = load_map(tile_map.path)
    assert tile_map.bounds == fresh.bounds
    assert {cell: ground.id_of(*cell) for cell in numbers} == numbers
    for x, gid in ((-32, 3), (0, 4), (20, 2)):
        assert ground.gid_of(x, 5) == fresh.layer("ground").gid_of(x, 5) == gid
    write({16: 2})
    tile_map.reload()
    assert len(ground) == 256


def test_templates_and_tilesets_are_followed(tmp_path):
    (tmp_path / "walls.tsx").write_text(TILESET.replace('firstgid="1"', ""))
    template = '<template><object name="{}" width="4" height="4"/></template>'
    (tmp_path / "box.tx").write_text(template.format("old"))
    path = write_map(
        tmp_path, '<tileset firstgid="1" source="walls.tsx"/>',
        '<objectgroup id="1"><object id="1" template="box.tx" x="1" y="2"/></objectgroup>',
    )  # fmt: skip
    tile_map = load_map(path)
    (tmp_path / "box.tx").write_text(template.format("new"))
    assert tile_map.reload_if_changed()
    assert tile_map.object(1).name == "new"
    text = (tmp_path / "walls.tsx").read_text()
    (tmp_path / "walls.tsx").write_text(text.replace("<image", '<tile id="0" type="w"/><image'))
    assert tile_map.reload_if_changed()
    assert tile_map.tilesets[0].tile_class(0) == "w"


STEP = int(os.environ.get("TILEQUAD_STEP", "1499"))  # places from one interrupt to the next
EDITS = (
    ("1,2,3,4", "3,2,2,4"), ('name="chest" x="3"', 'name="box" x="5"'), ('value="1"', 'value="2"'),
    ('name="tiles"', 'name="tiles" class="c"'), ('<object id="4"', '<object id="9"'),
    ('id="1">', 'id="1" offsetx="2"><properties><property name="p"/></properties>'),
    ("<objectgroup", csv_layer("more", CELLS, 'id="9"') + '<imagelayer id="8"/><objectgroup'),
    ("</objectgroup>", '</objectgroup><objectgroup id="12"/>'),
)  # fmt: skip


# Python only reports what is raised while a generator is closed.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_leaves_the_map_as_before_or_as_after(town):
    text = town.path.read_text()
    town.layer("ground").set_tile(0, 2, 1)
    rewrite(town, *EDITS)
    newer = town.path.read_text()

    def make() -> Game:
        town.path.write_text(text)
        game = Game(load_map(town.path, y_up=False))
        game.tile_map.layer("ground").set_tile(0, 2, 1)
        game.seen()
        town.path.write_text(newer)
        return game

    def seen(game: Game) -> str:
        for layer in game.tile_map.layers:
            if isinstance(layer, TileLayer) and layer not in game.selections:
                game.select(layer)
        return repr((facts(game.tile_map)[7:], game.seen()))

    first, last = make(), make()
    last.tile_map.reload()
    allowed = seen(first), seen(last)
    for place in count(1, STEP):
        game = make()
        if not interrupted(game.tile_map.reload, place):
            break
        assert seen(game) in allowed, place
        game.tile_map.reload()
        assert seen(game) == allowed[1], place
    assert place > 1000


def main() -> None:
    """Play longer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        play(Path(folder), options.seed, options.edits)
    print(f"{options.edits} edits")


# -- groups, and what a program has added --


def test_groups_and_added_tilesets_live_through_a_reload_and_a_save(tmp_path):
    path = tmp_path / "map.tmx"
    made = TileMap.new(8, 8, (16, 16))
    made.add_tileset(MAP.with_name("stones.tsx"))
    made.add_tile_layer("a", np.ones((8, 8), np.uint32), group=made.add_group("old"))
    made.add_tile_layer("b", np.zeros((8, 8), np.uint32))
    made.save(path)
    own = load_map(path)
    [group], layer = own.groups, own.layer("a")
    added = own.add_tileset(MAP.with_name("terrain.tsx"))
    own.layer("b").set_tile(1, 1, added.first_gid + 3)

    edited = load_map(path)  # as in Tiled
    edited.groups[0].name = "new"
    inner = edited.add_group("inner", group=edited.groups[0])
    edited.add_tile_layer("c", np.full((8, 8), 2, np.uint32), group=inner)
    edited.layer("a").set_tile(0, 0, 2)
    edited.save(path)
    own.reload()

    assert own.layer("a") is layer
    assert layer.groups == (group,)
    assert [one.name for one in own.groups] == ["new", "inner"]
    assert own.layer("c").groups == tuple(own.groups)
    assert own.groups[0] is group
    assert (layer.gid_of(0, 0), own.layer("b").gid_of(1, 1)) == (2, added.first_gid + 3)
    own.add_object_layer("d", group=own.groups[1])
    own.save(path)
    back = load_map(path)
    assert [[one.name for one in each.groups] for each in back.layers] == [
        ["new"], ["new", "inner"], ["new", "inner"], []
    ]  # fmt: skip
    assert back.layer("b").gid_of(1, 1) == added.first_gid + 3
    assert not own.reload_if_changed()


def test_parts_without_ids_are_known_after_a_move(tmp_path):
    path = write_map(
        tmp_path,
        TILESET,
        csv_layer("ground", [[1] * 4] * 3),
        csv_layer("trees", [[2] * 4] * 3),
        '<objectgroup name="o"><object x="1" y="2" name="A"/><object x="5" y="2" name="B"/>'
        "</objectgroup>",
    )
    before = path.read_bytes()
    tile_map = load_map(path)
    tile_map.save(path)
    assert path.read_bytes() == before
    tile_map.objects()[0].x = 2
    tile_map.save(path)
    assert " id=" not in path.read_text()
    tile_map.move_layer(tile_map.layer("trees"), before=tile_map.layer("ground"))
    tile_map.layer("o").remove_object(tile_map.objects()[0])
    tile_map.save(path)
    other = load_map(path)
    assert [layer.id for layer in other.layers] == [layer.id for layer in tile_map.layers]
    other.layer("trees").set_tile(0, 0, 4)
    other.layer("o").edit_object(other.objects()[0], x=7)
    other.save(path)
    tile_map.reload()
    assert [layer.gid_of(0, 0) for layer in tile_map.layers[:2]] == [4, 1]
    assert [(item.name, item.x) for item in tile_map.objects()] == [("B", 7)]


def test_what_is_inherited_is_known_after_a_reload(tmp_path):
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(4, 4, (16, 16))
    made.add_tileset(tmp_path / "tiles.png")
    layer = made.add_object_layer("o")
    layer.add_object("tile", 0, 0, gid=2)
    layer.add_object("tile", 0, 20, gid=1, class_name="own")
    template = made.template(layer.add_object("point", 9, 9, properties={"a": 1}))
    template.save(tmp_path / "t.tx")
    layer.add_object(template=template, x=1, y=1, name="instance")
    made.save(tmp_path / "map.tmx")
    own, other = load_map(tmp_path / "map.tmx"), load_map(tmp_path / "map.tmx")
    other.layer("o").edit_object(other.object(1), class_name="boss")
    other.tilesets[0].edit_tile(1, properties={"solid": True})
    other.save(tmp_path / "map.tmx")
    text = (tmp_path / "t.tx").read_text()
    more = '<properties><property name="b" value="x"/>'
    (tmp_path / "t.tx").write_text(text.replace("<properties>", more))
    text = (tmp_path / "map.tmx").read_text()
    (tmp_path / "map.tmx").write_text(text.replace(' type="own"', ""))
    own.reload()
    [instance] = own.objects(name="instance")
    assert instance.properties.inherited == {"a", "b"}
    own.tilesets[0].edit_tile(1, class_name="barrel", properties={})
    own.tilesets[0].edit_tile(0, class_name="crate")
    assert [own.object(number).class_name for number in (1, 2)] == ["boss", "crate"]
    assert own.object(1).properties == {}


if __name__ == "__main__":
    main()
