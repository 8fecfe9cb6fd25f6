"""Real maps: load_map reads from each what Tiled reads."""

from __future__ import annotations

import csv
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
import pytmx

from tilequad.tiled import Group, ImageLayer, MapError, ObjectLayer, TileLayer, TileMap, load_map

pytestmark = pytest.mark.corpus

# What Tiled itself refuses to open.
BROKEN = {"maps/go-tiled/assets/invalid.tmx": "is not XML"}


def expected() -> list[dict[str, str]]:
    """The rows of expected.csv; none where there is no corpus, which skips the tests."""
    folder = os.environ.get("TILEQUAD_CORPUS")
    if not folder or not (Path(folder) / "expected.csv").is_file():
        return []
    with (Path(folder) / "expected.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROWS = expected()
EXPORTED = [row for row in ROWS if row["exported"] == "1"]
OPENED = [row for row in ROWS if row["path"] not in BROKEN]


def names(rows: list[dict[str, str]]) -> list[str]:
    return [row["path"].removeprefix("maps/") for row in rows]


@pytest.mark.parametrize("row", ROWS or [{}], ids=names(ROWS) or ["no corpus"])
def test_every_map_that_tiled_opens_is_opened(corpus, row):
    if row["path"] in BROKEN:
        with pytest.raises(MapError, match=BROKEN[row["path"]]):
            load_map(corpus / row["path"])
    else:
        load_map(corpus / row["path"])


@pytest.mark.parametrize("row", OPENED or [{}], ids=names(OPENED) or ["no corpus"])
def test_pytmx_reads_the_same_cells_of_every_map(corpus, row):
    world = load_map(corpus / row["path"])
    tmx = world.tmx
    assert type(tmx) is pytmx.TiledMap
    ours = [layer for layer in world.layers if isinstance(layer, TileLayer)]
    theirs = [layer for layer in tmx.layers if isinstance(layer, pytmx.TiledTileLayer)]
    for layer, other in zip(ours, theirs, strict=True):
        columns, rows = layer.cells(layer.ids()).T
        gids = layer.gids(layer.ids())[np.lexsort((columns, rows))]
        assert [tmx.tiledgidmap[gid] for _, _, gid in other.iter_data() if gid] == gids.tolist()


@pytest.mark.parametrize("row", EXPORTED or [{}], ids=names(EXPORTED) or ["no corpus"])
def test_counts_order_and_digest_agree_with_tiled(corpus, row):
    world = load_map(corpus / row["path"])
    found = facts(world)
    assert found == {name: row[name] for name in found}


@pytest.mark.parametrize("name", ["desert", "desert-infinite"])
def test_json_maps_are_the_same_maps(corpus, name):
    folder = corpus / "maps/melonjs/packages/examples/public/assets/tiledMapLoader/map"
    assert facts(load_map(folder / f"{name}.tmj")) == facts(load_map(folder / f"{name}.tmx"))


def facts(world: TileMap) -> dict[str, str]:
    """What expected.csv says of a map, read from ours."""
    by_class = {
        kind: [layer for layer in world.layers if isinstance(layer, kind)]
        for kind in (TileLayer, ObjectLayer, ImageLayer)
    }
    leaves = [layer.name for layer in world.layers]
    return {
        "orientation": world.orientation,
        "infinite": str(int(world.infinite)),
        "width": str(world.size[0]),
        "height": str(world.size[1]),
        "tile_layers": str(len(by_class[TileLayer])),
        "object_layers": str(len(by_class[ObjectLayer])),
        "image_layers": str(len(by_class[ImageLayer])),
        "layer_order": fingerprint(with_groups(world)),
        "leaf_order": fingerprint(leaves),
        "tiles": str(sum(map(len, by_class[TileLayer]))),
        "objects": str(sum(map(len, by_class[ObjectLayer]))),
        "digest": digest(world),
    }


def fingerprint(names: list[str]) -> str:
    return hashlib.sha1("\0".join(names).encode()).hexdigest()[:12]


def with_groups(world: TileMap) -> list[str]:
    """The names of layers in document order, each group before what is in it."""
    names: list[str] = []
    above: tuple[Group, ...] = ()
    for layer in world.layers:
        names += [group.name for group in layer.groups if group not in above]
        names.append(layer.name)
        above = layer.groups
    return names


def digest(world: TileMap) -> str:
    """The digest of the corpus's README over all tile layers."""
    total = hashlib.sha1()
    firsts = np.array([tileset.first_gid for tileset in world.tilesets], np.int64)
    for layer in world.layers:
        if not isinstance(layer, TileLayer):
            continue
        columns, rows = layer.cells(layer.ids()).T
        gids = layer.gids(layer.ids()).astype(np.int64)
        owner = np.searchsorted(firsts, gids, "right") - 1
        local = gids - firsts[owner] if len(gids) else gids
        order = np.lexsort((columns, rows))
        records = np.stack((rows, columns, owner, local, layer.flags(layer.ids())), axis=1)[order]
        total.update(np.array(len(gids), "<i4").tobytes())
        total.update(records.astype("<i4").tobytes())
    return total.hexdigest()[:16]
