"""Dask: a local cluster of processes, or a cluster on many machines."""

from __future__ import annotations

import logging
import signal
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from distributed import Client, LocalCluster, Worker, WorkerPlugin, as_completed, get_worker

from ..plan import Chunk
from ..player import Played, Player
from . import Answers

NAME = "player"


class OpenMap(WorkerPlugin):  # type: ignore[misc]
    """Opens the map, once a worker: also in one that joins later, or comes back from the dead."""

    name = NAME

    def __init__(self, map_path: Path) -> None:
        self.map_path = map_path

    def setup(self, worker: Worker) -> None:
        """Open the map."""
        self.player = Player(self.map_path)


def run(
    chunks: Sequence[Chunk], map_path: Path, workers: int, address: str | None = None
) -> Answers:
    """Play all chunks. `address` names the scheduler, such as "tcp://10.0.0.1:8786"."""
    with ExitStack() as stack:
        if address is None:
            address = stack.enter_context(_cluster(workers))
        client = stack.enter_context(Client(address))
        client.register_plugin(OpenMap(map_path))
        futures = client.map(_play, chunks, pure=False)
        chunk_of = dict(zip(futures, chunks, strict=True))
        del futures
        for future in as_completed(list(chunk_of)):
            problem = future.exception()
            yield chunk_of.pop(future), future.result() if problem is None else problem


def _cluster(workers: int) -> LocalCluster:
    """Start a cluster here. Its workers leave Ctrl-C to the sweep, which then ends them."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is started now inherits it
    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        )
    finally:
        signal.signal(signal.SIGINT, handler)


def _play(chunk: Chunk) -> Played:
    played: Played = get_worker().plugins[NAME].player.play(chunk)
    return played
