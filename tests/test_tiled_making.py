"""Maps that a program makes: read again they are equal, in all orientations and encodings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.map_facts import assert_equal, rounded
from tilequad.tiled import MapError, TileLayer, TileMap, Tileset, load_map

GRIDS = [
    {"orientation": "orthogonal"},
    {"orientation": "isometric"},
    {"orientation": "staggered", "stagger_axis": "x", "stagger_index": "even"},
    {"orientation": "hexagonal", "hex_side_length": 6},
    {"orientation": "oblique", "skew": (4, 2)},
]
ENCODINGS = ("csv", "base64", "gzip", "zlib", "zstd", "xml")


@pytest.fixture
def art(tmp_path) -> Path:
    """An image of eight tiles."""
    path = tmp_path / "art" / "tiles.png"
    path.parent.mkdir()
    Image.new("RGBA", (64, 32), (9, 99, 9, 255)).save(path)
    return path


def filled(art: Path, grid: dict, infinite: bool = False, y_up: bool = True) -> TileMap:
    """A map with tiles, objects, an image and groups."""
    made = TileMap.new(8, 6, (16, 16), infinite=infinite, y_up=y_up, **grid)
    tiles = made.add_tileset(art, class_name="t", properties={"a": 1})
    gids = np.arange(48, dtype=np.uint16).reshape(6, 8) % 9
    made.add_tile_layer("ground", gids, 0, opacity=0.5, offset=(3, -2), tint=(1, 2, 3))
    outer = made.add_group("outer", offset=(10, 5), opacity=0.5, properties={"deep": True})
    inner = made.add_group("inner", group=outer, parallax=(0.5, 1), visible=False)
    made.add_group("empty", group=outer)
    place = {"column": -20, "row": 17} if infinite else {"column": 2, "row": 3}
    flags = np.arange(6).reshape(2, 3)
    made.add_tile_layer("roof", gids[2:4, 3:6], flags, group=inner, **place)
    things = made.add_object_layer("things", group=outer, color=(1, 2, 3, 4))
    for number, shape in enumerate(["rectangle", "ellipse", "capsule", "point"]):
        things.add_object(shape, 5.5 * number, 40 - number, (9, 7), rotation=15 * number)
    things.add_object("polygon", points=[(1, 2), (30, 4), (9, 60)], rotation=40, class_name="c")
    things.add_object("polyline", points=[(1, 2), (30, 4)], properties={"n": 1.5, "l": [1, "a"]})
    things.add_object("tile", 20, 30, gid=tiles.first_gid + 2, flags=8, name="x")
    things.add_object("text", 0, 5, (40, 10), text=' a<b>&"\n c ', opacity=0.5, visible=False)
    made.add_image_layer("sky", art, repeat=(True, False), before=made.layer("ground"))
    return made


@pytest.mark.parametrize("y_up", [True, False])
@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: grid["orientation"])
def test_what_was_made_is_read_again(tmp_path, art, grid, infinite, y_up):
    made = filled(art, grid, infinite, y_up)
    made.save(tmp_path / "made.tmx")
    again = load_map(tmp_path / "made.tmx", y_up=y_up, strict=True)
    assert [group.name for group in again.groups] == ["outer", "inner", "empty"]
    assert len(made.layer("things")) == 8
    assert_equal(rounded(again), rounded(made))
    before = (tmp_path / "made.tmx").read_bytes()
    made.save(tmp_path / "made.tmx")
    assert (tmp_path / "made.tmx").read_bytes() == before
    filled(art, grid, infinite, y_up).save(tmp_path / "made.tmj")
    assert_equal(rounded(load_map(tmp_path / "made.tmj", y_up=y_up)), rounded(made))


@pytest.mark.parametrize("infinite", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding(tmp_path, art, encoding, infinite):
    made = TileMap.new(40, 30, (16, 16), infinite=infinite)
    made.add_tileset(art)
    gids = np.random.default_rng(1).integers(0, 9, (30, 40))
    made.add_tile_layer("ground", gids, 4, encoding=encoding)
    made.add_tile_layer("like the other")
    made.layer("ground").set_tile(3, 4, 2, 8)
    made.save(tmp_path / "made.tmx")
    text = (tmp_path / "made.tmx").read_text()
    assert text.count(f'="{encoding}"') == (0 if encoding == "xml" else 2)
    ground = load_map(tmp_path / "made.tmx").layer("ground", TileLayer)
    window = ground.gids_in(made.bounds)
    gids[4, 3] = 2
    found = window.gids[-window.row :, -window.column :]  # an infinite map has cells around it
    assert np.array_equal(found[: len(gids), : gids.shape[1]], gids)
    assert set(window.flags[window.gids > 0].tolist()) == {4, 8}


TSX = """<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" name="tiles" tilewidth="16" tileheight="16" tilecount="8" columns="4">
 <!-- a comment -->
 <image source="art/tiles.png" width="64" height="32"/>
 <tile id="2" type="wall" future="1">
  <objectgroup draworder="index" id="2"><object x="1" y="2" width="3" height="4"/></objectgroup>
 </tile>
 <wangsets><wangset name="w" type="corner" tile="-1"/></wangsets>
</tileset>
"""


def tileset_of(path: Path) -> Tileset:
    """The tileset of a file, in a new map."""
    return TileMap.new(2, 2, (16, 16)).add_tileset(path)


@pytest.mark.parametrize("embedded", [False, True])
def test_a_changed_tileset_is_saved(tmp_path, art, embedded):
    path = tmp_path / "tiles.tsx"
    path.write_text(TSX)
    made = TileMap.new(2, 2, (16, 16))
    if embedded:
        tiles = made.add_tileset(art, name="tiles")
        tiles.edit_tile(2, class_name="wall")
        tiles.save(path)
        made.save(tmp_path / "made.tmx")
        made = load_map(tmp_path / "made.tmx")
    else:
        made.add_tileset(path)
    tiles = made.tilesets[0]
    tiles.edit_tile(2, properties={"solid": True}, probability=0.5)
    tiles.edit_tile(5, class_name="é", animation=[(5, 100), (6, 50)])
    tiles.properties["n"], tiles.class_name, tiles.tile_offset = 3, "c", (4, -1)
    tiles.save(tmp_path / "art" / "new.tsx")
    made.save(tmp_path / "made.tmx")
    if not embedded:
        assert path.read_text() == TSX
        tiles.save(path)
        lines = path.read_text().splitlines()
        assert [line for line in TSX.splitlines()[2:] if line not in lines] == [
            ' <tile id="2" type="wall" future="1">'
        ]
    in_json = tmp_path / "json.tsj"
    tiles.save(in_json)
    in_json.write_text(in_json.read_text().replace('"margin"', '"future": 7, "margin"'))
    one = tileset_of(in_json)
    one.edit_tile(2, probability=0.25)
    one.save(in_json)
    assert '"future": 7' in in_json.read_text()
    one = tileset_of(in_json)
    assert one.tile_probability(2) == 0.25
    one.edit_tile(2, probability=0.5)
    again = [one, load_map(tmp_path / "made.tmx").tilesets[0]]
    again += map(tileset_of, [tmp_path / "art" / "new.tsx", *([] if embedded else [path])])
    for one in again:
        assert (one.properties, one.class_name, one.tile_offset) == ({"n": 3}, "c", (4, -1))
        assert (one.tile_class(2), one.tile_properties(2)) == ("wall", {"solid": True})
        assert (one.tile_class(5), one.animation(5)) == ("é", [(5, 100), (6, 50)])
        assert one.tile_probability(2) == 0.5
        assert one.picture is not None
        assert one.picture.path.resolve() == art
        assert len(one.collision_shapes(2)) == (not embedded)


def test_tilesets_of_every_kind(tmp_path, art):
    (tmp_path / "tiles.tsx").write_text(TSX)
    made = TileMap.new(4, 4, (16, 16))
    made.add_tileset(art, tile_size=(16, 16), margin=1, spacing=2, transparent=(1, 2, 3))
    made.add_tileset([art, art], name="both")
    made.add_tileset(tmp_path / "tiles.tsx")
    firsts = [tileset.first_gid for tileset in made.tilesets]
    assert firsts == [1, 4, 6]
    made.add_tile_layer("l", [[1, 4, 5, 6]])
    made.layer("l").set_tile(0, 1, 99)
    assert made.add_tileset(art).first_gid == 100
    made.save(tmp_path / "made.tmx")
    again = load_map(tmp_path / "made.tmx")
    assert_equal(rounded(again), rounded(made))
    assert again.tilesets[0].picture.transparent == (1, 2, 3)
    assert (again.tilesets[0].margin, again.tilesets[0].spacing) == (1, 2)


def test_a_group_is_changed_with_its_layers(tmp_path, art):
    filled(art, GRIDS[0]).save(tmp_path / "made.tmx")
    made = load_map(tmp_path / "made.tmx")
    outer, inner, _ = made.groups
    made.set_group(inner, visible=True)
    made.set_group(outer, opacity=0.25, parallax=(2, 0.5), locked=True)
    made.layer("things").opacity = 0.375
    made.set_group(outer, opacity=0.75)
    roof, things = made.layer("roof"), made.layer("things")
    assert (roof.visible, roof.opacity, roof.parallax, things.opacity) == (
        True,
        0.75,
        (1, 0.5),
        0.375,
    )
    before = (tmp_path / "made.tmx").read_text()
    made.save(tmp_path / "made.tmx")
    after = (tmp_path / "made.tmx").read_text()
    changed = set(after.splitlines()) - set(before.splitlines())
    assert sorted(line.split()[0] for line in changed) == ["<group", "<group", "<objectgroup"]
    assert_equal(load_map(tmp_path / "made.tmx"), made)
    with pytest.raises(KeyError, match="group must belong to the map, got <Group 'outer'>"):
        filled(art, GRIDS[0]).set_group(outer, visible=True)


def test_layers_are_moved_and_removed(tmp_path, art):
    made = filled(art, GRIDS[0])
    made.save(tmp_path / "made.tmx")
    outer, inner, empty = made.groups
    names = [layer.name for layer in made.layers]
    assert names == ["sky", "ground", "roof", "things"]
    with pytest.raises(
        ValueError, match="before and group must not be in the moved <Group 'outer'>"
    ):
        made.move_layer(outer, before=made.layer("roof"))
    made.move_layer(made.layer("sky"), group=empty)
    made.move_layer(inner, before=outer)
    made.move_layer(made.layer("ground"), before=made.layer("roof"))
    assert [layer.name for layer in made.layers] == ["ground", "roof", "things", "sky"]
    assert made.layer("ground").groups == (inner,)
    assert (made.layer("sky").opacity, made.layer("ground").visible) == (0.5, False)
    made.save(tmp_path / "moved.tmx")
    again = load_map(tmp_path / "moved.tmx")
    assert_equal(rounded(again), rounded(made))
    assert [[group.name for group in layer.groups] for layer in again.layers] == [
        ["inner"], ["inner"], ["outer"], ["outer", "empty"]
    ]  # fmt: skip
    made.remove_layer(outer)
    assert [group.name for group in made.groups] == ["inner"]
    assert [layer.name for layer in made.layers] == ["ground", "roof"]
    made.save(tmp_path / "moved.tmx")
    assert_equal(rounded(load_map(tmp_path / "moved.tmx")), rounded(made))
    made.layer("ground").visible = True
    with pytest.raises(MapError, match="visible was set, but its group is hidden"):
        made.save(tmp_path / "moved.tmx")
    made.set_group(inner, visible=True, opacity=0.25)
    made.layer("ground").opacity = 0.5
    with pytest.raises(MapError, match=r"opacity was set to 0\.5, but its group has 0\.25"):
        made.save(tmp_path / "moved.tmx")
    made.layer("ground").opacity = 0.125
    made.layers.reverse()
    made.save(tmp_path / "moved.tmx")
    assert [layer.name for layer in load_map(tmp_path / "moved.tmx").layers] == ["roof", "ground"]
    made.layers += made.layers[:1]
    with pytest.raises(MapError, match="a layer is twice in the map"):
        made.save(tmp_path / "moved.tmx")


FAR = [
    ({"shape": "rectangle", "x": 1e11, "y": 0}, r"x and y must be within 2\*\*32 of 0, got"),
    ({"shape": "point", "x": 1, "y": -(2.0**32)}, r"x and y must be within 2\*\*32 of 0, got"),
    ({"shape": "ellipse", "x": 1, "y": 2, "size": (1e11, 1)}, r"size must be within 2\*\*32 of 0"),
    ({"shape": "ellipse", "x": 1, "y": 2, "rotation": -1e11}, r"rotation must be within 2\*\*32"),
    ({"shape": "polyline", "points": [(0, 0), (1e11, 4)]}, r"points must be within 2\*\*32 of"),
    ({"shape": "polyline", "x": 1e11, "y": 0, "points": [(0, 0), (1, 4)]}, "x and y must be"),
]  # fmt: skip
WRONG = [
    (lambda m: m.add_tile_layer("l", [[1, 99999999999]]), KeyError,
     "no tileset of the map has gid"),
    (lambda m: m.add_tile_layer("l", [[1.5]]), TypeError,
     "gids must be whole numbers, got float64"),
    (lambda m: m.add_tile_layer("l", [1]), ValueError,
     r"gids must have the shape \(rows, columns\)"),
    (lambda m: m.add_tile_layer("l", [[1]], [[1, 2]]), ValueError,
     r"flags must have the shape \(1, 1\)"),
    (lambda m: m.add_tile_layer("l", [[1]], 16), ValueError,
     "flags must be from 0 to 15, got 16"),
    (lambda m: m.add_tile_layer("l", [[1]], row=9), ValueError,
     "gids must lie inside the 8 x 6 cells"),
    (lambda m: m.add_tile_layer("l", encoding="lzma"), ValueError,
     "encoding must be one of 'csv'"),
    (lambda m: m.add_tile_layer(5), TypeError, "name must be a str, got 5"),
    (lambda m: m.add_tile_layer("l", opacity=2), ValueError,
     "opacity must be from 0 to 1, got 2.0"),
    (lambda m: m.add_tile_layer("l", color=2), TypeError, "a layer has no setting 'color'"),
    (lambda m: m.add_tile_layer("l", offset=5), TypeError, "offset must be two numbers, got 5"),
    (lambda m: m.add_tile_layer("l", before=4), TypeError,
     "before must be a layer or a group, got 4"),
    (lambda m: m.add_tileset("no.png"), MapError, "no.png: the image is missing"),
    (lambda m: m.add_tileset("no.tsx"), MapError, "no.tsx: no such file"),
    (lambda m: m.add_tileset(None), TypeError,
     "source must be a path or several paths, got None"),
    (lambda m: m.add_tileset([]), ValueError, "source must name an image, got none"),
    (lambda m: m.add_tileset("a.tsx", margin=2), ValueError,
     "margin does not belong to a tileset with"),
    (lambda m: m.add_group("g", group=m.layers[0]), TypeError,
     "group must be a Group, got <ImageL"),
    (lambda m: m.layers[-1].add_object("cube", 1, 2), ValueError,
     "shape must be one of 'rectangle'"),
    (lambda m: m.layers[-1].add_object("point"), TypeError,
     "a point must have x and y, got None"),
    (lambda m: m.layers[-1].add_object("tile", 1, 2), ValueError, "gid must be that of a tile"),
    (lambda m: m.layers[-1].add_object("tile", 1, 2, gid=-1), ValueError, "gid must be from 0"),
    (lambda m: m.layers[-1].add_object("polygon", points=[(1, 2)]), ValueError,
     "at least 3, got"),
    (lambda m: m.layers[-1].add_object("point", float("nan"), 2), ValueError,
     "x and y must be two"),
    (lambda m: m.layers[-1].add_object("point", 1, 2, rotation=float("nan")), ValueError,
     "rotation must be finite, got nan"),
    *((lambda m, given=given: m.layers[-1].add_object(**given), ValueError, said)
      for given, said in FAR),
    *((lambda m, given=given: m.layers[-1].edit_object(m.layers[-1].objects[0], **given),
       ValueError, said) for given, said in FAR),
    (lambda m: m.layers[-1].add_object("point", 1, 2, flags=16), ValueError,
     "flags must be from 0 to 15, got 16"),
    (lambda m: m.layers[-1].add_object("point", 1, 2, title="x"), TypeError,
     "an object has no setting 'title'"),
    (lambda m: m.layers[-1].edit_object(m.layers[-1].objects[0], x=5, tall=None), TypeError,
     "an object has no setting 'tall'"),
    (lambda m: m.tilesets[0].edit_tile(0, probability=float("nan")), ValueError,
     "probability must be finite, got nan"),
    (lambda m: m.tilesets[0].edit_tile(0, animation=[(1,)]), TypeError,
     r"animation must be pairs of a local id and milliseconds, got \[\(1,\)\]"),
    (lambda m: m.tilesets[0].edit_tile(0, animation=5), TypeError,
     "animation must be pairs of a local id and milliseconds, got 5"),
    (lambda m: m.tilesets[0].edit_tile(0, animation=[5]), TypeError,
     r"animation must be pairs of a local id and milliseconds, got \[5\]"),
    (lambda m: m.tilesets[0].edit_tile(99), KeyError, "the tileset 'tiles' has no tile 99"),
    (lambda m: m.tilesets[0].save("a.png"), ValueError, "path must end in .tsx, .tsj or .json"),
    (lambda m: TileMap.new(0, 4, (1, 1)), ValueError,
     "columns must be from 1 to 268435456, got 0"),
    (lambda m: TileMap.new(1, 4, 7), TypeError, "tile_size must be two numbers, got 7"),
    (lambda m: TileMap.new(1, 4, (1, 1), orientation="round"), ValueError,
     "orientation must be one of"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_what_is_wrong_is_named_and_changes_nothing(art, call, error, message):
    made = filled(art, GRIDS[0])
    before = [*made.layers], [*made.groups], [*made.tilesets], len(made.layer("things"))
    with pytest.raises(error, match=message):
        call(made)
    assert ([*made.layers], [*made.groups], [*made.tilesets], len(made.layer("things"))) == before


@pytest.mark.parametrize("skew", [(16, 8), (-4, -32), (1, 128)])
def test_objects_of_a_map_whose_cells_lie_on_a_line_lie_on_it(tmp_path, art, skew):
    made = TileMap.new(8, 6, (16, 8), orientation="oblique", skew=skew, y_up=False)
    gid = made.add_tileset(art).first_gid
    things = made.add_object_layer("things")
    things.add_object("rectangle", 5, 60, (9, 9))
    things.add_object("polygon", points=[(1, 2), (30, 4), (9, 60)], rotation=40)
    things.add_object("tile", 20, 30, gid=gid)
    for item in things.objects:
        assert item.x * 8 == pytest.approx(item.y * skew[0])
        things.edit_object(item, x=item.x + 2 * skew[0], y=item.y + 16)
    made.save(tmp_path / "map.tmx")
    again = load_map(tmp_path / "map.tmx", y_up=False)
    again.save(tmp_path / "again.tmx")
    assert (tmp_path / "again.tmx").read_text() == (tmp_path / "map.tmx").read_text()
    assert_equal(rounded(again), rounded(made))


def test_groups_nest_as_deeply_as_they_are_read(tmp_path):
    made = TileMap.new(8, 6, (16, 16))
    made.add_group("g")
    for _ in range(62):
        made.add_group("g", group=made.groups[-1])
    with pytest.raises(ValueError, match="group must nest within the limit of 64, got <Group 'g'>"):
        made.add_group("g", group=made.groups[-1])
    made.save(tmp_path / "map.tmx")
    assert len(load_map(tmp_path / "map.tmx").groups) == len(made.groups) == 63
    with pytest.raises(ValueError, match="group must nest within the limit of 64"):
        made.add_object_layer("things", group=made.groups[-1])
    made.add_object_layer("things", group=made.groups[-2])
    made.save(tmp_path / "map.tmx")
    assert len(load_map(tmp_path / "map.tmx").layers) == 1


def test_many_groups_are_added_by_few_walks_over_the_layers():
    made, walks = TileMap.new(8, 6, (16, 16)), []

    class Walked(list):
        def __iter__(self):
            walks.append(1)
            return super().__iter__()

    made.layers = Walked()
    top = made.add_group("top")
    for number in range(50):
        group = made.add_group(f"g{number}")
        made.add_object_layer("things", group=group)
        made.move_layer(group, before=top)
    assert [group.name for group in made.groups] == [*(f"g{number}" for number in range(50)), "top"]
    assert len(walks) < 50 * 20


def test_a_made_map_is_copied(tmp_path, art, again):
    made = filled(art, GRIDS[0])
    copied = again(made)
    copied.layer("things").add_object("point", 1, 2)
    copied.add_tile_layer("new", [[1]])
    copied.save(tmp_path / "made.tmx")
    assert len(load_map(tmp_path / "made.tmx").layers) == len(made.layers) + 1
