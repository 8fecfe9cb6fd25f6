"""Finds what differs between a map and its file, and writes it: settings, properties, objects.

The file is read once more, without its cells, into a twin of the map. Where the map is not equal to
the twin, it was changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ..checks import color_of, text_of
from ..context import LoadContext
from ..errors import MapError
from ..model.image_layer import ImageLayer
from ..model.layer import SETTINGS, TOP, Group, LayerAttributes, combined, passed_on
from ..model.object_layer import ObjectLayer
from ..model.properties import Properties
from ..model.tile_map import FIXED, TileMap
from ..model.tilesets import Tileset, TilesetList
from ..read.attributes import MOST, integer
from ..read.layers import read_attributes
from ..read.tile_map import read_twin
from ..read.tilesets import read_tileset
from .arrangement import Known, arrange
from .elements import write_image
from .objects import ObjectWriter
from .properties import PropertyWriter
from .tilesets import TilesetWriter
from .values import checked, color_text, number_text
from .xml_document import XmlDocument

__all__ = ["write_changes"]

_ROUNDING = 1e-9
_CHECKS = {**SETTINGS, "mode": text_of}  # a file may have a mode of a newer version


def write_changes(
    tile_map: TileMap, document: XmlDocument, known: Known, folder: str, context: LoadContext
) -> list[Group]:
    """Write what differs from the file in all but cells; return the groups in its new order."""
    twin, fresh = _twin_of(tile_map, document.tree, context)
    properties = PropertyWriter(document, folder, tile_map._frame.tools)
    _write_map(tile_map, twin, document, context)
    of = tile_map.class_name, "map"
    properties.write(document.tree, tile_map.properties, twin.properties, context, of)
    writer = TilesetWriter(properties, context)
    tilesets = tile_map.tilesets.as_written
    for number, tileset in fresh.items():
        writer.write(document.tree.findall("tileset")[number], tilesets[number], tileset)
    for group, element in known.groups.items():
        was = twin.groups[group._number] if document.has(element) else None
        part = context.about(f"group {group.name!r}")
        _SettingsWriter(document, element, TOP, part).write(group)
        of = group.class_name, "layer"
        properties.write(element, group.properties, _properties(was), part, of)
    for layer, element in known.layers.items():
        before = twin.layers[layer._number] if document.has(element) else None
        part = context.about(f"layer {layer.name!r}")
        if before is None:
            _SettingsWriter(document, element, TOP, part).write(layer._own)
        _SettingsWriter(document, element, passed_on(layer.groups), part).write(layer)
        of = layer.class_name, "layer"
        properties.write(element, layer.properties, _properties(before), part, of)
        if isinstance(layer, ObjectLayer):
            assert before is None or isinstance(before, ObjectLayer)
            frame = tile_map._frame
            ObjectWriter(frame, element, properties, part).write(layer, before)
        elif isinstance(layer, ImageLayer):
            assert before is None or isinstance(before, ImageLayer)
            _write_image(layer, before, element, properties)
    return arrange(tile_map, twin, known, writer, context)


def _properties(part: LayerAttributes | None) -> Properties:
    return Properties() if part is None else part.properties


def _write_image(
    now: ImageLayer,
    was: ImageLayer | None,
    element: Element,
    properties: PropertyWriter,
) -> None:
    """Write the image of an image layer, and whether it repeats."""
    before = (False, False) if was is None else was.repeat
    for axis, one, other in zip("xy", now.repeat, before, strict=True):
        if one != other:
            properties.document.set(element, f"repeat{axis}", str(int(one)))
    write_image(properties, element, now.picture, None if was is None else was.picture)


def _twin_of(
    tile_map: TileMap, tree: Element, context: LoadContext
) -> tuple[TileMap, dict[int, Tileset]]:
    """Read the map from its tree again, without cells; also its own tilesets by their places."""
    twin = read_twin(tile_map, tree, context)
    fresh = {}
    for number, element in enumerate(tree.findall("tileset")):
        if element.get("source") is None:
            first_gid = integer(element, "firstgid", 1, context)
            base = context.path.parent
            fresh[number] = read_tileset(element, first_gid, None, base, context)
    twin.tilesets = TilesetList(list(fresh.values()), tile_map.tile_size)
    if twin._frame.tools.project is not None:
        twin._frame.tools.project.complete(twin, context)
    return twin, fresh


def _write_map(
    tile_map: TileMap, twin: TileMap, document: XmlDocument, context: LoadContext
) -> None:
    for name in (*FIXED, "parallax_origin"):
        if getattr(tile_map, name) != getattr(twin, name):
            raise context.error(f"its {name} was changed, which cannot be saved")
    color = checked(color_of, tile_map.background_color, "background_color", context)
    if color != twin.background_color:
        document.set(document.tree, "backgroundcolor", color_text(color))
    class_name = checked(text_of, tile_map.class_name, "class_name", context)
    if class_name != twin.class_name:
        document.set(document.tree, "class", class_name)


@dataclass
class _SettingsWriter:
    """Writes the settings of one layer or group, without what its groups add to them.

    A setting of the file that, combined with those of the groups, gives what the layer has now
    stays as it is.
    """

    document: XmlDocument
    element: Element  #: the layer or group; a new one has no settings yet
    outer: LayerAttributes  #: what its groups pass on to it
    context: LoadContext

    def __post_init__(self) -> None:
        self.own = read_attributes(self.element, self.context)
        self.was = combined(self.own, self.outer)

    def write(self, part: LayerAttributes) -> None:
        values = {
            name: checked(check, getattr(part, name), name, self.context)
            for name, check in _CHECKS.items()
        }
        now = LayerAttributes(**values)
        for name in ("name", "mode"):
            if getattr(now, name) != getattr(self.own, name):
                self._set(name, getattr(now, name))
        if now.class_name != self.own.class_name:
            old = "type" if not self.element.get("class") and self.element.get("type") else "class"
            self._set(old, now.class_name)
        if now.visible != self.was.visible:
            if now.visible and not self.outer.visible:
                raise self._error("visible was set, but its group is hidden")
            self._set("visible", str(int(now.visible)))
        if now.locked != self.was.locked:
            if self.outer.locked:
                raise self._error("locked was unset, but its group is locked")
            self._set("locked", str(int(now.locked)))
        if now.opacity != self.was.opacity:
            own = self._ratio("opacity", now.opacity, self.outer.opacity)
            if own > 1 + _ROUNDING:
                outer = self.outer.opacity
                raise self._error(
                    f"opacity was set to {now.opacity!r}, but its group has {outer!r}"
                )
            self._set_number("opacity", own, self.own.opacity)
        if now.tint != self.was.tint:
            if self.outer.tint is not None:
                raise self._error("tint was changed, but its group has one")
            if now.tint is None:
                self.document.unset(self.element, "tintcolor")
            else:
                self._set("tintcolor", color_text(now.tint))
        for at, axis in enumerate("xy"):
            if now.offset[at] != self.was.offset[at]:
                own = now.offset[at] - self.outer.offset[at]
                self._set_number(f"offset{axis}", own, self.own.offset[at])
        for at, axis in enumerate("xy"):
            if now.parallax[at] != self.was.parallax[at]:
                own = self._ratio("parallax", now.parallax[at], self.outer.parallax[at])
                self._set_number(f"parallax{axis}", own, self.own.parallax[at])

    def _ratio(self, name: str, value: float, outer: float) -> float:
        if outer:
            return value / outer
        if value:
            raise self._error(f"{name} was set to {value!r}, but that of its group is 0")
        return 0.0

    def _set_number(self, name: str, value: float, before: float) -> None:
        if abs(value) > MOST:
            raise self._error(f"{name} was set to {value!r}")
        text = number_text(value)
        if text != number_text(before):  # else it is an error of rounding
            self._set(name, text)

    def _set(self, name: str, value: str) -> None:
        self.document.set(self.element, name, value)

    def _error(self, reason: str) -> MapError:
        return self.context.error(f"{reason}, which cannot be saved")
