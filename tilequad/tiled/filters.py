"""Filters: which tiles or objects have some properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["checked_filter", "has_all", "shown_filter"]


def checked_filter(properties: Mapping[str, Any] | None, call: str) -> dict[str, Any]:
    """Return the properties to match as a new dict; an empty one for None.

    Args:
        properties: What the caller was given.
        call: The call as written before the properties, for the error.

    Raises:
        TypeError: The properties are not a mapping.
    """
    if properties is None:
        return {}
    if not isinstance(properties, Mapping):
        example = f'{call}{{"solid": True}})'
        if isinstance(properties, str):
            example += f", or {call}class_name={properties!r}) for a class"
        raise TypeError(f"properties must be a dict, got {properties!r}; write {example}")
    return dict(properties)


def has_all(has: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    """Return whether all properties are present and have equal values."""
    return all(name in has and has[name] == value for name, value in properties.items())


def shown_filter(properties: dict[str, Any], class_name: str | None) -> list[str]:
    """Return the arguments of a filter as they are written in a call."""
    shown = [repr(properties)] if properties else []
    if class_name is not None:
        shown.append(f"class_name={class_name!r}")
    return shown
