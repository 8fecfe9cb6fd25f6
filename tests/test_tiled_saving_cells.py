"""What a save reads, keeps and makes of cells: a changed number is put where the old one was."""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.interrupts import interrupted
from tests.share import WHOLE
from tests.test_tiled_saving import FLIPPED, OBJECTS, cells_of, edited
from tests.tmx import TILESET, write_map
from tests.tmx_cells import ENCODINGS, chunks_of, layer_of
from tilequad.tiled import MapError, TileMap, load_map
from tilequad.tiled.read import cell_data
from tilequad.tiled.write import encodings
from tilequad.tiled.write.encodings import with_numbers

SIDE = 40  # enough cells for JSON to cut their list out of the text
CELLS = [[1 + (x * y) % 4 for x in range(SIDE)] for y in range(SIDE)]


# -- numbers in a text --


@st.composite
def lists_of_numbers(draw: st.DrawFn) -> tuple[list[str], str, dict[int, int]]:
    """The words of a list, with spaces and empty words; what follows the last; and changes."""
    space = st.sampled_from(["", "", " ", "\n", "\r\n  "])
    word = st.one_of(st.just(""), st.integers(0, (1 << 32) - 1).map(str), st.just("-5"))
    words = draw(st.lists(st.tuples(space, word, space).map("".join), min_size=1, max_size=60))
    words[-1] += "" if words[-1].strip() else "0"  # the last one is no empty word
    number = st.integers(0, (1 << 32) - 1)
    places = st.integers(0, len(words) - 1)
    return words, draw(st.sampled_from(["", ",", ",\n"])), draw(st.dictionaries(places, number))


@given(lists_of_numbers(), st.sampled_from([0, 1 << 12]))
def test_numbers_change_in_place_as_in_a_split_text(example, few):
    words, end, changes = example
    places = np.array(sorted(changes), np.int64)
    numbers = np.array([changes[place] for place in sorted(changes)], np.uint32)
    twin = list(words)
    for place, number in changes.items():
        digits = re.sub(r"[^\s]+", str(number), words[place])
        twin[place] = digits if words[place].strip() else words[place] + str(number)
    text = ",".join(words) + end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encodings, "_FEW", few)
        found = with_numbers(text.encode(), len(words), places, numbers)
        assert found is not None
        assert found.decode() == ",".join(twin) + end
        assert with_numbers(text.encode(), len(words) + 2, places, numbers) is None


# -- what is not known is kept, and what is known is not read again --


def unpacked(path: Path) -> list[int]:
    """The cells of the one layer of a map."""
    [text] = re.findall(r"<data[^>]*>([^<]*)</data>", path.read_text())
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u4").tolist()


def test_flip_bits_of_empty_cells_stay(tmp_path):
    layer = layer_of([[1, FLIPPED, 0], [2, 0, 4 << 28]], "base64 zlib")
    path = write_map(tmp_path, TILESET, layer, size=(3, 2))
    tile_map = load_map(path)
    tile_map.layer("ground").set_tile(0, 1, 3)
    tile_map.save(path)
    assert unpacked(path) == [1, FLIPPED, 0, 3, 0, 4 << 28]
    tile_map.layer("ground").set_tile(1, 0, 3)
    tile_map.layer("ground").clear_tile(1, 0)
    before = path.read_bytes()
    tile_map.save(path)
    assert path.read_bytes() == before
    tile_map.layer("ground").set_tile(2, 1, 1)
    tile_map.save(path)
    assert unpacked(path) == [1, FLIPPED, 0, 3, 0, 1]


def test_flip_bits_of_a_newer_file_stay_after_a_reload(tmp_path):
    def write(cells: list[list[int]]) -> Path:
        return write_map(tmp_path, TILESET, layer_of(cells, "base64 zlib"), size=(3, 2))

    tile_map = load_map(write([[1, 0, 0], [2, 0, 0]]))
    path = write([[1, FLIPPED, 0], [2, 3, 0]])
    tile_map.reload()
    tile_map.layer("ground").set_tile(0, 0, 4)
    tile_map.save(path)
    assert unpacked(path) == [4, FLIPPED, 0, 2, 3, 0]


def test_cells_under_those_of_another_chunk_stay(tmp_path):
    chunks = {(0, 0): [[1] * 16] * 16, (8, 0): [[0] * 8 + [2] * 8] * 16}
    layer = chunks_of(chunks, "base64 zlib")
    path = write_map(tmp_path, TILESET, layer, attributes='infinite="1"')
    tile_map = load_map(path)
    tile_map.layer("ground").set_tile(0, 0, 4)
    tile_map.layer("ground").clear_tile(9, 1)
    tile_map.save(path)
    fresh = load_map(path)
    assert cells_of(fresh) == cells_of(tile_map)
    assert fresh.layer("ground").gid_of(0, 0) == 4
    assert fresh.layer("ground").gid_of(9, 1) == 0


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "xml"])
@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
def test_the_cells_of_the_file_are_not_read_again(tmp_path, encoding, suffix, monkeypatch):
    layers = layer_of(CELLS, encoding), layer_of(CELLS, encoding, "other")
    load_map(write_map(tmp_path, TILESET, *layers, size=(SIDE, SIDE))).save(tmp_path / f"x{suffix}")
    tile_map = load_map(tmp_path / f"x{suffix}")
    monkeypatch.setattr(cell_data, "read_block", None)
    monkeypatch.setattr("tilequad.tiled.write.cells.read_block", None)
    tile_map.layer("ground").set_tile(5, 7, 4, 8)
    tile_map.save(tmp_path / f"x{suffix}")
    monkeypatch.undo()
    assert cells_of(load_map(tile_map.path)) == cells_of(tile_map)


@settings(max_examples=60)
@given(edited())
def test_many_edits_remember_what_was_before_as_one_by_one(tmp_path_factory, example):
    path = example.write(tmp_path_factory)
    maps = load_map(path), load_map(path)
    one, many = (tile_map.layer("ground") for tile_map in maps)
    edits = list({edit[:2]: edit for edit in example.edits}.values())
    for column, row, gid, flags in edits:
        if gid:
            one.set_tile(column, row, gid, flags)
        else:
            one.clear_tile(column, row)
    if edits:
        columns, rows, gids, flags = zip(*edits, strict=True)
        many.set_tiles(list(zip(columns, rows, strict=True)), gids, flags)
    assert cells_of(maps[0]) == cells_of(maps[1])
    before = one._tiles.touched, many._tiles.touched
    for square in before[0].keys() & before[1].keys():
        assert np.array_equal(before[0][square], before[1][square])
    # setting what a cell holds already touches it; in bulk, it does not
    was, now = cells_of(load_map(path)), cells_of(maps[1])
    for column, row in was.keys() | now.keys():
        if was.get((column, row)) != now.get((column, row)):
            assert (column >> 4, row >> 4) in before[1]


# -- what a map keeps of the file that it has saved --


@settings(max_examples=60)
@given(edited(), st.sampled_from([".tmx", ".tmj"]), st.booleans())
def test_a_map_keeps_of_its_new_file_what_a_load_would(tmp_path_factory, example, suffix, gone):
    path = example.write(tmp_path_factory, OBJECTS)
    own = path.with_name(f"own{suffix}")
    load_map(path).save(own)
    tile_map = load_map(own)
    example.apply(tile_map)
    if gone:
        tile_map.path.unlink()
    tile_map.save(tile_map.path)
    assert tile_map._source == load_map(tile_map.path)._source
    assert not tile_map.reload_if_changed()


def test_long_texts_are_kept_on_disk_only(tmp_path):
    made = TileMap.new(128, 128, (16, 16))
    made.add_tileset(write_map(tmp_path).with_name("tiles.png"))
    cells = np.random.default_rng(1).integers(1, 5, (128, 128))
    for encoding in ("csv", "base64", "zlib"):
        made.add_tile_layer(encoding, cells, encoding=encoding)
    for name in ("made.tmx", "made.tmj"):
        (made if name == "made.tmx" else load_map(tmp_path / "made.tmx")).save(tmp_path / name)
        tile_map = load_map(tmp_path / name)
        for layer in tile_map.layers:
            layer.set_tile(3, 4, 1 + layer.gid_of(3, 4) % 4)
        tile_map.save(tmp_path / name)
        assert tile_map._source is not None
        assert len(tile_map._source.kept) < 3000
        assert tile_map._source == load_map(tmp_path / name)._source


# -- JSON --


def json_map(folder: Path, **members: Any) -> dict[str, Any]:
    """The content of a .tmj map with a layer of 40 x 40 cells."""
    path = write_map(folder, TILESET, layer_of(CELLS, "csv"), size=(SIDE, SIDE))
    load_map(path).save(folder / "map.tmj")
    return {**json.loads((folder / "map.tmj").read_text()), **members}


@pytest.mark.parametrize("count", [3, 3000])
def test_a_list_that_is_only_named_as_cells_stays(tmp_path, count):
    value = {"data": [1] * count, "more": {"data": "x" * 5000}}
    at = [{"name": "at", "type": "class", "propertytype": "P", "value": value}]
    content = json_map(tmp_path, properties=at)
    content["layers"][0]["properties"] = at
    path = tmp_path / "map.tmj"
    path.write_text(json.dumps(content))
    tile_map = load_map(path)
    tile_map.save(path)
    assert path.read_text() == json.dumps(content)
    tile_map.layer("ground").set_tile(0, 1, 4)
    tile_map.save(path)
    content["layers"][0]["data"][SIDE] = 4
    assert path.read_text() == json.dumps(content)


def test_cells_beside_an_empty_list_of_chunks_are_read_and_saved(tmp_path):
    content = json_map(tmp_path)
    content["layers"][0]["chunks"] = []
    path = tmp_path / "map.tmj"
    path.write_text(json.dumps(content))
    tile_map = load_map(path)
    assert len(tile_map.layer("ground")) == SIDE * SIDE
    tile_map.layer("ground").set_tile(1, 0, 4)
    tile_map.save(path)
    content["layers"][0]["data"][1] = 4
    assert path.read_text() == json.dumps(content)


def test_a_map_made_of_json_has_its_cells_once(tmp_path):
    json_map(tmp_path)
    load_map(tmp_path / "map.tmj").save(tmp_path / "back.tmx")
    text = (tmp_path / "back.tmx").read_text()
    assert "data=" not in text
    assert text.count("1,2,3,4,1,2") > 1
    assert cells_of(load_map(tmp_path / "back.tmx")) == cells_of(load_map(tmp_path / "map.tmj"))


def test_a_stand_in_that_a_file_names_itself_is_refused(tmp_path):
    content = json_map(tmp_path)
    content["properties"] = [{"name": "a", "type": "string", "value": "\0" + "0\0"}]
    (tmp_path / "map.tmj").write_text(json.dumps(content))
    tile_map = load_map(tmp_path / "map.tmj")
    tile_map.layer("ground").set_tile(0, 0, 4)
    with pytest.raises(MapError):
        tile_map.save(tmp_path / "map.tmj")
    assert json.loads((tmp_path / "map.tmj").read_text()) == content


# -- nothing is lost --


@pytest.mark.parametrize("text", ["a\0b", "\x1b", "\ud800", "\uffff"])
@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
def test_a_text_that_no_map_can_hold_is_refused(tmp_path, text, suffix):
    load_map(write_map(tmp_path, TILESET, OBJECTS)).save(tmp_path / f"x{suffix}")
    tile_map = load_map(tmp_path / f"x{suffix}")
    before = tile_map.path.read_bytes()
    tile_map.properties["title"] = text
    with pytest.raises(MapError, match="which no map can hold"):
        tile_map.save(tile_map.path)
    tile_map.properties.clear()
    tile_map.object(3).name = text
    with pytest.raises(MapError, match="which no map can hold"):
        tile_map.save(tile_map.path)
    assert tile_map.path.read_bytes() == before
    tile_map.object(3).name = "box"
    tile_map.save(tile_map.path)
    assert load_map(tile_map.path).object(3).name == "box"


STEP = 1 if WHOLE else 61  # places from one interrupt to the next


# Python only reports what is raised while a generator is closed.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
def test_a_save_that_is_interrupted_loses_nothing(tmp_path, suffix):
    group = f'<group name="g">{layer_of([[1, 2]], "base64 zlib")}</group>'
    load_map(write_map(tmp_path, TILESET, group, OBJECTS)).save(tmp_path / f"x{suffix}")
    path = tmp_path / f"x{suffix}"
    old = path.read_bytes()

    def edit(number: int) -> TileMap:
        path.write_bytes(old)
        tile_map = load_map(path)
        tile_map.add_tile_layer("more", np.full((3, 4), 2), group=tile_map.groups[0])
        tile_map.layer("ground").set_tile(1, 0, 3)
        tile_map.object(3).name = str(number)
        return tile_map

    for place in count(1, STEP):
        tile_map = edit(1)
        tile_map.save(path)
        new = path.read_bytes()
        tile_map = edit(1)
        if not interrupted(lambda saving=tile_map: saving.save(path), place):
            break
        assert path.read_bytes() in (old, new), place
        tile_map.save(path)
        fresh = load_map(path)
        assert [layer.name for layer in fresh.layers] == ["ground", "more", "things"], place
        assert cells_of(fresh) == {(0, 0): 1, (1, 0): 3}, place
        assert fresh.object(3).name == "1", place
        tile_map.layer("more").set_tile(0, 0, 4)
        tile_map.save(path)
        assert load_map(path).layer("more").gid_of(0, 0) == 4, place
    assert place > 500
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]
