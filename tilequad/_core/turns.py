"""One thread at a time: the others wait, but code in the midst of a turn is refused."""

from __future__ import annotations

from threading import RLock
from typing import Any

__all__ = ["Turns"]


class Turns:
    """A lock for changes that no code may find half done; a pickle or a deep copy has a new one.

    A finalizer or a handler of a signal, which runs in the midst of a turn of its own thread, would
    wait for ever at a plain lock.

    Keep a function that takes a turn short: beyond its 256th bytecode, Python 3.11 needs memory to
    leave a `with`, and tries for ever if there is none.

    Args:
        refusal: What such code cannot do, for its error.
    """

    __slots__ = ("_lock", "_refusal")

    def __init__(self, refusal: str) -> None:
        self._lock: Any = RLock()
        self._refusal = refusal

    def __reduce__(self) -> tuple[Any, ...]:
        return Turns, (self._refusal,)

    @property
    def is_mine(self) -> bool:
        """Whether this thread is in a turn."""
        mine: bool = self._lock._is_owned()
        return mine

    def take(self) -> Any:
        """Return what to enter by `with`; raise RuntimeError if this thread is in a turn."""
        if self._lock._is_owned():  # not `is_mine`, because this must be fast
            raise RuntimeError(f"cannot {self._refusal}")
        return self._lock
