"""`Limits`: caps on what a map may cost."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits on what one map may cost, checked before memory is allocated.

    The defaults fit every real map that we know and three layers of 4096 x 4096 cells. Raise them
    for large maps of your own; lower them for maps from strangers.

    Example:
        >>> Limits(cells=1_000_000).cells
        1000000
    """

    cells: int = 1 << 26  #: cells of all tile layers of a map, including empty ones
    file_bytes: int = 1 << 28  #: size of one map, tileset or template file
    #: XML or JSON elements and points of polygons of all files of one map; a template counts once
    #: for each use, and a class that `types=` adds to the values counts four times; JSON may
    #: have eight values for each of them, besides cells
    elements: int = 1 << 20
    depth: int = 64  #: nesting of XML elements, and so of groups
    layers: int = 4096  #: layers and groups together
    tilesets: int = 1024  #: tilesets of one map
    tiles: int = 1 << 18  #: tiles of one tileset
    templates: int = 1024  #: different object templates of one map
    objects: int = 1 << 18  #: objects, collision shapes and described tiles of one map
    #: maps of one world; one that several patterns match counts for each of them
    maps: int = 1 << 16
    pixels: int = 1 << 26  #: pixels of one image, and of one rendered picture
    #: pixels painted into one rendered picture, counted each time they are painted; each tile,
    #: object, font, line and letter adds some, and stretched, rotated or blended ones count several
    #: times
    painted_pixels: int = 1 << 30
    image_pixels: int = 1 << 27  #: pixels of all images of one map together
