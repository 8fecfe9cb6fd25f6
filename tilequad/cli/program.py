"""Parse the arguments, run a command, report its result or its error."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

import tilequad
from tilequad._core.shown import shortened
from tilequad.cli import convert, info, render, view
from tilequad.cli.common import RequestError, path, printable
from tilequad.tiled import MapError

__all__ = ["make_parser", "run"]

# Each command module has a SUMMARY, `add_options(parser)` and `run(options)`, which returns the
# text to print.
COMMANDS = {"info": info, "render": render, "view": view, "convert": convert}


def run(words: Sequence[str] | None) -> int:
    """Run the command given on the command line; return the exit status."""
    options = make_parser().parse_args(words)
    try:
        text = COMMANDS[options.command].run(options)
        if text:
            _write(text)
    except (MapError, ModuleNotFoundError, RequestError) as problem:
        print(f"tilequad: {shortened(printable(str(problem)))}", file=sys.stderr)
        return 2
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands and their options."""
    parser = argparse.ArgumentParser(
        prog="tilequad", description="Inspect, draw, view and convert maps made with Tiled."
    )
    core = "compiled core" if tilequad.COMPILED else "core not compiled, so slower"
    parser.add_argument(
        "--version", action="version", version=f"tilequad {tilequad.__version__}, {core}"
    )
    commands = parser.add_subparsers(
        title="commands", dest="command", required=True, metavar="COMMAND"
    )
    for name, module in COMMANDS.items():
        summary = module.SUMMARY
        command = commands.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}."
        )
        # as in Python 3.14; older ones take -1e3 for an option
        command._negative_number_matcher = re.compile(r"-\.?\d")
        command.add_argument("map", type=path, metavar="MAP", help="a Tiled map, such as level.tmx")
        module.add_options(command)
    return parser


def _write(text: str) -> None:
    """Print a text; a reader such as `head` may close the pipe before its end."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        pass
    except OSError as problem:
        raise RequestError(f"cannot write the output: {problem.strerror}") from None
