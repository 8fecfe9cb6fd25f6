"""`tilequad convert`: a map in the other format of Tiled, or in another folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from tilequad.cli.common import RequestError, path, printable
from tilequad.tiled import load_map

__all__ = ["SUMMARY", "add_options", "run"]

SUMMARY = "write a map as .tmx or .tmj, with all of its relative paths"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `convert`."""
    parser.add_argument(
        "output", type=path, metavar="OUT",
        help="the map to write; its suffix, .tmx, .tmj or .json, selects the format",
    )  # fmt: skip


def run(options: argparse.Namespace) -> str:
    """Write the map, and say where it is."""
    output: Path = options.output
    tile_map = load_map(options.map)
    try:
        tile_map.save(output)
    except OSError as problem:
        raise RequestError(f"{output}: cannot be written: {problem.strerror or problem}") from None
    except ValueError as problem:
        raise RequestError(str(problem)) from None
    return printable(str(output))
