"""How much a map may ask for before it is refused."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Bounds on what one map may cost, checked before the memory is taken.

    The defaults fit every real map we know of and a map of 4096 x 4096 cells with three layers.
    Raise them for maps of your own; lower them for maps of strangers.

    Example:
        >>> Limits(cells=1_000_000).cells
        1000000
    """

    cells: int = 1 << 26  #: cells of all tile layers together, empty ones included
    file_bytes: int = 1 << 28  #: size of one map, tileset or template file
    #: XML or JSON elements of all files of one map; those of a template count for each use
    elements: int = 1 << 21
    depth: int = 64  #: nesting of XML elements, and so of groups
    layers: int = 4096  #: layers and groups together
    tilesets: int = 1024  #: tilesets of one map
    tiles: int = 1 << 18  #: tiles of one tileset
    templates: int = 1024  #: different object templates of one map
    objects: int = 1 << 20  #: objects of one map
    pixels: int = 1 << 26  #: pixels of one image, and of one rendered picture
