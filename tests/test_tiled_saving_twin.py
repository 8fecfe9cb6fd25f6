"""Objects and groups of real maps, edited through the model and by hand in a twin of plain XML.

Both are saved, and are equal: as maps, and element by element.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, SubElement, parse, tostring

import pytest

from tests.corpus import each, rows
from tests.share import share
from tests.test_tiled_saving_corpus import HAS_CLASSES, LARGEST, assert_equal, rounded
from tilequad.tiled import MapObject, ObjectLayer, TileMap, load_map
from tilequad.tiled.read.layers import leaf_layers

pytestmark = pytest.mark.corpus
MAPS = each(share(rows(), 16))
OUTLINES = ("ellipse", "point", "polygon", "polyline", "text", "capsule")
SETTINGS = ("fontfamily", "pixelsize", "wrap", "color", "bold", "italic", "underline", "strikeout")
WORDS = {"fontfamily": "Mono & Co", "pixelsize": "11", "color": "#80102030"}
ALIGNED = {"halign": ("center", "right", "justify"), "valign": ("center", "bottom")}
Given = dict[str, Any]  # what edit_object is given, where None is taken from the twin's object


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Do not wait for the disk: these tests save hundreds of maps."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


class Hand:
    """Edits objects of XML by hand, and notes what the model must be told to do the same."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.given: dict[int, Given] = {}
        self.settings: dict[int, str] = {}  # the changed one of a layer, by its place

    def edit(self, element: Element) -> None:
        """Change an <object> in one or two ways."""
        ways = [self.move, self.size, self.turn, self.name, self.show]
        child = next((one for one in element if one.tag in OUTLINES), None)
        if "template" not in element.attrib and "gid" not in element.attrib:
            ways += [self.reshape] * 3
        if child is not None and child.tag in ("polygon", "polyline"):
            ways = [self.move, self.turn, self.name, self.show, *[self.bend] * 3, self.reshape]
        elif child is not None and child.tag == "text":
            ways += [self.word] * 4
        elif child is not None and child.tag == "point":
            ways.remove(self.size)
        elif "gid" in element.attrib:
            ways += [self.flip, self.flip]
        given = self.given[int(element.get("id", "0"))] = {}
        for way in sorted(set(self.chance.sample(ways, 2)), key=lambda way: way == self.reshape):
            given |= way(element)
        if given.get("shape") not in (None, "polygon", "polyline"):  # bent before
            given.pop("points", None)
        if given.get("shape") not in (None, "text"):
            given.pop("text", None)

    def set(self, element: Element, place: int) -> None:
        """Change a setting of a layer that is in no group."""
        kinds = {
            "opacity": {"opacity": "0.25"}, "tint": {"tintcolor": "#40ff8000"},
            "mode": {"mode": "multiply"}, "parallax": {"parallaxx": "0.5", "parallaxy": "2"},
            "class_name": {"class": "é"}, "visible": {"visible": "0"}, "name": {"name": "<&>"},
            "offset": {"offsetx": "2.5", "offsety": "-7"},
        }  # fmt: skip
        if element.tag == "objectgroup":
            kinds["color"] = {"color": "#123456"}
        elif element.tag == "imagelayer":
            kinds["repeat"] = {"repeatx": "1", "repeaty": "1"}
        name = self.settings[place] = self.chance.choice(sorted(kinds))
        element.attrib.update(kinds[name])

    def number(self) -> str:
        return f"{self.chance.randrange(4, 400) / 4:g}"

    def move(self, element: Element) -> Given:
        element.attrib.update(x=self.number(), y=self.number())
        return {"x": None, "y": None}

    def size(self, element: Element) -> Given:
        element.attrib.update(width=self.number(), height=self.number())
        return {"size": None}

    def turn(self, element: Element) -> Given:
        element.set("rotation", self.chance.choice(["90", "-30", "12.5"]))
        return {"rotation": None}

    def name(self, element: Element) -> Given:
        element.set("name", self.chance.choice(['<é> & "x"', "n"]))
        return {"name": None}

    def show(self, element: Element) -> Given:
        shown = element.get("visible", "1") not in ("0", "false")
        element.set("visible", str(int(not shown)))
        return {"visible": not shown}

    def flip(self, element: Element) -> Given:
        element.set("gid", str(int(element.get("gid", "0")) ^ 1 << 31))
        return {"flags": None}

    def points(self) -> str:
        return " ".join(f"{self.number()},-{self.number()}" for _ in range(4))

    def bend(self, element: Element) -> Given:
        child = next(one for one in element if one.tag in OUTLINES)
        child.set("points", self.points())
        return {"points": None}

    def word(self, element: Element) -> Given:
        text = element.find("text")
        assert text is not None
        text.text = "two\n<words> & é"
        self.style(text)
        return {"text": None}

    def style(self, text: Element) -> None:
        for name in self.chance.sample(SETTINGS, 3):
            text.set(name, WORDS.get(name, "1"))
        for name, values in ALIGNED.items():
            text.set(name, self.chance.choice(values))
        text.set("kerning", "0")

    def reshape(self, element: Element) -> Given:
        old = [one for one in element if one.tag in OUTLINES]
        shapes = [*OUTLINES, "rectangle"]
        shape = self.chance.choice([one for one in shapes if one not in {o.tag for o in old}])
        for one in old:
            element.remove(one)
        given: Given = {"shape": shape}
        if shape != "rectangle":
            child = SubElement(element, shape)
            if shape in ("polygon", "polyline"):
                child.set("points", self.points())
                given["points"] = None
            elif shape == "text":
                child.text = "new"
                self.style(child)
                given["text"] = None
        return given


def objects_of(tree: Element) -> Iterator[Element]:
    """The objects of layers whose ids tell them apart, but not those of tiles."""
    counts = Counter(int(one.get("id", "0")) for one in tree.iter("object"))
    inside = {id(one) for tile in tree.iter("tile") for one in tile.iter("object")}
    for one in tree.iter("object"):
        number = int(one.get("id", "0"))
        if number and counts[number] == 1 and id(one) not in inside:
            yield one


def edit_by_hand(tree: Element, chance: random.Random) -> Hand:
    hand = Hand(chance)
    for element in objects_of(tree):
        if chance.random() < 0.6:
            hand.edit(element)
    within = {id(one) for part in (*tree.iter("group"), *tree.iter("tile")) for one in part.iter()}
    for place, element in enumerate(leaf_layers(tree)):
        if id(element) not in within:
            hand.set(element, place)
    for number, element in enumerate(tree.iter("group")):
        element.attrib.update(offsetx=str(number + 3.5), offsety="-2", tintcolor="#804020")
    return hand


def follow(tile_map: TileMap, twin: TileMap, hand: Hand) -> None:
    """Edit a map through the model as the twin was by hand."""
    for layer in tile_map.layers:
        for item in list(layer.objects) if isinstance(layer, ObjectLayer) else ():
            if item.id in hand.given:
                given = told(twin.object(item.id), hand.given[item.id])
                layer.edit_object(item, **given)
    for place, name in hand.settings.items():
        setattr(tile_map.layers[place], name, getattr(twin.layers[place], name))
        if name == "offset":
            tile_map.layers[place].offset = 2.5, -7
    for number, group in enumerate(tile_map.groups):
        tile_map.set_group(group, offset=(number + 3.5, -2), tint=(0x80, 0x40, 0x20, 255))


def told(item: MapObject, given: Given) -> Given:
    """What edit_object is given, with the values of the twin's object."""
    found = {}
    for name, value in given.items():
        usual = (item.width, item.height) if name == "size" else getattr(item, name, None)
        found[name] = usual if value is None else value
    if "points" in found:  # they are those after all other changes
        found |= {"x": item.x, "y": item.y, "rotation": item.rotation}
    return found


def shifted(twin: TileMap, before: TileMap) -> None:
    """Undo what groups move in a twin, so that objects are where the model was told of them."""
    for layer, was in zip(twin.layers, before.layers, strict=True):
        layer.offset = was.offset


def plain(element: Element) -> tuple[object, ...]:
    """An element as a value, with numbers to a millionth."""

    def number(word: str) -> str:
        try:
            return f"{round(float(word), 6) + 0.0:g}"
        except ValueError:
            return word

    attributes = {
        name: " ".join(",".join(map(number, pair.split(","))) for pair in text.split())
        if name in ("points", "x", "y", "width", "height", "rotation")
        else text
        for name, text in element.items()
    }
    inner = [plain(one) for one in element]
    if element.tag == "object":
        inner.sort(key=lambda one: str(one[0]))
    return element.tag, attributes, (element.text or "").strip(), inner


def differences(one: tuple[Any, ...], other: tuple[Any, ...]) -> Iterator[str]:
    """Where two values of `plain` differ; pytest would take minutes to tell."""
    if one[:3] != other[:3] or len(one[3]) != len(other[3]):
        yield f"{one!r:.400}\nis not\n{other!r:.400}"
    for pair in zip(one[3], other[3], strict=False):
        yield from differences(*pair)


@MAPS
def test_objects_and_groups_equal_those_of_a_twin(corpus, tmp_path, row):
    path = corpus / row["path"]
    if path.stat().st_size > LARGEST:
        return
    base = tmp_path / "base.tmx"
    load_map(path).save(base)
    chance = random.Random(row["path"])
    tree = parse(base).getroot()
    hand = edit_by_hand(tree, chance)
    ElementTree(tree).write(tmp_path / "twin.tmx")
    tile_map, twin = load_map(base), load_map(tmp_path / "twin.tmx")
    shifted(twin, tile_map)
    follow(tile_map, twin, hand)
    tile_map.save(tmp_path / "saved.tmx")
    twin = load_map(tmp_path / "twin.tmx")
    assert_equal(rounded(load_map(tmp_path / "saved.tmx")), rounded(twin))
    assert looks(load_map(tmp_path / "saved.tmx")) == looks(twin) == looks(tile_map)
    assert_equal(rounded(tile_map), rounded(load_map(tmp_path / "saved.tmx")))
    saved = parse(tmp_path / "saved.tmx").getroot()
    assert not list(differences(plain(saved), plain(tree)))[:1]
    check_json(tmp_path, row, twin, hand)


def looks(tile_map: TileMap) -> list[tuple[object, ...]]:
    """The settings of layers that `assert_equal` does not compare."""
    return [
        (
            *(getattr(layer, name, None) for name in ("tint", "mode", "parallax", "class_name")),
            *(getattr(layer, name, None) for name in ("color", "repeat", "draw_order")),
        )
        for layer in tile_map.layers
    ]


def images_of(path: Path) -> str:
    """The text of all images in a map; JSON cannot hold their data."""
    return "".join(tostring(one, "unicode") for one in parse(path).getroot().iter("image"))


def check_json(folder: Path, row: dict[str, str], twin: TileMap, hand: Hand) -> None:
    """Do the same edits in a .tmj, which is saved in place."""
    if row["path"].endswith(HAS_CLASSES) or "<data" in images_of(folder / "base.tmx"):
        return
    load_map(folder / "base.tmx").save(folder / "base.tmj")
    tile_map = load_map(folder / "base.tmj")
    same = load_map(folder / "twin.tmx")
    shifted(same, tile_map)
    follow(tile_map, same, hand)
    tile_map.save(folder / "saved.tmj")
    assert_equal(rounded(load_map(folder / "saved.tmj")), twin)
    assert looks(load_map(folder / "saved.tmj")) == looks(twin)
