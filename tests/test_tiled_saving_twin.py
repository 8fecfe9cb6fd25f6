"""Objects, layers, groups and tilesets of real maps, edited by hand in a twin of plain XML, too.

Both are saved, and are equal: as maps, and element by element.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, SubElement, parse, tostring

import pytest

from tests.corpus import each, file_of
from tests.map_facts import assert_equal, rounded, tileset_facts
from tests.test_tiled_saving_corpus import CHOSEN, HAS_CLASSES, SMALL
from tilequad.tiled import MapObject, ObjectLayer, TileMap, Tileset, load_map
from tilequad.tiled.read.layers import leaf_layers

pytestmark = [pytest.mark.corpus, pytest.mark.usefixtures("quick_disk")]
OUTLINES = ("ellipse", "point", "polygon", "polyline", "text", "capsule")
SETTINGS = ("fontfamily", "pixelsize", "wrap", "color", "bold", "italic", "underline", "strikeout")
WORDS = {"fontfamily": "Mono & Co", "pixelsize": "11", "color": "#80102030"}
ALIGNED = {"halign": ("center", "right", "justify"), "valign": ("center", "bottom")}
Given = dict[str, Any]  # what edit_object is given, where None is taken from the twin's object


class Hand:
    """Edits objects of XML by hand, and notes what the model must be told to do the same."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.given: dict[int, Given] = {}
        self.settings: dict[int, str] = {}  # the changed one of a layer, by its place
        self.tilesets: dict[int, list[str]] = {}  # the changed attributes, by its place
        self.tiles: list[tuple[int, int]] = []  # the place of the tileset, and the local id
        self.moves = 0

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
            "offset": {"offsetx": "2.5", "offsety": "-7"}, "locked": {"locked": "1"},
        }  # fmt: skip
        if element.tag == "objectgroup":
            kinds["color"] = {"color": "#123456"}
            if all("id" in item.attrib for item in element.iter("object")):  # not by their order
                was = element.get("draworder", "topdown")
                kinds["draw_order"] = {"draworder": "index" if was == "topdown" else "topdown"}
        elif element.tag == "imagelayer":
            kinds["repeat"] = {"repeatx": "1", "repeaty": "1"}
        name = self.settings[place] = self.chance.choice(sorted(kinds))
        element.attrib.update(kinds[name])
        if element.get("draworder") == "index" and name == "draw_order":  # as it was drawn
            items = element.findall("object")
            for item in items:
                element.remove(item)
            element.extend(sorted(items, key=lambda item: float(item.get("y", "0"))))

    def edit_tileset(self, element: Element, place: int, tiles: list[int], is_shown: bool) -> None:
        """Change a <tileset> that is part of the map, and some of its tiles.

        Args:
            element: The tileset.
            place: Its place in the file.
            tiles: The local ids that it has.
            is_shown: Whether objects show its tiles, so that their boxes depend on it.
        """
        ways = [self.describe, self.transform, self.terrain]
        ways += [] if is_shown else [self.place_tiles, self.align]
        chosen = self.chance.sample(ways, 2)
        self.tilesets[place] = [name for way in chosen for name in way(element)]
        for number in self.chance.sample(tiles, min(len(tiles), 2)):
            self.edit_tile(element, number)
            self.tiles.append((place, number))

    def describe(self, element: Element) -> list[str]:
        element.attrib.update({"name": "é <t>", "class": "set"})
        return ["name", "class_name"]

    def align(self, element: Element) -> list[str]:
        sizes = {"tilerendersize": "grid", "fillmode": "preserve-aspect-fit"}
        element.attrib.update(objectalignment="center", **sizes)
        return ["object_alignment", "render_size", "fill_mode"]

    def place_tiles(self, element: Element) -> list[str]:
        self.child(element, "tileoffset").attrib.update(x="-3", y="11")
        return ["tile_offset"]

    def transform(self, element: Element) -> list[str]:
        flags = {"hflip": "1", "vflip": "0", "rotate": "1", "preferuntransformed": "0"}
        self.child(element, "transformations").attrib.update(flags)
        return ["transformations"]

    def terrain(self, element: Element) -> list[str]:
        sets = element.findall("wangsets/wangset")
        if element.find("terraintypes") is not None:  # as in old versions; they become a Wang set
            return []
        for one in sets:
            one.set("name", "w & ö")
            for color in one.findall("wangcolor"):
                color.set("probability", "0.25")
        return ["wang_sets"] if sets else []

    def edit_tile(self, element: Element, number: int) -> None:
        tiles = [one for one in element.findall("tile") if one.get("id") == str(number)]
        tile = tiles[0] if tiles else SubElement(element, "tile", id=str(number))
        tile.set("class" if tile.get("class") and not tile.get("type") else "type", "ü & t")
        tile.set("probability", self.chance.choice(["0", "2.5"]))
        own = self.child(tile, "properties")
        for old in [one for one in own if one.get("name") == "n"]:
            own.remove(old)
        SubElement(own, "property", name="n", type="int", value="5")
        for old in tile.findall("animation"):
            tile.remove(old)
        frames = SubElement(tile, "animation")
        for milliseconds in ("100", "250"):
            SubElement(frames, "frame", tileid=str(number), duration=milliseconds)

    @staticmethod
    def child(element: Element, tag: str) -> Element:
        found = element.find(tag)
        return SubElement(element, tag) if found is None else found

    def number(self) -> str:
        return f"{self.chance.randrange(4, 400) / 4:g}"

    def move(self, element: Element) -> Given:
        self.moves += 1  # no two objects come to one y, where their order is a matter of taste
        y = float(self.number()) + self.moves / 4096
        element.attrib.update(x=self.number(), y=repr(y))
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


def tiles_of(tileset: Tileset) -> list[int]:
    return [number for number in range(tileset.tile_count) if tileset.has_tile(number)]


def edit_by_hand(tree: Element, chance: random.Random, base: TileMap) -> Hand:
    hand = Hand(chance)
    shown = {item.gid for item in base.objects()}
    for place, element in enumerate(tree.findall("tileset")):
        tileset = base.tilesets.as_written[place]
        if "source" not in element.attrib and not tileset.missing:
            gids = range(tileset.first_gid, tileset.end_gid)
            hand.edit_tileset(element, place, tiles_of(tileset), not shown.isdisjoint(gids))
    for element in objects_of(tree):
        if chance.random() < 0.6:
            hand.edit(element)
    within = {id(one) for part in (*tree.iter("group"), *tree.iter("tile")) for one in part.iter()}
    for place, element in enumerate(leaf_layers(tree)):
        if id(element) not in within:
            hand.set(element, place)
    for number, element in enumerate(tree.iter("group")):
        element.attrib.update(offsetx=str(number + 3.5), offsety="-2", tintcolor="#804020")
        if number % 2:
            element.set("locked", "1")
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
        if number % 2:
            tile_map.set_group(group, locked=True)
    follow_tilesets(tile_map, twin, hand)


def follow_tilesets(tile_map: TileMap, twin: TileMap, hand: Hand) -> None:
    for place, names in hand.tilesets.items():
        own, other = (one.tilesets.as_written[place] for one in (tile_map, twin))
        for name in names:
            setattr(own, name, getattr(other, name))
    for place, number in hand.tiles:
        own, other = (one.tilesets.as_written[place] for one in (tile_map, twin))
        own.edit_tile(
            number, class_name=other.tile_class(number), animation=other.animation(number),
            properties=other.tile_properties(number), probability=other.tile_probability(number),
        )  # fmt: skip


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
    if element.tag in ("object", "tileset", "tile", "properties", "wangset"):  # in any order
        inner.sort(key=lambda one: str((one[0], one[1].get("id"), one[1].get("name"))))
    return element.tag, attributes, (element.text or "").strip(), inner


def differences(one: tuple[Any, ...], other: tuple[Any, ...]) -> Iterator[str]:
    """Where two values of `plain` differ; pytest would take minutes to tell."""
    if one[:3] != other[:3] or len(one[3]) != len(other[3]):
        yield f"{one!r:.400}\nis not\n{other!r:.400}"
    for pair in zip(one[3], other[3], strict=False):
        yield from differences(*pair)


@SMALL
def test_objects_and_groups_equal_those_of_a_twin(tmp_path, row):
    base = tmp_path / "base.tmx"
    load_map(file_of(row)).save(base)
    chance = random.Random(row["path"])
    tree = parse(base).getroot()
    hand = edit_by_hand(tree, chance, load_map(base))
    ElementTree(tree).write(tmp_path / "twin.tmx")
    tile_map, twin = load_map(base), load_map(tmp_path / "twin.tmx")
    shifted(twin, tile_map)
    follow(tile_map, twin, hand)
    tile_map.save(tmp_path / "saved.tmx")
    twin = load_map(tmp_path / "twin.tmx")
    again = rounded(load_map(tmp_path / "saved.tmx"))
    assert_equal(again, rounded(twin))
    assert_equal(rounded(tile_map), again)
    saved = parse(tmp_path / "saved.tmx").getroot()
    assert not list(differences(plain(saved), plain(tree)))[:1]
    check_json(tmp_path, row, twin, hand)


def map_with(path: Path) -> tuple[TileMap, Tileset]:
    """An empty map, and the tileset of a file in it."""
    tile_map = TileMap.new(1, 1, (16, 16))
    return tile_map, tile_map.add_tileset(path)


def has_tileset_file(row: dict[str, str]) -> bool:
    """Whether a map refers to the file of a tileset that is there."""
    path = file_of(row)
    names = re.findall(rb'<tileset[^>]* source="([^"]+\.(?:ts[xj]|json|xml))"', path.read_bytes())
    return any((path.parent / os.fsdecode(name)).is_file() for name in names)


@each([row for row in CHOSEN if has_tileset_file(row)])
def test_a_tileset_with_a_file_of_its_own_equals_that_of_a_twin(tmp_path, row):
    tilesets = load_map(file_of(row)).tilesets
    known = [one for one in tilesets if one.path is not None and not one.missing]
    chance = random.Random(row["path"])
    tileset = chance.choice(known)
    for name in ("base.tsx", "base.tsj"):
        tileset.save(tmp_path / name)
    tree, hand = parse(tmp_path / "base.tsx").getroot(), Hand(chance)
    hand.edit_tileset(tree, 0, tiles_of(tileset), is_shown=False)
    ElementTree(tree).write(tmp_path / "twin.tsx")
    twin, edited = map_with(tmp_path / "twin.tsx")
    for name in ("base.tsx", "base.tsj"):
        tile_map, own = map_with(tmp_path / name)
        follow_tilesets(tile_map, twin, hand)
        own.save(tmp_path / name)
        assert tileset_facts(own) == tileset_facts(edited)
        assert tileset_facts(map_with(tmp_path / name)[1]) == tileset_facts(edited)
    saved = parse(tmp_path / "base.tsx").getroot()
    assert not list(differences(plain(saved), plain(tree)))[:1]


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
    again = rounded(load_map(folder / "saved.tmj"))
    assert_equal(again, twin)
