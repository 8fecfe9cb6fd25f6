"""Makes whole .tmx maps: of the tree of a .tmj map, and what a map without a file begins with."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, indent, tostring

from ..model.tile_map import FIXED, TileMap
from ..read.attributes import int_or_zero
from .values import number_text

__all__ = ["as_file", "empty_map", "empty_twin", "map_to_xml"]

_VERSION = "1.10"  # of the format; Tiled writes its newest one, and reads all
_TILED_VERSION = "1.10.2"  # which has that format; arcade reads no map that does not name one


def map_to_xml(tree: Element) -> bytes:
    """Return a map as XML; an animation without frames is left out."""
    for tile in tree.iter("tile"):
        for animation in tile.findall("animation"):
            if not len(animation):
                tile.remove(animation)
    for layer in tree.iter("layer"):
        for block in (*layer.findall("data"), *layer.findall("data/chunk")):
            sized = layer if block.tag == "data" else block
            block.text = _in_lines(block.text or "", int_or_zero(sized.get("width", "")))
    indent(tree, " ")
    return as_file(tree)


def _in_lines(cells: str, width: int) -> str:
    """Return csv with a line for each row; other encodings as they are."""
    words = "".join(cells.split()).split(",")
    if len(words) == 1 or width < 1:
        return cells
    rows = (",".join(words[start : start + width]) for start in range(0, len(words), width))
    return "\n" + ",\n".join(rows) + "\n"


def empty_map(fixed: dict[str, Any]) -> Element:
    """Return a <map> without tilesets and layers, with the settings of `FIXED`."""
    (width, height), (tile_width, tile_height) = fixed["size"], fixed["tile_size"]
    orientation = fixed["orientation"]
    tree = Element("map", version=_VERSION, tiledversion=_TILED_VERSION)
    tree.attrib.update(orientation=orientation, renderorder=fixed["render_order"])
    tree.attrib.update(width=str(width), height=str(height))
    tree.attrib.update(tilewidth=str(tile_width), tileheight=str(tile_height))
    tree.set("infinite", str(int(fixed["infinite"])))
    if orientation == "hexagonal":
        tree.set("hexsidelength", str(fixed["hex_side_length"]))
    if orientation in ("hexagonal", "staggered"):
        axis, index = fixed["stagger_axis"], fixed["stagger_index"]
        tree.attrib.update(staggeraxis=axis, staggerindex=index)
    if orientation == "oblique":
        tree.attrib.update(skewx=str(fixed["skew"][0]), skewy=str(fixed["skew"][1]))
    tree.attrib.update(nextlayerid="1", nextobjectid="1")
    return tree


def as_file(tree: Element) -> bytes:
    """Return an element as the bytes of a file."""
    return b'<?xml version="1.0" encoding="UTF-8"?>\n%b\n' % tostring(
        tree, "utf-8", xml_declaration=False
    )


def empty_twin(tile_map: TileMap) -> bytes:
    """Return the file of a map with the settings of another one that cannot change."""
    tree = empty_map({name: getattr(tile_map, name) for name in FIXED})
    x, y = tile_map.axes.point(*tile_map.parallax_origin)
    if (x, y) != (0, 0):
        tree.attrib.update(parallaxoriginx=number_text(x), parallaxoriginy=number_text(y))
    return as_file(tree)
