"""Ray: actors on this machine, or on a cluster."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ray

from ..plan import Chunk
from ..player import Player
from . import ATTEMPTS, Answers

EXAMPLES = Path(__file__).resolve().parents[2]
PACKAGES = [str(EXAMPLES / name) for name in ("frontier_game", "frontier_sweep")]
"""What Ray takes along to the workers."""


def run(
    chunks: Sequence[Chunk], map_path: Path, workers: int, address: str | None = None
) -> Answers:
    """Play all chunks. `address` names the head node, such as "10.0.0.1:6379", or is "auto".

    Each worker is an actor with the map open. One that dies is started again, and so is its chunk.
    """
    ray.init(
        address="local" if address is None else address,
        num_cpus=workers if address is None else None,
        include_dashboard=False if address is None else None,
        runtime_env={"py_modules": PACKAGES},
        log_to_driver=False,
        logging_level=logging.WARNING,
    )
    try:
        actor = ray.remote(max_restarts=-1, max_task_retries=ATTEMPTS - 1, num_cpus=1)(Player)
        idle = [actor.remote(map_path) for _ in range(min(workers, len(chunks)))]
        waiting = list(reversed(chunks))
        busy: dict[Any, tuple[Any, Chunk]] = {}
        while waiting or busy:
            while waiting and idle:
                player, chunk = idle.pop(), waiting.pop()
                busy[player.play.remote(chunk)] = player, chunk
            for answer in ray.wait(list(busy))[0]:
                player, chunk = busy.pop(answer)
                idle.append(player)
                try:
                    yield chunk, ray.get(answer)
                except ray.exceptions.RayError as problem:
                    yield chunk, problem
    finally:
        ray.shutdown()
