"""Step 2: puts tilesets and templates from other files where the map refers to them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path, PureWindowsPath
from xml.etree.ElementTree import Element, SubElement

from ..context import LoadContext, is_absolute
from ..errors import LimitError, MapError
from ..model.frame import MapFrame
from ..model.layer import LayerAttributes
from ..model.map_object import MapObject
from ..model.tilesets import Tileset
from .attributes import decimal, integer
from .documents import read_document
from .objects import INHERITED, OUTLINES, OWN, read_objects
from .tilesets import read_tileset

__all__ = ["fill_in_templates", "put_externals_in_place", "read_instances", "read_loose"]

_SIDES = ("width", "height")


def put_externals_in_place(tree: Element, context: LoadContext) -> list[Tileset]:
    """Read the tilesets of a map, and fill in its templates. Tilesets only of templates come last.

    See https://doc.mapeditor.org/en/stable/manual/using-templates/. Elements of other files are
    added to the tree. If the map names a file twice, they are added twice, as the same objects.
    """
    externals = _Externals(tree, context)
    for element in tree.findall("tileset"):
        externals.read_tileset(element)
    externals.fill_in_all()
    return externals.tilesets


def fill_in_templates(tree: Element, tilesets: list[Tileset], context: LoadContext) -> None:
    """Fill in the templates of a map whose tilesets `put_externals_in_place` has read before."""
    externals = _Externals(tree, context)
    externals.tilesets = list(tilesets)
    sources = [element.get("source", "") for element in tree.findall("tileset")]
    for tileset, source in zip_longest(tilesets, sources[: len(tilesets)], fillvalue=""):
        assert isinstance(tileset, Tileset)
        externals.first_of_path.setdefault(_key(tileset.path, source), tileset)
    externals.fill_in_all()


def read_instances(
    elements: Sequence[Element],
    frame: MapFrame,
    offset: tuple[float, float],
    context: LoadContext,
) -> list[MapObject]:
    """Fill in some <object> elements with what their templates set; return their objects.

    The file of the context is that of the map, which their templates are relative to.
    """
    tree = Element("map")
    SubElement(tree, "objectgroup").extend(elements)
    fill_in_templates(tree, frame.tilesets.as_written, context)
    return read_loose(elements, frame, offset, context)


def read_loose(
    elements: Sequence[Element],
    frame: MapFrame,
    offset: tuple[float, float],
    context: LoadContext,
) -> list[MapObject]:
    """Return the objects of some <object> elements, in their order."""
    group = Element("objectgroup", draworder="index")
    group.extend(elements)
    attributes = LayerAttributes(offset=offset)
    return read_objects(group, attributes, frame, context).objects


class _Externals:
    """The tilesets and templates of one map, each file read once."""

    def __init__(self, tree: Element, context: LoadContext) -> None:
        self.tree = tree
        self.context = context
        self.folder = context.path.parent
        self.tilesets: list[Tileset] = []
        self.first_of_path: dict[str, Tileset] = {}  # or by reference, if it is absolute
        self.external_tilesets: dict[Path, Tileset] = {}
        self.templates: dict[str, Path | None] = {}
        self.documents: dict[Path, Element | None] = {}
        # Each object layer once, even if the map names its tileset many times.
        self.layers = list(tree.iter("objectgroup"))

    def read_tileset(self, element: Element) -> Tileset:
        """Read a <tileset> of the map, and put the elements of its own file into it."""
        context = self.context
        context.take("tilesets", 1)
        first_gid = integer(element, "firstgid", 1, context)
        source = element.get("source")
        if source is None:
            part = context.about(f"tileset {element.get('name', '')!r}")
            tileset = read_tileset(element, first_gid, None, self.folder, part)
        else:
            path = context.about("a tileset").find(source, self.folder)
            tileset = self._external_tileset(element, first_gid, source, path)
            self.first_of_path.setdefault(_key(path, source), tileset)
        self.tilesets.append(tileset)
        return tileset

    def _external_tileset(
        self, element: Element, first_gid: int, source: str, path: Path | None
    ) -> Tileset:
        own = None if path is None else self._read(path, "tileset")
        if path is None or own is None:
            # a Windows path may occur on any computer, and its rules split other paths as well
            return Tileset(first_gid, PureWindowsPath(source).stem, path, missing=True)
        element.attrib.update(own.attrib, firstgid=str(first_gid), source=source)
        element[:] = own
        if path not in self.external_tilesets:
            self.layers += own.iter("objectgroup")
            part = self.context.about(f"tileset {own.get('name', '')!r}", path)
            self.external_tilesets[path] = read_tileset(own, first_gid, path, path.parent, part)
        return replace(self.external_tilesets[path], first_gid=first_gid)

    def fill_in_all(self) -> None:
        """Give all objects what their templates set."""
        for layer in self.layers:  # the tilesets of templates add to them
            for item in layer.findall("object"):
                if item.get("template"):
                    self.fill_in(item)

    def fill_in(self, item: Element) -> None:
        """Give an object everything that its template sets and the object itself does not."""
        path = self._locate_template(item.get("template", ""))
        template = None if path is None else self._read(path, "template")
        pattern = None if template is None else template.find("object")
        if path is None or template is None or pattern is None:
            return
        self.context.take("elements", len(list(pattern.iter())))
        outlines = [child.tag for child in item if child.tag in OUTLINES]
        own = [name for name in item.keys() if self._overrides(item, name)]  # noqa: SIM118
        item.set(OWN, " ".join([*own, *outlines]))
        for name, value in pattern.items():
            if name not in ("id", "template") and name not in own:
                item.set(name, value)
                if name == "gid":
                    item.set("gid", str(self._gid(value, template, path)))
        if not outlines:
            item.extend(child for child in pattern if child.tag in OUTLINES)
        SubElement(item, INHERITED).extend(pattern.findall("properties"))

    def _overrides(self, item: Element, name: str) -> bool:
        """Return whether an attribute counts: in Tiled, no instance is nameless or without area."""
        if name in _SIDES:
            return all(decimal(item, side, 0, self.context) > 0 for side in _SIDES)
        return bool(item.get(name)) or name not in ("name", "type", "class")

    def _locate_template(self, reference: str) -> Path | None:
        if reference not in self.templates:
            self.context.take("templates", 1)
            self.templates[reference] = self.context.find(reference, self.folder)
        return self.templates[reference]

    def _gid(self, text: str, template: Element, path: Path) -> int:
        """Return the map's gid of a tile; a template counts gids from its own tileset."""
        raw = integer(Element("object", gid=text), "gid", 0, self.context)
        element = template.find("tileset")
        if element is None or element.get("source") is None:
            return raw
        first_gid = integer(element, "firstgid", 1, self.context)
        reference = element.get("source", "")
        source = self.context.about("a tileset").find(reference, path.parent)
        tileset = self.first_of_path.get(_key(source, reference))
        if tileset is None:
            free = max((known.end_gid for known in self.tilesets), default=1)
            if source is not None:
                reference = os.path.relpath(source, self.folder)
            entry = SubElement(self.tree, "tileset", firstgid=str(free), source=reference)
            tileset = self.read_tileset(entry)
        return raw - first_gid + tileset.first_gid

    def _move_files(self, template: Element | None, path: Path) -> None:
        """Make the file paths in a template's properties relative to the map."""
        if template is None or path.parent == self.folder:
            return
        for item in template.iter():
            reference = item.get("value")
            if item.get("type") == "file" and reference and not is_absolute(reference):
                there = os.path.join(path.parent, reference)
                item.set("value", os.path.relpath(there, self.folder))

    def _read(self, path: Path, tag: str) -> Element | None:
        """Read a file; None, as in Tiled, if it cannot be read."""
        if path not in self.documents:
            self.documents[path] = None
            try:
                self.documents[path] = read_document(path, tag, self.context)
                if tag == "template":
                    self._move_files(self.documents[path], path)
            except LimitError:
                raise
            except MapError as problem:
                self.context.warn(problem.reason, path)
        document = self.documents[path]
        return document if document is not None and document.tag == tag else None


def _key(path: Path | None, reference: str) -> str:
    """Return what tells the files of tilesets apart; a map may lie in the working folder."""
    return reference if path is None else os.path.abspath(path)
