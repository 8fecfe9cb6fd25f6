"""Step 2a: what differs between two layers, or two lists of layers or objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from math import isnan
from operator import attrgetter
from typing import Any

import numpy as np

from ..model.image_layer import ImageLayer
from ..model.layer import Group, LayerAttributes
from ..model.map_object import MapObject
from ..model.object_layer import ObjectLayer
from ..model.pictures import Picture
from ..model.properties import Properties
from ..model.tile_layer import TileLayer
from ..model.tile_map import AnyLayer
from .change_list import ChangeList

__all__ = ["Match", "change_group", "change_layer", "change_properties", "fact", "is_stale"]

_SETTINGS = tuple(
    field.name
    for field in fields(LayerAttributes)
    if field.name not in ("groups", "id", "properties")
)
_OWN_SETTINGS = {
    TileLayer: (), ObjectLayer: ("color", "draw_order"), ImageLayer: ("repeat", "picture"),
}  # fmt: skip
_SEEN = {"offset", "picture", "repeat", "color", "draw_order"}  # settings that pictures are made of
_OUTLINE = ("shape", "x", "y", "width", "height", "rotation", "bounds")  # and the points
_ATTRIBUTES = (
    "name", "class_name", "gid", "flags", "visible", "opacity", "text", "template", "overrides",
    "_has_class",
)  # fmt: skip
_PICTURE = ("path", "declared", "transparent", "_data", "_absolute")
_attributes_of, _outline_of = attrgetter(*_ATTRIBUTES), attrgetter(*_OUTLINE)


class Match:
    """Which layers or objects of a map stay, are new or are gone, by two versions of its file."""

    def __init__(self, own: Iterable[Any], base: Iterable[Any], fresh: Iterable[Any]) -> None:
        mine, old, new = _keyed(own), _keyed(base), _keyed(fresh)
        #: those that stay: of the map, of the older file and of the newer one
        self.pairs = [
            (mine[key], old.get(key, mine[key]), item) for key, item in new.items() if key in mine
        ]
        #: those that are new in the file
        self.added = [item for key, item in new.items() if key not in mine and key not in old]
        #: those of the map that are gone from the file
        self.removed = [item for key, item in mine.items() if key in old and key not in new]
        #: all that the map has afterwards; None if the file has the same as before
        self.order: list[Any] | None = None
        if list(old) != list(new):
            known = [
                mine.get(key, item) for key, item in new.items() if key in mine or key not in old
            ]
            self.order = known + [
                item for key, item in mine.items() if key not in old and key not in new
            ]


def _keyed(items: Iterable[Any]) -> dict[Hashable, Any]:
    """Return layers or objects by kind and id; of those that share an id, by their order."""
    found: dict[Hashable, Any] = {}
    seen: Counter[Hashable] = Counter()
    for item in items:
        key = type(item), item.id
        found[(*key, seen[key])] = item
        seen[key] += 1
    return found


def change_properties(
    own: Properties, base: Properties, fresh: Properties, changes: ChangeList
) -> None:
    """Set the properties that differ between two versions of a file."""
    if not (base or fresh) or _origins(base) == _origins(fresh):
        return
    values, types = dict(own), dict(own.types)
    for name in {**base, **fresh}:
        if fact(base.get(name)) == fact(fresh.get(name)) and (name in base) == (name in fresh):
            continue
        types.pop(name, None)
        values.pop(name, None)
        if name in fresh:
            values[name] = fresh[name]
            types |= {name: fresh.types[name]} if name in fresh.types else {}
    order = [*(name for name in fresh if name in values), *values]
    changes.replace(own, {name: values[name] for name in order})
    lost, found = base.inherited - fresh.inherited, fresh.inherited - base.inherited
    inherited = (own.inherited - lost | found).intersection(values)
    changes.set(own, types=types, class_name=fresh.class_name)
    changes.set(own, inherited=inherited, _template=fresh._template)


def _origins(properties: Properties) -> Any:
    """Return the fact of properties, and which of them are inherited or hide what would be."""
    return fact(properties), properties.inherited, fact(properties._template)


def change_group(own: Group, base: Group, fresh: Group, changes: ChangeList) -> None:
    """Apply what differs between two versions of a group, but for the groups around it."""
    changes.set(own, **_differing(_SETTINGS, base, fresh))
    change_properties(own.properties, base.properties, fresh.properties, changes)


def change_layer(own: AnyLayer, base: AnyLayer, fresh: AnyLayer, changes: ChangeList) -> None:
    """Apply what differs between two versions of a layer, but for its cells."""
    values = _differing((*_SETTINGS, *_OWN_SETTINGS[type(own)]), base, fresh)
    if isinstance(fresh, ImageLayer) and is_stale(fresh.picture, changes.files):
        values["picture"] = fresh.picture
    changes.set(own, **values)
    changes.structure |= not _SEEN.isdisjoint(values)
    change_properties(own.properties, base.properties, fresh.properties, changes)
    if isinstance(own, TileLayer):
        if "offset" in values:
            changes.set(own._places, offset=values["offset"])
            changes.moved[own] = None
    elif isinstance(own, ImageLayer):
        changes.forget(own, "bounds")
    elif isinstance(base, ObjectLayer) and isinstance(fresh, ObjectLayer):
        _change_objects(own, base, fresh, changes)


def _change_objects(
    own: ObjectLayer, base: ObjectLayer, fresh: ObjectLayer, changes: ChangeList
) -> None:
    match = Match(own.objects, base.objects, fresh.objects)
    changed = False
    for item, before, after in match.pairs:
        if item.template and changes.templates:
            before = item
        changed |= _change_object(item, before, after, changes)
    if match.order is not None:
        changes.replace(own.objects, match.order)
    if changed or match.order is not None:
        changes.structure = True
        changes.forget(own, "_boxes", "_tree")


def _change_object(own: MapObject, base: MapObject, fresh: MapObject, changes: ChangeList) -> bool:
    """Apply what differs between two versions of an object. Return whether anything does."""
    values = {}
    if _attributes_of(base) != _attributes_of(fresh):
        values = _differing(_ATTRIBUTES, base, fresh)
    same = _outline_of(base) == _outline_of(fresh)  # which the points of most shapes follow from
    if same and fresh.shape in ("polygon", "polyline"):
        same = np.array_equal(base.points, fresh.points)
    if not same:
        values |= {name: getattr(fresh, name) for name in (*_OUTLINE, "points")}
        if fresh._outline is not None:
            values["_outline"] = fresh._outline
    count = len(changes)
    if values.get("_has_class") is False:
        del values["_has_class"]
        changes.forget(own, "_has_class")
    if values:
        changes.set(own, **values)
    change_properties(own.properties, base.properties, fresh.properties, changes)
    return len(changes) > count


def _differing(names: Sequence[str], base: Any, fresh: Any) -> dict[str, Any]:
    """Return the newer values of the attributes that differ."""
    pairs = ((name, getattr(base, name), getattr(fresh, name)) for name in names)
    return {name: after for name, before, after in pairs if fact(before) != fact(after)}


def fact(value: Any) -> Any:
    """Return a value that is equal to that of another map if nothing has changed: 1 is not true."""
    if isinstance(value, Properties):
        return value.class_name, dict(value.types), fact(dict(value))
    if isinstance(value, Mapping):
        return {name: fact(member) for name, member in value.items()}
    if isinstance(value, Picture):
        return [getattr(value, name) for name in _PICTURE]
    if isinstance(value, Group):
        return value.id, value.name, value.class_name, fact(value.properties)
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [fact(one) for one in value]
    if hasattr(value, "__dataclass_fields__"):
        parts = value.__dataclass_fields__.values()
        return {one.name: fact(getattr(value, one.name)) for one in parts if one.compare}
    if isinstance(value, float) and isnan(value):  # equals no other one
        return float, "nan"
    return type(value), value


def is_stale(picture: Picture | None, files: Collection[str]) -> bool:
    """Return whether the file of a picture is one of those that have changed."""
    return picture is not None and str(picture.path) in files
