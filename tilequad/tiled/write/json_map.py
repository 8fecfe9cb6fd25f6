"""Saves a map that was read from JSON.

It is changed as XML. What that changes in the JSON that is made of it is changed in the file. All
this without the texts of the cells, for which something short stands in.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from ..model.layer import Group
from ..read.documents import parse_xml
from ..read.json_document import LONG, parse_json
from ..source import Span, cuts_of, without
from .json_document import decoded, encoding_of, with_changes
from .map_document import Saving
from .to_json import map_content
from .to_xml import map_to_xml
from .xml_document import CellTexts, XmlDocument

__all__ = ["write_json", "xml_of_json"]

_LIST = re.compile(rb'("data"\s*:\s*)\[([^\[\]{}"]+)\]')
_IN_LIST = re.compile(rb'\["\0(\d+)\0"\]')
_IN_XML = re.compile(rb">\0(\d+)\0</")
_STAND_IN = re.compile("([\0@])([0-9]+)\\1")


def xml_of_json(saving: Saving) -> tuple[XmlDocument, list[Group]]:
    """Return the changed map as XML, and its groups in the order of the file."""
    saving, _ = _narrowed(saving)
    if saving.is_whole:
        data, texts = saving.data, CellTexts()
    else:
        data, texts = _with_stand_ins(saving)
    document, _ = _as_xml(_tree_of(data, saving), texts, saving)
    return document, saving.write(document)


def write_json(saving: Saving) -> tuple[bytes, list[Span], list[Group]]:
    """Return the changed file, where long texts of cells are in it, and the groups in its order."""
    saving, encoding = _narrowed(saving)
    data, texts = _with_stand_ins(saving)
    tree = _tree_of(data, saving)
    strays = texts.numbers - {number for _, number in _stand_ins(tree)}
    if strays:  # what is named as cells are, but is something else
        data, _ = _filled(data, texts, but=texts.numbers - strays)
        tree = _tree_of(data, saving)
    document, before = _as_xml(tree, texts, saving)
    groups = saving.write(document)
    was, now = (_content_of(text, texts, saving) for text in (before, document.render()))
    changed = with_changes(data, was, now, saving.context.anew())
    data, spans = _filled(changed, texts)
    if encoding:
        return data.decode("utf-8", "surrogatepass").encode(encoding, "surrogatepass"), [], groups
    return data, [span for span in spans if span[1] - span[0] >= LONG], groups


def _narrowed(saving: Saving) -> tuple[Saving, str]:
    """Return the same with a file in UTF-8, and the encoding that it has; "" if it is UTF-8."""
    encoding = encoding_of(saving.data)
    if encoding.startswith("utf-8"):
        return saving, ""
    text = decoded(saving.data, encoding, saving.context)
    return replace(saving, data=text.encode("utf-8", "surrogatepass")), encoding


def _with_stand_ins(saving: Saving) -> tuple[bytes, CellTexts]:
    """Return the file with strings in place of the texts of cells."""
    kept, cuts, texts = saving.without_cells()
    parts, at = [], 0
    for number, cut in enumerate(cuts):
        stand_in = texts.stand_in(number)
        is_list = kept[cut - 1 : cut] == b"["
        parts += [kept[at:cut], b'"%b"' % stand_in if is_list else stand_in]
        at = cut
    data = b"".join([*parts, kept[at:]])
    return _LIST.sub(lambda found: b'%b["%b"]' % (found[1], texts.add(found[2])), data), texts


def _filled(data: bytes, texts: CellTexts, but: Collection[int] = ()) -> tuple[bytes, list[Span]]:
    """Do as `CellTexts.filled` does; a stand-in for a list is a string in brackets."""

    def bare(found: re.Match[bytes]) -> bytes:
        number = int(found[1])
        return found[0] if number in but else b"[%b]" % texts.stand_in(number)

    return texts.filled(_IN_LIST.sub(bare, data), but)


def _tree_of(data: bytes, saving: Saving) -> Element:
    """Return the tree of the file; data may have stand-ins, which become those of `_STAND_IN`."""
    return parse_json(data.replace(b"\0", b"\\u0000"), saving.source.path, saving.context.anew())


def _stand_ins(tree: Element) -> Iterator[tuple[Element, int]]:
    """Yield the elements of cells whose text is a stand-in, with its number."""
    for layer in tree.iter("layer"):
        for block in (*layer.findall("data"), *layer.findall("data/chunk")):
            found = _STAND_IN.fullmatch(block.text or "")
            if found is not None:
                yield block, int(found[2])


def _as_xml(tree: Element, texts: CellTexts, saving: Saving) -> tuple[XmlDocument, bytes]:
    """Return the document of a file as XML; and the XML, with stand-ins."""
    before = map_to_xml(tree)
    found = [(match.span(), int(match[1])) for match in _IN_XML.finditer(before)]
    spans = [(start + 1, end - 2) for (start, end), _ in found]
    cuts = zip(cuts_of(spans), [number for _, number in found], strict=True)
    kept = without(before, spans)
    return XmlDocument(kept, saving.source.path, saving.context, cuts, texts), before


def _content_of(xml: bytes, texts: CellTexts, saving: Saving) -> dict[str, Any]:
    """Return the members that XML of a map has in JSON."""
    tree = parse_xml(xml.replace(b"\0", b"@"), saving.source.path, saving.context.anew())
    for block, number in _stand_ins(tree):
        is_made = texts.is_made(number)
        block.text = texts[number].decode() if is_made else texts.stand_in(number).decode()
    return map_content(tree, saving.tile_map.tilesets, saving.context.anew())
