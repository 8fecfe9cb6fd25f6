"""What tells two values of two maps apart."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from ..model.layer import Group
from ..model.pictures import Picture
from ..model.properties import Properties

__all__ = ["fact", "is_stale"]

_PICTURE = ("path", "declared", "transparent", "_data", "_absolute")


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
        fields = value.__dataclass_fields__.values()
        return {one.name: fact(getattr(value, one.name)) for one in fields if one.compare}
    return type(value), value


def is_stale(picture: Picture | None, files: Collection[str]) -> bool:
    """Return whether the file of a picture is one of those that have changed."""
    return picture is not None and str(picture.path) in files
