"""Real maps: what was not changed is saved byte for byte, and what was changed is all that is."""

from __future__ import annotations

import filecmp
import os
import random
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, parse

import numpy as np
import pytest

from tests.corpus import each, file_of, rows
from tests.map_facts import assert_equal, rounded
from tests.share import share
from tilequad.tiled import (
    Group,
    Layer,
    MapError,
    MapObject,
    ObjectLayer,
    ObjectRef,
    Properties,
    TileLayer,
    TileMap,
    load_map,
)
from tilequad.tiled.read.layers import leaf_layers

pytestmark = [pytest.mark.corpus, pytest.mark.usefixtures("quick_disk")]
HAS_CLASSES = "finite_pointy_top_odd.tmx"  # JSON does not tell the types of their members
LARGEST = 1 << 16  # bytes; a larger map has more of the same
CHOSEN = share(rows(), 16)
MAPS = each(CHOSEN)
SMALL = each([row for row in CHOSEN if file_of(row).stat().st_size <= LARGEST])


@pytest.fixture
def path(row: dict[str, str]) -> Path:
    """The file of a map."""
    return file_of(row)


def tile_layers(tile_map: TileMap) -> list[TileLayer]:
    return [layer for layer in tile_map.layers if isinstance(layer, TileLayer)]


def lines_changed(before: bytes, after: bytes) -> int:
    """How many lines differ between files with the same number of lines."""
    one, other = before.split(b"\n"), after.split(b"\n")
    assert len(one) == len(other)
    return sum(a != b for a, b in zip(one, other, strict=True))


@pytest.fixture
def moved(path, tmp_path) -> TileMap:
    """The map, as if its file were in another folder, so that no path is changed."""
    tile_map = load_map(path)
    source = tile_map._source
    assert source is not None
    (tmp_path / source.name).write_bytes(path.read_bytes())
    tile_map._source = type(source)(
        os.fspath(tmp_path), source.name, source.digest, source.kept, source.spans
    )
    return tile_map


def turned(tile_map: TileMap, chance: random.Random) -> Iterator[TileLayer]:
    """Turn a tile of each tile layer, yield the layer, and turn the tile back."""
    for layer in tile_layers(tile_map):
        cells = layer.cells(layer.ids())
        if not tile_map.infinite:
            cells = cells[((cells >= 0) & (cells < tile_map.size)).all(axis=1)]
        if not len(cells):
            continue
        column, line = cells[chance.randrange(len(cells))].tolist()
        gid, flags = layer.gid_of(column, line), int(layer.flags([layer.id_of(column, line)])[0])
        layer.set_tile(column, line, gid, flags ^ 8)
        yield layer
        layer.set_tile(column, line, gid, flags)


@MAPS
def test_an_untouched_map_is_saved_byte_for_byte(path, moved, tmp_path):
    target = tmp_path / path.name
    moved.save(target)
    assert filecmp.cmp(target, path, shallow=False)


@MAPS
def test_saved_into_another_folder_it_loads_equal(path, tmp_path):
    tile_map = load_map(path)
    tile_map.save(tmp_path / path.name)
    assert_equal(load_map(tmp_path / path.name), tile_map)


@MAPS
def test_a_changed_tile_is_the_only_change(path, moved, tmp_path, row):
    target = tmp_path / f"new-{path.name}"
    for layer in turned(moved, random.Random(row["path"])):
        moved.save(target)
        assert lines_changed(path.read_bytes(), target.read_bytes()) == 1
        again = tile_layers(load_map(target))[tile_layers(moved).index(layer)]
        ids = layer.ids()
        assert np.array_equal(again.ids(), ids)
        assert np.array_equal(again.gids(ids), layer.gids(ids))
        assert np.array_equal(again.flags(ids), layer.flags(ids))
    moved.save(target)
    assert filecmp.cmp(target, path, shallow=False)


@MAPS
def test_cells_are_encoded_anew_if_the_file_is_gone(path, moved, tmp_path):
    (tmp_path / path.name).unlink()
    moved.save(tmp_path / path.name)
    first = sha1((tmp_path / path.name).read_bytes()).digest()
    fresh = load_map(tmp_path / path.name)
    for layer, other in zip(tile_layers(moved), tile_layers(fresh), strict=True):
        assert np.array_equal(layer.ids(), other.ids())
        assert np.array_equal(layer.gids(layer.ids()), other.gids(other.ids()))
    moved.save(tmp_path / path.name)  # it has begun anew
    assert sha1((tmp_path / path.name).read_bytes()).digest() == first


def saved_as_json(tile_map: TileMap, path: Path) -> bool:
    """Save a map; return whether it can be JSON, which cannot hold embedded images."""
    try:
        tile_map.save(path)
    except MapError as problem:
        if "has an embedded image" not in problem.reason:
            raise
        return False
    return True


@MAPS
def test_a_map_is_equal_in_the_other_format_and_back(path, tmp_path):
    tile_map = load_map(path)
    if not saved_as_json(tile_map, tmp_path / "other.tmj"):
        return
    other = load_map(tmp_path / "other.tmj")
    other.save(tmp_path / "back.tmx")
    assert_equal(load_map(tmp_path / "back.tmx"), other)
    if path.name != HAS_CLASSES:
        assert_equal(other, tile_map)


@MAPS
def test_json_is_changed_in_place(path, tmp_path, row):
    """Saved untouched it is equal; a changed tile is one word; edits are read again."""
    source, target = tmp_path / "map.tmj", tmp_path / "new.tmj"
    if not saved_as_json(load_map(path), source):
        return
    tile_map = load_map(source)
    tile_map.save(target)
    assert filecmp.cmp(source, target, shallow=False)
    chance = random.Random(row["path"])
    words = source.read_text().replace('"', " ").split()
    for _ in turned(tile_map, chance):
        tile_map.save(target)
        new = target.read_text().replace('"', " ").split()
        assert sum(one != other for one, other in zip(words, new, strict=True)) == 1
    tile_map.save(target)
    assert filecmp.cmp(source, target, shallow=False)
    edit_at_random(tile_map, chance)
    tile_map.save(target)
    assert_equal(load_map(target), tile_map, seen)


def edit_at_random(tile_map: TileMap, chance: random.Random) -> None:
    """Change settings, properties, objects, groups and tilesets here and there."""
    for group in tile_map.groups:
        tile_map.set_group(group, opacity=chance.choice([None, 0.5]))
    used = {item.gid for item in tile_map.objects()}  # objects get the new properties when loaded
    for tileset in tile_map.tilesets:
        if tileset.path is None and tileset.has_tile(1) and tileset.first_gid + 1 not in used:
            edit_properties(tileset.properties, chance)
            new = {"class_name": "é", "animation": [(1, 100)], "probability": 0.5}
            tileset.edit_tile(1, **dict(chance.sample(sorted(new.items()), 2)))
            tileset.edit_tile(1, properties={**tileset.tile_properties(1), "n": 5})
    for layer in tile_map.layers:
        edit_properties(layer.properties, chance)
        layer.visible = layer.visible and chance.random() < 0.5
        layer.opacity *= chance.choice([1, 0.5])
        layer.name += chance.choice(["", " é & <"])
        for item in layer.objects if isinstance(layer, ObjectLayer) else ():
            item.x += chance.choice([0, 0, 5.25])
            item.name += chance.choice(["", "", '"'])
            item.visible ^= chance.random() < 0.2
            item.rotation += chance.choice([0, 0, 90])
            edit_properties(item.properties, chance)
            if item.text is not None:
                item.text = item.text._replace(words="<&>\n x")


def edit_properties(properties: Properties, chance: random.Random) -> None:
    value = chance.choice([1, 2.5, True, 'a<"&\n', (1, 2, 3, 4), ObjectRef(3)])
    name = chance.choice(["added", *properties])
    if chance.random() < 0.3:
        properties[name] = value


def seen_object(item: MapObject) -> tuple[object, ...]:
    place = item.id, round(item.x, 6), round(item.y, 6), item.rotation
    values = sorted(map(repr, item.properties.items()))
    return *place, item.name, item.visible, repr(item.text), values


def seen(tile_map: TileMap) -> list[object]:
    """What `edit_at_random` may change, with places to a millionth of a pixel."""
    found: list[object] = []
    for one in (tileset for tileset in tile_map.tilesets if tileset.path is None):
        found += [one.properties, one.tile_properties(1), one.tile_class(1)]
        found += [one.animation(1), one.tile_probability(1), len(one.tiles)]
    for layer in tile_map.layers:
        found += [layer.name, layer.visible, round(layer.opacity, 9), layer.properties]
        objects = layer.objects if isinstance(layer, ObjectLayer) else []
        found += sorted(map(seen_object, objects))
    return found


@MAPS
def test_random_edits_are_read_again(path, tmp_path, row):
    tile_map = load_map(path)
    edit_at_random(tile_map, random.Random(row["path"]))
    tile_map.save(tmp_path / path.name)
    assert_equal(load_map(tmp_path / path.name), tile_map, seen)


@SMALL
def test_a_map_that_kept_nothing_is_written_from_what_it_has(path, tmp_path):
    with pytest.warns(UserWarning, match="loaded with keep=False"):
        load_map(path, keep=False).save(tmp_path / "new.tmx")
    assert_equal(rounded(load_map(tmp_path / "new.tmx")), rounded(load_map(path)))


# -- a twin, edited as plain XML --

LAYERS = ("layer", "objectgroup", "imagelayer", "group")
SHAPES = {
    "rectangle": ({"width": "8", "height": "6.5"}, None),
    "polygon": ({"rotation": "30"}, {"points": "0,0 9,2.5 4,12"}),
    "ellipse": ({"width": "12", "height": "7", "visible": "0"}, {}),
}


def next_id(tree: Element, name: str, tags: tuple[str, ...], numbered: int) -> int:
    """The next free id of a kind, given how many parts Tiled numbers by itself."""
    ids = [int(one.get("id", "0")) for tag in tags for one in tree.iter(tag)]
    return max(int(tree.get(name, "1")), max(ids, default=0) + 1, numbered + 1)


class Twin:
    """A map, and its XML: both are changed in the same way, the XML by hand."""

    def __init__(self, path: Path, chance: random.Random) -> None:
        self.path = path
        self.chance = chance
        self.tile_map = load_map(path)
        self.tree = parse(path).getroot()
        self.top = [one for one in self.tree if one.tag in LAYERS]
        ids = [part.id for part in (*self.tile_map.layers, *self.tile_map.groups)]
        self.layer_id = next_id(self.tree, "nextlayerid", LAYERS, max(ids, default=0))
        items = [item.id for item in self.tile_map.objects()]
        self.object_id = next_id(self.tree, "nextobjectid", (), max(items, default=0))
        self.groups = list(zip(self.tree.iter("group"), self.tile_map.groups, strict=True))
        self.added: list[tuple[Element, Element, ObjectLayer]] = []

    def model(self, element: Element) -> Layer | Group:
        """The part of the map for an element at the top of the tree."""
        if element.tag != "group":
            return self.tile_map.layers[list(leaf_layers(self.tree)).index(element)]
        return next(group for one, group in self.groups if one is element)

    def add_layer(self) -> None:
        element = Element("layer", id=str(self.layer_id), name="new & ä")
        columns, rows = self.tile_map.size
        if self.tile_map.infinite or columns * rows > 1 << 16:
            return
        gid = self.tile_map.tilesets[0].first_gid if len(self.tile_map.tilesets) else 0
        gids = np.array(self.chance.choices([0, gid], k=columns * rows)).reshape(rows, columns)
        element.attrib.update(width=str(columns), height=str(rows), opacity="0.5")
        data = SubElement(element, "data", encoding="csv")
        data.text = ",".join(map(str, gids.ravel().tolist()))
        before = self.chance.choice([None, *self.top])
        above = None if before is None else self.model(before)
        try:
            self.tile_map.add_tile_layer("new & ä", gids, opacity=0.5, before=above)
        except KeyError:  # the map has no tiles
            assert not gid
            return
        self.put(element, before)
        self.layer_id += 1

    def put(self, element: Element, before: Element | None) -> None:
        at = len(self.tree) if before is None else list(self.tree).index(before)
        self.tree.insert(at, element)
        self.top = [one for one in self.tree if one.tag in LAYERS]

    def remove_layer(self) -> None:
        if self.top:
            element = self.chance.choice(self.top)
            self.tile_map.remove_layer(self.model(element))
            self.tree.remove(element)
            self.top.remove(element)

    def move_layer(self) -> None:
        if len(self.top) > 1:
            element, before = self.chance.sample(self.top, 2)
            self.tile_map.move_layer(self.model(element), before=self.model(before))
            self.tree.remove(element)
            self.put(element, before)

    def add_object(self) -> None:
        """Add an object to the XML; `add_objects` adds it to the map, where the XML puts it."""
        layers = [one for one in self.top if one.tag == "objectgroup"]
        if layers:
            element = self.chance.choice(layers)
            shape = self.chance.choice(list(SHAPES))
            attributes, inner = SHAPES[shape]
            item = SubElement(element, "object", name="<new>", type="t")
            item.attrib.update(x=str(self.chance.randrange(-9, 999) / 4), y="20.25", **attributes)
            own = SubElement(SubElement(item, "properties"), "property", name="n", type="int")
            own.set("value", "5")
            if inner is not None:
                SubElement(item, shape, inner)
            self.added.append((item, element, self.model(element)))

    def number_objects(self) -> None:
        """Give ids to the added objects whose layer is still there."""
        self.added = [one for one in self.added if any(one[1] is layer for layer in self.top)]
        for number, (element, *_) in enumerate(self.added, self.object_id):
            element.set("id", str(number))

    def add_objects(self, twin: TileMap) -> None:
        for element, _, layer in self.added:
            item = twin.object(int(element.get("id", "0")))
            layer.add_object(
                item.shape, item.x, item.y, (item.width, item.height), name=item.name,
                class_name="t", properties={"n": 5}, rotation=item.rotation,
                visible=item.visible, points=item.points if item.shape == "polygon" else None,
            )  # fmt: skip


@SMALL
def test_added_and_moved_parts_equal_those_of_a_twin(path, tmp_path, row):
    load_map(path).save(tmp_path / "base.tmx")
    twin = Twin(tmp_path / "base.tmx", random.Random(row["path"]))
    for _ in range(4):
        twin.chance.choice([twin.add_layer, twin.add_object, twin.remove_layer, twin.move_layer])()
        twin.add_object()
    twin.number_objects()
    ElementTree(twin.tree).write(tmp_path / "twin.tmx")
    expected = load_map(tmp_path / "twin.tmx")
    twin.add_objects(expected)
    twin.tile_map.save(tmp_path / "saved.tmx")
    assert_equal(rounded(load_map(tmp_path / "saved.tmx")), rounded(expected))
    before = (tmp_path / "saved.tmx").read_bytes()
    twin.tile_map.save(tmp_path / "saved.tmx")
    assert (tmp_path / "saved.tmx").read_bytes() == before
