"""Changes in the text of an XML file: all that is not changed stays as it is, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias
from xml.etree.ElementTree import Element
from xml.sax.saxutils import quoteattr

from ..context import LoadContext
from ..read.documents import END_OF_TAG, LimitedBuilder, parse_xml

__all__ = ["LINE_ENDS", "Place", "XmlDocument"]

_ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)""")
_ATTRIBUTE = re.compile(rb"""([^\s<>="']+)\s*=\s*("[^"]*"|'[^']*')""")
_CELLS = ("data", "chunk")
Edit: TypeAlias = tuple[int, int, bytes]  # where a part begins and ends, and what replaces it

LINE_ENDS = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}  # line ends in attributes


class Place(NamedTuple):
    """Where an element is in the text."""

    start: int  #: of its first tag
    inner: int  #: the end of its first tag
    close: int  #: the start of its last tag
    end: int

    @property
    def is_one_tag(self) -> bool:
        """Whether it is one tag, such as <data/>."""
        return self.close == self.end


class XmlDocument:
    """An XML file with its tree, and the changes of its text so far.

    Args:
        data: The bytes of the file.
        path: The file.
        context: The limits, and the file for errors.
        cuts: Where the text of cells was left out of `data`.

    Attributes:
        tree: The elements, as the reader makes them, but without the text of cells.
    """

    def __init__(
        self, data: bytes, path: Path, context: LoadContext, cuts: tuple[int, ...]
    ) -> None:
        builder = _PlacedBuilder(data, path, context)
        self.tree = parse_xml(data, path, context, builder)
        self._data = data
        self._places = builder.places
        self._cuts = frozenset(cuts)
        declared = _ENCODING.match(data.removeprefix(b"\xef\xbb\xbf"))
        self._encoding = declared[1].decode() if declared else "utf-8"
        self._eol = b"\r\n" if b"\r\n" in data[:4096] else b"\n"
        self._edits: list[Edit] = []
        self._attributes: dict[tuple[Element, str], str] = {}
        self._first: dict[Element, list[bytes]] = {}  # to come before all that is in an element
        self._last: dict[Element, list[bytes]] = {}

    def has(self, element: Element) -> bool:
        """Return whether an element is in this file, not put in place from another one."""
        return element in self._places

    def is_cut(self, element: Element) -> bool:
        """Return whether the cells of a <data> or <chunk> were left out."""
        return self._places[element].inner in self._cuts

    def content(self, element: Element) -> bytes:
        """Return what is in an element, as it is in the file."""
        _, inner, close, _ = self._places[element]
        return self._data[inner:close]

    def set(self, element: Element, name: str, value: str) -> None:
        """Set an attribute."""
        self._attributes[element, name] = value

    def fill(self, element: Element, content: bytes) -> None:
        """Replace everything in an element."""
        place = self._places[element]
        if place.is_one_tag:
            self._last.setdefault(element, []).append(content)
        else:
            self._edits.append((place.inner, place.close, content))

    def fill_text(self, element: Element, text: str) -> None:
        """Replace everything in an element by text, whose special characters are escaped."""
        self.fill(element, self._bytes(text))

    def put_first(self, element: Element, make: Callable[[str], str]) -> None:
        """Put elements before all others in an element.

        Args:
            element: The element to put them in.
            make: Takes the indentation, and returns their lines.
        """
        self._first.setdefault(element, []).append(self._lines(element, make))

    def put_last(self, element: Element, make: Callable[[str], str]) -> None:
        """Put elements behind all others in an element, as `put_first` does."""
        self._last.setdefault(element, []).append(self._lines(element, make))

    def replace(self, element: Element, make: Callable[[str], str]) -> None:
        """Replace an element by another one."""
        start, _, _, end = self._places[element]
        lines = make(self._indentation(start)).strip("\n ")
        self._edits.append((start, end, self._bytes(lines).replace(b"\n", self._eol)))

    def remove(self, element: Element) -> None:
        """Remove an element, and its line if there is nothing else in it."""
        start, _, _, end = self._places[element]
        before = len(self._data[:start].rstrip(b" \t"))
        if self._data[before - 1 : before] == b"\n" and self._data[end : end + 2].lstrip(b"\r")[
            :1
        ] in (b"\n", b""):
            start = before - 1 - (self._data[before - 2 : before] == b"\r\n")
        self._edits.append((start, end, b""))

    def finish(self) -> bytes:
        """Return the file with all changes."""
        edits = self._edits + [self._of_attribute(*key) for key in self._attributes]
        for element in {**self._first, **self._last}:
            edits += self._insertions(element)
        edits.sort(key=lambda edit: edit[:2])
        parts: list[bytes | memoryview] = []
        at = 0
        view = memoryview(self._data)
        for start, end, text in edits:
            if start < at:
                continue  # inside something that has been replaced
            parts += [view[at:start], text]
            at = end
        return b"".join([*parts, view[at:]]) if edits else self._data

    def _of_attribute(self, element: Element, name: str) -> Edit:
        """Return the change of an attribute."""
        start, inner, _, _ = self._places[element]
        key = name.encode()
        quoted = self._bytes(quoteattr(self._attributes[element, name], LINE_ENDS))
        for found in _ATTRIBUTE.finditer(self._data, start, inner):
            if found[1] == key:
                return *found.span(2), quoted
        at = inner - 1 - (self._data[inner - 2 : inner] == b"/>")
        while self._data[at - 1 : at].isspace():
            at -= 1
        return at, at, b" %b=%b" % (key, quoted)

    def _insertions(self, element: Element) -> list[Edit]:
        """Return the changes that put new text into an element."""
        place = self._places[element]
        first, last = (b"".join(part.get(element, ())) for part in (self._first, self._last))
        outside = self._eol + self._indentation(place.start).encode()
        if place.is_one_tag:
            tag = element.tag.encode()
            after = outside if first or last.startswith(self._eol + b" ") else b""
            text = b">%b%b%b</%b>" % (first, last, after, tag)
            at = place.inner - 2
            return [(at, place.inner, text)]
        end = place.inner + len(self._data[place.inner : place.close].rstrip())
        gap = outside if end == place.close else b""
        return [(place.inner, place.inner, first), (end, end, last + gap if last else b"")]

    def _lines(self, element: Element, make: Callable[[str], str]) -> bytes:
        text = make(self._indentation(self._places[element].start) + " ")
        return self._eol + self._bytes(text.rstrip("\n")).replace(b"\n", self._eol)

    def _indentation(self, start: int) -> str:
        line = self._data[self._data.rfind(b"\n", 0, start) + 1 : start]
        return "" if line.strip() else line.decode("ascii")

    def _bytes(self, text: str) -> bytes:
        return text.encode(self._encoding, "xmlcharrefreplace")


class _PlacedBuilder(LimitedBuilder):
    """A builder that knows where the elements are, and leaves out the text of cells."""

    def __init__(self, data: bytes, path: Path, context: LoadContext) -> None:
        super().__init__(path, context)
        self.data = data
        self.places: dict[Element, Place] = {}
        self._open: list[tuple[Element, int]] = []
        self._in_layer = False

    def start(self, tag: str, attributes: dict[str, str]) -> Element:
        element = super().start(tag, attributes)
        if tag in ("layer", "image"):  # an image has data, too
            self._in_layer = tag == "layer"
        elif self._in_layer and tag in _CELLS:
            self.parser.CharacterDataHandler = None
        self._open.append((element, self.parser.CurrentByteIndex))
        return element

    def end(self, tag: str) -> None:
        at = self.parser.CurrentByteIndex
        element, start = self._open.pop()
        found = END_OF_TAG.match(self.data, start)
        if found is None:
            raise self._error("has an encoding in which it cannot be changed")
        inner = found.end()
        if self.data[inner - 2 : inner] == b"/>":
            self.places[element] = Place(start, inner, inner, inner)
        else:
            self.places[element] = Place(start, inner, at, self.data.index(b">", at) + 1)
        super().end(tag)
        if tag in _CELLS:
            self.parser.CharacterDataHandler = self.tree.data
