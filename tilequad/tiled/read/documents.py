"""Step 1: turns one file, XML or JSON, into an ElementTree, without entities and within limits."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ..context import LoadContext
from ..errors import MapError
from ..source import Source, Span
from .json_document import cells_of_json, parse_json
from .unreadable import why_unreadable

__all__ = [
    "END_OF_TAG",
    "LimitedBuilder",
    "is_json",
    "is_small",
    "parse",
    "parse_xml",
    "read_document",
    "read_map_file",
    "read_outermost",
]

_JSON = (".tmj", ".tsj", ".tj", ".json")
_BUFFER = 1 << 20  # characters of text that expat gathers before it calls back; for speed only
_LONGEST_TAG = 1 << 24  # bytes; expat's time for a tag grows with the square of its length
_START = 1 << 13  # bytes of a file that hold its first tag, nearly always
_BATCH = 1024  # elements counted at a time; for speed only
# The rest of a tag, in all encodings that contain ASCII.
END_OF_TAG = re.compile(rb"""<[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>""")
_ABOUT_CELLS = re.compile(rb"<(data|chunk)[\s/>]")
_SHORT = 64  # bytes; so much white space, and what is longer, is not worth a look
_SHORTEST_ELEMENT = 4  # bytes in any encoding: <a/>


def read_document(path: Path, tag: str, context: LoadContext) -> Element:
    """Read a "map", "tileset" or "template"; its first character tells JSON from XML."""
    return _read(path, tag, context)[1]


def read_map_file(context: LoadContext, keep: bool = True) -> tuple[Element, Source | None]:
    """Read the map of a context: its tree, and what saving needs of the file, unless not `keep`."""
    path = context.path
    data, tree = _read(path, "map", context)
    if not keep:
        return tree, None
    spans = cells_of_json(data) if is_json(data, path) else _cells_of_xml(data, tree)
    return tree, Source.of(data, spans, path)


def is_json(data: bytes, path: Path) -> bool:
    """Return whether a file is JSON: by its first character, else by its suffix."""
    first = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return first == b"{" or (first != b"<" and path.suffix.lower() in _JSON)


def parse(data: bytes, path: Path, context: LoadContext) -> Element:
    """Parse a file of either kind."""
    return (parse_json if is_json(data, path) else parse_xml)(data, path, context)


def _read(path: Path, tag: str, context: LoadContext) -> tuple[bytes, Element]:
    data = context.read(path)
    tree = parse(data, path, context)
    if tree.tag != tag:
        kind = "the JSON is a {}" if is_json(data, path) else "the outermost element is <{}>"
        raise context.error(f"is not a {tag}: {kind.format(tree.tag)}", path)
    return data, tree


def _cells_of_xml(data: bytes, tree: Element) -> list[Span]:
    """Return where the text of cells begins and ends; none if that is not certain.

    A parser that told where it is would call Python for each element.
    """
    layers = {data for layer in tree.iter("layer") for data in layer.findall("data")}
    spans, at = [], 0
    for element in tree.iter("data"):
        chunks = element.findall("chunk")
        for block in (element, *chunks):
            found = _ABOUT_CELLS.search(data, at)
            if found is None or found[1] != block.tag.encode():
                return []
            tag = END_OF_TAG.match(data, found.start())
            if tag is None:
                return []
            at = tag.end()
            if element in layers and (block is not element or not chunks):
                start, at = at, data.find(b"<", at)  # where the text ends; nearly all of a map
                if block.find("tile") is not None:
                    at = data.find(b"</%b" % found[1], at)
                is_blank = at - start < _SHORT and not data[start:at].strip()
                if not (is_blank or data[start - 2 : start] == b"/>"):
                    spans.append((start, at))
    # If a comment holds such a tag, there is one more than elements.
    return [] if _ABOUT_CELLS.search(data, at) else spans


def read_outermost(path: Path, tag: str, context: LoadContext) -> Element:
    """Read the outermost element of a map, tileset or template; what is in it may be left out."""
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


def parse_xml(
    data: bytes, path: Path, context: LoadContext, builder: LimitedBuilder | None = None
) -> Element:
    """Parse the XML of one file.

    expat is driven directly, because ElementTree's own parser does not report declarations. Those
    of entities and attributes are refused. A DOCTYPE alone is fine: maps of the first versions of
    Tiled have one.
    """
    if builder is None and is_small(data, context):
        with suppress(expat.ExpatError, LookupError, ValueError):  # told of below
            return _parse_small(data, path, context)
    builder = builder or LimitedBuilder(path, context)
    parser = _prepared(builder)
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
    context.take("elements", builder.elements % _BATCH, path)
    return builder.tree.close()


def is_small(data: bytes, context: LoadContext) -> bool:
    """Return whether a file is too small for more elements, or points, than the limit."""
    return len(data) <= min(_SHORTEST_ELEMENT * context.limits.elements, _LONGEST_TAG)


def _parse_small(data: bytes, path: Path, context: LoadContext) -> Element:
    """Parse a small file, and count its elements in the end.

    So each element costs no call of Python: three quarters of the time.
    """
    builder = LimitedBuilder(path, context)
    parser = _prepared(builder)
    parser.StartElementHandler = builder.tree.start
    parser.EndElementHandler = builder.tree.end
    parser.Parse(data, True)
    tree = builder.tree.close()
    level = [tree]
    while level:
        builder.deeper()
        context.take("elements", len(level), path)
        level = [child for element in level for child in element]
    return tree


def _prepared(builder: LimitedBuilder) -> expat.XMLParserType:
    """Return a parser that gathers text, and refuses declarations."""
    parser = builder.parser
    parser.buffer_text = True
    parser.buffer_size = _BUFFER
    parser.XmlDeclHandler = builder.refuse_escapes
    parser.CharacterDataHandler = builder.tree.data
    parser.EntityDeclHandler = builder.refuse_entity
    parser.AttlistDeclHandler = builder.refuse_attributes
    return parser


class LimitedBuilder:
    """Builds a tree from what `parser` is fed, and counts its elements and their depth."""

    def __init__(self, path: Path, context: LoadContext) -> None:
        self.parser = expat.ParserCreate()
        self.tree = TreeBuilder()
        self.path = path
        self.context = context
        self.depth = 0
        self.elements = 0

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        """Begin an element."""
        self.deeper()
        self.elements += 1
        if self.elements % _BATCH == 0:
            self.context.take("elements", _BATCH, self.path)
        return self.tree.start(tag, attributes)

    def deeper(self) -> None:
        """Go down a level."""
        self.depth += 1
        if self.depth > self.context.limits.depth:
            limit = self.context.limits.depth
            raise self._error(f"elements nest deeper than the limit of {limit}")

    def end(self, tag: str) -> None:
        """End an element."""
        self.depth -= 1
        self.tree.end(tag)

    def refuse_escapes(self, version: str, encoding: str | None, standalone: int) -> None:
        """Refuse an encoding that is Python's own."""
        # No XML is written in this encoding, and Python warns of some texts in it.
        if encoding and codecs.lookup(encoding) is codecs.lookup("unicode_escape"):
            raise self._error(f"has the encoding {encoding!r}, which XML does not allow")

    def refuse_entity(self, name: str, *_: object) -> None:
        """Refuse the declaration of an entity."""
        raise self._error(f"declares the entity {name!r}; entities are not expanded")

    def refuse_attributes(self, tag: str, name: str, *_: object) -> None:
        """Refuse the declaration of attributes."""
        # A default would be copied into every element that does not have the attribute.
        raise self._error(f"declares the attribute {name!r} of <{tag}>, which no map needs")

    def _error(self, reason: str) -> MapError:
        return self.context.error(reason, self.path)
