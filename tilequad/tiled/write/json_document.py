"""Changes in the text of a JSON file: all that is not changed stays as it is, byte for byte.

What has changed is found by comparing two values made in one way, of the map before and after. The
text of the file may differ from both: it may lack what has a usual value, and hold what only newer
versions of Tiled know.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Hashable
from itertools import pairwise
from typing import Any, NamedTuple

from ..context import LoadContext
from ..read.json_document import format_of_tiled
from .values import as_json

__all__ = ["decoded", "encoding_of", "with_changes"]

_SPACE = re.compile(r"[ \t\n\r]*")
_scan = json.JSONDecoder(strict=False).raw_decode  # it may hold stand-ins for texts of cells


def with_changes(data: bytes, before: Any, after: Any, context: LoadContext) -> bytes:
    """Return the bytes of a JSON file, with what differs between two values.

    They are what `map_content` gives for the file and for the changed map. All of them may hold the
    stand-ins of `CellTexts`.
    """
    if _same(before, after):
        return data
    encoding = encoding_of(data)
    text = decoded(data, encoding, context)
    document = _JsonDocument(text)
    start = document.skip(text.startswith("\ufeff"))
    with format_of_tiled(context.path, context):  # it may nest too deeply
        _, end = _scan(text, start)
        changed = document.value(start, end, before, after)
    return f"{text[:start]}{changed}{text[end:]}".encode(encoding, "surrogatepass")


def encoding_of(data: bytes) -> str:
    """Return the encoding of a JSON file, with the byte order that its mark tells."""
    encoding: str = json.detect_encoding(data)
    if data.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)):
        encoding += "-be"  # with a mark; without one, Python writes the order of this computer
    return encoding


def decoded(data: bytes, encoding: str, context: LoadContext) -> str:
    """Return the text of a JSON file, if its encoding gives its bytes back."""
    text = data.decode(encoding, "surrogatepass")
    if text.encode(encoding, "surrogatepass") != data:
        raise context.error("has an encoding in which it cannot be changed")
    return text


class _Item(NamedTuple):
    """Where a member of an object or an entry of a list is in the text."""

    name: str  #: of a member; "" for an entry
    start: int  #: of the name, or of the entry
    value: int  #: the start of the value
    end: int


class _JsonDocument:
    def __init__(self, text: str) -> None:
        self.text = text
        self.is_compact = "\n" not in text.strip()
        self.line_end = "\r\n" if "\r\n" in text[:4096] else "\n"

    def skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def value(self, start: int, end: int, before: Any, after: Any) -> str:
        if _same(before, after):
            return self.text[start:end]
        opening = self.text[start]
        if opening == "{" and isinstance(before, dict) and isinstance(after, dict):
            return self._object(start, before, after)
        if opening == "[" and type(before) is type(after) is list:
            return self._list(start, before, after)
        return self._made(after, start)

    def _object(self, start: int, before: dict[str, Any], after: dict[str, Any]) -> str:
        items, close = self._items(start)
        last = {item.name: item for item in items}
        entries: list[tuple[_Item | None, str]] = []
        for item in items:
            name, text = item.name, self.text[item.start : item.end]
            if name in after and last[name] is item:
                value = self.value(item.value, item.end, before.get(name), after[name])
                text = self.text[item.start : item.value] + value
            if name in after or name not in before:
                entries.append((item, text))
        at = items[-1].start if items else start
        colon = '"%s":' if self.is_compact else '"%s": '
        if items:
            first = items[0]
            named = self.text[first.start : first.value].rpartition('"')[2]
            colon = f'"%s"{named}'
        for name, value in after.items():
            if name not in last and not _same(before.get(name), value):
                quoted = json.dumps(name, ensure_ascii=False)[1:-1]
                entries.append((None, colon % quoted + self._made(value, at)))
        return self._joined(start, close, items, entries)

    def _list(self, start: int, before: list[Any], after: list[Any]) -> str:
        items, close = self._items(start)
        if len(items) != len(before):
            return self._made(after, start)
        entries: list[tuple[_Item | None, str]] = []
        at = items[-1].start if items else start
        for place, value in zip(_partners(before, after), after, strict=True):
            if place is None:
                entries.append((None, self._made(value, at)))
            else:
                item = items[place]
                entries.append((item, self.value(item.value, item.end, before[place], value)))
        return self._joined(start, close, items, entries)

    def _items(self, at: int) -> tuple[list[_Item], int]:
        """Return the members or entries of what begins here, and where its last bracket is."""
        closing = "}" if self.text[at] == "{" else "]"
        items = []
        at = self.skip(at + 1)
        while self.text[at] != closing:
            start, name = at, ""
            if closing == "}":
                name, at = _scan(self.text, at)
                at = self.skip(self.skip(at) + 1)  # behind the colon
            _, end = _scan(self.text, at)
            items.append(_Item(name, start, at, end))
            at = self.skip(end)
            if self.text[at] == ",":
                at = self.skip(at + 1)
        return items, at

    def _joined(
        self, start: int, close: int, items: list[_Item], entries: list[tuple[_Item | None, str]]
    ) -> str:
        """Return an object or a list of these entries, with the white space that it has."""
        text = self.text
        if not entries:
            return text[start] + text[close]
        if items:
            first, last = text[start + 1 : items[0].start], text[items[-1].end : close]
        else:
            indent = "" if self.is_compact else self.line_end + self._indent(start)
            first, last = indent and f"{indent} ", indent
        gaps = {item: text[one.end : item.start] for one, item in pairwise(items)}
        usual = gaps[items[-1]] if gaps else f",{first}"
        parts = [text[start], first, entries[0][1]]
        for item, entry in entries[1:]:
            parts += [usual if item is None else gaps.get(item, usual), entry]
        return "".join([*parts, last, text[close]])

    def _made(self, value: Any, at: int) -> str:
        """Return the text of a new value in the line of a place."""
        text = as_json(value, None if self.is_compact else self._indent(at))
        return text.replace("\n", self.line_end)

    def _indent(self, at: int) -> str:
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip())]


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal and of the same types: 1 is not true."""
    return bool(one == other) and repr(one) == repr(other)


def _partners(before: list[Any], after: list[Any]) -> list[int | None]:
    """Return for each entry of a list its place in the list before; None for a new one."""
    keys, new_keys = list(map(_key, before)), list(map(_key, after))
    if _tell_apart(keys) and _tell_apart(new_keys):
        places = {key: place for place, key in enumerate(keys)}
        return [places.get(key) for key in new_keys]
    most = min(len(before), len(after))
    start = next((n for n in range(most) if not _same(before[n], after[n])), most)
    most -= start
    end = next((n for n in range(most) if not _same(before[-1 - n], after[-1 - n])), most)
    between = len(after) - start - end
    shift = len(before) - len(after)
    middle: list[int | None] = [None] * between
    if not shift:
        middle = list(range(start, start + between))
    return [*range(start), *middle, *range(len(before) - end, len(before))]


def _tell_apart(keys: list[Hashable]) -> bool:
    return None not in keys and len(set(keys)) == len(keys)


def _key(entry: Any) -> Hashable:
    """Return what names an entry of a list: an id, a first gid, a place, a name; or None."""
    if not isinstance(entry, dict):
        return None
    if "id" in entry:
        return "id", entry["id"]
    if "firstgid" in entry:
        return "firstgid", entry["firstgid"]
    if "data" in entry and "name" not in entry:  # a chunk
        return "place", entry.get("x"), entry.get("y")
    return ("name", entry.get("name")) if "value" in entry else None
