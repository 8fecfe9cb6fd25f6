"""Hostile maps: each known attack ends in one line of error, soon and without much memory."""

from __future__ import annotations

import base64
import json
import os
import time
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image, ImageFile

from tests.calls import noted
from tests.memory import at_most
from tests.tmx import TILESET, csv_layer, map_text, write_json, write_map, write_tiles, write_world
from tests.tmx_cells import PACKERS
from tilequad.draw.pillow import render
from tilequad.tiled import Limits, MapError, load_map, load_world
from tilequad.tiled.context import LoadContext
from tilequad.tiled.read import documents

pytestmark = pytest.mark.slow
MOST_MEMORY = 100 * 2**20  # bytes; an attack must stay below


def refused(path: Path, **options: object) -> str:
    """The one line of a refusal, which takes little memory."""
    with at_most(MOST_MEMORY), pytest.raises(MapError) as caught:
        load_map(path, **options)  # type: ignore[arg-type]
    return str(caught.value)


def layer(data: str, attributes: str = "") -> str:
    """A layer of one cell with its data as they are."""
    return f'<layer name="g" width="1" height="1" {attributes}>{data}</layer>'


def chunk(x: int, size: int) -> str:
    return f'<chunk x="{x}" y="0" width="{size}" height="{size}">1</chunk>'


def polygon(point: str) -> str:
    points = f'<polygon points="0,0 {point} 1,1"/>'
    return f'<objectgroup name="o"><object id="1">{points}</object></objectgroup>'


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
DUST = '<tileset firstgid="1" name="dust" tilewidth="1" tileheight="1"{}><image source="{}" {}/>'
MANY = "".join(f'<property name="p{number}" value="x"/>' for number in range(20_000))
MANY_OF_A_TILE = f'<tile id="0"><properties>{MANY}</properties></tile></tileset>'
OBJECTS_OF_IT = "<objectgroup>" + '<object gid="1"/>' * 20_000 + "</objectgroup>"
ELSEWHERE = ("4294967295", "-2147483648")
CHUNKS = "".join(chunk(5000 * number, 5000) for number in range(4))
EMBEDDED = '<imagelayer><image format="png"><data encoding="base64">é</data></image></imagelayer>'
JSON_LAYERS = '{"type": "map", "layers": '
JSON_GROUPS = '[{"type": "group", "layers": ' * 300 + "[]" + "}]" * 300

ATTACKS = {  # why maps are refused, and such maps
    "declares the entity 'l0'": [
        f'<!DOCTYPE map [<!ENTITY l0 "lol">{LAUGHS}]><map name="&l9;"/>',
    ],
    "entities are not expanded": [
        f'<!DOCTYPE map [<!ENTITY a "{"a" * 50_000}">]><map>{"&a;" * 50_000}</map>',
    ],
    "declares the entity 'f'": [
        '<!DOCTYPE map [<!ENTITY f SYSTEM "file:///etc/passwd">]><map>&f;</map>',
    ],
    "declares the attribute 'a' of <property>": [
        f'<!DOCTYPE map [<!ATTLIST property a CDATA "{"x" * 100_000}">]>'
        f"<map><properties>{'<property/>' * 50_000}</properties></map>",
    ],
    "nest deeper than the limit of 64": [map_text("<group>" * 100_000, "</group>" * 100_000)],
    "nest too deeply": [JSON_LAYERS + JSON_GROUPS + "}"],
    "is not JSON": [JSON_LAYERS + "[" * 100_000 + "]" * 100_000 + "}"],
    "limit of 1048576 elements": [
        JSON_LAYERS + "[" + "[]," * 2_000_000 + "[]]}",
        map_text(TILESET.replace("</tileset>", MANY_OF_A_TILE), OBJECTS_OF_IT),
    ],
    "is not a map": [
        json.dumps({"type": kind, "layers": []}) for kind in (["map"], {"map": 1}, 5, "castle")
    ],
    "the data holds 1": [map_text(layer(f'<data encoding="csv">{CHUNKS}</data>'))],
    "out of all bounds": [
        map_text(layer(f'<data encoding="csv">{chunk(2147483647, 1)}</data>')),
        *[map_text(layer('<data encoding="csv">1</data>', f'x="{x}"')) for x in ELSEWHERE],
        *[map_text(polygon(point)) for point in ("1e200,0", "0,-1e200", "1e10,5")],
    ],
    "tileset 'dust': has more than the limit of": [
        map_text(DUST.format("", "lost.png", 'width="3000" height="3000"'), "</tileset>"),
    ],
    "the data is damaged": [map_text(layer('<data encoding="base64">é</data>'))],
    "an embedded image is not base64": [map_text(EMBEDDED)],
}


@pytest.mark.parametrize("limit", [1 << 20, 90])  # of elements: below it, they are counted later
@pytest.mark.parametrize(("depth", "is_refused"), [(63, False), (64, True)])
def test_groups_nest_up_to_a_limit(tmp_path, limit, depth, is_refused):
    path = tmp_path / "map.tmx"
    path.write_text(map_text("<group>" * depth, "</group>" * depth))
    limits = Limits(elements=limit)
    assert (path.stat().st_size > 4 * limit) == (limit == 90)
    if is_refused:
        assert "nest deeper than the limit of 64" in refused(path, limits=limits)
    else:
        load_map(path, limits=limits)


def test_elements_of_small_files_count_together(tmp_path):
    many = "<properties>" + "<a/>" * 600 + "</properties>"
    (tmp_path / "tiles.tsx").write_text(
        f'<tileset name="t" tilewidth="16" tileheight="16" tilecount="1">{many}</tileset>'
    )
    path = tmp_path / "map.tmx"
    path.write_text(map_text('<tileset firstgid="1" source="tiles.tsx"/>', many))
    assert max(one.stat().st_size for one in tmp_path.iterdir()) < 4 * 1000
    assert "more than the limit of 1000 elements" in refused(path, limits=Limits(elements=1000))
    load_map(path, limits=Limits(elements=1300))


@pytest.mark.parametrize("reason", ATTACKS)
def test_what_attacks_by_its_text_is_refused(tmp_path, reason):
    for text in ATTACKS[reason]:
        path = tmp_path / ("map.tmj" if text.startswith("{") else "map.tmx")
        path.write_text(text, encoding="utf-8")
        assert reason in refused(path)


def test_a_doctype_alone_is_what_old_maps_have(tmp_path):
    text = '<!DOCTYPE map SYSTEM "http://mapeditor.org/dtd/1.0/map.dtd">'
    size = 'width="1" height="1" tilewidth="1" tileheight="1"'
    path = tmp_path / "map.tmx"
    path.write_text(f"{text}<map {size}/>")
    assert load_map(path).size == (1, 1)


@pytest.mark.parametrize("compression", [name for name in PACKERS if name])
def test_a_decompression_bomb_stops_at_the_size_of_the_layer(tmp_path, compression):
    bomb = base64.b64encode(PACKERS[compression](bytes(150 * 2**20))).decode()
    data = f'<data encoding="base64" compression="{compression}">{bomb}</data>'
    path = write_map(tmp_path, TILESET, f'<layer name="g" width="2" height="2">{data}</layer>')
    assert "the data holds more than the 4 cells declared" in refused(path)


@pytest.mark.parametrize("compression", PACKERS)
def test_a_layer_that_declares_far_more_than_it_holds(tmp_path, compression):
    text = base64.b64encode(PACKERS[compression](bytes(16))).decode()
    data = f'<data encoding="base64" compression="{compression}">{text}</data>'
    for size, reason in ((8000, "the data holds 4"), (100_000_000, "beyond the limit")):
        layer = f'<layer name="g" width="{size}" height="{size}">{data}</layer>'
        assert reason in refused(write_map(tmp_path, TILESET, layer))


@pytest.mark.parametrize("size", [(10**9, 0), (0, 10**9), (5 * 10**8, 0)])
def test_a_width_without_a_height_takes_no_memory(tmp_path, size):
    declared = f'width="{size[0]}" height="{size[1]}"'
    chunk = f'<chunk x="0" y="0" {declared}></chunk>' if max(size) < 1 << 29 else ""
    layer = f'<layer name="g" {declared}><data encoding="csv">{chunk}</data></layer>'
    path = write_map(tmp_path, TILESET, layer)
    with at_most(1 << 22):
        assert len(load_map(path).layers[0]) == 0


def test_many_layers_share_one_limit(tmp_path):
    path = write_map(tmp_path, TILESET, *[csv_layer("g", [[1, 1]])] * 3)
    assert len(load_map(path, limits=Limits(cells=6)).layers) == 3
    assert "go beyond the limit of 5 in one map" in refused(path, limits=Limits(cells=5))


def test_a_layer_without_data_does_not_drown_pytmx(tmp_path):
    world = load_map(write_map(tmp_path, '<layer name="g" width="100000" height="100000"/>'))
    with pytest.raises(MapError, match="100000 x 100000 cells"):
        _ = world.tmx


def test_an_image_of_millions_of_tiles_does_not_drown_pytmx(tmp_path):
    tiles = DUST.format(' tilecount="4" columns="2"', "tiles.png", 'width="2" height="2"')
    path = write_map(tmp_path, tiles + "</tileset>", csv_layer("g", [[1]]))
    Image.new("1", (4000, 4000)).save(tmp_path / "tiles.png")
    world = load_map(path)
    with pytest.raises(MapError, match="16000000 tiles"):
        _ = world.tmx


@pytest.mark.parametrize(
    "attribute", ['layers="x"', 'reload_images="x"', 'filename="/etc/x.tmx"', 'properties="x"']
)
def test_attributes_of_a_map_do_not_set_attributes_of_objects(tmp_path, attribute):
    path = write_map(tmp_path, TILESET, csv_layer("g", [[1]], attribute), attributes=attribute)
    world = load_map(path)
    assert world.path == path
    assert len(world.layers) == 1
    assert world.tmx.filename == str(path)
    assert len(list(world.tmx.layers)) == 1


def referring(folder: Path, reference: str) -> list[Path]:
    """Maps that refer to a file in each way that a map can."""
    folder.mkdir()
    parts = (
        f'<tileset firstgid="1" source="{reference}"/>',
        TILESET.replace("tiles.png", reference),
        f'<imagelayer name="i"><image source="{reference}"/></imagelayer>',
        f'<objectgroup name="o"><object template="{reference}"/></objectgroup>',
    )
    maps = [folder / f"{number}.tmx" for number in range(len(parts))]
    for path, part in zip(maps, parts, strict=True):
        path.write_text(map_text(part), encoding="utf-8")
    return maps


@pytest.mark.parametrize("rooted", [True, False])
@pytest.mark.parametrize(
    "reference",
    [
        "{}",
        "C:\\secret.tsx",
        "\\\\server\\share.tsx",
        "http://example.com/a.tsx",
        "file://{}",
        "FILE:{}",
    ],
)
def test_absolute_paths_and_urls_are_never_opened(tmp_path, monkeypatch, reference, rooted):
    secret = tmp_path / "secret"
    secret.write_text("<tileset/>")
    opened = noted(monkeypatch, os, "open")
    maps = referring(tmp_path / "maps", reference.format(secret))
    for path in maps:
        world = load_map(path, root=tmp_path if rooted else None)
        assert ["not relative to the map" in warning for warning in world.warnings] == [True]
        render(world)
        _ = world.tmx
        assert len(world.warnings) == 1
        assert "not relative to the map" in refused(path, strict=True)
    assert set(opened) == set(maps)


def test_a_reference_with_backslashes_does_not_lead_out(tmp_path):
    for path in referring(tmp_path / "maps", "a\\..\\..\\..\\secret.tsx"):
        assert "outside the root" in refused(path, root=path.parent)


@pytest.fixture
def inner(tmp_path):
    """A folder of maps beside which other files lie."""
    (tmp_path / "maps").mkdir()
    return tmp_path / "maps"


def test_references_may_climb_unless_there_is_a_root(tmp_path, inner):
    write_tiles(tmp_path / "tiles.png")
    climbing = TILESET.replace("tiles.png", "../tiles.png")
    path = write_map(inner, climbing, csv_layer("g", [[1]]))
    assert load_map(path).warnings == []
    assert load_map(path, root=tmp_path).warnings == []
    assert "outside the root" in refused(path, root=inner)


def test_a_map_outside_the_root_is_refused(tmp_path, inner):
    assert "outside the root" in refused(write_map(tmp_path), root=inner)


def test_a_symbolic_link_does_not_lead_out(tmp_path, inner):
    write_tiles(tmp_path / "secret.png")
    (tmp_path / "secret.tsx").write_text('<tileset name="t" tilewidth="1" tileheight="1"/>')
    path = write_map(inner, TILESET, csv_layer("g", [[1]]))
    (inner / "tiles.png").unlink()
    os.symlink("../secret.png", inner / "tiles.png")
    assert "outside the root" in refused(path, root=inner)
    os.symlink("../secret.tsx", inner / "more.tsx")
    path = write_map(inner, '<tileset firstgid="1" source="more.tsx"/>')
    assert "outside the root" in refused(path, root=inner)
    os.symlink("loop.tsx", inner / "loop.tsx")
    path = write_map(inner, '<tileset firstgid="1" source="loop.tsx"/>')
    assert "outside the root" in refused(path, root=inner)
    path = write_map(inner, '<tileset firstgid="1" source="loop.tsx/more.tsx"/>')
    assert "outside the root" in refused(path, root=inner)


def test_a_link_made_after_the_map_was_opened_is_not_followed_either(tmp_path, inner):
    write_tiles(tmp_path / "secret.png")
    path = write_map(inner, TILESET, csv_layer("g", [[1]]))
    world = load_map(path, root=inner, strict=True)
    (inner / "tiles.png").unlink()
    os.symlink("../secret.png", inner / "tiles.png")
    with pytest.raises(MapError, match="outside the root"):
        render(world)


@pytest.mark.parametrize(
    ("parts", "limits", "reason"),
    [
        (['<group name="a"/>'] * 3, Limits(layers=2), "limit of 2 layers"),
        (["<objectgroup><object/><object/></objectgroup>"], Limits(objects=1), "1 objects"),
        ([TILESET, TILESET], Limits(tilesets=1), "limit of 1 tilesets"),
        (["<properties/>"] * 9, Limits(elements=5), "limit of 5 elements"),
        (["<!-- a long text -->"], Limits(file_bytes=50), "limit of 50 bytes"),
        ([TILESET], Limits(tiles=3), "limit of 3 tiles"),
    ],
)
def test_every_limit_is_kept(tmp_path, parts, limits, reason):
    path = write_map(tmp_path, *parts)
    load_map(path)
    assert reason in refused(path, limits=limits)


def test_templates_have_a_limit(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.tx").write_text("<template><object/></template>")
    objects = '<object template="a.tx"/><object template="b.tx"/><object template="a.tx"/>'
    path = write_map(tmp_path, f"<objectgroup>{objects}</objectgroup>")
    assert len(load_map(path, limits=Limits(templates=2)).layers[0]) == 3
    assert "limit of 1 templates" in refused(path, limits=Limits(templates=1))


def test_a_huge_map_is_not_drawn_at_once(tmp_path):
    world = load_map(write_map(tmp_path, size=(100_000_000, 100_000_000)))
    with pytest.raises(MapError, match="larger than the limit"):
        render(world)
    assert render(world, (0, 0, 10, 10)).size == (10, 10)


def test_a_huge_cell_is_not_drawn_whole(tmp_path):
    tiles = TILESET.replace('name="tiles"', 'name="tiles" tilerendersize="grid"')
    huge = 'tilewidth="999999" tileheight="999999"'
    layer = csv_layer("g", [[1]])
    world = load_map(write_map(tmp_path, tiles, layer, size=(1, 1), attributes=huge))
    with at_most(MOST_MEMORY):
        assert render(world, (0, 0, 100, 100)).getpixel((50, 50)) == (255, 0, 0, 255)


def test_a_dot_that_repeats_over_a_large_map(tmp_path):
    layer = '<imagelayer repeatx="1" repeaty="1"><image source="dot.png"/></imagelayer>'
    path = write_map(tmp_path, layer, size=(100, 100))
    Image.new("RGBA", (1, 1), (1, 2, 3, 255)).save(tmp_path / "dot.png")
    picture = render(load_map(path))
    assert picture.getcolors() == [(1600 * 1600, (1, 2, 3, 255))]


def test_a_part_far_larger_than_its_image_is_not_cut_out(tmp_path):
    tileset = (
        '<tileset firstgid="1" name="c" tilewidth="16" tileheight="16" tilecount="1" columns="0">'
        '<tile id="0" x="-5" y="0" width="40000" height="40000"><image source="tiles.png" '
        'width="32" height="32"/></tile></tileset>'
    )
    world = load_map(write_map(tmp_path, tileset, csv_layer("g", [[1]]), size=(1, 1)))
    assert render(world).size == (16, 16)


def test_shapes_far_larger_than_the_picture_are_cut(tmp_path):
    pictures = []
    for reach in (2_000, 2_000_000_000):
        objects = (
            f'<object id="1" x="8" y="{-reach}" width="16" height="{2 * reach}"/>'
            f'<object id="2" x="40" y="{-reach}"><polyline points="0,0 0,{2 * reach}"/></object>'
        )
        layer = f'<objectgroup name="o" color="#ff0000">{objects}</objectgroup>'
        pictures.append(render(load_map(write_map(tmp_path, layer))))
    assert pictures[0].tobytes() == pictures[1].tobytes()
    row = [pictures[1].getpixel((x, 20)) for x in (6, 8, 16, 24, 32, 40, 43)]
    assert [pixel[3] for pixel in row if isinstance(pixel, tuple)] == [0, 255, 50, 255, 0, 255, 0]


def test_an_image_over_the_limit_is_not_opened(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("g", [[1]]), size=(1, 1))
    world = load_map(path, limits=Limits(pixels=1000), strict=True)
    with pytest.raises(MapError, match="larger than the limit of 1000 pixels"):
        render(world)


def test_images_that_would_start_other_programs_are_not_opened(tmp_path):
    path = write_map(tmp_path, TILESET, csv_layer("g", [[1]]))
    (tmp_path / "tiles.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 32 32\n")
    with pytest.raises(MapError, match="is not an image that can be read"):
        render(load_map(path, strict=True))


PATTERNS = [
    "(a+)+b",
    "(a*)*b",
    "x" * 500,
    "((a{1000}){1000}){1000}",
    "(?:a{99}){99}b",
    "a*a*a*a*a*a*b",
    "a?" * 60 + "a" * 60,
    "(a|a)" * 39 + "b",
    ".*" * 40 + "(?!.*)x",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_of_a_world_ends_soon(tmp_path, pattern):
    for number in range(10):
        (tmp_path / ("a" * (50 + number))).touch()
    path = write_world(tmp_path, {"patterns": [{"regexp": pattern}] * 20})
    start = time.process_time()
    with suppress(MapError):
        load_world(path)
    assert time.process_time() - start < 5


def test_a_tileset_named_often_is_read_once(tmp_path, monkeypatch):
    tiles = "".join(f'<tile id="{number}" type="wall"/>' for number in range(1000))
    (tmp_path / "t.tsx").write_text(
        f'<tileset name="t" tilewidth="16" tileheight="16" tilecount="1000">{tiles}</tileset>'
    )
    (tmp_path / "bad.tsx").write_text("<tileset>")
    names = ["t.tsx", "./t.tsx", "bad.tsx"] * 100
    tilesets = (
        f'<tileset firstgid="{1 + 1000 * number}" source="{name}"/>'
        for number, name in enumerate(names)
    )
    path = write_map(tmp_path, *tilesets)
    reads = noted(monkeypatch, LoadContext, "read")
    tile_map = load_map(path)
    assert sorted(file.name for file in reads) == ["bad.tsx", "map.tmx", "t.tsx"]
    assert [tileset.first_gid for tileset in tile_map.tilesets[:3]] == [1, 1001, 2001]
    assert tile_map.tilesets[297].tile_class(999) == "wall"
    assert len(tile_map.warnings) == 1


def test_templates_times_objects_have_a_limit(tmp_path):
    pattern = f"<object><properties>{MANY}</properties></object>"
    (tmp_path / "t.tx").write_text(f"<template>{pattern}</template>")
    objects = '<object template="t.tx"/>' * 20_000
    path = write_map(tmp_path, f'<objectgroup name="o">{objects}</objectgroup>')
    assert "limit of 1048576 elements" in refused(path)


def test_many_tiles_times_many_objects_take_seconds_not_minutes(tmp_path):
    tiles = "".join(f'<tile id="{number}"/>' for number in range(50_000))
    tileset = TILESET.replace("</tileset>", f"{tiles}</tileset>")
    objects = '<object gid="1"/>' * 10_000
    path = write_map(tmp_path, tileset, f'<objectgroup name="o">{objects}</objectgroup>')
    start = time.process_time()
    load_map(path)
    assert time.process_time() - start < 5


def test_tilesets_beyond_a_limit_are_an_error_not_a_warning(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.tsx").write_text(f'<tileset name="{name}">{"<tile/>" * 9}</tileset>')
    path = write_map(
        tmp_path, '<tileset firstgid="1" source="a.tsx"/><tileset firstgid="2" source="b.tsx"/>'
    )
    assert "b.tsx: has more than the limit of 20 elements" in refused(
        path, limits=Limits(elements=20)
    )


def test_all_images_together_have_a_limit(tmp_path):
    tiles = "".join(
        f'<tile id="{number}"><image source="tiles.png" trans="{number:06x}"/></tile>'
        for number in range(3)
    )
    tileset = f'<tileset firstgid="1" name="t" tilewidth="16" tileheight="16">{tiles}</tileset>'
    path = write_map(tmp_path, tileset)
    [tileset] = load_map(path, limits=Limits(image_pixels=2 * 32 * 32)).tilesets
    pictures = [tileset.image_source(number).picture for number in range(3)]
    assert [picture.pixels.size for picture in pictures[:2]] == [(32, 32)] * 2
    with pytest.raises(MapError, match="larger than the limit of 2048 pixels together"):
        _ = pictures[2].pixels


def test_a_link_that_changes_after_the_check_does_not_lead_out(tmp_path, inner, monkeypatch):
    (tmp_path / "secret.tsx").write_text('<tileset name="t" tilewidth="1" tileheight="1"/>')
    path = write_map(inner, '<tileset firstgid="1" source="more.tsx"/>')
    os.symlink("../secret.tsx", inner / "more.tsx")
    monkeypatch.setattr(LoadContext, "check_inside", lambda self, path: None)
    assert "outside the root" in refused(path, root=inner, strict=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_pipes_loops_and_long_names_are_named_in_the_error(tmp_path):
    os.mkfifo(tmp_path / "pipe.tsx")
    assert "is not a regular file" in refused(tmp_path / "pipe.tsx")
    os.symlink("loop.tsx", tmp_path / "loop.tsx")
    for name, reason in (
        ("pipe.tsx", "is not a regular file"),
        ("loop.tsx", "is a link that leads back to itself"),
        ("x" * 300 + ".tsx", "name too long"),
        ("map.tmx/more.tsx", "no such file"),
    ):
        path = write_map(tmp_path, f'<tileset firstgid="1" source="{name}"/>')
        assert reason in refused(path, strict=True).lower()
        assert len(load_map(path).warnings) == 1


@pytest.mark.parametrize("name", ["x" * 300, "\ud800", "a\0b"])
def test_impossible_file_names_are_refused(tmp_path, name):
    image = {"type": "imagelayer", "name": "i", "image": name, "id": 1}
    path = write_json(tmp_path, {"layers": [image]})
    refused(path, strict=True).encode()
    path = write_json(tmp_path, {"tilesets": [{"firstgid": 1, "source": name}]})
    refused(path, strict=True).encode()
    path = write_world(tmp_path, {"maps": [{"fileName": name}]})
    with pytest.raises(MapError) as caught:
        load_world(path, strict=True)
    str(caught.value).encode()


def test_an_image_that_breaks_pillow_is_a_map_error(tmp_path, monkeypatch):
    def break_down(*_: object, **__: object) -> None:
        raise TypeError("unsupported operand")

    path = write_map(tmp_path, TILESET, csv_layer("g", [[1]]))
    for owner, method, reason in (
        (ImageFile.ImageFile, "load", "the image is damaged"),
        (Image, "open", "is not an image that can be read"),
    ):
        [tileset] = load_map(path).tilesets
        with monkeypatch.context() as patch:
            patch.setattr(owner, method, break_down)
            with pytest.raises(MapError, match=reason):
                _ = tileset.picture.pixels


def test_a_path_of_many_folders_is_not_followed_step_by_step(tmp_path, monkeypatch):
    for count in (50_000, 1500):
        source = "a/" * count + "t.tsx"
        path = write_map(tmp_path, f'<tileset firstgid="1" source="{source}"/>')
        with monkeypatch.context() as patch:
            looked = noted(patch, os, "lstat")
            if count == 1500:
                assert len(load_map(path, root=tmp_path).warnings) == 1
            else:
                assert "longer than the limit of 4096" in refused(path, root=tmp_path)
            assert len(looked) < 300


def test_many_files_of_one_folder_are_found_in_one_look_each(tmp_path, monkeypatch):
    tiles = "".join(f'<tile id="{n}"><image source="i/{n}.png"/></tile>' for n in range(1000))
    path = write_map(tmp_path, f'<tileset firstgid="1" name="t">{tiles}</tileset>')
    looked = noted(monkeypatch, os, "lstat")
    assert len(load_map(path, root=tmp_path).warnings) == 1000
    assert len(looked) < 1300


def test_a_folder_that_is_a_link_does_not_lead_out(tmp_path, inner):
    write_tiles(tmp_path / "secret.png")
    os.symlink("..", inner / "up")
    os.symlink("gone", inner / "nowhere")
    os.symlink("../gone", inner / "out")
    for source, reason in (
        ("up/secret.png", "outside the root"),
        ("up/gone/secret.png", "outside the root"),
        ("up/maps/up/secret.png", "outside the root"),
        ("out/secret.png", "outside the root"),
        ("nowhere/tiles.png", "the image is missing"),
        ("up/maps/tiles.png", ""),
    ):
        path = write_map(inner, TILESET.replace("tiles.png", source), csv_layer("g", [[1]]))
        if reason:
            assert reason in refused(path, root=inner, strict=True)
        else:
            load_map(path, root=inner, strict=True)


def test_the_patterns_of_a_world_have_limits(tmp_path, monkeypatch):
    pytest.importorskip("regex")
    for number in range(20):
        (tmp_path / f"{number}_0.tmx").touch()
    pattern = {"regexp": r"(\d+)_(\d+)"}
    path = write_world(tmp_path, {"patterns": [pattern] * 50})
    with monkeypatch.context() as patch:
        listed, located = noted(patch, os, "listdir"), noted(patch, LoadContext, "locate")
        assert len(load_world(path).maps) == 1000
    assert (len(listed), len(located)) == (1, 20)
    for limits, reason in (
        (Limits(maps=999), "has more than the limit of 999 maps"),
        (Limits(elements=999), "has more than the limit of 999 elements"),
    ):
        with pytest.raises(MapError, match=reason):
            load_world(path, limits=limits)
    path = write_world(tmp_path, {"patterns": [pattern] * 257})
    with pytest.raises(MapError, match="limit of 256 patterns"):
        load_world(path)


def test_the_maps_of_a_world_have_a_limit(tmp_path, monkeypatch):
    write_map(tmp_path)
    path = write_world(tmp_path, {"maps": [{"fileName": "map.tmx", "x": x} for x in range(40)]})
    with monkeypatch.context() as patch:
        opened = noted(patch, LoadContext, "open")
        maps = load_world(path).maps
    assert [entry.bounds.width for entry in maps] == [64] * 40
    assert len(opened) == 2  # the world, and its map once
    with pytest.raises(MapError, match="has more than the limit of 39 maps"):
        load_world(path, limits=Limits(maps=39))


@pytest.mark.parametrize("value", ["[]", "{}", "1"])
def test_the_values_of_a_world_have_a_limit(tmp_path, value):
    path = tmp_path / "w.world"
    path.write_text(f'{{"maps": [], "more": [{",".join([value] * 2_000_000)}]}}')
    most = 2 * path.stat().st_size
    with at_most(most), pytest.raises(MapError, match="limit of 1048576 elements"):
        load_world(path)


def test_a_tag_has_a_longest_length(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "_LONGEST_TAG", 200)
    words = " ".join(["many words"] * 100)
    text = f'<object><text>{words}</text></object><object name="{"n" * 90}"/>'
    path = write_map(tmp_path, f"<objectgroup>{text * 30}</objectgroup>")
    [layer] = load_map(path).layers
    assert [item.text.words for item in layer.objects if item.text] == [words] * 30
    path = write_map(tmp_path, f'<objectgroup><object name="{"n" * 500}"/></objectgroup>')
    assert "has a tag of more than 200 bytes" in refused(path)


@pytest.mark.parametrize("number", ["9" * 2000, " " * 2000 + "5"])
def test_a_number_has_a_longest_length(tmp_path, number):
    path = write_map(tmp_path, f'<objectgroup><object x="{number}"/></objectgroup>')
    tile_map = load_map(path)
    assert "which is not a usable number" in tile_map.warnings[0]
    assert tile_map.layers[0].objects[0].x == 0


def test_classes_that_double_count_for_their_weight(tmp_path):
    classes = [
        {
            "type": "class",
            "name": f"c{number}",
            "members": [
                {"name": name, "type": "class", "propertyType": f"c{number + 1}", "value": {}}
                for name in ("a", "b")
                if number < 8
            ],
        }
        for number in range(9)
    ]
    types = tmp_path / "types.json"
    types.write_text(json.dumps(classes))
    path = write_map(tmp_path, attributes='class="c0"')
    values = 2**9 - 2
    load_map(path, types=types, limits=Limits(elements=4 * values + 50))
    assert "elements" in refused(path, types=types, limits=Limits(elements=4 * values - 50))
