"""Wang sets: which tiles fit next to each other, for games that draw terrain themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from .properties import Color, Properties

__all__ = ["WangColor", "WangSet", "WangTile"]


@dataclass(frozen=True)
class WangColor:
    """One color of a Wang set; usually one terrain, such as grass.

    Attributes:
        name: Its name, or "".
        color: The color that Tiled shows for it, or None.
        tile: The local id of the tile that stands for it; -1 for none.
        probability: How likely it is to be chosen, relative to others.
        class_name: Its class in Tiled, or "".
        properties: Its custom properties.
    """

    name: str
    color: Color | None
    tile: int
    probability: float
    class_name: str = ""
    properties: Properties = field(default_factory=Properties, hash=False)


class WangTile(NamedTuple):
    """The colors around a tile.

    Attributes:
        local_id: The tile.
        wang_id: Eight numbers clockwise from the top: the colors of the top edge, the top-right
            corner, the right edge, and so on. Color 1 is the first of the set; 0 means no color.
    """

    local_id: int
    wang_id: tuple[int, ...]


@dataclass(frozen=True)
class WangSet:
    """Colors, called terrains in Tiled, and the tiles that have them.

    See https://doc.mapeditor.org/en/stable/manual/terrain/. The terrains of Tiled before version
    1.5 are a corner set with the name "Terrains", as in Tiled.

    Attributes:
        name: Its name.
        type: "corner", "edge" or "mixed": where tiles have colors.
        tile: The local id of the tile that stands for the set; -1 for none.
        colors: Its colors.
        tiles: The tiles that have colors, in the order of the file.
        class_name: Its class in Tiled, or "".
        properties: Its custom properties.
    """

    name: str
    type: str
    tile: int
    colors: tuple[WangColor, ...]
    tiles: tuple[WangTile, ...] = field(repr=False)
    class_name: str = ""
    properties: Properties = field(default_factory=Properties, hash=False)
