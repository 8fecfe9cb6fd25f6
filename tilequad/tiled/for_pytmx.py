"""The map for those who know pytmx: the tree put in order until pytmx reads it."""

from __future__ import annotations

import logging
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from .reading import Reading

if TYPE_CHECKING:
    import pytmx  # type: ignore[import-untyped]

    from .tilemap import TileMap

__all__ = ["make_tmx"]


def make_tmx(tree: Element, world: TileMap, reading: Reading) -> pytmx.TiledMap:
    """Hand the repaired tree to pytmx.

    Raises:
        MapError: pytmx cannot read it.
    """
    pytmx = _import_pytmx()
    tmx = pytmx.TiledMap()
    tmx.filename = str(reading.path)
    try:
        tmx.parse_xml(tree)
    except Exception as problem:  # pytmx raises whatever its insides do, bare Exception included
        raise reading.error(f"pytmx cannot read it: {problem!r}") from problem
    return tmx


def _import_pytmx() -> ModuleType:
    """Import pytmx without its complaint on stderr that pygame is missing."""
    logger = logging.getLogger("pytmx.util_pygame")
    disabled, logger.disabled = logger.disabled, True
    try:
        return import_module("pytmx")
    finally:
        logger.disabled = disabled
