"""One thread at a time: the others wait, but code in the midst of a turn is refused."""

from __future__ import annotations

from threading import RLock
from typing import Any

__all__ = ["Turns"]


class Turns(type(RLock())):  # type: ignore[misc]
    """A lock for changes that no code may find half done; a pickle or a deep copy has a new one.

    `with` takes a turn, and raises a RuntimeError if this thread is in one: a finalizer or a
    handler of a signal, which runs in the midst of a turn of its own thread, would wait for ever at
    a plain lock.

    Keep a function that takes a turn short: beyond its 256th bytecode, Python 3.11 needs memory to
    leave a `with`, and tries for ever if there is none.

    Args:
        refusal: What such code cannot do, for its error.
    """

    __slots__ = ("_refusal",)

    def __new__(cls, refusal: str) -> Turns:
        made: Turns = super().__new__(cls)
        made._refusal = refusal
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Turns, (self._refusal,)

    @property
    def is_mine(self) -> bool:
        """Whether this thread is in a turn."""
        mine: bool = self._is_owned()
        return mine

    # After a function of C has entered a `with`, Python 3.14 looks for signals before the body
    # begins: Ctrl-C there would leave the lock taken. It does not look after a function of Python,
    # nor before the lock's own `__exit__`.
    def __enter__(self) -> None:
        if self._is_owned():  # not `is_mine`, because this must be fast
            raise RuntimeError(f"cannot {self._refusal}")
        try:
            self.acquire()
        except BaseException:  # a signal may come when the lock is taken already
            if self._is_owned():
                self.release()
            raise
