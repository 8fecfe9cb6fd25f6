"""Which settings are played with which seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace
from itertools import product
from math import isfinite
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

from frontier_game.settings import Settings

Value = int | float | str | tuple[Any, ...]
Variant = dict[str, Value]
Game = tuple[int, int]
"""The row of a variant in the plan, and a seed."""


class PlanError(ValueError):
    """A sweep that cannot be played as it was asked for."""


@dataclass(frozen=True)
class Chunk:
    """Games that one worker plays in a row: some seeds with the same settings."""

    variant: int
    settings: Settings
    seeds: tuple[int, ...]

    @property
    def games(self) -> list[Game]:
        """The games, in order."""
        return [(self.variant, seed) for seed in self.seeds]

    def split(self) -> list[Chunk]:
        """Return a chunk for each game."""
        return [replace(self, seeds=(seed,)) for seed in self.seeds]


@dataclass(frozen=True)
class Plan:
    """What is played: each variant of the settings with each seed."""

    variants: tuple[Variant, ...]
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse settings that cannot be played, before anything is."""
        for variant in self.variants:
            varied(variant)

    @property
    def games(self) -> list[Game]:
        """All games, in order."""
        return list(product(range(len(self.variants)), self.seeds))

    def chunks(self, done: set[Game], size: int) -> Iterator[Chunk]:
        """Yield chunks of at most `size` games that hold all games that are not done."""
        for row, variant in enumerate(self.variants):
            seeds = [seed for seed in self.seeds if (row, seed) not in done]
            for start in range(0, len(seeds), size):
                yield Chunk(row, varied(variant), tuple(seeds[start : start + size]))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as what JSON knows."""
        return {"variants": list(self.variants), "seeds": list(self.seeds)}

    @staticmethod
    def from_json(kept: dict[str, Any]) -> Plan:
        """Return the plan that `to_json` wrote."""
        variants = tuple(
            {name: _frozen(value) for name, value in one.items()} for one in kept["variants"]
        )
        return Plan(variants, tuple(kept["seeds"]))


def grid(values: dict[str, str]) -> tuple[Variant, ...]:
    """Return every combination of the values that texts such as "4,8,12" list for each setting."""
    listed = {}
    for name, text in values.items():
        if _range(name, text):
            raise PlanError(f"{name}={text} is a range: give values such as 1,2,3, or --sample")
        listed[name] = [_value(name, one) for one in text.split(",")]
    return tuple(dict(zip(listed, chosen, strict=True)) for chosen in product(*listed.values()))


def sample(values: dict[str, str], count: int, seed: int) -> tuple[Variant, ...]:
    """Return random settings: from ranges such as "4:12", or one of the values in "4,8,12"."""
    random = Random(seed)
    variants = []
    for _ in range(count):
        variant: Variant = {}
        for name, text in values.items():
            if not (ends := _range(name, text)):
                variant[name] = random.choice([_value(name, one) for one in text.split(",")])
            elif all(isinstance(end, int) for end in ends):
                variant[name] = random.randint(*ends)
            else:
                variant[name] = round(random.uniform(*ends), 4)
        variants.append(variant)
    return tuple(variants)


def varied(variant: Variant) -> Settings:
    """Return the settings of the demo with some of them changed.

    A name such as "towers.range" changes the range of every type of tower.
    """
    changes: dict[str, Any] = {}
    for name, value in variant.items():
        outer, _, inner = name.partition(".")
        if inner:
            types = changes.get(outer, getattr(Settings(), outer))
            changes[outer] = tuple(replace(one, **{inner: value}) for one in types)
        else:
            changes[name] = value
    try:
        return replace(Settings(), **changes)
    except (TypeError, ValueError) as problem:
        raise PlanError(str(problem)) from None


def names() -> list[str]:
    """Return the names of all settings that can be varied."""
    return list(_kinds())


def _kinds() -> dict[str, Any]:
    """The type of each setting, by its name: int, float, tuple[int, int], Literal["first", ...]."""
    found: dict[str, Any] = {}
    for name, kind in get_type_hints(Settings).items():
        inner = get_args(kind)
        if inner and is_dataclass(inner[0]):
            found |= {f"{name}.{one}": of for one, of in get_type_hints(inner[0]).items()}
        else:
            found[name] = kind
    return {name: kind for name, kind in found.items() if _can_read(kind)}


def _can_read(kind: Any) -> bool:
    """Whether values of a type can be given as text. Those of names and pictures cannot."""
    if get_origin(kind) is tuple:
        return all(map(_can_read, get_args(kind)))
    return kind in (int, float) or get_origin(kind) is Literal


def _range(name: str, text: str) -> tuple[Any, Any] | None:
    low, colon, high = text.partition(":")
    if not colon:
        return None
    ends = _value(name, low), _value(name, high)
    if any(isinstance(end, str | tuple) for end in ends):
        raise PlanError(f"{name}={text}: a range must be of numbers")
    return ends


def _value(name: str, text: str) -> Value:
    """Read a value of a setting: 120/6 is a tuple."""
    kinds = _kinds()
    if name not in kinds:
        raise PlanError(f"there is no setting {name!r}; there are {', '.join(kinds)}")
    try:
        value: Value = _read(kinds[name], text)
    except ValueError as problem:
        raise PlanError(f"{name}={text}: {problem}") from None
    return value


def _read(kind: Any, text: str) -> Any:
    """Read a value of a type, or raise a ValueError that says what it must be."""
    inner = get_args(kind)
    if get_origin(kind) is tuple:
        parts = text.split("/")
        if len(parts) != len(inner):
            raise ValueError(f"must be {len(inner)} values, with a / between them")
        return tuple(map(_read, inner, parts))
    if get_origin(kind) is Literal:
        if text not in inner:
            raise ValueError(f"must be one of {', '.join(inner)}")
        return text
    try:
        number = int(text) if kind is int else float(text)
    except ValueError:
        raise ValueError(f"must be a {'whole ' if kind is int else ''}number") from None
    if not isfinite(number):
        raise ValueError("must be finite")
    return number


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def seeds(text: str) -> tuple[int, ...]:
    """Return the seeds that "50" (1 to 50) or "51:100" (51 to 100) names."""
    first, colon, last = text.partition(":")
    try:
        found = range(int(first), int(last) + 1) if colon else range(1, int(first) + 1)
    except ValueError:
        raise PlanError(f"seeds must be a number such as 50, or 51:100, got {text!r}") from None
    if not found:
        raise PlanError(f"seeds must name at least one, got {text!r}")
    return tuple(found)


def chunk_size(games: int, workers: int, most: int = 8) -> int:
    """Return how many games to send at once: few enough that all workers end together."""
    return max(1, min(most, games // (workers * 8)))
