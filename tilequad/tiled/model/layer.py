"""What tile, object and image layers have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..cells import Ids
from ..checks import color_of, one_of, pair_of, ratio_of, text_of, truth_of
from .frame import MapFrame
from .properties import Color, Properties

__all__ = ["SETTINGS", "TOP", "Check", "Group", "Layer", "LayerAttributes", "combined", "passed_on"]

L = TypeVar("L", bound="Layer")
Check = Callable[[Any, str], Any]

_MODES = (
    "normal", "add", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge",
    "color-burn", "hard-light", "soft-light", "difference", "exclusion",
)  # fmt: skip

#: the settings of layers and groups, each with the check of a value
SETTINGS: dict[str, Check] = {
    "name": text_of,
    "class_name": text_of,
    "visible": truth_of,
    "opacity": ratio_of,
    "tint": color_of,
    "offset": pair_of,
    "parallax": pair_of,
    "mode": partial(one_of, words=_MODES),
    "locked": truth_of,
}


@dataclass(eq=False)
class LayerAttributes:
    """The attributes of a layer, combined with the attributes of its groups; or its own alone."""

    name: str = ""
    id: int = 0
    class_name: str = ""
    visible: bool = True
    opacity: float = 1.0
    tint: Color | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    parallax: tuple[float, float] = (1.0, 1.0)
    mode: str = "normal"
    locked: bool = False
    groups: tuple[Group, ...] = ()
    properties: Properties = field(default_factory=Properties)


TOP = LayerAttributes()  #: the parent of the outermost layers


class Group(LayerAttributes):
    """A group of layers. Its layers include its offset, opacity, tint and so on.

    See https://doc.mapeditor.org/en/stable/manual/layers/#group-layers.

    Attributes:
        name: Its name; several groups may share one.
        id: Tiled's number of the group, which counts layers and groups.
        class_name: The class given to the group in Tiled, or "".
        visible: Whether it is shown; this and what follows are its own, without those of the
            groups around it.
        opacity: From 0, invisible, to 1.
        tint: The color to multiply with, (red, green, blue, alpha), each 0 to 255, or None.
        offset: Pixels by which it is moved, y down as in Tiled.
        parallax: How fast it scrolls along x and y.
        mode: Blend mode as Tiled names it, "normal" by default.
        locked: Whether Tiled lets nobody edit it; games need not care.
        groups: The groups it is in, the outermost first.
        properties: Custom properties of the group itself.
    """

    _number: int = -1  # its place among the groups of the file; -1 if it was added
    _below: int | None = None  # while it is empty: how many layers are below it; None is on top

    @classmethod
    def _of(cls, own: LayerAttributes, groups: tuple[Group, ...]) -> Group:
        return cls(**{**vars(own), "groups": groups})

    def __repr__(self) -> str:
        return f"<Group {self.name!r}>"


def combined(own: LayerAttributes, outer: LayerAttributes) -> LayerAttributes:
    """Return the attributes of a layer, combined with what its groups pass on to it."""
    return replace(
        own,
        visible=outer.visible and own.visible,
        opacity=outer.opacity * own.opacity,
        tint=_multiplied(outer.tint, own.tint),
        offset=(outer.offset[0] + own.offset[0], outer.offset[1] + own.offset[1]),
        parallax=(outer.parallax[0] * own.parallax[0], outer.parallax[1] * own.parallax[1]),
        locked=outer.locked or own.locked,
        groups=outer.groups,
    )


def passed_on(groups: tuple[Group, ...], outer: LayerAttributes = TOP) -> LayerAttributes:
    """Return what groups, the outermost first, pass on to the layers in the innermost."""
    around = (*outer.groups, *groups)
    for group in groups:
        outer = combined(group, outer)
    return replace(outer, groups=around)


def _multiplied(one: Color | None, other: Color | None) -> Color | None:
    """Combine two tints; None is no tint."""
    if one is None or other is None:
        return one or other
    red, green, blue, alpha = (round(a * b / 255) for a, b in zip(one, other, strict=True))
    return red, green, blue, alpha


class Layer(LayerAttributes):
    """What tile, object and image layers have in common. They come with the map: `tile_map.layers`.

    Attributes:
        name: Its name; several layers may share one.
        id: Tiled's number of the layer; a layer without one gets it by Tiled's rule.
        class_name: The class given to the layer in Tiled, or "".
        visible: Whether to draw it; set it as you like.
        opacity: From 0, invisible, to 1.
        tint: The color to multiply with, (red, green, blue, alpha), each 0 to 255, or None.
        offset: Pixels by which the layer is moved, y down as in Tiled; included in all boxes. Set
            it, and its tiles or objects are moved, with all that follows them; that costs as much
            as a reload that moves it.
        parallax: How fast it scrolls along x and y: 1 moves with the world, 0 not at all.
        mode: Blend mode as Tiled names it, "normal" by default.
        locked: Whether Tiled lets nobody edit it; games need not care.
        groups: The groups it is in, the outermost first.
        properties: Custom properties of the layer itself.

    Settings may be set at any time; what `add_tile_layer` refuses is refused here, too, with a
    TypeError or a ValueError.
    """

    _content: ClassVar[str]  # the singular of what `len` counts
    _checks: ClassVar[Mapping[str, Check]] = SETTINGS  # of what may be set
    _number: int = -1  # its place among the layers of the file; -1 if it was added
    _own: LayerAttributes  # at first, without those of its groups
    _frame: MapFrame

    def __init__(self) -> None:
        raise TypeError(f"a {type(self).__name__} comes with its map: load_map(path).layers")

    @classmethod
    def _make(cls: type[L], attributes: LayerAttributes, **own: Any) -> L:
        layer = cls.__new__(cls)
        vars(layer).update(vars(attributes), **own)
        return layer

    def __setattr__(self, name: str, value: Any) -> None:
        check = self._checks.get(name)
        super().__setattr__(name, value if check is None else check(value, name))

    @property
    def offset(self) -> tuple[float, float]:
        """Pixels by which the layer is moved, y down as in Tiled."""
        found: tuple[float, float] = vars(self)["offset"]
        return found

    @offset.setter
    def offset(self, offset: tuple[float, float]) -> None:
        if self._place_at(offset):
            self._frame.tools.followers.tell(lambda tile_map: tile_map._part_changed())

    def _place_at(self, offset: tuple[float, float]) -> bool:
        """Give the layer an offset, and move what is in it. Return whether it was another one."""
        (left, top), (x, y) = self.offset, offset
        if (x, y) == (left, top):
            return False
        vars(self)["offset"] = offset
        self._move(x - left, y - top)
        return True

    def _move(self, dx: float, dy: float) -> None:
        """Move what is in the layer, whose offset has changed by some pixels, y down."""
        raise NotImplementedError

    def __repr__(self) -> str:
        plural = "s" * (len(self) != 1)
        return f"<{type(self).__name__} {self.name!r}: {len(self):,} {self._content}{plural}>"

    def __len__(self) -> int:
        raise NotImplementedError

    def query(self, bounds: Sequence[float]) -> NDArray[np.int32]:
        """Find what a camera sees of the layer.

        Args:
            bounds: Four numbers in world units: min_x, min_y, max_x, max_y.

        Returns:
            Ids in draw order, int32, shape (n,).

        Raises:
            ValueError: `bounds` is not a box.
        """
        raise NotImplementedError

    def boxes(self, ids: Ids) -> NDArray[np.float64]:
        """Return boxes as drawn: min_x, min_y, max_x, max_y in world units, (n, 4)."""
        raise NotImplementedError
