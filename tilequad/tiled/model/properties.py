"""Custom properties and colors: a dict that also names the classes and enums of its values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tilequad._core.shown import shown

__all__ = ["Color", "ObjectRef", "Properties", "properties_of"]

Color = tuple[int, int, int, int]  #: red, green, blue, alpha; each 0 to 255


class ObjectRef(int):
    """A property that refers to an object: the object's id, which `tile_map.object` takes.

    It equals its id. A property that refers to no object is None.

    Example:
        >>> ref = ObjectRef(7)  # as in chest.properties["key"]; then tile_map.object(ref)
        >>> ref, ref == 7
        (ObjectRef(7), True)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"ObjectRef({int(self)})"


class Properties(dict[str, Any]):
    """Custom properties by name, each with the type that it has in Tiled.

    | in Tiled | in Python |
    |---|---|
    | string, int, float, bool | `str`, `int`, `float`, `bool` |
    | color | a `Color`: (red, green, blue, alpha); None if none is set |
    | file | a `pathlib.Path`; None if none is set, or if it must not be followed |
    | object | an `ObjectRef`, which `tile_map.object` takes; None if none is set |
    | enum | a member of an enum, if `load_map` was given `types=`; else its text or number |
    | class | `Properties`, with its `class_name` |
    | list | `list` |

    A file is relative to the map, tileset or template that names it. It is None, with a warning,
    if it is absolute, a URL, or outside the `root` of `load_map`; whether it exists is not checked.

    An enum becomes a `str` enum, an `IntEnum`, or an `IntFlag` if its values can be combined, so a
    member equals the text or the number. `tile_map.enums` contains the enums by name. Without
    `types=`, members of classes in .tmj maps have only JSON's own types, and classes lack the
    members that the map leaves out.

    See https://doc.mapeditor.org/en/stable/manual/custom-properties/.

    Attributes:
        class_name: The class whose members these are, or "".
        types: The names of classes and enums, by property.
        inherited: The names that an object had from its tile or its template when it was read.

    Example:
        >>> from tilequad import load_map
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> tile_map.properties.get("author", "nobody"), dict(tile_map.properties.types)
        ('nobody', {})
    """

    class_name: str = ""
    types: Mapping[str, str] = MappingProxyType({})
    inherited: frozenset[str] = frozenset()
    _template: Properties | None = None  # those of its template, if an instance sets some anew

    def _without(self, other: Properties) -> Properties:
        """Return a copy without what was inherited from another dict, and is as it is there."""
        found = Properties(self)
        for name in self.inherited:
            if name in other and name in found and found[name] == other[name]:
                del found[name]
        found.class_name, found.inherited = self.class_name, self.inherited & found.keys()
        found._template = self._template
        found.types = {name: kind for name, kind in self.types.items() if name in found}
        return found

    def _inherit(self, other: Properties) -> None:
        """Add properties of another dict that are missing here, with the names of their types."""
        missing = {name: value for name, value in other.items() if name not in self}
        types = {name: kind for name, kind in other.types.items() if name in missing}
        self.update(missing)
        self.inherited = self.inherited.union(missing)
        if types:
            self.types = {**self.types, **types}

    def _of_template(self, tile: Properties) -> Properties:
        """Return what an instance has from its template, whose tile has other properties."""
        hidden = self._template or Properties()
        found = Properties({name: hidden[name] for name in hidden if name not in self.inherited})
        for name in self.inherited & self.keys():
            if name not in tile or tile[name] != self[name]:
                found[name] = self[name]
        found.types = {**self.types, **hidden.types}
        return found

    def _inherit_template(self, other: Properties) -> None:
        """Do as `_inherit`, and remember what a template has if some of it is set here."""
        if self and not self.keys().isdisjoint(other):
            self._template = other
        self._inherit(other)


def properties_of(value: Any, name: str = "properties") -> Properties:
    """Return custom properties as a dict of their own."""
    if value is None:
        return Properties()
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dict, got {shown(value)}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"{name} must have names that are texts, got {shown(key)}")
    found = Properties(value)
    if isinstance(value, Properties):
        found.class_name, found.types = value.class_name, dict(value.types)
    return found
