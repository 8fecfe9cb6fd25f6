"""The command line: `tilequad info`, `render`, `view` and `convert`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: The arguments after the program's name; by default those of the process.

    Returns:
        The exit status: 0 on success; 2 if the map or the request is wrong, after one line on
        stderr; 130 if the user pressed Ctrl-C.
    """
    try:
        # Imported here, not above, because importing takes long enough to press Ctrl-C.
        from tilequad.cli.program import run

        return run(arguments)
    except KeyboardInterrupt:
        print("tilequad: interrupted", file=sys.stderr)
        return 130
    finally:
        _discard_unwritten_output()


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)


def _discard_unwritten_output() -> None:
    """Keep Python from failing when it flushes a closed stdout."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
