"""Changes in the text of an XML file: all that is not changed stays as it is, byte for byte.

Something short stands for the texts of cells, which are most of a map.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from tilequad._core.shown import shown

from ..context import LoadContext
from ..read.documents import END_OF_TAG, LimitedBuilder, is_small, parse_xml
from ..read.layers import count_parts
from ..source import Span

__all__ = ["CellTexts", "XmlDocument"]

# Neither XML nor JSON can hold this byte, so a stand-in is no text of the file.
_STAND_IN = re.compile(rb"\0(\d+)\0")

_DECLARED = re.compile(rb"""(<\?xml[^>]*encoding\s*=\s*["'])([\w.:-]+)""")
_WIDE = {
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}  # by how a file begins
_ATTRIBUTE = re.compile(rb"""([^\s<>="']+)\s*=\s*("[^"]*"|'[^']*')""")
_CELLS = ("data", "chunk")
_NOT_IN_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LINE_ENDS = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}  # line ends in attributes


class CellTexts:
    """The texts of the cells of a file, None for one that is lost with it, and of changed ones."""

    def __init__(self, texts: Iterable[bytes | None] = ()) -> None:
        self._texts = list(texts)
        self._made: set[int] = set()

    def __getitem__(self, number: int) -> bytes:
        """Return a text; nothing if it is lost."""
        return self._texts[number] or b""

    @property
    def numbers(self) -> set[int]:
        """The numbers of all texts."""
        return set(range(len(self._texts)))

    def has(self, number: int) -> bool:
        """Return whether a text is known."""
        return self._texts[number] is not None

    def is_made(self, number: int) -> bool:
        """Return whether a text was made anew, so that it does not look like that of the file."""
        return number in self._made

    def add(self, text: bytes, is_made: bool = False) -> bytes:
        """Keep a text; return what stands for it."""
        if is_made:
            self._made.add(len(self._texts))
        self._texts.append(text)
        return self.stand_in(len(self._texts) - 1)

    @staticmethod
    def stand_in(number: int) -> bytes:
        """Return what stands for a text."""
        return b"\0%d\0" % number

    def shortened(self, data: bytes) -> bytes:
        """Replace the stand-ins by texts that have elements, or by a cell."""

        def short(found: re.Match[bytes]) -> bytes:
            text = self[int(found[1])]
            return text if b"<" in text else b"0"

        return _STAND_IN.sub(short, data)

    def filled(self, data: bytes, but: Collection[int] = ()) -> tuple[bytes, list[Span]]:
        """Put the texts, `but` some, back for their stand-ins. Return also where they are then."""
        pieces: list[bytes] = _STAND_IN.split(data)
        for place in range(1, len(pieces), 2):
            number = int(pieces[place])
            pieces[place] = self.stand_in(number) if number in but else self[number]
        if len(pieces) == 1:
            return data, []
        ends = list(accumulate(map(len, pieces)))
        return b"".join(pieces), list(zip(ends[:-1:2], ends[1::2], strict=True))


class Edit(NamedTuple):
    """A part of the text, and what replaces it."""

    start: int
    end: int
    make: Callable[[], bytes]  #: the new text, made once all changes are known
    removed: Element | None = None  #: the element that the edit takes away


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

    `cuts` are where texts of cells were left out of the data, each with the number of the text.
    """

    def __init__(
        self,
        data: bytes,
        path: Path,
        context: LoadContext,
        cuts: Iterable[tuple[int, int]],
        texts: CellTexts | None = None,
    ) -> None:
        data, self._wide = _narrowed(data)
        builder = _PlacedBuilder(data, path, context)
        #: as the reader makes it, but without the text of cells
        self.tree = parse_xml(data, path, context, builder)
        self._data = data
        self._context = context
        self._places = builder.places
        self._cuts = dict(cuts)
        self._texts = texts or CellTexts()
        self.spans: list[Span] = []  #: where the texts of cells are in the finished file
        declared = _DECLARED.match(data.removeprefix(b"\xef\xbb\xbf"))
        self._encoding = declared[2].decode() if declared else "utf-8"
        self._eol = b"\r\n" if b"\r\n" in data[:4096] else b"\n"
        self._edits: list[Edit] = []
        self._attributes: dict[tuple[Element, str], str | None] = {}
        self._first: dict[Element, list[Element]] = {}  # to come before all that is in an element
        self._last: dict[Element, list[Element]] = {}
        self._contents: dict[Element, bytes] = {}  # of elements without an end tag, and of new ones

    def has(self, element: Element) -> bool:
        """Return whether an element is in this file: it is not new, nor from another file."""
        return element in self._places

    def is_cut(self, element: Element) -> bool:
        """Return whether the cells of a <data> or <chunk> are lost with their file."""
        number = self._cuts.get(self._places[element].inner)
        return number is not None and not self._texts.has(number)

    def content(self, element: Element) -> bytes:
        """Return what is in an element, as it is in the file."""
        _, inner, close, _ = self._places[element]
        number = self._cuts.get(inner)
        rest = self._data[inner:close]  # behind a cut, a comment and what follows it
        return rest if number is None else self._texts[number] + rest

    def set(self, element: Element, name: str, value: str) -> None:
        """Set an attribute."""
        if self.has(element):
            self._attributes[element, name] = value
        else:
            element.set(name, value)

    def unset(self, element: Element, name: str) -> None:
        """Remove an attribute."""
        if self.has(element):
            self._attributes[element, name] = None
        else:
            element.attrib.pop(name, None)

    def fill(self, element: Element, content: bytes) -> None:
        """Replace everything in an element."""
        place = self._places.get(element)
        if place is None or place.is_one_tag:
            self._contents[element] = content
        else:
            self._edits.append(Edit(place.inner, place.close, lambda: content))

    def fill_cells(self, element: Element, text: bytes, is_made: bool = False) -> None:
        """Replace the text of a <data> or <chunk>; one made anew gets the line ends of the file."""
        if self.has(element):
            self._cuts.pop(self._places[element].inner, None)
        if is_made:
            text = text.replace(b"\n", self._eol)
        self.fill(element, self._texts.add(text, is_made))

    def fill_text(self, element: Element, text: str) -> None:
        """Replace everything in an element by text, whose special characters are escaped."""
        self.fill(element, self._bytes(text))

    def put_first(self, parent: Element, elements: list[Element]) -> None:
        """Put new elements before all others in an element."""
        self._first.setdefault(parent, []).extend(elements)

    def put_last(self, parent: Element, elements: list[Element]) -> None:
        """Put new elements behind all others in an element."""
        self._last.setdefault(parent, []).extend(elements)

    def replace(self, element: Element, new: Element) -> None:
        """Replace an element by a new one."""
        start, _, _, end = self._places[element]
        self._edits.append(Edit(start, end, lambda: self._text(new, self._indentation(start))))

    def remove(self, element: Element) -> None:
        """Remove an element, and its line if there is nothing else in it."""
        start, _, _, end = self._places[element]
        before = len(self._data[:start].rstrip(b" \t"))
        if self._data[before - 1 : before] == b"\n" and self._data[end : end + 2].lstrip(b"\r")[
            :1
        ] in (b"\n", b""):
            start = before - 1 - (self._data[before - 2 : before] == b"\r\n")
        self._edits.append(Edit(start, end, bytes, element))

    def removed(self) -> list[Element]:
        """Return the elements that were taken from their places: removed, or moved elsewhere."""
        return [edit.removed for edit in self._edits if edit.removed is not None]

    def arrange(self, parent: Element, children: Sequence[Element], tags: Sequence[str]) -> None:
        """Let an element, in the file or new, have these children, in this order.

        Those that are in order stay where they are. Others are moved with their text, also from
        other elements; new ones are added. Those with these tags that are not listed are removed.
        """
        if not self.has(parent):
            parent[:] = [*(one for one in parent if one.tag not in tags), *children]
            return
        here = [one for one in parent if one.tag in tags and self.has(one)]
        numbers = {one: number for number, one in enumerate(here)}
        stay = {here[number] for number in _longest([numbers.get(one, -1) for one in children])}
        for one in here:
            if one not in stay:
                self.remove(one)
        pending: list[Element] = []
        last: Element | None = None
        for one in children:
            if one not in stay:
                pending.append(one)
                continue
            if pending:
                self._insert(pending, last, one)
                pending = []
            last = one
        if pending and last is None:
            self.put_last(parent, pending)
        elif pending:
            self._insert(pending, last, None)

    def _insert(
        self, elements: list[Element], after: Element | None, before: Element | None
    ) -> None:
        """Put elements between two others of the file; one of these may be None."""
        if after is not None:
            start, _, _, at = self._places[after]
            indent = self._indentation(start)
            self._edits.append(Edit(at, at, lambda: self._lines(elements, indent)))
        elif before is not None:
            at = self._places[before].start
            indent = self._indentation(at)
            gap = self._eol + indent.encode()
            self._edits.append(
                Edit(at, at, lambda: b"".join(self._text(one, indent) + gap for one in elements))
            )

    def finish(self) -> bytes:
        """Return the file with all changes."""
        done, self.spans = self._texts.filled(self.render())
        if self._wide is None:
            return done
        encoding, declared = self._wide
        self.spans = []
        return _DECLARED.sub(rb"\1%b" % declared, done, count=1).decode().encode(encoding)

    def render(self) -> bytes:
        """Return the file with all changes, and with stand-ins for the texts of cells.

        What could not be read again for its limits is refused.
        """
        only_attributes = not (self._edits or self._first or self._last or self._contents)
        self._edits += [
            Edit(at, at, partial(self._texts.stand_in, number)) for at, number in self._cuts.items()
        ]
        self._edits += [self._of_attribute(*key) for key in self._attributes]
        for element in {**self._first, **self._last, **self._contents}:
            if self.has(element):
                self._edits += self._insertions(element)
        self._edits.sort(key=lambda edit: edit[:2])
        if not self._edits:
            return self._data
        done = self._rendered(0, len(self._data), self._edits)
        context = self._context.anew()
        # attributes add no elements, but perhaps points
        if not (only_attributes and is_small(done, context)):
            count_parts(parse_xml(self._texts.shortened(done), context.path, context), context)
        return done

    def _rendered(self, begin: int, end: int, edits: Sequence[Edit]) -> bytes:
        parts: list[bytes | memoryview] = []
        at = begin
        view = memoryview(self._data)
        for edit in edits:
            if edit.start < at:
                continue  # inside something that has been replaced
            parts += [view[at : edit.start], edit.make()]
            at = edit.end
        return b"".join([*parts, view[at:end]])

    def _text(self, element: Element, indent: str) -> bytes:
        """Return the text of an element: a new one as Tiled writes it, else that of the file."""
        place = self._places.get(element)
        if place is not None:
            begin, _, _, end = place
            inside = [
                edit
                for edit in self._edits
                if begin <= edit.start and edit.end <= end and edit.removed is not element
                if edit.start < edit.end or begin < edit.start < end  # else it is put beside it
            ]
            return self._rendered(begin, end, inside)
        tag = element.tag.encode()
        start = b"<%b%b" % (tag, b"".join(self._attribute(*item) for item in element.items()))
        content = self._contents.get(element, self._bytes(escape(element.text or "")))
        content = content.replace(b"\n", self._eol)
        children = [*self._first.get(element, ()), *element, *self._last.get(element, ())]
        if children:
            content += self._lines(children, indent + " ") + self._eol + indent.encode()
        return b"%b>%b</%b>" % (start, content, tag) if content else start + b"/>"

    def _lines(self, elements: list[Element], indent: str) -> bytes:
        gap = self._eol + indent.encode()
        return b"".join(gap + self._text(element, indent) for element in elements)

    def _attribute(self, name: str, value: str) -> bytes:
        return self._bytes(f" {name}={quoteattr(value, _LINE_ENDS)}")

    def _of_attribute(self, element: Element, name: str) -> Edit:
        start, inner, _, _ = self._places[element]
        key, value = name.encode(), self._attributes[element, name]
        new = b"" if value is None else self._attribute(name, value)
        for found in _ATTRIBUTE.finditer(self._data, start, inner):
            if found[1] == key and value is None:
                before = len(self._data[start : found.start()].rstrip())
                return Edit(start + before, found.end(), bytes)
            if found[1] == key:
                return Edit(*found.span(2), partial(bytes, new[len(key) + 2 :]))
        at = self._end_of_attributes(inner)
        return Edit(at, at, lambda: new)

    def _end_of_attributes(self, inner: int) -> int:
        """Return where the attributes end in a first tag that ends at `inner`."""
        at = inner - 1 - (self._data[inner - 2 : inner] == b"/>")
        while self._data[at - 1 : at].isspace():
            at -= 1
        return at

    def _insertions(self, element: Element) -> Iterator[Edit]:
        """Yield the changes that put new text into an element."""
        place = self._places[element]
        outside = self._indentation(place.start)
        after = self._eol + outside.encode()
        first, last = (part.get(element, []) for part in (self._first, self._last))
        if place.is_one_tag:
            tag, content = element.tag.encode(), self._contents.get(element, b"")

            def whole() -> bytes:
                inner = content + self._lines([*first, *last], outside + " ")
                return b">%b%b</%b>" % (inner, after if first or last else b"", tag)

            yield Edit(self._end_of_attributes(place.inner), place.inner, whole)
            return
        if first:
            yield Edit(place.inner, place.inner, lambda: self._lines(first, outside + " "))
        if last:
            end = place.inner + len(self._data[place.inner : place.close].rstrip())
            gap = after if end == place.close else b""
            yield Edit(end, end, lambda: self._lines(last, outside + " ") + gap)

    def _indentation(self, start: int) -> str:
        line = self._data[self._data.rfind(b"\n", 0, start) + 1 : start]
        return "" if line.strip() else line.decode("ascii")

    def _bytes(self, text: str) -> bytes:
        wrong = _NOT_IN_XML.search(text)
        if wrong is not None:
            raise self._context.error(
                f"the text {shown(text)} has the character {wrong[0]!r}, which no map can hold"
            )
        return text.encode(self._encoding, "xmlcharrefreplace")


def _narrowed(data: bytes) -> tuple[bytes, tuple[str, bytes] | None]:
    """Return a file as UTF-8, and the kind of UTF-16 that it had and how it declared it, or None.

    It has been parsed before, so it is well-formed.
    """
    wide = next((name for start, name in _WIDE.items() if data.startswith(start)), None)
    if wide is None:
        return data, None
    data = data.decode(wide).encode()
    found = _DECLARED.search(data)
    return _DECLARED.sub(rb"\1UTF-8", data, count=1), (wide, found[2] if found else b"")


def _longest(numbers: Sequence[int]) -> list[int]:
    """Return the longest ascending part of some numbers; -1 counts for none."""
    ends: list[int] = []  # the least end of an ascending part of each length,
    parts: list[tuple[int, Any]] = []  # and that part, from its end to its start
    for number in numbers:
        if number >= 0:
            at = bisect_left(ends, number)
            part = number, parts[at - 1] if at else None
            ends[at : at + 1], parts[at : at + 1] = [number], [part]
    found, rest = [], parts[-1] if parts else None
    while rest is not None:
        found.append(rest[0])
        rest = rest[1]
    return found


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
