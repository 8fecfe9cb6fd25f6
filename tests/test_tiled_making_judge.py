"""Maps that a program makes, opened by Tiled: it exports the same, and warns of nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.map_facts import assert_equal, rounded
from tests.test_tiled_making import ENCODINGS
from tilequad.tiled import Group, ObjectLayer, ObjectRef, Text, TileMap, load_map

pytestmark = pytest.mark.slow
TILED = shutil.which("tiled")

# What Tiled 1.8 knows; newer versions know more.
ORIENTATIONS = ("orthogonal", "isometric", "staggered", "hexagonal")
SHAPES = ("rectangle", "ellipse", "point", "polygon", "polyline", "tile", "text")

names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=8)
quarters = st.integers(-400, 800).map(lambda number: number / 4)
values = st.one_of(
    st.integers(-(2**31), 2**31 - 1),
    st.booleans(),
    st.integers(-999, 999).map(lambda number: number / 8),
    names,
    st.just((1, 2, 3, 255)),
    st.integers(1, 99).map(ObjectRef),
)
properties = st.dictionaries(names.filter(bool), values, max_size=3)


maps = st.builds(
    TileMap.new,
    st.integers(1, 40),
    st.integers(1, 40),
    st.tuples(st.integers(1, 40), st.integers(1, 40)),
    orientation=st.sampled_from(ORIENTATIONS),
    infinite=st.booleans(),
    y_up=st.booleans(),
    render_order=st.sampled_from(["right-down", "left-up"]),
    stagger_axis=st.sampled_from("xy"),
    stagger_index=st.sampled_from(["odd", "even"]),
    hex_side_length=st.integers(0, 12),
    background_color=st.sampled_from([None, (1, 2, 3, 4)]),
    properties=properties,
)
kinds_of_edits = st.sampled_from(
    ["tiles", "objects", "group", "image", "move", "shift", "template", "edit", "edit"]
)
edits = st.one_of(
    st.lists(kinds_of_edits, max_size=6),
    st.lists(kinds_of_edits, min_size=3, max_size=8).map(lambda more: ["objects", *more]),
)


def layer_settings(draw: st.DrawFn, made: TileMap) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "opacity": draw(st.sampled_from([1, 0.5, 0.25])),
        "visible": draw(st.booleans()),
        "offset": draw(st.sampled_from([(0, 0), (4.5, -7)])),
        "parallax": draw(st.sampled_from([(1, 1), (0.5, 2)])),
        "tint": draw(st.sampled_from([None, (9, 8, 7, 6)])),
        "locked": draw(st.booleans()),
        "properties": draw(properties),
    }
    groups: list[Group | None] = [None, *made.groups]
    return {**settings, "group": draw(st.sampled_from(groups))}


def add_tiles(draw: st.DrawFn, made: TileMap) -> None:
    gids = np.array([0, 1, 2, 8, 9, 10, 11, 14], np.uint32)
    columns, rows = made.size
    place = {}
    if made.infinite:
        place = {"column": draw(st.integers(-50, 50)), "row": draw(st.integers(-50, 50))}
        columns, rows = draw(st.integers(0, 40)), draw(st.integers(0, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    shape = (rows, columns)
    sparse = rng.random(shape) < draw(st.sampled_from([0.05, 0.7, 1]))
    cells = gids[rng.integers(0, len(gids), shape)] * sparse
    turned = made.orientation == "hexagonal"
    flags = rng.integers(0, 16, shape) & (15 if turned else 14)
    encoding = draw(st.sampled_from(ENCODINGS))
    options = layer_settings(draw, made)
    made.add_tile_layer(draw(names), cells, flags, encoding=encoding, **place, **options)


def add_objects(draw: st.DrawFn, made: TileMap) -> None:
    order = draw(st.sampled_from(["topdown", "index"]))
    layer = made.add_object_layer(draw(names), draw_order=order, **layer_settings(draw, made))
    for shape in draw(st.lists(st.sampled_from(SHAPES), max_size=5)):
        place, size, options = shape_options(draw, shape)
        visible, own = draw(st.booleans()), draw(properties)
        item = layer.add_object(
            shape, *place, size, name=draw(names), visible=visible, properties=own, **options
        )
        assert np.allclose((item.x, item.y), place)
        assert np.allclose(item.points[: len(options.get("points", []))], options.get("points", 0))


def shape_options(
    draw: st.DrawFn, shape: str
) -> tuple[tuple[float, float], tuple[int, int], dict[str, Any]]:
    """A place and a size, and what else an object of a shape has."""
    place = draw(st.tuples(quarters, quarters))
    size = draw(st.tuples(st.integers(1, 40), st.integers(1, 40)))
    options: dict[str, Any] = {"rotation": draw(st.sampled_from([0, 30, -90]))}
    if shape in ("polygon", "polyline"):
        corners = st.lists(st.tuples(quarters, quarters), min_size=3, max_size=5)
        options["points"] = [place, *draw(corners)]
        size = (0, 0)
    elif shape == "point":
        size = (0, 0)
    elif shape == "tile":
        options |= {"gid": draw(st.sampled_from([1, 8, 10, 14])), "flags": 8}
    elif shape == "text":
        options["text"] = Text(draw(names) or "x", pixel_size=9, bold=True, color=(1, 2, 3, 4))
    return place, size, options


def edit_objects(draw: st.DrawFn, made: TileMap) -> None:
    """Give an object another shape, place, size, text or name; then that is all it has."""
    known = [(layer, item) for layer in object_layers(made) for item in layer.objects]
    if not known:
        return
    layer, item = draw(st.sampled_from(known))
    if item.template:
        own = {"rotation": draw(st.sampled_from([0, 45])), "visible": draw(st.booleans())}
        layer.edit_object(item, x=draw(quarters), name="é" + draw(names), **own)
        return
    shape = draw(st.sampled_from(SHAPES))
    (x, y), size, options = shape_options(draw, shape)
    layer.edit_object(item, shape=shape, x=x, y=y, size=size, name=draw(names), **options)
    assert item.shape == shape
    assert np.allclose((item.x, item.y), (x, y))


def object_layers(made: TileMap) -> list[ObjectLayer]:
    return [layer for layer in made.layers if isinstance(layer, ObjectLayer)]


def add_instances(draw: st.DrawFn, made: TileMap, folder: Path) -> None:
    """Make a template of an object, and instances of it; a tile must be of a file's tileset."""
    items = [one for one in made.objects() if not one.template and one.gid in (0, 14)]
    if not items:
        return
    template = made.template(draw(st.sampled_from(items)))
    template.object.name = template.object.name or "named"
    number = sum(bool(one.template) for one in made.objects())
    template.save(folder / f"t{number}{draw(st.sampled_from(['.tx', '.tj']))}")
    layer = draw(st.sampled_from(object_layers(made)))
    for _ in range(2):
        x, y = draw(quarters), draw(quarters)
        own = draw(st.sampled_from([{}, {"rotation": 15}, {"properties": {"n": 3}}]))
        layer.add_object(template=template, x=x, y=y, **own)


def shift(draw: st.DrawFn, made: TileMap) -> None:
    """Move and tint a group, or move a layer."""
    offset = draw(st.sampled_from([(0, 0), (3, -8.5)]))
    if made.groups:
        tint = draw(st.sampled_from([(255, 255, 255, 255), (1, 200, 3, 255)]))
        made.set_group(draw(st.sampled_from(made.groups)), offset=offset, tint=tint)
    if made.layers:
        draw(st.sampled_from(made.layers)).offset = offset


def fill(draw: st.DrawFn, made: TileMap, kinds: list[str], folder: Path) -> None:
    for kind in kinds:
        if kind == "tiles":
            add_tiles(draw, made)
        elif kind == "objects":
            add_objects(draw, made)
        elif kind == "group":
            made.add_group(draw(names), **layer_settings(draw, made))
        elif kind == "shift":
            shift(draw, made)
        elif kind == "edit":
            edit_objects(draw, made)
        elif kind == "template":
            add_instances(draw, made, folder)
        elif kind == "image":
            made.add_image_layer(draw(names), folder / "a.png", **layer_settings(draw, made))
        elif made.layers:
            one, other = (draw(st.sampled_from(made.layers)) for _ in range(2))
            if one is not other and one.groups == other.groups:
                made.move_layer(one, before=other)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with art, and a tileset of its own file."""
    found = tmp_path_factory.mktemp("judge")
    (found / "runtime").mkdir(mode=0o700)
    Image.new("RGBA", (64, 32), (9, 99, 9, 255)).save(found / "a.png")
    Image.new("RGBA", (9, 20), (99, 9, 9, 255)).save(found / "b.png")
    TileMap.new(1, 1, (16, 16)).add_tileset(found / "a.png", name="own").save(found / "own.tsx")
    return found


def export(folder: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Let Tiled write exported.json of a map, if it can; its own files go into `runtime`."""
    assert TILED is not None
    (folder / "exported.json").unlink(missing_ok=True)
    screenless = {"QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(folder / "runtime")}
    command = [TILED, *options, "--export-map", "json", name, "exported.json"]
    env = {**os.environ, **screenless}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def exported(folder: Path, *options: str) -> TileMap:
    """What Tiled reads of made.tmx; it must have nothing to say."""
    run = export(folder, "made.tmx", *options)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    return load_map(folder / "exported.json", strict=True)


@pytest.mark.skipif(TILED is None, reason="needs Tiled: apt-get install tiled")
@settings(max_examples=12)
@given(maps, edits, st.data())
def test_tiled_reads_what_was_made(folder, made, kinds, data):
    made.add_tileset(folder / "a.png", tile_size=(16, 16), properties={"n": 1})
    made.add_tileset([folder / "a.png", folder / "b.png"], name="images")
    made.add_tileset(folder / "own.tsx")
    fill(data.draw, made, kinds, folder)
    made.save(folder / "made.tmx")
    again = load_map(folder / "made.tmx", y_up=made.axes.y_up, strict=True)
    assert_equal(rounded(again), rounded(made))
    again = load_map(folder / "made.tmx")
    for item in again.objects():
        item.overrides = frozenset()  # Tiled writes instances as objects without a template
    for layer in again.layers:
        layer.locked = False  # which Tiled forgets when it detaches templates
    assert_equal(rounded(exported(folder, "--detach-templates")), rounded(again))
