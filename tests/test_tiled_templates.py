"""Templates: saved in both formats; instances keep what is their own apart from their template."""

from __future__ import annotations

import copy
import json
import pickle
import shutil
import warnings
from pathlib import Path

import pytest

from tests.map_facts import assert_equal, rounded
from tests.test_tiled_making_judge import TILED, exported
from tests.tmx import write_map, write_tiles
from tilequad.tiled import MapError, ObjectLayer, Template, Text, TileMap, load_map

TEMPLATE = """<?xml version="1.0" encoding="UTF-8"?>
<!-- by hand --><template future="1">
 <tileset firstgid="1" source="tiles.tsx"/>
 <object id="9" name="chest" type="box" gid="2" width="20" height="24" glow="2">
  <properties>
   <property name="gold" type="int" value="5"/>
   <property name="open" type="bool" value="false"/>
  </properties>
 </object>
</template>
"""
TRIANGLE = """<template><object name="hill" rotation="30" visible="0">
 <polygon points="0,0 10,0 5,-8.5"/></object></template>"""
LABEL = """<template><object width="50" height="9"><text wrap="1">Inn</text></object></template>"""
OPENED = """
   <properties>
    <property name="open" type="bool" value="true"/>
   </properties>
  </object>"""
MAP = """
 <objectgroup id="1" name="things" draworder="index">
  <object id="1" template="chest.tx" x="5" y="30"/>
  <object id="2" template="chest.tx" name="chest" x="40" y="30" width="9" height="24">
   <properties>
    <property name="gold" type="int" value="7"/>
   </properties>
  </object>
  <object id="3" template="deep/hill.tx" x="60" y="8"/>
  <object id="4" template="label.tx" x="1" y="2"/>
 </objectgroup>
"""


@pytest.fixture
def town(tmp_path):
    """A map with instances of three templates."""
    write_tiles(tmp_path / "tiles.png")
    tiles = TileMap.new(1, 1, (16, 16)).add_tileset(tmp_path / "tiles.png")
    tiles.edit_tile(1, properties={"weight": 3})
    tiles.save(tmp_path / "tiles.tsx")
    (tmp_path / "deep").mkdir()
    (tmp_path / "runtime").mkdir(mode=0o700)
    (tmp_path / "chest.tx").write_text(TEMPLATE)
    (tmp_path / "deep" / "hill.tx").write_text(TRIANGLE)
    (tmp_path / "label.tx").write_text(LABEL)
    tileset = '<tileset firstgid="1" source="tiles.tsx"/>'
    return load_map(
        write_map(tmp_path, tileset, MAP, attributes='orientation="orthogonal"'), strict=True
    )


def things(tile_map: TileMap) -> ObjectLayer:
    return tile_map.layer("things", ObjectLayer)


def saved(tile_map: TileMap, name: str = "saved.tmx") -> tuple[str, TileMap]:
    path = tile_map.path.with_name(name)
    tile_map.save(path)
    return path.read_text(), load_map(path, strict=True)


def test_own_values_are_told_from_those_of_the_template(town):
    plain, other, hill, label = town.objects()
    assert (plain.overrides, other.overrides) == (frozenset(), {"name", "width", "height"})
    assert plain.properties == {"gold": 5, "open": False, "weight": 3}
    assert plain.properties.inherited == {"gold", "open", "weight"}
    assert other.properties.inherited == {"open", "weight"}
    assert (hill.shape, hill.visible, label.text.words) == ("polygon", False, "Inn")


def test_edits_of_an_instance_write_only_what_differs(town):
    plain, _, hill, label = town.objects()
    before = town.path.read_text()
    layer = things(town)
    layer.edit_object(plain, x=7.5, flags=8)
    layer.edit_object(hill, rotation=0, name="top")
    plain.properties["open"] = True
    layer.edit_object(label, text="Shop")
    text, again = saved(town)
    edits = (
        ('x="5" y="30"/>', f'x="7.5" y="30" gid="{2 | 1 << 31}">{OPENED}'),
        ('x="60" y="8"/>', 'x="60" y="8" name="top" rotation="0"/>'),
        ('y="2"/>', 'y="2">\n   <text wrap="1">Shop</text>\n  </object>'),
    )
    for old, new in edits:
        before = before.replace(old, new)
    assert text == before
    assert_equal(rounded(again), rounded(town))
    layer.edit_object(hill, points=[(60, 40), (70, 40), (60, 20)])
    text, again = saved(town)
    assert '   <polygon points="0,0 10,0 0,20"/>' in text
    assert again.object(3).overrides == {"name", "rotation", "shape"}
    assert_equal(rounded(again), rounded(town))


@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
@pytest.mark.parametrize("keep", [True, False])
def test_what_an_object_sets_itself_stays_its_own_if_it_is_equal(town, keep, suffix):
    layer = things(town)
    layer.add_object("tile", 1, 1, gid=2, properties={"weight": 3})
    layer.edit_object(town.object(1), properties={"gold": 5, "weight": 3})
    town.save(town.path)
    own = load_map(town.path, keep=keep)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own.save(town.path.with_suffix(suffix))
    first, *_, last = load_map(town.path.with_suffix(suffix)).objects()
    assert first.properties == {"gold": 5, "weight": 3, "open": False}
    assert (first.properties.inherited, last.properties.inherited) == ({"open"}, frozenset())
    assert last.properties == {"weight": 3}


@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
def test_what_an_object_no_longer_sets_itself_is_inherited(town, suffix):
    layer, own = things(town), {"gold": 7, "weight": 4}
    box = layer.add_object("tile", 1, 1, gid=2, properties={"weight": 5, "open": True})
    layer.edit_object(town.object(1), properties=own)
    town.save(town.path.with_suffix(suffix))
    again = load_map(town.path.with_suffix(suffix))
    layer = things(again)
    for item in (again.object(1), again.object(box.id)):
        layer.edit_object(item, properties={})
        assert item.properties.inherited == item.properties.keys()
    again.save(again.path)
    again.tilesets[0].edit_tile(1, properties={"weight": 8})
    again.tilesets[0].save(town.path.with_name("tiles.tsx"))
    found = load_map(again.path)
    assert found.object(1).properties == {"gold": 5, "open": False, "weight": 8}
    assert found.object(box.id).properties == {"weight": 8}


@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
def test_an_instance_overrides_with_the_value_of_its_template(town, suffix):
    things(town).edit_object(town.object(1), gid=2, visible=True, rotation=0)
    town.save(town.path.with_suffix(suffix))
    again = load_map(town.path.with_suffix(suffix))
    assert again.object(1).overrides == town.object(1).overrides == {"gid", "visible", "rotation"}


def test_a_template_sets_what_its_object_sets_itself(town):
    chest = things(town).add_object("tile", 1, 1, gid=2, properties={"weight": 3, "gold": 1})
    path = town.path.with_name("own.tx")
    town.template(chest).save(path)
    assert '"weight"' in path.read_text()
    light = things(town).add_object("tile", 1, 1, gid=2, properties={"gold": 1})
    town.template(light).save(path)
    assert '"weight"' not in path.read_text()


@pytest.mark.parametrize("name", ["chest", "deep/hill", "label"])
@pytest.mark.parametrize("suffix", [".tx", ".tj"])
def test_an_untouched_template_stays_and_a_changed_one_differs_there(town, name, suffix):
    folder = town.path.parent
    path = folder / f"{name}.tx"
    if suffix == ".tj":
        town.template(path).save(path.with_suffix(".tj"))
        path = path.with_suffix(".tj")
    before = path.read_bytes()
    template = town.template(path)
    template.save(path)
    assert path.read_bytes() == before
    template.object.name = "é <&>"
    template.object.properties["new"] = 1
    template.save(path)
    if suffix == ".tx" and name == "chest":
        expected = TEMPLATE.replace('"chest"', '"é &lt;&amp;&gt;"').replace(
            'e="false"/>\n',
            'e="false"/>\n   <property name="new" type="int" value="1"/>\n',
        )
        assert path.read_text() == expected
    again = town.template(path)
    assert (again.object.name, again.object.properties["new"]) == ("é <&>", 1)
    assert again.object.points.tolist() == template.object.points.tolist()


def test_both_formats_of_a_template_are_equal(town):
    folder = town.path.parent
    for path in (folder / "chest.tx", folder / "deep" / "hill.tx", folder / "label.tx"):
        there = folder / "deep" / f"other-{path.stem}.tj"
        town.template(path).save(there)
        assert json.loads(there.read_text())["type"] == "template"
        town.template(there).save(folder / "back.tx")
        for other in (there, folder / "back.tx"):
            one, same = town.template(path).object, town.template(other).object
            assert {**vars(one), "points": 0, "_outline": 0} == {
                **vars(same), "points": 0, "_outline": 0
            }  # fmt: skip
    assert '"source": "../tiles.tsx"' in (folder / "deep" / "other-chest.tj").read_text()


def test_a_template_is_made_of_an_object_and_has_instances(town):
    layer = things(town)
    camp = layer.add_object(
        "polygon", points=[(20, 30), (30, 30), (20, 10)], rotation=45, properties={"n": 2}
    )
    template = town.template(camp)
    with pytest.raises(ValueError, match="template must have been saved"):
        layer.add_object(template=template, x=1, y=2)
    template.save(town.path.with_name("camp.tx"))
    text = town.path.with_name("camp.tx").read_text()
    assert "<polygon points=" in text
    assert not {" id=", " x=", " y="} & {text[at : at + 4] for at in range(len(text))}
    one = layer.add_object(template=template, x=21, y=32)
    two = layer.add_object(template=template, x=50, y=32, rotation=45, properties={"m": 1})
    assert (one.points - camp.points).round(9).tolist() == [[1, 2]] * 3
    assert two.properties == {"m": 1, "n": 2}
    written, again = saved(town)
    assert f'<object id="{one.id}" template="camp.tx" x="21" y="16"/>' in written
    assert f'<object id="{two.id}" template="camp.tx" x="50" y="16" rotation="45">' in written
    assert_equal(rounded(again), rounded(town))
    assert [item.overrides for item in again.objects()][-2:] == [set(), {"rotation"}]


def test_instances_of_a_new_map_refer_to_their_templates_from_its_folder(town):
    folder = town.path.parent
    made = TileMap.new(4, 3, (16, 16))
    template = made.template(folder / "chest.tx")
    assert [tileset.name for tileset in made.tilesets] == ["tiles"]
    layer = made.add_object_layer("things")
    layer.add_object(template=template, x=2, y=40, properties={"gold": 9})
    layer.add_object(template=template, x=20, y=40, size=(9, 9), gid=3)
    (folder / "new").mkdir()
    made.save(folder / "new" / "made.tmx")
    text = (folder / "new" / "made.tmx").read_text()
    assert text.count('template="../chest.tx"') == 2
    assert [item.template for item in made.objects()] == ["../chest.tx"] * 2
    again = load_map(folder / "new" / "made.tmx", strict=True)
    assert_equal(rounded(again), rounded(made))
    assert again.objects()[0].gid == 2
    made.save(folder / "new" / "made.tmx")
    assert (folder / "new" / "made.tmx").read_text() == text
    for copied in (pickle.loads(pickle.dumps(again)), copy.deepcopy(again)):
        assert copied.objects()[1].overrides == {"gid", "width", "height"}


def test_a_map_that_kept_nothing_writes_what_its_instances_override(town):
    kept = load_map(town.path, keep=False)
    with pytest.warns(UserWarning, match="keep=False"):
        text, again = saved(kept)
    assert '<object id="1" template="chest.tx" x="5" y="30"/>' in text
    own = 'name="chest" width="9" height="24"'
    assert f'<object id="2" template="chest.tx" x="40" y="30" {own}>' in text
    assert "open" not in text
    assert_equal(rounded(again), rounded(town))


WRONG = [
    (lambda m, t: m.template(5), TypeError, "source must be a str or a Path, got 5"),
    (lambda m, t: m.template("no.tx"), MapError, "no.tx: no such file"),
    (lambda m, t: m.template(m.path), MapError, "is not a template"),
    (lambda m, t: t.save("a.png"), ValueError, r"path must end in \.tx, \.tj or \.json, got"),
    (lambda m, t: things(m).add_object(template="chest.tx"), TypeError,
     "template must be a Template, got 'chest.tx'"),
    (lambda m, t: things(m).add_object(template=t), TypeError, "a tile must have x and y"),
    (lambda m, t: things(m).add_object(x=1, y=2), TypeError, "needs a shape or a template"),
    (lambda m, t: things(load_map(m.path)).add_object(template=t, x=1, y=2), ValueError,
     "template must be one of the map"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), WRONG)
def test_what_is_wrong_is_named(town, call, error, message):
    template = town.template(town.path.with_name("chest.tx"))
    with pytest.raises(error, match=message):
        call(town, template)


def test_a_tile_of_an_embedded_tileset_is_in_no_template(tmp_path):
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(4, 3, (16, 16))
    gid = made.add_tileset(tmp_path / "tiles.png").first_gid
    template = made.template(made.add_object_layer("o").add_object("tile", 0, 0, gid=gid))
    with pytest.raises(MapError, match="which has no file of its own"):
        template.save(tmp_path / "a.tx")
    assert not (tmp_path / "a.tx").exists()


def test_what_an_instance_cannot_undo_is_an_error(town):
    plain, _, hill, _ = town.objects()
    things(town).edit_object(hill, shape="rectangle", size=(5, 5))
    with pytest.raises(MapError, match="object 3: its template is no rectangle"):
        saved(town)
    things(town).edit_object(hill, shape="ellipse")
    plain.name = ""
    with pytest.raises(MapError, match="object 1: name was removed, which its template has"):
        saved(town)
    things(town).edit_object(plain, shape="rectangle", name="chest")
    with pytest.raises(MapError, match="object 1: gid was removed, which its template has"):
        saved(town)


@pytest.mark.skipif(TILED is None, reason="needs Tiled: apt-get install tiled")
def test_tiled_reads_templates_and_instances(town):
    folder = town.path.parent
    layer = things(town)
    for name in ("chest", "deep/hill", "label"):
        for suffix in (".tx", ".tj"):
            template: Template = town.template(folder / f"{name}.tx")
            template.object.name += " of old"
            target = (folder / f"{name}-new").with_suffix(suffix)
            template.save(target)
            layer.add_object(template=town.template(target), x=30, y=9, rotation=90)
    layer.edit_object(town.object(4), text=Text("Bar", bold=True, pixel_size=9))
    layer.edit_object(town.object(3), points=[(60, 40), (70, 40), (60, 20)])
    town.save(folder / "made.tmx")
    expected = rounded(load_map(folder / "made.tmx"))
    for item in expected.objects():
        item.overrides = frozenset()  # Tiled writes them as objects without a template
    assert_equal(rounded(exported(folder, "--detach-templates")), expected)


@pytest.mark.corpus
def test_templates_of_the_corpus_are_saved(corpus, tmp_path):
    paths = sorted(corpus.glob("maps/**/*.tx"))
    assert len(paths) > 5
    for path in paths:
        folder = shutil.copytree(path.parent.parent, tmp_path / str(paths.index(path)))
        template = Path(folder, path.parent.name, path.name)
        made = TileMap.new(4, 3, (16, 16))
        own = made.template(template)
        own.save(template)
        assert template.read_bytes() == path.read_bytes()
        made.add_object_layer("o").add_object(template=own, x=5, y=5, name="mine")
        own.object.name = "é"
        own.save(template.with_suffix(".tj"))
        assert made.template(template.with_suffix(".tj")).object.name == "é"
        made.save(folder / "made.tmx")
        assert load_map(folder / "made.tmx").objects()[0].name == "mine"


def test_a_tile_object_has_the_class_of_the_tile_that_it_gets(tmp_path):
    write_tiles(tmp_path / "tiles.png")
    made = TileMap.new(4, 3, (16, 16))
    tiles = made.add_tileset(tmp_path / "tiles.png")
    tiles.edit_tile(0, class_name="water")
    tiles.edit_tile(1, class_name="tuft")
    tiles.save(tmp_path / "tiles.tsx")
    tile_map = TileMap.new(4, 3, (16, 16))
    tiles = tile_map.add_tileset(tmp_path / "tiles.tsx")
    layer = tile_map.add_object_layer("o", draw_order="index")
    plain = layer.add_object("tile", 1, 1, gid=1)
    own = layer.add_object("tile", 1, 1, gid=1, class_name="boss")
    template = tile_map.template(plain)
    template.save(tmp_path / "water.tx")
    first = layer.add_object(template=template, x=5, y=5, gid=2)
    second = layer.add_object(template=template, x=9, y=5)
    tile_map.save(tmp_path / "map.tmx")
    for item in (plain, own, second):
        layer.edit_object(item, gid=2)
    names = ["tuft", "boss", "tuft", "tuft"]
    assert [item.class_name for item in (plain, own, first, second)] == names
    tile_map.save(tmp_path / "map.tmx")
    assert (tmp_path / "map.tmx").read_text().count("type=") == 1
    again = load_map(tmp_path / "map.tmx")
    assert [item.class_name for item in again.objects()] == names
    tiles.edit_tile(1, class_name="grass")
    assert [item.class_name for item in tile_map.objects()] == ["grass", "boss", "grass", "grass"]
    layer.edit_object(plain, gid=3)
    layer.edit_object(second, gid=3)
    layer.edit_object(own, class_name="grass", gid=2)
    tiles.edit_tile(1, class_name="moss")
    assert [item.class_name for item in tile_map.objects()] == ["", "moss", "moss", ""]
    tile_map.save(tmp_path / "map.tmx")
    layer.edit_object(plain, gid=1)
    layer.edit_object(plain, shape="rectangle", gid=0)
    assert plain.class_name == ""


def test_a_class_of_its_own_stays_if_the_tile_gets_it_too(town):
    tiles = town.tilesets[0]
    item = things(town).add_object("tile", 9, 9, gid=4, class_name="wall")
    tiles.edit_tile(3, class_name="wall")
    _, again = saved(town)
    again.tilesets[0].edit_tile(3, class_name="door")
    tiles.edit_tile(3, class_name="door")
    assert (again.object(item.id).class_name, item.class_name) == ("wall", "wall")


def test_a_tile_object_takes_over_what_its_new_tile_has(town):
    tiles = town.tilesets[0]
    tiles.edit_tile(0, properties={"weight": 1, "rare": True})
    tiles.save(tiles.path)
    plain = things(town).add_object("tile", 9, 9, gid=2, properties={"own": 1})
    town.save(town.path)
    instance, named = things(town).objects[:2]
    for item in (plain, instance, named):
        things(town).edit_object(item, gid=1)
    things(town).edit_object(instance, properties={"open": True})
    _, again = saved(town)
    tiles.edit_tile(0, properties={"weight": 2})
    tiles.save(tiles.path)
    again.reload()
    of_template = {"gold": 5, "open": False}
    assert [item.properties for item in again.objects() if item.gid] == [
        {"weight": 2, **of_template, "open": True},
        {"weight": 2, **of_template, "gold": 7},
        {"weight": 2, "own": 1},
    ]


@pytest.mark.parametrize("is_loaded", [False, True])
def test_an_instance_keeps_what_its_template_has_under_its_own(tmp_path, is_loaded):
    tile_map = TileMap.new(4, 3, (16, 16))
    layer = tile_map.add_object_layer("o")
    template = tile_map.template(layer.add_object("point", 0, 0, properties={"gold": 3, "a": 1}))
    template.save(tmp_path / "gold.tx")
    layer.add_object(template=template, x=9, y=9, name="i", properties={"gold": 9})
    tile_map.save(tmp_path / "map.tmx")
    if is_loaded:
        tile_map = load_map(tmp_path / "map.tmx")
    [item] = tile_map.objects(name="i")
    tile_map.layer("o").edit_object(item, properties={"own": True})
    assert (item.properties, item.properties.inherited) == (
        {"own": True, "gold": 3, "a": 1},
        {"gold", "a"},
    )
    tile_map.save(tmp_path / "map.tmx")
    [again] = load_map(tmp_path / "map.tmx").objects(name="i")
    assert again.properties == item.properties
    tile_map.layer("o").edit_object(item, properties={"gold": 5})
    (tmp_path / "gold.tx").write_text((tmp_path / "gold.tx").read_text().replace('"3"', '"4"'))
    tile_map.save(tmp_path / "map.tmx")
    if is_loaded:
        tile_map.reload()
    assert item.properties == {"gold": 5, "a": 1}
    tile_map.layer("o").edit_object(item, properties={})
    assert item.properties == {"gold": 4 if is_loaded else 3, "a": 1}
