"""Step 1: turns one file, XML or JSON, into an ElementTree, without entities and within limits."""

from __future__ import annotations

import codecs
from contextlib import suppress
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ..context import LoadContext
from ..errors import MapError
from .json_document import parse_json
from .unreadable import why_unreadable

__all__ = ["parse_xml", "read_document", "read_outermost"]

_JSON = (".tmj", ".tsj", ".tj", ".json")
_BUFFER = 1 << 20  # characters of text that expat gathers before it calls back; for speed only
_LONGEST_TAG = 1 << 24  # bytes; expat's time for a tag grows with the square of its length
_START = 1 << 13  # bytes of a file that hold its first tag, nearly always
_BATCH = 1024  # elements counted at a time; for speed only
_SHORTEST_ELEMENT = 4  # bytes in any encoding: <a/>


def read_document(path: Path, tag: str, context: LoadContext) -> Element:
    """Read a map, tileset or template, whose first character tells JSON from XML.

    The suffix of the file only determines how the error names a file that is neither.

    Args:
        path: The file.
        tag: What it should be: "map", "tileset" or "template".
        context: Opens the file.

    Raises:
        MapError: The file cannot be read, or is not what it should be.
    """
    data = context.read(path)
    first = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    is_json = first == b"{" or (first != b"<" and path.suffix.lower() in _JSON)
    tree = (parse_json if is_json else parse_xml)(data, path, context)
    if tree.tag != tag:
        found = f"the JSON is a {tree.tag}" if is_json else f"the outermost element is <{tree.tag}>"
        raise context.error(f"is not a {tag}: {found}", path)
    return tree


def read_outermost(path: Path, tag: str, context: LoadContext) -> Element:
    """Read the outermost element of a map, tileset or template; what is in it may be left out.

    Raises:
        MapError: As for `read_document`.
    """
    found: list[Element] = []

    def keep(tag: str, attributes: dict[str, str]) -> None:
        if not found:
            found.append(Element(tag, attributes))

    with context.open(path) as file:
        start = file.read(_START)
    parser = expat.ParserCreate()
    parser.StartElementHandler = keep
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(start, False)
    if found and found[0].tag == tag:
        return found[0]
    return read_document(path, tag, context)


def parse_xml(data: bytes, path: Path, context: LoadContext) -> Element:
    """Parse the XML of one file.

    expat is driven directly, because ElementTree's own parser does not report declarations. A
    DOCTYPE alone is fine: maps of the first versions of Tiled have one.

    Raises:
        MapError: The XML is malformed, declares entities or attributes, or goes beyond the limits
            of nesting or elements; or a tag is far too long.
    """
    if len(data) <= min(_SHORTEST_ELEMENT * context.limits.elements, _LONGEST_TAG):
        with suppress(expat.ExpatError, LookupError, ValueError):  # told of below
            return _parse_small(data, path, context)
    builder = _LimitedBuilder(path, context)
    parser = _parser(builder)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    try:
        for start in range(0, len(data), _LONGEST_TAG):
            parser.Parse(memoryview(data)[start : start + _LONGEST_TAG], False)
            if parser.CurrentByteIndex < start:  # a tag began before this part, and goes on
                raise context.error(f"has a tag of more than {_LONGEST_TAG} bytes", path)
        parser.Parse(b"", True)
    except MapError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as problem:  # or an unknown encoding
        # Like Tiled, ignore everything after </map>: a program that overwrites a longer file in
        # place leaves the rest of it there.
        if not builder.elements or builder.depth:
            raise context.error(why_unreadable(data, problem, "XML"), path) from None
    context.take_elements(builder.elements % _BATCH, path)
    return builder.tree.close()


def _parse_small(data: bytes, path: Path, context: LoadContext) -> Element:
    """Parse a file too small for more elements than the limit, and count them in the end.

    So each element costs no call of Python: three quarters of the time.
    """
    builder = _LimitedBuilder(path, context)
    parser = _parser(builder)
    parser.StartElementHandler = builder.tree.start
    parser.EndElementHandler = builder.tree.end
    parser.Parse(data, True)
    tree = builder.tree.close()
    level = [tree]
    while level:
        builder.deeper()
        context.take_elements(len(level), path)
        level = [child for element in level for child in element]
    return tree


def _parser(builder: _LimitedBuilder) -> expat.XMLParserType:
    """Return a parser that gathers text, and refuses declarations."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = _BUFFER
    parser.XmlDeclHandler = builder.refuse_escapes
    parser.CharacterDataHandler = builder.tree.data
    parser.EntityDeclHandler = builder.refuse_entity
    parser.AttlistDeclHandler = builder.refuse_attributes
    return parser


class _LimitedBuilder:
    """Builds a tree and counts its elements and their depth."""

    def __init__(self, path: Path, context: LoadContext) -> None:
        self.tree = TreeBuilder()
        self.path = path
        self.context = context
        self.depth = 0
        self.elements = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.deeper()
        self.elements += 1
        if self.elements % _BATCH == 0:
            self.context.take_elements(_BATCH, self.path)
        self.tree.start(tag, attributes)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > self.context.limits.depth:
            limit = self.context.limits.depth
            raise self._error(f"elements nest deeper than the limit of {limit}")

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.tree.end(tag)

    def refuse_escapes(self, version: str, encoding: str | None, standalone: int) -> None:
        # No XML is written in this encoding, and Python warns of some texts in it.
        if encoding and codecs.lookup(encoding) is codecs.lookup("unicode_escape"):
            raise self._error(f"has the encoding {encoding!r}, which XML does not allow")

    def refuse_entity(self, name: str, *_: object) -> None:
        raise self._error(f"declares the entity {name!r}; entities are not expanded")

    def refuse_attributes(self, tag: str, name: str, *_: object) -> None:
        # A default would be copied into every element that does not have the attribute.
        raise self._error(f"declares the attribute {name!r} of <{tag}>, which no map needs")

    def _error(self, reason: str) -> MapError:
        return self.context.error(reason, self.path)
