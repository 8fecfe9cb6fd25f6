"""Makes whole .tmx maps: of the tree of a .tmj map, and what a map without a file begins with."""

from __future__ import annotations

from xml.etree.ElementTree import Element, indent, tostring

from ..model.tile_map import FIXED, TileMap
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
            block.text = _in_lines(block.text or "", int(sized.get("width", "0")))
    indent(tree, " ")
    return as_file(tree)


def _in_lines(cells: str, width: int) -> str:
    """Return csv with a line for each row; other encodings as they are."""
    words = "".join(cells.split()).split(",")
    if len(words) == 1 or width < 1:
        return cells
    rows = (",".join(words[start : start + width]) for start in range(0, len(words), width))
    return "\n" + ",\n".join(rows) + "\n"


def empty_map(
    *,
    orientation: str,
    size: tuple[int, int],
    tile_size: tuple[int, int],
    render_order: str,
    stagger_axis: str,
    stagger_index: str,
    hex_side_length: int,
    skew: tuple[int, int],
    infinite: bool,
) -> Element:
    """Return a <map> without tilesets and layers; the arguments are the attributes of a TileMap."""
    tree = Element("map", version=_VERSION, tiledversion=_TILED_VERSION)
    tree.attrib.update(orientation=orientation, renderorder=render_order)
    tree.attrib.update(width=str(size[0]), height=str(size[1]))
    tree.attrib.update(tilewidth=str(tile_size[0]), tileheight=str(tile_size[1]))
    tree.set("infinite", str(int(infinite)))
    if orientation == "hexagonal":
        tree.set("hexsidelength", str(hex_side_length))
    if orientation in ("hexagonal", "staggered"):
        tree.attrib.update(staggeraxis=stagger_axis, staggerindex=stagger_index)
    if orientation == "oblique":
        tree.attrib.update(skewx=str(skew[0]), skewy=str(skew[1]))
    tree.attrib.update(nextlayerid="1", nextobjectid="1")
    return tree


def as_file(tree: Element) -> bytes:
    """Return an element as the bytes of a file."""
    return b'<?xml version="1.0" encoding="UTF-8"?>\n%b\n' % tostring(
        tree, "utf-8", xml_declaration=False
    )


def empty_twin(tile_map: TileMap) -> bytes:
    """Return the file of a map with the settings of another one that cannot change."""
    tree = empty_map(**{name: getattr(tile_map, name) for name in FIXED})
    x, y = tile_map.axes.point(*tile_map.parallax_origin)
    if (x, y) != (0, 0):
        tree.attrib.update(parallaxoriginx=number_text(x), parallaxoriginy=number_text(y))
    return as_file(tree)
