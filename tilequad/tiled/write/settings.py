"""Writes the settings of layers and groups."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ..context import LoadContext
from ..errors import MapError
from ..model.layer import LayerAttributes, combined
from ..read.layers import read_attributes
from .values import color_text, number_text
from .xml_document import XmlDocument

__all__ = ["SettingsWriter"]

_ROUNDING = 1e-9


@dataclass
class SettingsWriter:
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

    def write(self, now: LayerAttributes) -> None:
        """Write the settings that differ from those of the file."""
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
        text = number_text(value)
        if text != number_text(before):  # else it is an error of rounding
            self._set(name, text)

    def _set(self, name: str, value: str) -> None:
        self.document.set(self.element, name, value)

    def _error(self, reason: str) -> MapError:
        return self.context.error(f"{reason}, which cannot be saved")
