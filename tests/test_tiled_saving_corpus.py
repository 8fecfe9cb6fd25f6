"""Real maps: what was not changed is saved byte for byte, and what was changed is all that is."""

from __future__ import annotations

import filecmp
import os
import random
from hashlib import sha1
from pathlib import Path

import numpy as np
import pytest

from tests.corpus import each, rows
from tests.share import share
from tilequad.tiled import (
    MapError,
    MapObject,
    ObjectLayer,
    ObjectRef,
    Properties,
    TileLayer,
    TileMap,
    load_map,
)

pytestmark = pytest.mark.corpus
HAS_CLASSES = "finite_pointy_top_odd.tmx"  # JSON does not tell the types of their members
MAPS = each(share(rows(), 8))


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """Do not wait for the disk: these tests save thousands of maps."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def facts(tile_map: TileMap) -> list[object]:
    """All that a game can see of a map, in values that can be compared."""
    found: list[object] = [tile_map.properties, tile_map.bounds, tile_map.background_color]
    for tileset in tile_map.tilesets:
        inside_tiled = tileset.missing and ":" in str(tileset.path)  # such as :/automap-tiles.tsx
        found.append((tileset.first_gid, tileset.name, inside_tiled or tileset.path))
    pictures = [tileset.picture for tileset in tile_map.tilesets]
    pictures += [tile.picture for tileset in tile_map.tilesets for tile in tileset.tiles.values()]
    found += [picture and picture.path for picture in pictures]
    for layer in tile_map.layers:
        found += [layer.name, layer.visible, layer.opacity, layer.offset, layer.properties]
        if isinstance(layer, TileLayer):
            ids = layer.ids()
            found += [
                layer.cells(ids).tolist(),
                layer.gids(ids).tolist(),
                layer.flags(ids).tolist(),
            ]
        elif isinstance(layer, ObjectLayer):
            for item in layer.objects:
                found.append({**vars(item), "points": item.points.tolist(), "template": None})
        else:
            found.append(layer.image_path)
    return found


def assert_equal(one: TileMap, other: TileMap) -> None:
    """Compare the facts one by one: pytest would take minutes to show how long lists differ."""
    for here, there in zip(facts(one), facts(other), strict=True):
        if here != there:
            raise AssertionError(f"{here!r:.300} is not {there!r:.300}")


def tile_layers(tile_map: TileMap) -> list[TileLayer]:
    return [layer for layer in tile_map.layers if isinstance(layer, TileLayer)]


def lines_changed(before: bytes, after: bytes) -> int:
    """How many lines differ between files with the same number of lines."""
    one, other = before.split(b"\n"), after.split(b"\n")
    assert len(one) == len(other)
    return sum(a != b for a, b in zip(one, other, strict=True))


@MAPS
def test_an_untouched_map_is_saved_byte_for_byte(corpus, tmp_path, row):
    path = corpus / row["path"]
    tile_map = load_map(path)
    target = tmp_path / path.name
    tile_map._source = replace_folder(tile_map, tmp_path)
    tile_map.save(target)
    assert filecmp.cmp(target, path, shallow=False)


def replace_folder(tile_map: TileMap, folder: Path):
    """The source of a map, as if its file were in another folder, so that no path is changed."""
    source = tile_map._source
    assert source is not None
    path = source.path
    (folder / source.name).write_bytes(path.read_bytes())
    return type(source)(os.fspath(folder), source.name, source.digest, source.kept, source.cuts)


@MAPS
def test_saved_into_another_folder_it_loads_equal(corpus, tmp_path, row):
    path = corpus / row["path"]
    tile_map = load_map(path)
    tile_map.save(tmp_path / path.name)
    assert_equal(load_map(tmp_path / path.name), tile_map)


@MAPS
def test_a_changed_tile_is_the_only_change(corpus, tmp_path, row):
    path = corpus / row["path"]
    tile_map = load_map(path)
    tile_map._source = replace_folder(tile_map, tmp_path)
    target = tmp_path / f"new-{path.name}"
    chance = random.Random(row["path"])
    for layer in tile_layers(tile_map):
        ids = layer.ids()
        if not len(ids):
            continue
        some = ids[chance.randrange(len(ids))]
        [[column, line]] = layer.cells([some]).tolist()
        gid, flags = layer.gid_of(column, line), int(layer.flags([some])[0])
        if not (0 <= column < tile_map.size[0] and 0 <= line < tile_map.size[1]) and (
            not tile_map.infinite
        ):
            continue
        layer.set_tile(column, line, gid, flags ^ 8)
        tile_map.save(target)
        assert lines_changed(path.read_bytes(), target.read_bytes()) == 1
        changed = load_map(target, root=None)
        again = tile_layers(changed)[tile_layers(tile_map).index(layer)]
        assert np.array_equal(again.ids(), layer.ids())
        assert np.array_equal(again.gids(ids), layer.gids(ids))
        assert np.array_equal(again.flags(ids), layer.flags(ids))
        layer.set_tile(column, line, gid, flags)
        tile_map.save(target)
        assert filecmp.cmp(target, path, shallow=False)


@MAPS
def test_cells_are_encoded_anew_if_the_file_is_gone(corpus, tmp_path, row):
    path = corpus / row["path"]
    tile_map = load_map(path)
    tile_map._source = replace_folder(tile_map, tmp_path)
    (tmp_path / path.name).unlink()
    tile_map.save(tmp_path / path.name)
    first = sha1((tmp_path / path.name).read_bytes()).digest()
    for layer, other in zip(
        tile_layers(tile_map), tile_layers(load_map(tmp_path / path.name)), strict=True
    ):
        assert np.array_equal(layer.ids(), other.ids())
        assert np.array_equal(layer.gids(layer.ids()), other.gids(other.ids()))
    tile_map.save(tmp_path / path.name)  # it has begun anew
    assert sha1((tmp_path / path.name).read_bytes()).digest() == first


@MAPS
def test_a_map_is_equal_in_the_other_format_and_back(corpus, tmp_path, row):
    path = corpus / row["path"]
    tile_map = load_map(path)
    try:
        tile_map.save(tmp_path / "other.tmj")
    except MapError as problem:
        if "has an embedded image" not in problem.reason:
            raise
        return
    other = load_map(tmp_path / "other.tmj")
    other.save(tmp_path / "back.tmx")
    assert_equal(load_map(tmp_path / "back.tmx"), other)
    if path.name != HAS_CLASSES:
        assert_equal(other, tile_map)


@MAPS
def test_json_is_changed_in_place(corpus, tmp_path, row):
    """Saved untouched it is equal; a changed tile is one word; edits are read again."""
    source, target = tmp_path / "map.tmj", tmp_path / "new.tmj"
    try:
        load_map(corpus / row["path"]).save(source)
    except MapError as problem:
        if "has an embedded image" not in problem.reason:
            raise
        return
    tile_map = load_map(source)
    tile_map.save(target)
    assert filecmp.cmp(source, target, shallow=False)
    chance = random.Random(row["path"])
    words = source.read_text().replace('"', " ").split()
    for layer in tile_layers(tile_map):
        cells = layer.cells(layer.ids())
        if not tile_map.infinite:
            cells = cells[((cells >= 0) & (cells < tile_map.size)).all(axis=1)]
        if not len(cells):
            continue
        column, line = cells[chance.randrange(len(cells))].tolist()
        gid, flags = layer.gid_of(column, line), int(layer.flags([layer.id_of(column, line)])[0])
        layer.set_tile(column, line, gid, flags ^ 8)
        tile_map.save(target)
        new = target.read_text().replace('"', " ").split()
        assert sum(one != other for one, other in zip(words, new, strict=True)) == 1
        layer.set_tile(column, line, gid, flags)
        tile_map.save(target)
        assert filecmp.cmp(source, target, shallow=False)
    edit_at_random(tile_map, chance)
    tile_map.save(target)
    for here, there in zip(seen(load_map(target)), seen(tile_map), strict=True):
        if here != there:
            raise AssertionError(f"{here!r:.300} is not {there!r:.300}")


def edit_at_random(tile_map: TileMap, chance: random.Random) -> None:
    """Change settings, properties and objects here and there."""
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
    for layer in tile_map.layers:
        found += [layer.name, layer.visible, round(layer.opacity, 9), layer.properties]
        objects = layer.objects if isinstance(layer, ObjectLayer) else []
        found += sorted(map(seen_object, objects))
    return found


@MAPS
def test_random_edits_are_read_again(corpus, tmp_path, row):
    path = corpus / row["path"]
    tile_map = load_map(path)
    edit_at_random(tile_map, random.Random(row["path"]))
    tile_map.save(tmp_path / path.name)
    for here, there in zip(seen(load_map(tmp_path / path.name)), seen(tile_map), strict=True):
        if here != there:
            raise AssertionError(f"{here!r:.300} is not {there!r:.300}")
