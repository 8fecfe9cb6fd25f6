"""Step 1: turns one file, XML or JSON, into an ElementTree."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

from ..context import LoadContext
from .json_document import parse_json
from .xml_document import parse_xml

__all__ = ["read_document"]

_JSON = (".tmj", ".tsj", ".tj", ".json")


def read_document(path: Path, tag: str, context: LoadContext) -> Element:
    """Read a map, tileset or template, whose first character tells JSON from XML.

    The suffix of the file only determines how the error names a file that is neither.

    Args:
        path: The file.
        tag: What it should be: "map", "tileset" or "template".
        context: Opens the file.

    Raises:
        MapError: The file cannot be read, or is something else.
    """
    data = context.read(path)
    first = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    is_json = first == b"{" or (first != b"<" and path.suffix.lower() in _JSON)
    tree = (parse_json if is_json else parse_xml)(data, path, context)
    if tree.tag != tag:
        raise context.error(f"is not a {tag}: the outermost element is <{tree.tag[:40]}>", path)
    return tree
