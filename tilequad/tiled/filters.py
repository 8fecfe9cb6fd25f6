"""Filters: which tiles or objects have some properties."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from tilequad._core.shown import shown

__all__ = ["checked_filter", "matches", "shown_filter", "warn_of_unknown"]

MOST_NAMES = 12  # that a warning lists


def checked_filter(
    properties: Mapping[str, Any] | None, call: str, **names: str | None
) -> dict[str, Any]:
    """Return the properties to match as a new dict; an empty one for None.

    For the error, `call` is the call as written before the properties. The other arguments of the
    call, `names`, must be texts or None.
    """
    for argument, name in names.items():
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{argument} must be a str or None, got {shown(name)}")
    if properties is None:
        return {}
    if not isinstance(properties, Mapping):
        example = f'{call}{{"solid": True}})'
        if isinstance(properties, str):
            example += f", or {call}class_name={shown(properties)}) for a class"
        raise TypeError(f"properties must be a dict, got {shown(properties)}; write {example}")
    return dict(properties)


def matches(part: Any, properties: Mapping[str, Any], class_name: str | None) -> bool:
    """Return whether a tile or an object has the class, unless that is None, and all properties."""
    if class_name is not None and class_name != part.class_name:
        return False
    has = part.properties
    return not properties or all(
        name in has and has[name] == value for name, value in properties.items()
    )


def shown_filter(properties: dict[str, Any], class_name: str | None) -> list[str]:
    """Return the arguments of a filter as they are written in a call."""
    shown = [repr(properties)] if properties else []
    if class_name is not None:
        shown.append(f"class_name={class_name!r}")
    return shown


def warn_of_unknown(
    call: str,
    properties: Mapping[str, Any],
    class_name: str | None,
    known: Iterable[tuple[str, Mapping[str, Any]]],
    level: int,
) -> None:
    """Warn of a class and of properties that nothing `known` has, with those that exist.

    `level` is how many calls above this one the line stands that the warning names.
    """
    pairs = list(known)
    classes = {name for name, _ in pairs if name}
    names = {name for _, has in pairs for name in has}
    if class_name is not None and class_name not in classes:
        _warn(f"{call} fits nothing: no class is called {class_name!r}", classes, level)
    for name in properties:
        if name not in names:
            _warn(f"{call} fits nothing: no property is called {name!r}", names, level)


def _warn(text: str, names: set[str], level: int) -> None:
    there = ", ".join(map(repr, sorted(names)[:MOST_NAMES])) or "none"
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    warnings.warn(f"{text}; there are: {there}{more}", UserWarning, stacklevel=level + 2)
