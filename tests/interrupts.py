"""Ctrl-C at each place where Python looks for signals, one place after the other; real signals."""

from __future__ import annotations

import dis
import gc
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from random import Random
from types import FrameType
from typing import Any

import pytest

from tests.share import WHOLE

CALLS = {code for name, code in dis.opmap.items() if name.startswith(("CALL", "WITH"))}


class Cut(BaseException):
    """What a handler of a signal raises, as Ctrl-C does."""


def cut() -> None:
    """Do what Ctrl-C does."""
    raise Cut


class Cutter:
    """Traces a call, and acts at the n-th place: by default it raises Cut.

    Python looks for signals where a function begins, after each call, and where a loop goes back.
    Compiled code does not look, but what it calls does: functions of numpy and of the game, which
    may begin with a signal. What they do later on is not ours.

    It acts one bytecode late: after a call in a `return` inside of `with`, that is outside of it,
    though Python itself would still leave the `with` as it should. Return the result below it.
    """

    def __init__(self, number: int, act: Callable[[], object] = cut) -> None:
        self.left, self.act = number, act
        self.before: dict[FrameType, int] = {}  # by frame: where its last bytecode is

    def __call__(self, frame: FrameType, event: str, arg: object) -> Cutter | None:
        if event == "call":
            # Python 3.10 does not let a generator that goes on catch what is raised here.
            if sys.version_info >= (3, 11) or frame.f_lasti < 0:
                self.count()
            if "tilequad" not in frame.f_code.co_filename:
                return None
            frame.f_trace_opcodes = True
        elif event == "opcode":
            last = self.before.get(frame, -1)
            self.before[frame] = frame.f_lasti
            if last >= 0 and (frame.f_lasti < last or frame.f_code.co_code[last] in CALLS):
                self.count()
        elif event == "exception":
            self.before[frame] = -1  # after a call that raised, Python does not look
        return self

    def count(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.act()


def interrupted(call: Callable[[], Any], number: int, act: Callable[[], object] = cut) -> bool:
    """Run a call, and act at the n-th place; return whether that raised Cut."""
    before = sys.gettrace()
    gc.disable()  # a collection may call what others have hung on it, and is no place of ours
    sys.settrace(Cutter(number, act))
    try:
        call()
    except Cut:
        return True
    finally:
        sys.settrace(before)
        gc.enable()
    return False


def places() -> Iterator[int]:
    """Number all places; of later ones, one in ten."""
    chance = Random(1)
    for number in count(1):
        if WHOLE or number <= 10 or chance.random() <= 0.1:
            yield number


def cut_everywhere(
    make: Callable[[], Any], change: Callable[[Any], Any]
) -> Iterator[tuple[int, Any]]:
    """Yield each of the `places` with a world whose change was cut there."""
    for number in places():
        world = make()
        if not interrupted(lambda world=world: change(world), number):  # type: ignore[misc]
            return
        yield number, world


def meddled_everywhere(
    make: Callable[[], Any], call: Callable[[Any], Any], meddle: Callable[[Any], Any]
) -> Iterator[tuple[int, Any, Any, Any]]:
    """Yield each of the `places` with a world, in a call of which somebody has meddled there.

    And what the call and the meddling returned, or the RuntimeError that they raised.
    """
    for number in places():
        world, found = make(), []

        def asked(what: Callable[[Any], Any], world: Any = world, found: list[Any] = found) -> None:
            try:
                found.append(what(world))
            except RuntimeError as error:
                found.append(error)

        interrupted(partial(asked, call), number, partial(asked, meddle))
        if len(found) == 1:
            return
        yield number, world, found[1], found[0]


def assert_done_or_not(
    make: Callable[[], Any],
    change: Callable[[Any], Any],
    told: Callable[[Any], Any],
    check: Callable[[Any], Any] = lambda world: None,
    places: int = 1,
) -> None:
    """Cut a change at each place, of which there are more than so many.

    Then the world tells what it told before, or what it tells afterwards, and `check` is content.
    """
    done, number = make(), 0
    change(done)
    allowed = told(make()), told(done)
    for number, world in cut_everywhere(make, change):
        assert told(world) in allowed, number
        check(world)
    assert number > places


def real_signals(test: Any) -> Any:
    """Mark a test that uses `alarms`. Python only reports what is raised in a finalizer."""
    test = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")(test)
    return pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals")(test)


@contextmanager
def alarms(error: type[BaseException] = Cut) -> Iterator[Callable[[float], Any]]:
    """Yield a function that lets a signal raise an error, so many seconds later; 0 for never.

    Both calls belong into the `try` that catches the error.
    """

    def cut(*_: object) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, cut)
    gc.disable()  # an error in what others have hung on a collection would be lost
    try:
        yield partial(signal.setitimer, signal.ITIMER_REAL)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()
