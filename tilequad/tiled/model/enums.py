"""Enums of a Tiled project as Python enums."""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag
from functools import lru_cache
from typing import Any

__all__ = ["EnumType", "enum_type", "member_of"]

EnumType = type[Enum]

_MOST_FLAGS = 64


def _reduced(member: Any, protocol: object) -> tuple[Any, ...]:
    """Return what pickles or copies a member."""
    return _restored, (*type(member)._recipe, member.value)


class _Text(str, Enum):
    """An enum whose values are stored as text; a member equals its text."""

    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]

    __reduce_ex__ = _reduced  # type: ignore[assignment]


class _Number(IntEnum):
    """An enum whose values are stored as numbers; a member equals its number."""

    __reduce_ex__ = _reduced  # type: ignore[assignment]


class _Flags(IntFlag):
    """An enum whose values can be combined; a value equals the sum of its bits."""

    __reduce_ex__ = _reduced  # type: ignore[assignment]


_BASES: dict[str, Any] = {"text": _Text, "number": _Number, "flags": _Flags}


@lru_cache(maxsize=1024)
def enum_type(name: str, labels: tuple[str, ...], storage: str) -> EnumType:
    """Make an enum; equal arguments give the same enum, so members from two maps are identical.

    The labels are what Tiled calls the values; the storage is "text", "number" or "flags".
    """
    if storage == "flags" and len(labels) > _MOST_FLAGS:
        raise ValueError(f"the enum {name!r} has more than {_MOST_FLAGS} flags")
    base = _BASES[storage]
    members: dict[str, Any] = {}
    own: dict[str, str] = {}  # the name of each label
    for number, label in enumerate(labels):
        if label in own:
            continue
        own[label] = _free_name(label, base, members)
        value = {"text": label, "number": number, "flags": 1 << number}[storage]
        members[own[label]] = value
    made: Any = base(name, members, module=__name__)
    made._recipe = (name, labels, storage)
    made._by_label = {label: made[member] for label, member in own.items()}
    kind: EnumType = made
    return kind


def member_of(kind: EnumType, value: str | int) -> Enum | None:
    """Return the member that a stored value names, as text or as a number; None if there is none.

    Tiled writes flags as the sum of their bits, or as labels with commas between them.
    """
    _, labels, storage = kind._recipe  # type: ignore[attr-defined]
    by_label: dict[str, Enum] = kind._by_label  # type: ignore[attr-defined]
    if isinstance(value, int):
        if storage == "flags":
            return kind(value) if value >= 0 else None
        return by_label[labels[value]] if 0 <= value < len(labels) else None
    if storage != "flags":
        return by_label.get(value)
    found: Any = kind(0)
    for label in filter(None, value.split(",")):
        if label not in by_label:
            return None
        found |= by_label[label]
    member: Enum = found
    return member


def _free_name(label: str, base: Any, taken: dict[str, Any]) -> str:
    """Name a member like its label, unless that name is reserved in Python enums."""
    name = f"value{label}" if not label or label.startswith("_") else label
    while name in taken or hasattr(base, name):
        name += "_"
    return name


def _restored(name: str, labels: tuple[str, ...], storage: str, value: Any) -> Enum:
    return enum_type(name, labels, storage)(value)
