"""Processes of this machine, by the standard library."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from pathlib import Path

from ..plan import Chunk
from ..player import Played, Player
from . import ATTEMPTS, Answers


def run(
    chunks: Sequence[Chunk], map_path: Path, workers: int, address: str | None = None
) -> Answers:
    """Play all chunks; there is no address. Each worker is a pool of one.

    A process that is killed breaks its whole pool. So each has a pool of its own, and takes no
    other's chunk with it.
    """
    # A fork server has the library in memory, and no threads that a fork would cut off.
    context = get_context("spawn" if sys.platform == "win32" else "forkserver")
    if sys.platform != "win32":
        os.environ["PYTHONSAFEPATH"] = "1"  # it takes the library that we have, not the folder's
        context.set_forkserver_preload(["tilequad.ai", "tilequad.nav", "tilequad.tiled"])
    before = set(active_children())
    waiting = deque((chunk, 1) for chunk in chunks)
    idle: list[ProcessPoolExecutor] = []
    busy: dict[Future[Played], tuple[ProcessPoolExecutor, Chunk, int]] = {}

    def start() -> None:
        idle.append(ProcessPoolExecutor(1, context, initializer=_start, initargs=(map_path,)))

    for _ in range(min(workers, len(chunks))):
        start()
    try:
        while waiting or busy:
            while waiting and idle:
                pool, (chunk, attempt) = idle.pop(), waiting.popleft()
                busy[pool.submit(_play, chunk)] = pool, chunk, attempt
            for future in wait(busy, return_when=FIRST_COMPLETED).done:
                pool, chunk, attempt = busy.pop(future)
                try:
                    answer: Played | Exception = future.result()
                    idle.append(pool)
                except BrokenProcessPool:
                    pool.shutdown()
                    start()
                    if attempt < ATTEMPTS:
                        waiting.appendleft((chunk, attempt + 1))
                        continue
                    answer = RuntimeError(f"its worker died {attempt} times")
                yield chunk, answer
    finally:
        if busy:  # nobody waits for these chunks any more
            for child in set(active_children()) - before:
                child.terminate()
        for pool in [*idle, *(pool for pool, _, _ in busy.values())]:
            pool.shutdown()


_player: Player


def _start(map_path: Path) -> None:
    """Open the map, once a worker."""
    global _player
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the sweep, which then ends us
    _player = Player(map_path)


def _play(chunk: Chunk) -> Played:
    return _player.play(chunk)
