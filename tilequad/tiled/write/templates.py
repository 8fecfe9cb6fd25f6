"""Writes the file of a template: what differs from it, or all of a new one."""

from __future__ import annotations

import os
from copy import copy
from xml.etree.ElementTree import Element

from ..cells import FLAG_SHIFT
from ..context import LoadContext
from ..model.map_object import MapObject, Template
from ..model.tilesets import Tileset
from ..read.attributes import integer
from ..read.externals import read_loose
from .files import move_references, target_of, write_own_file
from .objects import ObjectWriter
from .properties import PropertyWriter
from .to_json import template_content
from .values import relative
from .xml_document import XmlDocument

__all__ = ["save_template"]

_EMPTY = b'<?xml version="1.0" encoding="UTF-8"?>\n<template/>\n'
_OF_INSTANCES = ("id", "x", "y")  # attributes that a template does not have


def save_template(template: Template, path: str | os.PathLike[str]) -> None:
    """Write a template; `Template.save` explains it."""
    target, to_json = target_of(path, ".tx", ".tj")

    def change(document: XmlDocument, folder: str, context: LoadContext) -> None:
        tools = template._tile_map._frame.tools
        _Writer(template, PropertyWriter(document, folder, tools), context).write()

    enums = template._tile_map.enums
    write_own_file(target, to_json, template.path, _EMPTY, enums, change, template_content)
    if template.path is None:
        template.path = target


class _Writer:
    """Writes a template into its file, or an empty one."""

    def __init__(
        self, template: Template, properties: PropertyWriter, context: LoadContext
    ) -> None:
        self.now = template.object
        self.frame = template._tile_map._frame
        self.context = context
        self.document, self.folder = properties.document, properties.folder
        self.objects = ObjectWriter(self.frame, self.document.tree, properties, context)

    def write(self) -> None:
        tree = self.document.tree
        element, entry = tree.find("object"), tree.find("tileset")
        if element is None:
            element = self.objects.made(self.now, (0, 0))
            for name in _OF_INSTANCES:
                element.attrib.pop(name, None)
            self._refer(element, self._entry(), 1)
            return
        source = os.path.dirname(os.path.abspath(self.context.path))
        first_gid = 1 if entry is None else integer(entry, "firstgid", 1, self.context)
        was = self._read(element, entry, first_gid)
        if source != self.folder:
            move_references(self.document, source, self.folder)
        self.objects.write_object(self.now, was, element, (0, 0))
        if (self.now.gid, self.now.flags) != (was.gid, was.flags) and self.now.gid:
            same = was.gid and self._owner(self.now) is self._owner(was)
            self._refer(element, entry if same else self._entry(), first_gid if same else 1)

    def _read(self, element: Element, entry: Element | None, first_gid: int) -> MapObject:
        own = copy(element)
        raw = integer(own, "gid", 0, self.context)
        if raw and entry is not None and entry.get("source") is not None:
            path = self.context.find(entry.get("source", ""), self.context.path.parent)
            wanted = path and os.path.abspath(path)
            for tileset in self.frame.tilesets:
                if tileset.path is not None and os.path.abspath(tileset.path) == wanted:
                    own.set("gid", str(raw - first_gid + tileset.first_gid))
                    break
            else:
                raise self.context.error("its tileset is none of the map")
        [was] = read_loose([own], self.frame, (0, 0), self.context)
        self.frame.tools.complete(was.properties, was.class_name, "object")
        was.id, was.template = self.now.id, self.now.template
        return was

    def _owner(self, item: MapObject) -> Tileset:
        found: Tileset = self.frame.tilesets.owner(item.gid)
        return found

    def _entry(self) -> Element | None:
        """Return a reference to the tileset of the object; None if it shows no tile."""
        if not self.now.gid:
            return None
        tileset = self._owner(self.now)
        if tileset.path is None:
            raise self.context.error(
                f"shows a tile of the tileset {tileset.name!r}, which has no file of its own"
            )
        return Element("tileset", firstgid="1", source=relative(tileset.path, self.folder))

    def _refer(self, element: Element, entry: Element | None, first_gid: int) -> None:
        """Let the object show its tile by the gids of a template's only tileset."""
        if entry is not None:
            gid = self.now.gid - self._owner(self.now).first_gid + first_gid
            self.document.set(element, "gid", str(gid | self.now.flags << FLAG_SHIFT))
        children = [element] if entry is None else [entry, element]
        self.document.arrange(self.document.tree, children, ("tileset", "object"))
