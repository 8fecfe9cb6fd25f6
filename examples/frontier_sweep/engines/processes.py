"""Processes of this machine, by the standard library."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import NamedTuple

from ..plan import Chunk
from ..player import Played, Player
from . import ATTEMPTS, Answers

CHECK_EVERY = 0.5  # seconds between two looks for games that never end
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has the second alone, and means kill


@dataclass
class Worker:
    """A pool of one process."""

    pool: ProcessPoolExecutor
    pid: Future[int]  # there once the process has opened the map
    began: float = 0.0

    def play(self, chunk: Chunk) -> Future[Played]:
        """Begin a chunk."""
        self.began = time.monotonic()
        return self.pool.submit(_play, chunk)

    def kill_after(self, seconds: float) -> bool:
        """End the process if it has played its chunk for so long; return whether it has."""
        if not self.pid.done():
            self.began = time.monotonic()  # opening the map does not count
        late = time.monotonic() - self.began > seconds
        if late and self.pid.exception() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid.result(), KILL)
        return late


class Work(NamedTuple):
    """What a worker plays."""

    worker: Worker
    chunk: Chunk
    attempt: int


def run(
    chunks: Sequence[Chunk],
    map_path: Path,
    workers: int,
    address: str | None = None,
    timeout: float | None = None,
) -> Answers:
    """Play all chunks; there is no address. Each worker is a pool of one.

    A process that is killed breaks its whole pool. So each has a pool of its own, and takes no
    other's chunk with it. One that plays for longer than `timeout` seconds, times the games of its
    chunk, is killed, and the chunk is not run again.
    """
    # A fork server has the library in memory, and no threads that a fork would cut off.
    context = get_context("spawn" if sys.platform == "win32" else "forkserver")
    if sys.platform != "win32":
        os.environ["PYTHONSAFEPATH"] = "1"  # it takes the library that we have, not the folder's
        context.set_forkserver_preload(["tilequad.ai", "tilequad.nav", "tilequad.tiled"])
    before = set(active_children())
    waiting = deque((chunk, 1) for chunk in chunks)
    idle: list[Worker] = []
    busy: dict[Future[Played], Work] = {}

    def start() -> None:
        pool = ProcessPoolExecutor(1, context, initializer=_start, initargs=(map_path,))
        idle.append(Worker(pool, pool.submit(os.getpid)))

    for _ in range(min(workers, len(chunks))):
        start()
    try:
        while waiting or busy:
            while waiting and idle:
                worker, (chunk, attempt) = idle.pop(), waiting.popleft()
                busy[worker.play(chunk)] = Work(worker, chunk, attempt)
            done = wait(busy, None if timeout is None else CHECK_EVERY, FIRST_COMPLETED).done
            late = set() if timeout is None else _kill_late(busy, done, timeout)
            for future in done | late:
                worker, chunk, attempt = busy.pop(future)
                problem = None if future in late else future.exception()
                if future not in late and not isinstance(problem, BrokenProcessPool):
                    idle.append(worker)
                    yield chunk, problem if isinstance(problem, Exception) else future.result()
                    continue
                worker.pool.shutdown()
                start()
                if future in late:
                    yield chunk, TimeoutError(f"it did not end within {timeout:g} seconds")
                elif attempt < ATTEMPTS:
                    waiting.appendleft((chunk, attempt + 1))
                else:
                    yield chunk, RuntimeError(f"its worker died {attempt} times")
    finally:
        if busy:  # nobody waits for these chunks any more
            for child in set(active_children()) - before:
                child.terminate()
        for worker in [*idle, *(work.worker for work in busy.values())]:
            worker.pool.shutdown()


def _kill_late(
    busy: dict[Future[Played], Work], done: set[Future[Played]], timeout: float
) -> set[Future[Played]]:
    """Kill the workers whose games do not end; return what they have played."""
    return {
        future
        for future, (worker, chunk, _) in busy.items()
        if future not in done and worker.kill_after(timeout * len(chunk.seeds))
    }


_player: Player


def _start(map_path: Path) -> None:
    """Open the map, once a worker."""
    global _player
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the sweep, which then ends us
    Thread(target=_end_with_the_sweep, daemon=True).start()
    _player = Player(map_path)


def _end_with_the_sweep() -> None:
    """Wait for the end of the sweep, and end. One that is killed cannot end its workers."""
    sweep = parent_process()
    if sweep is not None:
        sweep.join()
        os._exit(1)


def _play(chunk: Chunk) -> Played:
    return _player.play(chunk)
