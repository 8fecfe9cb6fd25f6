"""The map for those who know pytmx: its tree put in order, and handed to pytmx."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from ..read.context import LoadContext
from .repairs import REPAIRS

if TYPE_CHECKING:
    import pytmx  # type: ignore[import-untyped]

    from ..model.tile_map import TileMap

__all__ = ["make_tmx"]


def make_tmx(tree: Element, world: TileMap, context: LoadContext) -> pytmx.TiledMap:
    """Hand the repaired tree to pytmx.

    Args:
        tree: The tree that the map was read from; it is left as it is.
        world: The map, which knows the cells and the tilesets.
        context: The path for errors.

    Raises:
        MapError: pytmx cannot read it.
    """
    module = _import_pytmx()
    tree = deepcopy(tree)
    try:
        for repair in REPAIRS:
            repair(tree, world)
        colliders = _take_colliders(tree)
        with _any_property_name(module):
            tmx = module.TiledMap(allow_duplicate_names=True)
            tmx.filename = str(context.path)
            tmx.parse_xml(tree)
            _give_colliders(tmx, colliders, module)
    except Exception as problem:  # pytmx raises whatever its insides do, bare Exception included
        raise context.error(f"pytmx cannot read it: {problem!r}") from problem
    return tmx


def _take_colliders(tree: Element) -> list[tuple[int, Element]]:
    """Take the collision shapes of tiles out of the tree: pytmx would make layers of them.

    Needed by tiled/examples/orthogonal-outside.tmx and six more of the corpus.
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
    """Give tiles their collision shapes where pytmx users look for them."""
    for tiled_gid, element in colliders:
        group = module.TiledObjectGroup(tmx, element, None)
        for gid, _ in tmx.map_gid2(tiled_gid):
            tmx.tile_properties.setdefault(gid, {})["colliders"] = group


@contextmanager
def _any_property_name(module: ModuleType) -> Iterator[None]:
    """Allow properties that are named as attributes are, as evol's maps have; then as before.

    pytmx keeps that switch on a class, for all maps together.
    """
    before = module.TiledElement.allow_duplicate_names
    try:
        yield
    finally:
        module.TiledElement.allow_duplicate_names = before


def _import_pytmx() -> ModuleType:
    """Import pytmx without its complaint on stderr that pygame is missing."""
    logger = logging.getLogger("pytmx.util_pygame")
    disabled, logger.disabled = logger.disabled, True
    try:
        return import_module("pytmx")
    finally:
        logger.disabled = disabled
