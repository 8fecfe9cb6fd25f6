"""Custom properties: a dict that also names the classes and enums of its values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["Properties"]


class Properties(dict[str, Any]):
    """Custom properties by name, as plain Python values.

    A class becomes `Properties` again, a list a list, an object its id; a color or file stays text,
    and an enum stays the text or number that the map stores.

    See https://doc.mapeditor.org/en/stable/manual/custom-properties/.

    Attributes:
        class_name: The class that these are the members of, if they are a value of one; or "".
        types: The names of the classes and enums of the properties that have one.

    Example:
        >>> from tilequad import load_map
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> tile_map.properties.get("author", "nobody"), dict(tile_map.properties.types)
        ('nobody', {})
    """

    class_name: str = ""
    types: Mapping[str, str] = MappingProxyType({})

    def inherit(self, other: Properties) -> None:
        """Add the properties of another that are missing here, with the names of their types."""
        missing = {name: value for name, value in other.items() if name not in self}
        types = {name: kind for name, kind in other.types.items() if name in missing}
        self.update(missing)
        if types:
            self.types = {**self.types, **types}
