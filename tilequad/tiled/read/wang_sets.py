"""Step 2b: reads the <wangsets> of a tileset, or the <terraintypes> of old versions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..model.wang_sets import WangColor, WangSet, WangTile
from .attributes import decimal, integer, parse_color, read_properties

__all__ = ["colors_of_wang_id", "read_wang_sets", "terrain_number"]

_COLORS = ("wangcolor", "wangcornercolor", "wangedgecolor")
_TYPES = ("corner", "edge", "mixed")

# The colors that Tiled gives to the terrains of old versions, in their order. Further ones get one
# at random in Tiled, and none here.
_TERRAIN_COLORS = (
    *("#ff0000", "#00ff00", "#0000ff", "#ff7700", "#00e9ff", "#ff00d8", "#ffff00", "#a000ff"),
    *("#00ffa1", "#ffa8a8", "#b4a8ff", "#96ffa7", "#8e7848", "#5a5a5a", "#0e7a46"),
)

# Where the quadrants of an old terrain tile are in a Wang id: top left, top right, bottom left and
# bottom right.
_QUADRANTS = (7, 1, 5, 3)


def read_wang_sets(tileset: Element, context: LoadContext) -> tuple[WangSet, ...]:
    """Read the Wang sets of a <tileset>; terrains of old versions become the first one.

    See https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#wangsets.
    """
    sets = [_read_set(element, context) for element in tileset.findall("wangsets/wangset")]
    terrains = tileset.findall("terraintypes/terrain")
    if terrains:
        sets.insert(0, _from_terrains(terrains, tileset, context))
    return tuple(sets)


def _read_set(element: Element, context: LoadContext) -> WangSet:
    elements = [child for child in element if child.tag in _COLORS]
    tags = [child.tag for child in elements]
    # Up to version 1.4, corners and edges numbered their colors separately.
    corners = [number for number, tag in enumerate(tags, 1) if tag == "wangcornercolor"]
    edges = [number for number, tag in enumerate(tags, 1) if tag == "wangedgecolor"]
    kind = element.get("type", "")
    if edges and not corners:
        kind = "edge"
    if corners and not edges:
        kind = "corner"
    return WangSet(
        name=element.get("name", ""),
        type=kind if kind in _TYPES else "mixed",
        tile=integer(element, "tile", 0, context),
        colors=tuple(_read_color(child, context) for child in elements),
        tiles=tuple(_read_tiles(element, corners, edges, len(elements), context)),
        class_name=element.get("class", ""),
        properties=read_properties(element, context),
    )


def _read_color(element: Element, context: LoadContext) -> WangColor:
    return WangColor(
        name=element.get("name", ""),
        color=parse_color(element.get("color")),
        tile=integer(element, "tile", 0, context),
        probability=decimal(element, "probability", 0.0, context),
        class_name=element.get("class", ""),
        properties=read_properties(element, context),
    )


def _read_tiles(
    element: Element, corners: list[int], edges: list[int], colors: int, context: LoadContext
) -> Iterator[WangTile]:
    wang_ids: dict[int, list[int]] = {}
    for tile in element.findall("wangtile"):
        text = tile.get("wangid", "")
        wang_id = colors_of_wang_id(text)
        if corners or edges:
            wang_id = [
                own[color - 1] if 0 < color <= len(own) else color
                for color, own in zip(wang_id, (edges, corners) * 4, strict=False)
            ]
        if len(wang_id) != 8 or not all(0 <= color <= colors for color in wang_id):
            raise context.error(f"the Wang id {text[:40]!r} does not fit a set of {colors} colors")
        wang_ids[integer(tile, "tileid", 0, context)] = wang_id
    return (WangTile(tile, tuple(wang_id)) for tile, wang_id in wang_ids.items() if any(wang_id))


def colors_of_wang_id(text: str) -> list[int]:
    """Return the colors of a Wang id; not eight of them if it is malformed."""
    if "," in text:
        try:
            return [int(color) for color in text.split(",")]
        except ValueError:
            return []
    try:
        number = int(text, 16)  # up to version 1.4: four bits per color, the first color lowest
    except ValueError:
        number = 0
    return [number >> shift & 15 for shift in range(0, 32, 4)]


def _from_terrains(terrains: list[Element], tileset: Element, context: LoadContext) -> WangSet:
    colors = tuple(
        WangColor(
            name=terrain.get("name", ""),
            color=parse_color(color),
            tile=integer(terrain, "tile", 0, context),
            probability=1.0,
            properties=read_properties(terrain, context),
        )
        for terrain, color in zip_longest(terrains, _TERRAIN_COLORS[: len(terrains)])
    )
    tiles = []
    for tile in tileset.findall("tile"):
        quadrants = [terrain_number(text) + 1 for text in tile.get("terrain", "").split(",")]
        if len(quadrants) == 4 and any(quadrants) and max(quadrants) <= len(colors):
            wang_id = [0] * 8
            for place, color in zip(_QUADRANTS, quadrants, strict=True):
                wang_id[place] = max(color, 0)
            tiles.append(WangTile(integer(tile, "id", 0, context), tuple(wang_id)))
    return WangSet("Terrains", "corner", -1, colors, tuple(tiles))


def terrain_number(text: str) -> int:
    """Read the number of a corner's terrain; -1 for none."""
    try:
        return int(text)
    except ValueError:
        return -1
