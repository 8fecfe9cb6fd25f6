"""Hands a map to pytmx: its file is read again, repaired, and parsed by pytmx."""

from __future__ import annotations

import logging
from itertools import islice
from types import ModuleType
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from tilequad._optional import needs

from ..context import LoadContext
from ..model.tile_map import TileMap
from ..read.documents import read_document
from ..read.externals import put_externals_in_place
from ..read.layers import number_layers_and_objects
from ..read.objects import INHERITED
from .repairs import REPAIRS

if TYPE_CHECKING:
    import pytmx  # type: ignore[import-untyped]

__all__ = ["make_tmx"]


def make_tmx(tile_map: TileMap) -> pytmx.TiledMap:
    """Let pytmx read a map, with its cells as they are now; `TileMap.tmx` explains it."""
    module = _import_pytmx()
    context = tile_map._context()
    tree = _read_tree(context)
    # properties may be named like attributes, as in evol's maps; pytmx has one switch for all maps
    before = module.TiledElement.allow_duplicate_names
    try:
        for repair in REPAIRS:
            repair(tree, tile_map)
        colliders = _take_colliders(tree)
        tmx = module.TiledMap(allow_duplicate_names=True)
        tmx.filename = str(context.path)
        tmx.parse_xml(tree)
        _give_colliders(tmx, colliders, module)
    except Exception as problem:  # pytmx raises errors of many types, bare Exception too
        raise context.error(f"pytmx cannot read it: {problem!r}") from problem
    finally:
        module.TiledElement.allow_duplicate_names = before
    return tmx


def _read_tree(context: LoadContext) -> Element:
    """Return the XML of the map with its external tilesets and templates, one copy per use."""
    tree = read_document(context.path, "map", context)
    put_externals_in_place(tree, context)
    number_layers_and_objects(tree, context)
    limit = context.limits.elements
    if sum(1 for _ in islice(tree.iter(), limit + 1)) > limit:
        raise context.error(f"has more than the limit of {limit} elements, counted at each use")
    return _copy(tree)


def _copy(element: Element) -> Element:
    copy = Element(element.tag, element.attrib)
    copy.text, copy.tail = element.text, element.tail
    copy.extend(map(_copy, element))
    for inherited in copy.findall(INHERITED):  # pytmx takes the last value of a name
        copy.remove(inherited)
        copy[:0] = inherited
    return copy


def _take_colliders(tree: Element) -> list[tuple[int, Element]]:
    """Take the collision shapes of tiles out of the tree; pytmx would turn them into layers.

    Needed by tiled/examples/orthogonal-outside.tmx.
    """
    taken = []
    for tileset in tree.findall("tileset"):
        first_gid = int(tileset.get("firstgid", "1"))
        for tile in tileset.iter("tile"):
            for group in tile.findall("objectgroup"):
                tile.remove(group)
                taken.append((first_gid + int(tile.get("id", "0")), group))
    return taken


def _give_colliders(
    tmx: pytmx.TiledMap, colliders: list[tuple[int, Element]], module: ModuleType
) -> None:
    """Add collision shapes to the properties of tiles, where pytmx has them."""
    for tiled_gid, element in colliders:
        group = module.TiledObjectGroup(tmx, element, None)
        for gid, _ in tmx.map_gid2(tiled_gid):
            tmx.tile_properties.setdefault(gid, {})["colliders"] = group


def _import_pytmx() -> ModuleType:
    """Import pytmx, without its warning on stderr if pygame is missing."""
    logger = logging.getLogger("pytmx.util_pygame")
    disabled, logger.disabled = logger.disabled, True
    try:
        with needs("pytmx", "TileMap.tmx"):
            import pytmx
        module: ModuleType = pytmx
        return module
    finally:
        logger.disabled = disabled
