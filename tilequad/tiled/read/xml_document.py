"""Bytes to an ElementTree, without entities and within limits."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ..errors import MapError
from .context import LoadContext

__all__ = ["parse_xml"]

_BUFFER = 1 << 20  # characters of text that expat gathers before it calls back; affects speed only


def parse_xml(data: bytes, path: Path, context: LoadContext) -> Element:
    """Parse the XML of one file.

    expat is driven directly, because ElementTree's own parser offers no way to see an entity
    declared. A DOCTYPE alone is fine: maps of the first Tiled versions carry one.

    Raises:
        MapError: Not well-formed XML, an entity declared, or nesting or elements over the limits.
    """
    builder = _LimitedBuilder(path, context)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = _BUFFER
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.tree.data
    parser.EntityDeclHandler = builder.refuse_entity
    try:
        parser.Parse(data, True)
    except MapError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as problem:  # or an unknown encoding
        if builder.elements and not builder.depth:
            # Tiled reads no further than </map> either: files that were longer once, and saved
            # in place by other programs, end in the rest of what they were.
            return builder.tree.close()
        raise context.error(f"is not XML: {problem}", path) from None
    return builder.tree.close()


class _LimitedBuilder:
    """Builds a tree and counts what it holds."""

    def __init__(self, path: Path, context: LoadContext) -> None:
        self.tree = TreeBuilder()
        self.path = path
        self.context = context
        self.limits = context.limits
        self.depth = 0
        self.elements = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.elements += 1
        if self.depth > self.limits.depth:
            raise self._error(f"elements nest deeper than the limit of {self.limits.depth}")
        if self.elements > self.limits.elements:
            raise self._error(f"has more than the limit of {self.limits.elements} elements")
        self.tree.start(tag, attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.tree.end(tag)

    def refuse_entity(self, name: str, *_: object) -> None:
        raise self._error(f"declares the entity {name!r}; entities are not expanded")

    def _error(self, reason: str) -> MapError:
        return self.context.error(reason, self.path)
