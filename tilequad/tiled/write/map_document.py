"""Writes the changes of a map into the document of its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..context import LoadContext
from ..model.layer import Group
from ..model.tile_layer import TileLayer, places_of
from ..model.tile_map import TileMap
from ..source import Source, Span, cuts_of, without
from .arrangement import elements_of
from .cells import CellWriter
from .changes import write_changes
from .files import move_references
from .xml_document import CellTexts, XmlDocument

__all__ = ["Saving"]


@dataclass
class Saving:
    """What a save knows from its start."""

    tile_map: TileMap
    source: Source
    data: bytes  #: the bytes of the file
    is_whole: bool  #: whether they contain the cells
    folder: str
    to_json: bool  #: whether the new file is JSON
    context: LoadContext

    def document(self) -> XmlDocument:
        """Return the file, which is XML, without the texts of its cells."""
        kept, cuts, texts = self.without_cells()
        numbered = zip(cuts, range(len(cuts)), strict=True)
        return XmlDocument(kept, self.source.path, self.context, numbered, texts)

    def without_cells(self) -> tuple[bytes, Sequence[int], CellTexts]:
        """Return the file without the texts of its cells, where they were, and these texts."""
        if not self.is_whole:
            source = self.source
            return source.kept, cuts_of(source.spans), CellTexts([None] * len(source.spans))
        spans = [span for span in self.source.spans if self._is_text(span)]
        texts = CellTexts(self.data[start:end] for start, end in spans)
        return without(self.data, spans), cuts_of(spans), texts

    @property
    def has_texts(self) -> bool:
        """Whether the texts of all cells can be told apart from the file."""
        return not self.is_whole or all(map(self._is_text, self.source.spans))

    def _is_text(self, span: Span) -> bool:
        """Return whether a part of the file is no list of elements."""
        return self.data.find(b"<", *span) < 0

    def write(self, document: XmlDocument) -> list[Group]:
        """Write what differs from the file into its document; return the groups in its order."""
        tile_map, context = self.tile_map, self.context
        known = elements_of(tile_map, document)
        if self.folder != self.source.folder:
            move_references(document, self.source.folder, self.folder)
        size = None if tile_map.infinite else tile_map.size
        for layer, element in known.layers.items():
            if isinstance(layer, TileLayer):
                part = context.about(f"layer {layer.name!r}")
                tiles = places_of(layer).tiles
                as_list = self.to_json and not layer._encoding[0]  # JSON has no elements
                usual = ("csv", "") if as_list else layer._encoding
                writer = CellWriter(document, element, tiles, size, usual, part)
                if not document.has(element):
                    writer.write_new()
                elif tiles.touched or not self.is_whole:
                    writer.write()
        return write_changes(tile_map, document, known, self.folder, context)
