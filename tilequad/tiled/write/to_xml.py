"""Turns the tree that the reader makes of a .tmj map into a .tmx map."""

from __future__ import annotations

from xml.etree.ElementTree import Element, indent

from .new_map import as_file

__all__ = ["map_to_xml"]


def map_to_xml(tree: Element) -> bytes:
    """Return a map as XML.

    Args:
        tree: The <map>, as `read_document` returns it; an animation without frames is left out.
    """
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
