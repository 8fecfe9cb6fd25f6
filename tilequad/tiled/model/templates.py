"""Object templates: an object in a file of its own, of which maps have instances."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import verbs
from .map_object import MapObject

__all__ = ["Template"]


@dataclass(eq=False)
class Template:
    """A template of objects, as `tile_map.template` returns it; `layer.add_object` takes it.

    See https://doc.mapeditor.org/en/stable/manual/using-templates/.

    Attributes:
        path: Its file; None until it is saved.
        object: What its instances have unless they set it themselves, as an object at Tiled's
            origin, in units of the map.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from tilequad import load_map
        >>> tile_map = load_map("maps/frontier.tmx")
        >>> places = tile_map.add_object_layer("places")
        >>> camp = places.add_object("ellipse", 40, 50, (32, 32), properties={"gold": 5})
        >>> template = tile_map.template(camp)
        >>> with TemporaryDirectory() as folder:
        ...     template.save(f"{folder}/camp.tx")
        ...     other = places.add_object(template=template, x=90, y=50, name="north")
        >>> other.shape, other.properties, sorted(other.overrides)
        ('ellipse', {'gold': 5}, ['name'])
    """

    path: Path | None
    object: MapObject
    _tile_map: Any  # the map; its module needs this one

    def __repr__(self) -> str:
        name = "not saved yet" if self.path is None else repr(str(self.path))
        return f"<Template {name}: {self.object.shape}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the template to a file of its own. What was not changed is written byte for byte.

        Instances that were read before stay as they are; `tile_map.reload()` lets them follow.

        Args:
            path: The file. Its suffix selects the format: .tx, or .tj and .json. In another folder,
                the paths in it still lead where they led.

        Raises:
            MapError: The file cannot be read again, or a change cannot be saved: a tile of a
                tileset that has no file of its own, for instance.
            OSError: The file cannot be written.
            ValueError: The suffix belongs to no format.
        """
        verbs.save_template(self, path)
