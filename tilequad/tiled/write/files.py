"""Writes files at once: whoever reads one sees the old bytes or the new ones, never a part.

Also the files of tilesets and templates, in both formats, and the relative paths in a file that
is saved into another folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from threading import get_ident
from typing import Any
from xml.etree.ElementTree import Element

from tilequad._core.shown import shown

from ..checks import path_of
from ..context import LoadContext, Stamp, is_absolute, stamp_of
from ..read.documents import is_json, parse_xml
from ..read.json_document import count_values, parse_json
from .json_document import with_changes
from .to_xml import map_to_xml
from .values import json_file, relative
from .xml_document import XmlDocument

__all__ = [
    "check_file",
    "move_references",
    "moved",
    "nesting_checked",
    "target_of",
    "write_own_file",
    "write_whole",
]

Change = Callable[[XmlDocument, str, LoadContext], None]
Convert = Callable[[Element, LoadContext], dict[str, Any]]

# Which attribute of an element names a file.
_REFERENCES = {"tileset": "source", "image": "source", "object": "template", "export": "target"}


def target_of(path: str | os.PathLike[str], xml: str, json: str) -> tuple[Path, bool]:
    """Return the path of a file to write, and whether it will be JSON, by its suffix."""
    target = path_of(path, "path")
    suffix = target.suffix.lower()
    if suffix not in (xml, ".xml", json, ".json"):
        raise ValueError(f"path must end in {xml}, {json} or .json, got {shown(str(target))}")
    return target, suffix in (json, ".json")


def write_own_file(
    target: Path,
    to_json: bool,
    own: Path | None,
    empty: bytes,
    enums: dict[str, type[Enum]],
    change: Change,
    convert: Convert,
) -> None:
    """Write the file of a tileset or template. It is changed as XML.

    `own` is the file as it is; None for a new one, which begins as `empty`. `change` changes its
    document for a folder; `convert` returns the members that XML has in JSON.
    """
    context = LoadContext(own or target)
    context.enums = enums
    data = empty if own is None else context.read(own)
    from_json = is_json(data, context.path)
    before = map_to_xml(parse_json(data, context.path, context.anew())) if from_json else data
    document = XmlDocument(before, context.path, context, ())
    with nesting_checked(context):
        change(document, os.path.dirname(os.path.abspath(target)), context)
        after = document.finish()

    def content(text: bytes) -> dict[str, Any]:
        fresh = context.anew()
        return convert(parse_xml(text, context.path, fresh), fresh)

    if to_json and from_json:
        after = with_changes(data, content(before), content(after), context.anew())
    elif to_json:
        after = json_file(content(after))
    check_file(target, after, context)
    write_whole(target, after)


def check_file(path: Path, data: bytes, context: LoadContext) -> None:
    """Refuse a file with more bytes, or JSON with more values, than the limits let read again."""
    context.check_size(data)
    if is_json(data, path):
        count_values(data, context.path, context.anew())


@contextmanager
def nesting_checked(context: LoadContext) -> Iterator[None]:
    """Turn what Python says of values that nest too deeply, or in themselves, into a MapError."""
    try:
        yield
    except RecursionError:
        raise context.error("its properties nest too deeply, which cannot be saved") from None


def write_whole(path: Path, data: bytes) -> Stamp:
    """Write a file; an older one stays as it was until all of the new one is on disk.

    A link is followed, and a file that is replaced passes on its permissions. Return what tells
    whether the file has changed since.
    """
    target = Path(os.path.realpath(path))
    mode = None
    with suppress(FileNotFoundError):
        mode = os.stat(target).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(f"{target} is not a regular file")
    # a file that a killed process has left may be in the way, but no other one
    part = target.with_name(f".{target.name[:99]}.{os.getpid()}-{get_ident()}.part")
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(part, stat.S_IMODE(mode))
        stamp = stamp_of(os.fspath(part))
        os.replace(part, target)
    except BaseException:  # such as Ctrl-C
        part.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)
    return stamp


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where a system can."""
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def move_references(document: XmlDocument, folder: str, new_folder: str) -> None:
    """Let the relative paths in a file lead where they led before it moves to another folder."""
    for element, name in _references(document):
        reference = element.get(name, "")
        new = moved(reference, folder, new_folder)
        if new != reference:
            document.set(element, name, new)


def moved(reference: str, folder: str, new_folder: str) -> str:
    """Return a relative path, made relative to another folder; any other path as it is."""
    if not reference or is_absolute(reference) or reference.startswith(":"):  # inside Tiled
        return reference
    if "\\" in reference and not os.path.exists(os.path.join(folder, reference)):
        reference = reference.replace("\\", "/")  # as old versions on Windows wrote
    return relative(os.path.join(folder, reference), new_folder)


def _references(document: XmlDocument) -> Iterator[tuple[Element, str]]:
    """Yield the elements that name a file, and the attribute that does."""
    for element in document.tree.iter():
        name = _REFERENCES.get(element.tag)
        if element.tag in ("property", "item") and element.get("type") == "file":
            name = "value"
        if name and name in element.attrib:
            yield element, name
