"""Sends chunks of games to workers. Each module is one engine, used as its own manual says.

The `run` of each takes the chunks, the path of the map, the number of workers, and the address of
a cluster that runs already, or None to work on this machine. It yields each chunk as soon as it is
played, with what was played, or with the exception that kept the engine from playing it: a chunk
whose worker dies is run again, and given up only after `ATTEMPTS`. Closing the generator ends all
workers that it started.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from ..plan import Chunk
from ..player import Played

ENGINES = {"processes": "concurrent.futures", "dask": "distributed", "ray": "ray"}
"""Each engine, and the module that it needs."""
ATTEMPTS = 3
"""How often a chunk is run whose worker dies."""

Answers = Generator[tuple[Chunk, Played | Exception], None, None]


class Engine(Protocol):
    """The `run` of an engine."""

    def __call__(
        self, chunks: Sequence[Chunk], map_path: Path, workers: int, address: str | None = None
    ) -> Answers:
        """Play all chunks, each once."""


def engine(name: str, timeout: float | None = None) -> Engine:
    """Return an engine by its name.

    Args:
        name: A name in `ENGINES`.
        timeout: The seconds after which a game has failed; None, or for processes only.

    Raises:
        ModuleNotFoundError: It is not installed.
    """
    if find_spec(ENGINES[name]) is None:
        raise ModuleNotFoundError(f"{name} is not installed: pip install 'tilequad[sweep]'")
    run = import_module(f"{__name__}.{name}").run
    return cast(Engine, run if timeout is None else partial(run, timeout=timeout))
