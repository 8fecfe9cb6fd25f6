"""Layers: what every kind says of itself, and the image layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, TypeAlias
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from tilequad.bounds import Bounds

from .attributes import Color, boolean, color, decimal, integer
from .axes import Axes
from .pictures import Picture
from .properties import read_properties
from .reading import Reading

__all__ = ["Head", "Ids", "ImageLayer", "Layer", "read_head"]

# Ids of some tiles or objects, as a query gives them; a slice of all is taken too.
Ids: TypeAlias = NDArray[np.integer[Any]] | Sequence[int] | slice

_NO_IDS = np.empty(0, np.int32)
_ONE_ID = np.zeros(1, np.int32)


@dataclass(frozen=True)
class Head:
    """The attributes that all layers share, those of the groups around a layer counted in."""

    name: str = ""
    id: int = 0
    kind: str = ""
    visible: bool = True
    opacity: float = 1.0
    tint: Color | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    parallax: tuple[float, float] = (1.0, 1.0)
    mode: str = "normal"
    groups: tuple[str, ...] = ()
    properties: dict[str, Any] = field(default_factory=dict)


class Layer:
    """What tile, object and image layers have in common.

    Attributes:
        name: As the map says; several layers may share a name.
        id: Tiled's number of the layer.
        kind: "tile", "object" or "image".
        type: The class given to the layer in Tiled, or "".
        visible: Whether it is to be drawn. May be set.
        opacity: 0 (not seen) to 1.
        tint: Colour to multiply with, (red, green, blue, alpha) from 0 to 255, or None.
        offset: Pixels by which the layer is moved, y down as in Tiled; boxes count it in.
        parallax: How fast it follows the camera along x and y; 1 moves with the world, 0 stays.
        mode: Blend mode, "normal" or one of the names of Tiled.
        groups: Names of the groups around it, the outermost first.
        properties: Custom properties of the layer itself.
    """

    kind: ClassVar[str]

    def __init__(self, head: Head) -> None:
        self.name = head.name
        self.id = head.id
        self.type = head.kind
        self.visible = head.visible
        self.opacity = head.opacity
        self.tint = head.tint
        self.offset = head.offset
        self.parallax = head.parallax
        self.mode = head.mode
        self.groups = head.groups
        self.properties = head.properties

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {len(self)}>"

    def __len__(self) -> int:
        raise NotImplementedError

    def query(self, view: Sequence[float]) -> NDArray[np.int32]:
        """The ids of what the layer shows in a view, in draw order.

        Args:
            view: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Ascending ids, int32, shape (n,).

        Raises:
            ValueError: The view is no box.
        """
        raise NotImplementedError

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """The boxes of some ids as drawn: min_x, min_y, max_x, max_y in world units, (n, 4)."""
        raise NotImplementedError


class ImageLayer(Layer):
    """A layer that is one picture, perhaps repeated without end.

    Attributes:
        picture: The image, or None where the map names none.
        repeat: Whether it repeats along x and along y.
    """

    kind = "image"

    def __init__(
        self,
        head: Head,
        picture: Picture | None,
        repeat: tuple[bool, bool],
        axes: Axes,
    ) -> None:
        super().__init__(head)
        self.picture = picture
        self.repeat = repeat
        self._axes = axes

    @property
    def image_path(self) -> Path | None:
        """The image file; None for an embedded image and a layer without one."""
        return None if self.picture is None else self.picture.path

    @cached_property
    def bounds(self) -> Bounds:
        """The box of the picture itself; repeats lie beside it. Reads the header of the image."""
        width, height = (self.picture and self.picture.size) or (0, 0)
        left, top = self.offset
        box = np.array([[left, top, left + width, top + height]], float)
        return Bounds(*self._axes.boxes(box)[0].tolist())

    def __len__(self) -> int:
        """One picture, or none."""
        return 0 if self.picture is None else 1

    def query(self, view: Sequence[float]) -> NDArray[np.int32]:
        """The id 0 where the picture or a repeat of it is in view.

        Example:
            >>> import numpy as np
            >>> layer = ImageLayer(Head(), None, (False, False), Axes(0, True))
            >>> len(layer.query((0, 0, 10, 10)))
            0
        """
        seen = Bounds.of(view, "view")
        own = self.bounds
        across = self.repeat[0] or (own.min_x <= seen.max_x and seen.min_x <= own.max_x)
        along = self.repeat[1] or (own.min_y <= seen.max_y and seen.min_y <= own.max_y)
        return _ONE_ID.copy() if len(self) and across and along else _NO_IDS.copy()

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """The box of the picture, once for each id."""
        return np.array([self.bounds] * len(self), float).reshape(-1, 4)[ids]


def read_head(element: Element, around: Head, reading: Reading) -> Head:
    """Read a layer's or group's own attributes and add those of the group around it.

    Args:
        element: <layer>, <objectgroup>, <imagelayer> or <group>.
        around: The group, all groups around it counted in; Head() at the top of the map.
        reading: The path for errors.
    """
    # old image layers are moved by x and y instead
    old = ("x", "y") if element.tag == "imagelayer" else ("", "")
    offset = (
        decimal(element, "offsetx", decimal(element, old[0], 0, reading), reading),
        decimal(element, "offsety", decimal(element, old[1], 0, reading), reading),
    )
    parallax = decimal(element, "parallaxx", 1, reading), decimal(element, "parallaxy", 1, reading)
    opacity = min(max(decimal(element, "opacity", 1, reading), 0.0), 1.0)
    return Head(
        name=element.get("name", ""),
        id=integer(element, "id", 0, reading),
        kind=element.get("class") or element.get("type") or "",
        visible=around.visible and boolean(element, "visible", True),
        opacity=around.opacity * opacity,
        tint=_product(around.tint, color(element.get("tintcolor"))),
        offset=(around.offset[0] + offset[0], around.offset[1] + offset[1]),
        parallax=(around.parallax[0] * parallax[0], around.parallax[1] * parallax[1]),
        mode=element.get("mode", "normal"),
        groups=(*around.groups, around.name) if around is not TOP else (),
        properties=read_properties(element),
    )


TOP = Head()  # what is around the outermost layers


def _product(one: Color | None, other: Color | None) -> Color | None:
    """Two tints, one seen through the other."""
    if one is None or other is None:
        return one or other
    red, green, blue, alpha = (round(a * b / 255) for a, b in zip(one, other, strict=True))
    return red, green, blue, alpha
