"""Relative paths of a map that is saved into another folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ..context import is_absolute
from .xml_document import XmlDocument

__all__ = ["move_references", "moved"]

# Which attribute of an element names a file.
_REFERENCES = {"tileset": "source", "image": "source", "object": "template", "export": "target"}


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
    target = os.path.normpath(os.path.join(folder, reference))
    return os.path.relpath(target, new_folder).replace(os.sep, "/")


def _references(document: XmlDocument) -> Iterator[tuple[Element, str]]:
    """Yield the elements that name a file, and the attribute that does."""
    for element in document.tree.iter():
        name = _REFERENCES.get(element.tag)
        if element.tag in ("property", "item") and element.get("type") == "file":
            name = "value"
        if name and name in element.attrib:
            yield element, name
