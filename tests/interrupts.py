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
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.share import WHOLE

TOOL = 4  # whose number nobody else takes
CALLS = {code for name, code in dis.opmap.items() if name.startswith(("CALL", "WITH"))}


class Cut(BaseException):
    """What a handler of a signal raises, as Ctrl-C does."""


def cut() -> None:
    """Do what Ctrl-C does."""
    raise Cut


class Cutter:
    """Watches a call, and acts at the n-th place: by default it raises Cut.

    Python looks for signals where a function begins, after each call, and where a loop goes back.
    Compiled code does not look, but what it calls does: functions of numpy and of the game, which
    may begin with a signal. What they do later on is not ours.

    It acts one bytecode late: after a call in a `return` inside of `with`, that is outside of it,
    though Python itself would still leave the `with` as it should. Return the result below it.
    """

    def __init__(self, number: int, act: Callable[[], object] = cut) -> None:
        self.left, self.act = number, act
        self.before: dict[FrameType, int] = {}  # by frame: where its last bytecode is

    def count(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.act()

    def step(self, frame: FrameType, at: int) -> None:
        """A frame comes to a bytecode."""
        last = self.before.get(frame, -1)
        self.before[frame] = at
        if last >= 0 and (at < last or frame.f_code.co_code[last] in CALLS):
            self.count()

    def forget(self, frame: FrameType) -> None:
        """An exception comes through a frame: after a call that raised, Python does not look."""
        self.before[frame] = -1

    def trace(self, frame: FrameType, event: str, arg: object) -> Any:
        """What `sys.settrace` calls."""
        if event == "call":
            # Python 3.10 does not let a generator that goes on catch what is raised here.
            if sys.version_info >= (3, 11) or frame.f_lasti < 0:
                self.count()
            if not is_ours(frame.f_code):
                return None
            frame.f_trace_opcodes = True
        elif event == "opcode":
            self.step(frame, frame.f_lasti)
        elif event == "exception":
            self.forget(frame)
        return self.trace

    def watch(self) -> tuple[Callable[[], object], Callable[[], object]]:
        """Return what begins to watch this thread, and what ends it, both of C: they are no places.

        From Python 3.12 on a trace does not get the bytecodes of all functions.
        """
        if sys.version_info < (3, 12):
            return partial(sys.settrace, self.trace), partial(sys.settrace, sys.gettrace())
        monitoring = sys.monitoring
        events, disabled = monitoring.events, monitoring.DISABLE

        def stepped(code: CodeType, at: int) -> Any:
            return self.step(sys._getframe(1), at) if is_ours(code) else disabled

        callbacks: dict[int, Callable[..., Any]] = {
            events.PY_START: lambda *_: self.count(),
            events.PY_RESUME: lambda *_: self.count(),
            events.INSTRUCTION: stepped,
            events.RAISE: lambda *_: self.forget(sys._getframe(1)),
        }
        if not monitoring.get_tool(TOOL):
            monitoring.use_tool_id(TOOL, "interrupts")
        for event, callback in callbacks.items():
            monitoring.register_callback(TOOL, event, callback)
        set_events = partial(monitoring.set_events, TOOL)
        return partial(set_events, sum(callbacks)), partial(set_events, 0)


def is_ours(code: CodeType) -> bool:
    """Whether what a function does is ours, and not of numpy or the game."""
    return "tilequad" in code.co_filename


def interrupted(call: Callable[[], Any], number: int, act: Callable[[], object] = cut) -> bool:
    """Run a call, and act at the n-th place; return whether that raised Cut."""
    cutter = Cutter(number, act)
    begin, end = cutter.watch()
    gc.disable()  # a collection may call what others have hung on it, and is no place of ours
    begin()
    try:
        call()
    except Cut:
        return True
    finally:
        end()
        cutter.before.clear()  # a generator that was left ends when its frame goes
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
