"""`add_object`, `edit_object`, `template`: objects of any shape, read from elements as in files."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from functools import partial
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilequad._core.checks import finite_number
from tilequad._core.shown import shown
from tilequad.bounds import Bounds

from ..cells import GID_MASK
from ..checks import one_of, pair_of, path_of, ratio_of, text_of, truth_of, whole_within
from ..context import LoadContext
from ..model.frame import MapFrame
from ..model.map_object import MapObject, Template, Text
from ..model.object_layer import ObjectLayer
from ..model.properties import properties_of
from ..model.tile_map import TileMap
from ..read.attributes import MOST
from ..read.documents import read_document
from ..read.externals import read_instances, read_loose
from ..write.elements import object_element, own_class, retiled
from ..write.values import relative

__all__ = ["add_object", "edit_object", "make_template"]

_SHAPES = (
    "rectangle", "point", "ellipse", "capsule", "polygon", "polyline", "tile", "text",
)  # fmt: skip
_OUTLINES = {"polygon": 3, "polyline": 2}  # and the least number of their points


_CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "name": text_of,
    "class_name": text_of,
    "rotation": finite_number,
    "flags": partial(whole_within, low=0, high=15),
    "visible": truth_of,
    "opacity": ratio_of,
}


def add_object(
    layer: ObjectLayer,
    shape: str | None,
    x: float | None,
    y: float | None,
    template: Template | None,
    **given: Any,
) -> MapObject:
    """Add an object; `ObjectLayer.add_object` explains it."""
    frame = layer._frame
    if template is not None:
        if not isinstance(template, Template):
            raise TypeError(f"template must be a Template, got {shown(template)}")
        base = _instance_of(template, layer)
    elif shape is None:
        raise TypeError("add_object() needs a shape or a template, got none")
    else:
        nowhere = Bounds(0, 0, 0, 0)
        base = MapObject(0, "", "", "", 0.0, 0.0, 0.0, 0.0, 0.0, np.empty((0, 2)), nowhere)
    item = _edited(base, layer, _Given(shape, x, y, given), is_new=True)
    item.id = frame.next_object_id
    frame.tools.complete(item.properties, item.class_name, "object")
    frame.next_object_id += 1
    with layer._changing(item):
        _put(item, layer)
    return item


def edit_object(
    layer: ObjectLayer,
    item: MapObject,
    shape: str | None,
    x: float | None,
    y: float | None,
    **given: Any,
) -> None:
    """Change an object; `ObjectLayer.edit_object` explains it."""
    number = layer._number_of(item)
    made = _edited(item, layer, _Given(shape, x, y, given), is_new=False)
    tools = layer._frame.tools
    if made.class_name != item.class_name:
        made.properties = tools.without_members(made.properties, item.class_name, "object")
    tools.complete(made.properties, made.class_name, "object")
    moved = layer._y_in_file(made) != layer._y_in_file(item)
    with layer._changing(item):
        vars(item).pop("_has_class", None)
        vars(item).update(vars(made))
        if moved and layer.draw_order == "topdown":
            del layer.objects[number]
            _put(item, layer)


class _Given:
    """The arguments of a call, checked; None is left out."""

    def __init__(
        self, shape: str | None, x: float | None, y: float | None, given: dict[str, Any]
    ) -> None:
        self.shape = None if shape is None else one_of(shape, "shape", _SHAPES)
        self.place = x, y
        self.points, self.text = given.pop("points", None), given.pop("text", None)
        gid, properties, size = (given.pop(name, None) for name in ("gid", "properties", "size"))
        self.gid = None if gid is None else whole_within(gid, "gid", 0, GID_MASK)
        self.properties = None if properties is None else properties_of(properties)
        self.values: dict[str, Any] = {}
        if size is not None:
            self.values["width"], self.values["height"] = pair_of(size, "size")
            if min(self.values.values()) < 0:
                raise ValueError(f"size must not be negative, got {shown(size)}")
        for name, value in given.items():
            if name not in _CHECKS:
                raise TypeError(f"an object has no setting {name!r}")
            if value is not None:
                self.values[name] = _CHECKS[name](value, name)

    @property
    def names(self) -> set[str]:
        own = {"shape": self.shape is not None or self.points is not None}
        own |= {"text": self.text is not None, "gid": self.gid is not None}
        found = {name for name, is_given in own.items() if is_given} | self.values.keys()
        return {"gid" if name == "flags" else name for name in found}


def _edited(base: MapObject, layer: ObjectLayer, given: _Given, *, is_new: bool) -> MapObject:
    """Return an object with changes, as the reader makes it; a new one has no place yet."""
    frame = layer._frame
    kind = given.shape or base.shape
    outline = _outline(kind, base, given.points)
    draft = copy(base)
    draft.class_name = own_class(base, frame)
    vars(draft).update(
        shape=kind,
        gid=_gid(frame, kind, base, given.gid),
        text=_text(kind, base, given.text),
        flags=base.flags if kind == "tile" else 0,
    )
    if outline is not None:
        draft.points, draft._outline = outline, None
    elif kind in _OUTLINES and (base._outline is None or base._outline[0] is not base.points):
        draft._outline = base.points, base.x, base.y, base.rotation
    vars(draft).update(given.values)
    usual = (None, None) if is_new else (base.x, base.y)
    draft.x, draft.y = _place(kind, given.place, usual, outline)
    _check_reach(draft, frame.place_in_file(draft.x, draft.y, layer.offset), outline)
    context = LoadContext("untitled.tmx")
    [made] = read_loose([object_element(draft, frame, layer.offset)], frame, layer.offset, context)
    made.template, made.overrides = base.template, base.overrides
    may_inherit = "class_name" in given.names or not base._has_class
    if made._has_class and may_inherit:
        made._has_class = made.class_name != frame.tilesets._tile_of(made.gid).class_name
    if not made._has_class:
        vars(made).pop("_has_class", None)
    if base.template:
        made.overrides |= given.names
    made.properties = base.properties
    if given.properties is not None or made.gid != base.gid:
        made.properties = retiled(base, made.gid, frame, given.properties)
    return made


def _outline(shape: str, base: MapObject, points: ArrayLike | None) -> NDArray[np.float64] | None:
    """Return new points of a polygon or polyline; None if it has none, or keeps its own."""
    least = _OUTLINES.get(shape, 0)
    if points is None and (not least or base.shape in _OUTLINES):
        return None
    try:
        found = np.array([] if points is None else points, float)
    except (TypeError, ValueError):
        raise TypeError(f"points must be numbers, got {shown(points)}") from None
    if not least:
        raise ValueError(f"points do not belong to a {shape}, got {shown(points)}")
    if found.ndim != 2 or found.shape[1] != 2 or len(found) < least:
        raise ValueError(
            f"points of a {shape} must have the shape (n, 2) with n at least {least}, "
            f"got {found.shape}"
        )
    if not np.isfinite(found).all():
        raise ValueError(f"points must be finite, got {shown(points)}")
    return found


def _place(
    shape: str,
    given: tuple[float | None, float | None],
    usual: tuple[float | None, float | None],
    outline: NDArray[np.float64] | None,
) -> tuple[float, float]:
    """Return the position of an object; that of a new one is by default its first point's."""
    if given == (None, None) and usual == (None, None) and outline is not None:
        first, second = outline[0].tolist()
        return first, second
    x, y = (old if new is None else new for new, old in zip(given, usual, strict=True))
    if x is None or y is None:
        raise TypeError(f"a {shape} must have x and y, got {shown(x)} and {shown(y)}")
    return pair_of((x, y), "x and y")


def _check_reach(
    item: MapObject, place: tuple[float, float], outline: NDArray[np.float64] | None
) -> None:
    """Refuse numbers that are too large for a file, where the object has this place."""
    found: dict[str, tuple[Sequence[float], Any]] = {
        "x and y": (place, (item.x, item.y)),
        "size": ((item.width, item.height), (item.width, item.height)),
        "rotation": ((item.rotation,), item.rotation),
    }
    if outline is not None:
        found["points"] = ((outline - (item.x, item.y)).ravel().tolist(), outline.tolist())
    for name, (numbers, value) in found.items():
        if not all(abs(number) <= MOST for number in numbers):  # so NaN, too
            raise ValueError(f"{name} must be within 2**32 of 0, got {shown(value)}")


def _gid(frame: MapFrame, shape: str, base: MapObject, gid: int | None) -> int:
    """Return the gid of a tile object; 0 for other shapes."""
    number = (base.gid if shape == "tile" else 0) if gid is None else gid
    if (shape == "tile") != (number > 0):
        raise ValueError(f"gid must be that of a tile for tiles, and 0 for a {shape}, got {number}")
    if number:
        frame.tilesets.owner(number)
    return number


def _text(shape: str, base: MapObject, text: str | Text | None) -> Text | None:
    """Return the text of a text object; None for other shapes."""
    usual = base.text if shape == "text" else None
    found = usual if text is None else text
    if (shape == "text") != (found is not None):
        raise ValueError(f"text must be given for texts, and no other shape, got {shown(text)}")
    if found is None or isinstance(found, Text):
        return found
    words = text_of(found, "text")
    return Text(words) if usual is None else usual._replace(words=words)


def _put(item: MapObject, layer: ObjectLayer) -> None:
    """Put an object into its place in the draw order; of those at one y, by their ids."""
    objects = layer.objects
    at = len(objects)
    if layer.draw_order == "topdown":
        y = layer._y_in_file(item)
        at = bisect_right(objects, y, key=layer._y_in_file)
        while at and objects[at - 1].id > item.id and layer._y_in_file(objects[at - 1]) == y:
            at -= 1
    objects.insert(at, item)


def make_template(tile_map: TileMap, source: str | os.PathLike[str] | MapObject) -> Template:
    """Return a template; `TileMap.template` explains it."""
    frame = tile_map._frame
    if isinstance(source, MapObject):
        return Template(None, _at_origin(tile_map, source), tile_map)
    path = path_of(source, "source")
    context = tile_map._context(path)
    tree = read_document(path, "template", context)
    if tree.find("object") is None:
        raise context.error("has no object")
    _add_tileset(tile_map, tree, context)
    here = os.path.dirname(os.path.abspath(tile_map.path))
    element = Element("object", x="0", y="0", template=relative(path, here))
    [item] = read_instances([element], frame, (0, 0), tile_map._context())
    frame.tools.complete(item.properties, item.class_name, "object")
    item.template, item.overrides = "", frozenset()
    return Template(path, item, tile_map)


def _instance_of(template: Template, layer: ObjectLayer) -> MapObject:
    """Return what an instance of a template has that sets nothing itself."""
    if template.path is None:
        raise ValueError("template must have been saved, so that the map can refer to it")
    if template._tile_map._frame is not layer._frame:
        raise ValueError(f"template must be one of the map, got {shown(template)} of another one")
    item = copy(template.object)
    item.properties = deepcopy(template.object.properties)
    item.properties.inherited, item.properties._template = frozenset(item.properties), None
    here = os.path.dirname(os.path.abspath(template._tile_map.path))
    item.template = relative(template.path, here)
    item.points = item.points.copy()
    if item._outline is not None:
        item._outline = item.points, *item._outline[1:]
    return item


def _add_tileset(tile_map: TileMap, tree: Element, context: LoadContext) -> None:
    entry = tree.find("tileset")
    if entry is None or entry.get("source") is None:
        return
    path = context.about("a tileset").find(entry.get("source", ""), context.path.parent)
    known = {os.path.abspath(own.path) for own in tile_map.tilesets if own.path is not None}
    if path is not None and os.path.abspath(path) not in known:
        tile_map.add_tileset(path)


def _at_origin(tile_map: TileMap, item: MapObject) -> MapObject:
    """Return a copy of an object at Tiled's origin, without an id, as a template has it."""
    element = object_element(item, tile_map._frame, (0, 0))
    element.attrib.update(id="0", x="0", y="0")
    [made] = read_loose([element], tile_map._frame, (0, 0), LoadContext("untitled.tx"))
    properties = deepcopy(item.properties)
    properties.inherited &= made.properties.inherited
    made.properties = properties
    if not item._has_class:
        vars(made).pop("_has_class", None)
    return made
