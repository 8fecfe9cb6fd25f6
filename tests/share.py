"""The share of many cases that runs each time; TILEQUAD_WHOLE=1 runs them all."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random
from typing import TypeVar

WHOLE = os.environ.get("TILEQUAD_WHOLE") == "1"
Case = TypeVar("Case")


def share(cases: Sequence[Case], one_in: int = 4) -> list[Case]:
    """One in so many of cases that are alike, always the same ones, in their order."""
    chosen = Random(1).sample(range(len(cases)), -(-len(cases) // one_in))
    return list(cases) if WHOLE else [cases[number] for number in sorted(chosen)]
