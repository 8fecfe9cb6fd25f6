"""Custom properties that a program gives to a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tilequad._core.shown import shown

from ..model.properties import Properties

__all__ = ["properties_of"]


def properties_of(value: Any, name: str) -> Properties:
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
