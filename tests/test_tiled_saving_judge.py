"""Real maps, edited alike as .tmx and as .tmj: Tiled exports both alike, or its readers differ."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.corpus import each, rows
from tests.share import share
from tests.test_tiled_making_judge import TILED, export
from tests.test_tiled_saving_corpus import edit_at_random
from tilequad.tiled import load_map

pytestmark = [
    pytest.mark.slow,
    pytest.mark.corpus,
    pytest.mark.usefixtures("quick_disk"),
    pytest.mark.skipif(TILED is None, reason="needs Tiled: apt-get install tiled"),
]
REPEATS = "its JSON reader does not know repeatx and repeaty of image layers"
LISTS = "its XML reader does not know lists, which are newer; its JSON reader takes any value"
CLASSES = "without the project, its XML reader does not know the classes, nor JSON their types"
REFERENCES = "it cannot export a reference to an object inside a class, which JSON has as a number"
LOST = "its JSON reader drops or renumbers tiles of a tileset that it lacks, or refuses the map"
SHAPES = "its JSON reader does not read the id of the shapes of a tile"
# Where Tiled 1.8.2 reads the two formats differently, and why.
EXPLAINED = {
    "bevy_ecs_tiled/assets/demo_platformer/demo.tmx": REFERENCES,
    "bevy_ecs_tiled/assets/maps/hexagonal/finite_pointy_top_odd.tmx": CLASSES,
    "bevy_ecs_tiled/assets/maps/isometric/finite_diamond.tmx": REPEATS,
    "bevy_ecs_tiled/assets/maps/orthogonal/finite.tmx": REPEATS,
    "bevy_ecs_tiled/assets/maps/orthogonal/group_layers.tmx": REPEATS,
    "go-tiled/assets/loader.tmx": LOST,
    "melonjs/packages/examples/public/assets/platformer/map/map1.tmx": REPEATS,
    "melonjs/packages/examples/src/examples/platformer-matter/assets/map/map1.tmx": REPEATS,
    "melonjs/packages/examples/src/examples/platformer/assets/map/map1.tmx": REPEATS,
    "pytiled_parser/tests/test_data/layer_tests/all_layer_types/map.tmx": REPEATS,
    "pytmx/apps/data/acid0.tmx": SHAPES,
    "rs-tiled/assets/tiled_class_property.tmx": CLASSES,
    "rs-tiled/assets/tiled_object_list_property.tmx": LISTS,
    "rs-tiled/assets/tiled_object_nested_list_property.tmx": LISTS,
    "rs-tiled/assets/tiled_repeat.tmx": REPEATS,
    "tiled/tests/automapping/add-tileset/rules.tmx": LOST,
    "tiled/tests/errors/tileset_not_found.tmx": LOST,
    "tiled/util/java/libtiled-java/src/test/resources/desert_missing_tileset/desert.tmx": LOST,
}


def name_of(row: dict[str, str]) -> str:
    return row["path"].removeprefix("maps/")


CHOSEN = [*share(rows(), 40), *(row for row in rows() if name_of(row) in EXPLAINED)]
MAPS = {row["path"]: row for row in CHOSEN}


def exported(folder: Path, name: str) -> str:
    """What Tiled exports of a map; what it says if it cannot."""
    run = export(folder, name)
    if (folder / "exported.json").exists():
        return (folder / "exported.json").read_text()
    # such as "oblique", which it does not know
    return run.stderr.partition("\n\nLine")[0].strip()


@each(list(MAPS.values()))
def test_tiled_reads_both_formats_alike(corpus, tmp_path, row):
    (tmp_path / "runtime").mkdir(mode=0o700)
    texts = []
    load_map(corpus / row["path"]).save(tmp_path / "map.tmx")
    if "<data" in (tmp_path / "map.tmx").read_text().partition("<layer")[0]:
        return  # JSON cannot hold an embedded image
    load_map(tmp_path / "map.tmx").save(tmp_path / "map.tmj")
    for name in ("map.tmx", "map.tmj"):
        tile_map = load_map(tmp_path / name)
        edit_at_random(tile_map, random.Random(row["path"]))
        tile_map.save(tmp_path / name)
        texts.append(exported(tmp_path, name))
    assert (texts[0] == texts[1]) == (name_of(row) not in EXPLAINED)
