"""Objects that are told of changes, such as selections, grids and pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakSet

__all__ = ["Observers"]


class Observers:
    """Observers, held weakly.

    Attributes:
        any: Whether there ever was one; a WeakSet is slow to ask.
    """

    def __init__(self) -> None:
        self._held: WeakSet[Any] = WeakSet()
        self.any = False

    def add(self, observer: Any) -> None:
        """Tell an observer of changes from now on."""
        self._held.add(observer)
        self.any = True

    def tell(self, call: Callable[[Any], None]) -> None:
        """Call a function with each observer, even if one of them raises an exception."""
        problem: BaseException | None = None
        for observer in list(self._held):
            try:
                call(observer)
            except BaseException as raised:
                problem = problem or raised
        if problem is not None:
            raise problem

    def __getstate__(self) -> tuple[list[Any], bool]:
        return list(self._held), self.any

    def __setstate__(self, state: tuple[list[Any], bool]) -> None:
        held, self.any = state
        self._held = WeakSet(held)
