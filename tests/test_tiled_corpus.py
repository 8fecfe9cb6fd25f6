"""Real maps: load_map reads from each what Tiled reads."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
import pytmx

from tests.corpus import BROKEN, each, rows
from tests.share import share
from tilequad.tiled import Group, ImageLayer, MapError, ObjectLayer, TileLayer, TileMap, load_map

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize(("path", "message"), BROKEN.items())
def test_what_tiled_does_not_open_is_refused(corpus, path, message):
    with pytest.raises(MapError, match=message):
        load_map(corpus / path)


@each(share(rows(), 8))
def test_cells_are_those_of_pytmx_and_all_else_is_as_in_tiled(corpus, row):
    world = load_map(corpus / row["path"])
    if row["exported"] == "1":
        found = facts(world)
        assert found == {name: row[name] for name in found}
    tmx = world.tmx
    assert type(tmx) is pytmx.TiledMap
    ours = [layer for layer in world.layers if isinstance(layer, TileLayer)]
    theirs = [layer for layer in tmx.layers if isinstance(layer, pytmx.TiledTileLayer)]
    for layer, other in zip(ours, theirs, strict=True):
        columns, rows = layer.cells(layer.ids()).T
        gids = layer.gids(layer.ids())[np.lexsort((columns, rows))]
        assert [tmx.tiledgidmap[gid] for _, _, gid in other.iter_data() if gid] == gids.tolist()


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
