"""What `pip install tilequad` alone can do: everything but pictures."""

from __future__ import annotations

import io
import random
import struct
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from tests.programs import MAP, ROOT, hide_package, run
from tilequad.tiled.image_headers import size_in_header

LOOK = """
import sys
from pathlib import Path
from tilequad import MapError, load_map
for path in map(Path, sys.argv[1:]):
    try:
        tile_map = load_map(path)
    except MapError:
        print(path.name, "is not a map")
        continue
    culled = tile_map.cull(tile_map.bounds)
    found = [(layer.name, len(ids), ids[:9].tolist()) for layer, ids in culled]
    print(path.name, tile_map.bounds, [one.tile_count for one in tile_map.tilesets], found)
    print(tile_map.warnings)
"""


def run_without_pillow(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run("-c", hide_package(("PIL", "tqdm")) + script, *arguments, folder=ROOT)


def looked_at(*paths: Path) -> str:
    """What the program says of maps without Pillow, which is what it says with it."""
    done = run_without_pillow(LOOK, *paths)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("-c", LOOK, *paths, folder=ROOT).stdout
    return done.stdout


def test_a_map_loads_and_answers_without_pillow():
    assert looked_at(MAP).startswith("frontier.tmx Bounds(")


@pytest.mark.slow
@pytest.mark.corpus
def test_real_maps_are_the_same_without_pillow(corpus):
    paths = sorted(path for path in corpus.rglob("*") if path.suffix in (".tmx", ".tmj"))
    assert looked_at(*random.Random(7).sample(paths, min(50, len(paths))))


def test_a_tileset_of_an_old_map_is_counted_in_its_image(tmp_path):
    Image.new("RGB", (64, 48)).save(tmp_path / "tiles.jpg")
    path = tmp_path / "old.tmx"
    path.write_text(
        '<map orientation="orthogonal" width="1" height="1" tilewidth="16" tileheight="16">'
        '<tileset firstgid="1" name="old" tilewidth="16" tileheight="16">'
        '<image source="tiles.jpg"/></tileset>'
        '<layer name="ground" width="1" height="1"><data encoding="csv">12</data></layer></map>'
    )
    assert "[12]" in looked_at(path)


def test_a_world_loads_without_pillow(tmp_path):
    path = tmp_path / "land.world"
    path.write_text('{"patterns": [{"regexp": "a(\\\\d+)_(\\\\d+)", "multiplierX": 8}]}')
    (tmp_path / "a1_2").write_text("")
    script = "from tilequad.tiled import load_world\nprint(len(load_world(sys.argv[1]).maps))"
    done = run_without_pillow(script, path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


@pytest.mark.parametrize(
    "script",
    [
        "from tilequad.cli import main\n"
        "sys.exit(main(['render', 'maps/frontier.tmx', '-o', sys.argv[1]]))",
        "import tilequad.draw.pillow",
        "from tilequad import load_map\nload_map('maps/frontier.tmx').tilesets[0].picture.pixels",
    ],
    ids=["tilequad render", "drawing to a picture", "reading images"],
)
def test_what_needs_pillow_names_the_extra(script, tmp_path, request):
    done = run_without_pillow(script, tmp_path / "out.png")
    what = request.node.callspec.id
    assert done.returncode
    last = done.stderr.splitlines()[-1]
    assert last.endswith(f'{what} needs Pillow: pip install "tilequad[pillow]"')


def picture(kind: str, size: tuple[int, int], **options: object) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, (9, 200, 80)).save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (640, 480), (1025, 2)])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {}),
        ("GIF", {}),
        ("BMP", {}),
        ("JPEG", {}),
        ("JPEG", {"progressive": True, "comment": b"\xff\xc0\0" * 99, "exif": b"Exif\0\0" * 99}),
        ("WEBP", {"lossless": True}),
        ("WEBP", {"lossless": False}),
        ("WEBP", {"exif": b"Exif\0\0" * 9}),
    ],
)
def test_the_size_in_a_header_is_the_one_that_pillow_finds(kind, options, size):
    data = picture(kind, size, **options)
    assert size_in_header(io.BytesIO(data)) == Image.open(io.BytesIO(data)).size == size


def test_a_bitmap_with_its_top_row_first_has_its_height():
    data = bytearray(picture("BMP", (5, 7)))
    struct.pack_into("<i", data, 22, -7)
    assert size_in_header(io.BytesIO(data)) == (5, 7)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "JPEG", "WEBP"])
def test_a_damaged_header_has_a_size_or_none(kind):
    data = picture(kind, (640, 480))
    for end in range(min(len(data), 700)):
        found = size_in_header(io.BytesIO(data[:end]))
        assert found is None or min(found) > 0
    chance = random.Random(3)
    for _ in range(500):
        changed = bytearray(data)
        for _ in range(4):
            changed[chance.randrange(min(len(data), 700))] = chance.randrange(256)
        found = size_in_header(io.BytesIO(changed))
        assert found is None or min(found) > 0


def test_another_file_has_no_size():
    assert size_in_header(io.BytesIO(b"")) is None
    assert size_in_header(io.BytesIO(random.Random(3).randbytes(7) * 99)) is None


@pytest.mark.corpus
def test_sizes_in_headers_of_real_images(corpus):
    suffixes = {".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp"}
    for path in (path for path in corpus.rglob("*") if path.suffix.lower() in suffixes):
        try:
            with Image.open(path) as image:
                wanted = image.size
        except OSError:
            continue
        with path.open("rb") as file:
            assert size_in_header(file) == wanted, path
