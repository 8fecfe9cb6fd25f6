"""What a tick leaves behind for those who watch: short effects, and what its parts cost."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter


@dataclass(slots=True)
class Effect:
    """A short visual effect: type, position, start and duration in seconds."""

    type: str
    x: float
    y: float
    start: float
    life: float
    gid: int = 0
    turn: float = 0.0


class Clock:
    """Measures the parts of a tick."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}
        self._last = perf_counter()

    def stop(self, part: str) -> None:
        """End a part."""
        now = perf_counter()
        self.parts[part], self._last = now - self._last, now
