"""One file of a map, whatever its format, to an ElementTree."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from .context import LoadContext
from .json_document import parse_json
from .xml_document import parse_xml

__all__ = ["parse_file"]


def parse_file(path: Path, tag: str, context: LoadContext) -> Element:
    """Read a map, tileset or template from XML or JSON, told apart by the first character.

    Args:
        path: The file.
        tag: What it is to be: "map", "tileset" or "template".
        context: The door to the disk.

    Raises:
        MapError: The file cannot be read, or is something else.
    """
    data = context.read(path)
    parse = parse_json if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else parse_xml
    tree = parse(data, path, context)
    if tree.tag != tag:
        raise context.error(f"is not a {tag}: the outermost element is <{tree.tag[:40]}>", path)
    return tree
