"""Object layers: shapes, tiles and text that stand anywhere, in world units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from ..cells import Ids
from ..colors import Color
from ..index.lattice_index import BoxIndex
from ..index.numbering import Numbering
from ..index.selection import Selection
from .layer import Layer, LayerAttributes

__all__ = ["MapObject", "ObjectLayer", "Text"]

Floats = NDArray[np.float64]


class Text(NamedTuple):
    """The words of a text object and how they are set."""

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
    """One object of an object layer; all positions in world units, layer offset counted in.

    Attributes:
        id: Tiled's number, unique in the map.
        name: As the map says; "" if it has none.
        class_name: Its class in Tiled, or that of its tile, or "".
        shape: "point", "rectangle", "ellipse", "polygon", "polyline", "tile", "text", "capsule".
        x: Where it stands: what its rotation turns about. The top-left corner of a rectangle,
            the first point's origin of a polygon, by default the bottom-left corner of a tile.
        y: See `x`.
        width: In pixels, before rotation; 0 for points and polygons.
        height: In pixels, before rotation.
        rotation: Degrees, clockwise on the screen.
        points: The outline, rotated, (n, 2): corners of a rectangle, tile or text, of a polygon,
            along a polyline in its order; one point of a point; 32 corners of an ellipse or a
            capsule.
        bounds: The box around it, exact for an ellipse too.
        gid: Tiled's gid of a tile object without flip bits; 0 for others.
        flags: The flip bits of a tile object.
        visible: Whether it is to be drawn.
        opacity: Of the object alone, 0 to 1.
        properties: Custom properties; a tile object has those of its tile too.
        text: The words of a text object, or None.
        template: The template file it was made from, as the map names it, or "".
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
    properties: dict[str, Any] = field(default_factory=dict, repr=False)
    text: Text | None = None
    template: str = ""

    def matches(self, class_name: str | None, properties: dict[str, Any]) -> bool:
        """Whether it has the class, unless that is None, and all of the properties."""
        has = self.properties
        return class_name in (None, self.class_name) and all(
            name in has and has[name] == value for name, value in properties.items()
        )


class ObjectLayer(Layer):
    """Objects in the order they are drawn; an object's id in queries is its place in `objects`.

    Attributes:
        objects: All objects in draw order: as in the file, or from top to bottom ("topdown").
        color: Colour of outlines, or None.
        draw_order: "topdown" or "index".
    """

    def __init__(
        self,
        attributes: LayerAttributes,
        objects: list[MapObject],
        color: Color | None,
        draw_order: str,
    ) -> None:
        super().__init__(attributes)
        self.objects = objects
        self.color = color
        self.draw_order = draw_order

    def __len__(self) -> int:
        """Number of objects."""
        return len(self.objects)

    def query(self, view: Sequence[float]) -> NDArray[np.int32]:
        """The objects whose box is in view, in draw order: places in `objects`."""
        return self._index.query(Bounds.of(view, "view"))

    def boxes(self, ids: Ids) -> Floats:
        """The boxes around some objects, (n, 4)."""
        return self._boxes[ids]

    def select(self, class_name: str | None = None, **properties: Any) -> Selection:
        """The objects of a class, or with properties, to ask for the nearest of them and more.

        Args:
            class_name: The class of the objects, or None for any.
            properties: Names and values; an object must have all of them.

        Returns:
            A selection whose ids are places in `objects`.
        """
        chosen = [item.matches(class_name, properties) for item in self.objects]
        ids = np.flatnonzero(chosen).astype(np.int32)
        return Selection(ids, self._boxes[ids], Numbering(len(self)))

    def nodes(self) -> NDArray[np.void]:
        """The nodes of the tree that answers `query`: bounds, depth, count; see StaticQuadtree."""
        return self._index.nodes()

    def tree_bytes(self) -> int:
        """The bytes of that tree, which is built now if nobody has asked it anything yet."""
        return self._index.nbytes

    @cached_property
    def _boxes(self) -> Floats:
        return np.array([item.bounds for item in self.objects], float).reshape(-1, 4)

    @cached_property
    def _index(self) -> BoxIndex:
        return BoxIndex(self._boxes, Numbering(len(self)))
