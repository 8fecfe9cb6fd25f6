"""Writes changed cells into the text of their layers and chunks.

The cells of the file are changed where the model's differ, instead of being made anew. So what the
model does not know stays: flip bits of empty cells, cells outside of the map.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from ..cells import FLAG_SHIFT, GID_MASK
from ..context import LoadContext
from ..index.tile_store import TileStore
from ..read.attributes import integer
from ..read.cell_data import csv_numbers, is_empty, numbers_checked, read_block
from .encodings import csv_line, encoded
from .xml_document import XmlDocument

__all__ = ["CellWriter"]

Raw = NDArray[np.uint32]
Bools = NDArray[np.bool_]

_SQUARE = 16  # columns and rows of a square that was touched
_FEW = 32  # numbers of a line to replace one by one
_NUMBER = re.compile(rb"\d+")


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


class CellWriter:
    """Writes the cells of one layer.

    Args:
        document: The file.
        layer: The <layer>.
        tiles: Its cells.
        size: Columns and rows of the map; None for an infinite map.
        encoding: The encoding and the compression of a layer that has no data yet.
        context: The layer, for errors.
    """

    def __init__(
        self,
        document: XmlDocument,
        layer: Element,
        tiles: TileStore,
        size: tuple[int, int] | None,
        encoding: tuple[str, str],
        context: LoadContext,
    ) -> None:
        self.document = document
        self.layer = layer
        self.tiles = tiles
        self.size = size
        self.context = context
        self.data = layer.find("data")
        self.encoding, self.compression = encoding
        if self.data is not None:
            self.encoding = self.data.get("encoding", "")
            self.compression = self.data.get("compression", "")
        self.level = integer(document.tree, "compressionlevel", -1, context)
        self.touched = np.array(sorted(tiles.touched), np.int64).reshape(-1, 2) * _SQUARE

    def write_new(self) -> None:
        """Write all cells of a layer that is not in the file yet."""
        self._put_data()
        if self.size is None:
            self.touched = self.tiles.squares() * _SQUARE
            self._add_chunks([])
        else:
            self._fill_data(self._encoded(self._raw(self._area(self.layer, None))))

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
        missing = self._outside([area])
        if missing.any():
            self._grow(area, missing)
        elif self.data is not None:
            self._write_block(self.data, area)
        elif len(self.tiles):
            self._fill_data(self._encoded(self._raw(area)))

    def _area(self, sized: Element, placed: Element | None) -> Area:
        left, top = (
            0 if placed is None else integer(placed, name, 0, self.context) for name in ("x", "y")
        )
        width, height = (integer(sized, name, 0, self.context) for name in ("width", "height"))
        return Area(left, top, width, height)

    def _raw(self, area: Area) -> Raw:
        """Return the cells of an area as the model has them."""
        gids, flags = self.tiles.window(*area)
        return gids | flags.astype(np.uint32) << np.uint32(FLAG_SHIFT)

    def _encoded(self, cells: Raw) -> bytes:
        return encoded(cells, self.encoding, self.compression, self.level)

    def _outside(self, areas: list[Area]) -> Bools:
        """Return which squares hold tiles outside of all areas."""
        held = np.zeros(len(self.touched), bool)
        for area in areas:
            end = area.left + area.width, area.top + area.height
            low, high = self.touched >= (area.left, area.top), self.touched + _SQUARE <= end
            held |= (low & high).all(axis=1)
        for number in np.flatnonzero(~held).tolist():
            left, top = self.touched[number].tolist()
            square = Area(left, top, _SQUARE, _SQUARE)
            raw = self._raw(square)
            for part in (area.part(square) for area in areas):
                x, y = part.left - square.left, part.top - square.top
                raw[y : y + part.height, x : x + part.width] = 0
            held[number] = not raw.any()
        return ~held

    def _changed_parts(self, area: Area) -> Iterator[Area]:
        """Yield the parts of an area that may have changed: for each band of rows, one."""
        low, high = self.touched, self.touched + _SQUARE
        end = area.left + area.width, area.top + area.height
        inside = ((low < end) & (high > (area.left, area.top))).all(axis=1)
        columns, rows = self.touched[inside].T
        for row in np.unique(rows).tolist():
            some = columns[rows == row]
            left, right = int(some.min()), int(some.max()) + _SQUARE
            yield area.part(Area(left, row, right - left, _SQUARE))

    def _write_block(self, block: Element, area: Area) -> None:
        """Write the changed cells of a <data> or <chunk>."""
        if self.document.is_cut(block):
            self.document.fill(block, self._encoded(self._raw(area)))
            return
        parts = list(self._changed_parts(area))
        if not parts:
            return
        text = self.document.content(block)
        if self.encoding == "csv":
            lines = _with_lines_changed(text, area, ((part, self._raw(part)) for part in parts))
            if lines is not None:
                if lines != text:
                    self.document.fill(block, lines)
                return
        old = self._cells_of(block, text, area)
        new = old.copy()
        differs = False
        for part in parts:
            x, y = part.left - area.left, part.top - area.top
            differs |= _take_over(new[y : y + part.height, x : x + part.width], self._raw(part))
        if differs:
            self._write_whole(block, text, old.ravel(), new)

    def _write_whole(self, block: Element, text: bytes, old: Raw, new: Raw) -> None:
        """Write all cells of a block, with as little of its layout changed as possible."""
        stream = text.strip() if self.encoding == "base64" else b""
        if stream:
            at = text.index(stream)
            whole = self._encoded(new).strip()
            self.document.fill(block, b"".join((text[:at], whole, text[at + len(stream) :])))
            return
        differ = np.flatnonzero(old != new.ravel()).tolist()
        gids = new.ravel()[differ].tolist()
        tiles = block.findall("tile")
        words = text.split(b",")
        if not self.encoding and len(tiles) == len(old):
            for number, gid in zip(differ, gids, strict=True):
                self.document.set(tiles[number], "gid", str(gid))
        elif self.encoding == "csv" and len(words) - (not words[-1].strip()) == len(old):
            for number, gid in zip(differ, gids, strict=True):
                words[number] = _with_number(words[number], gid)
            self.document.fill(block, b",".join(words))
        else:
            self.document.fill(block, self._encoded(new))

    def _cells_of(self, block: Element, text: bytes, area: Area) -> Raw:
        """Return the cells of a block as the file has them."""
        block.text = text.decode("ascii", "replace") if self.encoding else ""
        if is_empty(block):
            return np.zeros((area.height, area.width), np.uint32)
        assert self.data is not None
        with numbers_checked():
            raw = read_block(block, self.data, area.width, area.height, self.context)
        block.text = None
        if len(raw) == area.width * area.height:
            return raw.reshape(area.height, area.width)
        cells = np.zeros(area.width * area.height, np.uint32)
        cells[: len(raw)] = raw
        return cells.reshape(area.height, area.width)

    def _grow(self, area: Area, missing: Bools) -> None:
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
        self._fill_data(self._encoded(cells))

    def _fill_data(self, content: bytes) -> None:
        if self.data is not None:
            self.document.fill(self.data, content)
            return
        self.document.fill(self._put_data(), content)

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
        parts = []
        for top, left in sorted(chunks):
            area = Area(left, top, width, height)
            raw = self._raw(area)
            if area in areas or not raw.any():
                continue
            place = {"x": left, "y": top, "width": width, "height": height}
            chunk = Element("chunk", {name: str(number) for name, number in place.items()})
            self.document.fill(chunk, self._encoded(raw))
            parts.append(chunk)
        self.document.put_last(self._put_data() if self.data is None else self.data, parts)

    def _chunk_size(self, areas: list[Area]) -> tuple[int, int]:
        """Return the size of new chunks: that of the others, or the one that the editor is set to.

        Tiled writes all chunks in one size.
        """
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


def _take_over(old: Raw, new: Raw) -> bool:
    """Give cells their new values; an empty cell keeps its flip bits."""
    differ = (old != new) & ((old & np.uint32(GID_MASK) != 0) | (new != 0))
    np.copyto(old, new, where=differ)
    return bool(differ.any())


def _with_lines_changed(text: bytes, area: Area, parts: Iterable[tuple[Area, Raw]]) -> bytes | None:
    """Change csv line by line, and in a line only the numbers that differ.

    Returns:
        The new text; None if the file has not one line of numbers for each row.
    """
    lines = text.split(b"\n")
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if len(filled) != area.height:
        return None
    for part, model in parts:
        left = part.left - area.left
        for row, raw in enumerate(model, part.top - area.top):
            number = filled[row]
            changed = _changed_line(lines[number], area.width, left, raw)
            if changed is None:
                return None
            lines[number] = changed
    return b"\n".join(lines)


def _changed_line(line: bytes, width: int, left: int, raw: Raw) -> bytes | None:
    """Return a line with the cells of the model from a column on; None if it is no plain line."""
    numbers = line.rstrip(b", \t\r")
    try:
        with numbers_checked():
            old = csv_numbers(numbers.decode("ascii"))
    except (ValueError, DeprecationWarning):
        return None
    if len(old) != width:
        return None
    new = old.copy()
    if not _take_over(new[left : left + len(raw)], raw):
        return line
    rest = line[len(numbers) :]
    differ = np.flatnonzero(old != new)
    if len(differ) > _FEW:
        blank = numbers[: len(numbers) - len(numbers.lstrip())]
        return blank + csv_line(new) + rest
    words = numbers.split(b",")
    for column in differ.tolist():
        words[column] = _with_number(words[column], int(new[column]))
    return b",".join(words) + rest


def _with_number(word: bytes, number: int) -> bytes:
    """Return a word of csv with another number; white space stays, an empty word is zero."""
    digits = b"%d" % number
    return _NUMBER.sub(digits, word, count=1) if word.strip() else word + digits
