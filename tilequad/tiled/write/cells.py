"""Writes changed cells into the text of their layers and chunks.

The model knows which cells differ from the file, so the text is not read again: numbers are changed
where they are, and what is compressed is made anew. Only where a file holds what the model does not
know, such as flip bits of empty cells, it is unpacked first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, product
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

import numpy as np

from ..cells import Ints64, Mask, Raw
from ..context import LoadContext
from ..index.tile_store import Square, TileStore
from ..read.attributes import integer
from ..read.cell_data import is_empty, numbers_checked, read_block
from .encodings import encoded, packed, with_numbers
from .xml_document import XmlDocument

__all__ = ["CellWriter"]


_STREAM = re.compile(rb"\S.*\S", re.DOTALL)  # what is not white space around
_SQUARE = 16  # columns and rows of a square that was touched


class Area(NamedTuple):
    """A rectangle of cells."""

    left: int
    top: int
    width: int
    height: int

    def part(self, other: Area) -> Area:
        """Return the area in both; it may be empty."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right = min(self.left + self.width, other.left + other.width)
        bottom = min(self.top + self.height, other.top + other.height)
        return Area(left, top, max(right - left, 0), max(bottom - top, 0))

    def of(self, cells: Raw, left: int, top: int) -> Raw:
        """Return this area of cells that begin at a column and a row; it is no copy."""
        row, column = self.top - top, self.left - left
        return cells[row : row + self.height, column : column + self.width]


def _around(areas: list[Area]) -> Area:
    """Return the smallest area around others; an empty one around none."""
    left = min((area.left for area in areas), default=0)
    top = min((area.top for area in areas), default=0)
    right = max((area.left + area.width for area in areas), default=0)
    bottom = max((area.top + area.height for area in areas), default=0)
    return Area(left, top, right - left, bottom - top)


@dataclass
class CellWriter:
    """Writes the cells of one layer."""

    document: XmlDocument
    layer: Element
    tiles: TileStore
    size: tuple[int, int] | None  #: columns and rows of the map; None for an infinite map
    usual: tuple[str, str]  #: encoding and compression of a layer that has no data yet
    context: LoadContext

    def __post_init__(self) -> None:
        self.data = self.layer.find("data")
        self.encoding, self.compression = self.usual
        if self.data is not None:
            self.encoding = self.data.get("encoding", "")
            self.compression = self.data.get("compression", "")
        self.level = integer(self.document.tree, "compressionlevel", -1, self.context)
        squares = np.fromiter(chain.from_iterable(self.tiles.touched), np.int64)
        self.touched = squares.reshape(-1, 2) * _SQUARE

    def write_new(self) -> None:
        """Write all cells of a layer that is not in the file yet."""
        self._put_data()
        if self.size is None:
            self.touched = self.tiles.squares() * _SQUARE
            self._add_chunks([])
        else:
            self._fill_data(self._raw(self._area(self.layer, None)))

    def write(self) -> None:
        """Write the cells that differ from the file."""
        chunks = [] if self.data is None else self.data.findall("chunk")
        if chunks or self.size is None:
            areas = [self._area(chunk, chunk) for chunk in chunks]
            for chunk, area in zip(chunks, areas, strict=True):
                self._write_block(chunk, area)
            self._add_chunks(areas)
            return
        area = self._area(self.layer, None)
        if area[2:] != self.size and (missing := self._outside([area])).any():
            self._grow(area, missing)
        elif self.data is not None:
            self._write_block(self.data, area)
        elif len(self.tiles):
            self._fill_data(self._raw(area))

    def _area(self, sized: Element, placed: Element | None) -> Area:
        left, top = (
            0 if placed is None else integer(placed, name, 0, self.context) for name in ("x", "y")
        )
        width, height = (integer(sized, name, 0, self.context) for name in ("width", "height"))
        return Area(left, top, width, height)

    def _raw(self, area: Area) -> Raw:
        return self.tiles.raw_window(*area)

    def _outside(self, areas: list[Area]) -> Mask:
        """Return which squares hold tiles outside of all areas."""
        inside: dict[Square, list[Area]] = {}
        for area in areas:
            for part in self._touched_in(area):
                square = part.left // _SQUARE, part.top // _SQUARE
                inside.setdefault(square, []).append(part)
        squares = (self.touched // _SQUARE).tolist()
        return np.array([self._holds_more(x, y, inside.get((x, y), [])) for x, y in squares], bool)

    def _holds_more(self, column: int, row: int, parts: list[Area]) -> bool:
        """Return whether a square holds tiles outside of some parts of it."""
        square = Area(column * _SQUARE, row * _SQUARE, _SQUARE, _SQUARE)
        if square in parts:
            return False
        raw = self._raw(square)
        for part in parts:
            part.of(raw, square.left, square.top)[:] = 0
        return bool(raw.any())

    def _touched_in(self, area: Area) -> Iterator[Area]:
        """Yield the parts of an area that were touched, each in one square."""
        touched = self.tiles.touched
        columns, rows = (
            range(start // _SQUARE, (start + length - 1) // _SQUARE + 1)
            for start, length in ((area.left, area.width), (area.top, area.height))
        )
        some: Iterable[Square] = touched  # of which there may be many, or in many areas
        if len(columns) * len(rows) < len(touched):
            some = product(columns, rows)
        for x, y in some:
            if x in columns and y in rows and (x, y) in touched:
                yield area.part(Area(x * _SQUARE, y * _SQUARE, _SQUARE, _SQUARE))

    def _before(self, part: Area) -> Raw:
        """Return the cells of a part of a square as the file has them."""
        square = self.tiles.touched[part.left // _SQUARE, part.top // _SQUARE]
        return part.of(square, part.left // _SQUARE * _SQUARE, part.top // _SQUARE * _SQUARE)

    def _differs(self, area: Area) -> bool:
        return any((self._raw(part) != self._before(part)).any() for part in self._touched_in(area))

    def _changes(self, area: Area) -> tuple[Ints64, Raw]:
        """Return which cells of an area differ from the file, counted by rows, and their values."""
        parts = list(self._touched_in(area))
        box = _around(parts)
        now = self._raw(box)
        before = now.copy()
        for part in parts:
            part.of(before, box.left, box.top)[:] = self._before(part)
        rows, columns = np.nonzero(now != before)
        places = (rows + (box.top - area.top)) * area.width + columns + (box.left - area.left)
        return places, now[rows, columns]

    def _write_block(self, block: Element, area: Area) -> None:
        if self.document.is_cut(block):
            self._fill(block, self._raw(area))
        elif self.encoding == "base64" and self.tiles.is_exact:
            if self._differs(area):
                self._pack(block, self._raw(area))
        else:
            places, raw = self._changes(area)
            if len(places):
                self._put(block, area, places, raw)

    def _pack(self, block: Element, cells: Raw) -> None:
        """Replace the cells of a block in base64; the white space around them stays."""
        text = self.document.content(block)
        stream = _STREAM.search(text)
        if stream is None:
            self._fill(block, cells)
        else:
            made = packed(cells, self.compression, self.level)
            around = text[: stream.start()], text[stream.end() :]
            self.document.fill_cells(block, made.join(around))

    def _put(self, block: Element, area: Area, places: Ints64, raw: Raw) -> None:
        text = self.document.content(block)
        tiles = block.findall("tile")
        count = area.width * area.height
        changed = None
        if self.encoding == "csv" and text.strip() and b"<" not in text:  # as of a comment
            changed = with_numbers(text, count, places, raw)
        elif not self.encoding and len(tiles) == count:
            for place, value in zip(places.tolist(), raw.tolist(), strict=True):
                self.document.set(tiles[place], "gid", str(value))
            return
        if changed is not None:
            self.document.fill_cells(block, changed)
            return
        cells = self._cells_of(block, text, area)  # with what only the file knows
        cells.flat[places] = raw
        if self.encoding == "base64":
            self._pack(block, cells)
        else:
            self._fill(block, cells)

    def _cells_of(self, block: Element, text: bytes, area: Area) -> Raw:
        """Return the cells of a block as the file has them."""
        plain = f"<data>{text.decode('ascii', 'replace')}</data>"
        block.text = fromstring(plain).text if self.encoding else ""
        if is_empty(block):
            return np.zeros((area.height, area.width), np.uint32)
        assert self.data is not None
        with numbers_checked():
            raw = read_block(block, self.data, area.width, area.height, self.context)
        block.text = None
        cells = np.zeros(area.width * area.height, np.uint32)
        cells[: len(raw)] = raw
        return cells.reshape(area.height, area.width)

    def _grow(self, area: Area, missing: Mask) -> None:
        """Enlarge a layer that is smaller than its map."""
        right, bottom = (self.touched[missing].max(axis=0) + _SQUARE).tolist()
        columns, rows = self.size or (0, 0)
        width, height = min(columns, max(right, area.width)), min(rows, max(bottom, area.height))
        width, height = max(width, area.width), max(height, area.height)
        whole = Area(0, 0, width, height)
        cells = self._raw(whole)
        if (width, height) != area[2:]:
            self.document.set(self.layer, "width", str(width))
            self.document.set(self.layer, "height", str(height))
        self._fill_data(cells)

    def _fill_data(self, cells: Raw) -> None:
        self._fill(self._put_data() if self.data is None else self.data, cells)

    def _fill(self, block: Element, cells: Raw) -> None:
        """Write all cells of a block anew."""
        text = encoded(cells, self.encoding, self.compression, self.level)
        self.document.fill_cells(block, text, is_made=True)

    def _put_data(self) -> Element:
        """Put an element for the cells into the layer."""
        self.data = Element("data")
        for name in ("encoding", "compression"):
            if getattr(self, name):
                self.data.set(name, getattr(self, name))
        self.document.put_last(self.layer, [self.data])
        return self.data

    def _add_chunks(self, areas: list[Area]) -> None:
        """Add chunks for tiles where the file has none."""
        squares = self.touched[self._outside(areas)]
        if not len(squares):
            return
        width, height = self._chunk_size(areas)
        chunks = set()
        for left, top in squares.tolist():
            for x in range(left // width, (left + _SQUARE - 1) // width + 1):
                for y in range(top // height, (top + _SQUARE - 1) // height + 1):
                    chunks.add((y * height, x * width))
        parts, known = [], set(areas)
        for top, left in sorted(chunks):
            area = Area(left, top, width, height)
            raw = self._raw(area)
            if area in known or not raw.any():
                continue
            place = {"x": left, "y": top, "width": width, "height": height}
            chunk = Element("chunk", {name: str(number) for name, number in place.items()})
            self._fill(chunk, raw)
            parts.append(chunk)
        self.document.put_last(self._put_data() if self.data is None else self.data, parts)

    def _chunk_size(self, areas: list[Area]) -> tuple[int, int]:
        """Return the size of new chunks: that of all others, or the one set in the editor."""
        sizes = {
            area[2:] for area in areas if not (area.left % area.width or area.top % area.height)
        }
        if len(sizes) == 1 and len({area[2:] for area in areas}) == 1:
            return sizes.pop()
        declared = self.document.tree.find("editorsettings/chunksize")
        if declared is None:
            return _SQUARE, _SQUARE
        width, height = (
            integer(declared, name, _SQUARE, self.context) for name in ("width", "height")
        )
        return max(width, 4), max(height, 4)
