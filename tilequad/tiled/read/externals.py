"""One tree out of all the files of a map: external tilesets and templates put in place."""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from ..errors import MapError
from ..model.tilesets import Tileset
from .attributes import integer
from .context import LoadContext
from .documents import parse_file
from .tilesets import read_tileset

__all__ = ["assemble"]

# What an <object> holds beside its properties; an object with one of these has its own outline.
_OUTLINES = ("ellipse", "point", "polygon", "polyline", "text", "capsule")


def assemble(tree: Element, context: LoadContext) -> list[Tileset]:
    """Put what other files hold where the map refers to it.

    Args:
        tree: The <map>; it is changed.
        context: The door to the disk.

    Returns:
        The tilesets in the order of the file; those that only templates use come last.

    Raises:
        MapError: A file that is refused, or more tilesets or templates than the limits.
    """
    assembly = _Assembly(tree, context)
    for element in tree.findall("tileset"):
        assembly.read_tileset(element)
    for layer in tree.iter("objectgroup"):
        for item in layer.findall("object"):
            if item.get("template"):
                assembly.fill_in(item)
    return assembly.tilesets


class _Assembly:
    def __init__(self, tree: Element, context: LoadContext) -> None:
        self.tree = tree
        self.context = context
        self.folder = context.path.parent
        self.tilesets: list[Tileset] = []
        self.templates: dict[Path, Element | None] = {}

    def read_tileset(self, element: Element) -> Tileset:
        """A <tileset> of the map, the elements of its own file put into it."""
        context = self.context
        if len(self.tilesets) >= context.limits.tilesets:
            raise context.error(f"has more than the limit of {len(self.tilesets)} tilesets")
        first_gid = integer(element, "firstgid", 1, context)
        source = element.get("source")
        if source is None:
            name = f"tileset {element.get('name', '')!r}"
            tileset = read_tileset(element, first_gid, None, self.folder, context.about(name))
        else:
            path = context.about("a tileset").locate(source, self.folder)
            own = self._parse(path, "tileset")
            if own is None:
                tileset = Tileset(first_gid, path.stem, path, counted=False, missing=True)
            else:
                element.attrib.update(own.attrib, firstgid=str(first_gid), source=source)
                element[:] = own
                about = context.about(f"tileset {element.get('name', '')!r}", path)
                tileset = read_tileset(element, first_gid, path, path.parent, about)
        self.tilesets.append(tileset)
        return tileset

    def fill_in(self, item: Element) -> None:
        """Give an object of the map all that its template says and the object does not."""
        path = self.context.locate(item.get("template", ""), self.folder)
        template = self._template(path)
        pattern = None if template is None else template.find("object")
        if template is None or pattern is None:
            return
        for name, value in pattern.items():
            if name not in ("id", "template") and name not in item.keys():  # noqa: SIM118
                item.set(name, value)
                if name == "gid":
                    item.set("gid", str(self._gid(value, template, path)))
        properties = pattern.find("properties")
        if properties is not None:
            own = item.find("properties")
            item.insert(0, deepcopy(properties))  # the first is read first, the object's own last
            if own is not None:
                item.remove(own)
                item[0].extend(own)
        if not any(item.find(tag) is not None for tag in _OUTLINES):
            item.extend(deepcopy(child) for child in pattern if child.tag in _OUTLINES)

    def _template(self, path: Path) -> Element | None:
        if path not in self.templates:
            if len(self.templates) >= self.context.limits.templates:
                count = len(self.templates)
                raise self.context.error(f"uses more than the limit of {count} templates")
            self.templates[path] = self._parse(path, "template")
        return self.templates[path]

    def _gid(self, text: str, template: Element, path: Path) -> int:
        """The map's own gid for the one in a template, which counts from a tileset of its own."""
        raw = integer(Element("object", gid=text), "gid", 0, self.context)
        element = template.find("tileset")
        if element is None or element.get("source") is None:
            return raw
        first_gid = integer(element, "firstgid", 1, self.context)
        source = self.context.locate(element.get("source", ""), path.parent)
        tileset = next((known for known in self.tilesets if known.path == source), None)
        if tileset is None:
            free = max((known.end_gid for known in self.tilesets), default=1)
            reference = os.path.relpath(source, self.folder)
            entry = SubElement(self.tree, "tileset", firstgid=str(free), source=reference)
            tileset = self.read_tileset(entry)
        return raw - first_gid + tileset.first_gid

    def _parse(self, path: Path, tag: str) -> Element | None:
        """A file that Tiled does without where it cannot be read."""
        try:
            return parse_file(path, tag, self.context)
        except MapError as problem:
            self.context.warn(problem.reason, path)
            return None
