"""One thread at a time: the others wait, but code in the midst of a turn is refused."""

from __future__ import annotations

from typing import Any

__all__ = ["is_amid", "turn"]


def is_amid(lock: Any) -> bool:
    """Whether this thread holds an RLock already: a finalizer or a handler of a signal runs."""
    amid: bool = lock._is_owned()
    return amid


def turn(lock: Any, what: str) -> Any:
    """Return an RLock to enter by `with`, whose body no code of this thread must find half done.

    A plain lock would stop such code, and its thread, for ever.

    Args:
        lock: The RLock.
        what: What such code cannot do, for its error.

    Raises:
        RuntimeError: This thread holds it already.
    """
    if lock._is_owned():
        raise RuntimeError(f"cannot {what}")
    return lock
