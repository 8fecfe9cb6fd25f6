"""Bad input: a MapError that names file and reason, or a warning if Tiled only warns."""

from __future__ import annotations

import base64
import gzip
import pickle
import warnings
import zlib
from pathlib import Path

import pytest

from tests.tmx import TILESET, csv_layer, map_text, write_map, write_world
from tilequad.draw.pillow import render
from tilequad.tiled import MapError, load_map, load_world

GROUND = csv_layer("ground", [[1, 2]])


def refused(path: Path, **options: object) -> str:
    """The one line of the error."""
    with pytest.raises(MapError) as caught:
        load_map(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert str(caught.value) == f"{caught.value.path}: {caught.value.reason}"
    return str(caught.value)


def test_a_missing_file(tmp_path):
    assert refused(tmp_path / "no.tmx") == f"{tmp_path / 'no.tmx'}: no such file"


def test_a_folder(tmp_path):
    assert "is a folder" in refused(tmp_path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("just words", "is not XML"),
        ("<map><layer></map>", "is not XML"),
        ("<html><body/></html>", "is not a map: the outermost element is <html>"),
        ('<tileset name="t"/>', "is not a map: the outermost element is <tileset>"),
        ("<map><layer>", "ends too early, in line 1"),
        ("<map>\n<layer name='gro", "ends too early, in line 2"),
        ("{", "ends too early, in line 1"),
        ('{"layers": [\n{"name": "gro', "ends too early, in line 2"),
        ('{"layers": [{"visible": tr', "ends too early, in line 1"),
        ('{"layers": [{"visible": maybe', "is not JSON"),
        ('{"a": 1}', "is not a map: no member of the JSON is one of Tiled's"),
        ('{"name": "t", "tiles": []}', "is not a map: the JSON is a tileset"),
        ('{"type": "tileset"}', "is not a map"),
        ('{"type": "world", "maps": []}', "is a world, not a map: it has no maps"),
        (
            '{"maps": [{"fileName": "a.tmx"}], "patterns": [{"regexp": "b.*"}]}',
            "is a world, not a map: its maps are a.tmx, those like b.*",
        ),
        ('{"maps": [7, {"x": 1}], "patterns": 3}', "is a world, not a map: its maps are None"),
        ("<map/>", "cells of 0 x 0 pixels"),
        ('<map width="x" height="1" tilewidth="1" tileheight="1"/>', "width='x'"),
        ('<map width="nan" height="1" tilewidth="1" tileheight="1"/>', "width='nan'"),
        ('<map width="-1" height="1" tilewidth="1" tileheight="1"/>', "-1 x 1 cells"),
    ],
)
def test_a_file_that_is_not_a_map(tmp_path, text, reason):
    path = tmp_path / "map.tmx"
    path.write_text(text)
    message = refused(path)
    assert message.startswith(f"{path}: ")
    assert reason in message


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.tmj", "hello", "is not JSON"),
        ("a.json", "", "is empty"),
        ("a.tmj", "<hello>", "ends too early"),
    ],
)
def test_a_broken_file_is_called_by_its_format(tmp_path, name, text, reason):
    path = tmp_path / name
    path.write_text(text)
    assert f"{name}: {reason}" in refused(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a PNG picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "is a JPEG picture"),
        (gzip.compress(b"<map/>", mtime=0), "is compressed with gzip"),
        (b"{\0\x01\x02", "is a binary file, not a file of Tiled"),
        (bytes(range(256)), "is a binary file, not a file of Tiled"),
        (b"\xef\xbb\xbf \n", "is empty"),
        ('{"name": "é'.encode()[:-1], "ends too early, in line 1"),
        ("words of UTF-16".encode("utf-16"), "is not XML"),
    ],
)
@pytest.mark.parametrize("suffix", [".tmx", ".tmj"])
def test_a_file_that_is_no_text(tmp_path, data, reason, suffix):
    path = tmp_path / f"map{suffix}"
    path.write_bytes(data)
    if suffix == ".tmj":
        reason = reason.replace("XML", "JSON")
    assert f"map{suffix}: {reason}" in refused(path)


def test_a_line_ends_somewhere(tmp_path):
    layer = csv_layer("ground", [[1]]).replace('"csv"', f'"{"x" * 100_000}"')
    message = refused(write_map(tmp_path, TILESET, layer))
    assert "layer 'ground': unknown encoding 'xxx" in message
    assert message.endswith("xxx'")
    assert len(message) <= 301

    with pytest.raises(MapError) as caught:
        load_map("there/" * 7_000 + "map.tmx")
    message = str(caught.value)
    assert "there/map.tmx: " in message
    assert len(message) <= 301


def test_an_encoding_of_which_python_warns(tmp_path):
    path = tmp_path / "map.tmx"
    path.write_text('<?xml version="1.0" encoding="unicode_escape"?><map/>')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "has the encoding 'unicode_escape'" in refused(path)


@pytest.mark.parametrize(
    ("pattern", "names"), [(r"[[:alpha:]]_(\d+)_(\d+)\.tmx", ["a_1_2.tmx"]), ("[a--b]", None)]
)
def test_a_pattern_of_which_python_warns(tmp_path, pattern, names):
    pytest.importorskip("regex")
    (tmp_path / "a_1_2.tmx").touch()
    path = write_world(tmp_path, {"patterns": [{"regexp": pattern, "multiplierX": 9}]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if names is None:
            with pytest.raises(MapError, match=r"the pattern '\[a--b\]' is invalid"):
                load_world(path)
        else:
            assert [entry.path.name for entry in load_world(path).maps] == names


def test_an_unknown_orientation(tmp_path):
    path = write_map(tmp_path, attributes='orientation="bogus"')
    assert "unknown orientation 'bogus'" in refused(path)


def test_tiles_without_a_tileset(tmp_path):
    message = refused(write_map(tmp_path, GROUND))
    assert message.endswith("map.tmx: layer 'ground': has tiles, but the map has no tileset")


def test_a_gid_below_the_first_tileset(tmp_path):
    late = TILESET.replace('firstgid="1"', 'firstgid="10"')
    assert "the gid 3 belongs to no tileset" in refused(
        write_map(tmp_path, late, csv_layer("ground", [[3, 10]]))
    )


@pytest.mark.parametrize("tileset", ["", TILESET.replace('firstgid="1"', 'firstgid="10"')])
def test_an_object_with_a_gid_without_a_tileset(tmp_path, tileset):
    item = '<objectgroup name="o"><object id="7" gid="9"/></objectgroup>'
    path = write_map(tmp_path, tileset, item)
    assert "map.tmx: layer 'o': object 7 has gid 9, unknown to all tilesets" in refused(path)


def test_a_missing_image_is_a_warning_as_in_tiled(tmp_path):
    path = write_map(tmp_path, TILESET, GROUND)
    (tmp_path / "tiles.png").unlink()
    world = load_map(path)
    assert world.warnings == [f"{tmp_path / 'tiles.png'}: tileset 'tiles': the image is missing"]
    assert refused(path, strict=True) == world.warnings[0]


def test_a_missing_tileset_is_a_warning_as_in_tiled(tmp_path):
    path = write_map(tmp_path, '<tileset firstgid="1" source="lost.tsx"/>', GROUND)
    world = load_map(path)
    assert world.warnings == [f"{tmp_path / 'lost.tsx'}: no such file"]
    assert len(world.layer("ground")) == 2
    assert world.layer("ground").boxes([0]).tolist() == [[0, 32, 16, 48]]
    assert refused(path, strict=True) == world.warnings[0]


@pytest.mark.parametrize(("bad", "good"), ["xy", "yx"])
@pytest.mark.parametrize("text", ["1,5", "10px", "nan", "1e99", "99999999999", f"0.{'0' * 1000}"])
def test_text_in_place_of_a_number_is_a_warning_as_in_tiled(tmp_path, text, bad, good):
    layer = GROUND.replace("<layer", f'<layer offsetx="{text}" opacity="{text}"', 1)
    items = f'<object id="1" {bad}="{text}" {good}="8"/>' * 3
    path = write_map(tmp_path, TILESET, layer, f'<objectgroup name="o">{items}</objectgroup>')
    world = load_map(path)
    ground, objects = world.layers
    assert (ground.offset, ground.opacity) == ((0, 0), 1)
    place = (0, 40) if bad == "x" else (8, 48)
    assert [(item.x, item.y) for item in objects.objects] == [place] * 3
    told = f"{path}: layer 'o': <object> has {bad}={text[:40]!r}, which is not a usable number"
    assert [warning for warning in world.warnings if "'o'" in warning] == [told]
    assert "not a usable number" in refused(path, strict=True)


DATA = '<layer name="ground" width="2" height="1"><data {}>{}</data></layer>'
CELLS = (1).to_bytes(4, "little") + (2).to_bytes(4, "little")


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.parametrize(
    ("attributes", "text", "reason"),
    [
        ('encoding="csv"', "1", "2 x 1 cells are declared, the data holds 1"),
        ('encoding="csv"', "1,2,3", "the data holds 3"),
        ('encoding="csv"', "1,2,3,4,5", "more numbers than the 2 cells"),
        ('encoding="csv"', "1,x", "not a list of numbers"),
        ('encoding="csv"', ",1", "not a list of numbers"),
        ('encoding="rot13"', "1,2", "unknown encoding 'rot13'"),
        ('encoding="base64"', b64(CELLS[:7]), "ends within a cell"),
        ('encoding="base64"', b64(CELLS[:4]), "the data holds 1"),
        ('encoding="base64"', b64(CELLS * 2), "more than the 2 cells"),
        ('encoding="base64"', "A", "the data is damaged"),
        ('encoding="base64" compression="lzma"', b64(CELLS), "unknown compression 'lzma'"),
        ('encoding="base64" compression="zlib"', b64(CELLS), "the data is damaged"),
        ('encoding="base64" compression="zstd"', b64(CELLS), "the data is damaged"),
        ('encoding="base64" compression="zlib"', b64(zlib.compress(CELLS * 9)), "more than the 2"),
        (
            'encoding="base64" compression="gzip"',
            b64(gzip.compress(CELLS[:4], mtime=0)),
            "the data holds 1",
        ),
        ("", "<tile gid='1'/>" * 3, "the data holds 3"),
    ],
)
def test_broken_layer_data(tmp_path, attributes, text, reason):
    message = refused(write_map(tmp_path, TILESET, DATA.format(attributes, text)))
    assert "map.tmx: layer 'ground': " in message
    assert reason in message


def test_the_error_is_a_value_error_that_travels(tmp_path):
    error = MapError(tmp_path / "a.tmx", "two\nlines")
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, ValueError)
    assert str(copy) == f"{tmp_path / 'a.tmx'}: two lines"


def test_a_map_is_read_the_same_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "map.tmx"
    path.write_bytes(b"\xef\xbb\xbf" + map_text().encode())
    assert load_map(path).size == (4, 3)


LONG = "x" * 9999
WRONG = {
    "class_name": lambda tile_map: tile_map.layer("g").select(class_name=3),
    "properties": lambda tile_map: tile_map.layer("o").select([LONG]),
    "name": lambda tile_map: tile_map.objects(name=["a"]),
    "observer": lambda tile_map: tile_map.layer("g").observe(object()),
    "gid": lambda tile_map: tile_map.tileset_of(LONG),
    "gid and flags": lambda tile_map: tile_map.layer("g").set_tile(0, 0, LONG),
    "column and row": lambda tile_map: tile_map.layer("g").id_of(0.5, LONG),
    "x and y": lambda tile_map: tile_map.layer("g").tile_at(LONG, 0),
    "path": lambda tile_map: load_map([LONG]),
    "root": lambda tile_map: load_map("a.tmx", root=[LONG]),
    "limits": lambda tile_map: load_map("a.tmx", limits=[LONG]),
    "tile_map": lambda tile_map: render(LONG),
    "layers": lambda tile_map: render(tile_map, layers=[LONG]),
}


@pytest.mark.parametrize("argument", WRONG)
def test_an_argument_of_a_wrong_type_is_named_in_a_short_line(tmp_path, argument):
    objects = '<objectgroup name="o"/>'
    tile_map = load_map(write_map(tmp_path, TILESET, csv_layer("g", [[1]]), objects))
    with pytest.raises(TypeError, match=f"^{argument} must") as problem:
        WRONG[argument](tile_map)
    assert len(str(problem.value)) <= 300


@pytest.mark.parametrize("wrong", [3, LONG, None])
def test_an_unknown_layer_or_object_is_named_in_a_short_line(tmp_path, wrong):
    layers = [csv_layer(f"{number} {'y' * 99}", [[1]]) for number in range(20)]
    tile_map = load_map(write_map(tmp_path, TILESET, *layers))
    for ask in (tile_map.layer, tile_map.object):
        with pytest.raises(KeyError) as problem:
            ask(wrong)
        assert str(wrong)[:9] in str(problem.value)
        assert len(str(problem.value)) <= 300
