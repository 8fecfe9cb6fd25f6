"""Bytes to an ElementTree, without entities and within limits."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from .reading import Reading

__all__ = ["parse_xml"]

_BUFFER = 1 << 20  # characters of text that expat gathers before it calls back; affects speed only


def parse_xml(data: bytes, path: Path, reading: Reading) -> Element:
    """Parse the XML of one file.

    expat is driven directly, because ElementTree's own parser offers no way to see an entity
    declared. A DOCTYPE alone is fine: maps of the first Tiled versions carry one.

    Raises:
        MapError: Not well-formed XML, an entity declared, or nesting or elements over the limits.
    """
    builder = TreeBuilder()
    depth = 0
    elements = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth += 1
        elements += 1
        if depth > reading.limits.depth:
            raise reading.error(f"elements nest deeper than the limit of {depth - 1}", path)
        if elements > reading.limits.elements:
            raise reading.error(f"has more than the limit of {elements - 1} elements", path)
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def entity(name: str, *_: object) -> None:
        raise reading.error(f"declares the entity {name!r}; entities are not expanded", path)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = _BUFFER
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(data, True)
    except expat.ExpatError as problem:
        raise reading.error(f"is not XML: {problem}", path) from None
    except (LookupError, ValueError) as problem:  # an encoding that Python does not know
        if isinstance(problem, type(reading.error(""))):
            raise
        raise reading.error(f"is not XML: {problem}", path) from None
    return builder.close()
