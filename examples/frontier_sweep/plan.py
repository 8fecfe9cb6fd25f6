"""Which settings are played with which seeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace
from itertools import product
from math import isnan
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

from frontier_game.campaign import CAMPAIGN
from frontier_game.settings import Settings

Value = int | float | str | tuple[Any, ...]
Variant = dict[str, Value]
Game = tuple[int, int]
"""The row of a variant in the plan, and a seed."""

BASES = {
    "demo": Settings(),
    "campaign": replace(CAMPAIGN, steward=True),  # nobody is there to build
}
"""The settings that a sweep changes."""
_CHOICES: dict[type, dict[str, Value]] = {bool: {"true": True, "false": False}}


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
    base: str = "demo"
    """What is changed: a name in `BASES`."""

    def __post_init__(self) -> None:
        """Refuse settings that cannot be played, before anything is."""
        for variant in self.variants:
            varied(variant, self.base)

    @property
    def games(self) -> list[Game]:
        """All games, in order."""
        return list(product(range(len(self.variants)), self.seeds))

    def chunks(self, done: set[Game], size: int) -> Iterator[Chunk]:
        """Yield chunks of at most `size` games that hold all games that are not done."""
        for row, variant in enumerate(self.variants):
            seeds = [seed for seed in self.seeds if (row, seed) not in done]
            for start in range(0, len(seeds), size):
                yield Chunk(row, varied(variant, self.base), tuple(seeds[start : start + size]))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as what JSON knows."""
        variants, seeds = list(self.variants), list(self.seeds)
        return {"base": self.base, "variants": variants, "seeds": seeds}

    @staticmethod
    def from_json(kept: dict[str, Any]) -> Plan:
        """Return the plan that `to_json` wrote."""
        variants = tuple(
            {name: _frozen(value) for name, value in one.items()} for one in kept["variants"]
        )
        return Plan(variants, tuple(kept["seeds"]), kept["base"])


def grid(values: dict[str, str], base: str = "demo") -> tuple[Variant, ...]:
    """Return every combination of the values that texts such as "4,8,12" list for each setting."""
    kinds, listed = _kinds(base), {}
    for name, text in values.items():
        if _range(kinds, name, text):
            raise PlanError(f"{name}={text} is a range: give values such as 1,2,3, or --sample")
        listed[name] = [_value(kinds, name, one) for one in text.split(",")]
    return tuple(dict(zip(listed, chosen, strict=True)) for chosen in product(*listed.values()))


def sample(
    values: dict[str, str], count: int, seed: int, base: str = "demo"
) -> tuple[Variant, ...]:
    """Return random settings: from ranges such as "4:12", or one of the values in "4,8,12"."""
    kinds, random = _kinds(base), Random(seed)
    variants = []
    for _ in range(count):
        variant: Variant = {}
        for name, text in values.items():
            if not (ends := _range(kinds, name, text)):
                variant[name] = random.choice([_value(kinds, name, one) for one in text.split(",")])
            elif all(isinstance(end, int) for end in ends):
                variant[name] = random.randint(*ends)
            else:
                variant[name] = round(random.uniform(*ends), 4)
        variants.append(variant)
    return tuple(variants)


def varied(variant: Variant, base: str = "demo") -> Settings:
    """Return the settings of a base with some of them changed.

    A name such as "towers.range" changes the range of every type of tower.
    """
    settings = BASES[base]
    changes: dict[str, Any] = {}
    for name, value in variant.items():
        outer, _, inner = name.partition(".")
        if inner:
            types = changes.get(outer, getattr(settings, outer))
            changes[outer] = tuple(replace(one, **{inner: value}) for one in types)
        else:
            changes[name] = value
    try:
        return replace(settings, **changes)
    except (TypeError, ValueError) as problem:
        raise PlanError(str(problem)) from None


def names(base: str = "demo") -> list[str]:
    """Return the names of all settings that can be varied."""
    return list(_kinds(base))


def _kinds(base: str) -> dict[str, Any]:
    """The type of each setting, by its name: int, float, bool, tuple[int, ...], a Literal."""
    found: dict[str, Any] = {}
    for name, kind in get_type_hints(Settings).items():
        inner = get_args(kind)
        if inner and is_dataclass(inner[0]):
            if getattr(BASES[base], name):  # none, as in a game without waves, cannot be changed
                found |= {f"{name}.{one}": of for one, of in get_type_hints(inner[0]).items()}
        else:
            found[name] = kind
    return {name: kind for name, kind in found.items() if _can_read(kind)}


def _can_read(kind: Any) -> bool:
    """Whether values of a type can be given as text. Those of names and pictures cannot."""
    if get_origin(kind) is tuple:
        return all(inner is ... or _can_read(inner) for inner in get_args(kind))
    return kind in (bool, int, float) or get_origin(kind) is Literal


def _range(kinds: dict[str, Any], name: str, text: str) -> tuple[Any, Any] | None:
    low, colon, high = text.partition(":")
    if not colon:
        return None
    ends = _value(kinds, name, low), _value(kinds, name, high)
    if any(isinstance(end, str | tuple) for end in ends):
        raise PlanError(f"{name}={text}: a range must be of numbers")
    return ends


def _value(kinds: dict[str, Any], name: str, text: str) -> Value:
    """Read a value of a setting: 120/6 is a tuple."""
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
        if inner[1:] == (...,):
            inner = inner[:1] * len(parts)
        if len(parts) != len(inner):
            raise ValueError(f"must be {len(inner)} values, with a / between them")
        return tuple(map(_read, inner, parts))
    choices = dict(zip(inner, inner, strict=True)) if inner else _CHOICES.get(kind)
    if choices is not None:
        if text not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return choices[text]
    try:
        number = int(text) if kind is int else float(text)
    except ValueError:
        raise ValueError(f"must be a {'whole ' if kind is int else ''}number") from None
    if isnan(number):
        raise ValueError("must be a number")
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
