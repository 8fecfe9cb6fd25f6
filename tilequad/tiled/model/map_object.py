"""Objects of a map: what one has, in world units; and templates, objects in files of their own."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tilequad.bounds import Bounds

from ..cells import Floats
from . import verbs
from .properties import Color, Properties

__all__ = ["MapObject", "Template", "Text"]


class Text(NamedTuple):
    """The text of a text object and its style.

    See https://doc.mapeditor.org/en/stable/manual/objects/#insert-text.
    """

    words: str
    font: str = "sans-serif"
    pixel_size: int = 16
    color: Color = (0, 0, 0, 255)
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strikeout: bool = False
    kerning: bool = True
    wrap: bool = False
    horizontal: str = "left"
    vertical: str = "top"


@dataclass(eq=False)
class MapObject:
    """One object of an object layer, in world units; the layer's offset is included.

    See https://doc.mapeditor.org/en/stable/manual/objects/.

    Attributes:
        id: Tiled's number, unique in the map.
        name: Its name, or "".
        class_name: Its class in Tiled, else the class of its tile, or "".
        shape: "point", "rectangle", "ellipse", "polygon", "polyline", "tile", "text", "capsule".
        x: Its position, about which it is rotated: the top-left corner of a rectangle, the origin
            of a polygon's points, the bottom-left corner of a tile unless its tileset aligns it
            otherwise.
        y: See `x`.
        width: In pixels, before rotation; 0 for points and polygons.
        height: In pixels, before rotation.
        rotation: Degrees, clockwise on the screen.
        points: The outline after rotation, (n, 2): four corners of a rectangle, tile or text, the
            points of a polygon or polyline, one point of a point, 32 points of an ellipse or
            capsule.
        bounds: The exact box around it, even for an ellipse.
        gid: The gid of a tile object without flip bits; 0 for others.
        flags: The flip bits of a tile object.
        visible: Whether to draw it.
        opacity: The object's own opacity, 0 to 1.
        properties: Custom properties; a tile object has the properties of its tile as well.
        text: The text and style of a text object, or None.
        template: The template file it was made from, as the map names it, or "".
        overrides: Of an instance of a template, the names of the attributes that it set itself
            when it was read or added; the others were its template's.
    """

    id: int
    name: str
    class_name: str
    shape: str
    x: float
    y: float
    width: float
    height: float
    rotation: float
    points: Floats = field(repr=False)
    bounds: Bounds = field(repr=False)
    gid: int = 0
    flags: int = 0
    visible: bool = True
    opacity: float = 1.0
    properties: Properties = field(default_factory=Properties, repr=False)
    text: Text | None = None
    template: str = ""
    overrides: frozenset[str] = frozenset()
    # At run time these are no fields, because each field costs all objects time.
    if TYPE_CHECKING:
        # Of a polygon or polyline: its points, and where they were made for. Both may be set.
        _outline: tuple[Floats, float, float, float] | None = field(default=None, repr=False)
        # Of a tile: whether its class is its own, and not that of its tile.
        _has_class: bool = field(default=False, repr=False)
    else:
        _outline, _has_class = None, False

    def _move(self, dx: float, dy: float) -> None:
        """Move it by some world units, with its outline."""
        in_step = self._outline is not None and self._outline[0] is self.points
        self.x, self.y = self.x + dx, self.y + dy
        self.points = self.points + np.array((dx, dy))
        left, low, right, high = self.bounds
        self.bounds = Bounds(left + dx, low + dy, right + dx, high + dy)
        if self._outline is not None and in_step:
            _, x, y, rotation = self._outline
            self._outline = self.points, x + dx, y + dy, rotation


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
